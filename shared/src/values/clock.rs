//! Times of day.

use super::token::{Class, Tokens, parse_small, range_end, split_digits};
use super::{Finder, Kind};

/// A time that starts at a token with digits; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Number => clock(finder, at).or_else(|| wide_clock(finder, at)),
        Class::Mixed => joined_clock(finder, at),
        _ => None,
    }
}

/// Words after a time of the 24-hour clock.
const CLOCK_WORDS: [&str; 2] = ["uhr", "hrs"];

/// The time of day of a timestamp: `T14:30:00Z`, after its date.
pub(super) fn of_stamp(finder: &mut Finder<'_, '_>, at: usize, hour: Option<&str>) -> Option<usize> {
    let tokens = finder.tokens;
    let hour = parse_small(hour?)?;
    if !tokens.joins(at + 1, &[':']) {
        return None;
    }
    let minute = minutes(tokens.str(at + 2))?;
    let end = seconds_end(tokens, at + 3);
    finder.push(Kind::Time, at, end, exact_time(hour, minute)?);
    Some(end)
}

fn seconds_end(tokens: &Tokens<'_>, at: usize) -> usize {
    if !tokens.joins(at, &[':']) {
        return at;
    }
    if tokens.joins(at + 2, &['.']) { at + 4 } else { at + 2 }
}

pub(super) fn named_hour(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let normal = match finder.tokens.str(at) {
        "noon" | "Noon" | "midday" => "12:00",
        "midnight" | "Midnight" => "00:00",
        _ => return None,
    };
    finder.push(Kind::Time, at, at + 1, normal.to_owned());
    Some(at + 1)
}

/// `14:30`, `2:30 pm`, `2.30pm`, `6 pm`, `6 p.m.`, `2-4 pm`.
fn clock(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let hour = tokens.small(at).filter(|hour| *hour < 25)?;
    if tokens.joins(at + 1, &[':', '.']) {
        return clock_with_minutes(finder, at, hour);
    }
    if let Some((half, end)) = half_of_day(tokens, at + 1) {
        finder.push(Kind::Time, at, end, exact_time(half.hour(hour)?, 0)?);
        return Some(end);
    }
    if tokens.is_word(at + 1, &CLOCK_WORDS) {
        finder.push(Kind::Time, at, at + 2, exact_time(hour, 0)?);
        return Some(at + 2);
    }
    let until = range_end(tokens, at + 1)?;
    let last = tokens
        .small(until)
        .or_else(|| split_digits(tokens.str(until)).and_then(|(digits, _)| parse_small(digits)));
    let half = half_at(tokens, until)?;
    let half = if hour % 12 < last? % 12 { half } else { half.other() };
    finder.push(Kind::Time, at, at + 1, exact_time(half.hour(hour)?, 0)?);
    Some(at + 1)
}

fn clock_with_minutes(finder: &mut Finder<'_, '_>, at: usize, hour: u32) -> Option<usize> {
    let tokens = finder.tokens;
    let written = tokens.str(at + 2);
    let glued = split_digits(written).and_then(|(digits, letters)| Some((digits, Half::named(letters)?)));
    let colon = tokens.is_mark(at + 1, &[':']);
    if let Some((digits, half)) = glued {
        finder.push(Kind::Time, at, at + 3, exact_time(half.hour(hour)?, minutes(digits)?)?);
        return Some(at + 3);
    }
    let minute = minutes(written)?;
    let end = if colon { seconds_end(tokens, at + 3) } else { at + 3 };
    let single_digit = tokens.str(at).chars().count() == 1;
    let (normal, end) = match half_of_day(tokens, end) {
        Some((half, end)) => (exact_time(half.hour(hour)?, minute)?, end),
        None if tokens.is_word(end, &CLOCK_WORDS) => (exact_time(hour, minute)?, end + 1),
        None if !colon => return None,
        None if single_digit && hour > 0 => (either_half(hour, minute), end),
        None => (exact_time(hour, minute)?, end),
    };
    finder.push(Kind::Time, at, end, normal);
    Some(end)
}

