//! The table. The only store there is: tests and simulation run this same adapter over an embedded table.
//!
//! A lost race is an outcome, never an error. Everything that a turn decides on is read strongly consistent.

mod accounts;
mod agents;
mod answers;
mod business;
mod cases;
mod commit;
mod contacts;
mod desk;
mod erase;
mod expression;
mod facts;
mod feedback;
mod flags;
mod folds;
mod handoff;
mod import;
mod join;
mod keys;
mod lease;
mod listing;
mod log;
mod memory;
mod notes;
mod opt_out;
mod piles;
mod pulse;
mod sweep;
mod tally;
mod tickets;
mod traces;
mod transaction;

pub use crate::summary::Spill;
pub use accounts::Assigned;
pub use agents::{Installed, VersionEntry};
pub use answers::{Begun, KeptAnswer};
pub use commit::{Committed, NewCase, NewReply, NewRequest};
pub use contacts::{Admission, Admitted, NewMessage, Ticket};
pub use desk::{Flagged, Stated};
pub use erase::Erasure;
pub use facts::{FactGone, FactWrite, RequestWrite};
pub use folds::{Basis, FoldStart, Saved};
pub use handoff::{By, OperatorText};
pub use import::{Imported, ImportedLog, ImportedMessage};
pub use join::Joined;
pub use listing::{Cursor, CursorError, Entry, List, Order, Part as ListPart};
pub use log::Gathered;
pub use memory::{Bank, Changed};
pub use notes::{NotePlace, NoteWrite};
pub use tickets::{IndexPointer, Place, ReleasedCase, Upload};
pub use traces::TraceKey;

use crate::limits::Limits;
use crate::time::Timestamp;
use crate::traits::Clock;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::AttributeValue;
use keys::Key;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How often a write starts over from what it found before it gives up as contended.
const ROUNDS: usize = 50;

/// One item of the table.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// The table, as a turn, a fold or a command sees it.
#[derive(Clone)]
pub struct Store {
    client: Client,
    table: Arc<str>,
    clock: Arc<dyn Clock>,
    write_time: Duration,
    deadline: Option<Timestamp>,
}

/// Why the store could not do something. Never carries text of a message.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Conflicts or throttling until the deadline.
    #[error("the table was too busy until the deadline")]
    Contended,
    /// The table refused a write for a reason that repeating does not mend.
    #[error("the table refused a write: {code}")]
    Refused {
        /// The reason's code.
        code: String,
    },
    /// An item cannot be read.
    #[error("an item of the table cannot be read: {what}")]
    Corrupt {
        /// Which kind of item.
        what: &'static str,
    },
    /// The table cannot be reached.
    #[error("the table is unavailable: {code}")]
    Unavailable {
        /// The error's code.
        code: String,
    },
}

impl StoreError {
    fn unavailable<E: ProvideErrorMetadata, R>(error: SdkError<E, R>) -> Self {
        let code = match &error {
            SdkError::ServiceError(service) => service.err().code().unwrap_or("unknown").to_owned(),
            SdkError::TimeoutError(_) => "timeout".into(),
            SdkError::DispatchFailure(_) => "no connection".into(),
            SdkError::ResponseError(_) => "unreadable response".into(),
            _ => "request not built".into(),
        };
        Self::Unavailable { code }
    }
}

impl Store {
    /// The store over a table.
    pub fn new(client: Client, table: &str, clock: Arc<dyn Clock>, limits: &Limits) -> Self {
        Self {
            client,
            table: table.into(),
            clock,
            write_time: Duration::from_secs(limits.write_seconds),
            deadline: None,
        }
    }

