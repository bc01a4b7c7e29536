//! A whole Carryover in process: the real use cases and the real store, a table in memory, a model that does as it
//! is told, queues that keep what they are sent.

use crate::clock::TestClock;
use crate::table::{TABLE, Table};
use aws_sdk_dynamodb::types::AttributeValue;
use carryover_shared::admit::{self, Answer, Incoming, Worked};
use carryover_shared::agent::AgentVersion;
use carryover_shared::bank::Embedded;
use carryover_shared::contact::{Account, ContactId, Identity};
use carryover_shared::erase;
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::fold;
use carryover_shared::handoff;
use carryover_shared::job::{FoldJob, FoldReason, NotificationJob, RetentionJob, TurnJob};
use carryover_shared::limits::Limits;
use carryover_shared::operator::Operator;
use carryover_shared::retain;
use carryover_shared::store::{FactWrite, ImportedLog, ImportedMessage, Store, StoreError};
use carryover_shared::tally::Tally;
use carryover_shared::thread::{Author, Channel, Head, Message, Seq};
use carryover_shared::tickets::{NoTickets, Shelf};
use carryover_shared::traits::{Asked, Clock, Event, Events, Model, ModelError, Question, Queue, SendError};
use carryover_shared::turn::{Agents, Context};
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Everything that a test needs to play with.
pub struct World {
    /// The table.
    pub table: Table,
    /// The clock.
    pub clock: Arc<TestClock>,
    /// What was sent to queues and bus.
    pub sent: Arc<Sent>,
    /// What every turn needs.
    pub ctx: Context,
}

impl World {
    /// A fresh one with this model; the default agent is installed.
    ///
    /// # Panics
    /// If the agent cannot be installed.
    pub async fn new(model: impl Model + 'static) -> Self {
        Self::with_limits(model, Limits::default()).await
    }

    /// A fresh one with this model and these limits.
    ///
    /// # Panics
    /// If the agent cannot be installed.
    pub async fn with_limits(model: impl Model + 'static, limits: Limits) -> Self {
        Self::over(&Table::new(), &Arc::new(TestClock::new()), model, limits).await
    }

    /// One over this table and this clock; the default agent is installed.
    ///
    /// # Panics
    /// If the agent cannot be installed.
    pub async fn over(
        table: &Table,
        clock: &Arc<TestClock>,
        model: impl Model + 'static,
        limits: Limits,
    ) -> Self {
        let (table, clock) = (table.clone(), clock.clone());
        let sent = Arc::new(Sent::default());
        let shared: Arc<dyn Clock> = clock.clone();
        let store = Store::new(table.client(), TABLE, shared.clone(), &limits);
        store.install_default_agent("tests").await.expect("the agent is installed");
        let ctx = Context {
            bank: Arc::new(Embedded::new(store.clone(), &limits)),
            similar: Arc::new(NoTickets),
            store,
            model: Arc::new(model),
            queue: sent.clone(),
            events: sent.clone(),
            clock: shared,
            limits,
            routing: Arc::default(),
            agents: Arc::new(Agents::default()),
        };
        Self { table, clock, sent, ctx }
    }

    /// `chat:<who>` writes `text` under the message id `id`, through the door that waits.
    ///
    /// # Errors
    /// What the door says.
    pub async fn write(&self, who: &str, id: &str, text: &str) -> Result<Answer, StoreError> {
        admit::answer(&self.ctx, &self.incoming(who, id, text)).await
    }

    /// The same through the door that does not wait.
    ///
    /// # Errors
    /// What the door says.
    pub async fn drop_off(&self, who: &str, id: &str, text: &str) -> Result<Option<Seq>, StoreError> {
        admit::accept(&self.ctx, &self.incoming(who, id, text)).await
    }

    /// A message of `chat:<who>`, received now.
    pub fn incoming(&self, who: &str, id: &str, text: &str) -> Incoming {
        Incoming {
            identity: identity(who),
            channel: Channel::Chat,
            account: Account::chat(),
            id: id.into(),
            text: text.into(),
            attachments: vec![],
            at: self.clock.now(),
        }
    }

