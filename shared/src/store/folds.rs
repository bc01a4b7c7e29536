//! Saving a fold: snapshot, history and spills in one step, on the revision that was read
//! (*checkpoint-honest*).

use super::expression::Expression;
use super::memory::spill_items;
use super::transaction::{Part, Transaction, Written};
use super::{Item, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::snapshot::Snapshot;
use crate::summary::Spill;
use crate::thread::Head;
use aws_sdk_dynamodb::types::AttributeValue;

/// Where a fold starts.
#[derive(Debug, Clone)]
pub struct FoldStart {
    /// The head.
    pub head: Head,
    /// Snapshot and history; empty where there are none that can be read: the fold heals them.
    pub snapshot: Snapshot,
    /// What the save is conditional on.
    pub basis: Basis,
}

/// The state of a `SNAPSHOT` item, readable or not, that a save is conditional on.
#[derive(Debug, Clone)]
pub struct Basis {
    contact: ContactId,
    /// The revision as it stands in the item, if any does.
    found: Option<AttributeValue>,
    /// The revision of the next save.
    next: u64,
    /// The item could not be read.
    broken: bool,
}

impl Basis {
    fn unmoved(&self) -> Expression {
        Expression::new().if_still_raw("revision", self.found.as_ref())
    }
}

/// What became of a save.
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
    /// Head and snapshot in one strongly consistent batch; `None` where the contact is gone or being erased.
    ///
    /// A snapshot that is missing or cannot be read comes back empty, on a basis that replaces it.
    pub async fn fold_start(&self, contact: ContactId) -> Result<Option<FoldStart>, StoreError> {
        let (head, snapshot) = (keys::head(contact), keys::snapshot(contact));
        let mut found = self.batch(&[&head, &snapshot]).await?;
        let head: Option<Head> =
            found.remove(&(head.pk, head.sk)).map(|item| from_item(item, "head")).transpose()?;
        let Some(head) = head.filter(|head| !head.erasing) else { return Ok(None) };
        let item = found.remove(&(snapshot.pk, snapshot.sk)).unwrap_or_default();
        let revision = item.get("revision").cloned();
        let (snapshot, basis) = match from_item::<Snapshot>(item, "snapshot") {
            Ok(snapshot) => {
                let next = snapshot.revision + 1;
                (snapshot, Basis { contact, found: revision, next, broken: false })
            }
            Err(_) => (Snapshot::empty(), self.basis_of_broken(contact, revision).await?),
        };
        Ok(Some(FoldStart { head, snapshot, basis }))
    }

    /// Revisions name spills, so none is used twice although the item has forgotten it.
    async fn basis_of_broken(
        &self,
        contact: ContactId,
        found: Option<AttributeValue>,
    ) -> Result<Basis, StoreError> {
        let readable = found.as_ref().and_then(|value| value.as_n().ok()).and_then(|n| n.parse().ok());
        let last: u64 = readable.unwrap_or(0).max(self.last_spilled(contact).await?);
        Ok(Basis { contact, found, next: last + 1, broken: true })
    }

    /// Saves a fold on the revision that it read, spills in the same transaction: at most `most_spills` memory
    /// items, the rest beside them.
    pub async fn save_fold(
        &self,
        basis: &Basis,
        next: &Snapshot,
        spills: &[Spill],
        most_spills: usize,
    ) -> Result<Saved, StoreError> {
        let contact = basis.contact;
        let there = Expression::new().if_present("pk").if_absent("erasing");
        let mut transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Snapshot, &keys::snapshot(contact), item_of(next, basis)?, basis.unmoved())
            .check(self, Part::Head, &keys::head(contact), there);
        for (key, item) in spill_items(contact, basis.next, spills, most_spills)? {
            transaction = transaction.put(self, Part::Beside, &key, item, Expression::new());
        }
        match transaction.write(self).await? {
            Written::Done => Ok(Saved::As(basis.next)),
            Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => Ok(Saved::Gone),
            Written::Lost(_) => Ok(Saved::Moved),
        }
    }

    /// Counts a failed job on a checkpoint, on the revision that it read and without raising it.
    pub async fn count_attempt(&self, basis: &Basis, read: &Snapshot) -> Result<(), StoreError> {
        let attempts = read.attempts + 1;
        if basis.broken {
            let healed = Snapshot { attempts, ..read.clone() };
            return self.save_fold(basis, &healed, &[], 0).await.map(|_| ());
        }
        let change = basis.unmoved().set("attempts", attempts);
        self.update(&keys::snapshot(basis.contact), change).await.map(|_| ())
    }

    /// Snapshot and history of a contact, where they can be read.
    pub async fn snapshot(&self, contact: ContactId) -> Result<Option<Snapshot>, StoreError> {
        self.get(&keys::snapshot(contact), "snapshot").await
    }
}

fn item_of(next: &Snapshot, basis: &Basis) -> Result<Item, StoreError> {
    let next = Snapshot { revision: basis.next, as_of: next.as_of.max(next.folded_through), ..next.clone() };
    to_item(&next, "snapshot")
}
