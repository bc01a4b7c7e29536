use super::completion::{self, Failure, Remedy};
use super::config::{ConfigError, ModelConfig};
use super::dialect::{Dialect, Memory};
use crate::http;
use crate::time::Timestamp;
use crate::traits::{Answer, Asked, Clock, Model, ModelError, Question, Role};
use chrono::DateTime;
use futures::future::{BoxFuture, Either, select};
use reqwest::Url;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Requests that one question may cost while the server is overloaded or out of reach.
const ATTEMPTS: u32 = 5;
/// Bytes of one response; more is no answer to a question of ours.
const RESPONSE_BYTES: usize = 1024 * 1024;
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// The client of an OpenAI-compatible endpoint. Build it once, at start.
pub struct ModelClient {
    config: ModelConfig,
    address: Url,
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    reply: Memory,
    summary: Memory,
}

impl std::fmt::Debug for ModelClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ModelClient").field("config", &self.config).finish_non_exhaustive()
    }
}

impl ModelClient {
    /// A client of what `config` names; connects with the first question.
    pub fn new(config: ModelConfig, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let http = http::client(config.authorization()?).map_err(|_| ConfigError::NoClient)?;
        let mut address = config.url.clone();
        address.path_segments_mut().map_err(|()| ConfigError::NotUrl)?.extend(["chat", "completions"]);
        Ok(Self { config, address, http, clock, reply: Memory::default(), summary: Memory::default() })
    }

    async fn converse(
        &self,
        question: &Question,
        budget: Duration,
        calls: &AtomicU32,
    ) -> Result<Answer, ModelError> {
        let until = self.clock.now() + budget;
        let memory = self.memory(question.role);
        let mut failures = 0;
        loop {
            let dialect = memory.dialect();
            calls.fetch_add(1, Ordering::Relaxed);
            let (failure, retry_after) = match self.exchange(question, dialect).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            match failure.remedy {
                Remedy::Without(objection) if !dialect.respects(objection) => memory.remember(objection),
                Remedy::Later => {
                    failures += 1;
                    let left = until.since(self.clock.now());
                    let wait = self.wait(failures, retry_after, left).ok_or(failure.error)?;
                    self.clock.sleep(wait).await;
                }
                Remedy::Nothing | Remedy::Without(_) => return Err(failure.error),
            }
        }
    }

    /// How long to wait after so many failures; `None` when it is not worth it or would not fit.
    fn wait(&self, failures: u32, retry_after: Option<Duration>, left: Duration) -> Option<Duration> {
        let wait = retry_after.unwrap_or_default().max(self.backoff(failures));
        if failures == ATTEMPTS || wait >= left {
            return None;
        }
        let wait_millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(failures, wait_millis, "the model is asked again");
        Some(wait)
    }

    async fn exchange(
        &self,
        question: &Question,
        dialect: Dialect,
    ) -> Result<Answer, (Failure, Option<Duration>)> {
        let model = self.config.model(question.role);
        let request = self.http.post(self.address.clone()).json(&dialect.request(model, question));
        let unreachable = |_| (Failure::unreachable(), None);
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers(), self.clock.now());
        let body = http::body(response, RESPONSE_BYTES).await.map_err(unreachable)?;
        completion::read(status, &body, model).map_err(|failure| (failure, retry_after))
    }

    fn memory(&self, role: Role) -> &Memory {
        match role {
            Role::Reply => &self.reply,
            Role::Summary => &self.summary,
        }
    }

    /// Doubles with each failure; jitter takes up to half off, so that a crowd of retries spreads.
    fn backoff(&self, failures: u32) -> Duration {
        let longest = FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_WAIT);
        longest.mul_f64(0.5 + self.clock.jitter().clamp(0.0, 1.0) / 2.0)
    }
}

impl Model for ModelClient {
    fn ask<'a>(&'a self, question: &'a Question, budget: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(async move {
            if budget.is_zero() {
                return Asked { answer: Err(ModelError::Timeout), calls: 0 };
            }
            let calls = AtomicU32::new(0);
            let answer = {
                let conversation = pin!(self.converse(question, budget, &calls));
                match select(conversation, self.clock.sleep(budget)).await {
                    Either::Left((answer, _)) => answer,
                    Either::Right(_) => Err(ModelError::Timeout),
                }
            };
            Asked { answer, calls: calls.into_inner() }
        })
    }
}

/// `Retry-After` in seconds or as an HTTP date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTime::parse_from_rfc2822(value).ok()?.timestamp_millis();
    Some(Timestamp::from_millis(at).since(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Timestamp::from_millis(1_796_083_200_000);
        let read = |value: &'static str| {
            retry_after(&[(RETRY_AFTER, value.parse().unwrap())].into_iter().collect(), now)
        };
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("Tue, 01 Dec 2026 00:00:07 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(read("Mon, 30 Nov 2026 00:00:07 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
    }
}
