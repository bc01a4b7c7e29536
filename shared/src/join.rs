//! Joining: two contacts turn out to be one customer (one memory per contact, across every channel).
//!
//! One of them closes: whatever led there leads to the other, in one transaction, which takes its opt-outs over as well.
//! Its records and what its thread knows follow by a job of the summarizer, which the sweep repeats until it is done;
//! from then on each recall of the contact that stays looks into both banks. Nothing is renumbered: the log of the
//! closed contact stays as it is, for people to read.

use crate::contact::ContactId;
use crate::handoff::{Context, MoveError, Refused};
use crate::job::{FoldJob, FoldReason};
use crate::limits::Limits;
use crate::operator::Operator;
use crate::store::{By, FactWrite, Joined, Store, StoreError};
use crate::thread::Seq;
use crate::traits::Queue;

/// Joins `from` into `into`.
///
/// # Errors
/// `from` has a case, a person, or a message that waits; there are too many contacts, identities or records; one of them
/// is gone; or the table cannot be read or written.
pub async fn join(
    ctx: &Context,
    into: ContactId,
    from: ContactId,
    operator: &Operator,
) -> Result<(), MoveError> {
    let by = By { operator, at: ctx.clock.now() };
    let refused = match ctx.store.join(into, from, by, &ctx.limits).await? {
        Joined::Done => {
            // The job is the net: nothing of the account is missing while it waits.
            if let Err(error) = hand_over_records(&ctx.store, from, &ctx.limits).await {
                tracing::warn!(contact = %from, %error, "records of a joined contact follow by its job");
            }
            futures::join!(hand_over(&*ctx.queue, from), ctx.store.beat());
            return Ok(());
        }
        Joined::Busy => Refused::OtherIsBusy { other: from },
        Joined::TooMany => Refused::TooManyJoined { limit: ctx.limits.joined_contacts },
        Joined::TooManyRecords => Refused::TooManyRecords { limit: ctx.limits.facts_items },
        Joined::Gone => Refused::Gone,
    };
    Err(refused.into())
}

/// Queues what follows; that it was not sent is healed by the sweep.
pub(crate) async fn hand_over(queue: &dyn Queue, from: ContactId) {
    let job = FoldJob { contact_id: from, up_to: Seq::NONE, why: FoldReason::Join };
    if let Err(error) = queue.send_fold(&job).await {
        tracing::warn!(contact = %from, %error, "what follows a join was not queued; the sweep will do it");
    }
}

/// What was pushed for a closed contact stands with the one that stays, unless that has it from later; `false` where a
/// record had no room there, and stays where it is.
///
/// # Errors
/// The table cannot be read or written; run it again.
pub(crate) async fn hand_over_records(
    store: &Store,
    from: ContactId,
    limits: &Limits,
) -> Result<bool, StoreError> {
    let (facts, gone) = futures::try_join!(store.facts(from, limits), store.facts_gone(from, limits))?;
    for _ in 0..ROUNDS {
        let into = store.goes_on_as(from).await?;
        let mut written = vec![];
        for fact in &facts {
            written.push(store.put_fact(into, fact, limits).await?);
        }
        for gone in &gone {
            let now = store.clock().now();
            written.push(store.delete_fact(into, &gone.kind, &gone.id, &gone.as_of, now).await?);
        }
        if !written.contains(&FactWrite::Gone) {
            return Ok(!written.contains(&FactWrite::Full));
        }
        // It was joined into yet another one meanwhile, or erased.
        if store.goes_on_as(from).await? == into {
            return Ok(true);
        }
    }
    Err(StoreError::Contended)
}

/// How often it is looked where a contact went.
const ROUNDS: usize = 10;
