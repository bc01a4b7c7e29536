//! Sessions: signed cookies, nothing kept on our side.

use crate::caller::Caller;
use axum_extra::extract::cookie::{Cookie, SameSite};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use carryover_shared::time::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a session lasts.
pub(super) const SESSION: Duration = Duration::from_secs(8 * 60 * 60);
/// How long somebody may take to sign in.
pub(super) const ATTEMPT: Duration = Duration::from_secs(10 * 60);

/// The cookie of a session.
pub const SESSION_COOKIE: &str = "carryover_session";
const ATTEMPT_COOKIE: &str = "carryover_sign_in_";

/// Somebody who is signed in with this browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Who.
    pub caller: Caller,
    /// Stands in every form of the session; whoever cannot read our pages does not know it.
    pub csrf: String,
}

/// A sign-in that was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// What the provider gives back with its code.
    pub state: String,
    /// Where they were going.
    pub next: String,
}

/// Random text for things that nobody may guess: 256 bits.
///
/// # Errors
/// The system has no random bytes.
pub fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// What a cookie is for, so that none serves as another.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Session,
    Attempt,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Attempt => "sign-in",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Signed<T> {
    aud: String,
    exp: i64,
    #[serde(flatten)]
    value: T,
}

/// Signs cookies and reads them back.
#[derive(Clone)]
pub struct Signer {
    secret: SecretString,
    /// Cookies go over TLS only.
    secure: bool,
}

impl Signer {
    /// One with this secret, for a console at this address.
    pub fn new(secret: SecretString, public_url: &str) -> Self {
        Self { secret, secure: public_url.starts_with("https://") }
    }

    /// The cookie of a session that begins now.
    pub fn session(&self, session: &Session, now: Timestamp) -> Option<Cookie<'static>> {
        let value = self.sign(Purpose::Session, session, now + SESSION)?;
        Some(self.cookie(SESSION_COOKIE.into(), value, "/console", SESSION))
    }

    /// The session of a cookie, if it is ours and has not ended.
    pub fn read_session(&self, cookie: &str, now: Timestamp) -> Option<Session> {
        self.read(Purpose::Session, cookie, now)
    }

    /// The cookie of a sign-in that begins now; each has its own, so that two tabs may sign in at once.
    pub fn attempt(&self, attempt: &Attempt, now: Timestamp) -> Option<Cookie<'static>> {
        let value = self.sign(Purpose::Attempt, attempt, now + ATTEMPT)?;
        Some(self.cookie(attempt_cookie(&attempt.state), value, "/console/sign-in", ATTEMPT))
    }

    /// The sign-in that a provider's `state` belongs to, if this browser began it.
    pub fn read_attempt(&self, cookie: &str, state: &str, now: Timestamp) -> Option<Attempt> {
        self.read(Purpose::Attempt, cookie, now).filter(|attempt: &Attempt| attempt.state == state)
    }

    /// What stands in the ID token of a sign-in; only we can say it.
    pub fn nonce(&self, attempt: &Attempt) -> Option<String> {
        self.derived("nonce", attempt)
    }

    /// What proves to the provider that whoever brings the code began the sign-in (PKCE).
    pub fn verifier(&self, attempt: &Attempt) -> Option<String> {
        self.derived("verifier", attempt)
    }

    /// Derived, not kept: a browser with many tabs brings many of these cookies along.
    fn derived(&self, name: &str, attempt: &Attempt) -> Option<String> {
        let key = EncodingKey::from_secret(self.secret.expose_secret().as_bytes()).ok()?;
        jsonwebtoken::crypto::sign(format!("{name} {}", attempt.state).as_bytes(), &key, Algorithm::HS256)
            .ok()
    }

    /// Ends a cookie.
    pub fn end(&self, name: String, path: &'static str) -> Cookie<'static> {
        self.cookie(name, String::new(), path, Duration::ZERO)
    }

    fn cookie(&self, name: String, value: String, path: &'static str, lives: Duration) -> Cookie<'static> {
        let lives = i64::try_from(lives.as_secs()).unwrap_or_default();
        let mut cookie = Cookie::new(name, value);
        cookie.set_path(path);
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Lax);
        cookie.set_secure(self.secure);
        cookie.set_max_age(time::Duration::seconds(lives));
        cookie
    }

    fn sign(&self, purpose: Purpose, value: impl Serialize, until: Timestamp) -> Option<String> {
        let signed = Signed { aud: purpose.name().into(), exp: until.seconds(), value };
        let key = EncodingKey::from_secret(self.secret.expose_secret().as_bytes()).ok()?;
        encode(&Header::new(Algorithm::HS256), &signed, &key).ok()
    }

    fn read<T: DeserializeOwned>(&self, purpose: Purpose, cookie: &str, now: Timestamp) -> Option<T> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[purpose.name()]);
        // By our clock, below.
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(self.secret.expose_secret().as_bytes()).ok()?;
        let signed = decode::<Signed<T>>(cookie, &key, &validation).ok()?.claims;
        (signed.exp > now.seconds()).then_some(signed.value)
    }
}

/// The name of the cookie of a sign-in.
pub(super) fn attempt_cookie(state: &str) -> String {
    let known: String = state.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    format!("{ATTEMPT_COOKIE}{known}")
}
