//! Spills: what a fold could not keep, in the contact's own bank.

use super::keys::Key;
use super::{Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A piece of the log, or of an old summary, that no summary holds any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spill {
    /// The text, word for word.
    pub text: String,
    /// Values that it holds, in normal form, for the search.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub values: String,
    /// The first message that it is from.
    pub from_seq: Seq,
    /// The last message that it is from.
    pub to_seq: Seq,
    /// When it was spilled.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
}

impl Store {
    /// The newest spills, at most `limit`.
    pub async fn spills(&self, contact: ContactId, limit: usize) -> Result<Vec<Spill>, StoreError> {
        let pk = keys::memory(contact);
        let span = Span::Prefix(keys::SPILL_PREFIX.into());
        // One page of the table, whatever it holds: about 25 read units (*flat-cost*).
        let page = self.page(Range { pk: &pk, span, oldest_first: false, limit, start: None }).await?;
        page.items.into_iter().map(|item| from_item(item, "spill")).collect()
    }
}

/// The items of the spills of one save, under keys that a repeated save writes again.
pub(crate) fn spill_items(
    contact: ContactId,
    revision: u64,
    spills: &[Spill],
) -> Result<Vec<(Key, Item)>, StoreError> {
    let item =
        |(n, spill): (usize, &Spill)| Ok((keys::spill(contact, revision, n), to_item(spill, "spill")?));
    spills.iter().enumerate().map(item).collect()
}
