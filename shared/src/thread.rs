//! Threads: the numbered log of messages and the head that guards it.

use crate::contact::{Account, ContactId};
use crate::operator::Operator;
use crate::text;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use ulid::Ulid;

/// The number of a message in its thread; the first message is 1, and 0 stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first message.
    pub const NONE: Seq = Seq(0);
    /// The first message.
    pub const FIRST: Seq = Seq(1);
    /// The last number that a key has digits for.
    pub const LAST: Seq = Seq(9_999_999_999);

    /// The number after this one.
    pub const fn next(self) -> Seq {
        Seq(self.0 + 1)
    }

    /// The number before this one; nothing is before [`Seq::NONE`].
    pub const fn prev(self) -> Seq {
        Seq(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// The contact.
    Customer,
    /// The bot.
    Bot,
    /// A person of ours.
    Operator,
}

/// What a bot's message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BotKind {
    /// The answer of a turn.
    Reply,
    /// A person takes over.
    Notice,
    /// An opt-out was heard.
    Confirmation,
}

/// The way a message came or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Web chat and the JSON API.
    Chat,
    /// SMS.
    Sms,
    /// WhatsApp.
    Whatsapp,
    /// E-mail.
    Email,
    /// Telegram.
    Telegram,
    /// Slack.
    Slack,
    /// Phone.
    Voice,
}

impl Channel {
    /// All of them.
    pub const ALL: [Channel; 7] =
        [Self::Chat, Self::Sms, Self::Whatsapp, Self::Email, Self::Telegram, Self::Slack, Self::Voice];

    /// The channel's name for people and prompts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "web chat",
            Self::Sms => "SMS",
            Self::Whatsapp => "WhatsApp",
            Self::Email => "e-mail",
            Self::Telegram => "Telegram",
            Self::Slack => "Slack",
            Self::Voice => "phone",
        }
    }
}

/// What became of a message on its way to the customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It waits for its turn.
    Queued,
    /// It was claimed; it may or may not be out.
    Sending,
    /// The provider took it.
    Sent,
    /// The customer has it.
    Delivered,
    /// The provider refused it.
    Failed,
    /// A take-over or an opt-out came first: it is not sent.
    Withheld,
    /// Whether it is out is not known; it is not sent again.
    Unknown,
}

/// Something a message carries besides its text; known by name, never opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// File name.
    pub name: String,
    /// Media type.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Where it can be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[attachment: {}, {}, {}]", self.name, self.media_type, size(self.bytes))
    }
}

fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    match bytes {
        0..KB => format!("{bytes} bytes"),
        KB..1_048_064 => format!("{} KB", (bytes + KB / 2) / KB),
        _ => format!("{:.1} MB", bytes as f64 / (KB * KB) as f64),
    }
}

/// An entry of the log.
///
/// A text longer than a prompt may show is kept as head and tail here, and the rest beside it in `BODY`
/// items, which only folds and the console read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its number.
    pub seq: Seq,
    /// Who wrote it.
    pub author: Author,
    /// What it is, if the bot wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<BotKind>,
    /// The way it came or goes.
    pub channel: Channel,
    /// The account that it came to or goes from.
    pub account: Account,
    /// The text, or its head.
    pub text: String,
    /// The end of a text whose middle is in `BODY` items.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// Characters between head and tail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_chars: usize,
    /// How many `BODY` items hold them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bodies: usize,
    /// What it carries besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// When it was admitted or committed.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
    /// Asks for no turn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_turn: bool,
    /// Of a bot's message: the first customer message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_from: Option<Seq>,
    /// Of a bot's message: the newest customer message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<Seq>,
    /// The thread's epoch when it was written.
    pub epoch: u64,
    /// Of an operator's message: who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// Of a reply: the agent that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Of a reply: the agent's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Of a bot's message: the trace of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Of a reply that promised something: the request that its commit opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_request: Option<String>,
    /// What became of it on its way to the customer; none where nothing is sent, as on the web chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryState>,
    /// Of a reply: how many operators flagged it as wrong.
    #[serde(default, skip_serializing_if = "is_none_of")]
    pub flags: u32,
    /// Of a bot's message: its jobs have been sent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub followed_up: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_none_of(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(value: &usize) -> bool {
    *value == 0
}

impl Message {
    /// A message with what every message has; whatever else it is stands empty.
    pub fn new(
        seq: Seq,
        author: Author,
        channel: Channel,
        account: Account,
        parts: &Parts,
        at: Timestamp,
    ) -> Self {
        Self {
            seq,
            author,
            kind: None,
            channel,
            account,
            text: parts.head.clone(),
            tail: parts.tail.clone(),
            omitted_chars: parts.omitted_chars,
            bodies: parts.bodies.len(),
            attachments: vec![],
            at,
            no_turn: false,
            answers_from: None,
            in_reply_to: None,
            epoch: 0,
            operator: None,
            agent: None,
            version: None,
            trace: None,
            opened_request: None,
            delivery: None,
            flags: 0,
            followed_up: false,
        }
    }

