//! Cases and the hand-over between bot and people.

use super::contacts::no_longer_waiting;
use super::expression::Expression;
use super::transaction::{Part, Transaction, Written};
use super::{Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::case::{Case, CaseState};
use crate::contact::{Account, ContactId};
use crate::thread::{Author, Channel, Head, Message, Mode, Parts};
use crate::time::Timestamp;
use serde::Serialize;
use ulid::Ulid;

/// Cases of one contact that a turn looks at, newest first.
const CASES_READ: usize = 10;

impl Store {
    /// The contact's newest cases.
    pub async fn cases(&self, contact: ContactId) -> Result<Vec<Case>, StoreError> {
        let range = Range {
            pk: &keys::contact(contact),
            span: Span::Prefix(keys::CASE_PREFIX.into()),
            oldest_first: false,
            limit: CASES_READ,
            start: None,
        };
        self.all(range).await?.into_iter().map(|item| from_item(item, "case")).collect()
    }

    /// One case.
    pub async fn case(&self, contact: ContactId, case_id: Ulid) -> Result<Option<Case>, StoreError> {
        self.get(&keys::case(contact, case_id), "case").await
    }

    /// A person takes the thread; `false` if it moved on since `head` was read.
    pub async fn take_over(&self, head: &Head) -> Result<bool, StoreError> {
        let change = handed_over(head).set("mode", Mode::Human).set("settled_seq", head.last_seq);
        let mut transaction = self.on_head(head, no_longer_waiting(change));
        if let Some(case_id) = head.open_case {
            let case = unresolved().set("state_of_case", CaseState::Taken);
            transaction = transaction.update(self, Part::Case, &keys::case(head.contact_id, case_id), case);
        }
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// A person writes; the bot is silent from then on. `None` if the thread moved on since `head` was read.
    pub async fn operator_message(
        &self,
        head: &Head,
        text: &str,
        at: Timestamp,
        message_chars: usize,
    ) -> Result<Option<Message>, StoreError> {
        let parts = Parts::of(text, message_chars);
        let message = operator_message(head, &parts, at);
        let change = handed_over(head)
            .set("mode", Mode::Human)
            .set("last_seq", message.seq)
            .set("settled_seq", message.seq);
        let transaction = self.on_head(head, no_longer_waiting(change));
        let transaction = self.with_message(transaction, head.contact_id, &message, &parts.bodies)?;
        Ok(matches!(transaction.write(self).await?, Written::Done).then_some(message))
    }

    /// Hands the thread back to the bot, resolving the open case or not. What people were asked is settled for
    /// good. `false` if the thread moved on since `head` was read: a new message came.
    pub async fn hand_back(&self, head: &Head, resolve: bool, at: Timestamp) -> Result<bool, StoreError> {
        let mut change = handed_over(head)
            .if_equal("last_customer_seq", head.last_customer_seq)
            .set("mode", Mode::Bot)
            .set("settled_seq", head.last_seq);
        let resolved = head.open_case.filter(|_| resolve);
        if resolved.is_some() {
            change = change.remove("open_case");
        }
        let mut transaction = self.on_head(head, no_longer_waiting(change));
        if let Some(case_id) = resolved {
            let case = unresolved()
                .set("state_of_case", CaseState::Resolved)
                .set("resolved_at_millis", at)
                .set("resolved_seq", head.last_seq)
                .remove("state")
                .remove("state_at");
            transaction = transaction.update(self, Part::Case, &keys::case(head.contact_id, case_id), case);
        }
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    fn on_head(&self, head: &Head, change: Expression) -> Transaction {
        Transaction::new(self.clock().ulid()).update(self, Part::Head, &keys::head(head.contact_id), change)
    }
}

/// The epoch rises, the lease ends, and the thread is as it was read.
fn handed_over(head: &Head) -> Expression {
    Expression::new()
        .if_equal("epoch", head.epoch)
        .if_equal("last_seq", head.last_seq)
        .if_equal("mode", head.mode)
        .if_still("open_case", head.open_case)
        .if_absent("erasing")
        .set("epoch", head.epoch + 1)
        .set("turn_tries", 0)
        .remove("turn_owner")
        .remove("turn_until_millis")
}

/// The case is there and not resolved.
pub(crate) fn unresolved() -> Expression {
    Expression::new().if_present("pk").if_absent("resolved_at_millis")
}

fn operator_message(head: &Head, parts: &Parts, at: Timestamp) -> Message {
    Message {
        epoch: head.epoch + 1,
        ..Message::new(head.last_seq.next(), Author::Operator, Channel::Chat, Account::chat(), parts, at)
    }
}

/// How an open case stands in the index.
pub(crate) fn listed(case: &Case) -> Result<Item, StoreError> {
    #[derive(Serialize)]
    struct Listed {
        state: String,
        state_at: String,
    }
    let state = keys::state("open", case.contact_id);
    to_item(Listed { state, state_at: super::contacts::state_at(case.opened_at) }, "case")
}
