//! Saving a fold: snapshot, history and spills in one step, on the revision that was read
//! (*checkpoint-honest*).

use super::expression::Expression;
use super::memory::{Spill, spill_items};
use super::transaction::{Part, Transaction, Written};
use super::{Store, StoreError, keys, to_item};
use crate::contact::ContactId;
use crate::snapshot::Snapshot;

/// What a fold wants to save.
#[derive(Debug, Clone)]
pub struct FoldSave {
    /// Snapshot and history; `revision` is the one that was read.
    pub snapshot: Snapshot,
    /// What the new summary could not keep.
    pub spills: Vec<Spill>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// Saved, as this revision.
    As(u64),
    /// Another fold saved first: read again.
    Moved,
    /// The contact is being erased, or is gone.
    Gone,
}

impl Store {
    /// Saves a fold on the revision that it read, spills in the same transaction.
    pub async fn save_fold(&self, contact: ContactId, fold: &FoldSave) -> Result<Saved, StoreError> {
        let read = fold.snapshot.revision;
        let next = Snapshot {
            revision: read + 1,
            as_of: fold.snapshot.as_of.max(fold.snapshot.folded_through),
            ..fold.snapshot.clone()
        };
        let item = to_item(&next, "snapshot")?;
        let unmoved = Expression::new().if_equal("revision", read);
        let mut transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Snapshot, &keys::snapshot(contact), item, unmoved)
            .check(
                self,
                Part::Head,
                &keys::head(contact),
                Expression::new().if_present("pk").if_absent("erasing"),
            );
        for (key, item) in spill_items(contact, next.revision, &fold.spills)? {
            transaction = transaction.put(self, Part::Beside, &key, item, Expression::new());
        }
        match transaction.write(self).await? {
            Written::Done => Ok(Saved::As(next.revision)),
            Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => Ok(Saved::Gone),
            Written::Lost(_) => Ok(Saved::Moved),
        }
    }

    /// Counts a failed job on a checkpoint, on the revision that it read and without raising it.
    pub async fn count_attempt(&self, contact: ContactId, read: &Snapshot) -> Result<(), StoreError> {
        let change = Expression::new().if_equal("revision", read.revision).set("attempts", read.attempts + 1);
        self.update(&keys::snapshot(contact), change).await.map(|_| ())
    }

    /// Snapshot and history of a contact, where they can be read.
    pub async fn snapshot(&self, contact: ContactId) -> Result<Option<Snapshot>, StoreError> {
        self.get(&keys::snapshot(contact), "snapshot").await
    }
}
