//! `/v1/flags`: what the bot said that was wrong.

use super::ApiError;
use super::threads::page_size;
use super::views::Page;
use crate::Console;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use carryover_shared::desk::{self, FlagsAsked};
use carryover_shared::flag::FlagReason;
use carryover_shared::store::Flagged;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which flags.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Flags {
    /// `incorrect_information`, `inappropriate`, `incomplete`, `outdated` or `other`; any without it.
    #[param(value_type = Option<String>)]
    reason: Option<FlagReason>,
    /// The agent that wrote the reply; any without it.
    agent: Option<String>,
    /// The version that wrote it; any without it.
    version: Option<u32>,
    /// Where an earlier page ended.
    cursor: Option<String>,
    /// Items, 1 to 100; 25 without it.
    limit: Option<usize>,
}

/// A flag, with the reply that it is on.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FlagView {
    /// Whose thread.
    contact_id: String,
    /// The reply.
    seq: u64,
    /// What the customer had asked, the newest of it.
    asked: Option<String>,
    /// What the bot replied.
    reply: String,
    /// Who flagged it.
    operator: String,
    /// Why, if they said so.
    reason: Option<&'static str>,
    /// In their words.
    note: String,
    /// The agent that wrote it.
    agent: Option<String>,
    /// The agent's version.
    version: Option<u32>,
    /// RFC 3339.
    at: String,
}

impl From<Flagged> for FlagView {
    fn from(flagged: Flagged) -> Self {
        let Flagged { entry, flag, reply, asked } = flagged;
        Self {
            contact_id: entry.contact_id.to_string(),
            seq: reply.seq.0,
            asked: asked.map(|asked| asked.text),
            reply: reply.text,
            operator: flag.operator.to_string(),
            reason: flag.reason.map(FlagReason::code),
            note: flag.note,
            agent: flag.agent,
            version: flag.version,
            at: flag.at.rfc3339(),
        }
    }
}

/// Flags that stand, the newest first; with a filter a page may be empty and the next one not.
#[utoipa::path(get, path = "/v1/flags", tag = "flags", params(Flags), responses((status = 200, body = Page<FlagView>)))]
pub(super) async fn list(
    State(console): State<Console>,
    asked: Result<Query<Flags>, QueryRejection>,
) -> Result<Json<Page<FlagView>>, ApiError> {
    let Query(Flags { reason, agent, version, cursor, limit }) = asked?;
    let after = cursor.as_deref().map(str::parse).transpose()?;
    let asked = FlagsAsked { reason, agent: agent.as_deref(), version, after, limit: page_size(limit)? };
    let (flags, next) = desk::flagged(&console.desk, &asked).await?;
    let items = flags.into_iter().map(FlagView::from).collect();
    Ok(Json(Page { items, next: next.map(|cursor| cursor.to_string()) }))
}
