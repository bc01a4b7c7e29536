//! How one server wants to be asked. OpenAI-compatible servers differ in three parameters; each objection
//! is met once and remembered for the life of the process.

use crate::traits::Question;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};

/// A parameter that a server does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objection {
    /// `response_format` of type `json_schema`: plain JSON mode is asked for, the schema goes into the prompt.
    Schema = 1,
    /// `max_tokens`: newer OpenAI models call it `max_completion_tokens`.
    MaxTokens = 2,
    /// `temperature`: reasoning models take none.
    Temperature = 4,
}

/// What is known of one model's objections.
#[derive(Debug, Default)]
pub(super) struct Memory(AtomicU8);

impl Memory {
    pub(super) fn dialect(&self) -> Dialect {
        Dialect(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn remember(&self, objection: Objection) {
        self.0.fetch_or(objection as u8, Ordering::Relaxed);
    }
}

/// The objections that one request respects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect(u8);

impl Dialect {
    pub(super) fn respects(self, objection: Objection) -> bool {
        self.0 & objection as u8 != 0
    }

    pub(super) fn request(self, model: &str, question: &Question) -> Value {
        let mut request = json!({ "model": model, "messages": [
            { "role": "system", "content": self.system(question) },
            { "role": "user", "content": question.user },
        ], "response_format": self.format(question) });
        let tokens = if self.respects(Objection::MaxTokens) { "max_completion_tokens" } else { "max_tokens" };
        request[tokens] = json!(question.max_tokens);
        if !self.respects(Objection::Temperature) {
            request["temperature"] = json!(0);
        }
        request
    }

    fn system(self, question: &Question) -> String {
        if !self.respects(Objection::Schema) {
            return question.system.clone();
        }
        format!(
            "{}\n\nAnswer with one JSON object that follows this JSON schema:\n{}",
            question.system, question.schema
        )
    }

    fn format(self, question: &Question) -> Value {
        if self.respects(Objection::Schema) {
            return json!({ "type": "json_object" });
        }
        json!({ "type": "json_schema", "json_schema": {
            "name": question.schema_name, "strict": true, "schema": question.schema,
        } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traits::Role;

    fn question() -> Question {
        Question {
            role: Role::Reply,
            system: "Be kind.".into(),
            user: "\"Hi\"\n{}".into(),
            schema_name: "reply",
            schema: json!({"type": "object", "properties": {"reply": {"type": "string"}}}),
            max_tokens: 15,
        }
    }

    #[test]
    fn a_request_has_plain_messages_and_a_strict_schema() {
        let request = Memory::default().dialect().request("m", &question());
        assert_eq!(
            request,
            json!({
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Be kind."}, {"role": "user", "content": "\"Hi\"\n{}"},
                ],
                "response_format": {"type": "json_schema", "json_schema": {
                    "name": "reply", "strict": true, "schema": question().schema,
                }},
                "max_tokens": 15,
                "temperature": 0,
            })
        );
    }

    #[test]
    fn every_objection_is_respected_once_remembered() {
        let memory = Memory::default();
        for objection in [Objection::Schema, Objection::MaxTokens, Objection::Temperature] {
            assert!(!memory.dialect().respects(objection));
            memory.remember(objection);
            assert!(memory.dialect().respects(objection));
        }
        let request = memory.dialect().request("m", &question());
        assert_eq!(request["response_format"], json!({"type": "json_object"}));
        assert!(request["messages"][0]["content"].as_str().unwrap().contains(r#""properties""#));
        assert_eq!(request["messages"][1]["content"], question().user);
        assert_eq!((&request["max_completion_tokens"], &request["max_tokens"]), (&json!(15), &Value::Null));
        assert_eq!(request["temperature"], Value::Null);
    }
}
