//! Flagging: one click on a reply that was wrong.

use crate::contact::ContactId;
use crate::flag::{Flag, FlagReason};
use crate::handoff::{Context, MoveError, Refused};
use crate::hash;
use crate::job::{Retained, RetentionJob};
use crate::operator::Operator;
use crate::store::TraceKey;
use crate::text;
use crate::thread::{BotKind, Message, Seq};
use ulid::Ulid;

/// What an operator says of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewFlag {
    /// What was wrong, if they say so.
    pub reason: Option<FlagReason>,
    /// In their words; may be empty, at most `note_chars` characters.
    pub note: String,
}

/// Flags of one reply that are looked at.
const FLAGS: usize = 500;

/// Flags a reply; again by the same operator changes reason and note of theirs, if it says any.
///
/// # Errors
/// There is no such reply, the note is too long, the contact is gone, or the table cannot be read or written.
pub async fn flag(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    seq: Seq,
    new: NewFlag,
) -> Result<Flag, MoveError> {
    let (limit, is) = (ctx.limits.note_chars, text::chars(&new.note));
    if is > limit {
        return Err(Refused::Note { limit, is }.into());
    }
    let reply = reply(ctx, contact, seq).await?;
    if new == NewFlag::default()
        && let Some(own) = own(ctx, contact, operator, seq).await?
    {
        return Ok(own);
    }
    let flag = Flag {
        flag_id: flag_id(operator, seq),
        seq,
        operator: operator.clone(),
        reason: new.reason,
        note: new.note.trim().to_owned(),
        agent: reply.agent.clone(),
        version: reply.version,
        at: ctx.clock.now(),
        withdrawn_at: None,
    };
    if !ctx.store.raise_flag(contact, &flag, &ctx.limits).await? {
        return Err(Refused::Gone.into());
    }
    follow(ctx, contact, &reply, true).await;
    Ok(flag)
}

/// Takes the operator's flag on a reply back; without one nothing changes. When the last one is gone the reply counts
/// again, and what was retained of it comes back.
///
/// # Errors
/// There is no such reply, or the table cannot be read or written.
pub async fn unflag(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    seq: Seq,
) -> Result<(), MoveError> {
    let reply = reply(ctx, contact, seq).await?;
    let Some(own) = own(ctx, contact, operator, seq).await? else { return Ok(()) };
    let withdrawn = Flag { withdrawn_at: Some(ctx.clock.now()), ..own };
    ctx.store.withdraw_flag(contact, &withdrawn, &ctx.limits).await?;
    if self::reply(ctx, contact, seq).await?.flags == 0 {
        follow(ctx, contact, &reply, false).await;
    }
    Ok(())
}

/// The memory of it follows by a job. Should that be lost, turns leave out what was wrong all the same.
async fn follow(ctx: &Context, contact: ContactId, reply: &Message, is_wrong: bool) {
    let retain = RetentionJob { contact_id: contact, what: Retained::Reply { seq: reply.seq } };
    let trace = async {
        match TraceKey::of(contact, reply) {
            Some(key) => ctx.store.keep_trace(key, is_wrong).await,
            None => Ok(()),
        }
    };
    let (retain, trace) = futures::join!(ctx.queue.send_retention(&retain), trace);
    if let Err(error) = retain {
        tracing::warn!(%contact, seq = %reply.seq, %error, "what follows a flag was not queued");
    }
    if let Err(error) = trace {
        tracing::warn!(%contact, seq = %reply.seq, %error, "the trace of a flagged reply keeps its end");
    }
}

async fn reply(ctx: &Context, contact: ContactId, seq: Seq) -> Result<Message, MoveError> {
    let message = ctx.store.message(contact, seq).await?.ok_or(Refused::NoSuchMessage)?;
    if message.kind == Some(BotKind::Reply) { Ok(message) } else { Err(Refused::NotAReply.into()) }
}

/// Each operator has one flag on a reply.
fn flag_id(operator: &Operator, seq: Seq) -> Ulid {
    let hash = hash::of(&format!("flag {seq} {operator}"));
    Ulid::from_bytes(std::array::from_fn(|n| hash[n]))
}

async fn own(
    ctx: &Context,
    contact: ContactId,
    operator: &Operator,
    seq: Seq,
) -> Result<Option<Flag>, MoveError> {
    let flags = ctx.store.flags(contact, seq, seq, FLAGS).await?;
    Ok(flags.into_iter().find(|flag| flag.operator == *operator))
}
