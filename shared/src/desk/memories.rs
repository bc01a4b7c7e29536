//! Memories, for people: what is kept of earlier conversations, and forgetting one of them.

use crate::contact::ContactId;
use crate::handoff::{Context, MoveError, Refused};
use crate::memory::{Entry, Origin};
use crate::store::StoreError;
use crate::thread::Seq;
use std::cmp::Reverse;

/// The newest exchanges and spills of a contact that the table keeps, at most `limit`; those that stand behind the last
/// message and the origin of another one, where that is given. Exchanges that another bank keeps are not among them.
///
/// # Errors
/// The table cannot be read.
pub async fn memories(
    ctx: &Context,
    contact: ContactId,
    after: Option<(Seq, Origin)>,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    // A bank has them by origin: the newest are known when all are read, which a recall does in every turn.
    let most = ctx.limits.bank_items;
    let (exchanges, spills) =
        futures::try_join!(ctx.store.memories(contact, most), ctx.store.spill_entries(contact, most))?;
    let place = |entry: &Entry| (Reverse(entry.exchange.to_seq), entry.exchange.origin);
    let mut all: Vec<Entry> = exchanges.into_iter().chain(spills).collect();
    if let Some((seq, origin)) = after {
        all.retain(|entry| place(entry) > (Reverse(seq), origin));
    }
    all.sort_by_key(place);
    all.truncate(limit);
    Ok(all)
}

/// Forgets one of them for good.
///
/// # Errors
/// The contact is gone, or the table cannot be read or written.
pub async fn forget_memory(ctx: &Context, contact: ContactId, origin: Origin) -> Result<(), MoveError> {
    let Some(entry) = ctx.store.memory(contact, origin).await? else { return Ok(()) };
    if ctx.store.forget_memory(contact, &entry).await? { Ok(()) } else { Err(Refused::Gone.into()) }
}
