//! Similar past cases: general hints for next steps, never facts about this customer (*truth-ranks*, *isolation*).

mod index;
mod instruction;
mod ordinary;
mod past_case;
mod people;
mod placeholder;
mod terms;
mod vocabulary;
mod wording;

pub use index::{Index, Near, Packed, Unreadable};
pub use ordinary::Ordinary;
pub use past_case::{PastCase, Ticket};
pub use placeholder::{without_names, without_values};
pub use wording::{Wording, WordingFault, names_of};

use crate::limits::Limits;
use serde::{Deserialize, Serialize};

/// What is shown for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Showing {
    /// Cases, at most.
    pub most: usize,
    /// Less likeness than this is none.
    pub floor: f32,
    /// Characters of one case.
    pub case_chars: usize,
    /// Characters of the question that are looked at, from its end.
    pub question_chars: usize,
}

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

impl Showing {
    /// As the limits of a deployment have it.
    pub fn of(limits: &Limits) -> Self {
        Self {
            most: limits.similar_cases,
            floor: f32::from(limits.similar_floor) / 100.0,
            case_chars: limits.similar_chars,
            question_chars: limits.similar_question_chars,
        }
    }
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
