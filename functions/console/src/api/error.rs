//! Errors of the API: RFC 9457 problems.

use crate::pages::sentence;
use crate::sign_in::Refusal;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use carryover_shared::api::Problem;
use carryover_shared::handoff::{MoveError, Refused};
use carryover_shared::store::{CursorError, StoreError};

/// A problem on its way to the client.
#[derive(Debug)]
pub struct ApiError(Problem);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self(problem) = self;
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (status, kind, problem.body().to_string()).into_response();
        if let Some((name, value)) = problem.header {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }
}

impl ApiError {
    /// A move that may not be made.
    pub(super) fn refused(refused: Refused) -> Self {
        MoveError::from(refused).into()
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self(error.into())
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let detail = sentence(&refusal.to_string());
        Self(match refusal {
            Refusal::Token => Problem::unauthorized(&detail),
            Refusal::NoRole => Problem::new(403, "Forbidden", detail),
            Refusal::Unreachable => Problem {
                header: Some(("retry-after", "5")),
                ..Problem::new(503, "Service unavailable", detail)
            },
        })
    }
}

/// Why an operator's move was not made, with the field that it is about.
impl From<MoveError> for ApiError {
    fn from(error: MoveError) -> Self {
        let refused = match error {
            MoveError::Refused(refused) => refused,
            MoveError::Store(error) => return error.into(),
        };
        let detail = sentence(&refused.to_string());
        Self(match refused {
            Refused::Text { limit, .. } => Problem::bad("text", detail).with_bound(limit),
            Refused::Note { limit, .. } => Problem::bad("note", detail).with_bound(limit),
            Refused::AlreadyTaken { .. } => Problem::conflict("taken_by", detail),
            Refused::NewMessage => Problem::conflict("seen", detail),
            Refused::Moved => Problem::conflict("epoch", detail),
            Refused::Labelled { .. } => Problem::conflict("labelled", detail),
            Refused::WithTheBot => Problem::conflict("mode", detail),
            Refused::AlreadyResolved | Refused::NotResolved => Problem::conflict("state", detail),
            Refused::AnotherCase => Problem::conflict("open_case", detail),
            Refused::NotAReply => Problem::conflict("kind", detail),
            Refused::UsedElsewhere | Refused::UsedForOtherWords => {
                Problem::conflict("Idempotency-Key", detail)
            }
            Refused::Field { field, limit, .. } => Problem::bad(field, detail).with_bound(limit),
            Refused::Record(_) => Problem::bad("record", detail),
            Refused::NotOurs { .. } => Problem::conflict("source", detail),
            Refused::RecordMoved => Problem::conflict("as_of", detail),
            Refused::TooManyRecords { limit } => Problem::conflict("records", detail).with_bound(limit),
            Refused::IdentityTaken | Refused::NotTheirs | Refused::LastIdentity | Refused::NobodyHasIt => {
                Problem::conflict("identity", detail)
            }
            Refused::Joined { .. } => Problem::conflict("joined_into", detail),
            Refused::OtherIsBusy { .. } => Problem::conflict("mode", detail),
            Refused::TooManyJoined { limit } => Problem::conflict("joined", detail).with_bound(limit),
            Refused::AdminsOnly { .. } => Problem::new(403, "Forbidden", detail),
            Refused::NoSuchRecord | Refused::NoSuchCase | Refused::NoSuchMessage => {
                Problem::new(404, "Not found", detail)
            }
            Refused::Gone => Problem::gone(),
        })
    }
}

impl From<CursorError> for ApiError {
    fn from(error: CursorError) -> Self {
        Self(Problem::bad("cursor", format!("{error}.")))
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        Self(match rejection {
            JsonRejection::JsonDataError(error) => unread("body", &error.body_text()),
            JsonRejection::MissingJsonContentType(_) => {
                Problem::bad("content-type", "content-type must be application/json.")
            }
            JsonRejection::BytesRejection(_) => {
                Problem::new(413, "Content too large", "The body is too large.")
            }
            _ => Problem::bad("body", "The body is not readable as JSON."),
        })
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self(unread("query", &rejection.body_text()))
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> Self {
        Self(Problem::not_found())
    }
}

/// What serde says of a field in `whole`, as `Failed to …: reason: unknown variant `ugly`, expected …`, in our words and
/// without what was given.
fn unread(whole: &str, text: &str) -> Problem {
    let text = text.lines().next().unwrap_or_default();
    let text = text.split_once(": ").map_or(text, |(_, told)| told);
    let text = text.rsplit_once(" at line ").map_or(text, |(told, _)| told);
    for (told, problem) in [("missing field `", "is missing"), ("unknown field `", "is unknown")] {
        if let Some(field) = text.split_once(told).and_then(|(_, rest)| rest.split('`').next()) {
            return Problem::bad(field, format!("{field} {problem}."));
        }
    }
    let is_path = |path: &&str| path.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c));
    let field = text.split_once(": ").map(|(path, _)| path).filter(is_path).unwrap_or(whole);
    match text.rsplit_once("expected ") {
        Some((_, wanted)) => Problem::bad(field, format!("{field} must be {}.", in_words(wanted))),
        None => Problem::bad(field, format!("{field} cannot be read.")),
    }
}

fn in_words(wanted: &str) -> &str {
    match wanted {
        "u8" | "u32" | "u64" | "usize" => "a whole number",
        _ if wanted.starts_with("struct ") => "an object",
        _ => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serde_says_is_told_of_the_field() {
        let body = "Failed to deserialize the JSON body into the target type: ";
        for (told, field, detail) in [
            ("missing field `resolve` at line 1 column 2", "resolve", "resolve is missing."),
            ("x: unknown field `x`, expected `note` or `reason` at line 1 column 4", "x", "x is unknown."),
            (
                "reason: unknown variant `ugly`, expected one of `incomplete`, `other` at line 1 column 16",
                "reason",
                "reason must be one of `incomplete`, `other`.",
            ),
            (
                "resolve: invalid type: string \"a: b\", expected a boolean at line 1 column 16",
                "resolve",
                "resolve must be a boolean.",
            ),
            (
                "invalid type: string \"\", expected struct Text at line 1 column 2",
                "body",
                "body must be an object.",
            ),
            ("limit: invalid digit found in string", "limit", "limit cannot be read."),
        ] {
            let problem = unread("body", &format!("{body}{told}"));
            assert_eq!((problem.field.as_deref(), &*problem.detail), (Some(field), detail), "{told}");
        }
    }
}
