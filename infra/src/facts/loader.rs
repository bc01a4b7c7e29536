//! Pushes facts, several contacts at a time, and counts what became of them.

use crate::api::{Api, FactPut, StoredFact};
use crate::terminal::{self, Progress};
use anyhow::Result;
use carryover_shared::contact::Identity;
use carryover_shared::facts::same_data;
use futures::stream::{self, StreamExt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Contacts that are loaded at the same time; one contact's facts go one after another.
const CONTACTS: usize = 4;
/// Failures that are told one by one.
pub(super) const FAILURES_SAID: usize = 20;

/// A fact that is to stand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) identity: Identity,
    pub(crate) kind: String,
    pub(crate) id: String,
    /// RFC 3339.
    pub(crate) as_of: String,
    pub(crate) data: Value,
}

/// What became of facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) created: usize,
    pub(crate) replaced: usize,
    pub(crate) unchanged: usize,
    pub(crate) older: usize,
    pub(crate) failed: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.created += other.created;
        self.replaced += other.replaced;
        self.unchanged += other.unchanged;
        self.older += other.older;
        self.failed += other.failed;
    }

    fn all(self) -> usize {
        self.created + self.replaced + self.unchanged + self.older + self.failed
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { created, replaced, unchanged, older, failed } = self;
        write!(
            f,
            "{created} created, {replaced} replaced, {unchanged} unchanged, {older} older than what stands, {failed} failed"
        )
    }
}

/// Pushes facts.
pub(crate) struct Loader {
    api: Api,
    progress: Progress,
}

impl Loader {
    /// For `total` facts.
    pub(crate) fn new(api: Api, total: usize) -> Self {
        Self { api, progress: Progress::of(total, "records") }
    }

    /// Pushes all of them; what fails is told and counted.
    pub(crate) async fn load(mut self, wanted: Vec<Wanted>) -> Counts {
        let mut by_contact: BTreeMap<Identity, Vec<Wanted>> = BTreeMap::new();
        for fact in wanted {
            by_contact.entry(fact.identity.clone()).or_default().push(fact);
        }
        let api = &self.api;
        let loads = by_contact.into_values().map(async |facts| load_contact(api, facts).await);
        let mut loads = stream::iter(loads).buffer_unordered(CONTACTS);
        let (mut counts, mut said) = (Counts::default(), 0);
        while let Some((loaded, failures)) = loads.next().await {
            counts.add(loaded);
            for failure in failures.iter().take(FAILURES_SAID - said) {
                terminal::warn(failure);
            }
            said = FAILURES_SAID.min(said + failures.len());
            self.progress.at(counts.all() as u64);
        }
        counts
    }
}

/// The facts of one contact; what stands already is not pushed again.
async fn load_contact(api: &Api, facts: Vec<Wanted>) -> (Counts, Vec<String>) {
    let (mut counts, mut failures) = (Counts::default(), vec![]);
    let Some(identity) = facts.first().map(|fact| fact.identity.clone()) else { return (counts, failures) };
    // Where they cannot be read, all are pushed: that is right as well, only slower.
    let mut stored = api.facts(identity.as_str()).await.unwrap_or_default();
    for fact in facts {
        let put = put(api, &stored, &fact).await;
        stored.retain(|stored| (&stored.kind, &stored.id) != (&fact.kind, &fact.id));
        match put {
            Ok(Stands::Created) => counts.created += 1,
            Ok(Stands::Replaced) => counts.replaced += 1,
            Ok(Stands::Already) => counts.unchanged += 1,
            Ok(Stands::Newer) => counts.older += 1,
            Err(error) => {
                counts.failed += 1;
                failures.push(format!("{} {} of {identity}: {error:#}", fact.kind, fact.id));
            }
        }
    }
    (counts, failures)
}

/// What stands after a fact was pushed.
enum Stands {
    Created,
    Replaced,
    Already,
    Newer,
}

async fn put(api: &Api, stored: &[StoredFact], fact: &Wanted) -> Result<Stands> {
    if stored.iter().any(|stored| stands(stored, fact)) {
        return Ok(Stands::Already);
    }
    let Wanted { identity, kind, id, as_of, data } = fact;
    match api.put_fact(identity.as_str(), kind, id, as_of, data).await? {
        FactPut::Created => Ok(Stands::Created),
        FactPut::Stands => Ok(Stands::Replaced),
        FactPut::Older => Ok(Stands::Newer),
        FactPut::Refused(why) => Err(anyhow::anyhow!(why)),
    }
}

fn stands(stored: &StoredFact, fact: &Wanted) -> bool {
    (&stored.kind, &stored.id) == (&fact.kind, &fact.id)
        && same_time(&stored.as_of, &fact.as_of)
        && same_data(&stored.data, &fact.data)
}

fn same_time(a: &str, b: &str) -> bool {
    let read = |text: &str| serde_json::from_value::<carryover_shared::facts::AsOf>(text.into()).ok();
    read(a).is_some_and(|a| Some(a) == read(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_stands_already_is_told_by_time_and_data() {
        let stored = StoredFact {
            kind: "order".into(),
            id: "1".into(),
            as_of: "2026-11-30T09:00:00Z".into(),
            data: json!({"total": 2}),
        };
        let wanted = |as_of: &str, data| Wanted {
            identity: "chat:ana".parse().unwrap(),
            kind: "order".into(),
            id: "1".into(),
            as_of: as_of.into(),
            data,
        };
        assert!(stands(&stored, &wanted("2026-11-30T10:00:00.000+01:00", json!({"total": 2.0}))));
        assert!(!stands(&stored, &wanted("2026-11-30T09:00:01Z", json!({"total": 2}))));
        assert!(!stands(&stored, &wanted("2026-11-30T09:00:00Z", json!({"total": 3}))));
    }
}
