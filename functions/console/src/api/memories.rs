//! What is remembered of a customer, and forgetting one memory.

use super::ApiError;
use super::threads::{Thread, page_size};
use crate::Console;
use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use carryover_shared::api::Problem;
use carryover_shared::desk;
use carryover_shared::memory::{Entry, Origin};
use carryover_shared::thread::Seq;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A memory: continuity, never truth.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryView {
    /// Its id, which says where it comes from: `reply-7`, `case-<ulid>`, `feedback-7`, or `spill-3-1` for what a summary
    /// had no room for.
    id: String,
    /// What customer and staff said.
    said: String,
    /// What the bot replied; empty where it did not.
    replied: String,
    /// The first message that it is from.
    from_seq: u64,
    /// The last message that it is from.
    to_seq: u64,
    /// RFC 3339.
    at: String,
}

impl From<&Entry> for MemoryView {
    fn from(Entry { exchange, .. }: &Entry) -> Self {
        Self {
            id: exchange.origin.to_string(),
            said: exchange.said.clone(),
            replied: exchange.replied.clone(),
            from_seq: exchange.from_seq.0,
            to_seq: exchange.to_seq.0,
            at: exchange.at.rfc3339(),
        }
    }
}

/// A page of memories.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Memories {
    /// The newest first.
    items: Vec<MemoryView>,
    /// The cursor of the next page; null at the end.
    next: Option<String>,
    /// Whether a Hindsight server keeps others, which are not listed here.
    others_in_hindsight: bool,
}

/// Which memories.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct After {
    /// Where an earlier page ended.
    cursor: Option<String>,
    /// Items, 1 to 100; 25 without it.
    limit: Option<usize>,
}

/// What is remembered of earlier conversations, the newest first.
#[utoipa::path(
    get, path = "/v1/threads/{identity}/memories", tag = "memories",
    params(("identity" = String, Path), After),
    responses((status = 200, body = Memories), (status = 404))
)]
pub(super) async fn list(
    State(console): State<Console>,
    at: Result<Path<String>, PathRejection>,
    asked: Result<Query<After>, QueryRejection>,
) -> Result<Json<Memories>, ApiError> {
    let (Path(identity), Query(After { cursor, limit })) = (at?, asked?);
    let (after, limit) = (cursor.as_deref().map(place).transpose()?, page_size(limit)?);
    let contact = Thread::named(&console, &identity).await?.contact;
    // One more says that there is more.
    let mut found = desk::memories(&console.desk, contact, after, limit + 1).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(Json(Memories {
        items: found.iter().map(MemoryView::from).collect(),
        next: found.last().filter(|_| more).map(cursor_after),
        others_in_hindsight: console.has_hindsight,
    }))
}

fn cursor_after(Entry { exchange, .. }: &Entry) -> String {
    format!("{}.{}", exchange.to_seq, exchange.origin)
}

fn place(cursor: &str) -> Result<(Seq, Origin), Problem> {
    let parts = cursor.split_once('.');
    let place = parts.and_then(|(seq, origin)| Some((Seq(seq.parse().ok()?), origin.parse().ok()?)));
    place.ok_or_else(|| Problem::bad("cursor", "cursor must be one that a page gave as next."))
}

/// Forgets a memory for good; one that is not there is forgotten already.
#[utoipa::path(
    delete, path = "/v1/threads/{identity}/memories/{id}", tag = "memories",
    params(("identity" = String, Path), ("id" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 204), (status = 404))
)]
pub(super) async fn forget(
    State(console): State<Console>,
    at: Result<Path<(String, String)>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    let Path((identity, id)) = at?;
    let contact = Thread::named(&console, &identity).await?.contact;
    let origin = id.parse().map_err(|_| Problem::not_found())?;
    desk::forget_memory(&console.desk, contact, origin).await?;
    Ok(StatusCode::NO_CONTENT)
}
