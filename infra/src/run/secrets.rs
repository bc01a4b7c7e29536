//! The secrets of a local stack: generated once, kept in its directory.

use crate::outputs::write_private;
use anyhow::{Context, Result};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

const BYTES: usize = 32;

/// What signs chat tokens and what pushes facts.
#[derive(Debug)]
pub(super) struct Secrets {
    pub(super) chat_secret: SecretString,
    pub(super) api_token: SecretString,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    chat_secret: String,
    api_token: String,
}

impl Secrets {
    /// Those of the last run or new ones.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let stored = match std::fs::read_to_string(path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?
            }
            Err(_) => generate(path)?,
        };
        Ok(Self { chat_secret: stored.chat_secret.into(), api_token: stored.api_token.into() })
    }
}

fn generate(path: &Path) -> Result<Stored> {
    let stored = Stored { chat_secret: random()?, api_token: random()? };
    write_private(path, &serde_json::to_vec_pretty(&stored)?)?;
    Ok(stored)
}

/// Random bytes in hexadecimal.
fn random() -> Result<String> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).context("the system has no random bytes")?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
