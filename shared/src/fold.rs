//! Folding: one small update of snapshot and history after a reply.
//!
//! A fold reads what it needs and no more (*flat-cost*), asks the small model once or twice, and saves what passed
//! every check, with what it could not keep, in one conditional write (*checkpoint-honest*). Without a usable
//! answer it moves messages by itself or waits; nothing leaves the log uncovered.

mod closing;
mod read;
mod summarise;

use crate::contact::ContactId;
use crate::job::{FoldJob, FoldReason, Retained, RetentionJob};
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::store::{Basis, Saved, Store, StoreError};
use crate::summary::{self, Fallback, Spill, Whole};
use crate::tally::{Count, Tally};
use crate::time::Timestamp;
use crate::traits::{Clock, Model, ModelError, Queue, Role};
use crate::wrong::struck;
use read::Thread;
use std::sync::Arc;
use std::time::Duration;
use summarise::{Failed, Summarised};

/// What every fold needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// The small model.
    pub model: Arc<dyn Model>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
    /// Where spills are announced, if another bank than the embedded one is to have them as well.
    pub retention: Option<Arc<dyn Queue>>,
}

/// What became of a job; counts and codes only (*quiet-logs*).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldOutcome {
    /// How it ended.
    pub end: End,
    /// What it took.
    pub counts: Counts,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing was to be done.
    Idle,
    /// Snapshot, history or both were saved.
    Folded,
    /// The model gave nothing usable, and nothing aged out that the fallback could move: the next job refreshes.
    Stale,
    /// A person answers, or the contact wants to hear nothing: no call (*silent-means-silent*).
    Silent,
    /// The contact is being erased, or is gone (*erasable*).
    Gone,
    /// The model gave nothing usable, and the fallback found no room: the job failed, and was counted.
    Waits {
        /// Failed jobs on this checkpoint, this one included.
        attempts: u32,
    },
}

impl End {
    /// A word for logs and metrics.
    pub fn code(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Folded => "folded",
            Self::Stale => "stale",
            Self::Silent => "silent",
            Self::Gone => "gone",
            Self::Waits { .. } => "waits",
        }
    }
}

/// What a job took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests to the model, repetitions included.
    pub calls: u32,
    /// Second questions.
    pub retries: u32,
    /// Batches that were saved.
    pub batches: u32,
    /// Messages that the checkpoint moved over.
    pub messages: u64,
    /// Spills that were saved.
    pub spills: usize,
    /// Batches that the fallback moved.
    pub fallbacks: u32,
    /// Saves that another fold had overtaken.
    pub overtaken: u32,
    /// Why answers were refused or missing, one code each.
    pub codes: Vec<&'static str>,
    /// Why answers were missing, of these.
    pub errors: Vec<&'static str>,
    /// Tokens of prompts, as the API counted them.
    pub prompt_tokens: u64,
    /// Tokens of answers, as the API counted them.
    pub completion_tokens: u64,
    /// Messages that had aged out when the job came and were not folded yet, where it had something to do.
    pub behind: Option<u64>,
}

impl Counts {
    /// What is counted of a job that ended so, or could not be done.
    fn tally(&self, ended: Option<&End>) -> Tally {
        let mut tally = Tally::default();
        let Some(behind) = self.behind else { return tally };
        tally.add_behind(behind);
        tally.add(Count::Calls(Role::Summary), self.calls.into());
        tally.add(Count::PromptTokens(Role::Summary), self.prompt_tokens);
        tally.add(Count::CompletionTokens(Role::Summary), self.completion_tokens);
        tally.add_errors(Role::Summary, self.errors.iter().copied());
        let became = match ended {
            Some(End::Folded) if self.fallbacks > 0 => Some(Count::FoldsByFallback),
            Some(End::Folded) => Some(Count::FoldsSaved),
            // Without a model nothing is refreshed, and nothing was to be.
            Some(End::Stale) if self.calls == 0 => None,
            Some(End::Stale | End::Waits { .. }) | None => Some(Count::FoldsFailed),
            Some(End::Idle | End::Silent | End::Gone) => None,
        };
        if let Some(became) = became {
            tally.add(became, 1);
        }
        tally
    }
}

/// Why a job could not be done; the queue brings it back.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// The table.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Other folds of the same contact saved first, every time.
    #[error("other folds of the contact saved first, {SAVES} times")]
    Overtaken,
}

/// How often a fold starts over because another one saved first.
const SAVES: u32 = 3;
/// The next batch is begun only while this much time is left.
const BATCH_TIME: Duration = Duration::from_secs(30);

