//! What is worth remembering of a thread, in the words of those who said it.

use super::{Exchange, Origin};
use crate::case::Case;
use crate::feedback::{Feedback, Rating};
use crate::fence::for_model;
use crate::limits::Limits;
use crate::summary::Spill;
use crate::text;
use crate::thread::{Author, Message};
use unicode_segmentation::UnicodeSegmentation;

/// A message of the bot or of an operator with the customer messages that it answers, oldest first; without what the
/// bot said word for word as it had been recalled. `None` where nothing is left.
pub fn of_answer(
    asked: &[Message],
    answer: &Message,
    recalled: &[String],
    limits: &Limits,
) -> Option<Exchange> {
    let from_seq = asked.first().map_or(answer.seq, |first| first.seq);
    let lines: Vec<String> =
        asked.iter().chain([answer]).filter_map(|message| line(message, limits)).collect();
    let exchange = Exchange {
        origin: Origin::Reply(answer.seq),
        said: side(&lines.join("\n"), limits),
        replied: replied(answer, recalled, limits),
        from_seq,
        to_seq: answer.seq,
        at: answer.at,
    };
    (!exchange.is_empty()).then_some(exchange)
}

/// How a case ended: what it was about and what operators answered, `messages` being those of the case, oldest first.
/// `None` where it has not ended.
pub fn of_case(case: &Case, messages: &[Message], limits: &Limits) -> Option<Exchange> {
    let resolved_at = case.resolved_at?;
    let topic = case.topic.iter().map(|topic| format!(", {topic}")).collect::<String>();
    let (opened, resolved) = (case.opened_at.to_minute(), resolved_at.to_minute());
    let outcome = format!("case: {}{topic}; opened {opened}, resolved {resolved}", case.category.code());
    let told = |message: &&Message| message.author == Author::Operator || message.seq == case.about_seq;
    let lines = messages.iter().filter(told).filter_map(|message| line(message, limits));
    let lines: Vec<String> = std::iter::once(outcome).chain(lines).collect();
    Some(Exchange {
        origin: Origin::Case(case.case_id),
        said: side(&lines.join("\n"), limits),
        replied: String::new(),
        from_seq: case.about_seq,
        to_seq: case.resolved_seq.unwrap_or(case.about_seq),
        at: resolved_at,
    })
}

/// What a customer thought of a message, with that message.
pub fn of_feedback(
    feedback: &Feedback,
    about: Option<&Message>,
    recalled: &[String],
    limits: &Limits,
) -> Exchange {
    let words = one_line(&feedback.text);
    let separator = if words.is_empty() { "" } else { "; " };
    let thought = format!("customer: {}{separator}{words}", feedback.rating.words());
    let lines: Vec<String> =
        about.and_then(|about| line(about, limits)).into_iter().chain([thought]).collect();
    Exchange {
        origin: Origin::Feedback(feedback.seq),
        said: side(&lines.join("\n"), limits),
        replied: about.map(|about| replied(about, recalled, limits)).unwrap_or_default(),
        from_seq: feedback.seq,
        to_seq: feedback.seq,
        at: feedback.at,
    }
}

/// Whether a line says what a customer thought of a message, as [`of_feedback`] puts it.
pub(super) fn is_rating(line: &str) -> bool {
    let thought = line.strip_prefix("customer: ").unwrap_or_default();
    [Rating::Up, Rating::Down].iter().any(|rating| {
        thought.strip_prefix(rating.words()).is_some_and(|rest| rest.is_empty() || rest.starts_with("; "))
    })
}

/// The spills of one save, each with the text beside it, in exchanges of their own.
pub fn of_spills(revision: u64, spills: &[(Spill, String)], limits: &Limits) -> Vec<Exchange> {
    let own = spills.iter().map(|(spill, _)| (spill, spill.text.as_str()));
    let beside = spills.iter().flat_map(|(spill, beside)| {
        text::parts(beside, limits.exchange_chars).into_iter().map(move |part| (spill, part))
    });
    let exchange = |(n, (spill, text)): (usize, (&Spill, &str))| {
        let text = side(&for_model(text.trim()), limits);
        Exchange::of_spill(Origin::Spill { revision, n }, spill, text)
    };
    own.chain(beside).enumerate().map(exchange).collect()
}

