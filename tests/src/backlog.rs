//! Queues in process that are counted and redriven, and fail when they are told to.

use carryover_shared::job::QueueName;
use carryover_shared::traits::{Backlog, RedriveError, Redriven, SendError, Waiting};
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Queues that do as they are told; empty at first.
#[derive(Debug, Clone, Default)]
pub struct FakeBacklog {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: BTreeMap<QueueName, Waiting>,
    dead: BTreeMap<QueueName, u64>,
    down: BTreeSet<QueueName>,
}

impl FakeBacklog {
    /// So many jobs wait from now on.
    pub fn set_waiting(&self, queue: QueueName, waiting: Waiting) {
        self.lock().waiting.insert(queue, waiting);
    }

    /// So many jobs were given up.
    pub fn set_dead(&self, queue: QueueName, dead: u64) {
        self.lock().dead.insert(queue, dead);
    }

    /// From now on a queue does not answer.
    pub fn break_down(&self, queue: QueueName) {
        self.lock().down.insert(queue);
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn up(&self, queue: QueueName) -> Result<MutexGuard<'_, Shared>, SendError> {
        let shared = self.lock();
        if shared.down.contains(&queue) { Err(SendError { code: "down".into() }) } else { Ok(shared) }
    }

    fn move_back(&self, queue: QueueName, most: usize) -> Result<Redriven, RedriveError> {
        let down = |SendError { code }| RedriveError { what: "the queue takes nothing", code, queued: 0 };
        let mut shared = self.up(queue).map_err(down)?;
        let dead = shared.dead.entry(queue).or_default();
        let moved = (*dead).min(most as u64);
        *dead -= moved;
        shared.waiting.entry(queue).or_default().ready += moved;
        Ok(Redriven { queued: usize::try_from(moved).unwrap_or(usize::MAX), refused: 0 })
    }
}

impl Backlog for FakeBacklog {
    fn waiting(&self, queue: QueueName) -> BoxFuture<'_, Result<Waiting, SendError>> {
        let waiting = self.up(queue).map(|shared| shared.waiting.get(&queue).copied().unwrap_or_default());
        Box::pin(async move { waiting })
    }

    fn dead(&self, queue: QueueName) -> BoxFuture<'_, Result<u64, SendError>> {
        let dead = self.up(queue).map(|shared| shared.dead.get(&queue).copied().unwrap_or_default());
        Box::pin(async move { dead })
    }

    fn redrive(
        &self,
        queue: QueueName,
        most: usize,
        _: Duration,
    ) -> BoxFuture<'_, Result<Redriven, RedriveError>> {
        let moved = self.move_back(queue, most);
        Box::pin(async move { moved })
    }
}