    /// Makes the next version of an agent live, as a publication does; its number.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn publish(&self, version: &AgentVersion) -> u32 {
        let number = self.ctx.store.create_version(version, "tests").await.expect("a version");
        let pointer = [
            ("pk", AttributeValue::S(format!("LIVE#{}", version.name))),
            ("sk", AttributeValue::S("LIVE".into())),
            ("version", AttributeValue::N(number.to_string())),
        ];
        let put = self.table.client().put_item().table_name(TABLE);
        let put = pointer.into_iter().fold(put, |put, (name, value)| put.item(name, value));
        put.send().await.expect("a pointer");
        number
    }

    /// Works through the turns' jobs that were sent so far, once each.
    ///
    /// # Errors
    /// What the worker says.
    pub async fn work(&self) -> Result<Vec<Worked>, StoreError> {
        let mut worked = vec![];
        for job in self.sent.take_turns() {
            worked.push(admit::work(&self.ctx, &job, 1).await?);
        }
        Ok(worked)
    }

    /// Leo answers in the thread of `chat:<who>`.
    ///
    /// # Panics
    /// If he may not.
    pub async fn says(&self, who: &str, text: &str) -> Message {
        let contact = self.contact(who).await;
        handoff::say(&self.handoff(), contact, &operator("leo"), text, None).await.expect("he may")
    }

    /// Leo takes the thread of `chat:<who>` over.
    ///
    /// # Panics
    /// If he may not.
    pub async fn takes_over(&self, who: &str) {
        let contact = self.contact(who).await;
        handoff::take_over(&self.handoff(), contact, &operator("leo")).await.expect("he may");
    }

    /// Leo hands the thread of `chat:<who>` back, its case resolved.
    ///
    /// # Panics
    /// If he may not.
    pub async fn hands_back(&self, who: &str) {
        let contact = self.contact(who).await;
        handoff::hand_back(&self.handoff(), contact, &operator("leo"), true, None).await.expect("he may");
    }

    /// What every hand-off needs.
    pub fn handoff(&self) -> handoff::Context {
        let Context { store, queue, clock, limits, .. } = self.ctx.clone();
        handoff::Context { store, queue, clock, limits }
    }

    /// What every retention needs.
    pub fn retention(&self) -> retain::Context {
        let Context { store, bank, events, clock, limits, .. } = self.ctx.clone();
        retain::Context { store, bank, events, clock, limits }
    }

    /// What the eraser needs.
    pub fn eraser(&self) -> erase::Context {
        let Context { store, bank, events, clock, limits, .. } = self.ctx.clone();
        let shelf = Shelf::new(store.clone(), None, limits.index_bytes);
        erase::Context { store, bank, shelf, events, clock, limits }
    }

    /// What every fold needs, with this model.
    pub fn folding(&self, model: impl Model + 'static) -> fold::Context {
        folding(&self.ctx, model)
    }

    /// Works through the folds' jobs that were sent so far, once each, with this model; the jobs.
    ///
    /// # Panics
    /// If the table refuses one.
    pub async fn fold(&self, model: impl Model + 'static) -> Vec<FoldJob> {
        let (ctx, jobs) = (self.folding(model), self.sent.take_folds());
        for job in &jobs {
            fold::run(&ctx, *job, self.clock.now() + Duration::from_secs(300)).await.expect("a fold");
        }
        jobs
    }

    /// An account system pushes what its record says as of now.
    ///
    /// # Panics
    /// If it is none, or the table refuses it.
    pub async fn push(
        &self,
        contact: ContactId,
        (kind, id): (&str, &str),
        source: &str,
        data: Value,
    ) -> FactWrite {
        let (limits, as_of) = (&self.ctx.limits, AsOf::from(self.clock.now()));
        let fact = Fact::checked(kind, id, as_of, source, data, limits).expect("a fact");
        self.ctx.store.put_fact(contact, &fact, limits).await.expect("a table")
    }

    /// Works through the retentions' jobs that were sent so far, once each.
    pub async fn retain(&self) -> Vec<retain::Worked> {
        let (ctx, deadline) = (self.retention(), self.clock.now() + Duration::from_secs(60));
        let mut worked = vec![];
        for job in self.sent.take_retentions() {
            worked.push(retain::work(&ctx, job, 1, deadline).await);
        }
        worked
    }

    /// The contact `chat:<who>`.
    ///
    /// # Panics
    /// If there is none.
    pub async fn contact(&self, who: &str) -> ContactId {
        self.ctx.store.resolve(&identity(who)).await.expect("a table").expect("a contact")
    }

    /// Creates the contact `chat:<who>`, who has said nothing yet.
    ///
    /// # Panics
    /// If there is one.
    pub async fn create(&self, who: &str) {
        let contact = ContactId::new(self.ctx.clock.ulid());
        assert!(
            self.ctx.store.create_contact(contact, &identity(who)).await.expect("a table"),
            "{who} is there"
        );
    }

    /// Writes a history as a fold would have left it.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn set_history(&self, contact: ContactId, history: &str) {
        self.set_snapshot(contact, "history", history).await;
    }

    /// Sets an attribute of the snapshot's item.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn set_snapshot(&self, contact: ContactId, attribute: &str, value: impl Serialize) {
        self.table.set(&format!("SNAPSHOT#{contact}"), "SNAPSHOT", attribute, value).await;
    }

    /// Imports a log of `(role, text)` into the empty thread of `chat:<who>`.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn import(&self, who: &str, log: &[(Author, &str)]) {
        let message = |(author, text): &(Author, &str)| ImportedMessage {
            author: *author,
            text: (*text).into(),
            at: None,
        };
        let log = ImportedLog {
            messages: log.iter().map(message).collect(),
            channel: Channel::Chat,
            account: Account::chat(),
            at: self.clock.now(),
            message_chars: self.ctx.limits.message_chars,
        };
        let contact = self.contact(who).await;
        self.ctx.store.import(contact, &log, |_| ()).await.expect("an import");
    }

    /// The head of `chat:<who>`.
    ///
    /// # Panics
    /// If there is none.
    pub async fn head(&self, who: &str) -> Head {
        self.ctx.store.head(self.contact(who).await).await.expect("a table").expect("a head")
    }

    /// The head of a contact.
    ///
    /// # Panics
    /// If there is none.
    pub async fn head_of(&self, contact: ContactId) -> Head {
        self.ctx.store.head(contact).await.expect("a table").expect("a head")
    }

    /// From now on `chat:<who>` is being erased.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn begin_erasing(&self, who: &str) {
        let head = format!("CONTACT#{}", self.contact(who).await);
        self.table.set(&head, "HEAD", "erasing", true).await;
    }

    /// What was counted in the last day.
    ///
    /// # Panics
    /// If it cannot be read.
    pub async fn counted(&self) -> Tally {
        let now = self.clock.now();
        let day = now - Duration::from_secs(24 * 3_600);
        let mut sum = Tally::default();
        for (_, tally) in self.ctx.store.tallies(day, now).await.expect("tallies") {
            sum.merge(&tally);
        }
        sum
    }

    /// The whole log of `chat:<who>`, oldest first.
    ///
    /// # Panics
    /// If it cannot be read.
    pub async fn log(&self, who: &str) -> Vec<Message> {
        let contact = self.contact(who).await;
        self.ctx.store.messages(contact, Seq::FIRST, Seq(u64::MAX >> 40), 100_000).await.expect("a log")
    }
}