    /// The same store for a caller that must be done by `deadline`.
    pub fn until(&self, deadline: Timestamp) -> Self {
        Self { deadline: Some(deadline), ..self.clone() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Until when conditional writes are repeated.
    pub(crate) fn deadline(&self) -> Timestamp {
        self.deadline.unwrap_or_else(|| self.clock.now() + self.write_time)
    }

    /// One item, read as what it is, strongly consistent.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        key: &Key,
        what: &'static str,
    ) -> Result<Option<T>, StoreError> {
        self.item(key).await?.map(|item| from_item(item, what)).transpose()
    }

    /// One item, strongly consistent.
    pub(crate) async fn item(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let found = self
            .client
            .get_item()
            .table_name(self.table())
            .set_key(Some(key.attributes()))
            .consistent_read(true)
            .send()
            .await
            .map_err(StoreError::unavailable)?;
        Ok(found.item)
    }

    pub(crate) async fn delete_item(&self, key: &Key) -> Result<(), StoreError> {
        let deleted = self.client.delete_item().table_name(self.table()).set_key(Some(key.attributes()));
        deleted.send().await.map(|_| ()).map_err(StoreError::unavailable)
    }

    /// A page of a partition: items whose sort key starts with `prefix` (and is above `after`), strongly
    /// consistent, at most `limit` of them.
    pub(crate) async fn page(&self, range: Range<'_>) -> Result<Page, StoreError> {
        self.query(range, true).await
    }

    /// A page that may miss what was written just now, at half the price: for what is never decided on alone.
    pub(crate) async fn recent_page(&self, range: Range<'_>) -> Result<Page, StoreError> {
        self.query(range, false).await
    }

    async fn query(&self, range: Range<'_>, consistent: bool) -> Result<Page, StoreError> {
        let mut values = HashMap::from([(":pk".to_owned(), AttributeValue::S(range.pk.to_owned()))]);
        let condition = match &range.span {
            Span::Prefix(prefix) => {
                values.insert(":sk".into(), AttributeValue::S(prefix.clone()));
                "pk = :pk AND begins_with(sk, :sk)"
            }
            Span::Between(from, to) => {
                values.insert(":from".into(), AttributeValue::S(from.clone()));
                values.insert(":to".into(), AttributeValue::S(to.clone()));
                "pk = :pk AND sk BETWEEN :from AND :to"
            }
            Span::All => "pk = :pk",
        };
        let found = self
            .client
            .query()
            .table_name(self.table())
            .key_condition_expression(condition)
            .set_expression_attribute_values(Some(values))
            .scan_index_forward(range.oldest_first)
            .consistent_read(consistent)
            .limit(i32::try_from(range.limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(range.start)
            .send()
            .await
            .map_err(StoreError::unavailable)?;
        Ok(Page { next: found.last_evaluated_key, items: found.items.unwrap_or_default() })
    }

    /// All items of a range, page by page, at most `range.limit` of them.
    pub(crate) async fn all(&self, mut range: Range<'_>) -> Result<Vec<Item>, StoreError> {
        let mut items = vec![];
        loop {
            let limit = range.limit - items.len();
            let page = self.page(Range { limit, ..range.clone() }).await?;
            items.extend(page.items);
            match page.next {
                Some(next) if items.len() < range.limit => range.start = Some(next),
                _ => return Ok(items),
            }
        }
    }
}

/// What a query reads.
#[derive(Debug, Clone)]
pub(crate) struct Range<'a> {
    pub(crate) pk: &'a str,
    pub(crate) span: Span,
    pub(crate) oldest_first: bool,
    pub(crate) limit: usize,
    pub(crate) start: Option<Item>,
}

/// Which sort keys.
#[derive(Debug, Clone)]
pub(crate) enum Span {
    All,
    Prefix(String),
    Between(String, String),
}

/// One page of a query.
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    pub(crate) next: Option<Item>,
}

pub(crate) fn from_item<T: DeserializeOwned>(item: Item, what: &'static str) -> Result<T, StoreError> {
    serde_dynamo::aws_sdk_dynamodb_1::from_item(item).map_err(|_| StoreError::Corrupt { what })
}

pub(crate) fn to_item(value: impl Serialize, what: &'static str) -> Result<Item, StoreError> {
    serde_dynamo::aws_sdk_dynamodb_1::to_item(value).map_err(|_| StoreError::Corrupt { what })
}

/// Whether an error or a cancellation reason means "later".
pub(crate) fn is_throttled(code: Option<&str>) -> bool {
    matches!(
        code,
        Some(
            "ThrottlingException"
                | "ThrottlingError"
                | "ProvisionedThroughputExceeded"
                | "ProvisionedThroughputExceededException"
                | "RequestLimitExceeded"
                | "InternalServerError"
        )
    )
}
