//! The sweep: queues a turn for whoever waits, and the last fold of whoever was joined, so that a lost job is healed.

use crate::contact::ContactId;
use crate::job::TurnJob;
use crate::join;
use crate::store::StoreError;
use crate::turn::Context;
use std::time::Duration;

/// Who waits longer than this is swept.
const WAITS: Duration = Duration::from_secs(60);
/// A contact is queued at most once in this time.
const AGAIN: Duration = Duration::from_secs(300);

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Contacts that wait.
    pub waiting: usize,
    /// Turns that were queued for them.
    pub queued: usize,
}

/// Queues a turn for every contact that waits too long and for whom no turn runs.
///
/// # Errors
/// The list of those who wait cannot be read. One contact's failure does not stop the others.
pub async fn run(ctx: &Context) -> Result<Swept, StoreError> {
    let now = ctx.clock.now();
    let before = crate::time::Timestamp::from_millis(now.millis() - millis(WAITS));
    let waiting = ctx.store.waiting(before, ctx.limits.sweep_contacts).await?;
    let mut swept = Swept { waiting: waiting.len(), queued: 0 };
    for contact in waiting {
        match sweep(ctx, contact).await {
            Ok(queued) => swept.queued += usize::from(queued),
            Err(error) => tracing::warn!(%contact, %error, "a waiting contact was not swept"),
        }
    }
    for from in ctx.store.joining_contacts(ctx.limits.sweep_contacts).await? {
        if from.at < before {
            join::hand_over(&*ctx.queue, from.contact_id).await;
            ctx.store.postpone_joining(from.contact_id, now + AGAIN).await?;
        }
    }
    Ok(swept)
}

async fn sweep(ctx: &Context, contact: ContactId) -> Result<bool, StoreError> {
    let now = ctx.clock.now();
    let Some(head) = ctx.store.head(contact).await? else { return Ok(false) };
    let recently = head.swept_at.is_some_and(|at| now.since(at) < AGAIN);
    if recently || head.lease(now).is_some() || !head.has_unsettled() {
        return Ok(false);
    }
    if !ctx.store.mark_swept(&head, now).await? {
        return Ok(false);
    }
    let sent = ctx.queue.send_turn(&TurnJob::Swept { contact_id: contact }, Duration::ZERO).await;
    if let Err(error) = &sent {
        tracing::warn!(%contact, %error, "a swept turn was not queued");
    }
    Ok(sent.is_ok())
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
