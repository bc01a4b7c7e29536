//! The structured working memory of a thread and the rolling history beside it.

use crate::limits::Limits;
use crate::text;
use crate::thread::Seq;
use serde::{Deserialize, Serialize};

/// Snapshot and history, as one fold left them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What the customer wants, in one line.
    #[serde(default)]
    pub guest_intent: String,
    /// What was *said* and still matters.
    #[serde(default)]
    pub established_facts: Vec<String>,
    /// What is still open, newest first.
    #[serde(default)]
    pub open_questions: Vec<String>,
    /// Three to five plain sentences about where things stand.
    #[serde(default)]
    pub summary_text: String,
    /// The rolling summary of everything older than the window.
    #[serde(default)]
    pub history: String,
    /// The checkpoint: the newest message that the history covers.
    #[serde(default)]
    pub folded_through: Seq,
    /// The newest message that the four fields know of.
    #[serde(default)]
    pub as_of: Seq,
    /// Rises with every save.
    pub revision: u64,
    /// Failed jobs on this checkpoint.
    #[serde(default)]
    pub attempts: u32,
}

impl Snapshot {
    /// Of a contact of whom nothing is known yet.
    pub fn empty() -> Self {
        Self {
            guest_intent: String::new(),
            established_facts: vec![],
            open_questions: vec![],
            summary_text: String::new(),
            history: String::new(),
            folded_through: Seq::NONE,
            as_of: Seq::NONE,
            revision: 0,
            attempts: 0,
        }
    }

    /// The four fields and the history, for checks over all text that is remembered.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.guest_intent, &self.summary_text, &self.history]
            .into_iter()
            .chain(&self.established_facts)
            .chain(&self.open_questions)
            .map(String::as_str)
    }

    /// Whether the four fields say anything.
    pub fn is_blank(&self) -> bool {
        self.texts().all(str::is_empty)
    }

    /// Which limits are exceeded and by how much (*bounded-summary*); empty when all are kept.
    pub fn overshoots(&self, limits: &Limits) -> Vec<Overshoot> {
        let fields = [
            ("guest_intent", text::chars(&self.guest_intent), limits.guest_intent),
            ("summary_text", text::chars(&self.summary_text), limits.summary_text),
            ("history", text::chars(&self.history), limits.history_chars),
            ("established_facts (entries)", self.established_facts.len(), limits.established_facts),
            ("open_questions (entries)", self.open_questions.len(), limits.open_questions),
            ("established_facts (longest entry)", longest(&self.established_facts), limits.entry_chars),
            ("open_questions (longest entry)", longest(&self.open_questions), limits.entry_chars),
        ];
        fields
            .into_iter()
            .filter(|(_, is, limit)| is > limit)
            .map(|(field, is, limit)| Overshoot { field, is, limit })
            .collect()
    }
}

fn longest(entries: &[String]) -> usize {
    entries.iter().map(|entry| text::chars(entry)).max().unwrap_or(0)
}

/// One limit that a summary exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overshoot {
    /// Which field.
    pub field: &'static str,
    /// What it is.
    pub is: usize,
    /// What it may be.
    pub limit: usize,
}
