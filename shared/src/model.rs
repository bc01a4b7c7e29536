//! The model client: any OpenAI-compatible endpoint behind [`Model`].
//!
//! A question becomes one `POST {MODEL_URL}/chat/completions`, not streamed. What can be healed by asking
//! again is asked again here, inside the caller's budget: overload, a broken connection, and a parameter
//! that this server does not take. What the model *said* is the caller's to judge: an answer that is cut
//! off, declined, filtered or no JSON object comes back as that error, and the caller decides whether a
//! second question, perhaps with a hint, is worth a call.
//!
//! Neither errors nor logs carry text of a prompt or an answer (*quiet-logs*).

pub mod json;

mod client;
mod completion;
mod config;
mod dialect;

pub use crate::http::install_crypto_provider;
pub use client::ModelClient;
pub use config::{ConfigError, ModelConfig};

use crate::traits::{Asked, Clock, Model, ModelError, Question};
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// The model that the environment configures; without `MODEL_URL` it is [`NoModel`].
pub fn from_env(
    lookup: impl Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, ConfigError> {
    Ok(match ModelConfig::from_env(lookup)? {
        Some(config) => Arc::new(ModelClient::new(config, clock)?),
        None => Arc::new(NoModel),
    })
}

/// No model is configured: every question is answered with [`ModelError::NotConfigured`], without a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl Model for NoModel {
    fn ask<'a>(&'a self, _: &'a Question, _: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(std::future::ready(Asked { answer: Err(ModelError::NotConfigured), calls: 0 }))
    }
}
