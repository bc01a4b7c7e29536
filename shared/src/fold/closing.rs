//! The last fold of a contact that was joined into another: its records go there, and everything that its summary and
//! its newest messages hold goes into its bank, where the recalls of the other one look.

use super::read::{bounded, wrong};
use super::{Context, Counts, End, FoldError, From, SAVES, save_from};
use crate::contact::ContactId;
use crate::snapshot::Snapshot;
use crate::store::{FactWrite, FoldStart, Saved, StoreError};
use crate::summary::{self, Fallback, Whole};
use crate::thread::Head;
use crate::wrong::struck;

/// Closes a contact; again it changes nothing.
pub(super) async fn close(ctx: &Context, contact: ContactId, counts: &mut Counts) -> Result<End, FoldError> {
    let Some(head) = ctx.store.head(contact).await?.filter(|head| !head.erasing) else {
        return Ok(End::Gone);
    };
    let Some(into) = head.joined_into else { return Ok(End::Idle) };
    hand_over_records(ctx, contact, last_of(ctx, into).await?).await?;
    while let Some(saved) = spill_some(ctx, contact, counts).await? {
        match saved {
            Saved::Moved if counts.overtaken >= SAVES => return Err(FoldError::Overtaken),
            Saved::As(_) | Saved::Moved => {}
            Saved::Gone => return Ok(End::Gone),
        }
    }
    ctx.store.end_joining(contact).await?;
    Ok(End::Folded)
}

/// Whoever it was joined into may have been joined since.
async fn last_of(ctx: &Context, mut contact: ContactId) -> Result<ContactId, StoreError> {
    while let Some(next) = ctx.store.head(contact).await?.and_then(|head| head.joined_into) {
        contact = next;
    }
    Ok(contact)
}

/// What was pushed for the closed contact stands with the other one, unless that has it from later.
async fn hand_over_records(ctx: &Context, from: ContactId, into: ContactId) -> Result<(), StoreError> {
    for fact in ctx.store.facts(from, &ctx.limits).await? {
        if ctx.store.put_fact(into, &fact, &ctx.limits).await? == FactWrite::Full {
            tracing::error!(contact = %into, %from, "a record of a joined contact had no room: it stays there");
        }
    }
    let now = ctx.clock.now();
    for gone in ctx.store.facts_gone(from, &ctx.limits).await? {
        ctx.store.delete_fact(into, &gone.kind, &gone.id, &gone.as_of, now).await?;
    }
    Ok(())
}

/// Spills the next messages, and at last the summary; `None` where nothing is left.
async fn spill_some(
    ctx: &Context,
    contact: ContactId,
    counts: &mut Counts,
) -> Result<Option<Saved>, StoreError> {
    let Some(FoldStart { head, mut snapshot, basis }) = ctx.store.fold_start(contact).await? else {
        return Ok(Some(Saved::Gone));
    };
    snapshot.folded_through = snapshot.folded_through.max(head.first_seq.prev());
    let snapshot = wrong(ctx, &head, &[]).await?.left_out_of(&snapshot);
    let (first, now) = (head.first_seq, ctx.clock.now());
    let batch = next_messages(ctx, &head, &snapshot).await?;
    let Fallback { snapshot: next, spills } = match batch.is_empty() {
        false => summary::append_or_spill(&snapshot, first, &batch, &ctx.limits, now),
        true if snapshot.is_blank() => return Ok(None),
        true => summary::spill_all(&snapshot, first, now),
    };
    let from = From { contact, basis: &basis, snapshot: &snapshot };
    save_from(ctx, &from, next, &spills, counts).await.map(Some)
}

async fn next_messages(ctx: &Context, head: &Head, snapshot: &Snapshot) -> Result<Vec<Whole>, StoreError> {
    let from = snapshot.folded_through.next();
    if from > head.last_seq {
        return Ok(vec![]);
    }
    let most = ctx.limits.batch_messages.max(1);
    let messages = ctx.store.messages(head.contact_id, from, head.last_seq, most).await?;
    let mut batch = vec![];
    for message in bounded(messages, snapshot.folded_through, &ctx.limits) {
        let message = struck(message);
        let text = ctx.store.whole_text(head.contact_id, &message).await?;
        batch.push(Whole::new(message, text));
    }
    Ok(batch)
}
