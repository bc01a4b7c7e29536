//! `carryover run`: the whole deployment on this machine, until it is interrupted.
//!
//! The emulator leads a process group of its own; the functions it starts are in that group. So does Hindsight, where
//! this run starts one. Whatever ends the run ends the groups. Should the run itself be killed, the launchers notice
//! that their standard input has ended and end their groups.

mod build;
mod deploy;
mod emulator;
mod group;
mod hindsight;
mod ports;
mod proxy;
mod screen;
mod secrets;
mod seed;
mod settings;

pub use screen::{Links, links};
pub use seed::{install_default_agent, load_demo};

use crate::checkout::{Checkout, LocalDir};
use crate::terminal;
use anyhow::{Context, Error, Result, bail};
use emulator::Emulator;
use hindsight::Hindsight;
use settings::Settings;
use std::fs::File;
use std::path::PathBuf;
use std::time::SystemTime;
use tokio::process::ChildStdout;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Options of `carryover run`; models, memory and limits come from the environment alone.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Port of the web chat and the API; 0 is any free one [default: 8780 or, where that is taken, a free one]
    #[arg(long, env = "PORT")]
    port: Option<u16>,
    /// Directory of this stack's state [default: target/local of the checkout]
    #[arg(long, env = "CARRYOVER_LOCAL_DIR")]
    state: Option<PathBuf>,
    /// The functions are built already, beside this program
    #[arg(long, env = "CARRYOVER_BUILT", value_parser = clap::builder::FalseyValueParser::new())]
    built: bool,
}

/// Runs until SIGINT or SIGTERM, or until a part of it dies.
///
/// # Errors
/// A setting is wrong, a part could not be started, or a part died.
pub async fn run(options: Options) -> Result<()> {
    let mut interrupted = Interrupt::listen()?;
    let mut settings = Settings::from_env()?;
    let checkout = Checkout::current()?;
    let local = checkout.local_dir(options.state.as_deref());
    let _lock = claim(&local)?;
    let listener = ports::listen(options.port).await?;
    if !options.built {
        tokio::select! {
            built = build::functions(&checkout) => built?,
            () = interrupted.wait() => return Ok(()),
        }
    }
    let mut parts = Parts::start(&checkout, &local, &settings)?;
    let (endpoint, memory) = (parts.emulator.endpoint(), parts.memory());
    let outcome = tokio::select! {
        outcome = serve(&checkout, &local, &mut settings, listener, &endpoint, memory) => outcome,
        died = parts.died() => Err(died),
        () = interrupted.wait() => Ok(()),
    };
    forget_outputs(&local);
    terminal::say("\nStopping.");
    parts.stop().await;
    outcome
}

/// The children of a run.
struct Parts {
    emulator: Emulator,
    hindsight: Option<Hindsight>,
}

impl Parts {
    fn start(checkout: &Checkout, local: &LocalDir, settings: &Settings) -> Result<Self> {
        let hindsight = settings.wants_hindsight().then(|| Hindsight::start(checkout, local)).transpose()?;
        Ok(Self { emulator: Emulator::start(checkout, local)?, hindsight })
    }

    /// What Hindsight prints, where there is one.
    fn memory(&mut self) -> Option<ChildStdout> {
        self.hindsight.as_mut().and_then(Hindsight::output)
    }

    /// Waits until one of them dies and says how.
    async fn died(&mut self) -> Error {
        let hindsight = async {
            match &mut self.hindsight {
                Some(hindsight) => hindsight.died().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            died = self.emulator.died() => died,
            died = hindsight => died,
        }
    }

    async fn stop(self) {
        let hindsight = async {
            if let Some(hindsight) = self.hindsight {
                hindsight.stop().await;
            }
        };
        tokio::join!(self.emulator.stop(), hindsight);
    }
}

/// Deploys, says so, and serves. Returns only when something fails.
async fn serve(
    checkout: &Checkout,
    local: &LocalDir,
    settings: &mut Settings,
    listener: tokio::net::TcpListener,
    endpoint: &str,
    memory: Option<ChildStdout>,
) -> Result<()> {
    emulator::ready(endpoint).await?;
    if let Some(memory) = memory {
        settings.use_hindsight(hindsight::ready(memory).await?);
    }
    let secrets = secrets::Secrets::load(&local.secrets())?;
    let api_url = format!("http://localhost:{}", listener.local_addr()?.port());
    let deployment = deploy::deploy(checkout, local, settings, &secrets, endpoint, &api_url).await?;
    let mut front = proxy::serve(listener, deployment.api_host(), endpoint)?;
    let outputs = deployment.outputs(api_url, endpoint, settings, secrets);
    install_default_agent(&outputs).await.context("the default agent could not be installed")?;
    load_demo(&outputs).await.context("the demo data could not be loaded")?;
    outputs.write(&local.outputs())?;
    terminal::say(&screen::render(&outputs, settings, local, SystemTime::now())?);
    let died = front.join_next().await;
    bail!("the front proxy died: {died:?}")
}

/// Takes the directory for this run; the lock goes with the file.
fn claim(local: &LocalDir) -> Result<File> {
    for dir in [local.state(), local.tmp(), local.artifacts()] {
        std::fs::create_dir_all(&dir).with_context(|| format!("{} could not be created", dir.display()))?;
    }
    let lock = File::create(local.lock())?;
    if lock.try_lock().is_err() {
        bail!("another run uses {}", local.path().display());
    }
    forget_outputs(local);
    Ok(lock)
}

/// What remains of a run that was killed would promise a stack that is not there.
fn forget_outputs(local: &LocalDir) {
    if let Err(error) = std::fs::remove_file(local.outputs())
        && error.kind() != std::io::ErrorKind::NotFound
    {
        terminal::warn(&format!("{} could not be removed: {error}", local.outputs().display()));
    }
}

struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Interrupt {
    /// Listens from the first moment on, also where the shell told its background jobs to ignore SIGINT.
    fn listen() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
