//! Requests and responses, apart from the events that carry them.

use super::problem::Problem;
use aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpResponse};
use aws_lambda_events::encodings::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::BTreeMap;

/// One request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, decoded.
    pub(super) path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads an event. Bodies arrive base64-encoded for content types that the API does not know.
    pub(super) fn read(event: ApiGatewayV2httpRequest) -> Result<Self, Problem> {
        let body = event.body.unwrap_or_default();
        let body = if event.is_base64_encoded {
            BASE64_STANDARD.decode(body).map_err(|_| Problem::bad("body", "The body is not valid base64."))?
        } else {
            body.into_bytes()
        };
        let path = percent_decode_str(event.raw_path.as_deref().unwrap_or("/"))
            .decode_utf8()
            .map_err(|_| Problem::bad("path", "The path is not UTF-8."))?
            .into_owned();
        let headers = event.headers.iter().filter_map(|(name, value)| {
            Some((name.as_str().to_ascii_lowercase(), value.to_str().ok()?.to_owned()))
        });
        Ok(Self {
            method: event.request_context.http.method.to_string(),
            path,
            query: query(event.raw_query_string.as_deref().unwrap_or_default()),
            headers: headers.collect(),
            body,
        })
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// The body as a JSON object.
    pub(super) fn object(&self) -> Result<serde_json::Map<String, Value>, Problem> {
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(Problem::bad("body", "The body must be a JSON object.")),
            Err(_) => Err(Problem::bad("body", "The body is not readable as JSON.")),
        }
    }
}

fn query(raw: &str) -> BTreeMap<String, String> {
    let decode = |text: &str| {
        let spaced = text.replace('+', "%20");
        percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
    };
    raw.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// One response.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Response {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string()).with("cache-control", "no-store")
    }

    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: vec![], body: String::new() }
    }

    pub(super) fn new(status: u16, content_type: &str, body: String) -> Self {
        Self { status, headers: vec![("content-type", content_type.into())], body }
    }

    /// With a header, in place of one of the same name.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn into_event(self) -> ApiGatewayV2httpResponse {
        let mut response = ApiGatewayV2httpResponse::default();
        response.status_code = i64::from(self.status);
        for (name, value) in self.headers {
            if let Ok(value) = value.parse() {
                response.headers.insert(name, value);
            }
        }
        response
            .headers
            .insert("x-content-type-options", aws_lambda_events::http::HeaderValue::from_static("nosniff"));
        response.body = Some(Body::Text(self.body));
        response
    }
}
