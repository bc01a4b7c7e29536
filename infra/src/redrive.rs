//! `carryover redrive`: queues jobs again that were given up.

use crate::connection::Target;
use crate::terminal::{self, Progress, grouped};
use anyhow::{Context, Result, ensure};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, DeleteMessageBatchRequestEntry, Message, QueueAttributeName,
    SendMessageBatchRequestEntry,
};
use carryover_shared::aws;

/// Dead letters that one call takes.
const BATCH: usize = 10;
/// Seconds for which a letter is nobody else's.
const HELD: i32 = 60;
/// Seconds to wait for a letter before there is none.
const LOOK: i32 = 2;

/// Options of `carryover redrive`.
///
/// A dead letter goes back to its queue as it was; a job is safe to do twice. On AWS both queues are named by their
/// URLs, which are outputs of the deployment (such as RetentionQueueUrl and RetentionDeadQueueUrl), and reached with
/// the AWS credentials and the region of this shell.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// Whose dead letters
    queue: Queue,
    /// The queue, on AWS
    #[arg(long, requires = "dead_queue_url")]
    queue_url: Option<String>,
    /// The queue of its dead letters, on AWS
    #[arg(long, requires = "queue_url")]
    dead_queue_url: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 10_000)]
    most: usize,
    #[command(flatten)]
    target: Target,
}

/// A queue that has dead letters.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Queue {
    Turns,
    Folds,
    Retention,
    Notifications,
}

impl Queue {
    fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Folds => "folds",
            Self::Retention => "retention",
            Self::Notifications => "notifications",
        }
    }
}

/// Queues them again and says how many.
///
/// # Errors
/// The queues cannot be reached, or did not take every letter; run it again.
pub async fn run(options: Options) -> Result<()> {
    let route = Route::of(&options).await?;
    let name = options.queue.name();
    // About: where there seems to be none, one look shows it.
    let total = route.dead_letters().await?.max(1).min(options.most);
    let mut progress = Progress::of(total, "dead letters");
    let moved = route.redrive(total, &mut progress).await?;
    let left = moved.refused;
    ensure!(left == 0, "{left} dead letters of {name} stay, {} were queued again: run it again", moved.taken);
    terminal::say(&match moved.taken {
        0 => format!("There are no dead letters of {name}."),
        1 => format!("1 dead letter of {name} is queued again."),
        taken => format!("{} dead letters of {name} are queued again.", grouped(taken as u64)),
    });
    Ok(())
}

/// From dead letters to their queue.
struct Route {
    sqs: Client,
    dead: String,
    queue: String,
}

/// What became of dead letters.
#[derive(Debug, Default)]
struct Moved {
    taken: usize,
    refused: usize,
}

impl Route {
    async fn of(options: &Options) -> Result<Self> {
        if let (Some(queue), Some(dead)) = (&options.queue_url, &options.dead_queue_url) {
            let sqs = Client::new(&aws::config().await);
            return Ok(Self { sqs, dead: dead.clone(), queue: queue.clone() });
        }
        let connection = options.target.connect().await?;
        let url = |name: &str| connection.outputs.queue(name).map(str::to_owned);
        let name = options.queue.name();
        Ok(Self { dead: url(&format!("{name}-dead"))?, queue: url(name)?, sqs: connection.sqs })
    }

    /// How many there are, about.
    async fn dead_letters(&self) -> Result<usize> {
        let count = QueueAttributeName::ApproximateNumberOfMessages;
        let request = self.sqs.get_queue_attributes().queue_url(&self.dead).attribute_names(count.clone());
        let found = request.send().await.context("the dead letters cannot be counted")?.attributes;
        let found = found.and_then(|attributes| attributes.get(&count)?.parse().ok());
        found.context("the dead letters cannot be counted")
    }

    /// Moves at most `total`: what dies again meanwhile is not moved round and round.
    async fn redrive(&self, total: usize, progress: &mut Progress) -> Result<Moved> {
        let mut moved = Moved::default();
        while moved.taken + moved.refused < total {
            let letters = self.receive((total - moved.taken - moved.refused).min(BATCH)).await?;
            if letters.is_empty() {
                break;
            }
            let taken = self.send(&letters).await?;
            self.delete(&taken).await?;
            moved.taken += taken.len();
            moved.refused += letters.len() - taken.len();
            progress.at(moved.taken as u64);
        }
        Ok(moved)
    }

    async fn receive(&self, most: usize) -> Result<Vec<Message>> {
        let request = self.sqs.receive_message().queue_url(&self.dead).visibility_timeout(HELD);
        let request = request.max_number_of_messages(i32::try_from(most)?).wait_time_seconds(LOOK);
        let received = request.send().await.context("the dead letters cannot be read")?;
        Ok(received.messages.unwrap_or_default())
    }

    /// Those that the queue has taken; it is safe to repeat what is not deleted afterwards.
    async fn send<'a>(&self, letters: &'a [Message]) -> Result<Vec<&'a Message>> {
        let entry = |(n, letter): (usize, &Message)| {
            let entry = SendMessageBatchRequestEntry::builder().id(n.to_string());
            entry.set_message_body(letter.body.clone()).build()
        };
        let entries: Vec<_> = letters.iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        let request = self.sqs.send_message_batch().queue_url(&self.queue).set_entries(Some(entries));
        let sent = request.send().await.context("the queue takes nothing")?;
        Ok(taken(letters, sent.failed()))
    }

    async fn delete(&self, letters: &[&Message]) -> Result<()> {
        let entry = |(n, letter): (usize, &&Message)| {
            let entry = DeleteMessageBatchRequestEntry::builder().id(n.to_string());
            entry.set_receipt_handle(letter.receipt_handle.clone()).build()
        };
        let entries: Vec<_> = letters.iter().enumerate().map(entry).collect::<Result<_, _>>()?;
        if entries.is_empty() {
            return Ok(());
        }
        let request = self.sqs.delete_message_batch().queue_url(&self.dead).set_entries(Some(entries));
        let deleted = request.send().await.context("dead letters that were queued again were not deleted")?;
        let failed = deleted.failed().len();
        ensure!(failed == 0, "{failed} dead letters that were queued again were not deleted");
        Ok(())
    }
}

/// A refused entry hides inside a success.
fn taken<'a>(letters: &'a [Message], refused: &[BatchResultErrorEntry]) -> Vec<&'a Message> {
    let is_taken = |n: usize| refused.iter().all(|entry| entry.id() != n.to_string());
    letters.iter().enumerate().filter(|(n, _)| is_taken(*n)).map(|(_, letter)| letter).collect()
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
