//! A child that leads a process group of its own, in which is whatever it starts.

use crate::terminal;
use anyhow::{Context, Result};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// How long it may take to save its state and leave.
const LEAVE: Duration = Duration::from_secs(7);
/// How long killed processes may take to vanish.
const VANISH: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(50);

/// A started group.
pub(super) struct Group {
    name: &'static str,
    child: Child,
    /// Its standard input: the child ends its group when this goes, however this process ends.
    _lifeline: Option<ChildStdin>,
    group: Pid,
}

impl Group {
    /// Starts it; `name` is what people call it.
    pub(super) fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).process_group(0).spawn()?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = pid.with_context(|| format!("{name} ended at once"))?;
        let lifeline = child.stdin.take();
        Ok(Self { name, child, _lifeline: lifeline, group })
    }

    /// What it prints, where that is piped; once.
    pub(super) fn output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits until the child dies.
    pub(super) async fn died(&mut self) -> Result<ExitStatus> {
        self.child.wait().await.with_context(|| format!("{} cannot be watched", self.name))
    }

    /// Ends all of it, by force where asking does not help.
    pub(super) async fn stop(mut self) {
        self.signal(Signal::TERM);
        if timeout(LEAVE, self.child.wait()).await.is_err() {
            terminal::warn(&format!("{} did not stop in time; its latest state may be lost", self.name));
        }
        let killed = Instant::now();
        while test_kill_process_group(self.group) != Err(Errno::SRCH) && killed.elapsed() < VANISH {
            self.signal(Signal::KILL);
            let _ = timeout(POLL, self.child.wait()).await;
            sleep(POLL).await;
        }
    }

    fn signal(&self, signal: Signal) {
        match kill_process_group(self.group, signal) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => terminal::warn(&format!("{} could not be signalled: {error}", self.name)),
        }
    }
}
