//! `carryover redrive`: queues jobs again that were given up.

use crate::connection::Target;
use crate::terminal::{self, Progress, grouped};
use anyhow::{Context, Result, ensure};
use aws_sdk_sqs::Client;
use carryover_shared::aws;
use carryover_shared::job::QueueName;
use carryover_shared::queue::WatchedQueue;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::time::Duration;

/// Options of `carryover redrive`.
///
/// A dead letter goes back to its queue as it was; a job is safe to do twice. On AWS both queues are named by their
/// URLs, which are outputs of the deployment (such as RetentionQueueUrl and RetentionDeadQueueUrl), and reached with
/// the AWS credentials and the region of this shell.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// Whose dead letters
    #[arg(value_parser = PossibleValuesParser::new(QueueName::ALL.map(QueueName::as_str)).try_map(|name| name.parse::<QueueName>()))]
    queue: QueueName,
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

/// Queues them again and says how many.
///
/// # Errors
/// The queues cannot be reached, or did not take every letter; run it again.
pub async fn run(options: Options) -> Result<()> {
    let queue = watched(&options).await?;
    let name = options.queue.as_str();
    let dead = queue.dead().await.context("the dead letters cannot be counted")?;
    // About: where there seems to be none, one look shows it. What dies again meanwhile is not moved round and round.
    let total = usize::try_from(dead)?.max(1).min(options.most);
    let mut progress = Progress::of(total, "dead letters");
    let redriven = queue.redrive(total, Duration::MAX, |queued| progress.at(queued as u64)).await?;
    let (queued, left) = (redriven.queued, redriven.refused);
    ensure!(left == 0, "{left} dead letters of {name} stay, {queued} were queued again: run it again");
    terminal::say(&match queued {
        0 => format!("There are no dead letters of {name}."),
        1 => format!("1 dead letter of {name} is queued again."),
        queued => format!("{} dead letters of {name} are queued again.", grouped(queued as u64)),
    });
    Ok(())
}

async fn watched(options: &Options) -> Result<WatchedQueue> {
    if let (Some(queue), Some(dead)) = (&options.queue_url, &options.dead_queue_url) {
        return Ok(WatchedQueue::new(Client::new(&aws::config().await), queue, dead));
    }
    let connection = options.target.connect().await?;
    let name = options.queue.as_str();
    let (queue, dead) = (connection.outputs.queue(name)?, connection.outputs.queue(&format!("{name}-dead"))?);
    Ok(WatchedQueue::new(connection.sqs.clone(), queue, dead))
}
