//! Rules: what code decides without a model.
//!
//! [`escalation`] says which of the agent's topics a message touches; it judges every message it is given.
//! [`answer`] answers questions about orders, requests, appointments and opening hours from the facts, in the customer's
//! [`Language`] where it has templates, and says no more than the records say; [`can_answer`] says what it can
//! answer. [`greeting`] are the first words to somebody who never wrote before, and [`asks_for_known`] finds who asks
//! for what the facts say.
//!
//! Languages are data: a lexicon of what customers say, and templates of what is said to them; the logic is one.

mod answer;
mod asking;
mod dates;
mod escalation;
mod greeting;
mod hours;
mod known;
mod language;
mod lexicon;
mod question;
mod templates;
pub(crate) mod words;

pub use answer::{Answered, Known, Reply, answer, can_answer};
pub use escalation::{Match, escalation};
pub use greeting::{Acquaintance, greeting, is_first, with_greeting, without_greeting};
pub use known::{Field, asks_for_known, known_fields};
pub use language::Language;

/// The whole name of a contact, where a profile says one.
pub fn name_of(profiles: &[crate::facts::Fact]) -> Option<String> {
    known::name(profiles, true)
}

/// What customers are told when a person takes over.
pub const fn notice(language: Language) -> &'static str {
    language.templates().notice
}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod language_tests;
#[cfg(test)]
mod table;
