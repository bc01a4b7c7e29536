//! A customer, for people: who they are, what the records say, what they thought of the answers; and what the console
//! may change of it.

use super::{Who, who};
use crate::contact::{ContactId, Identity};
use crate::facts::{self, AsOf, Fact};
use crate::feedback::Feedback;
use crate::handoff::{Context, MoveError, Refused, note, written_once};
use crate::job::Delivery;
use crate::join;
use crate::operator::Operator;
use crate::portal::later;
use crate::store::{FactWrite, StoreError};
use crate::text;
use crate::thread::Head;
use serde_json::{Map, Value, json};

/// A customer.
#[derive(Debug)]
pub struct Customer {
    /// The thread.
    pub head: Head,
    /// Who they are.
    pub who: Who,
    /// What the records say.
    pub facts: Result<Vec<Fact>, StoreError>,
    /// What they thought of the answers, newest first.
    pub feedback: Result<Vec<Feedback>, StoreError>,
}

/// Feedback that is shown.
const FEEDBACK: usize = 50;
/// Identities that are shown.
const IDENTITIES: usize = 100;

/// A customer; `None` where the contact is gone.
///
/// # Errors
/// Thread or identities cannot be read.
pub async fn customer(ctx: &Context, contact: ContactId) -> Result<Option<Customer>, StoreError> {
    let store = &ctx.store;
    let Some(head) = store.head(contact).await?.filter(|head| !head.erasing) else { return Ok(None) };
    let (who, identities, facts, feedback) = futures::join!(
        who(store, contact),
        store.first_identities(contact, IDENTITIES),
        store.facts(contact, &ctx.limits),
        store.feedback_of(contact, FEEDBACK)
    );
    let who = Who { identities: identities?, ..who? };
    Ok(Some(Customer { head, who, facts, feedback }))
}

/// Whether the console may change a record: one that the bot, the customer or the console itself opened. What an account
/// system pushes, that system changes.
pub fn is_ours(fact: &Fact) -> bool {
    [facts::OURS, facts::PORTAL, facts::STAFF].contains(&fact.source.as_str())
}

/// What staff say of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// How far it is.
    pub status: String,
    /// Who works on it; nobody if empty.
    pub assigned_to: String,
    /// The last note; none if empty.
    pub note: String,
}

/// Characters of each of them.
const EDIT_CHARS: usize = 500;

/// Changes what staff say of a record that is ours. What the customer wrote in it stays as it is. `shown` is as of when
/// the operator saw it, if that is known.
///
/// # Errors
/// There is no such record, it is an account system's or has changed since, a field is too long, the contact is gone, or
/// the table cannot be read or written.
pub async fn edit_record(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    (kind, id): (&str, &str),
    shown: Option<&AsOf>,
    edit: &Edit,
) -> Result<Fact, MoveError> {
    check(edit)?;
    let fact = ctx.store.fact(contact, kind, id).await?.ok_or(Refused::NoSuchRecord)?;
    if !is_ours(&fact) {
        return Err(Refused::NotOurs { system: fact.source }.into());
    }
    if shown.is_some_and(|shown| *shown != fact.as_of) {
        return Err(Refused::RecordMoved.into());
    }
    let mut data = fact.data.as_object().cloned().unwrap_or_default();
    said_by_staff(&mut data, operator, edit);
    if data.get("status") != fact.data.get("status") {
        // Who closed it, and when, was said of the status before.
        data.retain(|field, _| !field.starts_with("closed_"));
    }
    let as_of = later(&fact.as_of, ctx.clock.now());
    let new = Fact { as_of, data: Value::Object(data), ..fact.clone() };
    facts::check_data(&new.data, &ctx.limits).map_err(Refused::Record)?;
    // On what was read: a record that an account system took over meanwhile is that system's.
    let written = ctx.store.replace_fact(contact, &fact, &new).await?;
    taken(ctx, new, written)
}

/// Opens a record of ours: a request, say, that came up on the phone. Under the name `once` it is one record, however
/// often it is opened.
///
/// # Errors
/// Kind or a field cannot be taken, the contact has too many records or is gone, or the table cannot be written.
pub async fn open_record(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    (kind, title): (&str, &str),
    edit: &Edit,
    once: &Delivery,
) -> Result<Fact, MoveError> {
    check(edit)?;
    check_field("title", title)?;
    let mut data = Map::from_iter([("title".to_owned(), json!(title.trim()))]);
    said_by_staff(&mut data, operator, edit);
    let now = ctx.clock.now();
    data.insert("opened_at".into(), json!(now.rfc3339()));
    let id = format!("staff-{}", written_once("record", once));
    let fact = Fact::checked(kind, &id, AsOf::from(now), facts::STAFF, Value::Object(data), &ctx.limits);
    let fact = fact.map_err(Refused::Record)?;
    if let Some(opened) = ctx.store.fact(contact, kind, &id).await? {
        return Ok(opened);
    }
    let written = ctx.store.put_fact(contact, &fact, &ctx.limits).await?;
    taken(ctx, fact, written)
}

