//! The HTTP doors: web chat, customer portal, JSON API and facts, over events of an HTTP API (payload format 2.0).

mod auth;
mod business;
mod facts;
mod me;
mod messages;
mod pages;
mod problem;
mod request;

pub use auth::Credentials;
pub use problem::Problem;

use crate::turn::Context;
use aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpResponse};
use request::{Request, Response};

/// What the doors need.
#[derive(Clone)]
pub struct Api {
    /// The turn.
    pub ctx: Context,
    /// Who may come in.
    pub credentials: Credentials,
}

/// Answers one request. It always answers; what went wrong inside is logged and said as a problem.
pub async fn handle(api: &Api, event: ApiGatewayV2httpRequest) -> ApiGatewayV2httpResponse {
    let started = api.ctx.clock.now();
    let method = event.request_context.http.method.to_string();
    let response = match Request::read(event) {
        Ok(request) => Box::pin(route(api, &request)).await.unwrap_or_else(Problem::into_response),
        Err(problem) => problem.into_response(),
    };
    // The path may name a contact, so it stays out of the log (*quiet-logs*).
    let millis = api.ctx.clock.now().since(started).as_millis();
    tracing::info!(method, status = response.status, millis, "a request was answered");
    response.into_event()
}

async fn route(api: &Api, request: &Request) -> Result<Response, Problem> {
    let path = request.path.as_str();
    if let Some(rest) = path.strip_prefix("/v1/contacts/") {
        return facts::route(api, request, rest).await;
    }
    if let Some(rest) = path.strip_prefix("/v1/agents/") {
        return business::route(api, request, rest).await;
    }
    if let Some(rest) = path.strip_prefix("/v1/me").filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        return me::route(api, request, rest.trim_start_matches('/')).await;
    }
    match (request.method.as_str(), path) {
        ("POST", "/v1/messages") => messages::post(api, request).await,
        ("GET", "/v1/messages") => messages::get(api, request).await,
        (_, "/v1/messages") => Err(Problem::method_not_allowed("GET, POST")),
        ("GET" | "HEAD", page) => pages::get(page),
        _ => Err(Problem::not_found()),
    }
}
