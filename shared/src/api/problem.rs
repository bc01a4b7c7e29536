//! Errors as RFC 9457 problems that name the field and the bound.

use super::request::Response;
use crate::store::StoreError;
use serde::Serialize;
use serde_json::{Value, json};

/// What is wrong with a request, or with us.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// The status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong, in a sentence for people.
    pub detail: String,
    /// Which field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What the field may have at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    /// A header of the response.
    #[serde(skip)]
    pub header: Option<(&'static str, &'static str)>,
}

impl Problem {
    /// One of this status.
    pub fn new(status: u16, title: &'static str, detail: impl Into<String>) -> Self {
        Self { title, status, detail: detail.into(), field: None, bound: None, header: None }
    }

    /// A field that cannot be taken.
    pub fn bad(field: &str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(400, "Bad request", detail) }
    }

    pub(super) fn too_large(field: &str, bound: usize, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(413, "Content too large", detail) }.with_bound(bound)
    }

    /// With what the field may have.
    #[must_use]
    pub fn with_bound(self, bound: usize) -> Self {
        Self { bound: Some(bound as u64), ..self }
    }

    /// Nobody who may come in.
    pub fn unauthorized(detail: &str) -> Self {
        Self {
            field: Some("authorization".into()),
            header: Some(("www-authenticate", "Bearer")),
            ..Self::new(401, "Unauthorized", detail)
        }
    }

    /// Something stands against it.
    pub fn conflict(field: &str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(409, "Conflict", detail) }
    }

    /// Nothing of this name.
    pub fn not_found() -> Self {
        Self::new(404, "Not found", "There is nothing here.")
    }

    /// Another method than those that are allowed.
    pub fn method_not_allowed(allowed: &'static str) -> Self {
        Self {
            header: Some(("allow", allowed)),
            ..Self::new(405, "Method not allowed", format!("Allowed here: {allowed}."))
        }
    }

    /// A contact that is being erased.
    pub fn gone() -> Self {
        Self::new(410, "Gone", "This contact is being erased.")
    }

    /// The body of the response; the status says what kind of problem it is.
    pub fn body(&self) -> Value {
        let mut body = json!(self);
        body["type"] = json!("about:blank");
        body
    }

    pub(super) fn into_response(self) -> Response {
        let response = Response::json(self.status, &self.body());
        let response = response.with("content-type", "application/problem+json");
        match self.header {
            Some((name, value)) => response.with(name, value),
            None => response,
        }
    }
}

/// What the table cannot do now it can do later; nothing that was admitted is lost.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a request failed");
        Self {
            header: Some(("retry-after", "5")),
            ..Self::new(503, "Service unavailable", "Please send this again, with the same id.")
        }
    }
}
