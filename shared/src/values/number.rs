//! Plain numbers: how their separators are read, their units, their words.

use super::token::{Class, Tokens, ascii_digits, split_digits};
use super::{Finder, Kind};

/// Groups of one number that are looked at.
const LONGEST_GROUPS: usize = 8;

const UNITS: [&str; 34] = [
    "%", "cm", "mm", "m", "km", "kg", "g", "mg", "lb", "lbs", "oz", "ml", "l", "cl", "inch", "inches", "in",
    "ft", "mb", "gb", "tb", "mbps", "kwh", "w", "v", "mah", "h", "min", "mins", "hrs", "hr", "x", "k", "px",
];

/// A number that is nothing more special; the marker of a list (`1.` at the start of a line) is none.
pub(super) fn plain(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    if let Some((digits, letters)) =
        split_digits(tokens.str(at)).filter(|_| tokens.class(at) == Some(Class::Mixed))
    {
        let unit = unit(letters)?;
        finder.push(Kind::Number, at, at + 1, format!("{} {unit}", ascii_digits(digits)));
        return Some(at + 1);
    }
    if is_list_marker(tokens, at) {
        return Some(at + 1);
    }
    if tokens.joins(at + 1, &['/']) && tokens.small(at).is_some() && tokens.small(at + 2).is_some() {
        finder.push(Kind::Number, at, at + 3, tokens.slice(at, at + 3).to_owned());
        return Some(at + 3);
    }
    let figure = Figure::read(tokens, at, false)?;
    let (normal, end) = (figure.normal(), figure.end);
    if tokens.is_mark(end, &['%', '٪', '％']) {
        finder.push(Kind::Number, at, end + 1, format!("{normal} %"));
        return Some(end + 1);
    }
    let measured = unit(tokens.str(end)).filter(|unit| tokens.same_line(end) && !["in", "x"].contains(unit));
    if let Some(unit) = measured {
        finder.push(Kind::Number, at, end + 1, format!("{normal} {unit}"));
        return Some(end + 1);
    }
    let written = tokens.slice(at, end);
    let looks_like_id = normal.len() > 4 && normal.len() == written.len();
    finder.push(if looks_like_id { Kind::Id } else { Kind::Number }, at, end, normal);
    Some(end)
}

/// The normal form of an ordinal.
pub(super) fn ordinal(number: u32) -> String {
    format!("{number}th")
}

/// Words for a small whole number, as customers write them.
pub(super) fn in_words(number: &str) -> &'static [&'static str] {
    match number {
        "0" => &["zero", "no", "none", "null", "cero"],
        "1" => &[
            "one", "a", "an", "single", "once", "uno", "una", "um", "uma", "un", "une", "ein", "eine",
            "einen",
        ],
        "2" => &["two", "both", "couple", "twice", "second", "pair", "dos", "dois", "duas", "deux", "zwei"],
        "3" => &["three", "third", "tres", "três", "trois", "drei"],
        "4" => &["four", "fourth", "cuatro", "quatro", "quatre", "vier"],
        "5" => &["five", "fifth", "cinco", "cinq", "fünf"],
        "6" => &["six", "sixth", "seis", "sechs"],
        "7" => &["seven", "seventh", "siete", "sete", "sept", "sieben"],
        "8" => &["eight", "eighth", "ocho", "oito", "huit", "acht"],
        "9" => &["nine", "ninth", "nueve", "nove", "neuf", "neun"],
        "10" => &["ten", "tenth", "diez", "dez", "dix", "zehn"],
        "11" => &["eleven", "eleventh", "once", "onze", "elf"],
        "12" => &["twelve", "twelfth", "dozen", "doce", "doze", "douze", "zwölf"],
        "14" => &["fourteen", "fourteenth", "catorce", "quatorze", "vierzehn"],
        "15" => &["fifteen", "fifteenth", "quince", "quinze", "fünfzehn"],
        "20" => &["twenty", "twentieth", "veinte", "vinte", "vingt", "zwanzig"],
        "30" => &["thirty", "treinta", "trinta", "trente", "dreißig"],
        "40" => &["forty", "cuarenta", "quarenta", "quarante", "vierzig"],
        "50" => &["fifty", "cincuenta", "cinquenta", "cinquante", "fünfzig"],
        "100" => &["hundred", "cien", "cem", "cent", "hundert"],
        _ => &[],
    }
}

/// Words that say a number as a part of something: half an hour, a quarter of one, a week.
pub(super) fn in_parts(number: &str) -> &'static [&'static str] {
    match number {
        "7" => &["week"],
        "14" => &["fortnight"],
        "15" => &["quarter"],
        "30" => &["half"],
        _ => &[],
    }
}

