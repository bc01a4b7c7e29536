//! The inbox: what needs me?

use super::parts::{ago, channel, first_words, who, written};
use super::{layout, message};
use crate::Console;
use crate::sign_in::Session;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use carryover_shared::case::{CaseState, Priority};
use carryover_shared::desk::{self, Asked, Counts, Inbox, Row, Tab};
use carryover_shared::store::StoreError;
use carryover_shared::text;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// Lines of a page.
const LINES: usize = 25;
/// Characters of a search.
const SEARCH_CHARS: usize = 200;
/// Characters of the newest message that a line shows.
const WORDS: usize = 120;

/// Which part of the inbox.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    tab: Option<String>,
    q: Option<String>,
    cursor: Option<String>,
    /// The pulse that an open page has seen.
    seen: Option<String>,
}

impl Wanted {
    fn tab(&self) -> Tab {
        let named = |tab: &Tab| Some(word(*tab)) == self.tab.as_deref();
        Tab::ALL.into_iter().find(named).unwrap_or(Tab::NeedsAPerson)
    }

    fn search(&self) -> Option<&str> {
        let search = self.q.as_deref().map(str::trim).filter(|search| !search.is_empty());
        search.map(|search| text::head(search, SEARCH_CHARS))
    }

    /// The address of another part of the same search.
    fn address(&self, page: &str, tab: Tab, cursor: Option<&str>) -> String {
        let mut address = format!("{page}?tab={}", word(tab));
        for (name, value) in [("q", self.search()), ("cursor", cursor)] {
            if let Some(value) = value {
                address.push_str(&format!("&{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
            }
        }
        address
    }
}

const fn word(tab: Tab) -> &'static str {
    match tab {
        Tab::NeedsAPerson => "needs-a-person",
        Tab::Mine => "mine",
        Tab::Bot => "bot",
        Tab::Resolved => "resolved",
    }
}

const fn title(tab: Tab) -> &'static str {
    match tab {
        Tab::NeedsAPerson => "Needs a person",
        Tab::Mine => "Mine",
        Tab::Bot => "Bot handling",
        Tab::Resolved => "Resolved",
    }
}

/// `GET /console`.
pub async fn show(
    State(console): State<Console>,
    session: Session,
    Query(wanted): Query<Wanted>,
) -> Response {
    match read(&console, &session, &wanted).await {
        Ok(found) => {
            let body = html! {
                main #main.inbox {
                    h1.visually-hidden { "Inbox" }
                    (list(&wanted, &found))
                    // For the key that takes the line that is marked.
                    form #take method="post" hidden { (layout::csrf(&session)) }
                }
            };
            layout::page(title(wanted.tab()), &session, &body).into_response()
        }
        Err(error) => failed(&error),
    }
}

/// `GET /console/inbox`: the list alone, for a page that is open; nothing where nothing changed since it was read.
pub async fn part(
    State(console): State<Console>,
    session: Session,
    Query(wanted): Query<Wanted>,
) -> Response {
    match console.desk.store.pulse().await {
        Ok(beats) if wanted.seen.as_deref() == Some(&*pulse(&console, beats)) => {
            StatusCode::NO_CONTENT.into_response()
        }
        Ok(_) => match read(&console, &session, &wanted).await {
            Ok(found) => list(&wanted, &found).into_response(),
            Err(error) => failed(&error),
        },
        Err(error) => failed(&error),
    }
}

/// What an open page has seen. Each minute it is another one: a beat that was lost, and times that pass, show then.
fn pulse(console: &Console, beats: u64) -> String {
    format!("{beats}-{}", console.now().seconds() / 60)
}

struct Found {
    inbox: Inbox,
    /// None where they could not be read.
    counts: Option<Counts>,
    pulse: String,
    now: carryover_shared::time::Timestamp,
    most: usize,
}

async fn read(console: &Console, session: &Session, wanted: &Wanted) -> Result<Found, StoreError> {
    let operator = &session.caller.operator;
    let asked = Asked {
        search: wanted.search(),
        // A cursor that is none starts at the beginning.
        after: wanted.cursor.as_deref().and_then(|cursor| cursor.parse().ok()),
        limit: LINES,
        ..Asked::of(wanted.tab(), operator)
    };
    // Before the list, so that what happens meanwhile shows with the next look.
    let beats = console.desk.store.pulse().await.unwrap_or_default();
    let (inbox, counts) =
        futures::join!(desk::inbox(&console.desk, asked), desk::counts(&console.desk, operator));
    let most = console.desk.limits.inbox_scan;
    Ok(Found { inbox: inbox?, counts: counts.ok(), pulse: pulse(console, beats), now: console.now(), most })
}

fn failed(error: &StoreError) -> Response {
    tracing::error!(%error, "the inbox could not be read");
    message::failed("The inbox cannot be read just now.")
}

