//! Feedback, beside the message that it is about.

use super::expression::Expression;
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Store, StoreError, keys, to_item};
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

    /// What the customer thinks of a message, if they said so.
    pub async fn feedback(&self, contact: ContactId, seq: Seq) -> Result<Option<Feedback>, StoreError> {
        self.get(&keys::feedback(contact, seq), "feedback").await
    }
}
