//! Cases: reading them, and what is written beside them.

use super::expression::Expression;
use super::{Range, Span, Store, StoreError, from_item, keys};
use crate::case::{Case, Priority};
use crate::contact::ContactId;
use std::collections::BTreeSet;
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

    /// Remembers that a team was told of a case; `false` if there is no such case, or it was known.
    pub async fn mark_notified(
        &self,
        contact: ContactId,
        case_id: Ulid,
        step: u32,
    ) -> Result<bool, StoreError> {
        let change = Expression::new().if_present("pk").if_absent_or_less("notified_step", step);
        let change = change.set("notified_step", step);
        Ok(self.update(&keys::case(contact, case_id), change).await?.is_some())
    }

    /// Remembers that so many teams let their time pass, and whose the case is now; `false` if there is no such
    /// case, or it was known.
    pub async fn mark_missed(
        &self,
        contact: ContactId,
        case_id: Ulid,
        missed: u32,
        team: Option<&str>,
    ) -> Result<bool, StoreError> {
        let change = Expression::new().if_present("pk").if_absent_or_less("missed", missed);
        let change = change.set("missed", missed);
        let change = match team {
            Some(team) => change.set("team", team),
            None => change,
        };
        Ok(self.update(&keys::case(contact, case_id), change).await?.is_some())
    }

    /// Sets how soon a case wants a person, and its tags; `false` if there is no such case.
    pub async fn label_case(
        &self,
        contact: ContactId,
        case_id: Ulid,
        priority: Priority,
        tags: &BTreeSet<String>,
    ) -> Result<bool, StoreError> {
        let change = Expression::new().if_present("pk").set("priority", priority).set("tags", tags);
        Ok(self.update(&keys::case(contact, case_id), change).await?.is_some())
    }
}

/// The case is there and not resolved.
pub(crate) fn unresolved() -> Expression {
    Expression::new().if_present("pk").if_absent("resolved_at_millis")
}
