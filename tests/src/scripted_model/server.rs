use super::answers;
use super::prompt::Prompt;
use super::recorded::Recording;
use super::rule::Rule;
use super::stage::{Seen, Stage};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

const REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// Serves a scripted model at `listener` until the future is dropped; what no rule answers, the recording does.
pub async fn serve(listener: TcpListener, recording: Recording) {
    let routes = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/script/rules", post(add))
        .route("/script/rules/{id}", delete(remove))
        .route("/script/release/{name}", post(release))
        .route("/script/requests", get(requests))
        .route("/script/health", get(async || Json(json!({"status": "ok"}))))
        .layer(DefaultBodyLimit::max(REQUEST_BYTES))
        .with_state(Arc::new(Stage::new(recording)));
    // Accept errors are retried inside; serving ends with the process or the task.
    let _ = axum::serve(listener, routes).await;
}

async fn complete(State(stage): State<Arc<Stage>>, Json(request): Json<Value>) -> Response {
    let prompt = Prompt::read(&request);
    let cue = stage.ask(&prompt);
    let mut ending = Ending { stage: &stage, number: cue.number, answered: false };
    tokio::time::sleep(Duration::from_millis(cue.delay_ms)).await;
    if let Some(gate) = cue.gate {
        // Never a permit: the wait ends when the gate is released.
        let _ = gate.acquire().await;
    }
    let response = answers::give(cue.then, &prompt).await;
    ending.answered = true;
    response
}

/// Records the end of a request, also when the client went away and the handler is dropped.
struct Ending<'a> {
    stage: &'a Stage,
    number: u64,
    answered: bool,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.stage.end(self.number, self.answered);
    }
}

async fn add(State(stage): State<Arc<Stage>>, Json(rule): Json<Rule>) -> Json<Value> {
    Json(json!({"id": stage.add(rule)}))
}

async fn remove(State(stage): State<Arc<Stage>>, Path(id): Path<String>) {
    stage.remove(&id);
}

async fn release(State(stage): State<Arc<Stage>>, Path(name): Path<String>) {
    stage.release(&name);
}

async fn requests(State(stage): State<Arc<Stage>>, uri: Uri) -> Json<Vec<Seen>> {
    let query = uri.query().unwrap_or_default();
    let Ok(url) = reqwest::Url::parse(&format!("http://script/?{query}")) else { return Json(Vec::new()) };
    let all = |wanted: &str| -> Vec<String> {
        url.query_pairs().filter(|(name, _)| name == wanted).map(|(_, value)| value.into_owned()).collect()
    };
    Json(stage.requests(&all("contains"), all("schema").first().map(String::as_str)))
}
