//! Hindsight for tests: a server that does as a test says, and the real one, which `make hindsight-tests` starts.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use carryover_shared::bank::{Embedded, Hindsight, HindsightConfig};
use carryover_shared::contact::ContactId;
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Exchange, Origin, Query};
use carryover_shared::store::Store;
use carryover_shared::thread::Seq;
use carryover_shared::time::Timestamp;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use ulid::Ulid;

/// Names the address of the real server.
pub const SERVER: &str = "CARRYOVER_HINDSIGHT";

/// The address of the real server.
///
/// # Panics
/// None runs: the suite was not started by `make hindsight-tests`.
pub fn server() -> String {
    std::env::var(SERVER).expect("a Hindsight server: run the suite by `make hindsight-tests`")
}

/// The bank of a server, beside a table.
///
/// # Panics
/// If the address is not one.
pub fn bank(url: &str, key: &str, store: &Store, limits: &Limits) -> Hindsight {
    let variables = [("HINDSIGHT_URL", url), ("HINDSIGHT_API_KEY", key)];
    let lookup = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let config = HindsightConfig::from_env(lookup).expect("an address").expect("an address");
    Hindsight::new(&config, Embedded::new(store.clone(), limits), limits).expect("a client")
}

/// 2026-12-01 00:00:00 UTC.
const DAY_MILLIS: i64 = 1_796_083_200_000;

/// A contact that nobody else has.
pub fn somebody() -> ContactId {
    ContactId::new(Ulid::generate())
}

/// A question of 2026-12-01, none of which stands in the prompt yet.
pub fn query(text: &str) -> Query {
    Query { text: text.into(), at: Timestamp::from_millis(DAY_MILLIS), before: Seq(u64::MAX) }
}

/// The reply `seq` to the message before it, on 2026-12-01.
pub fn exchange(seq: u64, said: &str, replied: &str) -> Exchange {
    Exchange {
        origin: Origin::Reply(Seq(seq)),
        said: said.into(),
        replied: replied.into(),
        from_seq: Seq(seq - 1),
        to_seq: Seq(seq),
        at: Timestamp::from_millis(DAY_MILLIS),
    }
}

/// A request that a [`FakeHindsight`] received.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its method.
    pub method: Method,
    /// Its path with its query.
    pub path: String,
    /// Its `Authorization`.
    pub authorization: Option<String>,
    /// Its body; null where there is none.
    pub body: Value,
}

type Script = dyn Fn(&Call) -> Option<(u16, String)> + Send + Sync;

struct Stage {
    script: Box<Script>,
    calls: Mutex<Vec<Call>>,
}

/// A server that answers as it is told, until it is dropped.
pub struct FakeHindsight {
    url: String,
    stage: Arc<Stage>,
    server: JoinHandle<()>,
}

impl FakeHindsight {
    /// Answers each call with the status and the body that `script` says, or never.
    ///
    /// # Panics
    /// There is no free port.
    pub async fn start(script: impl Fn(&Call) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let stage = Arc::new(Stage { script: Box::new(script), calls: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(stage.clone());
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url, stage, server }
    }

    /// Answers every call alike.
    pub async fn answering(status: u16, body: &str) -> Self {
        let body = body.to_owned();
        Self::start(move |_| Some((status, body.clone()))).await
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The calls so far, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.stage.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FakeHindsight {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    State(stage): State<Arc<Stage>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let authorization = headers.get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let call = Call { method, path: uri.to_string(), authorization, body };
    let said = (stage.script)(&call);
    stage.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    match said {
        Some((status, body)) => (StatusCode::from_u16(status).unwrap_or_default(), body).into_response(),
        None => std::future::pending().await,
    }
}
