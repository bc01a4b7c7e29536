//! Which agent answers: by the channel account of a message, or by the contact's own head.

use super::agents::Audit;
use super::expression::Expression;
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::agent::AccountAgent;
use crate::contact::{Account, ContactId};

/// What became of giving an account or a contact to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    /// The agent answers there now.
    Done,
    /// The agent has no live version; nothing was changed.
    NotLive,
    /// The contact is being erased, or is gone.
    Gone,
}

impl Store {
    /// Which agent answers on an account, where that was said.
    pub async fn account(&self, account: &Account) -> Result<Option<AccountAgent>, StoreError> {
        self.get(&keys::account(account), "account").await
    }

    /// The accounts of an agent, by name, at most `limit`.
    pub async fn accounts_of(&self, agent: &str, limit: usize) -> Result<Vec<AccountAgent>, StoreError> {
        let pk = keys::agent_pk(agent);
        let span = Span::Prefix(keys::ACCOUNT_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: true, limit, start: None };
        self.all(range).await?.into_iter().map(|item| from_item(item, "account")).collect()
    }

    /// Gives an account to an agent that is live.
    pub async fn assign_account(&self, to: &AccountAgent, by: &str) -> Result<Assigned, StoreError> {
        let AccountAgent { account, agent, .. } = to;
        let audit =
            Audit { action: "account", by, version: None, account: Some(account), at: self.clock().now() };
        for _ in 0..ROUNDS {
            let old = self.account(account).await?.map(|old| old.agent);
            let unmoved = Expression::new().if_still("agent", old.as_ref());
            let item = to_item(to, "account")?;
            let mut transaction = Transaction::new(self.clock().ulid())
                .put(self, Part::Account, &keys::account(account), item.clone(), unmoved)
                .put(self, Part::Beside, &keys::agent_account(agent, account), item, Expression::new())
                .check(self, Part::Live, &keys::live(agent), is_there());
            if let Some(old) = old.filter(|old| old != agent) {
                let key = keys::agent_account(&old, account);
                transaction = transaction.delete(self, Part::Beside, &key, Expression::new());
            }
            match self.audited(transaction, agent, &audit)?.write(self).await? {
                Written::Done => return Ok(Assigned::Done),
                Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Live) => {
                    return Ok(Assigned::NotLive);
                }
                Written::Lost(_) => {}
            }
        }
        Err(StoreError::Contended)
    }

    /// Lets an agent that is live answer a contact whatever account they write to; with `None` the account decides
    /// again. Everything that is known of the contact stays as it is.
    pub async fn use_agent(&self, contact: ContactId, agent: Option<&str>) -> Result<Assigned, StoreError> {
        let change = match agent {
            Some(agent) => alive().set("agent", agent),
            None => alive().remove("agent"),
        };
        let mut transaction =
            Transaction::new(self.clock().ulid()).update(self, Part::Head, &keys::head(contact), change);
        if let Some(agent) = agent {
            transaction = transaction.check(self, Part::Live, &keys::live(agent), is_there());
        }
        Ok(match transaction.write(self).await? {
            Written::Done => Assigned::Done,
            Written::Lost(lost) if lost.iter().any(|lost| lost.part == Part::Head) => Assigned::Gone,
            Written::Lost(_) => Assigned::NotLive,
        })
    }
}

fn is_there() -> Expression {
    Expression::new().if_present("pk")
}
