//! A thread for people: its messages with what stands beside them, and where the bot's memory ends.

use super::{Who, who};
use crate::case::Case;
use crate::contact::ContactId;
use crate::flag::Flag;
use crate::handoff::Context;
use crate::prompt;
use crate::snapshot::Snapshot;
use crate::store::StoreError;
use crate::thread::{Head, Message, Note, Seq};
use crate::window::Split;

/// A page of a thread.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The thread.
    pub head: Head,
    /// Whose.
    pub who: Who,
    /// Snapshot and history, where there is one that can be read.
    pub snapshot: Option<Snapshot>,
    /// What a turn would show word for word, what the history covers, and what is pending (*coverage*).
    pub split: Split,
    /// The messages of this page, oldest first.
    pub messages: Vec<Message>,
    /// The notes beside them.
    pub notes: Vec<Note>,
    /// The flags on them that stand.
    pub flags: Vec<Flag>,
    /// The contact's newest cases.
    pub cases: Vec<Case>,
    /// There are older messages: the next page is the one before this number.
    pub older: Option<Seq>,
}

/// Notes and flags of one page.
const BESIDE: usize = 500;

/// The page of a thread that ends before `before`, or its newest one; `None` where the contact is gone.
///
/// # Errors
/// The table cannot be read.
pub async fn conversation(
    ctx: &Context,
    contact: ContactId,
    before: Option<Seq>,
    limit: usize,
) -> Result<Option<Conversation>, StoreError> {
    let Some(head) = ctx.store.head(contact).await?.filter(|head| !head.erasing) else { return Ok(None) };
    let to = before.map_or(head.last_seq, Seq::prev).min(head.last_seq);
    let from = Seq(to.0.saturating_sub(limit as u64) + 1).max(head.first_seq);
    // Notes stand by the message that was the newest then, which may be none.
    let notes_from = if from == head.first_seq { Seq::NONE } else { from };
    let store = &ctx.store;
    let (messages, notes, flags, newest_first, cases, snapshot, who) = futures::try_join!(
        store.messages(contact, from, to, limit),
        store.notes(contact, notes_from, to, BESIDE),
        store.flags(contact, from, to, BESIDE),
        store.newest(contact, &ctx.limits),
        store.cases(contact),
        async { Ok(store.snapshot(contact).await.ok().flatten()) },
        who(store, contact),
    )?;
    let checkpoint = snapshot.as_ref().map_or(Seq::NONE, |snapshot| snapshot.folded_through);
    let split = prompt::split_of(&newest_first, head.first_seq, checkpoint, &ctx.limits);
    let older = (from > head.first_seq && !messages.is_empty()).then_some(from);
    Ok(Some(Conversation { head, who, snapshot, split, messages, notes, flags, cases, older }))
}
