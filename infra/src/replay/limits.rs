//! `carryover replay --limits`: the same conversations under several limits, side by side.
//!
//! Limits belong to a deployment, so each of them gets a local stack of its own, with nothing on it.

use super::Options;
use super::report::Report;
use crate::checkout::{Checkout, LocalDir};
use crate::connection::Connection;
use crate::outputs::Outputs;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::limits::Limits;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// How long a stack may take to start.
const START: Duration = Duration::from_secs(180);
const LOOK: Duration = Duration::from_millis(100);

/// One column of the comparison.
struct Candidate {
    name: String,
    limits: Limits,
}

/// Replays under each of the limits and prints a table of what became of it.
pub(super) async fn compare(options: &Options) -> Result<()> {
    let candidates: Vec<Candidate> =
        options.limits.iter().map(|path| Candidate::read(path)).collect::<Result<_>>()?;
    let checkout = Checkout::current()?;
    let mut columns = vec![];
    for candidate in &candidates {
        terminal::say(&format!("\nLimits of {}", candidate.name));
        let stack = LocalStack::start(&checkout, candidate).await?;
        let report = super::replayed(&stack.connection, options).await;
        stack.stop().await?;
        columns.push((candidate.name.clone(), report?));
    }
    terminal::say(&format!("\n{}", table(&columns)));
    Ok(())
}

impl Candidate {
    fn read(path: &Path) -> Result<Self> {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let limits: Limits =
            toml::from_str(&text).with_context(|| format!("{} has no limits", path.display()))?;
        limits.check().with_context(|| format!("{} is wrong", path.display()))?;
        Ok(Self { name: name.unwrap_or_default(), limits })
    }
}

/// A stack that lives as long as one replay.
struct LocalStack {
    run: Child,
    connection: Connection,
}

impl LocalStack {
    async fn start(checkout: &Checkout, candidate: &Candidate) -> Result<Self> {
        let name = format!("target/local/replay-{}", candidate.name);
        let local = checkout.local_dir(Some(Path::new(&name)));
        // What an earlier comparison left would be found and not be posted again.
        let _ = std::fs::remove_dir_all(local.path());
        std::fs::create_dir_all(local.path())?;
        let mut run = command(&local, &candidate.limits)?.spawn().context("carryover run did not start")?;
        let outputs = ready(&mut run, &local).await?;
        Ok(Self { run, connection: Connection::to(outputs).await? })
    }

    async fn stop(mut self) -> Result<()> {
        let pid = self.run.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            kill_process(pid, Signal::INT)?;
        }
        self.run.wait().await?;
        Ok(())
    }
}

fn command(local: &LocalDir, limits: &Limits) -> Result<Command> {
    let screen = std::fs::File::create(local.path().join("screen.txt"))?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("run")
        .env("PORT", "0")
        .env("CARRYOVER_LOCAL_DIR", local.path())
        .env("CARRYOVER_BUILT", "1")
        .env("LIMITS", serde_json::to_string(limits)?)
        .stdin(Stdio::null())
        .stdout(screen.try_clone()?)
        .stderr(screen)
        .kill_on_drop(true);
    Ok(command)
}

async fn ready(run: &mut Child, local: &LocalDir) -> Result<Outputs> {
    let (started, path): (Instant, PathBuf) = (Instant::now(), local.outputs());
    while !path.exists() {
        let screen = local.path().join("screen.txt");
        if let Some(status) = run.try_wait()? {
            bail!("the stack ended ({status}): see {}", screen.display());
        }
        if started.elapsed() > START {
            bail!("the stack is not ready within {} s: see {}", START.as_secs(), screen.display());
        }
        tokio::time::sleep(LOOK).await;
    }
    Outputs::read(&path)
}

/// A row for each count, a column for each of the limits.
fn table(columns: &[(String, Report)]) -> String {
    let rows: Vec<Vec<(&str, String)>> = columns.iter().map(|(_, report)| report.rows()).collect();
    let heads: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut lines = vec![line("", &heads)];
    for (n, (name, _)) in rows.first().into_iter().flatten().enumerate() {
        let values: Vec<&str> =
            rows.iter().map(|rows| rows.get(n).map_or("", |(_, value)| value.as_str())).collect();
        lines.push(line(name, &values));
    }
    lines.join("\n")
}

fn line(name: &str, values: &[&str]) -> String {
    let values: String = values.iter().map(|value| format!(" {value:>22}")).collect();
    format!("{name:<28}{values}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_a_file_and_unknown_ones_are_named() {
        let dir = std::env::temp_dir().join(format!("carryover-limits-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join("small.toml");
        std::fs::write(&path, "window_messages = 4\n").expect("a file");
        let read = Candidate::read(&path).expect("limits");
        assert_eq!((read.name.as_str(), read.limits.window_messages), ("small", 4));
        assert_eq!(read.limits.window_chars, Limits::default().window_chars);
        std::fs::write(&path, "window_mesages = 4\n").expect("a file");
        let error = format!("{:#}", Candidate::read(&path).err().expect("an error"));
        assert!(error.contains("window_mesages"), "{error}");
    }

    #[test]
    fn reports_stand_side_by_side() {
        let columns = [("small".to_owned(), Report::default()), ("large".to_owned(), Report::default())];
        let table = table(&columns);
        assert!(table.lines().next().expect("a head").ends_with("large"), "{table}");
        assert!(table.lines().any(|line| line.starts_with("escalated by a check") && line.ends_with('0')));
    }
}
