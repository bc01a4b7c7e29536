//! One command removes a contact everywhere, and nothing in flight brings them back (*erasable*).

use carryover_shared::admit::Answer;
use carryover_shared::contact::ContactId;
use carryover_shared::erase::{self, End, JOB_LIFE, RUN};
use carryover_shared::feedback::{Feedback, Rating};
use carryover_shared::handoff;
use carryover_shared::release::{Released, release};
use carryover_shared::similar::{Similar, Wording};
use carryover_shared::store::{FactWrite, List, ListPart, Order};
use carryover_shared::thread::{Author, Seq};
use carryover_shared::tickets::{self, PastTickets};
use carryover_shared::traits::{BankError, Clock, Event, MemoryBank, SimilarCases};
use carryover_tests::table::Fault;
use carryover_tests::world::{NoModel, Thinking, World, identity, operator};
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time enough for everything.
const TIME: Duration = Duration::from_secs(240);

/// `chat:ana` has a long log, a case that was released, records, memories, feedback and notes; `chat:ben` has written.
async fn with_a_past() -> (World, ContactId) {
    let world = World::new(NoModel).await;
    world
        .write("ana", "m1", "I want to talk to a human: the heating rattles at night")
        .await
        .expect("an answer");
    let ana = world.contact("ana").await;
    let ctx = world.handoff();
    handoff::note(&ctx, ana, &operator("leo"), "She is patient.", None).await.expect("a note");
    world.says("ana", "I bled the radiator.").await;
    let case = world.ctx.store.cases(ana).await.expect("cases")[0].case_id;
    world.hands_back("ana").await;
    let wording = Wording { problem: "The heating rattles".into(), solution: "Bleed the radiator".into() };
    let released = release(&world.ctx.store, &world.ctx.limits, ana, case, &wording).await.expect("a table");
    assert!(matches!(released, Released::Done(_)), "{released:?}");
    tickets::build(&world.eraser().shelf, &world.ctx.limits).await.expect("a build");
    assert_eq!(put(&world, ana, "O-1").await, FactWrite::Created);
    let feedback = Feedback { seq: Seq(2), rating: Rating::Up, text: "kind".into(), at: world.clock.now() };
    assert!(world.ctx.store.put_feedback(ana, &feedback).await.expect("a table"));
    for n in 0..14 {
        let long = "word ".repeat(if n == 0 { 6_000 } else { 1 });
        let text = format!("{long} And the hours, please? {n}");
        world.write("ana", &format!("h{n}"), &text).await.expect("an answer");
    }
    carryover_tests::world::fold(&world.ctx, NoModel, ana).await;
    world.retain().await;
    world.write("ben", "b1", "Hello").await.expect("an answer");
    (world, ana)
}

async fn put(world: &World, contact: ContactId, id: &str) -> FactWrite {
    world.push(contact, ("order", id), "shop", json!({"status": "packed"})).await
}

/// The keys of everything that says whose it is by naming the contact `chat:<who>`, or the identity.
fn left(world: &World, contact: ContactId, who: &str) -> Vec<(String, String)> {
    let (id, identity) = (contact.to_string(), format!("chat:{who}"));
    let key = |item: &serde_json::Value, name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
    let items = world.table.items().into_iter();
    let mut left: Vec<_> = items
        .filter(|item| item.to_string().contains(&id) || item.to_string().contains(&identity))
        .map(|item| (key(&item, "pk"), key(&item, "sk")))
        .filter(|(pk, _)| !pk.starts_with("SEEN#"))
        .collect();
    left.sort();
    left
}

async fn run(world: &World) -> usize {
    erase::run(&world.eraser(), world.clock.now() + TIME).await.expect("a table")
}

