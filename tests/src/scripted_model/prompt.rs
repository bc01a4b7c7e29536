//! A request of the API, read leniently, as far as the scripted model cares.

use super::stage::Message;
use serde_json::Value;

pub(super) struct Prompt {
    pub(super) model: String,
    pub(super) messages: Vec<Message>,
    pub(super) schema_name: String,
    pub(super) schema: Value,
}

impl Prompt {
    pub(super) fn read(request: &Value) -> Self {
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let format = &request["response_format"]["json_schema"];
        let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let message = |message: &Value| Message {
            role: string(&message["role"]),
            content: string(&message["content"]),
        };
        Self {
            model: string(&request["model"]),
            messages: messages.iter().map(message).collect(),
            schema_name: string(&format["name"]),
            schema: format["schema"].clone(),
        }
    }

    pub(super) fn text(&self) -> String {
        self.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// What the newest message of the user says.
    pub(super) fn user(&self) -> &str {
        self.newest_of("user")
    }

    /// What the newest message of the system says.
    pub(super) fn system(&self) -> &str {
        self.newest_of("system")
    }

    fn newest_of(&self, role: &str) -> &str {
        self.messages.iter().rev().find(|message| message.role == role).map_or("", |message| &message.content)
    }

    pub(super) fn asks_for_fold(&self) -> bool {
        self.schema["properties"]["guest_intent"].is_object()
    }
}
