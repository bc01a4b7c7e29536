//! Importing a log from elsewhere into an empty thread.
//!
//! The head is marked first, then the messages are written, in transactions that check the mark, and at last the
//! head moves over all of them at once: nobody sees half a log, and two imports never mix. An import that was
//! interrupted goes on where it stopped when it is run again; until then the thread takes no message, and whoever
//! writes is told to send again. Nothing imported waits for the bot, and nothing is folded by it.

use super::contacts::{Body, found};
use super::expression::Expression;
use super::listing::List;
use super::transaction::{Part, Transaction, Written};
use super::{Item, ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::{Account, ContactId};
use crate::hash;
use crate::thread::{Author, BotKind, Channel, Message, Parts, Seq};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Items of one transaction besides the head, of the hundred that the table takes.
const ITEMS: usize = 90;
/// Bytes of text in one transaction, of the four megabytes that the table takes.
const BYTES: usize = 2_000_000;

/// A message from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedMessage {
    /// Who wrote it.
    pub author: Author,
    /// Its text, whole.
    pub text: String,
    /// When, if it is known.
    pub at: Option<Timestamp>,
}

/// A log from elsewhere, oldest message first.
#[derive(Debug, Clone)]
pub struct ImportedLog {
    /// The messages.
    pub messages: Vec<ImportedMessage>,
    /// The way they came and went.
    pub channel: Channel,
    /// The account that they came to and went from.
    pub account: Account,
    /// The time of messages that have none of their own.
    pub at: Timestamp,
    /// Characters that a prompt shows of one message.
    pub message_chars: usize,
}

/// What became of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// The thread has the log now; `resumed_after` is where an interrupted run of it had stopped.
    Done {
        /// Zero where the import began with the first message.
        resumed_after: Seq,
    },
    /// The thread had this very log already, whatever was said since.
    Already,
    /// The thread is not empty: nothing was changed.
    NotEmpty,
    /// Another import into the same thread has begun since; it discards this one.
    Overtaken,
    /// The contact is being erased, or is gone.
    Gone,
}

/// What the head says of an import.
#[derive(Debug, Deserialize)]
struct Mark {
    last_seq: Seq,
    #[serde(default)]
    import_digest: Option<String>,
    /// The newest message that is written.
    #[serde(default)]
    import_seq: Seq,
    #[serde(default)]
    erasing: bool,
}

/// One import on its way.
struct Import<'a> {
    contact: ContactId,
    log: &'a ImportedLog,
    digest: String,
}

impl Store {
    /// Imports a log into an empty thread, telling `progress` the number of the newest message written.
    ///
    /// # Errors
    /// The table cannot be read or written; run it again.
    pub async fn import(
        &self,
        contact: ContactId,
        log: &ImportedLog,
        mut progress: impl FnMut(Seq),
    ) -> Result<Imported, StoreError> {
        let import = Import { contact, log, digest: digest(log)? };
        let resumed_after = match self.mark(&import).await? {
            Ok(seq) => seq,
            Err(end) => return Ok(end),
        };
        if resumed_after == Seq::NONE
            && let Err(end) = self.clear(&import).await?
        {
            return Ok(end);
        }
        let mut written = resumed_after;
        while (written.0 as usize) < log.messages.len() {
            written = match self.write_some(&import, written).await? {
                Ok(seq) => seq,
                Err(end) => return Ok(end),
            };
            progress(written);
        }
        let finished = self.transaction(&import, finish(contact, log)).write(self).await?;
        Ok(judge(finished, &import)?.err().unwrap_or(Imported::Done { resumed_after }))
    }

    /// Marks the head with this import; the number of the newest message that an earlier run has written.
    async fn mark(&self, import: &Import<'_>) -> Result<Result<Seq, Imported>, StoreError> {
        let head = keys::head(import.contact);
        for _ in 0..ROUNDS {
            let Some(mark) = self.get::<Mark>(&head, "head").await? else { return Ok(Err(Imported::Gone)) };
            if let Some(end) = import.end(&mark) {
                return Ok(Err(end));
            }
            if mark.import_digest.as_ref() == Some(&import.digest) {
                return Ok(Ok(mark.import_seq));
            }
            let change = Expression::new()
                .if_equal("last_seq", Seq::NONE)
                .if_still("import_digest", mark.import_digest)
                .if_absent("erasing")
                .set("import_digest", &import.digest)
                .set("import_seq", Seq::NONE);
            if self.update(&head, change).await?.is_some() {
                return Ok(Ok(Seq::NONE));
            }
        }
        Err(StoreError::Contended)
    }

