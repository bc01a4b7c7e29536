//! Says hello, until the first use case moves in.

use aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpResponse};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(hello)).await
}

async fn hello(_event: LambdaEvent<ApiGatewayV2httpRequest>) -> Result<ApiGatewayV2httpResponse, Error> {
    let mut response = ApiGatewayV2httpResponse::default();
    response.status_code = 200;
    response.body = Some("hello".into());
    Ok(response)
}
