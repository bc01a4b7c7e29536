//! Use cases wired to their adapters, once, at start.

use crate::bank::{Embedded, Hindsight, HindsightConfig};
use crate::clock::SystemClock;
use crate::config::{self, ConfigError, environment, required};
use crate::events::Bus;
use crate::job::QueueName;
use crate::limits::Limits;
use crate::messenger::Messengers;
use crate::queue::{SqsQueue, Urls, WatchedQueue, WatchedQueues};
use crate::store::Store;
use crate::tickets::{Bucket, PastTickets, Shelf};
use crate::traits::{Events, MemoryBank, Queue};
use crate::turn::{Agents, Context};
use crate::{aws, erase, fold, handoff, health, model, notify, retain};
use aws_config::SdkConfig;
use std::sync::Arc;

/// Turns, wired.
pub struct Wired {
    /// What every turn needs.
    pub ctx: Context,
    /// The queue's client, for the batches of the worker.
    pub sqs: aws_sdk_sqs::Client,
    /// The queue of turns.
    pub turns_url: String,
}

/// Wires what a turn needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn turns() -> Result<Wired, ConfigError> {
    let limits = config::limits()?;
    let sdk = aws::config().await;
    let sqs = aws_sdk_sqs::Client::new(&sdk);
    let turns_url = required("TURNS_QUEUE_URL")?;
    let urls = Urls {
        turns: turns_url.clone(),
        folds: environment("FOLDS_QUEUE_URL").unwrap_or_default(),
        retention: environment("RETENTION_QUEUE_URL").unwrap_or_default(),
        notifications: environment("NOTIFICATIONS_QUEUE_URL").unwrap_or_default(),
    };
    let store = store(&sdk, &limits)?;
    let queue = SqsQueue::new(sqs.clone(), urls);
    let shelf = shelf(&sdk, store.clone(), &limits)?;
    let ctx = Context {
        bank: bank(&store, &limits)?,
        similar: Arc::new(PastTickets::new(shelf, Arc::new(SystemClock), &limits)),
        store,
        model: model::from_env(environment, Arc::new(SystemClock)).map_err(model_error)?,
        queue: Arc::new(queue),
        events: events(&sdk),
        clock: Arc::new(SystemClock),
        limits,
        routing: Arc::new(config::routing()?),
        agents: Arc::new(Agents::default()),
    };
    Ok(Wired { ctx, sqs, turns_url })
}

/// Folds, wired.
pub struct WiredFolds {
    /// What every fold needs.
    pub ctx: fold::Context,
    /// The queue's client, for the batches of the summarizer.
    pub sqs: aws_sdk_sqs::Client,
    /// The queue of folds.
    pub folds_url: String,
}

/// Wires what a fold needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn folds() -> Result<WiredFolds, ConfigError> {
    let limits = config::limits()?;
    let sdk = aws::config().await;
    let sqs = aws_sdk_sqs::Client::new(&sdk);
    let ctx = fold::Context {
        store: store(&sdk, &limits)?,
        model: model::from_env(environment, Arc::new(SystemClock)).map_err(model_error)?,
        clock: Arc::new(SystemClock),
        limits,
        retention: retention_of_spills(&sqs)?,
    };
    Ok(WiredFolds { ctx, sqs, folds_url: required("FOLDS_QUEUE_URL")? })
}

/// Where spills are announced: nowhere, unless a bank besides the embedded one is to have them.
fn retention_of_spills(sqs: &aws_sdk_sqs::Client) -> Result<Option<Arc<dyn Queue>>, ConfigError> {
    if environment("HINDSIGHT_URL").is_none() {
        return Ok(None);
    }
    let urls = Urls { retention: required("RETENTION_QUEUE_URL")?, ..Urls::default() };
    Ok(Some(Arc::new(SqsQueue::new(sqs.clone(), urls))))
}

/// Retentions, wired.
pub struct WiredRetentions {
    /// What every retention needs.
    pub ctx: retain::Context,
    /// The queue's client, for the batches of the retainer.
    pub sqs: aws_sdk_sqs::Client,
    /// The queue of retentions.
    pub retention_url: String,
}

/// Wires what a retention needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn retentions() -> Result<WiredRetentions, ConfigError> {
    let limits = config::limits()?;
    let sdk = aws::config().await;
    let store = store(&sdk, &limits)?;
    let ctx = retain::Context {
        bank: bank(&store, &limits)?,
        store,
        events: events(&sdk),
        clock: Arc::new(SystemClock),
        limits,
    };
    let sqs = aws_sdk_sqs::Client::new(&sdk);
    Ok(WiredRetentions { ctx, sqs, retention_url: required("RETENTION_QUEUE_URL")? })
}

/// Notifications, wired.
pub struct WiredNotifications {
    /// What every notification needs.
    pub ctx: notify::Context,
    /// The queue's client, for the batches of the notifier.
    pub sqs: aws_sdk_sqs::Client,
    /// The queue of notifications.
    pub notifications_url: String,
}

