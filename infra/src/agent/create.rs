//! `carryover agent create`: the next version of an agent, which is not live.

use super::Place;
use crate::install;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::agent::{AgentVersion, Definition, check_name};
use carryover_shared::store::Store;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Options of `carryover agent create`.
///
/// The file gives `instructions`, `topics`, `promises`, `tone`, `channels` and `notifies`; with --from only what changes.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// The agent, such as front-desk
    name: String,
    /// What the version says, as TOML (.toml) or JSON (.json)
    #[arg(long)]
    file: PathBuf,
    /// The version to start from: its number, or another agent's as name@number; default@0 is what is built in
    #[arg(long)]
    from: Option<Origin>,
    #[command(flatten)]
    place: Place,
}

/// A version of this agent, or of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    agent: Option<String>,
    version: u32,
}

impl FromStr for Origin {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (agent, version) = match text.split_once('@') {
            Some((agent, version)) => (Some(agent.to_owned()), version),
            None => (None, text),
        };
        Ok(Self { agent, version: version.parse().context("a version is a number, or name@number")? })
    }
}

/// Creates it and says its number.
///
/// # Errors
/// The file cannot be read or breaks a bound, or there is no version to start from.
pub(super) async fn run(options: Options) -> Result<()> {
    check_name(&options.name)?;
    let definition = read(&options.file)?;
    let (store, limits) = options.place.open().await?;
    let base = match &options.from {
        Some(from) => Some(base(&store, &options.name, from).await?),
        None => None,
    };
    let version = definition.over(&options.name, base.as_ref())?;
    version.check(&limits)?;
    let number = store.create_version(&version, &install::in_the_name_of("carryover agent create")).await?;
    terminal::say(&format!("Version {number} of the agent {} is created. It is not live.", version.name));
    Ok(())
}

async fn base(store: &Store, name: &str, from: &Origin) -> Result<AgentVersion> {
    let agent = from.agent.as_deref().unwrap_or(name);
    if from.version == 0 {
        return Ok(AgentVersion::built_in());
    }
    let found = store.agent_version(agent, from.version).await?;
    found.with_context(|| format!("the agent {agent} has no version {}", from.version))
}

fn read(path: &Path) -> Result<Definition> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "toml" => toml::from_str(&text).with_context(|| path.display().to_string()),
        "json" => serde_json::from_str(&text).with_context(|| path.display().to_string()),
        _ => bail!("{} must end in .toml or .json", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryover_shared::agent::Promise;
    use carryover_shared::case::Category;
    use carryover_shared::thread::Channel;

    fn toml(text: &str) -> Result<Definition, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn a_file_in_toml_says_all_that_a_version_has() {
        let read = toml(
            r#"
            instructions = "Answer for the garden."
            tone = "Cheerful."
            channels = ["sms", "whatsapp"]

            [[topics]]
            name = "bees"
            category = "policy_restriction"
            keywords = ["bee", "swarm"]

            [[promises]]
            phrase = "I'll * water"
            opens_request = true
            matches = ["I'll gladly water it."]

            [[promises]]
            phrase = "I have * planted"
            act = "plant"
            "#,
        );
        let version = read.unwrap().over("garden", None).unwrap();
        assert_eq!(version.channels, [Channel::Sms, Channel::Whatsapp]);
        assert_eq!(version.topics[0].category, Category::PolicyRestriction);
        let planted = Promise { act: Some("plant".into()), ..Promise::of("I have * planted") };
        assert_eq!(version.promises[1], planted);
        assert!(version.promises[0].opens_request);
    }

    #[test]
    fn a_promise_may_be_its_phrase_alone() {
        let read = toml("promises = [\"I'll follow up\"]").unwrap();
        assert_eq!(read.promises, Some(vec![Promise::of("I'll follow up")]));
    }

    #[test]
    fn an_unknown_field_is_named() {
        for (text, field) in
            [("tones = \"\"", "`tones`"), ("[[promises]]\nphrase = \"x\"\nmatch = []", "`match`")]
        {
            let error = toml(text).unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
    }

    #[test]
    fn a_version_to_start_from_is_this_agents_or_anothers() {
        assert_eq!("3".parse::<Origin>().unwrap(), Origin { agent: None, version: 3 });
        let other = Origin { agent: Some("default".into()), version: 0 };
        assert_eq!("default@0".parse::<Origin>().unwrap(), other);
        assert!("newest".parse::<Origin>().is_err());
    }
}
