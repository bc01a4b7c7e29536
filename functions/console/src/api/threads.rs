//! `/v1/threads`: what happened, and the moves that operators make.

use super::ApiError;
use super::identity::{Named, named};
use super::views::{
    MessageView, NoteView, Page, ThreadRow, ThreadState, ThreadView, Written, messages as views, reasons,
};
use crate::Console;
use crate::caller::Caller;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use carryover_shared::api::Problem;
use carryover_shared::contact::ContactId;
use carryover_shared::desk::{self, Asked, Conversation, NewFlag, Tab};
use carryover_shared::flag::FlagReason;
use carryover_shared::handoff::{self, Shown};
use carryover_shared::job::Delivery;
use carryover_shared::thread::Seq;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Items of a page where nobody says otherwise, and at most.
const PAGE: (usize, usize) = (25, 100);

/// How many items a page has.
pub(super) fn page_size(asked: Option<usize>) -> Result<usize, Problem> {
    match asked.unwrap_or(PAGE.0) {
        size if (1..=PAGE.1).contains(&size) => Ok(size),
        _ => Err(Problem::bad("limit", format!("limit must be 1 to {}.", PAGE.1)).with_bound(PAGE.1)),
    }
}

/// A body.
pub(super) fn body<T: serde::de::DeserializeOwned>(
    given: Result<Json<T>, JsonRejection>,
) -> Result<T, ApiError> {
    Ok(given?.0)
}

/// A thread that a path names.
pub(super) struct Thread {
    pub(super) contact: ContactId,
}

impl Thread {
    pub(super) async fn named(console: &Console, identity: &str) -> Result<Self, ApiError> {
        let contact = match named(identity).map_err(|error| Problem::bad("identity", format!("{error}.")))? {
            Named::Contact(contact) => Some(contact),
            Named::Identity(identity) => console.desk.store.resolve(&identity).await?,
        };
        Ok(Self { contact: contact.ok_or_else(Problem::not_found)? })
    }

    async fn at(console: &Console, path: Result<Path<String>, PathRejection>) -> Result<Self, ApiError> {
        let Path(identity) = path?;
        Self::named(console, &identity).await
    }

    async fn page(
        &self,
        console: &Console,
        before: Option<Seq>,
        limit: usize,
    ) -> Result<Conversation, ApiError> {
        let found = desk::conversation(&console.desk, self.contact, before, limit).await?;
        Ok(found.ok_or_else(Problem::not_found)?)
    }

    async fn state(&self, console: &Console) -> Result<Json<ThreadState>, ApiError> {
        let head = console.desk.store.head(self.contact).await?.ok_or_else(Problem::not_found)?;
        Ok(Json(ThreadState::from(&head)))
    }
}

type At = Result<Path<String>, PathRejection>;

/// Which threads.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Threads {
    /// `needs_a_person` (without it), `mine`, `bot` or `resolved`: the tabs of the inbox.
    #[param(inline)]
    tab: Option<TabQuery>,
    /// Words that identity, name, case or brief must contain; a whole identity is found on whatever tab.
    q: Option<String>,
    /// Where an earlier page ended.
    cursor: Option<String>,
    /// Items, 1 to 100; 25 without it.
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum TabQuery {
    NeedsAPerson,
    Mine,
    Bot,
    Resolved,
}

impl From<TabQuery> for Tab {
    fn from(tab: TabQuery) -> Self {
        match tab {
            TabQuery::NeedsAPerson => Self::NeedsAPerson,
            TabQuery::Mine => Self::Mine,
            TabQuery::Bot => Self::Bot,
            TabQuery::Resolved => Self::Resolved,
        }
    }
}

/// The inbox.
#[utoipa::path(get, path = "/v1/threads", tag = "threads", params(Threads), responses((status = 200, body = Page<ThreadRow>)))]
pub(super) async fn list(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    asked: Result<Query<Threads>, QueryRejection>,
) -> Result<Json<Page<ThreadRow>>, ApiError> {
    let Query(asked) = asked?;
    let tab = asked.tab.map_or(Tab::NeedsAPerson, Tab::from);
    let found = desk::inbox(
        &console.desk,
        Asked {
            search: asked.q.as_deref(),
            after: asked.cursor.as_deref().map(str::parse).transpose()?,
            limit: page_size(asked.limit)?,
            ..Asked::of(tab, &caller.operator)
        },
    )
    .await?;
    let next = found.next.map(|cursor| cursor.to_string());
    Ok(Json(Page { items: found.rows.iter().map(ThreadRow::from).collect(), next }))
}

