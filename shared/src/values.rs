//! Values: what a summary must not lose and must not invent (*facts-survive*, *nothing-invented*), and what a reply
//! must find in its evidence.
//!
//! A value is a piece of text with a [`Kind`] and a *normal form*, which is the same however the value is written.
//! [`values`] finds them; a [`Source`] is a set of texts that answers whether a value is (still) said there.
//!
//! | text | kind | normal form |
//! | --- | --- | --- |
//! | `#W2611340` | id | `w2611340` |
//! | `order W2611340` | id | `w2611340` |
//! | `HM-20931` | id | `hm20931` |
//! | `gift_card_8245350` | id | `giftcard8245350` |
//! | `tracking 357962501027` | id | `357962501027` |
//! | `flight HAT123` | id | `hat123` |
//! | `unit 4A` | id | `4a` |
//! | `card 4111 1111 1111 1111` | id | `4111111111111111` |
//! | `door code 4471` | number | `4471` |
//! | `€1,200.50` | amount | `1200.5 EUR` |
//! | `1.200,50 EUR` | amount | `1200.5 EUR` |
//! | `1200.50 euros` | amount | `1200.5 EUR` |
//! | `EUR 1200.5` | amount | `1200.5 EUR` |
//! | `1 200,50 €` | amount | `1200.5 EUR` |
//! | `R$ 40` | amount | `40 BRL` |
//! | `$3k` | amount | `3000 USD` |
//! | `3 Dec 2026` | date | `2026-12-03` |
//! | `December 3rd, 2026` | date | `2026-12-03` |
//! | `2026-12-03` | date | `2026-12-03` |
//! | `03.12.2026` | date | `2026-12-03` |
//! | `12/25/2026` | date | `2026-12-25` |
//! | `03/12/2026` | date | `2026-03-12/2026-12-03` |
//! | `2026年12月3日` | date | `2026-12-03` |
//! | `3 de dezembro de 2026` | date | `2026-12-03` |
//! | `8th of March` | date | `--03-08` |
//! | `in March 2027` | date | `2027-03` |
//! | `next Sunday` | date | `sunday` |
//! | `14:30` | time | `14:30` |
//! | `2:30 pm` | time | `14:30` |
//! | `2.30pm` | time | `14:30` |
//! | `6 p.m.` | time | `18:00` |
//! | `at 2:30` | time | `02:30/14:30` |
//! | `+1 555 0100` | phone | `+15550100` |
//! | `+1-555-0100` | phone | `+15550100` |
//! | `(+1) 5550100` | phone | `+15550100` |
//! | `925-671-3845` | phone | `9256713845` |
//! | `0800 123 456` | phone | `800123456` |
//! | `ana@example.com` | email | `ana@example.com` |
//! | `Ana@Example.COM` | email | `ana@example.com` |
//! | `https://www.Example.com/Help?id=a` | url | `example.com/Help?id=a` |
//! | `710 Sunset Dr` | address | `710 sunset drive` |
//! | `Rua Augusta 12` | address | `rua augusta 12` |
//! | `Oskar` | name | `oskar` |
//! | `my partner Oskar arrives late` | name | `oskar` |
//! | `I called Ana Souza` | name | `ana souza` |
//! | `near Ana's door` | name | `ana` |
//! | `my name is oskar` | name | `oskar` |
//! | `мой муж Олег` | name | `олег` |
//! | `我叫王伟` | name | `王伟` |
//! | `2 adults` | number | `2` |
//! | `48 cm` | number | `48 cm` |
//! | `15%` | number | `15 %` |
//! | `24/7` | number | `24/7` |
//! | `the 8th` | number | `8th` |
//! | `two adults` | – | – |
//! | `Guest wants late checkout` | – | – |
//! | `Thanks, see you tomorrow` | – | – |
//! | `1. please wait` | – | – |
//!
//! Decisions behind it:
//!
//! - Kinds are not compared, normal forms are: whether `4471` is an id or a number depends on the words around it.
//! - A form with `/` means *either*: `03/12/2026` may be in March or in December, `2:30` in the night or the
//!   afternoon. A date with dots has the day first; two digits of hour, or a leading zero, are the 24-hour clock.
//! - A single separator before exactly three digits separates thousands: `1.200` and `1,200` are 1200.
//! - A precise value keeps a less precise one, not the other way round: `2027-03-08` keeps `8 March`, `the 8th` and
//!   `Monday`; `$600` keeps `600`; `Ana Souza` keeps `Ana`. Only for [`Source::occurs`] may a text fill in what the
//!   source left open: the year, the half of the day, the currency.
//! - Phone numbers are the same if one ends in the other and at most four digits (country, trunk zero) are missing.
//! - Weekdays count, `today` and `tomorrow` do not: a summary outlives them and should resolve them. Where a source
//!   has them, or a date without its year, any weekday can come from it.
//! - Names compare by their words, in any case, without accents, wherever they stand. A capitalised word at the
//!   start of a sentence, in a title, or in a text where capitals are usual (German) may be ordinary: it is something
//!   to keep, but not [`sure`](Value::sure) enough to be called invented.
//! - Scripts without capitals, and names in lower case, show names only where they are introduced.
//! - Numbers in words are no values, but they keep numbers and numbers come from them (`two adults`, `2 adults`);
//!   0, 1 and 2 are never invented, since summaries count.

