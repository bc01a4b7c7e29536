//! Folding, the pure part: what the small model is asked, what of its answer may be kept, and what is done
//! without it.
//!
//! Three promises are kept here, by code and not by asking nicely: no field exceeds its limit
//! (*bounded-summary*), no value is lost without becoming a spill (*facts-survive*), and no value is stored
//! that nobody said (*nothing-invented*).

mod answer;
mod check;
mod compact;
mod language;
mod piece;
mod prompt;
mod spill;

pub use answer::{SCHEMA_NAME, Written, max_tokens, schema};
pub use check::{Fault, Judged, judge};
pub use compact::{Fallback, append, append_or_spill, spill_all, spill_oldest, without_bot};
pub use language::{language, without_language};
pub use piece::{Given, Piece, Whole};
pub use prompt::{Prompt, prompt};
pub use spill::{Spill, lost};
