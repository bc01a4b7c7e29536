//! Replies that operators flagged as wrong: what only they said is no evidence, and leaves what is remembered.

use crate::memory::{Memory, Origin, Recall, words};
use crate::snapshot::Snapshot;
use crate::thread::{Author, BotKind, Message, Seq};
use crate::values::{self, Source};
use std::borrow::Cow;
use std::collections::HashSet;

/// What stands where a wrong value stood: never longer than one.
const LEFT_OUT: &str = "…";
/// Fewer words may be anybody's.
const FEWEST_WORDS: usize = 3;

/// What was wrong in a thread.
#[derive(Debug, Clone, Default)]
pub struct Wrong {
    /// Values that nobody else said, in normal form.
    values: HashSet<String>,
    /// The words of the replies.
    said: Vec<String>,
    /// Their numbers.
    replies: HashSet<Seq>,
}

impl Wrong {
    /// What flagged replies said and `others` did not: customers and staff, and the records.
    pub fn of<'t>(flagged: &[&Message], others: impl IntoIterator<Item = &'t str>) -> Self {
        if flagged.is_empty() {
            return Self::default();
        }
        let others = Source::new(others);
        let texts = || flagged.iter().flat_map(|message| [message.text.as_str(), message.tail.as_str()]);
        let found = texts().flat_map(values::values).filter(|value| !others.occurs(value));
        Self {
            values: found.map(|value| value.normal).collect(),
            said: texts().map(words).filter(|said| !said.trim().is_empty()).collect(),
            replies: flagged.iter().map(|message| message.seq).collect(),
        }
    }

    /// Whether nothing was.
    pub fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }

    /// A remembered text without what was wrong: a line that repeats such a reply goes, a wrong value is left out of any
    /// other one.
    pub fn left_out<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let lines: Vec<&str> = text.split('\n').filter(|line| !self.repeats(line)).collect();
        let kept = match lines.len() == text.split('\n').count() {
            true => Cow::Borrowed(text),
            false => Cow::Owned(lines.join("\n")),
        };
        match self.without_values(&kept) {
            Some(without) => Cow::Owned(without),
            None => kept,
        }
    }

    /// Whether a line, its speaker aside, says what a wrong reply said.
    fn repeats(&self, line: &str) -> bool {
        let said = line.split_once(": ").map_or(line, |(_, said)| said);
        let of_line = words(said);
        of_line.split_whitespace().count() >= FEWEST_WORDS
            && self.said.iter().any(|wrong| wrong.contains(&of_line))
    }

    fn without_values(&self, text: &str) -> Option<String> {
        let found: Vec<_> =
            values::values(text).into_iter().filter(|value| self.values.contains(&value.normal)).collect();
        if found.is_empty() {
            return None;
        }
        let mut without = text.to_owned();
        for value in found.iter().rev() {
            without.replace_range(value.span(), LEFT_OUT);
        }
        Some(without)
    }

    /// A summary without what was wrong; its numbers stay.
    pub fn left_out_of(&self, snapshot: &Snapshot) -> Snapshot {
        let one = |text: &String| self.left_out(text).into_owned();
        let all = |texts: &Vec<String>| -> Vec<String> {
            texts.iter().map(one).filter(|text| !text.is_empty()).collect()
        };
        Snapshot {
            guest_intent: one(&snapshot.guest_intent),
            established_facts: all(&snapshot.established_facts),
            open_questions: all(&snapshot.open_questions),
            summary_text: one(&snapshot.summary_text),
            history: one(&snapshot.history),
            ..snapshot.clone()
        }
    }

    /// Memories without what was wrong; that of a wrong reply, and one that says nothing else, is none.
    pub fn left_out_of_recall(&self, recall: Recall) -> Recall {
        if self.is_empty() {
            return recall;
        }
        let failure = recall.failure();
        let left = |memory: &Memory| Memory {
            said: self.left_out(&memory.said).into_owned(),
            replied: self.left_out(&memory.replied).into_owned(),
            ..memory.clone()
        };
        let says = |memory: &Memory| !(memory.said.trim().is_empty() && memory.replied.trim().is_empty());
        let is_of_one = |memory: &&Memory| match memory.origin {
            Some(Origin::Reply(seq)) => self.replies.contains(&seq),
            _ => false,
        };
        let others = recall.memories().iter().filter(|memory| !is_of_one(memory));
        let found: Vec<Memory> = others.map(left).filter(says).collect();
        match failure {
            None => Recall::of(found),
            Some(why) if found.is_empty() => Recall::Failed(why),
            Some(why) => Recall::Partly(found, why),
        }
    }
}

