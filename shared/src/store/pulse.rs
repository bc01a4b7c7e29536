//! The pulse of the inbox: a number that rises when something changes that the inbox shows, so that an open page costs
//! one small read to find that nothing did.

use super::expression::Expression;
use super::{Store, StoreError, keys};
use serde::Deserialize;

impl Store {
    /// The pulse as it is now.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn pulse(&self) -> Result<u64, StoreError> {
        #[derive(Deserialize)]
        struct Pulse {
            beats: u64,
        }
        let found: Option<Pulse> = self.get(&keys::pulse(), "pulse").await?;
        Ok(found.map_or(0, |pulse| pulse.beats))
    }

    /// Raises the pulse. Where that fails the inbox is late by a minute, and nothing else.
    pub async fn beat(&self) {
        if let Err(error) = self.update(&keys::pulse(), Expression::new().add("beats", 1)).await {
            tracing::warn!(%error, "the inbox was not told that something changed");
        }
    }
}
