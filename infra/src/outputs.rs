//! `outputs.json`: what the world needs to know of a running local stack.

use anyhow::{Context, Result};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;

/// A running local stack. Written last at every start, removed at its end: the file's presence means ready.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outputs {
    /// Web chat and JSON API, without a slash at its end.
    pub api_url: String,
    /// The AWS endpoint; region us-east-1, credentials test/test.
    pub endpoint: String,
    /// The table's name.
    pub table: String,
    /// URLs by name: `turns`, `folds`, `retention`, `notifications`, and their dead letters `turns-dead`, `folds-dead`,
    /// `retention-dead`, `notifications-dead`.
    pub queues: BTreeMap<String, String>,
    /// The Hindsight server that keeps the memories, if one does.
    #[serde(default)]
    pub hindsight_url: Option<String>,
    /// The bucket of the index of past cases, where it is not in the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_bucket: Option<String>,
    /// Signs the tokens of the web chat.
    #[serde(serialize_with = "exposed")]
    pub chat_secret: SecretString,
    /// The bearer token of the systems that push facts.
    #[serde(serialize_with = "exposed")]
    pub api_token: SecretString,
    /// The pool in which operators are.
    pub user_pool_id: String,
    /// The console's name there.
    pub user_pool_client_id: String,
    /// Who can sign in to the console at `/console`.
    pub operators: Vec<Operator>,
}

/// Somebody who works in the console.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Operator {
    /// The name by which they sign in.
    pub username: String,
    /// Their password.
    #[serde(serialize_with = "exposed")]
    pub password: SecretString,
    /// Their group in the pool: `operator` or `admin`.
    pub role: String,
}

fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

impl Outputs {
    /// Reads them.
    ///
    /// # Errors
    /// There is no such file (no stack runs there), or it is not readable as outputs.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} is missing: is `make run` running?", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    /// The URL of a queue.
    ///
    /// # Errors
    /// The stack has none of this name.
    pub fn queue(&self, name: &str) -> Result<&str> {
        let url = self.queues.get(name).map(String::as_str);
        url.with_context(|| format!("the stack has no queue {name}"))
    }

    /// Who signs in by this name.
    ///
    /// # Errors
    /// Nobody does.
    pub fn operator(&self, username: &str) -> Result<&Operator> {
        let found = self.operators.iter().find(|operator| operator.username == username);
        found.with_context(|| format!("the stack has no operator {username}"))
    }

    /// Writes them so that a reader finds all or nothing.
    ///
    /// # Errors
    /// The file system refused.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_private(path, &serde_json::to_vec_pretty(self)?)
    }
}

/// Replaces a file in one step, readable by its owner alone.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let partial = path.with_extension("partial");
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(&partial)?.write_all(bytes)?;
        std::fs::rename(&partial, path)
    };
    write().with_context(|| format!("{} could not be written", path.display()))
}
