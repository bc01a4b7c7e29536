//! Facts of a contact: kept by the account system's clock, counted, with tombstones.

use super::expression::Expression;
use super::transaction::{Part, Transaction, Written};
use super::{NewRequest, ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
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

/// A fact as one flat item: what it says stands as JSON.
#[derive(Serialize, Deserialize)]
struct FactItem {
    kind: String,
    id: String,
    as_of: AsOf,
    source: String,
    data: String,
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

    /// One fact.
    pub async fn fact(&self, contact: ContactId, kind: &str, id: &str) -> Result<Option<Fact>, StoreError> {
        let found: Option<FactItem> = self.get(&keys::fact(contact, kind, id), "fact").await?;
        found.map(parse).transpose()
    }

    /// Puts a fact, unless what is stored is newer.
    pub async fn put_fact(
        &self,
        contact: ContactId,
        fact: &Fact,
        limits: &Limits,
    ) -> Result<FactWrite, StoreError> {
        for _ in 0..ROUNDS {
            let (old, gone) = self.fact_and_tombstone(contact, &fact.kind, &fact.id).await?;
            let rule = facts::put(old.as_ref(), gone.as_ref(), fact);
            let created = match rule {
                PutRule::Create => true,
                PutRule::Replace => false,
                PutRule::Same => return Ok(FactWrite::Done),
                PutRule::Older => return Ok(FactWrite::Older),
                PutRule::Contradicts => return Ok(FactWrite::Contradicts),
            };
            let transaction = self.put_transaction(contact, fact, old.as_ref(), created, limits)?;
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
        contact: ContactId,
        fact: &Fact,
        old: Option<&Fact>,
        created: bool,
        limits: &Limits,
    ) -> Result<Transaction, StoreError> {
        let key = keys::fact(contact, &fact.kind, &fact.id);
        let unmoved = Expression::new().if_still("as_of", old.map(|old| &old.as_of));
        let older = Expression::new().if_absent_or_less("as_of", &fact.as_of);
        let transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Fact, &key, to_item(item(fact)?, "fact")?, unmoved)
            .check(self, Part::Gone, &keys::fact_gone(contact, &fact.kind, &fact.id), older)
            .check(self, Part::Head, &keys::head(contact), alive());
        if !created {
            return Ok(transaction);
        }
        Ok(self.counting(transaction, contact, limits.facts_items))
    }

    /// Adds the record of a request that a reply opens to the reply's own commit.
    pub(super) fn opening(
        &self,
        transaction: Transaction,
        contact: ContactId,
        request: &NewRequest,
    ) -> Result<Transaction, StoreError> {
        let NewRequest { fact, facts_items } = request;
        let key = keys::fact(contact, &fact.kind, &fact.id);
        let transaction = transaction.create(self, Part::Fact, &key, to_item(item(fact)?, "fact")?);
        Ok(self.counting(transaction, contact, *facts_items))
    }

    fn counting(&self, transaction: Transaction, contact: ContactId, facts_items: usize) -> Transaction {
        let count = Expression::new().if_absent_or_less("facts", facts_items).add("facts", 1);
        transaction.update(self, Part::Count, &keys::fact_count(contact), count)
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
        for _ in 0..ROUNDS {
            let (old, gone) = self.fact_and_tombstone(contact, kind, id).await?;
            match facts::delete(old.as_ref(), gone.as_ref(), as_of) {
                DeleteRule::Delete | DeleteRule::Absent => {}
                DeleteRule::AlreadyGone => return Ok(FactWrite::Done),
                DeleteRule::Older => return Ok(FactWrite::Older),
            }
            let tombstone = GoneItem { as_of: as_of.clone(), expires_at: (now + GONE_FOR).seconds() };
            let older = Expression::new().if_absent_or_less("as_of", as_of);
            let mut transaction = Transaction::new(self.clock().ulid())
                .put(
                    self,
                    Part::Gone,
                    &keys::fact_gone(contact, kind, id),
                    to_item(tombstone, "gone")?,
                    older,
                )
                .check(self, Part::Head, &keys::head(contact), alive());
            let key = keys::fact(contact, kind, id);
            let unmoved = Expression::new().if_still("as_of", old.as_ref().map(|old| &old.as_of));
            transaction = if old.is_some() {
                transaction.delete(self, Part::Fact, &key, unmoved).update(
                    self,
                    Part::Count,
                    &keys::fact_count(contact),
                    Expression::new().add("facts", -1),
                )
            } else {
                transaction.check(self, Part::Fact, &key, unmoved)
            };
            match transaction.write(self).await? {
                Written::Done => return Ok(FactWrite::Done),
                Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => {
                    return Ok(FactWrite::Gone);
                }
                Written::Lost(_) => {}
            }
        }
        Err(StoreError::Contended)
    }

    async fn fact_and_tombstone(
        &self,
        contact: ContactId,
        kind: &str,
        id: &str,
    ) -> Result<(Option<Fact>, Option<AsOf>), StoreError> {
        let gone_key = keys::fact_gone(contact, kind, id);
        let gone = self.get::<GoneItem>(&gone_key, "gone");
        let (fact, gone) = futures::try_join!(self.fact(contact, kind, id), gone)?;
        Ok((fact, gone.map(|gone| gone.as_of)))
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

fn parse(item: FactItem) -> Result<Fact, StoreError> {
    let data = serde_json::from_str(&item.data).map_err(|_| StoreError::Corrupt { what: "fact" })?;
    Ok(Fact { kind: item.kind, id: item.id, as_of: item.as_of, source: item.source, data })
}

/// The contact is there and not being erased.
pub(super) fn alive() -> Expression {
    Expression::new().if_present("pk").if_absent("erasing")
}
