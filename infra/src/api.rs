//! The API of a running stack, as customers and account systems use it.

use crate::outputs::Outputs;
use crate::token::chat_token;
use anyhow::{Context, Result, bail};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// How long a chat token lives; each request mints its own.
const TOKEN_LIVES: Duration = Duration::from_secs(10 * 60);
/// Longer than any answer of the API takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a request is sent again that the API could not serve just now, and how long after.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);

/// What would end a path or mean something else in it.
const IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// The API of one stack.
#[derive(Debug, Clone)]
pub struct Api {
    http: reqwest::Client,
    url: String,
    chat_secret: SecretString,
    api_token: SecretString,
}

/// What a message of a customer led to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// `replied`, `escalated`, `silent`, `superseded` or `duplicate`.
    pub status: String,
    /// The message's number.
    pub seq: u64,
    /// The bot's answer, if it gave one.
    pub reply: Option<Said>,
}

/// An answer of the bot.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Said {
    /// Its number.
    pub seq: u64,
    /// Its text.
    pub text: String,
}

/// A message of a thread, as its customer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// Its number.
    pub seq: u64,
    /// `customer`, `bot` or `operator`.
    pub author: String,
    /// What it says.
    pub text: String,
}

/// A page of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Messages {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Where the next page begins.
    pub last_seq: u64,
}

/// A fact, as the API shows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StoredFact {
    /// What it is.
    pub kind: String,
    /// Its id in the account system.
    pub id: String,
    /// Since when it is so.
    pub as_of: String,
    /// What it says.
    pub data: Value,
}

/// What became of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactPut {
    /// It is new.
    Created,
    /// It stands now, in place of an older one or as it stood.
    Stands,
    /// Something newer stands, or was deleted since.
    Older,
    /// It was not taken; why.
    Refused(String),
}

/// A problem as RFC 9457 has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Problem {
    detail: String,
}

impl Api {
    /// The API of the stack with these outputs.
    ///
    /// # Errors
    /// No HTTP client could be built.
    pub fn new(outputs: &Outputs) -> Result<Self> {
        carryover_shared::model::install_crypto_provider();
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let (chat_secret, api_token) = (outputs.chat_secret.clone(), outputs.api_token.clone());
        Ok(Self { http, url: outputs.api_url.clone(), chat_secret, api_token })
    }

    /// A customer writes; the answer is the bot's. The same `id` again is the same message.
    ///
    /// # Errors
    /// The API does not answer, or refuses the message.
    pub async fn post(&self, sub: &str, id: &str, text: &str) -> Result<Answer> {
        let body = json!({"id": id, "text": text});
        let request = || Ok(self.as_customer(Method::POST, "/v1/messages", sub)?.json(&body));
        let (status, body) = self.send(request).await?;
        parse(status, &body)
    }

    /// What a customer reads after message `after`.
    ///
    /// # Errors
    /// The API does not answer, or refuses.
    pub async fn messages(&self, sub: &str, after: u64) -> Result<Messages> {
        let path = format!("/v1/messages?after={after}");
        let (status, body) = self.send(|| self.as_customer(Method::GET, &path, sub)).await?;
        parse(status, &body)
    }

    /// The facts of a contact; none where there is no such contact.
    ///
    /// # Errors
    /// The API does not answer, or refuses.
    pub async fn facts(&self, identity: &str) -> Result<Vec<StoredFact>> {
        #[derive(Deserialize)]
        struct Page {
            items: Vec<StoredFact>,
        }
        let path = format!("/v1/contacts/{}/facts", in_path(identity));
        let (status, body) = self.send(|| Ok(self.as_system(Method::GET, &path))).await?;
        parse::<Page>(status, &body).map(|page| page.items)
    }

    /// Pushes a fact, as an account system does.
    ///
    /// # Errors
    /// The API does not answer.
    pub async fn put_fact(
        &self,
        identity: &str,
        kind: &str,
        id: &str,
        as_of: &str,
        data: &Value,
    ) -> Result<FactPut> {
        let path = format!("/v1/contacts/{}/facts/{}/{}", in_path(identity), in_path(kind), in_path(id));
        let body = json!({"as_of": as_of, "data": data});
        let (status, body) = self.send(|| Ok(self.as_system(Method::PUT, &path).json(&body))).await?;
        Ok(match status {
            StatusCode::CREATED => FactPut::Created,
            StatusCode::OK => FactPut::Stands,
            StatusCode::CONFLICT if detail(&body).starts_with("A newer record") => FactPut::Older,
            status => FactPut::Refused(format!("{status}: {}", detail(&body))),
        })
    }

    fn as_customer(&self, method: Method, path: &str, sub: &str) -> Result<RequestBuilder> {
        let token = chat_token(&self.chat_secret, sub, SystemTime::now(), TOKEN_LIVES)?;
        Ok(self.http.request(method, format!("{}{path}", self.url)).bearer_auth(token))
    }

    fn as_system(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        request.bearer_auth(self.api_token.expose_secret())
    }

    /// Sends a request, again where the API could not serve it: every request here may come twice.
    async fn send(&self, request: impl Fn() -> Result<RequestBuilder>) -> Result<(StatusCode, Vec<u8>)> {
        let mut tries = 0;
        loop {
            tries += 1;
            let sent = self.send_once(request()?).await;
            let again = sent.as_ref().map_or(true, |(status, _)| status.is_server_error());
            if !again || tries == TRIES {
                return sent.with_context(|| format!("{} does not answer", self.url));
            }
            tokio::time::sleep(PAUSE * tries).await;
        }
    }

    async fn send_once(&self, request: RequestBuilder) -> reqwest::Result<(StatusCode, Vec<u8>)> {
        let response = request.send().await?;
        let status = response.status();
        Ok((status, response.bytes().await?.to_vec()))
    }
}

/// A part of a path as it is, but for what would not stay in the path; slashes are part of identities and ids.
fn in_path(part: &str) -> String {
    utf8_percent_encode(part, IN_PATH).to_string()
}

fn parse<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T> {
    if !status.is_success() {
        bail!("{status}: {}", detail(body));
    }
    serde_json::from_slice(body).context("the API answered something unreadable")
}

fn detail(body: &[u8]) -> String {
    serde_json::from_slice::<Problem>(body).unwrap_or_default().detail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_identities_as_they_are_and_ids_whole() {
        assert_eq!(in_path("chat:ana"), "chat:ana");
        assert_eq!(in_path("#W1 50%?"), "%23W1%2050%25%3F");
        assert_eq!(in_path("telegram:bot/9"), "telegram:bot/9");
    }

    #[test]
    fn a_refusal_says_what_the_api_said() {
        let problem = br#"{"title": "Bad request", "detail": "text is empty."}"#;
        let refused = parse::<Answer>(StatusCode::BAD_REQUEST, problem).unwrap_err();
        assert_eq!(refused.to_string(), "400 Bad Request: text is empty.");
    }
}
