//! Feedback, beside the message that it is about.

use super::expression::Expression;
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::feedback::Feedback;
use crate::thread::Seq;

impl Store {
    /// Keeps what the customer thinks of a message, in the place of what they thought before; `false` where the
    /// contact is gone or being erased (*erasable*).
    pub async fn put_feedback(&self, contact: ContactId, feedback: &Feedback) -> Result<bool, StoreError> {
        let (key, item) = (keys::feedback(contact, feedback.seq), to_item(feedback, "feedback")?);
        let transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Beside, &key, item, Expression::new())
            .check(self, Part::Head, &keys::head(contact), alive());
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// What the customer thinks of their messages, newest first, at most `limit`.
    pub async fn feedback_of(&self, contact: ContactId, limit: usize) -> Result<Vec<Feedback>, StoreError> {
        let pk = keys::contact(contact);
        let span = Span::Prefix(keys::FEEDBACK_PREFIX.into());
        let range = Range { pk: &pk, span, oldest_first: false, limit, start: None };
        self.page(range).await?.items.into_iter().map(|item| from_item(item, "feedback")).collect()
    }

    /// What the customer thinks of a message, if they said so.
    pub async fn feedback(&self, contact: ContactId, seq: Seq) -> Result<Option<Feedback>, StoreError> {
        self.get(&keys::feedback(contact, seq), "feedback").await
    }
}
