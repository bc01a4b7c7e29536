//! Memory: what earlier conversations left in a contact's own bank. Continuity, never truth (*truth-ranks*).

mod exchange;
mod rank;

pub use exchange::{of_answer, of_case, of_feedback, of_spills};
pub use rank::{Candidate, rank};

use crate::contact::ContactId;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// Where a memory comes from, and its key in a bank: a repeated retention of the same source is the same item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// A question to a bank. It is the customer's own message and what that message may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The customer's message, and what it may mean.
    pub text: String,
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

    /// The memories that were found.
    pub fn memories(&self) -> &[Memory] {
        match self {
            Self::Found(memories) | Self::Partly(memories, _) => memories,
            Self::Nothing | Self::Failed(_) => &[],
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
