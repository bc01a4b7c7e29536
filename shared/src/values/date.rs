//! Dates, parts of dates and weekdays.

use super::clock;
use super::token::{Class, Tokens, is_capital, parse_small, range_end, split_digits};
use super::{Finder, Kind};
use std::fmt::Write as _;

/// A date that starts at the token; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Number => {
            numeric_date(finder, at).or_else(|| wide_date(finder, at)).or_else(|| day_and_month(finder, at))
        }
        Class::Mixed => day_and_month(finder, at),
        Class::Word => named_date(finder, at),
        _ => None,
    }
}

/// Only a capital letter or something other than a word behind it makes a word worth looking up as a month.
fn named_date(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let before_word = matches!(tokens.class(at + 1), Some(Class::Word | Class::Wide) | None);
    let month = !before_word || is_capital(tokens.str(at));
    let dated = if month { month_first(finder, at) } else { None };
    dated.or_else(|| weekday(finder, at))
}

/// The days of the week from Sunday, as normal forms.
pub(super) const WEEKDAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// A calendar date, or the part of one that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) year: Option<u32>,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Day {
    fn new(year: Option<u32>, month: u32, day: u32) -> Option<Self> {
        let longest = match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=longest).contains(&day).then_some(Self { year, month, day })
    }

    /// Reads a normal form back: `2026-12-03` or `--12-03`.
    pub(super) fn read(normal: &str) -> Option<Self> {
        let (year, rest) = match normal.strip_prefix("--") {
            Some(rest) => (None, rest),
            None => normal.split_once('-').map(|(year, rest)| (year.parse().ok(), rest))?,
        };
        let (month, day) = rest.split_once('-')?;
        Self::new(year, month.parse().ok()?, day.parse().ok()?)
    }

    pub(super) fn normal(self) -> String {
        let mut normal = String::with_capacity(10);
        let _ = match self.year {
            Some(year) => write!(normal, "{year:04}"),
            None => write!(normal, "-"),
        };
        let _ = write!(normal, "-{:02}-{:02}", self.month, self.day);
        normal
    }

    /// `03/12/2026` read in either order, smaller reading first.
    pub(super) fn either(self) -> Option<String> {
        let other = Self::new(self.year, self.day, self.month)?;
        let (first, second) = if self.month <= self.day { (self, other) } else { (other, self) };
        Some(format!("{}/{}", first.normal(), second.normal()))
    }

    pub(super) fn weekday(self) -> Option<&'static str> {
        const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = self.year? - u32::from(self.month < 3);
        let shift = SHIFT.get(self.month as usize - 1)?;
        WEEKDAYS.get(((year + year / 4 - year / 100 + year / 400 + shift + self.day) % 7) as usize).copied()
    }
}

/// `2026-12-03`, `2026-12-03T14:30:00Z`, `03.12.2026` (day first), `12/25/2026`, `03/12/2026` (either order).
fn numeric_date(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let separator =
        [['-', '‑'], ['/', '⁄'], ['.', '．']].into_iter().find(|marks| tokens.joins(at + 1, marks))?;
    let (first, second) = (tokens.small(at)?, tokens.small(at + 2)?);
    if !tokens.joins(at + 3, &separator) {
        return slashed_day(finder, at, first, second);
    }
    let third = tokens.str(at + 4);
    let (day_part, hour) =
        third.split_once(['T', 't']).map_or((third, None), |(day, hour)| (day, Some(hour)));
    let third = parse_small(day_part)?;
    let long_year = |at: usize| tokens.str(at).chars().count() == 4;
    if long_year(at) {
        finder.push(Kind::Date, at, at + 5, Day::new(Some(first), second, third)?.normal());
        return Some(clock::of_stamp(finder, at + 4, hour).unwrap_or(at + 5));
    }
    let year = if day_part.chars().count() == 4 { third } else { short_year(day_part, third)? };
    let normal = ordered(separator, year, first, second)?;
    finder.push(Kind::Date, at, at + 5, normal);
    Some(at + 5)
}

fn short_year(written: &str, year: u32) -> Option<u32> {
    (written.chars().count() == 2).then_some(2000 + year)
}

fn ordered(separator: [char; 2], year: u32, first: u32, second: u32) -> Option<String> {
    let day_first = Day::new(Some(year), second, first);
    let month_first = Day::new(Some(year), first, second);
    match (day_first, month_first) {
        (Some(day), None) | (None, Some(day)) => Some(day.normal()),
        (Some(day), Some(_)) if separator.contains(&'.') || first == second => Some(day.normal()),
        (Some(day), Some(_)) => day.either(),
        (None, None) => None,
    }
}

