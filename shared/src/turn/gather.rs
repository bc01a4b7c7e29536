//! Gathering: everything that a turn decides on, in parallel, each part bounded.

use super::agents::Answering;
use super::{Context, Remembered};
use crate::agent::AgentVersion;
use crate::case::Case;
use crate::contact::{Account, ContactId};
use crate::facts::{self, Fact};
use crate::prompt::Source;
use crate::snapshot::Snapshot;
use crate::store::{Gathered, StoreError};
use crate::thread::{Channel, Head, Message, Seq};
use crate::trace::Degraded;
use crate::wrong::Wrong;
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
    /// What the business says of itself, as far as it concerns this contact: hours, policies, and the units that a
    /// stay of the contact names. As of the last minute.
    pub business: Source<Vec<Fact>>,
    /// The contact's newest cases.
    pub cases: Source<Vec<Case>>,
    /// Replies flagged as wrong that are not among `newest_first`.
    pub flagged: Vec<Message>,
    /// What replies flagged as wrong said, and nobody else; snapshot and memories are without it.
    pub wrong: Wrong,
    /// What the bank and past tickets have for the messages that wait.
    pub remembered: Remembered,
    /// What was down, slow or unreadable, and why.
    pub degraded: Vec<Degraded>,
}

/// How often a thread is read again because it moved while it was read.
const REREADS: usize = 2;

