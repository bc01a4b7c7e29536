//! Who waits: the list that the sweep reads.

use super::contacts::{WAITING, state_at};
use super::expression::Expression;
use super::{Store, StoreError, from_item, keys};
use crate::contact::ContactId;
use crate::thread::Head;
use crate::time::Timestamp;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

impl Store {
    /// Contacts for whom something waits since before `before`, about `limit` of them: as many of each shard, so
    /// that no shard starves behind another, the longest waiting first. Eventually consistent: whoever is missed is
    /// seen by the next sweep.
    pub async fn waiting(&self, before: Timestamp, limit: usize) -> Result<Vec<ContactId>, StoreError> {
        let of_each = limit.div_ceil(keys::STATE_SHARDS as usize);
        let shards = (0..keys::STATE_SHARDS).map(|shard| self.waiting_in(shard, before, of_each));
        Ok(futures::future::try_join_all(shards).await?.concat())
    }

    async fn waiting_in(
        &self,
        shard: u64,
        before: Timestamp,
        limit: usize,
    ) -> Result<Vec<ContactId>, StoreError> {
        #[derive(Deserialize)]
        struct Waiting {
            contact_id: ContactId,
        }
        let found = self
            .client()
            .query()
            .table_name(self.table())
            .index_name("by_state")
            .key_condition_expression("#state = :state AND state_at < :before")
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":state", AttributeValue::S(keys::state_shard(WAITING, shard)))
            .expression_attribute_values(":before", AttributeValue::S(state_at(before)))
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await
            .map_err(StoreError::unavailable)?;
        let items = found.items.unwrap_or_default().into_iter();
        items.map(|item| from_item(item, "waiting").map(|waiting: Waiting| waiting.contact_id)).collect()
    }

    /// Notes that the sweep queues a turn; `false` if another sweep was faster.
    pub async fn mark_swept(&self, head: &Head, now: Timestamp) -> Result<bool, StoreError> {
        let change = Expression::new()
            .if_still("swept_at_millis", head.swept_at)
            .if_present("waiting_since_millis")
            .set("swept_at_millis", now);
        Ok(self.update(&keys::head(head.contact_id), change).await?.is_some())
    }
}
