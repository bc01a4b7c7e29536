//! What a prompt really said of a thread, read from the request as the model server received it. Nothing here asks
//! the product where a message belongs.

use crate::records::number;
use carryover_tests::scripted_model::Seen;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Where one prompt has the messages of its thread.
#[derive(Debug)]
pub(crate) struct Told {
    /// The history covers messages up to here.
    pub(crate) covered_to: u64,
    /// Announced by number only.
    pub(crate) announced: Option<RangeInclusive<u64>>,
    /// Word for word.
    pub(crate) verbatim: BTreeMap<u64, String>,
}

const PENDING: &str = "# Not summarised yet";
const RECENT: &str = "# Recent messages, word for word, the newest last\n";

impl Told {
    /// Reads a prompt of the reply model.
    pub(crate) fn by(seen: &Seen) -> Self {
        let (system, user) = (seen.content("system"), seen.content("user"));
        let mark = between(system, "Fence marks in this conversation: ", ".").expect("a fence mark");
        let (before, recent) = user.rsplit_once(RECENT).expect("recent messages");
        let (summaries, pending) = before.rsplit_once(PENDING).expect("what is not summarised");
        let covered =
            between(summaries, "Covers messages 1 to ", ".").map(|to| to.parse().expect("a number"));
        let mut verbatim = messages(pending.trim_end_matches('\n'), mark);
        verbatim.extend(messages(recent, mark));
        Self { covered_to: covered.unwrap_or(0), announced: announced(pending), verbatim }
    }

    pub(crate) fn newest(&self) -> u64 {
        *self.verbatim.keys().last().expect("the newest message")
    }

    /// Each message of the log up to the newest that the prompt knows is in exactly one place, word for word where
    /// it is shown.
    pub(crate) fn check(&self, log: &[Value]) {
        let newest = self.newest();
        for message in log.iter().filter(|message| number(message, "seq") <= newest) {
            let seq = number(message, "seq");
            let covered = u64::from(seq <= self.covered_to);
            let announced =
                u64::from(self.announced.as_ref().is_some_and(|announced| announced.contains(&seq)));
            let shown = self.verbatim.get(&seq);
            assert_eq!(covered + announced + u64::from(shown.is_some()), 1, "message {seq}: {self:?}");
            if let Some(shown) = shown {
                assert_shown(message, shown);
            }
        }
        let in_log = |seq: &u64| log.iter().any(|message| number(message, "seq") == *seq);
        assert!(self.verbatim.keys().all(in_log), "a message that is not in the log: {self:?}");
    }
}

/// The messages that a fold's question gives word for word: those that age out, and those that are new.
pub(crate) fn of_fold(seen: &Seen) -> (BTreeMap<u64, String>, BTreeMap<u64, String>) {
    let mark = between(seen.content("system"), "Fence marks here: ", ".").expect("a fence mark");
    let user = seen.content("user").split("\n\n# Your last answer was refused").next().expect("a question");
    let (before, fresh) = user.rsplit_once("\n\n# New messages, the newest last").expect("new messages");
    let (before, _) = before.rsplit_once("\n\n# Old snapshot").expect("the old snapshot");
    let (_, batch) = before.split_once("\n\n# ").expect("messages that age out");
    (messages(batch, mark), messages(fresh, mark))
}

/// A long message is shown as head and tail; any other word for word.
pub(crate) fn assert_shown(message: &Value, shown: &str) {
    let text = message["text"].as_str().expect("a text");
    if number(message, "omitted_chars") == 0 && message["attachments"].is_null() {
        assert_eq!(shown, text, "message {}", message["seq"]);
    } else {
        let tail = message["tail"].as_str().unwrap_or_default();
        assert!(shown.starts_with(text) && shown.contains(tail), "message {}", message["seq"]);
    }
}

fn announced(pending: &str) -> Option<RangeInclusive<u64>> {
    let (before, _) = pending.split_once(") are neither summarised nor shown")?;
    let (count, range) = before.trim_start().split_once(" messages (").expect("a count");
    let (from, to) = range.split_once(" to ").expect("a range");
    let [count, from, to] = [count, from, to].map(|text| text.parse::<u64>().expect("a number"));
    assert_eq!(to + 1 - from, count, "the count and the range agree");
    Some(from..=to)
}

/// The messages below their labels, `[mark #12 customer, …]`.
fn messages(section: &str, mark: &str) -> BTreeMap<u64, String> {
    let label = format!("[{mark} #");
    let mut found = BTreeMap::new();
    let mut current: Option<(u64, Vec<&str>)> = None;
    for line in section.split('\n') {
        if let Some(rest) = line.strip_prefix(&label) {
            keep(&mut found, current.take());
            let seq = rest.split(' ').next().expect("a number").parse().expect("a number");
            current = Some((seq, vec![]));
        } else if let Some((_, lines)) = &mut current {
            lines.push(line);
        }
    }
    keep(&mut found, current);
    found
}

fn keep(found: &mut BTreeMap<u64, String>, message: Option<(u64, Vec<&str>)>) {
    if let Some((seq, lines)) = message {
        let again = found.insert(seq, lines.join("\n"));
        assert!(again.is_none(), "message {seq} is shown twice");
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split(after).next()
}
