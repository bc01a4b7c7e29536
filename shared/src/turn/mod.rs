//! A turn: guard → gather → decide → commit → jobs.
//!
//! It is the same turn whichever door a message came through. It ends in a reply, a case or silence; a lost
//! race is one of its ends, never an error.

mod agents;
mod decide;
mod follow_up;
mod gather;
mod grounds;
mod remember;
mod voice;

pub use agents::Agents;
pub use follow_up::resume;
pub use gather::{Thread, gather};
pub use remember::{Remembered, remember};

use crate::contact::{Account, ContactId};
use crate::decision::{Decision, Escalation};
use crate::facts::{self, AsOf, Fact};
use crate::limits::Limits;
use crate::routing::Routing;
use crate::store::{Committed, NewCase, NewReply, NewRequest, Store, StoreError, TraceKey};
use crate::tally::{Count, Tally};
use crate::text;
use crate::thread::{Head, Lease, Message, Mode, Seq};
use crate::time::Timestamp;
use crate::trace::Outcome;
use crate::traits::{Clock, Events, MemoryBank, Model, Queue, SimilarCases};
use decide::Decided;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use ulid::Ulid;

/// What every turn needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// The reply model.
    pub model: Arc<dyn Model>,
    /// Long-term memory.
    pub bank: Arc<dyn MemoryBank>,
    /// Past tickets.
    pub similar: Arc<dyn SimilarCases>,
    /// The queues.
    pub queue: Arc<dyn Queue>,
    /// The bus.
    pub events: Arc<dyn Events>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
    /// Who is told of which cases.
    pub routing: Arc<Routing>,
    /// Versions of agents that this process has read.
    pub agents: Arc<Agents>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The bot replied.
    Replied(Said),
    /// A person takes over; with the notice, if the customer got one.
    Escalated(Option<Said>),
    /// Nothing is said: settled, a person answers, opted out, or answered by another turn.
    Silent,
    /// A newer message came, and its turn answers both.
    Superseded,
}

/// A message of the bot, as its customer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its number.
    pub seq: Seq,
    /// Its text.
    pub text: String,
}

impl From<Message> for Said {
    /// A message of the bot is kept whole, and its customer gets it whole.
    fn from(message: Message) -> Self {
        Self { seq: message.seq, text: message.text }
    }
}

/// One turn's own data.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// Its name on the lease.
    pub owner: Ulid,
    /// When the message was received, or the job.
    pub received_at: Timestamp,
    /// When the customer must have an answer.
    pub deadline: Timestamp,
}

/// A lease outlives its turn's deadline by this much.
const LEASE_GRACE: Duration = Duration::from_secs(5);
/// What is kept of a turn's time for the commit.
const COMMIT_TIME: Duration = Duration::from_millis(1_500);
/// How often a turn starts again because a person came and went.
const ROUNDS: usize = 3;

impl Turn {
    /// A turn that starts now.
    pub fn starting(ctx: &Context, received_at: Timestamp) -> Self {
        Self { owner: ctx.clock.ulid(), received_at, deadline: received_at + ctx.limits.reply_budget() }
    }

    /// Until when the turn's lease lasts.
    pub fn lease_until(&self) -> Timestamp {
        self.deadline + LEASE_GRACE
    }

    /// The lease of this turn, which answers so many messages.
    pub fn lease(&self, reads: usize) -> Lease {
        Lease { owner: self.owner, until: self.lease_until(), reads }
    }
}

/// Why a thread needs nothing of the bot, if so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Nothing asks for a turn.
    Settled,
    /// A person answers.
    Human,
    /// The contact wants to hear nothing on this account.
    OptedOut,
}

impl Guard {
    /// Silence is counted where somebody wrote and got none of the bot's words for it.
    fn tally(self) -> Tally {
        match self {
            Self::Settled => Tally::default(),
            Self::Human | Self::OptedOut => Tally::one(Count::Silent),
        }
    }
}

/// The guard of a turn (*silent-means-silent*): no model, no fold, no retention.
pub fn guard(head: &Head, account: &Account) -> Option<Guard> {
    match head {
        head if head.mode == Mode::Human => Some(Guard::Human),
        head if head.last_customer_seq <= head.settled_seq => Some(Guard::Settled),
        head if head.opted_out.contains(account) => Some(Guard::OptedOut),
        _ => None,
    }
}

/// Whether the turn that holds the lease may commit although newer messages come (the burst rule).
pub fn may_commit_in_a_burst(head: &Head, now: Timestamp, limits: &Limits) -> bool {
    let waited = head.waiting_since.is_some_and(|since| now.since(since) >= burst_wait(limits));
    head.turn_reads >= limits.burst_messages || waited
}

