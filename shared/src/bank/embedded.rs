//! The embedded bank: items of `MEMORY#<id>`, ranked in process.

use crate::contact::ContactId;
use crate::limits::Limits;
use crate::memory::{self, Candidate, Exchange, Origin, Query, Recall};
use crate::store::{Spill, Store, StoreError};
use crate::traits::{BankError, MemoryBank};
use futures::future::BoxFuture;

/// The bank of a deployment that configures no other.
#[derive(Clone)]
pub struct Embedded {
    store: Store,
    limits: Limits,
}

impl Embedded {
    /// Over a table.
    pub fn new(store: Store, limits: &Limits) -> Self {
        Self { store, limits: limits.clone() }
    }

    async fn find(&self, contact: ContactId, query: &Query) -> Result<Recall, StoreError> {
        let spills = self.store.spills(contact, self.limits.bank_items).await?;
        let candidates: Vec<Candidate> = spills.iter().map(candidate).collect();
        let found = memory::rank(&candidates, &query.text, self.limits.memories, self.limits.memory_chars);
        Ok(Recall::of(found))
    }
}

impl MemoryBank for Embedded {
    fn recall<'a>(&'a self, contact: ContactId, query: &'a Query) -> BoxFuture<'a, Recall> {
        Box::pin(async move {
            match self.find(contact, query).await {
                Ok(recall) => recall,
                Err(StoreError::Corrupt { .. }) => Recall::Failed("unreadable"),
                Err(_) => Recall::Failed("unavailable"),
            }
        })
    }

    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        Box::pin(async move {
            match exchange.origin {
                // Its fold has kept it here, in the transaction that moved the checkpoint.
                Origin::Spill { .. } => Ok(()),
                _ => self.store.put_memory(contact, exchange).await.map_err(bank_error),
            }
        })
    }

    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        Box::pin(async move { self.store.delete_memories(contact).await.map_err(bank_error) })
    }
}

fn bank_error(error: StoreError) -> BankError {
    BankError { code: error.to_string() }
}

fn candidate(spill: &Spill) -> Candidate {
    Candidate {
        text: spill.text.clone(),
        also: spill.values.clone(),
        from_seq: spill.from_seq,
        to_seq: spill.to_seq,
        at: spill.at,
    }
}
