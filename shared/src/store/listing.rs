//! The index `by_state`: who waits for the bot, what the bot and people have in hand, which cases are open and which
//! were resolved. An item stands in one list or in none, and its own writes say in which.

use super::expression::Expression;
use super::{Item, Store, StoreError, keys};
use crate::contact::ContactId;
use crate::thread::Seq;
use crate::time::Timestamp;
use aws_sdk_dynamodb::types::{AttributeValue, Select};
use std::cmp::Reverse;
use std::str::FromStr;
use ulid::Ulid;

/// A list of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// Threads of the bot in which something waits, by since when.
    Waiting,
    /// Threads of the bot in which nothing waits, by when that was settled.
    Bot,
    /// Threads that a person has without a case, by since when.
    Person,
    /// Cases that are not resolved, by when they were opened.
    Unresolved,
    /// Cases that are, by when that was.
    Resolved,
    /// Flags that stand, by when they were raised or last changed.
    Flagged,
    /// Contacts that were joined into another and have not handed everything over, by when that was.
    Joining,
    /// Contacts that are being erased, by when the eraser is to look at them next.
    Erasing,
}

impl List {
    const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Bot => "bot",
            Self::Person => "person",
            Self::Unresolved => "open",
            Self::Resolved => "resolved",
            Self::Flagged => "flagged",
            Self::Joining => "joining",
            Self::Erasing => "erasing",
        }
    }

    /// Lists an item of a contact here, and nowhere else.
    pub(super) fn put(self, change: Expression, contact: ContactId, since: Timestamp) -> Expression {
        change.set("state", keys::state(self.word(), contact)).set("state_at", state_at(since))
    }

    /// The same for an item that is created.
    pub(super) fn attributes(self, contact: ContactId, since: Timestamp) -> Item {
        Item::from([
            ("state".to_owned(), AttributeValue::S(keys::state(self.word(), contact))),
            ("state_at".to_owned(), AttributeValue::S(state_at(since))),
        ])
    }
}

/// Takes an item out of whichever list it is in.
pub(super) fn unlisted(change: Expression) -> Expression {
    change.remove("state").remove("state_at")
}

fn state_at(at: Timestamp) -> String {
    format!("{:015}", at.millis())
}

/// An entry of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What the list is ordered by.
    pub at: Timestamp,
    /// Whose.
    pub contact_id: ContactId,
    /// The case, where it is one; else the thread itself, or a flag in it.
    pub case_id: Option<Ulid>,
    /// The reply and the flag, where it is one.
    pub flag: Option<(Seq, Ulid)>,
}

/// How far a list was read: after this entry the next page starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(pub Entry);

/// Not a place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cursor must be one that a page gave as next")]
pub struct CursorError;

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Entry { at, contact_id, case_id, flag } = self.0;
        write!(f, "{}.{contact_id}", at.millis())?;
        if let Some((seq, flag_id)) = flag {
            return write!(f, ".{seq}-{flag_id}");
        }
        case_id.map_or(Ok(()), |case_id| write!(f, ".{case_id}"))
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let mut parts = text.splitn(3, '.');
        let at = parts.next().and_then(|millis| millis.parse().ok()).ok_or(CursorError)?;
        let contact_id = parts.next().and_then(|id| id.parse().ok()).ok_or(CursorError)?;
        let (case_id, flag) = match parts.next().map(|of| (of, of.split_once('-'))) {
            None => (None, None),
            Some((_, Some((seq, flag_id)))) => {
                let seq = Seq(seq.parse().map_err(|_| CursorError)?);
                (None, Some((seq, Ulid::from_string(flag_id).map_err(|_| CursorError)?)))
            }
            Some((case_id, None)) => (Some(Ulid::from_string(case_id).map_err(|_| CursorError)?), None),
        };
        Ok(Self(Entry { at: Timestamp::from_millis(at), contact_id, case_id, flag }))
    }
}

/// In which order a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What waits longest comes first.
    OldestFirst,
    /// What happened last comes first.
    NewestFirst,
}

impl Order {
    /// Entries in this order; ties by contact and case, so that pages neither skip nor repeat one.
    fn sort(self, entries: &mut [Entry]) {
        match self {
            Self::OldestFirst => entries.sort_unstable(),
            Self::NewestFirst => entries.sort_unstable_by_key(|entry| Reverse(*entry)),
        }
    }

    fn is_after(self, entry: &Entry, cursor: Option<Cursor>) -> bool {
        cursor.is_none_or(|Cursor(last)| match self {
            Self::OldestFirst => *entry > last,
            Self::NewestFirst => *entry < last,
        })
    }
}

/// What is read of lists.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Which lists, read as one.
    pub lists: &'static [List],
    /// In which order.
    pub order: Order,
    /// Where an earlier page ended.
    pub after: Option<Cursor>,
    /// How many entries, at most.
    pub limit: usize,
}

