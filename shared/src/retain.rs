//! Retention: what was said and done goes into the contact's bank, off the path of any reply.
//!
//! A job names what happened and no more; what is kept is read here. Each job may come twice: the same origin is the
//! same memory.

use crate::contact::ContactId;
use crate::job::{Retained, RetentionJob};
use crate::limits::Limits;
use crate::memory::{self, Exchange, Origin};
use crate::store::{Store, StoreError, TraceKey};
use crate::tally::{Count, Tally};
use crate::thread::{Author, BotKind, Message, Seq};
use crate::time::Timestamp;
use crate::trace::Trace;
use crate::traits::{BankError, Clock, Event, Events, MemoryBank};
use std::sync::Arc;
use std::time::Duration;
use ulid::Ulid;

/// What every retention needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// Long-term memory.
    pub bank: Arc<dyn MemoryBank>,
    /// The bus.
    pub events: Arc<dyn Events>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The bank has it: so many memories.
    Kept(usize),
    /// There is nothing in it to remember.
    Nothing,
    /// The contact is being erased, or is gone: nothing is kept (*erasable*).
    Gone,
}

/// Why a job could not be done; the queue brings it back. Never carries text.
#[derive(Debug, thiserror::Error)]
pub enum RetainError {
    /// The table.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bank.
    #[error(transparent)]
    Bank(#[from] BankError),
    /// There was no time left for it.
    #[error("the memory bank did not answer in time")]
    Late,
}

/// What the queue should do with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// Forget it.
    Done,
    /// Bring it back after this time.
    Later(Duration),
}

/// How often a job is received before it is a dead letter; the queue's `maxReceiveCount`.
pub const ATTEMPTS: u32 = 5;
/// What is kept of a job's time to say that it failed.
const GIVE_UP_TIME: Duration = Duration::from_secs(3);

/// Does one job of the queue and says once what became of it. `receives` is how often the queue has delivered it.
pub async fn work(ctx: &Context, job: RetentionJob, receives: u32, deadline: Timestamp) -> Worked {
    let RetentionJob { contact_id: contact, what } = job;
    let time = deadline.since(ctx.clock.now()).saturating_sub(GIVE_UP_TIME);
    let run = tokio::time::timeout(time, run(ctx, job)).await.unwrap_or(Err(RetainError::Late));
    match run {
        Ok(end) => {
            tracing::info!(%contact, ?what, ?end, "a retention ended");
            Worked::Done
        }
        Err(error) if receives < ATTEMPTS => {
            tracing::warn!(%contact, ?what, receives, %error, "a retention failed and will be tried again");
            Worked::Later(wait(ctx, receives))
        }
        Err(error) => {
            give_up(ctx, job, receives, &error).await;
            // The queue makes it a dead letter as soon as it looks again.
            Worked::Later(Duration::ZERO)
        }
    }
}

/// Doubles with each failure, somewhere between half of it and all.
fn wait(ctx: &Context, receives: u32) -> Duration {
    let doubled = 2_u32.pow(receives.saturating_sub(1).min(6));
    let longest = Duration::from_secs(ctx.limits.retention_wait_seconds).saturating_mul(doubled);
    longest.mul_f64(0.5 + ctx.clock.jitter() / 2.0)
}

/// Says so in a line that the template counts as the metric `retention_failed`, and on the bus.
async fn give_up(ctx: &Context, job: RetentionJob, receives: u32, error: &RetainError) {
    let RetentionJob { contact_id, what } = job;
    tracing::error!(
        metric = "retention_failed",
        contact = %contact_id,
        ?what,
        receives,
        %error,
        "a retention was given up"
    );
    let event = Event::RetentionFailed { contact_id, what };
    let tally = Tally::one(Count::RetentionsFailed);
    let publish = tokio::time::timeout(GIVE_UP_TIME, ctx.events.publish(&event));
    let (published, ()) = futures::join!(publish, ctx.store.count(&tally));
    if !matches!(published, Ok(Ok(()))) {
        tracing::warn!(contact = %contact_id, ?what, "nobody was told that a retention was given up");
    }
}

/// Reads what happened and keeps it.
///
/// # Errors
/// Table or bank refused, or talk rubbish: the job belongs back on the queue.
pub async fn run(ctx: &Context, job: RetentionJob) -> Result<End, RetainError> {
    let contact = job.contact_id;
    let head = ctx.store.head(contact).await?;
    if head.is_none_or(|head| head.erasing) {
        return Ok(End::Gone);
    }
    if let Retained::Reply { seq } = job.what
        && ctx.store.message(contact, seq).await?.is_some_and(|reply| reply.is_wrong())
    {
        ctx.bank.leave_out(contact, Origin::Reply(seq)).await?;
        return Ok(End::Nothing);
    }
    let exchanges = exchanges(ctx, contact, job.what).await?;
    // One after the other: a bank may refuse two writes at once.
    for exchange in &exchanges {
        ctx.bank.retain(contact, exchange).await?;
    }
    Ok(if exchanges.is_empty() { End::Nothing } else { End::Kept(exchanges.len()) })
}

