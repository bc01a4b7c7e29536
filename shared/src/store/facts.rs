//! Facts of a contact: kept by the account system's clock, counted, with tombstones.

use super::expression::Expression;
use super::keys::Key;
use super::transaction::{Part, Transaction, Written};
use super::{NewRequest, ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::facts::read::is_closed;
use crate::facts::{self, AsOf, DeleteRule, Fact, PutRule};
use crate::limits::Limits;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a deleted fact is remembered, so that an older record cannot bring it back.
const GONE_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// What became of a put or a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactWrite {
    /// The fact is new.
    Created,
    /// The fact was replaced, deleted, or stood so already.
    Done,
    /// What is stored is newer.
    Older,
    /// What is stored is from the same moment and says something else.
    Contradicts,
    /// The contact has as many facts as it may have.
    Full,
    /// The contact is being erased, or is gone.
    Gone,
}

/// A fact that was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactGone {
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// As of when it was deleted.
    pub as_of: AsOf,
}

/// What became of a request that a customer opens.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestWrite {
    /// It is open.
    Opened,
    /// It was opened before; the record as it is now.
    Known(Box<Fact>),
    /// It was opened before, and deleted.
    Deleted,
    /// As many of their requests are open as may be.
    TooManyOpen,
    /// The contact has as many facts as it may have.
    Full,
    /// The contact is being erased, or is gone.
    Gone,
}

/// A fact as one flat item: what it says stands as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct FactItem {
    kind: String,
    id: String,
    as_of: AsOf,
    source: String,
    data: String,
}

#[derive(Deserialize)]
struct CountItem {
    facts: usize,
}

#[derive(Serialize, Deserialize)]
struct GoneItem {
    as_of: AsOf,
    expires_at: i64,
}

impl Store {
    /// All facts of a contact (*flat-cost*: at most `facts_items`).
    pub async fn facts(&self, contact: ContactId, limits: &Limits) -> Result<Vec<Fact>, StoreError> {
        let pk = keys::facts(contact);
        let span = Span::Prefix(keys::FACT_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit: limits.facts_items, start: None };
        let items = self.all(range).await?.into_iter();
        items.map(|item| parse(from_item(item, "fact")?)).collect()
    }

    /// The tombstones of a contact, at most as many as it may have facts.
    pub async fn facts_gone(&self, contact: ContactId, limits: &Limits) -> Result<Vec<FactGone>, StoreError> {
        let pk = keys::facts(contact);
        let span = Span::Prefix(keys::GONE_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit: limits.facts_items, start: None };
        let items = self.all(range).await?.into_iter();
        let gone = items.filter_map(|item| Some((keys::gone_fact(&item)?, item)));
        gone.map(|((kind, id), item)| {
            let GoneItem { as_of, .. } = from_item(item, "gone")?;
            Ok(FactGone { kind, id, as_of })
        })
        .collect()
    }

    /// The profiles of a contact, eventually consistent, at most `limit`: who they are, for people.
    pub async fn profiles(&self, contact: ContactId, limit: usize) -> Result<Vec<Fact>, StoreError> {
        let pk = keys::facts(contact);
        let span = Span::Prefix(keys::facts_of_kind("profile"));
        let range = Range { pk: &pk, span, oldest_first: true, limit, start: None };
        let items = self.recent_page(range).await?.items.into_iter();
        items.map(|item| parse(from_item(item, "fact")?)).collect()
    }

    /// One fact.
    pub async fn fact(&self, contact: ContactId, kind: &str, id: &str) -> Result<Option<Fact>, StoreError> {
        self.fact_at(&keys::fact(contact, kind, id)).await
    }

    /// Puts a fact, unless what is stored is newer.
    pub async fn put_fact(
        &self,
        contact: ContactId,
        fact: &Fact,
        limits: &Limits,
    ) -> Result<FactWrite, StoreError> {
        self.put_on(&shelf(contact, &fact.kind, &fact.id), fact, limits.facts_items).await
    }

    /// Puts `new` in the place of `read`; `Older` where it is no longer as it was read.
    pub async fn replace_fact(
        &self,
        contact: ContactId,
        read: &Fact,
        new: &Fact,
    ) -> Result<FactWrite, StoreError> {
        let shelf = shelf(contact, &new.kind, &new.id);
        match self.put_transaction(&shelf, new, Some(read))?.write(self).await? {
            Written::Done => Ok(FactWrite::Done),
            Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => Ok(FactWrite::Gone),
            Written::Lost(_) => Ok(FactWrite::Older),
        }
    }