/// Does one job: folds what aged out, batch by batch, and refreshes the snapshot.
///
/// Safe to repeat and to reorder; two at once cost a call, never a message.
///
/// # Errors
/// The table cannot be read or written, or other folds kept saving first: the job belongs back on the queue.
pub async fn run(ctx: &Context, job: FoldJob, deadline: Timestamp) -> Result<FoldOutcome, FoldError> {
    let mut counts = Counts::default();
    let ended = match job.why {
        FoldReason::Join => closing::close(ctx, job.contact_id, &mut counts).await,
        FoldReason::Reply | FoldReason::Escalation => batches(ctx, job, deadline, &mut counts).await,
    };
    let pile = async {
        if counts.spills > 0 {
            pile_up(ctx, job.contact_id).await;
        }
    };
    let tally = counts.tally(ended.as_ref().ok());
    futures::join!(pile, ctx.store.count(&tally));
    Ok(FoldOutcome { end: ended?, counts })
}

async fn batches(
    ctx: &Context,
    job: FoldJob,
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<End, FoldError> {
    loop {
        match batch(ctx, job, deadline, counts).await? {
            Step::Saved { more: true } if goes_on(ctx, counts, deadline) => {}
            Step::Saved { .. } => return Ok(End::Folded),
            Step::Overtaken if counts.overtaken < SAVES => {}
            Step::Overtaken => return Err(FoldError::Overtaken),
            Step::Ended(end) => return Ok(end_of(end, counts)),
        }
    }
}

/// Sees to it that a recall reads all spills there are (*facts-survive*). If it fails, the next fold that spills does.
async fn pile_up(ctx: &Context, contact: ContactId) {
    match ctx.store.pile_up(contact, ctx.limits.bank_items).await {
        Ok(0) => {}
        Ok(spills) => tracing::info!(%contact, spills, "spills were piled up"),
        Err(error) => tracing::warn!(%contact, %error, "spills were not piled up"),
    }
}

/// What the queue should do with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// Forget it.
    Done,
    /// Bring it back after this time.
    Later(Duration),
    /// Bring it back when its visibility ends.
    Failed,
}

/// How long a job waits for a model that gives nothing usable; twice as long after each failed job.
const MODEL_WAIT: Duration = Duration::from_secs(60);
/// How long a job waits that other folds have overtaken.
const OVERTAKEN_WAIT: Duration = Duration::from_secs(10);

/// Does one job of the queue and says once what became of it.
pub async fn work(ctx: &Context, job: FoldJob, deadline: Timestamp) -> Worked {
    let contact = job.contact_id;
    match run(ctx, job, deadline).await {
        Ok(outcome) => {
            tell(job, &outcome);
            outcome.worked()
        }
        Err(FoldError::Overtaken) => {
            tracing::warn!(%contact, up_to = %job.up_to, "other folds of the contact saved first");
            Worked::Later(OVERTAKEN_WAIT)
        }
        Err(FoldError::Store(error)) => {
            tracing::error!(%contact, up_to = %job.up_to, %error, "a fold failed");
            Worked::Failed
        }
    }
}

impl FoldOutcome {
    fn worked(&self) -> Worked {
        match self.end {
            End::Waits { attempts } => {
                Worked::Later(MODEL_WAIT * 2_u32.pow(attempts.saturating_sub(1).min(6)))
            }
            End::Idle | End::Folded | End::Stale | End::Silent | End::Gone => Worked::Done,
        }
    }
}

fn tell(job: FoldJob, outcome: &FoldOutcome) {
    let FoldOutcome { end, counts } = outcome;
    tracing::info!(
        contact = %job.contact_id,
        up_to = %job.up_to,
        end = end.code(),
        calls = counts.calls,
        retries = counts.retries,
        batches = counts.batches,
        messages = counts.messages,
        spills = counts.spills,
        fallbacks = counts.fallbacks,
        overtaken = counts.overtaken,
        codes = counts.codes.join(","),
        "a fold ended"
    );
}

/// A job that saved something before it found nothing more to do has folded.
fn end_of(end: End, counts: &Counts) -> End {
    if matches!(end, End::Idle | End::Stale | End::Silent) && counts.batches > 0 { End::Folded } else { end }
}

fn goes_on(ctx: &Context, counts: &Counts, deadline: Timestamp) -> bool {
    let batches = usize::try_from(counts.batches).unwrap_or(usize::MAX);
    batches < ctx.limits.batches_per_turn && ctx.clock.now() + BATCH_TIME <= deadline
}

/// What became of one batch.
enum Step {
    Saved { more: bool },
    Overtaken,
    Ended(End),
}

