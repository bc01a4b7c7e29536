//! Points in time. Time comes in as an argument; nothing in the domain reads a clock.

use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

/// Formats, read once: a prompt has a time for each of its messages.
static RFC3339: LazyLock<Vec<Item<'_>>> =
    LazyLock::new(|| StrftimeItems::new("%Y-%m-%dT%H:%M:%S%.3fZ").collect());
static DAY: LazyLock<Vec<Item<'_>>> = LazyLock::new(|| StrftimeItems::new("%Y-%m-%d").collect());
static MINUTE: LazyLock<Vec<Item<'_>>> = LazyLock::new(|| StrftimeItems::new("%Y-%m-%d %H:%M UTC").collect());

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, as DynamoDB's TTL wants them.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Whole hours since the Unix epoch.
    pub const fn hour(self) -> i64 {
        self.0.div_euclid(3_600_000)
    }

    /// The beginning of its hour.
    pub const fn hour_begins(self) -> Self {
        Self(self.hour() * 3_600_000)
    }

    /// The hour of its day, in UTC.
    pub const fn hour_of_day(self) -> i64 {
        self.hour().rem_euclid(24)
    }

    /// The day in UTC: `2026-12-03`.
    pub fn day(self) -> String {
        self.utc().format_with_items(DAY.iter()).to_string()
    }

    /// How long after `earlier` this is; zero if it is not after it.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// RFC 3339 in UTC with milliseconds, as clients see it.
    pub fn rfc3339(self) -> String {
        self.utc().format_with_items(RFC3339.iter()).to_string()
    }

    /// Minutes are enough for a prompt: `2026-12-03 14:30 UTC`.
    pub fn to_minute(self) -> String {
        self.utc().format_with_items(MINUTE.iter()).to_string()
    }

    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl std::ops::Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}
