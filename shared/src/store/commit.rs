//! Commits: one reply, or one case with its notice, on exactly the state that was read
//! (*one-reply*, *silent-means-silent*).

use super::contacts::{found, no_longer_waiting};
use super::expression::Expression;
use super::listing::{List, unlisted};
use super::transaction::{Part, Transaction, Written};
use super::{Item, ROUNDS, Store, StoreError, from_item, keys, to_item};
use crate::case::{Case, CaseState, Category, Priority};
use crate::contact::Account;
use crate::facts::Fact;
use crate::thread::{Author, BotKind, Channel, Head, Message, Mode, Parts, Seq};
use crate::time::Timestamp;
use std::collections::BTreeSet;
use ulid::Ulid;

/// A reply on its way into the log.
#[derive(Debug, Clone)]
pub struct NewReply {
    /// The text.
    pub text: String,
    /// The way it goes.
    pub channel: Channel,
    /// The account that it goes from.
    pub account: Account,
    /// The first customer message that it answers.
    pub answers_from: Seq,
    /// The newest customer message that it has read.
    pub in_reply_to: Seq,
    /// The newest message that it has read; settled moves there.
    pub read_to: Seq,
    /// The agent.
    pub agent: String,
    /// The agent's version.
    pub version: u32,
    /// The trace of the decision.
    pub trace: Ulid,
    /// The turn.
    pub owner: Ulid,
    /// Calls of the reply model that it took.
    pub calls: u32,
    /// A request that makes what it promises honest.
    pub opens: Option<NewRequest>,
    /// Commits although newer messages came.
    pub burst: bool,
    /// When.
    pub at: Timestamp,
}

/// A request that a reply opens in its own commit.
#[derive(Debug, Clone)]
pub struct NewRequest {
    /// The record.
    pub fact: Fact,
    /// Facts that the contact may have.
    pub facts_items: usize,
}

/// A case on its way into the table.
#[derive(Debug, Clone)]
pub struct NewCase {
    /// Its id, if it does not join one.
    pub case_id: Ulid,
    /// Why the bot stopped.
    pub category: Category,
    /// Why, in a sentence.
    pub reason: String,
    /// The agent's topic, if a rule stopped the bot.
    pub topic: Option<String>,
    /// How soon it wants a person, if it does not join one.
    pub priority: Priority,
    /// The team that it is for.
    pub team: Option<String>,
    /// What the customer is told, if anything.
    pub notice: Option<String>,
    /// The reply that it stands in for: channel, numbers, trace. Its text is not used.
    pub reply: NewReply,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// The reply, or the notice, is in the log.
    Done {
        /// The bot's message; an escalation that joins a case has none, nor has one of a silent agent.
        message: Option<Box<Message>>,
        /// The case, if one was opened or joined.
        case: Option<Ulid>,
        /// Whether it was opened.
        opened: bool,
    },
    /// A newer message came: its turn answers, or has answered.
    Superseded,
    /// A person has taken over, the contact has opted out, or another turn has answered: nothing is said.
    Silenced,
    /// Only the epoch moved, and the bot may speak: start again.
    Again,
    /// The contact is being erased, or is gone.
    Gone,
}

impl Store {
    /// Commits a reply, if everything is still as it was read.
    pub async fn commit_reply(&self, read: &Head, reply: &NewReply) -> Result<Committed, StoreError> {
        let mut head = read.clone();
        for _ in 0..ROUNDS {
            let message = Message {
                opened_request: reply.opens.as_ref().map(|request| request.fact.id.clone()),
                ..bot_message(&head, reply, &reply.text, BotKind::Reply)
            };
            let mut transaction = Transaction::new(self.clock().ulid())
                .update(self, Part::Head, &keys::head(head.contact_id), reply_update(read, &head, reply))
                .create(
                    self,
                    Part::Message,
                    &keys::message(head.contact_id, message.seq),
                    to_item(&message, "message")?,
                );
            if let Some(request) = &reply.opens {
                transaction = self.opening(transaction, head.contact_id, request)?;
            }
            let lost = match transaction.write(self).await? {
                Written::Done => return Ok(done(Some(message), None, false)),
                Written::Lost(lost) => lost,
            };
            if lost.iter().all(|lost| lost.part == Part::Count) {
                // No room for the request any more: what was promised has to be judged again.
                return Ok(Committed::Again);
            }
            let Some(now) = current(found(&lost, Part::Head))? else { return Ok(Committed::Gone) };
            if let Some(outcome) = why_not_reply(read, &now, reply) {
                return Ok(outcome);
            }
            head = now;
        }
        Err(StoreError::Contended)
    }

