//! The operators' JSON API: the same as the pages, for programs. Described at `/v1/openapi.json`.

mod cases;
mod customers;
mod error;
mod flags;
mod health;
mod identities;
mod identity;
mod memories;
mod once;
mod threads;
mod traces;
mod views;

pub use error::ApiError;
pub use identity::with_whole_identity;
pub(crate) use once::name as write_name;

use crate::Console;
use crate::caller::Caller;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router, middleware};
use carryover_shared::api::Problem;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Where the document is; the only path here that everybody may read.
const DOCUMENT: &str = "/v1/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Carryover",
        description = "Threads, cases, customers and the moves that operators make. The bearer is an operator's ID token. Every \
            write wants an `Idempotency-Key`: the same key again is answered alike and changes nothing."
    ),
    modifiers(&BearerIsAnIdToken),
    security(("id_token" = []))
)]
struct Description;

struct BearerIsAnIdToken;

impl Modify for BearerIsAnIdToken {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("id_token", SecurityScheme::Http(bearer));
    }
}

/// Everything under `/v1/`.
pub fn router(console: &Console) -> Router<Console> {
    let (routes, document) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(cases::list))
        .routes(routes!(health::show))
        .routes(routes!(health::redrive))
        .routes(routes!(threads::list))
        .routes(routes!(threads::get))
        .routes(routes!(threads::messages, threads::say))
        .routes(routes!(threads::notes, threads::note))
        .routes(routes!(threads::take_over))
        .routes(routes!(threads::hand_back))
        .routes(routes!(threads::flag, threads::unflag))
        .routes(routes!(flags::list))
        .routes(routes!(memories::list))
        .routes(routes!(memories::forget))
        .routes(routes!(traces::get))
        .routes(routes!(cases::resolve))
        .routes(routes!(cases::reopen))
        .routes(routes!(cases::assign))
        .routes(routes!(cases::label))
        .routes(routes!(customers::get, identities::erase))
        .routes(routes!(customers::open))
        .routes(routes!(customers::edit))
        .routes(routes!(identities::link))
        .routes(routes!(identities::unlink))
        .routes(routes!(identities::join))
        .split_for_parts();
    routes
        .route(DOCUMENT, get(async move || Json(document)))
        .route("/v1", any(nothing))
        .route("/v1/", any(nothing))
        .route("/v1/{*path}", any(nothing))
        .method_not_allowed_fallback(async || {
            ApiError::from(Problem::new(405, "Method not allowed", "This path is not for that."))
        })
        .layer(middleware::from_fn_with_state(console.clone(), once::once))
        .layer(middleware::from_fn_with_state(console.clone(), admit))
}

async fn nothing() -> ApiError {
    Problem::not_found().into()
}

/// Nobody comes in without an operator's ID token, whatever they ask for.
async fn admit(State(console): State<Console>, mut request: Request, next: Next) -> Response {
    if request.uri().path() == DOCUMENT {
        return next.run(request).await;
    }
    match caller(&console, bearer(request.headers())).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

async fn caller(console: &Console, token: Option<String>) -> Result<Caller, ApiError> {
    let missing = || Problem::unauthorized("The ID token of an operator is needed, as bearer.");
    Ok(console.oidc.caller(&token.ok_or_else(missing)?, None).await?)
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}