#[tokio::test]
async fn erasable_a_contact_goes_everywhere_and_nobody_else_loses_anything() {
    let (world, ana) = with_a_past().await;
    let before = left(&world, ana, "ana");
    for partition in ["CONTACT#", "SNAPSHOT#", "FACTS#", "MEMORY#", "IDENTITY#", "RELEASED"] {
        assert!(before.iter().any(|(pk, _)| pk.starts_with(partition)), "{partition} is there: {before:?}");
    }
    let ben = world.contact("ben").await;
    let of_ben = left(&world, ben, "ben").len();

    assert!(world.ctx.store.begin_erasing(ana).await.expect("a table"));
    assert_eq!(world.ctx.store.resolve(&identity("ana")).await.expect("a table"), None, "at once");
    world.sent.take_events();
    assert_eq!(run(&world).await, 1);
    assert_eq!(left(&world, ana, "ana"), [(format!("CONTACT#{ana}"), "HEAD".to_owned())]);
    let head = world.table.item(&format!("CONTACT#{ana}"), "HEAD").expect("a head").to_string();
    assert!(!head.contains("ana") && !head.contains("leo"), "{head}");
    assert_eq!(world.sent.take_events(), [Event::ContactErased { contact_id: ana }]);
    let tickets = PastTickets::new(world.eraser().shelf, world.clock.clone(), &world.ctx.limits);
    assert_eq!(tickets.find("My heating rattles, what can I do?").await, Similar::Nothing);
    assert_eq!(left(&world, ben, "ben").len(), of_ben);

    assert_eq!(run(&world).await, 0, "nothing is due");
    world.clock.advance(RUN);
    assert_eq!(
        (run(&world).await, world.sent.take_events()),
        (1, vec![]),
        "once more, and nobody is told twice"
    );
    assert_eq!(run(&world).await, 0);
    world.clock.advance(JOB_LIFE);
    assert_eq!(run(&world).await, 1);
    assert_eq!(left(&world, ana, "ana"), [], "the head goes last");
    assert!(!world.ctx.store.begin_erasing(ana).await.expect("a table"), "there is nobody");
}

#[tokio::test]
async fn erasable_whoever_writes_again_is_somebody_new() {
    let (world, ana) = with_a_past().await;
    world.ctx.store.begin_erasing(ana).await.expect("a table");
    world.write("ana", "again", "Hello").await.expect("an answer");
    let new = world.contact("ana").await;
    assert_ne!(new, ana);
    assert_eq!(world.log("ana").await[0].seq, Seq(1));
    run(&world).await;
    assert_eq!(world.contact("ana").await, new, "the identity is somebody else's by now");
    assert_eq!(world.log("ana").await.len(), 2);
}

#[tokio::test]
async fn erasable_a_turn_that_thinks_meanwhile_and_the_jobs_of_before_bring_nothing_back() {
    let model = Thinking::before(NoModel);
    let world = Arc::new(World::new(model.clone()).await);
    let writing = tokio::spawn({
        let world = world.clone();
        async move { world.write("ana", "m1", "What are your hours?").await }
    });
    model.asked().await;
    let ana = world.contact("ana").await;
    world.ctx.store.begin_erasing(ana).await.expect("a table");
    run(&world).await;
    model.go_on();
    let answer = writing.await.expect("no panic").expect("a table");
    assert!(!format!("{answer:?}").contains("text:"), "{answer:?}");

    // Everything that any job could still do.
    world.work().await.expect("a table");
    for job in world.sent.take_folds() {
        assert_eq!(job.contact_id, ana);
    }
    world.retain().await;
    assert_eq!(put(&world, ana, "O-2").await, FactWrite::Gone);
    let feedback = Feedback { seq: Seq(2), rating: Rating::Up, text: String::new(), at: world.clock.now() };
    assert!(!world.ctx.store.put_feedback(ana, &feedback).await.expect("a table"));
    handoff::say(&world.handoff(), ana, &operator("leo"), "Hello", None).await.expect_err("she is gone");
    handoff::take_over(&world.handoff(), ana, &operator("leo")).await.expect_err("she is gone");
    handoff::note(&world.handoff(), ana, &operator("leo"), "note", None).await.expect_err("she is gone");
    assert!(!world.ctx.store.add_identity(ana, &identity("ana2")).await.expect("a table"));
    let answer = world.write("ana", "m1", "What are your hours?").await.expect("a table");
    assert!(matches!(answer, Answer::Gone | Answer::Duplicate { reply: None, .. }), "{answer:?}");

    world.clock.advance(RUN);
    run(&world).await;
    assert_eq!(left(&world, ana, "ana"), [(format!("CONTACT#{ana}"), "HEAD".to_owned())]);
}

