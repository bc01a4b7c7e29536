//! `/v1/cases` and what is done with one case.

use super::ApiError;
use super::threads::{Thread, body, page_size};
use super::views::{CaseView, Page, StateQuery, priorities};
use crate::Console;
use crate::caller::Caller;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use carryover_shared::api::Problem;
use carryover_shared::case::{self, Labels, Priority};
use carryover_shared::desk::{self, Asked, Tab};
use carryover_shared::handoff::{self, Shown};
use carryover_shared::operator::Operator;
use carryover_shared::thread::Seq;
use serde::Deserialize;
use ulid::Ulid;
use utoipa::{IntoParams, ToSchema};

/// Which cases.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Cases {
    /// The state; unresolved ones without it.
    #[param(inline)]
    state: Option<StateQuery>,
    /// Words that identity, name, case or brief must contain.
    q: Option<String>,
    /// Where an earlier page ended.
    cursor: Option<String>,
    /// Items, 1 to 100; 25 without it.
    limit: Option<usize>,
}

/// Cases of all customers: unresolved ones the oldest first, resolved ones the newest first.
#[utoipa::path(get, path = "/v1/cases", tag = "cases", params(Cases), responses((status = 200, body = Page<CaseView>)))]
pub(super) async fn list(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    asked: Result<Query<Cases>, QueryRejection>,
) -> Result<Json<Page<CaseView>>, ApiError> {
    let Query(asked) = asked?;
    let state = asked.state.unwrap_or(StateQuery::Unresolved);
    let tab = if matches!(state, StateQuery::Resolved) { Tab::Resolved } else { Tab::NeedsAPerson };
    let found = desk::inbox(
        &console.desk,
        Asked {
            cases: Some(state.one()),
            search: asked.q.as_deref(),
            after: asked.cursor.as_deref().map(str::parse).transpose()?,
            limit: page_size(asked.limit)?,
            ..Asked::of(tab, &caller.operator)
        },
    )
    .await?;
    let items = found.rows.iter().filter_map(CaseView::of_row).collect();
    Ok(Json(Page { items, next: found.next.map(|cursor| cursor.to_string()) }))
}

/// The case in a path.
type Place = Result<Path<(String, Ulid)>, PathRejection>;

async fn place(console: &Console, place: Place) -> Result<(Thread, Ulid), ApiError> {
    let Path((identity, case_id)) = place?;
    Ok((Thread::named(console, &identity).await?, case_id))
}

/// The newest message that the operator saw.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Resolve {
    /// The thread's `last_customer_seq` as it was shown; with it a newer message stops the move.
    seen: Option<u64>,
    /// The thread's `epoch` as it was shown; with it another operator's move stops this one.
    epoch: Option<u64>,
}

/// Resolves a case and leaves the thread to whoever has it.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/cases/{case_id}/resolve", tag = "cases",
    params(("identity" = String, Path, description = "chat:<sub>, tel:+…, email:…, or the contact's id"),
        ("case_id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Resolve,
    responses((status = 204), (status = 404), (status = 409, description = "Resolved already, or a new message came"))
)]
pub(super) async fn resolve(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: Place,
    given: Result<Json<Resolve>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let (thread, case_id) = place(&console, at).await?;
    let Resolve { seen, epoch } = body(given)?;
    let shown = Shown { seen: seen.map(Seq), epoch };
    handoff::resolve(&console.desk, thread.contact, &caller.operator, case_id, shown).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Opens a resolved case again and takes its thread.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/cases/{case_id}/reopen", tag = "cases",
    params(("identity" = String, Path), ("case_id" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 204), (status = 404), (status = 409, description = "Not resolved, or somebody has the thread"))
)]
pub(super) async fn reopen(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: Place,
) -> Result<StatusCode, ApiError> {
    let (thread, case_id) = place(&console, at).await?;
    handoff::reopen(&console.desk, thread.contact, &caller.operator, case_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// To whom a case goes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Assign {
    /// The operator; null gives it to nobody.
    to: Option<String>,
}

/// Gives a case to an operator, or to nobody.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/cases/{case_id}/assign", tag = "cases",
    params(("identity" = String, Path), ("case_id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Assign,
    responses((status = 204), (status = 404), (status = 409, description = "Resolved already"))
)]
pub(super) async fn assign(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: Place,
    given: Result<Json<Assign>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let (thread, case_id) = place(&console, at).await?;
    let to = body(given)?.to.map(|name| Operator::new(name.trim())).transpose();
    let to = to.map_err(|error| Problem::bad("to", format!("to: {error}.")))?;
    handoff::assign(&console.desk, thread.contact, &caller.operator, case_id, to.as_ref()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How soon a case wants a person, and its labels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Label {
    /// How soon.
    #[schema(schema_with = priorities)]
    priority: Priority,
    /// Labels, at most 10 of at most 40 characters.
    #[serde(default)]
    tags: Vec<String>,
    /// The case's `labelled` as it was shown; with it another operator's change stops this one.
    labelled: Option<u32>,
}

/// Sets priority and tags of a case.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/cases/{case_id}/label", tag = "cases",
    params(("identity" = String, Path), ("case_id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Label,
    responses((status = 204), (status = 400), (status = 404), (status = 409, description = "Another operator changed them"))
)]
pub(super) async fn label(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: Place,
    given: Result<Json<Label>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let (thread, case_id) = place(&console, at).await?;
    let Label { priority, tags, labelled } = body(given)?;
    let tags = case::tags(&tags).map_err(|error| Problem::bad("tags", format!("{error}.")))?;
    let labels = Labels { priority, tags };
    handoff::label(&console.desk, thread.contact, &caller.operator, case_id, &labels, labelled).await?;
    Ok(StatusCode::NO_CONTENT)
}
