//! What `make run` takes from its environment.

use anyhow::{Result, bail};
use carryover_shared::limits::Limits;
use carryover_shared::messenger;
use carryover_shared::prices::Prices;
use carryover_shared::routing::Routing;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

/// The models, the memory bank, the limits and the routing of one run.
#[derive(Debug)]
pub(super) struct Settings {
    model: Option<Model>,
    memory: Memory,
    model_prices: String,
    limits: String,
    routing: SecretString,
    notification_sender: String,
    index_bucket: Option<String>,
}

/// Where memories are kept.
#[derive(Debug)]
enum Memory {
    /// In the table.
    Table,
    /// By a Hindsight server that this run starts.
    OwnHindsight,
    /// By a Hindsight server that runs.
    Hindsight { url: String, key: SecretString },
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
    /// Reads `MODEL_URL`, `MODEL_API_KEY`, `REPLY_MODEL`, `SUMMARY_MODEL`, `IMPROVER_MODEL`, `MODEL_PRICES`, `MEMORY`,
    /// `HINDSIGHT_URL`, `HINDSIGHT_API_KEY`, `LIMITS`, `ROUTING`, `NOTIFICATION_SENDER` and `INDEX_BUCKET`.
    pub(super) fn from_env() -> Result<Self> {
        Self::from(|name| std::env::var(name).unwrap_or_default().trim().to_owned())
    }

    fn from(variable: impl Fn(&str) -> String) -> Result<Self> {
        let (routing, notification_sender) = routing(&variable("ROUTING"), variable("NOTIFICATION_SENDER"))?;
        Ok(Self {
            model: Model::from(&variable)?,
            memory: Memory::from(&variable)?,
            model_prices: model_prices(variable("MODEL_PRICES"))?,
            limits: limits(&variable("LIMITS"))?,
            routing,
            notification_sender,
            index_bucket: Some(variable("INDEX_BUCKET")).filter(|name| !name.is_empty()),
        })
    }

    /// Whether this run starts a Hindsight server.
    pub(super) fn wants_hindsight(&self) -> bool {
        matches!(self.memory, Memory::OwnHindsight)
    }

    /// The server that was started keeps the memories.
    pub(super) fn use_hindsight(&mut self, url: String) {
        self.memory = Memory::Hindsight { url, key: SecretString::default() };
    }

    /// The Hindsight server that keeps the memories, if one does.
    pub(super) fn hindsight_url(&self) -> Option<&str> {
        match &self.memory {
            Memory::Hindsight { url, .. } => Some(url),
            Memory::Table | Memory::OwnHindsight => None,
        }
    }

