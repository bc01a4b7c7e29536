//! Memory: what earlier conversations left in a contact's own bank. Continuity, never truth (*truth-ranks*).

mod days;
mod exchange;
mod merge;
mod pile;
mod query;
mod question;
mod rank;
mod speakers;
mod terms;

pub(crate) use exchange::words;
pub use exchange::{of_answer, of_case, of_feedback, of_spills};
pub use merge::{Change, retain};
pub use pile::{next_pile, piled};
pub use query::{clipped, query, tokens};
pub use question::Question;
pub use rank::{rank, show};
pub(crate) use terms::Stems;
pub use terms::has_word;

use crate::contact::ContactId;
use crate::summary::Spill;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::values;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use ulid::Ulid;

/// Where a memory comes from, and its key in a bank: a repeated retention of the same source is the same item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A message of the bot or of an operator, with what it answers.
    Reply(Seq),
    /// How a case ended.
    Case(Ulid),
    /// What a customer thought of a message.
    Feedback(Seq),
    /// What a fold could not keep: the snapshot's revision and a number.
    Spill {
        /// The revision of the snapshot that was saved with it.
        revision: u64,
        /// Its number in that save.
        n: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply(seq) => write!(f, "reply-{seq}"),
            Self::Case(case_id) => write!(f, "case-{case_id}"),
            Self::Feedback(seq) => write!(f, "feedback-{seq}"),
            Self::Spill { revision, n } => write!(f, "spill-{revision}-{n}"),
        }
    }
}

/// No memory has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such memory")]
pub struct NoSuchMemory;

impl FromStr for Origin {
    type Err = NoSuchMemory;

    fn from_str(name: &str) -> Result<Self, NoSuchMemory> {
        let (kind, rest) = name.split_once('-').ok_or(NoSuchMemory)?;
        let number = |digits: &str| digits.parse().map_err(|_| NoSuchMemory);
        match kind {
            "reply" => Ok(Self::Reply(Seq(number(rest)?))),
            "case" => Ulid::from_string(rest).map(Self::Case).map_err(|_| NoSuchMemory),
            "feedback" => Ok(Self::Feedback(Seq(number(rest)?))),
            "spill" => {
                let (revision, n) = rest.split_once('-').ok_or(NoSuchMemory)?;
                let n = n.parse().map_err(|_| NoSuchMemory)?;
                Ok(Self::Spill { revision: number(revision)?, n })
            }
            _ => Err(NoSuchMemory),
        }
    }
}

/// Something worth remembering: what was said, without what was recalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Where it comes from.
    pub origin: Origin,
    /// What customer and staff said, with its speakers.
    pub said: String,
    /// What the bot replied; empty where it did not. The bot's own words are never evidence.
    pub replied: String,
    /// The first message that it is from.
    pub from_seq: Seq,
    /// The last message that it is from.
    pub to_seq: Seq,
    /// When it was said.
    pub at: Timestamp,
}

impl Exchange {
    /// A spill: its text is all that was said, or what the bot said.
    pub fn of_spill(origin: Origin, spill: &Spill, text: String) -> Self {
        let Spill { from_seq, to_seq, at, .. } = *spill;
        let (said, replied) = if spill.is_bots() { (String::new(), text) } else { (text, String::new()) };
        Self { origin, said, replied, from_seq, to_seq, at }
    }

    /// Whether it is nothing but what the bot said.
    pub fn is_bots(&self) -> bool {
        self.said.is_empty() && !self.replied.is_empty()
    }

    /// The text of a spill.
    pub fn spilled(&self) -> &str {
        if self.is_bots() { &self.replied } else { &self.said }
    }
}

/// An exchange as the embedded bank keeps it. A spill is one that has one side only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What is kept; of an entry that others were merged into, what is left of all of them.
    pub exchange: Exchange,
    /// The values in it, in normal form, one a line, for the search.
    pub values: String,
    /// How many `BODY` items hold more of its text.
    pub bodies: usize,
    /// Replies that were made with it in view.
    pub recalls: u32,
    /// What was merged into it, newest last, so that a repeated job finds it there.
    pub holds: Vec<Origin>,
}

impl Entry {
    /// An exchange that nothing was merged into yet.
    pub fn of(exchange: Exchange) -> Self {
        let values = search_text([exchange.said.as_str(), exchange.replied.as_str()]);
        Self { exchange, values, bodies: 0, recalls: 0, holds: vec![] }
    }
}

/// Characters of one entry's search text.
pub(crate) const SEARCH_CHARS: usize = 50_000;

/// The values of some texts in normal form, each once, one a line.
fn search_text<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut seen = HashSet::new();
    let found = texts.into_iter().flat_map(values::values).map(|value| value.normal);
    let distinct: Vec<String> = found.filter(|normal| seen.insert(normal.clone())).collect();
    text::head(&distinct.join("\n"), SEARCH_CHARS).to_owned()
}

