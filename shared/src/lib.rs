//! Carryover's library.