    /// Deletes what an import that was never finished has left.
    async fn clear(&self, import: &Import<'_>) -> Result<Result<(), Imported>, StoreError> {
        let pk = keys::contact(import.contact);
        for prefix in [keys::MESSAGE_PREFIX, keys::BODIES_PREFIX] {
            loop {
                let span = Span::Prefix(prefix.into());
                let range = Range { pk: &pk, span, oldest_first: true, limit: ITEMS, start: None };
                let left = self.page(range).await?.items;
                if left.is_empty() {
                    break;
                }
                let mut transaction = self.transaction(import, Expression::new());
                for key in left.iter().filter_map(keys::of) {
                    transaction = transaction.delete(self, Part::Beside, &key, Expression::new());
                }
                if let Err(end) = judge(transaction.write(self).await?, import)? {
                    return Ok(Err(end));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Writes the messages after `written`, as many as go into one transaction; the number of the last one.
    async fn write_some(
        &self,
        import: &Import<'_>,
        written: Seq,
    ) -> Result<Result<Seq, Imported>, StoreError> {
        let (mut puts, mut bytes, mut seq) = (vec![], 0, written);
        for new in import.log.messages.iter().skip(written.0 as usize) {
            let next = items(import, seq.next(), new)?;
            bytes += new.text.len();
            if seq > written && (puts.len() + next.len() > ITEMS || bytes > BYTES) {
                break;
            }
            puts.extend(next);
            seq = seq.next();
        }
        let mut transaction = self.transaction(import, Expression::new().set("import_seq", seq));
        for (key, item) in puts {
            // Without a condition: an attempt whose outcome is unknown may have written it, and nobody else can.
            transaction = transaction.put(self, Part::Message, &key, item, Expression::new());
        }
        Ok(judge(transaction.write(self).await?, import)?.map(|()| seq))
    }

    /// A transaction that holds only while this import has the thread.
    fn transaction(&self, import: &Import<'_>, change: Expression) -> Transaction {
        let change = change
            .if_equal("import_digest", &import.digest)
            .if_equal("last_seq", Seq::NONE)
            .if_absent("erasing");
        Transaction::new(self.clock().ulid()).update(self, Part::Head, &keys::head(import.contact), change)
    }
}

impl Import<'_> {
    /// Why the import has ended, if the head says that it has.
    fn end(&self, mark: &Mark) -> Option<Imported> {
        match mark {
            Mark { erasing: true, .. } => Some(Imported::Gone),
            Mark { last_seq: Seq::NONE, .. } => None,
            Mark { import_digest: Some(digest), .. } if *digest == self.digest => Some(Imported::Already),
            _ => Some(Imported::NotEmpty),
        }
    }
}

fn judge(written: Written, import: &Import<'_>) -> Result<Result<(), Imported>, StoreError> {
    let lost = match written {
        Written::Done => return Ok(Ok(())),
        Written::Lost(lost) => lost,
    };
    let Some(head) = found(&lost, Part::Head) else { return Ok(Err(Imported::Gone)) };
    let mark: Mark = from_item(head.clone(), "head")?;
    Ok(Err(import.end(&mark).unwrap_or(Imported::Overtaken)))
}

/// The head moves over the whole log, and nothing of it waits.
fn finish(contact: ContactId, log: &ImportedLog) -> Expression {
    let last = Seq(log.messages.len() as u64);
    let customer = log.messages.iter().rposition(|message| message.author == Author::Customer);
    let last_customer = customer.map_or(Seq::NONE, |index| Seq(index as u64 + 1));
    let moved = Expression::new()
        .set("last_seq", last)
        .set("last_customer_seq", last_customer)
        .set("settled_seq", last)
        .remove("import_seq");
    List::Bot.put(moved, contact, log.at)
}

/// A message and the rest of its text.
fn items(import: &Import<'_>, seq: Seq, new: &ImportedMessage) -> Result<Vec<(keys::Key, Item)>, StoreError> {
    let parts = Parts::of(&new.text, import.log.message_chars);
    let mut items = vec![];
    for (n, text) in parts.bodies.iter().enumerate() {
        let body = Body { text: text.clone() };
        items.push((keys::body(import.contact, seq, n), to_item(body, "body")?));
    }
    items.push((
        keys::message(import.contact, seq),
        to_item(message(import.log, seq, new, &parts), "message")?,
    ));
    Ok(items)
}

fn message(log: &ImportedLog, seq: Seq, new: &ImportedMessage, parts: &Parts) -> Message {
    let by_bot = new.author == Author::Bot;
    let at = new.at.unwrap_or(log.at);
    Message {
        kind: by_bot.then_some(BotKind::Reply),
        // It was sent long ago, elsewhere.
        followed_up: by_bot,
        ..Message::new(seq, new.author, log.channel, log.account.clone(), parts, at)
    }
}

/// Names the log, whoever imports it and whenever.
fn digest(log: &ImportedLog) -> Result<String, StoreError> {
    let said = serde_json::to_string(&(log.channel, &log.account, &log.messages));
    said.map(|said| hash::hex(&said)).map_err(|_| StoreError::Corrupt { what: "import" })
}