mod address;
mod clock;
mod date;
mod hashes;
mod id;
mod money;
mod name;
mod number;
mod phone;
mod source;
#[cfg(test)]
mod tests;
mod token;
mod words;

pub use source::Source;
pub(crate) use token::is_wide;

use crate::text::sentence_spans;
use std::ops::Range;
use token::{Class, Tokens};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An order number, a booking code, a user name with digits, a tracking number.
    Id,
    /// An amount of money.
    Amount,
    /// A date, a part of one, a weekday.
    Date,
    /// A time of day.
    Time,
    /// An e-mail address.
    Email,
    /// An address of the web.
    Url,
    /// A phone number.
    Phone,
    /// A street with its number.
    Address,
    /// A name of a person, a place or a company.
    Name,
    /// Any other number, with its unit of measurement.
    Number,
}

/// A value that was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<'t> {
    /// What it is.
    pub kind: Kind,
    /// As written.
    pub text: &'t str,
    /// The form that is equal however the value is written.
    pub normal: String,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Whether it cannot be an ordinary word; always true except for names.
    pub sure: bool,
}

impl Value<'_> {
    /// Where it is, in bytes.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The values of a text, in the order of the text, none overlapping another. Takes time linear in the text; tokens
/// of more than 256 bytes are no values.
pub fn values(text: &str) -> Vec<Value<'_>> {
    find(&Tokens::of(text))
}

/// The sentence of the text that a value was found in, trimmed; a caller bounds its length.
pub fn sentence_of<'t>(text: &'t str, value: &Value<'_>) -> &'t str {
    sentences_of(text, std::slice::from_ref(value)).first().copied().unwrap_or_default()
}

/// The sentences of the text that the values were found in, each once, in the order of the text.
pub fn sentences_of<'t>(text: &'t str, values: &[Value<'_>]) -> Vec<&'t str> {
    let spans = sentence_spans(text);
    let mut wanted: Vec<usize> =
        values.iter().map(|value| spans.partition_point(|span| span.end <= value.start)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.into_iter().filter_map(|index| text.get(spans.get(index)?.clone())).collect()
}

fn find<'t>(tokens: &Tokens<'t>) -> Vec<Value<'t>> {
    let capitals_are_common = name::capitals_are_common(tokens);
    let mut finder = Finder { tokens, found: Vec::new(), capitals_are_common };
    let emails = address::emails(tokens);
    let mut emails = emails.iter().peekable();
    let mut at = 0;
    while at < tokens.len() {
        while emails.next_if(|(first, _)| *first < at).is_some() {}
        at = match emails.peek() {
            Some((first, end)) if *first == at => {
                finder.push(Kind::Email, at, *end, tokens.slice(at, *end).to_lowercase());
                *end
            }
            _ => value_at(&mut finder, at).unwrap_or(at + 1),
        };
    }
    finder.found
}

