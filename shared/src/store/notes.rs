//! Notes: internal, beside the log, never in a model's input.

use super::contacts::{Seen, found};
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::job::Delivery;
use crate::thread::{Note, Seq};

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

    /// The notes beside the messages `from..=to`, oldest first, at most `most` of them.
    pub async fn notes(
        &self,
        contact: ContactId,
        from: Seq,
        to: Seq,
        most: usize,
    ) -> Result<Vec<Note>, StoreError> {
        let range = Range {
            pk: &keys::contact(contact),
            span: Span::Between(keys::note_prefix(from), keys::note_prefix(to.next())),
            oldest_first: true,
            limit: most,
            start: None,
        };
        self.all(range).await?.into_iter().map(|item| from_item(item, "note")).collect()
    }
}
