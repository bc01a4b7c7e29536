//! `/v1/health` and `/v1/queues`: how the deployment is, and given-up work that is queued again.

use super::ApiError;
use crate::Console;
use crate::caller::{Caller, Role};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use carryover_shared::api::Problem;
use carryover_shared::health::{self, Health, QueueHealth, Since};
use carryover_shared::job::QueueName;
use carryover_shared::prices::Prices;
use carryover_shared::tally::{Count, Part, Tally};
use carryover_shared::traits::{ModelError, RedriveError, Role as Model};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How the deployment is; what is null cannot be read just now.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct HealthView {
    /// RFC 3339.
    at: String,
    /// Each queue.
    queues: Vec<QueueView>,
    /// What was counted since the hour before this one began.
    last_hour: Option<CountsView>,
    /// What was counted since this hour of yesterday began.
    last_day: Option<CountsView>,
}

/// A queue; its numbers are about right.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct QueueView {
    /// `turns`, `folds`, `retention` or `notifications`.
    name: &'static str,
    /// Jobs that nobody has.
    ready: Option<u64>,
    /// Jobs that are worked on, or failed and wait to be tried again.
    held: Option<u64>,
    /// Jobs that are not due yet.
    delayed: Option<u64>,
    /// Jobs that were given up.
    dead: Option<u64>,
}

/// How often what happened.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CountsView {
    /// RFC 3339.
    since: String,
    /// Turns that ended in a reply.
    replied: u64,
    /// Turns that ended in a case.
    escalated: u64,
    /// Messages to which the bot said nothing, since a person answers or their customer wants to hear nothing.
    silent: u64,
    /// Turns that went without a part, by part.
    degraded: BTreeMap<&'static str, u64>,
    /// What was asked of the models, by role: `reply`, `summary`.
    models: BTreeMap<&'static str, ModelView>,
    /// Jobs of folds.
    folds: FoldsView,
    /// Memories that were not kept.
    retentions_failed: u64,
    /// Messages that a channel did not take.
    deliveries_failed: u64,
    /// Messages of which nobody knows whether they arrived.
    deliveries_unknown: u64,
    /// Teams that were not told of a case.
    notifications_failed: u64,
    /// Cases that nobody took in time.
    cases_not_taken: u64,
}

/// What was asked of a model.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ModelView {
    /// Requests, repetitions included.
    calls: u64,
    /// Questions without a usable answer, by the error's code.
    errors: BTreeMap<&'static str, u64>,
    /// Tokens of prompts that were answered.
    prompt_tokens: u64,
    /// Tokens of answers.
    completion_tokens: u64,
    /// What these tokens cost in US dollars; null where no prices are configured.
    cost_usd: Option<f64>,
}

/// Jobs of folds.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FoldsView {
    /// Jobs that saved what the model said.
    saved: u64,
    /// Jobs that saved what the fallback moved.
    by_fallback: u64,
    /// Jobs that came to nothing.
    failed: u64,
    /// Jobs that had something to do.
    jobs: u64,
    /// Messages that these jobs found waiting to be summarised, summed.
    behind: u64,
    /// How many the job found that was furthest behind, at most; null without a job, or beyond 1,000.
    behind_at_most: Option<u64>,
}

impl From<&Health> for HealthView {
    fn from(health: &Health) -> Self {
        let counts = |since: &Since| CountsView::of(since, health.prices);
        Self {
            at: health.at.rfc3339(),
            queues: health.queues.iter().map(QueueView::from).collect(),
            last_hour: health.counted.as_ref().map(|counted| counts(&counted.hour)),
            last_day: health.counted.as_ref().map(|counted| counts(&counted.day)),
        }
    }
}

impl From<&QueueHealth> for QueueView {
    fn from(health: &QueueHealth) -> Self {
        Self {
            name: health.queue.as_str(),
            ready: health.waiting.map(|waiting| waiting.ready),
            held: health.waiting.map(|waiting| waiting.held),
            delayed: health.waiting.map(|waiting| waiting.delayed),
            dead: health.dead,
        }
    }
}