/// A thread with its brief and its newest messages.
#[utoipa::path(
    get, path = "/v1/threads/{identity}", tag = "threads",
    params(("identity" = String, Path, description = "chat:<sub>, tel:+…, email:…, or the contact's id")),
    responses((status = 200, body = ThreadView), (status = 404))
)]
pub(super) async fn get(State(console): State<Console>, at: At) -> Result<Json<ThreadView>, ApiError> {
    let thread = Thread::at(&console, at).await?;
    let conversation = thread.page(&console, None, PAGE.0).await?;
    let brief = match conversation.head.open_case {
        Some(case_id) => desk::brief_beside(&console.desk, &conversation, case_id).await?,
        None => None,
    };
    Ok(Json(ThreadView::of(&conversation, brief.as_ref())))
}

/// Which messages or notes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Before {
    /// Where the page of newer ones started.
    cursor: Option<String>,
    /// Items, 1 to 100; 25 without it.
    limit: Option<usize>,
}

impl Before {
    async fn page(
        asked: Result<Query<Self>, QueryRejection>,
        console: &Console,
        at: At,
    ) -> Result<Conversation, ApiError> {
        let Query(asked) = asked?;
        let before = asked.cursor.as_deref().map(|cursor| cursor.parse().map(Seq)).transpose();
        let before =
            before.map_err(|_| Problem::bad("cursor", "cursor must be one that a page gave as next."))?;
        let limit = page_size(asked.limit)?;
        Thread::at(console, at).await?.page(console, before, limit).await
    }
}

/// The messages of a thread: the newest page first, each page oldest first.
#[utoipa::path(
    get, path = "/v1/threads/{identity}/messages", tag = "threads",
    params(("identity" = String, Path), Before),
    responses((status = 200, body = Page<MessageView>), (status = 404))
)]
pub(super) async fn messages(
    State(console): State<Console>,
    at: At,
    asked: Result<Query<Before>, QueryRejection>,
) -> Result<Json<Page<MessageView>>, ApiError> {
    let page = Before::page(asked, &console, at).await?;
    Ok(Json(Page { items: views(&page), next: page.older.map(|seq| seq.to_string()) }))
}

/// The notes of a thread: the newest page first, each page oldest first.
#[utoipa::path(
    get, path = "/v1/threads/{identity}/notes", tag = "threads",
    params(("identity" = String, Path), Before),
    responses((status = 200, body = Page<NoteView>), (status = 404))
)]
pub(super) async fn notes(
    State(console): State<Console>,
    at: At,
    asked: Result<Query<Before>, QueryRejection>,
) -> Result<Json<Page<NoteView>>, ApiError> {
    let Query(Before { cursor, limit }) = asked?;
    let (before, limit) = (cursor.as_deref().map(str::parse).transpose()?, page_size(limit)?);
    let contact = Thread::at(&console, at).await?.contact;
    let page = desk::notes(&console.desk, contact, before, limit).await?.ok_or_else(Problem::not_found)?;
    Ok(Json(Page {
        items: page.notes.iter().map(NoteView::from).collect(),
        next: page.earlier.map(|place| place.to_string()),
    }))
}

/// Takes a thread over; the bot is silent from then on.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/take-over", tag = "threads",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 200, body = ThreadState), (status = 404), (status = 409, description = "Somebody has it already"))
)]
pub(super) async fn take_over(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
) -> Result<Json<ThreadState>, ApiError> {
    let thread = Thread::at(&console, at).await?;
    handoff::take_over(&console.desk, thread.contact, &caller.operator).await?;
    thread.state(&console).await
}

/// What an operator writes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// The text.
    text: String,
}

