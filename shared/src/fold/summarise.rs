//! Asking the small model: one question, and one retry that is told everything that was wrong.

use super::read::Thread;
use super::{Context, Counts};
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::summary::{self, Fault, Given, Judged, Piece, Whole};
use crate::time::Timestamp;
use crate::traits::{ModelError, Question, Role};
use std::time::Duration;

/// Why there is no new summary.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// The model gave no answer.
    Model(ModelError),
    /// It gave one that may not be stored, twice.
    Refused,
}

/// The longest that one question may take.
const ASK_TIME: Duration = Duration::from_secs(60);
/// What is kept of a job's time for its save.
const SAVE_TIME: Duration = Duration::from_secs(10);

/// A new summary and what is in it.
pub(super) struct Summarised<'a> {
    /// The next snapshot, its checkpoint on the last message of the batch.
    pub(super) next: Snapshot,
    /// What was folded: all of what was to be, or as much as the model's context takes.
    pub(super) batch: &'a [Whole],
}

/// A prompt that did not fit the model's context is asked once more with this part of what ages out and is new.
const SMALLER: usize = 4;

/// The next snapshot, with the batch folded in, or with its oldest messages if all of it overflows the model's
/// context.
pub(super) async fn summarise<'a>(
    ctx: &Context,
    thread: &Thread,
    batch: &'a [Whole],
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<Summarised<'a>, Failed> {
    let limits = &ctx.limits;
    let asked = all_parts(ctx, thread, batch, limits, deadline, counts).await;
    if asked != Err(Failed::Model(ModelError::ContextOverflow)) {
        return asked.map(|next| Summarised { next, batch });
    }
    counts.retries += 1;
    let limits = Limits {
        batch_messages: (limits.batch_messages / SMALLER).max(1),
        batch_chars: (limits.batch_chars / SMALLER).max(1),
        ..limits.clone()
    };
    let batch = Whole::first(batch, &limits);
    let next = all_parts(ctx, thread, batch, &limits, deadline, counts).await?;
    Ok(Summarised { next, batch })
}

/// Everything in one question, or a long message part by part; only if every part succeeded there is something to
/// save (*checkpoint-honest*).
async fn all_parts(
    ctx: &Context,
    thread: &Thread,
    batch: &[Whole],
    limits: &Limits,
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<Snapshot, Failed> {
    let old = &thread.shown;
    let folded_through = batch.last().map_or(old.folded_through, |last| last.message.seq);
    let fresh = Piece::fresh(&thread.struck, old.as_of.max(folded_through), limits);
    let seed = thread.head.contact_id.to_string();
    let mut next = old.clone();
    let mut fresh = fresh.as_slice();
    for batch in Piece::calls(batch, limits.batch_chars) {
        let given = Given { old: &next, batch: &batch, fresh, seed: &seed };
        next = twice(ctx, &given, deadline, counts).await?;
        fresh = &[];
    }
    Ok(Snapshot { folded_through, as_of: old.as_of.max(thread.newest()), ..next })
}

/// Asks, and once more if the answer may not be stored or lost too much. Of two answers that may be stored, the
/// one that lost less counts: what it lost is spilled.
async fn twice(
    ctx: &Context,
    given: &Given<'_>,
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<Snapshot, Failed> {
    let first = once(ctx, given, &[], deadline, counts).await;
    let faults = match &first {
        Ok(judged) if judged.faults.is_empty() => return Ok(judged.snapshot.clone()),
        Ok(judged) => judged.faults.clone(),
        Err(error) => match worth_a_retry(error) {
            Some(faults) => faults,
            None => return Err(Failed::Model(error.clone())),
        },
    };
    counts.retries += 1;
    let second = once(ctx, given, &faults, deadline, counts).await;
    let error = second.as_ref().err().cloned();
    let sound = [first, second].into_iter().flatten().filter(Judged::is_sound);
    let best = sound.min_by_key(|judged| judged.lost);
    best.map(|judged| judged.snapshot).ok_or(error.map_or(Failed::Refused, Failed::Model))
}

async fn once(
    ctx: &Context,
    given: &Given<'_>,
    faults: &[Fault],
    deadline: Timestamp,
    counts: &mut Counts,
) -> Result<Judged, ModelError> {
    let left = deadline.since(ctx.clock.now()).saturating_sub(SAVE_TIME);
    let asked = ctx.model.ask(&question(ctx, given, faults), left.min(ASK_TIME)).await;
    counts.calls += asked.calls;
    let answer = asked.answer.inspect_err(|error| {
        counts.codes.push(error.code());
        counts.errors.push(error.code());
    })?;
    counts.prompt_tokens += answer.prompt_tokens;
    counts.completion_tokens += answer.completion_tokens;
    let judged = summary::judge(&answer.object, given, &ctx.limits);
    counts.codes.extend(judged.faults.iter().map(Fault::code));
    Ok(judged)
}

fn question(ctx: &Context, given: &Given<'_>, faults: &[Fault]) -> Question {
    let prompt = summary::prompt(given, faults, &ctx.limits);
    Question {
        role: Role::Summary,
        system: prompt.system,
        user: prompt.user,
        schema_name: summary::SCHEMA_NAME,
        schema: summary::schema(&ctx.limits),
        max_tokens: summary::max_tokens(&ctx.limits),
    }
}

/// What the model is told when it is asked the same again; `None` where that would not help: a refused request, an
/// overflow and a filter answer the same once more.
fn worth_a_retry(error: &ModelError) -> Option<Vec<Fault>> {
    match error {
        ModelError::Timeout | ModelError::Unreachable | ModelError::Overloaded { .. } => Some(vec![]),
        ModelError::CutOff => Some(vec![Fault::CutOff]),
        ModelError::Declined | ModelError::Unreadable => Some(vec![Fault::NoObject]),
        ModelError::NotConfigured
        | ModelError::Rejected { .. }
        | ModelError::ContextOverflow
        | ModelError::Filtered => None,
    }
}
