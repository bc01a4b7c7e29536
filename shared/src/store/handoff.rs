//! The hand-over between bot and people: each move is one conditional write of thread and case together
//! (*silent-means-silent*).

use super::cases::{unresolved, waits_again};
use super::contacts::no_longer_waiting;
use super::expression::Expression;
use super::listing::{List, unlisted};
use super::transaction::{Part, Transaction, Written};
use super::{Store, StoreError, keys};
use crate::case::{Case, CaseState};
use crate::contact::Account;
use crate::job::Delivery;
use crate::operator::Operator;
use crate::thread::{Author, Channel, Head, Message, Mode, Parts, Seq};
use crate::time::Timestamp;
use ulid::Ulid;

/// Who moves a thread, and when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// The operator.
    pub operator: &'a Operator,
    /// When.
    pub at: Timestamp,
}

/// What an operator writes to a customer.
#[derive(Debug, Clone)]
pub struct OperatorText<'a> {
    /// The text.
    pub text: &'a str,
    /// The way it goes.
    pub channel: Channel,
    /// The account that it goes from.
    pub account: Account,
    /// Characters that a prompt shows of it.
    pub message_chars: usize,
    /// Under which name it is written once and not again, if at all.
    pub once: Option<&'a Delivery>,
}

impl Store {
    /// An operator takes the thread, and its open case with it; `false` if it moved on since `head` was read.
    pub async fn take_over(&self, head: &Head, by: By<'_>) -> Result<bool, StoreError> {
        let change = handed_over(head)
            .set("mode", Mode::Human)
            .set("settled_seq", head.last_seq)
            .set("taken_by", by.operator);
        let taken = waiting(moved(CaseState::Taken, by).set("assignee", by.operator), head);
        let taken = head.open_case.map(|case| (case, taken));
        self.move_thread(head, asked(with_a_person(change, head, by), head), taken).await
    }

    /// An operator writes; the bot is silent from then on. `None` if the thread moved on since `head` was read.
    pub async fn operator_message(
        &self,
        head: &Head,
        said: &OperatorText<'_>,
        by: By<'_>,
    ) -> Result<Option<Message>, StoreError> {
        let parts = Parts::of(said.text, said.message_chars);
        let message = operator_message(head, said, &parts, by);
        let change = handed_over(head)
            .set("mode", Mode::Human)
            .set("last_seq", message.seq)
            .set("settled_seq", message.seq)
            .set_if_absent("taken_by", by.operator);
        let mut transaction =
            self.on_head(head, with_a_person(change, head, by).remove("asked_since_millis"));
        if let Some(case_id) = head.open_case {
            let taken = if head.taken_by.is_none() { moved(CaseState::Taken, by) } else { unresolved() };
            let answered = taken.set_if_absent("assignee", by.operator).remove("waiting_since_millis");
            transaction =
                transaction.update(self, Part::Case, &keys::case(head.contact_id, case_id), answered);
        }
        let transaction = match said.once {
            Some(once) => self.with_delivery(transaction, head.contact_id, &message, &parts.bodies, once)?,
            None => self.with_message(transaction, head.contact_id, &message, &parts.bodies)?,
        };
        Ok(matches!(transaction.write(self).await?, Written::Done).then_some(message))
    }

    /// Hands the thread back to the bot, resolving the open case or not. What people were asked is settled for
    /// good. `false` if the thread moved on since `head` was read: a new message came.
    pub async fn hand_back(&self, head: &Head, resolve: bool, by: By<'_>) -> Result<bool, StoreError> {
        let mut change = handed_over(head)
            .if_equal("last_customer_seq", head.last_customer_seq)
            .set("mode", Mode::Bot)
            .set("settled_seq", head.last_seq)
            .remove("asked_since_millis")
            .remove("taken_by");
        if resolve {
            change = change.remove("open_case");
        }
        // The bot has the thread, so nobody has the case.
        let left = || moved(CaseState::Open, by).remove("assignee").remove("waiting_since_millis");
        let case = head.open_case.map(|case| (case, if resolve { resolution(head, by) } else { left() }));
        self.move_thread(head, List::Bot.put(no_longer_waiting(change), head.contact_id, by.at), case).await
    }

    /// Resolves the open case and leaves the thread to whom it is with; `false` if it moved on since `head` was
    /// read.
    pub async fn resolve_case(&self, head: &Head, by: By<'_>) -> Result<bool, StoreError> {
        let Some(case_id) = head.open_case else { return Ok(false) };
        let change = Expression::new()
            .if_equal("open_case", case_id)
            .if_equal("mode", head.mode)
            .if_equal("last_customer_seq", head.last_customer_seq)
            .if_still("taken_by", head.taken_by.as_ref())
            .if_absent("erasing")
            .remove("open_case");
        let change = match head.mode {
            Mode::Human => List::Person.put(change, head.contact_id, by.at),
            Mode::Bot => change,
        };
        self.move_thread(head, change, Some((case_id, resolution(head, by)))).await
    }