    /// Opens a case, or joins the one that is open, and puts the thread into human mode.
    ///
    /// Newer messages do not stop it: an escalation is not lost to a later "thanks".
    pub async fn escalate(&self, read: &Head, new: &NewCase) -> Result<Committed, StoreError> {
        let mut head = read.clone();
        for _ in 0..ROUNDS {
            let (transaction, message, case_id) = self.escalation(&head, new)?;
            let lost = match transaction.write(self).await? {
                Written::Done => return Ok(done(message, Some(case_id), head.open_case.is_none())),
                Written::Lost(lost) => lost,
            };
            let now = match found(&lost, Part::Head) {
                Some(item) => current(Some(item))?,
                None => self.head(head.contact_id).await?,
            };
            let Some(now) = now.filter(|now| !now.erasing) else { return Ok(Committed::Gone) };
            if now.mode == Mode::Human {
                return Ok(Committed::Silenced);
            }
            if now.epoch != read.epoch {
                return Ok(Committed::Again);
            }
            let joined_is_gone = lost.iter().any(|lost| lost.part == Part::Case);
            head = if joined_is_gone { Head { open_case: None, ..now } } else { now };
        }
        Err(StoreError::Contended)
    }

    fn escalation(
        &self,
        head: &Head,
        new: &NewCase,
    ) -> Result<(Transaction, Option<Message>, Ulid), StoreError> {
        let contact = head.contact_id;
        let joins = head.open_case;
        let notice = new.notice.as_deref().filter(|_| joins.is_none());
        let message = notice.map(|text| bot_message(head, &new.reply, text, BotKind::Notice));
        let case_id = joins.unwrap_or(new.case_id);
        let change = escalation_update(head, new, case_id, message.as_ref());
        let mut transaction =
            Transaction::new(self.clock().ulid()).update(self, Part::Head, &keys::head(contact), change);
        transaction = match joins {
            Some(id) => transaction.update(self, Part::Case, &keys::case(contact, id), join(new)),
            None => {
                let item = case_item(head, new)?;
                transaction.create(self, Part::Case, &keys::case(contact, case_id), item)
            }
        };
        if let Some(message) = &message {
            let key = keys::message(contact, message.seq);
            transaction = transaction.create(self, Part::Message, &key, to_item(message, "message")?);
        }
        Ok((transaction, message, case_id))
    }

    /// Settles what a silent turn silenced; `false` if the thread moved on meanwhile.
    pub async fn settle(&self, head: &Head) -> Result<bool, StoreError> {
        let change = Expression::new()
            .if_equal("epoch", head.epoch)
            .if_equal("last_seq", head.last_seq)
            .if_equal("settled_seq", head.settled_seq)
            .set("settled_seq", head.last_seq)
            .set("turn_tries", 0);
        let change = List::Bot.put(no_longer_waiting(change), head.contact_id, self.clock().now());
        let transaction = Transaction::new(self.clock().ulid()).update(
            self,
            Part::Head,
            &keys::head(head.contact_id),
            change,
        );
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }
}

fn done(message: Option<Message>, case: Option<Ulid>, opened: bool) -> Committed {
    Committed::Done { message: message.map(Box::new), case, opened }
}

pub(crate) fn current(item: Option<&Item>) -> Result<Option<Head>, StoreError> {
    let head: Option<Head> = item.map(|item| from_item(item.clone(), "head")).transpose()?;
    Ok(head.filter(|head| !head.erasing))
}

fn bot_message(head: &Head, reply: &NewReply, text: &str, kind: BotKind) -> Message {
    // Whole: `reply_chars` bounds it, and what a prompt shows of it is cut when it is shown.
    let parts = Parts::whole(text);
    let (channel, account) = (reply.channel, reply.account.clone());
    Message {
        kind: Some(kind),
        answers_from: Some(reply.answers_from),
        in_reply_to: Some(reply.in_reply_to),
        epoch: head.epoch,
        agent: (kind == BotKind::Reply).then(|| reply.agent.clone()),
        version: (kind == BotKind::Reply).then_some(reply.version),
        trace: Some(reply.trace.to_string()),
        ..Message::new(head.last_seq.next(), Author::Bot, channel, account, &parts, reply.at)
    }
}