impl Exchange {
    fn is_empty(&self) -> bool {
        self.said.is_empty() && self.replied.is_empty()
    }
}

/// A line for what somebody said; none for the bot, whose words stand apart.
fn line(message: &Message, limits: &Limits) -> Option<String> {
    let speaker = match message.author {
        Author::Customer => "customer",
        Author::Operator => "operator",
        Author::Bot => return None,
    };
    let said = one_line(&message.shown(limits.exchange_chars));
    (!said.is_empty()).then(|| format!("{speaker}: {said}"))
}

/// What the bot said that it had not recalled.
fn replied(message: &Message, recalled: &[String], limits: &Limits) -> String {
    if message.author != Author::Bot {
        return String::new();
    }
    let shown = message.shown(limits.exchange_chars);
    side(&one_line(&without_recalled(&shown, recalled)), limits)
}

fn one_line(said: &str) -> String {
    text::collapse_whitespace(&for_model(said))
}

fn side(said: &str, limits: &Limits) -> String {
    text::shorten(said, limits.exchange_chars).into_owned()
}

/// The sentences of a text that stand in no memory word for word: what was recalled once is not retained again, or
/// each recall would make the next one more likely.
fn without_recalled(said: &str, recalled: &[String]) -> String {
    let recalled: Vec<String> = recalled.iter().map(|memory| words(memory)).collect();
    let is_new = |sentence: &&str| !is_recalled(&words(sentence), &recalled);
    text::sentences(said).into_iter().filter(is_new).collect::<Vec<_>>().join(" ")
}

/// A "yes" or a "thank you" says nothing that had to be recalled.
const FEWEST_WORDS: usize = 3;

fn is_recalled(sentence: &str, recalled: &[String]) -> bool {
    let says_something =
        sentence.split_whitespace().count() >= FEWEST_WORDS || sentence.chars().any(|mark| mark.is_numeric());
    says_something && recalled.iter().any(|memory| memory.contains(sentence))
}

