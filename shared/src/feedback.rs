//! Feedback: what a customer thought of one message. Their own words, never a score of ours (*no-scores*).

use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What a customer thought of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The message.
    pub seq: Seq,
    /// Thumbs up or thumbs down.
    pub rating: Rating,
    /// In the customer's words; may be empty.
    #[serde(default)]
    pub text: String,
    /// When it was given.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
}

/// The two thumbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// It helped.
    Up,
    /// It did not.
    Down,
}

impl Rating {
    /// The rating in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Up => "thumbs up",
            Self::Down => "thumbs down",
        }
    }
}
