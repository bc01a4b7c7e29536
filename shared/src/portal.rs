//! The customer portal: what customers open, rate and set themselves.
//!
//! Whose it is comes from a verified token (*isolation*). A request is a record like those of account systems, which
//! may take it over; what the customer wrote in it stays their words ([`facts::WROTE`]).

use crate::contact::{Account, ContactId};
use crate::facts::read::{STATUS, is_closed, is_closed_by_customer, is_named, say};
use crate::facts::{self, AsOf, Fact, OWN};
use crate::feedback::{Feedback, Rating};
use crate::hash;
use crate::job::{Retained, RetentionJob};
use crate::store::{FactWrite, RequestWrite, StoreError};
use crate::thread::{Author, Channel, Seq};
use crate::time::Timestamp;
use crate::traits::{Event, SendError};
use crate::turn::Context;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Digits of the hash that ends such an id: enough for one contact, and few enough to be read out.
const ID_DIGITS: usize = 12;
/// The id of the record in which a customer's wishes for replies stand.
const REPLIES: &str = "replies";
/// Telling others may take this long; what was done stays done.
const SEND_TIME: Duration = Duration::from_secs(2);
/// How often a record is read again because others were faster.
const ROUNDS: u64 = 20;

/// A request as a customer opens it.
#[derive(Debug, Clone)]
pub struct NewRequest {
    /// The id that the customer's side chose: the same one is the same request.
    pub id: String,
    /// What it is about.
    pub subject: String,
    /// What they want.
    pub text: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Opened {
    /// It is open.
    New(Fact),
    /// It was opened before; the record as it is now.
    Known(Fact),
    /// It was opened before, and deleted.
    Deleted,
    /// As many are open as may be.
    TooManyOpen,
    /// The contact has as many records as it may have.
    Full,
    /// The contact is being erased, or is gone.
    Gone,
}

/// Opens a request.
///
/// # Errors
/// The table cannot be read or written.
pub async fn open_request(ctx: &Context, contact: ContactId, new: &NewRequest) -> Result<Opened, StoreError> {
    let fact = request(new, ctx.clock.now());
    Ok(match ctx.store.open_request(contact, &fact, &ctx.limits).await? {
        RequestWrite::Opened => {
            tell_opened(ctx, contact, &fact).await;
            Opened::New(fact)
        }
        RequestWrite::Known(known) => {
            // Nobody may have been told: who sends it again may have had no answer.
            if known.source == facts::PORTAL && !is_closed(&known) {
                tell_opened(ctx, contact, &known).await;
            }
            Opened::Known(*known)
        }
        RequestWrite::Deleted => Opened::Deleted,
        RequestWrite::TooManyOpen => Opened::TooManyOpen,
        RequestWrite::Full => Opened::Full,
        RequestWrite::Gone => Opened::Gone,
    })
}

fn request(new: &NewRequest, now: Timestamp) -> Fact {
    let NewRequest { id, subject, text } = new;
    let digits: String = hash::hex(id).chars().take(ID_DIGITS).collect();
    let wrote = json!({"subject": subject, "text": text});
    let data = json!({"status": "open", "opened_at": now.rfc3339(), facts::WROTE: wrote});
    let (kind, id, source) = ("request".into(), format!("{OWN}{digits}"), facts::PORTAL.into());
    Fact { kind, id, as_of: AsOf::from(now), source, data }
}

/// What became of a request that its customer closes.
#[derive(Debug, Clone, PartialEq)]
pub enum Closed {
    /// It is closed now.
    Done(Fact),
    /// It was closed before.
    Already(Fact),
    /// There is none of this id.
    NoSuchRequest,
    /// The contact is being erased, or is gone.
    Gone,
}

/// Closes a request of the contact, whoever opened it. Account systems may open it again with a newer record.
///
/// # Errors
/// The table cannot be read or written.
pub async fn close_request(ctx: &Context, contact: ContactId, id: &str) -> Result<Closed, StoreError> {
    for _ in 0..ROUNDS {
        let Some(read) = ctx.store.fact(contact, "request", id).await? else {
            return Ok(Closed::NoSuchRequest);
        };
        if is_closed(&read) {
            if is_closed_by_customer(&read) {
                tell_closed(ctx, contact, id).await;
            }
            return Ok(Closed::Already(read));
        }
        let closed = closed(&read, ctx.clock.now());
        match ctx.store.replace_fact(contact, &read, &closed).await? {
            FactWrite::Done => {
                tell_closed(ctx, contact, id).await;
                return Ok(Closed::Done(closed));
            }
            FactWrite::Gone => return Ok(Closed::Gone),
            _ => {}
        }
    }
    Err(StoreError::Contended)
}

fn closed(read: &Fact, now: Timestamp) -> Fact {
    let mut data = read.data.as_object().cloned().unwrap_or_default();
    data.retain(|field, _| !STATUS.iter().any(|status| is_named(field, status)));
    let said =
        [("status", "closed".to_owned()), ("closed_by", "customer".into()), ("closed_at", now.rfc3339())];
    data.extend(said.map(|(field, said)| (field.to_owned(), Value::String(said))));
    Fact { as_of: later(&read.as_of, now), data: Value::Object(data), ..read.clone() }
}

/// Now, or just after a record whose system's clock is ahead of ours.
pub(crate) fn later(read: &AsOf, now: Timestamp) -> AsOf {
    let now = AsOf::from(now);
    if now > *read { now } else { AsOf::from(read.timestamp() + Duration::from_millis(1)) }
}

/// What became of feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rated {
    /// It is kept, in the place of what was said before.
    Done(Feedback),
    /// The thread has no such message.
    NoSuchMessage,
    /// The message is the customer's own.
    Own,
    /// They changed as much feedback in this hour as they may.
    TooMany,
    /// The contact is being erased, or is gone.
    Gone,
}

