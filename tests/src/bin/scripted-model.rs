//! The scripted model as a process: prints its address as one line and serves until it is told to stop.

use anyhow::{Context, Result, bail};
use carryover_tests::scripted_model::{serve, url_of};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port(std::env::args().skip(1))?)).await?;
    let mut stop = signal(SignalKind::terminate())?;
    println!("{}", url_of(&listener)?);
    tokio::select! {
        () = serve(listener) => bail!("the server stopped"),
        _ = stop.recv() => Ok(()),
        stopped = tokio::signal::ctrl_c() => Ok(stopped?),
    }
}

/// The value of `--port`; any free port without it.
fn port(mut arguments: impl Iterator<Item = String>) -> Result<u16> {
    match (arguments.next().as_deref(), arguments.next(), arguments.next()) {
        (None, ..) => Ok(0),
        (Some("--port"), Some(port), None) => port.parse().context("--port takes a number"),
        _ => bail!("usage: scripted-model [--port <number>]"),
    }
}
