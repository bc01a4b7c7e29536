//! Joining: of two contacts that turn out to be one customer, one closes, and whatever led to it leads to the other.

use super::contacts::IdentityItem;
use super::expression::Expression;
use super::facts::open;
use super::handoff::By;
use super::listing::List;
use super::transaction::{Part, Transaction, Written};
use super::{ROUNDS, Store, StoreError, keys, to_item};
use crate::contact::{ContactId, Identity};
use crate::limits::Limits;
use crate::thread::{Head, Mode, Note};
use crate::time::Timestamp;
use std::collections::BTreeSet;

/// Identities that one transaction has room for, three items each.
const MOST_IDENTITIES: usize = 30;

/// What became of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// They are one.
    Done,
    /// The one that is to close has something in hand: a case, a person, or a message that waits.
    Busy,
    /// One of them has been joined with so many already, or has so many identities.
    TooMany,
    /// They have more records together than one may have.
    TooManyRecords,
    /// One of them is gone, being erased, or closed already.
    Gone,
}

impl Store {
    /// Closes `from` and leads whatever led there to `into`, in one transaction.
    ///
    /// # Errors
    /// The table cannot be read or written, or others were faster, again and again.
    pub async fn join(
        &self,
        into: ContactId,
        from: ContactId,
        by: By<'_>,
        limits: &Limits,
    ) -> Result<Joined, StoreError> {
        for _ in 0..ROUNDS {
            let (kept, closing, identities, records, more) = futures::try_join!(
                self.head(into),
                self.head(from),
                self.identities(from),
                self.facts(into, limits),
                self.facts(from, limits),
            )?;
            let is_open = |head: &Head| !head.erasing && head.joined_into.is_none();
            let (Some(kept), Some(closing)) = (kept.filter(is_open), closing.filter(is_open)) else {
                return Ok(Joined::Gone);
            };
            if closing.mode == Mode::Human || closing.open_case.is_some() || closing.has_unsettled() {
                return Ok(Joined::Busy);
            }
            let joined: BTreeSet<_> =
                [from].iter().chain(&kept.joined).chain(&closing.joined).copied().collect();
            if joined.len() > limits.joined_contacts || identities.len() > MOST_IDENTITIES {
                return Ok(Joined::TooMany);
            }
            if records.len() + more.len() > limits.facts_items {
                return Ok(Joined::TooManyRecords);
            }
            let transaction = self.joining((&kept, &closing), &joined, &identities, by)?;
            if matches!(transaction.write(self).await?, Written::Done) {
                return Ok(Joined::Done);
            }
        }
        Err(StoreError::Contended)
    }

    fn joining(
        &self,
        (kept, closing): (&Head, &Head),
        joined: &BTreeSet<ContactId>,
        identities: &[Identity],
        by: By<'_>,
    ) -> Result<Transaction, StoreError> {
        let (into, from) = (kept.contact_id, closing.contact_id);
        let owned = to_item(IdentityItem { contact_id: into }, "identity")?;
        let note = self.note_of_join(kept, from, identities, by);
        let mut transaction = Transaction::new(self.clock().ulid())
            .update(self, Part::Head, &keys::head(into), grown(kept, closing, joined))
            .update(self, Part::Beside, &keys::head(from), closed(closing, into, by))
            .create(self, Part::Message, &keys::note(into, note.seq, note.note_id), to_item(&note, "note")?);
        for identity in identities {
            let theirs = Expression::new().if_equal("contact_id", from);
            transaction = transaction
                .put(self, Part::Identity, &keys::identity(identity), owned.clone(), theirs)
                .put(self, Part::Beside, &keys::identity_of(into, identity), owned.clone(), Expression::new())
                .delete(self, Part::Beside, &keys::identity_of(from, identity), Expression::new());
        }
        Ok(transaction)
    }

