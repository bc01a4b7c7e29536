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

    /// Counts one more change of feedback in this hour; `false` where there were `most` already.
    pub async fn count_rating(&self, contact: ContactId, hour: i64, most: usize) -> Result<bool, StoreError> {
        let key = keys::head(contact);
        let same_hour =
            Expression::new().if_equal("ratings_hour", hour).if_less("ratings", most).add("ratings", 1);
        if self.update(&key, same_hour).await?.is_some() {
            return Ok(true);
        }
        let new_hour = Expression::new()
            .if_present("pk")
            .if_absent_or_less("ratings_hour", hour)
            .set("ratings_hour", hour)
            .set("ratings", 1);
        Ok(self.update(&key, new_hour).await?.is_some())
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
