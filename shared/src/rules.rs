//! Rules: what code decides without a model.
//!
//! [`escalation`] says which of the agent's topics a message touches; it judges every message it is given.
//! [`answer`] answers questions about orders, requests and appointments from the facts, in English, and says no
//! more than the records say; [`can_answer`] says what it can answer.

mod answer;
mod escalation;
mod question;
pub(crate) mod words;

pub use answer::{Answered, Reply, answer, can_answer};
pub use escalation::{Match, escalation};

#[cfg(test)]
mod answer_tests;
