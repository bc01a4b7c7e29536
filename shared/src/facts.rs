//! Facts: records of account systems, read fresh in every turn; on what the account says they outrank
//! everything remembered (*truth-ranks*).
//!
//! [`of_business`] says which facts of the business concern a contact.
//! [`render_wrote`] is what customers wrote into records themselves, which no record says.
//! [`AsOf`] is when a record was so, [`put`] and [`delete`] say which of two records stands, [`render`] is what a
//! prompt shows of them, and the checks here say what is taken from outside. The account system's clock alone orders its records, never the order in
//! which they arrive.

mod as_of;
mod business;
pub(crate) mod inline;
mod line;
mod precedence;
pub(crate) mod read;
mod render;
pub(crate) mod wrote;

#[cfg(test)]
mod render_tests;

pub use as_of::{AHEAD_MINUTES, AsOf};
pub use business::of_business;
pub use precedence::{DeleteRule, PutRule, delete, put, same_data};
pub use render::{Rendered, render, render_business};
pub use wrote::{WROTE, render_wrote, with_words_of};

use crate::limits::Limits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The source of the records that the bot opens itself.
pub const OURS: &str = "carryover";

/// The source of what staff open in the console.
pub const STAFF: &str = "staff";

/// The source of what customers open and set themselves, in the portal.
pub const PORTAL: &str = "portal";

/// How the ids begin of requests that customers open.
pub const OWN: &str = "portal-";

/// The field that says which operator changed a record last: for people, not for the bot.
pub const UPDATED_BY: &str = "updated_by";

/// The kind of what a customer wishes of us: language and channel of replies.
pub const PREFERENCE: &str = "preference";

/// The longest kind, in characters.
pub const KIND_CHARS: usize = 64;

/// The longest id, in bytes of UTF-8, so that kind and id fit a sort key of the table even where each byte is
/// escaped.
pub const ID_BYTES: usize = 256;

/// From here on a floating-point number no longer keeps every digit of a whole number.
const EXACT_NUMBERS: f64 = 9_007_199_254_740_992.0;

/// A record of an account system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is: `order`, `request`, `appointment`, `profile`, `contact`, `qualification`, or any other word.
    pub kind: String,
    /// Its id in the account system.
    pub id: String,
    /// Since when it is so, by the account system's clock.
    pub as_of: AsOf,
    /// Which system says so.
    pub source: String,
    /// What it says.
    pub data: Value,
}

/// Why something is not taken as a fact. The texts name the field and the bound, and never its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    /// No time given.
    #[error("as_of is missing: it must be a time in RFC 3339 form, such as 2026-11-30T09:15:00Z")]
    AsOfMissing,
    /// Not a time.
    #[error("as_of must be a time in RFC 3339 form, at most nanoseconds, such as 2026-11-30T09:15:00Z")]
    AsOfUnreadable,
    /// A time that has not come.
    #[error("as_of must not be more than {AHEAD_MINUTES} minutes ahead")]
    AsOfAhead,
    /// Not a word for a kind.
    #[error("kind must be 1 to {KIND_CHARS} characters of a-z, 0-9, - and _")]
    Kind,
    /// Not an id.
    #[error("id must be 1 to {ID_BYTES} bytes, not blank, without control characters and line breaks")]
    Id,
    /// Not an object.
    #[error("data must be a JSON object")]
    DataNotObject,
    /// Too large.
    #[error("data must be at most {max} bytes of JSON; it has {bytes}")]
    DataTooLarge {
        /// What it has.
        bytes: usize,
        /// What it may have.
        max: usize,
    },
    /// A number that would lose digits.
    #[error("data holds a number beyond 64 bits, which would lose digits; send it as a string")]
    NumberTooLarge,
}

impl Fact {
    /// A fact that keeps all bounds.
    ///
    /// # Errors
    /// What is wrong with `kind`, `id` or `data`, in this order.
    pub fn checked(
        kind: &str,
        id: &str,
        as_of: AsOf,
        source: &str,
        data: Value,
        limits: &Limits,
    ) -> Result<Self, FactError> {
        check_key(kind, id)?;
        check_data(&data, limits)?;
        Ok(Self { kind: kind.into(), id: id.into(), as_of, source: source.into(), data })
    }
}

