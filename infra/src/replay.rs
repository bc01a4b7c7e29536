//! `carryover replay`: recorded conversations, each customer turn through the real door.

mod conversation;
mod coverage;
mod limits;
mod report;

use crate::connection::{Connection, Target};
use crate::facts::{Loader, Wanted};
use crate::hand_back;
use crate::terminal::{self, grouped};
use anyhow::{Context, Result, bail};
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::thread::Seq;
use carryover_shared::trace::{Outcome, Trace};
use conversation::{Accounts, Conversation};
use report::Report;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the queue of folds is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// So many looks in a row must find it empty: a job may be on its way.
const QUIET_LOOKS: u32 = 4;
/// Traces looked at to find the one of a message.
const TRACES: usize = 3;

/// Options of `carryover replay`.
///
/// The file has one conversation a line: {"conversation_id", "turns": [{"role", "text"}]}. What a customer (or user)
/// says is posted as chat:<conversation_id>. After a case the conversation goes on; the bot is silent then, as it
/// would be, or answers on with --hand-back. Run again, what was posted is found and the rest is posted; the closing table is made from what the
/// stack has on record, so it says the same.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// The conversations, one JSON object a line: {"conversation_id": …, "turns": [{"role": …, "text": …}]}
    file: PathBuf,
    /// Users by id: the facts of the one whom a conversation's tool turns name
    #[arg(long)]
    facts_users: Option<PathBuf>,
    /// Orders by id, with a field user_id
    #[arg(long)]
    facts_orders: Option<PathBuf>,
    /// Only the first so many conversations
    #[arg(long)]
    limit: Option<usize>,
    /// Hands a thread back after each case, so that the bot answers the rest, too
    #[arg(long)]
    hand_back: bool,
    /// Compares limits, a TOML file each, on a local stack for each of them
    #[arg(long, value_delimiter = ',')]
    limits: Vec<PathBuf>,
    /// How long to wait for the last folds, in seconds
    #[arg(long, default_value_t = 120)]
    wait_seconds: u64,
    #[command(flatten)]
    target: Target,
}

/// Replays them, one after another.
///
/// # Errors
/// No stack runs, a file cannot be read, a turn was not taken, or a trace violates *coverage*.
pub async fn run(options: Options) -> Result<()> {
    if !options.limits.is_empty() {
        return limits::compare(&options).await;
    }
    let connection = options.target.connect().await?;
    let report = replayed(&connection, &options).await?;
    terminal::say(&format!("\n{report}"));
    match report.faults() {
        None => Ok(()),
        Some(faults) => bail!(faults),
    }
}

async fn replayed(connection: &Connection, options: &Options) -> Result<Report> {
    let mut conversations = conversation::read(&options.file)?;
    conversations.truncate(options.limit.unwrap_or(usize::MAX));
    let accounts = Accounts::read(options.facts_users.as_deref(), options.facts_orders.as_deref())?;
    let mut report = Report::default();
    for conversation in &conversations {
        replay(connection, conversation, &accounts, options.hand_back, &mut report).await?;
    }
    report.folds_pending = !folds_are_done(connection, Duration::from_secs(options.wait_seconds)).await?;
    for conversation in &conversations {
        let identity = conversation.identity()?;
        if let Some(contact) = connection.store.resolve(&identity).await? {
            report.look_at(connection, &identity, contact).await?;
        }
    }
    Ok(report)
}

async fn replay(
    connection: &Connection,
    conversation: &Conversation,
    accounts: &Accounts,
    hand_back: bool,
    report: &mut Report,
) -> Result<()> {
    let identity = conversation.identity()?;
    let wanted = accounts.facts_of(conversation, &identity);
    if !wanted.is_empty() {
        load(connection, wanted, report).await;
    }
    for (index, text) in conversation.said_by_customer() {
        let id = format!("replay-{index}");
        let started = Instant::now();
        let posted = connection.api.post(&conversation.conversation_id, &id, text).await;
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let name = &conversation.conversation_id;
        match posted {
            Ok(answer) => {
                report.count(&answer.status);
                let chars = prompt_chars(connection, &identity, Seq(answer.seq)).await?;
                terminal::say(&line(name, &answer.seq.to_string(), &answer.status, millis, chars));
                if hand_back && answer.status == "escalated" {
                    hand_back::hand_back(connection, &identity, true).await?;
                }
            }
            Err(error) => {
                report.count("failed");
                terminal::say(&line(name, "-", "failed", millis, None));
                terminal::warn(&format!("{name}: {error:#}"));
            }
        }
    }
    Ok(())
}

async fn load(connection: &Connection, wanted: Vec<Wanted>, report: &mut Report) {
    let loader = Loader::new(connection.api.clone(), wanted.len());
    report.facts.add(loader.load(wanted).await);
}

fn line(name: &str, seq: &str, status: &str, millis: u64, prompt_chars: Option<usize>) -> String {
    let prompt = prompt_chars.map_or_else(|| "-".into(), |chars| grouped(chars as u64));
    format!("{name}  {seq:>3}  {status:<10}  {:>6} ms  prompt {prompt:>6}", grouped(millis))
}

/// Characters of the prompt from which message `seq` was decided, if it was by a model.
async fn prompt_chars(connection: &Connection, identity: &Identity, seq: Seq) -> Result<Option<usize>> {
    let Some(contact) = connection.store.resolve(identity).await? else { return Ok(None) };
    let traces = traces(connection, contact, TRACES).await?;
    let of_message = traces.iter().find(|(trace, _)| trace.answers.contains(&seq));
    Ok(of_message.and_then(|(_, outcome)| report::prompt_chars(outcome.as_ref())))
}

async fn traces(
    connection: &Connection,
    contact: ContactId,
    limit: usize,
) -> Result<Vec<(Trace, Option<Outcome>)>> {
    Ok(connection.store.traces(contact, limit).await?)
}

/// Waits until no fold waits or runs; `false` if some still do after `patience`.
async fn folds_are_done(connection: &Connection, patience: Duration) -> Result<bool> {
    let started = Instant::now();
    let mut quiet = 0;
    while quiet < QUIET_LOOKS {
        if started.elapsed() > patience {
            return Ok(false);
        }
        quiet = if folds_waiting(connection).await? == 0 { quiet + 1 } else { 0 };
        tokio::time::sleep(LOOK).await;
    }
    Ok(true)
}

async fn folds_waiting(connection: &Connection) -> Result<u64> {
    use aws_sdk_sqs::types::QueueAttributeName as Name;
    let url = connection.outputs.queue("folds")?;
    let request = connection.sqs.get_queue_attributes().queue_url(url).attribute_names(Name::All);
    let attributes = request.send().await.context("the queue of folds cannot be read")?.attributes;
    let counted = [Name::ApproximateNumberOfMessages, Name::ApproximateNumberOfMessagesNotVisible];
    let attributes = attributes.unwrap_or_default();
    let count = |name: &Name| attributes.get(name).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    Ok(counted.iter().map(count).sum())
}
