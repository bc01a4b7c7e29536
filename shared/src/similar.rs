//! Similar past cases: general hints for next steps, never facts about this customer (*truth-ranks*, *isolation*).

use serde::{Deserialize, Serialize};

/// A past case, without values and names of anyone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimilarCase {
    /// What was asked.
    pub problem: String,
    /// What was answered; placeholders such as `{{Order Number}}` stay placeholders.
    pub solution: String,
}

/// What became of a search for similar cases. *Found*, *nothing found* and *failed* never look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Similar {
    /// Cases above the floor, most similar first; never empty.
    Found(Vec<SimilarCase>),
    /// Nothing is similar enough, or no tickets were imported.
    Nothing,
    /// The index is down, slow or unreadable; why, in a word.
    Failed(&'static str),
}

impl Similar {
    /// The cases that were found.
    pub fn cases(&self) -> &[SimilarCase] {
        match self {
            Self::Found(cases) => cases,
            Self::Nothing | Self::Failed(_) => &[],
        }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&'static str> {
        match self {
            Self::Failed(why) => Some(why),
            Self::Found(_) | Self::Nothing => None,
        }
    }
}
