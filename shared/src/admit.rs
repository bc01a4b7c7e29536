//! Admission: how a message comes in, through a door that waits for the reply, a door that does not, or the queue
//! (*one-log*, *once-in*).

use crate::contact::{Account, ContactId, Identity};
use crate::hash;
use crate::job::{Delivery, TurnJob};
use crate::store::{Admission, Admitted, NewMessage, StoreError, Ticket};
use crate::tally::{Count, Tally};
use crate::thread::{Attachment, Channel, Head, Lease, Mode, Seq};
use crate::time::Timestamp;
use crate::turn::{self, Context, End, Remembered, Said, Thread, Turn};
use std::time::Duration;

/// A message as a channel delivered it; whose it is comes from a verified token or signature (*isolation*).
#[derive(Debug, Clone)]
pub struct Incoming {
    /// Who writes.
    pub identity: Identity,
    /// The way it came.
    pub channel: Channel,
    /// The account that it came to.
    pub account: Account,
    /// The id that the sender chose for it.
    pub id: String,
    /// The text.
    pub text: String,
    /// What it carries besides.
    pub attachments: Vec<Attachment>,
    /// When it was received.
    pub at: Timestamp,
}

/// What a door that waits answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The message was new; this became of its turn.
    New {
        /// Its number.
        seq: Seq,
        /// How the turn ended.
        end: End,
    },
    /// The message had come before.
    Duplicate {
        /// The number it has.
        seq: Seq,
        /// The bot's answer to it, if there is one.
        reply: Option<Said>,
    },
    /// The contact is being erased: nothing is taken.
    Gone,
}

/// The safety net of a door that waits fires this long after the reply was due.
const NET_GRACE: Duration = Duration::from_secs(6);
/// Sending a job may take this long; the customer does not wait for a queue that hangs (*bounds*).
const SEND_TIME: Duration = Duration::from_secs(2);
/// How often a waiting door looks.
const LOOK: Duration = Duration::from_millis(200);
/// A door that waited takes up what was left only with this much time: with less the turn would end in a case for
/// want of time, while the message's job has time of its own.
const LEAST_TIME: Duration = Duration::from_secs(3);
/// How often a thread is read again because others were faster.
const ROUNDS: usize = 100;

/// Admits a message and runs its turn here.
///
/// # Errors
/// The table cannot be read or written. Where the message was admitted its job answers it later.
pub async fn answer(ctx: &Context, incoming: &Incoming) -> Result<Answer, StoreError> {
    let turn = Turn::starting(ctx, incoming.at);
    let delivery = delivery(incoming);
    let delay = ctx.limits.reply_budget() + NET_GRACE;
    let (contact, ()) = futures::join!(ctx.store.resolve(&incoming.identity), queue(ctx, &delivery, delay));
    let (thread, admission) = admit(ctx, incoming, contact?, delivery, Some(turn)).await?;
    match admission {
        Admission::Admitted(admitted) => {
            let seq = admitted.message.seq;
            let end = after_admission(ctx, turn, thread, *admitted).await?;
            Ok(Answer::New { seq, end })
        }
        Admission::Duplicate(seen) => duplicate(ctx, turn, seen.contact_id, seen.seq).await,
        Admission::Moved => Err(StoreError::Contended),
        Admission::Gone => Ok(Answer::Gone),
    }
}

/// Admits a message and leaves its turn to the queue; `None` where nothing is taken.
///
/// # Errors
/// The table cannot be read or written.
pub async fn accept(ctx: &Context, incoming: &Incoming) -> Result<Option<Seq>, StoreError> {
    let delivery = delivery(incoming);
    let delay = Duration::from_secs(ctx.limits.burst_seconds);
    let (contact, ()) = futures::join!(ctx.store.resolve(&incoming.identity), queue(ctx, &delivery, delay));
    match admit(ctx, incoming, contact?, delivery, None).await?.1 {
        Admission::Admitted(admitted) => Ok(Some(admitted.message.seq)),
        Admission::Duplicate(seen) => Ok(Some(seen.seq)),
        Admission::Moved => Err(StoreError::Contended),
        Admission::Gone => Ok(None),
    }
}

/// Names the delivery; the sender chose the id, so the scope is the identity.
fn delivery(incoming: &Incoming) -> Delivery {
    Delivery {
        account: incoming.account.as_str().to_owned(),
        scope: hash::hex(incoming.identity.as_str()),
        id: hash::hex(&incoming.id),
    }
}