async fn exchanges(ctx: &Context, contact: ContactId, what: Retained) -> Result<Vec<Exchange>, StoreError> {
    Ok(match what {
        Retained::Reply { seq } => answer(ctx, contact, seq).await?.into_iter().collect(),
        Retained::Case { case_id } => case(ctx, contact, case_id).await?.into_iter().collect(),
        Retained::Feedback { seq } => feedback(ctx, contact, seq).await?.into_iter().collect(),
        Retained::Spilled { revision } => {
            memory::of_spills(revision, &ctx.store.spilled(contact, revision).await?, &ctx.limits)
        }
    })
}

/// A message of the bot or of an operator with what it answers; the bot's notices and confirmations say nothing.
async fn answer(ctx: &Context, contact: ContactId, seq: Seq) -> Result<Option<Exchange>, StoreError> {
    let Some(message) = ctx.store.message(contact, seq).await? else { return Ok(None) };
    let asked = match (message.author, message.kind) {
        (Author::Bot, Some(BotKind::Reply)) => answered_by_bot(ctx, contact, &message).await?,
        (Author::Operator, _) => answered_by_operator(ctx, contact, seq).await?,
        _ => return Ok(None),
    };
    let recalled = recalled(ctx, contact, &message).await?;
    Ok(memory::of_answer(&asked, &message, &recalled, &ctx.limits))
}

async fn answered_by_bot(
    ctx: &Context,
    contact: ContactId,
    reply: &Message,
) -> Result<Vec<Message>, StoreError> {
    let (Some(from), Some(to)) = (reply.answers_from, reply.in_reply_to) else { return Ok(vec![]) };
    let most = ctx.limits.exchange_messages;
    let from = from.max(oldest_of(most, to));
    let mut asked = ctx.store.messages(contact, from, to, most).await?;
    asked.retain(Message::asks_for_a_turn);
    Ok(asked)
}

/// What the customer wrote last before an operator's message, back to what was answered before.
async fn answered_by_operator(
    ctx: &Context,
    contact: ContactId,
    seq: Seq,
) -> Result<Vec<Message>, StoreError> {
    let most = ctx.limits.exchange_messages;
    let before = ctx.store.messages(contact, oldest_of(most, seq.prev()), seq.prev(), most).await?;
    let newest_first = before.into_iter().rev().skip_while(|message| !message.asks_for_a_turn());
    let run = newest_first.take_while(|message| !is_answer(message));
    let mut asked: Vec<Message> = run.filter(Message::asks_for_a_turn).collect();
    asked.reverse();
    Ok(asked)
}

fn is_answer(message: &Message) -> bool {
    message.author == Author::Operator || message.kind == Some(BotKind::Reply)
}

/// The first of `most` messages that end with `newest`.
fn oldest_of(most: usize, newest: Seq) -> Seq {
    Seq((newest.0 + 1).saturating_sub(most as u64)).max(Seq::FIRST)
}

/// The memories that the turn of a reply was shown; none where its trace was lost or has expired.
async fn recalled(ctx: &Context, contact: ContactId, message: &Message) -> Result<Vec<String>, StoreError> {
    let Some(key) = TraceKey::of(contact, message) else { return Ok(vec![]) };
    let trace: Option<Trace> = ctx.store.trace(key, ctx.clock.now()).await?;
    let memories = trace.map(|trace| trace.context.memories).unwrap_or_default();
    Ok(memories.into_iter().flat_map(|memory| [memory.said, memory.replied]).collect())
}

async fn case(ctx: &Context, contact: ContactId, case_id: Ulid) -> Result<Option<Exchange>, StoreError> {
    let Some(case) = ctx.store.case(contact, case_id).await? else { return Ok(None) };
    let (most, to) = (ctx.limits.exchange_messages, case.resolved_seq.unwrap_or(case.about_seq));
    let from = case.about_seq.max(oldest_of(most, to));
    let mut messages = ctx.store.messages(contact, from, to, most).await?;
    if from > case.about_seq {
        messages.splice(0..0, ctx.store.message(contact, case.about_seq).await?);
    }
    Ok(memory::of_case(&case, &messages, &ctx.limits))
}

async fn feedback(ctx: &Context, contact: ContactId, seq: Seq) -> Result<Option<Exchange>, StoreError> {
    let Some(feedback) = ctx.store.feedback(contact, seq).await? else { return Ok(None) };
    // A reply that was forgotten for good does not come back with what was thought of it.
    let about = match ctx.store.is_forgotten(contact, Origin::Reply(seq)).await? {
        true => None,
        false => ctx.store.message(contact, seq).await?.filter(|about| !about.is_wrong()),
    };
    let recalled = match &about {
        Some(about) => recalled(ctx, contact, about).await?,
        None => vec![],
    };
    Ok(Some(memory::of_feedback(&feedback, about.as_ref(), &recalled, &ctx.limits)))
}