#[tokio::test]
async fn erasable_it_goes_on_where_it_was_interrupted_at_every_write() {
    for broken in 0.. {
        let (world, ana) = with_a_short_past().await;
        let (writes, cut) = (std::sync::atomic::AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
        world.table.inject({
            let cut = cut.clone();
            move |operation, _| {
                let is_write = !["Query", "GetItem", "BatchGetItem"].contains(&operation);
                let n = if is_write { writes.fetch_add(1, Ordering::SeqCst) } else { usize::MAX };
                let breaks = n == broken || cut.load(Ordering::SeqCst);
                cut.fetch_or(breaks, Ordering::SeqCst);
                breaks.then_some(Fault::Unsent)
            }
        });
        let begun = world.ctx.store.until(world.clock.now()).begin_erasing(ana).await;
        if begun.is_ok() {
            erase::run(&world.eraser(), world.clock.now() + TIME).await.ok();
        }
        world.table.heal();
        if !cut.load(Ordering::SeqCst) {
            assert!(broken > 4, "it writes more than {broken} times");
            return;
        }
        world.ctx.store.begin_erasing(ana).await.expect("a table");
        assert_eq!(world.ctx.store.resolve(&identity("ana")).await.expect("a table"), None);
        run(&world).await;
        assert_eq!(
            left(&world, ana, "ana"),
            [(format!("CONTACT#{ana}"), "HEAD".to_owned())],
            "broken at {broken}"
        );
    }
}

/// `chat:ana` has one of everything.
async fn with_a_short_past() -> (World, ContactId) {
    let world = World::new(NoModel).await;
    world.write("ana", "m1", "What are your hours?").await.expect("an answer");
    let ana = world.contact("ana").await;
    put(&world, ana, "O-1").await;
    world.retain().await;
    (world, ana)
}

#[tokio::test]
async fn erasable_what_takes_longer_than_one_run_is_finished_by_the_next() {
    let world = World::new(NoModel).await;
    world.create("eve").await;
    let log: Vec<_> = (0..400).map(|_| (Author::Customer, "Hello")).collect();
    world.import("eve", &log).await;
    let eve = world.contact("eve").await;
    world.ctx.store.begin_erasing(eve).await.expect("a table");
    let ctx = world.eraser();
    assert_eq!(erase::erase(&ctx, eve, world.clock.now()).await.expect("a table"), End::Unfinished);
    let due = ListPart { lists: &[List::Erasing], order: Order::OldestFirst, after: None, limit: 10 };
    let due = world.ctx.store.listed(due).await.expect("a table");
    assert!(due.iter().any(|entry| entry.contact_id == eve && entry.at <= world.clock.now()));
    assert_eq!(erase::erase(&ctx, eve, world.clock.now() + TIME).await.expect("a table"), End::Cleared);
    assert_eq!(left(&world, eve, "eve"), [(format!("CONTACT#{eve}"), "HEAD".to_owned())]);
}

/// A bank that does not forget.
struct Stubborn<B>(B);

impl<B: MemoryBank> MemoryBank for Stubborn<B> {
    fn recall<'a>(
        &'a self,
        contact: ContactId,
        query: &'a carryover_shared::memory::Query,
    ) -> BoxFuture<'a, carryover_shared::memory::Recall> {
        self.0.recall(contact, query)
    }

    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a carryover_shared::memory::Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        self.0.retain(contact, exchange)
    }

    fn leave_out<'a>(
        &'a self,
        contact: ContactId,
        origin: carryover_shared::memory::Origin,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        self.0.leave_out(contact, origin)
    }

    fn forget(&self, _: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        Box::pin(async { Err(BankError { code: "down".into() }) })
    }
}

#[tokio::test]
async fn erasable_a_bank_that_is_down_is_asked_again_and_stops_nothing_else() {
    let (world, ana) = with_a_short_past().await;
    world.write("ben", "b1", "Hello").await.expect("an answer");
    let ben = world.contact("ben").await;
    world.ctx.store.begin_erasing(ana).await.expect("a table");
    let bank =
        Arc::new(Stubborn(carryover_shared::bank::Embedded::new(world.ctx.store.clone(), &world.ctx.limits)));
    let down = erase::Context { bank, ..world.eraser() };
    assert_eq!(erase::run(&down, world.clock.now() + TIME).await.expect("a table"), 1);
    assert_eq!(
        left(&world, ana, "ana"),
        [(format!("CONTACT#{ana}"), "HEAD".to_owned())],
        "the table's is gone"
    );
    assert_eq!(world.sent.take_events().len(), 0, "and nobody was told that all is");
    world.ctx.store.begin_erasing(ben).await.expect("a table");
    world.clock.advance(Duration::from_secs(301));
    assert_eq!(run(&world).await, 2, "both are due");
    assert_eq!(world.sent.take_events().len(), 2);
}
