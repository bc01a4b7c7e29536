//! The small model's answer: its schema, and reading it strictly.

use super::check::Fault;
use crate::limits::Limits;
use serde_json::{Map, Value, json};

/// The name of the fold's schema.
pub const SCHEMA_NAME: &str = "fold";

/// What the model wrote; not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What the customer wants.
    pub guest_intent: String,
    /// Where things stand.
    pub summary_text: String,
    /// Everything older than the window.
    pub history: String,
    /// What was said and still matters.
    pub established_facts: Vec<String>,
    /// What is still open, newest first.
    pub open_questions: Vec<String>,
}

/// The schema of the answer; the limits are in it, for servers that heed them.
pub fn schema(limits: &Limits) -> Value {
    let string = |chars: usize| json!({"type": "string", "maxLength": chars});
    let list =
        |entries: usize| json!({"type": "array", "items": string(limits.entry_chars), "maxItems": entries});
    json!({
        "type": "object",
        "properties": {
            "guest_intent": string(limits.guest_intent),
            "established_facts": list(limits.established_facts),
            "open_questions": list(limits.open_questions),
            "summary_text": string(limits.summary_text),
            "history": string(limits.history_chars)
        },
        "required": ["guest_intent", "established_facts", "open_questions", "summary_text", "history"],
        "additionalProperties": false
    })
}

/// Tokens that the longest answer within the limits takes, with room for scripts that need one for each
/// character or two.
pub fn max_tokens(limits: &Limits) -> u32 {
    let entries = limits.established_facts + limits.open_questions;
    let chars = limits.guest_intent
        + limits.summary_text
        + limits.history_chars
        + entries.saturating_mul(limits.entry_chars);
    u32::try_from(chars / 2 + 512).unwrap_or(u32::MAX)
}

/// Reads an answer; every field that is missing or of another type is a fault.
pub(super) fn read(answer: &Map<String, Value>) -> Result<Written, Vec<Fault>> {
    let mut faults = vec![];
    let guest_intent = string(answer, "guest_intent", &mut faults);
    let summary_text = string(answer, "summary_text", &mut faults);
    let history = string(answer, "history", &mut faults);
    let established_facts = strings(answer, "established_facts", &mut faults);
    let open_questions = strings(answer, "open_questions", &mut faults);
    if faults.is_empty() {
        Ok(Written { guest_intent, summary_text, history, established_facts, open_questions })
    } else {
        Err(faults)
    }
}

fn string(answer: &Map<String, Value>, field: &'static str, faults: &mut Vec<Fault>) -> String {
    match answer.get(field) {
        Some(Value::String(text)) => text.trim().to_owned(),
        _ => {
            faults.push(Fault::Schema { field, wanted: "a string" });
            String::new()
        }
    }
}

fn strings(answer: &Map<String, Value>, field: &'static str, faults: &mut Vec<Fault>) -> Vec<String> {
    let entry = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    let read = answer.get(field).and_then(Value::as_array).and_then(|all| all.iter().map(entry).collect());
    let entries: Vec<String> = read.unwrap_or_else(|| {
        faults.push(Fault::Schema { field, wanted: "an array of strings" });
        vec![]
    });
    entries.into_iter().filter(|entry| !entry.is_empty()).collect()
}
