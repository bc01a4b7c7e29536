//! Facts of the business: hours, policies and units, which hang on an agent and follow the rules of all facts.

use super::facts::Shelf;
use super::{FactWrite, Range, Span, Store, StoreError, from_item, keys};
use crate::facts::{AsOf, Fact};
use crate::limits::Limits;
use crate::time::Timestamp;

impl Store {
    /// All facts of an agent's business, by kind and id (*bounds*: at most `business_items`).
    pub async fn business(&self, agent: &str, limits: &Limits) -> Result<Vec<Fact>, StoreError> {
        let pk = keys::business(agent);
        let span = Span::Prefix(keys::FACT_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit: limits.business_items, start: None };
        let items = self.all(range).await?.into_iter();
        items.map(|item| super::facts::parse(from_item(item, "fact")?)).collect()
    }

    /// One fact of an agent's business.
    pub async fn business_fact(&self, agent: &str, kind: &str, id: &str) -> Result<Option<Fact>, StoreError> {
        self.fact_at(&keys::business_fact(agent, kind, id)).await
    }

    /// Puts a fact of an agent's business, unless what is stored is newer. `Gone`: there is no such agent.
    pub async fn put_business_fact(
        &self,
        agent: &str,
        fact: &Fact,
        limits: &Limits,
    ) -> Result<FactWrite, StoreError> {
        if !self.is_agent(agent).await? {
            return Ok(FactWrite::Gone);
        }
        self.put_on(&shelf(agent, &fact.kind, &fact.id), fact, limits.business_items).await
    }

    /// Deletes a fact of an agent's business as of a moment and leaves a tombstone, unless what is stored is newer.
    /// `Gone`: there is no such agent.
    pub async fn delete_business_fact(
        &self,
        agent: &str,
        kind: &str,
        id: &str,
        as_of: &AsOf,
        now: Timestamp,
    ) -> Result<FactWrite, StoreError> {
        if !self.is_agent(agent).await? {
            return Ok(FactWrite::Gone);
        }
        self.delete_on(&shelf(agent, kind, id), as_of, now).await
    }
}

fn shelf(agent: &str, kind: &str, id: &str) -> Shelf {
    Shelf {
        fact: keys::business_fact(agent, kind, id),
        gone: keys::business_fact_gone(agent, kind, id),
        count: keys::business_count(agent),
        head: None,
    }
}
