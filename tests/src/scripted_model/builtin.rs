//! The built-in answers: deterministic, made of the prompt's own words and nothing else.

use super::prompt::Prompt;
use super::rule::Builtin;
use serde_json::{Value, json};

mod extract;

use extract::{lines, sentences, values};

/// Characters of a message that an echo repeats.
const ECHO: usize = 80;
const INVENTED: &str = "#W0000000";

pub(super) fn answer(builtin: Builtin, prompt: &Prompt) -> Value {
    match builtin {
        Builtin::Default if prompt.asks_for_fold() => summarize(prompt),
        Builtin::Default | Builtin::Echo => echo(prompt),
        Builtin::Summarize => summarize(prompt),
        Builtin::Forget => forget(),
        Builtin::Invent => invent(prompt),
    }
}

fn echo(prompt: &Prompt) -> Value {
    let lines = lines(prompt.user());
    let reply = match lines.last() {
        Some(text) => format!("You wrote: {}", head(text, ECHO)),
        None => "How can I help?".to_owned(),
    };
    json!({"action": "reply", "reply": reply, "category": "", "reason": ""})
}

fn forget() -> Value {
    json!({
        "guest_intent": "Wants help.", "summary_text": "The conversation goes on.",
        "history": "Language: English\nThey talked.", "established_facts": [], "open_questions": [],
    })
}

fn invent(prompt: &Prompt) -> Value {
    let mut answer = summarize(prompt);
    answer["guest_intent"] = json!(format!("Asks about {INVENTED}."));
    answer
}

/// Keeps every value it has room for: in the history first, then among the facts.
fn summarize(prompt: &Prompt) -> Value {
    let limits = Limits::of(&prompt.schema);
    let lines = lines(prompt.user());
    let sentences: Vec<&str> =
        lines.iter().rev().flat_map(|line| sentences(line).into_iter().rev()).collect();
    let (history, left) = pack("Language: English\nSaid: ", values(&lines), limits.history);
    let mut facts = packs(left, limits.fact, limits.facts);
    let telling = sentences.iter().filter(|sentence| sentence.contains(|c: char| c.is_ascii_digit()));
    facts.extend(fitting(telling, limits.fact, limits.facts.saturating_sub(facts.len())));
    let questions = sentences.iter().filter(|sentence| sentence.ends_with('?'));
    let newest = fitting(sentences.iter(), limits.intent, 1).pop().unwrap_or_default();
    json!({
        "guest_intent": newest,
        "summary_text": standing(&sentences, limits.summary),
        "history": history,
        "established_facts": facts,
        "open_questions": fitting(questions, limits.question, limits.questions),
    })
}

/// Up to five of the newest sentences, oldest of them first.
fn standing(newest_first: &[&str], limit: usize) -> String {
    let mut kept = fitting(newest_first.iter(), limit / 6, 5);
    kept.reverse();
    if kept.is_empty() { "The conversation goes on.".to_owned() } else { kept.join(" ") }
}

/// The first `count` different sentences that fit whole: a cut value would be an invented one.
fn fitting<'a>(sentences: impl Iterator<Item = &'a &'a str>, limit: usize, count: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for sentence in sentences.filter(|sentence| sentence.chars().count() <= limit) {
        if kept.len() == count {
            break;
        }
        if !kept.iter().any(|known| known == sentence) {
            kept.push((*sentence).to_owned());
        }
    }
    kept
}

/// `lead` and as many values as fit, and the rest.
fn pack(lead: &str, values: Vec<String>, limit: usize) -> (String, Vec<String>) {
    let mut packed = lead.to_owned();
    let mut values = values.into_iter().peekable();
    while let Some(value) = values.next_if(|value| chars(&packed) + chars(value) + 2 <= limit) {
        packed.push_str(&value);
        packed.push_str("; ");
    }
    (packed.trim_end_matches("; ").to_owned(), values.collect())
}

fn packs(mut values: Vec<String>, limit: usize, count: usize) -> Vec<String> {
    let mut entries = Vec::new();
    while !values.is_empty() && entries.len() < count {
        let before = values.len();
        let (entry, left) = pack("Said: ", values, limit);
        if left.len() == before {
            break;
        }
        entries.push(entry);
        values = left;
    }
    entries
}

