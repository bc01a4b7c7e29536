//! Which agent answers, and what this process has read of agents. A version never changes, so it is read once;
//! everything else is read again after a minute.

use crate::agent::{AgentVersion, DEFAULT_AGENT};
use crate::contact::Account;
use crate::facts::Fact;
use crate::limits::Limits;
use crate::store::{Store, StoreError};
use crate::thread::Head;
use crate::time::Timestamp;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// For how long it counts what was read of pointers, accounts and businesses (*signed-change*).
const FRESH: Duration = Duration::from_secs(60);

/// What this process has read of agents.
#[derive(Debug)]
pub struct Agents {
    accounts: Kept<Account, String>,
    live: Kept<String, Option<u32>>,
    versions: Kept<(String, u32), Arc<AgentVersion>>,
    business: Kept<String, Arc<Vec<Fact>>>,
}

impl Default for Agents {
    /// Nothing yet. What takes most memory is kept least (*bounds*).
    fn default() -> Self {
        Self {
            accounts: Kept::at_most(1_000),
            live: Kept::at_most(1_000),
            versions: Kept::at_most(64),
            business: Kept::at_most(16),
        }
    }
}

/// The version that answers.
#[derive(Debug, Clone)]
pub(super) struct Answering {
    pub(super) version: Arc<AgentVersion>,
    /// Why it is not the one that was named, in a word.
    pub(super) stands_in: Option<&'static str>,
}

impl Agents {
    /// The agent that an account had when this process last looked: the one whose pointer is worth reading first.
    pub(super) fn expected(&self, account: Option<&Account>) -> String {
        let last = account.and_then(|account| self.accounts.get(account));
        last.map_or_else(|| DEFAULT_AGENT.into(), |(agent, _)| agent)
    }

    /// The agent of an account; the default one where nothing is said.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) async fn of_account(&self, store: &Store, account: &Account) -> Result<String, StoreError> {
        let now = store.clock().now();
        if let Some(agent) = self.accounts.fresh(account, now) {
            return Ok(agent);
        }
        let agent = store.account(account).await?.map_or_else(|| DEFAULT_AGENT.into(), |found| found.agent);
        self.accounts.keep(account.clone(), agent.clone(), now);
        Ok(agent)
    }

    /// Keeps what a turn has just read of a pointer.
    pub(super) fn saw_live(&self, agent: &str, live: Option<u32>, at: Timestamp) {
        self.live.keep(agent.into(), live, at);
    }

    /// The live version of the agent that the head names, or else the account. In place of one that is not live, or
    /// that cannot be read, the default agent answers, and in its place what is built in.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) async fn answering(
        &self,
        store: &Store,
        head: &Head,
        account: &Account,
    ) -> Result<Answering, StoreError> {
        let named = match &head.agent {
            Some(agent) => agent.clone(),
            None => self.of_account(store, account).await?,
        };
        let mut stands_in = None;
        for agent in [named.as_str(), DEFAULT_AGENT].into_iter().skip(usize::from(named == DEFAULT_AGENT)) {
            match self.live(store, agent).await {
                Ok(Some(version)) => return Ok(Answering { version, stands_in }),
                Ok(None) => stands_in = stands_in.or(Some("not live")),
                Err(StoreError::Corrupt { .. }) => stands_in = stands_in.or(Some("unreadable")),
                Err(error) => return Err(error),
            }
            tracing::warn!(agent, why = stands_in, "another agent answers in its place");
        }
        Ok(Answering { version: Arc::new(AgentVersion::built_in()), stands_in })
    }

    async fn live(&self, store: &Store, agent: &str) -> Result<Option<Arc<AgentVersion>>, StoreError> {
        let now = store.clock().now();
        let number = match self.live.fresh(agent, now) {
            Some(number) => number,
            None => {
                let number = store.live_version(agent).await?;
                self.saw_live(agent, number, now);
                number
            }
        };
        match number {
            Some(number) => self.version(store, agent, number).await,
            None => Ok(None),
        }
    }

    async fn version(
        &self,
        store: &Store,
        agent: &str,
        number: u32,
    ) -> Result<Option<Arc<AgentVersion>>, StoreError> {
        let key = (agent.to_owned(), number);
        if let Some((version, _)) = self.versions.get(&key) {
            return Ok(Some(version));
        }
        let Some(version) = store.agent_version(agent, number).await?.map(Arc::new) else { return Ok(None) };
        self.versions.keep(key, version.clone(), store.clock().now());
        Ok(Some(version))
    }

    /// The facts of an agent's business.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) async fn business(
        &self,
        store: &Store,
        agent: &str,
        limits: &Limits,
    ) -> Result<Arc<Vec<Fact>>, StoreError> {
        let now = store.clock().now();
        if let Some(facts) = self.business.fresh(agent, now) {
            return Ok(facts);
        }
        let facts = Arc::new(store.business(agent, limits).await?);
        self.business.keep(agent.into(), facts.clone(), now);
        Ok(facts)
    }
}

/// Values by name, and when each was read; beyond `most` the one goes that was read first.
#[derive(Debug)]
struct Kept<K, V> {
    values: Mutex<HashMap<K, (V, Timestamp)>>,
    most: usize,
}

impl<K: Eq + Hash + Clone, V: Clone> Kept<K, V> {
    fn at_most(most: usize) -> Self {
        Self { values: Mutex::default(), most }
    }

    /// What was read last, however long ago.
    fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<(V, Timestamp)>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.lock().get(key).cloned()
    }

    /// What was read last, unless that was too long ago.
    fn fresh<Q: Eq + Hash + ?Sized>(&self, key: &Q, now: Timestamp) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.get(key).filter(|(_, at)| now.since(*at) < FRESH).map(|(value, _)| value)
    }

    fn keep(&self, key: K, value: V, at: Timestamp) {
        let mut values = self.lock();
        if values.len() >= self.most && !values.contains_key(&key) {
            let oldest = values.iter().min_by_key(|(_, (_, at))| *at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| values.remove(&oldest));
        }
        values.insert(key, (value, at));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<K, (V, Timestamp)>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn a_value_counts_for_a_minute_and_is_a_guess_after_it() {
        let kept = Kept::at_most(2);
        kept.keep("a".to_owned(), 1, at(0));
        assert_eq!(kept.fresh("a", at(59)), Some(1));
        assert_eq!(kept.fresh("a", at(60)), None);
        assert_eq!(kept.get("a"), Some((1, at(0))));
    }

    #[test]
    fn bounds_what_was_read_first_goes_first() {
        let kept = Kept::at_most(2);
        for (key, seconds) in [("a", 0), ("b", 1), ("a", 2), ("c", 3)] {
            kept.keep(key.to_owned(), seconds, at(seconds));
        }
        assert_eq!(["a", "b", "c"].map(|key| kept.get(key).is_some()), [true, false, true]);
    }
}
