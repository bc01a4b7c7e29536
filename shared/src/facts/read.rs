//! Reading records that follow no schema: fields by any usual name, status and times.

use super::Fact;
use crate::text;
use crate::time::Timestamp;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Map, Value};
use std::borrow::Cow;

pub(crate) const STATUS: &[&str] =
    &["status", "state", "orderstatus", "requeststatus", "ticketstatus", "appointmentstatus", "stage"];

pub(crate) const START: &[&str] = &[
    "start",
    "startsat",
    "startat",
    "starttime",
    "starts",
    "beginsat",
    "from",
    "when",
    "scheduledat",
    "scheduledfor",
    "scheduledstart",
    "datetime",
    "appointmenttime",
    "appointmentdate",
    "date",
    "day",
    "at",
    "time",
];

pub(crate) const END: &[&str] = &["end", "endsat", "endat", "endtime", "ends", "scheduledend", "until", "to"];

const CLOCK: &[&str] = &["time", "starttime", "timeslot", "slot", "timewindow", "window"];

const CLOSED_AT: &[&str] = &["closedat", "resolvedat", "completedat", "cancelledat", "canceledat"];

const CLOSED: &[&str] = &[
    "resolved",
    "closed",
    "done",
    "cancelled",
    "canceled",
    "complete",
    "completed",
    "finished",
    "fixed",
    "solved",
    "rejected",
    "declined",
    "denied",
    "withdrawn",
    "duplicate",
    "archived",
    "expired",
    "noshow",
    "missed",
];

const NOT_YET: &[&str] = &[
    "not",
    "no",
    "never",
    "partially",
    "partly",
    "pending",
    "awaiting",
    "waiting",
    "being",
    "be",
    "reopened",
];

/// Hours by which a wall clock somewhere on Earth may be behind UTC.
const HOURS_BEHIND_UTC: i64 = 12;

/// Whether a field's name is `name`, whatever its case and its separators are: `orderStatus`, `order_status`.
pub(crate) fn is_named(field: &str, name: &str) -> bool {
    let letters = field.chars().filter(|mark| mark.is_alphanumeric());
    letters.flat_map(char::to_lowercase).eq(name.chars())
}