fn said_by_staff(data: &mut Map<String, Value>, operator: &Operator, edit: &Edit) {
    for (field, said) in
        [("status", &edit.status), ("assigned_to", &edit.assigned_to), ("last_note", &edit.note)]
    {
        match said.trim() {
            "" => data.remove(field),
            said => data.insert(field.into(), json!(said)),
        };
    }
    data.insert(facts::UPDATED_BY.into(), json!(operator.as_str()));
}

fn check(edit: &Edit) -> Result<(), Refused> {
    check_field("status", &edit.status)?;
    for (field, said) in [("assigned_to", &edit.assigned_to), ("note", &edit.note)] {
        if !said.trim().is_empty() {
            check_field(field, said)?;
        }
    }
    Ok(())
}

fn check_field(field: &'static str, said: &str) -> Result<(), Refused> {
    let is = if said.trim().is_empty() { 0 } else { text::chars(said) };
    if (1..=EDIT_CHARS).contains(&is) { Ok(()) } else { Err(Refused::Field { field, limit: EDIT_CHARS, is }) }
}

fn taken(ctx: &Context, fact: Fact, written: FactWrite) -> Result<Fact, MoveError> {
    match written {
        FactWrite::Created | FactWrite::Done => Ok(fact),
        FactWrite::Older | FactWrite::Contradicts => Err(Refused::RecordMoved.into()),
        FactWrite::Full => Err(Refused::TooManyRecords { limit: ctx.limits.facts_items }.into()),
        FactWrite::Gone => Err(Refused::Gone.into()),
    }
}

/// Adds an identity that nobody has to a customer: whoever writes from there next is known as them. A note says who did
/// it.
///
/// # Errors
/// Somebody has it, the contact is gone, or the table cannot be read or written.
pub async fn link(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    identity: &Identity,
) -> Result<(), MoveError> {
    match ctx.store.resolve(identity).await? {
        Some(owner) if owner == contact => return Ok(()),
        Some(_) => return Err(Refused::IdentityTaken.into()),
        None => {}
    }
    if !ctx.store.add_identity(contact, identity).await? {
        let is_there = ctx.store.head(contact).await?.is_some_and(|head| !head.erasing);
        return Err(if is_there { Refused::IdentityTaken } else { Refused::Gone }.into());
    }
    note(ctx, contact, operator, &format!("Linked {}.", identity.masked()), None).await.map(|_| ())
}

/// How often a customer is read again because others were faster.
const ROUNDS: usize = 20;

/// Takes an identity from a customer who is known by another one, too: whoever writes from there next is somebody new. A
/// note says who did it.
///
/// # Errors
/// It is not theirs, it is the only one, the contact is gone, or the table cannot be read or written.
pub async fn unlink(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    identity: &Identity,
) -> Result<(), MoveError> {
    for _ in 0..ROUNDS {
        let (head, identities) = futures::try_join!(ctx.store.head(contact), ctx.store.identities(contact))?;
        let head = head.filter(|head| !head.erasing).ok_or(Refused::Gone)?;
        if !identities.contains(identity) {
            return Err(Refused::NotTheirs.into());
        }
        if identities.len() == 1 {
            return Err(Refused::LastIdentity.into());
        }
        if ctx.store.remove_identity(&head, identity).await? {
            return unlinked(ctx, contact, operator, identity).await;
        }
    }
    Err(StoreError::Contended.into())
}

async fn unlinked(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    identity: &Identity,
) -> Result<(), MoveError> {
    note(ctx, contact, operator, &format!("Unlinked {}.", identity.masked()), None).await.map(|_| ())
}

/// Joins the customer who has an identity into another one.
///
/// # Errors
/// Nobody has it, they cannot be joined, or the table cannot be read or written.
pub async fn join(
    ctx: &Context,
    into: ContactId,
    operator: &Operator,
    identity: &Identity,
) -> Result<(), MoveError> {
    match ctx.store.resolve(identity).await? {
        Some(from) if from == into => Ok(()),
        Some(from) => join::join(ctx, into, from, operator).await,
        None => Err(Refused::NobodyHasIt.into()),
    }
}

/// Begins to erase a customer: nobody finds them from now on, and the eraser deletes what is kept (*erasable*).
///
/// # Errors
/// They are gone, or the table cannot be read or written.
pub async fn erase(ctx: &Context, contact: ContactId) -> Result<(), MoveError> {
    if !ctx.store.begin_erasing(contact).await? {
        return Err(Refused::Gone.into());
    }
    ctx.store.beat().await;
    Ok(())
}
