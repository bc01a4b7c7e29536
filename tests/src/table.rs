//! The table in process: the real adapter over an embedded DynamoDB, plugged in as the SDK's HTTP client.
//!
//! The hook sees every request, so it counts round trips and request units, and injects faults.

use crate::gate::Gate;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dynoxide::Database;
use dynoxide::errors::DynoxideError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The table's name.
pub const TABLE: &str = "carryover";

/// One request that the table served.
#[derive(Debug, Clone)]
pub struct Call {
    /// The operation, such as `TransactWriteItems`.
    pub operation: String,
    /// The request.
    pub request: Value,
    /// Capacity units that it consumed.
    pub units: f64,
    /// When it was sent.
    pub started: Instant,
    /// When it was answered.
    pub ended: Instant,
}

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection breaks before the table has seen it.
    Unsent,
    /// The table does it, then the connection breaks.
    Unanswered,
    /// The table cancels a transaction for a conflict, or throttles another request.
    Conflict,
    /// Nothing ever comes back.
    Hangs,
}

type FaultRule = dyn Fn(&str, &Value) -> Option<Fault> + Send + Sync;

/// An embedded table.
#[derive(Clone)]
pub struct Table {
    shared: Arc<Shared>,
}

struct Shared {
    database: Database,
    calls: Mutex<Vec<Call>>,
    faults: Mutex<Option<Box<FaultRule>>>,
    latency: Mutex<Duration>,
    gate: Mutex<Option<Arc<Gate>>>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Table")
    }
}

impl Table {
    /// An empty table with its index, as the template declares it.
    ///
    /// # Panics
    /// If the embedded table cannot be created.
    pub fn new() -> Self {
        let database = Database::memory().expect("an embedded database opens");
        let request = json!({
            "TableName": TABLE,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
                {"AttributeName": "state", "AttributeType": "S"},
                {"AttributeName": "state_at", "AttributeType": "S"}
            ],
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"}
            ],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by_state",
                "KeySchema": [
                    {"AttributeName": "state", "KeyType": "HASH"},
                    {"AttributeName": "state_at", "KeyType": "RANGE"}
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["contact_id"]}
            }]
        });
        let request = serde_json::from_value(request).expect("a valid request");
        database.create_table(request).expect("the table is created");
        Self::over(database)
    }

    /// The same items, with calls, faults and all else of its own: whoever is given it is told apart from others.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self::over(self.shared.database.clone())
    }

    fn over(database: Database) -> Self {
        let shared = Shared {
            database,
            calls: Mutex::default(),
            faults: Mutex::default(),
            latency: Mutex::new(Duration::ZERO),
            gate: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A client of the SDK that talks to this table.
    pub fn client(&self) -> Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .endpoint_url("http://table.invalid")
            .retry_config(aws_sdk_dynamodb::config::retry::RetryConfig::disabled())
            .http_client(self.clone())
            .build();
        Client::from_conf(config)
    }

    /// Every request from now on takes at least this long, so that what runs in parallel is seen to.
    pub fn set_latency(&self, latency: Duration) {
        *lock(&self.shared.latency) = latency;
    }

    /// Every request from now on stops at this gate.
    pub fn set_gate(&self, gate: &Arc<Gate>) {
        *lock(&self.shared.gate) = Some(gate.clone());
    }

    /// Asks `rule` about every request from now on; it gets the operation and the request.
    pub fn inject(&self, rule: impl Fn(&str, &Value) -> Option<Fault> + Send + Sync + 'static) {
        *lock(&self.shared.faults) = Some(Box::new(rule));
    }

    /// Nothing goes wrong from now on.
    pub fn heal(&self) {
        *lock(&self.shared.faults) = None;
    }

    /// The requests since the last call of this.
    pub fn take_calls(&self) -> Vec<Call> {
        std::mem::take(&mut lock(&self.shared.calls))
    }

    /// One item as it is, past gate and faults.
    ///
    /// # Panics
    /// If the table cannot be read.
    pub fn item(&self, pk: &str, sk: &str) -> Option<Value> {
        let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let request = json!({"TableName": TABLE, "ConsistentRead": true, "Key": key});
        let found = self.serve("GetItem", request).expect("a read");
        found.get("Item").filter(|item| !item.is_null()).cloned()
    }

    /// Sets an attribute of an item.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn set(&self, pk: &str, sk: &str, attribute: &str, value: impl Serialize) {
        let value = serde_dynamo::aws_sdk_dynamodb_1::to_attribute_value(value).expect("a value");
        let update = self.client().update_item().table_name(TABLE);
        update
            .key("pk", AttributeValue::S(pk.into()))
            .key("sk", AttributeValue::S(sk.into()))
            .update_expression("SET #a = :v")
            .expression_attribute_names("#a", attribute)
            .expression_attribute_values(":v", value)
            .send()
            .await
            .expect("an update");
    }

    /// All items, for tests that look at the table itself.
    ///
    /// # Panics
    /// If the table cannot be read.
    pub fn items(&self) -> Vec<Value> {
        let mut items = vec![];
        let mut start = Value::Null;
        loop {
            let request = json!({"TableName": TABLE, "ConsistentRead": true, "ExclusiveStartKey": start});
            let page = self.serve("Scan", request).expect("a scan");
            items.extend(page["Items"].as_array().cloned().unwrap_or_default());
            match page.get("LastEvaluatedKey") {
                Some(next) if !next.is_null() => start = next.clone(),
                _ => return items,
            }
        }
    }

    fn serve(&self, operation: &str, request: Value) -> Result<Value, DynoxideError> {
        let database = &self.shared.database;
        match operation {
            "GetItem" => run(request, |r| database.get_item(r)),
            "BatchGetItem" => run(request, |r| database.batch_get_item(r)),
            "Query" => run(request, |r| database.query(r)),
            "Scan" => run(request, |r| database.scan(r)),
            "PutItem" => run(request, |r| database.put_item(r)),
            "UpdateItem" => run(request, |r| database.update_item(r)),
            "DeleteItem" => run(request, |r| database.delete_item(r)),
            "BatchWriteItem" => run(request, |r| database.batch_write_item(r)),
            "TransactWriteItems" => run(request, |r| database.transact_write_items(r)),
            other => Err(DynoxideError::ValidationException(format!("{other} is not mapped"))),
        }
    }

    /// What takes no time lets others go first all the same. Nothing goes wrong here.
    async fn take_its_time(&self) -> Option<Fault> {
        let latency = *lock(&self.shared.latency);
        if latency.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(latency).await;
        }
        None
    }

    async fn answer(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let started = Instant::now();
        let operation = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = operation.rsplit('.').next().unwrap_or_default().to_owned();
        let body = request.body().bytes().unwrap_or_default();
        let mut body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        body["ReturnConsumedCapacity"] = json!("TOTAL");
        let gate = lock(&self.shared.gate).clone();
        let told = match gate {
            Some(gate) => gate.pass().await,
            None => self.take_its_time().await,
        };
        let fault =
            told.or_else(|| lock(&self.shared.faults).as_ref().and_then(|rule| rule(&operation, &body)));
        if fault == Some(Fault::Hangs) {
            return std::future::pending().await;
        }
        if fault == Some(Fault::Unsent) {
            return Err(broken());
        }
        if fault == Some(Fault::Conflict) {
            return Ok(conflict(&operation, &body));
        }
        let served = self.serve(&operation, body.clone());
        let units = served.as_ref().map_or(0.0, units);
        let call = Call { operation, request: body, units, started, ended: Instant::now() };
        lock(&self.shared.calls).push(call);
        match (fault, served) {
            (Some(Fault::Unanswered), _) => Err(broken()),
            (_, Ok(value)) => Ok(response(200, value.to_string())),
            (_, Err(error)) => Ok(response(error.status_code(), error.to_json())),
        }
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

/// How many of the calls had to wait for one another: the longest chain of calls that do not overlap.
pub fn sequential(calls: &[Call]) -> usize {
    let mut sorted: Vec<&Call> = calls.iter().collect();
    sorted.sort_by_key(|call| call.ended);
    let mut chain = 0;
    let mut last: Option<Instant> = None;
    for call in sorted {
        if last.is_none_or(|last| call.started >= last) {
            chain += 1;
            last = Some(call.ended);
        }
    }
    chain
}

impl HttpConnector for Table {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::new(self.clone().answer(request))
    }
}