    /// Whether a turn owes this message something.
    pub fn asks_for_a_turn(&self) -> bool {
        self.author == Author::Customer && !self.no_turn
    }

    /// Whether this is a bot's message that answers customer message `seq`.
    pub fn answers(&self, seq: Seq) -> bool {
        matches!((self.answers_from, self.in_reply_to), (Some(from), Some(to)) if from <= seq && seq <= to)
    }

    /// What a prompt or a client is shown: at most `message_chars` of the text, head and tail with the number
    /// left out, then a line for each attachment (*newest-kept*).
    pub fn shown(&self, message_chars: usize) -> Cow<'_, str> {
        let text = self.shown_text(message_chars);
        if self.attachments.is_empty() {
            return text;
        }
        let mut all = text.into_owned();
        for attachment in &self.attachments {
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(&attachment.to_string());
        }
        Cow::Owned(all)
    }

    fn shown_text(&self, message_chars: usize) -> Cow<'_, str> {
        let head_chars = text::chars(&self.text);
        if self.omitted_chars == 0 && head_chars <= message_chars {
            return Cow::Borrowed(&self.text);
        }
        let total = head_chars + self.omitted_chars + text::chars(&self.tail);
        let half = half_of(message_chars);
        let end = if self.omitted_chars == 0 { &self.text } else { &self.tail };
        let (head, tail) = (text::head(&self.text, half), text::tail(end, half));
        let left_out = total - text::chars(head) - text::chars(tail);
        Cow::Owned(format!("{head}{}{tail}", left_out_mark(left_out)))
    }
}

/// Room for [`left_out_mark`] whatever the number.
const MARK_CHARS: usize = 48;

fn half_of(message_chars: usize) -> usize {
    message_chars.saturating_sub(MARK_CHARS) / 2
}

fn left_out_mark(chars: usize) -> String {
    format!("\n[… {chars} characters left out …]\n")
}

/// A text taken apart for the log: what a prompt may show, and the middle that only folds read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The text, or its head.
    pub head: String,
    /// The middle, in order, in pieces of at most `message_chars` characters.
    pub bodies: Vec<String>,
    /// The end, if there is a middle.
    pub tail: String,
    /// Characters of the middle.
    pub omitted_chars: usize,
}

impl Parts {
    /// A text in one piece.
    pub fn whole(text: &str) -> Self {
        Self { head: text.to_owned(), bodies: vec![], tail: String::new(), omitted_chars: 0 }
    }

    /// Takes `text` apart so that head and tail are what a prompt shows of it; nothing is lost.
    pub fn of(text: &str, message_chars: usize) -> Self {
        if text::chars(text) <= message_chars {
            return Self::whole(text);
        }
        let half = half_of(message_chars);
        let (head, tail) = (text::head(text, half), text::tail(text, half));
        let Some(middle) = text.get(head.len()..text.len() - tail.len()) else {
            return Self::whole(text);
        };
        Parts {
            head: head.to_owned(),
            bodies: text::parts(middle, message_chars).into_iter().map(str::to_owned).collect(),
            tail: tail.to_owned(),
            omitted_chars: text::chars(middle),
        }
    }
}

/// What operators write for each other: internal, beside the log, never numbered, never in a model's input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its id.
    pub note_id: Ulid,
    /// The newest message when it was written.
    pub seq: Seq,
    /// Who wrote it.
    pub operator: Operator,
    /// What.
    pub text: String,
    /// When.
    #[serde(rename = "at_millis")]
    pub at: Timestamp,
}

/// Who answers in a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The bot.
    Bot,
    /// A person; the bot is silent.
    Human,
}

/// A turn's right to call the model for a thread, for a while.
///
/// Leases save model calls; commits are safe without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The turn that holds it.
    pub owner: Ulid,
    /// Until when.
    pub until: Timestamp,
    /// How many customer messages it answers.
    pub reads: usize,
}

