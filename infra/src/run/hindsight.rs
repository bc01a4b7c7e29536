//! A Hindsight server of this run's own (`MEMORY=hindsight`), with its database and its embedder.

use super::group::Group;
use crate::checkout::{Checkout, LocalDir};
use anyhow::{Context, Error, Result, anyhow, bail};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{ChildStdout, Command};
use tokio::time::timeout;

/// How long it may take until it answers; it says itself what is wrong before.
const READY: Duration = Duration::from_secs(240);

/// A started server.
pub(super) struct Hindsight {
    group: Group,
    log: PathBuf,
}

impl Hindsight {
    /// Starts it on the memories of the last run.
    pub(super) fn start(checkout: &Checkout, local: &LocalDir) -> Result<Self> {
        let mut command = Command::new("python3");
        command.arg(checkout.script("hindsight.py")).arg("serve").arg(local.hindsight());
        let group = Group::start("Hindsight", command.stdout(Stdio::piped()))
            .context("python3 could not be started")?;
        Ok(Self { group, log: local.hindsight().join("hindsight.log") })
    }

    /// What it prints.
    pub(super) fn output(&mut self) -> Option<ChildStdout> {
        self.group.output()
    }

    /// Waits until it dies and says how.
    pub(super) async fn died(&mut self) -> Error {
        match self.group.died().await {
            Ok(status) => anyhow!("Hindsight died ({status}): see {}", self.log.display()),
            Err(error) => error,
        }
    }

    /// Ends it and all that belongs to it.
    pub(super) async fn stop(self) {
        self.group.stop().await;
    }
}

/// Waits until it answers and says where: the first line that it prints.
pub(super) async fn ready(output: ChildStdout) -> Result<String> {
    let first = timeout(READY, BufReader::new(output).lines().next_line()).await;
    match first.context("Hindsight did not come up in time")?? {
        Some(address) => Ok(address),
        None => bail!("Hindsight ended before it answered"),
    }
}