fn list(wanted: &Wanted, found: &Found) -> Markup {
    let tab = wanted.tab();
    let mut again = wanted.address("/console/inbox", tab, wanted.cursor.as_deref());
    again.push_str(&format!("&seen={}", found.pulse));
    html! {
        // A search is read once: it is dearer than a page.
        @let is_live = wanted.search().is_none();
        section #list hx-get=[is_live.then_some(again)] hx-trigger=[is_live.then_some("every 5s")] hx-swap="outerHTML" {
            nav.tabs aria-label="Inbox" {
                @for other in Tab::ALL {
                    a href=(wanted.address("/console", other, None)) aria-current=[(other == tab).then_some("page")] {
                        (title(other))
                        @if let Some(count) = count(found, other) { " " span.count { (count) } }
                    }
                }
            }
            @if let Some(search) = wanted.search() {
                p.searched { "Searching for " strong { bdi { (search) } } " · " a href=(format!("/console?tab={}", word(tab))) { "show all" } }
            }
            @if found.inbox.rows.is_empty() {
                p.empty { (nothing(tab, wanted.search().is_some(), found.inbox.next.is_some())) }
            } @else {
                ol.rows {
                    @for row in &found.inbox.rows { (line(row, found)) }
                }
            }
            @if let Some(next) = &found.inbox.next {
                p.more { a.button href=(wanted.address("/console", tab, Some(&next.to_string()))) { "Next page" } }
            }
        }
    }
}

fn count(found: &Found, tab: Tab) -> Option<String> {
    let Counts { needs_a_person, mine, bot } = found.counts?;
    let count = match tab {
        Tab::NeedsAPerson => needs_a_person,
        Tab::Mine => mine,
        Tab::Bot => bot,
        Tab::Resolved => return None,
    };
    Some(if count > found.most { format!("{}+", found.most) } else { count.to_string() })
}

const fn nothing(tab: Tab, is_search: bool, goes_on: bool) -> &'static str {
    match (tab, is_search, goes_on) {
        (_, true, true) => "Nothing among the first ones. The next page searches on.",
        (_, true, false) => "Nothing found on this tab.",
        (Tab::NeedsAPerson, ..) => "Nothing needs a person. Well done.",
        (Tab::Mine, ..) => "You have nothing open.",
        (Tab::Bot, ..) => "The bot has no conversations yet.",
        (Tab::Resolved, ..) => "Nothing was resolved yet.",
    }
}

fn line(row: &Row, found: &Found) -> Markup {
    let waits = row.waiting_since.is_some();
    let at = row.waiting_since.unwrap_or(row.entry.at);
    html! {
        li.overdue[row.overdue].waits[waits] {
            a.row href=(format!("/console/threads/{}", row.entry.contact_id)) {
                span.when { span.dot aria-hidden="true" {} (ago(at, found.now)) }
                span.who { (who(&row.who)) }
                span.way { @if let Some(newest) = &row.newest { (channel(newest.channel)) } }
                span.why { (reason(row)) }
                span.words { @if let Some(newest) = &row.newest { (written(&first_words(&newest.text, WORDS))) } }
                span.badges { (badges(row)) }
            }
        }
    }
}

fn reason(row: &Row) -> String {
    match &row.case {
        Some(case) => case.topic.clone().unwrap_or_else(|| case.category.code().replace('_', " ")),
        None if row.head.taken_by.is_some() => "taken over".into(),
        None => String::new(),
    }
}

fn badges(row: &Row) -> Markup {
    let case = row.case.as_ref();
    let assignee = case.and_then(|case| case.assignee.as_ref()).filter(|_| row.head.taken_by.is_none());
    html! {
        @if row.overdue { span.badge.red { "overdue" } }
        @match case.map(|case| case.priority) {
            Some(Priority::Urgent) => { span.badge.amber { "urgent" } }
            Some(Priority::High) => { span.badge.amber { "high" } }
            Some(Priority::Low) => { span.badge { "low" } }
            _ => {}
        }
        @if case.is_some_and(|case| case.state_of_case == CaseState::Reopened) { span.badge { "reopened" } }
        @if case.is_some_and(|case| case.silent) { span.badge { "not told" } }
        @if !row.head.opted_out.is_empty() { span.badge.amber { "opted out" } }
        @if let Some(team) = case.and_then(|case| case.team.as_ref()) { span.badge { "team " bdi { (team) } } }
        @for tag in case.into_iter().flat_map(|case| &case.tags) { span.badge { bdi { (tag) } } }
        @if let Some(by) = &row.head.taken_by { span.badge.quiet { "taken: " (by) } }
        @if let Some(assignee) = assignee { span.badge.quiet { "for " (assignee) } }
    }
}
