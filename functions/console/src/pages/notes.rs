//! The notes of a conversation that its page has no room for.

use super::conversation::{failed, note_line};
use super::{layout, message};
use crate::Console;
use crate::sign_in::Session;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use carryover_shared::contact::ContactId;
use carryover_shared::desk;
use maud::html;
use serde::Deserialize;
use std::str::FromStr;

/// Notes of a page.
const NOTES: usize = 50;

/// Which notes.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    before: Option<String>,
}

/// `GET /console/threads/{contact}/earlier-notes`.
pub async fn show(
    State(console): State<Console>,
    session: Session,
    Path(contact): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    // A place that is none starts with the newest.
    let before = wanted.before.and_then(|place| place.parse().ok());
    let page = match desk::notes(&console.desk, contact, before, NOTES).await {
        Ok(Some(page)) => page,
        Ok(None) => return message::not_found().await,
        Err(error) => return failed(&error),
    };
    let body = html! {
        main #main.whole {
            h1 { "Notes" }
            p { a href=(format!("/console/threads/{contact}")) { "Back to the conversation" } }
            @if let Some(earlier) = page.earlier {
                p.more { a.button href=(format!("/console/threads/{contact}/earlier-notes?before={earlier}")) { "Earlier notes" } }
            }
            ol.messages { @for note in &page.notes { (note_line(note, console.now())) } }
        }
    };
    layout::page("Notes", &session, &body).into_response()
}
