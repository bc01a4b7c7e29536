//! A customer and an operator's system, as the stack sees them: HTTP and nothing else.

use anyhow::{Context, Result};
use carryover_command::outputs::Outputs;
use carryover_command::token::chat_token;
use reqwest::{Method, RequestBuilder, StatusCode};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const TOKEN_LIVES: Duration = Duration::from_secs(60 * 60);

/// Speaks to one stack.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    outputs: Outputs,
}

/// An answer of the API: its status and its body, `null` where the body is no JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body.
    pub body: Value,
    /// The media type of the body; empty without one.
    pub content_type: String,
}

impl Answer {
    /// The number of the customer's message, as the API told it.
    pub fn seq(&self) -> u64 {
        self.body["seq"].as_u64().unwrap_or(0)
    }

    /// What the bot replied; empty if nothing.
    pub fn reply(&self) -> &str {
        self.body["reply"]["text"].as_str().unwrap_or_default()
    }
}

/// One message of a thread, as `GET /v1/messages` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// Its number.
    pub seq: u64,
    /// `customer`, `bot` or `operator`.
    pub author: String,
    /// What it says.
    pub text: String,
    /// When it came.
    pub at: String,
}

/// What `GET /v1/messages` answers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Messages {
    /// Those after the asked number.
    pub messages: Vec<Message>,
    /// The newest number of the thread.
    pub last_seq: u64,
}

impl Client {
    /// A client of the stack with these outputs.
    ///
    /// # Errors
    /// No HTTP client could be built.
    pub fn new(outputs: Outputs) -> Result<Self> {
        carryover_shared::model::install_crypto_provider();
        let http = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { http, outputs })
    }

    /// The stack's outputs.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// A request to the API, without a token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.outputs.api_url))
    }

    /// A chat token of the customer `sub`.
    ///
    /// # Errors
    /// None could be signed.
    pub fn token(&self, sub: &str) -> Result<String> {
        chat_token(&self.outputs.chat_secret, sub, SystemTime::now(), TOKEN_LIVES)
    }

    /// Posts a message of the customer `sub` and waits for the reply.
    ///
    /// # Errors
    /// The stack does not answer.
    pub async fn post(&self, sub: &str, id: &str, text: &str) -> Result<Answer> {
        self.post_body(sub, &json!({"id": id, "text": text})).await
    }

    /// Posts a message that is answered later.
    ///
    /// # Errors
    /// The stack does not answer.
    pub async fn post_async(&self, sub: &str, id: &str, text: &str) -> Result<Answer> {
        let request = self.request(Method::POST, "/v1/messages").bearer_auth(self.token(sub)?);
        answer(request.header("prefer", "respond-async").json(&json!({"id": id, "text": text}))).await
    }

    /// Posts any body as a message of the customer `sub`.
    ///
    /// # Errors
    /// The stack does not answer.
    pub async fn post_body(&self, sub: &str, body: &Value) -> Result<Answer> {
        let request = self.request(Method::POST, "/v1/messages").bearer_auth(self.token(sub)?);
        answer(request.json(body)).await
    }

    /// The messages of the customer `sub` after `after`.
    ///
    /// # Errors
    /// The stack does not answer with messages.
    pub async fn messages(&self, sub: &str, after: u64) -> Result<Messages> {
        let path = format!("/v1/messages?after={after}");
        let found = answer(self.request(Method::GET, &path).bearer_auth(self.token(sub)?)).await?;
        serde_json::from_value(found.body.clone()).with_context(|| format!("no messages: {found:?}"))
    }

    /// Pushes a fact, as an operator's system does.
    ///
    /// # Errors
    /// The stack does not answer.
    pub async fn put_fact(
        &self,
        identity: &str,
        kind: &str,
        id: &str,
        as_of: &str,
        data: &Value,
    ) -> Result<Answer> {
        let request = self.fact(Method::PUT, identity, kind, id);
        answer(request.json(&json!({"as_of": as_of, "data": data}))).await
    }

    /// A request about a fact, with the token of the API.
    pub fn fact(&self, method: Method, identity: &str, kind: &str, id: &str) -> RequestBuilder {
        let request = self.request(method, &format!("/v1/contacts/{identity}/facts/{kind}/{id}"));
        request.bearer_auth(self.outputs.api_token.expose_secret())
    }
}

/// Sends a request and reads its answer.
///
/// # Errors
/// There is none.
pub async fn answer(request: RequestBuilder) -> Result<Answer> {
    let response = request.send().await?;
    let status = response.status();
    let content_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let body = serde_json::from_slice(&response.bytes().await?).unwrap_or(Value::Null);
    Ok(Answer { status, body, content_type })
}
