//! Ports: the front's, which people type, and the emulator's, which its state remembers.

use crate::checkout::LocalDir;
use anyhow::{Context, Result};
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::path::Path;
use tokio::net::TcpListener;

const FRONT: u16 = 8780;

/// Listens on the wished port or, without a wish, on the default one or any free one.
pub(super) async fn listen(wished: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = wished {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        return listener.with_context(|| format!("port {port} cannot be used: choose another with PORT="));
    }
    match TcpListener::bind((Ipv4Addr::LOCALHOST, FRONT)).await {
        Ok(listener) => Ok(listener),
        Err(_) => Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?),
    }
}

/// The emulator's port: that of the last run, else a free one, to which the state is then moved.
pub(super) fn emulator_port(local: &LocalDir) -> Result<u16> {
    let last = std::fs::read_to_string(local.port()).ok().and_then(|text| text.trim().parse::<u16>().ok());
    if let Some(last) = last
        && is_free(last)
    {
        return Ok(last);
    }
    let port = free()?;
    if let Some(last) = last {
        move_state(&local.state(), last, port)?;
    }
    std::fs::write(local.port(), port.to_string())?;
    Ok(port)
}

fn is_free(port: u16) -> bool {
    StdListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn free() -> Result<u16> {
    Ok(StdListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The state is full of URLs (queues, functions' variables, the API) that name the port.
fn move_state(state: &Path, from: u16, to: u16) -> Result<()> {
    for entry in std::fs::read_dir(state)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read_to_string(&path)?;
            let moved = moved(&text, from, to);
            if moved != text {
                std::fs::write(&path, moved)?;
            }
        }
    }
    Ok(())
}

fn moved(text: &str, from: u16, to: u16) -> String {
    ["localhost", "127.0.0.1"]
        .iter()
        .fold(text.to_owned(), |text, host| text.replace(&format!("{host}:{from}"), &format!("{host}:{to}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_move() {
        let state =
            r#"{"url": "http://localhost:4566/q", "endpoint": "http://127.0.0.1:4566", "bytes": 4566}"#;
        let expected =
            r#"{"url": "http://localhost:81/q", "endpoint": "http://127.0.0.1:81", "bytes": 4566}"#;
        assert_eq!(moved(state, 4566, 81), expected);
    }
}
