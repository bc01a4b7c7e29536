//! A trace: exactly what one decision was made from.

use super::conversation::failed;
use super::parts::written;
use super::{layout, message};
use crate::Console;
use crate::sign_in::Session;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use carryover_shared::contact::ContactId;
use carryover_shared::store::{StoreError, TraceKey};
use carryover_shared::thread::Seq;
use carryover_shared::trace::{Outcome, Trace};
use maud::{Markup, html};
use std::str::FromStr;
use ulid::Ulid;

/// `GET /console/threads/{contact}/traces/{seq}/{id}`.
pub async fn show(
    State(console): State<Console>,
    session: Session,
    Path((contact, seq, id)): Path<(String, u64, String)>,
) -> Response {
    let (Ok(contact), Ok(id)) = (ContactId::from_str(&contact), Ulid::from_string(&id)) else {
        return message::not_found().await;
    };
    let key = TraceKey { contact, seq: Seq(seq), id };
    let read: Result<(Option<Trace>, Option<Outcome>), StoreError> =
        console.desk.store.decided(key, console.now()).await;
    match read {
        Ok((Some(trace), outcome)) => {
            let body = html! { main #main.trace { (page(contact, &trace, outcome.as_ref())) } };
            layout::page("Trace", &session, &body).into_response()
        }
        Ok((None, _)) => message::not_found().await,
        Err(error) => failed(&error),
    }
}

fn page(contact: ContactId, trace: &Trace, outcome: Option<&Outcome>) -> Markup {
    html! {
        h1 { "What the bot was given" }
        p { a href=(format!("/console/threads/{contact}")) { "Back to the conversation" } }
        p.meta { (trace.at.to_minute()) " · agent " (trace.agent) " v" (trace.version) " · recall " (trace.recall) }
        @if !trace.degraded.is_empty() {
            p { strong { "Did not work: " }
                (trace.degraded.iter().map(|part| format!("{} ({})", part.part, part.why)).collect::<Vec<_>>().join(", ")) }
        }
        @if let Some(outcome) = outcome {
            h2 { "What became of it" }
            p { (outcome.decision) @if let Some(category) = &outcome.category { ": " (category) } " · " (outcome.millis) " ms" }
            @if !outcome.attempts.is_empty() {
                ul { @for attempt in &outcome.attempts {
                    li { bdi { (attempt.model) } " · " (attempt.prompt_tokens) " + " (attempt.completion_tokens) " tokens · " (attempt.millis) " ms"
                        @if let Some(fault) = &attempt.fault { " · " (fault) } }
                } }
            }
        }
        h2 { "Rules and instructions" }
        pre.text { (written(&trace.context.system)) }
        h2 { "Everything known and said" }
        pre.text { (written(&trace.context.user)) }
    }
}
