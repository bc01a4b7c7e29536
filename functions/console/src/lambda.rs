//! Events of an HTTP API (payload format 2.0) as requests, and responses as events.

use aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpResponse};
use aws_lambda_events::encodings::Body as EventBody;
use axum::Router;
use axum::body::Body;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderValue, Request, Response, StatusCode};
use axum::response::IntoResponse;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http_body_util::BodyExt;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::time::Instant;
use tower::ServiceExt;

/// Answers one event. It always answers.
pub async fn answer(router: &Router, event: ApiGatewayV2httpRequest) -> ApiGatewayV2httpResponse {
    let started = Instant::now();
    let method = event.request_context.http.method.clone();
    let response = match request(event) {
        Some(request) => router.clone().oneshot(request).await.unwrap_or_else(|never| match never {}),
        None => StatusCode::BAD_REQUEST.into_response(),
    };
    // The path may name a contact, so it stays out of the log (*quiet-logs*).
    let millis = started.elapsed().as_millis();
    tracing::info!(%method, status = response.status().as_u16(), millis, "a request was answered");
    into_event(response).await
}

/// The request of an event; `None` where its body is not what it says, or its address is none.
fn request(event: ApiGatewayV2httpRequest) -> Option<Request<Body>> {
    let body = event.body.unwrap_or_default();
    let body = if event.is_base64_encoded { BASE64_STANDARD.decode(body).ok()? } else { body.into_bytes() };
    let path = path(event.raw_path.as_deref().unwrap_or("/"));
    let uri = match event.raw_query_string.as_deref().unwrap_or_default() {
        "" => path,
        query => format!("{path}?{query}"),
    };
    let mut request = Request::builder().method(event.request_context.http.method).uri(uri);
    let headers = request.headers_mut()?;
    headers.extend(event.headers);
    // The format carries cookies beside the headers.
    if let Some(cookies) = event.cookies.filter(|cookies| !cookies.is_empty()) {
        headers.insert(COOKIE, HeaderValue::try_from(cookies.join("; ")).ok()?);
    }
    request.body(Body::from(body)).ok()
}

/// What may stand in a path as it is; all else is escaped.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@')
    .remove(b'+')
    .remove(b'=')
    .remove(b',');

/// The path of an event, escaped. The API has decoded it, but for `%25`, so that it names what the client named only
/// once all of it is decoded; what was escaped as `%2F` is a slash by then.
fn path(raw: &str) -> String {
    utf8_percent_encode(&percent_decode_str(raw).decode_utf8_lossy(), PATH).to_string()
}

async fn into_event(response: Response<Body>) -> ApiGatewayV2httpResponse {
    let (mut parts, body) = response.into_parts();
    let mut event = ApiGatewayV2httpResponse::default();
    event.status_code = i64::from(parts.status.as_u16());
    let cookies = parts.headers.get_all(SET_COOKIE).iter();
    event.cookies = cookies.filter_map(|cookie| cookie.to_str().ok().map(str::to_owned)).collect();
    parts.headers.remove(SET_COOKIE);
    event.headers = parts.headers;
    let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    event.body = Some(match std::str::from_utf8(&bytes) {
        Ok(text) => EventBody::Text(text.to_owned()),
        Err(_) => {
            event.is_base64_encoded = true;
            EventBody::Text(BASE64_STANDARD.encode(&bytes))
        }
    });
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_what_the_client_named() {
        for (raw, expected) in [
            ("/v1/threads/chat:ana", "/v1/threads/chat:ana"),
            ("/v1/threads/chat:a#b", "/v1/threads/chat:a%23b"),
            ("/v1/threads/chat:a b?c", "/v1/threads/chat:a%20b%3Fc"),
            ("/v1/threads/chat:50%25", "/v1/threads/chat:50%25"),
            ("/v1/threads/whatsapp:%2B49/9", "/v1/threads/whatsapp:+49/9"),
            ("/v1/é", "/v1/%C3%A9"),
        ] {
            assert_eq!(path(raw), expected);
            assert!(path(raw).parse::<axum::http::Uri>().is_ok(), "{raw}");
        }
    }
}
