//! Opening hours, as facts of the business give them.
//!
//! A record has a field for each day (`monday`, `mon-fri`, `weekend`), each with hours in any words, a list of them,
//! `{"open": …, "close": …}` or `"closed"`; fields named by a date (`2026-12-24`) are exceptions; `text` says it all
//! in one sentence; `closed` names the days without any; `note` is said besides; `utc_offset` (`+01:00`) tells which
//! day it is there.

use super::language::Language;
use super::lexicon::{self, is_in};
use super::templates::{Templates, fill};
use super::words::plain;
use crate::facts::Fact;
use crate::facts::read::{field, is_empty, one_line, phrase, say};
use crate::time::Timestamp;
use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate};
use serde_json::{Map, Value};

/// Characters of what a record says of one day, and of a text or a note.
const DAY_CHARS: usize = 80;
const TEXT_CHARS: usize = 400;
/// Exceptions that are said with the whole week.
const EXCEPTIONS: usize = 5;

/// The kind of such facts.
pub(super) const KIND: &str = "hours";

/// The day that a customer asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// So many days from today.
    Ahead(usize),
    /// A day of the week, from Monday.
    Weekday(usize),
    /// A date; without a year the next one.
    Date(Option<i32>, u32, u32),
}

/// Words by which the place of a record is named: those of its id and its title.
pub(super) fn names_of(fact: &Fact) -> Vec<String> {
    let named = format!("{} {}", fact.id, title(fact).unwrap_or_default());
    let plain = plain(&named);
    plain
        .split(|mark: char| !mark.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What a record calls its place.
pub(super) fn title(fact: &Fact) -> Option<String> {
    say(fact, &["title", "name", "place", "location", "unit"], DAY_CHARS)
}

/// What a record says of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Open(String),
    Closed,
}

/// A record, read.
#[derive(Debug, Default)]
pub(super) struct Week {
    days: [Option<Said>; 7],
    exceptions: Vec<(NaiveDate, Said)>,
    text: Option<String>,
    /// What is said besides, in the record's words.
    notes: Vec<String>,
    offset: Option<FixedOffset>,
}

impl Week {
    /// Reads a record; `None` where it says nothing of hours.
    pub(super) fn read(fact: &Fact) -> Option<Self> {
        let fields = fact.data.as_object()?;
        let mut week = Self {
            text: say(fact, &["text", "hours", "openinghours", "summary", "description"], TEXT_CHARS),
            offset: say(fact, &["utcoffset", "timezone"], 40).and_then(|offset| offset.parse().ok()),
            ..Self::default()
        };
        week.take(fields);
        for name in ["closed", "closedon", "holidays", "exceptions"] {
            week.take_closed(fields, name);
        }
        week.notes.extend(say(fact, &["note", "notes", "comment"], TEXT_CHARS).as_deref().map(as_sentence));
        for nested in ["days", "week", "hours", "openinghours", "exceptions", "holidays"] {
            if let Some((_, Value::Object(fields))) = field(fields, &[nested]) {
                week.take(fields);
            }
        }
        week.exceptions.sort_by_key(|(date, _)| *date);
        (week.text.is_some() || week.says_days()).then_some(week)
    }

    fn take(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            let Some(said) = read_hours(value) else { continue };
            if let Ok(date) = name.trim().parse() {
                self.exceptions.push((date, said));
                continue;
            }
            for day in days_named(name) {
                if let Some(slot) = self.days.get_mut(day) {
                    *slot = Some(said.clone());
                }
            }
        }
    }

    /// Days on which nobody is there; whatever else the field says is said as it is.
    fn take_closed(&mut self, fields: &Map<String, Value>, name: &str) {
        let Some((name, value)) = field(fields, &[name]) else { return };
        let said = match value {
            Value::Array(values) => values.iter().filter_map(|value| phrase(value, DAY_CHARS)).collect(),
            _ => phrase(value, TEXT_CHARS).map_or_else(Vec::new, |said| vec![said]),
        };
        let said = said.join(", ");
        match weekdays_in(&said) {
            Some(days) => days.into_iter().for_each(|day| self.close(day)),
            None if said.is_empty() => {}
            None => self.notes.push(as_sentence(&format!("{}: {said}", one_line(name, 40)))),
        }
    }

    fn close(&mut self, day: usize) {
        if let Some(slot) = self.days.get_mut(day) {
            slot.get_or_insert(Said::Closed);
        }
    }

    fn says_days(&self) -> bool {
        self.days.iter().any(Option::is_some)
    }

    /// What the record says of these days, or of all of them where none is asked about.
    pub(super) fn say(&self, asked: &[Asked], templates: &Templates, now: Timestamp) -> Vec<String> {
        let mut sentences: Vec<String> = vec![];
        let mut is_whole = asked.is_empty() || !self.says_days();
        for asked in asked.iter().filter(|_| self.says_days()) {
            let said = self.say_day(*asked, templates, self.today(now));
            is_whole |= said.is_none();
            let weekday = self.weekday(*asked, self.today(now));
            let not_said = || fill(templates.hours.not_said, &[("weekday", weekday_of(templates, weekday))]);
            sentences.extend(said.unwrap_or_else(|| vec![not_said()]));
        }
        if is_whole {
            sentences
                .push(fill(templates.hours.whole, &[("hours", &self.say_whole(templates, self.today(now)))]));
        }
        sentences.extend(self.notes.iter().cloned());
        sentences
    }

    fn today(&self, now: Timestamp) -> NaiveDate {
        let utc = DateTime::from_timestamp_millis(now.millis()).unwrap_or_default();
        self.offset.map_or(utc.date_naive(), |offset| utc.with_timezone(&offset).date_naive())
    }

    fn weekday(&self, asked: Asked, today: NaiveDate) -> usize {
        match asked {
            Asked::Weekday(weekday) => weekday,
            Asked::Ahead(_) | Asked::Date(..) => {
                date_of(asked, today).map_or(0, |date| date.weekday().num_days_from_monday() as usize)
            }
        }
    }

    /// `None` where the record does not say.
    fn say_day(&self, asked: Asked, templates: &Templates, today: NaiveDate) -> Option<Vec<String>> {
        let texts = &templates.hours;
        let weekday = self.weekday(asked, today);
        let date = date_of(asked, today);
        let exception = self.exceptions.iter().find(|(day, _)| Some(*day) == date).map(|(_, said)| said);
        let said = exception.or(self.days.get(weekday)?.as_ref())?;
        let named = weekday_of(templates, weekday);
        let day = match (asked, date) {
            (Asked::Ahead(days), _) => fill(texts.days_ahead.get(days)?, &[("weekday", named)]),
            (Asked::Date(..), Some(date)) if exception.is_some() => {
                fill(texts.on_date, &[("date", &templates.say_date(date))])
            }
            _ => fill(texts.on_weekday, &[("weekday", named)]),
        };
        let mut sentences = vec![match said {
            Said::Closed => fill(texts.closed_on_day, &[("day", &day)]),
            Said::Open(hours) => fill(texts.on_day, &[("day", &day), ("hours", hours)]),
        }];
        if let (Asked::Date(..), Some(date), None) = (asked, date, exception) {
            sentences.push(fill(texts.date_not_said, &[("date", &templates.say_date(date))]));
        }
        Some(sentences)
    }

    /// `Monday to Friday 09:00-18:00; Saturday 10:00-14:00; Sunday closed`
    fn say_whole(&self, templates: &Templates, today: NaiveDate) -> String {
        if !self.says_days() {
            return self
                .text
                .as_deref()
                .map(|text| text.trim_end_matches('.').to_owned())
                .unwrap_or_default();
        }
        let mut said: Vec<String> = vec![];
        let mut from = 0;
        while let Some(day) = self.days.get(from) {
            let same = self.days.iter().skip(from).take_while(|next| *next == day).count();
            if let Some(hours) = day {
                said.push(format!("{} {}", span(templates, from, same), words_of(hours, templates)));
            }
            from += same;
        }
        let coming = self.exceptions.iter().filter(|(date, _)| *date >= today).take(EXCEPTIONS);
        said.extend(
            coming.map(|(date, said)| format!("{} {}", templates.say_date(*date), words_of(said, templates))),
        );
        said.join("; ")
    }
}

