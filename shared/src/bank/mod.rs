//! Memory banks: the embedded one, in the table, and Hindsight.

mod embedded;
mod hindsight;

pub use embedded::Embedded;
pub use hindsight::{Hindsight, HindsightConfig};
