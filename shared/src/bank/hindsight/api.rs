//! The calls of Hindsight's API.

use super::config::{HindsightConfig, invalid};
use crate::config::ConfigError;
use crate::http;
use reqwest::{Client, Method, Url};
use serde_json::Value;

/// Bytes of one response; more is no answer to a question of ours.
const RESPONSE_BYTES: usize = 1024 * 1024;

/// Why a call brought nothing. Carries no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// Not within the time that there was.
    Late,
    /// No connection, or it broke.
    Unreachable,
    /// The key is missing or wrong (401, 403).
    Unauthorized,
    /// The server is overloaded or failed (408, 429, 5xx).
    Unavailable,
    /// The request was refused (any other status), or what it asked for failed for good.
    Refused,
    /// The answer is not what it should be.
    Unreadable,
}

impl Failure {
    /// A word for traces and metrics.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Unreachable => "unreachable",
            Self::Unauthorized => "unauthorized",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The API of one server.
pub(super) struct Api {
    http: Client,
    root: Url,
}

impl Api {
    pub(super) fn new(config: &HindsightConfig) -> Result<Self, ConfigError> {
        let authorization = http::bearer(&config.api_key).map_err(|_| {
            invalid("HINDSIGHT_API_KEY", "contains characters that an HTTP header cannot carry")
        })?;
        let http = http::client(authorization)
            .map_err(|_| invalid("HINDSIGHT_URL", "cannot be used: no HTTP client can be built"))?;
        Ok(Self { http, root: config.url.clone() })
    }

    /// One call about a bank, which is the first part of `path`; `None` if there is no such bank.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &[&str],
        body: Option<&Value>,
    ) -> Result<Option<Value>, Failure> {
        let mut request = self.http.request(method, self.address(path)?);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|_| Failure::Unreachable)?;
        let status = response.status().as_u16();
        let body = http::body(response, RESPONSE_BYTES).await.map_err(|_| Failure::Unreachable)?;
        read(status, &body)
    }

    fn address(&self, path: &[&str]) -> Result<Url, Failure> {
        let mut address = self.root.clone();
        let mut segments = address.path_segments_mut().map_err(|()| Failure::Refused)?;
        segments.pop_if_empty().extend(["v1", "default", "banks"]).extend(path);
        drop(segments);
        Ok(address)
    }
}

fn read(status: u16, body: &[u8]) -> Result<Option<Value>, Failure> {
    let body: Option<Value> = serde_json::from_slice(body).ok();
    match status {
        200..=299 => body.filter(Value::is_object).map(Some).ok_or(Failure::Unreadable),
        404 if body.as_ref().is_some_and(names_what_is_missing) => Ok(None),
        401 | 403 => Err(Failure::Unauthorized),
        408 | 429 | 500..=599 => Err(Failure::Unavailable),
        _ => Err(Failure::Refused),
    }
}

/// Whether a 404 is about the bank. "Not Found" alone is about the path: another server, or another version.
fn names_what_is_missing(body: &Value) -> bool {
    body["detail"].as_str().is_some_and(|detail| detail != "Not Found")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reads(status: u16, body: &Value) -> Result<Option<Value>, Failure> {
        read(status, body.to_string().as_bytes())
    }

    #[test]
    fn a_missing_bank_is_told_from_a_wrong_address() {
        assert_eq!(reads(404, &json!({"detail": "Bank 'customer-1' not found"})), Ok(None));
        assert_eq!(reads(404, &json!({"detail": "Not Found"})), Err(Failure::Refused));
        assert_eq!(read(404, b"<html>"), Err(Failure::Refused));
    }

    #[test]
    fn each_failure_has_its_word() {
        let answer = json!({"results": []});
        assert_eq!(reads(200, &answer), Ok(Some(answer.clone())));
        assert_eq!(read(200, b"<html>"), Err(Failure::Unreadable));
        assert_eq!(reads(200, &json!([])), Err(Failure::Unreadable));
        assert_eq!(reads(302, &answer), Err(Failure::Refused));
        assert_eq!(reads(422, &answer), Err(Failure::Refused));
        for (status, failure) in
            [(401, Failure::Unauthorized), (429, Failure::Unavailable), (500, Failure::Unavailable)]
        {
            assert_eq!(reads(status, &answer), Err(failure));
        }
    }

    #[test]
    fn an_address_is_made_of_the_root_and_escaped_parts() {
        let url = Url::parse("http://memory.example/under").unwrap();
        let api = Api::new(&HindsightConfig { url, api_key: String::new().into() }).unwrap();
        let address = api.address(&["a/b", "memories"]).unwrap();
        assert_eq!(address.as_str(), "http://memory.example/under/v1/default/banks/a%2Fb/memories");
    }
}
