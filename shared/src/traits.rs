//! What use cases need of the world besides the store: a model, a memory bank, similar cases, queues, a bus, a clock
//! and identifiers.
//!
//! Each trait is small, and each implementation lives in an adapter (or in a test).

use crate::case::Category;
use crate::contact::ContactId;
use crate::job::{FoldJob, NotificationJob, QueueName, Retained, RetentionJob, TurnJob};
use crate::memory::{Exchange, Origin, Query, Recall};
use crate::notification::Notification;
use crate::routing::Target;
use crate::similar::Similar;
use crate::time::Timestamp;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;
use ulid::Ulid;

/// The wall clock and the source of new identifiers.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
    /// A new identifier; later ones sort after earlier ones of other milliseconds.
    fn ulid(&self) -> Ulid;
    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// A number in `0..1`, for jitter.
    fn jitter(&self) -> f64;
}

/// A language model that answers in JSON.
pub trait Model: Send + Sync {
    /// Asks once, repeating what is worth repeating, until `budget` is spent. Never panics on what a model says.
    fn ask<'a>(&'a self, question: &'a Question, budget: Duration) -> BoxFuture<'a, Asked>;
}

/// Which of the configured models is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Decides a turn.
    Reply,
    /// Folds.
    Summary,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Reply, Self::Summary];

    /// The name, as settings and tallies have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Summary => "summary",
        }
    }
}

/// One question to a model: plain strings and the schema of the answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// Which model.
    pub role: Role,
    /// The system message.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The schema's name, as the API wants one.
    pub schema_name: &'static str,
    /// A JSON schema with top-level `properties` and no `$ref`.
    pub schema: Value,
    /// Tokens of the answer.
    pub max_tokens: u32,
}

/// What became of a question.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The answer or why there is none.
    pub answer: Result<Answer, ModelError>,
    /// Requests sent, repetitions included; counted against `calls_per_hour`.
    pub calls: u32,
}

/// A model's answer: a JSON object, not yet checked against anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The object.
    pub object: Map<String, Value>,
    /// The model's name, as configured.
    pub model: String,
    /// Tokens of the prompt, as the API counted them.
    pub prompt_tokens: u64,
    /// Tokens of the answer, as the API counted them.
    pub completion_tokens: u64,
}

/// Why a model gave no usable answer. Never carries text of the model or of a customer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No model is configured.
    #[error("no model is configured")]
    NotConfigured,
    /// No answer within the budget.
    #[error("the model did not answer in time")]
    Timeout,
    /// No connection, or it broke.
    #[error("the model cannot be reached")]
    Unreachable,
    /// Overloaded or rate limited (429, 529, 5xx, an error object in a 200), repetitions included.
    #[error("the model is overloaded (status {status})")]
    Overloaded {
        /// The last HTTP status.
        status: u16,
    },
    /// The request itself was refused (4xx); repeating it would not help.
    #[error("the model refused the request (status {status})")]
    Rejected {
        /// The HTTP status.
        status: u16,
    },
    /// The prompt does not fit the model's context.
    #[error("the prompt is too long for the model")]
    ContextOverflow,
    /// The answer stopped at the token limit.
    #[error("the answer was cut off")]
    CutOff,
    /// A content filter removed the answer.
    #[error("the answer was filtered")]
    Filtered,
    /// The model declined (a `refusal`).
    #[error("the model declined")]
    Declined,
    /// An empty answer, `null`, or no JSON object in it.
    #[error("the answer is not a JSON object")]
    Unreadable,
}

impl ModelError {
    /// The codes of what can go wrong with a model that is configured.
    pub const CODES: [&'static str; 9] = [
        "timeout",
        "unreachable",
        "overloaded",
        "rejected",
        "context_overflow",
        "cut_off",
        "filtered",
        "declined",
        "unreadable",
    ];

    /// A word for traces and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::Overloaded { .. } => "overloaded",
            Self::Rejected { .. } => "rejected",
            Self::ContextOverflow => "context_overflow",
            Self::CutOff => "cut_off",
            Self::Filtered => "filtered",
            Self::Declined => "declined",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Long-term memory: one bank per contact, named by nothing but its [`ContactId`] (*isolation*).
pub trait MemoryBank: Send + Sync {
    /// What earlier conversations left that resembles the question. A bank that fails says so and never panics.
    fn recall<'a>(&'a self, contact: ContactId, query: &'a Query) -> BoxFuture<'a, Recall>;
    /// Keeps an exchange; again with the same origin is the same memory.
    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>>;
    /// Takes what is kept of one source out of the bank, as far as it stands there by itself; what is shown of the rest
    /// is without it. Retained again it is there again.
    fn leave_out<'a>(&'a self, contact: ContactId, origin: Origin) -> BoxFuture<'a, Result<(), BankError>>;
    /// Removes the bank, whatever is in it (*erasable*).
    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>>;
}

/// A bank did not keep or remove something. Never carries text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the memory bank failed: {code}")]
pub struct BankError {
    /// What happened.
    pub code: String,
}

