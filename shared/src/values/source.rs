//! Whether a value is said in a set of texts.

use super::clock::either_half;
use super::date::{Day, WEEKDAYS};
use super::hashes::Hashes;
use super::token::{Class, Tokens};
use super::{Kind, Value, find, number, words};
use std::collections::HashSet;

/// Numbers up to this one are never invented: summaries count orders and questions.
const COUNTED: [&str; 3] = ["0", "1", "2"];

/// Said by a text with a date whose weekday cannot be known.
const OPEN_DAY: &str = "--";
const RELATIVE_DAYS: [&str; 11] = [
    "today",
    "tomorrow",
    "tonight",
    "yesterday",
    "heute",
    "morgen",
    "hoy",
    "mañana",
    "hoje",
    "amanhã",
    "demain",
];

/// What a set of texts says: built once, asked for every value.
///
/// Three questions differ in how much they forgive. [`keeps`](Self::keeps) is for *facts-survive*: is the value still
/// there, as precisely as before? [`occurs`](Self::occurs) is for *nothing-invented*: could the value come from here?
/// A year, a half of the day, a currency or a country code that the texts leave open may be filled in.
/// [`grounds`](Self::grounds) is for replies: as `occurs`, but a number comes from no date or time, and a weekday not
/// from "today", since whoever checks a reply knows what day that is.
#[derive(Debug, Default, Clone)]
pub struct Source {
    said: Hashes,
    implied: Hashes,
    /// Numbers that are a part of a date or a time.
    parts: Hashes,
    words: Hashes,
}

impl Source {
    /// What these texts say.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut source = Self::default();
        for text in texts {
            source.read(text);
        }
        source.said.seal();
        source.implied.seal();
        source.parts.seal();
        source.words.seal();
        source
    }

    fn read(&mut self, text: &str) {
        let tokens = Tokens::of(text);
        for value in find(&tokens) {
            self.said.add(&value.normal);
            let is_ordinal = value.kind != Kind::Name && value.normal.ends_with("th");
            if value.normal.starts_with("--") || is_ordinal {
                self.said.add(OPEN_DAY);
            }
            weaker(&value).iter().for_each(|form| self.implied.add(form));
            parts(&value).iter().for_each(|form| self.parts.add(form));
        }
        for at in 0..tokens.len() {
            match tokens.class(at) {
                Some(Class::Mixed) => self.read_parts(tokens.str(at)),
                Some(Class::Word | Class::Wide) => self.words.add(tokens.str(at)),
                _ => {}
            }
        }
    }

    /// `mia_li_3668` also says Mia.
    fn read_parts(&mut self, token: &str) {
        self.words.add(token);
        let parts = token.split(|mark: char| !mark.is_alphabetic()).filter(|part| part.len() > 1);
        parts.for_each(|part| self.words.add(part));
    }

    /// *facts-survive*: the value is still said here, in the same normal form or a more precise one. A name is kept
    /// if all its words are, in any case and order; a number also as a word.
    pub fn keeps(&self, value: &Value<'_>) -> bool {
        self.has(&value.normal)
            || self.parts.contains(&value.normal)
            || match value.kind {
                Kind::Name => self.has_words(&value.normal),
                Kind::Number => {
                    let number = bare(&value.normal);
                    self.has_number_word(number)
                        || number::in_parts(number).iter().any(|word| self.has_word(word))
                }
                Kind::Phone => weaker(value).iter().any(|digits| self.said.contains(digits)),
                _ => false,
            }
    }

    /// *nothing-invented*: the value is said here or can come from here.
    pub fn occurs(&self, value: &Value<'_>) -> bool {
        self.keeps(value)
            || match value.kind {
                Kind::Name => self.has_name(&value.normal),
                Kind::Number => {
                    let number = bare(&value.normal);
                    COUNTED.contains(&value.normal.as_str())
                        || self.has(number)
                        || self.parts.contains(number)
                }
                Kind::Address => self.has_words(&value.normal),
                Kind::Date if WEEKDAYS.contains(&value.normal.as_str()) => self.has_open_day(),
                Kind::Date | Kind::Time | Kind::Amount => {
                    left_open(value).iter().any(|form| self.said.contains(form))
                }
                Kind::Id | Kind::Email | Kind::Url | Kind::Phone => false,
            }
    }

    /// For replies: the value is said here or can come from here, and not by chance.
    pub fn grounds(&self, value: &Value<'_>) -> bool {
        let normal = value.normal.as_str();
        match value.kind {
            Kind::Number => {
                let number = bare(normal);
                let is_said = self.has(normal) || self.has(number) || self.has_number_word(number);
                COUNTED.contains(&normal) || is_said
            }
            Kind::Date if WEEKDAYS.contains(&normal) => self.has(normal) || self.said.contains(OPEN_DAY),
            _ => self.occurs(value),
        }
    }

    /// Whether a number is said here as a part of a date or a time: the hour, the day, the year.
    pub fn says_in_part(&self, value: &Value<'_>) -> bool {
        self.parts.contains(bare(&value.normal))
    }

    /// The values of the text that are not kept here, each normal form once, in the order of the text.
    pub fn lost<'t>(&self, text: &'t str) -> Vec<Value<'t>> {
        distinct(super::values(text), |value| !self.keeps(value))
    }

    /// The values of the text that do not occur here, each normal form once, in the order of the text. Names that
    /// may be ordinary words are not among them.
    pub fn invented<'t>(&self, text: &'t str) -> Vec<Value<'t>> {
        distinct(super::values(text), |value| value.sure && !self.occurs(value))
    }

    fn has(&self, normal: &str) -> bool {
        self.said.contains(normal) || self.implied.contains(normal)
    }

    /// A weekday can come from `tomorrow` or from a date without its year.
    fn has_open_day(&self) -> bool {
        self.said.contains(OPEN_DAY) || RELATIVE_DAYS.iter().any(|word| self.has_word(word))
    }

    fn has_number_word(&self, number: &str) -> bool {
        number::in_words(number).iter().any(|word| self.has_word(word))
    }

    fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    fn has_words(&self, normal: &str) -> bool {
        let mut parts =
            normal.split(|mark: char| !mark.is_alphanumeric()).filter(|part| !part.is_empty()).peekable();
        parts.peek().is_some() && parts.all(|part| self.has_word(part) || self.has(part))
    }

    /// Ordinary words beside a name, plurals and singulars do not make it an invention.
    fn has_name(&self, normal: &str) -> bool {
        normal.split(|mark: char| !mark.is_alphanumeric()).all(|part| {
            part.chars().count() < 2
                || words::is_common(part)
                || self.has_word(part)
                || part.strip_suffix('s').is_some_and(|singular| self.has_word(singular))
                || self.has_word(&format!("{part}s"))
        })
    }
}