    /// The template's parameters that depend on the environment.
    pub(super) fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        parameters.insert("ModelPrices".into(), self.model_prices.clone().into());
        parameters.insert("Limits".into(), self.limits.clone().into());
        parameters.insert("Routing".into(), self.routing.expose_secret().into());
        parameters.insert("NotificationSender".into(), self.notification_sender.clone().into());
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
        if let Memory::Hindsight { url, key } = &self.memory {
            parameters.insert("HindsightUrl".into(), url.clone().into());
            parameters.insert("HindsightApiKey".into(), key.expose_secret().into());
        }
        parameters
    }

    /// The bucket of the index of past cases.
    pub(super) fn index_bucket(&self) -> Option<&str> {
        self.index_bucket.as_deref()
    }

    /// One line for people.
    pub(super) fn memory(&self) -> String {
        match self.hindsight_url() {
            Some(url) => format!("Hindsight at {url}"),
            None => "the table".into(),
        }
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

impl Memory {
    fn from(variable: &impl Fn(&str) -> String) -> Result<Self> {
        let url = variable("HINDSIGHT_URL").trim_end_matches('/').to_owned();
        let key = variable("HINDSIGHT_API_KEY").into();
        match (variable("MEMORY").as_str(), url.as_str()) {
            ("" | "table", "") => Ok(Self::Table),
            ("hindsight", "") => Ok(Self::OwnHindsight),
            ("" | "hindsight", _) => Ok(Self::Hindsight { url, key }),
            ("table", _) => bail!("MEMORY=table and HINDSIGHT_URL contradict each other"),
            (other, _) => bail!("MEMORY must be `table` or `hindsight`; it is {other}"),
        }
    }
}

/// Checked here, too, so that whoever starts a stack is told at once.
fn limits(text: &str) -> Result<String> {
    let text = if text.is_empty() { "{}" } else { text };
    match Limits::parse(text) {
        Ok(_) => Ok(text.into()),
        Err(error) => bail!("LIMITS is wrong: {error}"),
    }
}

/// Checked here, too, so that whoever starts a stack is told at once.
fn model_prices(text: String) -> Result<String> {
    if text.is_empty() {
        return Ok(text);
    }
    match Prices::parse(&text) {
        Ok(_) => Ok(text),
        Err(error) => bail!("MODEL_PRICES is wrong: {error}"),
    }
}

/// Checked here, too, so that whoever starts a stack is told at once.
fn routing(text: &str, sender: String) -> Result<(SecretString, String)> {
    let text = if text.is_empty() { "{}" } else { text };
    match Routing::parse(text) {
        Ok(routing) => messenger::check_sender(&routing, Some(&*sender).filter(|sender| !sender.is_empty()))?,
        Err(error) => bail!("ROUTING is wrong: {error}"),
    }
    Ok((text.into(), sender))
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
        assert_eq!(
            Value::Object(parameters),
            serde_json::json!({"ModelPrices": "", "Limits": "{}", "Routing": "{}", "NotificationSender": ""})
        );
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
    fn the_table_keeps_the_memories_unless_hindsight_does() {
        let own = settings(&[("MEMORY", "hindsight")]).unwrap();
        assert!(own.wants_hindsight() && own.hindsight_url().is_none());
        let given = [("HINDSIGHT_URL", "http://localhost:8888/"), ("HINDSIGHT_API_KEY", "k")];
        let given = settings(&given).unwrap();
        assert!(!given.wants_hindsight());
        let parameters = given.parameters();
        assert_eq!(parameters["HindsightUrl"], "http://localhost:8888");
        assert_eq!(parameters["HindsightApiKey"], "k");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let unnamed = settings(&[("MODEL_URL", "http://localhost/v1")]).unwrap_err();
        assert!(unnamed.to_string().contains("REPLY_MODEL"), "{unnamed}");
        let unversioned = settings(&[("MODEL_URL", "http://localhost"), ("REPLY_MODEL", "m")]).unwrap_err();
        assert!(unversioned.to_string().contains("/v1"), "{unversioned}");
        let unknown = settings(&[("MEMORY", "paper")]).unwrap_err();
        assert!(unknown.to_string().contains("MEMORY"), "{unknown}");
        let list = settings(&[("LIMITS", "[]")]).unwrap_err();
        assert!(list.to_string().contains("LIMITS"), "{list}");
        let blind = settings(&[("LIMITS", r#"{"window_messages": 0}"#)]).unwrap_err();
        assert_eq!(blind.to_string(), "LIMITS is wrong: window_messages must be at least 1");
        let dear = settings(&[("MODEL_PRICES", r#"{"reply": {"in": 2000, "out": 1}}"#)]).unwrap_err();
        assert!(dear.to_string().contains("MODEL_PRICES is wrong: reply.in must be 0 to 1000"), "{dear}");
        let nobody = settings(&[("ROUTING", r#"{"routes": {"default": {"team": "x"}}}"#)]).unwrap_err();
        assert!(nobody.to_string().contains("ROUTING is wrong: routes.default.team"), "{nobody}");
    }

    #[test]
    fn a_team_that_is_told_by_mail_needs_a_sender() {
        let team = ("ROUTING", r#"{"teams": {"lead": {"email": "lead@example.com"}}}"#);
        let without = settings(&[team]).unwrap_err().to_string();
        assert!(without.contains("NOTIFICATION_SENDER is missing"), "{without}");
        let nowhere = settings(&[team, ("NOTIFICATION_SENDER", "nobody")]).unwrap_err().to_string();
        assert!(nowhere.contains("NOTIFICATION_SENDER must be an e-mail address"), "{nowhere}");
        settings(&[team, ("NOTIFICATION_SENDER", "desk@example.com")]).unwrap();
    }
}
