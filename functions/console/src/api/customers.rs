//! `/v1/customers`: who they are, what the records say, what they thought of the answers.

use super::ApiError;
use super::threads::{Thread, body};
use super::views::word;
use crate::Console;
use crate::caller::Caller;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use carryover_shared::api::Problem;
use carryover_shared::desk::{self, Edit};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::feedback::Feedback;
use carryover_shared::job::Delivery;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A customer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CustomerView {
    /// Their id.
    contact_id: String,
    /// Their name, where a profile says one.
    name: Option<String>,
    /// How they write to us.
    identities: Vec<String>,
    /// Accounts on which they want to hear nothing.
    opted_out: Vec<String>,
    /// The agent that answers them, where it is not the account's.
    agent: Option<String>,
    /// What the records say.
    records: Vec<RecordView>,
    /// What they thought of the answers, newest first; at most 50.
    feedback: Vec<FeedbackView>,
}

/// A record of an account system, or of ours.
#[derive(Debug, Serialize, ToSchema)]
struct RecordView {
    /// What it is.
    kind: String,
    /// Its id in the account system.
    id: String,
    /// Which system says so.
    source: String,
    /// Since when it is so, by that system's clock.
    as_of: String,
    /// Whether it can be changed here; what an account system pushes is changed there.
    is_ours: bool,
    /// What it says; what stands under `customer_wrote` is the customer's and no record's.
    data: Value,
}

impl From<Fact> for RecordView {
    fn from(fact: Fact) -> Self {
        Self {
            is_ours: desk::is_ours(&fact),
            as_of: fact.as_of.rfc3339(),
            kind: fact.kind,
            id: fact.id,
            source: fact.source,
            data: fact.data,
        }
    }
}

/// What a customer thought of a message.
#[derive(Debug, Serialize, ToSchema)]
struct FeedbackView {
    /// The message.
    seq: u64,
    /// `up` or `down`.
    rating: String,
    /// In their words.
    text: String,
    /// RFC 3339.
    at: String,
}

impl From<Feedback> for FeedbackView {
    fn from(feedback: Feedback) -> Self {
        Self {
            seq: feedback.seq.0,
            rating: word(feedback.rating),
            text: feedback.text,
            at: feedback.at.rfc3339(),
        }
    }
}

pub(super) type At = Result<Path<String>, PathRejection>;

pub(super) async fn named(console: &Console, at: At) -> Result<Thread, ApiError> {
    Thread::named(console, &at?.0).await
}

/// A customer with their records and their feedback.
#[utoipa::path(
    get, path = "/v1/customers/{identity}", tag = "customers",
    params(("identity" = String, Path, description = "chat:<sub>, tel:+…, email:…, or the contact's id")),
    responses((status = 200, body = CustomerView), (status = 404))
)]
pub(super) async fn get(State(console): State<Console>, at: At) -> Result<Json<CustomerView>, ApiError> {
    let contact = named(&console, at).await?.contact;
    let customer = desk::customer(&console.desk, contact).await?.ok_or_else(Problem::not_found)?;
    Ok(Json(CustomerView {
        contact_id: contact.to_string(),
        identities: customer.who.identities.iter().map(ToString::to_string).collect(),
        name: customer.who.name,
        opted_out: customer.head.opted_out.iter().map(ToString::to_string).collect(),
        agent: customer.head.agent,
        records: customer.facts?.into_iter().map(RecordView::from).collect(),
        feedback: customer.feedback?.into_iter().map(FeedbackView::from).collect(),
    }))
}

/// What staff say of a record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    /// How far it is, 1 to 500 characters.
    status: String,
    /// Who works on it; nobody without it.
    #[serde(default)]
    assigned_to: String,
    /// The last note, which the bot may tell; none without it.
    #[serde(default)]
    note: String,
    /// The record's own when it was read: one that has changed since is left as it is.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    as_of: Option<AsOf>,
}

/// A new record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRecord {
    /// `request`, `appointment`, `qualification` or any other word.
    kind: String,
    /// What it is about, 1 to 500 characters.
    title: String,
    /// How far it is, 1 to 500 characters.
    status: String,
    /// Who works on it; nobody without it.
    #[serde(default)]
    assigned_to: String,
    /// The last note, which the bot may tell; none without it.
    #[serde(default)]
    note: String,
}

/// The record that was opened.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Opened {
    /// Its id.
    id: String,
    /// RFC 3339.
    as_of: String,
}

/// Opens a record of ours: a request, say, that came up on the phone.
#[utoipa::path(
    post, path = "/v1/customers/{identity}/records", tag = "customers",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = NewRecord,
    responses((status = 201, body = Opened), (status = 400), (status = 404), (status = 409, description = "There are as many records as there may be"))
)]
pub(super) async fn open(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    Extension(once): Extension<Delivery>,
    at: At,
    given: Result<Json<NewRecord>, JsonRejection>,
) -> Result<(StatusCode, Json<Opened>), ApiError> {
    let contact = named(&console, at).await?.contact;
    let NewRecord { kind, title, status, assigned_to, note } = body(given)?;
    let (operator, edit) = (&caller.operator, Edit { status, assigned_to, note });
    let fact = desk::open_record(&console.desk, contact, operator, (&kind, &title), &edit, &once).await?;
    Ok((StatusCode::CREATED, Json(Opened { as_of: fact.as_of.rfc3339(), id: fact.id })))
}

/// Says what staff say of a record of ours, in the place of what they said before.
#[utoipa::path(
    put, path = "/v1/customers/{identity}/records/{kind}/{id}", tag = "customers",
    params(("identity" = String, Path), ("kind" = String, Path), ("id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Said,
    responses((status = 204), (status = 400), (status = 404), (status = 409, description = "An account system's, or a newer record came"))
)]
pub(super) async fn edit(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: Result<Path<(String, String, String)>, PathRejection>,
    given: Result<Json<Said>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let Path((identity, kind, id)) = at?;
    let contact = Thread::named(&console, &identity).await?.contact;
    let Said { status, assigned_to, note, as_of } = body(given)?;
    let edit = Edit { status, assigned_to, note };
    let operator = &caller.operator;
    desk::edit_record(&console.desk, contact, operator, (&kind, &id), as_of.as_ref(), &edit).await?;
    Ok(StatusCode::NO_CONTENT)
}
