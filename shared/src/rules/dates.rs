//! Dates and times as each language writes them. The month is a word, so that no day can be taken for a month.

use super::templates::{Templates, fill};
use crate::facts::read::When;
use crate::time::Timestamp;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime};

impl Templates {
    /// `3 December 2026`
    pub(super) fn say_date(&self, date: NaiveDate) -> String {
        let day = date.day().to_string();
        let day = if date.day() == 1 { self.first_of_month } else { &day };
        let month = self.months.get(date.month0() as usize).copied().unwrap_or_default();
        fill(self.date, &[("day", day), ("month", month), ("year", &date.year().to_string())])
    }

    /// The day of a time, in UTC.
    pub(super) fn say_day(&self, at: Timestamp) -> String {
        self.say_date(day(at))
    }

    /// `3 December 2026 at 14:30 (UTC+01:00)`
    pub(super) fn say_when(&self, when: When) -> String {
        match when {
            When::Exact(time) if time.offset().local_minus_utc() == 0 => {
                format!("{} UTC", self.say_local(time.naive_local()))
            }
            When::Exact(time) => {
                format!("{} (UTC{})", self.say_local(time.naive_local()), time.format("%:z"))
            }
            When::Local(time) => self.say_local(time),
            When::Day(day) => self.say_date(day),
        }
    }

    fn say_local(&self, time: NaiveDateTime) -> String {
        let (date, clock) = (self.say_date(time.date()), time.format("%H:%M").to_string());
        fill(self.date_and_time, &[("date", &date), ("time", &clock)])
    }
}

/// The day of a time, in UTC.
pub(super) fn day(at: Timestamp) -> NaiveDate {
    DateTime::from_timestamp_millis(at.millis()).unwrap_or_default().date_naive()
}

#[cfg(test)]
mod tests {
    use crate::facts::read::say_start;
    use crate::facts::{AsOf, Fact};
    use crate::rules::language::Language;
    use crate::time::Timestamp;
    use crate::values::{Source, values};
    use chrono::NaiveDate;
    use serde_json::{Value, json};

    fn said(language: Language, data: Value) -> Option<String> {
        let as_of = AsOf::from(Timestamp::from_millis(1_796_032_800_000));
        let fact = Fact { kind: "appointment".into(), id: "1".into(), as_of, source: "desk".into(), data };
        say_start(&fact, |when| language.templates().say_when(when))
    }

    #[test]
    fn a_time_is_said_as_the_record_gives_it() {
        for (data, expected) in [
            (json!({ "start": "2026-12-03T14:30:00+01:00" }), "3 December 2026 at 14:30 (UTC+01:00)"),
            (json!({ "start": "2026-12-03T14:30:00Z" }), "3 December 2026 at 14:30 UTC"),
            (json!({ "start": "2026-12-03T14:30" }), "3 December 2026 at 14:30"),
            (json!({ "date": "2026-12-03", "time": "14:30" }), "3 December 2026 at 14:30"),
            (json!({ "date": "2026-12-03", "window": "14:00-16:00" }), "3 December 2026, 14:00-16:00"),
            (json!({ "date": "2026-12-03" }), "3 December 2026"),
            (json!({ "when": "Tuesday after lunch" }), "Tuesday after lunch"),
        ] {
            assert_eq!(said(Language::English, data.clone()).as_deref(), Some(expected), "{data}");
        }
        assert_eq!(said(Language::English, json!({ "title": "Tour" })), None);
    }

    #[test]
    fn every_language_writes_dates_its_own_way() {
        for (language, expected) in [
            (Language::English, "1 March 2027 at 09:05 UTC"),
            (Language::Spanish, "1 de marzo de 2027 a las 09:05 UTC"),
            (Language::German, "1. März 2027 um 09:05 Uhr UTC"),
            (Language::French, "1er mars 2027 à 09:05 UTC"),
        ] {
            assert_eq!(said(language, json!({ "start": "2027-03-01T09:05:00Z" })).as_deref(), Some(expected));
        }
    }

    #[test]
    fn every_date_that_is_said_is_read_back_as_the_same_value() {
        for language in Language::ALL {
            for month in 1..=12 {
                for day in [1, 2, 28] {
                    let date = NaiveDate::from_ymd_opt(2026, month, day).expect("a date");
                    let written = language.templates().say_date(date);
                    let found: Vec<String> = values(&written).into_iter().map(|value| value.normal).collect();
                    assert_eq!(found, [date.to_string()], "{written}");
                }
            }
            let source = Source::new(["2026-12-03T14:30:00Z"]);
            let text = said(language, json!({ "start": "2026-12-03T14:30:00Z" })).expect("a start");
            assert!(source.invented(&text).is_empty(), "{text}: {:?}", source.invented(&text));
        }
    }
}
