//! What the adapters that talk HTTP share: one client, one way to send a key, bodies of bounded size.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Response, redirect};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;

/// A server that cannot be connected to within this time is out of reach.
const CONNECT: Duration = Duration::from_secs(5);

/// Makes ring the process's TLS provider, unless one is installed already. Building a client here does so; other
/// users of `reqwest` in the process call it themselves.
pub fn install_crypto_provider() {
    // An error means that a provider is there, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client that sends this authorization, if any, and follows no redirect. It connects with the first request.
///
/// # Errors
/// There are no root certificates, for instance.
pub fn client(authorization: Option<HeaderValue>) -> reqwest::Result<Client> {
    install_crypto_provider();
    let headers: HeaderMap = authorization.map(|value| (AUTHORIZATION, value)).into_iter().collect();
    Client::builder()
        .default_headers(headers)
        .connect_timeout(CONNECT)
        // A redirected POST loses its body or takes its key elsewhere; better to be told.
        .redirect(redirect::Policy::none())
        .build()
}

/// A key as a bearer token, which no `Debug` shows; none without a key.
///
/// # Errors
/// The key contains line breaks or the like.
pub(crate) fn bearer(key: &SecretString) -> Result<Option<HeaderValue>, UnsendableKey> {
    let key = key.expose_secret();
    if key.is_empty() {
        return Ok(None);
    }
    let mut header = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| UnsendableKey)?;
    header.set_sensitive(true);
    Ok(Some(header))
}

/// A key with characters that an HTTP header cannot carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnsendableKey;

/// The body, or its first `most` bytes: what is longer will not parse.
pub(crate) async fn body(mut response: Response, most: usize) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > most {
            body.truncate(most);
            break;
        }
    }
    Ok(body)
}
