//! The brief: what an operator reads first.

use super::Conversation;
use crate::case::{Case, Category};
use crate::contact::ContactId;
use crate::handoff::Context;
use crate::prompt;
use crate::similar::SimilarCase;
use crate::snapshot::Snapshot;
use crate::store::{StoreError, TraceKey};
use crate::thread::Seq;
use crate::trace::{Attempt, Outcome, Trace};
use ulid::Ulid;

/// Why the bot stopped and where things stand.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The case.
    pub case: Case,
    /// Why the bot stopped, in a sentence.
    pub why: String,
    /// Where things stand, as of the snapshot that there is now; `None` where it cannot be read.
    pub snapshot: Option<Snapshot>,
    /// What the bot tried before it stopped, in order.
    pub tried: Vec<Tried>,
    /// The records that it had, as its prompt showed them; empty where it had none, or the trace is gone.
    pub facts: String,
    /// Past cases that resemble the question.
    pub similar: Vec<SimilarCase>,
    /// The trace of the decision: exactly what it was made from. It is kept for 30 days.
    pub trace: Option<TraceRef>,
}

/// Names a trace of the contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRef {
    /// The newest customer message that the decision has read.
    pub seq: Seq,
    /// Which.
    pub id: Ulid,
}

/// A draft that the bot made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The model; empty where none answered.
    pub model: String,
    /// Why it was not sent, in a word; `None` where it led to the case itself.
    pub fault: Option<String>,
}

impl From<Attempt> for Tried {
    fn from(attempt: Attempt) -> Self {
        Self { model: attempt.model, fault: attempt.fault }
    }
}

/// The brief of a case; `None` if the contact has no such case.
///
/// It is made from what is known now: whatever moves the snapshot moves the brief.
///
/// # Errors
/// The table cannot be read.
pub async fn brief(ctx: &Context, contact: ContactId, case_id: Ulid) -> Result<Option<Brief>, StoreError> {
    let Some(case) = ctx.store.case(contact, case_id).await? else { return Ok(None) };
    let (snapshot, decided) = futures::join!(ctx.store.snapshot(contact), decided(ctx, &case));
    Ok(Some(brief_of(case, snapshot.ok().flatten(), decided)))
}

/// The same beside a conversation: what that has read is not read again.
///
/// # Errors
/// The table cannot be read.
pub async fn brief_beside(
    ctx: &Context,
    conversation: &Conversation,
    case_id: Ulid,
) -> Result<Option<Brief>, StoreError> {
    match conversation.cases.iter().find(|case| case.case_id == case_id) {
        Some(case) => {
            let decided = decided(ctx, case).await;
            Ok(Some(brief_of(case.clone(), conversation.snapshot.clone(), decided)))
        }
        None => brief(ctx, conversation.head.contact_id, case_id).await,
    }
}

fn brief_of(case: Case, snapshot: Option<Snapshot>, (made_from, outcome): Decided) -> Brief {
    let context = made_from.map(|trace| trace.context).unwrap_or_default();
    Brief {
        why: why(case.category, case.topic.as_deref()),
        snapshot,
        tried: outcome
            .map(|outcome| outcome.attempts)
            .unwrap_or_default()
            .into_iter()
            .map(Tried::from)
            .collect(),
        facts: prompt::facts_in(&context.user).to_owned(),
        similar: context.similar_cases,
        trace: trace_of(&case),
        case,
    }
}

fn trace_of(case: &Case) -> Option<TraceRef> {
    let id = Ulid::from_string(case.trace.as_deref()?).ok()?;
    Some(TraceRef { seq: case.about_seq, id })
}

/// What a decision was made from, and what became of it.
type Decided = (Option<Trace>, Option<Outcome>);

/// Neither where they cannot be read: a brief says less then.
async fn decided(ctx: &Context, case: &Case) -> Decided {
    let Some(TraceRef { seq, id }) = trace_of(case) else { return (None, None) };
    let key = TraceKey { contact: case.contact_id, seq, id };
    ctx.store.decided(key, ctx.clock.now()).await.unwrap_or_default()
}

/// Why the bot stopped, in a sentence for people.
pub fn why(category: Category, topic: Option<&str>) -> String {
    let sentence = match category {
        Category::CustomerRequest => "The customer asked for a person",
        Category::MissingKnowledge => "The bot does not know the answer",
        Category::PolicyRestriction => "A rule of the agent says that people answer this",
        Category::UnsupportedRequest => "The bot cannot do what is asked",
        Category::UpsetCustomer => "The customer is upset",
        Category::UngroundedReply => "The bot's drafts said what no record backs",
        Category::FalsePromise => "The bot's drafts promised what nothing backs",
        Category::ModelUnavailable => "No model answered, and the rules cannot answer this",
        Category::UnreadableMessage => "The message cannot be read",
    };
    match topic {
        Some(topic) => format!("{sentence}: {topic}."),
        None => format!("{sentence}."),
    }
}
