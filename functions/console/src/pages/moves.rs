//! Forms of a conversation: each makes one move and leads back to it, or says why it was not made.

use super::conversation::{Said, failed, page};
use super::message;
use super::parts::sentence;
use crate::Console;
use crate::api::write_name;
use crate::form::{Form, Nothing};
use crate::sign_in::Session;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use carryover_shared::case::{self, Labels, Priority};
use carryover_shared::contact::ContactId;
use carryover_shared::desk::{self, NewFlag};
use carryover_shared::flag::FlagReason;
use carryover_shared::handoff::{self, MoveError, Shown};
use carryover_shared::memory::NoSuchMemory;
use carryover_shared::operator::Operator;
use carryover_shared::release::{self, Released};
use carryover_shared::similar::Wording;
use carryover_shared::thread::Seq;
use serde::Deserialize;
use std::collections::HashMap;
use std::str::FromStr;
use ulid::Ulid;

/// `GET` of an address that forms are sent to: a page that says why a move was not made is loaded again from there.
pub async fn back(_: Session, Path(names): Path<HashMap<String, String>>) -> Result<Response, Wrong> {
    let contact = contact(names.get("contact").map_or("", String::as_str))?;
    Ok(Redirect::to(&format!("/console/threads/{contact}")).into_response())
}

/// The same of a customer's page.
pub async fn back_to_customer(
    _: Session,
    Path(names): Path<HashMap<String, String>>,
) -> Result<Response, Wrong> {
    let contact = contact(names.get("contact").map_or("", String::as_str))?;
    Ok(Redirect::to(&format!("/console/customers/{contact}")).into_response())
}

/// Whose conversation a form is on.
type Whose = Path<String>;
/// Which case of whom.
type OfCase = Path<(String, String)>;
/// Which message of whom.
type OfMessage = Path<(String, u64)>;

/// Where a form leads, given what became of its move.
async fn after(
    console: &Console,
    session: &Session,
    contact: ContactId,
    moved: Result<(), MoveError>,
    draft: &str,
) -> Response {
    match moved {
        Ok(()) => Redirect::to(&format!("/console/threads/{contact}")).into_response(),
        Err(MoveError::Refused(refused)) => {
            let said = Said { refused: Some((StatusCode::CONFLICT, sentence(&refused.to_string()))), draft };
            page(console, session, contact, None, &said).await
        }
        Err(MoveError::Store(error)) => {
            tracing::error!(%error, "an operator's move could not be made");
            let text = "That could not be written just now. Try again in a moment.".to_owned();
            let said = Said { refused: Some((StatusCode::SERVICE_UNAVAILABLE, text)), draft };
            page(console, session, contact, None, &said).await
        }
    }
}

/// A form that cannot be taken as it is.
#[derive(Debug)]
pub struct Wrong(StatusCode, String);

impl IntoResponse for Wrong {
    fn into_response(self) -> Response {
        message::refused(self.0, &self.1)
    }
}

fn bad(text: &str) -> Wrong {
    Wrong(StatusCode::BAD_REQUEST, sentence(text))
}

fn contact(name: &str) -> Result<ContactId, Wrong> {
    ContactId::from_str(name).map_err(|_| Wrong(StatusCode::NOT_FOUND, "There is no such customer.".into()))
}

fn case_of((name, case_id): &(String, String)) -> Result<(ContactId, Ulid), Wrong> {
    let no_case = |_| Wrong(StatusCode::NOT_FOUND, "There is no such case.".into());
    Ok((contact(name)?, Ulid::from_string(case_id).map_err(no_case)?))
}

/// `POST …/take-over`.
pub async fn take_over(
    State(console): State<Console>,
    Path(whose): Whose,
    Form { session, .. }: Form<Nothing>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let moved = handoff::take_over(&console.desk, contact, &session.caller.operator).await;
    Ok(after(&console, &session, contact, moved, "").await)
}

/// How a thread is handed back.
#[derive(Debug, Deserialize)]
pub struct HandBack {
    resolve: bool,
    seen: u64,
    epoch: u64,
}