/// Writes to the customer; the bot is silent from then on.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/messages", tag = "threads",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Text,
    responses((status = 201, body = Written), (status = 400), (status = 404))
)]
pub(super) async fn say(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    Extension(once): Extension<Delivery>,
    at: At,
    given: Result<Json<Text>, JsonRejection>,
) -> Result<(StatusCode, Json<Written>), ApiError> {
    let thread = Thread::at(&console, at).await?;
    let Text { text } = body(given)?;
    let said = handoff::say(&console.desk, thread.contact, &caller.operator, &text, Some(&once)).await?;
    Ok((StatusCode::CREATED, Json(Written { seq: said.seq.0 })))
}

/// Writes a note for the other operators; no customer and no model ever sees it.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/notes", tag = "threads",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = Text,
    responses((status = 201, body = Written), (status = 400), (status = 404))
)]
pub(super) async fn note(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    Extension(once): Extension<Delivery>,
    at: At,
    given: Result<Json<Text>, JsonRejection>,
) -> Result<(StatusCode, Json<Written>), ApiError> {
    let thread = Thread::at(&console, at).await?;
    let Text { text } = body(given)?;
    let note = handoff::note(&console.desk, thread.contact, &caller.operator, &text, Some(&once)).await?;
    Ok((StatusCode::CREATED, Json(Written { seq: note.seq.0 })))
}

/// How a thread is handed back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandBack {
    /// Whether its case is resolved with it.
    resolve: bool,
    /// The thread's `last_customer_seq` as it was shown; with it a newer message stops the move.
    seen: Option<u64>,
    /// The thread's `epoch` as it was shown; with it another operator's move stops this one.
    epoch: Option<u64>,
}

/// Hands a thread back to the bot, which waits for the next message.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/hand-back", tag = "threads",
    params(("identity" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body = HandBack,
    responses((status = 200, body = ThreadState), (status = 404), (status = 409, description = "A new message came, or the bot has it already"))
)]
pub(super) async fn hand_back(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: At,
    given: Result<Json<HandBack>, JsonRejection>,
) -> Result<Json<ThreadState>, ApiError> {
    let thread = Thread::at(&console, at).await?;
    let HandBack { resolve, seen, epoch } = body(given)?;
    let shown = Shown { seen: seen.map(Seq), epoch };
    handoff::hand_back(&console.desk, thread.contact, &caller.operator, resolve, shown).await?;
    thread.state(&console).await
}

/// What was wrong with a reply.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FlagBody {
    /// In the operator's words; may be missing.
    #[serde(default)]
    note: String,
    /// In a word; may be missing.
    #[schema(schema_with = reasons)]
    reason: Option<FlagReason>,
}

type OfMessage = Result<Path<(String, u64)>, PathRejection>;

async fn message(console: &Console, at: OfMessage) -> Result<(Thread, Seq), ApiError> {
    let Path((identity, seq)) = at?;
    Ok((Thread::named(console, &identity).await?, Seq(seq)))
}

/// Flags a reply of the bot; again by the same operator changes note and reason.
#[utoipa::path(
    post, path = "/v1/threads/{identity}/messages/{seq}/flag", tag = "threads",
    params(("identity" = String, Path), ("seq" = u64, Path), ("Idempotency-Key" = String, Header)),
    request_body = FlagBody,
    responses((status = 201, body = Written), (status = 404), (status = 409, description = "Not a reply of the bot"))
)]
pub(super) async fn flag(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: OfMessage,
    given: Result<Json<FlagBody>, JsonRejection>,
) -> Result<(StatusCode, Json<Written>), ApiError> {
    let (thread, seq) = message(&console, at).await?;
    let FlagBody { note, reason } = body(given)?;
    let new = NewFlag { note, reason };
    let flag = desk::flag(&console.desk, thread.contact, &caller.operator, seq, new).await?;
    Ok((StatusCode::CREATED, Json(Written { seq: flag.seq.0 })))
}

/// Takes the operator's own flag back.
#[utoipa::path(
    delete, path = "/v1/threads/{identity}/messages/{seq}/flag", tag = "threads",
    params(("identity" = String, Path), ("seq" = u64, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 204), (status = 404), (status = 409, description = "Not a reply of the bot"))
)]
pub(super) async fn unflag(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    at: OfMessage,
) -> Result<StatusCode, ApiError> {
    let (thread, seq) = message(&console, at).await?;
    desk::unflag(&console.desk, thread.contact, &caller.operator, seq).await?;
    Ok(StatusCode::NO_CONTENT)
}