fn words_of<'s>(said: &'s Said, templates: &Templates) -> &'s str {
    match said {
        Said::Open(hours) => hours,
        Said::Closed => templates.hours.closed,
    }
}

fn weekday_of(templates: &Templates, weekday: usize) -> &'static str {
    templates.weekdays.get(weekday).copied().unwrap_or_default()
}

/// Days in a row: `Monday`, `Saturday and Sunday`, `Monday to Friday`.
fn span(templates: &Templates, from: usize, days: usize) -> String {
    let first = weekday_of(templates, from);
    let last = weekday_of(templates, (from + days).saturating_sub(1));
    match days {
        1 => first.to_owned(),
        2 => templates.all_of(&[first.to_owned(), last.to_owned()]),
        _ => fill(templates.hours.range, &[("from", first), ("to", last)]),
    }
}

fn date_of(asked: Asked, today: NaiveDate) -> Option<NaiveDate> {
    match asked {
        Asked::Weekday(_) => None,
        Asked::Ahead(days) => today.checked_add_days(Days::new(days as u64)),
        Asked::Date(Some(year), month, day) => NaiveDate::from_ymd_opt(year, month, day),
        Asked::Date(None, month, day) => {
            let in_year = |year| NaiveDate::from_ymd_opt(year, month, day);
            let this_year = in_year(today.year()).filter(|date| *date >= today);
            this_year.or_else(|| in_year(today.year() + 1))
        }
    }
}

