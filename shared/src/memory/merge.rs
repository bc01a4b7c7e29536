//! Merging: what becomes of an embedded bank when something is retained. Near-duplicates become one entry, a full bank
//! merges its oldest, least recalled entries. No value is lost in either (*facts-survive*), and what the bot said stays
//! apart from what was said to it.

mod condense;

use super::exchange::is_rating;
use super::terms::words;
use super::{Entry, Exchange, Origin};
use crate::limits::Limits;
use condense::{condensed, union};
use std::collections::{BTreeMap, HashSet};

/// Characters of what was said, and of what the bot replied, that one entry keeps beside its values: with these a full
/// bank is about one page of the table.
const SAID_CHARS: usize = 1_400;
const REPLIED_CHARS: usize = 600;
/// Bytes of a whole bank, so that a recall reads it in one page and for about 50 read units at most.
const BANK_BYTES: usize = 400_000;
/// What an item has beside its text.
const ITEM_BYTES: usize = 250;
/// Two exchanges are nearly the same if so much of their words is, in what was said and in what was replied.
const SAME_SAID: f32 = 0.8;
const SAME_REPLIED: f32 = 0.6;
/// Merges of one retention: a bank that is over its bounds by more gets there in several.
const MERGES: usize = 20;
/// Origins that an entry remembers; a job that is older than so many others does not come back.
const HOLDS: usize = 200;

/// What a retention changes in a bank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Entries that are new, or stand there in another form.
    pub put: Vec<Entry>,
    /// Entries that others hold now.
    pub remove: Vec<Origin>,
}

impl Change {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.remove.is_empty()
    }
}

/// What becomes of `bank` when `new` is retained, after a reply that was made with `recalled` in view.
///
/// Retaining the same again changes nothing. An entry that others are merged into keeps its key.
pub fn retain(bank: &[Entry], new: &Exchange, recalled: &[Origin], limits: &Limits) -> Change {
    let mut merged: BTreeMap<Origin, Entry> =
        bank.iter().map(|entry| (entry.exchange.origin, entry.clone())).collect();
    let new = Entry::of(bounded(new));
    match holder(bank, new.exchange.origin) {
        Some(holder) => repeat(&mut merged, holder, new),
        None => {
            add(&mut merged, new);
            for origin in recalled {
                if let Some(entry) = holder(bank, *origin).and_then(|held| merged.get_mut(&held)) {
                    entry.recalls += 1;
                }
            }
        }
    }
    make_room(&mut merged, limits);
    change(bank, merged)
}

fn change(bank: &[Entry], merged: BTreeMap<Origin, Entry>) -> Change {
    let before: BTreeMap<Origin, &Entry> = bank.iter().map(|entry| (entry.exchange.origin, entry)).collect();
    let remove = before.keys().filter(|origin| !merged.contains_key(origin)).copied().collect();
    let put = merged.into_iter().filter(|(origin, entry)| before.get(origin) != Some(&entry));
    Change { put: put.map(|(_, entry)| entry).collect(), remove }
}

/// Where in the bank something is: under its own key, or in the entry that it was merged into.
fn holder(bank: &[Entry], origin: Origin) -> Option<Origin> {
    let keys = || bank.iter().map(|entry| entry.exchange.origin);
    let holds = |entry: &&Entry| entry.holds.contains(&origin);
    keys().find(|key| *key == origin).or_else(|| bank.iter().find(holds).map(|entry| entry.exchange.origin))
}

/// A job that comes again writes the same item; where others were merged into it, only what is missing. Feedback may have
/// changed since.
fn repeat(bank: &mut BTreeMap<Origin, Entry>, holder: Origin, new: Entry) {
    let Some(held) = bank.get_mut(&holder) else { return };
    let alone = held.exchange.origin == new.exchange.origin && held.holds.is_empty();
    if alone {
        *held = Entry { recalls: held.recalls, ..new };
    } else if matches!(new.exchange.origin, Origin::Feedback(_)) {
        let said: Vec<&str> = held.exchange.said.lines().collect();
        if !new.exchange.said.lines().all(|line| said.contains(&line))
            && let Some(both) = rated_again(held, &new)
        {
            *held = both;
        }
    } else if !condense::has_values_of(held, &new)
        && let Some(both) = merge(held, &new)
    {
        *held = both;
    }
}

fn add(bank: &mut BTreeMap<Origin, Entry>, new: Entry) {
    let merged = near_duplicate(bank, &new).and_then(|old| restated(old, &new));
    let entry = merged.unwrap_or(new);
    bank.insert(entry.exchange.origin, entry);
}

/// The entry that says nearly the same; of several the newest.
fn near_duplicate<'b>(bank: &'b BTreeMap<Origin, Entry>, new: &Entry) -> Option<&'b Entry> {
    let forms = |text: &str| -> HashSet<String> {
        words(text).into_iter().map(|word| word.text.to_lowercase()).collect()
    };
    let (said, replied) = (forms(&new.exchange.said), forms(&new.exchange.replied));
    let is_same = |entry: &&Entry| {
        alike(&forms(&entry.exchange.said), &said) >= SAME_SAID
            && alike(&forms(&entry.exchange.replied), &replied) >= SAME_REPLIED
    };
    bank.values().filter(is_same).max_by_key(|entry| (entry.exchange.to_seq, entry.exchange.origin))
}

