//! The emulator of AWS: a child that leads the process group of the functions it starts.

use super::ports;
use crate::checkout::{Checkout, LocalDir};
use crate::terminal;
use anyhow::{Context, Error, Result, anyhow, bail};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{sleep, timeout};

/// How long it may take until it accepts connections.
const READY: Duration = Duration::from_secs(60);
/// How long it may take to save its state and leave.
const LEAVE: Duration = Duration::from_secs(7);
/// How long killed processes may take to vanish.
const VANISH: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(50);
/// Each running invocation and each waiting call holds a thread; the default of 64 starves under a burst.
const THREADS: &str = "512";
/// Idle execution environments beyond the first leave after so long.
const IDLE_SECONDS: &str = "60";

/// A started emulator.
pub(super) struct Emulator {
    child: Child,
    /// Its standard input: the launcher ends its group when this goes, however this process ends.
    _lifeline: Option<ChildStdin>,
    group: Pid,
    port: u16,
    log: PathBuf,
}

impl Emulator {
    /// Starts it on the state of the last run.
    pub(super) fn start(checkout: &Checkout, local: &LocalDir) -> Result<Self> {
        let port = ports::emulator_port(local)?;
        let mut child = command(checkout, local, port)?.spawn().with_context(|| {
            format!("{} could not be started: `make run` sets it up", checkout.python().display())
        })?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = pid.context("the emulator ended at once")?;
        let lifeline = child.stdin.take();
        Ok(Self { child, _lifeline: lifeline, group, port, log: local.stack_log() })
    }

    /// The AWS endpoint.
    pub(super) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until it dies and says how.
    pub(super) async fn died(&mut self) -> Error {
        let log = self.log.display();
        match self.child.wait().await {
            Ok(status) => anyhow!("the AWS emulator died ({status}): see {log}"),
            Err(error) => anyhow!("the AWS emulator cannot be watched: {error}"),
        }
    }

    /// Ends it and every function that it started, by force where asking does not help.
    pub(super) async fn stop(mut self) {
        signal(self.group, Signal::TERM);
        if timeout(LEAVE, self.child.wait()).await.is_err() {
            terminal::warn("the AWS emulator did not stop in time; its latest state may be lost");
        }
        let killed = Instant::now();
        while test_kill_process_group(self.group) != Err(Errno::SRCH) && killed.elapsed() < VANISH {
            signal(self.group, Signal::KILL);
            let _ = timeout(POLL, self.child.wait()).await;
            sleep(POLL).await;
        }
    }
}

fn signal(group: Pid, signal: Signal) {
    match kill_process_group(group, signal) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => terminal::warn(&format!("process group {group:?} could not be signalled: {error}")),
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
        .stdin(Stdio::piped())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0);
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
