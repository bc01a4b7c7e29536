//! Remembering: what the bank and past tickets have for the messages that wait, each within its deadline.

use super::decide::rendered_facts;
use super::{Context, Thread};
use crate::contact::ContactId;
use crate::memory::{self, Query, Recall};
use crate::prompt;
use crate::similar::Similar;
use crate::store::StoreError;
use crate::thread::{Mode, Seq};
use crate::wrong::Wrong;
use std::collections::BTreeSet;
use std::time::Duration;

/// What was found. Late or failed means none, and is shown as failed (*optional-is-optional*).
#[derive(Debug, Clone)]
pub struct Remembered {
    /// Of the contact's own bank.
    pub recall: Recall,
    /// Of past tickets.
    pub similar: Similar,
}

impl Remembered {
    /// Nothing, because nothing was asked.
    pub fn nothing() -> Self {
        Self { recall: Recall::Nothing, similar: Similar::Nothing }
    }
}

/// Looks for what resembles the messages that wait, and `incoming`, which is being admitted.
///
/// It waits for nothing but the bank and the index, so a caller does it while it admits or takes the lease.
pub async fn remember(ctx: &Context, thread: &Thread, incoming: Option<&str>) -> Remembered {
    if thread.head.mode == Mode::Human {
        return Remembered::nothing();
    }
    let asked: Vec<String> = thread
        .unsettled()
        .into_iter()
        .map(|message| message.shown(ctx.limits.message_chars).into_owned())
        .chain(incoming.map(str::to_owned))
        .collect();
    let text = asked.join("\n");
    let time = Duration::from_millis(ctx.limits.recall_millis);
    let recall = recall(ctx, thread, &asked, time);
    let similar = async {
        let found = ctx.similar.find(&text);
        tokio::time::timeout(time, found).await.unwrap_or(Similar::Failed("late"))
    };
    let (recall, similar) = futures::join!(recall, similar);
    Remembered { recall, similar }
}

/// Asks the bank; not for messages without a word, which nothing resembles.
async fn recall(ctx: &Context, thread: &Thread, asked: &[String], time: Duration) -> Recall {
    let snapshot = thread.snapshot.as_ref();
    let facts = || rendered_facts(ctx, thread, ctx.clock.now()).unwrap_or_default();
    let Some(text) = memory::query(asked, snapshot, facts, &ctx.limits) else { return Recall::Nothing };
    let query = Query { text, at: ctx.clock.now(), before: verbatim_from(ctx, thread) };
    let own = recall_of(ctx, thread.head.contact_id, &query, time);
    // Nothing of the log of a contact that was joined into this one is in the prompt.
    let of_joined = Query { before: Seq::LAST, ..query.clone() };
    let joined = &thread.head.joined;
    let joined = joined.iter().map(|contact| recall_of_joined(ctx, *contact, &of_joined, time));
    let (own, joined) = futures::join!(own, futures::future::join_all(joined));
    Recall::merged(thread.wrong.left_out_of_recall(own), joined, ctx.limits.memories)
}

/// What the bank of a contact has that was joined into this one, without what replies said that were flagged there.
async fn recall_of_joined(ctx: &Context, contact: ContactId, query: &Query, time: Duration) -> Recall {
    let wrong = tokio::time::timeout(time, wrong_of(ctx, contact));
    match futures::join!(recall_of(ctx, contact, query, time), wrong) {
        (recall, Ok(Ok(wrong))) => wrong.left_out_of_recall(recall),
        _ => Recall::Failed("flags"),
    }
}

async fn wrong_of(ctx: &Context, contact: ContactId) -> Result<Wrong, StoreError> {
    let flagged = ctx.store.head(contact).await?.map(|head| head.flagged).unwrap_or_default();
    let flagged = ctx.store.wrong_replies(contact, flagged).await?;
    let asked = flagged.iter().filter_map(|reply| reply.answers_from);
    let asked = ctx.store.messages_at(contact, asked.collect::<BTreeSet<_>>()).await?;
    Ok(Wrong::of(&flagged, &asked, &[]))
}

async fn recall_of(ctx: &Context, contact: ContactId, query: &Query, time: Duration) -> Recall {
    let asked_at = ctx.clock.now();
    let recall = ctx.bank.recall(contact, query);
    let recall = tokio::time::timeout(time, recall).await.unwrap_or(Recall::Failed("late"));
    tracing::info!(
        %contact,
        recall = recall.outcome(),
        why = recall.failure(),
        memories = recall.memories().len(),
        millis = ctx.clock.now().since(asked_at).as_millis(),
        "a bank was asked"
    );
    recall
}

/// The first of the messages that the prompt shows word for word anyway.
fn verbatim_from(ctx: &Context, thread: &Thread) -> Seq {
    let checkpoint = thread.snapshot.as_ref().map_or(Seq::NONE, |snapshot| snapshot.folded_through);
    prompt::split_of(&thread.newest_first, thread.head.first_seq, checkpoint, &ctx.limits).pending_from
}
