//! A queue and its dead letters in process, behind the SDK's own client; it fails when it is told to.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use carryover_shared::queue::WatchedQueue;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const URL: &str = "http://sqs.invalid/live";
const DEAD_URL: &str = "http://sqs.invalid/live-dead";

/// The two queues.
#[derive(Debug, Clone, Default)]
pub struct Sqs {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    live: Vec<String>,
    dead: Vec<String>,
    refused: Vec<String>,
    latency: Duration,
    sends: Option<usize>,
}

impl Sqs {
    /// An empty queue with these dead letters.
    pub fn with_dead(letters: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let sqs = Self::default();
        sqs.with(|shared| shared.dead = letters.into_iter().map(Into::into).collect());
        sqs
    }

    /// The queue, watched.
    pub fn watched(&self) -> WatchedQueue {
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .endpoint_url("http://sqs.invalid")
            .retry_config(RetryConfig::disabled())
            .http_client(self.clone())
            .build();
        WatchedQueue::new(Client::from_conf(config), URL, DEAD_URL)
    }

    /// The queue never takes this body, inside a success.
    pub fn refuse(&self, body: &str) {
        self.with(|shared| shared.refused.push(body.to_owned()));
    }

    /// The queue takes so many batches and then none.
    pub fn break_after(&self, batches: usize) {
        self.with(|shared| shared.sends = Some(batches));
    }

    /// Every request takes this long.
    pub fn set_latency(&self, latency: Duration) {
        self.with(|shared| shared.latency = latency);
    }

    /// The jobs of the queue.
    pub fn live(&self) -> Vec<String> {
        self.with(|shared| shared.live.clone())
    }

    /// The dead letters.
    pub fn dead(&self) -> Vec<String> {
        self.with(|shared| shared.dead.clone())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Shared) -> T) -> T {
        work(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn answer(self, operation: String, request: Value) -> HttpResponse {
        tokio::time::sleep(self.with(|shared| shared.latency)).await;
        let answer = self.with(|shared| match operation.as_str() {
            "GetQueueAttributes" => Some(shared.count(&request)),
            "ReceiveMessage" => Some(shared.receive(&request)),
            "SendMessageBatch" => shared.send(&request),
            "DeleteMessageBatch" => Some(shared.delete(&request)),
            other => panic!("{other} is not mapped"),
        });
        let (status, body) = match answer {
            Some(answer) => (200, answer),
            None => (400, json!({"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "gone"})),
        };
        let mut response = HttpResponse::new(
            StatusCode::try_from(status).expect("a status"),
            SdkBody::from(body.to_string()),
        );
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        response
    }
}

impl Shared {
    fn count(&self, request: &Value) -> Value {
        let queue = if request["QueueUrl"] == DEAD_URL { &self.dead } else { &self.live };
        json!({"Attributes": {
            "ApproximateNumberOfMessages": queue.len().to_string(),
            "ApproximateNumberOfMessagesNotVisible": "0",
            "ApproximateNumberOfMessagesDelayed": "0",
        }})
    }

    /// A letter's body is its handle.
    fn receive(&mut self, request: &Value) -> Value {
        assert_eq!(request["QueueUrl"], DEAD_URL);
        let most =
            usize::try_from(request["MaxNumberOfMessages"].as_u64().expect("a number")).expect("a number");
        let letter = |body: &String| json!({"MessageId": body, "ReceiptHandle": body, "Body": body});
        json!({"Messages": self.dead.iter().take(most).map(letter).collect::<Vec<_>>()})
    }

    fn send(&mut self, request: &Value) -> Option<Value> {
        assert_eq!(request["QueueUrl"], URL);
        if let Some(sends) = &mut self.sends {
            *sends = sends.checked_sub(1)?;
        }
        let (mut taken, mut failed) = (vec![], vec![]);
        for entry in request["Entries"].as_array().expect("entries") {
            let body = entry["MessageBody"].as_str().expect("a body").to_owned();
            if self.refused.contains(&body) {
                failed.push(json!({"Id": entry["Id"], "Code": "InternalError", "SenderFault": false}));
            } else {
                taken.push(json!({"Id": entry["Id"], "MessageId": body, "MD5OfMessageBody": ""}));
                self.live.push(body);
            }
        }
        Some(json!({"Successful": taken, "Failed": failed}))
    }

    fn delete(&mut self, request: &Value) -> Value {
        let entries = request["Entries"].as_array().expect("entries");
        let is_deleted = |body: &String| entries.iter().any(|entry| entry["ReceiptHandle"] == body.as_str());
        self.dead.retain(|body| !is_deleted(body));
        json!({"Successful": entries.iter().map(|entry| json!({"Id": entry["Id"]})).collect::<Vec<_>>(), "Failed": []})
    }
}

impl HttpConnector for Sqs {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = operation.rsplit('.').next().unwrap_or_default().to_owned();
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        let sqs = self.clone();
        HttpConnectorFuture::new(async move { Ok(sqs.answer(operation, body).await) })
    }
}

impl HttpClient for Sqs {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
