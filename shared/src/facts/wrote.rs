//! What a customer wrote into a record, such as a request that they opened: their words, as those of a message, and
//! never what the record says (*truth-ranks*).

use super::inline::say_value;
use super::read::{clip, is_closed, is_named, one_line};
use super::{Fact, is_own};
use crate::limits::Limits;
use crate::text;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cmp::Reverse;

/// The field under which it stands.
pub const WROTE: &str = "customer_wrote";

/// The shortest line of a request's words that is of use, in characters.
const LINE_CHARS: usize = 160;

/// Whether a field holds what a customer wrote, in whatever spelling.
pub(crate) fn is_wrote(field: &str) -> bool {
    is_named(field, "customerwrote")
}

/// What a record itself says: its data without the customer's words.
pub(crate) fn record(data: &Value) -> Cow<'_, Value> {
    if has_words(data) { Cow::Owned(without_words(data)) } else { Cow::Borrowed(data) }
}

fn has_words(data: &Value) -> bool {
    match data {
        Value::Object(fields) => fields.iter().any(|(field, value)| is_wrote(field) || has_words(value)),
        Value::Array(values) => values.iter().any(has_words),
        _ => false,
    }
}

fn without_words(data: &Value) -> Value {
    match data {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(field, _)| !is_wrote(field));
            Value::Object(kept.map(|(field, value)| (field.clone(), without_words(value))).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(without_words).collect()),
        other => other.clone(),
    }
}

/// The customer's words in a record, as they stand there; none in most.
pub(crate) fn words(data: &Value) -> Vec<&Value> {
    match data {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(field, value)| if is_wrote(field) { vec![value] } else { words(value) })
            .collect(),
        Value::Array(values) => values.iter().flat_map(words).collect(),
        _ => vec![],
    }
}

/// The same as plain texts.
pub(crate) fn texts(data: &Value) -> Vec<String> {
    fn all(value: &Value) -> Vec<String> {
        match value {
            Value::Object(fields) => fields.values().flat_map(all).collect(),
            Value::Array(values) => values.iter().flat_map(all).collect(),
            Value::String(text) => vec![text.clone()],
            Value::Null | Value::Bool(_) | Value::Number(_) => vec![],
        }
    }
    words(data).into_iter().flat_map(all).collect()
}

/// A record with what its customer wrote: in a request that they opened a system's record leaves their words where they
/// stand, unless it names the field itself.
pub fn with_words_of<'f>(old: Option<&Fact>, new: &'f Fact) -> Cow<'f, Fact> {
    let wrote = old.filter(|old| is_own(old)).and_then(|old| old.data.get(WROTE));
    match (wrote, new.data.as_object()) {
        (Some(wrote), Some(fields)) if !fields.keys().any(|field| is_wrote(field)) => {
            let mut data = fields.clone();
            data.insert(WROTE.into(), wrote.clone());
            Cow::Owned(Fact { data: Value::Object(data), ..new.clone() })
        }
        _ => Cow::Borrowed(new),
    }
}

/// What the customer wrote into their records, a line for each, in at most `limits.wrote_chars` characters: what is open
/// first, then the newest. Empty where they wrote nothing.
pub fn render_wrote(facts: &[Fact], limits: &Limits) -> String {
    let mut wrote: Vec<(&Fact, Vec<&Value>)> =
        facts.iter().map(|fact| (fact, words(&fact.data))).filter(|(_, words)| !words.is_empty()).collect();
    wrote.sort_by_cached_key(|(fact, _)| (is_closed(fact), Reverse(fact.as_of.clone()), fact.id.clone()));
    let max_chars = limits.wrote_chars;
    let line_chars = (max_chars / wrote.len().max(1)).saturating_sub(1).max(LINE_CHARS.min(max_chars));
    let (mut lines, mut used, all) = (vec![], 0, wrote.len());
    for (fact, words) in wrote {
        let line = line(fact, &words, line_chars);
        used += text::chars(&line) + 1;
        if used > max_chars + 1 {
            break;
        }
        lines.push(line);
    }
    let left_out = match all - lines.len() {
        0 => return lines.join("\n"),
        left_out => format!("- {left_out} more are not shown"),
    };
    if used + text::chars(&left_out) <= max_chars {
        lines.push(left_out);
    }
    lines.join("\n")
}

fn line(fact: &Fact, words: &[&Value], max_chars: usize) -> String {
    let said: Vec<String> = words.iter().map(|words| say(words, max_chars)).collect();
    let (kind, id) = (one_line(&fact.kind, 64), one_line(&fact.id, 80));
    clip(&format!("- in {kind} {id} the customer wrote: {}", said.join("; ")), max_chars).into_owned()
}

fn say(words: &Value, max_chars: usize) -> String {
    match words {
        Value::Object(fields) => say_fields(fields, max_chars),
        other => say_value(other, max_chars),
    }
}

fn say_fields(fields: &Map<String, Value>, max_chars: usize) -> String {
    let said = fields
        .iter()
        .map(|(field, value)| format!("{}: {}", one_line(field, 64), say_value(value, max_chars)));
    said.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use crate::time::Timestamp;
    use serde_json::json;

    fn request(id: &str, millis: i64, data: Value) -> Fact {
        let as_of = AsOf::from(Timestamp::from_millis(millis));
        Fact { kind: "request".into(), id: id.into(), as_of, source: "portal".into(), data }
    }

    #[test]
    fn a_record_says_nothing_of_what_the_customer_wrote() {
        let data = json!({"status": "open", "customer_wrote": {"subject": "refunded"}, "parts": [{"customerWrote": "x", "n": 1}]});
        assert_eq!(*record(&data), json!({"status": "open", "parts": [{"n": 1}]}));
        assert_eq!(words(&data), [&json!({"subject": "refunded"}), &json!("x")]);
        assert!(matches!(record(&json!({"status": "open"})), Cow::Borrowed(_)));
    }

    #[test]
    fn words_stand_on_one_line_each_within_their_limit() {
        let wrote =
            |text: &str| json!({"status": "open", "customer_wrote": {"subject": "Tap", "text": text}});
        let facts: Vec<Fact> = (0..30)
            .map(|n| request(&format!("portal-{n}"), n, wrote(&"drips\n- order #W1: ".repeat(200))))
            .collect();
        for wrote_chars in [0, 50, 400, 2_000] {
            let limits = Limits { wrote_chars, ..Limits::default() };
            let shown = render_wrote(&facts, &limits);
            assert!(text::chars(&shown) <= wrote_chars, "{wrote_chars}: {shown}");
            assert!(
                shown
                    .lines()
                    .all(|line| line.starts_with("- in request portal-")
                        || line.ends_with("more are not shown")),
                "{shown}"
            );
        }
        let one = render_wrote(&facts[..1], &Limits::default());
        assert!(
            one.starts_with("- in request portal-0 the customer wrote: subject: Tap; text: drips - order"),
            "{one}"
        );
        assert_eq!(render_wrote(&[request("R-7", 0, json!({"status": "open"}))], &Limits::default()), "");
    }

    #[test]
    fn what_is_open_comes_first() {
        let of =
            |id, millis, status: &str| request(id, millis, json!({"status": status, "customer_wrote": "hi"}));
        let shown =
            render_wrote(&[of("a", 3, "closed"), of("b", 1, "open"), of("c", 2, "open")], &Limits::default());
        let ids: Vec<_> = shown.lines().filter_map(|line| line.split(' ').nth(3)).collect();
        assert_eq!(ids, ["c", "b", "a"]);
    }
}
