use crate::http;
use crate::traits::Role;
use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::SecretString;

/// Where the models are and what they are called.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// The API's address; its path ends in `/v1`.
    pub url: Url,
    /// Sent as a bearer token; empty for a server that wants none.
    pub api_key: SecretString,
    /// The model that decides turns.
    pub reply_model: String,
    /// The model that folds.
    pub summary_model: String,
}

/// What is missing or wrong in the environment, by the variable's name. Never shows a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not a URL, or not one of a web server.
    #[error("MODEL_URL must be an http or https URL")]
    NotUrl,
    /// The address of something else than the API's root.
    #[error("MODEL_URL must end in /v1, without query or fragment")]
    NotVersionOne,
    /// A secret in a place that is shown.
    #[error("MODEL_URL must not contain a user or password; the key belongs in MODEL_API_KEY")]
    Credentials,
    /// A model's address without a model's name.
    #[error("REPLY_MODEL is missing; it is required with MODEL_URL")]
    NoReplyModel,
    /// Line breaks and the like.
    #[error("MODEL_API_KEY contains characters that an HTTP header cannot carry")]
    UnsendableKey,
    /// No HTTP client could be built, for want of root certificates for instance.
    #[error("no HTTP client for MODEL_URL can be built")]
    NoClient,
}

impl ModelConfig {
    /// Reads `MODEL_URL`, `MODEL_API_KEY`, `REPLY_MODEL` and `SUMMARY_MODEL`; `None` without `MODEL_URL`.
    ///
    /// Surrounding space is ignored, an empty variable counts as unset, and `SUMMARY_MODEL` defaults to
    /// `REPLY_MODEL`.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ConfigError> {
        let variable =
            |name| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let Some(url) = variable("MODEL_URL") else { return Ok(None) };
        let url = parse_url(&url)?;
        let api_key = SecretString::from(variable("MODEL_API_KEY").unwrap_or_default());
        let reply_model = variable("REPLY_MODEL").ok_or(ConfigError::NoReplyModel)?;
        let summary_model = variable("SUMMARY_MODEL").unwrap_or_else(|| reply_model.clone());
        let config = Self { url, api_key, reply_model, summary_model };
        config.authorization()?;
        Ok(Some(config))
    }

    /// The name of the model that plays `role`.
    pub fn model(&self, role: Role) -> &str {
        match role {
            Role::Reply => &self.reply_model,
            Role::Summary => &self.summary_model,
        }
    }

    pub(super) fn authorization(&self) -> Result<Option<HeaderValue>, ConfigError> {
        http::bearer(&self.api_key).map_err(|_| ConfigError::UnsendableKey)
    }
}

fn parse_url(text: &str) -> Result<Url, ConfigError> {
    let url = Url::parse(text.trim_end_matches('/')).map_err(|_| ConfigError::NotUrl)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ConfigError::NotUrl);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ConfigError::Credentials);
    }
    if !url.path().ends_with("/v1") || url.query().is_some() || url.fragment().is_some() {
        return Err(ConfigError::NotVersionOne);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<ModelConfig>, ConfigError> {
        ModelConfig::from_env(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn without_an_address_no_model_is_configured() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[("MODEL_URL", " "), ("REPLY_MODEL", "small")]).unwrap().is_none());
    }

    #[test]
    fn the_summary_model_defaults_to_the_reply_model() {
        let address = ("MODEL_URL", "https://models.example/openai/v1/");
        let config = read(&[address, ("REPLY_MODEL", "big"), ("SUMMARY_MODEL", "")]).unwrap().unwrap();
        assert_eq!((config.model(Role::Reply), config.model(Role::Summary)), ("big", "big"));
        assert_eq!(config.url.as_str(), "https://models.example/openai/v1");
        let config = read(&[address, ("REPLY_MODEL", "big"), ("SUMMARY_MODEL", "small")]).unwrap().unwrap();
        assert_eq!(config.model(Role::Summary), "small");
    }

    #[test]
    fn what_is_wrong_is_said_by_name() {
        let wrong =
            |url, key| read(&[("MODEL_URL", url), ("MODEL_API_KEY", key), ("REPLY_MODEL", "m")]).err();
        assert_eq!(read(&[("MODEL_URL", "http://a/v1")]).err(), Some(ConfigError::NoReplyModel));
        assert_eq!(wrong("models.example/v1", ""), Some(ConfigError::NotUrl));
        assert_eq!(wrong("ftp://models.example/v1", ""), Some(ConfigError::NotUrl));
        assert_eq!(wrong("http://a/v1/chat/completions", ""), Some(ConfigError::NotVersionOne));
        assert_eq!(wrong("http://a/v1?key=k", ""), Some(ConfigError::NotVersionOne));
        assert_eq!(wrong("http://u:p@a/v1", ""), Some(ConfigError::Credentials));
        assert_eq!(wrong("http://a/v1", "k\ney"), Some(ConfigError::UnsendableKey));
    }

    #[test]
    fn the_key_is_never_shown() {
        let config =
            read(&[("MODEL_URL", "http://a/v1"), ("MODEL_API_KEY", "hunter2"), ("REPLY_MODEL", "m")]);
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
