//! The query: the customer's words and, where these are short or vague, what they may mean.

use super::question::Question;
use super::rank::scores;
use super::terms::{Stems, has_word, words};
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::summary::without_language;
use crate::text;
use crate::values::{self, Kind, Value, is_wide};
use std::collections::HashSet;

/// Messages with at most so many words that are not common are vague, unless they name something.
const VAGUE_WORDS: usize = 3;

/// What a bank is asked for these messages, oldest first, in at most `query_tokens`; `None` where there is no word in
/// them, which recalls nothing.
///
/// Where they are short or vague (`what about the other one?`), intent, open questions and the sentences of facts and
/// history that are nearest to them say what they may mean.
pub fn query(
    messages: &[String],
    snapshot: Option<&Snapshot>,
    facts: impl FnOnce() -> String,
    limits: &Limits,
) -> Option<String> {
    let asked = newest(messages, limits.query_tokens);
    if !has_word(&asked) {
        return None;
    }
    let mut query = Text { left: limits.query_tokens.saturating_sub(tokens(&asked)), text: asked };
    let summary = snapshot.map(summary).unwrap_or_default();
    if is_vague(&query.text, &summary) {
        query.add_meaning(snapshot, &summary, &facts());
    }
    Some(query.text)
}

/// A query that grows while there is room.
struct Text {
    text: String,
    left: usize,
}

impl Text {
    fn add(&mut self, more: &str) {
        let needed = tokens(more);
        if needed > 0 && needed <= self.left {
            self.left -= needed;
            self.text.push('\n');
            self.text.push_str(more);
        }
    }

    fn add_meaning(&mut self, snapshot: Option<&Snapshot>, summary: &str, facts: &str) {
        let message = Question::of_words(&self.text, summary);
        if let Some(snapshot) = snapshot {
            self.add(&snapshot.guest_intent);
            snapshot.open_questions.iter().for_each(|question| self.add(question));
        }
        let known: Vec<&str> = facts.lines().chain(text::sentences(summary)).collect();
        let mut near = nearest(&known, &message);
        if near.is_empty() {
            // What is open is what a message of common words is about.
            near = nearest(&known, &Question::of_words(&self.text, summary));
        }
        near.into_iter().for_each(|sentence| self.add(sentence));
    }
}

/// What was said so far, as snapshot and history have it; each entry is a line of its own.
fn summary(snapshot: &Snapshot) -> String {
    let texts = [without_language(&snapshot.history), &snapshot.summary_text];
    let entries = snapshot.established_facts.iter().map(String::as_str);
    texts.into_iter().chain(entries).collect::<Vec<_>>().join("\n")
}

/// A sentence that is so much less near than the nearest one would lead astray.
const FLOOR: f32 = 0.5;

fn nearest<'a>(sentences: &[&'a str], about: &Question) -> Vec<&'a str> {
    let scored = scores(sentences, about).into_iter().zip(sentences);
    let mut near: Vec<(f32, &str)> =
        scored.filter(|(score, _)| *score > 0.0).map(|(score, sentence)| (score, *sentence)).collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let floor = near.first().map_or(0.0, |(best, _)| best * FLOOR);
    near.into_iter().filter(|(score, _)| *score >= floor).map(|(_, sentence)| sentence).collect()
}

/// Too little to find anything by: few words that are not common, and no id, amount or name.
fn is_vague(asked: &str, summary: &str) -> bool {
    let stems = Stems::of(asked, summary);
    let telling = words(asked).into_iter().filter(|word| !stems.is_common(word.text));
    let distinct: HashSet<String> = telling.map(|word| word.text.to_lowercase()).collect();
    let (wide, spaced): (Vec<_>, Vec<_>) = distinct.iter().partition(|word| word.contains(is_wide));
    // Two letters of a script without spaces are about half a word, since they overlap.
    spaced.len() + wide.len() / 2 <= VAGUE_WORDS && !values::values(asked).iter().any(names_something)
}

fn names_something(value: &Value<'_>) -> bool {
    match value.kind {
        Kind::Id | Kind::Amount | Kind::Email | Kind::Url | Kind::Phone | Kind::Address => true,
        Kind::Name => value.sure,
        Kind::Number => value.normal.len() > 2,
        Kind::Date | Kind::Time => false,
    }
}

/// The newest messages that fit, oldest first; of a newest one that alone does not fit, its two ends.
fn newest(messages: &[String], max_tokens: usize) -> String {
    let mut left = max_tokens;
    let mut taken: Vec<&str> = vec![];
    for message in messages.iter().rev() {
        let needed = tokens(message);
        if needed > left {
            break;
        }
        left -= needed;
        taken.push(message);
    }
    match (taken.is_empty(), messages.last()) {
        (true, Some(newest)) => ends(newest, max_tokens),
        _ => {
            taken.reverse();
            taken.join("\n")
        }
    }
}

