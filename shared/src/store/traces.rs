//! Traces: exactly what one decision was made from, compressed, for 30 days.

use super::expression::Expression;
use super::{Item, Range, Span, Store, StoreError, keys};
use crate::contact::ContactId;
use crate::thread::{Message, Seq};
use crate::time::Timestamp;
use aws_sdk_dynamodb::types::AttributeValue;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::time::Duration;
use ulid::Ulid;

const TRACE_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Ten years: longer than anybody looks.
const FOR_GOOD: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// A trace that would unpack to more than this is not one of ours.
const TRACE_BYTES: u64 = 4 * 1024 * 1024;

/// Names one trace.
#[derive(Debug, Clone, Copy)]
pub struct TraceKey {
    /// Whose.
    pub contact: ContactId,
    /// The newest customer message that the decision has read.
    pub seq: Seq,
    /// Which.
    pub id: Ulid,
}

impl TraceKey {
    /// The trace of the decision that a bot's message came from.
    pub fn of(contact: ContactId, message: &Message) -> Option<Self> {
        let id = Ulid::from_string(message.trace.as_deref()?).ok()?;
        Some(Self { contact, seq: message.in_reply_to?, id })
    }
}

impl Store {
    /// Keeps a trace, and what became of its decision, from now on for as long as somebody will look at it, or again for
    /// as long as any; where it is gone nothing changes.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn keep_trace(&self, key: TraceKey, for_good: bool) -> Result<(), StoreError> {
        let until = self.clock().now() + if for_good { FOR_GOOD } else { TRACE_FOR };
        let (trace, outcome) =
            (keys::trace(key.contact, key.seq, key.id), keys::trace_outcome(key.contact, key.seq, key.id));
        let kept = || Expression::new().if_present("pk").set("expires_at", until.seconds());
        futures::try_join!(self.update(&trace, kept()), self.update(&outcome, kept())).map(|_| ())
    }

    /// Writes what a decision is made from.
    pub async fn put_trace(
        &self,
        key: TraceKey,
        trace: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.put_packed(keys::trace(key.contact, key.seq, key.id), trace, now).await
    }

    /// Writes what became of it.
    pub async fn put_outcome(
        &self,
        key: TraceKey,
        outcome: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.put_packed(keys::trace_outcome(key.contact, key.seq, key.id), outcome, now).await
    }

    async fn put_packed(
        &self,
        key: keys::Key,
        value: &impl Serialize,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let expires_at = (now + TRACE_FOR).seconds().to_string();
        let packed = pack(value)?;
        self.client()
            .put_item()
            .table_name(self.table())
            .set_item(Some(key.attributes()))
            .item("expires_at", AttributeValue::N(expires_at))
            .item("data", AttributeValue::B(packed.into()))
            .send()
            .await
            .map_err(StoreError::unavailable)?;
        Ok(())
    }

    /// What a decision was made from; `None` where it was lost, has expired, or is of another time.
    pub async fn trace<T: DeserializeOwned>(
        &self,
        key: TraceKey,
        now: Timestamp,
    ) -> Result<Option<T>, StoreError> {
        let found = self.item(&keys::trace(key.contact, key.seq, key.id)).await?;
        let live = found.filter(|item| expires_at(item) > now.seconds());
        Ok(live.and_then(|item| unpack(item).ok()))
    }

    /// What a decision was made from and what became of it, each `None` where it was lost, has expired, or is of
    /// another time.
    pub async fn decided<T: DeserializeOwned, O: DeserializeOwned>(
        &self,
        key: TraceKey,
        now: Timestamp,
    ) -> Result<(Option<T>, Option<O>), StoreError> {
        let outcome = keys::trace_outcome(key.contact, key.seq, key.id);
        let (trace, outcome) = futures::try_join!(self.trace(key, now), self.item(&outcome))?;
        let live = outcome.filter(|item| expires_at(item) > now.seconds());
        Ok((trace, live.and_then(|item| unpack(item).ok())))
    }

    /// The traces of the newest decisions with their outcomes, newest first.
    pub async fn traces<T: DeserializeOwned, O: DeserializeOwned>(
        &self,
        contact: ContactId,
        limit: usize,
    ) -> Result<Vec<(T, Option<O>)>, StoreError> {
        self.traces_under(contact, keys::TRACES_PREFIX.into(), limit).await
    }

    /// The traces of the newest decisions on one customer message, newest first: more than one where a draft was
    /// superseded or a turn broke off.
    pub async fn traces_on<T: DeserializeOwned, O: DeserializeOwned>(
        &self,
        contact: ContactId,
        seq: Seq,
        limit: usize,
    ) -> Result<Vec<(T, Option<O>)>, StoreError> {
        self.traces_under(contact, keys::trace_prefix(seq), limit).await
    }

    async fn traces_under<T: DeserializeOwned, O: DeserializeOwned>(
        &self,
        contact: ContactId,
        prefix: String,
        limit: usize,
    ) -> Result<Vec<(T, Option<O>)>, StoreError> {
        let pk = keys::contact(contact);
        let span = Span::Prefix(prefix);
        let items =
            self.all(Range { pk: &pk, span, oldest_first: false, limit: limit * 2, start: None }).await?;
        let mut traces = vec![];
        let mut outcome = None;
        for item in items {
            let is_outcome =
                matches!(item.get("sk"), Some(AttributeValue::S(sk)) if sk.ends_with("#OUTCOME"));
            if is_outcome {
                outcome = Some(unpack(item)?);
            } else {
                traces.push((unpack(item)?, outcome.take()));
            }
        }
        traces.truncate(limit);
        Ok(traces)
    }
}

fn expires_at(item: &Item) -> i64 {
    let seconds = item.get("expires_at").and_then(|value| value.as_n().ok());
    seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(0)
}

fn pack(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let json = serde_json::to_vec(value).map_err(|_| StoreError::Corrupt { what: "trace" })?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&json).map_err(|_| StoreError::Corrupt { what: "trace" })?;
    encoder.finish().map_err(|_| StoreError::Corrupt { what: "trace" })
}

fn unpack<T: DeserializeOwned>(item: Item) -> Result<T, StoreError> {
    let Some(AttributeValue::B(packed)) = item.get("data") else {
        return Err(StoreError::Corrupt { what: "trace" });
    };
    let mut json = Vec::new();
    ZlibDecoder::new(packed.as_ref())
        .take(TRACE_BYTES)
        .read_to_end(&mut json)
        .map_err(|_| StoreError::Corrupt { what: "trace" })?;
    serde_json::from_slice(&json).map_err(|_| StoreError::Corrupt { what: "trace" })
}
