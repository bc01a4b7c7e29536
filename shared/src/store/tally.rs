//! Tallies: one small item an hour and shard, and one write for all that is counted at once.

use super::expression::Expression;
use super::{Item, Range, Span, Store, StoreError, keys};
use crate::tally::{Count, Tally};
use crate::time::Timestamp;
use std::time::Duration;

/// For how long they are kept.
const KEPT: Duration = Duration::from_secs(8 * 24 * 3600);
/// The longest that counting may take.
const TIME: Duration = Duration::from_millis(500);
/// Tallies of one day: an item for each hour and shard.
const OF_A_DAY: usize = 24 * keys::TALLY_SHARDS as usize;

impl Store {
    /// Counts what happened. Where that fails the numbers are too small, and nothing else.
    pub async fn count(&self, tally: &Tally) {
        if tally.is_empty() {
            return;
        }
        match tokio::time::timeout(TIME, self.add_tally(tally)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "what happened was not counted"),
            Err(_) => tracing::warn!("counting what happened took too long"),
        }
    }

    async fn add_tally(&self, tally: &Tally) -> Result<(), StoreError> {
        let now = self.clock().now();
        let change = Expression::new().set("hour", now.hour()).set("expires_at", (now + KEPT).seconds());
        let change = tally.iter().fold(change, |change, (count, number)| change.add(&count.name(), number));
        let shard = (self.clock().jitter() * keys::TALLY_SHARDS as f64) as u64;
        self.client()
            .update_item()
            .table_name(self.table())
            .set_key(Some(keys::tally(now, shard).attributes()))
            .update_expression(change.update())
            .set_expression_attribute_names(change.names())
            .set_expression_attribute_values(change.values())
            .send()
            .await
            .map_err(StoreError::unavailable)?;
        Ok(())
    }

    /// What was counted in the hour of `since` and after it, hour by hour, eventually consistent; each hour as often as
    /// it has shards. It reads the day of `since` and that of `now`.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn tallies(&self, since: Timestamp, now: Timestamp) -> Result<Vec<(i64, Tally)>, StoreError> {
        let (first, last) = (keys::tallies(since), keys::tallies(now));
        let last = async { if last == first { Ok(vec![]) } else { self.tallies_of(&last).await } };
        let (first, last) = futures::try_join!(self.tallies_of(&first), last)?;
        let tallies = first.iter().chain(&last).filter_map(|item| Some((hour(item)?, tally(item))));
        Ok(tallies.filter(|(hour, _)| *hour >= since.hour()).collect())
    }

    async fn tallies_of(&self, pk: &str) -> Result<Vec<Item>, StoreError> {
        let [from, to] = keys::HOURS;
        let span = Span::Between(from.into(), to.into());
        let range = Range { pk, span, oldest_first: true, limit: OF_A_DAY, start: None };
        Ok(self.recent_page(range).await?.items)
    }
}

fn hour(item: &Item) -> Option<i64> {
    item.get("hour")?.as_n().ok()?.parse().ok()
}

/// What an item counts, as far as it is known here.
fn tally(item: &Item) -> Tally {
    let mut tally = Tally::default();
    for count in Count::all() {
        let number = item.get(&count.name()).and_then(|value| value.as_n().ok()?.parse().ok());
        tally.add(count, number.unwrap_or(0));
    }
    tally
}
