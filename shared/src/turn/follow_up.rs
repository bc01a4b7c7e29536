//! What follows a commit: jobs, events, the trace's outcome and the tally, in parallel and bounded. Their failure never
//! fails the reply; a later copy of the turn's job sends jobs and events again unless the message says `followed_up`.

use super::Context;
use crate::case::{Case, Category};
use crate::contact::ContactId;
use crate::job::{FoldJob, FoldReason, NotificationJob, Notify, Retained, RetentionJob};
use crate::store::{StoreError, TraceKey};
use crate::tally::Tally;
use crate::thread::{BotKind, Message, Seq};
use crate::trace::{Outcome, Trace};
use crate::traits::{Event, SendError};
use std::time::Duration;
use ulid::Ulid;

/// What all of it may take together.
const TIME: Duration = Duration::from_millis(200);

/// What was committed.
pub(super) struct Done<'a> {
    /// The trace of the decision.
    pub(super) trace: TraceKey,
    /// The bot's message, if it said something.
    pub(super) message: Option<&'a Message>,
    /// The case, if one was opened.
    pub(super) opened: Option<Ulid>,
    /// What became of the decision.
    pub(super) outcome: &'a Outcome,
    /// What is counted of it.
    pub(super) tally: &'a Tally,
}

/// Sends what follows a commit; with it the trace, where that was not written while the model thought.
pub(super) async fn send(ctx: &Context, done: &Done<'_>, unwritten: Option<&Trace>) {
    let Done { trace, message, opened, outcome, tally } = *done;
    let opened = opened.zip(outcome.category.as_deref().and_then(Category::from_code));
    let beat = async {
        if outcome.case_id.is_some() {
            ctx.store.beat().await;
        }
    };
    let jobs = async {
        let (sent, written, (), ()) = futures::join!(
            jobs(ctx, trace.contact, trace.seq, message, opened),
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

/// Sends again what follows a bot's message, or the case of a silent agent, unless it says that all of it was sent.
///
/// # Errors
/// Message or cases cannot be read.
pub async fn resume(ctx: &Context, contact: ContactId, seq: Seq) -> Result<(), StoreError> {
    let message = ctx.store.reply_to(contact, seq, ctx.limits.reply_search).await?;
    if message.as_ref().is_some_and(|message| message.followed_up) {
        return Ok(());
    }
    let is_its = |case: &Case| match &message {
        Some(message) => case.trace == message.trace,
        None => case.follow_up_due && case.about_seq >= seq,
    };
    let case = ctx.store.cases(contact).await?.into_iter().find(is_its);
    if message.is_none() && case.is_none() {
        return Ok(());
    }
    let opened = case.map(|case| (case.case_id, case.category));
    if let Err(error) = jobs(ctx, contact, seq, message.as_ref(), opened).await {
        tracing::warn!(%contact, %error, "what follows a commit was not sent again");
    }
    Ok(())
}

/// An escalation that joined a case has no message of its own, nor has one of a silent agent.
async fn jobs(
    ctx: &Context,
    contact: ContactId,
    answered: Seq,
    message: Option<&Message>,
    opened: Option<(Ulid, Category)>,
) -> Result<(), SendError> {
    let why = match message.map(|message| message.kind) {
        None | Some(Some(BotKind::Notice)) => FoldReason::Escalation,
        Some(_) => FoldReason::Reply,
    };
    let up_to = message.map_or(answered, |message| message.seq);
    let job = FoldJob { contact_id: contact, up_to, why };
    let case_opened =
        opened.map(|(case_id, category)| Event::CaseOpened { contact_id: contact, case_id, category });
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
        notify(ctx, contact, opened)
    );
    fold.and(retention).and(event).and(notified)?;
    let marked = match (message, opened) {
        (Some(message), _) => ctx.store.mark_followed_up(contact, message.seq).await,
        (None, Some((case_id, _))) => ctx.store.mark_case_followed_up(contact, case_id).await,
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

/// The team of a new case is told, and somebody watches whether it is taken in time.
async fn notify(
    ctx: &Context,
    contact_id: ContactId,
    opened: Option<(Ulid, Category)>,
) -> Result<(), SendError> {
    let route = opened.and_then(|(case_id, category)| Some((case_id, ctx.routing.route(category)?)));
    let Some((case_id, route)) = route else { return Ok(()) };
    let job = |what| NotificationJob { contact_id, case_id, step: 0, what };
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
