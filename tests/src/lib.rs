//! What the suites share: the scripted model server and the client of a running stack.

pub mod backlog;
pub mod bank;
pub mod bucket;
pub mod client;
pub mod clock;
pub mod command;
pub mod console;
pub mod contact;
pub mod gate;
pub mod hindsight;
pub mod logs;
pub mod model;
pub mod processes;
pub mod provider;
pub mod received;
pub mod receiver;
pub mod scripted_model;
pub mod sqs;
pub mod stack;
pub mod table;
pub mod template;
pub mod tickets;
pub mod watch;
pub mod world;

use std::time::{Duration, Instant};

/// How long a test waits for what must come; generous, because nothing here measures speed.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Asks `probe` again and again until it answers.
///
/// # Panics
/// It never does.
pub async fn eventually<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(found) = probe().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{what}: not within {PATIENCE:?}");
}
