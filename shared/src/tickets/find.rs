//! Finding similar cases: the index is loaded once per process, with the first question, and again when there is a
//! newer one.

use super::shelf::{Shelf, ShelfError};
use crate::limits::Limits;
use crate::similar::{Index, Showing, Similar};
use crate::store::IndexPointer;
use crate::time::Timestamp;
use crate::traits::{Clock, SimilarCases};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often a load starts over because the index was replaced meanwhile.
const ROUNDS: usize = 3;
/// The word for what may be there again at any time; what else failed is looked at as rarely as what is well.
const UNAVAILABLE: &str = "unavailable";

/// The past tickets of a deployment.
pub struct PastTickets {
    shelf: Shelf,
    clock: Arc<dyn Clock>,
    showing: Showing,
    fresh_for: Duration,
    state: Mutex<State>,
}

/// An index in memory.
struct Loaded {
    pointer: IndexPointer,
    index: Index,
}

/// The index, none, or why it cannot be had.
type Looked = Result<Option<Arc<Loaded>>, &'static str>;

/// A look at the shelf that all wait for who ask meanwhile, and when it began.
#[derive(Clone)]
struct Looking {
    since: Timestamp,
    looked: Shared<BoxFuture<'static, Looked>>,
}

#[derive(Default)]
struct State {
    /// What was found last, and since when it is so.
    last: Option<(Timestamp, Looked)>,
    /// Somebody is looking. It goes on when whoever asked waits no longer.
    looking: Option<Looking>,
}

impl PastTickets {
    /// Over a shelf; it is looked at with the first question.
    pub fn new(shelf: Shelf, clock: Arc<dyn Clock>, limits: &Limits) -> Self {
        let fresh_for = Duration::from_secs(limits.index_seconds);
        Self { shelf, clock, showing: Showing::of(limits), fresh_for, state: Mutex::default() }
    }

    async fn look(&self) -> Looked {
        let looking = match self.last_or_looking() {
            Ok(last) => return last,
            Err(looking) => looking,
        };
        let looked = looking.looked.clone().await;
        let mut state = self.state();
        if state.looking.take_if(|other| other.looked.ptr_eq(&looking.looked)).is_some() {
            state.last = Some((looking.since, looked.clone()));
        }
        looked
    }

    /// What was found last, if that is fresh, or who is looking.
    fn last_or_looking(&self) -> Result<Looked, Looking> {
        let now = self.clock.now();
        let mut state = self.state();
        if let Some((since, last)) = &state.last
            && now.since(*since) < self.fresh_for
            && last.as_ref().err() != Some(&UNAVAILABLE)
        {
            return Ok(last.clone());
        }
        let held = state.last.as_ref().and_then(|(_, last)| last.clone().ok().flatten());
        let begin = || Looking { since: now, looked: looking(self.shelf.clone(), held) };
        Err(state.looking.get_or_insert_with(begin).clone())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SimilarCases for PastTickets {
    fn find<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Similar> {
        Box::pin(async move {
            let loaded = match self.look().await {
                Ok(Some(loaded)) => loaded,
                Ok(None) => return Similar::Nothing,
                Err(why) => return Similar::Failed(why),
            };
            match loaded.index.find(question, &self.showing) {
                Ok(cases) if cases.is_empty() => Similar::Nothing,
                Ok(cases) => Similar::Found(cases),
                Err(_) => Similar::Failed("unreadable"),
            }
        })
    }
}

fn looking(shelf: Shelf, held: Option<Arc<Loaded>>) -> Shared<BoxFuture<'static, Looked>> {
    let task = tokio::spawn(async move { newest(&shelf, held).await });
    async move { task.await.unwrap_or(Err(UNAVAILABLE)) }.boxed().shared()
}

/// The index that is pointed at; the one that is held if the shelf is out of reach.
async fn newest(shelf: &Shelf, held: Option<Arc<Loaded>>) -> Looked {
    let error = match load(shelf, held.as_ref()).await {
        Ok(loaded) => return Ok(loaded),
        Err(error) => error,
    };
    tracing::warn!(%error, "the index of past cases could not be loaded");
    match (error.word(), held) {
        (UNAVAILABLE, Some(held)) => Ok(Some(held)),
        (word, _) => Err(word),
    }
}

async fn load(shelf: &Shelf, held: Option<&Arc<Loaded>>) -> Result<Option<Arc<Loaded>>, ShelfError> {
    for _ in 0..ROUNDS {
        let Some(pointer) = shelf.pointer().await? else { return Ok(None) };
        if let Some(held) = held.filter(|held| held.pointer == pointer) {
            return Ok(Some(held.clone()));
        }
        match read(shelf, pointer.clone()).await {
            Ok(loaded) => return Ok(Some(Arc::new(loaded))),
            // Replaced while it was read: the pointer names another one now.
            Err(ShelfError::Damaged) if shelf.pointer().await?.as_ref() != Some(&pointer) => {}
            Err(error) => return Err(error),
        }
    }
    Err(ShelfError::Damaged)
}

/// Unpacking takes a while: the turn goes on meanwhile.
async fn read(shelf: &Shelf, pointer: IndexPointer) -> Result<Loaded, ShelfError> {
    let bytes = shelf.read(&pointer).await?;
    let reading = tokio::task::spawn_blocking(move || Index::read(&bytes));
    let index = reading.await.ok().and_then(Result::ok).ok_or(ShelfError::Damaged)?;
    tracing::info!(version = pointer.version, cases = index.len(), "the index of past cases is loaded");
    Ok(Loaded { pointer, index })
}