fn burst_wait(limits: &Limits) -> Duration {
    Duration::from_secs(limits.burst_wait_seconds)
}

/// Runs a turn on a thread that was gathered, with what was remembered, and whose lease is held.
///
/// # Errors
/// The table cannot be read or written; the turn's job answers later.
pub async fn run(ctx: &Context, turn: Turn, thread: Thread) -> Result<End, StoreError> {
    let contact = thread.head.contact_id;
    let mut tally = Tally::default();
    let ended = rounds(ctx, turn, thread, &mut tally).await;
    if !matches!(ended, Ok(End::Replied(_) | End::Escalated(_))) {
        // A commit has ended the lease already; whatever else happens, nobody has to wait for its time.
        let release = ctx.store.release_lease(contact, turn.owner);
        let (released, ()) = futures::join!(release, ctx.store.count(&tally));
        if let Err(error) = released {
            tracing::warn!(%contact, %error, "a lease was not released");
        }
    }
    ended
}

/// What was not committed is left in `tally`.
async fn rounds(ctx: &Context, turn: Turn, mut thread: Thread, tally: &mut Tally) -> Result<End, StoreError> {
    for _ in 0..ROUNDS {
        if let Some(guard) = guard(&thread.head, &thread.account()) {
            tally.merge(&guard.tally());
            return silence(ctx, &thread.head, guard).await;
        }
        let decided = decide::decide(ctx, turn, &thread).await;
        tally.merge(&decided.tally(&thread));
        match commit(ctx, turn, &thread, decided, tally).await? {
            Some(end) => return Ok(end),
            None => match gather(ctx, thread.head.contact_id, None).await? {
                Some(again) => {
                    let remembered = remember(ctx, &again, None).await;
                    thread = again.remembering(remembered);
                }
                None => return Ok(End::Silent),
            },
        }
    }
    Ok(End::Silent)
}

async fn silence(ctx: &Context, head: &Head, guard: Guard) -> Result<End, StoreError> {
    if guard == Guard::OptedOut {
        ctx.store.settle(head).await?;
    }
    Ok(End::Silent)
}

/// Commits a decision; `None` if the turn must start again.
async fn commit(
    ctx: &Context,
    turn: Turn,
    thread: &Thread,
    decided: Decided,
    tally: &mut Tally,
) -> Result<Option<End>, StoreError> {
    let now = ctx.clock.now();
    let store = ctx.store.until(turn.lease_until().max(now + COMMIT_TIME));
    let reply = reply_of(ctx, turn, thread, &decided, now);
    let committed = match &decided.decision {
        Decision::Reply { .. } => store.commit_reply(&thread.head, &reply).await?,
        Decision::Escalate(escalation) => {
            let route = ctx.routing.route(escalation.category);
            let case = NewCase {
                case_id: ctx.clock.ulid(),
                category: escalation.category,
                reason: escalation.reason.clone(),
                topic: escalation.topic.clone(),
                priority: route.map(|route| route.priority).unwrap_or_default(),
                team: route.map(|route| route.team.clone()),
                notice: thread.agent.notifies.then(|| voice::notice(thread)),
                reply,
            };
            store.escalate(&thread.head, &case).await?
        }
    };
    let contact = thread.head.contact_id;
    let (message, case, opened) = match committed {
        Committed::Done { message, case, opened } => (message, case, opened),
        lost => {
            count_calls(ctx, contact, decided.calls()).await;
            return Ok(ended_by(&lost));
        }
    };
    let outcome = decided.outcome(message.as_deref(), case, ctx.clock.now().since(turn.received_at));
    tell(contact, &outcome);
    let trace = TraceKey { contact, seq: reply_to(thread), id: decided.trace_id };
    tally.add(if case.is_some() { Count::Escalated } else { Count::Replied }, 1);
    let waits = waiting(&decided.decision, case, (!opened).then_some(now));
    let done = follow_up::Done { trace, message: message.as_deref(), waits, outcome: &outcome, tally };
    follow_up::send(ctx, &done, decided.unwritten.as_ref()).await;
    Ok(Some(end(message.map(|message| *message), case)))
}

/// The case that waits for somebody after a decision, if there is one.
fn waiting(
    decision: &Decision,
    case: Option<Ulid>,
    round_at: Option<Timestamp>,
) -> Option<follow_up::Waiting> {
    match decision {
        Decision::Reply { .. } => None,
        Decision::Escalate(Escalation { category, .. }) => {
            case.map(|case_id| follow_up::Waiting { case_id, category: *category, round_at })
        }
    }
}