/// Past cases of all customers, without values and names.
pub trait SimilarCases: Send + Sync {
    /// Cases that resemble the question, at most `similar_cases`. An index that fails says so and never panics.
    fn find<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Similar>;
}

/// The queues on which work waits.
pub trait Queue: Send + Sync {
    /// Sends a turn's job, to be received after `delay` at the earliest (at most 15 minutes).
    fn send_turn<'a>(&'a self, job: &'a TurnJob, delay: Duration) -> BoxFuture<'a, Result<(), SendError>>;
    /// Sends a fold's job.
    fn send_fold<'a>(&'a self, job: &'a FoldJob) -> BoxFuture<'a, Result<(), SendError>>;
    /// Sends a retention's job.
    fn send_retention<'a>(&'a self, job: &'a RetentionJob) -> BoxFuture<'a, Result<(), SendError>>;
    /// Sends a notification's job, to be received after `delay` at the earliest (15 minutes if it is longer).
    fn send_notification<'a>(
        &'a self,
        job: &'a NotificationJob,
        delay: Duration,
    ) -> BoxFuture<'a, Result<(), SendError>>;
}

/// The queues, as somebody who watches over them sees them.
pub trait Backlog: Send + Sync {
    /// The jobs of a queue, about.
    fn waiting(&self, queue: QueueName) -> BoxFuture<'_, Result<Waiting, SendError>>;
    /// How many of its jobs were given up, about.
    fn dead(&self, queue: QueueName) -> BoxFuture<'_, Result<u64, SendError>>;
    /// Queues given-up jobs again: at most `most` of them, and begins no further ones after `time`.
    fn redrive(
        &self,
        queue: QueueName,
        most: usize,
        time: Duration,
    ) -> BoxFuture<'_, Result<Redriven, RedriveError>>;
}

/// The jobs of a queue, about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Nobody has them.
    pub ready: u64,
    /// Somebody works on them, or they failed and wait to be tried again.
    pub held: u64,
    /// They are not due yet.
    pub delayed: u64,
}

impl Waiting {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.ready + self.held + self.delayed
    }
}

/// What became of given-up jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Redriven {
    /// They are queued again.
    pub queued: usize,
    /// Their queue did not take them; they stay where they are.
    pub refused: usize,
}

/// Given-up jobs were not all looked at; what was not queued again stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {code} ({queued} were queued again)")]
pub struct RedriveError {
    /// What did not work.
    pub what: &'static str,
    /// The error's code.
    pub code: String,
    /// So many were queued again before.
    pub queued: usize,
}

/// The ways to tell a team something.
pub trait Messenger: Send + Sync {
    /// Tells a team, once; an answer that is late is a failure.
    fn send<'a>(
        &'a self,
        target: &'a Target,
        notification: &'a Notification,
    ) -> BoxFuture<'a, Result<(), MessengerError>>;
}

/// A team was not told. Never carries an address, nor what the other side said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessengerError {
    /// The other side answered with another status than one of success.
    #[error("the target answered with status {0}")]
    Status(u16),
    /// No answer in time.
    #[error("the target did not answer in time")]
    Late,
    /// No connection, or it broke.
    #[error("the target cannot be reached")]
    Unreachable,
    /// The service for e-mail refused it.
    #[error("the e-mail was not taken: {code}")]
    Refused {
        /// The error's code.
        code: String,
    },
}

/// The bus on which others listen.
pub trait Events: Send + Sync {
    /// Publishes what happened.
    fn publish<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), SendError>>;
}

/// Something did not go out. It is never the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not sent: {code}")]
pub struct SendError {
    /// The error's code.
    pub code: String,
}

/// What others may want to know; ids only (*quiet-logs*).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// A person is needed.
    CaseOpened {
        /// Whose case.
        contact_id: ContactId,
        /// Which.
        case_id: Ulid,
        /// Why the bot stopped.
        category: Category,
    },
    /// A request was opened: by the customer, or for what a reply promised.
    RequestOpened {
        /// Whose request.
        contact_id: ContactId,
        /// Its id among the contact's facts of kind `request`.
        request: String,
    },
    /// A customer closed a request.
    RequestClosed {
        /// Whose request.
        contact_id: ContactId,
        /// Its id among the contact's facts of kind `request`.
        request: String,
    },
    /// A contact was erased: whoever keeps something of theirs elsewhere can follow.
    ContactErased {
        /// Who it was.
        contact_id: ContactId,
    },
    /// Something will not be remembered unless its dead letter is replayed.
    RetentionFailed {
        /// Whose memory.
        contact_id: ContactId,
        /// What of it.
        #[serde(flatten)]
        what: Retained,
    },
}

impl Event {
    /// The event's name on the bus.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CaseOpened { .. } => "CaseOpened",
            Self::RequestOpened { .. } => "RequestOpened",
            Self::RequestClosed { .. } => "RequestClosed",
            Self::ContactErased { .. } => "ContactErased",
            Self::RetentionFailed { .. } => "RetentionFailed",
        }
    }
}
