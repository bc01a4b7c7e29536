//! A memory bank in process that keeps what it is given, recalls all of it, and fails when it is told to.

use carryover_shared::contact::ContactId;
use carryover_shared::memory::{Exchange, Memory, Origin, Query, Recall};
use carryover_shared::traits::{BankError, MemoryBank};
use futures::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};

/// A bank that does as it is told.
#[derive(Debug, Clone, Default)]
pub struct FakeBank {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    kept: Vec<(ContactId, Exchange)>,
    trouble: Option<Trouble>,
}

/// What is wrong with the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It refuses everything.
    Down,
    /// It never answers.
    Hangs,
}

impl FakeBank {
    /// What it keeps of a contact, in the order of the first retention.
    pub fn kept(&self, contact: ContactId) -> Vec<Exchange> {
        let kept = self.lock().kept.clone();
        kept.into_iter().filter(|(whose, _)| *whose == contact).map(|(_, exchange)| exchange).collect()
    }

    /// From now on something is wrong, or nothing is any more.
    pub fn set_trouble(&self, trouble: Option<Trouble>) {
        self.lock().trouble = trouble;
    }

    fn keep(&self, contact: ContactId, exchange: &Exchange) {
        let mut shared = self.lock();
        let same =
            |(whose, kept): &&mut (ContactId, Exchange)| *whose == contact && kept.origin == exchange.origin;
        match shared.kept.iter_mut().find(same) {
            Some((_, kept)) => *kept = exchange.clone(),
            None => shared.kept.push((contact, exchange.clone())),
        }
    }

    async fn answer(&self) -> Result<(), BankError> {
        let trouble = self.lock().trouble;
        match trouble {
            None => Ok(()),
            Some(Trouble::Down) => Err(BankError { code: "down".into() }),
            Some(Trouble::Hangs) => std::future::pending().await,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryBank for FakeBank {
    fn recall<'a>(&'a self, contact: ContactId, _: &'a Query) -> BoxFuture<'a, Recall> {
        Box::pin(async move {
            if self.answer().await.is_err() {
                return Recall::Failed("down");
            }
            Recall::of(self.kept(contact).into_iter().map(memory).collect())
        })
    }

    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        Box::pin(async move { self.answer().await.map(|()| self.keep(contact, exchange)) })
    }

    fn leave_out<'a>(&'a self, contact: ContactId, origin: Origin) -> BoxFuture<'a, Result<(), BankError>> {
        Box::pin(async move {
            let is_it = |(whose, kept): &(ContactId, Exchange)| *whose == contact && kept.origin == origin;
            self.answer().await.map(|()| self.lock().kept.retain(|kept| !is_it(kept)))
        })
    }

    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        Box::pin(async move {
            self.answer().await.map(|()| self.lock().kept.retain(|(whose, _)| *whose != contact))
        })
    }
}

fn memory(exchange: Exchange) -> Memory {
    let Exchange { origin, said, replied, from_seq, to_seq, at } = exchange;
    Memory { said, replied, messages: Some((from_seq, to_seq)), at: Some(at), origin: Some(origin) }
}
