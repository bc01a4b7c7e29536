//! Notes: internal, beside the log, never in a model's input.

use super::contacts::{Seen, found};
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{CursorError, Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::job::Delivery;
use crate::thread::{Note, Seq};
use std::fmt;
use std::str::FromStr;
use ulid::Ulid;

/// What became of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteWrite {
    /// It is written.
    Done,
    /// It was written before, beside this message.
    There(Seq),
    /// The contact is gone or being erased (*erasable*).
    Gone,
}

/// Where a note stands among those of its contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotePlace {
    /// The message that it stands by.
    pub seq: Seq,
    /// Which of those there.
    pub note_id: Ulid,
}

impl From<&Note> for NotePlace {
    fn from(note: &Note) -> Self {
        Self { seq: note.seq, note_id: note.note_id }
    }
}

impl fmt::Display for NotePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.note_id)
    }
}

impl FromStr for NotePlace {
    type Err = CursorError;

    fn from_str(place: &str) -> Result<Self, CursorError> {
        let (seq, note_id) = place.split_once('.').ok_or(CursorError)?;
        let seq = seq.parse().map(Seq).map_err(|_| CursorError)?;
        Ok(Self { seq, note_id: Ulid::from_string(note_id).map_err(|_| CursorError)? })
    }
}

impl Store {
    /// Keeps a note; under `once`, once.
    pub async fn put_note(
        &self,
        contact: ContactId,
        note: &Note,
        once: Option<&Delivery>,
    ) -> Result<NoteWrite, StoreError> {
        let key = keys::note(contact, note.seq, note.note_id);
        let mut transaction = Transaction::new(self.clock().ulid())
            .create(self, Part::Message, &key, to_item(note, "note")?)
            .check(self, Part::Head, &keys::head(contact), alive());
        if let Some(once) = once {
            transaction = self.with_seen(transaction, contact, note.seq, once, note.at)?;
        }
        match transaction.write(self).await? {
            Written::Done => Ok(NoteWrite::Done),
            Written::Lost(lost) => match found(&lost, Part::Seen) {
                Some(seen) => Ok(NoteWrite::There(from_item::<Seen>(seen.clone(), "seen")?.seq)),
                None => Ok(NoteWrite::Gone),
            },
        }
    }

    /// The newest notes beside the messages `from..=to`, oldest first, at most `most` of them.
    pub async fn notes(
        &self,
        contact: ContactId,
        from: Seq,
        to: Seq,
        most: usize,
    ) -> Result<Vec<Note>, StoreError> {
        let span = Span::Between(keys::note_prefix(from), keys::note_prefix(to.next()));
        self.newest_notes(contact, span, None, most).await
    }

    /// The newest notes that stand before another one, or at all; oldest first, at most `most` of them.
    pub async fn notes_before(
        &self,
        contact: ContactId,
        before: Option<NotePlace>,
        most: usize,
    ) -> Result<Vec<Note>, StoreError> {
        let start = before.map(|place| keys::note(contact, place.seq, place.note_id).attributes());
        self.newest_notes(contact, Span::Prefix(keys::NOTE_PREFIX.into()), start, most).await
    }

    async fn newest_notes(
        &self,
        contact: ContactId,
        span: Span,
        start: Option<Item>,
        most: usize,
    ) -> Result<Vec<Note>, StoreError> {
        let range = Range { pk: &keys::contact(contact), span, oldest_first: false, limit: most, start };
        self.all(range).await?.into_iter().rev().map(|item| from_item(item, "note")).collect()
    }
}
