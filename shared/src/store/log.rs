//! Reading a thread: its head with snapshot and live version in one batch, its messages from the newest down.

use super::agents::Live;
use super::contacts::Body;
use super::keys::Key;
use super::{Item, Range, Span, Store, StoreError, from_item, keys};
use crate::contact::ContactId;
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Head, Message, Seq};
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use std::collections::HashMap;
use std::time::Duration;

/// What one strongly consistent batch says of a thread.
#[derive(Debug, Clone)]
pub struct Gathered {
    /// The head; `None` where the contact is gone.
    pub head: Option<Head>,
    /// The snapshot; `Err` where it is missing or cannot be read.
    pub snapshot: Result<Snapshot, SnapshotMissing>,
    /// The live version of the agent, where one is installed.
    pub live: Option<u32>,
}

/// There is no snapshot that can be read: every message is verbatim or pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot is missing or cannot be read")]
pub struct SnapshotMissing;

impl Store {
    /// Head, snapshot and live version in one strongly consistent batch.
    pub async fn gather(&self, contact: ContactId, agent: &str) -> Result<Gathered, StoreError> {
        let (head, snapshot, live) = (keys::head(contact), keys::snapshot(contact), keys::live(agent));
        let mut found = self.batch(&[&head, &snapshot, &live]).await?;
        let take = |found: &mut HashMap<(String, String), Item>, key: Key| found.remove(&(key.pk, key.sk));
        let head = take(&mut found, head).map(|item| from_item(item, "head")).transpose()?;
        let snapshot = take(&mut found, snapshot).and_then(|item| from_item(item, "snapshot").ok());
        let live: Option<Live> = take(&mut found, live).and_then(|item| from_item(item, "live version").ok());
        Ok(Gathered { head, snapshot: snapshot.ok_or(SnapshotMissing), live: live.map(|live| live.version) })
    }

    pub(super) async fn batch(&self, keys: &[&Key]) -> Result<HashMap<(String, String), Item>, StoreError> {
        self.batch_of(all_of(keys, true)).await
    }

    /// A batch that may miss what was written just now, at half the price: for what is never decided on.
    pub(super) async fn recent_batch(
        &self,
        keys: &[&Key],
    ) -> Result<HashMap<(String, String), Item>, StoreError> {
        self.batch_of(all_of(keys, false)).await
    }

    async fn batch_of(&self, keys: KeysAndAttributes) -> Result<HashMap<(String, String), Item>, StoreError> {
        let deadline = self.deadline();
        let mut found = HashMap::new();
        let mut wanted = Some(keys);
        while let Some(keys) = wanted.take() {
            let answer = self
                .client()
                .batch_get_item()
                .request_items(self.table(), keys)
                .send()
                .await
                .map_err(StoreError::unavailable)?;
            for item in answer.responses.into_iter().flat_map(HashMap::into_values).flatten() {
                found.insert(key_of(&item), item);
            }
            wanted = answer.unprocessed_keys.and_then(|mut keys| keys.remove(self.table()));
            if wanted.is_some() {
                if self.clock().now() >= deadline {
                    return Err(StoreError::Contended);
                }
                self.clock().sleep(Duration::from_millis(20)).await;
            }
        }
        Ok(found)
    }

    /// The newest messages, newest first and dense, until window and pending must be full (*flat-cost*).
    pub async fn newest(&self, contact: ContactId, limits: &Limits) -> Result<Vec<Message>, StoreError> {
        let messages = limits.window_messages.max(1) + limits.pending_messages;
        let chars = limits.window_chars + limits.pending_chars;
        let span = Span::Prefix(keys::MESSAGE_PREFIX.into());
        self.newest_until(contact, span, messages, chars, limits).await
    }

    /// The newest messages above the checkpoint, newest first and dense: enough to see where the window starts, and
    /// at least one batch (*flat-cost*).
    pub async fn newest_above(
        &self,
        contact: ContactId,
        checkpoint: Seq,
        limits: &Limits,
    ) -> Result<Vec<Message>, StoreError> {
        let span = Span::Between(keys::message_sk(checkpoint.next()), keys::message_sk(Seq::LAST));
        let messages = limits.window_messages.max(1) + limits.batch_messages;
        let chars = limits.window_chars + limits.batch_chars;
        self.newest_until(contact, span, messages, chars, limits).await
    }

