//! The bounds of a version: every field has one, and an error names the field and the bound (*bounds*).

use super::{AgentVersion, Promise, Topic};
use crate::checks::promised;
use crate::limits::Limits;
use crate::text;

/// The longest name of an agent, in characters.
pub const AGENT_NAME_CHARS: usize = 64;

/// The longest label of a campaign and the longest name of an account, in characters.
const LABEL_CHARS: usize = 128;

/// What is wrong with an agent. The texts name the field and the bound, and never its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Not a name.
    #[error("the name of an agent must be 1 to {AGENT_NAME_CHARS} characters of a-z, 0-9, - and _")]
    Name,
    /// Not a label.
    #[error("{what} must be 1 to {LABEL_CHARS} characters, not blank, without control characters")]
    Label {
        /// Of what.
        what: &'static str,
    },
    /// A field that nothing gives.
    #[error("{field} is missing: give it, or a version to start from")]
    Missing {
        /// Which.
        field: &'static str,
    },
    /// A field without a word in it, or a list without an entry.
    #[error("{field} is empty")]
    Empty {
        /// Which.
        field: String,
    },
    /// Too long a text.
    #[error("{field} has {is} characters; at most {most} are allowed")]
    TooLong {
        /// Which field.
        field: String,
        /// What it has.
        is: usize,
        /// What it may have.
        most: usize,
    },
    /// Too long a list.
    #[error("{field} has {is} entries; at most {most} are allowed")]
    TooMany {
        /// Which field.
        field: String,
        /// What it has.
        is: usize,
        /// What it may have.
        most: usize,
    },
    /// A sentence of which the promise says otherwise than its phrase does.
    #[error("{field} is an example that the phrase {does}")]
    Example {
        /// Which field.
        field: String,
        /// What the phrase does with it.
        does: &'static str,
    },
    /// Too large a whole.
    #[error("the version has {is} bytes of JSON; at most {most} are allowed")]
    TooLarge {
        /// What it has.
        is: usize,
        /// What it may have.
        most: usize,
    },
}

/// Whether this can name an agent.
///
/// # Errors
/// [`AgentError::Name`].
pub fn check_name(name: &str) -> Result<(), AgentError> {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if name.is_empty() || name.len() > AGENT_NAME_CHARS || !name.bytes().all(known) {
        return Err(AgentError::Name);
    }
    Ok(())
}

/// Whether this can name an account or a campaign; `what` says which.
///
/// # Errors
/// [`AgentError::Label`].
pub fn check_label(what: &'static str, label: &str) -> Result<(), AgentError> {
    let is_bad = label.trim().is_empty() || text::chars(label) > LABEL_CHARS;
    if is_bad || label.chars().any(char::is_control) {
        return Err(AgentError::Label { what });
    }
    Ok(())
}

impl AgentVersion {
    /// Whether the version keeps all bounds.
    ///
    /// # Errors
    /// The first field that does not, with its bound.
    pub fn check(&self, limits: &Limits) -> Result<(), AgentError> {
        check_name(&self.name)?;
        words("instructions", &self.instructions, limits.instructions_chars)?;
        at_most("tone", &self.tone, limits.tone_chars)?;
        entries("topics", &self.topics, limits.topics)?;
        for (n, topic) in self.topics.iter().enumerate() {
            check_topic(&format!("topics[{n}]"), topic, limits)?;
        }
        entries("promises", &self.promises, limits.promises)?;
        for (n, promise) in self.promises.iter().enumerate() {
            check_promise(&format!("promises[{n}]"), promise, limits)?;
        }
        if self.channels.is_empty() {
            return Err(AgentError::Empty { field: "channels".into() });
        }
        let is = serde_json::to_string(self).map_or(usize::MAX, |json| json.len());
        let most = limits.version_bytes;
        if is > most { Err(AgentError::TooLarge { is, most }) } else { Ok(()) }
    }
}

fn check_topic(at: &str, topic: &Topic, limits: &Limits) -> Result<(), AgentError> {
    words(&format!("{at}.name"), &topic.name, limits.phrase_chars)?;
    let field = format!("{at}.keywords");
    if topic.keywords.is_empty() {
        return Err(AgentError::Empty { field });
    }
    entries(&field, &topic.keywords, limits.keywords)?;
    each(&field, &topic.keywords, limits.phrase_chars)
}

fn check_promise(at: &str, promise: &Promise, limits: &Limits) -> Result<(), AgentError> {
    words(&format!("{at}.phrase"), &promise.phrase, limits.phrase_chars)?;
    if let Some(act) = &promise.act {
        words(&format!("{at}.act"), act, limits.phrase_chars)?;
    }
    for (name, examples) in [("matches", &promise.matches), ("not", &promise.not)] {
        let field = format!("{at}.{name}");
        entries(&field, examples, limits.promise_examples)?;
        each(&field, examples, limits.example_chars)?;
    }
    check_examples(at, promise)
}