    /// Opens a request of the customer's own, beside at most `limits.open_requests` that are open, and in the place of
    /// the oldest closed one where there are `limits.own_requests`. However many come at once, one is let in at a time.
    pub async fn open_request(
        &self,
        contact: ContactId,
        request: &Fact,
        limits: &Limits,
    ) -> Result<RequestWrite, StoreError> {
        let shelf = shelf(contact, &request.kind, &request.id);
        for _ in 0..ROUNDS {
            let count = self.get::<CountItem>(&shelf.count, "count").await?.map(|count| count.facts);
            let facts = self.facts(contact, limits).await?;
            let is_this = |fact: &&Fact| (&fact.kind, &fact.id) == (&request.kind, &request.id);
            if let Some(known) = facts.iter().find(is_this) {
                return Ok(RequestWrite::Known(Box::new(known.clone())));
            }
            let (closed, open): (Vec<&Fact>, Vec<&Fact>) =
                facts.iter().filter(|fact| facts::is_own(fact)).partition(|fact| is_closed(fact));
            if open.len() >= limits.open_requests {
                return Ok(RequestWrite::TooManyOpen);
            }
            let is_full = open.len() + closed.len() >= limits.own_requests;
            let oldest = closed.into_iter().min_by_key(|fact| &fact.as_of).filter(|_| is_full);
            if oldest.is_none() && (is_full || count.unwrap_or(0) >= limits.facts_items) {
                return Ok(RequestWrite::Full);
            }
            let lost = match self.opening_own(contact, request, oldest, count)?.write(self).await? {
                Written::Done => return Ok(RequestWrite::Opened),
                Written::Lost(lost) => lost,
            };
            if lost.iter().any(|lost| lost.part == Part::Head) {
                return Ok(RequestWrite::Gone);
            }
            if lost.iter().any(|lost| lost.part == Part::Gone) {
                return Ok(RequestWrite::Deleted);
            }
        }
        Err(StoreError::Contended)
    }

    /// Puts a request where none was, on the count that was read; `oldest` goes, and is not opened again.
    fn opening_own(
        &self,
        contact: ContactId,
        request: &Fact,
        oldest: Option<&Fact>,
        count: Option<usize>,
    ) -> Result<Transaction, StoreError> {
        let new = shelf(contact, &request.kind, &request.id);
        let now = self.clock().now();
        let not_deleted = Expression::new().if_absent_or_less("expires_at", now.seconds() + 1);
        let transaction = Transaction::new(self.clock().ulid())
            .create(self, Part::Fact, &new.fact, to_item(item(request)?, "fact")?)
            .check(self, Part::Gone, &new.gone, not_deleted);
        let counted = Expression::new().if_still("facts", count);
        let Some(oldest) = oldest else {
            let transaction = transaction.update(self, Part::Count, &new.count, counted.add("facts", 1));
            return Ok(self.owned(transaction, &new));
        };
        let old = shelf(contact, &oldest.kind, &oldest.id);
        let gone = GoneItem { as_of: oldest.as_of.clone(), expires_at: (now + GONE_FOR).seconds() };
        let unmoved = Expression::new().if_still("as_of", Some(&oldest.as_of));
        let transaction = transaction
            .check(self, Part::Count, &new.count, counted)
            .delete(self, Part::Fact, &old.fact, unmoved)
            .put(self, Part::Beside, &old.gone, to_item(gone, "gone")?, Expression::new());
        Ok(self.owned(transaction, &new))
    }

    /// Deletes a fact as of a moment and leaves a tombstone, unless what is stored is newer.
    pub async fn delete_fact(
        &self,
        contact: ContactId,
        kind: &str,
        id: &str,
        as_of: &AsOf,
        now: Timestamp,
    ) -> Result<FactWrite, StoreError> {
        self.delete_on(&shelf(contact, kind, id), as_of, now).await
    }

    pub(super) async fn fact_at(&self, key: &Key) -> Result<Option<Fact>, StoreError> {
        self.get::<FactItem>(key, "fact").await?.map(parse).transpose()
    }

    /// Puts a fact where it stands, beside at most `most` in all. What its customer wrote stays with it.
    pub(super) async fn put_on(
        &self,
        shelf: &Shelf,
        fact: &Fact,
        most: usize,
    ) -> Result<FactWrite, StoreError> {
        for _ in 0..ROUNDS {
            let (old, gone) = self.fact_and_tombstone(shelf).await?;
            let fact = &*facts::with_words_of(old.as_ref(), fact);
            let rule = facts::put(old.as_ref(), gone.as_ref(), fact);
            let created = match rule {
                PutRule::Create => true,
                PutRule::Replace => false,
                PutRule::Same => return Ok(FactWrite::Done),
                PutRule::Older => return Ok(FactWrite::Older),
                PutRule::Contradicts => return Ok(FactWrite::Contradicts),
            };
            let mut transaction = self.put_transaction(shelf, fact, old.as_ref())?;
            if created {
                transaction = self.counting(transaction, shelf, most);
            }
            match transaction.write(self).await? {
                Written::Done if created => return Ok(FactWrite::Created),
                Written::Done => return Ok(FactWrite::Done),
                Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => {
                    return Ok(FactWrite::Gone);
                }
                Written::Lost(lost) if lost.iter().all(|lost| lost.part == Part::Count) => {
                    return Ok(FactWrite::Full);
                }
                Written::Lost(_) => {}
            }
        }
        Err(StoreError::Contended)
    }

