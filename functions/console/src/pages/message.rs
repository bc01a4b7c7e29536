//! Pages that say one thing: what went wrong, what is not there, that somebody is signed out.

use super::layout;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;

/// One sentence, and a link to go on with.
pub fn page(status: StatusCode, title: &str, text: &str, link: Option<(&str, &str)>) -> Response {
    let body = html! {
        main.message {
            h1 { (title) }
            p { (text) }
            @if let Some((label, address)) = link {
                p { a.button href=(address) { (label) } }
            }
        }
    };
    (status, layout::bare(title, &body)).into_response()
}

/// Something may not be done.
pub fn refused(status: StatusCode, text: &str) -> Response {
    page(status, "That did not work", text, Some(("To the inbox", "/console")))
}

/// Something on our side does not work.
pub fn failed(text: &str) -> Response {
    let text = format!("{text} Nothing is lost: try again in a moment.");
    page(StatusCode::SERVICE_UNAVAILABLE, "That did not work", &text, Some(("Try again", "/console")))
}

/// There is such a page, and another method.
pub async fn other_method() -> Response {
    refused(StatusCode::METHOD_NOT_ALLOWED, "This address is not for that.")
}

/// There is no such page.
pub async fn not_found() -> Response {
    page(StatusCode::NOT_FOUND, "Not found", "There is nothing here.", Some(("To the inbox", "/console")))
}