impl Store {
    /// A page of some lists, eventually consistent: `limit` entries, fewer only at the end of the list.
    ///
    /// # Errors
    /// The index cannot be read.
    pub async fn listed(&self, part: Part) -> Result<Vec<Entry>, StoreError> {
        let of = |list: &List| {
            let list = *list;
            (0..keys::STATE_SHARDS).map(move |shard| self.listed_in(list, shard, part))
        };
        let shards = part.lists.iter().flat_map(of);
        let mut entries = futures::future::try_join_all(shards).await?.concat();
        part.order.sort(&mut entries);
        entries.truncate(part.limit);
        Ok(entries)
    }

    /// How many entries a list has; past about `most` of them it is not counted on.
    ///
    /// # Errors
    /// The index cannot be read.
    pub async fn count_listed(&self, list: List, most: usize) -> Result<usize, StoreError> {
        // One shard may have nearly all of them.
        let of_each = most + 1;
        let count = async |shard| {
            let found = self
                .client()
                .query()
                .table_name(self.table())
                .index_name(INDEX)
                .key_condition_expression("#state = :state")
                .expression_attribute_names("#state", "state")
                .expression_attribute_values(
                    ":state",
                    AttributeValue::S(keys::state_shard(list.word(), shard)),
                )
                .select(Select::Count)
                .limit(i32::try_from(of_each).unwrap_or(i32::MAX))
                .send()
                .await
                .map_err(StoreError::unavailable)?;
            Ok(usize::try_from(found.count).unwrap_or_default())
        };
        Ok(futures::future::try_join_all((0..keys::STATE_SHARDS).map(count)).await?.into_iter().sum())
    }

    pub(super) async fn listed_in(
        &self,
        list: List,
        shard: u64,
        part: Part,
    ) -> Result<Vec<Entry>, StoreError> {
        let (mut entries, mut start) = (vec![], None);
        loop {
            let found = self.query_list(list, shard, part, start).await?;
            let items = found.items.unwrap_or_default();
            entries.extend(
                items.iter().filter_map(entry).filter(|entry| part.order.is_after(entry, part.after)),
            );
            start = found.last_evaluated_key;
            // Entries of one moment come in no order that means anything: all of them are read before some are cut.
            let is_full = match (part.limit.checked_sub(1).and_then(|last| entries.get(last)), entries.last())
            {
                (Some(of_page), Some(last)) => of_page.at != last.at,
                _ => false,
            };
            if start.is_none() || is_full {
                part.order.sort(&mut entries);
                entries.truncate(part.limit);
                return Ok(entries);
            }
        }
    }

    async fn query_list(
        &self,
        list: List,
        shard: u64,
        part: Part,
        start: Option<Item>,
    ) -> Result<aws_sdk_dynamodb::operation::query::QueryOutput, StoreError> {
        let (condition, from) = match (part.after, part.order) {
            (None, _) => ("#state = :state", None),
            (Some(Cursor(last)), Order::OldestFirst) => {
                ("#state = :state AND state_at >= :from", Some(last.at))
            }
            (Some(Cursor(last)), Order::NewestFirst) => {
                ("#state = :state AND state_at <= :from", Some(last.at))
            }
        };
        let state = AttributeValue::S(keys::state_shard(list.word(), shard));
        let query = self
            .client()
            .query()
            .table_name(self.table())
            .index_name(INDEX)
            .key_condition_expression(condition)
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":state", state)
            .scan_index_forward(part.order == Order::OldestFirst)
            // One more than a page, for the entry on which the last page ended.
            .limit(i32::try_from(part.limit + 1).unwrap_or(i32::MAX))
            .set_exclusive_start_key(start);
        let query = match from {
            Some(at) => query.expression_attribute_values(":from", AttributeValue::S(state_at(at))),
            None => query,
        };
        query.send().await.map_err(StoreError::unavailable)
    }
}

const INDEX: &str = "by_state";

fn entry(item: &Item) -> Option<Entry> {
    let text = |name: &str| item.get(name)?.as_s().ok();
    let contact_id = text("contact_id")?.parse().ok()?;
    let at = Timestamp::from_millis(text("state_at")?.parse().ok()?);
    let case_id = text("sk")?.strip_prefix(keys::CASE_PREFIX).and_then(|id| Ulid::from_string(id).ok());
    let flag = keys::flag_in(text("sk")?);
    Some(Entry { at, contact_id, case_id, flag })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_nothing_else_is_one() {
        let contact_id = ContactId::new(Ulid::from_parts(1, 2));
        let ulid = Ulid::from_parts(3, 4);
        for (case_id, flag) in [(None, None), (Some(ulid), None), (None, Some((Seq(7), ulid)))] {
            let cursor = Cursor(Entry { at: Timestamp::from_millis(5), contact_id, case_id, flag });
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for text in ["", "5", "x.01", "5.no", &format!("5.{contact_id}.no")] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text:?}");
        }
    }
}
