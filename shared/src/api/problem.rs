//! Errors as RFC 9457 problems that name the field and the bound.

use super::request::Response;
use crate::store::StoreError;
use serde_json::{Map, Value, json};

/// What is wrong with a request, or with us.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Problem {
    status: u16,
    title: &'static str,
    detail: String,
    field: Option<String>,
    bound: Option<u64>,
    header: Option<(&'static str, &'static str)>,
}

impl Problem {
    fn new(status: u16, title: &'static str, detail: impl Into<String>) -> Self {
        Self { status, title, detail: detail.into(), field: None, bound: None, header: None }
    }

    /// A field that cannot be taken.
    pub(super) fn bad(field: &str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(400, "Bad request", detail) }
    }

    pub(super) fn too_large(field: &str, bound: usize, detail: impl Into<String>) -> Self {
        Self {
            field: Some(field.into()),
            bound: Some(bound as u64),
            ..Self::new(413, "Content too large", detail)
        }
    }

    pub(super) fn with_bound(self, bound: usize) -> Self {
        Self { bound: Some(bound as u64), ..self }
    }

    pub(super) fn unauthorized(detail: &str) -> Self {
        Self {
            field: Some("authorization".into()),
            header: Some(("www-authenticate", "Bearer")),
            ..Self::new(401, "Unauthorized", detail)
        }
    }

    pub(super) fn conflict(field: &str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(409, "Conflict", detail) }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "Not found", "There is nothing here.")
    }

    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        Self {
            header: Some(("allow", allowed)),
            ..Self::new(405, "Method not allowed", format!("Allowed here: {allowed}."))
        }
    }

    pub(super) fn gone() -> Self {
        Self::new(410, "Gone", "This contact is being erased.")
    }

    #[cfg(test)]
    pub(super) fn status(self) -> u16 {
        self.status
    }

    pub(super) fn into_response(self) -> Response {
        let mut body = Map::from_iter([
            ("type".into(), json!("about:blank")),
            ("title".into(), json!(self.title)),
            ("status".into(), json!(self.status)),
            ("detail".into(), json!(self.detail)),
        ]);
        if let Some(field) = self.field {
            body.insert("field".into(), json!(field));
        }
        if let Some(bound) = self.bound {
            body.insert("bound".into(), json!(bound));
        }
        let response = Response::json(self.status, &Value::Object(body));
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
