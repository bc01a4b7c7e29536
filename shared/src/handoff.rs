//! Hand-off: people take threads over from the bot, answer in them and give them back.
//!
//! Every move reads the thread, writes it on exactly the state that was read, and looks again where another was
//! faster: a lost race is looked at again, and an operator is told what became of theirs.

use crate::case::Labels;
use crate::contact::{Account, ContactId};
use crate::facts::FactError;
use crate::hash;
use crate::job::{Delivery, NotificationJob, Notify, Retained, RetentionJob};
use crate::limits::Limits;
use crate::operator::Operator;
use crate::store::{By, NoteWrite, OperatorText, Store, StoreError};
use crate::text;
use crate::thread::{Channel, Head, Message, Mode, Note, Seq};
use crate::time::Timestamp;
use crate::traits::{Clock, Queue};
use std::sync::Arc;
use std::time::Duration;
use ulid::Ulid;

/// What every move needs; built once, at start.
#[derive(Clone)]
pub struct Context {
    /// The table.
    pub store: Store,
    /// The queues.
    pub queue: Arc<dyn Queue>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
}

/// What an operator's page showed of a thread when they made a move: whatever moved since stops it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// The newest message that asks for something.
    pub seen: Option<Seq>,
    /// The thread's epoch: it rises with every move of an operator.
    pub epoch: Option<u64>,
}

impl From<Option<Seq>> for Shown {
    fn from(seen: Option<Seq>) -> Self {
        Self { seen, epoch: None }
    }
}

impl Shown {
    /// Whether the thread is still as it was shown.
    fn check(self, head: &Head, operator: &Operator) -> Result<(), Refused> {
        if self.epoch.is_some_and(|epoch| head.epoch != epoch) {
            let other = head.taken_by.clone().filter(|by| by != operator);
            return Err(other.map_or(Refused::Moved, |by| Refused::AlreadyTaken { by }));
        }
        let is_newer = self.seen.is_some_and(|seen| head.last_customer_seq > seen);
        if is_newer { Err(Refused::NewMessage) } else { Ok(()) }
    }
}

/// Why an operator's move was not made. The texts are for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Another operator has the thread.
    #[error("already taken by {by}")]
    AlreadyTaken {
        /// Who.
        by: Operator,
    },
    /// The customer wrote since the operator looked.
    #[error("a new message came: read it first")]
    NewMessage,
    /// Somebody moved the thread since the operator looked.
    #[error("this conversation has moved on: look again")]
    Moved,
    /// Another set priority and tags since the operator looked.
    #[error("priority and tags were changed meanwhile by {by}: look again")]
    Labelled {
        /// Who.
        by: Operator,
    },
    /// The bot answers already.
    #[error("the bot answers this thread already")]
    WithTheBot,
    /// The case is resolved.
    #[error("this case is resolved already")]
    AlreadyResolved,
    /// The case is not resolved.
    #[error("this case is not resolved")]
    NotResolved,
    /// The contact has another case that is not resolved.
    #[error("another case of this customer is open")]
    AnotherCase,
    /// The contact has no such case.
    #[error("there is no such case")]
    NoSuchCase,
    /// The text is empty or too long.
    #[error("text must have 1 to {limit} characters; it has {is}")]
    Text {
        /// What it may have.
        limit: usize,
        /// What it has.
        is: usize,
    },
    /// The note of a flag is too long.
    #[error("note must have at most {limit} characters; it has {is}")]
    Note {
        /// What it may have.
        limit: usize,
        /// What it has.
        is: usize,
    },
    /// What makes a message one of its kind was used for another customer.
    #[error("this key was used for another customer")]
    UsedElsewhere,
    /// A message was written under this key, in other words.
    #[error("a reply was sent from this page already, in other words: send it again if you mean both")]
    UsedForOtherWords,
    /// The thread has no such message.
    #[error("there is no such message")]
    NoSuchMessage,
    /// The message is none that the bot replied with.
    #[error("only a reply of the bot can be flagged")]
    NotAReply,
    /// The customer has no such record.
    #[error("there is no such record")]
    NoSuchRecord,
    /// An account system's record: it is changed there.
    #[error("this record is {system}'s: change it there")]
    NotOurs {
        /// Which system's.
        system: String,
    },
    /// A field of a record is empty or too long.
    #[error("{field} must have 1 to {limit} characters; it has {is}")]
    Field {
        /// Which.
        field: &'static str,
        /// What it may have.
        limit: usize,
        /// What it has.
        is: usize,
    },
    /// A record that cannot be taken.
    #[error(transparent)]
    Record(#[from] FactError),
    /// A newer record came meanwhile.
    #[error("a newer record came: look again")]
    RecordMoved,
    /// The customer has as many records as they may have.
    #[error("a customer has at most {limit} records")]
    TooManyRecords {
        /// How many.
        limit: usize,
    },
    /// The identity is another customer's, who has a thread of their own.
    #[error("this identity is another customer's: an admin can join the two")]
    IdentityTaken,
    /// The contact was joined into another: the conversation goes on there.
    #[error("this customer was joined with another: go on there")]
    Joined {
        /// Which.
        into: ContactId,
    },
    /// The contact that is to be joined into this one has something in hand.
    #[error(
        "the other conversation has something in hand: answer it, resolve its case and hand it back first"
    )]
    OtherIsBusy {
        /// Which.
        other: ContactId,
    },
    /// A contact can be joined with so many others, of so many identities.
    #[error("at most {limit} customers can be joined into one, each known by at most 30 identities")]
    TooManyJoined {
        /// How many.
        limit: usize,
    },
    /// Nobody but an admin does this.
    #[error("only an admin can {what}")]
    AdminsOnly {
        /// What.
        what: &'static str,
    },
    /// The identity is not this customer's.
    #[error("this identity is not this customer's")]
    NotTheirs,
    /// Nobody is known by the identity.
    #[error("nobody is known by this identity: link it")]
    NobodyHasIt,
    /// The customer is known by nothing else.
    #[error("a customer keeps at least one identity")]
    LastIdentity,
    /// The contact is gone, or being erased.
    #[error("this customer is gone")]
    Gone,
}

