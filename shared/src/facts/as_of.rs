//! Points in time of account systems.

use super::FactError;
use crate::time::Timestamp;
use chrono::{DateTime, Datelike, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How far ahead of us the clock of an account system may be, in minutes.
pub const AHEAD_MINUTES: u64 = 5;

/// A point in time of an account system, to the nanosecond, so that two of them compare as they were written.
///
/// It is kept as UTC with nine digits of a second, which sorts as text in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct AsOf(String);

impl AsOf {
    /// Reads RFC 3339 with any offset.
    ///
    /// # Errors
    /// Missing (empty), unreadable, or more than [`AHEAD_MINUTES`] ahead of `now`.
    pub fn parse(text: &str, now: Timestamp) -> Result<Self, FactError> {
        let as_of = Self::read(text)?;
        let latest = Self::from(now + Duration::from_secs(AHEAD_MINUTES * 60));
        if as_of > latest { Err(FactError::AsOfAhead) } else { Ok(as_of) }
    }

    /// As the table keeps it: UTC with nine digits of a second.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// To the millisecond, rounded down.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.utc().timestamp_millis())
    }

    /// RFC 3339 in UTC as clients see it, with as many digits of a second as it needs.
    pub fn rfc3339(&self) -> String {
        self.utc().to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }

    fn read(text: &str) -> Result<Self, FactError> {
        if text.is_empty() {
            return Err(FactError::AsOfMissing);
        }
        if second_digits(text) > 9 {
            return Err(FactError::AsOfUnreadable);
        }
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| FactError::AsOfUnreadable)?;
        Self::of(time.to_utc()).ok_or(FactError::AsOfUnreadable)
    }

    /// Years of other than four digits would not sort as text.
    fn of(time: DateTime<Utc>) -> Option<Self> {
        (0..=9_999).contains(&time.year()).then(|| Self(time.to_rfc3339_opts(SecondsFormat::Nanos, true)))
    }

    fn utc(&self) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(&self.0).map(|time| time.to_utc()).unwrap_or_default()
    }
}

fn second_digits(text: &str) -> usize {
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    fraction.bytes().take_while(u8::is_ascii_digit).count()
}

impl From<Timestamp> for AsOf {
    fn from(at: Timestamp) -> Self {
        let time = DateTime::from_timestamp_millis(at.millis()).and_then(Self::of);
        time.unwrap_or_else(|| Self("9999-12-31T23:59:59.999999999Z".into()))
    }
}

impl TryFrom<String> for AsOf {
    type Error = FactError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text)
    }
}

impl From<AsOf> for String {
    fn from(as_of: AsOf) -> Self {
        as_of.0
    }
}

impl fmt::Display for AsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn parse(text: &str) -> Result<String, FactError> {
        AsOf::parse(text, NOW).map(|as_of| as_of.as_str().to_owned())
    }

    #[test]
    fn any_offset_becomes_one_form_in_utc() {
        for (text, kept, shown) in [
            ("2026-11-30T09:15:00Z", "2026-11-30T09:15:00.000000000Z", "2026-11-30T09:15:00Z"),
            ("2026-11-30T09:15:00+01:00", "2026-11-30T08:15:00.000000000Z", "2026-11-30T08:15:00Z"),
            ("2026-11-29T23:30:00.5-08:00", "2026-11-30T07:30:00.500000000Z", "2026-11-30T07:30:00.500Z"),
            (
                "2026-11-30t09:15:00.123456789z",
                "2026-11-30T09:15:00.123456789Z",
                "2026-11-30T09:15:00.123456789Z",
            ),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60.000000000Z", "2016-12-31T23:59:60Z"),
        ] {
            let as_of = AsOf::parse(text, NOW).expect(text);
            assert_eq!((as_of.as_str(), as_of.rfc3339().as_str()), (kept, shown), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_names_the_field() {
        assert_eq!(parse(""), Err(FactError::AsOfMissing));
        for text in [
            "yesterday",
            "2026-11-30",
            "2026-11-30T09:15:00",
            "1796031300",
            "2026-13-30T09:15:00Z",
            "2026-11-30T09:15:00.1234567890Z",
            "0000-01-01T00:00:00+01:00",
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error, FactError::AsOfUnreadable, "{text}");
            assert!(error.to_string().starts_with("as_of "));
        }
    }

    #[test]
    fn a_clock_may_be_five_minutes_ahead_and_no_more() {
        assert!(parse("2026-11-30T10:05:00Z").is_ok());
        assert_eq!(parse("2026-11-30T10:05:00.000000001Z"), Err(FactError::AsOfAhead));
        assert_eq!(parse("2026-11-30T11:05:00.001+01:00"), Err(FactError::AsOfAhead));
        assert_eq!(FactError::AsOfAhead.to_string(), "as_of must not be more than 5 minutes ahead");
    }

    #[test]
    fn the_table_gives_back_what_it_was_given() {
        let as_of = AsOf::parse("2026-11-30T09:15:00.123456789+02:00", NOW).expect("a time");
        let json = serde_json::to_string(&as_of).expect("JSON");
        assert_eq!(json, r#""2026-11-30T07:15:00.123456789Z""#);
        assert_eq!(serde_json::from_str::<AsOf>(&json).expect("read"), as_of);
        assert!(serde_json::from_str::<AsOf>(r#""soon""#).is_err());
        assert_eq!(as_of.timestamp().rfc3339(), "2026-11-30T07:15:00.123Z");
    }

    proptest! {
        #[test]
        fn as_text_they_sort_in_the_order_of_time(a in 0i64..4_000_000_000_000, b in 0i64..4_000_000_000_000) {
            let [a, b] = [a, b].map(Timestamp::from_millis);
            prop_assert_eq!(a.cmp(&b), AsOf::from(a).as_str().cmp(AsOf::from(b).as_str()));
            prop_assert_eq!(AsOf::from(a).timestamp(), a);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = AsOf::parse(&text, NOW);
        }
    }
}
