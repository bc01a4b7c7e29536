//! Health: whether the deployment does its work, for whoever watches over it.
//!
//! Each part stands by itself: what cannot be read hides nothing else.

use crate::job::QueueName;
use crate::prices::Prices;
use crate::store::Store;
use crate::tally::Tally;
use crate::time::Timestamp;
use crate::traits::{Backlog, Clock, RedriveError, Redriven, Waiting};
use std::sync::Arc;
use std::time::Duration;

/// What it needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// The queues.
    pub backlog: Arc<dyn Backlog>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// What the models cost, where the deployment says so.
    pub prices: Option<Prices>,
}

/// How things are.
#[derive(Debug, Clone)]
pub struct Health {
    /// When this was read.
    pub at: Timestamp,
    /// Each queue.
    pub queues: Vec<QueueHealth>,
    /// What was counted; `None` where it cannot be read just now.
    pub counted: Option<Counted>,
    /// What the models cost, where the deployment says so.
    pub prices: Option<Prices>,
}

/// A queue; each number is `None` where it cannot be read just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueHealth {
    /// Which.
    pub queue: QueueName,
    /// Its jobs, about.
    pub waiting: Option<Waiting>,
    /// Its dead letters, about.
    pub dead: Option<u64>,
}

/// What was counted lately, by whole hours of the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// An hour or more.
    pub hour: Since,
    /// A day or more.
    pub day: Since,
}

/// What was counted since some hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The beginning of that hour.
    pub since: Timestamp,
    /// What was counted.
    pub tally: Tally,
}

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// A part that takes longer cannot be read just now.
const LOOK_TIME: Duration = Duration::from_secs(4);

/// How things are now.
pub async fn look(ctx: &Context) -> Health {
    let at = ctx.clock.now();
    let queues = futures::future::join_all(QueueName::ALL.map(|queue| look_at(ctx, queue)));
    let (queues, counted) = futures::join!(queues, counted(ctx, at));
    Health { at, queues, counted, prices: ctx.prices }
}

async fn look_at(ctx: &Context, queue: QueueName) -> QueueHealth {
    let (waiting, dead) = futures::join!(
        in_time(queue.as_str(), ctx.backlog.waiting(queue)),
        in_time(queue.as_str(), ctx.backlog.dead(queue))
    );
    QueueHealth { queue, waiting, dead }
}

async fn counted(ctx: &Context, now: Timestamp) -> Option<Counted> {
    let (hour, day) = ((now - HOUR).hour_begins(), (now - DAY).hour_begins());
    let tallies = in_time("tallies", ctx.store.tallies(day, now)).await?;
    let since = |since: Timestamp| {
        let mut sum = Tally::default();
        for (_, tally) in tallies.iter().filter(|(hour, _)| *hour >= since.hour()) {
            sum.merge(tally);
        }
        Since { since, tally: sum }
    };
    Some(Counted { hour: since(hour), day: since(day) })
}

async fn in_time<T, E: std::fmt::Display>(what: &str, read: impl Future<Output = Result<T, E>>) -> Option<T> {
    match tokio::time::timeout(LOOK_TIME, read).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::warn!(what, %error, "a part of the health page cannot be read");
            None
        }
        Err(_) => {
            tracing::warn!(what, "a part of the health page takes too long");
            None
        }
    }
}

/// Dead letters that one call queues again, and how long it goes on beginning with further ones: whoever asks waits for
/// it.
const REDRIVE_MOST: usize = 500;
const REDRIVE_TIME: Duration = Duration::from_secs(10);

/// What became of dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redrive {
    /// They are queued again.
    pub queued: usize,
    /// So many are left, about; `None` where they cannot be counted.
    pub left: Option<u64>,
}

/// Queues the dead letters of a queue again, as many as fit into one call; what dies again meanwhile is not moved round
/// and round.
///
/// # Errors
/// The queues cannot be reached; what was not queued again stays where it is.
pub async fn redrive(ctx: &Context, queue: QueueName) -> Result<Redrive, RedriveError> {
    let dead = in_time(queue.as_str(), ctx.backlog.dead(queue)).await;
    let seen = dead.map_or(REDRIVE_MOST, |dead| usize::try_from(dead).unwrap_or(usize::MAX));
    // About: where there seems to be none, one look shows it.
    let most = seen.clamp(1, REDRIVE_MOST);
    let moved = ctx.backlog.redrive(queue, most, REDRIVE_TIME).await;
    let queued = moved.as_ref().map_or_else(|error| error.queued, |moved| moved.queued);
    tracing::info!(queue = queue.as_str(), queued, dead, "dead letters were queued again");
    let Redriven { queued, refused } = moved?;
    let left = dead.map(|dead| dead.saturating_sub(queued as u64).max(refused as u64));
    Ok(Redrive { queued, left })
}
