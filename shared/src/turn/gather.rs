//! Gathering: everything that a turn decides on, in parallel, each part bounded.

use super::{Context, Remembered};
use crate::agent::{AgentVersion, DEFAULT_AGENT};
use crate::case::Case;
use crate::contact::{Account, ContactId};
use crate::facts::Fact;
use crate::prompt::Source;
use crate::snapshot::Snapshot;
use crate::store::{Gathered, StoreError};
use crate::thread::{Channel, Head, Message, Seq};
use crate::trace::Degraded;
use std::sync::Arc;
use std::time::Duration;

/// A thread as one turn sees it.
#[derive(Debug, Clone)]
pub struct Thread {
    /// The head; its numbers are those of the messages that were read.
    pub head: Head,
    /// Snapshot and history, if there are any that can be read.
    pub snapshot: Option<Snapshot>,
    /// The agent's version.
    pub agent: Arc<AgentVersion>,
    /// The newest messages, newest first and dense.
    pub newest_first: Vec<Message>,
    /// More messages wait than one turn reads: the oldest of them are not among `newest_first`.
    pub unread: bool,
    /// The account's records.
    pub facts: Source<Vec<Fact>>,
    /// The contact's newest cases.
    pub cases: Source<Vec<Case>>,
    /// What the bank and past tickets have for the messages that wait.
    pub remembered: Remembered,
    /// What was down, slow or unreadable, and why.
    pub degraded: Vec<Degraded>,
}

/// How often a thread is read again because it moved while it was read.
const REREADS: usize = 2;

impl Thread {
    /// A thread of a contact that has said nothing yet.
    ///
    /// # Errors
    /// The agent's version cannot be read.
    pub async fn new(ctx: &Context, contact: ContactId) -> Result<Self, StoreError> {
        let Gathered { live, .. } = ctx.store.gather(contact, DEFAULT_AGENT).await?;
        Ok(Self {
            head: Head::new(contact),
            snapshot: Some(Snapshot::empty()),
            agent: agent(ctx, live).await?,
            newest_first: vec![],
            unread: false,
            facts: Source::Found(vec![]),
            cases: Source::Found(vec![]),
            remembered: Remembered::nothing(),
            degraded: vec![],
        })
    }

    /// The customer messages that wait for an answer, oldest first.
    pub fn unsettled(&self) -> Vec<&Message> {
        let settled = self.head.settled_seq;
        let waits = |message: &&Message| message.asks_for_a_turn() && message.seq > settled;
        self.newest_first.iter().filter(waits).rev().collect()
    }

    /// The account on which the newest customer message came, and on which it is answered.
    pub fn account(&self) -> Account {
        self.newest_customer().map_or_else(Account::chat, |message| message.account.clone())
    }

    /// The way the newest customer message came.
    pub fn channel(&self) -> Channel {
        self.newest_customer().map_or(Channel::Chat, |message| message.channel)
    }

    fn newest_customer(&self) -> Option<&Message> {
        self.newest_first.iter().find(|message| message.asks_for_a_turn())
    }

    /// Adds a message that was admitted on the number that was gathered.
    pub fn admitted(mut self, head: Head, message: Message) -> Self {
        self.newest_first.insert(0, message);
        self.head = head;
        self
    }

    /// With what was remembered for it.
    pub fn remembering(mut self, remembered: Remembered) -> Self {
        let recall = remembered.recall.failure().map(|why| Degraded::new("recall", why));
        let similar = remembered.similar.failure().map(|why| Degraded::new("similar_cases", why));
        self.degraded.extend(recall.into_iter().chain(similar));
        self.remembered = remembered;
        self
    }
}

