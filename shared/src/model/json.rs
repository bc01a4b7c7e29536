//! Finds the JSON object in what a model wrote.
//!
//! Models fence their JSON, talk before and after it, put backticks and braces into both, and think aloud
//! first. So the object is found by parsing, not by looking for fences: from each `{` that could start it.

use serde_json::{Map, Value};

const THOUGHT_STARTS: &str = "<think>";
const THOUGHT_ENDS: &str = "</think>";

/// The first complete object in `text` that has a field, thinking aloud left out; `None` if there is none.
///
/// Nothing is repaired: a trailing comma or a missing brace makes an object unreadable, and its inner
/// objects are not taken for it. Work is linear in the length of the text: what a failed attempt has
/// consumed is not looked at again.
pub fn find_object(text: &str) -> Option<Map<String, Value>> {
    let mut rest = text;
    loop {
        let (before, object, after) = first_object(rest)?;
        match after.split_once(THOUGHT_ENDS) {
            Some((_, said)) => rest = said,
            None if is_open_thought(before) => return None,
            None => return Some(object),
        }
    }
}

fn is_open_thought(before: &str) -> bool {
    before.rsplit_once(THOUGHT_STARTS).is_some_and(|(_, thought)| !thought.contains(THOUGHT_ENDS))
}

fn first_object(text: &str) -> Option<(&str, Map<String, Value>, &str)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let start = from + bytes.get(from..)?.iter().position(|&byte| byte == b'{')?;
        let (consumed, object) = parse(bytes.get(start..)?);
        if let Some(object) = object {
            return Some((text.get(..start)?, object, text.get(start + consumed..)?));
        }
        from = start + consumed.max(1);
    }
}

/// How many bytes an attempt took, and the object if it was one with a field in it.
fn parse(bytes: &[u8]) -> (usize, Option<Map<String, Value>>) {
    let mut attempt = serde_json::Deserializer::from_slice(bytes).into_iter::<Map<String, Value>>();
    match attempt.next() {
        Some(Ok(object)) => (attempt.byte_offset(), Some(object).filter(|object| !object.is_empty())),
        Some(Err(error)) => (offset_of(&error, bytes), None),
        None => (bytes.len(), None),
    }
}

fn offset_of(error: &serde_json::Error, bytes: &[u8]) -> usize {
    let earlier_lines: usize = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    // The offending byte itself may be the brace that starts the next attempt.
    (earlier_lines + error.column()).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn found(text: &str) -> Value {
        find_object(text).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn an_object_is_found_in_whatever_surrounds_it() {
        let object = json!({"a": "b"});
        for text in [
            r#"{"a": "b"}"#,
            "\u{feff}{\"a\": \"b\"}",
            "```json\n{\"a\": \"b\"}\n```",
            "```\n{\"a\": \"b\"}\n```\nAnything else?",
            r#"Sure, the `object` you asked for: {"a": "b"}"#,
            r#"As {name} wrote, {} and {"format"}: {"a": "b"} {"a": "c"}"#,
            r#"[{"a": "b"}]"#,
            "{\n\n{\n{\"a\": \"b\"}",
            "Olá, Zoë 🙂 {\"a\": \"b\"} 🙂",
        ] {
            assert_eq!(found(text), object, "{text}");
        }
    }

    #[test]
    fn backticks_and_braces_inside_strings_belong_to_the_string() {
        let text = r#"{"a": "run `reset` {now} ```\" </think>", "n": 1}"#;
        assert_eq!(found(text), json!({"a": "run `reset` {now} ```\" </think>", "n": 1}));
    }

    #[test]
    fn what_is_thought_is_not_said() {
        let said = json!({"a": "said"});
        assert_eq!(found(r#"<think>{"a": "thought"} or {"b": 1}?</think>{"a": "said"}"#), said);
        assert_eq!(found(r#"{"a": "thought"} Hm.</think> {"a": "said"}"#), said);
        assert_eq!(found(r#"<think>Easy.</think>{"a": "said"}"#), said);
        assert_eq!(found(r#"<think>{"a": "thought"} and then"#), Value::Null);
    }

    #[test]
    fn nothing_is_made_up_where_there_is_no_object() {
        for text in
            ["", "null", "  \n", "{}", "[]", "\"{\"", "{", "{{{", r#"{"a": "cut o"#, r#"{"a": {"b": 1},}"#]
        {
            assert_eq!(found(text), Value::Null, "{text}");
        }
    }

    #[test]
    fn hostile_nesting_is_read_once() {
        let deep = "{\"a\":".repeat(100_000);
        assert_eq!(found(&deep), Value::Null);
        let object = format!("{}{}", "{".repeat(100_000), r#"{"a": "b"}"#);
        assert_eq!(found(&object), json!({"a": "b"}));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".{0,200}") {
            let _ = find_object(&text);
        }

        #[test]
        fn any_text_of_jsons_own_characters_is_survived(text in r#"([{}\[\]",:`\\ \na1🙂]|<think>|</think>){0,80}"#) {
            let _ = find_object(&text);
        }

        #[test]
        fn an_object_survives_prose_fences_and_its_own_strings(
            value in ".{0,40}", before in "[^{<]{0,40}", after in "[^<]{0,40}",
        ) {
            let object = json!({"reply": value});
            prop_assert_eq!(found(&format!("{before}```json\n{object}\n```{after}")), object);
        }
    }
}