    /// Opens a resolved case again, for this operator; `false` if the thread moved on since `head` was read, or has
    /// another open case.
    pub async fn reopen(&self, head: &Head, case: &Case, by: By<'_>) -> Result<bool, StoreError> {
        if head.open_case.is_some() {
            return Ok(false);
        }
        let change = handed_over(head)
            .set("mode", Mode::Human)
            .set("settled_seq", head.last_seq)
            .set("open_case", case.case_id)
            .set("taken_by", by.operator);
        let reopened = Expression::new()
            .if_present("resolved_at_millis")
            .remove("resolved_at_millis")
            .remove("resolved_seq");
        let reopened = step(reopened, CaseState::Reopened, by).set("assignee", by.operator);
        let reopened = waiting(reopened, head);
        let reopened = List::Unresolved.put(reopened, head.contact_id, case.opened_at);
        self.move_thread(head, unlisted(no_longer_waiting(change)), Some((case.case_id, reopened))).await
    }

    /// Gives the open case to an operator, or to nobody; `false` if the thread moved on since `head` was read.
    pub async fn assign(&self, head: &Head, to: Option<&Operator>, by: By<'_>) -> Result<bool, StoreError> {
        let Some(case_id) = head.open_case else { return Ok(false) };
        let mine = Expression::new()
            .if_equal("open_case", case_id)
            .if_still("taken_by", head.taken_by.as_ref())
            .if_equal("mode", head.mode)
            .if_absent("erasing");
        let (change, assigned) = match (to, head.mode) {
            (Some(to), Mode::Human) => (mine.set("taken_by", to), moved(CaseState::Taken, by)),
            // The bot has the thread; whoever takes that takes the case.
            (Some(_), Mode::Bot) => (mine, unresolved()),
            (None, _) => (mine.remove("taken_by"), moved(CaseState::Open, by)),
        };
        let assigned = match to {
            Some(to) => assigned.set("assignee", to),
            None => waits_again(assigned, by.at),
        };
        self.move_thread(head, change, Some((case_id, assigned))).await
    }

    /// Thread and case move together, or not at all.
    async fn move_thread(
        &self,
        head: &Head,
        change: Expression,
        case: Option<(Ulid, Expression)>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.on_head(head, change);
        if let Some((case_id, change)) = case {
            transaction = transaction.update(self, Part::Case, &keys::case(head.contact_id, case_id), change);
        }
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    fn on_head(&self, head: &Head, change: Expression) -> Transaction {
        Transaction::new(self.clock().ulid()).update(self, Part::Head, &keys::head(head.contact_id), change)
    }
}

/// The epoch rises, the lease ends, and the thread is as it was read.
fn handed_over(head: &Head) -> Expression {
    Expression::new()
        .if_equal("epoch", head.epoch)
        .if_equal("last_seq", head.last_seq)
        .if_equal("mode", head.mode)
        .if_still("open_case", head.open_case)
        .if_still("taken_by", head.taken_by.as_ref())
        .if_absent("erasing")
        .set("epoch", head.epoch + 1)
        .set("turn_tries", 0)
        .remove("turn_owner")
        .remove("turn_until_millis")
}

/// The thread is a person's. Where there is a case, that is what is listed; a thread that a person has had without one
/// stays where it is.
fn with_a_person(change: Expression, head: &Head, by: By<'_>) -> Expression {
    let change = no_longer_waiting(change);
    match (head.open_case, head.mode) {
        (Some(_), _) => unlisted(change),
        (None, Mode::Bot) => List::Person.put(change, head.contact_id, by.at),
        (None, Mode::Human) => change,
    }
}

/// What waited for the bot waits for whoever took the thread without a case.
fn asked(change: Expression, head: &Head) -> Expression {
    match head.waiting_since.filter(|_| head.has_unsettled() && head.open_case.is_none()) {
        Some(since) => change.set_if_absent("asked_since_millis", since),
        None => change,
    }
}

/// What waited for the bot waits for a person from now on.
fn waiting(change: Expression, head: &Head) -> Expression {
    match head.waiting_since.filter(|_| head.has_unsettled()) {
        Some(since) => change.set_if_absent("waiting_since_millis", since),
        None => change,
    }
}

/// An unresolved case moves.
fn moved(to: CaseState, by: By<'_>) -> Expression {
    step(unresolved(), to, by)
}

fn step(change: Expression, to: CaseState, by: By<'_>) -> Expression {
    change.set("state_of_case", to).set("moved_by", by.operator).set("moved_at_millis", by.at)
}

fn resolution(head: &Head, by: By<'_>) -> Expression {
    let resolved = moved(CaseState::Resolved, by)
        .set("resolved_at_millis", by.at)
        .set("resolved_seq", head.last_seq)
        .remove("waiting_since_millis");
    List::Resolved.put(resolved, head.contact_id, by.at)
}

fn operator_message(head: &Head, said: &OperatorText<'_>, parts: &Parts, by: By<'_>) -> Message {
    let seq: Seq = head.last_seq.next();
    Message {
        epoch: head.epoch + 1,
        operator: Some(by.operator.clone()),
        ..Message::new(seq, Author::Operator, said.channel, said.account.clone(), parts, by.at)
    }
}
