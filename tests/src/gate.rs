//! A deterministic scheduler: everything in process stops before every request to the table and every question to a
//! model, and a list of moves decides who goes on, what goes wrong and who crashes.

use crate::table::Fault;
use carryover_shared::traits::{Asked, Model, ModelError, Question};
use futures::channel::oneshot;
use futures::future::{BoxFuture, LocalBoxFuture, poll_fn};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

/// Where everything stops while it is closed; open at first.
#[derive(Debug, Default)]
pub struct Gate {
    closed: AtomicBool,
    acting: AtomicUsize,
    waiting: Mutex<Vec<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    actor: usize,
    go_on: oneshot::Sender<Option<Fault>>,
}

impl Gate {
    /// Waits to be let through; what goes wrong then, if anything.
    pub async fn pass(&self) -> Option<Fault> {
        if !self.closed.load(Ordering::SeqCst) {
            return None;
        }
        let (go_on, told) = oneshot::channel();
        let actor = self.acting.load(Ordering::SeqCst);
        self.waiting().push(Waiting { actor, go_on });
        told.await.unwrap_or_default()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One decision of the scheduler.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// Which of those who may go on, the next beginner among them; taken modulo their number.
    pub pick: usize,
    /// How it goes.
    pub luck: Luck,
}

/// How a move goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Luck {
    /// As it should.
    Good,
    /// Something goes wrong with the request.
    Bad(Fault),
    /// The process dies: nothing of it goes on.
    Crash,
}

/// More stops than any bounded loop makes in a test (*bounds*).
const MOST_MOVES: usize = 20_000;

/// Plays `acts` against each other; `None` for those that crashed.
///
/// After the last move all begin in order, and whoever waits longest goes on. `after` is called after each step.
///
/// # Panics
/// If the acts do not come to an end.
pub async fn interleave<T>(
    gate: &Gate,
    acts: Vec<LocalBoxFuture<'_, T>>,
    moves: &[Move],
    mut after: impl FnMut(),
) -> Vec<Option<T>> {
    gate.closed.store(true, Ordering::SeqCst);
    let ended = acts.iter().map(|_| None).collect();
    let live = acts.into_iter().map(Some).collect();
    let mut stage = Stage { gate, live, ended, begun: 0, moves, made: 0 };
    poll_fn(|cx| {
        stage.poll_all(cx);
        after();
        stage.make_a_move(cx)
    })
    .await;
    gate.closed.store(false, Ordering::SeqCst);
    stage.ended
}

struct Stage<'a, T> {
    gate: &'a Gate,
    live: Vec<Option<LocalBoxFuture<'a, T>>>,
    ended: Vec<Option<T>>,
    begun: usize,
    moves: &'a [Move],
    made: usize,
}

impl<T> Stage<'_, T> {
    fn poll_all(&mut self, cx: &mut Context<'_>) {
        for actor in 0..self.begun {
            let Some(act) = self.live[actor].as_mut() else { continue };
            self.gate.acting.store(actor, Ordering::SeqCst);
            if let Poll::Ready(ended) = act.as_mut().poll(cx) {
                self.ended[actor] = Some(ended);
                self.live[actor] = None;
            }
        }
    }

    fn make_a_move(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.gate.waiting();
        waiting.retain(|waiting| !waiting.go_on.is_canceled());
        let beginners = usize::from(self.begun < self.live.len());
        let choices = beginners + waiting.len();
        if choices == 0 {
            // Nobody waits here: either all have ended, or time must pass.
            return if self.live.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending };
        }
        let next = self.moves.get(self.made).copied().unwrap_or(Move { pick: 0, luck: Luck::Good });
        self.made += 1;
        assert!(self.made < MOST_MOVES, "bounds: this does not end");
        let pick = next.pick % choices;
        if pick < beginners {
            self.begun += 1;
        } else {
            let Waiting { actor, go_on } = waiting.remove(pick - beginners);
            match next.luck {
                Luck::Crash => self.live[actor] = None,
                Luck::Good => drop(go_on.send(None)),
                Luck::Bad(fault) => drop(go_on.send(Some(fault))),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A model behind the gate; whatever goes wrong there makes it unreachable.
#[derive(Debug, Clone)]
pub struct Gated<M> {
    gate: Arc<Gate>,
    model: M,
}

impl<M> Gated<M> {
    /// `model` behind `gate`.
    pub fn new(gate: &Arc<Gate>, model: M) -> Self {
        Self { gate: gate.clone(), model }
    }
}

impl<M: Model> Model for Gated<M> {
    fn ask<'a>(&'a self, question: &'a Question, budget: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(async move {
            match self.gate.pass().await {
                None => self.model.ask(question, budget).await,
                Some(_) => Asked { answer: Err(ModelError::Unreachable), calls: 1 },
            }
        })
    }
}