/// How a lost race ends a turn; `None` if it must start again.
fn ended_by(lost: &Committed) -> Option<End> {
    match lost {
        Committed::Superseded => Some(End::Superseded),
        Committed::Again => None,
        _ => Some(End::Silent),
    }
}

/// Counts calls of the reply model whose reply was not committed; a commit counts its own.
async fn count_calls(ctx: &Context, contact: ContactId, calls: u32) {
    if calls == 0 {
        return;
    }
    if let Err(error) = ctx.store.count_calls(contact, ctx.clock.now().hour(), calls).await {
        tracing::warn!(%contact, %error, "calls of the model were not counted");
    }
}

fn end(message: Option<Message>, case: Option<Ulid>) -> End {
    match (case, message.map(Said::from)) {
        (None, Some(said)) => End::Replied(said),
        (_, said) => End::Escalated(said),
    }
}

fn reply_of(ctx: &Context, turn: Turn, thread: &Thread, decided: &Decided, now: Timestamp) -> NewReply {
    let unsettled = thread.unsettled();
    let waited = unsettled.first().is_some_and(|oldest| now.since(oldest.at) >= burst_wait(&ctx.limits));
    let (text, opens) = match &decided.decision {
        Decision::Reply { text, opens } => (text.clone(), opens.as_deref()),
        Decision::Escalate(_) => (String::new(), None),
    };
    NewReply {
        text,
        channel: thread.channel(),
        account: thread.account(),
        answers_from: answers_from(thread),
        in_reply_to: reply_to(thread),
        read_to: thread.head.last_seq,
        agent: thread.agent.name.clone(),
        version: thread.agent.version,
        trace: decided.trace_id,
        owner: turn.owner,
        calls: decided.calls(),
        opens: opens.map(|promise| request(ctx, thread, promise, now)),
        burst: waited || unsettled.len() >= ctx.limits.burst_messages,
        at: now,
    }
}

/// The request that makes a promise honest: from now on a record stands behind it.
fn request(ctx: &Context, thread: &Thread, promise: &str, now: Timestamp) -> NewRequest {
    let data = json!({
        "status": "open",
        "subject": "promised by the bot",
        "promise": text::head(promise, PROMISE_CHARS),
        "message": reply_to(thread),
    });
    let (kind, id) = ("request".into(), format!("carryover-{}", ctx.clock.ulid()));
    let fact = Fact { kind, id, as_of: AsOf::from(now), source: facts::OURS.into(), data };
    NewRequest { fact, facts_items: ctx.limits.facts_items }
}

/// Characters that a request keeps of the promise that it stands for.
const PROMISE_CHARS: usize = 300;

/// The first customer message that a turn answers.
fn answers_from(thread: &Thread) -> Seq {
    match thread.unsettled().first() {
        _ if thread.unread => thread.head.settled_seq.next(),
        Some(oldest) => oldest.seq,
        None => thread.head.last_customer_seq,
    }
}

fn reply_to(thread: &Thread) -> Seq {
    thread.head.last_customer_seq
}

fn tell(contact: ContactId, outcome: &Outcome) {
    tracing::info!(
        %contact,
        decision = outcome.decision,
        by = ?outcome.by,
        category = outcome.category,
        attempts = outcome.attempts.len(),
        degraded = outcome.degraded.len(),
        millis = outcome.millis,
        "a turn was committed"
    );
}

/// Whether another turn holds the lease and can still commit: nobody takes it over.
pub fn is_held(head: &Head, now: Timestamp, limits: &Limits) -> bool {
    let is_newest = head.turn_seq >= head.last_customer_seq;
    head.lease(now).is_some() && (is_newest || may_commit_in_a_burst(head, now, limits))
}

/// Takes the lease of a thread in which something waits, and runs its turn; `None` if another was faster.
///
/// # Errors
/// The table cannot be read or written.
pub async fn take_up(ctx: &Context, turn: Turn, contact: ContactId) -> Result<Option<End>, StoreError> {
    let Some(thread) = gather(ctx, contact, None).await? else { return Ok(Some(End::Silent)) };
    if let Some(guard) = guard(&thread.head, &thread.account()) {
        let tally = guard.tally();
        let (silent, ()) = futures::join!(silence(ctx, &thread.head, guard), ctx.store.count(&tally));
        return silent.map(Some);
    }
    if is_held(&thread.head, ctx.clock.now(), &ctx.limits) {
        return Ok(None);
    }
    let (lease, remembered) = futures::join!(
        ctx.store.take_lease(&thread.head, turn.lease(thread.unsettled().len())),
        remember(ctx, &thread, None)
    );
    let Some(head) = lease? else { return Ok(None) };
    run(ctx, turn, Thread { head, ..thread }.remembering(remembered)).await.map(Some)
}
