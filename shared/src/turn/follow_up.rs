//! What follows a commit: jobs, events, the trace's outcome and the tally, in parallel and bounded. Their failure never
//! fails the reply; a later copy of the turn's job sends jobs and events again unless the message says `followed_up`.

use super::Context;
use crate::case::{Case, Category};
use crate::contact::ContactId;
use crate::job::{FoldJob, FoldReason, NotificationJob, Notify, Retained, RetentionJob};
use crate::store::{StoreError, TraceKey};
use crate::tally::Tally;
use crate::thread::{BotKind, Message, Seq};
use crate::time::Timestamp;
use crate::trace::{Outcome, Trace};
use crate::traits::{Event, SendError};
use std::time::Duration;
use ulid::Ulid;

/// What all of it may take together.
const TIME: Duration = Duration::from_millis(200);
/// The same where nobody waits for an answer.
const RESUME_TIME: Duration = Duration::from_secs(5);

/// What was committed.
pub(super) struct Done<'a> {
    /// The trace of the decision.
    pub(super) trace: TraceKey,
    /// The bot's message, if it said something.
    pub(super) message: Option<&'a Message>,
    /// The case, if one waits now.
    pub(super) waits: Option<Waiting>,
    /// What became of the decision.
    pub(super) outcome: &'a Outcome,
    /// What is counted of it.
    pub(super) tally: &'a Tally,
}

/// A case that waits for somebody from now on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) case_id: Ulid,
    pub(super) category: Category,
    /// Since when its teams are told anew; none where it was opened.
    pub(super) round_at: Option<Timestamp>,
}

impl Waiting {
    fn again(case: &Case) -> Self {
        Self { case_id: case.case_id, category: case.category, round_at: case.round_at }
    }
}

/// Sends what follows a commit; with it the trace, where that was not written while the model thought.
pub(super) async fn send(ctx: &Context, done: &Done<'_>, unwritten: Option<&Trace>) {
    let Done { trace, message, waits, outcome, tally } = *done;
    let beat = async {
        if outcome.case_id.is_some() {
            ctx.store.beat().await;
        }
    };
    let jobs = async {
        let (sent, written, (), ()) = futures::join!(
            jobs(ctx, trace.contact, trace.seq, message, waits),
            put_traces(ctx, trace, outcome, unwritten),
            beat,
            ctx.store.count(tally)
        );
        if let Err(error) = written {
            tracing::warn!(contact = %trace.contact, %error, "the outcome of a trace was not written");
        }
        if let Err(error) = sent {
            tracing::warn!(contact = %trace.contact, %error, "what follows a commit was not sent");
        }
    };
    if tokio::time::timeout(TIME, jobs).await.is_err() {
        tracing::warn!(contact = %trace.contact, "what follows a commit took too long");
    }
}

async fn put_traces(
    ctx: &Context,
    key: TraceKey,
    outcome: &Outcome,
    unwritten: Option<&Trace>,
) -> Result<(), StoreError> {
    let now = ctx.clock.now();
    let put_trace = async {
        match unwritten {
            Some(trace) => ctx.store.put_trace(key, trace, now).await,
            None => Ok(()),
        }
    };
    futures::try_join!(put_trace, ctx.store.put_outcome(key, outcome, now)).map(|_| ())
}

/// Sends again what follows a bot's message, or the case of an escalation without one, unless it says that all of it
/// was sent; `false` where it has to be sent once more.
///
/// # Errors
/// Message or cases cannot be read.
pub async fn resume(ctx: &Context, contact: ContactId, seq: Seq) -> Result<bool, StoreError> {
    let message = ctx.store.reply_to(contact, seq, ctx.limits.reply_search).await?;
    if message.as_ref().is_some_and(|message| message.followed_up) {
        return Ok(true);
    }
    let is_its = |case: &Case| match &message {
        Some(message) => case.trace == message.trace,
        None => case.follow_up_due && case.about_seq >= seq,
    };
    let case = ctx.store.cases(contact).await?.into_iter().find(is_its);
    if message.is_none() && case.is_none() {
        return Ok(true);
    }
    let waits = case.as_ref().map(Waiting::again);
    let sent = tokio::time::timeout(RESUME_TIME, jobs(ctx, contact, seq, message.as_ref(), waits)).await;
    match &sent {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%contact, %error, "what follows a commit was not sent again"),
        Err(_) => tracing::warn!(%contact, "sending again what follows a commit took too long"),
    }
    Ok(matches!(sent, Ok(Ok(()))))
}

/// An escalation that joined a case has no message of its own, nor has one of a silent agent.
async fn jobs(
    ctx: &Context,
    contact: ContactId,
    answered: Seq,
    message: Option<&Message>,
    waits: Option<Waiting>,
) -> Result<(), SendError> {
    let why = match message.map(|message| message.kind) {
        None | Some(Some(BotKind::Notice)) => FoldReason::Escalation,
        Some(_) => FoldReason::Reply,
    };
    let up_to = message.map_or(answered, |message| message.seq);
    let job = FoldJob { contact_id: contact, up_to, why };
    let opened = waits.filter(|case| case.round_at.is_none());
    let case_opened = opened.map(|Waiting { case_id, category, .. }| Event::CaseOpened {
        contact_id: contact,
        case_id,
        category,
    });
    let event = case_opened.or_else(|| request_opened(contact, message?));
    let publish = async {
        match &event {
            Some(event) => ctx.events.publish(event).await,
            None => Ok(()),
        }
    };
    // Whichever fails, the others go out.
    let (fold, retention, event, notified) = futures::join!(
        ctx.queue.send_fold(&job),
        retain(ctx, contact, message),
        publish,
        notify(ctx, contact, waits)
    );
    fold.and(retention).and(event).and(notified)?;
    let marked = match (message, waits) {
        (Some(message), _) => ctx.store.mark_followed_up(contact, message.seq).await,
        (None, Some(case)) => ctx.store.mark_case_followed_up(contact, case.case_id).await,
        (None, None) => Ok(()),
    };
    if let Err(error) = marked {
        tracing::warn!(%contact, %error, "what follows a commit was not marked as sent");
    }
    Ok(())
}

/// A reply is worth remembering; of an escalation, what became of its case is, once that is known.
async fn retain(ctx: &Context, contact_id: ContactId, message: Option<&Message>) -> Result<(), SendError> {
    match message {
        Some(message) if message.kind == Some(BotKind::Reply) => {
            let what = Retained::Reply { seq: message.seq };
            ctx.queue.send_retention(&RetentionJob { contact_id, what }).await
        }
        _ => Ok(()),
    }
}

/// The team of a case that waits is told, and somebody watches whether it is taken in time.
async fn notify(ctx: &Context, contact_id: ContactId, waits: Option<Waiting>) -> Result<(), SendError> {
    let routed = waits.and_then(|case| Some((case, ctx.routing.route(case.category)?)));
    let Some((Waiting { case_id, round_at, .. }, route)) = routed else { return Ok(()) };
    let job = |what| NotificationJob { contact_id, case_id, round_at, step: 0, what };
    let (tell, watch) = (job(Notify::Tell), job(Notify::Watch));
    let watched = async {
        match route.take {
            Some(take) => ctx.queue.send_notification(&watch, take).await,
            None => Ok(()),
        }
    };
    let (told, watched) = futures::join!(ctx.queue.send_notification(&tell, Duration::ZERO), watched);
    told.and(watched)
}

/// What a reply promised, and that somebody has to do now.
fn request_opened(contact: ContactId, message: &Message) -> Option<Event> {
    let request = message.opened_request.clone()?;
    Some(Event::RequestOpened { contact_id: contact, request })
}
