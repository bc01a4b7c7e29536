//! Who waits: the list that the sweep reads.

use super::expression::Expression;
use super::listing::{List, Order, Part};
use super::{Store, StoreError, keys};
use crate::contact::ContactId;
use crate::thread::Head;
use crate::time::Timestamp;

impl Store {
    /// Contacts for whom something waits since before `before`, about `limit` of them: as many of each shard, so
    /// that no shard starves behind another, the longest waiting first. Eventually consistent: whoever is missed is
    /// seen by the next sweep.
    pub async fn waiting(&self, before: Timestamp, limit: usize) -> Result<Vec<ContactId>, StoreError> {
        let of_each = limit.div_ceil(keys::STATE_SHARDS as usize);
        let oldest = Part { lists: &[List::Waiting], order: Order::OldestFirst, after: None, limit: of_each };
        let shards = (0..keys::STATE_SHARDS).map(|shard| self.listed_in(List::Waiting, shard, oldest));
        let waiting = futures::future::try_join_all(shards).await?.concat().into_iter();
        Ok(waiting.filter(|entry| entry.at < before).map(|entry| entry.contact_id).collect())
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