fn head(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The limits that the schema tells, else the product's defaults.
struct Limits {
    intent: usize,
    summary: usize,
    history: usize,
    facts: usize,
    fact: usize,
    questions: usize,
    question: usize,
}

impl Limits {
    fn of(schema: &Value) -> Self {
        let number = |pointer: &str, default: usize| {
            let told = schema["properties"].pointer(pointer).and_then(Value::as_u64);
            told.and_then(|told| usize::try_from(told).ok()).unwrap_or(default)
        };
        Self {
            intent: number("/guest_intent/maxLength", 240),
            summary: number("/summary_text/maxLength", 700),
            history: number("/history/maxLength", 2_000),
            facts: number("/established_facts/maxItems", 12),
            fact: number("/established_facts/items/maxLength", 160),
            questions: number("/open_questions/maxItems", 6),
            question: number("/open_questions/items/maxLength", 160),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted_model::Message;

    fn prompt(user: &str) -> Prompt {
        Prompt {
            model: "m".into(),
            messages: vec![Message { role: "user".into(), content: user.into() }],
            schema_name: "fold".into(),
            schema: json!({"properties": {"guest_intent": {"maxLength": 40}, "history": {"maxLength": 60}}}),
        }
    }

    #[test]
    fn an_echo_names_the_newest_message() {
        let reply = |user| echo(&prompt(user))["reply"].clone();
        assert_eq!(
            reply("[11] customer: Hi\n[12] customer: Where is #W2611340?"),
            "You wrote: Where is #W2611340?"
        );
        assert_eq!(
            reply(
                "# Recent [b0eecef5]\nNow: today.\n[b0eecef5 #7 customer, web chat, 2026-12-01 00:10 UTC]\nHi\nthere\n[/b0eecef5 #7]"
            ),
            "You wrote: there"
        );
        assert_eq!(reply("Hello there"), "You wrote: Hello there");
        assert_eq!(reply(""), "How can I help?");
    }

    #[test]
    fn a_summary_keeps_values_and_limits() {
        let user = "[1] customer: Hi, my order #W2611340 for €1,200.50 came on 3 Dec 2026 at 14:30.\n\
                    [2] customer: I am Ana Souza, call +1 555 0100 or ana@example.com. Will Oskar come?";
        let answer = summarize(&prompt(user));
        let all = answer.to_string();
        for value in [
            "#W2611340",
            "€1,200.50",
            "3 Dec 2026",
            "14:30",
            "Ana Souza",
            "+1 555 0100",
            "ana@example.com",
            "Oskar",
        ] {
            assert!(all.contains(value), "{value} is not in {all}");
        }
        assert!(chars(answer["history"].as_str().unwrap()) <= 60);
        assert!(chars(answer["guest_intent"].as_str().unwrap()) <= 40);
        assert_eq!(answer["open_questions"], json!(["Will Oskar come?"]));
    }

    #[test]
    fn a_summary_is_of_what_was_said_and_not_of_the_frame_around_it() {
        let user = "# Old history\nNone yet.\n\n# Messages that age out now\n\
                    [9a15a768 #41 customer, web chat, 2026-12-01 00:10 UTC]\nIt is about #W1 in Porto.\n\
                    [/9a15a768 #41]\n\n\
                    # Your last answer was refused\n- Leave this out:\n<data 9a15a768>\n#W2\n</data 9a15a768>";
        let all = summarize(&prompt(user)).to_string();
        assert!(all.contains("#W1") && all.contains("Porto"));
        for word in ["9a15a768", "#41", "2026", "#W2", "Messages"] {
            assert!(!all.contains(word), "{word} is in {all}");
        }
    }

    #[test]
    fn a_summary_of_a_summary_keeps_its_values() {
        let first = summarize(&prompt("[1] customer: It is #W1, 3 Dec 2026, for Ana Souza, near Porto."));
        let second = summarize(&prompt(first["history"].as_str().unwrap()));
        for value in ["#W1", "3 Dec 2026", "Ana Souza", "Porto"] {
            assert!(second.to_string().contains(value), "{value} is not in {second}");
        }
    }

    #[test]
    fn bad_folds_forget_and_invent() {
        let user = "[1] customer: It is #W2611340.";
        assert!(!answer(Builtin::Forget, &prompt(user)).to_string().contains("W2611340"));
        let invented = answer(Builtin::Invent, &prompt(user)).to_string();
        assert!(invented.contains(INVENTED) && invented.contains("#W2611340"));
    }
}