/// Why a move failed.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// It may not be made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The table.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How often a thread is read again because others were faster.
const ROUNDS: usize = 50;
/// Sending a job may take this long; the operator does not wait for a queue that hangs.
const SEND_TIME: Duration = Duration::from_secs(2);

/// Takes a thread over, with its open case or without one; the bot is silent from then on
/// (*silent-means-silent*). Again by the same operator changes nothing.
///
/// # Errors
/// Another operator has it, the contact is gone, or the table cannot be read or written.
pub async fn take_over(ctx: &Context, contact: ContactId, operator: &Operator) -> Result<(), MoveError> {
    for _ in 0..ROUNDS {
        let head = head(ctx, contact).await?;
        match &head.taken_by {
            Some(by) if by == operator => return Ok(()),
            Some(by) => return Err(Refused::AlreadyTaken { by: by.clone() }.into()),
            None if ctx.store.take_over(&head, by(ctx, operator)).await? => return moved(ctx).await,
            None => {}
        }
    }
    Err(StoreError::Contended.into())
}

/// Writes to the customer, on the way on which they wrote last; the bot is silent from then on, and the thread is
/// the operator's if it was nobody's. What was written under the same `once` before is not written again
/// (*once-in*).
///
/// # Errors
/// The text is empty or longer than `admit_chars`, the contact is gone, or the table cannot be read or written.
pub async fn say(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    text: &str,
    once: Option<&Delivery>,
) -> Result<Message, MoveError> {
    check_text(text, ctx.limits.admit_chars)?;
    for _ in 0..ROUNDS {
        let head = head(ctx, contact).await?;
        if let Some(written) = written(ctx, contact, once).await? {
            let same = ctx.store.whole_text(contact, &written).await? == text;
            return if same { Ok(written) } else { Err(Refused::UsedForOtherWords.into()) };
        }
        let (channel, account) = way_back(ctx, &head).await?;
        let said = OperatorText { text, channel, account, message_chars: ctx.limits.message_chars, once };
        if let Some(message) = ctx.store.operator_message(&head, &said, by(ctx, operator)).await? {
            futures::join!(remember(ctx, contact, Retained::Reply { seq: message.seq }), ctx.store.beat());
            return Ok(message);
        }
    }
    Err(StoreError::Contended.into())
}

/// The message that was written under `once`, if one was.
async fn written(
    ctx: &Context,
    contact: ContactId,
    once: Option<&Delivery>,
) -> Result<Option<Message>, MoveError> {
    let Some(once) = once else { return Ok(None) };
    match ctx.store.seen(once, ctx.clock.now()).await? {
        Some(seen) if seen.contact_id == contact => Ok(ctx.store.message(contact, seen.seq).await?),
        Some(_) => Err(Refused::UsedElsewhere.into()),
        None => Ok(None),
    }
}

