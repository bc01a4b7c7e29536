//! Checks that code makes of a model's reply after the model has answered and before anything is committed.
//!
//! A reply that fails is asked for once more, with what was wrong; one that fails twice is a case for a person.
//! Nothing here asks a model, and the customer's words never decide what is checked.

mod agreement;
mod copy;
mod fault;
mod grounding;
mod language;
mod promise;
mod standing;

pub use agreement::{Disagreement, outdated};
pub use fault::{Correction, Fault};
pub use promise::{Promised, promised};

use crate::agent::Promise;
use crate::facts::Fact;
use crate::rules;
use crate::time::Timestamp;

/// What a reply is checked against.
#[derive(Debug, Default)]
pub struct Grounds<'a> {
    /// What a value may come from: facts, messages of customer and staff, instructions, snapshot, history, what was
    /// recalled of them. Never what the bot said, nor similar cases.
    pub evidence: &'a [&'a str],
    /// Moments that the model was told: now, and when each message came.
    pub moments: &'a [Timestamp],
    /// The contact's records; none where they could not be read.
    pub facts: &'a [Fact],
    /// What the business says of itself, as the model was told: no record of the contact's.
    pub business: Option<&'a str>,
    /// Whether a case of the contact is not resolved.
    pub open_case: bool,
    /// What the agent may promise only with a record behind it.
    pub promises: &'a [Promise],
    /// What staff wrote, as the model was shown it.
    pub staff: &'a [&'a str],
    /// The customer's messages that the model was shown, newest first.
    pub customer: &'a [&'a str],
    /// What the bot replied last.
    pub previous: Option<&'a str>,
}

/// What the checks say of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What is wrong with it; nothing where it may go out.
    pub faults: Vec<Fault>,
    /// The promise that it makes and that only a new request makes honest.
    pub opens: Option<String>,
}

/// Checks a reply: language, copy, grounding, agreement with the records, questions that they answer, promises.
pub fn check(reply: &str, grounds: &Grounds<'_>) -> Checked {
    let mut faults = vec![];
    faults.extend(
        language::differs(reply, grounds.customer, grounds.facts).map(|wanted| Fault::Language { wanted }),
    );
    if grounds.previous.is_some_and(|previous| copy::is_copy(reply, previous)) {
        faults.push(Fault::Copy);
    }
    let ungrounded = grounding::ungrounded(reply, grounds.evidence, grounds.moments, grounds.facts.len());
    if !ungrounded.is_empty() {
        faults.push(Fault::Ungrounded(ungrounded));
    }
    let disagreements = agreement::of_reply(reply, grounds);
    if !disagreements.is_empty() {
        faults.push(Fault::Disagrees(disagreements));
    }
    faults.extend(rules::asks_for_known(reply, grounds.facts).map(Fault::AsksForKnown));
    let opens = match promise::backing(reply, grounds) {
        promise::Backing::None | promise::Backing::Backed => None,
        promise::Backing::Opens(promise) => Some(promise),
        promise::Backing::False(promise) => {
            faults.push(Fault::FalsePromise(promise));
            None
        }
    };
    Checked { faults, opens }
}