/// Reads, asks, saves: one batch.
async fn batch(
    ctx: &Context,
    job: FoldJob,
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<Step, FoldError> {
    let Some(thread) = read::thread(ctx, job.contact_id).await? else { return Ok(Step::Ended(End::Gone)) };
    if let Some(end) = thread.needs_nothing(job) {
        return Ok(Step::Ended(end));
    }
    counts.behind.get_or_insert(thread.behind());
    let batch = read::batch(ctx, &thread).await?;
    let given: Vec<Whole> = batch.iter().map(without_wrong).collect();
    match summarise::summarise(ctx, &thread, &given, deadline, counts).await {
        Ok(Summarised { next, batch: folded }) => {
            let (old, first) = (&thread.snapshot, thread.head.first_seq);
            // What was wrong is kept where it is left out of each recall, until its flag is taken back.
            let batch = batch.get(..folded.len()).unwrap_or(&batch);
            let spills = summary::lost(old, first, batch, &next, &[], ctx.clock.now());
            let more = thread.has_more_than(batch);
            save(ctx, &thread, next, &spills, more, counts).await
        }
        Err(failed) => without_model(ctx, &thread, &batch, failed, counts).await,
    }
}

/// A message as the model is given it.
fn without_wrong(whole: &Whole) -> Whole {
    match whole.message.is_wrong() {
        true => {
            let struck = struck(whole.message.clone());
            Whole { text: struck.text.clone(), message: struck }
        }
        false => whole.clone(),
    }
}

/// Without a usable answer: the fallback moves what it can, or the job waits and is counted.
async fn without_model(
    ctx: &Context,
    thread: &Thread,
    batch: &[Whole],
    failed: Failed,
    counts: &mut Counts,
) -> Result<Step, FoldError> {
    let Some(oldest) = batch.first() else { return Ok(Step::Ended(End::Stale)) };
    let (old, first, now) = (&thread.snapshot, thread.head.first_seq, ctx.clock.now());
    let no_model = failed == Failed::Model(ModelError::NotConfigured);
    let appended = if no_model {
        Some(summary::append_or_spill(old, first, batch, &ctx.limits, now))
    } else {
        summary::append(old, first, batch, &ctx.limits, now)
    };
    let given_up = old.attempts + 1 >= ctx.limits.fold_attempts;
    let fallback = appended.or_else(|| given_up.then(|| summary::spill_oldest(old, oldest, now)));
    let Some(Fallback { snapshot, spills }) = fallback else {
        ctx.store.count_attempt(&thread.basis, old).await?;
        return Ok(Step::Ended(End::Waits { attempts: old.attempts + 1 }));
    };
    // A model that is down is not asked again for the next batch in the same invocation.
    let more = no_model && thread.has_more_than(batch);
    let step = save(ctx, thread, snapshot, &spills, more, counts).await?;
    counts.fallbacks += u32::from(matches!(step, Step::Saved { .. }));
    Ok(step)
}

/// Saves on the revision that was read, spills in the same transaction (*checkpoint-honest*).
async fn save(
    ctx: &Context,
    thread: &Thread,
    next: Snapshot,
    spills: &[Spill],
    more: bool,
    counts: &mut Counts,
) -> Result<Step, FoldError> {
    let from = From { contact: thread.head.contact_id, basis: &thread.basis, snapshot: &thread.snapshot };
    Ok(match save_from(ctx, &from, next, spills, counts).await? {
        Saved::As(_) => Step::Saved { more },
        Saved::Moved => Step::Overtaken,
        Saved::Gone => Step::Ended(End::Gone),
    })
}

/// What a save starts from.
struct From<'a> {
    contact: ContactId,
    basis: &'a Basis,
    snapshot: &'a Snapshot,
}

async fn save_from(
    ctx: &Context,
    from: &From<'_>,
    next: Snapshot,
    spills: &[Spill],
    counts: &mut Counts,
) -> Result<Saved, StoreError> {
    let moved = next.folded_through.0 - from.snapshot.folded_through.0;
    let next = if moved > 0 { Snapshot { attempts: 0, ..next } } else { next };
    let saved = ctx.store.save_fold(from.basis, &next, spills, ctx.limits.spills).await?;
    match saved {
        Saved::As(revision) => {
            if !spills.is_empty() {
                forward(ctx, from.contact, revision).await;
            }
            counts.batches += 1;
            counts.messages += moved;
            counts.spills += spills.len();
        }
        Saved::Moved => counts.overtaken += 1,
        Saved::Gone => {}
    }
    Ok(saved)
}

/// Has the spills of one save forwarded to another bank. Should that be lost they are still in the table, where every
/// recall searches.
async fn forward(ctx: &Context, contact_id: ContactId, revision: u64) {
    let Some(queue) = &ctx.retention else { return };
    let job = RetentionJob { contact_id, what: Retained::Spilled { revision } };
    if let Err(error) = queue.send_retention(&job).await {
        tracing::warn!(contact = %contact_id, revision, %error, "spills will not be forwarded to the memory bank");
    }
}
