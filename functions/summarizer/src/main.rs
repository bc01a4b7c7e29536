//! Folds: what aged out of the window goes into the history, after the reply has gone out.

// Futures of the SDK nest deeply.
#![recursion_limit = "256"]

use aws_lambda_events::sqs::SqsEvent;
use carryover_shared::fold;
use carryover_shared::job::FoldJob;
use carryover_shared::queue::{Delivered, each_job};
use carryover_shared::time::Timestamp;
use carryover_shared::{telemetry, wiring};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let wired = &wiring::folds().await?;
    run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        let deadline = Timestamp::from_millis(i64::try_from(event.context.deadline).unwrap_or(i64::MAX));
        let work = async |delivered: Delivered<FoldJob>| {
            fold::work(&wired.ctx, delivered.job, deadline).await.into()
        };
        Ok::<_, Error>(each_job(&wired.sqs, &wired.folds_url, event.payload, work).await)
    }))
    .await
}
