//! Leases: they save model calls; commits are safe without them.

use super::expression::Expression;
use super::keys::Key;
use super::{Item, Store, StoreError, from_item, keys};
use crate::contact::ContactId;
use crate::thread::{Head, Lease, Mode};
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::ReturnValue;
use ulid::Ulid;

impl Store {
    /// Takes the lease for a turn that answers up to `head.last_customer_seq`, if nobody moved since `head` was
    /// read. The head as it is then, or `None`.
    pub async fn take_lease(&self, head: &Head, lease: Lease) -> Result<Option<Head>, StoreError> {
        let change = Expression::new()
            .if_equal("epoch", head.epoch)
            .if_equal("last_seq", head.last_seq)
            .if_equal("settled_seq", head.settled_seq)
            .if_equal("mode", Mode::Bot)
            .if_still("turn_owner", head.turn_owner)
            .if_absent("erasing")
            .set("turn_owner", lease.owner)
            .set("turn_until_millis", lease.until)
            .set("turn_seq", head.last_customer_seq)
            .set("turn_reads", lease.reads)
            .set("turn_tries", head.tries_with(head.last_customer_seq));
        let updated = self.update(&keys::head(head.contact_id), change).await?;
        updated.map(|item| from_item(item, "head")).transpose()
    }

    /// Ends a turn's lease, if it is still the turn's own.
    pub async fn release_lease(&self, contact: ContactId, owner: Ulid) -> Result<(), StoreError> {
        let change =
            Expression::new().if_equal("turn_owner", owner).remove("turn_owner").remove("turn_until_millis");
        self.update(&keys::head(contact), change).await.map(|_| ())
    }

    /// Counts calls of the reply model.
    pub async fn count_calls(&self, contact: ContactId, hour: i64, calls: u32) -> Result<(), StoreError> {
        let key = keys::head(contact);
        let same_hour = Expression::new().if_equal("calls_hour", hour).add("calls", calls);
        if self.update(&key, same_hour).await?.is_none() {
            let new_hour =
                Expression::new().if_less("calls_hour", hour).set("calls_hour", hour).set("calls", calls);
            self.update(&key, new_hour).await?;
        }
        Ok(())
    }

    /// One conditional update, repeated while the table is busy; the item as it is then, or `None` if the
    /// condition did not hold.
    pub(crate) async fn update(&self, key: &Key, change: Expression) -> Result<Option<Item>, StoreError> {
        let deadline = self.deadline();
        loop {
            let sent = self
                .client()
                .update_item()
                .table_name(self.table())
                .set_key(Some(key.attributes()))
                .update_expression(change.update())
                .set_condition_expression(change.condition())
                .set_expression_attribute_names(change.names())
                .set_expression_attribute_values(change.values())
                .return_values(ReturnValue::AllNew)
                .send()
                .await;
            match sent {
                Ok(updated) => return Ok(Some(updated.attributes.unwrap_or_default())),
                Err(error) if is_lost(&error) => return Ok(None),
                Err(error) if is_busy(&error) && self.clock().now() < deadline => {
                    self.clock().sleep(std::time::Duration::from_millis(20)).await;
                }
                Err(error) => return Err(StoreError::unavailable(error)),
            }
        }
    }
}

fn is_lost<R>(error: &SdkError<UpdateItemError, R>) -> bool {
    matches!(error, SdkError::ServiceError(e) if e.err().is_conditional_check_failed_exception())
}

fn is_busy<R>(error: &SdkError<UpdateItemError, R>) -> bool {
    let SdkError::ServiceError(service) = error else { return false };
    service.err().is_transaction_conflict_exception() || super::is_throttled(service.err().meta().code())
}
