//! Erasure: a contact goes everywhere, and nothing in flight brings them back (*erasable*).
//!
//! It begins at once: nobody finds the contact any more and nothing is created for them. The eraser then deletes what is
//! kept, again when whatever ran meanwhile has ended, and once more when every job that knew the contact has died; the
//! head, which stops those jobs, goes last.

use crate::contact::ContactId;
use crate::limits::Limits;
use crate::store::{List, ListPart, Order, Store, StoreError};
use crate::tickets::{self, BuildError, Shelf};
use crate::time::Timestamp;
use crate::traits::{BankError, Clock, Event, Events, MemoryBank};
use std::sync::Arc;
use std::time::Duration;

/// No function runs this long: what one wrote elsewhere while the contact was erased is deleted after it.
pub const RUN: Duration = Duration::from_secs(3600);
/// What failed is tried again after this, so that it keeps nobody else waiting.
const AGAIN: Duration = Duration::from_secs(300);
/// The longest life of a job: fourteen days as a dead letter, and a day for whoever has it in hand.
pub const JOB_LIFE: Duration = Duration::from_secs(15 * 24 * 3600);

/// What the eraser needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// Long-term memory.
    pub bank: Arc<dyn MemoryBank>,
    /// The index of past cases.
    pub shelf: Shelf,
    /// The bus.
    pub events: Arc<dyn Events>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
}

/// What became of one contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Everything is gone but the head, which stops what is in flight.
    Cleared,
    /// The last trace is gone.
    Erased,
    /// There was too much for the time; the next run goes on.
    Unfinished,
}

/// Why a contact could not be erased; the next run tries again. Never carries text.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The table.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bank.
    #[error(transparent)]
    Bank(#[from] BankError),
    /// The index of past cases.
    #[error(transparent)]
    Index(#[from] BuildError),
}

/// Erases whoever is due, one after the other, until `deadline`; how many were looked at.
///
/// # Errors
/// The list of those who are due cannot be read. One contact's failure does not stop the others.
pub async fn run(ctx: &Context, deadline: Timestamp) -> Result<usize, StoreError> {
    let lists = &[List::Erasing];
    let part = ListPart { lists, order: Order::OldestFirst, after: None, limit: ctx.limits.sweep_contacts };
    let due = ctx.store.listed(part).await?.into_iter().filter(|entry| entry.at <= ctx.clock.now());
    let mut looked_at = 0;
    for entry in due {
        if ctx.clock.now() >= deadline {
            break;
        }
        let contact = entry.contact_id;
        match erase(ctx, contact, deadline).await {
            Ok(end) => tracing::info!(%contact, ?end, "an erasure went on"),
            Err(error) => {
                let metric = "erasure_failed";
                tracing::error!(metric, %contact, %error, "an erasure failed and will be tried again");
                ctx.store.postpone_erasing(contact, ctx.clock.now() + AGAIN).await?;
            }
        }
        looked_at += 1;
    }
    Ok(looked_at)
}

/// Deletes what is kept of a contact whose erasure has begun, as far as there is time.
///
/// # Errors
/// Something is left; run it again.
pub async fn erase(ctx: &Context, contact: ContactId, deadline: Timestamp) -> Result<End, EraseError> {
    let Some(erasure) = ctx.store.erasure(contact).await? else { return Ok(End::Erased) };
    if !ctx.store.clear_contact(contact, deadline).await? {
        return Ok(End::Unfinished);
    }
    ctx.bank.forget(contact).await?;
    tickets::forget(&ctx.shelf, contact, &ctx.limits).await?;
    let next = [RUN, JOB_LIFE].map(|after| erasure.begun_at + after);
    let Some(next) = next.into_iter().find(|next| *next > ctx.clock.now()) else {
        ctx.store.end_erasing(contact).await?;
        return Ok(End::Erased);
    };
    if erasure.cleared_at.is_none()
        && let Err(error) = ctx.events.publish(&Event::ContactErased { contact_id: contact }).await
    {
        tracing::warn!(%contact, %error, "nobody was told that a contact was erased");
    }
    ctx.store.cleared(contact, next).await?;
    Ok(End::Cleared)
}