/// `on 12/25`: a day without a year only after a word that asks for one, since `24/7` and `1/2` are none.
fn slashed_day(finder: &mut Finder<'_, '_>, at: usize, first: u32, second: u32) -> Option<usize> {
    let before = at.checked_sub(1)?;
    let asks = [
        "on", "by", "from", "until", "till", "since", "before", "after", "date", "due", "expires", "em", "am",
    ];
    if !finder.tokens.is_mark(at + 1, &['/']) || !finder.tokens.is_word(before, &asks) {
        return None;
    }
    let normal = match (Day::new(None, second, first), Day::new(None, first, second)) {
        (Some(day), Some(_)) if first != second => day.either()?,
        (Some(day), _) | (None, Some(day)) => day.normal(),
        (None, None) => return None,
    };
    finder.push(Kind::Date, at, at + 3, normal);
    Some(at + 3)
}

/// `2026年12月3日`, `12月3日`, also with the Korean counters.
fn wide_date(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let counted = |at: usize, counters: &[&str]| {
        let follows = counters.iter().any(|counter| tokens.str(at + 1).starts_with(counter));
        tokens.small(at).filter(|_| follows)
    };
    let year = counted(at, &["年", "년"]);
    let month_at = if year.is_some() { at + 2 } else { at };
    let month = counted(month_at, &["月", "월"])?;
    let day = counted(month_at + 2, &["日", "일", "号", "號"])?;
    finder.push(Kind::Date, at, month_at + 3, Day::new(year, month, day)?.normal());
    Some(month_at + 4)
}

/// `3 Dec 2026`, `8th of March`, `3. Dezember`, `6–8 March`, and an ordinal on its own (`the 8th`).
fn day_and_month(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let (first, ordinal) = day_number(tokens, at)?;
    let second = range_end(tokens, at + 1).and_then(|next| Some((next, day_number(tokens, next)?.0)));
    let ranged = second.and_then(|(next, day)| Some((day, month_after(tokens, next + 1)?)));
    let single = || Some((first, month_after(tokens, at + 1)?));
    let Some((last, (month, month_at))) = ranged.or_else(single) else {
        return ordinal.then(|| {
            finder.push(Kind::Number, at, at + 1, super::number::ordinal(first));
            at + 1
        });
    };
    let (year, end) = year_after(tokens, month_at + 1);
    let day = Day::new(year, month, last)?;
    if let Some(from) = ranged.and_then(|_| Day::new(year, month, first)) {
        finder.push(Kind::Date, at, at + 1, from.normal());
        finder.push(Kind::Date, at + 2, end, day.normal());
    } else {
        finder.push(Kind::Date, at, end, day.normal());
    }
    Some(end)
}

/// `December 3rd, 2026`, `March 6–8`, `March 2027`, and a month on its own inside a sentence.
fn month_first(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let day_at = if tokens.is_mark(at + 1, &['.']) { at + 2 } else { at + 1 };
    let day =
        day_number(tokens, day_at).filter(|_| tokens.same_line(day_at) && !clock::is_clock(tokens, day_at));
    let Some((first, _)) = day else { return month_alone(finder, at) };
    let month = month_number(tokens.str(at))?;
    let from = Day::new(None, month, first)?;
    let to = range_end(tokens, day_at + 1)
        .filter(|next| !clock::is_clock(tokens, *next))
        .and_then(|next| Some((next, Day::new(None, month, day_number(tokens, next)?.0)?)));
    let (year, end) = year_after(tokens, to.map_or(day_at, |(next, _)| next) + 1);
    let from_end = if to.is_some() { day_at + 1 } else { end };
    finder.push(Kind::Date, at, from_end, Day { year, ..from }.normal());
    if let Some((next, to)) = to {
        finder.push(Kind::Date, next, end, Day { year, ..to }.normal());
    }
    Some(end)
}

fn month_alone(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let written = tokens.str(at);
    if let (Some(year), end) = year_after(tokens, at + 1) {
        let month = month_number(written)?;
        finder.push(Kind::Date, at, end, format!("{year:04}-{month:02}"));
        return Some(end);
    }
    if at == 0 || !is_capital(written) {
        return None;
    }
    let month = month_number(written)?;
    let introduced = ["in", "of", "until", "since", "by", "from", "next", "last", "this"];
    if !tokens.is_word(at - 1, &introduced) {
        return None;
    }
    finder.push(Kind::Date, at, at + 1, format!("--{month:02}"));
    Some(at + 1)
}

