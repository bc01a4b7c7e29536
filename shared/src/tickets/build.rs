//! Building the index: from imported tickets, and from resolved cases that operators released.

use super::shelf::{Shelf, ShelfError};
use crate::contact::ContactId;
use crate::hash;
use crate::limits::Limits;
use crate::similar::{Index, Ordinary, Packed, PastCase, Ticket, Unreadable, Wording};
use crate::store::{IndexPointer, ReleasedCase, StoreError};

/// How often a build starts over because another one came first.
const ROUNDS: usize = 5;

/// Why no index was built; the old one stays.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// It could not be read or put.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// The old one cannot be read.
    #[error("the index that is there cannot be read: import all tickets again, in its place")]
    Unreadable(#[from] Unreadable),
    /// Too many cases.
    #[error("there are {cases} tickets; at most {most} are taken")]
    TooMany {
        /// How many there are.
        cases: usize,
        /// How many there may be.
        most: usize,
    },
    /// Others build all the time.
    #[error("other imports came first, again and again: try later")]
    Overtaken,
}

impl From<StoreError> for BuildError {
    fn from(error: StoreError) -> Self {
        Self::Shelf(error.into())
    }
}

/// What a build has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The index that is used now.
    pub index: IndexPointer,
    /// How many of its cases were released.
    pub released: usize,
    /// Whether anything changed.
    pub changed: bool,
}

/// Takes tickets into the index, with what has been released since. A ticket replaces the one with its id; the same
/// tickets again are the same index. In place of all tickets that were imported before, if `afresh`.
///
/// # Errors
/// Nothing has changed then.
pub async fn import(
    shelf: &Shelf,
    tickets: &[Ticket],
    afresh: bool,
    limits: &Limits,
    mut progress: impl FnMut(usize),
) -> Result<Built, BuildError> {
    let texts = tickets.iter().flat_map(|ticket| [&ticket.subject, &ticket.body, &ticket.answer]);
    let texts = texts.map(String::as_str);
    let ordinary = Ordinary::of(texts);
    let mut cases = vec![];
    for ticket in tickets {
        cases.push(PastCase::of_ticket(ticket, &ordinary));
        progress(cases.len());
    }
    rebuild(shelf, &cases, afresh, limits).await
}

/// Builds the index again: the tickets that are in it, and what is released now.
///
/// # Errors
/// Nothing has changed then.
pub async fn build(shelf: &Shelf, limits: &Limits) -> Result<Built, BuildError> {
    rebuild(shelf, &[], false, limits).await
}

/// Removes what was released of a contact's cases, from the index as well (*erasable*). `None` where nothing was.
///
/// # Errors
/// Run it again: until the index is built without them, they are known as withdrawn.
pub async fn forget(shelf: &Shelf, contact: ContactId, limits: &Limits) -> Result<Option<Built>, BuildError> {
    if shelf.store.withdraw_released(contact).await? == 0 {
        return Ok(None);
    }
    let built = build(shelf, limits).await?;
    shelf.store.remove_released(contact).await?;
    Ok(Some(built))
}

async fn rebuild(
    shelf: &Shelf,
    imported: &[PastCase],
    afresh: bool,
    limits: &Limits,
) -> Result<Built, BuildError> {
    for _ in 0..ROUNDS {
        let pointer = shelf.pointer().await?;
        let mut cases = match &pointer {
            Some(pointer) if !afresh => tickets_of(shelf, pointer).await?,
            _ => vec![],
        };
        cases.extend_from_slice(imported);
        // Read after the pointer: a build that knows less than another one comes too late for it.
        let released = shelf.store.released_cases(limits.tickets).await?;
        cases.extend(released.iter().map(past_case));
        let packed = Packed::of(cases);
        if packed.cases > limits.tickets {
            return Err(BuildError::TooMany { cases: packed.cases, most: limits.tickets });
        }
        let (index, changed) = match pointer {
            Some(stands) if stands.digest == hash::hex_of(&packed.bytes) => (Some(stands), false),
            pointer => (shelf.put(pointer.as_ref(), &packed).await?, true),
        };
        if let Some(index) = index {
            return Ok(Built { index, released: released.len(), changed });
        }
    }
    Err(BuildError::Overtaken)
}

/// The imported tickets of an index.
async fn tickets_of(shelf: &Shelf, pointer: &IndexPointer) -> Result<Vec<PastCase>, BuildError> {
    let index = Index::read(&shelf.read(pointer).await?)?;
    Ok(index.cases()?.into_iter().filter(|case| !case.is_released()).collect())
}

fn past_case(released: &ReleasedCase) -> PastCase {
    let ReleasedCase { case_id, problem, solution, .. } = released.clone();
    PastCase::of_release(case_id, Wording { problem, solution })
}
