//! Cases: work for a person.

use crate::contact::ContactId;
use crate::operator::Operator;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use ulid::Ulid;

/// Why the bot stopped. It explains one escalation and is never a score (*no-scores*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The customer asked for a person.
    CustomerRequest,
    /// The answer is not known.
    MissingKnowledge,
    /// A rule of the agent says that people answer this.
    PolicyRestriction,
    /// The bot cannot do what is asked.
    UnsupportedRequest,
    /// The customer is upset.
    UpsetCustomer,
    /// A reply failed a check twice.
    UngroundedReply,
    /// A reply promised what nothing backs.
    FalsePromise,
    /// No model, and the rules cannot answer.
    ModelUnavailable,
    /// The message cannot be read.
    UnreadableMessage,
}

impl Category {
    /// All of them, as the model may name them.
    pub const ALL: [Category; 9] = [
        Self::CustomerRequest,
        Self::MissingKnowledge,
        Self::PolicyRestriction,
        Self::UnsupportedRequest,
        Self::UpsetCustomer,
        Self::UngroundedReply,
        Self::FalsePromise,
        Self::ModelUnavailable,
        Self::UnreadableMessage,
    ];

    /// The word that stands in the table, in traces and in the model's answer.
    pub const fn code(self) -> &'static str {
        match self {
            Self::CustomerRequest => "customer_request",
            Self::MissingKnowledge => "missing_knowledge",
            Self::PolicyRestriction => "policy_restriction",
            Self::UnsupportedRequest => "unsupported_request",
            Self::UpsetCustomer => "upset_customer",
            Self::UngroundedReply => "ungrounded_reply",
            Self::FalsePromise => "false_promise",
            Self::ModelUnavailable => "model_unavailable",
            Self::UnreadableMessage => "unreadable_message",
        }
    }

    /// The category of a word, if it is one.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.code() == code)
    }
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseState {
    /// Nobody has taken it.
    Open,
    /// Somebody has.
    Taken,
    /// Done.
    Resolved,
    /// It was done, and is not any more.
    Reopened,
}

/// How soon a case wants a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// When nothing else waits.
    Low,
    /// In its turn.
    #[default]
    Normal,
    /// Before others.
    High,
    /// At once.
    Urgent,
}

impl Priority {
    /// All of them, the least first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Urgent];

    /// The word that stands in the table.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

/// Work for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its id.
    pub case_id: Ulid,
    /// Whose.
    pub contact_id: ContactId,
    /// How far it is.
    pub state_of_case: CaseState,
    /// Why the bot stopped.
    pub category: Category,
    /// Why, in a sentence of ours or of the model.
    pub reason: String,
    /// The agent's topic, if a rule of the agent stopped the bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The newest message that it is about.
    pub about_seq: Seq,
    /// The trace of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// When it was opened.
    #[serde(rename = "opened_at_millis")]
    pub opened_at: Timestamp,
    /// The customer was not told that a person takes over: the agent is a silent one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// What follows its opening, or that an escalation joined it, has still to go out; where there is a notice, that says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follow_up_due: bool,
    /// How many escalations joined it after the first.
    #[serde(default)]
    pub joined: u32,
    /// Since when the customer has been waiting for a person; none where nothing waits.
    #[serde(default, rename = "waiting_since_millis", skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Whose work it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Operator>,
    /// How soon it wants a person.
    #[serde(default)]
    pub priority: Priority,
    /// The team that it is with, by the deployment's routing; none where nobody is told of cases like it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Since when its teams are told anew, because whoever had it has it no more; none where nobody has had it yet.
    #[serde(default, rename = "round_at_millis", skip_serializing_if = "Option::is_none")]
    pub round_at: Option<Timestamp>,
    /// How far on its route a team was told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notified_step: Option<u32>,
    /// How many teams of its route let their time pass.
    #[serde(default)]
    pub missed: u32,
    /// Labels of the operators.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// How often priority and tags were set.
    #[serde(default)]
    pub labelled: u32,
    /// Who set them last; nobody where routing alone did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labelled_by: Option<Operator>,
    /// Who moved it last from one state to another; nobody where the bot opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<Operator>,
    /// When that was.
    #[serde(default, rename = "moved_at_millis", skip_serializing_if = "Option::is_none")]
    pub moved_at: Option<Timestamp>,
    /// When it was resolved.
    #[serde(default, rename = "resolved_at_millis", skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// The newest message when it was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_seq: Option<Seq>,
}

impl Case {
    /// Whether work is left.
    pub fn is_unresolved(&self) -> bool {
        self.state_of_case != CaseState::Resolved
    }

    /// How soon it wants a person, and its tags.
    pub fn labels(&self) -> Labels {
        Labels { priority: self.priority, tags: self.tags.clone() }
    }

    /// Since when it has waited for somebody to take it.
    pub fn waits_from(&self) -> Timestamp {
        self.round_at.unwrap_or(self.opened_at)
    }

    /// Whether nobody has it.
    pub fn is_untaken(&self) -> bool {
        self.state_of_case == CaseState::Open && self.assignee.is_none()
    }
}

/// How soon a case wants a person, and its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// How soon.
    pub priority: Priority,
    /// Labels of the operators.
    pub tags: BTreeSet<String>,
}

/// The longest tag, in characters, and the most tags of one case.
pub const TAG_CHARS: usize = 40;
/// See [`TAG_CHARS`].
pub const TAGS: usize = 10;

/// Tags that are not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("tags must be at most {TAGS}, of 1 to {TAG_CHARS} characters each, without control characters")]
pub struct TagsError;

/// Tags as operators give them: trimmed, each once.
///
/// # Errors
/// Too many, an empty or overlong one, or one with control characters.
pub fn tags<T: AsRef<str>>(given: impl IntoIterator<Item = T>) -> Result<BTreeSet<String>, TagsError> {
    let tags: BTreeSet<String> = given.into_iter().map(|tag| tag.as_ref().trim().to_owned()).collect();
    let fits =
        |tag: &String| !tag.is_empty() && text::chars(tag) <= TAG_CHARS && !tag.contains(char::is_control);
    if tags.len() <= TAGS && tags.iter().all(fits) { Ok(tags) } else { Err(TagsError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_each_once_and_few() {
        let given = tags([" vip ", "vip", "wifi"]);
        assert_eq!(given, Ok(BTreeSet::from(["vip".to_owned(), "wifi".to_owned()])));
        assert_eq!(tags([""]), Err(TagsError));
        assert_eq!(tags(["x".repeat(TAG_CHARS + 1)]), Err(TagsError));
        assert_eq!(tags((0..=TAGS).map(|n| n.to_string())), Err(TagsError));
    }
}
