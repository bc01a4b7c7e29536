//! Memories, for people: what is kept of earlier conversations, and forgetting one of them.

use crate::contact::ContactId;
use crate::handoff::{Context, MoveError, Refused};
use crate::memory::{Entry, Origin};
use crate::store::StoreError;

/// The newest exchanges and spills of a contact that the table keeps, at most `limit`. Exchanges that another bank keeps
/// are not among them.
///
/// # Errors
/// The table cannot be read.
pub async fn memories(ctx: &Context, contact: ContactId, limit: usize) -> Result<Vec<Entry>, StoreError> {
    let (exchanges, spills) =
        futures::try_join!(ctx.store.memories(contact, limit), ctx.store.spill_entries(contact, limit))?;
    let mut all: Vec<Entry> = exchanges.into_iter().chain(spills).collect();
    all.sort_by_key(|entry| std::cmp::Reverse(entry.exchange.to_seq));
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
