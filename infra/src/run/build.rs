//! Builds the functions with the profile of development.

use crate::checkout::Checkout;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Stdio;
use tokio::process::Command;

/// The artefacts that the template's `Handler`s name.
const FUNCTIONS: [&str; 6] = ["reply", "summarizer", "retainer", "notifier", "eraser", "console"];

/// Builds all functions in one call of cargo. Naming the whole workspace, as the Makefile does, makes all calls
/// agree on features, so that they share what they built.
pub(super) async fn functions(checkout: &Checkout) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--workspace", "--bin", "carryover"]);
    command.args(FUNCTIONS.iter().flat_map(|name| ["--bin", name]));
    command.current_dir(checkout.root()).stdin(Stdio::null()).kill_on_drop(true);
    let status = command.status().await.context("cargo could not be started")?;
    if !status.success() {
        bail!("the functions do not compile");
    }
    Ok(())
}

/// The built functions by name, beside this program.
pub(super) fn binaries() -> Result<Vec<(&'static str, PathBuf)>> {
    let program = std::env::current_exe().context("this program does not know where it lies")?;
    let found = FUNCTIONS.map(|name| (name, program.with_file_name(name)));
    match found.iter().find(|(_, path)| !path.is_file()) {
        Some((name, path)) => bail!("{} is missing: build the function `{name}`", path.display()),
        None => Ok(found.into()),
    }
}
