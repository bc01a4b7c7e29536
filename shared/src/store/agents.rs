//! Versions of agents and the pointer to the live one (*signed-change*).

use super::expression::Expression;
use super::transaction::{Part, Transaction, Written};
use super::{Store, StoreError, keys, to_item};
use crate::agent::AgentVersion;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What became of a first installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// The agent has its first version now.
    Now,
    /// It had one already; nothing was changed.
    Already,
}

/// A version as one item: the parts that are no strings stand as JSON, so that the item stays flat.
#[derive(Serialize, Deserialize)]
struct VersionItem {
    name: String,
    version: u32,
    definition: String,
    author: String,
    #[serde(rename = "at_millis")]
    at: Timestamp,
}

#[derive(Serialize)]
struct Audit<'a> {
    action: &'static str,
    by: &'a str,
    version: u32,
    #[serde(rename = "at_millis")]
    at: Timestamp,
}

impl Store {
    /// One version of an agent.
    pub async fn agent_version(&self, agent: &str, version: u32) -> Result<Option<AgentVersion>, StoreError> {
        let found: Option<VersionItem> = self.get(&keys::agent_version(agent, version), "version").await?;
        let parse = |item: VersionItem| {
            serde_json::from_str(&item.definition).map_err(|_| StoreError::Corrupt { what: "version" })
        };
        found.map(parse).transpose()
    }

    /// Installs the first version of an agent: version, pointer and audit entry, all of them absent before.
    pub async fn install_agent(&self, agent: &AgentVersion, by: &str) -> Result<Installed, StoreError> {
        #[derive(Serialize)]
        struct Live {
            version: u32,
        }
        let at = self.clock().now();
        let version = AgentVersion { version: 1, ..agent.clone() };
        let definition =
            serde_json::to_string(&version).map_err(|_| StoreError::Corrupt { what: "version" })?;
        let item = VersionItem { name: version.name.clone(), version: 1, definition, author: by.into(), at };
        let audit = Audit { action: "installed", by, version: 1, at };
        let transaction = Transaction::new(self.clock().ulid())
            .create(self, Part::Live, &keys::live(&agent.name), to_item(Live { version: 1 }, "live version")?)
            .create(self, Part::Live, &keys::agent_version(&agent.name, 1), to_item(item, "version")?)
            .put(
                self,
                Part::Beside,
                &keys::agent_audit(&agent.name, self.clock().ulid()),
                to_item(audit, "audit")?,
                Expression::new().if_absent("pk"),
            );
        match transaction.write(self).await? {
            Written::Done => Ok(Installed::Now),
            Written::Lost(_) => Ok(Installed::Already),
        }
    }
}