impl HttpClient for Table {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

fn run<Q: DeserializeOwned, A: Serialize>(
    request: Value,
    operation: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> Result<Value, DynoxideError> {
    let request = serde_json::from_value(request)
        .map_err(|error| DynoxideError::SerializationException(error.to_string()))?;
    serde_json::to_value(operation(request)?)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

fn units(answer: &Value) -> f64 {
    let one = |capacity: &Value| capacity["CapacityUnits"].as_f64().unwrap_or(0.0);
    match &answer["ConsumedCapacity"] {
        Value::Array(all) => all.iter().map(one).sum(),
        capacity => one(capacity),
    }
}

fn conflict(operation: &str, request: &Value) -> HttpResponse {
    let body = if operation == "TransactWriteItems" {
        let items = request["TransactItems"].as_array().map_or(1, Vec::len);
        let reason = json!({"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"});
        let reasons: Vec<Value> =
            (0..items).map(|n| if n == 0 { reason.clone() } else { json!({"Code": "None"}) }).collect();
        let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
        json!({"__type": kind, "Message": "Transaction cancelled", "CancellationReasons": reasons})
    } else {
        let kind = "com.amazonaws.dynamodb.v20120810#ThrottlingException";
        json!({"__type": kind, "message": "Rate exceeded"})
    };
    response(400, body.to_string())
}

fn response(status: u16, body: String) -> HttpResponse {
    let status =
        StatusCode::try_from(status).unwrap_or_else(|_| StatusCode::try_from(500).expect("a status"));
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}

fn broken() -> ConnectorError {
    ConnectorError::io("the connection broke".into())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