/// Keeps what a customer thinks of a message of the bot or of an operator in their thread, and has it remembered.
///
/// # Errors
/// The table cannot be read or written.
pub async fn rate(
    ctx: &Context,
    contact: ContactId,
    seq: Seq,
    (rating, text): (Rating, &str),
) -> Result<Rated, StoreError> {
    let (message, given) =
        futures::try_join!(ctx.store.message(contact, seq), ctx.store.feedback(contact, seq))?;
    match message {
        None => return Ok(Rated::NoSuchMessage),
        Some(message) if message.author == Author::Customer => return Ok(Rated::Own),
        Some(_) => {}
    }
    if let Some(same) = given.filter(|given| given.rating == rating && given.text == text) {
        return Ok(Rated::Done(same));
    }
    let now = ctx.clock.now();
    if !ctx.store.count_rating(contact, now.hour(), ctx.limits.feedback_per_hour).await? {
        return Ok(Rated::TooMany);
    }
    let feedback = Feedback { seq, rating, text: text.into(), at: now };
    if !ctx.store.put_feedback(contact, &feedback).await? {
        return Ok(Rated::Gone);
    }
    let job = RetentionJob { contact_id: contact, what: Retained::Feedback { seq } };
    within(contact, ctx.queue.send_retention(&job)).await;
    Ok(Rated::Done(feedback))
}

/// What a customer has set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The language that they prefer, as a code such as `es` or `pt-BR`.
    pub language: Option<String>,
    /// The channel that they prefer.
    pub channel: Option<Channel>,
    /// The accounts that they may hear on, each with its channel, where a message of theirs tells it.
    pub accounts: BTreeMap<Account, Option<Channel>>,
    /// Those on which they want to hear nothing.
    pub opted_out: BTreeSet<Account>,
}

/// What a customer sets; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The language; `Some(None)` is none in particular.
    pub language: Option<Option<String>>,
    /// The channel.
    pub channel: Option<Option<Channel>>,
    /// Accounts on which they want to hear nothing from now on.
    pub opt_out: BTreeSet<Account>,
    /// Accounts on which they want to hear again.
    pub opt_in: BTreeSet<Account>,
}

/// What became of a change of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// They are so now.
    Done(Settings),
    /// They never wrote to this account.
    UnknownAccount,
    /// The contact has as many records as it may have.
    Full,
    /// The contact is being erased, or is gone.
    Gone,
}

