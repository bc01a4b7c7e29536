//! Signing in: authorization code with PKCE, then a session of ours in a signed cookie.

mod provider;
mod session;

pub use provider::{Oidc, Refusal};
pub use session::{SESSION_COOKIE, Session, Signer, random};

use crate::Console;
use crate::form::{Form, Nothing};
use crate::pages::message;
use axum::extract::{FromRequestParts, OriginalUri, Query, State};
use axum::http::header::LOCATION;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::CookieJar;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;
use session::{Attempt, attempt_cookie};
use sha2::{Digest, Sha256};

/// Where the provider sends people back to.
const CALLBACK: &str = "/console/sign-in/callback";

/// Pages take it as an argument: without a session they answer 303 to the sign-in page.
impl FromRequestParts<Console> for Session {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, Response> {
        let jar = CookieJar::from_headers(&parts.headers);
        let cookie = jar.get(SESSION_COOKIE);
        let session = cookie.and_then(|cookie| console.signer.read_session(cookie.value(), console.now()));
        session.ok_or_else(|| {
            // Where routes are nested, the address is cut.
            let whole = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(whole)| whole);
            let here = whole.path_and_query().map_or("/console", |here| here.as_str());
            if parts.headers.contains_key("hx-request") {
                return reload();
            }
            begin(console, jar, if parts.method == "GET" { here } else { "/console" })
        })
    }
}

/// A part of a page is asked for by a script, which cannot follow to another site: the page is loaded anew.
fn reload() -> Response {
    (StatusCode::UNAUTHORIZED, [("hx-refresh", "true")]).into_response()
}

/// `GET /console/sign-in`: to the provider's page, and from there on to `next`.
pub async fn start(State(console): State<Console>, jar: CookieJar, Query(to): Query<Next>) -> Response {
    begin(&console, jar, to.next.as_deref().unwrap_or("/console"))
}

/// Where somebody was going.
#[derive(Debug, Deserialize)]
pub struct Next {
    next: Option<String>,
}

fn begin(console: &Console, jar: CookieJar, next: &str) -> Response {
    let begun = || {
        let attempt = Attempt { state: random().ok()?, next: ours(next).into() };
        let cookie = console.signer.attempt(&attempt, console.now())?;
        Some((cookie, authorize_url(console, &attempt)?))
    };
    match begun() {
        Some((cookie, address)) => (jar.add(cookie), see_other(&address)).into_response(),
        None => message::failed("The sign-in could not be begun."),
    }
}

/// The longest address that a sign-in leads to, in bytes: it travels in a cookie.
const NEXT_BYTES: usize = 1_000;

/// Only to pages of the console: a link must not lead people who sign in elsewhere.
fn ours(next: &str) -> &str {
    let path = next.split('?').next().unwrap_or_default();
    let is_page = path == "/console" || path.starts_with("/console/");
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let climbs = decoded.split(['/', '\\']).any(|segment| [".", ".."].contains(&segment));
    let leads_here = is_page && !climbs && !path.starts_with("/console/sign");
    if leads_here && next.len() <= NEXT_BYTES { next } else { "/console" }
}

