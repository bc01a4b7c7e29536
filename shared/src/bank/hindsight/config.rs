use crate::config::ConfigError;
use reqwest::Url;
use secrecy::SecretString;

/// Where Hindsight is.
#[derive(Debug, Clone)]
pub struct HindsightConfig {
    /// The server's root.
    pub url: Url,
    /// Sent as a bearer token; empty for a server that wants none.
    pub api_key: SecretString,
}

impl HindsightConfig {
    /// Reads `HINDSIGHT_URL` and `HINDSIGHT_API_KEY`; `None` without `HINDSIGHT_URL`.
    ///
    /// # Errors
    /// The address is not one, or a secret stands in it.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, ConfigError> {
        let variable =
            |name| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let Some(url) = variable("HINDSIGHT_URL") else { return Ok(None) };
        let api_key = SecretString::from(variable("HINDSIGHT_API_KEY").unwrap_or_default());
        Ok(Some(Self { url: parse_url(&url)?, api_key }))
    }
}

fn parse_url(text: &str) -> Result<Url, ConfigError> {
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    let Some(url) = Url::parse(text.trim_end_matches('/')).ok().filter(is_web) else {
        return Err(invalid("HINDSIGHT_URL", "must be an http or https URL"));
    };
    if !url.username().is_empty() || url.password().is_some() {
        let problem = "must not contain a user or password; the key belongs in HINDSIGHT_API_KEY";
        return Err(invalid("HINDSIGHT_URL", problem));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("HINDSIGHT_URL", "must be without query and fragment"));
    }
    Ok(url)
}

pub(super) fn invalid(name: &'static str, problem: &str) -> ConfigError {
    ConfigError::Invalid { name, problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<Option<HindsightConfig>, ConfigError> {
        let variables = [("HINDSIGHT_URL", url), ("HINDSIGHT_API_KEY", "hunter2")];
        HindsightConfig::from_env(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn without_an_address_the_table_is_the_bank() {
        assert!(read(" ").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said_by_name_and_the_key_is_never_shown() {
        let wrong = |url| read(url).unwrap_err().to_string();
        assert!(wrong("memory.example").contains("HINDSIGHT_URL must be an http"));
        assert!(wrong("ftp://memory.example").contains("must be an http"));
        assert!(wrong("http://u:p@memory.example").contains("HINDSIGHT_API_KEY"));
        assert!(wrong("http://memory.example/?key=k").contains("without query"));
        let config = read("http://memory.example/under/").unwrap().unwrap();
        assert_eq!(config.url.as_str(), "http://memory.example/under");
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
