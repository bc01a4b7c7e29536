//! Recall: which entries of a bank resemble a question. BM25 over [terms](super::terms), in which the neighbours of an
//! entry in time count as well.

use super::question::{Counts, Question, Reader};
use super::terms::words;
use super::{Entry, Memory};
use crate::text;
use std::collections::HashSet;

/// Term saturation and length normalisation, as BM25 usually has them.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// What a term counts in an entry itself, in its neighbours in time, and in theirs.
const OWN: f32 = 4.0;
const NEIGHBOURS: [f32; 2] = [2.0, 1.0];
/// Entries whose messages are further apart are no neighbours.
const NEAR_MESSAGES: u64 = 12;
/// An entry of which so much was told already is not told again.
const TOLD: f32 = 0.8;

/// The `most` entries that resemble a question best, best first; those that share nothing with it are left out, and
/// those that say again what a better one says.
///
/// The order of `entries` does not matter.
pub fn rank<'e>(entries: &'e [Entry], question: &Question, most: usize) -> Vec<&'e Entry> {
    let in_time = in_time(entries.iter().filter(|entry| question.asks(entry)));
    let mut reader = Reader::new(question);
    let own: Vec<Counts> = in_time.iter().map(|entry| reader.entry(entry)).collect();
    let weights = weights(&own, question.terms());
    let average = average_words(&own);
    let mut scored: Vec<(f32, usize)> = (0..own.len())
        .filter(|at| own[*at].terms.iter().any(|count| *count > 0.0))
        .map(|at| (score(&blended(&in_time, &own, at), own[at].words, average, &weights), at))
        .collect();
    // What is newer comes later in time.
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.cmp(x)));
    distinct(scored.into_iter().map(|(_, at)| in_time[at]), most)
}

/// How well texts without neighbours resemble a question, 0 for not at all.
pub(super) fn scores(texts: &[&str], question: &Question) -> Vec<f32> {
    let mut reader = Reader::new(question);
    let counts: Vec<Counts> = texts.iter().map(|text| reader.text(text)).collect();
    let weights = weights(&counts, question.terms());
    let average = average_words(&counts);
    counts.iter().map(|counts| score(&counts.terms, counts.words, average, &weights)).collect()
}

/// By the numbers of their messages, whatever order they came in.
fn in_time<'e>(entries: impl Iterator<Item = &'e Entry>) -> Vec<&'e Entry> {
    let mut in_time: Vec<&Entry> = entries.collect();
    in_time.sort_by_key(|entry| {
        let exchange = &entry.exchange;
        (exchange.to_seq, exchange.from_seq, exchange.at, exchange.origin)
    });
    in_time
}

/// The rarer a term, the more it weighs.
fn weights(all: &[Counts], terms: usize) -> Vec<f32> {
    let mut found_in = vec![0.0_f32; terms];
    for counts in all {
        for (found, count) in found_in.iter_mut().zip(&counts.terms) {
            *found += f32::from(*count > 0.0);
        }
    }
    let all = all.len() as f32;
    found_in.into_iter().map(|found| (1.0 + (all - found + 0.5) / (found + 0.5)).ln()).collect()
}

fn average_words(all: &[Counts]) -> f32 {
    let words: f32 = all.iter().map(|counts| counts.words).sum();
    (words / all.len().max(1) as f32).max(1.0)
}

/// The counts of an entry with those of its neighbours, weighted 4 : 2 : 1.
fn blended(in_time: &[&Entry], own: &[Counts], at: usize) -> Vec<f32> {
    let mut blended = own[at].terms.clone();
    let mut add = |neighbour: Option<usize>, weight: f32| {
        let near = neighbour.filter(|near| are_near(in_time, at, *near)).and_then(|near| own.get(near));
        for (count, more) in blended.iter_mut().zip(near.iter().flat_map(|near| &near.terms)) {
            *count += more * weight / OWN;
        }
    };
    for (far, weight) in (1..).zip(NEIGHBOURS) {
        add(at.checked_sub(far), weight);
        add(at.checked_add(far), weight);
    }
    blended
}

