//! Reads one HTTP response of a chat completion: an answer, or what is to be done about it.

use super::dialect::Objection;
use super::json::find_object;
use crate::traits::{Answer, ModelError};
use serde_json::{Map, Value};

/// Why one request gave no answer, and whether another would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    pub(super) remedy: Remedy,
}

/// What may heal a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing; the caller decides.
    Nothing,
    /// The same request, a little later.
    Later,
    /// The request without what the server objects to.
    Without(Objection),
}

impl Failure {
    pub(super) fn unreachable() -> Self {
        Self { error: ModelError::Unreachable, remedy: Remedy::Later }
    }

    fn last(error: ModelError) -> Self {
        Self { error, remedy: Remedy::Nothing }
    }

    fn overloaded(status: u16) -> Self {
        Self { error: ModelError::Overloaded { status }, remedy: Remedy::Later }
    }
}

/// Reads a response; `model` is the name the answer is filed under.
pub(super) fn read(status: u16, body: &[u8], model: &str) -> Result<Answer, Failure> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    if !(200..300).contains(&status) {
        return Err(refusal(status, &Complaint::of(&body)));
    }
    if let Some(complaint) = Complaint::within(&body) {
        return Err(complaint.terminal().map_or_else(|| Failure::overloaded(status), Failure::last));
    }
    let object = said(&body["choices"][0]).map_err(Failure::last)?;
    let tokens = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
    Ok(Answer {
        object,
        model: model.to_owned(),
        prompt_tokens: tokens("prompt_tokens"),
        completion_tokens: tokens("completion_tokens"),
    })
}

fn refusal(status: u16, complaint: &Complaint) -> Failure {
    if let Some(error) = complaint.terminal() {
        return Failure::last(error);
    }
    if is_passing(status) {
        return Failure::overloaded(status);
    }
    let remedy = match status {
        400 | 422 => complaint.objection().map_or(Remedy::Nothing, Remedy::Without),
        _ => Remedy::Nothing,
    };
    Failure { error: ModelError::Rejected { status }, remedy }
}

/// Overload, rate limits, restarts, and what proxies and content networks say in front of them.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502..=504 | 520..=529)
}

/// What an API says about an error, lower case, for recognition only: never logged, it may quote a prompt.
struct Complaint(String);

impl Complaint {
    fn of(body: &Value) -> Self {
        let error = &body["error"];
        let parts = [
            error,
            &error["type"],
            &error["code"],
            &error["param"],
            &error["message"],
            &body["message"],
            &body["detail"],
        ];
        Self(parts.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n").to_lowercase())
    }

    /// The error in a response that claims success: at its top, or in the place of the answer.
    fn within(body: &Value) -> Option<Self> {
        [body, &body["choices"][0]].into_iter().find(|place| !place["error"].is_null()).map(Self::of)
    }

    /// An error that this prompt will always meet.
    fn terminal(&self) -> Option<ModelError> {
        const OVERFLOW: [&str; 6] = [
            "exceed_context_size_error",
            "context_length_exceeded",
            "available context size",
            "maximum context length",
            "prompt is too long",
            "input is too long",
        ];
        if self.has_any(&OVERFLOW) {
            return Some(ModelError::ContextOverflow);
        }
        self.has_any(&["content_filter"]).then_some(ModelError::Filtered)
    }

    fn objection(&self) -> Option<Objection> {
        [
            (Objection::MaxTokens, ["max_completion_tokens", "'max_tokens' is not supported"]),
            (Objection::Temperature, ["temperature", "'temperature'"]),
            (Objection::Schema, ["response_format", "json_schema"]),
        ]
        .into_iter()
        .find(|(_, words)| self.has_any(words))
        .map(|(objection, _)| objection)
    }

    fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.0.contains(word))
    }
}

fn said(choice: &Value) -> Result<Map<String, Value>, ModelError> {
    let message = &choice["message"];
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if finish == "content_filter" {
        return Err(ModelError::Filtered);
    }
    if is_refusal(message) {
        return Err(ModelError::Declined);
    }
    if finish == "length" {
        return Err(ModelError::CutOff);
    }
    find_object(&content(message)).ok_or(ModelError::Unreadable)
}

fn is_refusal(message: &Value) -> bool {
    let has_refusal = |value: &Value| value["refusal"].as_str().is_some_and(|text| !text.trim().is_empty());
    has_refusal(message) || parts(message).iter().any(has_refusal)
}

