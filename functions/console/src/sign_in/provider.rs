//! The OpenID Connect provider: codes become ID tokens, and ID tokens say who somebody is.

use crate::caller::{Caller, Role};
use crate::config::Provider;
use carryover_shared::operator::Operator;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// For want of a key, the keys are read again no more often than this.
const UNKNOWN: Duration = Duration::from_secs(60);
/// Where no keys are known, no more often than this.
const RETRY: Duration = Duration::from_secs(5);
/// Keys of this age are read again in any case.
const OLD: Duration = Duration::from_secs(60 * 60);
/// What one call of the provider may take.
const CALL_TIME: Duration = Duration::from_secs(5);

/// Why nobody was let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No token, or one that the provider did not sign for this console, or an old one.
    #[error("the ID token is missing, expired or not one of this console")]
    Token,
    /// A person, but without a role here.
    #[error("this account has no role here: it must be in the group operator or admin")]
    NoRole,
    /// The provider cannot be asked.
    #[error("the sign-in service cannot be reached")]
    Unreachable,
}

/// Speaks to the provider, and knows its keys.
#[derive(Debug)]
pub struct Oidc {
    provider: Provider,
    http: reqwest::Client,
    keys: Mutex<Keys>,
}

#[derive(Debug, Deserialize)]
struct Claims {
    sub: String,
    #[serde(rename = "cognito:username")]
    cognito_username: Option<String>,
    #[serde(default, rename = "cognito:groups")]
    groups: Vec<String>,
    token_use: Option<String>,
    nonce: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

impl Oidc {
    /// One that knows no keys yet.
    pub fn new(provider: Provider, http: reqwest::Client) -> Self {
        Self { provider, http, keys: Mutex::default() }
    }

    /// The provider's settings.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Whom an ID token names; with `nonce` it must be the one of this sign-in.
    ///
    /// # Errors
    /// It is not one of this console, it has expired, it names nobody with a role here, or its key cannot be read.
    pub async fn caller(&self, id_token: &str, nonce: Option<&str>) -> Result<Caller, Refusal> {
        let key = self.key_of(id_token).await?;
        let mut validation = Validation::new(Algorithm::RS256);
        validation.set_audience(&[&self.provider.client_id]);
        validation.set_issuer(&[&self.provider.issuer]);
        validation.set_required_spec_claims(&["exp", "aud", "iss", "sub"]);
        let claims = decode::<Claims>(id_token, &key, &validation).map_err(|_| Refusal::Token)?.claims;
        let is_id = claims.token_use.as_deref().is_none_or(|kind| kind == "id");
        if !is_id || (nonce.is_some() && claims.nonce.as_deref() != nonce) {
            return Err(Refusal::Token);
        }
        let role = Role::of(&claims.groups).ok_or(Refusal::NoRole)?;
        let name = claims.cognito_username.unwrap_or(claims.sub);
        Ok(Caller { operator: Operator::new(name).map_err(|_| Refusal::Token)?, role })
    }

    /// Trades the code of a sign-in for an ID token.
    ///
    /// # Errors
    /// The provider refuses the code, or cannot be reached.
    pub async fn id_token(&self, code: &str, verifier: &str, callback: &str) -> Result<String, Refusal> {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.provider.client_id),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", callback),
        ];
        let asked = self.http.post(&self.provider.token_url).timeout(CALL_TIME).form(&form).send();
        let failed = |error: reqwest::Error| {
            let status = status(&error);
            tracing::warn!(timeout = error.is_timeout(), status, "a code did not become an ID token");
            if status.is_some_and(|status| status < 500) { Refusal::Token } else { Refusal::Unreachable }
        };
        let answer = asked.await.and_then(reqwest::Response::error_for_status).map_err(failed)?;
        Ok(answer.json::<Tokens>().await.map_err(|_| Refusal::Unreachable)?.id_token)
    }

    async fn key_of(&self, id_token: &str) -> Result<DecodingKey, Refusal> {
        let header = decode_header(id_token).map_err(|_| Refusal::Token)?;
        let kid = header.kid.filter(|_| header.alg == Algorithm::RS256).ok_or(Refusal::Token)?;
        // Whoever comes while the keys are read waits for them, and does not ask again.
        let mut keys = self.keys.lock().await;
        if keys.wants_reading(&kid) {
            keys.read(self.read_keys().await);
        }
        match (keys.set.as_ref(), keys.set.as_ref().and_then(|set| set.find(&kid))) {
            (_, Some(key)) => DecodingKey::from_jwk(key).map_err(|_| Refusal::Token),
            (Some(_), None) => Err(Refusal::Token),
            (None, None) => Err(Refusal::Unreachable),
        }
    }

    async fn read_keys(&self) -> Option<JwkSet> {
        let read = async {
            let asked = self.http.get(&self.provider.jwks_url).timeout(CALL_TIME).send().await?;
            asked.error_for_status()?.json::<JwkSet>().await
        };
        let failed = |error: &reqwest::Error| {
            tracing::warn!(
                timeout = error.is_timeout(),
                status = status(error),
                "the keys of the sign-in could not be read"
            );
        };
        read.await.inspect_err(failed).ok()
    }
}

fn status(error: &reqwest::Error) -> Option<u16> {
    error.status().map(|status| status.as_u16())
}

/// The provider's keys, as they were read last.
#[derive(Debug, Default)]
struct Keys {
    set: Option<JwkSet>,
    /// When they were read.
    read_at: Option<Instant>,
    /// When reading them was tried last.
    tried_at: Option<Instant>,
}

impl Keys {
    /// Old keys are read again, since one may have been withdrawn; for a key that is not known, which may be made up,
    /// no more often than once a minute.
    fn wants_reading(&self, kid: &str) -> bool {
        let is_past = |at: Option<Instant>, age: Duration| at.is_none_or(|at| at.elapsed() >= age);
        let is_known = self.set.as_ref().is_some_and(|set| set.find(kid).is_some());
        let pause = if self.set.is_none() { RETRY } else { UNKNOWN };
        is_past(self.tried_at, pause) && (!is_known || is_past(self.read_at, OLD))
    }

    /// What could not be read leaves what is known.
    fn read(&mut self, set: Option<JwkSet>) {
        let now = Some(Instant::now());
        self.tried_at = now;
        if set.is_some() {
            (self.set, self.read_at) = (set, now);
        }
    }
}
