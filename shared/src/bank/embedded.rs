//! The embedded bank: items of `MEMORY#<id>`, ranked in process.

use crate::contact::ContactId;
use crate::limits::Limits;
use crate::memory::{self, Entry, Exchange, Memory, Origin, Query, Question, Recall};
use crate::store::{Changed, Store, StoreError};
use crate::traits::{BankError, MemoryBank};
use futures::future::BoxFuture;

/// The bank of a deployment that configures no other. Whatever bank is configured, spills are here.
#[derive(Clone)]
pub struct Embedded {
    store: Store,
    limits: Limits,
}

/// How often a change starts over because another one was faster.
const ROUNDS: usize = 10;

impl Embedded {
    /// Over a table.
    pub fn new(store: Store, limits: &Limits) -> Self {
        Self { store, limits: limits.clone() }
    }

    /// What the spills of a contact have for a question, for a bank that keeps exchanges elsewhere.
    pub async fn recall_spills(&self, contact: ContactId, query: &Query) -> Recall {
        let spills = self.store.spill_entries(contact, self.limits.bank_items).await;
        self.best(contact, query, [spills]).await
    }

    /// The best of what could be read; a part that could not is never shown as empty.
    async fn best<const N: usize>(
        &self,
        contact: ContactId,
        query: &Query,
        pages: [Result<Vec<Entry>, StoreError>; N],
    ) -> Recall {
        let mut failed = None;
        let mut entries = vec![];
        for page in pages {
            match page {
                Ok(page) => entries.extend(page),
                Err(error) => failed = Some(why(&error)),
            }
        }
        let (found, unread) = self.show(contact, query, &entries).await;
        Recall::unless(failed.or(unread), found)
    }

    /// The entries that resemble the question, around the match; and why the text of one could not be read, if so.
    async fn show(
        &self,
        contact: ContactId,
        query: &Query,
        entries: &[Entry],
    ) -> (Vec<Memory>, Option<&'static str>) {
        let question = Question::new(query, entries);
        let mut unread = None;
        let mut found = vec![];
        for entry in memory::rank(entries, &question, self.limits.memories) {
            let bodies = match question.is_answered_by_bodies_of(entry) {
                true => self.store.bodies(contact, entry).await.map(Some),
                false => Ok(None),
            };
            let bodies = bodies.unwrap_or_else(|error| {
                unread = Some(why(&error));
                None
            });
            found.push(memory::show(entry, bodies.as_deref(), &question, self.limits.memory_chars));
        }
        (found, unread)
    }

    /// Keeps an exchange in one transaction on what was read, again and again while others are faster.
    async fn keep(&self, contact: ContactId, exchange: &Exchange) -> Result<(), StoreError> {
        let recalled = match exchange.origin {
            Origin::Reply(seq) => self.store.recalled_for(contact, seq).await?,
            Origin::Case(_) | Origin::Feedback(_) | Origin::Spill { .. } => vec![],
        };
        if self.store.is_forgotten(contact, exchange.origin).await? {
            return Ok(());
        }
        for _ in 0..ROUNDS {
            let bank = self.store.bank(contact, 2 * self.limits.bank_items).await?;
            let change = memory::retain(&bank.entries, exchange, &recalled, &self.limits);
            if change.is_empty() || self.store.change_bank(contact, &bank, &change).await? != Changed::Moved {
                return Ok(());
            }
        }
        Err(StoreError::Contended)
    }
}

impl MemoryBank for Embedded {
    fn recall<'a>(&'a self, contact: ContactId, query: &'a Query) -> BoxFuture<'a, Recall> {
        Box::pin(async move {
            let most = self.limits.bank_items;
            let (spills, memories) =
                futures::join!(self.store.spill_entries(contact, most), self.store.memories(contact, most));
            self.best(contact, query, [spills, memories]).await
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
                Origin::Reply(_) | Origin::Case(_) | Origin::Feedback(_) => {
                    self.keep(contact, exchange).await.map_err(bank_error)
                }
            }
        })
    }

    fn leave_out<'a>(&'a self, contact: ContactId, origin: Origin) -> BoxFuture<'a, Result<(), BankError>> {
        Box::pin(async move { self.store.delete_memory(contact, origin).await.map_err(bank_error) })
    }

    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        Box::pin(async move { self.store.delete_memories(contact).await.map_err(bank_error) })
    }
}

fn why(error: &StoreError) -> &'static str {
    match error {
        StoreError::Corrupt { .. } => "unreadable",
        _ => "unavailable",
    }
}

fn bank_error(error: StoreError) -> BankError {
    BankError { code: error.to_string() }
}
