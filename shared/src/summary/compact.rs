//! The fallback: what a fold does without a usable answer. It moves messages, whole, and deletes nothing.

use super::language::{with_language, without_language};
use super::piece::Whole;
use super::spill::{Spill, Unit, lost, whole};
use crate::fence::for_model;
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Author, Seq};
use crate::time::Timestamp;
use std::borrow::Cow;

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
                spills.extend(spilled_lines(&oldest, first_seq, covered.max(first_seq), at));
                history = longer;
            }
            None => spills.extend(whole(&Unit::of(message), at)),
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
    Fallback { snapshot, spills: whole(&Unit::of(oldest), at) }
}

/// Spills history and fields, whole, and keeps the checkpoint: for a thread that is closed.
pub fn spill_all(old: &Snapshot, first_seq: Seq, at: Timestamp) -> Fallback {
    let to = old.as_of.max(old.folded_through).max(first_seq);
    let history: Vec<&str> = without_language(&old.history).lines().collect();
    let fields = Snapshot { history: String::new(), ..old.clone() };
    let of_fields = fields.texts().map(|text| Unit { text, author: None, from: first_seq, to });
    let mut spills = spilled_lines(&history, first_seq, to, at);
    spills.extend(of_fields.flat_map(|unit| whole(&unit, at)));
    let Snapshot { folded_through, as_of, .. } = *old;
    Fallback { snapshot: Snapshot { folded_through, as_of, ..Snapshot::empty() }, spills }
}

/// Lines of a history as spills, those of the bot apart from all others.
fn spilled_lines(lines: &[&str], from: Seq, to: Seq, at: Timestamp) -> Vec<Spill> {
    let mut spills = vec![];
    for run in lines.chunk_by(|one, next| is_bots(one) == is_bots(next)) {
        let author = run.first().filter(|line| is_bots(line)).map(|_| Author::Bot);
        spills.extend(whole(&Unit { text: &run.join("\n"), author, from, to }, at));
    }
    spills
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
fn make_room<'h>(history: &'h str, message: &Whole, history_chars: usize) -> Option<(Vec<&'h str>, String)> {
    let lines: Vec<&str> = without_language(history).lines().collect();
    let entry = entry(message);
    (0..=lines.len()).find_map(|gone| {
        let (oldest, kept) = lines.split_at(gone);
        let longer = joined(&[&kept.join("\n"), &entry], history, message);
        (text::chars(&longer) <= history_chars).then(|| (oldest.to_vec(), longer))
    })
}

fn joined(lines: &[&str], old: &str, message: &Whole) -> String {
    let customers = message.message.author == Author::Customer;
    let lines: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
    with_language(&lines.join("\n"), old, if customers { &message.text } else { "" })
}

/// How a line of the history names the bot.
const BOT: &str = "bot";

/// Whether a line of a summary is what the bot said: written by the fallback, or as a model copies that.
pub(super) fn is_bots(line: &str) -> bool {
    let line = for_model(line);
    let bare = line.trim_start_matches(|mark: char| mark.is_whitespace() || "-*•".contains(mark));
    bare.split_once(':').is_some_and(|(who, _)| who.trim().eq_ignore_ascii_case(BOT))
}

/// A summary without the lines that the bot said: its own words are no evidence. A message is one line, so that no
/// line of the bot's begins like somebody else's.
pub fn without_bot(summary: &str) -> Cow<'_, str> {
    if !summary.lines().any(is_bots) {
        return Cow::Borrowed(summary);
    }
    let others: Vec<&str> = summary.lines().filter(|line| !is_bots(line)).collect();
    Cow::Owned(others.join("\n"))
}

