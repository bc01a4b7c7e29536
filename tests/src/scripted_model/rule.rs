use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to answer to which requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Names the rule; the server chooses a name where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// All of these must occur in the contents of the request's messages, joined by line breaks.
    #[serde(default)]
    pub contains: Vec<String>,
    /// The name of the request's JSON schema, where it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// How many requests the rule answers before it is used up; without it, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Milliseconds to think first.
    #[serde(default)]
    pub delay_ms: u64,
    /// A gate to wait at until it is released, after the delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// What to do then; without it, the default for the schema.
    #[serde(default)]
    pub then: Then,
}

impl Rule {
    /// A rule for requests with all of `words` in their messages.
    pub fn when(words: &[&str]) -> Self {
        Self {
            id: None,
            contains: words.iter().map(|&word| word.to_owned()).collect(),
            schema: None,
            times: None,
            delay_ms: 0,
            hold: None,
            then: Then::default(),
        }
    }

    /// Only for requests with this schema.
    pub fn schema(self, name: &str) -> Self {
        Self { schema: Some(name.to_owned()), ..self }
    }

    /// Only for so many requests.
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Thinks for so many milliseconds first.
    pub fn delay_ms(self, delay_ms: u64) -> Self {
        Self { delay_ms, ..self }
    }

    /// Waits at the gate `name` until a test releases it.
    pub fn hold(self, name: &str) -> Self {
        Self { hold: Some(name.to_owned()), ..self }
    }

    /// Does this.
    pub fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

/// What the model does.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Then {
    /// Answers by a built-in rule.
    Builtin {
        /// Which.
        builtin: Builtin,
    },
    /// Answers with a decision.
    Reply {
        /// The decision.
        reply: Reply,
    },
    /// Answers with this JSON.
    Json {
        /// The answer.
        json: Value,
    },
    /// Answers with this text and this `finish_reason`.
    Finish {
        /// `length`, `content_filter`, …
        finish_reason: String,
        /// The text of the message.
        content: Option<String>,
    },
    /// Answers with this text, or another value in the place of the text.
    Content {
        /// The content of the message.
        content: Value,
    },
    /// Declines.
    Refusal {
        /// The text of the refusal.
        refusal: String,
    },
    /// Fails, or says anything else, over HTTP.
    Status {
        /// The HTTP status.
        status: u16,
        /// The body: a string as it is, anything else as JSON.
        #[serde(default)]
        body: Value,
        /// Seconds of the header `Retry-After`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<u64>,
    },
    /// Never answers.
    Hang {
        /// Always true.
        hang: bool,
    },
    /// Breaks the connection.
    Drop {
        /// Always true.
        drop: bool,
    },
}

impl Default for Then {
    fn default() -> Self {
        Self::Builtin { builtin: Builtin::Default }
    }
}

impl Then {
    /// Answers a customer.
    pub fn reply(text: &str) -> Self {
        let (action, category, reason) = ("reply".into(), String::new(), String::new());
        Self::Reply { reply: Reply { action, reply: text.to_owned(), category, reason } }
    }

    /// Hands over to a person.
    pub fn escalate(category: &str, reason: &str) -> Self {
        let (category, reason) = (category.to_owned(), reason.to_owned());
        Self::Reply { reply: Reply { action: "escalate".into(), reply: String::new(), category, reason } }
    }

    /// Says this text, whatever was asked for.
    pub fn content(text: &str) -> Self {
        Self::Content { content: text.into() }
    }

    /// Answers with this JSON.
    pub fn json(json: Value) -> Self {
        Self::Json { json }
    }

    /// Fails with this status and an error object.
    pub fn status(status: u16) -> Self {
        Self::Status { status, body: Value::Null, retry_after: None }
    }

    /// Says this over HTTP.
    pub fn raw(status: u16, body: Value) -> Self {
        Self::Status { status, body, retry_after: None }
    }

    /// Stops at the token limit after this text.
    pub fn cut(content: &str) -> Self {
        Self::Finish { finish_reason: "length".into(), content: Some(content.to_owned()) }
    }

    /// Never answers.
    pub fn hang() -> Self {
        Self::Hang { hang: true }
    }

    /// Breaks the connection.
    pub fn drop_connection() -> Self {
        Self::Drop { drop: true }
    }

    /// Answers by a built-in rule.
    pub fn builtin(builtin: Builtin) -> Self {
        Self::Builtin { builtin }
    }
}

/// An answer to the reply schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// `reply` or `escalate`.
    pub action: String,
    /// What the customer reads.
    #[serde(default)]
    pub reply: String,
    /// Why a person is wanted, in a word.
    #[serde(default)]
    pub category: String,
    /// Why a person is wanted.
    #[serde(default)]
    pub reason: String,
}

/// The built-in rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Builtin {
    /// `echo` or `summarize`, whichever the schema asks for.
    Default,
    /// Answers a customer with the head of the newest message.
    Echo,
    /// Folds well: keeps every value and every limit.
    Summarize,
    /// Folds badly: drops every value.
    Forget,
    /// Folds badly: adds `#W0000000`, which nobody said.
    Invent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_rule_does_is_told_by_its_keys() {
        let then = |value| serde_json::from_value::<Then>(value).unwrap();
        assert!(matches!(then(json!({"status": 529})), Then::Status { status: 529, .. }));
        assert!(matches!(then(json!({"finish_reason": "length", "content": "{"})), Then::Finish { .. }));
        assert!(matches!(then(json!({"content": null})), Then::Content { .. }));
        assert!(matches!(then(json!({"hang": true})), Then::Hang { .. }));
        assert!(matches!(then(json!({"drop": true})), Then::Drop { .. }));
        assert!(matches!(then(json!({"json": {"reply": 1}})), Then::Json { .. }));
        assert!(matches!(then(json!({"reply": {"action": "reply", "reply": "Hi"}})), Then::Reply { .. }));
        let builtin = then(json!({"builtin": "forget"}));
        assert!(matches!(builtin, Then::Builtin { builtin: Builtin::Forget }));
        assert!(serde_json::from_value::<Then>(json!({"repyl": {}})).is_err());
    }

    #[test]
    fn a_rule_survives_its_own_json() {
        let rule = Rule::when(&["a"]).schema("fold").times(2).hold("gate").then(Then::cut("{"));
        let again: Rule = serde_json::from_value(serde_json::to_value(&rule).unwrap()).unwrap();
        assert_eq!(format!("{again:?}"), format!("{rule:?}"));
    }
}
