//! The contact's own bank: what a fold could not keep, and exchanges that were retained.

use super::contacts::Body;
use super::expression::Expression;
use super::facts::alive;
use super::keys::Key;
use super::transaction::{Part, Transaction, WRITE_ID, Written};
use super::{Item, ROUNDS, Range, Span, Store, StoreError, TraceKey, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::memory::{Change, Entry, Exchange, Origin, SEARCH_CHARS};
use crate::summary::Spill;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::trace::Trace;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Items that the table takes in one transaction.
const TRANSACTION_ITEMS: usize = 100;
/// Memory items that one transaction has room for, beside head, snapshot and [`BODY_CHARS`] items.
const MOST_ITEMS: usize = 90;
/// Characters of one `BODY` item: four bytes each stay below the 400 KB of an item.
const BODY_CHARS: usize = 80_000;

/// An entry as one flat item; its origin is its key.
#[derive(Serialize, Deserialize)]
struct MemoryItem {
    said: String,
    replied: String,
    #[serde(default)]
    values: String,
    from_seq: Seq,
    to_seq: Seq,
    #[serde(rename = "at_millis")]
    at: Timestamp,
    #[serde(default)]
    recalls: u32,
    /// Keys of what was merged into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holds: Vec<String>,
}

impl MemoryItem {
    fn of(entry: &Entry) -> Self {
        let Exchange { said, replied, from_seq, to_seq, at, .. } = entry.exchange.clone();
        let holds = entry.holds.iter().map(|origin| keys::memory_sk(*origin)).collect();
        Self {
            said,
            replied,
            values: entry.values.clone(),
            from_seq,
            to_seq,
            at,
            recalls: entry.recalls,
            holds,
        }
    }

    fn entry(self, origin: Origin) -> Entry {
        let Self { said, replied, values, from_seq, to_seq, at, recalls, holds } = self;
        let holds = holds.iter().filter_map(|sk| keys::origin(sk)).collect();
        Entry {
            exchange: Exchange { origin, said, replied, from_seq, to_seq, at },
            values,
            bodies: 0,
            recalls,
            holds,
        }
    }
}

/// The exchanges of a bank as they were read, for a change on exactly that state.
#[derive(Debug, Clone)]
pub struct Bank {
    /// What is kept.
    pub entries: Vec<Entry>,
    written: HashMap<Origin, Option<AttributeValue>>,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It is written.
    Done,
    /// Another change was faster: read again.
    Moved,
    /// The contact is being erased, or is gone: nothing is kept (*erasable*).
    Gone,
}

impl Store {
    /// All exchanges of a bank, at most `limit`.
    pub async fn bank(&self, contact: ContactId, limit: usize) -> Result<Bank, StoreError> {
        let pk = keys::memory(contact);
        let [from, to] = keys::MEMORIES.map(str::to_owned);
        let range = Range { pk: &pk, span: Span::Between(from, to), oldest_first: true, limit, start: None };
        let items = self.all(range).await?;
        let written =
            items.iter().filter_map(|item| Some((origin_of(item).ok()?, item.get(WRITE_ID).cloned())));
        let written = written.collect();
        Ok(Bank { entries: items.into_iter().map(entry).collect::<Result<_, _>>()?, written })
    }

    /// The newest exchanges of a bank, at most `limit`, in one page of the table (*flat-cost*). One that was retained
    /// just now may be missing.
    pub async fn memories(&self, contact: ContactId, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let pk = keys::memory(contact);
        let [from, to] = keys::MEMORIES.map(str::to_owned);
        let range = Range { pk: &pk, span: Span::Between(from, to), oldest_first: false, limit, start: None };
        self.recent_page(range).await?.items.into_iter().map(entry).collect()
    }

    /// Changes a bank, if it is still as it was read, in one transaction.
    pub async fn change_bank(
        &self,
        contact: ContactId,
        bank: &Bank,
        change: &Change,
    ) -> Result<Changed, StoreError> {
        let unmoved = |origin: &Origin| match bank.written.get(origin) {
            Some(written) => Expression::new().if_still_raw(WRITE_ID, written.as_ref()),
            None => Expression::new().if_absent("pk"),
        };
        let mut transaction = Transaction::new(self.clock().ulid());
        for entry in &change.put {
            let origin = entry.exchange.origin;
            let item = to_item(MemoryItem::of(entry), "memory")?;
            transaction = transaction.put(
                self,
                Part::Memory,
                &keys::memory_of(contact, origin),
                item,
                unmoved(&origin),
            );
        }
        for origin in &change.remove {
            let key = keys::memory_of(contact, *origin);
            transaction = transaction.delete(self, Part::Memory, &key, unmoved(origin));
        }
        let transaction = transaction.check(self, Part::Head, &keys::head(contact), alive());
        Ok(changed(&transaction.write(self).await?))
    }

    /// The entries that a reply was made with; none where its trace is gone.
    pub async fn recalled_for(&self, contact: ContactId, reply: Seq) -> Result<Vec<Origin>, StoreError> {
        let Some(message) = self.message(contact, reply).await? else { return Ok(vec![]) };
        let Some(key) = TraceKey::of(contact, &message) else { return Ok(vec![]) };
        let trace: Option<Trace> = self.trace(key, self.clock().now()).await?;
        let memories = trace.map(|trace| trace.context.memories).unwrap_or_default();
        Ok(memories.into_iter().filter_map(|memory| memory.origin).collect())
    }

    /// Forgets one memory for good, with what was merged into it: a late retention of the same source does not bring it
    /// back. `false` where the contact is gone or being erased.
    pub async fn forget_memory(&self, contact: ContactId, entry: &Entry) -> Result<bool, StoreError> {
        let origin = entry.exchange.origin;
        let anyhow = Expression::new;
        let mut transaction = Transaction::new(self.clock().ulid())
            .delete(self, Part::Memory, &keys::memory_of(contact, origin), anyhow())
            .check(self, Part::Head, &keys::head(contact), alive());
        for key in body_keys(contact, entry) {
            transaction = transaction.delete(self, Part::Beside, &key, anyhow());
        }
        // A spill is of one fold, which is over; exchanges come from jobs, which may be repeated.
        let exchanges = entry.holds.iter().chain([&origin]).filter(|of| !matches!(of, Origin::Spill { .. }));
        for of in exchanges.collect::<BTreeSet<_>>().into_iter().take(MOST_ITEMS) {
            transaction =
                transaction.put(self, Part::Beside, &keys::forgotten(contact, *of), Item::new(), anyhow());
        }
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// Takes an exchange out of the bank where it stands by itself; unlike one that was forgotten it may come back.
    pub async fn delete_memory(&self, contact: ContactId, origin: Origin) -> Result<(), StoreError> {
        let key = keys::memory_of(contact, origin);
        for _ in 0..ROUNDS {
            let Some(item) = self.item(&key).await? else { return Ok(()) };
            let still = Expression::new().if_still_raw(WRITE_ID, item.get(WRITE_ID));
            if !entry(item)?.holds.is_empty() {
                return Ok(());
            }
            let transaction = Transaction::new(self.clock().ulid()).delete(self, Part::Memory, &key, still);
            if matches!(transaction.write(self).await?, Written::Done) {
                return Ok(());
            }
        }
        Err(StoreError::Contended)
    }

    /// Whether a memory was forgotten for good.
    pub async fn is_forgotten(&self, contact: ContactId, origin: Origin) -> Result<bool, StoreError> {
        Ok(self.item(&keys::forgotten(contact, origin)).await?.is_some())
    }

    /// One memory, as it is kept now.
    pub async fn memory(&self, contact: ContactId, origin: Origin) -> Result<Option<Entry>, StoreError> {
        let found = self.item(&keys::memory_of(contact, origin)).await?;
        let read = |item| match origin {
            Origin::Spill { .. } => spill_entry(item),
            Origin::Reply(_) | Origin::Case(_) | Origin::Feedback(_) => entry(item),
        };
        found.map(read).transpose()
    }

    /// Removes every item of the bank.
    pub async fn delete_memories(&self, contact: ContactId) -> Result<(), StoreError> {
        let pk = keys::memory(contact);
        loop {
            let span = Span::Between("!".into(), "~~".into());
            let page =
                self.page(Range { pk: &pk, span, oldest_first: true, limit: 100, start: None }).await?;
            for item in &page.items {
                if let Some(key) = keys::of(item) {
                    self.delete_item(&key).await?;
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

    /// The spills of one save, in order, each with the text that it has no room for.
    pub async fn spilled(
        &self,
        contact: ContactId,
        revision: u64,
    ) -> Result<Vec<(Spill, String)>, StoreError> {
        let (pk, span) = (keys::memory(contact), Span::Prefix(keys::spills_prefix(revision)));
        let range = Range { pk: &pk, span, oldest_first: true, limit: TRANSACTION_ITEMS, start: None };
        let mut spilled = vec![];
        for item in self.all(range).await? {
            let beside = self.bodies(contact, &spill_entry(item.clone())?).await?;
            spilled.push((from_item(item, "spill")?, beside));
        }
        Ok(spilled)
    }

    /// The newest spills as entries of the bank, at most `limit`, in one page of the table (*flat-cost*).
    pub async fn spill_entries(&self, contact: ContactId, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.newest_spills(contact, limit).await?.into_iter().map(spill_entry).collect()
    }

    /// The text that a spill has no room for.
    pub async fn bodies(&self, contact: ContactId, spill: &Entry) -> Result<String, StoreError> {
        let keys = body_keys(contact, spill);
        if keys.is_empty() {
            return Ok(String::new());
        }
        let mut found = self.batch(&keys.iter().collect::<Vec<_>>()).await?;
        let mut texts = vec![];
        for key in keys {
            let item = found.remove(&(key.pk, key.sk)).ok_or(StoreError::Corrupt { what: "body" })?;
            texts.push(from_item::<Body>(item, "body")?.text);
        }
        Ok(texts.concat())
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

/// How a change of a bank ended.
pub(super) fn changed(written: &Written) -> Changed {
    match written {
        Written::Done => Changed::Done,
        Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => Changed::Gone,
        Written::Lost(_) => Changed::Moved,
    }
}

fn origin_of(item: &Item) -> Result<Origin, StoreError> {
    keys::of(item).and_then(|key| keys::origin(&key.sk)).ok_or(StoreError::Corrupt { what: "memory" })
}

fn entry(item: Item) -> Result<Entry, StoreError> {
    let origin = origin_of(&item)?;
    Ok(from_item::<MemoryItem>(item, "memory")?.entry(origin))
}

/// A spill as an entry: all that was said, or what the bot said.
pub(super) fn spill_entry(item: Item) -> Result<Entry, StoreError> {
    let origin = origin_of(&item)?;
    let spill: Spill = from_item(item, "spill")?;
    let exchange = Exchange::of_spill(origin, &spill, spill.text.clone());
    Ok(Entry { exchange, values: spill.values, bodies: spill.bodies, recalls: 0, holds: vec![] })
}

/// The keys of the bodies of a spill, in order.
pub(super) fn body_keys(contact: ContactId, spill: &Entry) -> Vec<Key> {
    match spill.exchange.origin {
        Origin::Spill { revision, n } => {
            (0..spill.bodies).map(|part| keys::spill_body(contact, revision, n, part)).collect()
        }
        Origin::Reply(_) | Origin::Case(_) | Origin::Feedback(_) => vec![],
    }
}

/// The items of the spills of one save, under keys that a repeated save writes again: at most `most` memory
/// items, at least one for what the bot said and one for what others did; the text of the rest goes to `BODY` items
/// and its values to the search text of the memory item that these belong to.
pub(super) fn spill_items(
    contact: ContactId,
    revision: u64,
    spills: &[Spill],
    most: usize,
) -> Result<Vec<(Key, Item)>, StoreError> {
    let mut items = vec![];
    for (n, (spill, rest)) in shared_out(spills, most.clamp(1, MOST_ITEMS)).into_iter().enumerate() {
        let texts: Vec<&str> = rest.iter().map(|spill| spill.text.as_str()).collect();
        let bodies = bodies_of(&texts.join("\n"));
        let spill = with_rest(spill, &rest, bodies.len());
        items.push((keys::memory_of(contact, Origin::Spill { revision, n }), to_item(spill, "spill")?));
        for (part, text) in bodies.into_iter().enumerate() {
            let key = keys::spill_body(contact, revision, n, part);
            items.push((key, to_item(Body { text }, "body")?));
        }
    }
    Ok(items)
}

/// The spills that become items, each with those that stand beside it; as they came where all have room.
fn shared_out(spills: &[Spill], most: usize) -> Vec<(&Spill, Vec<&Spill>)> {
    if spills.len() <= most {
        return spills.iter().map(|spill| (spill, vec![])).collect();
    }
    let (bots, others): (Vec<&Spill>, Vec<&Spill>) = spills.iter().partition(|spill| spill.is_bots());
    let for_bots = (most * bots.len() / spills.len()).max(1).min(bots.len());
    let for_others = most.saturating_sub(for_bots).max(1).min(others.len());
    [with_beside(&others, for_others), with_beside(&bots, for_bots)].concat()
}

/// The first `most` of them, the last of which has the rest beside it.
fn with_beside<'s>(spills: &[&'s Spill], most: usize) -> Vec<(&'s Spill, Vec<&'s Spill>)> {
    let (kept, rest) = spills.split_at(most);
    let mut items: Vec<(&Spill, Vec<&Spill>)> = kept.iter().map(|spill| (*spill, vec![])).collect();
    if let Some((_, beside)) = items.last_mut() {
        *beside = rest.to_vec();
    }
    items
}

/// A text in parts that fit a `BODY` item each.
pub(super) fn bodies_of(text: &str) -> Vec<String> {
    text::parts(text, BODY_CHARS).into_iter().map(str::to_owned).collect()
}

fn with_rest(spill: &Spill, rest: &[&Spill], bodies: usize) -> Spill {
    let Some(last) = rest.last() else { return spill.clone() };
    let is_of_one = rest.iter().all(|other| other.author == spill.author);
    let values: Vec<&str> = std::iter::once(spill)
        .chain(rest.iter().copied())
        .map(|spill| spill.values.as_str())
        .filter(|v| !v.is_empty())
        .collect();
    Spill {
        author: spill.author.filter(|_| is_of_one),
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
    use crate::thread::{Author, Seq};
    use crate::time::Timestamp;
    use ulid::Ulid;

    fn spill(n: u64) -> Spill {
        let (from_seq, to_seq, at) = (Seq(n), Seq(n), Timestamp::from_millis(0));
        let (text, values, author) = (format!("text {n}"), format!("v{n}"), Some(Author::Customer));
        Spill { text, author, values, from_seq, to_seq, at, bodies: 0 }
    }

    #[test]
    fn an_overflow_goes_to_bodies_and_is_found_by_its_values() {
        let contact = ContactId::new(Ulid::from_parts(1, 2));
        let spills: Vec<Spill> = (1..=5).map(spill).collect();
        let items = spill_items(contact, 7, &spills, 2).expect("items");
        let keys: Vec<&str> = items.iter().map(|(key, _)| key.sk.as_str()).collect();
        assert_eq!(keys, ["SPILL#0000000007#0000", "SPILL#0000000007#0001", "BODY#0000000007#0001#0000"]);
        let last: Spill = from_item(items[1].1.clone(), "spill").expect("a spill");
        assert_eq!((last.text.as_str(), last.values.as_str()), ("text 2", "v2\nv3\nv4\nv5"));
        assert_eq!((last.from_seq, last.to_seq, last.bodies), (Seq(2), Seq(5), 1));
        let body: Body = from_item(items[2].1.clone(), "body").expect("a body");
        assert_eq!(body.text, "text 3\ntext 4\ntext 5");
    }

    #[test]
    fn what_the_bot_said_never_stands_beside_what_others_said() {
        let contact = ContactId::new(Ulid::from_parts(1, 2));
        let bots = |n| Spill { author: Some(Author::Bot), ..spill(n) };
        let staffs = Spill { author: Some(Author::Operator), ..spill(5) };
        let spills = [spill(1), bots(2), bots(3), spill(4), staffs];
        for (most, expected) in [
            (1, vec![(Some("text 1"), None, "text 4\ntext 5"), (None, Some("text 2"), "text 3")]),
            (
                3,
                vec![
                    (Some("text 1"), None, ""),
                    (Some("text 4"), None, "text 5"),
                    (None, Some("text 2"), "text 3"),
                ],
            ),
        ] {
            let items = spill_items(contact, 7, &spills, most).expect("items");
            let is_spill = |(key, _): &&(Key, Item)| key.sk.starts_with("SPILL");
            let shown = items.iter().filter(is_spill).map(|(key, item)| {
                let entry = spill_entry(Item::from_iter(item.clone().into_iter().chain(key.attributes())));
                let entry = entry.expect("a spill");
                let body = |key: Key| items.iter().find(|(at, _)| at.sk == key.sk).expect("a body").1.clone();
                let beside = body_keys(contact, &entry).into_iter().map(body);
                let beside = beside.map(|item| from_item::<Body>(item, "body").expect("a body").text);
                let side = |side: &str| Some(side.to_owned()).filter(|side| !side.is_empty());
                (side(&entry.exchange.said), side(&entry.exchange.replied), beside.collect::<String>())
            });
            let own = |(said, replied, beside): (Option<&str>, Option<&str>, &str)| {
                (said.map(str::to_owned), replied.map(str::to_owned), beside.to_owned())
            };
            assert_eq!(shown.collect::<Vec<_>>(), expected.into_iter().map(own).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_was_spilled_before_its_author_was_kept_is_still_read() {
        let item: Item = to_item(spill(1), "spill").expect("an item");
        assert_eq!(item["author"], AttributeValue::S("customer".into()));
        let old: Item = item.into_iter().filter(|(name, _)| name != "author").collect();
        assert_eq!(from_item::<Spill>(old, "spill").expect("a spill"), Spill { author: None, ..spill(1) });
    }

    #[test]
    fn what_fits_needs_no_bodies() {
        let contact = ContactId::new(Ulid::from_parts(1, 2));
        let items = spill_items(contact, 7, &[spill(1), spill(2)], 2).expect("items");
        assert_eq!(items.len(), 2);
        assert!(spill_items(contact, 7, &[], 2).expect("items").is_empty());
    }
}