/// `POST …/hand-back`.
pub async fn hand_back(
    State(console): State<Console>,
    Path(whose): Whose,
    Form { session, fields }: Form<HandBack>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let HandBack { resolve, seen, epoch } = fields;
    let shown = Shown { seen: Some(Seq(seen)), epoch: Some(epoch) };
    let operator = &session.caller.operator;
    let moved = handoff::hand_back(&console.desk, contact, operator, resolve, shown).await;
    Ok(after(&console, &session, contact, moved.map(|_| ()), "").await)
}

/// A reply.
#[derive(Debug, Deserialize)]
pub struct Reply {
    text: String,
    /// Makes it one reply, however often the button is pressed.
    key: Ulid,
}

/// `POST …/messages`.
pub async fn say(
    State(console): State<Console>,
    Path(whose): Whose,
    Form { session, fields }: Form<Reply>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let once = write_name(&session.caller, &format!("form {}", fields.key));
    let text = lines(&fields.text);
    let said = handoff::say(&console.desk, contact, &session.caller.operator, &text, Some(&once)).await;
    Ok(after(&console, &session, contact, said.map(|_| ()), &text).await)
}

/// A note.
#[derive(Debug, Deserialize)]
pub struct NewNote {
    text: String,
    /// Makes it one note, however often the button is pressed.
    key: Ulid,
}

/// `POST …/notes`.
pub async fn note(
    State(console): State<Console>,
    Path(whose): Whose,
    Form { session, fields }: Form<NewNote>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let text = lines(&fields.text);
    let once = write_name(&session.caller, &format!("note {}", fields.key));
    let noted = handoff::note(&console.desk, contact, &session.caller.operator, &text, Some(&once)).await;
    Ok(after(&console, &session, contact, noted.map(|_| ()), "").await)
}

/// A flag; without anything it is one click.
#[derive(Debug, Deserialize)]
pub struct FlagForm {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    note: String,
}

/// `POST …/messages/{seq}/flag`.
pub async fn flag(
    State(console): State<Console>,
    Path((whose, seq)): OfMessage,
    Form { session, fields }: Form<FlagForm>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let reason = FlagReason::ALL.into_iter().find(|reason| reason.code() == fields.reason);
    let new = NewFlag { reason, note: lines(&fields.note) };
    let flagged = desk::flag(&console.desk, contact, &session.caller.operator, Seq(seq), new).await;
    Ok(after_message(&console, &session, contact, seq, flagged.map(|_| ())).await)
}

/// `POST …/messages/{seq}/flag/withdraw`.
pub async fn unflag(
    State(console): State<Console>,
    Path((whose, seq)): OfMessage,
    Form { session, .. }: Form<Nothing>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let taken_back = desk::unflag(&console.desk, contact, &session.caller.operator, Seq(seq)).await;
    Ok(after_message(&console, &session, contact, seq, taken_back).await)
}

async fn after_message(
    console: &Console,
    session: &Session,
    contact: ContactId,
    seq: u64,
    moved: Result<(), MoveError>,
) -> Response {
    match moved {
        Ok(()) => Redirect::to(&format!("/console/threads/{contact}#m{seq}")).into_response(),
        moved => after(console, session, contact, moved, "").await,
    }
}

/// Which memory.
#[derive(Debug, Deserialize)]
pub struct Forget {
    origin: String,
}

/// `POST …/memories/forget`.
pub async fn forget(
    State(console): State<Console>,
    Path(whose): Whose,
    Form { session, fields }: Form<Forget>,
) -> Result<Response, Wrong> {
    let contact = contact(&whose)?;
    let origin = fields.origin.parse().map_err(|error: NoSuchMemory| bad(&error.to_string()))?;
    let forgotten = desk::forget_memory(&console.desk, contact, origin).await;
    Ok(after(&console, &session, contact, forgotten, "").await)
}

/// A resolved case in an operator's words.
#[derive(Debug, Deserialize)]
pub struct Release {
    problem: String,
    solution: String,
}