fn is_list_marker(tokens: &Tokens<'_>, at: usize) -> bool {
    let short = tokens.small(at).is_some_and(|number| number < 100);
    let marked = tokens.is_mark(at + 1, &['.', ')', ':']) && tokens.adjoins(at + 1);
    short && marked && !tokens.same_line(at) && !tokens.adjoins(at + 2)
}

fn unit(word: &str) -> Option<&'static str> {
    if word.len() > 6 {
        return None;
    }
    let unit = UNITS.iter().find(|unit| word.eq_ignore_ascii_case(unit))?;
    Some(match *unit {
        "inches" => "inch",
        "mins" => "min",
        "hrs" | "hr" => "h",
        "lbs" => "lb",
        other => other,
    })
}

/// A number with its separators: the last of two kinds is the decimal one; a single one before exactly three digits
/// separates thousands (`1.200` and `1,200` are 1200), else decimals.
pub(super) struct Figure<'t> {
    first: &'t str,
    rest: Vec<(char, &'t str)>,
    form: Form,
    /// The token after it.
    pub(super) end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    Decimal,
    /// A version or an address: `10.0.0.1`.
    Dotted,
}

impl<'t> Figure<'t> {
    /// Reads the number at a token; `spaced` also takes `1 200`.
    pub(super) fn read(tokens: &Tokens<'t>, at: usize, spaced: bool) -> Option<Self> {
        if tokens.class(at) != Some(Class::Number) || tokens.str(at).is_empty() {
            return None;
        }
        let listed = at > 1 && tokens.joins(at - 1, &[',']) && tokens.class(at - 2) == Some(Class::Number);
        let mut figure = Self { first: tokens.str(at), rest: Vec::new(), form: Form::Whole, end: at + 1 };
        while !listed
            && figure.rest.len() < LONGEST_GROUPS
            && let Some((mark, digits, next)) = figure.next_group(tokens, spaced)
        {
            figure.rest.push((mark, digits));
            figure.end = next;
        }
        if let Some(form) = figure.form() {
            figure.form = form;
        } else {
            // Numbers in a list.
            figure.rest.clear();
            figure.end = at + 1;
        }
        Some(figure)
    }

    fn next_group(&self, tokens: &Tokens<'t>, spaced: bool) -> Option<(char, &'t str, usize)> {
        let at = self.end;
        if let Some(Class::Mark(mark @ (',' | '.' | '\'' | '’'))) = tokens.class(at) {
            let follows = tokens.joins(at, &[mark]) && tokens.class(at + 1) == Some(Class::Number);
            return follows.then(|| (mark, tokens.str(at + 1), at + 2));
        }
        let grouped = spaced && tokens.same_line(at) && tokens.class(at) == Some(Class::Number);
        (grouped && leads(self.first) && is_group(tokens.str(at))).then(|| (' ', tokens.str(at), at + 1))
    }

    fn form(&self) -> Option<Form> {
        let Some(((last, _), middle)) = self.rest.split_last() else { return Some(Form::Whole) };
        let mark = middle.first().map_or(*last, |(mark, _)| *mark);
        let thousands = |groups: &[(char, &str)]| {
            leads(self.first) && groups.iter().all(|(other, digits)| *other == mark && is_group(digits))
        };
        if thousands(&self.rest) || self.is_indian() {
            Some(Form::Whole)
        } else if matches!(last, ',' | '.') && (middle.is_empty() || (*last != mark && thousands(middle))) {
            Some(Form::Decimal)
        } else {
            self.rest.iter().all(|(mark, _)| *mark == '.').then_some(Form::Dotted)
        }
    }

    /// `1,50,000`: groups of two before the last three digits.
    fn is_indian(&self) -> bool {
        let pair = |(mark, digits): &(char, &str)| *mark == ',' && digits.chars().count() == 2;
        let first = self.first.chars().count() <= 2 && leads(self.first);
        let last = |(mark, digits): &(char, &str)| *mark == ',' && is_group(digits);
        self.rest
            .split_last()
            .is_some_and(|(end, middle)| first && last(end) && !middle.is_empty() && middle.iter().all(pair))
    }

    /// The number without separators, with a decimal point, without zeros at the end of its decimals.
    pub(super) fn normal(&self) -> String {
        let mut normal = ascii_digits(self.first);
        for (index, (_, digits)) in self.rest.iter().enumerate() {
            let last = index + 1 == self.rest.len();
            if self.form == Form::Dotted || (last && self.form == Form::Decimal) {
                normal.push('.');
            }
            normal.push_str(&ascii_digits(digits));
        }
        if self.form == Form::Decimal {
            let kept = normal.trim_end_matches('0').trim_end_matches('.').len();
            normal.truncate(kept);
        }
        normal
    }
}

fn is_group(digits: &str) -> bool {
    digits.chars().count() == 3
}

/// Digits that groups of thousands may follow.
fn leads(digits: &str) -> bool {
    digits.chars().count() <= 3 && !digits.starts_with('0')
}
