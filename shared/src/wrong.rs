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
    /// What flagged replies said and nobody else: neither the records, nor staff, nor the customer before. Who repeats
    /// later what a wrong reply said has it from there.
    pub fn of<'m>(
        flagged: impl IntoIterator<Item = &'m Message>,
        messages: &[Message],
        records: &[String],
    ) -> Self {
        let mut wrong = Self::default();
        for reply in flagged {
            let vouches = |message: &&Message| match message.author {
                Author::Operator => true,
                Author::Customer => message.seq < reply.seq,
                Author::Bot => false,
            };
            let others = messages.iter().filter(vouches).flat_map(texts_of);
            let others = Source::new(others.chain(records.iter().map(String::as_str)));
            for text in texts_of(reply) {
                let found = values::values(text).into_iter().filter(|value| !others.occurs(value));
                wrong.values.extend(found.map(|value| value.normal));
                wrong.said.push(words(text));
            }
            wrong.replies.insert(reply.seq);
        }
        wrong.said.retain(|said| !said.trim().is_empty());
        wrong
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

    /// Whether a line of the bot, or of no speaker, says what a wrong reply said, and nothing that others said, too.
    fn repeats(&self, line: &str) -> bool {
        let (speaker, said) = line.split_once(": ").unwrap_or(("", line));
        let is_bots = speaker.trim().eq_ignore_ascii_case("bot");
        if !is_bots && !speaker.is_empty() {
            return false;
        }
        let of_line = words(said);
        let is_said = of_line.split_whitespace().count() >= FEWEST_WORDS
            && self.said.iter().any(|wrong| wrong.contains(&of_line));
        is_said && (is_bots || values::values(said).iter().all(|value| self.values.contains(&value.normal)))
    }

    /// A text of a customer without values that they have from a wrong reply.
    pub fn values_left_out<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if self.values.is_empty() {
            return text;
        }
        self.without_values(&text).map_or(text, Cow::Owned)
    }

    fn without_values(&self, text: &str) -> Option<String> {
        let found: Vec<_> =
            values::values(text).into_iter().filter(|value| self.values.contains(&value.normal)).collect();
        if found.is_empty() {
            return None;
        }
        let (mut without, mut from) = (String::with_capacity(text.len()), 0);
        for span in found.iter().map(values::Value::span).filter(|span| !span.is_empty()) {
            // Values that overlap go together.
            if let Some(before) = text.get(from..span.start) {
                without.push_str(before);
                without.push_str(LEFT_OUT);
            }
            from = from.max(span.end);
        }
        without.push_str(text.get(from..).unwrap_or_default());
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

    /// Memories without what was wrong; one that says nothing else is none.
    pub fn left_out_of_recall(&self, recall: Recall) -> Recall {
        if self.is_empty() {
            return recall;
        }
        let left = |memory: &Memory| Memory {
            said: self.values_left_out(Cow::Borrowed(&memory.said)).into_owned(),
            replied: self.replied_left(memory),
            ..memory.clone()
        };
        let says = |memory: &Memory| !(memory.said.trim().is_empty() && memory.replied.trim().is_empty());
        recall.with(recall.memories().iter().map(left).filter(says).collect())
    }

    fn replied_left(&self, memory: &Memory) -> String {
        match memory.origin {
            Some(Origin::Reply(seq)) if self.replies.contains(&seq) => String::new(),
            _ => self.left_out(&memory.replied).into_owned(),
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

fn texts_of(message: &Message) -> [&str; 2] {
    [message.text.as_str(), message.tail.as_str()]
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
    use proptest::prelude::*;

    fn reply(text: &str) -> Message {
        let (account, at) = (Account::chat(), Timestamp::from_millis(0));
        let message = Message::new(Seq(2), Author::Bot, Channel::Chat, account, &Parts::whole(text), at);
        Message { kind: Some(BotKind::Reply), flags: 1, ..message }
    }

    fn by(seq: u64, author: Author, text: &str) -> Message {
        Message { seq: Seq(seq), author, kind: None, flags: 0, ..reply(text) }
    }

    fn wrong(messages: &[Message]) -> Wrong {
        let reply = reply("The wifi code of your unit is 4B-7781. You arrive on 5 May.");
        Wrong::of([&reply], messages, &[])
    }

    #[test]
    fn a_value_that_only_the_wrong_reply_said_is_left_out_and_all_else_stays() {
        let wrong = wrong(&[by(1, Author::Customer, "I arrive on 5 May")]);
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
        let asked = wrong(&[by(1, Author::Customer, "I arrive on 5 May")]);
        for theirs in ["customer: you arrive on 5 May", "you arrive on 5 May"] {
            assert_eq!(asked.left_out(theirs), theirs, "facts-survive");
        }
    }

    #[test]
    fn whoever_repeats_a_wrong_reply_does_not_vouch_for_it_and_staff_does() {
        let quoted = by(3, Author::Customer, "4B-7781 does not work!");
        let left =
            wrong(std::slice::from_ref(&quoted)).values_left_out(Cow::Borrowed(&quoted.text)).into_owned();
        assert_eq!(left, "… does not work!");
        assert_eq!(
            wrong(&[by(3, Author::Operator, "It is 4B-7781 after all.")]).left_out("4B-7781"),
            "4B-7781"
        );
        let records = ["unit 4B, code 4B-7781".to_owned()];
        let backed = Wrong::of([&reply("The code is 4B-7781.")], &[], &records);
        assert_eq!(backed.left_out("Given 4B-7781."), "Given 4B-7781.");
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

    proptest! {
        #[test]
        fn whatever_is_said_is_left_out_and_nothing_breaks(said in "\\PC{0,60}", around in "\\PC{0,40}") {
            let wrong = Wrong::of([&reply(&said)], &[], &[]);
            let text = format!("{around} {said}\n{said}{around}");
            let left = wrong.left_out(&text).into_owned();
            prop_assert!(left.chars().count() <= text.chars().count(), "it never grows");
            let _ = wrong.values_left_out(Cow::Borrowed(&around));
        }
    }

    #[test]
    fn a_struck_message_says_nothing_but_that_it_was_wrong() {
        let struck = struck(reply("4B-7781"));
        assert!(!struck.text.contains("7781") && struck.seq == Seq(2));
        assert_eq!(super::struck(Message { flags: 0, ..reply("4B-7781") }).text, "4B-7781");
    }
}