fn check_examples(at: &str, promise: &Promise) -> Result<(), AgentError> {
    let is_made = |example: &String| !promised(std::slice::from_ref(promise), example).is_empty();
    if let Some(n) = promise.matches.iter().position(|example| !is_made(example)) {
        return Err(AgentError::Example { field: format!("{at}.matches[{n}]"), does: "does not match" });
    }
    match promise.not.iter().position(is_made) {
        Some(n) => Err(AgentError::Example { field: format!("{at}.not[{n}]"), does: "matches" }),
        None => Ok(()),
    }
}

fn each(field: &str, texts: &[String], most: usize) -> Result<(), AgentError> {
    texts.iter().enumerate().try_for_each(|(n, text)| words(&format!("{field}[{n}]"), text, most))
}

/// What says nothing would never match, and nobody would notice.
fn words(field: &str, text: &str, most: usize) -> Result<(), AgentError> {
    if !text.chars().any(char::is_alphanumeric) {
        return Err(AgentError::Empty { field: field.into() });
    }
    at_most(field, text, most)
}

fn at_most(field: &str, text: &str, most: usize) -> Result<(), AgentError> {
    let is = text::chars(text);
    if is > most { Err(AgentError::TooLong { field: field.into(), is, most }) } else { Ok(()) }
}

fn entries<T>(field: &str, list: &[T], most: usize) -> Result<(), AgentError> {
    let is = list.len();
    if is > most { Err(AgentError::TooMany { field: field.into(), is, most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Category;

    fn refused(change: impl FnOnce(&mut AgentVersion)) -> String {
        let mut version = AgentVersion::built_in();
        change(&mut version);
        version.check(&Limits::default()).unwrap_err().to_string()
    }

    fn topic(keywords: &[String]) -> Topic {
        Topic { name: "pets".into(), category: Category::PolicyRestriction, keywords: keywords.to_vec() }
    }

    #[test]
    fn the_built_in_version_keeps_all_bounds() {
        assert_eq!(AgentVersion::built_in().check(&Limits::default()), Ok(()));
    }

    #[test]
    fn bounds_an_error_names_the_field_and_the_bound() {
        let promise = |matches: &[String]| Promise { matches: matches.to_vec(), ..Promise::of("I will") };
        for (error, refused) in [
            (
                "instructions has 20001 characters; at most 20000 are allowed",
                refused(|version| version.instructions = "x".repeat(20_001)),
            ),
            ("instructions is empty", refused(|version| version.instructions = " \n".into())),
            (
                "tone has 1001 characters; at most 1000 are allowed",
                refused(|version| version.tone = "x".repeat(1_001)),
            ),
            (
                "topics has 51 entries; at most 50 are allowed",
                refused(|version| version.topics = vec![topic(&["cat".into()]); 51]),
            ),
            ("topics[0].keywords is empty", refused(|version| version.topics = vec![topic(&[])])),
            (
                "topics[0].keywords has 201 entries; at most 200 are allowed",
                refused(|version| version.topics = vec![topic(&vec!["cat".into(); 201])]),
            ),
            (
                "topics[0].keywords[1] is empty",
                refused(|version| version.topics = vec![topic(&["cat".into(), "!".into()])]),
            ),
            (
                "promises has 101 entries; at most 100 are allowed",
                refused(|version| version.promises = vec![promise(&[]); 101]),
            ),
            ("promises[0].phrase is empty", refused(|version| version.promises = vec![Promise::of("*")])),
            (
                "promises[0].matches[0] has 501 characters; at most 500 are allowed",
                refused(|version| version.promises = vec![promise(&["x".repeat(501)])]),
            ),
            (
                "promises[0].matches[1] is an example that the phrase does not match",
                refused(|version| {
                    version.promises = vec![promise(&["I will.".into(), "You will.".into()])];
                }),
            ),
            (
                "promises[0].not[0] is an example that the phrase matches",
                refused(|version| {
                    let not = vec!["I'll see.".into()];
                    version.promises = vec![Promise { not, ..Promise::of("I will") }];
                }),
            ),
            ("channels is empty", refused(|version| version.channels = vec![])),
        ] {
            assert_eq!(refused, error);
        }
        let large = refused(|version| version.topics = vec![topic(&vec!["x".repeat(200); 200]); 50]);
        assert!(large.contains("at most 307200 are allowed"), "{large}");
    }

    #[test]
    fn names_are_plain_words_and_labels_are_not_blank() {
        for name in ["default", "front-desk_2"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "Front", "front desk", "a#b", &"x".repeat(65)] {
            assert_eq!(check_name(name), Err(AgentError::Name), "{name:?}");
        }
        assert_eq!(check_label("account", "whatsapp:main"), Ok(()));
        for label in ["", " ", "a\nb", &"x".repeat(129)] {
            assert_eq!(
                check_label("account", label),
                Err(AgentError::Label { what: "account" }),
                "{label:?}"
            );
        }
    }
}
