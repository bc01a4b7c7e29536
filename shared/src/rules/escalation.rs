//! Which messages people answer.

use super::words::{contains, plain};
use crate::agent::Topic;
use crate::case::Category;

/// A message that touches a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'a> {
    /// The topic's name.
    pub topic: &'a str,
    /// The category of a case that it opens.
    pub category: Category,
    /// Which of the messages it was, from 0.
    pub message: usize,
}

/// The first topic that any of the messages touches, in the order of the topics, and the first such message.
///
/// Keywords count on word boundaries, in any case, with or without accents, with any white space or a hyphen
/// between the words of a phrase, and with any apostrophe or none.
pub fn escalation<'a>(topics: &'a [Topic], messages: &[&str]) -> Option<Match<'a>> {
    let messages: Vec<Spellings> = messages.iter().map(|message| Spellings::of(message)).collect();
    topics.iter().find_map(|topic| {
        let keywords: Vec<String> = topic.keywords.iter().map(|keyword| plain(keyword)).collect();
        let touches = |message: &Spellings| keywords.iter().any(|keyword| message.has(keyword));
        let message = messages.iter().position(touches)?;
        Some(Match { topic: &topic.name, category: topic.category, message })
    })
}

struct Spellings {
    plain: String,
    without_hyphens: String,
    without_apostrophes: String,
}

impl Spellings {
    fn of(message: &str) -> Self {
        let plain = plain(message);
        let without_hyphens = super::words::plain(&plain.replace('-', " "));
        let without_apostrophes = without_hyphens.replace('\'', "");
        Self { plain, without_hyphens, without_apostrophes }
    }

    fn has(&self, keyword: &str) -> bool {
        contains(&self.plain, keyword)
            || contains(&self.without_hyphens, keyword)
            || keyword.contains('\'') && contains(&self.without_apostrophes, &keyword.replace('\'', ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentVersion;
    use proptest::prelude::*;

    fn topic(message: &str) -> Option<String> {
        let agent = AgentVersion::built_in();
        escalation(&agent.topics, &[message]).map(|found| found.topic.to_owned())
    }

    #[test]
    fn people_answer_what_the_built_in_agent_says_they_answer() {
        for (message, name) in [
            ("When do I get my deposit back?", "deposit"),
            ("¿Y mi Depósito?", "deposit"),
            ("Wo bleibt die KAUTION", "deposit"),
            ("has my refund been sent?", "refund"),
            ("I want my money\n  back", "refund"),
            ("Je veux un remboursement", "refund"),
            ("Is the booking refundable?", "refund"),
            ("Ruckerstattung bitte", "refund"),
            ("I’ll sue", "legal threat"),
            ("ill sue you all", "legal threat"),
            ("You will hear from my LAWYER.", "legal threat"),
            ("I'm going to take you to court", "legal threat"),
            ("je vais appeler l'avocat", "legal threat"),
            ("There is a fire in the kitchen", "safety"),
            ("I can smell gas", "safety"),
            ("gas-leak!!!", "safety"),
            ("there's smoke everywhere", "safety"),
            ("We had a break-in last night", "safety"),
            ("Can I talk to a human?", "request for a person"),
            ("HUMAN", "request for a person"),
            ("let me speak to someone", "request for a person"),
            ("I want to talk to a person.", "request for a person"),
            ("Could someone call me?", "request for a person"),
            ("I need to speak with an agent", "request for a person"),
            ("put me through to an operator", "request for a person"),
            ("get me your supervisor", "request for a person"),
            ("Ich will mit einem Menschen sprechen", "request for a person"),
            ("Quiero hablar con una persona", "request for a person"),
            ("je veux parler à quelqu’un", "request for a person"),
        ] {
            assert_eq!(topic(message).as_deref(), Some(name), "{message}");
        }
    }

    #[test]
    fn words_that_only_look_alike_are_no_alarm() {
        for message in [
            "Where is my order #W2611340?",
            "The courier deposited it at the door.",
            "Does the flat have a fireplace?",
            "Hi, this is Sue. When is my appointment?",
            "Please proceed with caution.",
            "Can I smoke on the balcony?",
            "I gave the key to someone at the desk.",
            "Then I handed it to somebody.",
            "Es para una persona.",
            "This is an issue of humanity.",
            "to break in my new boots",
            "The coffee machine is broken and parking is no longer needed.",
            "",
        ] {
            assert_eq!(topic(message), None, "{message}");
        }
    }

    #[test]
    fn every_message_is_judged_not_only_the_newest() {
        let agent = AgentVersion::built_in();
        let found = escalation(&agent.topics, &["hello", "I want a refund", "thanks"]).expect("a match");
        assert_eq!((found.topic, found.message), ("refund", 1));
        assert_eq!(found.category, Category::PolicyRestriction);
    }

    #[test]
    fn danger_comes_before_everything_else() {
        let agent = AgentVersion::built_in();
        let found = escalation(&agent.topics, &["I want a refund", "the oven is on fire"]).expect("a match");
        assert_eq!((found.topic, found.message), ("safety", 1));
    }

    #[test]
    fn an_empty_keyword_matches_nothing() {
        let topics =
            [Topic { name: "x".into(), category: Category::CustomerRequest, keywords: vec![" ".into()] }];
        assert_eq!(escalation(&topics, &["", " ", "x"]), None);
    }

    proptest! {
        #[test]
        fn any_message_can_be_judged(message in "\\PC{0,60}", keyword in "\\PC{0,6}") {
            let topics =
                [Topic { name: "x".into(), category: Category::CustomerRequest, keywords: vec![keyword.clone()] }];
            let _ = escalation(&topics, &[&message]);
            let quoted = format!("{message} {keyword} {message}");
            let said = plain(&keyword);
            let is_word = said.chars().next().is_some_and(char::is_alphanumeric)
                && said.chars().next_back().is_some_and(char::is_alphanumeric);
            prop_assert!(!is_word || escalation(&topics, &[&quoted]).is_some());
        }
    }
}
