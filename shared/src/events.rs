//! The bus.

use crate::queue::send_error;
use crate::traits::{Event, Events, SendError};
use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use futures::future::BoxFuture;

/// The source under which Carryover publishes.
const SOURCE: &str = "carryover";

/// The event bus of a deployment.
#[derive(Debug, Clone)]
pub struct Bus {
    client: Client,
    name: String,
}

impl Bus {
    /// Over the bus with this name.
    pub fn new(client: Client, name: &str) -> Self {
        Self { client, name: name.into() }
    }

    async fn put(&self, event: &Event) -> Result<(), SendError> {
        let detail = serde_json::to_string(event).map_err(|_| SendError { code: "unserialisable".into() })?;
        let entry = PutEventsRequestEntry::builder()
            .event_bus_name(&self.name)
            .source(SOURCE)
            .detail_type(event.name())
            .detail(detail)
            .build();
        let put = self.client.put_events().entries(entry).send().await.map_err(|error| send_error(&error))?;
        // A refused entry hides inside a success.
        match put.entries.unwrap_or_default().into_iter().find_map(|entry| entry.error_code) {
            Some(code) => Err(SendError { code }),
            None => Ok(()),
        }
    }
}

impl Events for Bus {
    fn publish<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.put(event))
    }
}