/// The same message as a summary is given it: that it was wrong, and not what it said.
pub fn struck(message: Message) -> Message {
    if !message.is_wrong() {
        return message;
    }
    let text = "(this reply was wrong; what it said is left out)".to_owned();
    Message { text, tail: String::new(), omitted_chars: 0, bodies: 0, attachments: vec![], ..message }
}

/// What customers and staff say in these messages.
pub fn said_by_others(messages: &[Message]) -> impl Iterator<Item = &str> {
    let others = messages.iter().filter(|message| message.author != Author::Bot);
    others.flat_map(|message| [message.text.as_str(), message.tail.as_str()])
}

impl Message {
    /// Whether this is a reply that an operator flagged as wrong.
    pub fn is_wrong(&self) -> bool {
        self.flags > 0 && self.kind == Some(BotKind::Reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Account;
    use crate::thread::{Channel, Parts, Seq};
    use crate::time::Timestamp;

    fn reply(text: &str) -> Message {
        let (account, at) = (Account::chat(), Timestamp::from_millis(0));
        let message = Message::new(Seq(2), Author::Bot, Channel::Chat, account, &Parts::whole(text), at);
        Message { kind: Some(BotKind::Reply), flags: 1, ..message }
    }

    fn wrong(others: &[&str]) -> Wrong {
        let reply = reply("The wifi code of your unit is 4B-7781. You arrive on 5 May.");
        Wrong::of(&[&reply], others.iter().copied())
    }

    #[test]
    fn a_value_that_only_the_wrong_reply_said_is_left_out_and_all_else_stays() {
        let wrong = wrong(&["I arrive on 5 May"]);
        let left = wrong.left_out("Guest of 4A was given 4B-7781 and arrives on 5 May.");
        assert_eq!(left, "Guest of 4A was given … and arrives on 5 May.");
        assert_eq!(wrong.left_out("Asked for a towel."), "Asked for a towel.");
        assert_eq!(Wrong::default().left_out("4B-7781"), "4B-7781");
    }

    #[test]
    fn a_line_that_repeats_the_wrong_reply_goes() {
        let history =
            "Language: English\ncustomer: the code please\nbot: The WiFi code of your unit is 4B-7781.";
        assert_eq!(wrong(&[]).left_out(history), "Language: English\ncustomer: the code please");
        assert_eq!(wrong(&[]).left_out("bot: your unit"), "bot: your unit", "that may be anybody's");
    }

    #[test]
    fn a_summary_never_grows_and_a_memory_of_nothing_else_is_none() {
        let wrong = wrong(&[]);
        let snapshot = Snapshot {
            summary_text: "They have the code 4B-7781.".into(),
            established_facts: vec!["The wifi code of your unit is 4B-7781.".into(), "Unit 4A".into()],
            ..Snapshot::empty()
        };
        let left = wrong.left_out_of(&snapshot);
        assert_eq!(left.summary_text, "They have the code ….");
        assert_eq!(left.established_facts, ["Unit 4A"]);
        let memory = |said: &str| Memory {
            said: said.into(),
            replied: "The wifi code of your unit is 4B-7781.".into(),
            messages: None,
            at: None,
            origin: None,
        };
        let recall = Recall::Found(vec![memory(""), memory("customer: the code please")]);
        let left = wrong.left_out_of_recall(recall);
        let [kept] = left.memories() else { panic!("{left:?}") };
        assert_eq!((kept.said.as_str(), kept.replied.as_str()), ("customer: the code please", ""));
    }

    #[test]
    fn a_struck_message_says_nothing_but_that_it_was_wrong() {
        let struck = struck(reply("4B-7781"));
        assert!(!struck.text.contains("7781") && struck.seq == Seq(2));
        assert_eq!(super::struck(Message { flags: 0, ..reply("4B-7781") }).text, "4B-7781");
    }
}
