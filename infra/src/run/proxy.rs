//! The front: one plain address for people, browsers and tests.
//!
//! The emulator routes calls of the API by a host name that no resolver knows; the front sets it.

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::io;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

#[derive(Clone)]
struct Upstream {
    client: Client<HttpConnector, Body>,
    authority: Authority,
    host: HeaderValue,
}

/// Serves until the set is dropped; the set ends when the front dies.
pub(super) fn serve(
    listener: TcpListener,
    api_host: &str,
    endpoint: &str,
) -> Result<JoinSet<io::Result<()>>> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let upstream = Upstream {
        client: Client::builder(TokioExecutor::new()).build(connector),
        authority: endpoint.trim_start_matches("http://").parse().context("the endpoint has no authority")?,
        host: HeaderValue::from_str(api_host).context("the API has no host name")?,
    };
    let router = Router::new().fallback(forward).with_state(upstream);
    let mut front = JoinSet::new();
    front.spawn(axum::serve(listener, router).into_future());
    Ok(front)
}

/// Sends a request on and its answer back; bodies are streamed.
async fn forward(State(upstream): State<Upstream>, mut request: Request) -> Response {
    match upstream.address(request.uri()) {
        Ok(uri) => *request.uri_mut() = uri,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("{error:#}\n")).into_response(),
    }
    request.headers_mut().insert(header::HOST, upstream.host.clone());
    request.headers_mut().remove(header::CONNECTION);
    match upstream.client.request(request).await {
        Ok(response) => response.map(Body::new),
        Err(error) => {
            (StatusCode::BAD_GATEWAY, format!("the local stack does not answer: {error}\n")).into_response()
        }
    }
}

impl Upstream {
    fn address(&self, asked: &Uri) -> Result<Uri> {
        let path = asked.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.authority.clone()).path_and_query(path);
        uri.build().context("the address is not one")
    }
}