/// `read` is what the reply was written from, `head` the newest state known, on whose number it goes.
fn reply_update(read: &Head, head: &Head, reply: &NewReply) -> Expression {
    let mut change = Expression::new()
        .if_equal("epoch", read.epoch)
        .if_equal("last_seq", head.last_seq)
        .if_equal("settled_seq", read.settled_seq)
        .if_equal("mode", Mode::Bot)
        .if_not_in("opted_out", &reply.account)
        .if_absent("erasing")
        .set("last_seq", head.last_seq.next())
        .set("settled_seq", reply.read_to)
        .set("turn_tries", 0);
    if !reply.burst {
        change = change.if_equal("last_customer_seq", read.last_customer_seq);
    }
    if head.turn_owner == Some(reply.owner) {
        change = change.remove("turn_owner").remove("turn_until_millis");
    }
    change = counted(change, head, reply);
    if head.last_customer_seq > read.last_customer_seq {
        List::Waiting.put(change.set("waiting_since_millis", reply.at), head.contact_id, reply.at)
    } else {
        List::Bot.put(no_longer_waiting(change), head.contact_id, reply.at)
    }
}

/// Why a reply that was written from `read` may not go where the head is `now`; `None` if only the number moved.
fn why_not_reply(read: &Head, now: &Head, reply: &NewReply) -> Option<Committed> {
    if now.mode == Mode::Human || now.opted_out.contains(&reply.account) {
        return Some(Committed::Silenced);
    }
    if now.epoch != read.epoch {
        return Some(Committed::Again);
    }
    if now.settled_seq != read.settled_seq {
        // Another turn has answered, perhaps without having read the newest message.
        return Some(match now.last_customer_seq {
            newest if newest > now.settled_seq => Committed::Again,
            newest if newest > read.last_customer_seq => Committed::Superseded,
            _ => Committed::Silenced,
        });
    }
    (now.last_customer_seq != read.last_customer_seq && !reply.burst).then_some(Committed::Superseded)
}

fn escalation_update(head: &Head, new: &NewCase, case_id: Ulid, notice: Option<&Message>) -> Expression {
    let last = notice.map_or(head.last_seq, |notice| notice.seq);
    let change = Expression::new()
        .if_equal("epoch", head.epoch)
        .if_equal("last_seq", head.last_seq)
        .if_equal("mode", Mode::Bot)
        .if_absent("erasing")
        .set("last_seq", last)
        .set("settled_seq", last)
        .set("mode", Mode::Human)
        .set("open_case", case_id)
        .set("turn_tries", 0)
        .remove("turn_owner")
        .remove("turn_until_millis");
    unlisted(no_longer_waiting(counted(change, head, &new.reply)))
}

/// Counts the calls of the reply model in the commit that they led to.
fn counted(change: Expression, head: &Head, reply: &NewReply) -> Expression {
    match reply.calls {
        0 => change,
        calls if head.calls_hour == reply.at.hour() => change.add("calls", calls),
        calls => change.set("calls_hour", reply.at.hour()).set("calls", calls),
    }
}

fn join(new: &NewCase) -> Expression {
    let joined = super::cases::unresolved()
        .set("about_seq", new.reply.in_reply_to)
        // The bot had the thread, so nobody has the case.
        .set("state_of_case", CaseState::Open)
        .set("category", new.category)
        .set("reason", &new.reason)
        .set("trace", new.reply.trace)
        .set_if_absent("waiting_since_millis", new.reply.at)
        .set("follow_up_due", true)
        .add("joined", 1);
    let joined = super::cases::waits_again(joined, new.reply.at);
    let joined = match &new.topic {
        Some(topic) => joined.set("topic", topic),
        None => joined.remove("topic"),
    };
    match &new.team {
        Some(team) => joined.set("team", team),
        None => joined.remove("team"),
    }
}

fn case_item(head: &Head, new: &NewCase) -> Result<Item, StoreError> {
    let case = Case {
        case_id: new.case_id,
        contact_id: head.contact_id,
        state_of_case: CaseState::Open,
        category: new.category,
        reason: new.reason.clone(),
        topic: new.topic.clone(),
        about_seq: new.reply.in_reply_to,
        trace: Some(new.reply.trace.to_string()),
        opened_at: new.reply.at,
        silent: new.notice.is_none(),
        follow_up_due: new.notice.is_none(),
        joined: 0,
        waiting_since: Some(new.reply.at),
        assignee: None,
        priority: new.priority,
        team: new.team.clone(),
        round_at: None,
        notified_step: None,
        missed: 0,
        tags: BTreeSet::new(),
        moved_by: None,
        moved_at: None,
        resolved_at: None,
        resolved_seq: None,
        labelled: 0,
        labelled_by: None,
    };
    let mut item = to_item(&case, "case")?;
    item.extend(List::Unresolved.attributes(case.contact_id, case.opened_at));
    Ok(item)
}
