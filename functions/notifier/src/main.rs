//! Notifications: the jobs of one queue over their adapters.

// Futures of the SDK nest deeply.
#![recursion_limit = "256"]

use aws_lambda_events::sqs::SqsEvent;
use carryover_shared::job::NotificationJob;
use carryover_shared::queue::{Delivered, each_job};
use carryover_shared::time::Timestamp;
use carryover_shared::wiring::{self, WiredNotifications};
use carryover_shared::{notify, telemetry};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let WiredNotifications { ctx, sqs, notifications_url } = &wiring::notifications().await?;
    run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        let deadline = Timestamp::from_millis(i64::try_from(event.context.deadline)?);
        let work = async |delivered: Delivered<NotificationJob>| {
            notify::work(ctx, delivered.job, delivered.receives, deadline).await.into()
        };
        Ok::<_, Error>(each_job(sqs, notifications_url, event.payload, work).await)
    }))
    .await
}