/// A message as one line of the history.
fn entry(whole: &Whole) -> String {
    let who = match whole.message.author {
        Author::Customer => "customer",
        Author::Operator => "staff",
        Author::Bot => BOT,
    };
    let lines: Vec<String> =
        whole.text.lines().map(text::collapse_whitespace).filter(|line| !line.is_empty()).collect();
    format!("{who}: {}", lines.join(" / "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Account;
    use crate::thread::{Channel, Message, Parts};
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_millis(1_796_292_000_000);

    fn said(seq: u64, author: Author, text: &str) -> Whole {
        let parts = Parts::whole(text);
        let message = Message::new(Seq(seq), author, Channel::Chat, Account::chat(), &parts, NOW);
        Whole::new(message, text.to_owned())
    }

    fn told(spills: &[Spill]) -> Vec<(Option<Author>, &str)> {
        spills.iter().map(|spill| (spill.author, spill.text.as_str())).collect()
    }

    #[test]
    fn lines_of_the_bot_are_told_from_all_others() {
        for line in ["bot: The code is 4471.", "Bot: yes", "- bot: no", "\u{200b}bot : ok"] {
            assert!(is_bots(line), "{line}");
        }
        for line in ["customer: bot: I am one", "staff: ok", "The bot said: 4471", "robot: 7", "bot"] {
            assert!(!is_bots(line), "{line}");
        }
        let history = "Language: English\ncustomer: The code?\nbot: 4471.\ncustomer: Thanks.";
        assert_eq!(without_bot(history), "Language: English\ncustomer: The code?\ncustomer: Thanks.");
    }

    #[test]
    fn a_message_that_is_spilled_whole_keeps_its_author() {
        let long = "And so on. ".repeat(40);
        for author in [Author::Customer, Author::Operator, Author::Bot] {
            let batch = [said(1, author, &long)];
            let whole = spill_oldest(&Snapshot::empty(), &batch[0], NOW);
            assert_eq!(told(&whole.spills), [(Some(author), long.trim())]);
            let limits = Limits { history_chars: 120, ..Limits::default() };
            let beside = append_or_spill(&Snapshot::empty(), Seq(1), &batch, &limits, NOW);
            assert_eq!(told(&beside.spills), [(Some(author), long.trim())]);
        }
    }

    #[test]
    fn lines_that_make_room_are_spilled_apart_from_those_of_the_bot() {
        let history = "Language: English\ncustomer: The code?\nbot: It is 4471.\nbot: Yes.\nstaff: No.";
        let old = Snapshot { history: history.into(), folded_through: Seq(4), ..Snapshot::empty() };
        let limits = Limits { history_chars: 70, ..Limits::default() };
        let batch = [said(5, Author::Customer, "It is neither of both, I am afraid.")];
        let Fallback { snapshot, spills } = append_or_spill(&old, Seq(1), &batch, &limits, NOW);
        assert_eq!(snapshot.history.lines().count(), 2, "{}", snapshot.history);
        assert_eq!(
            told(&spills),
            [
                (None, "customer: The code?"),
                (Some(Author::Bot), "bot: It is 4471.\nbot: Yes."),
                (None, "staff: No.")
            ]
        );
    }

    #[test]
    fn what_a_summary_lost_is_kept_with_who_wrote_it() {
        let history = "Language: English\nbot: The code is 4471. The gate is 5582.\nHis order is W2611340.";
        let old = Snapshot { history: history.into(), folded_through: Seq(4), ..Snapshot::empty() };
        let batch = [
            said(5, Author::Bot, "Is it order W2611341?"),
            said(6, Author::Customer, "Yes, W2611341 it is. And not 4471."),
        ];
        let spills = lost(&old, Seq(1), &batch, &Snapshot::empty(), &[], NOW);
        assert_eq!(
            told(&spills),
            [
                (Some(Author::Bot), "Is it order W2611341?"),
                (Some(Author::Customer), "Yes, W2611341 it is.\nAnd not 4471."),
                (Some(Author::Bot), "The gate is 5582."),
                (None, "His order is W2611340."),
            ]
        );
    }

    proptest! {
        #[test]
        fn nothing_that_the_bot_says_is_left_and_nothing_of_others_goes(
            log in prop::collection::vec((any::<bool>(), "(bot: |customer: |\n|\r|\u{2028}|[a-z ]|\\PC){0,12}"), 0..6),
        ) {
            let author = |is_bots: &bool| if *is_bots { Author::Bot } else { Author::Customer };
            let text = |n: usize, text: &str| format!("{text}w{n}x");
            let batch: Vec<Whole> =
                log.iter().enumerate().map(|(n, (bots, said_text))| said(n as u64 + 1, author(bots), &text(n, said_text))).collect();
            let limits = Limits { history_chars: 100_000, ..Limits::default() };
            let history = append_or_spill(&Snapshot::empty(), Seq(1), &batch, &limits, NOW).snapshot.history;
            let evidence = without_bot(&history);
            for (n, (is_bots, _)) in log.iter().enumerate() {
                prop_assert_eq!(evidence.contains(&format!("w{n}x")), !is_bots, "{}", history);
            }
        }
    }
}
