//! Resolving, creating and admitting: how a message gets into the log, once (*one-log*, *once-in*).

use super::expression::Expression;
use super::listing::List;
use super::transaction::{Lost, Part, Transaction, Written};
use super::{Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::{Account, ContactId, Identity};
use crate::job::Delivery;
use crate::snapshot::Snapshot;
use crate::thread::{Attachment, Author, Channel, Head, Lease, Message, Mode, Parts, Seq};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a delivery is remembered.
const SEEN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Identities of one contact that are looked at.
const MOST_IDENTITIES: usize = 1_000;

/// A message on its way into the log.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// The way it came.
    pub channel: Channel,
    /// The account that it came to.
    pub account: Account,
    /// Its text, whole.
    pub text: String,
    /// What it carries besides.
    pub attachments: Vec<Attachment>,
    /// Asks for no turn.
    pub no_turn: bool,
    /// When it was received.
    pub at: Timestamp,
    /// Characters that a prompt shows of it.
    pub message_chars: usize,
}

/// What an admission needs besides the message.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The delivery, for *once-in*.
    pub delivery: Delivery,
    /// The lease to take with it.
    pub lease: Option<Lease>,
}

/// A message that is in the log now.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// The head as this admission left it.
    pub head: Head,
    /// The message.
    pub message: Message,
}

/// What became of an admission.
#[derive(Debug, Clone)]
pub enum Admission {
    /// It is in the log.
    Admitted(Box<Admitted>),
    /// It was in the log already.
    Duplicate(Seen),
    /// The thread moved on since its head was read: read again.
    Moved,
    /// The contact is being erased, or is gone.
    Gone,
}

/// Where a delivery was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// To whose thread.
    pub contact_id: ContactId,
    /// Under which number.
    pub seq: Seq,
}

#[derive(Serialize)]
struct SeenItem {
    #[serde(flatten)]
    seen: Seen,
    expires_at: i64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct IdentityItem {
    pub(super) contact_id: ContactId,
}

impl Store {
    /// Whose identity this is, if anybody's.
    pub async fn resolve(&self, identity: &Identity) -> Result<Option<ContactId>, StoreError> {
        let found: Option<IdentityItem> = self.get(&keys::identity(identity), "identity").await?;
        Ok(found.map(|item| item.contact_id))
    }

    /// The identities of a contact.
    pub async fn identities(&self, contact: ContactId) -> Result<Vec<Identity>, StoreError> {
        let pk = keys::contact(contact);
        let span = Span::Prefix(keys::IDENTITY_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit: MOST_IDENTITIES, start: None };
        Ok(self.all(range).await?.iter().filter_map(keys::identity_in).collect())
    }

    /// Where a delivery was admitted, if it was and is still remembered at `now`.
    pub async fn seen(&self, delivery: &Delivery, now: Timestamp) -> Result<Option<Seen>, StoreError> {
        #[derive(Deserialize)]
        struct Remembered {
            contact_id: ContactId,
            seq: Seq,
            expires_at: i64,
        }
        let found: Option<Remembered> = self.get(&keys::seen(delivery), "seen").await?;
        Ok(found
            .filter(|item| item.expires_at > now.seconds())
            .map(|item| Seen { contact_id: item.contact_id, seq: item.seq }))
    }

    /// The head of a contact's thread.
    pub async fn head(&self, contact: ContactId) -> Result<Option<Head>, StoreError> {
        self.get(&keys::head(contact), "head").await
    }

