//! What a turn decides: the model's answer, read strictly, and the checks that code makes of a reply.

use crate::case::Category;
use crate::checks::Fault;
use crate::limits::Limits;
use crate::text;
use serde_json::{Map, Value, json};

/// The name of the reply model's schema.
pub const SCHEMA_NAME: &str = "reply";

/// Characters of the reason that an escalation keeps.
const REASON_CHARS: usize = 300;

/// What the bot does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It answers.
    Reply {
        /// With this.
        text: String,
        /// What it promises and that only a new request makes honest; the commit opens one.
        opens: Option<String>,
    },
    /// It stops: a person answers.
    Escalate(Escalation),
}

impl Decision {
    /// A reply that opens nothing.
    pub fn reply(text: impl Into<String>) -> Self {
        Self::Reply { text: text.into(), opens: None }
    }
}

/// Why the bot stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalation {
    /// In a word.
    pub category: Category,
    /// In a sentence.
    pub reason: String,
    /// The agent's topic, if a rule of the agent stopped it.
    pub topic: Option<String>,
}

/// The schema of the reply model's answer.
pub fn schema() -> Value {
    let categories: Vec<&str> = Category::ALL.into_iter().map(Category::code).collect();
    json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["reply", "escalate"]},
            "reply": {"type": "string"},
            "category": {"type": "string", "enum": categories},
            "reason": {"type": "string"}
        },
        "required": ["action", "reply", "category", "reason"],
        "additionalProperties": false
    })
}

/// Reads a model's answer and checks what code can check of it.
pub fn read(answer: &Map<String, Value>, limits: &Limits) -> Result<Decision, Fault> {
    let field = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    match field("action") {
        "reply" => check(field("reply"), limits).map(|()| Decision::reply(field("reply"))),
        "escalate" => Ok(Decision::Escalate(Escalation {
            category: Category::from_code(field("category")).unwrap_or(Category::MissingKnowledge),
            reason: reason(field("reason")),
            topic: None,
        })),
        _ => Err(Fault::Action),
    }
}

fn check(reply: &str, limits: &Limits) -> Result<(), Fault> {
    let visible = reply.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c));
    let is = text::chars(reply);
    match is {
        _ if !visible => Err(Fault::Empty),
        _ if is > limits.reply_chars => Err(Fault::TooLong { is, limit: limits.reply_chars }),
        _ => Ok(()),
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{00ad}')
}

fn reason(given: &str) -> String {
    if given.is_empty() {
        return "The model cannot answer this safely.".into();
    }
    text::collapse_whitespace(&text::shorten(given, REASON_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value: Value) -> Result<Decision, Fault> {
        read(value.as_object().expect("object"), &Limits::default())
    }

    #[test]
    fn a_reply_ignores_category_and_reason() {
        let read =
            answer(json!({"action": "reply", "reply": " Hi. ", "category": "upset_customer", "reason": "x"}));
        assert_eq!(read, Ok(Decision::reply("Hi.")));
    }

    #[test]
    fn an_escalation_with_an_unknown_category_is_still_one() {
        let Ok(Decision::Escalate(escalation)) = answer(json!({"action": "escalate", "category": "?"}))
        else {
            panic!("not an escalation")
        };
        assert_eq!(escalation.category, Category::MissingKnowledge);
    }

    #[test]
    fn an_empty_reply_is_never_one() {
        for empty in [json!(""), json!(null), json!("  \n"), json!("\u{200b}"), json!(7)] {
            assert_eq!(answer(json!({"action": "reply", "reply": empty})), Err(Fault::Empty));
        }
        assert_eq!(answer(json!({"reply": "Hi."})), Err(Fault::Action));
    }

    #[test]
    fn a_reply_longer_than_the_channel_carries_is_refused_and_never_cut() {
        let limit = Limits::default().reply_chars;
        let long = "x".repeat(limit + 1);
        assert_eq!(
            answer(json!({"action": "reply", "reply": long})),
            Err(Fault::TooLong { is: limit + 1, limit })
        );
    }
}
