//! Values on one line: lists, and what account systems nest most often (items, names of people, addresses).

use super::read::{field, is_empty, is_named, one_line, phrase};
use crate::text;
use serde_json::{Map, Value};
use std::fmt::Write;

/// How deep values stand inline.
const INLINE_DEPTH: usize = 6;

/// A value in the words that suit it, in about `max_chars`.
pub(crate) fn say_value(value: &Value, max_chars: usize) -> String {
    let said = match value {
        Value::Object(fields) if is_name(fields) => person(fields),
        Value::Object(fields) if is_address(fields) => address(fields, max_chars),
        _ => inline(value, max_chars),
    };
    one_line(&said, max_chars)
}

pub(super) fn inline(value: &Value, max_chars: usize) -> String {
    inline_at(value, max_chars, 0)
}

fn inline_at(value: &Value, max_chars: usize, depth: usize) -> String {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= INLINE_DEPTH => "…".into(),
        Value::Array(values) => match values.as_slice() {
            [value] => inline_at(value, max_chars, depth + 1),
            _ => format!("[{}]", list(values, max_chars, depth)),
        },
        Value::Object(fields) if has_name(fields) => {
            let rest = pairs(fields.iter().filter(|(name, _)| !is_of_name(name)), max_chars, depth);
            join([person(fields), rest].into_iter().filter(|said| !said.is_empty()), max_chars)
        }
        Value::Object(fields) => pairs(fields.iter(), max_chars, depth),
        Value::Null => "none".into(),
        _ => phrase(value, max_chars).unwrap_or_default(),
    }
}

pub(super) fn list(values: &[Value], max_chars: usize, depth: usize) -> String {
    let said = values.iter().filter(|value| !is_empty(value));
    join(said.map(|value| inline_at(value, max_chars, depth + 1)), max_chars)
}

/// The fields that were not said already.
fn without<'a>(
    fields: &'a Map<String, Value>,
    taken: &[&str],
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    fields.iter().filter(move |(name, _)| !taken.contains(&name.as_str()))
}

/// `name value, name value`.
pub(super) fn pairs<'a>(
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    max_chars: usize,
    depth: usize,
) -> String {
    let said = fields.filter(|(_, value)| !is_empty(value)).map(|(name, value)| {
        let inner = inline_at(value, max_chars, depth + 1);
        let name = one_line(name, 120);
        if value.is_object() { format!("{name} ({inner})") } else { format!("{name} {inner}") }
    });
    join(said, max_chars)
}

/// Joins until the text is full; what is left is not even written.
fn join(said: impl Iterator<Item = String>, max_chars: usize) -> String {
    let mut joined = String::new();
    let mut chars = 0;
    for text in said {
        if chars > max_chars {
            joined.push_str(", …");
            break;
        }
        let comma = if joined.is_empty() { "" } else { ", " };
        chars += comma.len() + text::chars(&text);
        // Writing to a string cannot fail.
        let _ = write!(joined, "{comma}{text}");
    }
    joined
}

const ITEM_NAME: &[&str] = &["name", "title", "product", "productname", "description", "sku"];
const ITEM_COUNT: &[&str] = &["quantity", "qty", "count"];
const ITEM_OPTIONS: &[&str] = &["options", "variant", "attributes"];
const ITEM_PRICE: &[&str] = &["price", "unitprice", "amount", "total"];

pub(super) fn is_item(fields: &Map<String, Value>) -> bool {
    let is_named = field(fields, ITEM_NAME).is_some_and(|(_, name)| phrase(name, 1).is_some());
    is_named && [ITEM_COUNT, ITEM_OPTIONS, ITEM_PRICE].iter().any(|names| field(fields, names).is_some())
}

/// `2 × Water Bottle (color blue, material glass), price 47.84, item_id 6469567736`.
pub(super) fn item(fields: &Map<String, Value>, max_chars: usize) -> String {
    let [name, count, options, price] =
        [ITEM_NAME, ITEM_COUNT, ITEM_OPTIONS, ITEM_PRICE].map(|names| field(fields, names));
    let taken: Vec<&str> =
        [name, count, options, price].into_iter().flatten().map(|(name, _)| name).collect();
    let mut text = count.map(|(_, count)| format!("{} × ", inline(count, 20))).unwrap_or_default();
    text.push_str(&name.map(|(_, name)| inline(name, max_chars)).unwrap_or_default());
    if let Some((_, options)) = options {
        let _ = write!(text, " ({})", inline(options, max_chars));
    }
    if let Some((name, price)) = price {
        let _ = write!(text, ", {name} {}", inline(price, 40));
    }
    let rest = pairs(without(fields, &taken), max_chars, 0);
    if rest.is_empty() { text } else { format!("{text}, {rest}") }
}

const PERSON: &[&str] =
    &["title", "firstname", "givenname", "middlename", "lastname", "familyname", "surname"];

fn is_of_name(field: &str) -> bool {
    PERSON.iter().any(|part| is_named(field, part))
}

fn has_name(fields: &Map<String, Value>) -> bool {
    let said = |names: &[&str]| field(fields, names).is_some_and(|(_, name)| name.is_string());
    said(&["firstname", "givenname"]) && said(&["lastname", "familyname", "surname"])
}

/// Whether an object is the name of a person and nothing else.
pub(super) fn is_name(fields: &Map<String, Value>) -> bool {
    has_name(fields) && fields.keys().all(|name| is_of_name(name))
}

pub(super) fn person(fields: &Map<String, Value>) -> String {
    let names = PERSON.iter().filter_map(|part| field(fields, &[part]));
    names.filter_map(|(_, name)| phrase(name, 80)).collect::<Vec<_>>().join(" ")
}

const STREET: &[&str] = &["street", "address1", "line1", "housenumber", "address2", "line2"];
const PLACE: &[&str] = &["city", "town"];
const REGION: &[&str] = &["state", "region", "province"];
const CODE: &[&str] = &["zip", "zipcode", "postcode", "postalcode"];
const COUNTRY: &[&str] = &["country"];

pub(super) fn is_address(fields: &Map<String, Value>) -> bool {
    [STREET, PLACE, CODE].iter().filter(|names| field(fields, names).is_some()).count() >= 2
}

/// `215 River Road, Suite 991, New York, NY 10083, USA`, then what else it says.
pub(super) fn address(fields: &Map<String, Value>, max_chars: usize) -> String {
    let mut taken: Vec<&str> = vec![];
    let mut take = |names: &[&str]| {
        let (name, value) = field(fields, names)?;
        let said = phrase(value, max_chars)?;
        taken.push(name);
        Some(said)
    };
    let mut lines: Vec<String> = STREET.iter().filter_map(|name| take(&[name])).collect();
    lines.extend(take(PLACE));
    let region: Vec<String> = [REGION, CODE].into_iter().filter_map(&mut take).collect();
    lines.push(region.join(" "));
    lines.extend(take(COUNTRY));
    lines.push(pairs(without(fields, &taken), max_chars, 0));
    lines.retain(|line| !line.is_empty());
    lines.join(", ")
}
