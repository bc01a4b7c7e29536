//! Traces: what one decision was made from, and what became of it.

use crate::memory::Memory;
use crate::prompt::{Prompt, Section};
use crate::similar::SimilarCase;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::window::Split;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// What a decision is made from. Written while the model thinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// When.
    pub at: Timestamp,
    /// The agent and its version.
    pub agent: String,
    /// See [`agent`](Self::agent).
    pub version: u32,
    /// The customer messages that wait for this decision.
    pub answers: Vec<Seq>,
    /// Where each message of the thread is (*coverage*).
    pub coverage: Coverage,
    /// The parts of the prompt and their sizes; empty where the model was not asked.
    pub sections: Vec<Section>,
    /// The revision of the snapshot, if one could be read.
    pub revision: Option<u64>,
    /// How many facts were read.
    pub facts: usize,
    /// How many cases were read.
    pub cases: usize,
    /// How the recall went: `found`, `nothing`, `failed:<why>` or `partly:<why>`.
    #[serde(default)]
    pub recall: String,
    /// What was down, slow or unreadable, and why.
    pub degraded: Vec<Degraded>,
    /// The full context, word for word.
    #[serde(default)]
    pub context: FullContext,
}

/// The full context of a decision: what the model was asked, or would have been. A second question adds to it only
/// what was wrong with the first answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullContext {
    /// Rules and instructions.
    pub system: String,
    /// Everything known and said.
    pub user: String,
    /// What was recalled.
    pub memories: Vec<Memory>,
    /// Past cases that were shown.
    pub similar_cases: Vec<SimilarCase>,
}

impl FullContext {
    /// Of this prompt, with what was remembered for it.
    pub fn of(prompt: &Prompt, memories: &[Memory], similar_cases: &[SimilarCase]) -> Self {
        Self {
            system: prompt.system.clone(),
            user: prompt.user.clone(),
            memories: memories.to_vec(),
            similar_cases: similar_cases.to_vec(),
        }
    }
}

/// Where the messages of a thread were in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// The oldest message of the log.
    pub first_seq: Seq,
    /// The newest message of the log.
    pub last_seq: Seq,
    /// Up to here the history covers.
    pub covered_to: Seq,
    /// Pending and shown from here.
    pub pending_from: Seq,
    /// The window from here; the pending ones end before it.
    pub window_from: Seq,
    /// Pending and announced by their number only.
    pub pending_omitted: u64,
}

impl Coverage {
    /// As the window decided.
    pub fn of(split: Split, first_seq: Seq) -> Self {
        Self {
            first_seq,
            last_seq: split.last_seq,
            covered_to: split.covered_to,
            pending_from: split.pending_from,
            window_from: split.window_from,
            pending_omitted: split.omitted(),
        }
    }

    /// Whether every message from the first to the newest is exactly one of verbatim, covered or pending.
    pub fn is_whole(&self) -> bool {
        self.covered_to <= self.last_seq
            && self.covered_to < self.pending_from
            && self.pending_from <= self.window_from
            && self.window_from <= self.last_seq.next()
            && self.pending_from.0 - self.covered_to.next().0 == self.pending_omitted
    }
}

/// A part that did not work, and what was done without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// Which part.
    pub part: String,
    /// Why, in a word.
    pub why: String,
}

impl Degraded {
    /// A part and a word.
    pub fn new(part: &str, why: &str) -> Self {
        Self { part: part.into(), why: why.into() }
    }
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The model.
    Model,
    /// An escalation rule of the agent.
    Rule,
    /// The rules, from the facts, in the model's place.
    Fallback,
    /// The turn itself: too old, or tried too often.
    Guard,
}

/// One question to the model and what came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The model, as it is configured; empty where it gave no answer.
    pub model: String,
    /// Characters of the prompt.
    pub prompt_chars: usize,
    /// Tokens of the prompt, as the API counted them.
    pub prompt_tokens: u64,
    /// Tokens of the answer, as the API counted them.
    pub completion_tokens: u64,
    /// Requests sent, repetitions included.
    pub calls: u32,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// Why the answer could not be used, in a word.
    pub fault: Option<String>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// `reply` or `escalate`.
    pub decision: String,
    /// Who decided.
    pub by: DecidedBy,
    /// Why the bot stopped, in a word.
    pub category: Option<String>,
    /// The agent's topic, if a rule stopped it.
    pub topic: Option<String>,
    /// The bot's message, if one was committed.
    pub seq: Option<Seq>,
    /// The case, if one was opened or joined.
    pub case_id: Option<Ulid>,
    /// Questions to the model.
    pub attempts: Vec<Attempt>,
    /// Milliseconds from receipt to commit.
    pub millis: u64,
    /// What was down, slow or unreadable after the trace was written, and why.
    pub degraded: Vec<Degraded>,
}
