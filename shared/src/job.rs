//! What travels on the queues: ids, numbers and reasons, never text or addresses (*quiet-logs*).

use crate::contact::ContactId;
use crate::thread::Seq;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use ulid::Ulid;

/// The queues on which jobs wait; each has one beside it for those that were given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueName {
    /// Turns.
    Turns,
    /// Folds.
    Folds,
    /// Retentions.
    Retention,
    /// Notifications.
    Notifications,
}

/// Not the name of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("queue must be turns, folds, retention or notifications")]
pub struct QueueNameError;

impl QueueName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Turns, Self::Folds, Self::Retention, Self::Notifications];

    /// The name, as commands and addresses have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Folds => "folds",
            Self::Retention => "retention",
            Self::Notifications => "notifications",
        }
    }
}

impl FromStr for QueueName {
    type Err = QueueNameError;

    fn from_str(name: &str) -> Result<Self, QueueNameError> {
        Self::ALL.into_iter().find(|queue| queue.as_str() == name).ok_or(QueueNameError)
    }
}

/// Names the delivery of one message without saying whose it is: the key of its `SEEN` item.
///
/// Scope and message id are hashed, so a job carries no address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The channel account.
    pub account: String,
    /// Hash of the identity where the sender chooses the id, else of the provider's conversation.
    pub scope: String,
    /// Hash of the id.
    pub id: String,
}

/// Work for `reply-worker`: look whether something waits, and answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum TurnJob {
    /// Sent before the admission of a message, and so by its delivery.
    Delivered {
        /// The delivery.
        delivery: Delivery,
    },
    /// Sent by the sweep.
    Swept {
        /// Whose thread.
        contact_id: ContactId,
    },
}

/// Work for the summarizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldJob {
    /// Whose thread.
    pub contact_id: ContactId,
    /// The message that caused it.
    pub up_to: Seq,
    /// What happened.
    pub why: FoldReason,
}

/// Why a fold is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldReason {
    /// The bot replied.
    Reply,
    /// A case was opened: the brief wants a fresh snapshot.
    Escalation,
    /// The contact was joined into another: what it knows goes there.
    Join,
}

/// Work for the notifier: a case waits for somebody, and its route has a team for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationJob {
    /// Whose case.
    pub contact_id: ContactId,
    /// Which.
    pub case_id: Ulid,
    /// Since when the case's teams are told anew; none for those that it was opened for.
    #[serde(default, rename = "round_at_millis", skip_serializing_if = "Option::is_none")]
    pub round_at: Option<Timestamp>,
    /// How far the case is on its route: 0 is the team that it is for at first.
    pub step: u32,
    /// What is to be done at this step.
    pub what: Notify,
}

/// What the notifier does for a step. Two jobs, since a team that cannot be told must not keep the case from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notify {
    /// Tell the step's team.
    Tell,
    /// When the step's time is over and nobody has taken the case, pass it on.
    Watch,
}

/// Work for the retainer: something worth remembering happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionJob {
    /// Whose bank.
    pub contact_id: ContactId,
    /// What happened.
    #[serde(flatten)]
    pub what: Retained,
}

/// What a retention keeps, by its numbers; the retainer reads the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Retained {
    /// A message of the bot or of an operator, with the customer messages that it answers.
    Reply {
        /// Its number.
        seq: Seq,
    },
    /// How a case ended.
    Case {
        /// Which.
        case_id: Ulid,
    },
    /// What the customer thought of a message.
    Feedback {
        /// Its number.
        seq: Seq,
    },
    /// What a fold spilled; kept in the table already, and forwarded to another bank.
    Spilled {
        /// The revision of the snapshot that was saved with it.
        revision: u64,
    },
}