/// Writes a note for the other operators. It changes nothing else. What was written under the same `once` before is not
/// written again (*once-in*).
///
/// # Errors
/// The text is empty or longer than `note_chars`, the contact is gone, or the table cannot be read or written.
pub async fn note(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    text: &str,
    once: Option<&Delivery>,
) -> Result<Note, MoveError> {
    check_text(text, ctx.limits.note_chars)?;
    let head = head(ctx, contact).await?;
    let note = Note {
        note_id: once.map_or_else(|| ctx.clock.ulid(), |once| written_once("note", once)),
        seq: head.last_seq,
        operator: operator.clone(),
        text: text.into(),
        at: ctx.clock.now(),
    };
    match ctx.store.put_note(contact, &note, once).await? {
        NoteWrite::Done => Ok(note),
        NoteWrite::There(seq) => Ok(Note { seq, ..note }),
        NoteWrite::Gone => Err(Refused::Gone.into()),
    }
}

/// The id of what is written once under a name.
pub(crate) fn written_once(what: &str, once: &Delivery) -> Ulid {
    let hash = hash::of(&format!("{what} {} {}", once.scope, once.id));
    Ulid::from_bytes(std::array::from_fn(|n| hash[n]))
}

/// Hands a thread back to the bot, resolving its open case or not, and says which case that is. The bot waits for the
/// next customer message; what people were asked is settled for good. `shown` is what the operator's page showed.
///
/// # Errors
/// A newer message came, the bot has the thread already, the contact is gone, or the table cannot be read or written.
pub async fn hand_back(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    resolve: bool,
    shown: impl Into<Shown>,
) -> Result<Option<Ulid>, MoveError> {
    let shown = shown.into();
    for _ in 0..ROUNDS {
        let head = head(ctx, contact).await?;
        if head.mode == Mode::Bot {
            // The thread is where it goes; what the bot was asked meanwhile it still answers.
            let case_id = head.open_case.filter(|_| resolve).ok_or(Refused::WithTheBot)?;
            self::resolve(ctx, contact, operator, case_id, shown).await?;
            return Ok(Some(case_id));
        }
        shown.check(&head, operator)?;
        if ctx.store.hand_back(&head, resolve, by(ctx, operator)).await? {
            futures::join!(remember_case(ctx, contact, head.open_case.filter(|_| resolve)), ctx.store.beat());
            return Ok(head.open_case);
        }
    }
    Err(StoreError::Contended.into())
}

/// Resolves a case and leaves the thread to whom it is with; one that nobody has goes back to the bot, so that whoever
/// writes next is heard. `shown` is what the operator's page showed.
///
/// # Errors
/// A newer message came, it is resolved already, there is no such case, the contact is gone, or the table cannot be read or written.
pub async fn resolve(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    case_id: Ulid,
    shown: impl Into<Shown>,
) -> Result<(), MoveError> {
    let shown = shown.into();
    for _ in 0..ROUNDS {
        let head = head_of_unresolved(ctx, contact, case_id).await?;
        shown.check(&head, operator)?;
        let moved = match head.mode {
            _ if head.open_case != Some(case_id) => false,
            Mode::Human if head.taken_by.is_none() => {
                ctx.store.hand_back(&head, true, by(ctx, operator)).await?
            }
            _ => ctx.store.resolve_case(&head, by(ctx, operator)).await?,
        };
        if moved {
            futures::join!(remember_case(ctx, contact, Some(case_id)), ctx.store.beat());
            return Ok(());
        }
    }
    Err(StoreError::Contended.into())
}

/// Opens a resolved case again and takes its thread.
///
/// # Errors
/// It is not resolved, another case is open, another operator has the thread, there is no such case, the contact is
/// gone, or the table cannot be read or written.
pub async fn reopen(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    case_id: Ulid,
) -> Result<(), MoveError> {
    for _ in 0..ROUNDS {
        let head = head(ctx, contact).await?;
        let case = ctx.store.case(contact, case_id).await?.ok_or(Refused::NoSuchCase)?;
        match &head.taken_by {
            _ if case.is_unresolved() => return Err(Refused::NotResolved.into()),
            _ if head.open_case.is_some() => return Err(Refused::AnotherCase.into()),
            Some(by) if by != operator => return Err(Refused::AlreadyTaken { by: by.clone() }.into()),
            _ if ctx.store.reopen(&head, &case, by(ctx, operator)).await? => return moved(ctx).await,
            _ => {}
        }
    }
    Err(StoreError::Contended.into())
}