fn ends(message: &str, max_tokens: usize) -> String {
    let sentences = text::sentences(message);
    let (mut head, mut tail) = (Text { text: String::new(), left: max_tokens / 2 }, max_tokens / 2);
    let mut from = sentences.len();
    while let Some(sentence) = from.checked_sub(1).and_then(|last| sentences.get(last))
        && tokens(sentence) <= tail
    {
        tail -= tokens(sentence);
        from -= 1;
    }
    let (first, last) = sentences.split_at(from);
    for sentence in first {
        if tokens(sentence) > head.left {
            head.add(clipped(sentence, head.left));
            break;
        }
        head.add(sentence);
    }
    last.iter().fold(head.text.trim_start().to_owned(), |text, sentence| format!("{text}\n{sentence}"))
}

/// As much of the beginning of a text as has at most so many [`tokens`].
pub fn clipped(text: &str, max_tokens: usize) -> &str {
    let mut counter = Counter::default();
    let end = text.char_indices().find(|(_, mark)| counter.count(*mark) > max_tokens);
    end.map_or(text, |(at, _)| text::head(text, text::chars(text.get(..at).unwrap_or_default())))
}

/// About how many tokens of a language model a text is, rather too many than too few: four Latin letters of a word,
/// three digits, or one other character.
pub fn tokens(text: &str) -> usize {
    let mut counter = Counter::default();
    text.chars().map(|mark| counter.count(mark)).last().unwrap_or(0)
}

#[derive(Default)]
struct Counter {
    tokens: usize,
    letters: usize,
    digits: usize,
}

impl Counter {
    /// Counts one more character.
    fn count(&mut self, mark: char) -> usize {
        let (letters, digits) = (self.letters, self.digits);
        (self.letters, self.digits) = (0, 0);
        self.tokens += match mark {
            _ if mark.is_ascii_alphabetic() => {
                self.letters = letters + 1;
                usize::from(letters.is_multiple_of(4))
            }
            _ if mark.is_ascii_digit() => {
                self.digits = digits + 1;
                usize::from(digits.is_multiple_of(3))
            }
            _ if mark.is_whitespace() => 0,
            '\u{10000}'.. => 3,
            _ => 1,
        };
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(messages: &[&str], snapshot: Option<&Snapshot>, facts: &str) -> Option<String> {
        let messages: Vec<String> = messages.iter().map(|&message| message.to_owned()).collect();
        query(&messages, snapshot, || facts.to_owned(), &Limits::default())
    }

    fn snapshot() -> Snapshot {
        Snapshot {
            guest_intent: "Wants to return one of two kettles.".into(),
            open_questions: vec!["Is the blue kettle still under warranty?".into()],
            history: "Language: English\nThe blue kettle was bought in March. The rain stopped.".into(),
            ..Snapshot::empty()
        }
    }

    #[test]
    fn a_message_without_a_word_asks_for_nothing() {
        assert_eq!(asked(&["👍", "?!"], Some(&snapshot()), "kettle"), None);
        assert_eq!(asked(&[], None, ""), None);
        assert!(asked(&["好"], None, "").is_some());
    }

    #[test]
    fn a_vague_message_asks_for_what_is_open_and_what_is_near_to_that() {
        let facts = "- order W1: blue kettle\n- order W2: sofa";
        let vague = asked(&["what about the other one?"], Some(&snapshot()), facts).unwrap();
        let lines: Vec<&str> = vague.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "what about the other one?",
                "Wants to return one of two kettles.",
                "Is the blue kettle still under warranty?"
            ]
        );
        assert!(vague.contains("bought in March") && vague.contains("order W1"), "{vague}");
        assert!(!vague.contains("rain") && !vague.contains("sofa") && !vague.contains("Language"), "{vague}");
    }

    #[test]
    fn a_short_message_asks_for_the_sentences_that_share_its_words() {
        let short = asked(&["and the rain?"], Some(&snapshot()), "").unwrap();
        assert!(short.contains("The rain stopped.") && !short.contains("March"), "{short}");
    }

    #[test]
    fn a_message_that_names_something_needs_no_help() {
        for text in [
            "Where is order #W2611340?",
            "When does my partner Oskar come?",
            "Can I return the espresso machine that was delivered broken?",
            "我上周买的蓝色水壶什么时候可以退货",
        ] {
            assert_eq!(asked(&[text], Some(&snapshot()), "kettle").as_deref(), Some(text));
        }
    }

    #[test]
    fn of_a_long_message_both_ends_are_asked() {
        let long = format!(
            "First things first. {} And the last question?",
            "Something in between is told. ".repeat(200)
        );
        let asked = asked(&["older", &long], None, "").unwrap();
        assert!(
            asked.starts_with("First things first.") && asked.ends_with("And the last question?"),
            "{asked}"
        );
        assert!((300..=400).contains(&tokens(&asked)), "{}", tokens(&asked));
    }

    proptest! {
        #[test]
        fn bounds_a_query_never_exceeds_its_tokens(messages in proptest::collection::vec("\\PC{0,300}", 0..6), fact in "\\PC{0,80}") {
            let limits = Limits { query_tokens: 40, ..Limits::default() };
            let asked = query(&messages, Some(&snapshot()), || fact, &limits);
            prop_assert!(asked.is_none_or(|asked| tokens(&asked) <= 40));
        }
    }
}