    /// Creates a contact that has said nothing yet; `false` if the identity is somebody's already.
    pub async fn create_contact(&self, contact: ContactId, identity: &Identity) -> Result<bool, StoreError> {
        let transaction = self.create(Head::new(contact), identity)?;
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// Gives a contact an identity that nobody has; `false` where somebody has it, or the contact is gone or being
    /// erased (*erasable*).
    pub async fn add_identity(&self, contact: ContactId, identity: &Identity) -> Result<bool, StoreError> {
        let lookup = to_item(IdentityItem { contact_id: contact }, "identity")?;
        let transaction = Transaction::new(self.clock().ulid())
            .create(self, Part::Identity, &keys::identity(identity), lookup.clone())
            .put(self, Part::Beside, &keys::identity_of(contact, identity), lookup, Expression::new())
            .update(self, Part::Head, &keys::head(contact), super::facts::open().add("links", 1));
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// Head, snapshot and identity items of a new contact, all of them absent before.
    fn create(&self, head: Head, identity: &Identity) -> Result<Transaction, StoreError> {
        let contact = head.contact_id;
        let mut head_item = to_item(&head, "head")?;
        if let Some(since) = head.waiting_since {
            head_item.extend(List::Waiting.attributes(contact, since));
        }
        let lookup = to_item(IdentityItem { contact_id: contact }, "identity")?;
        Ok(Transaction::new(self.clock().ulid())
            .create(self, Part::Identity, &keys::identity(identity), lookup.clone())
            .create(self, Part::Beside, &keys::identity_of(contact, identity), lookup)
            .create(self, Part::Head, &keys::head(contact), head_item)
            .create(self, Part::Snapshot, &keys::snapshot(contact), to_item(Snapshot::empty(), "snapshot")?))
    }

    /// Admits the first message of a contact that does not exist yet, and creates it with it.
    pub async fn admit_first(
        &self,
        contact: ContactId,
        identity: &Identity,
        new: &NewMessage,
        ticket: &Ticket,
    ) -> Result<Admission, StoreError> {
        let before = Head::new(contact);
        let (head, message, bodies) = after_admission(&before, new, ticket);
        let transaction = self.create(head.clone(), identity)?;
        let transaction = self.with_delivery(transaction, contact, &message, &bodies, &ticket.delivery)?;
        self.judge_admission(transaction.write(self).await?, head, message)
    }

    /// Admits a message on the number after `head.last_seq`.
    pub async fn admit(
        &self,
        head: &Head,
        new: &NewMessage,
        ticket: &Ticket,
    ) -> Result<Admission, StoreError> {
        if head.erasing {
            return Ok(Admission::Gone);
        }
        let (after, message, bodies) = after_admission(head, new, ticket);
        let change = admission_update(head, &after, ticket);
        let transaction = Transaction::new(self.clock().ulid()).update(
            self,
            Part::Head,
            &keys::head(head.contact_id),
            change,
        );
        let transaction = self.waiting_case(transaction, head, &message);
        let transaction =
            self.with_delivery(transaction, after.contact_id, &message, &bodies, &ticket.delivery)?;
        self.judge_admission(transaction.write(self).await?, after, message)
    }

    /// In human mode a message waits for whoever has the open case.
    fn waiting_case(&self, transaction: Transaction, head: &Head, message: &Message) -> Transaction {
        let waits = head.mode == Mode::Human && !message.no_turn;
        let Some(case_id) = head.open_case.filter(|_| waits) else { return transaction };
        let change = super::cases::unresolved().set_if_absent("waiting_since_millis", message.at);
        transaction.update(self, Part::Case, &keys::case(head.contact_id, case_id), change)
    }

    /// Adds a message, the rest of its text, and what remembers that it came (*once-in*).
    pub(super) fn with_delivery(
        &self,
        transaction: Transaction,
        contact: ContactId,
        message: &Message,
        bodies: &[String],
        delivery: &Delivery,
    ) -> Result<Transaction, StoreError> {
        let transaction = self.with_message(transaction, contact, message, bodies)?;
        self.with_seen(transaction, contact, message.seq, delivery, message.at)
    }

    /// Adds what remembers that something came, or was written, beside message `seq` (*once-in*).
    pub(super) fn with_seen(
        &self,
        transaction: Transaction,
        contact: ContactId,
        seq: Seq,
        delivery: &Delivery,
        at: Timestamp,
    ) -> Result<Transaction, StoreError> {
        let seen =
            SeenItem { seen: Seen { contact_id: contact, seq }, expires_at: (at + SEEN_FOR).seconds() };
        let forgotten = Expression::new().if_absent_or_less("expires_at", at.seconds() + 1);
        Ok(transaction.put(self, Part::Seen, &keys::seen(delivery), to_item(seen, "seen")?, forgotten))
    }

    /// Adds a message and the rest of its text, all of them absent before.
    pub(super) fn with_message(
        &self,
        transaction: Transaction,
        contact: ContactId,
        message: &Message,
        bodies: &[String],
    ) -> Result<Transaction, StoreError> {
        let item = to_item(message, "message")?;
        let mut transaction =
            transaction.create(self, Part::Message, &keys::message(contact, message.seq), item);
        for (n, body) in bodies.iter().enumerate() {
            let item = to_item(Body { text: body.clone() }, "body")?;
            transaction = transaction.create(self, Part::Beside, &keys::body(contact, message.seq, n), item);
        }
        Ok(transaction)
    }

    /// A failed `SEEN` outranks a failed `HEAD`: a redelivery is a duplicate wherever the thread stands.
    fn judge_admission(
        &self,
        written: Written,
        head: Head,
        message: Message,
    ) -> Result<Admission, StoreError> {
        let lost = match written {
            Written::Done => return Ok(Admission::Admitted(Box::new(Admitted { head, message }))),
            Written::Lost(lost) => lost,
        };
        if let Some(seen) = found(&lost, Part::Seen) {
            return Ok(Admission::Duplicate(from_item(seen.clone(), "seen")?));
        }
        if lost.iter().any(|lost| lost.part == Part::Identity) {
            return Ok(Admission::Moved);
        }
        match found(&lost, Part::Head) {
            Some(item) if !item.contains_key("erasing") => Ok(Admission::Moved),
            None if lost.iter().all(|lost| lost.part != Part::Head) => Ok(Admission::Moved),
            _ => Ok(Admission::Gone),
        }
    }
}

/// The rest of a long message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Body {
    pub(crate) text: String,
}

pub(crate) fn found(lost: &[Lost], part: Part) -> Option<&Item> {
    lost.iter().find(|lost| lost.part == part).and_then(|lost| lost.found.as_ref())
}

fn after_admission(before: &Head, new: &NewMessage, ticket: &Ticket) -> (Head, Message, Vec<String>) {
    let seq = before.last_seq.next();
    let parts = Parts::of(&new.text, new.message_chars);
    let (channel, account) = (new.channel, new.account.clone());
    let message = Message {
        attachments: new.attachments.clone(),
        no_turn: new.no_turn,
        epoch: before.epoch,
        ..Message::new(seq, Author::Customer, channel, account, &parts, new.at)
    };
    (moved_by(before, &message, ticket), message, parts.bodies)
}

/// The head after the admission of `message`.
fn moved_by(before: &Head, message: &Message, ticket: &Ticket) -> Head {
    let mut head = Head { last_seq: message.seq, ..before.clone() };
    let nothing_waits = before.last_customer_seq <= before.settled_seq;
    if !message.no_turn {
        head.last_customer_seq = message.seq;
    }
    if before.mode == Mode::Human || (message.no_turn && nothing_waits) {
        head.settled_seq = message.seq;
        let waits_for_a_person = before.mode == Mode::Human && before.open_case.is_none() && !message.no_turn;
        head.asked_since = before.asked_since.or(waits_for_a_person.then_some(message.at));
    } else if !message.no_turn {
        head.waiting_since = before.waiting_since.or(Some(message.at));
        if let Some(lease) = ticket.lease {
            head.turn_owner = Some(lease.owner);
            head.turn_until = Some(lease.until);
            head.turn_seq = message.seq;
            head.turn_reads = lease.reads;
            head.turn_tries = before.tries_with(message.seq);
        }
    }
    head
}

fn admission_update(before: &Head, after: &Head, ticket: &Ticket) -> Expression {
    let mut change = Expression::new()
        .if_equal("last_seq", before.last_seq)
        .if_equal("epoch", before.epoch)
        .if_equal("mode", before.mode)
        .if_equal("settled_seq", before.settled_seq)
        .if_absent("erasing")
        .if_absent("joined_into")
        .set("last_seq", after.last_seq)
        .set("last_customer_seq", after.last_customer_seq);
    if after.settled_seq != before.settled_seq {
        change = change.set("settled_seq", after.settled_seq);
    }
    if let Some(since) = after.waiting_since.filter(|_| before.waiting_since.is_none()) {
        change = List::Waiting.put(change.set("waiting_since_millis", since), after.contact_id, since);
    }
    if let Some(since) = after.asked_since {
        change = change.set_if_absent("asked_since_millis", since);
    }
    if ticket.lease.is_some() && after.turn_seq == after.last_seq {
        change = change
            .set("turn_owner", after.turn_owner)
            .set("turn_until_millis", after.turn_until)
            .set("turn_seq", after.turn_seq)
            .set("turn_reads", after.turn_reads)
            .set("turn_tries", after.turn_tries);
    }
    change
}

/// Nothing waits for the bot any more.
pub(crate) fn no_longer_waiting(change: Expression) -> Expression {
    change.remove("waiting_since_millis")
}
