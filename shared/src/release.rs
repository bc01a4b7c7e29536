//! Releasing a resolved case: it joins the past cases with the next build of their index.

use crate::contact::ContactId;
use crate::facts::wrote;
use crate::limits::Limits;
use crate::similar::{Wording, WordingFault, names_of};
use crate::store::{Store, StoreError};
use crate::thread::{Author, Seq};
use ulid::Ulid;

/// What became of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    /// It joins the next build, in these words: the operator's, with placeholders for values and names.
    Done(Wording),
    /// The contact has no such case.
    NoSuchCase,
    /// The case is open or taken.
    NotResolved,
    /// The wording is not taken.
    Refused(WordingFault),
    /// The contact is being erased.
    Gone,
}

/// Releases a resolved case in an operator's words, without anything of the contact in them (*isolation*). Again in
/// other words replaces them.
///
/// # Errors
/// The table cannot be read or written.
pub async fn release(
    store: &Store,
    limits: &Limits,
    contact: ContactId,
    case_id: Ulid,
    wording: &Wording,
) -> Result<Released, StoreError> {
    let Some(case) = store.case(contact, case_id).await? else { return Ok(Released::NoSuchCase) };
    if case.is_unresolved() {
        return Ok(Released::NotResolved);
    }
    let (mut said, facts, feedback) = futures::try_join!(
        said(store, limits, contact),
        store.facts(contact, limits),
        store.feedback_of(contact, limits.unsettled_messages)
    )?;
    said.extend(facts.iter().flat_map(|fact| wrote::texts(&fact.data)));
    said.extend(feedback.into_iter().map(|feedback| feedback.text));
    if let Err(fault) = wording.check(&said, limits) {
        return Ok(Released::Refused(fault));
    }
    let identities = store.identities(contact).await?;
    let names = names_of(&identities, &facts);
    let wording = wording.impersonal(&names);
    let released = store.release_case(contact, case_id, &wording).await?;
    Ok(if released { Released::Done(wording) } else { Released::Gone })
}

/// The customer's messages, as far back as a turn looks.
async fn said(store: &Store, limits: &Limits, contact: ContactId) -> Result<Vec<String>, StoreError> {
    let Some(head) = store.head(contact).await? else { return Ok(vec![]) };
    let from =
        Seq(head.last_seq.next().0.saturating_sub(limits.unsettled_messages as u64)).max(head.first_seq);
    let messages = store.messages(contact, from, head.last_seq, limits.unsettled_messages).await?;
    let customers = messages.iter().filter(|message| message.author == Author::Customer);
    Ok(customers.map(|message| message.shown(limits.message_chars).into_owned()).collect())
}
