//! A clock that tests move by hand.

use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use futures::future::BoxFuture;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use ulid::Ulid;

/// Stands at a time until it is moved; sleeping takes real milliseconds, a hundredth of what is asked.
#[derive(Debug)]
pub struct TestClock {
    millis: AtomicI64,
    ids: AtomicU64,
}

/// 2026-12-03 10:00:00 UTC.
pub const START_MILLIS: i64 = 1_796_292_000_000;

impl TestClock {
    /// At [`START_MILLIS`].
    pub fn new() -> Self {
        Self { millis: AtomicI64::new(START_MILLIS), ids: AtomicU64::new(0) }
    }

    /// Moves on.
    pub fn advance(&self, by: Duration) {
        self.millis.fetch_add(i64::try_from(by.as_millis()).unwrap_or(0), Ordering::SeqCst);
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::SeqCst))
    }

    fn ulid(&self) -> Ulid {
        let n = self.ids.fetch_add(1, Ordering::SeqCst);
        Ulid::from_parts(u64::try_from(self.now().millis()).unwrap_or(0), u128::from(n))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.advance(duration);
        Box::pin(async move { tokio::time::sleep(duration / 100).await })
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}
