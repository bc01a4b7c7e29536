//! A thread for people: its messages with what stands beside them, and where the bot's memory ends.

use super::{Notes, Who, who};
use crate::case::Case;
use crate::contact::ContactId;
use crate::flag::Flag;
use crate::handoff::Context;
use crate::prompt;
use crate::snapshot::Snapshot;
use crate::store::{NotePlace, StoreError};
use crate::text;
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
    /// There are more of them: those before this place.
    pub earlier_notes: Option<NotePlace>,
    /// The flags on them that stand.
    pub flags: Vec<Flag>,
    /// The contact's newest cases.
    pub cases: Vec<Case>,
    /// There are older messages: the next page is the one before this number.
    pub older: Option<Seq>,
    /// What could not be read, in a word for people; it is shown as failed and never as empty.
    pub failed: Vec<&'static str>,
}

/// Characters of one page: it must fit an answer whatever people write.
const PAGE_CHARS: usize = 400_000;

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
    let (log, who, notes, cases, snapshot) = futures::join!(
        log(ctx, contact, from, to),
        who(store, contact),
        store.notes(contact, notes_from, to, BESIDE + 1),
        store.cases(contact),
        store.snapshot(contact),
    );
    let ((messages, newest_first), who) = (log?, who?);
    let messages = fitting(messages);
    let mut failed = vec![];
    let Notes { notes, earlier: earlier_notes } = Notes::page(read("notes", notes, &mut failed), BESIDE);
    let flags = read("flags", flags_on(ctx, contact, &messages).await, &mut failed);
    let cases = read("cases", cases, &mut failed);
    let snapshot = read("the summary", snapshot, &mut failed);
    let checkpoint = snapshot.as_ref().map_or(Seq::NONE, |snapshot| snapshot.folded_through);
    let split = prompt::split_of(&newest_first, head.first_seq, checkpoint, &ctx.limits);
    let older = messages.first().map(|first| first.seq).filter(|first| *first > head.first_seq);
    Ok(Some(Conversation {
        head,
        who,
        snapshot,
        split,
        messages,
        notes,
        earlier_notes,
        flags,
        cases,
        older,
        failed,
    }))
}

/// The flags on these messages. A reply says whether it has any, so most pages look for none.
async fn flags_on(ctx: &Context, contact: ContactId, messages: &[Message]) -> Result<Vec<Flag>, StoreError> {
    let mut flagged = messages.iter().filter(|message| message.is_wrong()).map(|message| message.seq);
    match (flagged.next(), flagged.next_back()) {
        (Some(from), to) => ctx.store.flags(contact, from, to.unwrap_or(from), BESIDE).await,
        (None, _) => Ok(vec![]),
    }
}

/// Messages `from..=to`, oldest first, and the newest ones as a turn reads them, newest first. What a page has of the
/// latter is not read again: most pages that are opened are the newest.
async fn log(
    ctx: &Context,
    contact: ContactId,
    from: Seq,
    to: Seq,
) -> Result<(Vec<Message>, Vec<Message>), StoreError> {
    let newest_first = ctx.store.newest(contact, &ctx.limits).await?;
    let known: Vec<Message> = {
        let of_page = newest_first.iter().rev().filter(|message| (from..=to).contains(&message.seq));
        of_page.cloned().collect()
    };
    let up_to = known.first().map_or(to, |first| first.seq.prev());
    let missing = usize::try_from(up_to.next().0.saturating_sub(from.0)).unwrap_or(usize::MAX);
    let mut messages = ctx.store.messages(contact, from, up_to, missing).await?;
    messages.extend(known);
    Ok((messages, newest_first))
}

/// The newest of these messages that fit a page, at least one.
fn fitting(mut messages: Vec<Message>) -> Vec<Message> {
    let mut chars = 0;
    let fit = messages.iter().rev().take_while(|message| {
        let is_first = chars == 0;
        chars += text::chars(&message.text) + text::chars(&message.tail) + 1;
        is_first || chars <= PAGE_CHARS
    });
    let fit = fit.count();
    messages.drain(..messages.len() - fit);
    messages
}

/// What was read, or nothing and its name among what failed.
fn read<T: Default>(name: &'static str, found: Result<T, StoreError>, failed: &mut Vec<&'static str>) -> T {
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, part = name, "a part of a conversation could not be read");
        failed.push(name);
        T::default()
    })
}