/// `6pm`, `14h30`, `2pm`.
fn joined_clock(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let (digits, letters) = split_digits(finder.tokens.str(at))?;
    let hour = parse_small(digits).filter(|hour| *hour < 25)?;
    let normal = match Half::named(letters) {
        Some(half) => exact_time(half.hour(hour)?, 0)?,
        None => exact_time(hour, minutes(letters.strip_prefix(['h', 'H'])?)?)?,
    };
    finder.push(Kind::Time, at, at + 1, normal);
    Some(at + 1)
}

/// `14時30分`, `14点`.
fn wide_clock(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let hour = tokens.small(at)?;
    if !["時", "时", "点", "點", "시"].iter().any(|counter| tokens.str(at + 1).starts_with(counter)) {
        return None;
    }
    let minute =
        tokens.small(at + 2).filter(|_| ["分", "분"].iter().any(|c| tokens.str(at + 3).starts_with(c)));
    let end = if minute.is_some() { at + 3 } else { at + 1 };
    finder.push(Kind::Time, at, end, exact_time(hour, minute.unwrap_or(0))?);
    Some(end + 1)
}

#[derive(Clone, Copy)]
enum Half {
    Morning,
    Afternoon,
}

impl Half {
    fn named(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("am") {
            Some(Self::Morning)
        } else if word.eq_ignore_ascii_case("pm") {
            Some(Self::Afternoon)
        } else {
            None
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Morning => Self::Afternoon,
            Self::Afternoon => Self::Morning,
        }
    }

    fn hour(self, hour: u32) -> Option<u32> {
        match self {
            Self::Morning if (1..=12).contains(&hour) => Some(hour % 12),
            Self::Afternoon if (1..=12).contains(&hour) => Some(hour % 12 + 12),
            Self::Afternoon if (13..=23).contains(&hour) => Some(hour),
            _ => None,
        }
    }
}

/// `am`, `p.m.`, `in the afternoon` after a number, and the token after it.
fn half_of_day(tokens: &Tokens<'_>, at: usize) -> Option<(Half, usize)> {
    if !tokens.same_line(at) {
        return None;
    }
    if let Some(half) = Half::named(tokens.str(at)) {
        return Some((half, at + 1));
    }
    if tokens.is_word(at, &["a", "p"]) && tokens.joins(at + 1, &['.']) && tokens.is_word(at + 2, &["m"]) {
        let half = if tokens.is_word(at, &["a"]) { Half::Morning } else { Half::Afternoon };
        let end = if tokens.is_mark(at + 3, &['.']) && tokens.adjoins(at + 3) { at + 4 } else { at + 3 };
        return Some((half, end));
    }
    if tokens.is_word(at, &["in"]) && tokens.is_word(at + 1, &["the"]) {
        let morning = tokens.is_word(at + 2, &["morning"]);
        let later = tokens.is_word(at + 2, &["afternoon", "evening"]);
        let half = if morning { Half::Morning } else { Half::Afternoon };
        return (morning || later).then_some((half, at + 3));
    }
    None
}

fn half_at(tokens: &Tokens<'_>, at: usize) -> Option<Half> {
    match split_digits(tokens.str(at)) {
        Some((_, letters)) => Half::named(letters),
        None => half_of_day(tokens, at + 1).map(|(half, _)| half),
    }
}

pub(super) fn is_clock(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.joins(at + 1, &[':']) || half_at(tokens, at).is_some()
}

fn minutes(written: &str) -> Option<u32> {
    parse_small(written).filter(|minute| *minute < 60 && written.chars().count() == 2)
}

fn exact_time(hour: u32, minute: u32) -> Option<String> {
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

/// A time of the twelve-hour clock whose half of the day was not written.
pub(super) fn either_half(hour: u32, minute: u32) -> String {
    let early = hour % 12;
    format!("{early:02}:{minute:02}/{:02}:{minute:02}", early + 12)
}