/// A field's name without case and separators.
pub(crate) fn bare_name(field: &str) -> String {
    field.chars().filter(|mark| mark.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The first field that has one of the names and says something, in the order of the names.
pub(crate) fn field<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<(&'a str, &'a Value)> {
    names.iter().find_map(|name| {
        let mut found = fields.iter().filter(|(field, value)| is_named(field, name) && !is_empty(value));
        found.next().map(|(field, value)| (field.as_str(), value))
    })
}

/// Whether a value says nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A single word or sentence: a scalar, or what an object calls itself. At most `max_chars`, on one line.
pub(crate) fn phrase(value: &Value, max_chars: usize) -> Option<String> {
    let text = match value {
        Value::String(text) => one_line(text, max_chars),
        Value::Number(number) => number.to_string(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Object(fields) => {
            let (_, inner) = field(fields, &["name", "label", "title", "value", "code", "text"])?;
            return if inner.is_object() { None } else { phrase(inner, max_chars) };
        }
        Value::Null | Value::Array(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Text of others on one line of ours: nothing in it can look like a line that we wrote.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let shown = clip(text, max_chars);
    let spaced: String = shown.chars().map(|mark| if mark.is_control() { ' ' } else { mark }).collect();
    text::collapse_whitespace(&spaced)
}

/// The text if it fits, else its head and `…`.
pub(crate) fn clip(text: &str, max_chars: usize) -> Cow<'_, str> {
    let whole = text::head(text, max_chars);
    if whole.len() == text.len() {
        return Cow::Borrowed(text);
    }
    max_chars
        .checked_sub(1)
        .map_or(Cow::Borrowed(""), |room| Cow::Owned(format!("{}…", text::head(text, room))))
}

/// What a record says of one of the names, if it can be said in a phrase.
pub(crate) fn say(fact: &Fact, names: &[&str], max_chars: usize) -> Option<String> {
    field(fact.data.as_object()?, names).and_then(|(_, value)| phrase(value, max_chars))
}

/// Where a record stands.
pub(crate) fn status(fact: &Fact) -> Option<String> {
    say(fact, STATUS, 80)
}

/// Whether nothing more is to come: by its status, else because it says when it ended.
pub(crate) fn is_closed(fact: &Fact) -> bool {
    match (status(fact), fact.data.as_object()) {
        (Some(status), _) => is_closed_status(&status),
        (None, Some(fields)) => field(fields, CLOSED_AT).is_some(),
        (None, None) => false,
    }
}

/// Whether its customer closed it: nobody else says that it is done.
pub(crate) fn is_closed_by_customer(fact: &Fact) -> bool {
    say(fact, &["closedby"], 64).is_some_and(|who| who == "customer")
}

fn is_closed_status(status: &str) -> bool {
    let lower = status.to_lowercase().replace("no-show", "noshow").replace("no_show", "noshow");
    let words: Vec<&str> = lower.split(|mark: char| !mark.is_alphanumeric()).collect();
    words.iter().any(|word| CLOSED.contains(word)) && !words.iter().any(|word| NOT_YET.contains(word))
}

/// A time as a record gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// A point in time.
    Exact(DateTime<FixedOffset>),
    /// What a wall clock shows, somewhere.
    Local(NaiveDateTime),
    /// A day, somewhere.
    Day(NaiveDate),
}

impl When {
    /// Reads what account systems usually write; a number counts seconds or milliseconds since the Unix epoch.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::read_text(text.trim()),
            Value::Number(number) => number.as_i64().and_then(Self::read_epoch),
            Value::Object(fields) => {
                let (_, inner) = field(fields, &["datetime", "date", "at", "time", "value"])?;
                inner.is_string().then(|| Self::read(inner)).flatten()
            }
            _ => None,
        }
    }

    fn read_text(text: &str) -> Option<Self> {
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some(Self::Exact(time));
        }
        let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
        let local = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
        local.map(Self::Local).or_else(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(Self::Day))
    }

    fn read_epoch(number: i64) -> Option<Self> {
        let millis = match number {
            1_000_000_000..=99_999_999_999 => number * 1_000,
            1_000_000_000_000..=99_999_999_999_999 => number,
            _ => return None,
        };
        DateTime::from_timestamp_millis(millis).map(|time| Self::Exact(time.fixed_offset()))
    }

    /// The earliest point in time that it can mean, roughly: wall clocks are read as UTC.
    pub(crate) fn earliest(self) -> Timestamp {
        let time = match self {
            Self::Exact(time) => return Timestamp::from_millis(time.timestamp_millis()),
            Self::Local(time) => time,
            Self::Day(day) => day.and_time(NaiveTime::MIN),
        };
        Timestamp::from_millis(time.and_utc().timestamp_millis())
    }

    /// The latest point in time that it can mean: a wall clock may be one behind UTC, a day has an end.
    pub(crate) fn latest(self) -> Timestamp {
        let hours = match self {
            Self::Exact(_) => 0,
            Self::Local(_) => HOURS_BEHIND_UTC,
            Self::Day(_) => HOURS_BEHIND_UTC + 24,
        };
        Timestamp::from_millis(self.earliest().millis().saturating_add(hours * 3_600_000))
    }

    fn with_clock(self, clock: &str) -> Self {
        match (self, NaiveTime::parse_from_str(clock, "%H:%M")) {
            (Self::Day(day), Ok(time)) => Self::Local(day.and_time(time)),
            _ => self,
        }
    }
}

/// When a record starts, if it says so readably.
pub(crate) fn starts(fact: &Fact) -> Option<When> {
    let start = time_of(fact, START)?;
    Some(say(fact, CLOCK, 40).map_or(start, |clock| start.with_clock(&clock)))
}