/// The head of a thread: what every conditional write of the thread is conditional on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Whose thread.
    pub contact_id: ContactId,
    /// Rises with every take-over, operator message, hand-back and erasure.
    pub epoch: u64,
    /// The oldest message still in the log.
    pub first_seq: Seq,
    /// The newest message.
    pub last_seq: Seq,
    /// The newest message that asks for a turn.
    pub last_customer_seq: Seq,
    /// Up to here nothing needs anything from the bot any more.
    pub settled_seq: Seq,
    /// Who answers.
    pub mode: Mode,
    /// The case that is open or taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_case: Option<Ulid>,
    /// Accounts on which the contact wants to hear nothing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub opted_out: BTreeSet<Account>,
    /// The agent, where it is not the account's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Since when something waits for the bot.
    #[serde(default, rename = "waiting_since_millis", skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<Timestamp>,
    /// Since when the customer waits for the person who has the thread without a case; where there is one, the case
    /// says so.
    #[serde(default, rename = "asked_since_millis", skip_serializing_if = "Option::is_none")]
    pub asked_since: Option<Timestamp>,
    /// The operator who took the thread; none where the bot answers, or a case waits for somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_by: Option<Operator>,
    /// When the sweep last queued a turn.
    #[serde(default, rename = "swept_at_millis", skip_serializing_if = "Option::is_none")]
    pub swept_at: Option<Timestamp>,
    /// The turn that holds the lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_owner: Option<Ulid>,
    /// Until when it holds the lease.
    #[serde(default, rename = "turn_until_millis", skip_serializing_if = "Option::is_none")]
    pub turn_until: Option<Timestamp>,
    /// The newest customer message of the last turn that took the lease.
    #[serde(default)]
    pub turn_seq: Seq,
    /// How many customer messages that turn answers.
    #[serde(default)]
    pub turn_reads: usize,
    /// Turns that took the lease on the same messages since something was last committed.
    #[serde(default)]
    pub turn_tries: u32,
    /// The hour that `calls` counts.
    #[serde(default)]
    pub calls_hour: i64,
    /// Calls of the reply model in that hour.
    #[serde(default)]
    pub calls: u32,
    /// The newest replies that operators flagged as wrong.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub flagged: BTreeSet<Seq>,
    /// Rises with every identity that is linked or unlinked.
    #[serde(default, skip_serializing_if = "is_none_of")]
    pub links: u32,
    /// The contact turned out to be the same customer as this one, and closed: whatever leads here leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined_into: Option<ContactId>,
    /// Contacts that were joined into this one: what is remembered of them is remembered of this one.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub joined: BTreeSet<ContactId>,
    /// The contact is being erased: nothing may be created for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub erasing: bool,
}

impl Head {
    /// The head of a contact that has said nothing yet.
    pub fn new(contact_id: ContactId) -> Self {
        Self {
            contact_id,
            epoch: 0,
            first_seq: Seq::FIRST,
            last_seq: Seq::NONE,
            last_customer_seq: Seq::NONE,
            settled_seq: Seq::NONE,
            mode: Mode::Bot,
            open_case: None,
            opted_out: BTreeSet::new(),
            agent: None,
            waiting_since: None,
            asked_since: None,
            taken_by: None,
            swept_at: None,
            turn_owner: None,
            turn_until: None,
            turn_seq: Seq::NONE,
            turn_reads: 0,
            turn_tries: 0,
            calls_hour: 0,
            calls: 0,
            flagged: BTreeSet::new(),
            links: 0,
            joined_into: None,
            joined: BTreeSet::new(),
            erasing: false,
        }
    }

    /// The lease, if one is held at `now`.
    pub fn lease(&self, now: Timestamp) -> Option<Lease> {
        match (self.turn_owner, self.turn_until) {
            (Some(owner), Some(until)) if until > now => Some(Lease { owner, until, reads: self.turn_reads }),
            _ => None,
        }
    }

    /// Whether something in the thread asks for a turn.
    pub fn has_unsettled(&self) -> bool {
        self.mode == Mode::Bot && self.last_customer_seq > self.settled_seq
    }

    /// Calls of the reply model in the hour of `now`.
    pub fn calls_in_hour(&self, now: Timestamp) -> u32 {
        if self.calls_hour == now.hour() { self.calls } else { 0 }
    }

    /// What `turn_tries` becomes when a turn takes the lease to answer up to `seq`.
    pub fn tries_with(&self, seq: Seq) -> u32 {
        if self.turn_seq == seq { self.turn_tries.saturating_add(1) } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        let parts = Parts::of(text, 24_000);
        Message::new(
            Seq(1),
            Author::Customer,
            Channel::Chat,
            Account::chat(),
            &parts,
            Timestamp::from_millis(0),
        )
    }

    #[test]
    fn a_long_message_is_shown_by_head_and_tail_with_the_number_left_out() {
        let text: String = ('a'..='z').cycle().take(90_000).collect();
        let message = message(&text);
        let shown = message.shown(24_000);
        assert!(text::chars(&shown) <= 24_000);
        let half = half_of(24_000);
        assert!(shown.starts_with(text::head(&text, half)) && shown.ends_with(text::tail(&text, half)));
        assert!(shown.contains(&format!("[… {} characters left out …]", 90_000 - 2 * half)));
    }

    #[test]
    fn taking_apart_loses_nothing() {
        let text = "né👨‍👩‍👧".repeat(20_000);
        let parts = Parts::of(&text, 24_000);
        assert_eq!(format!("{}{}{}", parts.head, parts.bodies.concat(), parts.tail), text);
        assert!(parts.bodies.iter().all(|body| text::chars(body) <= 24_000));
    }

    #[test]
    fn attachments_are_lines_below_the_text() {
        let mut message = message("the invoice");
        message.attachments = vec![Attachment {
            name: "invoice.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: 122_880,
            url: None,
        }];
        assert_eq!(message.shown(24_000), "the invoice\n[attachment: invoice.pdf, application/pdf, 120 KB]");
    }
}