    fn note_of_join(&self, kept: &Head, from: ContactId, identities: &[Identity], by: By<'_>) -> Note {
        let known_as: Vec<String> = identities.iter().map(Identity::masked).collect();
        Note {
            note_id: self.clock().ulid(),
            seq: kept.last_seq,
            operator: by.operator.clone(),
            text: format!("Joined with customer {from}, known as {}.", known_as.join(", ")),
            at: by.at,
        }
    }

    /// Where a contact goes on: itself, or whoever it was joined into, and that one since.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn goes_on_as(&self, mut contact: ContactId) -> Result<ContactId, StoreError> {
        while let Some(into) = self.head(contact).await?.and_then(|head| head.joined_into) {
            contact = into;
        }
        Ok(contact)
    }

    /// Contacts that were joined into another and whose records and thread have not gone there yet, oldest first.
    ///
    /// # Errors
    /// The index cannot be read.
    pub async fn joining_contacts(&self, limit: usize) -> Result<Vec<super::Entry>, StoreError> {
        let order = super::Order::OldestFirst;
        self.listed(super::ListPart { lists: &[List::Joining], order, after: None, limit }).await
    }

    /// What a closed contact has could not go where it was joined: the sweep looks again after `next`.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn postpone_joining(&self, from: ContactId, next: Timestamp) -> Result<(), StoreError> {
        let listed = Expression::new().if_present("joined_into").if_present("state").if_absent("erasing");
        self.update(&keys::head(from), List::Joining.put(listed, from, next)).await.map(|_| ())
    }

    /// Everything of a closed contact has gone where it was joined.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn end_joining(&self, from: ContactId) -> Result<(), StoreError> {
        let change =
            super::listing::unlisted(Expression::new().if_present("joined_into").if_absent("erasing"));
        self.update(&keys::head(from), change).await.map(|_| ())
    }

    /// Takes an identity from a contact who keeps another one; `false` where it is not theirs, or they moved since `head`
    /// was read.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn remove_identity(&self, head: &Head, identity: &Identity) -> Result<bool, StoreError> {
        let contact = head.contact_id;
        let theirs = Expression::new().if_equal("contact_id", contact);
        let moved = open().if_still_said("links", &head.links).add("links", 1);
        let transaction = Transaction::new(self.clock().ulid())
            .delete(self, Part::Identity, &keys::identity(identity), theirs)
            .delete(self, Part::Beside, &keys::identity_of(contact, identity), Expression::new())
            .update(self, Part::Head, &keys::head(contact), moved);
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }
}

/// The contact that stays has joined one more, and hears nothing where the other one wanted to hear nothing.
fn grown(kept: &Head, closing: &Head, joined: &BTreeSet<ContactId>) -> Expression {
    let opted_out: BTreeSet<_> = kept.opted_out.union(&closing.opted_out).cloned().collect();
    let change = Expression::new()
        .if_present("pk")
        .if_absent("erasing")
        .if_absent("joined_into")
        .if_still_said("joined", &kept.joined)
        .if_still_said("opted_out", &kept.opted_out)
        .set("joined", joined);
    if opted_out == kept.opted_out { change } else { change.set("opted_out", opted_out) }
}

/// The contact that closes is as it was read: nothing waits, nobody has it.
fn closed(closing: &Head, into: ContactId, by: By<'_>) -> Expression {
    let change = Expression::new()
        .if_equal("epoch", closing.epoch)
        .if_equal("last_seq", closing.last_seq)
        .if_equal("settled_seq", closing.settled_seq)
        .if_equal("last_customer_seq", closing.last_customer_seq)
        .if_equal("mode", Mode::Bot)
        .if_absent("open_case")
        .if_absent("import_seq")
        .if_still_said("opted_out", &closing.opted_out)
        .if_still_said("joined", &closing.joined)
        .if_still_said("links", &closing.links)
        .if_absent("erasing")
        .if_absent("joined_into")
        .set("joined_into", into)
        .set("mode", Mode::Human)
        .set("epoch", closing.epoch + 1)
        .remove("turn_owner")
        .remove("turn_until_millis");
    List::Joining.put(change, closing.contact_id, by.at)
}
