//! Memory banks: the embedded one, in the table.

mod embedded;

pub use embedded::Embedded;
