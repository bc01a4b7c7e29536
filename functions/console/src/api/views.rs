//! What the API shows.

use carryover_shared::case::{Case, CaseState, Priority};
use carryover_shared::desk::{self, Brief, Conversation, Row};
use carryover_shared::flag::{Flag, FlagReason};
use carryover_shared::snapshot::Snapshot;
use carryover_shared::thread::{Head, Message, Note};
use carryover_shared::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// A list: some items, and where the next page starts.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Page<T> {
    /// The items of this page.
    pub(super) items: Vec<T>,
    /// The cursor of the next page; null at the end.
    pub(super) next: Option<String>,
}

/// An enumeration of ours by the words that the table and the API have for it.
pub(super) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(Timestamp::rfc3339)
}

/// Work for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CaseView {
    /// Its id.
    case_id: String,
    /// Whose.
    contact_id: String,
    /// How they write to us; empty in a thread, which says so itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    identities: Vec<String>,
    /// Their name, where a profile says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// `open`, `taken`, `resolved` or `reopened`.
    state: String,
    /// Why the bot stopped, in a word.
    category: String,
    /// The same in a sentence.
    why: String,
    /// What the model or the rule said of it.
    reason: String,
    /// The agent's topic, if a rule stopped the bot.
    topic: Option<String>,
    /// The newest message that it is about.
    about_seq: u64,
    /// The trace of the decision.
    trace: Option<String>,
    /// RFC 3339.
    opened_at: String,
    /// Since when the customer waits for a person; null where nothing waits.
    waiting_since: Option<String>,
    /// Whether that is longer than it may be; only in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    overdue: Option<bool>,
    /// The operator whose work it is.
    assignee: Option<String>,
    /// `low`, `normal`, `high` or `urgent`.
    priority: String,
    /// Labels.
    tags: Vec<String>,
    /// How often priority and tags were set; give it back when you set them.
    labelled: u32,
    /// Who set them last.
    labelled_by: Option<String>,
    /// The team that it is with.
    team: Option<String>,
    /// Escalations that joined it.
    joined: u32,
    /// Who moved it last.
    moved_by: Option<String>,
    /// When that was.
    moved_at: Option<String>,
    /// When it was resolved.
    resolved_at: Option<String>,
}

impl From<&Case> for CaseView {
    fn from(case: &Case) -> Self {
        let operator = |operator: &Option<carryover_shared::operator::Operator>| {
            operator.as_ref().map(|operator| operator.as_str().to_owned())
        };
        Self {
            case_id: case.case_id.to_string(),
            contact_id: case.contact_id.to_string(),
            identities: vec![],
            name: None,
            state: word(case.state_of_case),
            category: case.category.code().into(),
            why: desk::why(case.category, case.topic.as_deref()),
            reason: case.reason.clone(),
            topic: case.topic.clone(),
            about_seq: case.about_seq.0,
            trace: case.trace.clone(),
            opened_at: case.opened_at.rfc3339(),
            waiting_since: time(case.waiting_since),
            overdue: None,
            assignee: operator(&case.assignee),
            priority: word(case.priority),
            tags: case.tags.iter().cloned().collect(),
            labelled: case.labelled,
            labelled_by: operator(&case.labelled_by),
            team: case.team.clone(),
            joined: case.joined,
            moved_by: operator(&case.moved_by),
            moved_at: time(case.moved_at),
            resolved_at: time(case.resolved_at),
        }
    }
}

impl CaseView {
    /// The case of a line of the inbox, if it has one.
    pub(super) fn of_row(row: &Row) -> Option<Self> {
        Some(Self {
            identities: row.who.identities.iter().map(ToString::to_string).collect(),
            name: row.who.name.clone(),
            overdue: Some(row.overdue),
            ..Self::from(row.case.as_ref()?)
        })
    }
}

/// A thread, as lists show it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ThreadRow {
    /// Whose.
    contact_id: String,
    /// How they write to us.
    identities: Vec<String>,
    /// Their name, where a profile says one.
    name: Option<String>,
    #[serde(flatten)]
    state: ThreadState,
    /// Since when the customer waits, for the bot or for a person.
    waiting_since: Option<String>,
    /// Whether that is longer than it may be.
    overdue: bool,
    /// The case that is not resolved, or the one that is listed.
    case: Option<CaseView>,
}

impl From<&Row> for ThreadRow {
    fn from(row: &Row) -> Self {
        Self {
            contact_id: row.entry.contact_id.to_string(),
            identities: row.who.identities.iter().map(ToString::to_string).collect(),
            name: row.who.name.clone(),
            state: ThreadState::from(&row.head),
            waiting_since: time(row.waiting_since),
            overdue: row.overdue,
            case: row.case.as_ref().map(CaseView::from),
        }
    }
}