/// Folds what aged out of a contact's thread, as a reply's job would have it.
///
/// # Panics
/// If the table refuses it.
pub async fn fold(ctx: &Context, model: impl Model + 'static, contact_id: ContactId) {
    let up_to = ctx.store.head(contact_id).await.expect("a table").expect("a head").last_seq;
    let job = FoldJob { contact_id, up_to, why: FoldReason::Reply };
    let deadline = ctx.clock.now() + Duration::from_secs(300);
    fold::run(&folding(ctx, model), job, deadline).await.expect("a fold");
}

fn folding(ctx: &Context, model: impl Model + 'static) -> fold::Context {
    let Context { store, clock, limits, .. } = ctx.clone();
    fold::Context { store, model: Arc::new(model), clock, limits, retention: None }
}

/// The identity of a web chat user.
///
/// # Panics
/// If `who` cannot be one.
pub fn identity(who: &str) -> Identity {
    Identity::chat(who).expect("an identity")
}

/// An operator by name.
///
/// # Panics
/// If `name` cannot be one.
pub fn operator(name: &str) -> Operator {
    Operator::new(name).expect("an operator")
}

/// Queues and a bus that keep what they are sent, and fail when they are told to.
#[derive(Debug, Default)]
pub struct Sent {
    turns: Mutex<Vec<TurnJob>>,
    folds: Mutex<Vec<FoldJob>>,
    retentions: Mutex<Vec<RetentionJob>>,
    notifications: Mutex<Vec<(NotificationJob, Duration)>>,
    events: Mutex<Vec<Event>>,
    down: Mutex<bool>,
    hangs: Mutex<bool>,
}

