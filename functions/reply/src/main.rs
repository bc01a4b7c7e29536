//! The doors of a turn: one artefact, deployed as door, worker and sweep, each with its own concurrency.

// Futures of the SDK nest deeply.
#![recursion_limit = "256"]

use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use aws_lambda_events::sqs::SqsEvent;
use carryover_shared::api::{self, Api, Credentials};
use carryover_shared::job::TurnJob;
use carryover_shared::queue::{Delivered, Handled, each_job};
use carryover_shared::wiring::{self, Wired};
use carryover_shared::{admit, config, sweep, telemetry};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let wired = wiring::turns().await?;
    match config::required("DOOR")?.as_str() {
        "door" => door(wired).await,
        "worker" => worker(wired).await,
        "sweep" => sweep(wired).await,
        other => Err(format!("DOOR must be door, worker or sweep, not {other}").into()),
    }
}

async fn door(wired: Wired) -> Result<(), Error> {
    let credentials =
        Credentials { chat_secret: config::secret("CHAT_SECRET")?, api_token: config::secret("API_TOKEN")? };
    let api = &Api { ctx: wired.ctx, credentials };
    run(service_fn(async |event: LambdaEvent<ApiGatewayV2httpRequest>| {
        Ok::<_, Error>(api::handle(api, event.payload).await)
    }))
    .await
}

async fn worker(wired: Wired) -> Result<(), Error> {
    let Wired { ctx, sqs, turns_url } = &wired;
    let work = async |delivered: Delivered<TurnJob>| match admit::work(
        ctx,
        &delivered.job,
        delivered.receives,
    )
    .await
    {
        Ok(worked) => worked.into(),
        Err(error) => {
            tracing::error!(%error, "a turn's job failed");
            Handled::Failed
        }
    };
    let work = &work;
    run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        Ok::<_, Error>(each_job(sqs, turns_url, event.payload, work).await)
    }))
    .await
}

async fn sweep(wired: Wired) -> Result<(), Error> {
    let ctx = &wired.ctx;
    run(service_fn(async |_: LambdaEvent<Value>| {
        let swept = sweep::run(ctx).await?;
        tracing::info!(waiting = swept.waiting, queued = swept.queued, "swept");
        Ok::<_, Error>(())
    }))
    .await
}
