//! Notes, for people: those beside the messages of a page, and all of a thread.

use crate::contact::ContactId;
use crate::handoff::Context;
use crate::store::{NotePlace, StoreError};
use crate::thread::Note;

/// A page of notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes {
    /// The notes, oldest first.
    pub notes: Vec<Note>,
    /// There are earlier ones: those that stand before this place.
    pub earlier: Option<NotePlace>,
}

impl Notes {
    /// At most `limit` of these, which are in the order of their places and one more where there are more.
    pub(super) fn page(mut notes: Vec<Note>, limit: usize) -> Self {
        let more = notes.len().saturating_sub(limit);
        notes.drain(..more);
        let earlier = notes.first().filter(|_| more > 0).map(NotePlace::from);
        notes.sort_by_key(|note| (note.seq, note.at));
        Self { notes, earlier }
    }
}

/// The newest notes of a thread, or those before `before`; `None` where the contact is gone.
///
/// # Errors
/// The table cannot be read.
pub async fn notes(
    ctx: &Context,
    contact: ContactId,
    before: Option<NotePlace>,
    limit: usize,
) -> Result<Option<Notes>, StoreError> {
    let (head, notes) =
        futures::try_join!(ctx.store.head(contact), ctx.store.notes_before(contact, before, limit + 1))?;
    Ok(head.filter(|head| !head.erasing).map(|_| Notes::page(notes, limit)))
}
