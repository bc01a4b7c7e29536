//! `carryover show`: a thread as the bot knows it.

mod page;

use crate::connection::{Connection, Target};
use crate::terminal;
use crate::trace::Decided;
use anyhow::{Context, Result};
use carryover_shared::case::Case;
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::snapshot::Snapshot;
use carryover_shared::text;
use carryover_shared::thread::{Author, Head, Message, Seq};
use carryover_shared::time::Timestamp;
use serde::Serialize;

/// Characters shown of one message.
const LINE_CHARS: usize = 240;

/// Options of `carryover show`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Whose thread, such as chat:ana
    identity: Identity,
    /// How many of the newest messages
    #[arg(long, default_value_t = 10)]
    messages: usize,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Prints head, snapshot and history, the last decision with what it was made from, and the newest messages.
///
/// # Errors
/// Nobody has this identity, or the table cannot be read.
pub async fn run(options: Options) -> Result<()> {
    let connection = options.target.connect().await?;
    let view = View::read(&connection, &options.identity, options.messages).await?;
    let shown = if options.json { serde_json::to_string_pretty(&view)? } else { page::render(&view) };
    terminal::say(&shown);
    Ok(())
}

/// A thread as the bot knows it.
#[derive(Debug, Serialize)]
struct View {
    identity: Identity,
    contact_id: ContactId,
    head: Head,
    /// None where it cannot be read.
    snapshot: Option<Snapshot>,
    cases: Vec<Case>,
    facts: usize,
    memories: usize,
    /// The last decision.
    last_decision: Option<Decided>,
    /// The newest messages, oldest of them first.
    messages: Vec<Line>,
}

/// A message.
#[derive(Debug, Serialize)]
struct Line {
    seq: Seq,
    author: Author,
    at: Timestamp,
    text: String,
}

impl View {
    async fn read(connection: &Connection, identity: &Identity, messages: usize) -> Result<Self> {
        let (store, limits) = (&connection.store, &connection.limits);
        let contact = connection.contact(identity).await?;
        let head = store.head(contact).await?.with_context(|| format!("{identity} is gone"))?;
        let from = Seq((head.last_seq.0 + 1).saturating_sub(messages as u64)).max(head.first_seq);
        let newest = store.messages(contact, from, head.last_seq, messages).await?;
        let last = store.traces(contact, 1).await?.pop();
        Ok(Self {
            identity: identity.clone(),
            contact_id: contact,
            snapshot: store.snapshot(contact).await.ok().flatten(),
            cases: store.cases(contact).await?,
            facts: store.facts(contact, limits).await?.len(),
            memories: store.spills(contact, limits.bank_items).await?.len()
                + store.memories(contact, limits.bank_items).await?.len(),
            last_decision: last.map(|(trace, outcome)| Decided { trace, outcome }),
            messages: newest.iter().map(line).collect(),
            head,
        })
    }
}

fn line(message: &Message) -> Line {
    let shown = message.shown(LINE_CHARS);
    let one_line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text::head(&one_line, LINE_CHARS).to_owned();
    Line { seq: message.seq, author: message.author, at: message.at, text }
}
