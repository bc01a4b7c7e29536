//! Remembering: what the bank and past tickets have for the messages that wait, each within its deadline.

use super::{Context, Thread};
use crate::memory::{Query, Recall};
use crate::similar::Similar;
use crate::thread::Mode;
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
    let query = Query { text: text.clone() };
    let recall = async {
        let recall = ctx.bank.recall(thread.head.contact_id, &query);
        tokio::time::timeout(time, recall).await.unwrap_or(Recall::Failed("late"))
    };
    let similar = async {
        let found = ctx.similar.find(&text);
        tokio::time::timeout(time, found).await.unwrap_or(Similar::Failed("late"))
    };
    let (recall, similar) = futures::join!(recall, similar);
    Remembered { recall, similar }
}
