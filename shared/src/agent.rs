//! Agents: what the bot is told and when it stops, as immutable versions.
//!
//! An agent is instructions, escalation topics, a promise list, a tone and the channels it may answer on. Contacts,
//! memory, window and limits belong to no agent: a contact that moves to another one is remembered as before.

mod built_in;
mod check;
mod promise;

pub use check::{AGENT_NAME_CHARS, AgentError, check_label, check_name};
pub use promise::Promise;

use crate::case::Category;
use crate::contact::Account;
use crate::thread::Channel;
use serde::{Deserialize, Serialize};

/// The agent that answers where nothing else is said.
pub const DEFAULT_AGENT: &str = "default";

/// One immutable version of an agent (*signed-change*).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentVersion {
    /// The agent's name.
    pub name: String,
    /// The version's number; 0 is the one that is built in and stands in when none is installed.
    pub version: u32,
    /// What the bot is told. The rules are code and stand above it.
    pub instructions: String,
    /// What people answer.
    pub topics: Vec<Topic>,
    /// What the bot may only say where something backs it.
    pub promises: Vec<Promise>,
    /// How the bot speaks.
    pub tone: String,
    /// The channels on which it answers; on any other one a person does.
    #[serde(default = "every_channel")]
    pub channels: Vec<Channel>,
    /// Whether a customer is told that a person takes over.
    #[serde(default = "yes")]
    pub notifies: bool,
}

/// Something that people answer, and how to tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Its name, as it stands in the case.
    pub name: String,
    /// The category of a case that it opens.
    pub category: Category,
    /// Words and phrases; they count on word boundaries, in any case.
    pub keywords: Vec<String>,
}

/// What a version says, as a file gives it: all of it or, over a version to start from, what changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Definition {
    /// See [`AgentVersion::instructions`].
    pub instructions: Option<String>,
    /// See [`AgentVersion::topics`].
    pub topics: Option<Vec<Topic>>,
    /// See [`AgentVersion::promises`].
    pub promises: Option<Vec<Promise>>,
    /// See [`AgentVersion::tone`].
    pub tone: Option<String>,
    /// See [`AgentVersion::channels`].
    pub channels: Option<Vec<Channel>>,
    /// See [`AgentVersion::notifies`].
    pub notifies: Option<bool>,
}

/// Which agent answers on a channel account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAgent {
    /// The account.
    pub account: Account,
    /// The agent's name.
    pub agent: String,
    /// The campaign that the account belongs to: a label and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<String>,
}

impl Definition {
    /// The version of agent `name` that says this and, where this says nothing, what `base` says. It has no number
    /// yet.
    ///
    /// # Errors
    /// A field that neither gives.
    pub fn over(self, name: &str, base: Option<&AgentVersion>) -> Result<AgentVersion, AgentError> {
        fn said<T>(field: &'static str, this: Option<T>, base: Option<T>) -> Result<T, AgentError> {
            this.or(base).ok_or(AgentError::Missing { field })
        }
        let base = base.cloned().map(Definition::of).unwrap_or_default();
        Ok(AgentVersion {
            name: name.into(),
            version: 0,
            instructions: said("instructions", self.instructions, base.instructions)?,
            topics: said("topics", self.topics, base.topics)?,
            promises: said("promises", self.promises, base.promises)?,
            tone: said("tone", self.tone, base.tone)?,
            channels: said("channels", self.channels, base.channels)?,
            notifies: said("notifies", self.notifies, base.notifies.or(Some(true)))?,
        })
    }

    fn of(version: AgentVersion) -> Self {
        Self {
            instructions: Some(version.instructions),
            topics: Some(version.topics),
            promises: Some(version.promises),
            tone: Some(version.tone),
            channels: Some(version.channels),
            notifies: Some(version.notifies),
        }
    }
}

fn yes() -> bool {
    true
}

fn every_channel() -> Vec<Channel> {
    Channel::ALL.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn read(json: &str) -> Result<Definition, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn a_version_says_what_a_file_gives_and_otherwise_what_it_starts_from() {
        let base = AgentVersion::built_in();
        let changed = read(r#"{"tone": "Formal.", "channels": ["sms"]}"#).unwrap().over("desk", Some(&base));
        let expected = AgentVersion {
            name: "desk".into(),
            tone: "Formal.".into(),
            channels: vec![Channel::Sms],
            ..base.clone()
        };
        assert_eq!(changed, Ok(expected));
    }

    #[test]
    fn without_a_version_to_start_from_a_file_gives_everything() {
        let fields = [
            ("instructions", r#""Be kind.""#),
            ("topics", "[]"),
            ("promises", "[]"),
            ("tone", r#""""#),
            ("channels", r#"["chat"]"#),
        ];
        for (left_out, _) in fields {
            let given = fields.iter().filter(|(field, _)| *field != left_out);
            let given: Vec<String> = given.map(|(field, value)| format!("\"{field}\": {value}")).collect();
            let version = read(&format!("{{{}}}", given.join(", "))).unwrap().over("desk", None);
            assert_eq!(version, Err(AgentError::Missing { field: left_out }));
        }
    }

    #[test]
    fn an_unknown_field_is_refused_by_its_name() {
        for (json, field) in [
            (r#"{"instruction": ""}"#, "`instruction`"),
            (r#"{"topics": [{"name": "a", "category": "policy_restriction", "words": []}]}"#, "`words`"),
            (r#"{"promises": [{"phrase": "I will", "match": []}]}"#, "`match`"),
            (r#"{"channels": ["fax"]}"#, "`fax`"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
    }

    #[test]
    fn a_version_that_was_stored_before_there_were_channels_answers_on_all_of_them() {
        let stored = r#"{"name": "default", "version": 1, "instructions": "Be kind.", "topics": [],
                         "promises": ["I'll follow up"], "tone": "Plain."}"#;
        let version: AgentVersion = serde_json::from_str(stored).unwrap();
        assert_eq!(version.channels, Channel::ALL);
        assert_eq!(version.promises, [Promise::of("I'll follow up")]);
    }

    #[test]
    fn what_is_stored_is_what_was_created() {
        let version = AgentVersion::built_in();
        let stored = serde_json::to_string(&version).unwrap();
        assert_eq!(serde_json::from_str::<AgentVersion>(&stored).unwrap(), version);
        assert!(stored.len() <= Limits::default().version_bytes / 4, "{}", stored.len());
    }
}