fn alike(one: &HashSet<String>, other: &HashSet<String>) -> f32 {
    let all = one.union(other).count();
    if all == 0 { 1.0 } else { one.intersection(other).count() as f32 / all as f32 }
}

/// Entries are merged, oldest and least recalled first, until the bank is within its bounds.
fn make_room(bank: &mut BTreeMap<Origin, Entry>, limits: &Limits) {
    for _ in 0..MERGES {
        let too_many = bank.len() > limits.bank_items.max(1);
        let too_large = bank.values().map(bytes).sum::<usize>() > BANK_BYTES;
        if !(too_many || too_large) {
            return;
        }
        let Some((kept, gone, both)) = next_merge(bank, too_many) else { return };
        bank.remove(&gone);
        bank.insert(kept, both);
    }
}

/// The first two of the older half that can be merged; for room in bytes they must become smaller.
fn next_merge(bank: &BTreeMap<Origin, Entry>, too_many: bool) -> Option<(Origin, Origin, Entry)> {
    let mut oldest: Vec<&Entry> = bank.values().collect();
    oldest.sort_by_key(|entry| (entry.exchange.to_seq, entry.exchange.at, entry.exchange.origin));
    oldest.truncate(oldest.len().div_ceil(2).max(2));
    // The sort is stable: among those that were recalled as often, the oldest come first.
    oldest.sort_by_key(|entry| entry.recalls);
    let pairs = oldest
        .iter()
        .enumerate()
        .flat_map(|(at, one)| oldest.iter().skip(at + 1).map(move |other| (one, other)));
    pairs.take(MERGES).find_map(|(one, other)| {
        let both = merge(one, other)?;
        let smaller = bytes(&both) < bytes(one) + bytes(other) - ITEM_BYTES;
        let (kept, gone) = in_order(one, other);
        (too_many || smaller).then_some((kept.exchange.origin, gone.exchange.origin, both))
    })
}

fn bytes(entry: &Entry) -> usize {
    entry.exchange.said.len() + entry.exchange.replied.len() + entry.values.len() + ITEM_BYTES
}

/// An exchange that is short enough for a bank, or as short as its values allow.
fn bounded(exchange: &Exchange) -> Exchange {
    let bounded = |text: &String, max_chars| condensed(text, max_chars).unwrap_or_else(|| text.clone());
    Exchange {
        said: bounded(&exchange.said, SAID_CHARS),
        replied: bounded(&exchange.replied, REPLIED_CHARS),
        ..exchange.clone()
    }
}

/// Two entries as one, under the key of the older; `None` if their values do not fit one item.
fn merge(one: &Entry, other: &Entry) -> Option<Entry> {
    let (older, newer) = in_order(one, other);
    let said = union(&older.exchange.said, &newer.exchange.said);
    let replied = union(&older.exchange.replied, &newer.exchange.replied);
    together(older, newer, &said, &replied)
}

/// The same said again: as it was said last, with what only the older one has values of.
fn restated(old: &Entry, new: &Entry) -> Option<Entry> {
    let said = condense::with_lost(&new.exchange.said, &old.exchange.said)?;
    let replied = condense::with_lost(&new.exchange.replied, &old.exchange.replied)?;
    together(old, new, &said, &replied)
}

/// An entry with feedback as it was given last, in the place of what was given before where that can be told.
fn rated_again(held: &Entry, new: &Entry) -> Option<Entry> {
    let origins = held.holds.iter().chain([&held.exchange.origin]);
    let is_one = origins.filter(|origin| matches!(origin, Origin::Feedback(_))).count() == 1;
    let kept = held.exchange.said.lines().filter(|line| !(is_one && is_rating(line)));
    let said = kept.collect::<Vec<_>>().join("\n");
    let old = Entry { exchange: Exchange { said, ..held.exchange.clone() }, ..held.clone() };
    let said = union(&old.exchange.said, &new.exchange.said);
    let replied = union(&old.exchange.replied, &new.exchange.replied);
    together(&old, new, &said, &replied)
}

fn together(kept: &Entry, gone: &Entry, said: &str, replied: &str) -> Option<Entry> {
    let both = Exchange {
        origin: kept.exchange.origin,
        said: condensed(said, SAID_CHARS)?,
        replied: condensed(replied, REPLIED_CHARS)?,
        from_seq: kept.exchange.from_seq.min(gone.exchange.from_seq),
        to_seq: kept.exchange.to_seq.max(gone.exchange.to_seq),
        at: kept.exchange.at.max(gone.exchange.at),
    };
    let both = Entry { recalls: kept.recalls.max(gone.recalls), holds: holds(kept, gone), ..Entry::of(both) };
    (condense::has_values_of(&both, kept) && condense::has_values_of(&both, gone)).then_some(both)
}

fn holds(kept: &Entry, gone: &Entry) -> Vec<Origin> {
    let mut holds = kept.holds.clone();
    for origin in gone.holds.iter().copied().chain([gone.exchange.origin]) {
        if origin != kept.exchange.origin && !holds.contains(&origin) {
            holds.push(origin);
        }
    }
    holds.split_off(holds.len().saturating_sub(HOLDS))
}

fn in_order<'e>(one: &'e Entry, other: &'e Entry) -> (&'e Entry, &'e Entry) {
    let age = |entry: &Entry| (entry.exchange.from_seq, entry.exchange.at, entry.exchange.origin);
    if age(one) <= age(other) { (one, other) } else { (other, one) }
}

#[cfg(test)]
mod tests;
