//! Erasure: a run each minute over its adapters.

// Futures of the SDK nest deeply.
#![recursion_limit = "256"]

use carryover_shared::time::Timestamp;
use carryover_shared::{erase, telemetry, wiring};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde_json::Value;
use std::time::Duration;

/// What is kept of a run's time for what is in hand when it is up.
const GRACE: Duration = Duration::from_secs(60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let ctx = &wiring::erasures().await?;
    run(service_fn(async |event: LambdaEvent<Value>| {
        let end = Timestamp::from_millis(i64::try_from(event.context.deadline)?);
        let now = ctx.clock.now();
        let looked_at = erase::run(ctx, now + end.since(now).saturating_sub(GRACE)).await?;
        tracing::info!(looked_at, "erased");
        Ok::<_, Error>(())
    }))
    .await
}
