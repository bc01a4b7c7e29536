//! A table of tests that tells every wrong row, not only the first.

use std::fmt::Debug;

#[derive(Default)]
pub(super) struct Table(Vec<String>);

impl Table {
    pub(super) fn row<T: PartialEq + Debug>(&mut self, asked: &str, is: T, should_be: T) {
        if is != should_be {
            self.0.push(format!("{asked}\n  is        {is:?}\n  should be {should_be:?}"));
        }
    }

    /// Fails if any row was wrong.
    #[track_caller]
    pub(super) fn end(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}
