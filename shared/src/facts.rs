//! Facts: records of account systems, read fresh in every turn; on what the account says they outrank
//! everything remembered (*truth-ranks*).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A record of an account system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is: `order`, `request`, `appointment`, `profile`, `contact`, `qualification`, or any other word.
    pub kind: String,
    /// Its id in the account system.
    pub id: String,
    /// Since when it is so, by the account system's clock.
    pub as_of: AsOf,
    /// Which system says so.
    pub source: String,
    /// What it says.
    pub data: Value,
}

/// A point in time of an account system, to the nanosecond, so that two of them compare as they were written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AsOf(String);
