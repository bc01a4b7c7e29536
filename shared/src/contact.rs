//! Contacts and how they are named: by id inside, by verified identity outside.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use ulid::Ulid;

/// One customer, whatever channel they write on; owns exactly one thread.
///
/// Every call for data takes one, and nothing else names a partition or a bank (*isolation*). A new id is a
/// fresh ulid, never derived from an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContactId(Ulid);

impl ContactId {
    /// A contact id from a fresh ulid.
    pub const fn new(ulid: Ulid) -> Self {
        Self(ulid)
    }
}

impl fmt::Display for ContactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ContactId {
    type Err = ulid::DecodeError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ulid::from_string(s).map(Self)
    }
}

/// The longest identity, in characters.
pub const IDENTITY_CHARS: usize = 256;

/// Characters of an identity that are shown where it is masked.
const MASKED: usize = 3;

/// The kinds of identity, as they stand before the first colon.
const SCHEMES: [&str; 6] = ["chat", "tel", "whatsapp", "email", "telegram", "slack"];

/// A verified address of a contact: `chat:<sub>`, `tel:+15551234567`, `email:ana@example.com`, …
///
/// `Debug` and `Display` show it, so it must never be handed to a log (*quiet-logs*).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Identity(String);

/// Why a text is not an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// Not one of the known kinds before the colon.
    #[error("identity must start with one of chat:, tel:, whatsapp:, email:, telegram:, slack:")]
    UnknownKind,
    /// Nothing after the colon.
    #[error("identity names nobody after the colon")]
    Empty,
    /// Too long.
    #[error("identity is longer than {IDENTITY_CHARS} characters")]
    TooLong,
    /// Contains control characters.
    #[error("identity contains control characters")]
    Control,
    /// Not a phone number in E.164 form.
    #[error("identity tel: must be a number in E.164 form, such as tel:+15551234567")]
    NotE164,
    /// Not an e-mail address.
    #[error("identity email: must be an address, such as email:ana@example.com")]
    NotEmail,
}

impl Identity {
    /// The identity of a web chat user, by the host site's customer id.
    pub fn chat(sub: &str) -> Result<Self, IdentityError> {
        format!("chat:{sub}").parse()
    }

    /// As written, with its kind.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Enough of it for whoever knows it: its kind and its last characters.
    pub fn masked(&self) -> String {
        let (kind, rest) = self.0.split_once(':').unwrap_or(("", &self.0));
        let chars = rest.chars().count();
        let shown = if chars > 2 * MASKED { MASKED } else { 0 };
        format!("{kind}:…{}", rest.chars().skip(chars - shown).collect::<String>())
    }

    /// Whether it is the login of a site of ours: whoever has it reads what its customer may read.
    pub fn is_login(&self) -> bool {
        self.0.starts_with("chat:")
    }
}

impl FromStr for Identity {
    type Err = IdentityError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = s.split_once(':').ok_or(IdentityError::UnknownKind)?;
        if !SCHEMES.contains(&scheme) {
            return Err(IdentityError::UnknownKind);
        }
        if rest.trim().is_empty() {
            return Err(IdentityError::Empty);
        }
        if s.chars().count() > IDENTITY_CHARS {
            return Err(IdentityError::TooLong);
        }
        if s.chars().any(char::is_control) {
            return Err(IdentityError::Control);
        }
        match scheme {
            "tel" if !is_e164(rest) => Err(IdentityError::NotE164),
            "email" if !rest.contains('@') => Err(IdentityError::NotEmail),
            "email" => Ok(Self(s.to_lowercase())),
            _ => Ok(Self(s.to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_e164(number: &str) -> bool {
    number
        .strip_prefix('+')
        .is_some_and(|digits| (6..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// One number, page, bot or mailbox of ours, on which contacts write to us.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(String);

impl Account {
    /// The one account of web chat and the JSON API.
    pub fn chat() -> Self {
        Self("chat".into())
    }

    /// The account's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Account {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_keeps_what_the_host_site_calls_its_customer() {
        for text in ["chat:ana", "chat:42:a#b%c", "tel:+15551234567", "telegram:bot/9", "slack:T1/U2"] {
            assert_eq!(text.parse::<Identity>().expect(text).as_str(), text);
        }
        assert_eq!(
            "email:Ana@Example.com".parse::<Identity>().expect("email").as_str(),
            "email:ana@example.com"
        );
    }

    #[test]
    fn what_is_no_identity_is_named() {
        for (text, error) in [
            ("ana", IdentityError::UnknownKind),
            ("sms:1", IdentityError::UnknownKind),
            ("chat:", IdentityError::Empty),
            ("chat: ", IdentityError::Empty),
            ("chat:a\nb", IdentityError::Control),
            ("tel:555", IdentityError::NotE164),
            ("tel:+1555x000000", IdentityError::NotE164),
            ("email:ana", IdentityError::NotEmail),
        ] {
            assert_eq!(text.parse::<Identity>(), Err(error), "{text:?}");
        }
        assert_eq!(Identity::chat(&"x".repeat(300)), Err(IdentityError::TooLong));
    }
}
