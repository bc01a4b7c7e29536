//! Turns what a rule says into an HTTP response.

use super::builtin;
use super::prompt::Prompt;
use super::rule::Then;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Value, json};
use std::io;

pub(super) async fn give(then: Then, prompt: &Prompt) -> Response {
    let finished = |finish: &str, message: Value| completion(prompt, finish, message);
    match then {
        Then::Builtin { builtin } => {
            finished("stop", json!({"content": builtin::answer(builtin, prompt).to_string()}))
        }
        Then::Reply { reply } => finished("stop", json!({"content": json!(reply).to_string()})),
        Then::Json { json } => finished("stop", json!({"content": json.to_string()})),
        Then::Finish { finish_reason, content } => finished(&finish_reason, json!({ "content": content })),
        Then::Content { content } => finished("stop", json!({ "content": content })),
        Then::Refusal { refusal } => finished("stop", json!({"content": null, "refusal": refusal})),
        Then::Status { status, body, retry_after } => bare(status, body, retry_after),
        Then::Hang { .. } => std::future::pending().await,
        Then::Drop { .. } => broken(),
    }
}

fn completion(prompt: &Prompt, finish: &str, mut message: Value) -> Response {
    message["role"] = json!("assistant");
    let tokens = |text: &str| text.chars().count().div_ceil(4);
    let (asked, said) = (tokens(&prompt.text()), tokens(message["content"].as_str().unwrap_or_default()));
    axum::Json(json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0, "model": prompt.model,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }))
    .into_response()
}

fn bare(status: u16, body: Value, retry_after: Option<u64>) -> Response {
    let text = match body {
        Value::Null => {
            json!({"error": {"code": status, "type": "scripted", "message": "scripted"}}).to_string()
        }
        Value::String(text) => text,
        other => other.to_string(),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, [(CONTENT_TYPE, "application/json")], text).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// A body that fails makes the server close the connection.
fn broken() -> Response {
    let failed = io::Error::new(io::ErrorKind::ConnectionAborted, "scripted");
    Response::new(Body::from_stream(stream::iter([Err::<Vec<u8>, _>(failed)])))
}