fn distinct<'t>(values: Vec<Value<'t>>, wanted: impl Fn(&Value<'t>) -> bool) -> Vec<Value<'t>> {
    let mut seen = HashSet::new();
    values.into_iter().filter(|value| wanted(value) && seen.insert(value.normal.clone())).collect()
}

/// A number without its unit.
fn bare(normal: &str) -> &str {
    normal.split(' ').next().unwrap_or(normal)
}

/// Less precise forms that whoever says the value says too.
fn weaker(value: &Value<'_>) -> Vec<String> {
    let normal = value.normal.as_str();
    match value.kind {
        Kind::Date => weaker_dates(normal),
        Kind::Time => open_halves(normal).into_iter().collect(),
        Kind::Amount | Kind::Number => vec![bare(normal).to_owned()],
        Kind::Phone => weaker_phones(value),
        Kind::Id => weaker_ids(normal),
        Kind::Email => normal.split('@').map(str::to_owned).collect(),
        Kind::Url => vec![normal.split('/').next().unwrap_or(normal).to_owned()],
        Kind::Address | Kind::Name => normal.split(' ').map(str::to_owned).collect(),
    }
}

fn weaker_dates(normal: &str) -> Vec<String> {
    let Some(day) = Day::read(normal) else { return Vec::new() };
    let mut forms = vec![number::ordinal(day.day), format!("--{:02}", day.month)];
    forms.extend(day.either());
    let yearless = Day { year: None, ..day };
    forms.extend(yearless.either());
    if let Some(year) = day.year {
        forms.extend([yearless.normal(), format!("{year:04}-{:02}", day.month)]);
        forms.extend(day.weekday().map(str::to_owned));
    }
    forms
}

/// Numbers that whoever says the date or time says too, as a part of it.
fn parts(value: &Value<'_>) -> Vec<String> {
    let normal = value.normal.as_str();
    match (value.kind, Day::read(normal)) {
        (Kind::Date, Some(day)) => {
            [Some(day.day.to_string()), day.year.map(|year| year.to_string())].into_iter().flatten().collect()
        }
        (Kind::Time, _) => open_hours(normal),
        _ => vec![],
    }
}

/// Phone numbers are the same if one ends in the other: the country and the leading zero are often left out.
fn weaker_phones(value: &Value<'_>) -> Vec<String> {
    let digits = value.normal.trim_start_matches('+');
    let longest = digits.len().saturating_sub(7).min(4);
    let mut forms: Vec<String> =
        (0..=longest).filter_map(|from| digits.get(from..)).map(str::to_owned).collect();
    forms.push(format!("0{digits}"));
    forms
}

/// The number in an id (`HM-20931` is also 20931) and the last four digits of a long one.
fn weaker_ids(normal: &str) -> Vec<String> {
    let digits: String =
        normal.chars().skip_while(|mark| !mark.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let last = digits.len().checked_sub(4).filter(|from| *from >= 3).and_then(|from| digits.get(from..));
    let mut forms: Vec<String> = last.map(str::to_owned).into_iter().collect();
    forms.push(digits.trim_start_matches('0').to_owned());
    forms.push(digits);
    forms
}

/// Forms that leave open what this value says: without its year, its half of the day, its currency.
fn left_open(value: &Value<'_>) -> Vec<String> {
    let normal = value.normal.as_str();
    match value.kind {
        Kind::Date => open_dates(normal),
        Kind::Time => open_times(normal),
        _ => vec![bare(normal).to_owned()],
    }
}

fn open_dates(normal: &str) -> Vec<String> {
    let Some(day) = Day::read(normal) else { return Vec::new() };
    let yearless = Day { year: None, ..day };
    let mut forms = vec![number::ordinal(day.day), yearless.normal()];
    forms.extend(day.either());
    forms.extend(yearless.either());
    forms
}

fn open_times(normal: &str) -> Vec<String> {
    open_halves(normal).into_iter().chain(open_hours(normal)).collect()
}

fn open_halves(normal: &str) -> Option<String> {
    let (hour, minute) = hour_and_minute(normal)?;
    Some(either_half(hour, minute))
}

/// A full hour as a number alone.
fn open_hours(normal: &str) -> Vec<String> {
    match hour_and_minute(normal) {
        Some((hour, 0)) => {
            let on_the_dial = if hour % 12 == 0 { 12 } else { hour % 12 };
            vec![hour.to_string(), format!("{hour} h"), on_the_dial.to_string()]
        }
        _ => vec![],
    }
}

fn hour_and_minute(normal: &str) -> Option<(u32, u32)> {
    let (hour, minute) = normal.split_once(':')?;
    Some((hour.parse().ok()?, minute.parse().ok()?))
}
