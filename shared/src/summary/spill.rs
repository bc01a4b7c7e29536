//! Spills: what no summary holds any more, kept word for word with the numbers of its messages
//! (*facts-survive*), and with who wrote it: what the bot said is no evidence for what it says next.

use super::compact::is_bots;
use super::language::without_language;
use super::piece::Whole;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Author, Seq};
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
    /// Who wrote it; `None` where a summary did, several did, or nobody knows any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
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

impl Spill {
    /// Whether it is what the bot said.
    pub fn is_bots(&self) -> bool {
        self.author == Some(Author::Bot)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// Characters of one spill: a recall shows a few hundred around the match, so a spill holds little more.
const SPILL_CHARS: usize = 600;

/// The sentences of old summary and batch whose values neither `new` nor a spill holds (*facts-survive*). A value that
/// the bot said and somebody else, too, is kept in the words of the others.
pub fn lost(
    old: &Snapshot,
    first_seq: Seq,
    batch: &[Whole],
    new: &Snapshot,
    spilled: &[Spill],
    at: Timestamp,
) -> Vec<Spill> {
    let kept = kept_in(new);
    let mut seen = Seen::of(spilled);
    let mut spills = vec![];
    for unit in units(old, first_seq, batch) {
        let mut gone = kept.lost(unit.text);
        gone.retain(|value| seen.is_new(value, unit.at(value.start).is_bots()));
        spills.extend(sentences(&unit, &gone, at));
    }
    spills
}

/// Values that are spilled, in normal form: what the bot said, and what others did.
#[derive(Default)]
struct Seen {
    of_bot: HashSet<String>,
    of_others: HashSet<String>,
}

impl Seen {
    fn of(spilled: &[Spill]) -> Self {
        let mut seen = Self::default();
        for spill in spilled {
            let of = if spill.is_bots() { &mut seen.of_bot } else { &mut seen.of_others };
            of.extend(spill.values.lines().map(str::to_owned));
        }
        seen
    }

    /// Whether a value must be spilled, which it then is.
    fn is_new(&mut self, value: &Value<'_>, is_bots: bool) -> bool {
        match is_bots {
            true => !self.of_others.contains(&value.normal) && self.of_bot.insert(value.normal.clone()),
            false => self.of_others.insert(value.normal.clone()),
        }
    }
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

/// A text, who wrote it, and the messages that it is from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit<'a> {
    pub(super) text: &'a str,
    pub(super) author: Option<Author>,
    pub(super) from: Seq,
    pub(super) to: Seq,
}

impl<'a> Unit<'a> {
    /// A message.
    pub(super) fn of(whole: &'a Whole) -> Self {
        let seq = whole.message.seq;
        Self { text: &whole.text, author: Some(whole.message.author), from: seq, to: seq }
    }

    /// The unit as it is at this byte: a line of a summary may be the bot's.
    fn at(&self, byte: usize) -> Self {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let bots = self.author.is_none() && is_bots(line);
        Self { author: if bots { Some(Author::Bot) } else { self.author }, ..*self }
    }

    fn is_bots(&self) -> bool {
        self.author == Some(Author::Bot)
    }
}

/// Messages come first: a value that old summary and message share is kept with the message's sentence.
fn units<'a>(old: &'a Snapshot, first_seq: Seq, batch: &'a [Whole]) -> impl Iterator<Item = Unit<'a>> {
    let known_to = old.as_of.max(old.folded_through).max(first_seq);
    let summary = said_in(old).map(move |text| Unit { text, author: None, from: first_seq, to: known_to });
    batch.iter().map(Unit::of).chain(summary)
}

/// A whole text as spills.
pub(super) fn whole(unit: &Unit<'_>, at: Timestamp) -> Vec<Spill> {
    let pieces = cut(unit.text, SPILL_CHARS).into_iter().filter(|text| !text.trim().is_empty());
    pieces.map(|text| spill(text.trim(), &values::values(text), unit, at)).collect()
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
        for found in pieces_with(unit.text, start..end, here, &unit.at(start), at) {
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
        Some(last)
            if last.author == next.author
                && text::chars(&last.text) + text::chars(&next.text) < SPILL_CHARS =>
        {
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
    let (text, author) = (text.to_owned(), unit.author);
    Spill { text, author, values, from_seq: unit.from, to_seq: unit.to, at, bodies: 0 }
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
