//! Past tickets: where the index of past cases is kept, how it is built, and how a turn finds cases in it.

mod bucket;
mod build;
mod find;
mod shelf;

pub use bucket::{Bucket, BucketError};
pub use build::{BuildError, Built, build, forget, import};
pub use find::PastTickets;
pub use shelf::{Shelf, ShelfError};

use crate::similar::Similar;
use crate::traits::SimilarCases;
use futures::future::BoxFuture;

/// No past tickets, and none to come: for tests of other things.
#[derive(Debug, Clone, Copy)]
pub struct NoTickets;

impl SimilarCases for NoTickets {
    fn find<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Similar> {
        Box::pin(async { Similar::Nothing })
    }
}
