//! What the console is told by its environment, once, at start.

use carryover_shared::config::{ConfigError, environment, required, secret};
use secrecy::{ExposeSecret, SecretString};

/// Where the console is, and who may come in.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address under which browsers reach it, without a slash at its end.
    pub public_url: String,
    /// Signs the sessions; at least 32 bytes.
    pub session_secret: SecretString,
    /// Who says who somebody is.
    pub provider: Provider,
    /// Whether a Hindsight server keeps memories.
    pub has_hindsight: bool,
}

/// An OpenID Connect provider. Its addresses are separate settings, since a provider behind a proxy has an issuer that is
/// none of them.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Who issues ID tokens, word for word.
    pub issuer: String,
    /// The console's name there, a public client.
    pub client_id: String,
    /// The page on which people sign in.
    pub authorize_url: String,
    /// Where a code becomes an ID token.
    pub token_url: String,
    /// The keys that sign ID tokens.
    pub jwks_url: String,
    /// The page that signs people out.
    pub logout_url: String,
}

impl Provider {
    /// Where its pages are, for a browser's policy: a form may end on either of them.
    pub fn origins(&self) -> Vec<String> {
        let addresses = [&self.authorize_url, &self.logout_url];
        let mut origins: Vec<String> = addresses.into_iter().filter_map(|address| origin(address)).collect();
        origins.dedup();
        origins
    }
}

/// Scheme, host and port of an address, as browsers write them.
fn origin(address: &str) -> Option<String> {
    let url: reqwest::Url = address.parse().ok()?;
    url.has_host().then(|| url.origin().ascii_serialization())
}

/// The least that a secret has, in bytes.
const SECRET_BYTES: usize = 32;

impl Settings {
    /// Reads `CONSOLE_URL`, `SESSION_SECRET` and the addresses of the provider: `OIDC_ISSUER`, `OIDC_CLIENT_ID`,
    /// `OIDC_AUTHORIZE_URL`, `OIDC_TOKEN_URL`, `OIDC_JWKS_URL`, `OIDC_LOGOUT_URL`; and whether there is a `HINDSIGHT_URL`.
    ///
    /// # Errors
    /// One of them is missing, `CONSOLE_URL` is more than scheme, host and port, or the secret is too short.
    pub fn from_env() -> Result<Self, ConfigError> {
        let session_secret = secret("SESSION_SECRET")?;
        if session_secret.expose_secret().len() < SECRET_BYTES {
            let problem = format!("must have at least {SECRET_BYTES} bytes");
            return Err(ConfigError::Invalid { name: "SESSION_SECRET", problem });
        }
        Ok(Self {
            public_url: public_url(&required("CONSOLE_URL")?)?,
            session_secret,
            provider: Provider {
                issuer: required("OIDC_ISSUER")?,
                client_id: required("OIDC_CLIENT_ID")?,
                authorize_url: required("OIDC_AUTHORIZE_URL")?,
                token_url: required("OIDC_TOKEN_URL")?,
                jwks_url: required("OIDC_JWKS_URL")?,
                logout_url: required("OIDC_LOGOUT_URL")?,
            },
            has_hindsight: environment("HINDSIGHT_URL").is_some(),
        })
    }
}

/// Forms are taken from this address alone, so it is written as browsers write it.
fn public_url(given: &str) -> Result<String, ConfigError> {
    let url: Option<reqwest::Url> = given.parse().ok();
    let bare = url.filter(|url| url.path() == "/" && url.query().is_none());
    bare.and_then(|_| origin(given)).ok_or_else(|| ConfigError::Invalid {
        name: "CONSOLE_URL",
        problem: "must be scheme, host and port, such as https://desk.example".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_address_is_what_a_browser_calls_it() {
        for given in ["https://Desk.example", "https://desk.example/", "https://desk.example:443"] {
            assert_eq!(public_url(given).as_deref(), Ok("https://desk.example"), "{given}");
        }
        assert_eq!(public_url("http://localhost:8780").as_deref(), Ok("http://localhost:8780"));
        for given in ["desk.example", "https://desk.example/console", "https://desk.example?a=b", ""] {
            assert!(public_url(given).is_err(), "{given}");
        }
    }
}
