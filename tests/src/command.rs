//! The `carryover` command, as an engineer runs it from a shell.

use crate::stack::{OUTPUTS, program};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// It succeeded.
    pub success: bool,
    /// What it printed.
    pub stdout: String,
    /// What it told besides: progress and errors.
    pub stderr: String,
}

/// Runs `carryover` with these arguments against the stack whose state is in `dir`, with `input` to read.
///
/// # Errors
/// It is not built, or could not be run.
pub async fn carryover(dir: &Path, arguments: &[&str], input: &str) -> Result<Ran> {
    let mut child = Command::new(program("carryover")?)
        .args(arguments)
        .env("CARRYOVER_LOCAL_DIR", dir)
        .env_remove("LIMITS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("carryover is missing")?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    stdin.write_all(input.as_bytes()).await?;
    drop(stdin);
    let output = child.wait_with_output().await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ran { success: output.status.success(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

/// The directory of the stack that all stack tests share.
///
/// # Panics
/// No stack runs: the suite was not started by `with-stack`.
pub fn shared_dir() -> PathBuf {
    let outputs = std::env::var(OUTPUTS).expect("a stack: run the suite by `make stack-tests`");
    Path::new(&outputs).parent().expect("outputs in a directory").to_owned()
}
