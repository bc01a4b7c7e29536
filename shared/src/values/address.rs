//! Addresses: e-mail, the web, streets.

use super::token::{Class, Tokens, is_capital};
use super::{Finder, Kind};

const EMAIL_MARKS: [char; 5] = ['.', '_', '-', '+', '%'];
/// Tokens to either side of an `@` that are looked at.
const EMAIL_REACH: usize = 24;

/// Where e-mail addresses are, as tokens: first and end.
pub(super) fn emails(tokens: &Tokens<'_>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    if !tokens.text.contains('@') {
        return found;
    }
    for at in (0..tokens.len()).filter(|at| tokens.class(*at) == Some(Class::Mark('@'))) {
        let lowest = at.saturating_sub(EMAIL_REACH).max(found.last().map_or(0, |(_, end)| *end));
        let mut first = at;
        while first > lowest && tokens.adjoins(first) && is_email_part(tokens, first - 1) {
            first -= 1;
        }
        let mut end = at + 1;
        while end < at + EMAIL_REACH && tokens.adjoins(end) && is_email_part(tokens, end) {
            end += 1;
        }
        while end > at + 1 && matches!(tokens.class(end - 1), Some(Class::Mark(_))) {
            end -= 1;
        }
        while first < at && tokens.is_mark(first, &['.', '-', '%']) {
            first += 1;
        }
        let dotted = (at + 1..end).any(|part| tokens.is_mark(part, &['.']));
        if first < at && dotted {
            found.push((first, end));
        }
    }
    found
}

fn is_email_part(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.class(at) {
        Some(Class::Mark(mark)) => EMAIL_MARKS.contains(&mark),
        Some(_) => !tokens.str(at).is_empty(),
        None => false,
    }
}

/// `https://…`, `www.…` and bare domains with a usual ending; the answer is the token after it.
pub(super) fn url(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let scheme =
        tokens.is_mark(at + 1, &[':']) && tokens.joins(at + 2, &['/']) && tokens.is_mark(at + 3, &['/']);
    let schemed = scheme && tokens.is_word(at, &["http", "https", "ftp"]);
    let host = if schemed { at + 4 } else { at };
    if !schemed && !is_domain(tokens, at) {
        return None;
    }
    let mut end = host;
    while end < tokens.len() && (end == at || tokens.adjoins(end)) && !ends_url(tokens, end) {
        end += 1;
    }
    while end > host && tokens.is_mark(end - 1, &['.', ',', ';', ':', '!', '?', '*', '/', '…', '。']) {
        end -= 1;
    }
    if end == host {
        return None;
    }
    let written = tokens.slice(host, end);
    let (name, path) =
        written.find(['/', '?', '#']).and_then(|cut| written.split_at_checked(cut)).unwrap_or((written, ""));
    let name = name.to_lowercase();
    let normal = format!("{}{path}", name.strip_prefix("www.").unwrap_or(&name));
    finder.push(Kind::Url, at, end, normal);
    Some(end)
}

fn ends_url(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.is_mark(at, &[')', ']', '>', '"', '\'', '<', '»', '”', '|', '`'])
}

fn is_domain(tokens: &Tokens<'_>, at: usize) -> bool {
    const ENDINGS: [&str; 22] = [
        "com", "org", "net", "io", "dev", "app", "co", "de", "br", "uk", "fr", "es", "it", "nl", "pt", "eu",
        "ru", "info", "shop", "example", "test", "ai",
    ];
    if !tokens.joins(at + 1, &['.']) || tokens.adjoins(at) && at > 0 {
        return false;
    }
    let mut last = at + 2;
    while last < at + 10 && tokens.joins(last + 1, &['.', '-']) {
        last += 2;
    }
    tokens.is_word(last, &ENDINGS)
}