/// The words of a text in lower case, with a space around each.
pub(crate) fn words(text: &str) -> String {
    let visible = for_model(text);
    let mut words = String::from(" ");
    for word in visible.unicode_words() {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Account;
    use crate::thread::{Channel, Parts, Seq};
    use crate::time::Timestamp;

    const NOW: Timestamp = Timestamp::from_millis(1_796_292_000_000);

    fn message(seq: u64, author: Author, text: &str) -> Message {
        Message::new(Seq(seq), author, Channel::Chat, Account::chat(), &Parts::of(text, 24_000), NOW)
    }

    fn retained(reply: &str, recalled: &[&str]) -> String {
        let recalled: Vec<String> = recalled.iter().map(|text| (*text).to_owned()).collect();
        let asked = [message(1, Author::Customer, "What was the code?")];
        of_answer(&asked, &message(2, Author::Bot, reply), &recalled, &Limits::default())
            .expect("an exchange")
            .replied
    }

    #[test]
    fn speakers_are_told_apart_and_the_bot_stands_alone() {
        let asked =
            [message(3, Author::Customer, "Is the\npool open?"), message(4, Author::Customer, "Today?")];
        let bot = of_answer(&asked, &message(5, Author::Bot, "Until\n20:00."), &[], &Limits::default());
        let bot = bot.expect("an exchange");
        assert_eq!(
            (bot.said.as_str(), bot.replied.as_str()),
            ("customer: Is the pool open?\ncustomer: Today?", "Until 20:00.")
        );
        assert_eq!((bot.origin, bot.from_seq, bot.to_seq), (Origin::Reply(Seq(5)), Seq(3), Seq(5)));
        let operator = of_answer(&asked, &message(5, Author::Operator, "Yes."), &[], &Limits::default());
        let operator = operator.expect("an exchange");
        assert!(operator.said.ends_with("customer: Today?\noperator: Yes.") && operator.replied.is_empty());
    }

    #[test]
    fn what_was_recalled_is_not_retained_again() {
        let memory = "customer: What was the code? | The Gate code of unit 4B is  4471.";
        assert_eq!(
            retained("The gate code of unit 4B is 4471. Shall I send it by SMS?", &[memory]),
            "Shall I send it by SMS?"
        );
        assert_eq!(retained("the gate code of unit 4B\u{200b} is 4471", &[memory]), "");
        assert_eq!(retained("The gate code of unit 4B is 44.", &[memory]), "The gate code of unit 4B is 44.");
        assert_eq!(retained("4471", &[memory]), "");
    }

    #[test]
    fn a_short_yes_stays_though_a_memory_has_one() {
        assert_eq!(retained("Yes. Until 20:00.", &["customer: yes, until 20:00."]), "Yes.");
        assert_eq!(retained("Yes.", &[]), "Yes.");
    }

    #[test]
    fn either_side_is_bounded_and_nothing_hidden_is_kept() {
        let limits = Limits { exchange_chars: 200, ..Limits::default() };
        let long = format!("first\u{202e} {} last", "and ".repeat(500));
        let asked = [message(1, Author::Customer, &long), message(2, Author::Customer, &long)];
        let exchange = of_answer(&asked, &message(3, Author::Bot, &long), &[], &limits).expect("an exchange");
        for side in [&exchange.said, &exchange.replied] {
            assert!(
                text::chars(side) <= 200 && side.contains("left out") && side.ends_with("last"),
                "{side}"
            );
            assert!(!side.contains('\u{202e}'), "{side}");
        }
        assert!(exchange.said.starts_with("customer: first and"), "{}", exchange.said);
    }

    #[test]
    fn where_nobody_said_anything_there_is_no_exchange() {
        assert_eq!(of_answer(&[], &message(2, Author::Bot, "\u{200b}"), &[], &Limits::default()), None);
    }

    #[test]
    fn an_overflow_of_spills_is_forwarded_in_pieces_under_keys_of_its_own() {
        let limits = Limits { exchange_chars: 10, ..Limits::default() };
        let spills = [
            (spill("W2611340", 1, Author::Customer), String::new()),
            (spill("480 euro", 2, Author::Customer), "spot 12 and spot 13".to_owned()),
        ];
        let forwarded = of_spills(7, &spills, &limits);
        let said: Vec<&str> = forwarded.iter().map(|exchange| exchange.said.as_str()).collect();
        assert_eq!(said, ["W2611340", "480 euro", "spot 12", "and spot", "13"]);
        let numbers = forwarded.iter().map(|exchange| exchange.origin);
        assert!(numbers.eq((0..5).map(|n| Origin::Spill { revision: 7, n })));
        assert_eq!(forwarded[4].to_seq, Seq(2));
    }

    fn spill(text: &str, seq: u64, author: Author) -> Spill {
        let (from_seq, to_seq) = (Seq(seq), Seq(seq));
        let (text, author, values) = (text.into(), Some(author), String::new());
        Spill { text, author, values, from_seq, to_seq, at: NOW, bodies: 0 }
    }

    #[test]
    fn what_was_spilled_of_the_bot_is_forwarded_as_its_words() {
        let limits = Limits { exchange_chars: 10, ..Limits::default() };
        let spills = [
            (spill("W2611340", 1, Author::Operator), String::new()),
            (spill("9932-AB", 2, Author::Bot), "code 7711".to_owned()),
        ];
        let forwarded = of_spills(7, &spills, &limits);
        let sides = forwarded.iter().map(|exchange| (exchange.said.as_str(), exchange.replied.as_str()));
        assert_eq!(sides.collect::<Vec<_>>(), [("W2611340", ""), ("", "9932-AB"), ("", "code 7711")]);
    }
}