/// Who has a thread, and where it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ThreadState {
    /// `bot` or `human`.
    mode: String,
    /// The operator who has it.
    taken_by: Option<String>,
    /// The case that is not resolved.
    open_case: Option<String>,
    /// Rises with every move of an operator; give it back when you hand back or resolve.
    epoch: u64,
    /// The newest message.
    last_seq: u64,
    /// The newest message that asks for something; give it as `seen` when you hand back.
    last_customer_seq: u64,
    /// Up to here nothing needs anything from the bot.
    settled_seq: u64,
    /// Accounts on which the customer wants to hear nothing.
    opted_out: Vec<String>,
}

impl From<&Head> for ThreadState {
    fn from(head: &Head) -> Self {
        Self {
            mode: word(head.mode),
            taken_by: head.taken_by.as_ref().map(|operator| operator.as_str().to_owned()),
            open_case: head.open_case.map(|case| case.to_string()),
            epoch: head.epoch,
            last_seq: head.last_seq.0,
            last_customer_seq: head.last_customer_seq.0,
            settled_seq: head.settled_seq.0,
            opted_out: head.opted_out.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A thread: who has it, where things stand, and its newest messages.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ThreadView {
    /// Whose.
    contact_id: String,
    /// How they write to us.
    identities: Vec<String>,
    /// Their name, where a profile says one.
    name: Option<String>,
    #[serde(flatten)]
    state: ThreadState,
    /// Since when something waits for the bot.
    waiting_since: Option<String>,
    /// What the bot knows word for word, and what it knows from its summary.
    coverage: CoverageView,
    /// Where things stand; null where it cannot be read.
    snapshot: Option<SnapshotView>,
    /// The brief of the case that is not resolved.
    brief: Option<BriefView>,
    /// The newest cases.
    cases: Vec<CaseView>,
    /// The newest messages, oldest first.
    messages: Vec<MessageView>,
    /// The cursor of older messages; null where there are none.
    older: Option<String>,
}

impl ThreadView {
    pub(super) fn of(conversation: &Conversation, brief: Option<&Brief>) -> Self {
        let head = &conversation.head;
        Self {
            contact_id: head.contact_id.to_string(),
            identities: conversation.who.identities.iter().map(ToString::to_string).collect(),
            name: conversation.who.name.clone(),
            state: ThreadState::from(head),
            waiting_since: time(head.waiting_since),
            coverage: CoverageView {
                first_seq: head.first_seq.0,
                covered_to: conversation.split.covered_to.0,
                pending_from: conversation.split.pending_from.0,
                window_from: conversation.split.window_from.0,
            },
            snapshot: conversation.snapshot.as_ref().map(SnapshotView::from),
            brief: brief.map(BriefView::from),
            cases: conversation.cases.iter().map(CaseView::from).collect(),
            messages: messages(conversation),
            older: conversation.older.map(|seq| seq.to_string()),
        }
    }
}

/// Where the bot's memory ends.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CoverageView {
    /// The oldest message of the log.
    first_seq: u64,
    /// Up to here the history covers.
    covered_to: u64,
    /// From here on messages stand word for word in a prompt, those before the window as pending.
    pending_from: u64,
    /// From here on they are the window.
    window_from: u64,
}

/// The structured working memory.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SnapshotView {
    /// What the customer wants.
    guest_intent: String,
    /// What was said and still matters.
    established_facts: Vec<String>,
    /// What is open, newest first.
    open_questions: Vec<String>,
    /// Where things stand.
    summary_text: String,
    /// The newest message that these four know of.
    as_of: u64,
    /// The rolling summary of what is older.
    history: String,
}

impl From<&Snapshot> for SnapshotView {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            guest_intent: snapshot.guest_intent.clone(),
            established_facts: snapshot.established_facts.clone(),
            open_questions: snapshot.open_questions.clone(),
            summary_text: snapshot.summary_text.clone(),
            as_of: snapshot.as_of.0,
            history: snapshot.history.clone(),
        }
    }
}

/// What an operator reads first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BriefView {
    /// The case.
    case: CaseView,
    /// Why the bot stopped, in a sentence.
    why: String,
    /// Where things stand.
    snapshot: Option<SnapshotView>,
    /// The bot's drafts before it stopped: why each was not sent.
    tried: Vec<String>,
    /// The records that it had.
    facts: String,
    /// Past cases that resemble the question: hints, not facts about this customer.
    similar: Vec<SimilarView>,
}

/// A past case.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SimilarView {
    /// What was asked.
    problem: String,
    /// What helped.
    solution: String,
}

