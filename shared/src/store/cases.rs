//! Cases: reading them, and what is written beside them.

use super::expression::Expression;
use super::{Range, Span, Store, StoreError, from_item, keys};
use crate::case::{Case, Labels};
use crate::contact::ContactId;
use crate::job::NotificationJob;
use crate::operator::Operator;
use crate::time::Timestamp;
use ulid::Ulid;

/// Cases of one contact that a turn looks at, newest first.
const CASES_READ: usize = 10;

impl Store {
    /// The contact's newest cases.
    pub async fn cases(&self, contact: ContactId) -> Result<Vec<Case>, StoreError> {
        let range = Range {
            pk: &keys::contact(contact),
            span: Span::Prefix(keys::CASE_PREFIX.into()),
            oldest_first: false,
            limit: CASES_READ,
            start: None,
        };
        self.all(range).await?.into_iter().map(|item| from_item(item, "case")).collect()
    }

    /// One case.
    pub async fn case(&self, contact: ContactId, case_id: Ulid) -> Result<Option<Case>, StoreError> {
        self.get(&keys::case(contact, case_id), "case").await
    }

    /// Remembers that what follows the opening of a case was sent.
    pub async fn mark_case_followed_up(&self, contact: ContactId, case_id: Ulid) -> Result<(), StoreError> {
        let change = Expression::new().if_present("pk").remove("follow_up_due");
        self.update(&keys::case(contact, case_id), change).await.map(|_| ())
    }

    /// Remembers that the team of a job was told of a case; `false` if there is no such case, its teams are told anew,
    /// or it was known.
    pub async fn mark_notified(&self, job: NotificationJob) -> Result<bool, StoreError> {
        let change =
            in_round(job).if_absent_or_less("notified_step", job.step).set("notified_step", job.step);
        Ok(self.update(&keys::case(job.contact_id, job.case_id), change).await?.is_some())
    }

    /// Remembers that the team of a job let its time pass, and whose the case is now; `false` as above.
    pub async fn mark_missed(&self, job: NotificationJob, team: Option<&str>) -> Result<bool, StoreError> {
        let missed = job.step + 1;
        let change = in_round(job).if_absent_or_less("missed", missed).set("missed", missed);
        let change = match team {
            Some(team) => change.set("team", team),
            None => change,
        };
        Ok(self.update(&keys::case(job.contact_id, job.case_id), change).await?.is_some())
    }

    /// Sets how soon a case wants a person, and its tags; `false` if they were set since it was read.
    pub async fn label_case(
        &self,
        case: &Case,
        labels: &Labels,
        operator: &Operator,
    ) -> Result<bool, StoreError> {
        let times = case.labelled + 1;
        let change = Expression::new()
            .if_present("pk")
            .if_absent_or_less("labelled", times)
            .set("priority", labels.priority)
            .set("tags", &labels.tags)
            .set("labelled", times)
            .set("labelled_by", operator);
        Ok(self.update(&keys::case(case.contact_id, case.case_id), change).await?.is_some())
    }
}

fn in_round(job: NotificationJob) -> Expression {
    Expression::new().if_present("pk").if_still("round_at_millis", job.round_at)
}

/// Nobody has the case any more: from the first to the last, its teams are told anew.
pub(crate) fn waits_again(change: Expression, at: Timestamp) -> Expression {
    change.remove("assignee").set("round_at_millis", at).set("missed", 0).remove("notified_step")
}

/// The case is there and not resolved.
pub(crate) fn unresolved() -> Expression {
    Expression::new().if_present("pk").if_absent("resolved_at_millis")
}