/// `POST …/cases/{case}/release`: says in which words it joins the past cases.
pub async fn release(
    State(console): State<Console>,
    Path(names): OfCase,
    Form { fields: Release { problem, solution }, .. }: Form<Release>,
) -> Result<Response, Wrong> {
    let (contact, case_id) = case_of(&names)?;
    let (store, limits) = (&console.desk.store, &console.desk.limits);
    let wording = Wording { problem: lines(&problem), solution: lines(&solution) };
    Ok(match release::release(store, limits, contact, case_id, &wording).await {
        Ok(Released::Done(Wording { problem, solution })) => {
            let text = format!(
                "It joins the past cases with the next build of their index, as: {problem} → {solution}"
            );
            let back = format!("/console/threads/{contact}");
            message::page(StatusCode::OK, "Released", &text, Some(("Back to the conversation", &back)))
        }
        Ok(Released::Refused(fault)) => return Err(bad(&fault.to_string())),
        Ok(Released::NotResolved) => return Err(bad("only a resolved case can be released")),
        Ok(Released::NoSuchCase | Released::Gone) => message::not_found().await,
        Err(error) => failed(&error),
    })
}

/// Browsers send line ends as two characters.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// What resolves a case: the newest message that the page showed.
#[derive(Debug, Deserialize)]
pub struct Resolve {
    seen: u64,
    epoch: u64,
}

/// `POST …/cases/{case}/resolve`.
pub async fn resolve(
    State(console): State<Console>,
    Path(names): OfCase,
    Form { session, fields }: Form<Resolve>,
) -> Result<Response, Wrong> {
    let (contact, case_id) = case_of(&names)?;
    let operator = &session.caller.operator;
    let shown = Shown { seen: Some(Seq(fields.seen)), epoch: Some(fields.epoch) };
    let moved = handoff::resolve(&console.desk, contact, operator, case_id, shown).await;
    Ok(after(&console, &session, contact, moved, "").await)
}

/// `POST …/cases/{case}/reopen`.
pub async fn reopen(
    State(console): State<Console>,
    Path(names): OfCase,
    Form { session, .. }: Form<Nothing>,
) -> Result<Response, Wrong> {
    let (contact, case_id) = case_of(&names)?;
    let moved = handoff::reopen(&console.desk, contact, &session.caller.operator, case_id).await;
    Ok(after(&console, &session, contact, moved, "").await)
}

/// To whom a case goes; to nobody if empty.
#[derive(Debug, Deserialize)]
pub struct Assign {
    to: String,
}

/// `POST …/cases/{case}/assign`.
pub async fn assign(
    State(console): State<Console>,
    Path(names): OfCase,
    Form { session, fields }: Form<Assign>,
) -> Result<Response, Wrong> {
    let (contact, case_id) = case_of(&names)?;
    let to = match fields.to.trim() {
        "" => None,
        name => Some(Operator::new(name).map_err(|error| bad(&error.to_string()))?),
    };
    let operator = &session.caller.operator;
    let moved = handoff::assign(&console.desk, contact, operator, case_id, to.as_ref()).await;
    Ok(after(&console, &session, contact, moved, "").await)
}

/// How soon a case wants a person, and its tags.
#[derive(Debug, Deserialize)]
pub struct Label {
    priority: Priority,
    tags: String,
    /// How often the page's labels had been set.
    labelled: u32,
}

/// `POST …/cases/{case}/label`.
pub async fn label(
    State(console): State<Console>,
    Path(names): OfCase,
    Form { session, fields }: Form<Label>,
) -> Result<Response, Wrong> {
    let (contact, case_id) = case_of(&names)?;
    let given = fields.tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    let tags = case::tags(given).map_err(|error| bad(&error.to_string()))?;
    let (operator, labels) = (&session.caller.operator, Labels { priority: fields.priority, tags });
    let shown = Some(fields.labelled);
    let moved = handoff::label(&console.desk, contact, operator, case_id, &labels, shown).await;
    Ok(after(&console, &session, contact, moved, "").await)
}
