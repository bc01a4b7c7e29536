//! Logs: one JSON line per sentence, with ids, counts and durations, never text (*quiet-logs*).

use tracing_subscriber::EnvFilter;

/// Starts logging to standard output. Our own sentences from `info` on, those of others from `warn` on; `LOG`
/// overrides this.
pub fn start() {
    let filter = std::env::var("LOG").unwrap_or_else(|_| {
        "warn,carryover_shared=info,reply=info,summarizer=info,retainer=info,notifier=info,eraser=info".into()
    });
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_ansi(false)
        .with_current_span(false)
        .with_env_filter(EnvFilter::new(filter))
        .init();
}