/// Wires what a notification needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn notifications() -> Result<WiredNotifications, ConfigError> {
    let limits = config::limits()?;
    let routing = config::routing()?;
    let sdk = aws::config().await;
    let sqs = aws_sdk_sqs::Client::new(&sdk);
    let notifications_url = required("NOTIFICATIONS_QUEUE_URL")?;
    let urls = Urls { notifications: notifications_url.clone(), ..Urls::default() };
    let ses = aws_sdk_sesv2::Client::new(&sdk);
    let messenger =
        Messengers::new(&routing, ses, environment("NOTIFICATION_SENDER"), Arc::new(SystemClock))?;
    let ctx = notify::Context {
        store: store(&sdk, &limits)?,
        routing: Arc::new(routing),
        messenger: Arc::new(messenger),
        queue: Arc::new(SqsQueue::new(sqs.clone(), urls)),
        clock: Arc::new(SystemClock),
        limits,
        console_url: required("CONSOLE_URL")?.trim_end_matches('/').to_owned(),
    };
    Ok(WiredNotifications { ctx, sqs, notifications_url })
}

/// The operators' console, wired.
pub struct WiredDesk {
    /// What every move of an operator needs.
    pub ctx: handoff::Context,
    /// What says how things are.
    pub health: health::Context,
}

/// Wires what the operators' console needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn desk() -> Result<WiredDesk, ConfigError> {
    let limits = config::limits()?;
    let sdk = aws::config().await;
    let sqs = aws_sdk_sqs::Client::new(&sdk);
    let urls = Urls {
        retention: required("RETENTION_QUEUE_URL")?,
        folds: required("FOLDS_QUEUE_URL")?,
        notifications: required("NOTIFICATIONS_QUEUE_URL")?,
        ..Urls::default()
    };
    let store = store(&sdk, &limits)?;
    let health = health::Context {
        store: store.clone(),
        backlog: Arc::new(watched(&sqs)?),
        clock: Arc::new(SystemClock),
        prices: config::prices()?,
    };
    let queue = Arc::new(SqsQueue::new(sqs, urls));
    let ctx = handoff::Context { store, queue, clock: Arc::new(SystemClock), limits };
    Ok(WiredDesk { ctx, health })
}

/// All queues, with those of their dead letters.
fn watched(sqs: &aws_sdk_sqs::Client) -> Result<WatchedQueues, ConfigError> {
    let queue = |name: QueueName| {
        let (url, dead_url) = match name {
            QueueName::Turns => ("TURNS_QUEUE_URL", "TURNS_DEAD_QUEUE_URL"),
            QueueName::Folds => ("FOLDS_QUEUE_URL", "FOLDS_DEAD_QUEUE_URL"),
            QueueName::Retention => ("RETENTION_QUEUE_URL", "RETENTION_DEAD_QUEUE_URL"),
            QueueName::Notifications => ("NOTIFICATIONS_QUEUE_URL", "NOTIFICATIONS_DEAD_QUEUE_URL"),
        };
        Ok((name, WatchedQueue::new(sqs.clone(), &required(url)?, &required(dead_url)?)))
    };
    let queues: Result<Vec<_>, ConfigError> = QueueName::ALL.into_iter().map(queue).collect();
    Ok(WatchedQueues::new(queues?))
}

/// Wires what the eraser needs from the environment.
///
/// # Errors
/// A variable is missing or wrong.
pub async fn erasures() -> Result<erase::Context, ConfigError> {
    let limits = config::limits()?;
    let sdk = aws::config().await;
    let store = store(&sdk, &limits)?;
    Ok(erase::Context {
        bank: bank(&store, &limits)?,
        shelf: shelf(&sdk, store.clone(), &limits)?,
        store,
        events: events(&sdk),
        clock: Arc::new(SystemClock),
        limits,
    })
}

/// The bus of the environment.
fn events(sdk: &SdkConfig) -> Arc<dyn Events> {
    let name = environment("EVENT_BUS").unwrap_or_default();
    Arc::new(Bus::new(aws_sdk_eventbridge::Client::new(sdk), &name))
}

/// The table of the environment.
///
/// # Errors
/// `TABLE` is missing.
pub fn store(sdk: &SdkConfig, limits: &Limits) -> Result<Store, ConfigError> {
    let client = aws_sdk_dynamodb::Client::new(sdk);
    Ok(Store::new(client, &required("TABLE")?, Arc::new(SystemClock), limits))
}

/// The memory bank that the environment configures; without `HINDSIGHT_URL` it is the table's.
fn bank(store: &Store, limits: &Limits) -> Result<Arc<dyn MemoryBank>, ConfigError> {
    let table = Embedded::new(store.clone(), limits);
    Ok(match HindsightConfig::from_env(environment)? {
        Some(config) => Arc::new(Hindsight::new(&config, table, limits)?),
        None => Arc::new(table),
    })
}

/// Where the environment keeps the index of past cases: in `INDEX_BUCKET` or, without it, in the table.
///
/// # Errors
/// `INDEX_BUCKET` cannot be used.
pub fn shelf(sdk: &SdkConfig, store: Store, limits: &Limits) -> Result<Shelf, ConfigError> {
    let endpoint = bucket_endpoint(sdk);
    let bucket = environment("INDEX_BUCKET").map(|name| Bucket::new(&name, endpoint.as_deref(), sdk));
    Ok(Shelf::new(store, bucket.transpose()?, limits.index_bytes))
}

/// Where buckets are, if not on AWS.
pub fn bucket_endpoint(sdk: &SdkConfig) -> Option<String> {
    environment("AWS_ENDPOINT_URL_S3").or_else(|| sdk.endpoint_url().map(str::to_owned))
}

fn model_error(error: impl std::fmt::Display) -> ConfigError {
    ConfigError::Invalid { name: "MODEL_URL", problem: error.to_string() }
}
