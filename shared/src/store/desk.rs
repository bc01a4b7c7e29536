//! What lists are shown with: the threads, cases and summaries of many contacts at once.

use super::keys::Key;
use super::listing::Entry;
use super::{Item, Range, Span, Store, StoreError, from_item, keys};
use crate::case::Case;
use crate::contact::{ContactId, Identity};
use crate::snapshot::Snapshot;
use crate::thread::{Head, Message, Seq};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};

/// Items that one batch reads.
const BATCH: usize = 100;

/// An entry of a list with what it stands for, as it is now.
#[derive(Debug, Clone)]
pub struct Stated {
    /// The entry.
    pub entry: Entry,
    /// The thread.
    pub head: Head,
    /// The case, where the entry is one.
    pub case: Option<Case>,
    /// Snapshot and history, where there is one that can be read.
    pub snapshot: Option<Snapshot>,
}

impl Store {
    /// What entries stand for, in their order; those that are gone are left out.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn stated(&self, entries: &[Entry]) -> Result<Vec<Stated>, StoreError> {
        let wanted = entries.iter().flat_map(|entry| {
            let contact = entry.contact_id;
            let case = entry.case_id.map(|case_id| keys::case(contact, case_id));
            [keys::head(contact), keys::snapshot(contact)].into_iter().chain(case)
        });
        let found = self.many(wanted.collect()).await?;
        let stated = |entry: &Entry| -> Result<Option<Stated>, StoreError> {
            let contact = entry.contact_id;
            let Some(head) = read(&found, &keys::head(contact), "head")? else { return Ok(None) };
            let case = match entry.case_id {
                Some(case_id) => match read(&found, &keys::case(contact, case_id), "case")? {
                    Some(case) => Some(case),
                    None => return Ok(None),
                },
                None => None,
            };
            let snapshot = read(&found, &keys::snapshot(contact), "snapshot").ok().flatten();
            Ok(Some(Stated { entry: *entry, head, case, snapshot }))
        };
        entries.iter().filter_map(|entry| stated(entry).transpose()).collect()
    }

    /// One message of each of many threads.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn one_message_each(
        &self,
        wanted: &[(ContactId, Seq)],
    ) -> Result<HashMap<ContactId, Message>, StoreError> {
        let keys = wanted.iter().map(|(contact, seq)| keys::message(*contact, *seq)).collect();
        let found = self.many(keys).await?;
        let message = |(contact, seq): &(ContactId, Seq)| {
            let message = read(&found, &keys::message(*contact, *seq), "message").transpose()?;
            Some(message.map(|message| (*contact, message)))
        };
        wanted.iter().filter_map(message).collect()
    }

    /// The first identities of a contact, eventually consistent.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn first_identities(
        &self,
        contact: ContactId,
        limit: usize,
    ) -> Result<Vec<Identity>, StoreError> {
        let pk = keys::contact(contact);
        let span = Span::Prefix(keys::IDENTITY_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit, start: None };
        Ok(self.recent_page(range).await?.items.iter().filter_map(keys::identity_in).collect())
    }

    /// Items by their keys, each asked for once.
    async fn many(&self, keys: Vec<Key>) -> Result<HashMap<(String, String), Item>, StoreError> {
        let once: BTreeMap<(String, String), Key> =
            keys.into_iter().map(|key| ((key.pk.clone(), key.sk.clone()), key)).collect();
        let keys: Vec<&Key> = once.values().collect();
        let batches = keys.chunks(BATCH).map(|batch| self.batch(batch));
        Ok(futures::future::try_join_all(batches).await?.into_iter().flatten().collect())
    }
}

fn read<T: DeserializeOwned>(
    found: &HashMap<(String, String), Item>,
    key: &Key,
    what: &'static str,
) -> Result<Option<T>, StoreError> {
    let item = found.get(&(key.pk.clone(), key.sk.clone()));
    item.map(|item| from_item(item.clone(), what)).transpose()
}