/// What a customer has set; `None` where they are gone or being erased.
///
/// # Errors
/// The table cannot be read.
pub async fn settings(ctx: &Context, contact: ContactId) -> Result<Option<Settings>, StoreError> {
    let (head, wishes, known) = futures::try_join!(
        ctx.store.head(contact),
        ctx.store.fact(contact, facts::PREFERENCE, REPLIES),
        ctx.store.written_to(contact, &ctx.limits)
    )?;
    let Some(head) = head.filter(|head| !head.erasing) else { return Ok(None) };
    let mut accounts: BTreeMap<Account, Option<Channel>> =
        known.into_iter().map(|(account, channel)| (account, Some(channel))).collect();
    for account in &head.opted_out {
        accounts.entry(account.clone()).or_default();
    }
    let said = |field| wishes.as_ref().and_then(|fact| say(fact, &[field], 64));
    let channel = said("channel").and_then(|channel| serde_json::from_value(json!(channel)).ok());
    Ok(Some(Settings { language: said("language"), channel, accounts, opted_out: head.opted_out }))
}

/// Sets what a customer wishes, all of it or nothing.
///
/// # Errors
/// The table cannot be read or written.
pub async fn set(ctx: &Context, contact: ContactId, change: &Change) -> Result<Set, StoreError> {
    let Some(before) = settings(ctx, contact).await? else { return Ok(Set::Gone) };
    let Change { opt_out, opt_in, .. } = change;
    if opt_out.union(opt_in).any(|account| !before.accounts.contains_key(account)) {
        return Ok(Set::UnknownAccount);
    }
    // First what may be refused, so that a refusal has changed nothing.
    if change.language.is_some() || change.channel.is_some() {
        match wish(ctx, contact, change).await? {
            FactWrite::Gone => return Ok(Set::Gone),
            FactWrite::Full => return Ok(Set::Full),
            _ => {}
        }
    }
    if !ctx.store.change_opt_outs(contact, opt_out, opt_in, &ctx.limits).await? {
        return Ok(Set::Gone);
    }
    Ok(settings(ctx, contact).await?.map_or(Set::Gone, Set::Done))
}

/// Keeps the wishes as a record; one that says nothing any more goes.
async fn wish(ctx: &Context, contact: ContactId, change: &Change) -> Result<FactWrite, StoreError> {
    for round in 0..ROUNDS {
        let read = ctx.store.fact(contact, facts::PREFERENCE, REPLIES).await?;
        let mut data = read.as_ref().and_then(|fact| fact.data.as_object().cloned()).unwrap_or_default();
        wished(&mut data, "language", change.language.as_ref().map(|language| json!(language)));
        wished(&mut data, "channel", change.channel.map(|channel| json!(channel)));
        // What was taken back a moment ago may stand just ahead of our clock.
        let now = ctx.clock.now() + Duration::from_millis(round);
        let as_of = read.as_ref().map_or_else(|| AsOf::from(now), |read| later(&read.as_of, now));
        let (kind, id) = (facts::PREFERENCE, REPLIES);
        let written = match (&read, data.is_empty()) {
            (None, true) => return Ok(FactWrite::Done),
            (Some(_), true) => ctx.store.delete_fact(contact, kind, id, &as_of, now).await?,
            (read, false) => {
                let source = facts::PORTAL.into();
                let (kind, id) = (kind.into(), id.into());
                let new = Fact { kind, id, as_of, source, data: Value::Object(data) };
                match read {
                    Some(read) => ctx.store.replace_fact(contact, read, &new).await?,
                    None => ctx.store.put_fact(contact, &new, &ctx.limits).await?,
                }
            }
        };
        if !matches!(written, FactWrite::Older | FactWrite::Contradicts) {
            return Ok(written);
        }
    }
    Err(StoreError::Contended)
}

fn wished(data: &mut Map<String, Value>, field: &str, wish: Option<Value>) {
    match wish {
        None => {}
        Some(Value::Null) => drop(data.remove(field)),
        Some(wish) => drop(data.insert(field.into(), wish)),
    }
}

async fn tell_opened(ctx: &Context, contact: ContactId, request: &Fact) {
    let event = Event::RequestOpened { contact_id: contact, request: request.id.clone() };
    within(contact, ctx.events.publish(&event)).await;
}

async fn tell_closed(ctx: &Context, contact: ContactId, request: &str) {
    let event = Event::RequestClosed { contact_id: contact, request: request.into() };
    within(contact, ctx.events.publish(&event)).await;
}

/// Nobody waits for a queue or a bus that hangs (*bounds*).
async fn within(contact: ContactId, send: impl Future<Output = Result<(), SendError>>) {
    match tokio::time::timeout(SEND_TIME, send).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%contact, %error, "what a customer did was not told"),
        Err(_) => tracing::warn!(%contact, "telling what a customer did took too long"),
    }
}
