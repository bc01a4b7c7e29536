//! Erasing a contact (*erasable*): the head says so first, which stops everything that would create an item for them;
//! then no identity leads there any more, then everything else is deleted, and the head goes last.

use super::expression::Expression;
use super::listing::List;
use super::transaction::{Part, Transaction, Written};
use super::{Item, ROUNDS, Range, Span, Store, StoreError, keys};
use crate::contact::ContactId;
use crate::time::Timestamp;
use futures::{StreamExt, TryStreamExt};
use serde::Deserialize;

/// Items that are read at once.
const PAGE: usize = 200;
/// Of them, those that are deleted at once.
const AT_ONCE: usize = 16;

/// How far the erasure of a contact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Erasure {
    /// When it began.
    #[serde(rename = "erased_at_millis")]
    pub begun_at: Timestamp,
    /// When everything but the head was gone for the first time.
    #[serde(default, rename = "cleared_at_millis")]
    pub cleared_at: Option<Timestamp>,
}

impl Store {
    /// From now on the contact is being erased, and no identity leads to them; `false` where they are gone. Again it
    /// goes on where it stopped. Of one that was joined into another, that one is erased, with all that were joined.
    ///
    /// # Errors
    /// The table cannot be read or written; run it again.
    pub async fn begin_erasing(&self, contact: ContactId) -> Result<bool, StoreError> {
        for _ in 0..ROUNDS {
            let contact = self.goes_on_as(contact).await?;
            let begun = Expression::new().if_absent("joined_into");
            if self.begin(contact, begun).await? {
                return Ok(true);
            }
            if self.goes_on_as(contact).await? == contact {
                return Ok(false);
            }
        }
        Err(StoreError::Contended)
    }

    async fn begin(&self, contact: ContactId, begun: Expression) -> Result<bool, StoreError> {
        let now = self.clock().now();
        let begun = begun
            .if_present("pk")
            .if_absent("erased_at_millis")
            .set("erasing", true)
            .set("erased_at_millis", now)
            .add("epoch", 1)
            .remove("turn_owner")
            .remove("turn_until_millis")
            .remove("waiting_since_millis")
            .remove("asked_since_millis")
            .remove("taken_by")
            .remove("open_case")
            .remove("agent");
        let begun = List::Erasing.put(begun, contact, now);
        let is_new = self.update(&keys::head(contact), begun).await?.is_some();
        if !is_new && self.erasure(contact).await?.is_none() {
            return Ok(false);
        }
        self.release(contact).await?;
        Ok(true)
    }

    /// Nothing leads to the contact any more, and those that were joined into it are being erased, too.
    async fn release(&self, contact: ContactId) -> Result<(), StoreError> {
        let head = self.head(contact).await?;
        for joined in head.map(|head| head.joined).unwrap_or_default() {
            Box::pin(self.begin(joined, Expression::new())).await?;
        }
        self.release_identities(contact).await
    }

    /// How far the erasure of a contact is; `None` where none has begun, or the last trace of them is gone.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn erasure(&self, contact: ContactId) -> Result<Option<Erasure>, StoreError> {
        let head = self.item(&keys::head(contact)).await?;
        let head = head.filter(|head| head.contains_key("erased_at_millis"));
        head.map(|head| super::from_item(head, "erasure")).transpose()
    }

    /// No identity leads to the contact any more. One that somebody else has by now stays theirs.
    async fn release_identities(&self, contact: ContactId) -> Result<(), StoreError> {
        for identity in self.identities(contact).await? {
            let theirs = Expression::new().if_equal("contact_id", contact);
            let released = Transaction::new(self.clock().ulid()).delete(
                self,
                Part::Identity,
                &keys::identity(&identity),
                theirs,
            );
            // A lost race: nobody has it, or somebody else.
            let (Written::Done | Written::Lost(_)) = released.write(self).await?;
        }
        Ok(())
    }

    /// Deletes everything of a contact but the head; `false` if time was up before that.
    ///
    /// # Errors
    /// The table cannot be read or written; run it again.
    pub async fn clear_contact(&self, contact: ContactId, deadline: Timestamp) -> Result<bool, StoreError> {
        self.release(contact).await?;
        for pk in keys::partitions(contact) {
            let mut start = None;
            loop {
                let page = self
                    .page(Range { pk: &pk, span: Span::All, oldest_first: true, limit: PAGE, start })
                    .await?;
                self.delete_all(page.items, contact).await?;
                match page.next {
                    None => break,
                    Some(_) if self.clock().now() >= deadline => return Ok(false),
                    next => start = next,
                }
            }
        }
        Ok(true)
    }

    async fn delete_all(&self, items: Vec<Item>, contact: ContactId) -> Result<(), StoreError> {
        let head = keys::head(contact);
        let doomed = items.iter().filter_map(keys::of).filter(|key| *key != head);
        let deleted = doomed.map(|key| async move { self.delete_item(&key).await });
        futures::stream::iter(deleted).buffer_unordered(AT_ONCE).try_collect().await
    }

    /// Something stands in the way: the eraser looks again at `next`, after whoever is due before.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn postpone_erasing(&self, contact: ContactId, next: Timestamp) -> Result<(), StoreError> {
        let postponed = List::Erasing.put(Expression::new().if_present("erased_at_millis"), contact, next);
        self.update(&keys::head(contact), postponed).await.map(|_| ())
    }

    /// Everything but the head is gone; the eraser looks again at `next`.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn cleared(&self, contact: ContactId, next: Timestamp) -> Result<(), StoreError> {
        let cleared = Expression::new()
            .if_present("erased_at_millis")
            .set_if_absent("cleared_at_millis", self.clock().now());
        let cleared = List::Erasing.put(cleared, contact, next);
        self.update(&keys::head(contact), cleared).await.map(|_| ())
    }

    /// The last trace of an erased contact goes.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn end_erasing(&self, contact: ContactId) -> Result<(), StoreError> {
        let erased = Expression::new().if_present("erased_at_millis");
        let transaction =
            Transaction::new(self.clock().ulid()).delete(self, Part::Head, &keys::head(contact), erased);
        transaction.write(self).await.map(|_| ())
    }
}
