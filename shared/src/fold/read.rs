//! Reading what one fold needs: each part bounded, nothing at or below the checkpoint (*flat-cost*).

use super::{Context, End};
use crate::contact::ContactId;
use crate::fence::Fence;
use crate::job::{FoldJob, FoldReason};
use crate::limits::Limits;
use crate::prompt::lay_out;
use crate::snapshot::Snapshot;
use crate::store::{Basis, FoldStart, StoreError};
use crate::summary::Whole;
use crate::text;
use crate::thread::{Head, Message, Mode, Seq};
use crate::window::Split;
use crate::wrong::{Wrong, struck};

/// A thread as one fold sees it.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) head: Head,
    pub(super) snapshot: Snapshot,
    /// The same without what replies said that were flagged as wrong: what the model is given.
    pub(super) shown: Snapshot,
    pub(super) basis: Basis,
    /// Newest first and dense, none at or below the checkpoint.
    pub(super) newest_first: Vec<Message>,
    /// The same without what was wrong in them.
    pub(super) struck: Vec<Message>,
    pub(super) split: Split,
}

impl Thread {
    /// Why a job has nothing to do here, if so.
    pub(super) fn needs_nothing(&self, job: FoldJob) -> Option<End> {
        let Some(newest) = self.newest_first.first() else { return Some(End::Idle) };
        let silent = self.head.mode == Mode::Human || self.head.opted_out.contains(&newest.account);
        if silent && job.why != FoldReason::Escalation {
            return Some(End::Silent);
        }
        let known = self.snapshot.as_of.max(self.snapshot.folded_through) >= job.up_to.min(newest.seq);
        (known && self.split.aged_out().is_empty()).then_some(End::Idle)
    }

    /// The newest message.
    pub(super) fn newest(&self) -> Seq {
        self.newest_first.first().map_or(Seq::NONE, |message| message.seq)
    }

    /// How many messages aged out and are not folded yet.
    pub(super) fn behind(&self) -> u64 {
        let aged = self.split.aged_out();
        aged.end.0.saturating_sub(aged.start.0)
    }

    /// Whether more aged out than the batch.
    pub(super) fn has_more_than(&self, batch: &[Whole]) -> bool {
        let folded = batch.last().map_or(self.split.covered_to, |last| last.message.seq);
        folded.next() < self.split.window_from
    }
}

/// Head, snapshot and newest messages; `None` where the contact is gone or being erased.
pub(super) async fn thread(ctx: &Context, contact: ContactId) -> Result<Option<Thread>, StoreError> {
    let Some(start) = ctx.store.fold_start(contact).await? else { return Ok(None) };
    let FoldStart { head, mut snapshot, basis } = start;
    // What is before the log is gone: there is nothing to cover.
    snapshot.folded_through = snapshot.folded_through.max(head.first_seq.prev());
    let newest_first = ctx.store.newest_above(contact, snapshot.folded_through, &ctx.limits).await?;
    let fence = Fence::absent_from(&contact.to_string(), &[]);
    let (_, split) = lay_out(&newest_first, &fence, head.first_seq, snapshot.folded_through, &ctx.limits);
    let shown = wrong(ctx, &head, &newest_first).await?.left_out_of(&snapshot);
    let struck = newest_first.iter().cloned().map(struck).collect();
    Ok(Some(Thread { head, snapshot, shown, basis, newest_first, struck, split }))
}

/// What replies flagged as wrong said, and nobody else that is read here.
async fn wrong(ctx: &Context, head: &Head, newest_first: &[Message]) -> Result<Wrong, StoreError> {
    let flagged = ctx.store.wrong_replies(head.contact_id, head.flagged.iter().copied()).await?;
    Ok(Wrong::of(&flagged, newest_first, &[]))
}

/// The batch that ages out: the oldest messages after the checkpoint, at least one if any aged out, with their
/// whole texts.
pub(super) async fn batch(ctx: &Context, thread: &Thread) -> Result<Vec<Whole>, StoreError> {
    let contact = thread.head.contact_id;
    let mut batch = vec![];
    for message in bounded(aged_out(ctx, thread).await?, thread.split.covered_to, &ctx.limits) {
        let text = ctx.store.whole_text(contact, &message).await?;
        batch.push(Whole::new(message, text));
    }
    Ok(batch)
}

/// The oldest messages that aged out; read only if they are not among the newest.
async fn aged_out(ctx: &Context, thread: &Thread) -> Result<Vec<Message>, StoreError> {
    let aged = thread.split.aged_out();
    if aged.is_empty() {
        return Ok(vec![]);
    }
    if thread.newest_first.last().is_some_and(|oldest| oldest.seq <= aged.start) {
        let inside = thread.newest_first.iter().filter(|message| aged.contains(&message.seq));
        return Ok(inside.rev().cloned().collect());
    }
    let most = ctx.limits.batch_messages.max(1);
    let to = aged.end.prev().min(Seq(aged.start.0.saturating_add(most as u64 - 1)));
    ctx.store.messages(thread.head.contact_id, aged.start, to, most).await
}

/// One batch of dense messages after the checkpoint: a hole is never moved over (*checkpoint-honest*).
pub(super) fn bounded(messages: Vec<Message>, checkpoint: Seq, limits: &Limits) -> Vec<Message> {
    let mut batch: Vec<Message> = vec![];
    let mut used = 0_usize;
    for message in messages.into_iter().take(limits.batch_messages.max(1)) {
        used = used.saturating_add(whole_chars(&message));
        let is_next = message.seq == batch.last().map_or(checkpoint, |last| last.seq).next();
        if !is_next || (!batch.is_empty() && used > limits.batch_chars) {
            break;
        }
        batch.push(message);
    }
    batch
}

fn whole_chars(message: &Message) -> usize {
    let bare = Message { omitted_chars: 0, tail: String::new(), ..message.clone() };
    text::chars(&bare.shown(usize::MAX)) + message.omitted_chars + text::chars(&message.tail)
}
