//! The contact's own bank: what a fold could not keep, and exchanges that were retained.

use super::contacts::Body;
use super::expression::Expression;
use super::facts::alive;
use super::keys::Key;
use super::transaction::{Part, Transaction};
use super::{Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::memory::Exchange;
use crate::summary::Spill;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Items that the table takes in one transaction.
const TRANSACTION_ITEMS: usize = 100;
/// Memory items that one transaction has room for, beside head, snapshot and [`BODY_CHARS`] items.
const MOST_ITEMS: usize = 90;
/// Characters of one `BODY` item: four bytes each stay below the 400 KB of an item.
const BODY_CHARS: usize = 80_000;
/// Characters of one item's search text.
const SEARCH_CHARS: usize = 50_000;

/// An exchange as one flat item; its origin is its key.
#[derive(Serialize, Deserialize)]
struct MemoryItem {
    said: String,
    replied: String,
    from_seq: Seq,
    to_seq: Seq,
    #[serde(rename = "at_millis")]
    at: Timestamp,
}

impl Store {
    /// Keeps an exchange under the key of its origin: a repeated job writes the same item. Of a contact that is gone
    /// or being erased nothing is kept (*erasable*).
    pub async fn put_memory(&self, contact: ContactId, exchange: &Exchange) -> Result<(), StoreError> {
        let Exchange { origin, said, replied, from_seq, to_seq, at } = exchange;
        let item = MemoryItem {
            said: said.clone(),
            replied: replied.clone(),
            from_seq: *from_seq,
            to_seq: *to_seq,
            at: *at,
        };
        let transaction = Transaction::new(self.clock().ulid())
            .put(
                self,
                Part::Beside,
                &keys::memory_of(contact, *origin),
                to_item(item, "memory")?,
                Expression::new(),
            )
            .check(self, Part::Head, &keys::head(contact), alive());
        transaction.write(self).await.map(|_| ())
    }

    /// Removes every item of the bank.
    pub async fn delete_memories(&self, contact: ContactId) -> Result<(), StoreError> {
        let pk = keys::memory(contact);
        loop {
            let span = Span::Between("!".into(), "~".into());
            let page =
                self.page(Range { pk: &pk, span, oldest_first: true, limit: 100, start: None }).await?;
            for item in &page.items {
                if let Some(key) = keys::of(item) {
                    self.client()
                        .delete_item()
                        .table_name(self.table())
                        .set_key(Some(key.attributes()))
                        .send()
                        .await
                        .map_err(StoreError::unavailable)?;
                }
            }
            if page.next.is_none() {
                return Ok(());
            }
        }
    }

    /// The newest spills, at most `limit`.
    pub async fn spills(&self, contact: ContactId, limit: usize) -> Result<Vec<Spill>, StoreError> {
        let page = self.newest_spills(contact, limit).await?;
        page.into_iter().map(|item| from_item(item, "spill")).collect()
    }

    /// The spills of one save, in order.
    pub async fn spilled(&self, contact: ContactId, revision: u64) -> Result<Vec<Spill>, StoreError> {
        let items = self.memories_under(contact, keys::spills_prefix(revision)).await?;
        items.into_iter().map(|item| from_item(item, "spill")).collect()
    }

    /// What one save spilled beyond the items that a bank takes, in pieces.
    pub async fn spilled_beside(&self, contact: ContactId, revision: u64) -> Result<Vec<String>, StoreError> {
        let items = self.memories_under(contact, keys::spill_bodies_prefix(revision)).await?;
        items.into_iter().map(|item| from_item::<Body>(item, "body").map(|body| body.text)).collect()
    }

    /// Items of one save: no more than one transaction can have written.
    async fn memories_under(&self, contact: ContactId, prefix: String) -> Result<Vec<Item>, StoreError> {
        let (pk, span) = (keys::memory(contact), Span::Prefix(prefix));
        self.all(Range { pk: &pk, span, oldest_first: true, limit: TRANSACTION_ITEMS, start: None }).await
    }

    /// The revision of the newest spill; 0 where there is none.
    pub(super) async fn last_spilled(&self, contact: ContactId) -> Result<u64, StoreError> {
        let newest = self.newest_spills(contact, 1).await?;
        Ok(newest.first().and_then(keys::spill_revision).unwrap_or(0))
    }

    async fn newest_spills(&self, contact: ContactId, limit: usize) -> Result<Vec<Item>, StoreError> {
        let pk = keys::memory(contact);
        let span = Span::Prefix(keys::SPILL_PREFIX.into());
        // One page of the table, whatever it holds: about 25 read units (*flat-cost*).
        let page = self.page(Range { pk: &pk, span, oldest_first: false, limit, start: None }).await?;
        Ok(page.items)
    }
}

/// The items of the spills of one save, under keys that a repeated save writes again: at most `most` memory
/// items; the text of the rest goes to `BODY` items and its values to the last memory item's search text.
pub(super) fn spill_items(
    contact: ContactId,
    revision: u64,
    spills: &[Spill],
    most: usize,
) -> Result<Vec<(Key, Item)>, StoreError> {
    let most = most.clamp(1, MOST_ITEMS).min(spills.len());
    let (kept, rest) = spills.split_at(most);
    let bodies = bodies(rest);
    let mut items = vec![];
    for (n, spill) in kept.iter().enumerate() {
        let last = if n + 1 == most { rest } else { &[] };
        let spill = with_rest(spill, last, bodies.len());
        items.push((keys::spill(contact, revision, n), to_item(spill, "spill")?));
    }
    for (n, text) in bodies.into_iter().enumerate() {
        items.push((keys::spill_body(contact, revision, n), to_item(Body { text }, "body")?));
    }
    Ok(items)
}

fn bodies(rest: &[Spill]) -> Vec<String> {
    let texts: Vec<&str> = rest.iter().map(|spill| spill.text.as_str()).collect();
    text::parts(&texts.join("\n"), BODY_CHARS).into_iter().map(str::to_owned).collect()
}

fn with_rest(spill: &Spill, rest: &[Spill], bodies: usize) -> Spill {
    let Some(last) = rest.last() else { return spill.clone() };
    let values: Vec<&str> = std::iter::once(spill)
        .chain(rest)
        .map(|spill| spill.values.as_str())
        .filter(|v| !v.is_empty())
        .collect();
    Spill {
        values: text::head(&values.join("\n"), SEARCH_CHARS).to_owned(),
        from_seq: rest.iter().map(|spill| spill.from_seq).fold(spill.from_seq, Ord::min),
        to_seq: last.to_seq.max(spill.to_seq),
        bodies,
        ..spill.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Seq;
    use crate::time::Timestamp;
    use ulid::Ulid;

    fn spill(n: u64) -> Spill {
        let (from_seq, to_seq, at) = (Seq(n), Seq(n), Timestamp::from_millis(0));
        Spill { text: format!("text {n}"), values: format!("v{n}"), from_seq, to_seq, at, bodies: 0 }
    }

    #[test]
    fn an_overflow_goes_to_bodies_and_is_found_by_its_values() {
        let contact = ContactId::new(Ulid::from_parts(1, 2));
        let spills: Vec<Spill> = (1..=5).map(spill).collect();
        let items = spill_items(contact, 7, &spills, 2).expect("items");
        let keys: Vec<&str> = items.iter().map(|(key, _)| key.sk.as_str()).collect();
        assert_eq!(keys, ["SPILL#0000000007#0000", "SPILL#0000000007#0001", "BODY#0000000007#0000"]);
        let last: Spill = from_item(items[1].1.clone(), "spill").expect("a spill");
        assert_eq!((last.text.as_str(), last.values.as_str()), ("text 2", "v2\nv3\nv4\nv5"));
        assert_eq!((last.from_seq, last.to_seq, last.bodies), (Seq(2), Seq(5), 1));
        let body: Body = from_item(items[2].1.clone(), "body").expect("a body");
        assert_eq!(body.text, "text 3\ntext 4\ntext 5");
    }

    #[test]
    fn what_fits_needs_no_bodies() {
        let contact = ContactId::new(Ulid::from_parts(1, 2));
        let items = spill_items(contact, 7, &[spill(1), spill(2)], 2).expect("items");
        assert_eq!(items.len(), 2);
        assert!(spill_items(contact, 7, &[], 2).expect("items").is_empty());
    }
}
