//! A function that does nothing, beside which the start of ours is measured.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: LambdaEvent<Value>| Ok::<_, Error>(()))).await
}
