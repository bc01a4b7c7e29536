//! Notes: internal, beside the log, never in a model's input.

use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::thread::{Note, Seq};

impl Store {
    /// Keeps a note; `false` where the contact is gone or being erased (*erasable*).
    pub async fn put_note(&self, contact: ContactId, note: &Note) -> Result<bool, StoreError> {
        let key = keys::note(contact, note.seq, note.note_id);
        let transaction = Transaction::new(self.clock().ulid())
            .create(self, Part::Beside, &key, to_item(note, "note")?)
            .check(self, Part::Head, &keys::head(contact), alive());
        Ok(matches!(transaction.write(self).await?, Written::Done))
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
