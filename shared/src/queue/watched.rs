//! Queues and their dead letters: how many there are, and how what was given up is queued again.

use super::send_error;
use crate::job::QueueName;
use crate::traits::{Backlog, RedriveError, Redriven, SendError, Waiting};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, DeleteMessageBatchRequestEntry, Message, QueueAttributeName,
    SendMessageBatchRequestEntry,
};
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Dead letters that one call takes.
const BATCH: usize = 10;
/// Seconds for which a letter is nobody else's.
const HELD: i32 = 60;
/// Seconds to wait for a letter before there is none.
const LOOK: i32 = 2;
/// The longest that one batch may take.
const BATCH_TIME: Duration = Duration::from_secs(8);

const READY: QueueAttributeName = QueueAttributeName::ApproximateNumberOfMessages;
const IN_FLIGHT: QueueAttributeName = QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
const DELAYED: QueueAttributeName = QueueAttributeName::ApproximateNumberOfMessagesDelayed;

/// A queue and the one of its dead letters.
#[derive(Debug, Clone)]
pub struct WatchedQueue {
    client: Client,
    url: String,
    dead_url: String,
}

/// What stopped a batch.
struct Stopped {
    what: &'static str,
    code: String,
}

impl WatchedQueue {
    /// The queues with these URLs.
    pub fn new(client: Client, url: &str, dead_url: &str) -> Self {
        Self { client, url: url.to_owned(), dead_url: dead_url.to_owned() }
    }

    /// Its jobs, about.
    ///
    /// # Errors
    /// They cannot be counted.
    pub async fn waiting(&self) -> Result<Waiting, SendError> {
        let [ready, held, delayed] = self.count(&self.url).await?;
        Ok(Waiting { ready, held, delayed })
    }

    /// Its dead letters, about; those that somebody queues again just now are among them.
    ///
    /// # Errors
    /// They cannot be counted.
    pub async fn dead(&self) -> Result<u64, SendError> {
        Ok(self.count(&self.dead_url).await?.iter().sum())
    }

    async fn count(&self, url: &str) -> Result<[u64; 3], SendError> {
        let names = [READY, IN_FLIGHT, DELAYED];
        let request = self.client.get_queue_attributes().queue_url(url);
        let request = request.set_attribute_names(Some(names.to_vec()));
        let found = request.send().await.map_err(|error| send_error(&error))?.attributes.unwrap_or_default();
        let uncounted = || SendError { code: "not counted".into() };
        let number = |name| found.get(&name).and_then(|count| count.parse().ok()).ok_or_else(uncounted);
        let [ready, held, delayed] = names.map(number);
        Ok([ready?, held?, delayed?])
    }

    /// Queues at most `most` dead letters again and begins no further batch after `time`; `progress` hears how many it
    /// were so far. A job is safe to do twice.
    ///
    /// # Errors
    /// The queues cannot be reached.
    pub async fn redrive(
        &self,
        most: usize,
        time: Duration,
        mut progress: impl FnMut(usize),
    ) -> Result<Redriven, RedriveError> {
        let (started, mut redriven) = (Instant::now(), Redriven::default());
        while redriven.queued + redriven.refused < most && started.elapsed() < time {
            let left = most - redriven.queued - redriven.refused;
            let late = Stopped { what: "the queues are slow", code: "timeout".into() };
            let moved = timeout(BATCH_TIME, self.batch(left.min(BATCH))).await.unwrap_or(Err(late));
            let Redriven { queued, refused } = moved.map_err(|Stopped { what, code }| RedriveError {
                what,
                code,
                queued: redriven.queued,
            })?;
            if queued + refused == 0 {
                break;
            }
            redriven.queued += queued;
            redriven.refused += refused;
            progress(redriven.queued);
        }
        Ok(redriven)
    }

    async fn batch(&self, most: usize) -> Result<Redriven, Stopped> {
        let letters = self.receive(most).await?;
        let taken = self.send(&letters).await?;
        self.delete(&taken).await?;
        Ok(Redriven { queued: taken.len(), refused: letters.len() - taken.len() })
    }

    async fn receive(&self, most: usize) -> Result<Vec<Message>, Stopped> {
        let request = self.client.receive_message().queue_url(&self.dead_url).visibility_timeout(HELD);
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let received = request.max_number_of_messages(most).wait_time_seconds(LOOK).send().await;
        let received = received.map_err(|error| stopped("the dead letters cannot be read", &error))?;
        Ok(received.messages.unwrap_or_default())
    }

