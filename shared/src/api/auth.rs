//! Who may come in: customers with a token that the host site signs, account systems with the API's token.

use super::problem::Problem;
use super::request::Request;
use crate::contact::Identity;
use crate::hash;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// The secrets of the doors.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The host site signs its customers' tokens with it (HS256, the bytes as they are).
    pub chat_secret: SecretString,
    /// The bearer token of the systems that push facts.
    pub api_token: SecretString,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
}

/// The customer whom the host site vouches for (*isolation*).
pub(super) fn customer(credentials: &Credentials, request: &Request) -> Result<Identity, Problem> {
    let refused =
        || Problem::unauthorized("A bearer token is needed, signed by the host site, with sub and exp.");
    let key = DecodingKey::from_secret(credentials.chat_secret.expose_secret().as_bytes())
        .map_err(|_| refused())?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.leeway = 0;
    validation.validate_aud = false;
    validation.validate_nbf = true;
    let claims = decode::<Claims>(bearer(request).ok_or_else(refused)?, &key, &validation)
        .map_err(|_| refused())?
        .claims;
    Identity::chat(&claims.sub).map_err(|error| Problem::unauthorized(&format!("sub: {error}.")))
}

/// An account system.
pub(super) fn system(credentials: &Credentials, request: &Request) -> Result<(), Problem> {
    let given = bearer(request).map(hash::of);
    // Hashes of the same length are compared, so that the time tells nothing of the token.
    if given == Some(hash::of(credentials.api_token.expose_secret())) {
        return Ok(());
    }
    Err(Problem::unauthorized("The bearer token of the API is needed."))
}

fn bearer(request: &Request) -> Option<&str> {
    let (scheme, token) = request.header("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
