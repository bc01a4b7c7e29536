//! The console, wired.

use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use carryover_shared::telemetry;
use carryover_shared::wiring::{self, WiredDesk};
use console::config::Settings;
use console::{Console, lambda};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let settings = Settings::from_env()?;
    let WiredDesk { ctx, health } = wiring::desk().await?;
    let http = carryover_shared::http::client(None)?;
    let router = &console::router(Console::new(ctx, health, settings, http));
    run(service_fn(async |event: LambdaEvent<ApiGatewayV2httpRequest>| {
        Ok::<_, Error>(lambda::answer(router, event.payload).await)
    }))
    .await
}