/// The text of a message: a string, or the text parts of a list.
fn content(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        _ => parts(message).iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

fn parts(message: &Value) -> &[Value] {
    message["content"].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn reads(status: u16, body: &Value) -> Result<Value, Failure> {
        read(status, body.to_string().as_bytes(), "m").map(|answer| Value::Object(answer.object))
    }

    fn says(choice: Value) -> Result<Value, ModelError> {
        reads(200, &json!({ "choices": [choice] })).map_err(|failure| failure.error)
    }

    fn remedy(status: u16, body: &Value) -> Remedy {
        reads(status, body).unwrap_err().remedy
    }

    #[test]
    fn an_answer_carries_its_tokens_and_the_configured_name() {
        let body = json!({
            "model": "m-2026-11", "choices": [{"finish_reason": "stop", "message": {"content": "{\"a\": 1}"}}],
            "usage": {"prompt_tokens": 43, "completion_tokens": 32},
        });
        let answer = read(200, body.to_string().as_bytes(), "m").unwrap();
        assert_eq!((answer.model.as_str(), answer.prompt_tokens, answer.completion_tokens), ("m", 43, 32));
    }

    #[test]
    fn content_may_come_in_parts() {
        let parts =
            json!([{"type": "text", "text": "{\"a\":"}, {"type": "text", "text": " 1}"}, {"type": "x"}]);
        assert_eq!(says(json!({"message": {"content": parts}})), Ok(json!({"a": 1})));
    }

    #[test]
    fn how_an_answer_ended_decides_what_it_is() {
        let ends = |finish, message| says(json!({"finish_reason": finish, "message": message})).unwrap_err();
        let whole = json!({"content": "{\"a\": 1}"});
        assert_eq!(ends("length", whole.clone()), ModelError::CutOff);
        assert_eq!(ends("content_filter", whole), ModelError::Filtered);
        assert_eq!(ends("stop", json!({"content": null, "refusal": "I can't."})), ModelError::Declined);
        let part = json!({"content": [{"type": "refusal", "refusal": "I can't."}]});
        assert_eq!(ends("stop", part), ModelError::Declined);
        assert_eq!(ends("tool_calls", json!({"content": null, "tool_calls": []})), ModelError::Unreadable);
    }

    #[test]
    fn an_answer_without_an_object_is_unreadable() {
        for content in [json!(null), json!(""), json!("  \n"), json!("null"), json!("Sorry!"), json!(7)] {
            let message = json!({"message": {"content": content, "refusal": null}});
            assert_eq!(says(message), Err(ModelError::Unreadable));
        }
        for body in [json!(null), json!({}), json!({"choices": []}), json!({"choices": 7}), json!("choices")]
        {
            assert_eq!(reads(200, &body).unwrap_err().error, ModelError::Unreadable);
        }
    }

    #[test]
    fn what_may_pass_is_asked_again_later() {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            let failure = reads(status, &json!({"error": {"message": "Overloaded"}})).unwrap_err();
            assert_eq!(
                failure,
                Failure { error: ModelError::Overloaded { status }, remedy: Remedy::Later },
                "{status}"
            );
        }
        let body = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        assert_eq!(remedy(200, &body), Remedy::Later);
        assert_eq!(remedy(200, &json!({"error": "busy"})), Remedy::Later);
        assert_eq!(remedy(200, &json!({"choices": [{"error": {"code": 502}}]})), Remedy::Later);
    }

    #[test]
    fn what_is_refused_stays_refused() {
        for status in [301, 400, 401, 403, 404, 413, 422, 501] {
            let failure = reads(status, &json!({"error": {"message": "No"}})).unwrap_err();
            assert_eq!(
                failure,
                Failure { error: ModelError::Rejected { status }, remedy: Remedy::Nothing },
                "{status}"
            );
        }
    }

    #[test]
    fn a_prompt_that_does_not_fit_is_known_by_any_of_its_names() {
        for error in [
            json!({"type": "exceed_context_size_error", "code": 400, "message": "request (10531 tokens) exceeds"}),
            json!({"code": "context_length_exceeded"}),
            json!({"message": "This model's maximum context length is 8192 tokens."}),
        ] {
            let failure = reads(400, &json!({ "error": error })).unwrap_err();
            assert_eq!(failure, Failure::last(ModelError::ContextOverflow));
        }
        let filtered = reads(400, &json!({"error": {"code": "content_filter"}})).unwrap_err();
        assert_eq!(filtered, Failure::last(ModelError::Filtered));
    }

    #[test]
    fn an_objection_to_a_parameter_is_understood() {
        let message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let body = json!({"error": {"message": message, "param": "max_tokens"}});
        assert_eq!(remedy(400, &body), Remedy::Without(Objection::MaxTokens));
        let body = json!({"error": {"message": "Unsupported value", "param": "temperature"}});
        assert_eq!(remedy(400, &body), Remedy::Without(Objection::Temperature));
        let body = json!({"error": "'response_format.type' must be 'json_object'"});
        assert_eq!(remedy(400, &body), Remedy::Without(Objection::Schema));
        assert_eq!(remedy(401, &body), Remedy::Nothing);
    }

    proptest! {
        #[test]
        fn no_response_is_fatal(status in 0_u16..1000, body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(status, &body, "m");
        }
    }

    /// Recorded answers of real servers; nothing is checked where the folder is missing.
    mod data {
        use super::*;
        use std::path::PathBuf;

        fn folder() -> PathBuf {
            let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
            PathBuf::from(std::env::var_os("CARRYOVER_SHARED").unwrap_or_else(|| beside.into())).join("data")
        }

        fn recorded(name: &str) -> Option<String> {
            let folder = folder();
            folder.is_dir().then(|| std::fs::read_to_string(folder.join(name)).unwrap())
        }

        fn reported(id: &str) -> Option<Value> {
            let reports = recorded("reports/reports.jsonl")?;
            let mut reports = reports.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            Some(reports.find(|report| report["id"] == id).unwrap()["input"].clone())
        }

        #[test]
        fn recorded_answers_are_read_for_what_they_are() {
            let cases = [
                (200, "cut", ModelError::CutOff),
                (200, "schema-unbounded", ModelError::CutOff),
                (200, "plain", ModelError::Unreadable),
                (200, "tools-auto", ModelError::Unreadable),
                (200, "tools-required", ModelError::Unreadable),
                (400, "overflow", ModelError::ContextOverflow),
                (400, "err-badjson", ModelError::Rejected { status: 400 }),
                (400, "err-badrole", ModelError::Rejected { status: 400 }),
                (400, "err-badschema", ModelError::Rejected { status: 400 }),
                (400, "err-nomsgs", ModelError::Rejected { status: 400 }),
                (404, "err-404", ModelError::Rejected { status: 404 }),
                (501, "err-embeddings", ModelError::Rejected { status: 501 }),
            ];
            for (status, name, error) in cases {
                let Some(body) = recorded(&format!("model/smollm2-{name}.resp.json")) else { return };
                assert_eq!(read(status, body.as_bytes(), "m"), Err(Failure::last(error)), "{name}");
            }
        }

        #[test]
        fn a_recorded_answer_to_a_schema_is_an_object() {
            for name in ["json_schema_bounded", "schema-small-penalty"] {
                let Some(body) = recorded(&format!("model/smollm2-{name}.resp.json")) else { return };
                let answer = read(200, body.as_bytes(), "m").unwrap();
                assert!(answer.object.contains_key("guest_intent"), "{name}");
                assert!(answer.completion_tokens > 0, "{name}");
            }
        }

        #[test]
        fn m07_an_empty_answer_is_unreadable() {
            let Some(input) = reported("M07") else { return };
            for content in input["llm_reply"].as_array().unwrap() {
                assert_eq!(says(json!({"message": {"content": content}})), Err(ModelError::Unreadable));
            }
        }

        #[test]
        fn m14_backticks_anywhere_do_not_hide_the_object() {
            let Some(input) = reported("M14") else { return };
            for content in input["llm_replies"].as_array().unwrap() {
                let object = says(json!({"message": {"content": content}})).unwrap();
                assert!(object["guest_intent"].is_string());
            }
        }

        #[test]
        fn m17_an_overloaded_provider_is_asked_again() {
            let Some(input) = reported("M17") else { return };
            for response in input["responses"].as_array().unwrap() {
                let status = response["status"].as_u64().unwrap().try_into().unwrap();
                assert_eq!(reads(status, &response["body"]), Err(Failure::overloaded(status)));
            }
        }
    }
}
