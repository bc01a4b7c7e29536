//! Writing piles: spills that no page of the table would show any more, in one transaction with what they were.

use super::contacts::Body;
use super::expression::Expression;
use super::facts::alive;
use super::memory::{Changed, bodies_of, body_keys, changed, spill_entry};
use super::transaction::{Part, Transaction, WRITE_ID};
use super::{Item, Range, Span, Store, StoreError, keys, to_item};
use crate::contact::ContactId;
use crate::memory::{Entry, Exchange, next_pile, piled};
use crate::summary::Spill;
use crate::thread::Author;
use aws_sdk_dynamodb::types::AttributeValue;
use futures::future::try_join_all;

/// Spills beyond the page that are read at once.
const BEYOND: usize = 300;
/// How often spills are read again, because more of them stand beyond or another pile was faster.
const ROUNDS: usize = 20;

/// A spill as it was read, or written.
struct Read {
    spill: Entry,
    written: Option<AttributeValue>,
}

impl Read {
    fn of(item: Item) -> Result<Self, StoreError> {
        let written = item.get(WRITE_ID).cloned();
        Ok(Self { spill: spill_entry(item)?, written })
    }

    fn unmoved(&self) -> Expression {
        Expression::new().if_still_raw(WRITE_ID, self.written.as_ref())
    }
}

impl Store {
    /// Piles up the oldest spills until a page of `most` shows all there are; how many went into piles. Not the newest
    /// one, so that it stays known which revisions were used.
    pub async fn pile_up(&self, contact: ContactId, most: usize) -> Result<usize, StoreError> {
        let mut gone = 0;
        for _ in 0..ROUNDS {
            let mut spills = self.oldest_spills(contact, most + BEYOND).await?;
            let all = spills.len() < most + BEYOND;
            match self.pile_up_read(contact, &mut spills, most, &mut gone).await? {
                Changed::Done if all => break,
                Changed::Done | Changed::Moved => {}
                Changed::Gone => break,
            }
        }
        Ok(gone)
    }

    async fn oldest_spills(&self, contact: ContactId, limit: usize) -> Result<Vec<Read>, StoreError> {
        let pk = keys::memory(contact);
        let span = Span::Prefix(keys::SPILL_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit, start: None };
        self.all(range).await?.into_iter().map(Read::of).collect()
    }

    async fn pile_up_read(
        &self,
        contact: ContactId,
        spills: &mut Vec<Read>,
        most: usize,
        gone: &mut usize,
    ) -> Result<Changed, StoreError> {
        loop {
            let entries: Vec<Entry> = spills.iter().map(|read| read.spill.clone()).collect();
            let group = next_pile(&entries, most);
            let Some((first, rest)) = group.split_first().filter(|(_, rest)| !rest.is_empty()) else {
                return Ok(Changed::Done);
            };
            let parts: Vec<&Read> = group.iter().map(|at| &spills[*at]).collect();
            let (changed, pile) = self.pile(contact, &parts).await?;
            if changed != Changed::Done {
                return Ok(changed);
            }
            *gone += group.len();
            spills[*first] = pile;
            rest.iter().rev().for_each(|at| drop(spills.remove(*at)));
        }
    }

    /// Puts spills, oldest first, into one pile.
    async fn pile(&self, contact: ContactId, parts: &[&Read]) -> Result<(Changed, Read), StoreError> {
        let texts = try_join_all(parts.iter().map(|read| self.bodies(contact, &read.spill))).await?;
        let spills: Vec<(&Entry, String)> = parts.iter().map(|read| &read.spill).zip(texts).collect();
        let (pile, text) = piled(&spills).ok_or(StoreError::Corrupt { what: "spill" })?;
        let bodies = bodies_of(&text);
        let pile = Entry { bodies: bodies.len(), ..pile };
        let write_id = self.clock().ulid();
        let mut transaction = Transaction::new(write_id);
        for (n, read) in parts.iter().enumerate() {
            let key = keys::memory_of(contact, read.spill.exchange.origin);
            transaction = match n {
                0 => {
                    transaction.put(self, Part::Memory, &key, to_item(spill(&pile), "spill")?, read.unmoved())
                }
                _ => transaction.delete(self, Part::Memory, &key, read.unmoved()),
            };
        }
        let (new, old) =
            (body_keys(contact, &pile), parts.iter().flat_map(|read| body_keys(contact, &read.spill)));
        for key in old.filter(|key| !new.contains(key)) {
            transaction = transaction.delete(self, Part::Beside, &key, Expression::new());
        }
        for (key, text) in new.iter().zip(bodies) {
            transaction =
                transaction.put(self, Part::Beside, key, to_item(Body { text }, "body")?, Expression::new());
        }
        let transaction = transaction.check(self, Part::Head, &keys::head(contact), alive());
        let changed = changed(&transaction.write(self).await?);
        Ok((changed, Read { spill: pile, written: Some(AttributeValue::S(write_id.to_string())) }))
    }
}

fn spill(pile: &Entry) -> Spill {
    let Entry { exchange, values, bodies, .. } = pile.clone();
    let author = exchange.is_bots().then_some(Author::Bot);
    let text = exchange.spilled().to_owned();
    let Exchange { from_seq, to_seq, at, .. } = exchange;
    Spill { text, author, values, from_seq, to_seq, at, bodies }
}
