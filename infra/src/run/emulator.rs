//! The emulator of AWS: a child that leads the process group of the functions it starts.

use super::group::Group;
use super::ports;
use crate::checkout::{Checkout, LocalDir};
use anyhow::{Context, Error, Result, anyhow, bail};
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::sleep;

/// How long it may take until it accepts connections.
const READY: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);
/// Each running invocation and each waiting call holds a thread; the default of 64 starves under a burst.
const THREADS: &str = "512";
/// Idle execution environments beyond the first leave after so long.
const IDLE_SECONDS: &str = "60";

/// A started emulator.
pub(super) struct Emulator {
    group: Group,
    port: u16,
    log: PathBuf,
}

impl Emulator {
    /// Starts it on the state of the last run.
    pub(super) fn start(checkout: &Checkout, local: &LocalDir) -> Result<Self> {
        let port = ports::emulator_port(local)?;
        let group =
            Group::start("the AWS emulator", &mut command(checkout, local, port)?).with_context(|| {
                format!("{} could not be started: `make run` sets it up", checkout.python().display())
            })?;
        Ok(Self { group, port, log: local.stack_log() })
    }

    /// The AWS endpoint.
    pub(super) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until it dies and says how.
    pub(super) async fn died(&mut self) -> Error {
        match self.group.died().await {
            Ok(status) => anyhow!("the AWS emulator died ({status}): see {}", self.log.display()),
            Err(error) => error,
        }
    }

    /// Ends it and every function that it started.
    pub(super) async fn stop(self) {
        self.group.stop().await;
    }
}

/// The functions inherit this environment, so it holds nothing of the developer's.
fn command(checkout: &Checkout, local: &LocalDir, port: u16) -> Result<Command> {
    let log = File::create(local.stack_log()).context("the emulator's log cannot be written")?;
    let mut command = Command::new(checkout.python());
    command.arg(checkout.script("launcher.py")).env_clear();
    for name in ["PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .env("GATEWAY_PORT", port.to_string())
        .env("BIND_HOST", "127.0.0.1")
        .env("MINISTACK_HOST", "localhost")
        .env("LAMBDA_EXECUTOR", "local")
        .env("LAMBDA_WARM_TTL_SECONDS", IDLE_SECONDS)
        .env("MINISTACK_WORKER_THREADS", THREADS)
        .env("PERSIST_STATE", "1")
        .env("STATE_DIR", local.state())
        .env("TMPDIR", local.tmp())
        .env("FUNCTIONS_LOG", local.functions_log())
        .env("SFTP_ENABLED", "0")
        .env("IOT_MTLS_ENABLED", "0")
        .current_dir(local.path())
        .stdout(log.try_clone()?)
        .stderr(log);
    Ok(command)
}

/// Waits until the emulator accepts connections.
pub(super) async fn ready(endpoint: &str) -> Result<()> {
    let address = endpoint.trim_start_matches("http://");
    let started = Instant::now();
    while TcpStream::connect(address).await.is_err() {
        if started.elapsed() > READY {
            bail!("the AWS emulator did not come up within {READY:?}");
        }
        sleep(POLL).await;
    }
    Ok(())
}