/// Gives the open case to an operator, or to nobody; whoever had it knows that it was given away.
///
/// # Errors
/// It is resolved, there is no such case, the contact is gone, or the table cannot be read or written.
pub async fn assign(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    case_id: Ulid,
    to: Option<&Operator>,
) -> Result<(), MoveError> {
    for _ in 0..ROUNDS {
        let head = head_of_unresolved(ctx, contact, case_id).await?;
        let by = by(ctx, operator);
        if head.open_case == Some(case_id) && ctx.store.assign(&head, to, by).await? {
            if to.is_none() && head.mode == Mode::Human {
                tell_anew(ctx, contact, case_id, by.at).await;
            }
            return moved(ctx).await;
        }
    }
    Err(StoreError::Contended.into())
}

/// Sets how soon a case wants a person, and its tags. `shown` is how often that was done when the operator looked.
///
/// # Errors
/// Another did it since, there is no such case, or the table cannot be read or written.
pub async fn label(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    case_id: Ulid,
    labels: &Labels,
    shown: Option<u32>,
) -> Result<(), MoveError> {
    for _ in 0..ROUNDS {
        let case = ctx.store.case(contact, case_id).await?.ok_or(Refused::NoSuchCase)?;
        if case.labels() == *labels {
            return Ok(());
        }
        if shown.is_some_and(|shown| shown != case.labelled) {
            return Err(case.labelled_by.map_or(Refused::Moved, |by| Refused::Labelled { by }).into());
        }
        if ctx.store.label_case(&case, labels, operator).await? {
            return moved(ctx).await;
        }
    }
    Err(StoreError::Contended.into())
}

/// The teams of a case are told that it waits again. The notifier knows how long each has.
async fn tell_anew(ctx: &Context, contact_id: ContactId, case_id: Ulid, at: Timestamp) {
    let job = |what| NotificationJob { contact_id, case_id, round_at: Some(at), step: 0, what };
    let (tell, watch) = (job(Notify::Tell), job(Notify::Watch));
    let sent = futures::future::try_join(
        ctx.queue.send_notification(&tell, Duration::ZERO),
        ctx.queue.send_notification(&watch, Duration::ZERO),
    );
    match tokio::time::timeout(SEND_TIME, sent).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(contact = %contact_id, case = %case_id, %error, "no team was told"),
        Err(_) => tracing::warn!(contact = %contact_id, case = %case_id, "no team was told: the queue hangs"),
    }
}

/// Open inboxes hear of it.
async fn moved(ctx: &Context) -> Result<(), MoveError> {
    ctx.store.beat().await;
    Ok(())
}

async fn head(ctx: &Context, contact: ContactId) -> Result<Head, MoveError> {
    let head = ctx.store.head(contact).await?.filter(|head| !head.erasing).ok_or(Refused::Gone)?;
    match head.joined_into {
        Some(into) => Err(Refused::Joined { into }.into()),
        None => Ok(head),
    }
}

/// The head of a contact whose case is not resolved. Where the head names another case it was read before the case
/// was opened, or resolved, and is worth another look.
async fn head_of_unresolved(ctx: &Context, contact: ContactId, case_id: Ulid) -> Result<Head, MoveError> {
    let head = head(ctx, contact).await?;
    let case = ctx.store.case(contact, case_id).await?.ok_or(Refused::NoSuchCase)?;
    if case.is_unresolved() { Ok(head) } else { Err(Refused::AlreadyResolved.into()) }
}

fn by<'a>(ctx: &Context, operator: &'a Operator) -> By<'a> {
    By { operator, at: ctx.clock.now() }
}

fn check_text(text: &str, limit: usize) -> Result<(), Refused> {
    let is = if text.trim().is_empty() { 0 } else { text::chars(text) };
    if (1..=limit).contains(&is) { Ok(()) } else { Err(Refused::Text { limit, is }) }
}

/// The channel and account of the customer's newest message; the web chat where they never wrote.
async fn way_back(ctx: &Context, head: &Head) -> Result<(Channel, Account), StoreError> {
    let newest = ctx.store.message(head.contact_id, head.last_customer_seq).await?;
    Ok(newest.map_or((Channel::Chat, Account::chat()), |message| (message.channel, message.account)))
}

async fn remember_case(ctx: &Context, contact: ContactId, resolved: Option<Ulid>) {
    if let Some(case_id) = resolved {
        remember(ctx, contact, Retained::Case { case_id }).await;
    }
}

/// What people did is worth remembering; if the job does not go out the move stands all the same.
async fn remember(ctx: &Context, contact_id: ContactId, what: Retained) {
    let job = RetentionJob { contact_id, what };
    match tokio::time::timeout(SEND_TIME, ctx.queue.send_retention(&job)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(contact = %contact_id, %error, "a move will not be remembered"),
        Err(_) => tracing::warn!(contact = %contact_id, "a move will not be remembered: the queue hangs"),
    }
}
