//! The ways to tell a team of a case: a signed webhook, Slack, or a mail through Amazon SES.

mod signature;

use crate::config::ConfigError;
use crate::http;
use crate::notification::Notification;
use crate::queue::send_error;
use crate::routing::{Routing, Target, is_email};
use crate::traits::{Clock, Messenger, MessengerError};
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message};
use futures::future::BoxFuture;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretSlice};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long the other side may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// All of them. Build it once, at start.
pub struct Messengers {
    http: Client,
    ses: aws_sdk_sesv2::Client,
    sender: String,
    clock: Arc<dyn Clock>,
}

/// Whether mails can come from `sender`, the variable `NOTIFICATION_SENDER`.
///
/// # Errors
/// A team is told by e-mail and `sender` is missing, or `sender` is no address.
pub fn check_sender(routing: &Routing, sender: Option<&str>) -> Result<(), ConfigError> {
    const SENDER: &str = "NOTIFICATION_SENDER";
    match sender {
        None if routing.sends_email() => {
            Err(invalid(SENDER, "is missing, and a team of ROUTING is told by e-mail"))
        }
        Some(sender) if !is_email(sender) => Err(invalid(SENDER, "must be an e-mail address")),
        _ => Ok(()),
    }
}

fn invalid(name: &'static str, problem: &str) -> ConfigError {
    ConfigError::Invalid { name, problem: problem.into() }
}

impl Messengers {
    /// For the teams of `routing`; mails come from `sender`.
    ///
    /// # Errors
    /// A team is told by e-mail and `sender` is missing or no address, or no HTTP client can be built.
    pub fn new(
        routing: &Routing,
        ses: aws_sdk_sesv2::Client,
        sender: Option<String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConfigError> {
        check_sender(routing, sender.as_deref())?;
        let http = http::client(None)
            .map_err(|_| invalid("ROUTING", "cannot be used: no HTTP client can be built"))?;
        Ok(Self { http, ses, sender: sender.unwrap_or_default(), clock })
    }

    async fn send(&self, target: &Target, notification: &Notification) -> Result<(), MessengerError> {
        match target {
            Target::Webhook { url, secret } => self.webhook(url, secret, notification).await,
            Target::Slack { url } => post(self.request(url, &notification.slack())).await,
            Target::Email { to } => self.mail(to, notification).await,
        }
    }

    async fn webhook(
        &self,
        url: &Url,
        secret: &SecretSlice<u8>,
        notification: &Notification,
    ) -> Result<(), MessengerError> {
        let (id, body) = (notification.id(), notification.json().to_string());
        let timestamp = self.clock.now().seconds();
        let signature = signature::sign(secret.expose_secret(), &id, timestamp, &body);
        let request = self.http.post(url.clone()).header("content-type", "application/json");
        let request = request.header("webhook-id", id).header("webhook-timestamp", timestamp);
        post(request.header("webhook-signature", signature).body(body)).await
    }

    fn request(&self, url: &Url, body: &Value) -> RequestBuilder {
        self.http.post(url.clone()).json(body)
    }

    async fn mail(&self, to: &str, notification: &Notification) -> Result<(), MessengerError> {
        let unbuilt = |_| MessengerError::Refused { code: "not built".into() };
        let part = |text: String| Content::builder().data(text).charset("UTF-8").build().map_err(unbuilt);
        let body = Body::builder().text(part(notification.text())?).build();
        let message = Message::builder().subject(part(notification.subject())?).body(body).build();
        let request = self
            .ses
            .send_email()
            .from_email_address(&self.sender)
            .destination(Destination::builder().to_addresses(to).build())
            .content(EmailContent::builder().simple(message).build());
        let sent = request.send().await;
        sent.map(|_| ()).map_err(|error| MessengerError::Refused { code: send_error(&error).code })
    }
}

/// What the other side says beside its status is not read.
async fn post(request: RequestBuilder) -> Result<(), MessengerError> {
    let response = request.send().await.map_err(|_| MessengerError::Unreachable)?;
    let status = response.status();
    if status.is_success() { Ok(()) } else { Err(MessengerError::Status(status.as_u16())) }
}

impl Messenger for Messengers {
    fn send<'a>(
        &'a self,
        target: &'a Target,
        notification: &'a Notification,
    ) -> BoxFuture<'a, Result<(), MessengerError>> {
        Box::pin(async move {
            let sent = tokio::time::timeout(DEADLINE, self.send(target, notification)).await;
            sent.unwrap_or(Err(MessengerError::Late))
        })
    }
}
