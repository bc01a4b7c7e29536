//! `carryover trace`: exactly what one decision was made from.

use crate::connection::{Connection, Target};
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::thread::{Author, Seq};
use carryover_shared::trace::{Degraded, Outcome, Trace};
use serde::Serialize;

/// Decisions printed of one message: drafts that were superseded, turns that broke off, and the one that stands.
const DECISIONS: usize = 20;

/// Options of `carryover trace`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Whose thread, such as chat:ana
    identity: Identity,
    /// The number of a customer's message, or of what the bot said to it
    seq: u64,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// A decision: what it was made from, and what became of it.
#[derive(Debug, Serialize)]
pub(crate) struct Decided {
    /// What it was made from.
    pub(crate) trace: Trace,
    /// What became of it; none where it was lost, is not written yet, or another turn was faster.
    pub(crate) outcome: Option<Outcome>,
}

/// Prints every decision on a message with its full context, oldest first.
///
/// # Errors
/// Nobody has this identity, there is no such decision, or the table cannot be read.
pub async fn run(options: Options) -> Result<()> {
    let connection = options.target.connect().await?;
    let contact = connection.contact(&options.identity).await?;
    let seq = decided_on(&connection, contact, Seq(options.seq)).await?;
    let mut found = connection.store.traces_on::<Trace, Outcome>(contact, seq, DECISIONS).await?;
    if found.is_empty() {
        bail!(
            "no decision on message {seq} is on record: a person had the thread, or it is more than 30 days old"
        );
    }
    found.reverse();
    let decided: Vec<Decided> =
        found.into_iter().map(|(trace, outcome)| Decided { trace, outcome }).collect();
    terminal::say(&if options.json { serde_json::to_string_pretty(&decided)? } else { pages(&decided) });
    Ok(())
}

/// A decision stands under the newest customer message that it has read.
async fn decided_on(connection: &Connection, contact: ContactId, seq: Seq) -> Result<Seq> {
    let found = connection.store.messages(contact, seq, seq, 1).await?.pop();
    let message = found.with_context(|| format!("there is no message {seq}"))?;
    match message.author {
        Author::Bot => message.in_reply_to.with_context(|| format!("message {seq} was imported")),
        Author::Customer => Ok(seq),
        Author::Operator => bail!("message {seq} is a person's: no decision of the bot led to it"),
    }
}

fn pages(decided: &[Decided]) -> String {
    decided.iter().map(page).collect::<Vec<_>>().join("\n\n")
}

fn page(decided: &Decided) -> String {
    let Decided { trace, outcome } = decided;
    let answers: Vec<String> = trace.answers.iter().map(|seq| format!("#{seq}")).collect();
    let mut lines = vec![
        format!("Decision on {} at {}", answers.join(", "), trace.at),
        format!("agent: {}, version {}", trace.agent, trace.version),
        match outcome {
            Some(outcome) => became(outcome),
            None => "outcome: none; another turn was faster, or it was lost".into(),
        },
    ];
    lines.push(format!("recall: {}", trace.recall));
    let later = outcome.iter().flat_map(|outcome| &outcome.degraded);
    lines.extend(trace.degraded.iter().chain(later).map(degraded));
    if trace.sections.is_empty() {
        lines.push("The model was not asked. It would have read:".into());
    }
    lines.push(String::new());
    lines.push(heading("system"));
    lines.push(trace.context.system.clone());
    lines.push(heading("user"));
    lines.push(trace.context.user.clone());
    lines.join("\n")
}

fn heading(role: &str) -> String {
    format!("──── {role} ────")
}

fn became(outcome: &Outcome) -> String {
    let by = format!("{:?}", outcome.by).to_lowercase();
    let category = outcome.category.as_ref().map(|category| format!(", {category}")).unwrap_or_default();
    let faults: Vec<&str> = outcome.attempts.iter().filter_map(|attempt| attempt.fault.as_deref()).collect();
    let refused = match faults.is_empty() {
        true => String::new(),
        false => format!("; refused: {}", faults.join(", ")),
    };
    let message = outcome.seq.map(|seq| format!(", message {seq}")).unwrap_or_default();
    format!("outcome: {} by the {by}{category}{message}, {} ms{refused}", outcome.decision, outcome.millis)
}

fn degraded(degraded: &Degraded) -> String {
    format!("degraded: {} ({})", degraded.part, degraded.why)
}
