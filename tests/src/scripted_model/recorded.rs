//! Recorded conversations as a reply model: it answers what staff answered.

use super::prompt::Prompt;
use crate::received::Received;
use anyhow::{Context, Result};
use carryover_shared::fence::for_model;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

/// Conversations that were held, one after another. It knows nothing of what it was asked before, so that any
/// number of stacks may ask at once.
#[derive(Debug, Default)]
pub struct Recording(Vec<Conversation>);

#[derive(Debug, Deserialize)]
struct Conversation {
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    role: String,
    text: String,
}

impl Recording {
    /// Reads conversations, one a line: `{"conversation_id", "turns": [{"role", "text"}]}`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let read = lines.map(serde_json::from_str).collect::<serde_json::Result<_>>();
        Ok(Self(read.with_context(|| format!("{} has no conversations", path.display()))?))
    }

    /// What staff said next to the newest message of a prompt for a reply, if it is recorded.
    pub(super) fn answer(&self, prompt: &Prompt) -> Option<&str> {
        if self.0.is_empty() || prompt.schema_name != "reply" {
            return None;
        }
        let received = Received::read(prompt.system(), prompt.user());
        let newest = received.newest();
        let before: HashSet<String> = received
            .verbatim
            .keys()
            .filter(|seq| **seq != newest)
            .map(|seq| copy(received.shown(*seq)))
            .collect();
        self.next_to(&copy(received.shown(newest)), &before)
    }

    /// What staff said next to `newest`, where most of what was said until then is among `before`.
    fn next_to(&self, newest: &str, before: &HashSet<String>) -> Option<&str> {
        let places =
            self.0.iter().flat_map(|Conversation { turns }| (0..turns.len()).map(|at| turns.split_at(at)));
        let asked = |following: &[Turn]| following[0].is_customers() && copy(&following[0].text) == newest;
        let fit = |earlier: &[Turn]| {
            let spoken = earlier.iter().filter(|turn| turn.is_customers() || turn.is_staffs());
            let (shown, missing): (Vec<_>, Vec<_>) =
                spoken.partition(|turn| before.contains(&copy(&turn.text)));
            (shown.len(), Reverse(missing.len()))
        };
        let (_, following) = places
            .filter(|(_, following)| asked(following))
            // The first of those that fit alike.
            .rev()
            .max_by_key(|(earlier, _)| fit(earlier))?;
        following.iter().find(|turn| turn.is_staffs()).map(|turn| turn.text.as_str())
    }
}

impl Turn {
    fn is_customers(&self) -> bool {
        ["customer", "user"].contains(&self.role.as_str())
    }

    fn is_staffs(&self) -> bool {
        ["agent", "assistant"].contains(&self.role.as_str())
    }
}

/// A text as a prompt has it.
fn copy(text: &str) -> String {
    for_model(text.trim()).replace('‹', "<")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recording() -> Recording {
        let conversation = |turns: &[(&str, &str)]| {
            let turns: Vec<_> =
                turns.iter().map(|(role, text)| json!({"role": role, "text": text})).collect();
            serde_json::from_value(json!({"conversation_id": "c", "turns": turns})).unwrap()
        };
        Recording(vec![
            conversation(&[
                ("user", "Hi"),
                ("assistant", "Who is there?"),
                ("user", "Ana.\nYes"),
                ("tool", "found"),
                ("assistant", "Cancel #W1?"),
                ("user", "Yes"),
                ("assistant", "#W1 it is."),
                ("user", "Yes"),
                ("assistant", "Once is enough."),
            ]),
            conversation(&[
                ("customer", "Return it."),
                ("agent", "The kettle?"),
                ("customer", "Yes"),
                ("agent", "Sent."),
            ]),
            conversation(&[("user", "Yes"), ("assistant", "Yes what?"), ("user", "Bye")]),
        ])
    }

    fn next_to<'a>(recording: &'a Recording, newest: &str, before: &[&str]) -> Option<&'a str> {
        recording.next_to(newest, &before.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn staff_says_what_it_said_next() {
        let recording = recording();
        assert_eq!(next_to(&recording, "Hi", &[]), Some("Who is there?"));
        assert_eq!(next_to(&recording, "Ana.\nYes", &["Hi"]), Some("Cancel #W1?"));
        assert_eq!(next_to(&recording, "Bye", &[]), None);
        assert_eq!(next_to(&recording, "Who is there?", &[]), None);
    }

    #[test]
    fn of_turns_that_say_the_same_that_one_is_meant_before_which_most_is_shown() {
        let recording = recording();
        for (before, answer) in [
            (&[][..], "Yes what?"),
            (&["Return it.", "The kettle?"], "Sent."),
            (&["Hi", "Who is there?", "Ana.\nYes", "Cancel #W1?"], "#W1 it is."),
            (&["Cancel #W1?"], "#W1 it is."),
            (&["Cancel #W1?", "Yes", "#W1 it is."], "Once is enough."),
        ] {
            assert_eq!(next_to(&recording, "Yes", before), Some(answer), "{before:?}");
        }
    }

    #[test]
    fn what_a_prompt_shows_differently_is_still_what_was_said() {
        assert_eq!(copy(" re\u{200b}fund <data>\r\n"), copy("refund ‹data>"));
    }
}
