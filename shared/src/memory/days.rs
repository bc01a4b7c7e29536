//! Days that a question names, as days since the Unix epoch in UTC: an entry of such a day is meant more likely.

use crate::time::Timestamp;
use crate::values::{Kind, Value};
use chrono::{Datelike, Days, NaiveDate, Weekday};
use std::ops::RangeInclusive;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Words for days that only the time of the question can tell, with the language that they are of: `hier` is
/// yesterday in French and here in German.
const RELATIVE: [(&str, &str, u64); 12] = [
    ("en", "today", 0),
    ("en", "yesterday", 1),
    ("es", "hoy", 0),
    ("es", "ayer", 1),
    ("de", "heute", 0),
    ("de", "gestern", 1),
    ("de", "vorgestern", 2),
    ("fr", "hier", 1),
    ("pt", "hoje", 0),
    ("pt", "ontem", 1),
    ("pt", "anteontem", 2),
    ("it", "ieri", 1),
];

/// The day of a time.
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.millis().div_euclid(MILLIS_PER_DAY)
}

/// The day that a word means when it is said at this time in this language.
pub(super) fn relative(lower: &str, language: &str, at: Timestamp) -> Option<RangeInclusive<i64>> {
    let known = RELATIVE.iter().find(|(code, word, _)| *code == language && *word == lower);
    known.map(|(.., ago)| day_of(at) - i64::try_from(*ago).unwrap_or(0)).map(|day| day..=day)
}

/// The days that a value means: of those it may mean, the last that is not after `at`.
pub(super) fn named(value: &Value<'_>, at: Timestamp) -> Vec<RangeInclusive<i64>> {
    if value.kind != Kind::Date {
        return vec![];
    }
    value.normal.split('/').filter_map(|form| span(form, at)).collect()
}

fn span(form: &str, at: Timestamp) -> Option<RangeInclusive<i64>> {
    let today = date_of(day_of(at))?;
    if let Ok(weekday) = form.parse::<Weekday>() {
        let ago = (7 + today.weekday().num_days_from_monday() - weekday.num_days_from_monday()) % 7;
        return today.checked_sub_days(Days::new(u64::from(ago))).map(only);
    }
    if let Some(yearless) = form.strip_prefix("--") {
        let in_year = |year: i32| format!("{year:04}-{yearless}").parse::<NaiveDate>().ok();
        let last = in_year(today.year()).filter(|date| *date <= today).or_else(|| in_year(today.year() - 1));
        return last.map(only);
    }
    if let Ok(date) = form.parse::<NaiveDate>() {
        return Some(only(date));
    }
    let first = format!("{form}-01").parse::<NaiveDate>().ok()?;
    let next = first.checked_add_months(chrono::Months::new(1))?;
    Some(number(first)..=number(next) - 1)
}

fn only(date: NaiveDate) -> RangeInclusive<i64> {
    number(date)..=number(date)
}

fn number(date: NaiveDate) -> i64 {
    date.signed_duration_since(NaiveDate::default()).num_days()
}

fn date_of(day: i64) -> Option<NaiveDate> {
    NaiveDate::default().checked_add_signed(chrono::Duration::try_days(day)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::values;

    /// Thursday, 2026-12-03, 10:00 UTC.
    const NOW: Timestamp = Timestamp::from_millis(1_796_292_000_000);

    fn ago(text: &str) -> Vec<i64> {
        let found = values(text);
        found.iter().flat_map(|value| named(value, NOW)).map(|days| day_of(NOW) - days.start()).collect()
    }

    #[test]
    fn a_named_day_is_the_last_one_of_that_name() {
        assert_eq!(ago("what did I say on 2026-12-01?"), [2]);
        assert_eq!(ago("what did I say on December 1st?"), [2]);
        assert_eq!(ago("what did I say on December 4th?"), [364], "not tomorrow");
        assert_eq!(ago("we spoke on Monday"), [3]);
        assert_eq!(ago("no day at all, 4711"), [0; 0]);
    }

    #[test]
    fn a_month_is_all_of_its_days() {
        let found = values("we spoke in March 2026");
        let days: Vec<_> = found.iter().flat_map(|value| named(value, NOW)).collect();
        assert_eq!(days.iter().map(|days| days.end() - days.start()).collect::<Vec<_>>(), [30]);
    }

    #[test]
    fn relative_days_are_words_of_their_language() {
        assert_eq!(relative("gestern", "de", NOW), Some(day_of(NOW) - 1..=day_of(NOW) - 1));
        assert_eq!(relative("hier", "de", NOW), None);
    }
}