/// Weekdays count, since dates are planned with them; abbreviated only where they cannot be a word.
pub(super) fn weekday(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let written = finder.tokens.str(at);
    if !(3..=10).contains(&written.len()) {
        return None;
    }
    let full = WEEKDAYS.iter().find(|day| written.eq_ignore_ascii_case(day));
    let plural = || {
        let singular = written.strip_suffix('s')?;
        WEEKDAYS.iter().find(|day| singular.eq_ignore_ascii_case(day))
    };
    let short = || match written {
        "Mon" => Some(&WEEKDAYS[1]),
        "Tue" | "Tues" => Some(&WEEKDAYS[2]),
        "Wed" => Some(&WEEKDAYS[3]),
        "Thu" | "Thur" | "Thurs" => Some(&WEEKDAYS[4]),
        "Fri" => Some(&WEEKDAYS[5]),
        _ => None,
    };
    let day = full.or_else(plural).or_else(short)?;
    finder.push(Kind::Date, at, at + 1, (*day).to_owned());
    Some(at + 1)
}

/// A day of a month and whether it is an ordinal: `3`, `3rd`, `1er`, `3º`.
fn day_number(tokens: &Tokens<'_>, at: usize) -> Option<(u32, bool)> {
    let (day, ordinal) = match tokens.class(at)? {
        Class::Number => (tokens.small(at)?, false),
        Class::Mixed => {
            let (digits, letters) = split_digits(tokens.str(at))?;
            let ordinal = ["st", "nd", "rd", "th"].iter().any(|suffix| letters.eq_ignore_ascii_case(suffix))
                || digits == "1" && letters.eq_ignore_ascii_case("er");
            (parse_small(digits).filter(|_| ordinal)?, true)
        }
        _ => return None,
    };
    (1..=31).contains(&day).then_some((day, ordinal))
}

/// A month a few tokens after a day (`of`, `de`, a full stop or a dash may be between), and where it is.
fn month_after(tokens: &Tokens<'_>, at: usize) -> Option<(u32, usize)> {
    let skips = tokens.is_word(at, &["of", "de"]) || tokens.is_mark(at, &['.', '-', 'º']);
    let month_at = if skips { at + 1 } else { at };
    let month = month_number(tokens.str(month_at)).filter(|_| tokens.same_line(month_at))?;
    Some((month, month_at))
}

fn year_after(tokens: &Tokens<'_>, at: usize) -> (Option<u32>, usize) {
    let skips = tokens.is_word(at, &["of", "de"]) || tokens.is_mark(at, &[',', '.', '-']);
    let year_at = if skips { at + 1 } else { at };
    let year = tokens.small(year_at).filter(|year| (1900..2200).contains(year) && tokens.same_line(year_at));
    match year {
        Some(year) if !tokens.joins(year_at + 1, &[':', '-', '/']) => (Some(year), year_at + 1),
        _ => (None, at),
    }
}

/// The number of a month named in one of the languages that customers write most.
fn month_number(word: &str) -> Option<u32> {
    if !(3..=18).contains(&word.len()) {
        return None;
    }
    Some(match word.to_lowercase().as_str() {
        "january" | "jan" | "januar" | "januari" | "janvier" | "enero" | "janeiro" | "gennaio" | "января" => {
            1
        }
        "february" | "feb" | "februar" | "februari" | "février" | "febrero" | "fevereiro" | "febbraio"
        | "февраля" => 2,
        "march" | "mar" | "märz" | "maart" | "mars" | "marzo" | "março" | "марта" => 3,
        "april" | "apr" | "avril" | "abril" | "aprile" | "апреля" => 4,
        "may" | "mai" | "mayo" | "maio" | "maggio" | "мая" => 5,
        "june" | "jun" | "juni" | "juin" | "junio" | "junho" | "giugno" | "июня" => 6,
        "july" | "jul" | "juli" | "juillet" | "julio" | "julho" | "luglio" | "июля" => 7,
        "august" | "aug" | "augustus" | "août" | "agosto" | "августа" => 8,
        "september" | "sep" | "sept" | "septembre" | "septiembre" | "setembro" | "settembre" | "сентября" => {
            9
        }
        "october" | "oct" | "oktober" | "octobre" | "octubre" | "outubro" | "ottobre" | "октября" => {
            10
        }
        "november" | "nov" | "novembre" | "noviembre" | "novembro" | "ноября" => 11,
        "december" | "dec" | "dezember" | "décembre" | "diciembre" | "dezembro" | "dicembre" | "декабря" => {
            12
        }
        _ => return None,
    })
}
