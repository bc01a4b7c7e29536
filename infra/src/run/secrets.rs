//! The secrets of a local stack: generated once, kept in its directory.

use crate::outputs::{Operator, write_private};
use anyhow::{Context, Result};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const BYTES: usize = 32;
/// People type it.
const PASSWORD_BYTES: usize = 8;

/// Who can sign in to the console: username and role.
const OPERATORS: [(&str, &str); 2] = [("robin", "operator"), ("alex", "admin")];

/// What signs chat tokens and sessions, what pushes facts, and what opens the console.
#[derive(Debug)]
pub(super) struct Secrets {
    pub(super) chat_secret: SecretString,
    pub(super) api_token: SecretString,
    pub(super) session_secret: SecretString,
    pub(super) operators: Vec<Operator>,
}

/// What is missing in it was introduced after it was written.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    chat_secret: String,
    api_token: String,
    session_secret: String,
    passwords: BTreeMap<String, String>,
}

impl Secrets {
    /// Those of the last run, and new ones where it had none.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let known = match std::fs::read_to_string(path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?
            }
            Err(_) => Stored::default(),
        };
        let stored = known.clone().completed()?;
        if stored != known {
            write_private(path, &serde_json::to_vec_pretty(&stored)?)?;
        }
        Ok(stored.into())
    }
}

impl Stored {
    fn completed(mut self) -> Result<Self> {
        for secret in [&mut self.chat_secret, &mut self.api_token, &mut self.session_secret] {
            if secret.is_empty() {
                *secret = random::<BYTES>()?;
            }
        }
        for (username, _) in OPERATORS {
            if !self.passwords.contains_key(username) {
                self.passwords.insert(username.to_owned(), password()?);
            }
        }
        Ok(self)
    }
}

impl From<Stored> for Secrets {
    fn from(mut stored: Stored) -> Self {
        let operator = |(username, role): (&str, &str)| Operator {
            username: username.to_owned(),
            password: stored.passwords.remove(username).unwrap_or_default().into(),
            role: role.to_owned(),
        };
        Self {
            operators: OPERATORS.into_iter().map(operator).collect(),
            chat_secret: stored.chat_secret.into(),
            api_token: stored.api_token.into(),
            session_secret: stored.session_secret.into(),
        }
    }
}

/// The word in front has all that the pool asks of a password.
fn password() -> Result<String> {
    Ok(format!("Local1-{}", random::<PASSWORD_BYTES>()?))
}

/// Random bytes in hexadecimal.
fn random<const COUNT: usize>() -> Result<String> {
    let mut bytes = [0_u8; COUNT];
    getrandom::fill(&mut bytes).context("the system has no random bytes")?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn what_an_earlier_run_knew_stays_and_what_it_lacked_is_added_once() {
        let stored: Stored = serde_json::from_str(r#"{"chat_secret": "c", "api_token": "a"}"#).unwrap();
        let first = stored.completed().unwrap();
        assert_eq!((first.chat_secret.as_str(), first.api_token.as_str()), ("c", "a"));
        assert_eq!(first.session_secret.len(), 2 * BYTES);
        assert!(first.clone().completed().unwrap() == first);

        let operators = Secrets::from(first.clone()).operators;
        let passwords = operators.iter().map(|operator| operator.password.expose_secret());
        assert!(passwords.eq([&first.passwords["robin"], &first.passwords["alex"]]));
    }
}