impl From<&Brief> for BriefView {
    fn from(brief: &Brief) -> Self {
        let similar = brief
            .similar
            .iter()
            .map(|past| SimilarView { problem: past.problem.clone(), solution: past.solution.clone() });
        Self {
            case: CaseView::from(&brief.case),
            why: brief.why.clone(),
            snapshot: brief.snapshot.as_ref().map(SnapshotView::from),
            tried: brief.tried.iter().filter_map(|tried| tried.fault.clone()).collect(),
            facts: brief.facts.clone(),
            similar: similar.collect(),
        }
    }
}

/// An entry of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MessageView {
    /// Its number.
    seq: u64,
    /// `customer`, `bot` or `operator`.
    author: String,
    /// Of the bot's: `reply`, `notice` or `confirmation`.
    kind: Option<String>,
    /// The way it came or goes.
    channel: String,
    /// The account of ours.
    account: String,
    /// The text; of a long one its beginning.
    text: String,
    /// Characters left out after it.
    omitted_chars: usize,
    /// The end of a long text.
    tail: String,
    /// What became of it on its way: `queued`, `sending`, `sent`, `delivered`, `failed`, `withheld`, `unknown`.
    delivery: Option<String>,
    /// RFC 3339.
    at: String,
    /// Of an operator's: who wrote it.
    operator: Option<String>,
    /// Of a reply: the version of the instructions that it was written with.
    version: Option<u32>,
    /// Of the bot's: the newest message that it answers.
    in_reply_to: Option<u64>,
    /// Names of what it carries besides.
    attachments: Vec<String>,
    /// The flags on it.
    flags: Vec<FlagView>,
}

/// The messages of a page with their flags.
pub(super) fn messages(conversation: &Conversation) -> Vec<MessageView> {
    let view = |message: &Message| MessageView {
        seq: message.seq.0,
        author: word(message.author),
        kind: message.kind.map(word),
        channel: word(message.channel),
        account: message.account.to_string(),
        text: message.text.clone(),
        omitted_chars: message.omitted_chars,
        tail: message.tail.clone(),
        delivery: message.delivery.map(word),
        at: message.at.rfc3339(),
        operator: message.operator.as_ref().map(|operator| operator.as_str().to_owned()),
        version: message.version,
        in_reply_to: message.in_reply_to.map(|seq| seq.0),
        attachments: message.attachments.iter().map(|attachment| attachment.name.clone()).collect(),
        flags: conversation.flags.iter().filter(|flag| flag.seq == message.seq).map(FlagView::from).collect(),
    };
    conversation.messages.iter().map(view).collect()
}

/// An operator's mark on a reply.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FlagView {
    /// The reply.
    seq: u64,
    /// Who flagged it.
    operator: String,
    /// What was wrong.
    reason: Option<String>,
    /// In their words.
    note: String,
    /// RFC 3339.
    at: String,
}

impl From<&Flag> for FlagView {
    fn from(flag: &Flag) -> Self {
        Self {
            seq: flag.seq.0,
            operator: flag.operator.as_str().to_owned(),
            reason: flag.reason.map(word),
            note: flag.note.clone(),
            at: flag.at.rfc3339(),
        }
    }
}

/// What operators write for each other.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct NoteView {
    /// Its id.
    note_id: String,
    /// The newest message when it was written.
    seq: u64,
    /// Who wrote it.
    operator: String,
    /// What.
    text: String,
    /// RFC 3339.
    at: String,
}

impl From<&Note> for NoteView {
    fn from(note: &Note) -> Self {
        Self {
            note_id: note.note_id.to_string(),
            seq: note.seq.0,
            operator: note.operator.as_str().to_owned(),
            text: note.text.clone(),
            at: note.at.rfc3339(),
        }
    }
}

/// What was written: a write's answer carries no text.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Written {
    /// The number of the message, or of the message that a note or flag stands by.
    pub(super) seq: u64,
}

/// A state of a case, as a query names it.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum StateQuery {
    /// Not resolved.
    Unresolved,
    /// Nobody has taken it.
    Open,
    /// Somebody has.
    Taken,
    /// It was resolved, and is not any more.
    Reopened,
    /// Done.
    Resolved,
}

impl StateQuery {
    /// The one state that is asked for, if it is one.
    pub(super) fn one(self) -> Option<CaseState> {
        match self {
            Self::Unresolved => None,
            Self::Open => Some(CaseState::Open),
            Self::Taken => Some(CaseState::Taken),
            Self::Reopened => Some(CaseState::Reopened),
            Self::Resolved => Some(CaseState::Resolved),
        }
    }
}

/// The words for priorities.
pub(super) fn priorities() -> Object {
    words(Priority::ALL.map(Priority::code))
}

/// The words for what was wrong with a reply.
pub(super) fn reasons() -> Object {
    words(FlagReason::ALL.map(FlagReason::code))
}

fn words<const N: usize>(words: [&'static str; N]) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build()
}