    /// Those that the queue has taken; it is safe to repeat what is not deleted afterwards.
    async fn send<'a>(&self, letters: &'a [Message]) -> Result<Vec<&'a Message>, Stopped> {
        let entry = |(n, letter): (usize, &Message)| {
            let entry = SendMessageBatchRequestEntry::builder().id(n.to_string());
            entry.set_message_body(letter.body.clone()).build().ok()
        };
        let entries: Vec<_> = letters.iter().enumerate().filter_map(entry).collect();
        if entries.is_empty() {
            return Ok(vec![]);
        }
        let request = self.client.send_message_batch().queue_url(&self.url).set_entries(Some(entries));
        let sent = request.send().await.map_err(|error| stopped("the queue takes nothing", &error))?;
        Ok(taken(letters, sent.failed()))
    }

    async fn delete(&self, letters: &[&Message]) -> Result<(), Stopped> {
        let what = "dead letters that were queued again were not deleted";
        let entry = |(n, letter): (usize, &&Message)| {
            let entry = DeleteMessageBatchRequestEntry::builder().id(n.to_string());
            entry.set_receipt_handle(letter.receipt_handle.clone()).build().ok()
        };
        let entries: Vec<_> = letters.iter().enumerate().filter_map(entry).collect();
        if entries.is_empty() {
            return Ok(());
        }
        let request = self.client.delete_message_batch().queue_url(&self.dead_url).set_entries(Some(entries));
        let deleted = request.send().await.map_err(|error| stopped(what, &error))?;
        match deleted.failed().first() {
            Some(failed) => Err(Stopped { what, code: failed.code().to_owned() }),
            None => Ok(()),
        }
    }
}

fn stopped<E, R>(what: &'static str, error: &aws_sdk_sqs::error::SdkError<E, R>) -> Stopped
where
    E: aws_sdk_sqs::error::ProvideErrorMetadata,
{
    Stopped { what, code: send_error(error).code }
}

/// A refused entry hides inside a success.
fn taken<'a>(letters: &'a [Message], refused: &[BatchResultErrorEntry]) -> Vec<&'a Message> {
    let is_taken = |n: usize| refused.iter().all(|entry| entry.id() != n.to_string());
    letters.iter().enumerate().filter(|(n, _)| is_taken(*n)).map(|(_, letter)| letter).collect()
}

/// All queues of a deployment.
#[derive(Debug, Clone)]
pub struct WatchedQueues(BTreeMap<QueueName, WatchedQueue>);

impl WatchedQueues {
    /// These.
    pub fn new(queues: impl IntoIterator<Item = (QueueName, WatchedQueue)>) -> Self {
        Self(queues.into_iter().collect())
    }

    fn named(&self, queue: QueueName) -> Result<&WatchedQueue, SendError> {
        self.0.get(&queue).ok_or_else(|| SendError { code: "not configured".into() })
    }
}

impl Backlog for WatchedQueues {
    fn waiting(&self, queue: QueueName) -> BoxFuture<'_, Result<Waiting, SendError>> {
        Box::pin(async move { self.named(queue)?.waiting().await })
    }

    fn dead(&self, queue: QueueName) -> BoxFuture<'_, Result<u64, SendError>> {
        Box::pin(async move { self.named(queue)?.dead().await })
    }

    fn redrive(
        &self,
        queue: QueueName,
        most: usize,
        time: Duration,
    ) -> BoxFuture<'_, Result<Redriven, RedriveError>> {
        Box::pin(async move {
            let unknown = |SendError { code }| RedriveError { what: "there is no queue", code, queued: 0 };
            self.named(queue).map_err(unknown)?.redrive(most, time, |_| ()).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_was_refused_inside_a_success_stays() {
        let letters: Vec<Message> =
            ["a", "b", "c"].map(|body| Message::builder().body(body).build()).to_vec();
        let refused = BatchResultErrorEntry::builder().id("1").code("InternalError").sender_fault(false);
        let refused = [refused.build().unwrap()];
        let taken: Vec<_> =
            taken(&letters, &refused).into_iter().filter_map(|letter| letter.body()).collect();
        assert_eq!(taken, ["a", "c"]);
    }
}