/// A question to a bank. It is the customer's own message and what that message may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The customer's message, and what it may mean.
    pub text: String,
    /// When it is asked.
    pub at: Timestamp,
    /// Messages from here on are in the prompt word for word: what is known of them alone is not asked for.
    pub before: Seq,
}

/// A memory as a prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// What customer and staff said, around the match.
    pub said: String,
    /// What the bot replied, which is no evidence; with `said` at most `memory_chars`.
    pub replied: String,
    /// The first and the last message that it is from, where the bank knows.
    pub messages: Option<(Seq, Seq)>,
    /// When it was said, where the bank knows.
    pub at: Option<Timestamp>,
    /// The entry that it is from, where the bank has entries.
    #[serde(default)]
    pub origin: Option<Origin>,
}

impl Memory {
    /// The same without numbers of a log that is not in the prompt.
    fn of_another_log(&self) -> Self {
        Self { messages: None, origin: None, ..self.clone() }
    }
}

/// What became of a recall. *Found*, *nothing found* and *failed* never look alike (*optional-is-optional*).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recall {
    /// Memories that resemble the question, best first; never empty.
    Found(Vec<Memory>),
    /// The bank answered, and nothing in it resembles the question.
    Nothing,
    /// The bank is down, slow or talks rubbish; why, in a word.
    Failed(&'static str),
    /// One part of the bank answered, another failed; why, in a word.
    Partly(Vec<Memory>, &'static str),
}

impl Recall {
    /// What was found.
    pub fn of(found: Vec<Memory>) -> Self {
        if found.is_empty() { Self::Nothing } else { Self::Found(found) }
    }

    /// What was found although something failed, if it did; why, in a word.
    pub fn unless(failure: Option<&'static str>, found: Vec<Memory>) -> Self {
        match failure {
            None => Self::of(found),
            Some(why) if found.is_empty() => Self::Failed(why),
            Some(why) => Self::Partly(found, why),
        }
    }

    /// The best of several banks in turns, at most `most`.
    pub fn in_turns(banks: &[Self], most: usize) -> Self {
        let longest = banks.iter().map(|bank| bank.memories().len()).max().unwrap_or(0);
        let in_turns = (0..longest).flat_map(|n| banks.iter().filter_map(move |bank| bank.memories().get(n)));
        Self::unless(banks.iter().find_map(Self::failure), in_turns.take(most).cloned().collect())
    }

    /// The same with other memories, and as much of a failure.
    #[must_use]
    pub fn with(&self, memories: Vec<Memory>) -> Self {
        Self::unless(self.failure(), memories)
    }

    /// What the banks of one customer found, in turns, at most `most`: their own, and those of contacts that were joined
    /// into theirs, whose messages have numbers of another log.
    pub fn merged(own: Self, joined: Vec<Self>, most: usize) -> Self {
        if joined.is_empty() {
            return own;
        }
        let theirs = joined
            .iter()
            .map(|recall| recall.with(recall.memories().iter().map(Memory::of_another_log).collect()));
        let banks: Vec<Self> = std::iter::once(own).chain(theirs).collect();
        Self::in_turns(&banks, most)
    }

    /// The memories that were found.
    pub fn memories(&self) -> &[Memory] {
        match self {
            Self::Found(memories) | Self::Partly(memories, _) => memories,
            Self::Nothing | Self::Failed(_) => &[],
        }
    }

    /// How it went, and why it failed if it did, for traces: `found`, `nothing`, `failed:late`, `partly:unavailable`.
    pub fn word(&self) -> String {
        self.failure().map_or_else(|| self.outcome().to_owned(), |why| format!("{}:{why}", self.outcome()))
    }

    /// How it went, in a word, for metrics.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Found(_) => "found",
            Self::Nothing => "nothing",
            Self::Failed(_) => "failed",
            Self::Partly(..) => "partly",
        }
    }

    /// Why a part of it failed, or all of it.
    pub fn failure(&self) -> Option<&'static str> {
        match self {
            Self::Failed(why) | Self::Partly(_, why) => Some(why),
            Self::Found(_) | Self::Nothing => None,
        }
    }
}

/// Names a contact's bank outside the table: `customer-` and a hash, since an id with a slash would break a path.
pub fn bank_id(contact: ContactId) -> String {
    format!("customer-{}", crate::hash::hex(&contact.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_read_from_its_name_again() {
        let case = Origin::Case(Ulid::from_parts(1, 2));
        let spill = Origin::Spill { revision: 3, n: 4 };
        for origin in [Origin::Reply(Seq(7)), Origin::Feedback(Seq(7)), case, spill] {
            assert_eq!(origin.to_string().parse(), Ok(origin));
        }
        for name in ["", "reply", "reply-x", "case-7", "spill-3", "page-1"] {
            assert_eq!(name.parse::<Origin>(), Err(NoSuchMemory), "{name}");
        }
    }
}
