//! Flags: what the bot said that was wrong, in one list.

use super::parts::{ago, first_words, written};
use super::{layout, message};
use crate::Console;
use crate::sign_in::Session;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use carryover_shared::desk::{self, FlagsAsked};
use carryover_shared::flag::FlagReason;
use carryover_shared::store::Flagged;
use carryover_shared::time::Timestamp;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// Flags of a page.
const FLAGS: usize = 25;
/// Characters of the question that are shown with a reply.
const ASKED: usize = 300;

/// Which flags.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    /// A code of a reason; any if empty.
    #[serde(default)]
    reason: String,
    /// An agent's name; any if empty.
    #[serde(default)]
    agent: String,
    cursor: Option<String>,
}

impl Wanted {
    fn reason(&self) -> Option<FlagReason> {
        FlagReason::ALL.into_iter().find(|reason| reason.code() == self.reason)
    }

    fn next(&self, cursor: &str) -> String {
        let encoded = |value: &str| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
        let (reason, agent) = (encoded(&self.reason), encoded(self.agent.trim()));
        format!("/console/flags?reason={reason}&agent={agent}&cursor={}", encoded(cursor))
    }
}

/// `GET /console/flags`.
pub async fn show(
    State(console): State<Console>,
    session: Session,
    Query(wanted): Query<Wanted>,
) -> Response {
    let agent = Some(wanted.agent.trim()).filter(|agent| !agent.is_empty());
    let after = wanted.cursor.as_deref().and_then(|cursor| cursor.parse().ok());
    let asked = FlagsAsked { reason: wanted.reason(), agent, after, limit: FLAGS, ..FlagsAsked::default() };
    let (flags, next) = match desk::flagged(&console.desk, &asked).await {
        Ok(found) => found,
        Err(error) => {
            tracing::error!(%error, "the flags could not be read");
            return message::failed("The flags cannot be read just now.");
        }
    };
    let now = console.now();
    let body = html! {
        main #main.flags {
            h1 { "Flags" }
            p.meta { "Replies that were wrong, the newest flag first. What they said is left out of prompts, summaries and memories." }
            (filters(&wanted))
            @if flags.is_empty() {
                p.empty { @if next.is_some() { "None of these; there are more to look through." } @else { "No flag stands. One click on a reply in a conversation raises one." } }
            }
            @for flagged in &flags { (flag(flagged, now)) }
            @if let Some(next) = next { p { a.button href=(wanted.next(&next.to_string())) { "Older flags" } } }
        }
    };
    layout::page("Flags", &session, &body).into_response()
}

fn filters(wanted: &Wanted) -> Markup {
    html! {
        form.filters method="get" action="/console/flags" {
            label { "Reason "
                select name="reason" {
                    option value="" { "any" }
                    @for reason in FlagReason::ALL {
                        option value=(reason.code()) selected[wanted.reason() == Some(reason)] { (reason.words()) }
                    }
                }
            }
            label { "Agent " input name="agent" value=(wanted.agent) placeholder="any" maxlength="64"; }
            button type="submit" { "Show" }
        }
    }
}

fn flag(flagged: &Flagged, now: Timestamp) -> Markup {
    let Flagged { entry, flag, reply, asked } = flagged;
    let thread = format!("/console/threads/{}", entry.contact_id);
    let trace = reply.trace.as_ref().zip(reply.in_reply_to);
    html! {
        article.flagged {
            @if let Some(asked) = asked { p.asked { (written(&first_words(&asked.text, ASKED))) } }
            blockquote { (written(&reply.text)) @if reply.omitted_chars > 0 { " …" } }
            p.said-by {
                strong { "⚑ " (flag.operator) }
                @if let Some(reason) = flag.reason { " " span.badge { (reason.words()) } }
                @if !flag.note.is_empty() { " “" (written(&flag.note)) "”" }
                span.meta { (ago(flag.at, now)) }
            }
            p.meta {
                @if let Some(agent) = &flag.agent { (agent) " " }
                @if let Some(version) = flag.version { "v" (version) " · " }
                a href=(format!("{thread}?before={}#m{}", reply.seq.0 + 5, reply.seq)) { "In the conversation" }
                @if let Some((id, seq)) = trace { " · " a href=(format!("{thread}/traces/{seq}/{id}")) { "What the bot was given" } }
            }
        }
    }
}