fn are_near(in_time: &[&Entry], one: usize, other: usize) -> bool {
    let (earlier, later) = (one.min(other), one.max(other));
    match (in_time.get(earlier), in_time.get(later)) {
        (Some(earlier), Some(later)) => {
            later.exchange.from_seq.0.saturating_sub(earlier.exchange.to_seq.0) <= NEAR_MESSAGES
        }
        _ => false,
    }
}

fn score(counts: &[f32], words: f32, average: f32, weights: &[f32]) -> f32 {
    let norm = K1 * (1.0 - B + B * words / average);
    counts.iter().zip(weights).map(|(count, weight)| weight * count * (K1 + 1.0) / (count + norm)).sum()
}

fn distinct<'e>(best_first: impl Iterator<Item = &'e Entry>, most: usize) -> Vec<&'e Entry> {
    let mut told: Vec<Told<'e>> = vec![];
    let mut distinct = vec![];
    for entry in best_first {
        if distinct.len() == most {
            break;
        }
        let new = Told::of(entry);
        if entry.bodies > 0 || !told.iter().any(|told| told.has(&new)) {
            distinct.push(entry);
            told.push(new);
        }
    }
    distinct
}

/// What an entry tells.
struct Told<'e> {
    words: HashSet<String>,
    values: HashSet<&'e str>,
}

impl<'e> Told<'e> {
    fn of(entry: &'e Entry) -> Self {
        let said = words(&entry.exchange.said).into_iter().chain(words(&entry.exchange.replied));
        Self {
            words: said.map(|word| word.text.to_lowercase()).collect(),
            values: entry.values.lines().collect(),
        }
    }

    fn has(&self, other: &Self) -> bool {
        let shared = other.words.intersection(&self.words).count() as f32;
        shared >= TOLD * other.words.len() as f32 && other.values.is_subset(&self.values)
    }
}

/// An entry as a prompt shows it: what was said and what was replied, around the match, together at most
/// `memory_chars`. `bodies` is the rest of its text, where the match stands there; the same wrote it.
pub fn show(entry: &Entry, bodies: Option<&str>, question: &Question, memory_chars: usize) -> Memory {
    let exchange = &entry.exchange;
    let (said, replied) = match bodies {
        Some(bodies) if exchange.is_bots() => ("", bodies),
        Some(bodies) => (bodies, exchange.replied.as_str()),
        None => (exchange.said.as_str(), exchange.replied.as_str()),
    };
    let in_said = question.match_in(said, memory_chars);
    let in_replied = question.match_in(replied, memory_chars);
    let replied_matters = in_said.is_none() && in_replied.is_some();
    let (said_chars, replied_chars) =
        shares(text::chars(said), text::chars(replied), replied_matters, memory_chars);
    let part = |text: &str, matched: Option<std::ops::Range<usize>>, max_chars: usize| {
        text::collapse_whitespace(&text::around(text, matched.unwrap_or_default(), max_chars))
    };
    Memory {
        said: part(said, in_said, said_chars),
        replied: part(replied, in_replied, replied_chars),
        messages: Some((exchange.from_seq, exchange.to_seq)),
        at: Some(exchange.at),
        origin: Some(exchange.origin),
    }
}

/// How `max_chars` are shared out: the part with the match gets what the other leaves, and that has a third if it
/// needs it.
fn shares(said: usize, replied: usize, replied_matters: bool, max_chars: usize) -> (usize, usize) {
    let (matched, other) = if replied_matters { (replied, said) } else { (said, replied) };
    let other = other.min((max_chars / 3).max(max_chars.saturating_sub(matched)));
    let matched = max_chars - other;
    if replied_matters { (other, matched) } else { (matched, other) }
}

#[cfg(test)]
mod tests;
