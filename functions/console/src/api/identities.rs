//! Who is who: identities of a customer, two customers that are one, and a customer who is to go.

use super::ApiError;
use super::customers::{At, named};
use super::threads::body;
use crate::Console;
use crate::caller::Caller;
use crate::pages::{JOIN, may_link};
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::{Extension, Json};
use carryover_shared::api::Problem;
use carryover_shared::contact::Identity;
use carryover_shared::desk;
use carryover_shared::handoff::Refused;
use serde::Deserialize;
use utoipa::ToSchema;

/// An identity.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    /// `tel:+15551234567`, say.
    identity: String,
}

fn given(given: Result<Json<Given>, JsonRejection>) -> Result<Identity, ApiError> {
    let identity: Result<Identity, _> = body(given)?.identity.trim().parse();
    Ok(identity.map_err(|error| Problem::bad("identity", format!("{error}.")))?)
}

/// Adds an identity that nobody has: whoever writes from there next is known as this customer. The login of a site
/// (`chat:`) is given by admins only.
#[utoipa::path(
    post, path = "/v1/customers/{identity}/identities", tag = "customers",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Given,
    responses((status = 204), (status = 400), (status = 403), (status = 404), (status = 409, description = "Another customer's"))
)]
pub(super) async fn link(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
    body: Result<Json<Given>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let (contact, identity) = (named(&console, at).await?.contact, given(body)?);
    may_link(&caller, &identity)?;
    desk::link(&console.desk, contact, &caller.operator, &identity).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes an identity from a customer who keeps another one: whoever writes from there next is somebody new.
#[utoipa::path(
    post, path = "/v1/customers/{identity}/unlink", tag = "customers",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Given,
    responses((status = 204), (status = 400), (status = 404), (status = 409, description = "Not theirs, or their only one"))
)]
pub(super) async fn unlink(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
    body: Result<Json<Given>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let (contact, identity) = (named(&console, at).await?.contact, given(body)?);
    desk::unlink(&console.desk, contact, &caller.operator, &identity).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Joins the customer who has the given identity into this one, for good: their identities, records and memories are
/// this one's from then on. Admins only.
#[utoipa::path(
    post, path = "/v1/customers/{identity}/join", tag = "customers",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Given,
    responses((status = 204), (status = 400), (status = 403), (status = 404), (status = 409, description = "The other one has a case, a person or a message that waits, or there is too much of both"))
)]
pub(super) async fn join(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
    body: Result<Json<Given>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    admin(&caller, JOIN)?;
    let (contact, identity) = (named(&console, at).await?.contact, given(body)?);
    desk::join(&console.desk, contact, &caller.operator, &identity).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Erases a customer everywhere: nobody finds them from now on, and within minutes everything of theirs is deleted.
/// Admins only.
#[utoipa::path(
    delete, path = "/v1/customers/{identity}", tag = "customers",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 202, description = "It has begun"), (status = 403), (status = 404))
)]
pub(super) async fn erase(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
) -> Result<StatusCode, ApiError> {
    admin(&caller, "erase a customer")?;
    let contact = named(&console, at).await?.contact;
    desk::erase(&console.desk, contact).await?;
    tracing::info!(%contact, by = %caller.operator, "an erasure was asked for");
    Ok(StatusCode::ACCEPTED)
}

fn admin(caller: &Caller, what: &'static str) -> Result<(), ApiError> {
    caller.is_admin().then_some(()).ok_or_else(|| ApiError::refused(Refused::AdminsOnly { what }))
}
