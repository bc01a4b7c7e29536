//! Notifications: the team of a new case is told, and where nobody takes it in time, the next one.
//!
//! Two jobs for each step of a route, both safe to repeat. One tells the team; it fails alone, is tried again, and ends
//! as a dead letter. The other watches the clock, so that a team which cannot be told does not keep the case from the
//! next.

use crate::case::Case;
use crate::desk;
use crate::job::{NotificationJob, Notify};
use crate::limits::Limits;
use crate::notification::Notification;
use crate::routing::{Route, Routing};
use crate::store::{Store, StoreError};
use crate::tally::{Count, Tally};
use crate::thread::Mode;
use crate::time::Timestamp;
use crate::traits::{Clock, Messenger, MessengerError, Queue, SendError};
use std::sync::Arc;
use std::time::Duration;

/// What every notification needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// Who is told of which cases.
    pub routing: Arc<Routing>,
    /// How they are told.
    pub messenger: Arc<dyn Messenger>,
    /// The queues.
    pub queue: Arc<dyn Queue>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
    /// Where browsers reach the console, without a slash at its end.
    pub console_url: String,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The team was told.
    Told,
    /// It had been told.
    ToldBefore,
    /// Nobody took the case in time; whoever is next on the route is told.
    PassedOn,
    /// It had been passed on.
    PassedOnBefore,
    /// The team still has so much time.
    InTime(Duration),
    /// Nobody needs to be told: somebody has the case, or had it since, it is resolved, its customer is gone or being
    /// erased, or the route has changed.
    Nothing,
}

