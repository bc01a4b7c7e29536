//! A question to the embedded bank, taken apart: its terms, the values, days and speakers that it names.

use super::days::{self, day_of};
use super::speakers;
use super::terms::{Stems, Word, words};
use super::{Entry, Exchange, Origin, Query};
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::values::{Value, values};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

/// What of the entries tells the language, where the question is too short to.
const SAMPLE_CHARS: usize = 1_500;
/// A word with a digit in it, or a value, says more about where the match is than any other word.
const VALUE_WEIGHT: usize = 8;

/// A question, ready to be compared with entries.
pub struct Question {
    stems: Stems,
    /// From the form of a word to its term.
    words: HashMap<String, usize>,
    /// From a form of a value to its term.
    values: HashMap<String, usize>,
    days: Vec<RangeInclusive<i64>>,
    /// Words that may name a speaker, in lower case.
    names: Vec<String>,
    terms: usize,
    before: Seq,
}

impl Question {
    /// Takes a query apart. Where it does not tell its language, `entries` do.
    pub fn new(query: &Query, entries: &[Entry]) -> Self {
        let mut question = Self::in_language_of(&query.text, &sample(entries));
        question.before = query.before;
        question.read_words(&query.text, query.at);
        for value in values(&query.text) {
            question.days.extend(days::named(&value, query.at));
            let forms = forms_of_value(&value.normal);
            if !forms.iter().any(|form| question.values.contains_key(form)) {
                question.values.extend(forms.into_iter().map(|form| (form, question.terms)));
                question.terms += 1;
            }
        }
        question
    }

    /// Nothing but the words of a text; `others` tell its language where it is too short to.
    pub(super) fn of_words(text: &str, others: &str) -> Self {
        let mut question = Self::in_language_of(text, others);
        question.read_words(text, Timestamp::from_millis(0));
        question
    }

    fn in_language_of(text: &str, others: &str) -> Self {
        let stems = Stems::of(text, others);
        Self {
            stems,
            words: HashMap::new(),
            values: HashMap::new(),
            days: vec![],
            names: vec![],
            terms: DAY_AND_SPEAKER,
            before: Seq(u64::MAX),
        }
    }

    fn read_words(&mut self, text: &str, at: Timestamp) {
        for word in words(text) {
            let lower = word.text.to_lowercase();
            self.days.extend(days::relative(&lower, self.stems.language(), at));
            if self.stems.is_common(&lower) {
                continue;
            }
            let forms = self.stems.forms(&lower);
            if !forms.iter().any(|form| self.words.contains_key(form)) {
                self.words.extend(forms.into_iter().map(|form| (form, self.terms)));
                self.terms += 1;
            }
            self.names.push(lower);
        }
    }

    /// Whether an entry may answer it: what stands in the prompt anyway may not.
    pub(super) fn asks(&self, entry: &Entry) -> bool {
        entry.exchange.from_seq < self.before
    }

    /// How many terms it has.
    pub(super) fn terms(&self) -> usize {
        self.terms
    }

    fn term_of(&self, word: &str) -> Option<usize> {
        self.stems.forms(word).iter().find_map(|form| self.words.get(form).copied())
    }

    /// The part of a text where most of the question stands together, as a range of bytes.
    pub(super) fn match_in(&self, text: &str, max_chars: usize) -> Option<Range<usize>> {
        let mut reader = Reader::new(self);
        let mut hits: Vec<Hit> = words(text).iter().filter_map(|word| reader.hit(word)).collect();
        if !self.values.is_empty() && !hits.iter().any(|hit| hit.weight == VALUE_WEIGHT) {
            hits.extend(values(text).iter().filter_map(|value| self.value_hit(value)));
            hits.sort_by_key(|hit| hit.start);
        }
        densest(&hits, max_chars)
    }

    fn value_hit(&self, value: &Value<'_>) -> Option<Hit> {
        let term = forms_of_value(&value.normal).iter().find_map(|form| self.values.get(form).copied())?;
        Some(Hit { term, start: value.start, end: value.span().end, weight: VALUE_WEIGHT })
    }

    /// Whether it asks for something that an entry holds in its bodies alone.
    pub fn is_answered_by_bodies_of(&self, entry: &Entry) -> bool {
        if entry.bodies == 0 {
            return false;
        }
        let shown = Entry::of(entry.exchange.clone());
        let (all, shown) = (Reader::new(self).entry(entry), Reader::new(self).entry(&shown));
        all.terms.iter().zip(&shown.terms).any(|(all, shown)| *all > 0.0 && *shown == 0.0)
    }
}

/// The terms of the day and of the speaker come first, whether or not any is named.
pub(super) const DAY_AND_SPEAKER: usize = 2;
const DAY: usize = 0;
const SPEAKER: usize = 1;

/// Reads entries for one question: every distinct word is stemmed once.
pub(super) struct Reader<'q> {
    question: &'q Question,
    known: HashMap<String, Option<usize>>,
    lower: String,
}

/// How often each term stands in an entry, and how many words it has.
pub(super) struct Counts {
    pub(super) terms: Vec<f32>,
    pub(super) words: f32,
}

impl<'q> Reader<'q> {
    pub(super) fn new(question: &'q Question) -> Self {
        Self { question, known: HashMap::new(), lower: String::new() }
    }

