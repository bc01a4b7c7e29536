//! Says hello, until the first use case moves in.

use lambda_runtime::{Error, LambdaEvent, run, service_fn, tracing};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    run(service_fn(hello)).await
}

async fn hello(_event: LambdaEvent<Value>) -> Result<Value, Error> {
    tracing::info!("hello");
    Ok(json!({"statusCode": 200, "body": "hello", "batchItemFailures": []}))
}
