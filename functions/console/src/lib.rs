//! The operators' web console and the JSON API: what people who work beside the bot see and do.
//!
//! An [`axum`] router in process, behind the events of an HTTP API. It holds no decision about threads: those are the
//! use cases of [`carryover_shared::handoff`].

pub mod api;
pub mod assets;
pub mod caller;
pub mod config;
pub mod form;
pub mod headers;
pub mod lambda;
pub mod pages;
pub mod sign_in;

use axum::Router;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use carryover_shared::time::Timestamp;
use carryover_shared::{handoff, health};
use config::Settings;
use sign_in::{Oidc, Session, Signer};
use std::sync::Arc;
use tower::Layer;
use tower::util::MapRequestLayer;

/// What pages and API need; built once, at start.
#[derive(Clone)]
pub struct Console {
    /// Threads, cases and the moves that operators make.
    pub desk: handoff::Context,
    /// How the deployment is.
    pub health: health::Context,
    /// Says who somebody is.
    pub oidc: Arc<Oidc>,
    /// Signs sessions.
    pub signer: Signer,
    /// The address under which browsers reach the console, without a slash at its end.
    pub public_url: Arc<str>,
    /// Whether a Hindsight server keeps memories, which the console does not list.
    pub has_hindsight: bool,
}

impl Console {
    /// One over these threads.
    pub fn new(
        desk: handoff::Context,
        health: health::Context,
        settings: Settings,
        http: reqwest::Client,
    ) -> Self {
        Self {
            desk,
            health,
            signer: Signer::new(settings.session_secret, &settings.public_url),
            oidc: Arc::new(Oidc::new(settings.provider, http)),
            public_url: settings.public_url.into(),
            has_hindsight: settings.has_hindsight,
        }
    }

    fn now(&self) -> Timestamp {
        self.desk.clock.now()
    }
}

/// Everything that is served.
pub fn router(console: Console) -> Router {
    let inner = Router::new()
        .merge(api::router(&console))
        .route("/console", get(pages::inbox::show))
        .route("/console/inbox", get(pages::inbox::part))
        .route("/console/flags", get(pages::flags::show))
        .route("/console/health", get(pages::health::show))
        .route("/console/health/queues/{queue}/redrive", post(pages::health::redrive))
        .nest("/console/threads", threads())
        .nest("/console/customers", customers())
        .route("/console/sign-in", get(sign_in::start))
        .route("/console/sign-in/callback", get(sign_in::finish))
        .route("/console/sign-out", post(sign_in::end))
        .route("/console/signed-out", get(sign_in::signed_out))
        .route("/console/assets/{name}", get(assets::get))
        .method_not_allowed_fallback(pages::message::other_method)
        .fallback(nowhere)
        .layer(from_fn_with_state(console.clone(), headers::secure))
        .with_state(console);
    // Around the router: it matches what the path has become.
    Router::new().fallback_service(MapRequestLayer::new(api::with_whole_identity).layer(inner))
}

/// There is nothing at this address; of the console nobody without a session hears even that.
async fn nowhere(State(console): State<Console>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match parts.uri.path() {
        "/" => Redirect::to("/console").into_response(),
        path if path.starts_with("/console") => match Session::from_request_parts(&mut parts, &console).await
        {
            Ok(_) => pages::message::not_found().await,
            Err(elsewhere) => elsewhere,
        },
        _ => pages::message::not_found().await,
    }
}

/// A conversation and the moves that are made in it.
fn threads() -> Router<Console> {
    use pages::{conversation, moves, notes, trace};
    Router::new()
        .route("/{contact}", get(conversation::show))
        .route("/{contact}/live", get(conversation::live))
        .route("/{contact}/earlier-notes", get(notes::show))
        .route("/{contact}/messages/{seq}", get(conversation::whole))
        .route("/{contact}/traces/{seq}/{id}", get(trace::show))
        .route("/{contact}/take-over", get(moves::back).post(moves::take_over))
        .route("/{contact}/hand-back", get(moves::back).post(moves::hand_back))
        .route("/{contact}/messages", get(moves::back).post(moves::say))
        .route("/{contact}/notes", get(moves::back).post(moves::note))
        .route("/{contact}/messages/{seq}/flag", get(moves::back).post(moves::flag))
        .route("/{contact}/messages/{seq}/flag/withdraw", get(moves::back).post(moves::unflag))
        .route("/{contact}/cases/{case}/resolve", get(moves::back).post(moves::resolve))
        .route("/{contact}/cases/{case}/reopen", get(moves::back).post(moves::reopen))
        .route("/{contact}/cases/{case}/assign", get(moves::back).post(moves::assign))
        .route("/{contact}/cases/{case}/label", get(moves::back).post(moves::label))
        .route("/{contact}/cases/{case}/release", get(moves::back).post(moves::release))
        .route("/{contact}/memories/forget", get(moves::back).post(moves::forget))
}

/// A customer and what is changed of them.
fn customers() -> Router<Console> {
    use pages::{customer, identities, moves};
    Router::new()
        .route("/{contact}", get(customer::show))
        .route("/{contact}/records", get(moves::back_to_customer).post(customer::open))
        .route("/{contact}/records/edit", get(moves::back_to_customer).post(customer::change))
        .route("/{contact}/identities", get(moves::back_to_customer).post(identities::link))
        .route("/{contact}/unlink", get(moves::back_to_customer).post(identities::unlink))
        .route("/{contact}/join", get(moves::back_to_customer).post(identities::join))
        .route("/{contact}/erase", get(moves::back_to_customer).post(identities::erase))
}
