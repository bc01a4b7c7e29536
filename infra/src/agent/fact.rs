//! `carryover agent fact`: what the business of an agent says of itself.

use super::Place;
use crate::facts::modified;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::agent::check_name;
use carryover_shared::clock::SystemClock;
use carryover_shared::facts::{AsOf, Fact, check_key};
use carryover_shared::store::FactWrite;
use carryover_shared::traits::Clock;
use serde_json::Value;
use std::path::PathBuf;

/// Which system the facts of this command are from.
const SOURCE: &str = "carryover";

/// Options of `carryover agent fact`.
///
/// A fact with the field `unit`, and one of the kind `unit`, is shown only to contacts whose stay names that unit.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub struct Options {
    /// The agent
    agent: String,
    /// What it is: hours, policy, unit, or any other word
    kind: String,
    /// Its id
    id: String,
    /// What it says, as a JSON object
    #[arg(long, group = "what")]
    data: Option<String>,
    /// A file with what it says, as a JSON object
    #[arg(long, group = "what")]
    file: Option<PathBuf>,
    /// It is so no longer
    #[arg(long, group = "what")]
    delete: bool,
    /// Since when, in RFC 3339 form [default: the file's last change, else now]
    #[arg(long)]
    as_of: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Puts or deletes it.
///
/// # Errors
/// There is no such agent, what was given breaks a bound, or something newer stands.
pub(super) async fn run(options: Options) -> Result<()> {
    let Options { agent, kind, id, .. } = &options;
    check_name(agent)?;
    check_key(kind, id)?;
    let as_of = options.as_of()?;
    let (store, limits) = options.place.open().await?;
    let written = match options.data()? {
        Some(data) => {
            let fact = Fact::checked(kind, id, as_of, SOURCE, data, &limits.of_business())?;
            store.put_business_fact(agent, &fact, &limits).await?
        }
        None => store.delete_business_fact(agent, kind, id, &as_of, SystemClock.now()).await?,
    };
    match written {
        FactWrite::Created | FactWrite::Done if options.delete => {
            terminal::say(&format!("The {kind} {id} of {agent} is deleted."));
        }
        FactWrite::Created | FactWrite::Done => {
            terminal::say(&format!("The {kind} {id} of {agent} stands; turns know it within a minute."));
        }
        FactWrite::Older => bail!("something newer stands, or was deleted since"),
        FactWrite::Contradicts => bail!("something else stands that claims the same time"),
        FactWrite::Full => bail!("the business of an agent has at most {} facts", limits.business_items),
        FactWrite::Gone => bail!("there is no agent {agent}"),
    }
    Ok(())
}

impl Options {
    fn as_of(&self) -> Result<AsOf> {
        let now = SystemClock.now();
        match (&self.as_of, &self.file) {
            (Some(given), _) => Ok(AsOf::parse(given, now)?),
            (None, Some(file)) => Ok(AsOf::parse(&modified(file)?, now)?),
            (None, None) => Ok(AsOf::from(now)),
        }
    }

    /// What it says; `None` to delete it.
    fn data(&self) -> Result<Option<Value>> {
        let text = match (&self.data, &self.file) {
            (Some(data), _) => data.clone(),
            (None, Some(file)) => {
                std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?
            }
            (None, None) => return Ok(None),
        };
        serde_json::from_str(&text).map(Some).context("what it says must be a JSON object")
    }
}
