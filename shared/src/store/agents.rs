//! Versions of agents and the pointer to the live one (*signed-change*).
//!
//! A version is created once and never changes. Only the first installation of the default agent writes a pointer
//! here; whatever else makes a version live is a publication, which an admin signs.

use super::expression::Expression;
use super::transaction::{Part, Transaction, Written};
use super::{ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::agent::{AgentVersion, DEFAULT_AGENT};
use crate::contact::Account;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What became of a first installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// The agent has its first live version now.
    Now,
    /// It had one already; nothing was changed.
    Already,
}

/// A version as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionEntry {
    /// Its number.
    pub version: u32,
    /// Who made it.
    pub author: String,
    /// When.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
}

/// A version as one item: the parts that are no strings stand as JSON, so that the item stays flat.
#[derive(Serialize)]
struct VersionItem<'a> {
    name: &'a str,
    version: u32,
    definition: String,
    author: &'a str,
    #[serde(rename = "at_millis")]
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Live {
    pub(super) version: u32,
}

/// What was done to an agent, and by whom.
#[derive(Serialize)]
pub(super) struct Audit<'a> {
    pub(super) action: &'static str,
    pub(super) by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) account: Option<&'a Account>,
    #[serde(rename = "at_millis")]
    pub(super) at: Timestamp,
}

impl Store {
    /// One version of an agent.
    pub async fn agent_version(&self, agent: &str, version: u32) -> Result<Option<AgentVersion>, StoreError> {
        #[derive(Deserialize)]
        struct Defined {
            definition: String,
        }
        let found: Option<Defined> = self.get(&keys::agent_version(agent, version), "version").await?;
        let parse = |item: Defined| {
            serde_json::from_str(&item.definition).map_err(|_| StoreError::Corrupt { what: "version" })
        };
        found.map(parse).transpose()
    }

    /// The live version of an agent, where one is.
    pub async fn live_version(&self, agent: &str) -> Result<Option<u32>, StoreError> {
        let live: Option<Live> = self.get(&keys::live(agent), "live version").await?;
        Ok(live.map(|live| live.version))
    }

    /// The newest versions of an agent, newest first, at most `limit`.
    pub async fn agent_versions(&self, agent: &str, limit: usize) -> Result<Vec<VersionEntry>, StoreError> {
        let pk = keys::agent_pk(agent);
        let span = Span::Prefix(keys::VERSION_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: false, limit, start: None };
        self.all(range).await?.into_iter().map(|item| from_item(item, "version")).collect()
    }

    /// Whether there is such an agent, live or not.
    pub async fn is_agent(&self, name: &str) -> Result<bool, StoreError> {
        Ok(name == DEFAULT_AGENT || !self.agent_versions(name, 1).await?.is_empty())
    }

    /// Creates the next version of an agent, which is not live; its number.
    pub async fn create_version(&self, version: &AgentVersion, by: &str) -> Result<u32, StoreError> {
        for _ in 0..ROUNDS {
            let (number, transaction) = self.next_version(version, "created", by).await?;
            if matches!(transaction.write(self).await?, Written::Done) {
                return Ok(number);
            }
        }
        Err(StoreError::Contended)
    }

    /// Installs the built-in version of the default agent where none is live: version, pointer and audit entry, all
    /// of them absent before.
    pub async fn install_default_agent(&self, by: &str) -> Result<Installed, StoreError> {
        let built_in = AgentVersion::built_in();
        for _ in 0..ROUNDS {
            let (version, transaction) = self.next_version(&built_in, "installed", by).await?;
            let live = to_item(Live { version }, "live version")?;
            let transaction = transaction.create(self, Part::Live, &keys::live(DEFAULT_AGENT), live);
            match transaction.write(self).await? {
                Written::Done => return Ok(Installed::Now),
                Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Live) => {
                    return Ok(Installed::Already);
                }
                Written::Lost(_) => {}
            }
        }
        Err(StoreError::Contended)
    }

    /// The next free number, and what writes a version under it.
    async fn next_version(
        &self,
        version: &AgentVersion,
        action: &'static str,
        by: &str,
    ) -> Result<(u32, Transaction), StoreError> {
        let newest = self.agent_versions(&version.name, 1).await?;
        let number = newest.first().map_or(0, |newest| newest.version) + 1;
        let at = self.clock().now();
        let version = AgentVersion { version: number, ..version.clone() };
        let definition =
            serde_json::to_string(&version).map_err(|_| StoreError::Corrupt { what: "version" })?;
        let item = VersionItem { name: &version.name, version: number, definition, author: by, at };
        let audit = Audit { action, by, version: Some(number), account: None, at };
        let key = keys::agent_version(&version.name, number);
        let transaction = Transaction::new(self.clock().ulid()).create(
            self,
            Part::Version,
            &key,
            to_item(item, "version")?,
        );
        Ok((number, self.audited(transaction, &version.name, &audit)?))
    }

    /// Adds an entry to an agent's audit trail.
    pub(super) fn audited(
        &self,
        transaction: Transaction,
        agent: &str,
        audit: &Audit<'_>,
    ) -> Result<Transaction, StoreError> {
        let key = keys::agent_audit(agent, self.clock().ulid());
        let unwritten = Expression::new().if_absent("pk");
        Ok(transaction.put(self, Part::Beside, &key, to_item(audit, "audit")?, unwritten))
    }
}
