//! The last fold of a contact that was joined into another: its records go there, and everything that its summary and
//! its newest messages hold goes into its bank, where the recalls of the other one look.

use super::read::bounded;
use super::{Context, Counts, End, FoldError, From, SAVES, save_from};
use crate::contact::ContactId;
use crate::join;
use crate::snapshot::Snapshot;
use crate::store::{FoldStart, Saved, StoreError};
use crate::summary::{self, Fallback, Whole};
use crate::thread::Head;
use std::time::Duration;

/// Records that had no room are looked at again after this.
const AGAIN: Duration = Duration::from_secs(3600);

/// Closes a contact; again it changes nothing.
pub(super) async fn close(ctx: &Context, contact: ContactId, counts: &mut Counts) -> Result<End, FoldError> {
    let Some(head) = ctx.store.head(contact).await?.filter(|head| !head.erasing) else {
        return Ok(End::Gone);
    };
    if head.joined_into.is_none() {
        return Ok(End::Idle);
    }
    let all_records = join::hand_over_records(&ctx.store, contact, &ctx.limits).await?;
    while let Some(saved) = spill_some(ctx, contact, counts).await? {
        match saved {
            Saved::Moved if counts.overtaken >= SAVES => return Err(FoldError::Overtaken),
            Saved::As(_) | Saved::Moved => {}
            Saved::Gone => return Ok(End::Gone),
        }
    }
    match all_records {
        true => ctx.store.end_joining(contact).await?,
        false => ctx.store.postpone_joining(contact, ctx.clock.now() + AGAIN).await?,
    }
    Ok(End::Folded)
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
        let text = ctx.store.whole_text(head.contact_id, &message).await?;
        batch.push(Whole::new(message, text));
    }
    Ok(batch)
}
