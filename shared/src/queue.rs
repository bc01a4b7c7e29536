//! Queues: sending jobs, and the one helper that owns the contract of partial batches.

mod watched;

pub use watched::{WatchedQueue, WatchedQueues};

use crate::job::{FoldJob, NotificationJob, RetentionJob, TurnJob};
use crate::traits::{Queue, SendError};
use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The queues of a deployment.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    client: Client,
    urls: Urls,
}

/// The queues' URLs; those that a function does not send to are empty.
#[derive(Debug, Clone, Default)]
pub struct Urls {
    /// Turns.
    pub turns: String,
    /// Folds.
    pub folds: String,
    /// Retentions.
    pub retention: String,
    /// Notifications.
    pub notifications: String,
}

/// The longest delay and the longest visibility that a queue takes.
const MAX_DELAY: Duration = Duration::from_secs(900);
const MAX_VISIBILITY: Duration = Duration::from_secs(43_200);

impl SqsQueue {
    /// Over the queues with these URLs.
    pub fn new(client: Client, urls: Urls) -> Self {
        Self { client, urls }
    }

    async fn send(&self, url: &str, job: &impl Serialize, delay: Duration) -> Result<(), SendError> {
        let body = serde_json::to_string(job).map_err(|_| SendError { code: "unserialisable".into() })?;
        let sent = self
            .client
            .send_message()
            .queue_url(url)
            .message_body(body)
            .delay_seconds(whole_seconds(delay.min(MAX_DELAY)))
            .send()
            .await;
        sent.map(|_| ()).map_err(|error| send_error(&error))
    }
}

impl Queue for SqsQueue {
    fn send_turn<'a>(&'a self, job: &'a TurnJob, delay: Duration) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.urls.turns, job, delay))
    }

    fn send_fold<'a>(&'a self, job: &'a FoldJob) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.urls.folds, job, Duration::ZERO))
    }

    fn send_retention<'a>(&'a self, job: &'a RetentionJob) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.urls.retention, job, Duration::ZERO))
    }

    fn send_notification<'a>(
        &'a self,
        job: &'a NotificationJob,
        delay: Duration,
    ) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.urls.notifications, job, delay))
    }
}

pub(crate) fn send_error<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> SendError {
    let code = match error {
        SdkError::ServiceError(service) => service.err().code().unwrap_or("unknown"),
        SdkError::TimeoutError(_) => "timeout",
        _ => "no connection",
    };
    SendError { code: code.into() }
}

fn whole_seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis().div_ceil(1000)).unwrap_or(i32::MAX)
}

/// What became of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// It may leave the queue.
    Done,
    /// It comes back after this time.
    Later(Duration),
    /// It comes back when the queue says so.
    Failed,
}

/// One record of a batch.
#[derive(Debug, Clone)]
pub struct Delivered<J> {
    /// The job.
    pub job: J,
    /// How often the queue has delivered it, 1 at first.
    pub receives: u32,
}

/// Works through a batch, job by job, and reports each that must come back; one unreadable body fails alone.
///
/// It takes the raw event, since a typed one would fail whole. A job that asks for a time sets its own visibility.
pub async fn each_job<J: DeserializeOwned>(
    client: &Client,
    queue_url: &str,
    event: SqsEvent,
    handle: impl AsyncFn(Delivered<J>) -> Handled,
) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for record in event.records {
        let id = record.message_id.clone().unwrap_or_default();
        let handled = match read(&record) {
            Some(delivered) => handle(delivered).await,
            None => {
                tracing::error!(message_id = id, "a job cannot be read");
                Handled::Failed
            }
        };
        if let Handled::Later(after) = handled {
            postpone(client, queue_url, &record, after).await;
        }
        if handled != Handled::Done {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

fn read<J: DeserializeOwned>(record: &SqsMessage) -> Option<Delivered<J>> {
    let job = serde_json::from_str(record.body.as_deref()?).ok()?;
    let receives = record.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
    Some(Delivered { job, receives: receives.unwrap_or(1) })
}

async fn postpone(client: &Client, queue_url: &str, record: &SqsMessage, after: Duration) {
    let changed = client
        .change_message_visibility()
        .queue_url(queue_url)
        .set_receipt_handle(record.receipt_handle.clone())
        .visibility_timeout(whole_seconds(after.min(MAX_VISIBILITY)))
        .send()
        .await;
    if let Err(error) = changed {
        let error = send_error(&error);
        tracing::warn!(%error, "a job was not postponed; it comes back when the queue says so");
    }
}

impl From<crate::admit::Worked> for Handled {
    fn from(worked: crate::admit::Worked) -> Self {
        use crate::admit::Worked;
        match worked {
            Worked::Done | Worked::Dropped => Self::Done,
            Worked::Later(after) => Self::Later(after),
        }
    }
}

impl From<crate::retain::Worked> for Handled {
    fn from(worked: crate::retain::Worked) -> Self {
        use crate::retain::Worked;
        match worked {
            Worked::Done => Self::Done,
            Worked::Later(after) => Self::Later(after),
        }
    }
}

impl From<crate::notify::Worked> for Handled {
    fn from(worked: crate::notify::Worked) -> Self {
        use crate::notify::Worked;
        match worked {
            Worked::Done => Self::Done,
            Worked::Later(after) => Self::Later(after),
        }
    }
}

impl From<crate::fold::Worked> for Handled {
    fn from(worked: crate::fold::Worked) -> Self {
        use crate::fold::Worked;
        match worked {
            Worked::Done => Self::Done,
            Worked::Later(after) => Self::Later(after),
            Worked::Failed => Self::Failed,
        }
    }
}