/// Sends the turn's job before the admission, so that no crash loses it. If that fails, the sweep heals it.
async fn queue(ctx: &Context, delivery: &Delivery, delay: Duration) {
    let job = TurnJob::Delivered { delivery: delivery.clone() };
    match tokio::time::timeout(SEND_TIME, ctx.queue.send_turn(&job, delay)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, "a turn's job was not sent; the sweep will find the message");
        }
        Err(_) => tracing::warn!("the queue of turns hangs; the sweep will find the message"),
    }
}

/// Admits a message, again and again while others are faster. With a turn, on the number that was gathered for it:
/// the thread comes back with the admission.
async fn admit(
    ctx: &Context,
    incoming: &Incoming,
    mut contact: Option<ContactId>,
    delivery: Delivery,
    turn: Option<Turn>,
) -> Result<(Option<Thread>, Admission), StoreError> {
    let message = new_message(ctx, incoming);
    for _ in 0..ROUNDS {
        let thread = match (contact, turn) {
            (Some(contact), Some(_)) => Box::pin(turn::gather(ctx, contact, Some(&incoming.account))).await?,
            (None, Some(_)) => {
                let contact = ContactId::new(ctx.clock.ulid());
                Some(Box::pin(Thread::new(ctx, contact, &incoming.account)).await?)
            }
            (_, None) => None,
        };
        let head = match (&thread, contact) {
            (Some(thread), _) => Some(thread.head.clone()),
            (None, Some(contact)) => ctx.store.head(contact).await?,
            (None, None) => Some(Head::new(ContactId::new(ctx.clock.ulid()))),
        };
        let Some(head) = head else { return Ok((None, Admission::Gone)) };
        if head.joined_into.is_some() {
            contact = head.joined_into;
            continue;
        }
        let reads = thread.as_ref().map_or(0, |thread| thread.unsettled().len()) + 1;
        let ticket = ticket(ctx, &head, &delivery, turn.map(|turn| turn.lease(reads)));
        let admission = async {
            match contact {
                Some(_) => ctx.store.admit(&head, &message, &ticket).await,
                None => ctx.store.admit_first(head.contact_id, &incoming.identity, &message, &ticket).await,
            }
        };
        let remember = async {
            match &thread {
                Some(thread) => turn::remember(ctx, thread, Some(&incoming.text)).await,
                None => Remembered::nothing(),
            }
        };
        let (admission, remembered) = futures::join!(admission, remember);
        let admission = admission?;
        if !matches!(admission, Admission::Moved) {
            if matches!(&admission, Admission::Admitted(admitted) if admitted.head.mode == Mode::Human) {
                let silent = Tally::one(Count::Silent);
                futures::join!(ctx.store.beat(), ctx.store.count(&silent));
            }
            return Ok((thread.map(|thread| thread.remembering(remembered)), admission));
        }
        if contact.is_none() {
            contact = ctx.store.resolve(&incoming.identity).await?;
        }
    }
    Err(StoreError::Contended)
}

fn new_message(ctx: &Context, incoming: &Incoming) -> NewMessage {
    NewMessage {
        channel: incoming.channel,
        account: incoming.account.clone(),
        text: incoming.text.clone(),
        attachments: incoming.attachments.clone(),
        no_turn: false,
        at: incoming.at,
        message_chars: ctx.limits.message_chars,
    }
}

/// With the lease, if the turn runs here: a newer message takes it over at once, since the old draft can no longer
/// commit, unless the holder may commit under the burst rule.
fn ticket(ctx: &Context, head: &Head, delivery: &Delivery, lease: Option<Lease>) -> Ticket {
    let now = ctx.clock.now();
    let held = head.lease(now).is_some() && turn::may_commit_in_a_burst(head, now, &ctx.limits);
    Ticket { delivery: delivery.clone(), lease: lease.filter(|_| !held) }
}

async fn after_admission(
    ctx: &Context,
    turn: Turn,
    thread: Option<Thread>,
    admitted: Admitted,
) -> Result<End, StoreError> {
    let Admitted { head, message } = admitted;
    if head.mode == Mode::Human {
        return Ok(End::Silent);
    }
    if let Some(thread) = thread.filter(|_| head.turn_owner == Some(turn.owner)) {
        return Box::pin(turn::run(ctx, turn, thread.admitted(head, message))).await;
    }
    // The burst before this message is being answered; this one is next.
    let end = wait_or_run(ctx, turn, head.contact_id, message.seq).await?;
    Ok(end.unwrap_or(End::Superseded))
}

