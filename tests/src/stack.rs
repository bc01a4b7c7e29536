//! A local stack for tests: `carryover run` on free ports, with a directory of its own.

use crate::client::Client;
use crate::scripted_model::Script;
use anyhow::{Context, Result, bail, ensure};
use carryover_command::outputs::Outputs;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Names the outputs of the stack that `with-stack` started, for the suites that it runs.
pub const OUTPUTS: &str = "CARRYOVER_OUTPUTS";

/// Names the address of the scripted model that this stack asks.
pub const MODEL: &str = "CARRYOVER_SCRIPTED_MODEL";

/// The variables that `make run` reads.
const SETTINGS: [&str; 13] = [
    "MODEL_URL",
    "MODEL_API_KEY",
    "REPLY_MODEL",
    "SUMMARY_MODEL",
    "IMPROVER_MODEL",
    "MODEL_PRICES",
    "MEMORY",
    "HINDSIGHT_URL",
    "HINDSIGHT_API_KEY",
    "LIMITS",
    "ROUTING",
    "NOTIFICATION_SENDER",
    "INDEX_BUCKET",
];

/// How long a stack may take to start on a busy machine, with a Hindsight server of its own.
const START: Duration = Duration::from_secs(240);
/// How long it may take to stop: what `carryover run` promises.
const STOP: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

/// A stack that the test started and that ends with it.
#[derive(Debug)]
pub struct Stack {
    run: Child,
    dir: PathBuf,
}

impl Stack {
    /// Starts a stack on the state in `dir` and waits until it is ready. `environment` holds the variables of
    /// `make run` (`MODEL_URL`, `LIMITS`, …); none is inherited.
    ///
    /// # Errors
    /// It did not become ready.
    pub fn start(dir: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        std::fs::create_dir_all(dir)?;
        let dir = dir.canonicalize()?;
        let mut stack =
            Self { run: command(&dir, environment)?.spawn().context("carryover is missing")?, dir };
        stack.wait_until_ready()?;
        Ok(stack)
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let started = Instant::now();
        while !self.outputs_path().exists() {
            if let Some(status) = self.run.try_wait()? {
                bail!("carryover run ended ({status}): see {}", self.screen_path().display());
            }
            ensure!(started.elapsed() < START, "the stack is not ready within {START:?}");
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The process of `carryover run`.
    pub fn pid(&self) -> u32 {
        self.run.id()
    }

    /// Where its outputs are while it runs.
    pub fn outputs_path(&self) -> PathBuf {
        self.dir.join("outputs.json")
    }

    /// What it printed.
    pub fn screen_path(&self) -> PathBuf {
        self.dir.join("screen.txt")
    }

    /// Its outputs.
    ///
    /// # Errors
    /// It does not run.
    pub fn outputs(&self) -> Result<Outputs> {
        Outputs::read(&self.outputs_path())
    }

    /// A client of it.
    ///
    /// # Errors
    /// It does not run.
    pub fn client(&self) -> Result<Client> {
        Client::new(self.outputs()?)
    }

    /// Interrupts it and waits until it has ended.
    ///
    /// # Errors
    /// It did not end in time.
    pub fn stop(mut self) -> Result<ExitStatus> {
        self.interrupt()
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// It did not end in time.
    pub fn wait(mut self) -> Result<ExitStatus> {
        self.wait_for_end()
    }

    fn interrupt(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.run.try_wait()? {
            return Ok(status);
        }
        let pid =
            i32::try_from(self.run.id()).ok().and_then(Pid::from_raw).context("a process without an id")?;
        kill_process(pid, Signal::INT)?;
        self.wait_for_end()
    }

    fn wait_for_end(&mut self) -> Result<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.run.try_wait()? {
                return Ok(status);
            }
            ensure!(started.elapsed() < STOP, "the stack did not stop within {STOP:?}");
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if self.interrupt().is_err() {
            let _ = self.run.kill();
            let _ = self.run.wait();
        }
    }
}

fn command(dir: &Path, environment: &[(&str, &str)]) -> Result<Command> {
    let screen = std::fs::File::create(dir.join("screen.txt"))?;
    let mut command = Command::new(program("carryover")?);
    for name in SETTINGS {
        command.env_remove(name);
    }
    command
        .arg("run")
        .envs(environment.iter().copied())
        .env("PORT", "0")
        .env("CARRYOVER_LOCAL_DIR", dir)
        .env("CARRYOVER_BUILT", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stdout(screen.try_clone()?)
        .stderr(screen);
    Ok(command)
}

/// A program of the workspace, beside this one or, from a test, in the directory above.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let found = this.ancestors().skip(1).take(2).map(|dir| dir.join(name)).find(|path| path.is_file());
    found.with_context(|| format!("`{name}` is not built: use `make stack-tests`"))
}

/// The scripted model that the shared stack asks.
///
/// # Panics
/// No stack runs: the suite was not started by `with-stack`.
pub fn shared_model() -> Script {
    let url = std::env::var(MODEL).expect("a stack: run the suite by `make stack-tests`");
    Script::of(&url).expect("a client")
}

/// A client of the stack that all stack tests share.
///
/// # Panics
/// No stack runs: the suite was not started by `with-stack`.
pub fn shared() -> Client {
    let path = std::env::var(OUTPUTS).expect("a stack: run the suite by `make stack-tests`");
    Client::new(Outputs::read(Path::new(&path)).expect("the outputs of the stack")).expect("a client")
}
