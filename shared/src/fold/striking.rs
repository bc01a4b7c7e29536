//! What was wrong leaves the summary at once: a value is left out where it stands, no model is asked.

use super::read::wrong;
use super::{Context, Counts, End, FoldError, From, SAVES, save_from};
use crate::contact::ContactId;
use crate::store::{FoldStart, Saved};

/// Leaves out of snapshot and history what replies flagged as wrong said; where they do not say it nothing changes.
pub(super) async fn strike(ctx: &Context, contact: ContactId, counts: &mut Counts) -> Result<End, FoldError> {
    loop {
        let Some(FoldStart { head, snapshot, basis }) = ctx.store.fold_start(contact).await? else {
            return Ok(End::Gone);
        };
        let newest_first = ctx.store.newest_above(contact, snapshot.folded_through, &ctx.limits).await?;
        let next = wrong(ctx, &head, &newest_first).await?.left_out_of(&snapshot);
        if next == snapshot {
            return Ok(End::Idle);
        }
        let from = From { contact, basis: &basis, snapshot: &snapshot };
        match save_from(ctx, &from, next, &[], counts).await? {
            Saved::As(_) => return Ok(End::Folded),
            Saved::Gone => return Ok(End::Gone),
            Saved::Moved if counts.overtaken >= SAVES => return Err(FoldError::Overtaken),
            Saved::Moved => {}
        }
    }
}
