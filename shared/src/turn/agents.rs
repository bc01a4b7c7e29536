//! Versions of agents that this process has read. A version never changes, so it is read once.

use crate::agent::{AgentVersion, DEFAULT_AGENT};
use crate::store::{Store, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Versions kept in memory; beyond it the oldest number goes.
const KEPT: usize = 16;

/// The versions that this process has read.
#[derive(Debug, Default)]
pub struct Agents {
    versions: Mutex<HashMap<u32, Arc<AgentVersion>>>,
}

impl Agents {
    /// The version with this number; the built-in one where none is installed.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn version(&self, store: &Store, live: Option<u32>) -> Result<Arc<AgentVersion>, StoreError> {
        let Some(number) = live else { return Ok(Arc::new(AgentVersion::built_in())) };
        if let Some(known) = self.lock().get(&number) {
            return Ok(Arc::clone(known));
        }
        let Some(read) = store.agent_version(DEFAULT_AGENT, number).await? else {
            return Ok(Arc::new(AgentVersion::built_in()));
        };
        let read = Arc::new(read);
        let mut versions = self.lock();
        if versions.len() >= KEPT
            && let Some(oldest) = versions.keys().min().copied()
        {
            versions.remove(&oldest);
        }
        versions.insert(number, Arc::clone(&read));
        Ok(read)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Arc<AgentVersion>>> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
