//! Where notifications arrive: a server that keeps what it is sent, and tells a receiver's side of the Standard
//! Webhooks.
//!
//! `POST /hook…` and `POST /v2/…` answer 200, `POST /status/<n>` answers that status, `POST /moved` sends the caller
//! elsewhere; `GET /received` tells what has come so far, as JSON.

use anyhow::Result;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Names the address of the receiver that the shared stack tells of its cases.
pub const RECEIVER: &str = "CARRYOVER_RECEIVER";
/// What webhooks to it are signed with.
pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// Where it went.
    pub path: String,
    /// Its headers, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body, as it came.
    pub body: String,
}

impl Received {
    /// A header.
    ///
    /// # Panics
    /// If there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body of JSON")
    }

    /// Whether a receiver that knows `secret` takes it at this time, in seconds since the Unix epoch.
    pub fn is_signed(&self, secret: &str, now: i64) -> bool {
        let (id, timestamp) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let key = STANDARD.decode(secret.trim_start_matches("whsec_")).expect("a key in base64");
        let expected = hmac(&key, format!("{id}.{timestamp}.{}", self.body).as_bytes());
        let recent = timestamp.parse::<i64>().is_ok_and(|at| (now - at).abs() <= 300);
        let signatures = self.header("webhook-signature").split(' ');
        recent && signatures.filter_map(|given| given.strip_prefix("v1,")).any(|given| given == expected)
    }
}

/// HMAC-SHA256 in base64, written down from RFC 2104 and not by the crate that the product uses.
fn hmac(key: &[u8], message: &[u8]) -> String {
    let padded = |with: u8| -> Vec<u8> {
        let zeros = std::iter::repeat(&0_u8);
        key.iter().chain(zeros).take(64).map(|byte| byte ^ with).collect()
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    STANDARD.encode(outer)
}

type Kept = Arc<Mutex<Vec<Received>>>;

/// A receiver that ends with its owner.
#[derive(Debug)]
pub struct Receiver {
    url: String,
    kept: Kept,
    serving: JoinHandle<()>,
}

impl Receiver {
    /// On a free port.
    ///
    /// # Errors
    /// None is free.
    pub async fn start() -> Result<Self> {
        let kept = Kept::default();
        let routes = Router::new()
            .route("/received", get(received))
            .route("/{*path}", post(take))
            .with_state(kept.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Self { url, kept, serving })
    }

    /// Its address, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What has come so far.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.kept).clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What the receiver of the shared stack was sent so far.
///
/// # Panics
/// No stack runs: the suite was not started by `with-stack`.
pub async fn shared_received() -> Vec<Received> {
    let url = std::env::var(RECEIVER).expect("a stack: run the suite by `make stack-tests`");
    carryover_shared::http::install_crypto_provider();
    let answer = reqwest::get(format!("{url}/received")).await.expect("an answer");
    answer.json().await.expect("what was received")
}

async fn received(State(kept): State<Kept>) -> Json<Vec<Received>> {
    Json(lock(&kept).clone())
}

async fn take(State(kept): State<Kept>, uri: Uri, headers: HeaderMap, body: String) -> Response {
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let path = uri.path().to_owned();
    let status = path.strip_prefix("/status/").and_then(|status| status.parse().ok());
    let is_moved = path == "/moved";
    lock(&kept).push(Received { path, headers, body });
    match status.and_then(|status| StatusCode::from_u16(status).ok()) {
        Some(status) => (status, "what the other side says is nobody's business").into_response(),
        None if is_moved => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/hook")]).into_response(),
        None => Json(serde_json::json!({"MessageId": "m1"})).into_response(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
