//! Shorter texts with the same values.

use super::super::speakers;
use super::Entry;
use crate::text;
use crate::values::{self, Source};
use std::collections::HashSet;

/// A text of values alone may be this long: with four bytes a character, and its search text, it fits an item of the
/// table.
const VALUES_CHARS: usize = 30_000;

/// The lines of both, each once.
pub(super) fn union(one: &str, other: &str) -> String {
    let mut seen = HashSet::new();
    let lines = one.lines().chain(other.lines()).filter(|line| !line.trim().is_empty());
    let distinct: Vec<&str> = lines.filter(|line| seen.insert(text::collapse_whitespace(line))).collect();
    distinct.join("\n")
}

/// `text` with the sentences of `other` whose values it does not have; `None` if that does not keep them all.
pub(super) fn with_lost(text: &str, other: &str) -> Option<String> {
    let all = sentences(other);
    let told = telling(&all, &Source::new([text]));
    let missing: Vec<String> =
        all.iter().zip(told).filter(|(_, tells)| *tells).map(|(it, _)| it.line()).collect();
    let both = union(text, &missing.join("\n"));
    keeps_all(&both, other).then_some(both)
}

/// Whether an entry has every value of another one: of what was said, and of what was replied.
pub(super) fn has_values_of(entry: &Entry, other: &Entry) -> bool {
    keeps_all(&entry.exchange.said, &other.exchange.said)
        && keeps_all(&entry.exchange.replied, &other.exchange.replied)
}

/// A text of at most `max_chars` with the same values: as it is, or the sentences that have values and as many others
/// as fit. Where these are too long, the values alone, in whatever they need; `None` if no item holds that.
pub(super) fn condensed(text: &str, max_chars: usize) -> Option<String> {
    if text::chars(text) <= max_chars {
        return Some(text.to_owned());
    }
    let short = sentences_that_tell(text, max_chars).filter(|short| keeps_all(short, text));
    short.or_else(|| {
        Some(bare(text)).filter(|bare| text::chars(bare) <= VALUES_CHARS && keeps_all(bare, text))
    })
}

fn keeps_all(short: &str, text: &str) -> bool {
    Source::new([short]).lost(text).is_empty()
}

/// A sentence and who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sentence<'t> {
    label: Option<&'t str>,
    text: &'t str,
}

impl Sentence<'_> {
    fn line(&self) -> String {
        self.label.map_or_else(|| self.text.to_owned(), |label| format!("{label}: {}", self.text))
    }
}

fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let of_line = |line| {
        let (label, said) = speakers::split(line);
        text::sentences(said).into_iter().map(move |text| Sentence { label, text })
    };
    text.lines().flat_map(of_line).collect()
}

/// Which sentences have a value that neither `known` nor an earlier one has.
fn telling(sentences: &[Sentence<'_>], known: &Source) -> Vec<bool> {
    let mut seen = HashSet::new();
    let mut is_new = |sentence: &Sentence<'_>| {
        let line = sentence.line();
        let lost = known.lost(&line);
        // All of its values count as seen, not only the first new one.
        lost.into_iter().filter(|value| seen.insert(value.normal.clone())).count() > 0
    };
    sentences.iter().map(&mut is_new).collect()
}

fn sentences_that_tell(text: &str, max_chars: usize) -> Option<String> {
    let all = sentences(text);
    let told = telling(&all, &Source::default());
    let needed = |sentence: &Sentence<'_>| text::chars(&sentence.line()) + 1;
    let telling = all.iter().zip(&told).filter(|(_, tells)| **tells);
    let mut left = max_chars.checked_sub(telling.map(|(sentence, _)| needed(sentence)).sum())?;
    let mut kept = vec![];
    for (sentence, tells) in all.iter().zip(told) {
        let room = left.checked_sub(needed(sentence)).filter(|_| !tells);
        left = room.unwrap_or(left);
        if tells || room.is_some() {
            kept.push(sentence.line());
        }
    }
    Some(kept.join("\n"))
}

/// The values as written, line by line behind their speakers; with its sentence where one alone is not the same value.
fn bare(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut lines = vec![];
    for line in text.lines() {
        let (label, said) = speakers::split(line);
        let found = values::values(said);
        let new: Vec<&str> =
            found.iter().filter(|value| seen.insert(value.normal.clone())).map(|value| value.text).collect();
        if !new.is_empty() {
            lines.push(Sentence { label, text: &new.join("; ") }.line());
        }
    }
    let short = lines.join("\n");
    with_lost(&short, text).unwrap_or(short)
}
