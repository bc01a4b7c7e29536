//! Configuration: read once, at start, into typed structs. A function refuses to start when something is missing,
//! and says what.

use crate::limits::Limits;
use crate::prices::Prices;
use crate::routing::Routing;
use secrecy::SecretString;

/// What is wrong with the environment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A variable is missing or empty.
    #[error("the environment variable {0} is missing")]
    Missing(&'static str),
    /// A variable cannot be read.
    #[error("the environment variable {name} {problem}")]
    Invalid {
        /// Which.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

/// The environment; an empty variable is an absent one.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable that must be there.
///
/// # Errors
/// It is missing or empty.
pub fn required(name: &'static str) -> Result<String, ConfigError> {
    environment(name).ok_or(ConfigError::Missing(name))
}

/// A secret that must be there.
///
/// # Errors
/// It is missing or empty.
pub fn secret(name: &'static str) -> Result<SecretString, ConfigError> {
    required(name).map(SecretString::from)
}

/// The limits: the defaults, with what `LIMITS` (a JSON object) says otherwise.
///
/// # Errors
/// `LIMITS` is wrong somewhere; the error names the field.
pub fn limits() -> Result<Limits, ConfigError> {
    let given = environment("LIMITS").unwrap_or_else(|| "{}".into());
    Limits::parse(&given)
        .map_err(|error| ConfigError::Invalid { name: "LIMITS", problem: format!("is wrong: {error}") })
}

/// What the models cost, if `MODEL_PRICES` (a JSON object) says so.
///
/// # Errors
/// `MODEL_PRICES` is wrong somewhere; the error names the place.
pub fn prices() -> Result<Option<Prices>, ConfigError> {
    let wrong = |error| ConfigError::Invalid { name: "MODEL_PRICES", problem: format!("is wrong: {error}") };
    environment("MODEL_PRICES").map(|given| Prices::parse(&given)).transpose().map_err(wrong)
}

/// Who is told of which cases: nobody, unless `ROUTING` (a JSON object) says otherwise.
///
/// # Errors
/// `ROUTING` is wrong somewhere; the error names the place.
pub fn routing() -> Result<Routing, ConfigError> {
    let given = environment("ROUTING").unwrap_or_else(|| "{}".into());
    Routing::parse(&given)
        .map_err(|error| ConfigError::Invalid { name: "ROUTING", problem: format!("is wrong: {error}") })
}