impl CountsView {
    fn of(since: &Since, prices: Option<Prices>) -> Self {
        let tally = &since.tally;
        let parts = Part::ALL.map(|part| (part.as_str(), tally.of(Count::Degraded(part))));
        let models = Model::ALL.map(|role| (role.as_str(), ModelView::of(role, tally, prices)));
        Self {
            since: since.since.rfc3339(),
            replied: tally.of(Count::Replied),
            escalated: tally.of(Count::Escalated),
            silent: tally.of(Count::Silent),
            degraded: parts.into_iter().filter(|(_, turns)| *turns > 0).collect(),
            models: models.into(),
            folds: FoldsView::from(tally),
            retentions_failed: tally.of(Count::RetentionsFailed),
            deliveries_failed: tally.of(Count::DeliveriesFailed),
            deliveries_unknown: tally.of(Count::DeliveriesUnknown),
            notifications_failed: tally.of(Count::NotificationsFailed),
            cases_not_taken: tally.of(Count::CasesNotTaken),
        }
    }
}

impl ModelView {
    fn of(role: Model, tally: &Tally, prices: Option<Prices>) -> Self {
        let errors = ModelError::CODES.map(|code| (code, tally.of(Count::ModelErrors(role, code))));
        Self {
            calls: tally.of(Count::Calls(role)),
            errors: errors.into_iter().filter(|(_, times)| *times > 0).collect(),
            prompt_tokens: tally.of(Count::PromptTokens(role)),
            completion_tokens: tally.of(Count::CompletionTokens(role)),
            cost_usd: prices.and_then(|prices| prices.cost(role, tally)),
        }
    }
}

impl From<&Tally> for FoldsView {
    fn from(tally: &Tally) -> Self {
        Self {
            saved: tally.of(Count::FoldsSaved),
            by_fallback: tally.of(Count::FoldsByFallback),
            failed: tally.of(Count::FoldsFailed),
            jobs: tally.folds(),
            behind: tally.of(Count::Behind),
            behind_at_most: tally.most_behind().filter(|bound| *bound != u64::MAX),
        }
    }
}

/// Queues, degradations, models and folds, as they are and as they were counted in the last hour and the last day.
#[utoipa::path(get, path = "/v1/health", tag = "health", responses((status = 200, body = HealthView)))]
pub(super) async fn show(State(console): State<Console>) -> Json<HealthView> {
    Json(HealthView::from(&health::look(&console.health).await))
}

/// What became of dead letters.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RedriveView {
    /// So many jobs are queued again.
    queued: usize,
    /// So many are left, about: ask again; null where they cannot be counted.
    left: Option<u64>,
}

/// Queues given-up jobs again, at most 500 of them; each is safe to do twice. For admins.
#[utoipa::path(
    post, path = "/v1/queues/{name}/redrive", tag = "health",
    params(("name" = String, Path, description = "turns, folds, retention or notifications"),
        ("Idempotency-Key" = String, Header)),
    responses((status = 200, body = RedriveView), (status = 403, description = "Not an admin"), (status = 404),
        (status = 503, description = "The queues cannot be reached"))
)]
pub(super) async fn redrive(
    State(console): State<Console>,
    Extension(caller): Extension<Caller>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<RedriveView>, ApiError> {
    if caller.role != Role::Admin {
        return Err(Problem::new(403, "Forbidden", "Only admins queue given-up jobs again.").into());
    }
    let Path(name) = name?;
    let queue: QueueName = name.parse().map_err(|_| Problem::not_found())?;
    let redriven = health::redrive(&console.health, queue).await.map_err(unreachable)?;
    Ok(Json(RedriveView { queued: redriven.queued, left: redriven.left }))
}

fn unreachable(error: RedriveError) -> Problem {
    tracing::warn!(%error, "dead letters were not all queued again");
    let detail = format!("{} jobs were queued again, then the queues did not answer.", error.queued);
    Problem { header: Some(("retry-after", "5")), ..Problem::new(503, "Service unavailable", detail) }
}