const STREET_WORDS: [(&str, &str); 26] = [
    ("street", "street"),
    ("st", "street"),
    ("road", "road"),
    ("rd", "road"),
    ("avenue", "avenue"),
    ("ave", "avenue"),
    ("av", "avenue"),
    ("boulevard", "boulevard"),
    ("blvd", "boulevard"),
    ("lane", "lane"),
    ("ln", "lane"),
    ("drive", "drive"),
    ("dr", "drive"),
    ("court", "court"),
    ("ct", "court"),
    ("place", "place"),
    ("pl", "place"),
    ("square", "square"),
    ("sq", "square"),
    ("way", "way"),
    ("terrace", "terrace"),
    ("parkway", "parkway"),
    ("pkwy", "parkway"),
    ("highway", "highway"),
    ("hwy", "highway"),
    ("circle", "circle"),
];

/// `710 Sunset Drive`, `6821 1st ave`: a number, up to four words and a word for a street.
pub(super) fn numbered_street(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let number = tokens.digits(at).filter(|digits| digits.len() <= 6)?;
    let mut capitals = true;
    for last in at + 1..at + 6 {
        if !tokens.same_line(last) || tokens.adjoins(last) {
            return None;
        }
        let word = tokens.str(last);
        if let Some(street) = street_word(word).filter(|_| last > at + 1) {
            // Lower-case words before a weak word for a street are prose: `3 nights on the way`.
            let strong =
                last <= at + 3 && matches!(street, "street" | "road" | "avenue" | "boulevard" | "lane");
            return (capitals || strong).then(|| push_street(finder, at, last, &number, street));
        }
        capitals &= word.starts_with(|first: char| !first.is_lowercase()) && !word.is_empty();
        matches!(tokens.class(last), Some(Class::Word | Class::Mixed)).then_some(())?;
    }
    None
}

fn push_street(finder: &mut Finder<'_, '_>, at: usize, last: usize, number: &str, street: &str) -> usize {
    let mut normal = number.to_owned();
    for word in at + 1..last {
        normal.push(' ');
        normal.push_str(&finder.tokens.str(word).to_lowercase());
    }
    normal.push(' ');
    normal.push_str(street);
    finder.push(Kind::Address, at, last + 1, normal);
    last + 1
}

fn street_word(word: &str) -> Option<&'static str> {
    STREET_WORDS.iter().find(|(written, _)| word.eq_ignore_ascii_case(written)).map(|(_, street)| *street)
}

/// `Rua Augusta 12`, `Av. Paulista, 1578`, `Hauptstraße 5`, `ул. Ленина 5`: words and then the number.
pub(super) fn named_street(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let first = tokens.str(at);
    if !is_capital(first) && first != "ул" && first != "улица" {
        return None;
    }
    let kinds = [
        "Rua",
        "Avenida",
        "Av",
        "Rue",
        "Calle",
        "Via",
        "Viale",
        "Plaza",
        "Praça",
        "Travessa",
        "Alameda",
        "Carrer",
        "Paseo",
        "Corso",
        "Piazza",
        "ул",
        "улица",
        "Улица",
    ];
    let endings = ["straße", "strasse", "allee", "gasse", "weg", "platz", "straat", "gade"];
    let prefixed = kinds.contains(&first);
    if !prefixed && !endings.iter().any(|ending| first.len() > ending.len() && first.ends_with(ending)) {
        return None;
    }
    let mut words = vec![first.to_lowercase()];
    let mut next = at + 1;
    while prefixed && words.len() < 6 {
        if tokens.is_mark(next, &['.']) {
            next += 1;
        } else if tokens.class(next) == Some(Class::Word) && tokens.same_line(next) {
            words.push(tokens.str(next).to_lowercase());
            next += 1;
        } else {
            break;
        }
    }
    let number_at = if tokens.is_mark(next, &[',']) { next + 1 } else { next };
    let named = !prefixed || tokens.str(number_at.saturating_sub(1)).len() > 1;
    let capital = !prefixed || words.len() > 1;
    let number =
        tokens.digits(number_at).filter(|digits| tokens.same_line(number_at) && digits.len() <= 5)?;
    if !(named || capital) || words.len() < 1 + usize::from(prefixed) {
        return None;
    }
    words.push(number);
    finder.push(Kind::Address, at, number_at + 1, words.join(" "));
    Some(number_at + 1)
}