/// When a record starts: the time as `say_when` says it, and the record's own words where they are no readable time.
pub(crate) fn say_start(fact: &Fact, say_when: impl Fn(When) -> String) -> Option<String> {
    let Some(start) = starts(fact) else { return say(fact, START, 80) };
    match (start, say(fact, CLOCK, 40)) {
        (When::Day(_), Some(clock)) if When::read_text(&clock).is_none() => {
            Some(format!("{}, {clock}", say_when(start)))
        }
        _ => Some(say_when(start)),
    }
}

pub(crate) fn time_of(fact: &Fact, names: &[&str]) -> Option<When> {
    let fields = fact.data.as_object()?;
    names.iter().find_map(|name| {
        let mut found = fields.iter().filter(|(field, _)| is_named(field, name));
        found.find_map(|(_, value)| When::read(value))
    })
}

/// Whether an appointment is still to come or not over yet. One without a readable time may be.
pub(crate) fn is_upcoming(fact: &Fact, now: Timestamp) -> bool {
    let last = [starts(fact), time_of(fact, END)].into_iter().flatten().map(When::latest).max();
    !is_closed(fact) && last.is_none_or(|last| last > now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use serde_json::json;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn fact(data: Value) -> Fact {
        Fact {
            kind: "appointment".into(),
            id: "1".into(),
            as_of: AsOf::from(NOW),
            source: "desk".into(),
            data,
        }
    }

    #[test]
    fn a_field_is_found_by_any_usual_name() {
        let data = json!({ "Order-Status": "", "orderStatus": "shipped", "x": 1 });
        assert_eq!(status(&fact(data)).as_deref(), Some("shipped"));
        assert_eq!(
            status(&fact(json!({ "status": { "id": 3, "name": "In\nprogress" } }))).as_deref(),
            Some("In progress")
        );
        assert_eq!(status(&fact(json!([1]))), None);
    }

    #[test]
    fn closed_is_what_nothing_more_comes_of() {
        for status in ["resolved", "Closed", "CANCELLED", "Closed - won't fix", "no-show", "Completed"] {
            assert!(is_closed(&fact(json!({ "status": status }))), "{status}");
        }
        for status in ["open", "pending", "not resolved", "partially resolved", "reopened", "incomplete", "?"]
        {
            assert!(!is_closed(&fact(json!({ "status": status }))), "{status}");
        }
        assert!(is_closed(&fact(json!({ "closed_at": "2026-11-01" }))));
        assert!(!is_closed(&fact(json!({ "closed_at": null }))));
    }

    #[test]
    fn an_appointment_is_upcoming_until_it_is_over_everywhere() {
        for (data, upcoming) in [
            (json!({ "start": "2026-11-30T10:00:01Z" }), true),
            (json!({ "start": "2026-11-30T09:59:59Z" }), false),
            (json!({ "start": "2026-11-30T11:30:00+02:00" }), false),
            (json!({ "start": "2026-11-30T09:30:00Z", "end": "2026-11-30T10:30:00Z" }), true),
            (json!({ "start": { "dateTime": "2026-12-01T09:30:00Z" } }), true),
            (json!({ "starts_at": "2026-11-30T04:00:00" }), true),
            (json!({ "starts_at": "2026-11-29 21:00" }), false),
            (json!({ "date": "2026-11-30" }), true),
            (json!({ "date": "2026-11-28", "time": "14:00-16:00" }), false),
            (json!({ "date": "2026-12-02", "time": "14:30" }), true),
            (json!({ "when": "some day next week" }), true),
            (json!({}), true),
            (json!({ "start": 1_796_032_801 }), true),
            (json!({ "start": 1_796_032_799_000_i64 }), false),
            (json!({ "start": "2026-12-24T10:00:00Z", "status": "cancelled" }), false),
        ] {
            assert_eq!(is_upcoming(&fact(data.clone()), NOW), upcoming, "{data}");
        }
    }
}
