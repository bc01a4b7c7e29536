//! The console, wired.

use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use carryover_shared::{telemetry, wiring};
use console::config::Settings;
use console::{Console, lambda};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::start();
    let settings = Settings::from_env()?;
    let desk = wiring::desk().await?;
    let router = &console::router(Console::new(desk, settings, carryover_shared::http::client(None)?));
    run(service_fn(async |event: LambdaEvent<ApiGatewayV2httpRequest>| {
        Ok::<_, Error>(lambda::answer(router, event.payload).await)
    }))
    .await
}
