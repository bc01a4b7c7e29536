//! What lists are shown with: the threads, cases and summaries of many contacts at once.

use super::keys::Key;
use super::listing::Entry;
use super::{Item, Range, Span, Store, StoreError, from_item, keys};
use crate::case::Case;
use crate::contact::{ContactId, Identity};
use crate::flag::Flag;
use crate::snapshot::Snapshot;
use crate::thread::{Head, Message, Seq};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use ulid::Ulid;

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

/// A flag with the reply that it is on.
#[derive(Debug, Clone)]
pub struct Flagged {
    /// Where it stands.
    pub entry: Entry,
    /// The flag.
    pub flag: Flag,
    /// The reply.
    pub reply: Message,
    /// The newest message that the reply answers.
    pub asked: Option<Message>,
}

impl Store {
    /// What entries stand for, in their order, eventually consistent; with the summaries of their threads where these
    /// are looked into. Those that are gone or being erased are left out, and those that cannot be read, too: one item
    /// that talks rubbish hides no other.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn stated(&self, entries: &[Entry], with_summaries: bool) -> Result<Vec<Stated>, StoreError> {
        let wanted = entries.iter().flat_map(|entry| {
            let contact = entry.contact_id;
            let case = entry.case_id.map(|case_id| keys::case(contact, case_id));
            let summary = with_summaries.then(|| keys::snapshot(contact));
            [keys::head(contact)].into_iter().chain(case).chain(summary)
        });
        let found = self.many(wanted.collect()).await?;
        let stated = |entry: &Entry| {
            let contact = entry.contact_id;
            let head: Head = read(&found, &keys::head(contact), "head")?;
            let case = match entry.case_id {
                Some(case_id) => Some(read(&found, &keys::case(contact, case_id), "case")?),
                None => None,
            };
            let snapshot =
                with_summaries.then(|| read(&found, &keys::snapshot(contact), "snapshot")).flatten();
            (!head.erasing).then_some(Stated { entry: *entry, head, case, snapshot })
        };
        Ok(entries.iter().filter_map(stated).collect())
    }

    /// The flags of entries, each with the reply that it is on and the newest message that this answers; those that are
    /// gone, or cannot be read, are left out. Eventually consistent.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn flagged(&self, entries: &[Entry]) -> Result<Vec<Flagged>, StoreError> {
        let flags = entries.iter().filter_map(|entry| Some((*entry, entry.flag?)));
        let keys_of = |(entry, (seq, flag_id)): &(Entry, (Seq, Ulid))| {
            (keys::flag(entry.contact_id, *seq, *flag_id), keys::message(entry.contact_id, *seq))
        };
        let wanted = flags.clone().flat_map(|of| <[Key; 2]>::from(keys_of(&of)));
        let found = self.many(wanted.collect()).await?;
        let read = flags.filter_map(|of| {
            let (flag, reply) = keys_of(&of);
            let flag: Flag = read(&found, &flag, "flag")?;
            let reply: Message = read(&found, &reply, "message")?;
            flag.stands().then_some(Flagged { entry: of.0, flag, reply, asked: None })
        });
        let mut flagged: Vec<Flagged> = read.collect();
        let asked_at = |of: &Flagged| Some(keys::message(of.entry.contact_id, of.reply.in_reply_to?));
        let found = self.many(flagged.iter().filter_map(asked_at).collect()).await?;
        for of in &mut flagged {
            of.asked = asked_at(of).and_then(|key| self::read(&found, &key, "message"));
        }
        Ok(flagged)
    }

    /// One message of each of many threads, as far as they can be read.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn one_message_each(
        &self,
        wanted: &[(ContactId, Seq)],
    ) -> Result<HashMap<ContactId, Message>, StoreError> {
        let keys = wanted.iter().map(|(contact, seq)| keys::message(*contact, *seq)).collect();
        let found = self.many(keys).await?;
        let message = |(contact, seq): &(ContactId, Seq)| {
            Some((*contact, read(&found, &keys::message(*contact, *seq), "message")?))
        };
        Ok(wanted.iter().filter_map(message).collect())
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
        let batches = keys.chunks(BATCH).map(|batch| self.recent_batch(batch));
        Ok(futures::future::try_join_all(batches).await?.into_iter().flatten().collect())
    }
}

fn read<T: DeserializeOwned>(
    found: &HashMap<(String, String), Item>,
    key: &Key,
    what: &'static str,
) -> Option<T> {
    let item = found.get(&(key.pk.clone(), key.sk.clone()))?;
    from_item(item.clone(), what).inspect_err(|error| tracing::warn!(%error, "left out of a list")).ok()
}