impl Sent {
    /// The turns' jobs since the last call of this.
    pub fn take_turns(&self) -> Vec<TurnJob> {
        std::mem::take(&mut lock(&self.turns))
    }

    /// The folds' jobs since the last call of this.
    pub fn take_folds(&self) -> Vec<FoldJob> {
        std::mem::take(&mut lock(&self.folds))
    }

    /// The retentions' jobs since the last call of this.
    pub fn take_retentions(&self) -> Vec<RetentionJob> {
        std::mem::take(&mut lock(&self.retentions))
    }

    /// The notifications' jobs since the last call of this, each with its delay.
    pub fn take_notifications(&self) -> Vec<(NotificationJob, Duration)> {
        std::mem::take(&mut lock(&self.notifications))
    }

    /// The events since the last call of this.
    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut lock(&self.events))
    }

    /// From now on nothing goes out, or everything does again.
    pub fn set_down(&self, down: bool) {
        *lock(&self.down) = down;
    }

    /// From now on nothing that is sent ever comes to an end, or everything does again.
    pub fn set_hanging(&self, hangs: bool) {
        *lock(&self.hangs) = hangs;
    }

    async fn send<T>(&self, list: &Mutex<Vec<T>>, what: T) -> Result<(), SendError> {
        let hangs = *lock(&self.hangs);
        if hangs {
            return std::future::pending().await;
        }
        if *lock(&self.down) {
            return Err(SendError { code: "down".into() });
        }
        lock(list).push(what);
        Ok(())
    }
}

impl Queue for Sent {
    fn send_turn<'a>(&'a self, job: &'a TurnJob, _: Duration) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.turns, job.clone()))
    }

    fn send_fold<'a>(&'a self, job: &'a FoldJob) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.folds, *job))
    }

    fn send_retention<'a>(&'a self, job: &'a RetentionJob) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.retentions, *job))
    }

    fn send_notification<'a>(
        &'a self,
        job: &'a NotificationJob,
        delay: Duration,
    ) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.notifications, (*job, delay)))
    }
}

impl Events for Sent {
    fn publish<'a>(&'a self, event: &'a Event) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(self.send(&self.events, event.clone()))
    }
}

/// A model that stops to think until it is let go on, so that a test can act meanwhile.
#[derive(Clone)]
pub struct Thinking<M> {
    model: M,
    asked: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl<M> Thinking<M> {
    /// Thinks before `model` answers.
    pub fn before(model: M) -> Self {
        Self { model, asked: Arc::default(), go_on: Arc::default() }
    }

    /// Waits until the model has been asked.
    pub async fn asked(&self) {
        self.asked.notified().await;
    }

    /// Lets one question be answered.
    pub fn go_on(&self) {
        self.go_on.notify_one();
    }
}

impl<M: Model> Model for Thinking<M> {
    fn ask<'a>(&'a self, question: &'a Question, budget: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(async move {
            self.asked.notify_one();
            self.go_on.notified().await;
            self.model.ask(question, budget).await
        })
    }
}

/// No model is configured.
#[derive(Debug, Clone, Copy)]
pub struct NoModel;

impl Model for NoModel {
    fn ask<'a>(&'a self, _: &'a Question, _: Duration) -> BoxFuture<'a, Asked> {
        Box::pin(async { Asked { answer: Err(ModelError::NotConfigured), calls: 0 } })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
