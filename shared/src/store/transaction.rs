//! Transactions: one operation per item, reasons read per item, conflicts never taken for a lost race.

use super::expression::Expression;
use super::keys::Key;
use super::{Item, Store, StoreError};
use crate::time::Timestamp;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use std::time::Duration;
use ulid::Ulid;

/// Which item of a transaction a condition stood on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Head,
    Message,
    Seen,
    Identity,
    Snapshot,
    Case,
    Fact,
    Gone,
    Count,
    Live,
    Index,
    Version,
    Account,
    Memory,
    /// An item whose condition cannot fail on its own.
    Beside,
}

/// What became of a transaction.
#[derive(Debug)]
pub(crate) enum Written {
    Done,
    Lost(Vec<Lost>),
}

/// A condition that did not hold, with the item as it is.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) part: Part,
    pub(crate) found: Option<Item>,
}

/// The writes of one transaction. Every item it puts, and every head it updates, carries `write_id`, so that
/// after an unknown outcome what is found can be compared with what was written.
pub(crate) struct Transaction {
    write_id: Ulid,
    parts: Vec<Part>,
    items: Vec<TransactWriteItem>,
}

/// The attribute that tells one write of an item from the next.
pub(super) const WRITE_ID: &str = "write_id";

/// What every operation of a transaction has: the table, its condition, and the item as it was if that fails.
macro_rules! under {
    ($builder:expr, $store:expr, $condition:expr) => {
        $builder
            .table_name($store.table())
            .set_condition_expression($condition.condition())
            .set_expression_attribute_names($condition.names())
            .set_expression_attribute_values($condition.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
}

impl Transaction {
    pub(crate) fn new(write_id: Ulid) -> Self {
        Self { write_id, parts: vec![], items: vec![] }
    }

    /// Puts an item that must be absent.
    pub(crate) fn create(self, store: &Store, part: Part, key: &Key, item: Item) -> Self {
        self.put(store, part, key, item, Expression::new().if_absent("pk"))
    }

    pub(crate) fn put(
        mut self,
        store: &Store,
        part: Part,
        key: &Key,
        mut item: Item,
        condition: Expression,
    ) -> Self {
        item.extend(key.attributes());
        item.insert(WRITE_ID.into(), AttributeValue::S(self.write_id.to_string()));
        let put = under!(Put::builder(), store, condition).set_item(Some(item)).build();
        if let Ok(put) = put {
            self.push(part, TransactWriteItem::builder().put(put).build());
        }
        self
    }

    pub(crate) fn update(mut self, store: &Store, part: Part, key: &Key, change: Expression) -> Self {
        let change = change.set(WRITE_ID, self.write_id);
        let update = under!(Update::builder(), store, change)
            .set_key(Some(key.attributes()))
            .update_expression(change.update())
            .build();
        if let Ok(update) = update {
            self.push(part, TransactWriteItem::builder().update(update).build());
        }
        self
    }

    pub(crate) fn delete(mut self, store: &Store, part: Part, key: &Key, condition: Expression) -> Self {
        let delete = under!(Delete::builder(), store, condition).set_key(Some(key.attributes())).build();
        if let Ok(delete) = delete {
            self.push(part, TransactWriteItem::builder().delete(delete).build());
        }
        self
    }

    pub(crate) fn check(mut self, store: &Store, part: Part, key: &Key, condition: Expression) -> Self {
        let check =
            under!(ConditionCheck::builder(), store, condition).set_key(Some(key.attributes())).build();
        if let Ok(check) = check {
            self.push(part, TransactWriteItem::builder().condition_check(check).build());
        }
        self
    }

    fn push(&mut self, part: Part, item: TransactWriteItem) {
        self.parts.push(part);
        self.items.push(item);
    }

    /// Writes until it is done, lost, or the store's deadline has passed.
    ///
    /// Conflicts, throttling and broken connections are repeated with jitter. The client token stays the same
    /// only while the outcome of the last attempt is unknown: the parameters are identical then.
    pub(crate) async fn write(self, store: &Store) -> Result<Written, StoreError> {
        let deadline = store.deadline();
        let mut token = store.clock().ulid();
        let mut unknown = false;
        let mut attempt = 0;
        loop {
            match self.attempt(store, token).await {
                Attempt::Done => return Ok(Written::Done),
                Attempt::Lost(lost) if unknown && self.is_ours(&lost) => return Ok(Written::Done),
                Attempt::Lost(lost) => return Ok(Written::Lost(lost)),
                Attempt::Failed(error) => return Err(error),
                Attempt::Again { .. } if store.clock().now() >= deadline => {
                    return Err(StoreError::Contended);
                }
                Attempt::Again { outcome_unknown } => {
                    unknown |= outcome_unknown;
                    if !outcome_unknown {
                        token = store.clock().ulid();
                    }
                }
            }
            pause(store, attempt, deadline).await;
            attempt += 1;
        }
    }

    fn is_ours(&self, lost: &[Lost]) -> bool {
        let ours = AttributeValue::S(self.write_id.to_string());
        lost.iter().filter_map(|lost| lost.found.as_ref()).any(|item| item.get(WRITE_ID) == Some(&ours))
    }

    async fn attempt(&self, store: &Store, token: Ulid) -> Attempt {
        let sent = store
            .client()
            .transact_write_items()
            .client_request_token(token.to_string())
            .set_transact_items(Some(self.items.clone()))
            .send()
            .await;
        match sent {
            Ok(_) => Attempt::Done,
            Err(error) => self.judge(error),
        }
    }

    fn judge(&self, error: SdkError<TransactWriteItemsError>) -> Attempt {
        match &error {
            SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => {
                Attempt::Again { outcome_unknown: true }
            }
            SdkError::ServiceError(service) => match service.err() {
                TransactWriteItemsError::TransactionCanceledException(cancelled) => {
                    self.read_reasons(cancelled.cancellation_reasons())
                }
                TransactWriteItemsError::TransactionInProgressException(_)
                | TransactWriteItemsError::InternalServerError(_) => Attempt::Again { outcome_unknown: true },
                other if super::is_throttled(other.meta().code()) => {
                    Attempt::Again { outcome_unknown: false }
                }
                _ => Attempt::Failed(StoreError::unavailable(error)),
            },
            _ => Attempt::Failed(StoreError::unavailable(error)),
        }
    }

    fn read_reasons(&self, reasons: &[CancellationReason]) -> Attempt {
        let code = |reason: &CancellationReason| reason.code().unwrap_or("None").to_owned();
        let lost: Vec<Lost> = self
            .parts
            .iter()
            .zip(reasons)
            .filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))
            .map(|(&part, reason)| Lost { part, found: reason.item.clone() })
            .collect();
        let other = reasons.iter().map(code).find(|code| code != "None" && code != "ConditionalCheckFailed");
        match other {
            Some(code) if code == "TransactionConflict" || super::is_throttled(Some(&code)) => {
                Attempt::Again { outcome_unknown: false }
            }
            Some(code) => Attempt::Failed(StoreError::Refused { code }),
            None if lost.is_empty() => Attempt::Again { outcome_unknown: false },
            None => Attempt::Lost(lost),
        }
    }
}

enum Attempt {
    Done,
    Lost(Vec<Lost>),
    Again { outcome_unknown: bool },
    Failed(StoreError),
}

/// Waits before the next attempt: 10 ms doubling to 640 ms, with full jitter.
async fn pause(store: &Store, attempt: u32, deadline: Timestamp) {
    let ceiling = 10_u64 << attempt.min(6);
    let wait = Duration::from_millis((ceiling as f64 * store.clock().jitter()) as u64 + 1);
    store.clock().sleep(wait.min(deadline.since(store.clock().now()))).await;
}