/// The first recogniser that knows the token decides; the most special ones come first.
fn value_at(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Word => word_at(finder, at),
        Class::Number => date::find(finder, at)
            .or_else(|| clock::find(finder, at))
            .or_else(|| money::find(finder, at))
            .or_else(|| phone::find(finder, at))
            .or_else(|| address::numbered_street(finder, at))
            .or_else(|| id::find(finder, at))
            .or_else(|| number::plain(finder, at)),
        Class::Mixed => address::url(finder, at)
            .or_else(|| date::find(finder, at))
            .or_else(|| clock::find(finder, at))
            .or_else(|| money::find(finder, at))
            .or_else(|| number::plain(finder, at))
            .or_else(|| id::find(finder, at)),
        Class::Wide => name::find(finder, at),
        Class::Mark('#' | '№') => id::find(finder, at),
        Class::Mark('+' | '(') => phone::find(finder, at),
        Class::Mark(_) => money::find(finder, at),
    }
}

fn word_at(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    if is_plain(finder.tokens, at) {
        return plain_word_at(finder, at).or_else(|| name::introduced(finder, at));
    }
    let joined = finder.tokens.adjoins(at + 1);
    let joined = joined.then(|| address::url(finder, at).or_else(|| id::find(finder, at)));
    joined
        .flatten()
        .or_else(|| date::find(finder, at))
        .or_else(|| clock::named_hour(finder, at))
        .or_else(|| money::find(finder, at))
        .or_else(|| address::named_street(finder, at))
        .or_else(|| name::find(finder, at))
}

fn plain_word_at(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.str(at).as_bytes().last() {
        Some(b'y' | b's') => date::weekday(finder, at),
        Some(b'n' | b't') => clock::named_hour(finder, at),
        _ => None,
    }
}

/// Most words of a text are in lower case and have no number or mark beside them that could make them more: only
/// few recognisers are worth asking.
fn is_plain(tokens: &Tokens<'_>, at: usize) -> bool {
    let lower = tokens.str(at).as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    let next = tokens.class(at + 1);
    lower
        && match next {
            Some(Class::Word) | None => true,
            Some(Class::Mark(',' | '.' | '?' | '!')) => {
                !tokens.adjoins(at + 2) && tokens.class(at + 2) == Some(Class::Word)
            }
            Some(Class::Mark(_)) => !tokens.adjoins(at + 1),
            Some(_) => false,
        }
}

/// What the recognisers share: they read tokens and push values.
struct Finder<'f, 't> {
    tokens: &'f Tokens<'t>,
    found: Vec<Value<'t>>,
    capitals_are_common: bool,
}

impl<'t> Finder<'_, 't> {
    fn push(&mut self, kind: Kind, first: usize, end: usize, normal: String) {
        let text = self.tokens.slice(first, end);
        let start = self.tokens.all.get(first).map_or(0, |token| token.start);
        self.found.push(Value { kind, text, normal, start, sure: true });
    }

    fn push_name(&mut self, first: usize, end: usize, sure: bool) {
        let normal = crate::text::collapse_whitespace(&self.tokens.slice(first, end).to_lowercase());
        self.push(Kind::Name, first, end, normal);
        if let Some(value) = self.found.last_mut() {
            value.sure = sure;
        }
    }

    fn push_part(&mut self, kind: Kind, start: usize, text: &'t str) {
        self.found.push(Value { kind, text, normal: text.to_lowercase(), start, sure: true });
    }
}