    async fn newest_until(
        &self,
        contact: ContactId,
        span: Span,
        messages: usize,
        chars: usize,
        limits: &Limits,
    ) -> Result<Vec<Message>, StoreError> {
        let pk = keys::contact(contact);
        let mut range = Range { pk: &pk, span, oldest_first: false, limit: messages, start: None };
        let mut newest: Vec<Message> = vec![];
        loop {
            let page = self.page(range.clone()).await?;
            for item in page.items {
                newest.push(from_item(item, "message")?);
            }
            let older =
                newest.iter().skip(1).map(|message| text::chars(&message.shown(limits.message_chars)));
            if newest.len() >= messages || page.next.is_none() || older.sum::<usize>() > chars {
                return Ok(newest);
            }
            range.start = page.next;
        }
    }

    /// Messages `from..=to`, oldest first, at most `limit` of them.
    pub async fn messages(
        &self,
        contact: ContactId,
        from: Seq,
        to: Seq,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        if from > to || limit == 0 {
            return Ok(vec![]);
        }
        let pk = keys::contact(contact);
        let span = Span::Between(keys::message_sk(from), keys::message_sk(to));
        let range = Range { pk: &pk, span, oldest_first: true, limit, start: None };
        self.all(range).await?.into_iter().map(|item| from_item(item, "message")).collect()
    }

    /// Some messages, those of them that are there, oldest first.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn messages_at(
        &self,
        contact: ContactId,
        seqs: impl IntoIterator<Item = Seq>,
    ) -> Result<Vec<Message>, StoreError> {
        let keys: Vec<Key> = seqs.into_iter().map(|seq| keys::message(contact, seq)).collect();
        if keys.is_empty() {
            return Ok(vec![]);
        }
        let found = self.batch(&keys.iter().collect::<Vec<_>>()).await?.into_values();
        let mut messages: Vec<Message> =
            found.map(|item| from_item(item, "message")).collect::<Result<_, _>>()?;
        messages.sort_by_key(|message| message.seq);
        Ok(messages)
    }

    /// Of these replies, those that are flagged as wrong.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn wrong_replies(
        &self,
        contact: ContactId,
        seqs: impl IntoIterator<Item = Seq>,
    ) -> Result<Vec<Message>, StoreError> {
        let mut replies = self.messages_at(contact, seqs).await?;
        replies.retain(Message::is_wrong);
        Ok(replies)
    }

    /// One message.
    pub async fn message(&self, contact: ContactId, seq: Seq) -> Result<Option<Message>, StoreError> {
        self.get(&keys::message(contact, seq), "message").await
    }

    /// A message's text, whole.
    pub async fn whole_text(&self, contact: ContactId, message: &Message) -> Result<String, StoreError> {
        if message.bodies == 0 {
            return Ok(message.text.clone());
        }
        let pk = keys::contact(contact);
        let span = Span::Prefix(keys::body_prefix(message.seq));
        let range = Range { pk: &pk, span, oldest_first: true, limit: message.bodies, start: None };
        let mut whole = message.text.clone();
        for item in self.all(range).await? {
            whole.push_str(&from_item::<Body>(item, "body")?.text);
        }
        whole.push_str(&message.tail);
        Ok(whole)
    }

    /// The bot's message that answers customer message `seq`, among the `limit` messages after it.
    pub async fn reply_to(
        &self,
        contact: ContactId,
        seq: Seq,
        limit: usize,
    ) -> Result<Option<Message>, StoreError> {
        let to = Seq(seq.0.saturating_add(limit as u64));
        let after = self.messages(contact, seq.next(), to, limit).await?;
        Ok(after.into_iter().find(|message| message.answers(seq)))
    }

    /// Marks a bot's message: its jobs have been sent.
    pub async fn mark_followed_up(&self, contact: ContactId, seq: Seq) -> Result<(), StoreError> {
        let change = super::expression::Expression::new().if_present("pk").set("followed_up", true);
        self.update(&keys::message(contact, seq), change).await.map(|_| ())
    }
}

fn all_of(keys: &[&Key], consistent: bool) -> KeysAndAttributes {
    let mut wanted = KeysAndAttributes::builder().consistent_read(consistent);
    for key in keys {
        wanted = wanted.keys(key.attributes());
    }
    wanted.build().unwrap_or_else(|_| unreachable!("a batch names at least one key"))
}

fn key_of(item: &Item) -> (String, String) {
    let part = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    (part("pk"), part("sk"))
}