/// Waits for the turn that is running, or runs the one that was left; `None` if another turn answered `seq`, or
/// none did in time.
async fn wait_or_run(
    ctx: &Context,
    turn: Turn,
    contact: ContactId,
    seq: Seq,
) -> Result<Option<End>, StoreError> {
    loop {
        let Some(head) = ctx.store.head(contact).await? else { return Ok(None) };
        let now = ctx.clock.now();
        let left = turn.deadline.since(now);
        if head.settled_seq >= seq || left.is_zero() {
            return Ok(None);
        }
        if head.lease(now).is_none()
            && left >= LEAST_TIME
            && let Some(end) = Box::pin(turn::take_up(ctx, turn, contact)).await?
        {
            return Ok(Some(end));
        }
        ctx.clock.sleep(LOOK).await;
    }
}

/// A redelivery finds the running turn, or resumes the unfinished one; what it returns belongs to the same contact.
/// Of a contact that is gone or being erased it returns nothing (*erasable*).
async fn duplicate(ctx: &Context, turn: Turn, contact: ContactId, seq: Seq) -> Result<Answer, StoreError> {
    wait_or_run(ctx, turn, contact, seq).await?;
    let (head, reply) = futures::try_join!(
        ctx.store.head(contact),
        ctx.store.reply_to(contact, seq, ctx.limits.reply_search)
    )?;
    let reply = reply.filter(|_| head.is_some_and(|head| !head.erasing));
    Ok(Answer::Duplicate { seq, reply: reply.map(Said::from) })
}

/// What became of a turn's job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// Nothing waits any more.
    Done,
    /// Another turn runs, or the message is not there yet: look again after this time.
    Later(Duration),
    /// The message never came.
    Dropped,
}

/// Runs the turn that a job asks for; `receives` is how often the queue has delivered it, 1 at first.
///
/// # Errors
/// The table cannot be read or written.
pub async fn work(ctx: &Context, job: &TurnJob, receives: u32) -> Result<Worked, StoreError> {
    match job {
        TurnJob::Swept { contact_id } => work_on(ctx, *contact_id, None, receives).await,
        TurnJob::Delivered { delivery } => match ctx.store.seen(delivery, ctx.clock.now()).await? {
            Some(seen) => work_on(ctx, seen.contact_id, Some(seen.seq), receives).await,
            None => Ok(not_admitted_yet(receives)),
        },
    }
}

/// The job went out before the admission: 5 s, then 30 s, then it is dropped.
fn not_admitted_yet(receives: u32) -> Worked {
    match receives {
        0 | 1 => Worked::Later(Duration::from_secs(5)),
        2 => Worked::Later(Duration::from_secs(30)),
        _ => Worked::Dropped,
    }
}

/// A lost race is looked at again after this.
const RACE: Duration = Duration::from_secs(1);

/// What follows a commit is tried again after this; twice as long after each further failure, up to a quarter of an
/// hour.
const RESUME: Duration = Duration::from_secs(5);
const LONGEST_RESUME: Duration = Duration::from_secs(900);

async fn work_on(
    ctx: &Context,
    contact: ContactId,
    seq: Option<Seq>,
    receives: u32,
) -> Result<Worked, StoreError> {
    let Some(head) = ctx.store.head(contact).await? else { return Ok(Worked::Done) };
    let seq = seq.unwrap_or(head.last_customer_seq);
    if head.settled_seq >= seq {
        return follow_up(ctx, contact, seq, receives).await;
    }
    let now = ctx.clock.now();
    if let Some(lease) = head.lease(now)
        && (head.turn_seq >= seq || turn::may_commit_in_a_burst(&head, now, &ctx.limits))
    {
        return Ok(Worked::Later(lease.until.since(now) + RACE));
    }
    let turn = Turn::starting(ctx, now);
    match Box::pin(turn::take_up(ctx, turn, contact)).await? {
        Some(End::Replied(_) | End::Escalated(_)) => follow_up(ctx, contact, seq, receives).await,
        Some(End::Silent | End::Superseded) => Ok(Worked::Done),
        None => Ok(Worked::Later(RACE)),
    }
}

/// No other copy of the job may come: this one stays until all that follows the commit was sent.
async fn follow_up(ctx: &Context, contact: ContactId, seq: Seq, receives: u32) -> Result<Worked, StoreError> {
    if turn::resume(ctx, contact, seq).await? {
        return Ok(Worked::Done);
    }
    let doubled = 2_u32.saturating_pow(receives.saturating_sub(1));
    Ok(Worked::Later(RESUME.saturating_mul(doubled).min(LONGEST_RESUME)))
}