fn as_sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let mut sentence: String = first.chain(letters).collect();
    if !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

/// The days of the week that a field is named for.
fn days_named(name: &str) -> Vec<usize> {
    let plain = plain(&name.replace('_', " "));
    let in_language = |language: &Language| days_named_in(&plain, &language.lexicon().hours);
    Language::ALL.iter().map(in_language).find(|days| !days.is_empty()).unwrap_or_default()
}

/// The days of the week of which a text is made: "Saturday and Sunday".
fn weekdays_in(text: &str) -> Option<Vec<usize>> {
    let plain = plain(text);
    let words = plain.split(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_joint = |word: &&str| Language::ALL.iter().any(|language| language.templates().and == *word);
    let days: Vec<Vec<usize>> = words.filter(|word| !is_joint(word)).map(days_named).collect();
    (!days.is_empty() && days.iter().all(|days| !days.is_empty())).then(|| days.concat())
}

fn days_named_in(name: &str, words: &lexicon::Hours) -> Vec<usize> {
    let weekday = |word: &str| {
        (0..7).find(|day| is_in(word, words.weekdays[*day]) || is_in(word, words.short_weekdays[*day]))
    };
    let parts: Vec<&str> = name
        .split(|mark: char| !mark.is_alphanumeric())
        .filter(|word| !word.is_empty() && !is_in(word, words.to))
        .collect();
    match parts.as_slice() {
        [word] if weekday(word).is_some() => weekday(word).into_iter().collect(),
        [from, to] => match (weekday(from), weekday(to)) {
            (Some(from), Some(to)) if from <= to => (from..=to).collect(),
            (Some(from), Some(to)) => (from..7).chain(0..=to).collect(),
            _ => vec![],
        },
        [word] if is_in(word, words.weekend) => vec![5, 6],
        [word] if is_in(word, words.working_days) => (0..5).collect(),
        [word] if is_in(word, words.every_day) => (0..7).collect(),
        _ => vec![],
    }
}

fn read_hours(value: &Value) -> Option<Said> {
    match value {
        Value::Bool(false) => Some(Said::Closed),
        Value::Array(values) if values.is_empty() => Some(Said::Closed),
        Value::Array(values) => {
            let open = values.iter().filter_map(read_hours).filter_map(|said| match said {
                Said::Open(hours) => Some(hours),
                Said::Closed => None,
            });
            let open: Vec<String> = open.collect();
            Some(if open.is_empty() {
                Said::Closed
            } else {
                Said::Open(one_line(&open.join(", "), DAY_CHARS))
            })
        }
        Value::Object(fields) => {
            let is_closed =
                field(fields, &["closed"]).is_some_and(|(_, closed)| *closed == Value::Bool(true));
            let edge = |names: &[&str]| field(fields, names).and_then(|(_, value)| phrase(value, 20));
            let open = edge(&["open", "opens", "from", "start"]);
            match (is_closed, open, edge(&["close", "closes", "to", "until", "end"])) {
                (true, ..) => Some(Said::Closed),
                (false, Some(open), Some(close)) => Some(Said::Open(format!("{open}-{close}"))),
                _ => None,
            }
        }
        Value::String(_) if !is_empty(value) => {
            let said = phrase(value, DAY_CHARS)?;
            let is_closed = |language: Language| is_in(&plain(&said), language.lexicon().hours.closed);
            Some(if Language::ALL.into_iter().any(is_closed) { Said::Closed } else { Said::Open(said) })
        }
        _ => None,
    }
}

/// The date that the normal form of a value names.
pub(super) fn asked_date(normal: &str) -> Option<Asked> {
    let parts: Vec<&str> = normal.trim_start_matches("--").split('-').collect();
    let (year, month, day) = match (parts.as_slice(), normal.starts_with("--")) {
        ([month, day], true) => (None, month.parse().ok()?, day.parse().ok()?),
        ([year, month, day], false) => (Some(year.parse().ok()?), month.parse().ok()?, day.parse().ok()?),
        _ => return None,
    };
    Some(Asked::Date(year, month, day))
}
