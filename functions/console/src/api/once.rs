//! Writes that happen once: each carries a key, and the same key again is answered alike.

use super::ApiError;
use crate::Console;
use crate::caller::Caller;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use carryover_shared::api::Problem;
use carryover_shared::hash;
use carryover_shared::job::Delivery;
use carryover_shared::store::{Begun, KeptAnswer};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest key, in characters.
const KEY_CHARS: usize = 128;
/// The longest body of a write: a text of the most characters, each escaped.
const BODY_BYTES: usize = 2 * 1024 * 1024;

/// The name of a write, for what it writes once.
pub(crate) fn name(caller: &Caller, key: &str) -> Delivery {
    Delivery { account: "console".into(), scope: hash::hex(caller.operator.as_str()), id: hash::hex(key) }
}

/// Lets a write through once; reading needs no key.
pub(super) async fn once(State(console): State<Console>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    match caller.filter(|_| ![Method::GET, Method::HEAD].contains(request.method())) {
        Some(caller) => {
            write(&console, &caller, request, next).await.unwrap_or_else(IntoResponse::into_response)
        }
        None => next.run(request).await,
    }
}

async fn write(
    console: &Console,
    caller: &Caller,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let write = name(caller, key(&request)?);
    let (mut parts, body) = request.into_parts();
    let body = to_bytes(body, BODY_BYTES).await.map_err(|_| Problem {
        bound: Some(BODY_BYTES as u64),
        ..Problem::new(413, "Content too large", "The body is too large.")
    })?;
    let store = &console.desk.store;
    match store
        .begin_write(&write, &fingerprint(&parts.method, parts.uri.path(), &body), console.now())
        .await?
    {
        Begun::New => {}
        Begun::Answered(answer) => return Ok(replayed(answer)),
        Begun::Running => {
            let problem = Problem::conflict("Idempotency-Key", "A write with this key is on its way.");
            return Err(Problem { header: Some(("retry-after", "2")), ..problem }.into());
        }
        Begun::Other => {
            let detail = "Idempotency-Key was used for another write: each needs one of its own.";
            return Err(Problem {
                field: Some("Idempotency-Key".into()),
                ..Problem::new(422, "Unprocessable", detail)
            }
            .into());
        }
    }
    parts.extensions.insert(write.clone());
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    let (kept, response) = taken_apart(response).await;
    // What could not be read may say what it was, and changed nothing.
    let is_final = kept.status < 500 && kept.status != 400;
    let now = console.now();
    let noted = if is_final {
        store.end_write(&write, &kept, now).await
    } else {
        store.give_up_write(&write, now).await
    };
    if let Err(error) = noted {
        tracing::warn!(%error, "the answer to a write was not kept");
    }
    Ok(response)
}

fn key(request: &Request) -> Result<&str, Problem> {
    let key = request.headers().get(KEY).map(|key| key.to_str().map(str::trim).unwrap_or_default());
    let missing = || Problem::bad("Idempotency-Key", "Every write needs the header Idempotency-Key.");
    let key = key.ok_or_else(missing)?;
    if (1..=KEY_CHARS).contains(&key.len()) {
        return Ok(key);
    }
    let detail = format!("Idempotency-Key must have 1 to {KEY_CHARS} visible characters.");
    Err(Problem::bad("Idempotency-Key", detail).with_bound(KEY_CHARS))
}

fn fingerprint(method: &Method, path: &str, body: &Bytes) -> String {
    hash::hex(&format!("{method} {path} {}", hash::hex_of(body)))
}

fn replayed(answer: KeptAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let content_type =
        HeaderValue::try_from(answer.content_type).unwrap_or(HeaderValue::from_static("text/plain"));
    let mut response = (status, answer.body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    response
}

async fn taken_apart(response: Response) -> (KeptAnswer, Response) {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, BODY_BYTES).await.unwrap_or_default();
    let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kept = KeptAnswer {
        status: parts.status.as_u16(),
        body: String::from_utf8_lossy(&bytes).into_owned(),
        content_type: content_type.unwrap_or_default().to_owned(),
    };
    (kept, Response::from_parts(parts, Body::from(bytes)))
}
