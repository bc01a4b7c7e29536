//! Operators: people who work beside the bot.

use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest name of an operator, in characters.
pub const OPERATOR_CHARS: usize = 128;

/// A person who works beside the bot, by the name that the sign-in gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Operator(String);

/// Not the name of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("operator must have 1 to {OPERATOR_CHARS} characters and no control character")]
pub struct OperatorError;

impl Operator {
    /// An operator by name.
    ///
    /// # Errors
    /// An empty or overlong name, or one with control characters.
    pub fn new(name: impl Into<String>) -> Result<Self, OperatorError> {
        let name = name.into();
        let fits = !name.trim().is_empty() && text::chars(&name) <= OPERATOR_CHARS;
        if fits && !name.contains(char::is_control) { Ok(Self(name)) } else { Err(OperatorError) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Operator {
    type Error = OperatorError;

    fn try_from(name: String) -> Result<Self, OperatorError> {
        Self::new(name)
    }
}

impl From<Operator> for String {
    fn from(operator: Operator) -> Self {
        operator.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_a_name_that_can_be_shown() {
        assert_eq!(Operator::new("leo").map(String::from), Ok("leo".into()));
        for name in ["", "  ", "a\nb", &"x".repeat(OPERATOR_CHARS + 1)] {
            assert_eq!(Operator::new(name), Err(OperatorError), "{name:?}");
        }
    }
}
