//! The fallback: what a fold does without a usable answer. It moves messages, whole, and deletes nothing.

use super::language::{with_language, without_language};
use super::piece::Whole;
use super::spill::{Spill, Unit, lost, whole};
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Author, Seq};
use crate::time::Timestamp;

/// What a fallback made of a batch.
#[derive(Debug, Clone)]
pub struct Fallback {
    /// The next snapshot: the four fields as they were, the checkpoint on the last message that was moved.
    pub snapshot: Snapshot,
    /// What it spilled.
    pub spills: Vec<Spill>,
}

/// Appends the batch to the history in compact form, whole messages, as many as fit; `None` where not even the
/// first one does.
pub fn append(
    old: &Snapshot,
    first_seq: Seq,
    batch: &[Whole],
    limits: &Limits,
    at: Timestamp,
) -> Option<Fallback> {
    let mut history = old.history.clone();
    let mut moved = 0;
    for message in batch {
        let longer = appended(&history, message);
        if text::chars(&longer) > limits.history_chars {
            break;
        }
        history = longer;
        moved += 1;
    }
    let moved = batch.get(..moved).filter(|moved| !moved.is_empty())?;
    let snapshot = after(old, history, moved);
    // The compact form keeps every word, but a line break may have told a value from its neighbour.
    let spills = lost(old, first_seq, moved, &snapshot, &[], at);
    Some(Fallback { snapshot, spills })
}

/// Appends the whole batch and spills what has no room: first the oldest lines of the history, then messages that
/// would not fit an empty one. For a deployment without a model, where there is nothing to wait for.
pub fn append_or_spill(
    old: &Snapshot,
    first_seq: Seq,
    batch: &[Whole],
    limits: &Limits,
    at: Timestamp,
) -> Fallback {
    let (mut history, mut covered, mut spills) = (old.history.clone(), old.folded_through, vec![]);
    for message in batch {
        match make_room(&history, message, limits.history_chars) {
            Some((oldest, longer)) => {
                let unit = Unit { text: &oldest, from: first_seq, to: covered.max(first_seq) };
                spills.extend(whole(&unit, at));
                history = longer;
            }
            None => spills.extend(whole(&unit(message), at)),
        }
        covered = message.message.seq;
    }
    let snapshot = after(old, history, batch);
    let rest = lost(old, first_seq, batch, &snapshot, &spills, at);
    spills.extend(rest);
    Fallback { snapshot, spills }
}

/// Spills the oldest message whole and moves the checkpoint over it.
pub fn spill_oldest(old: &Snapshot, oldest: &Whole, at: Timestamp) -> Fallback {
    let snapshot = after(old, old.history.clone(), std::slice::from_ref(oldest));
    Fallback { snapshot, spills: whole(&unit(oldest), at) }
}

fn unit(message: &Whole) -> Unit<'_> {
    Unit { text: &message.text, from: message.message.seq, to: message.message.seq }
}

fn after(old: &Snapshot, history: String, moved: &[Whole]) -> Snapshot {
    let folded_through = moved.last().map_or(old.folded_through, |last| last.message.seq);
    Snapshot { history, folded_through, ..old.clone() }
}

/// The history with one message more.
fn appended(history: &str, message: &Whole) -> String {
    joined(&[without_language(history), &entry(message)], history, message)
}

/// The oldest lines that must go and the history with the message; `None` where even an empty one has no room.
fn make_room(history: &str, message: &Whole, history_chars: usize) -> Option<(String, String)> {
    let lines: Vec<&str> = without_language(history).lines().collect();
    let entry = entry(message);
    (0..=lines.len()).find_map(|gone| {
        let (oldest, kept) = lines.split_at(gone);
        let longer = joined(&[&kept.join("\n"), &entry], history, message);
        (text::chars(&longer) <= history_chars).then(|| (oldest.join("\n"), longer))
    })
}

fn joined(lines: &[&str], old: &str, message: &Whole) -> String {
    let customers = message.message.author == Author::Customer;
    let lines: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
    with_language(&lines.join("\n"), old, if customers { &message.text } else { "" })
}

/// A message as one line of the history.
fn entry(whole: &Whole) -> String {
    let who = match whole.message.author {
        Author::Customer => "customer",
        Author::Operator => "staff",
        Author::Bot => "bot",
    };
    let lines: Vec<String> =
        whole.text.lines().map(text::collapse_whitespace).filter(|line| !line.is_empty()).collect();
    format!("{who}: {}", lines.join(" / "))
}
