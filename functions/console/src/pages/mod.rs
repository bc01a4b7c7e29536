//! The pages, rendered on the server; they can be read and answered without a script.

pub mod conversation;
pub mod customer;
pub mod flags;
pub mod health;
pub mod identities;
pub mod inbox;
mod layout;
pub mod message;
pub mod moves;
pub mod notes;
mod parts;
mod side;
pub mod trace;

pub(crate) use identities::{JOIN, may_link};
pub(crate) use parts::sentence;