/// Reads everything that a turn decides on; `None` where the contact is gone or being erased.
///
/// The numbers that a turn commits on are those of the messages it read: a head that is newer than them, or
/// older, means read again.
///
/// # Errors
/// Head or messages cannot be read. Everything else may fail: it is marked as failed and the turn goes on
/// (*optional-is-optional*).
pub async fn gather(ctx: &Context, contact: ContactId) -> Result<Option<Thread>, StoreError> {
    let mut degraded = vec![];
    let (log, facts, cases) = futures::join!(
        log(ctx, contact),
        within(FACTS_TIME, ctx.store.facts(contact, &ctx.limits)),
        within(FACTS_TIME, ctx.store.cases(contact)),
    );
    let (state, mut newest_first) = log?;
    let Some(head) = state.head.filter(|head| !head.erasing) else { return Ok(None) };
    let unread = !reach_unsettled(ctx, &head, &mut newest_first).await?;
    // A checkpoint beyond the log talks rubbish: with it a prompt would show nothing at all.
    let snapshot = state.snapshot.ok().filter(|snapshot| snapshot.folded_through <= head.last_seq);
    if snapshot.is_none() {
        degraded.push(Degraded::new("snapshot", "unreadable"));
    }
    if state.live.is_none() {
        degraded.push(Degraded::new("agent", "none installed"));
    }
    Ok(Some(Thread {
        agent: agent(ctx, state.live).await?,
        snapshot,
        facts: source("facts", facts, &mut degraded),
        cases: source("cases", cases, &mut degraded),
        remembered: Remembered::nothing(),
        head,
        newest_first,
        unread,
        degraded,
    }))
}

/// Facts and cases may take this long; then the turn goes on without them.
const FACTS_TIME: Duration = Duration::from_secs(3);

/// Head and messages of one moment.
async fn log(ctx: &Context, contact: ContactId) -> Result<(Gathered, Vec<Message>), StoreError> {
    let mut rereads = 0;
    loop {
        let (mut state, newest) = futures::try_join!(
            ctx.store.gather(contact, DEFAULT_AGENT),
            ctx.store.newest(contact, &ctx.limits)
        )?;
        let read_to = newest.first().map_or(Seq::NONE, |message| message.seq);
        let moved = state.head.as_ref().is_some_and(|head| head.last_seq != read_to);
        if !moved || rereads == REREADS {
            // Still moving: the turn takes the numbers that it read, and its commit finds out.
            state.head = state.head.map(|head| on_numbers_read(head, &newest));
            return Ok((state, newest));
        }
        rereads += 1;
    }
}

/// Reads on until every message that waits has been read; `false` where too many wait for one turn.
///
/// Window and pending may be too small for a burst, or an outage; what a turn settles it must have read (*one-reply*).
async fn reach_unsettled(
    ctx: &Context,
    head: &Head,
    newest_first: &mut Vec<Message>,
) -> Result<bool, StoreError> {
    let from = head.settled_seq.next();
    let Some(oldest) = newest_first.last().map(|message| message.seq) else { return Ok(true) };
    if !head.has_unsettled() || oldest <= from {
        return Ok(true);
    }
    let missing = usize::try_from(oldest.0 - from.0).unwrap_or(usize::MAX);
    if missing > ctx.limits.unsettled_messages {
        return Ok(false);
    }
    let older = ctx.store.messages(head.contact_id, from, oldest.prev(), missing).await?;
    newest_first.extend(older.into_iter().rev());
    Ok(true)
}

fn on_numbers_read(head: Head, newest_first: &[Message]) -> Head {
    let read_to = newest_first.first().map_or(Seq::NONE, |message| message.seq);
    let newest_customer = newest_first.iter().find(|message| message.asks_for_a_turn());
    let last_customer_seq = match newest_customer {
        Some(message) if head.last_seq != read_to => message.seq,
        _ => head.last_customer_seq,
    };
    Head { last_seq: read_to, last_customer_seq, ..head }
}

async fn within<T>(
    time: Duration,
    read: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, &'static str> {
    match tokio::time::timeout(time, read).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(StoreError::Corrupt { .. })) => Err("unreadable"),
        Ok(Err(_)) => Err("unavailable"),
        Err(_) => Err("late"),
    }
}

fn source<T>(part: &str, read: Result<T, &'static str>, degraded: &mut Vec<Degraded>) -> Source<T> {
    match read {
        Ok(found) => Source::Found(found),
        Err(why) => {
            degraded.push(Degraded::new(part, why));
            Source::Failed
        }
    }
}

async fn agent(ctx: &Context, live: Option<u32>) -> Result<Arc<AgentVersion>, StoreError> {
    ctx.agents.version(&ctx.store, live).await
}
