//! The scripted model as a process: prints its address as one line and serves until it is told to stop.

use anyhow::{Context, Result, bail};
use carryover_tests::scripted_model::{Recording, serve, url_of};
use std::path::Path;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let Options { port, recording } = options(std::env::args().skip(1))?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let mut stop = signal(SignalKind::terminate())?;
    println!("{}", url_of(&listener)?);
    tokio::select! {
        () = serve(listener, recording) => bail!("the server stopped"),
        _ = stop.recv() => Ok(()),
        stopped = tokio::signal::ctrl_c() => Ok(stopped?),
    }
}

/// Any free port and nothing recorded, unless told otherwise.
#[derive(Default)]
struct Options {
    port: u16,
    recording: Recording,
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options::default();
    while let Some(name) = arguments.next() {
        match (name.as_str(), arguments.next()) {
            ("--port", Some(port)) => options.port = port.parse().context("--port takes a number")?,
            ("--recorded", Some(file)) => options.recording = Recording::read(Path::new(&file))?,
            _ => bail!("usage: scripted-model [--port <number>] [--recorded <conversations.jsonl>]"),
        }
    }
    Ok(options)
}
