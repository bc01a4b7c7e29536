//! `with-stack <command…>`: runs a command beside a scripted model, a receiver of notifications and a fresh stack that
//! uses both, and ends with the command's status.
//!
//! The suites run each test in a process of its own; what they share has to be started before them.

use anyhow::{Context, Result, bail};
use carryover_tests::receiver::{RECEIVER, Receiver, SECRET};
use carryover_tests::scripted_model::ScriptedModel;
use carryover_tests::stack::{MODEL, OUTPUTS, Stack};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("with-stack: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<ExitCode> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else { bail!("which command?") };
    let model = ScriptedModel::start().await?;
    let receiver = Receiver::start().await?;
    let stack = Stack::start(&fresh_dir()?, &environment(&model.url(), &routing(receiver.url())))?;
    let mut command = Command::new(&program);
    command.args(arguments).env(OUTPUTS, stack.outputs_path()).env(MODEL, model.url());
    command.env(RECEIVER, receiver.url()).kill_on_drop(true);
    let mut child = command.spawn().with_context(|| format!("{} is missing", program.display()))?;
    let code = tokio::select! {
        status = child.wait() => exit_code(status?.code()),
        _ = interrupt.recv() => ExitCode::FAILURE,
        _ = terminate.recv() => ExitCode::FAILURE,
    };
    stack.stop()?;
    Ok(code)
}

/// What fails is tried again at once: no test waits for a back-off.
const LIMITS: &str = r#"{"retention_wait_seconds": 0}"#;

/// Whatever the category, `desk` has a minute to take a case.
fn routing(receiver: &str) -> String {
    let desk = json!({"webhook": format!("{receiver}/hook/desk"), "secret": SECRET});
    let teams = json!({"desk": desk, "lead": {"slack": format!("{receiver}/hook/lead")}});
    let route = json!({"team": "desk", "take_minutes": 1, "then": ["lead"]});
    json!({"teams": teams, "routes": {"default": route}}).to_string()
}

fn environment<'a>(model: &'a str, routing: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("MODEL_URL", model),
        ("REPLY_MODEL", "scripted-reply"),
        ("SUMMARY_MODEL", "scripted-summary"),
        ("LIMITS", LIMITS),
        ("ROUTING", routing),
    ]
}

/// A directory without the state of earlier runs.
fn fresh_dir() -> Result<std::path::PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/stack-tests");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    Ok(dir)
}

fn exit_code(code: Option<i32>) -> ExitCode {
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
