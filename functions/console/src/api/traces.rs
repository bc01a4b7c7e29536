//! Traces: exactly what one decision was made from.

use super::ApiError;
use super::threads::Thread;
use super::views::word;
use crate::Console;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use carryover_shared::api::Problem;
use carryover_shared::store::TraceKey;
use carryover_shared::thread::Seq;
use carryover_shared::trace::{Attempt, Degraded, Outcome, Trace};
use serde::Serialize;
use ulid::Ulid;
use utoipa::ToSchema;

/// What a decision was made from.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TraceView {
    /// RFC 3339.
    at: String,
    /// The agent.
    agent: String,
    /// The agent's version.
    version: u32,
    /// The customer messages that waited for the decision.
    answers: Vec<u64>,
    /// How the recall went: `found`, `nothing`, `failed:<why>` or `partly:<why>`.
    recall: String,
    /// What was down, slow or unreadable.
    degraded: Vec<DegradedView>,
    /// Rules and instructions, word for word; empty where no prompt was made.
    system: String,
    /// Everything known and said, word for word.
    user: String,
    /// What became of it; null where that was lost.
    outcome: Option<OutcomeView>,
}

/// A part that did not work.
#[derive(Debug, Serialize, ToSchema)]
struct DegradedView {
    /// Which.
    part: String,
    /// Why, in a word.
    why: String,
}

impl From<Degraded> for DegradedView {
    fn from(Degraded { part, why }: Degraded) -> Self {
        Self { part, why }
    }
}

/// What became of a decision.
#[derive(Debug, Serialize, ToSchema)]
struct OutcomeView {
    /// `reply` or `escalate`.
    decision: String,
    /// `model`, `rule`, `fallback` or `guard`.
    by: String,
    /// Why the bot stopped, in a word.
    category: Option<String>,
    /// The agent's topic, if a rule stopped it.
    topic: Option<String>,
    /// The bot's message, if one was committed.
    seq: Option<u64>,
    /// The case, if one was opened or joined.
    case_id: Option<String>,
    /// Questions to the model.
    attempts: Vec<AttemptView>,
    /// Milliseconds from receipt to commit.
    millis: u64,
}

impl From<Outcome> for OutcomeView {
    fn from(outcome: Outcome) -> Self {
        Self {
            decision: outcome.decision,
            by: word(outcome.by),
            category: outcome.category,
            topic: outcome.topic,
            seq: outcome.seq.map(|seq| seq.0),
            case_id: outcome.case_id.map(|case_id| case_id.to_string()),
            attempts: outcome.attempts.into_iter().map(AttemptView::from).collect(),
            millis: outcome.millis,
        }
    }
}

/// One question to the model.
#[derive(Debug, Serialize, ToSchema)]
struct AttemptView {
    /// The model; empty where it gave no answer.
    model: String,
    /// Tokens of the prompt.
    prompt_tokens: u64,
    /// Tokens of the answer.
    completion_tokens: u64,
    /// How long it took.
    millis: u64,
    /// Why the answer could not be used, in a word.
    fault: Option<String>,
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        Self {
            model: attempt.model,
            prompt_tokens: attempt.prompt_tokens,
            completion_tokens: attempt.completion_tokens,
            millis: attempt.millis,
            fault: attempt.fault,
        }
    }
}

/// What the bot was given for one decision; traces are kept for 30 days.
#[utoipa::path(
    get, path = "/v1/threads/{identity}/traces/{seq}/{id}", tag = "threads",
    params(("identity" = String, Path), ("seq" = u64, Path, description = "a case's about_seq"),
        ("id" = String, Path, description = "a case's trace")),
    responses((status = 200, body = TraceView), (status = 404))
)]
pub(super) async fn get(
    State(console): State<Console>,
    at: Result<Path<(String, u64, Ulid)>, PathRejection>,
) -> Result<Json<TraceView>, ApiError> {
    let Path((identity, seq, id)) = at?;
    let contact = Thread::named(&console, &identity).await?.contact;
    let key = TraceKey { contact, seq: Seq(seq), id };
    let (trace, outcome) = console.desk.store.decided::<Trace, Outcome>(key, console.now()).await?;
    let trace = trace.ok_or_else(Problem::not_found)?;
    Ok(Json(TraceView {
        at: trace.at.rfc3339(),
        agent: trace.agent,
        version: trace.version,
        answers: trace.answers.into_iter().map(|seq| seq.0).collect(),
        recall: trace.recall,
        degraded: trace.degraded.into_iter().map(DegradedView::from).collect(),
        system: trace.context.system,
        user: trace.context.user,
        outcome: outcome.map(OutcomeView::from),
    }))
}
