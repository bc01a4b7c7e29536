//! What `make run` takes from its environment.

use anyhow::{Result, bail};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

/// The models and limits of one run.
#[derive(Debug)]
pub(super) struct Settings {
    model: Option<Model>,
    limits: String,
    index_bucket: Option<String>,
}

/// An OpenAI-compatible endpoint and what to ask it for.
#[derive(Debug)]
struct Model {
    url: String,
    key: SecretString,
    reply: String,
    summary: String,
    improver: String,
}

impl Settings {
    /// Reads `MODEL_URL`, `MODEL_API_KEY`, `REPLY_MODEL`, `SUMMARY_MODEL`, `IMPROVER_MODEL`, `LIMITS` and
    /// `INDEX_BUCKET`.
    pub(super) fn from_env() -> Result<Self> {
        Self::from(|name| std::env::var(name).unwrap_or_default().trim().to_owned())
    }

    fn from(variable: impl Fn(&str) -> String) -> Result<Self> {
        let index_bucket = Some(variable("INDEX_BUCKET")).filter(|name| !name.is_empty());
        Ok(Self { model: Model::from(&variable)?, limits: limits(&variable("LIMITS"))?, index_bucket })
    }

    /// The template's parameters that depend on the environment.
    pub(super) fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        parameters.insert("Limits".into(), self.limits.clone().into());
        if let Some(bucket) = &self.index_bucket {
            parameters.insert("IndexBucket".into(), bucket.clone().into());
        }
        if let Some(model) = &self.model {
            parameters.insert("ModelUrl".into(), model.url.clone().into());
            parameters.insert("ModelApiKey".into(), model.key.expose_secret().into());
            parameters.insert("ReplyModel".into(), model.reply.clone().into());
            parameters.insert("SummaryModel".into(), model.summary.clone().into());
            parameters.insert("ImproverModel".into(), model.improver.clone().into());
        }
        parameters
    }

    /// The bucket of the index of past cases.
    pub(super) fn index_bucket(&self) -> Option<&str> {
        self.index_bucket.as_deref()
    }

    /// One line for people.
    pub(super) fn model(&self) -> String {
        match &self.model {
            None => "none (MODEL_URL is not set): rules answer from the facts".into(),
            Some(Model { url, reply, summary, .. }) if reply == summary => format!("{reply} at {url}"),
            Some(Model { url, reply, summary, .. }) => format!("{reply}, folds by {summary}, at {url}"),
        }
    }
}

impl Model {
    fn from(variable: &impl Fn(&str) -> String) -> Result<Option<Self>> {
        let url = variable("MODEL_URL").trim_end_matches('/').to_owned();
        if url.is_empty() {
            return Ok(None);
        }
        if !url.ends_with("/v1") || !(url.starts_with("http://") || url.starts_with("https://")) {
            bail!("MODEL_URL must be an http(s) URL that ends in /v1; it is {url}");
        }
        let reply = variable("REPLY_MODEL");
        if reply.is_empty() {
            bail!("REPLY_MODEL is required with MODEL_URL: the name of the model that answers");
        }
        let or_reply =
            |name: &str| Some(variable(name)).filter(|value| !value.is_empty()).unwrap_or(reply.clone());
        let (summary, improver) = (or_reply("SUMMARY_MODEL"), or_reply("IMPROVER_MODEL"));
        Ok(Some(Self { url, key: variable("MODEL_API_KEY").into(), reply, summary, improver }))
    }
}

/// Only that it is an object: which limits there are, the functions know.
fn limits(text: &str) -> Result<String> {
    if text.is_empty() {
        return Ok("{}".into());
    }
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(limits) => Ok(Value::Object(limits).to_string()),
        Err(error) => bail!("LIMITS must be a JSON object: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings> {
        Settings::from(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
        })
    }

    #[test]
    fn without_a_model_the_defaults_of_the_template_stand() {
        let parameters = settings(&[]).unwrap().parameters();
        assert_eq!(Value::Object(parameters), serde_json::json!({"Limits": "{}"}));
    }

    #[test]
    fn the_other_models_default_to_the_one_that_answers() {
        let given = [("MODEL_URL", "http://localhost:11434/v1/"), ("REPLY_MODEL", "small")];
        let parameters = settings(&given).unwrap().parameters();
        assert_eq!(parameters["ModelUrl"], "http://localhost:11434/v1");
        assert_eq!(parameters["SummaryModel"], "small");
        assert_eq!(parameters["ImproverModel"], "small");
        assert_eq!(parameters["ModelApiKey"], "");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let unnamed = settings(&[("MODEL_URL", "http://localhost/v1")]).unwrap_err();
        assert!(unnamed.to_string().contains("REPLY_MODEL"), "{unnamed}");
        let unversioned = settings(&[("MODEL_URL", "http://localhost"), ("REPLY_MODEL", "m")]).unwrap_err();
        assert!(unversioned.to_string().contains("/v1"), "{unversioned}");
        let list = settings(&[("LIMITS", "[]")]).unwrap_err();
        assert!(list.to_string().contains("LIMITS"), "{list}");
    }
}