    fn put_transaction(
        &self,
        shelf: &Shelf,
        fact: &Fact,
        old: Option<&Fact>,
    ) -> Result<Transaction, StoreError> {
        let unmoved = Expression::new().if_still("as_of", old.map(|old| &old.as_of));
        let older = Expression::new().if_absent_or_less("as_of", &fact.as_of);
        let transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Fact, &shelf.fact, to_item(item(fact)?, "fact")?, unmoved)
            .check(self, Part::Gone, &shelf.gone, older);
        Ok(self.owned(transaction, shelf))
    }

    /// Adds the record of a request that a reply opens to the reply's own commit.
    pub(super) fn opening(
        &self,
        transaction: Transaction,
        contact: ContactId,
        request: &NewRequest,
    ) -> Result<Transaction, StoreError> {
        let NewRequest { fact, facts_items } = request;
        let shelf = shelf(contact, &fact.kind, &fact.id);
        let transaction = transaction.create(self, Part::Fact, &shelf.fact, to_item(item(fact)?, "fact")?);
        Ok(self.counting(transaction, &shelf, *facts_items))
    }

    fn counting(&self, transaction: Transaction, shelf: &Shelf, most: usize) -> Transaction {
        let count = Expression::new().if_absent_or_less("facts", most).add("facts", 1);
        transaction.update(self, Part::Count, &shelf.count, count)
    }

    /// Deletes a fact where it stands.
    pub(super) async fn delete_on(
        &self,
        shelf: &Shelf,
        as_of: &AsOf,
        now: Timestamp,
    ) -> Result<FactWrite, StoreError> {
        for _ in 0..ROUNDS {
            let (old, gone) = self.fact_and_tombstone(shelf).await?;
            match facts::delete(old.as_ref(), gone.as_ref(), as_of) {
                DeleteRule::Delete | DeleteRule::Absent => {}
                DeleteRule::AlreadyGone => return Ok(FactWrite::Done),
                DeleteRule::Older => return Ok(FactWrite::Older),
            }
            let tombstone = GoneItem { as_of: as_of.clone(), expires_at: (now + GONE_FOR).seconds() };
            let older = Expression::new().if_absent_or_less("as_of", as_of);
            let mut transaction = Transaction::new(self.clock().ulid()).put(
                self,
                Part::Gone,
                &shelf.gone,
                to_item(tombstone, "gone")?,
                older,
            );
            let unmoved = Expression::new().if_still("as_of", old.as_ref().map(|old| &old.as_of));
            transaction = if old.is_some() {
                let count = Expression::new().add("facts", -1);
                transaction.delete(self, Part::Fact, &shelf.fact, unmoved).update(
                    self,
                    Part::Count,
                    &shelf.count,
                    count,
                )
            } else {
                transaction.check(self, Part::Fact, &shelf.fact, unmoved)
            };
            match self.owned(transaction, shelf).write(self).await? {
                Written::Done => return Ok(FactWrite::Done),
                Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => {
                    return Ok(FactWrite::Gone);
                }
                Written::Lost(_) => {}
            }
        }
        Err(StoreError::Contended)
    }

    /// With the check that the contact is there and not being erased, where the fact is a contact's (*erasable*).
    fn owned(&self, transaction: Transaction, shelf: &Shelf) -> Transaction {
        match &shelf.head {
            Some(head) => transaction.check(self, Part::Head, head, open()),
            None => transaction,
        }
    }

    async fn fact_and_tombstone(&self, shelf: &Shelf) -> Result<(Option<Fact>, Option<AsOf>), StoreError> {
        let gone = self.get::<GoneItem>(&shelf.gone, "gone");
        let (fact, gone) = futures::try_join!(self.fact_at(&shelf.fact), gone)?;
        Ok((fact, gone.map(|gone| gone.as_of)))
    }
}

/// Where one fact stands, with its tombstone and the count of all that stand there.
pub(super) struct Shelf {
    pub(super) fact: Key,
    pub(super) gone: Key,
    pub(super) count: Key,
    /// The head of the contact whose fact it is.
    pub(super) head: Option<Key>,
}

fn shelf(contact: ContactId, kind: &str, id: &str) -> Shelf {
    Shelf {
        fact: keys::fact(contact, kind, id),
        gone: keys::fact_gone(contact, kind, id),
        count: keys::fact_count(contact),
        head: Some(keys::head(contact)),
    }
}

fn item(fact: &Fact) -> Result<FactItem, StoreError> {
    Ok(FactItem {
        kind: fact.kind.clone(),
        id: fact.id.clone(),
        as_of: fact.as_of.clone(),
        source: fact.source.clone(),
        data: serde_json::to_string(&fact.data).map_err(|_| StoreError::Corrupt { what: "fact" })?,
    })
}

pub(super) fn parse(item: FactItem) -> Result<Fact, StoreError> {
    let data = serde_json::from_str(&item.data).map_err(|_| StoreError::Corrupt { what: "fact" })?;
    Ok(Fact { kind: item.kind, id: item.id, as_of: item.as_of, source: item.source, data })
}

/// The contact is there, not being erased, and was not joined into another.
pub(super) fn open() -> Expression {
    alive().if_absent("joined_into")
}

/// The contact is there and not being erased.
pub(super) fn alive() -> Expression {
    Expression::new().if_present("pk").if_absent("erasing")
}
