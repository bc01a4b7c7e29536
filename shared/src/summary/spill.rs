//! Spills: what no summary holds any more, kept word for word with the numbers of its messages
//! (*facts-survive*).

use super::language::without_language;
use super::piece::Whole;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::values::{self, Source, Value};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

/// A piece of the log, or of an old summary, that no summary holds any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spill {
    /// The text, word for word.
    pub text: String,
    /// Values that it holds, in normal form, one a line, for the search.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub values: String,
    /// The first message that it is from.
    pub from_seq: Seq,
    /// The last message that it is from.
    pub to_seq: Seq,
    /// When it was spilled.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
    /// How many `BODY` items hold more, where one save spilled more than the bank takes items.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bodies: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// Characters of one spill: a recall shows a few hundred around the match, so a spill holds little more.
const SPILL_CHARS: usize = 600;

/// The sentences of old summary and batch whose values neither `new` nor a spill holds (*facts-survive*).
pub fn lost(
    old: &Snapshot,
    first_seq: Seq,
    batch: &[Whole],
    new: &Snapshot,
    spilled: &[Spill],
    at: Timestamp,
) -> Vec<Spill> {
    let kept = kept_in(new);
    let mut seen: HashSet<String> =
        spilled.iter().flat_map(|spill| spill.values.lines()).map(str::to_owned).collect();
    let mut spills = vec![];
    for unit in units(old, first_seq, batch) {
        let gone: Vec<Value<'_>> =
            kept.lost(unit.text).into_iter().filter(|value| seen.insert(value.normal.clone())).collect();
        spills.extend(sentences(&unit, &gone, at));
    }
    spills
}

/// What a snapshot still says, the language of its history aside.
pub(super) fn kept_in(snapshot: &Snapshot) -> Source {
    Source::new(said_in(snapshot))
}

/// Everything that a snapshot says, the language of its history aside.
pub(super) fn said_in(snapshot: &Snapshot) -> impl Iterator<Item = &str> {
    [without_language(&snapshot.history), &snapshot.guest_intent, &snapshot.summary_text]
        .into_iter()
        .chain(snapshot.established_facts.iter().map(String::as_str))
        .chain(snapshot.open_questions.iter().map(String::as_str))
}

/// A text and the messages that it is from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit<'a> {
    pub(super) text: &'a str,
    pub(super) from: Seq,
    pub(super) to: Seq,
}

/// Messages come first: a value that old summary and message share is kept with the message's sentence.
fn units<'a>(old: &'a Snapshot, first_seq: Seq, batch: &'a [Whole]) -> impl Iterator<Item = Unit<'a>> {
    let messages =
        batch.iter().map(|whole| Unit { text: &whole.text, from: whole.message.seq, to: whole.message.seq });
    let known_to = old.as_of.max(old.folded_through).max(first_seq);
    messages.chain(said_in(old).map(move |text| Unit { text, from: first_seq, to: known_to }))
}

/// A whole text as spills.
pub(super) fn whole(unit: &Unit<'_>, at: Timestamp) -> Vec<Spill> {
    let pieces = cut(unit.text, SPILL_CHARS);
    pieces.into_iter().map(|text| spill(text.trim(), &values::values(text), unit, at)).collect()
}

/// The sentences in which the values stand; neighbours share a spill while there is room.
fn sentences(unit: &Unit<'_>, gone: &[Value<'_>], at: Timestamp) -> Vec<Spill> {
    let spans = text::sentence_spans(unit.text);
    let mut spills: Vec<Spill> = vec![];
    let mut rest = gone;
    while let Some(first) = rest.first() {
        let sentence = spans.get(spans.partition_point(|span| span.end <= first.start)).cloned();
        let sentence = sentence.unwrap_or_else(|| first.span());
        let inside = rest.iter().take_while(|value| value.start < sentence.end.max(first.span().end)).count();
        let (here, after) = rest.split_at(inside);
        let end = here.iter().map(|value| value.span().end).fold(sentence.end, usize::max);
        let start = sentence.start.min(first.start);
        for found in pieces_with(unit.text, start..end, here, unit, at) {
            push_or_join(&mut spills, found);
        }
        rest = after;
    }
    spills
}

/// A long sentence in pieces, those that hold one of the values.
fn pieces_with(
    text: &str,
    sentence: Range<usize>,
    gone: &[Value<'_>],
    unit: &Unit<'_>,
    at: Timestamp,
) -> Vec<Spill> {
    let Some(body) = text.get(sentence.clone()) else { return vec![] };
    let mut start = sentence.start;
    let mut spills = vec![];
    for piece in cut(body, SPILL_CHARS) {
        let end = start + piece.len();
        let first = gone.partition_point(|value| value.start < start);
        let after = gone.partition_point(|value| value.start < end);
        let here = gone.get(first..after).unwrap_or_default();
        if !here.is_empty() {
            spills.push(spill(piece.trim(), here, unit, at));
        }
        start = end;
    }
    spills
}

fn push_or_join(spills: &mut Vec<Spill>, next: Spill) {
    match spills.last_mut() {
        Some(last) if text::chars(&last.text) + text::chars(&next.text) < SPILL_CHARS => {
            last.text = format!("{}\n{}", last.text, next.text);
            last.values = format!("{}\n{}", last.values, next.values);
        }
        _ => spills.push(next),
    }
}

fn spill(text: &str, found: &[Value<'_>], unit: &Unit<'_>, at: Timestamp) -> Spill {
    let mut seen = HashSet::new();
    let normals = found.iter().map(|value| value.normal.as_str()).filter(|normal| seen.insert(*normal));
    let values = normals.collect::<Vec<_>>().join("\n");
    Spill { text: text.to_owned(), values, from_seq: unit.from, to_seq: unit.to, at, bodies: 0 }
}

/// A text in consecutive parts of about `max_chars` characters, none of which ends inside a value.
pub(super) fn cut(text: &str, max_chars: usize) -> Vec<&str> {
    let found = values::values(text);
    let mut parts = vec![];
    let (mut start, mut planned) = (0, 0);
    for part in text::parts(text, max_chars) {
        planned += part.len();
        let end = out_of_values(planned, &found);
        if end > start {
            parts.extend(text.get(start..end));
            start = end;
        }
    }
    parts
}

fn out_of_values(at: usize, found: &[Value<'_>]) -> usize {
    let after = found.partition_point(|value| value.start < at);
    let before = after.checked_sub(1).and_then(|index| found.get(index));
    before.map_or(at, |value| value.span().end.max(at))
}