fn authorize_url(console: &Console, attempt: &Attempt) -> Option<String> {
    let provider = console.oidc.provider();
    let challenge =
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(console.signer.verifier(attempt)?.as_bytes()));
    let nonce = console.signer.nonce(attempt)?;
    let callback = callback(console);
    let parameters = [
        ("response_type", "code"),
        ("client_id", &provider.client_id),
        ("redirect_uri", &callback),
        ("scope", "openid email profile"),
        ("state", &attempt.state),
        ("nonce", &nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let encoded =
        parameters.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    Some(format!("{}?{}", provider.authorize_url, encoded.join("&")))
}

fn callback(console: &Console) -> String {
    format!("{}{CALLBACK}", console.public_url)
}

/// What the provider sends people back with.
#[derive(Debug, Deserialize)]
pub struct Returned {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

/// `GET /console/sign-in/callback`: the provider says who somebody is, and their session begins.
pub async fn finish(
    State(console): State<Console>,
    jar: CookieJar,
    Query(returned): Query<Returned>,
) -> Response {
    if returned.error.is_some() {
        return message::refused(StatusCode::FORBIDDEN, "The sign-in was not finished.");
    }
    let name = attempt_cookie(returned.state.as_deref().unwrap_or_default());
    let attempt = jar.get(&name).and_then(|cookie| {
        console.signer.read_attempt(cookie.value(), returned.state.as_deref()?, console.now())
    });
    let (Some(attempt), Some(code)) = (attempt, returned.code) else {
        return message::refused(
            StatusCode::BAD_REQUEST,
            "This sign-in was begun elsewhere, or too long ago.",
        );
    };
    match enter(&console, &attempt, &code).await {
        Ok(session) => {
            let Some(cookie) = console.signer.session(&session, console.now()) else {
                return message::failed("The session could not be begun.");
            };
            let jar = jar.add(cookie).add(console.signer.end(name, "/console/sign-in"));
            (jar, see_other(&attempt.next)).into_response()
        }
        Err(Refusal::Unreachable) => message::failed("The sign-in service cannot be reached."),
        Err(Refusal::NoRole) => message::page(
            StatusCode::FORBIDDEN,
            "That did not work",
            "Your account has no role here. Ask an admin to put it into the group operator or admin.",
            // The provider would let the same account in again.
            Some(("Sign in as somebody else", &logout_url(&console))),
        ),
        Err(Refusal::Token) => {
            message::refused(StatusCode::FORBIDDEN, "The sign-in service did not vouch for you.")
        }
    }
}

async fn enter(console: &Console, attempt: &Attempt, code: &str) -> Result<Session, Refusal> {
    let verifier = console.signer.verifier(attempt).ok_or(Refusal::Token)?;
    let id_token = console.oidc.id_token(code, &verifier, &callback(console)).await?;
    let nonce = console.signer.nonce(attempt).ok_or(Refusal::Token)?;
    let caller = console.oidc.caller(&id_token, Some(&nonce)).await?;
    tracing::info!(role = ?caller.role, "somebody signed in");
    Ok(Session { caller, csrf: random().map_err(|_| Refusal::Unreachable)? })
}

/// `POST /console/sign-out`: the session ends here and at the provider.
pub async fn end(State(console): State<Console>, jar: CookieJar, _: Form<Nothing>) -> Response {
    let jar = jar.add(console.signer.end(SESSION_COOKIE.into(), "/console"));
    (jar, see_other(&logout_url(&console))).into_response()
}

fn logout_url(console: &Console) -> String {
    let provider = console.oidc.provider();
    let back = format!("{}/console/signed-out", console.public_url);
    format!(
        "{}?client_id={}&logout_uri={}",
        provider.logout_url,
        utf8_percent_encode(&provider.client_id, NON_ALPHANUMERIC),
        utf8_percent_encode(&back, NON_ALPHANUMERIC)
    )
}

/// `GET /console/signed-out`.
pub async fn signed_out() -> Response {
    message::page(StatusCode::OK, "Signed out", "You are signed out.", Some(("Sign in", "/console")))
}

fn see_other(address: &str) -> Response {
    match HeaderValue::from_str(address) {
        Ok(address) => (StatusCode::SEE_OTHER, [(LOCATION, address)]).into_response(),
        Err(_) => Redirect::to("/console").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_leads_to_pages_of_the_console_only() {
        for next in ["/console", "/console/threads/01A?before=3", "/console/threads/email:a@b.example"] {
            assert_eq!(ours(next), next);
        }
        let too_long = format!("/console?q={}", "x".repeat(NEXT_BYTES));
        for next in ["https://evil.example", "//evil.example", "/consoles", "/console/sign-out", "/chat"] {
            assert_eq!(ours(next), "/console", "{next}");
        }
        for next in ["/console/../chat", "/console/%2E%2e/chat", "/console/..\\chat", &too_long] {
            assert_eq!(ours(next), "/console", "{next}");
        }
    }
}
