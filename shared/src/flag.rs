//! Flags: an operator's mark that one reply of the bot was wrong.

use crate::operator::Operator;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// What was wrong with a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagReason {
    /// It says what is not so.
    IncorrectInformation,
    /// It is not how one speaks to a customer.
    Inappropriate,
    /// Something is missing.
    Incomplete,
    /// It was so once.
    Outdated,
    /// Something else.
    Other,
}

impl FlagReason {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::IncorrectInformation, Self::Inappropriate, Self::Incomplete, Self::Outdated, Self::Other];

    /// The word that stands in the table, in forms and in the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::IncorrectInformation => "incorrect_information",
            Self::Inappropriate => "inappropriate",
            Self::Incomplete => "incomplete",
            Self::Outdated => "outdated",
            Self::Other => "other",
        }
    }

    /// In words, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::IncorrectInformation => "incorrect information",
            Self::Inappropriate => "inappropriate",
            Self::Incomplete => "incomplete",
            Self::Outdated => "outdated",
            Self::Other => "other",
        }
    }
}

/// One operator's mark on one reply; several operators each have their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// Its id.
    pub flag_id: Ulid,
    /// The reply.
    pub seq: Seq,
    /// Who flagged it.
    pub operator: Operator,
    /// What was wrong, if they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FlagReason>,
    /// In their words; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The agent that wrote the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent's version that wrote the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// When.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
    /// When the operator took it back.
    #[serde(default, rename = "withdrawn_at_millis", skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<Timestamp>,
}

impl Flag {
    /// Whether it stands.
    pub fn stands(&self) -> bool {
        self.withdrawn_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_one_word_in_the_table_and_elsewhere() {
        for reason in FlagReason::ALL {
            assert_eq!(serde_json::json!(reason), reason.code());
        }
    }
}
