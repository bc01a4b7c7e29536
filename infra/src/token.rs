//! Tokens of the web chat, as the host site of a deployment would mint them.

use anyhow::{Context, Result};
use jsonwebtoken::{EncodingKey, Header, encode};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Serialize)]
struct Claims<'a> {
    sub: &'a str,
    exp: u64,
}

/// A token (HS256, key = the bytes of `chat_secret`) of the customer `sub` that expires at `now + lifetime`.
///
/// # Errors
/// `now` lies before 1970, or the secret is empty.
pub fn chat_token(
    chat_secret: &SecretString,
    sub: &str,
    now: SystemTime,
    lifetime: Duration,
) -> Result<String> {
    let exp = (now + lifetime).duration_since(UNIX_EPOCH).context("the clock is before 1970")?.as_secs();
    let key = EncodingKey::from_secret(chat_secret.expose_secret().as_bytes())?;
    encode(&Header::default(), &Claims { sub, exp }, &key).context("a token could not be signed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
    use serde_json::Value;

    #[test]
    fn a_token_names_its_customer_and_expires() {
        let secret = SecretString::from("0123456789abcdef0123456789abcdef");
        let now = SystemTime::now();
        let token = chat_token(&secret, "ana", now, Duration::from_secs(60)).unwrap();
        let key = DecodingKey::from_secret(secret.expose_secret().as_bytes()).unwrap();
        let claims = decode::<Value>(&token, &key, &Validation::new(Algorithm::HS256)).unwrap().claims;
        assert_eq!(claims["sub"], "ana");
        let expected = now.duration_since(UNIX_EPOCH).unwrap().as_secs() + 60;
        assert_eq!(claims["exp"], expected);
    }
}