impl Thread {
    /// A thread of a contact that has said nothing yet and now writes to `account`.
    ///
    /// # Errors
    /// The agent's version cannot be read.
    pub async fn new(ctx: &Context, contact: ContactId, account: &Account) -> Result<Self, StoreError> {
        let (expected, at) = (ctx.agents.expected(Some(account)), ctx.clock.now());
        let (state, business, _) = futures::join!(
            ctx.store.gather(contact, &expected),
            business(ctx, &expected),
            ctx.agents.of_account(&ctx.store, account),
        );
        ctx.agents.saw_live(&expected, state?.live, at);
        let (head, facts, mut degraded) = (Head::new(contact), Source::Found(vec![]), vec![]);
        let answerer = Answerer { head: &head, account, facts: &facts };
        let (agent, business) = answerer.found(ctx, (&expected, business), &mut degraded).await?;
        Ok(Self {
            head,
            snapshot: Some(Snapshot::empty()),
            agent,
            newest_first: vec![],
            unread: false,
            facts,
            business,
            cases: Source::Found(vec![]),
            flagged: vec![],
            wrong: Wrong::default(),
            remembered: Remembered::nothing(),
            degraded,
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
        account(&self.newest_first)
    }

    /// The way the newest customer message came.
    pub fn channel(&self) -> Channel {
        newest_customer(&self.newest_first).map_or(Channel::Chat, |message| message.channel)
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
/// `incoming` is the account of a message that is about to be admitted: the account of the newest message decides
/// which agent answers.
///
/// The numbers that a turn commits on are those of the messages it read: a head that is newer than them, or
/// older, means read again.
///
/// # Errors
/// Head or messages cannot be read. Everything else may fail: it is marked as failed and the turn goes on
/// (*optional-is-optional*).
pub async fn gather(
    ctx: &Context,
    contact: ContactId,
    incoming: Option<&Account>,
) -> Result<Option<Thread>, StoreError> {
    let mut degraded = vec![];
    let (expected, at) = (ctx.agents.expected(incoming), ctx.clock.now());
    let (log, facts, cases, business, ()) = futures::join!(
        log(ctx, contact, &expected),
        within(FACTS_TIME, ctx.store.facts(contact, &ctx.limits)),
        within(FACTS_TIME, ctx.store.cases(contact)),
        business(ctx, &expected),
        look_up(ctx, incoming),
    );
    let (state, mut newest_first) = log?;
    ctx.agents.saw_live(&expected, state.live, at);
    let Some(head) = state.head.filter(|head| !head.erasing) else { return Ok(None) };
    let unread = !reach_unsettled(ctx, &head, &mut newest_first).await?;
    // A checkpoint beyond the log talks rubbish: with it a prompt would show nothing at all.
    let snapshot = state.snapshot.ok().filter(|snapshot| snapshot.folded_through <= head.last_seq);
    if snapshot.is_none() {
        degraded.push(Degraded::new("snapshot", "unreadable"));
    }
    let account = incoming.cloned().unwrap_or_else(|| account(&newest_first));
    let facts = source("facts", facts, &mut degraded);
    let flagged = flagged(ctx, &head, &newest_first, &mut degraded).await;
    let wrong = wrong(&newest_first, &flagged, &facts);
    let snapshot = snapshot.map(|snapshot| wrong.left_out_of(&snapshot));
    let answerer = Answerer { head: &head, account: &account, facts: &facts };
    let (agent, business) = answerer.found(ctx, (&expected, business), &mut degraded).await?;
    Ok(Some(Thread {
        agent,
        snapshot,
        facts,
        business,
        cases: source("cases", cases, &mut degraded),
        flagged,
        wrong,
        remembered: Remembered::nothing(),
        head,
        newest_first,
        unread,
        degraded,
    }))
}

/// Flagged replies that the newest messages are not; without them the turn goes on.
async fn flagged(
    ctx: &Context,
    head: &Head,
    newest_first: &[Message],
    degraded: &mut Vec<Degraded>,
) -> Vec<Message> {
    let is_read = |seq: &Seq| newest_first.iter().any(|message| message.seq == *seq);
    let others: Vec<Seq> = head.flagged.iter().copied().filter(|seq| !is_read(seq)).collect();
    let found = within(FACTS_TIME, ctx.store.wrong_replies(head.contact_id, others)).await;
    found.unwrap_or_else(|why| {
        degraded.push(Degraded::new("flags", why));
        vec![]
    })
}

/// What the flagged replies said, and neither people nor records.
fn wrong(newest_first: &[Message], flagged: &[Message], facts: &Source<Vec<Fact>>) -> Wrong {
    let mut all = newest_first.iter().chain(flagged).filter(|message| message.is_wrong()).peekable();
    if all.peek().is_none() {
        return Wrong::default();
    }
    let records: Vec<String> = match facts {
        Source::Found(facts) => facts.iter().map(|fact| format!("{} {}", fact.id, fact.data)).collect(),
        Source::Failed => vec![],
    };
    Wrong::of(all, newest_first, &records)
}

/// Facts and cases may take this long; then the turn goes on without them.
const FACTS_TIME: Duration = Duration::from_secs(3);

/// Head and messages of one moment.
async fn log(
    ctx: &Context,
    contact: ContactId,
    expected: &str,
) -> Result<(Gathered, Vec<Message>), StoreError> {
    let mut rereads = 0;
    loop {
        let (mut state, newest) =
            futures::try_join!(ctx.store.gather(contact, expected), ctx.store.newest(contact, &ctx.limits))?;
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

/// Looks up which agent an account has, while other things are read; that it failed shows when it is needed.
async fn look_up(ctx: &Context, account: Option<&Account>) {
    if let Some(account) = account {
        let _ = ctx.agents.of_account(&ctx.store, account).await;
    }
}

fn newest_customer(newest_first: &[Message]) -> Option<&Message> {
    newest_first.iter().find(|message| message.asks_for_a_turn())
}

fn account(newest_first: &[Message]) -> Account {
    newest_customer(newest_first).map_or_else(Account::chat, |message| message.account.clone())
}

/// What says who answers, and which facts of their business concern the contact.
struct Answerer<'a> {
    head: &'a Head,
    account: &'a Account,
    facts: &'a Source<Vec<Fact>>,
}

impl Answerer<'_> {
    /// The version that answers and what its business says; what that of the expected agent says has been read.
    async fn found(
        &self,
        ctx: &Context,
        (expected, read): (&str, Read<Arc<Vec<Fact>>>),
        degraded: &mut Vec<Degraded>,
    ) -> Result<(Arc<AgentVersion>, Source<Vec<Fact>>), StoreError> {
        let Answering { version, stands_in } =
            ctx.agents.answering(&ctx.store, self.head, self.account).await?;
        degraded.extend(stands_in.map(|why| Degraded::new("agent", why)));
        let read = if version.name == expected { read } else { business(ctx, &version.name).await };
        // Where the records cannot be read, nobody knows of a stay.
        let records = match self.facts {
            Source::Found(facts) => facts.as_slice(),
            Source::Failed => &[],
        };
        let business = match source("business", read, degraded) {
            Source::Found(all) => Source::Found(facts::of_business(&all, records, ctx.clock.now())),
            Source::Failed => Source::Failed,
        };
        Ok((version, business))
    }
}

/// What an optional source gave, or why nothing, in a word.
type Read<T> = Result<T, &'static str>;

/// What the business of an agent says of itself.
async fn business(ctx: &Context, agent: &str) -> Read<Arc<Vec<Fact>>> {
    within(FACTS_TIME, ctx.agents.business(&ctx.store, agent, &ctx.limits)).await
}

async fn within<T>(time: Duration, read: impl Future<Output = Result<T, StoreError>>) -> Read<T> {
    match tokio::time::timeout(time, read).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(StoreError::Corrupt { .. })) => Err("unreadable"),
        Ok(Err(_)) => Err("unavailable"),
        Err(_) => Err("late"),
    }
}

fn source<T>(part: &str, read: Read<T>, degraded: &mut Vec<Degraded>) -> Source<T> {
    match read {
        Ok(found) => Source::Found(found),
        Err(why) => {
            degraded.push(Degraded::new(part, why));
            Source::Failed
        }
    }
}