/// Whether a record is a request that a customer opened, whoever says what it says now.
pub fn is_own(fact: &Fact) -> bool {
    fact.kind == "request" && fact.id.starts_with(OWN)
}

/// Whether a record says nothing yet that anybody but its customer said.
pub fn is_the_customers_alone(fact: &Fact) -> bool {
    fact.source == PORTAL && fact.data.get(UPDATED_BY).is_none()
}

/// Whether `kind` and `id` can name a fact.
///
/// # Errors
/// [`FactError::Kind`] or [`FactError::Id`].
pub fn check_key(kind: &str, id: &str) -> Result<(), FactError> {
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if kind.is_empty() || kind.len() > KIND_CHARS || !kind.bytes().all(word) {
        return Err(FactError::Kind);
    }
    let breaks = |mark: char| mark.is_control() || matches!(mark, '\u{2028}' | '\u{2029}');
    if id.trim().is_empty() || id.len() > ID_BYTES || id.chars().any(breaks) {
        return Err(FactError::Id);
    }
    Ok(())
}

/// Whether `data` can be what a fact says.
///
/// # Errors
/// Not an object, more than `limits.fact_bytes` bytes of JSON, or a number that lost digits on its way.
pub fn check_data(data: &Value, limits: &Limits) -> Result<(), FactError> {
    if !data.is_object() {
        return Err(FactError::DataNotObject);
    }
    let bytes = data.to_string().len();
    if bytes > limits.fact_bytes {
        return Err(FactError::DataTooLarge { bytes, max: limits.fact_bytes });
    }
    if keeps_digits(data) { Ok(()) } else { Err(FactError::NumberTooLarge) }
}

fn keeps_digits(value: &Value) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            number.as_f64().is_some_and(|float| float.abs() < EXACT_NUMBERS)
        }
        Value::Array(values) => values.iter().all(keeps_digits),
        Value::Object(fields) => fields.values().all(keeps_digits),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn data_error(data: &Value) -> Option<FactError> {
        check_data(data, &Limits { fact_bytes: 40, ..Limits::default() }).err()
    }

    #[test]
    fn a_fact_is_named_as_the_account_system_names_it() {
        for (kind, id) in
            [("order", "#W2611340"), ("a", "1"), ("gift-card_2", "a b/c%d#e"), ("order", "注文 7")]
        {
            assert_eq!(check_key(kind, id), Ok(()), "{kind} {id}");
        }
    }

    #[test]
    fn what_cannot_name_a_fact_is_named() {
        for kind in ["", "Order", "my order", "größe", "order#1", &"x".repeat(65)] {
            assert_eq!(check_key(kind, "1"), Err(FactError::Kind), "{kind:?}");
        }
        for id in ["", " ", "a\nb", "a\u{2028}b", &"x".repeat(257), &"😀".repeat(65)] {
            assert_eq!(check_key("order", id), Err(FactError::Id), "{id:?}");
        }
    }

    #[test]
    fn data_is_an_object_within_its_bound() {
        assert_eq!(data_error(&json!({ "a": "é" })), None);
        assert_eq!(data_error(&json!([1])), Some(FactError::DataNotObject));
        assert_eq!(data_error(&json!(null)), Some(FactError::DataNotObject));
        let error = data_error(&json!({ "a": "x".repeat(33) })).expect("too large");
        assert_eq!(error, FactError::DataTooLarge { bytes: 41, max: 40 });
        assert_eq!(error.to_string(), "data must be at most 40 bytes of JSON; it has 41");
    }

    #[test]
    fn a_number_that_would_lose_digits_is_refused() {
        for text in [r#"{"n":123456789012345678901}"#, r#"{"a":[{"n":-1e300}]}"#] {
            let data: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(data_error(&data), Some(FactError::NumberTooLarge), "{text}");
        }
        for text in [r#"{"n":18446744073709551615}"#, r#"{"n":-9223372036854775808}"#, r#"{"n":47.84}"#] {
            let data: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(data_error(&data), None, "{text}");
            assert_eq!(data.to_string(), text);
        }
    }
}
