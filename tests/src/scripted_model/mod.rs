//! A model that says what a test tells it to: an OpenAI-compatible server with a control API.
//!
//! `POST /v1/chat/completions` answers by the newest [`Rule`] that matches, else for the reply schema by its
//! [`Recording`], else by its default: a short echo for the reply schema, a faithful extract for the fold schema. Tests share one server, so a rule
//! matches by words that its test puts into its own messages. Under `/script`:
//!
//! | request | does |
//! | --- | --- |
//! | `POST /script/rules` | adds a [`Rule`], answers `{"id"}`; the same id again replaces it |
//! | `DELETE /script/rules/{id}` | removes it |
//! | `POST /script/release/{name}` | opens the gate `name`, for good, for everything that a rule's `hold` keeps there |
//! | `GET /script/requests?contains=…&schema=…` | what was asked ([`Seen`]), oldest first; `contains` may be repeated |
//! | `GET /script/health` | `{"status": "ok"}` |

mod answers;
mod builtin;
mod prompt;
mod recorded;
mod rule;
mod server;
mod stage;

pub use recorded::Recording;
pub use rule::{Builtin, Reply, Rule, Then};
pub use server::serve;
pub use stage::{Message, Seen};

use anyhow::{Context, Result};
use serde::Deserialize;
use std::ops::Deref;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How long [`Script::wait_for`] waits for a request; longer than anything a healthy test does.
const PATIENCE: Duration = Duration::from_secs(120);

/// The control API of a scripted model, in this process or another.
#[derive(Debug, Clone)]
pub struct Script {
    root: String,
    http: reqwest::Client,
}

impl Script {
    /// The control API of the server whose model address is `url` (it ends in `/v1`).
    pub fn of(url: &str) -> Result<Self> {
        carryover_shared::model::install_crypto_provider();
        let root = url.trim_end_matches("/v1").to_owned();
        Ok(Self { root, http: reqwest::Client::builder().build()? })
    }

    /// The model's address, for `MODEL_URL`.
    pub fn url(&self) -> String {
        format!("{}/v1", self.root)
    }

    /// Adds a rule and returns its id.
    pub async fn add(&self, rule: &Rule) -> Result<String> {
        #[derive(Deserialize)]
        struct Added {
            id: String,
        }
        let request = self.http.post(format!("{}/script/rules", self.root)).json(rule);
        let response = request.send().await?.error_for_status().context("the rule was not taken")?;
        Ok(response.json::<Added>().await?.id)
    }

    /// Removes a rule; one that is not there is no error.
    pub async fn remove(&self, id: &str) -> Result<()> {
        self.http.delete(format!("{}/script/rules/{id}", self.root)).send().await?.error_for_status()?;
        Ok(())
    }

    /// Opens the gate `name`, for good.
    pub async fn release(&self, name: &str) -> Result<()> {
        self.http.post(format!("{}/script/release/{name}", self.root)).send().await?.error_for_status()?;
        Ok(())
    }

    /// What was asked so far with all of `words` in its messages, oldest first.
    pub async fn requests(&self, words: &[&str]) -> Result<Vec<Seen>> {
        let mut url = reqwest::Url::parse(&format!("{}/script/requests", self.root))?;
        url.query_pairs_mut().extend_pairs(words.iter().map(|word| ("contains", word)));
        Ok(self.http.get(url).send().await?.error_for_status()?.json().await?)
    }

    /// Waits until at least `count` requests with all of `words` have arrived, answered or not.
    pub async fn wait_for(&self, words: &[&str], count: usize) -> Result<Vec<Seen>> {
        let polled = async {
            loop {
                let seen = self.requests(words).await?;
                if seen.len() >= count {
                    return Ok(seen);
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, polled)
            .await
            .with_context(|| format!("the model was not asked {count} times about {words:?}"))?
    }
}

/// A scripted model that lives in this process until it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    script: Script,
    server: JoinHandle<()>,
}

impl ScriptedModel {
    /// Starts one on a free port of 127.0.0.1.
    pub async fn start() -> Result<Self> {
        Self::playing(Recording::default()).await
    }

    /// Starts one that answers as it is recorded.
    pub async fn playing(recording: Recording) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let script = Script::of(&url_of(&listener)?)?;
        Ok(Self { script, server: tokio::spawn(serve(listener, recording)) })
    }
}

impl Deref for ScriptedModel {
    type Target = Script;

    fn deref(&self) -> &Script {
        &self.script
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The model's address at a listener.
pub fn url_of(listener: &TcpListener) -> Result<String> {
    Ok(format!("http://{}/v1", listener.local_addr()?))
}
