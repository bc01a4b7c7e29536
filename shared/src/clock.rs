//! The wall clock; only functions and `infra` use it.

use crate::time::Timestamp;
use crate::traits::Clock;
use futures::future::BoxFuture;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use ulid::Ulid;

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn ulid(&self) -> Ulid {
        Ulid::generate()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn jitter(&self) -> f64 {
        (self.ulid().random() % 1_000) as f64 / 1_000.0
    }
}
