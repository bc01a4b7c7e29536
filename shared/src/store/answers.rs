//! What was answered to a write under a key, so that the same write again changes nothing and is answered alike.

use super::expression::Expression;
use super::{Store, StoreError, keys};
use crate::job::Delivery;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// For how long an answer is kept.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// A write that has not been answered by then has broken off, and may be tried again.
const RUNS: Duration = Duration::from_secs(60);

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
    /// What the body is.
    pub content_type: String,
}

/// What is known of a write's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Nothing, until now: the write may go on.
    New,
    /// The same write runs, or has just broken off.
    Running,
    /// The same write was answered.
    Answered(KeptAnswer),
    /// The key was used for another write.
    Other,
}

#[derive(Deserialize)]
struct Known {
    fingerprint: String,
    #[serde(flatten)]
    answer: Option<KeptAnswer>,
}

impl Store {
    /// Takes a key for a write with this fingerprint.
    ///
    /// # Errors
    /// The table cannot be read or written.
    pub async fn begin_write(
        &self,
        key: &Delivery,
        fingerprint: &str,
        now: Timestamp,
    ) -> Result<Begun, StoreError> {
        let change = Expression::new()
            .if_absent_or_less("free_at", now.seconds() + 1)
            .set("fingerprint", fingerprint)
            .set("free_at", (now + RUNS).seconds())
            .set("expires_at", (now + KEPT).seconds())
            .remove("status")
            .remove("body")
            .remove("content_type");
        let place = keys::answer(key);
        if self.update(&place, change).await?.is_some() {
            return Ok(Begun::New);
        }
        let known: Option<Known> = self.get(&place, "answer").await?;
        Ok(match known {
            Some(known) if known.fingerprint != fingerprint => Begun::Other,
            Some(Known { answer: Some(answer), .. }) => Begun::Answered(answer),
            _ => Begun::Running,
        })
    }

    /// Keeps what a write was answered.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn end_write(
        &self,
        key: &Delivery,
        answer: &KeptAnswer,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let change = Expression::new()
            .set("free_at", (now + KEPT).seconds())
            .set("status", answer.status)
            .set("body", &answer.body)
            .set("content_type", &answer.content_type);
        self.update(&keys::answer(key), change).await.map(|_| ())
    }

    /// Gives a key back: its write came to nothing and may be tried again.
    ///
    /// # Errors
    /// The table cannot be written.
    pub async fn give_up_write(&self, key: &Delivery, now: Timestamp) -> Result<(), StoreError> {
        let change = Expression::new().set("free_at", now.seconds());
        self.update(&keys::answer(key), change).await.map(|_| ())
    }
}