    /// A text without an entry around it.
    pub(super) fn text(&mut self, text: &str) -> Counts {
        let mut terms = vec![0.0; self.question.terms];
        let words = self.count(text, &mut terms);
        Counts { terms, words: words as f32 }
    }

    pub(super) fn entry(&mut self, entry: &Entry) -> Counts {
        let mut terms = vec![0.0; self.question.terms];
        let mut words = self.count(&entry.exchange.said, &mut terms);
        words += self.count(&entry.exchange.replied, &mut terms);
        if entry.bodies > 0 {
            // Its text is elsewhere; what stands for it makes it no longer.
            self.count(&entry.values, &mut terms);
        }
        self.count_values(&entry.values, &mut terms);
        self.count_day_and_speaker(entry, &mut terms);
        Counts { terms, words: words as f32 }
    }

    fn count(&mut self, text: &str, terms: &mut [f32]) -> usize {
        let words = words(text);
        for word in &words {
            if let Some(count) = self.term_of(word.text).and_then(|term| terms.get_mut(term)) {
                *count += 1.0;
            }
        }
        words.len()
    }

    fn term_of(&mut self, word: &str) -> Option<usize> {
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        if let Some(known) = self.known.get(&self.lower) {
            return *known;
        }
        let term = self.question.term_of(&self.lower);
        self.known.insert(self.lower.clone(), term);
        term
    }

    fn hit(&mut self, word: &Word<'_>) -> Option<Hit> {
        let weight = if word.text.contains(char::is_numeric) { VALUE_WEIGHT } else { 1 };
        let end = word.start + word.text.len();
        self.term_of(word.text).map(|term| Hit { term, start: word.start, end, weight })
    }

    fn count_values(&self, values: &str, terms: &mut [f32]) {
        if self.question.values.is_empty() {
            return;
        }
        for normal in values.lines() {
            let form = forms_of_value(normal).into_iter().find_map(|form| self.question.values.get(&form));
            if let Some(count) = form.and_then(|term| terms.get_mut(*term)) {
                *count = 1.0;
            }
        }
    }

    fn count_day_and_speaker(&self, entry: &Entry, terms: &mut [f32]) {
        let question = self.question;
        // A spill's time is that of its fold, not that of its words.
        let dated = !matches!(entry.exchange.origin, Origin::Spill { .. });
        let day = day_of(entry.exchange.at);
        if dated && question.days.iter().any(|days| days.contains(&day)) {
            terms[DAY] = 1.0;
        }
        let mut labels = speakers::labels(&entry.exchange.said);
        if !question.names.is_empty() && labels.any(|label| speakers::is_named(label, &question.names)) {
            terms[SPEAKER] = 1.0;
        }
    }
}

/// The forms under which a value is compared: its own, and less precise ones.
fn forms_of_value(normal: &str) -> Vec<String> {
    let mut forms = vec![];
    for form in normal.split('/') {
        forms.push(form.to_owned());
        let day = form.get(4..).filter(|day| form.len() == 10 && day.starts_with('-'));
        forms.extend(day.map(|day| format!("-{day}")));
        let parts = form.split(' ').filter(|_| form.contains(' '));
        forms.extend(parts.filter(|part| part.len() > 2 && !is_unit(part)).map(str::to_owned));
    }
    forms
}

fn is_unit(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_uppercase())
}

struct Hit {
    term: usize,
    start: usize,
    end: usize,
    weight: usize,
}

/// The shortest stretch of at most `max_chars` bytes with the terms that weigh most together, the first of several.
fn densest(hits: &[Hit], max_chars: usize) -> Option<Range<usize>> {
    let mut best: Option<(usize, Range<usize>)> = None;
    let mut inside: HashMap<usize, usize> = HashMap::new();
    let (mut first, mut weight) = (0, 0);
    for hit in hits {
        let count = inside.entry(hit.term).or_default();
        weight += if *count == 0 { hit.weight } else { 0 };
        *count += 1;
        while let Some(start) = hits.get(first) {
            let count = inside.entry(start.term).or_default();
            if *count < 2 && hit.end <= start.start + max_chars.max(1) || start.start == hit.start {
                break;
            }
            *count -= 1;
            weight -= if *count == 0 { start.weight } else { 0 };
            first += 1;
        }
        let Some(from) = hits.get(first).map(|start| start.start) else { break };
        let is_better = |(most, shortest): &(usize, Range<usize>)| {
            weight > *most || weight == *most && hit.end - from < shortest.len()
        };
        if best.as_ref().is_none_or(is_better) {
            best = Some((weight, from..hit.end));
        }
    }
    best.map(|(_, range)| range)
}

/// Some of what is kept, the newest first.
fn sample(entries: &[Entry]) -> String {
    let mut newest: Vec<&Exchange> = entries.iter().map(|entry| &entry.exchange).collect();
    newest.sort_unstable_by_key(|exchange| Reverse((exchange.to_seq, exchange.origin)));
    let mut sample = String::new();
    for exchange in newest {
        if sample.len() >= SAMPLE_CHARS {
            break;
        }
        let said = if exchange.said.is_empty() { &exchange.replied } else { &exchange.said };
        sample.push_str(text::head(said, SAMPLE_CHARS));
        sample.push('\n');
    }
    sample
}
