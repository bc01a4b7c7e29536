//! Identities in paths: they stand there as they are, slashes included.

use axum::extract::Request;
use axum::http::Uri;
use carryover_shared::contact::{ContactId, Identity};
use ulid::Ulid;

/// A path that names a contact, up to its identity, and what may follow that, segment by segment; `*` is any one segment.
type Place = (&'static str, &'static [&'static [&'static str]]);

const PLACES: [Place; 2] = [
    (
        "/v1/threads/",
        &[
            &["messages", "*", "flag"],
            &["cases", "*", "resolve"],
            &["cases", "*", "reopen"],
            &["cases", "*", "assign"],
            &["cases", "*", "label"],
            &["memories", "*"],
            &["memories"],
            &["traces", "*", "*"],
            &["messages"],
            &["notes"],
            &["take-over"],
            &["hand-back"],
            &[],
        ],
    ),
    ("/v1/customers/", &[&["records", "*", "*"], &["records"], &["identities"], &["unlink"], &["join"], &[]]),
];

/// Makes an identity with slashes one segment of the path, so that routes can be told apart. Whoever means an identity
/// that ends like a route names the contact by its id.
pub fn with_whole_identity(mut request: Request) -> Request {
    if let Some(path) = rewritten(request.uri().path()) {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        if let Ok(uri) = format!("{path}{query}").parse::<Uri>() {
            *request.uri_mut() = uri;
        }
    }
    request
}

fn rewritten(path: &str) -> Option<String> {
    let below = |place: &Place| Some((path.strip_prefix(place.0)?, *place));
    let (below, (prefix, tails)) = PLACES.iter().find_map(below)?;
    let segments: Vec<&str> = below.split('/').collect();
    let fits = |tail: &&&[&str]| {
        let Some(start) = segments.len().checked_sub(tail.len()).filter(|start| *start > 0) else {
            return false;
        };
        segments.iter().skip(start).zip(tail.iter()).all(|(segment, name)| *name == "*" || segment == name)
    };
    let tail = tails.iter().find(fits)?;
    let (identity, rest) = segments.split_at(segments.len() - tail.len());
    let whole = [identity.join("%2F")].into_iter().chain(rest.iter().map(|segment| (*segment).to_owned()));
    Some(format!("{prefix}{}", whole.collect::<Vec<_>>().join("/")))
}

/// Names a contact in a path: by identity, or by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Contact(ContactId),
    Identity(Identity),
}

/// What a segment names, if it is anything that may name a contact.
pub(super) fn named(segment: &str) -> Result<Named, carryover_shared::contact::IdentityError> {
    match Ulid::from_string(segment) {
        Ok(id) => Ok(Named::Contact(ContactId::new(id))),
        Err(_) => segment.parse().map(Named::Identity),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_one_segment_whatever_stands_in_it() {
        for (path, expected) in [
            ("/v1/threads/chat:ana", "/v1/threads/chat:ana"),
            ("/v1/threads/telegram:bot/9", "/v1/threads/telegram:bot%2F9"),
            ("/v1/threads/telegram:bot/9/take-over", "/v1/threads/telegram:bot%2F9/take-over"),
            ("/v1/threads/slack:a/b/messages/5/flag", "/v1/threads/slack:a%2Fb/messages/5/flag"),
            ("/v1/threads/chat:a%2Fmessages/notes", "/v1/threads/chat:a%2Fmessages/notes"),
            ("/v1/threads/chat:a/cases/01A/label", "/v1/threads/chat:a/cases/01A/label"),
            ("/v1/customers/telegram:bot/9", "/v1/customers/telegram:bot%2F9"),
            ("/v1/customers/slack:a/b/records/request/R-1", "/v1/customers/slack:a%2Fb/records/request/R-1"),
        ] {
            assert_eq!(rewritten(path).as_deref(), Some(expected));
        }
        assert_eq!(rewritten("/v1/cases"), None);
    }
}