/// Why a job could not be done; the queue brings it back. Never carries an address.
#[derive(Debug, thiserror::Error)]
pub enum NotifyError {
    /// The table.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The team was not told.
    #[error(transparent)]
    Messenger(#[from] MessengerError),
    /// The next team's job was not queued.
    #[error(transparent)]
    Queue(#[from] SendError),
    /// There was no time left for it.
    #[error("there was no time left")]
    Late,
}

/// What the queue should do with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// Forget it.
    Done,
    /// Bring it back after this time.
    Later(Duration),
}

/// How often a job is received before it is a dead letter; the queue's `maxReceiveCount`. With the pauses of
/// `notification_wait_seconds` a team is tried for about ten minutes.
pub const ATTEMPTS: u32 = 8;
/// A queue keeps a job back for twelve hours at most, counted from when it was received.
const LONGEST_WAIT: Duration = Duration::from_secs(11 * 3_600);
/// What is kept of a job's time to say that it failed.
const GIVE_UP_TIME: Duration = Duration::from_secs(2);

/// Does one job of the queue and says once what became of it. `receives` is how often the queue has delivered it.
pub async fn work(ctx: &Context, job: NotificationJob, receives: u32, deadline: Timestamp) -> Worked {
    let NotificationJob { contact_id: contact, case_id: case, step, what, .. } = job;
    let time = deadline.since(ctx.clock.now()).saturating_sub(GIVE_UP_TIME);
    match tokio::time::timeout(time, run(ctx, job)).await.unwrap_or(Err(NotifyError::Late)) {
        Ok(End::InTime(left)) => Worked::Later(left.min(LONGEST_WAIT)),
        Ok(end) => {
            tracing::info!(%contact, %case, step, ?what, ?end, "a notification ended");
            Worked::Done
        }
        Err(error) if receives < ATTEMPTS => {
            tracing::warn!(%contact, %case, step, ?what, receives, %error, "a notification failed and will be tried again");
            Worked::Later(wait(ctx, receives))
        }
        Err(error) => {
            tracing::error!(%contact, %case, step, ?what, receives, %error, "a notification was given up");
            ctx.store.count(&Tally::one(Count::NotificationsFailed)).await;
            // The queue makes it a dead letter as soon as it looks again.
            Worked::Later(Duration::ZERO)
        }
    }
}

/// Doubles with each failure, somewhere between half of it and all.
fn wait(ctx: &Context, receives: u32) -> Duration {
    let doubled = 2_u32.pow(receives.saturating_sub(1).min(ATTEMPTS));
    let longest = Duration::from_secs(ctx.limits.notification_wait_seconds).saturating_mul(doubled);
    longest.mul_f64(0.5 + ctx.clock.jitter() / 2.0)
}

/// Looks at the case and does what the job says, if the case still waits for somebody.
///
/// # Errors
/// Table, queue or team refused: the job belongs back on the queue.
pub async fn run(ctx: &Context, job: NotificationJob) -> Result<End, NotifyError> {
    let Some(case) = untaken(ctx, job).await? else { return Ok(End::Nothing) };
    let Some(route) = ctx.routing.route(case.category) else { return Ok(End::Nothing) };
    match job.what {
        Notify::Tell => tell(ctx, job, &case, route).await,
        Notify::Watch => watch(ctx, job, &case, route).await,
    }
}

/// The case, if neither a person nor the bot has it, and its teams were not told anew meanwhile.
async fn untaken(ctx: &Context, job: NotificationJob) -> Result<Option<Case>, StoreError> {
    let NotificationJob { contact_id, case_id, .. } = job;
    let (head, case) = futures::try_join!(ctx.store.head(contact_id), ctx.store.case(contact_id, case_id))?;
    let waits = head.is_some_and(|head| !head.erasing && head.mode == Mode::Human);
    Ok(case.filter(|case| waits && case.is_untaken() && case.round_at == job.round_at))
}

/// Sends, then remembers it: a crash between the two sends twice, under the same id, and never not at all.
async fn tell(ctx: &Context, job: NotificationJob, case: &Case, route: &Route) -> Result<End, NotifyError> {
    if case.notified_step.is_some_and(|told| told >= job.step) {
        return Ok(End::ToldBefore);
    }
    let Some(team) = route.team_at(job.step) else { return Ok(End::Nothing) };
    let Some(target) = ctx.routing.target(team) else { return Ok(End::Nothing) };
    let since = job.step.checked_sub(1).and_then(|before| route.due(case.waits_from(), before));
    let notification = notification(ctx, case, job.step, team, since.unwrap_or(case.waits_from()));
    ctx.messenger.send(target, &notification).await?;
    ctx.store.mark_notified(job).await?;
    Ok(End::Told)
}

/// Passes a case on whose time is over. The jobs of the next step go out before that is remembered, so that a crash
/// between the two repeats them.
async fn watch(ctx: &Context, job: NotificationJob, case: &Case, route: &Route) -> Result<End, NotifyError> {
    let step = job.step;
    if case.missed > step {
        return Ok(End::PassedOnBefore);
    }
    let Some(due) = route.due(case.waits_from(), step) else { return Ok(End::Nothing) };
    let left = due.since(ctx.clock.now());
    if !left.is_zero() {
        return Ok(End::InTime(left));
    }
    let next = route.team_at(step + 1);
    if next.is_some() {
        pass_on(ctx, NotificationJob { step: step + 1, ..job }, route.take.unwrap_or_default()).await?;
    }
    if ctx.store.mark_missed(job, next).await? {
        not_taken(job, case, next);
        ctx.store.count(&Tally::one(Count::CasesNotTaken)).await;
    }
    Ok(End::PassedOn)
}

async fn pass_on(ctx: &Context, next: NotificationJob, take: Duration) -> Result<(), SendError> {
    let (tell, watch) =
        (NotificationJob { what: Notify::Tell, ..next }, NotificationJob { what: Notify::Watch, ..next });
    let told = ctx.queue.send_notification(&tell, Duration::ZERO);
    futures::try_join!(told, ctx.queue.send_notification(&watch, take)).map(|_| ())
}

/// The template counts this line as the metric `case_not_taken`.
fn not_taken(job: NotificationJob, case: &Case, next: Option<&str>) {
    tracing::warn!(
        metric = "case_not_taken",
        contact = %job.contact_id,
        case = %job.case_id,
        step = job.step,
        category = case.category.code(),
        next,
        "nobody took a case in time"
    );
}

fn notification(ctx: &Context, case: &Case, step: u32, team: &str, since: Timestamp) -> Notification {
    Notification {
        case_id: case.case_id,
        round_at: case.round_at,
        step,
        team: team.into(),
        category: case.category,
        why: desk::why(case.category, case.topic.as_deref()),
        topic: case.topic.clone(),
        priority: case.priority,
        opened_at: case.opened_at,
        since,
        link: format!("{}/console/threads/{}", ctx.console_url, case.contact_id),
    }
}
