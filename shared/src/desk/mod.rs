//! The operators' desk: what needs a person, what happened, and what may be said.

mod brief;
mod conversation;
mod customer;
mod flagged;
mod flags;
mod inbox;
mod memories;
mod notes;

pub use brief::{Brief, TraceRef, Tried, brief, brief_beside, why};
pub use conversation::{Conversation, conversation};
pub use customer::{Customer, Edit, customer, edit_record, erase, is_ours, join, link, open_record, unlink};
pub use flagged::{FlagsAsked, flagged};
pub use flags::{NewFlag, flag, unflag};
pub use inbox::{Asked, Counts, Inbox, Row, Tab, counts, inbox};
pub use memories::{forget_memory, memories};
pub use notes::{Notes, notes};

use crate::contact::{ContactId, Identity};
use crate::rules;
use crate::store::{Store, StoreError};

/// Who a contact is, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// Their name, where a profile says one.
    pub name: Option<String>,
    /// How they write to us; a few of them in a list.
    pub identities: Vec<Identity>,
}

impl Who {
    /// What they are called: name, else identity, else nothing better than this.
    pub fn title(&self) -> &str {
        let identity = || self.identities.first().map(Identity::as_str);
        self.name.as_deref().or_else(identity).unwrap_or("a customer without an identity")
    }
}

/// Identities that are read to show who somebody is.
const IDENTITIES: usize = 10;
/// Profiles that are read for a name.
const PROFILES: usize = 5;

async fn who(store: &Store, contact: ContactId) -> Result<Who, StoreError> {
    let (identities, profiles) =
        futures::join!(store.first_identities(contact, IDENTITIES), store.profiles(contact, PROFILES));
    // Without records there is no name, and everything else all the same.
    Ok(Who { name: profiles.ok().and_then(|profiles| rules::name_of(&profiles)), identities: identities? })
}
