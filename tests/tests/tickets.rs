//! The index of past cases in an embedded table and in a bucket: swapped whole, refreshed, and never a reason for a
//! turn to fail.

use carryover_shared::hash;
use carryover_shared::limits::Limits;
use carryover_shared::similar::{Similar, Ticket};
use carryover_shared::tickets::{self, BuildError, Built, PastTickets, Shelf, ShelfError};
use carryover_shared::traits::SimilarCases;
use carryover_tests::bucket::FakeBucket;
use carryover_tests::contact::TestContact;
use carryover_tests::table::Fault;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A contact, and the past cases beside it.
struct Library {
    contact: TestContact,
    shelf: Shelf,
    tickets: PastTickets,
}

impl Library {
    async fn new() -> Self {
        Self::with(Limits { write_seconds: 0, ..Limits::default() }).await
    }

    async fn with(limits: Limits) -> Self {
        let contact = TestContact::new(limits).await;
        let shelf = Shelf::new(contact.store.clone(), None, contact.limits.index_bytes);
        Self::over(contact, shelf)
    }

    fn over(contact: TestContact, shelf: Shelf) -> Self {
        let tickets = PastTickets::new(shelf.clone(), contact.clock.clone(), &contact.limits);
        Self { contact, shelf, tickets }
    }

    async fn import(&self, tickets: &[Ticket]) -> Built {
        self.try_import(tickets).await.expect("an import")
    }

    async fn try_import(&self, tickets: &[Ticket]) -> Result<Built, BuildError> {
        tickets::import(&self.shelf, tickets, false, &self.contact.limits, |_| ()).await
    }

    async fn import_afresh(&self, tickets: &[Ticket]) -> Built {
        let imported = tickets::import(&self.shelf, tickets, true, &self.contact.limits, |_| ()).await;
        imported.expect("an import")
    }

    /// What is shown for a question about a cancellation.
    async fn shown(&self) -> Similar {
        self.tickets.find("How do I cancel order 4711829?").await
    }

    /// The solutions of it.
    async fn solutions(&self) -> Vec<String> {
        self.shown().await.cases().iter().map(|case| case.solution.clone()).collect()
    }

    fn wait_for_a_newer_index(&self) {
        self.contact.clock.advance(Duration::from_secs(self.contact.limits.index_seconds));
    }

    /// The sort keys of a partition.
    fn keys(&self, pk: &str) -> Vec<String> {
        let text = |item: &Value, name: &str| item[name]["S"].as_str().expect("a key").to_owned();
        let items = self.contact.table.items();
        items.iter().filter(|item| text(item, "pk") == pk).map(|item| text(item, "sk")).collect()
    }
}

fn ticket(id: &str, body: &str, answer: &str) -> Ticket {
    Ticket { id: id.into(), body: body.into(), answer: answer.into(), ..Ticket::default() }
}

fn cancellation(answer: &str) -> Ticket {
    ticket("1", "how can I cancel order 113542617735902?", answer)
}

/// So many that their index is more than one chunk.
fn many() -> Vec<Ticket> {
    let noise = |n: u64| -> String {
        let letter = |k: u64| char::from(b'a' + hash::of(&format!("{n} {k}"))[0] % 26);
        (0..300).map(letter).collect()
    };
    let noise = (0..3_000).map(|n| ticket(&format!("n{n}"), &noise(n), &noise(n + 3_000)));
    noise.chain([cancellation("Open {{Order Details}}")]).collect()
}

#[tokio::test]
async fn an_imported_ticket_is_found_with_placeholders() {
    let library = Library::new().await;
    assert_eq!(library.shown().await, Similar::Nothing);
    library.import(&[cancellation("Open {{Order Details}} of order 113542617735902")]).await;
    assert_eq!(library.shown().await, Similar::Nothing, "not looked at again so soon");
    library.wait_for_a_newer_index();
    let Similar::Found(cases) = library.shown().await else { panic!("nothing") };
    assert_eq!(cases[0].problem, "how can I cancel order {{Order Number}}?");
    assert_eq!(cases[0].solution, "Open {{Order Details}} of order {{Order Number}}");
    assert_eq!(library.tickets.find("The lamp flickers").await, Similar::Nothing);
}

#[tokio::test]
async fn the_same_tickets_again_are_the_same_index() {
    let library = Library::new().await;
    let tickets = [cancellation("a"), ticket("2", "where is my refund", "b")];
    let first = library.import(&tickets).await;
    assert_eq!((first.index.version, first.index.cases, first.changed), (1, 2, true));
    let before = library.keys("TICKETS");
    let turned = [tickets[1].clone(), tickets[0].clone()];
    let second = library.import(&turned).await;
    assert_eq!((&second.index, second.changed), (&first.index, false));
    assert_eq!(library.keys("TICKETS"), before);
}

#[tokio::test]
async fn a_ticket_replaces_the_one_with_its_id_and_a_newer_index_is_loaded() {
    let library = Library::new().await;
    library.import(&[cancellation("old"), ticket("2", "where is my refund", "b")]).await;
    assert_eq!(library.solutions().await, ["old"]);
    let built = library.import(&[cancellation("new")]).await;
    assert_eq!((built.index.version, built.index.cases), (2, 2));
    assert_eq!(library.solutions().await, ["old"], "not looked at again so soon");
    library.wait_for_a_newer_index();
    assert_eq!(library.solutions().await, ["new"]);
    assert_eq!(library.import_afresh(&[cancellation("only")]).await.index.cases, 1);
}

#[tokio::test]
async fn an_index_of_many_chunks_is_swapped_whole_under_those_who_read() {
    let limits = Limits { index_seconds: 0, ..Limits::default() };
    let library = Arc::new(Library::with(limits).await);
    let built = library.import(&many()).await;
    assert!(built.index.size_bytes > 2 * 350_000, "{}", built.index.size_bytes);
    library.contact.table.set_latency(Duration::from_millis(1));
    let writer = library.clone();
    let importing = tokio::spawn(async move {
        for n in 0..6 {
            writer.import(&[cancellation(&format!("answer {}", "x".repeat(n + 1)))]).await;
        }
    });
    while !importing.is_finished() {
        let shown = library.shown().await;
        assert_eq!(shown.cases().len(), 1, "{shown:?}");
    }
    importing.await.expect("imports");
    assert_eq!(library.solutions().await, ["answer xxxxxx"]);
    let pointer = library.shelf.pointer().await.expect("a table").expect("a pointer");
    let keys = library.keys("TICKETS");
    let current = pointer.upload.upload.to_string();
    assert!(
        keys.iter().all(|key| key == "INDEX" || key.contains(&current)),
        "what was replaced is gone: {keys:?}"
    );
}

#[tokio::test]
async fn a_damaged_index_is_failed_and_never_empty() {
    let library = Library::new().await;
    library.import(&[cancellation("a")]).await;
    let pointer = library.shelf.pointer().await.expect("a table").expect("a pointer");
    let upload = pointer.upload;
    library.contact.store.remove_upload(&upload).await.expect("a table");
    library.contact.store.put_chunks(upload.upload, b"rubbish").await.expect("a table");
    assert_eq!(library.shown().await, Similar::Failed("unreadable"));
    let error = library.try_import(&[cancellation("b")]).await.expect_err("it cannot be added to");
    assert!(matches!(error, BuildError::Shelf(ShelfError::Damaged)), "{error}");
    assert_eq!(library.import_afresh(&[cancellation("c")]).await.index.version, 2);
    library.wait_for_a_newer_index();
    assert_eq!(library.solutions().await, ["c"]);
}

#[tokio::test]
async fn a_table_that_is_down_is_failed_until_it_is_back() {
    let library = Library::new().await;
    library.import(&[cancellation("a")]).await;
    library.contact.table.inject(|_, _| Some(Fault::Unsent));
    assert_eq!(library.shown().await, Similar::Failed("unavailable"));
    library.contact.table.heal();
    assert_eq!(library.solutions().await, ["a"]);
    library.contact.table.inject(|_, _| Some(Fault::Unsent));
    library.wait_for_a_newer_index();
    assert_eq!(library.solutions().await, ["a"], "what is held still serves");
}

#[tokio::test]
async fn a_load_goes_on_when_its_turn_waits_no_longer() {
    let library = Library::new().await;
    library.import(&[cancellation("a")]).await;
    library.contact.table.set_latency(Duration::from_millis(200));
    library.contact.table.take_calls();
    let late = tokio::time::timeout(Duration::from_millis(20), library.shown()).await;
    assert!(late.is_err(), "the turn goes on without it");
    assert_eq!(library.solutions().await, ["a"]);
    let calls = library.contact.table.take_calls();
    let operations: Vec<&str> = calls.iter().map(|call| call.operation.as_str()).collect();
    assert_eq!(operations, ["GetItem", "Query"], "it was loaded once");
}

#[tokio::test]
async fn an_import_that_breaks_off_changes_nothing_and_leaves_nothing() {
    let library = Library::new().await;
    library.import(&[cancellation("old")]).await;
    library.contact.table.inject(|operation, request| {
        let points = request.to_string().contains("\"INDEX\"");
        (operation == "TransactWriteItems" && points).then_some(Fault::Unsent)
    });
    library.try_import(&[cancellation("new")]).await.expect_err("no pointer");
    library.contact.table.heal();
    assert_eq!(library.solutions().await, ["old"]);
    assert_eq!(library.keys("TICKETS").iter().filter(|key| key.starts_with("UPLOAD#")).count(), 2);
    library.contact.clock.advance(Duration::from_secs(25 * 3_600));
    library.import(&[cancellation("new")]).await;
    assert_eq!(library.solutions().await, ["new"]);
    assert_eq!(library.keys("TICKETS").iter().filter(|key| key.starts_with("UPLOAD#")).count(), 1);
}

#[tokio::test]
async fn imports_at_the_same_time_are_all_in_the_index() {
    let library = Library::with(Limits::default()).await;
    library.contact.table.set_latency(Duration::from_millis(1));
    let tickets: Vec<Ticket> =
        (0..4).map(|n| ticket(&format!("{n}"), &format!("question {}", "y".repeat(n + 1)), "a")).collect();
    let imports = tickets.iter().map(|ticket| library.import(std::slice::from_ref(ticket)));
    futures::future::join_all(imports).await;
    let pointer = library.shelf.pointer().await.expect("a table").expect("a pointer");
    assert_eq!((pointer.version, pointer.cases), (4, 4));
}

#[tokio::test]
async fn bounds_too_many_and_too_large_are_refused() {
    let library = Library::with(Limits { tickets: 1, ..Limits::default() }).await;
    library.import(&[cancellation("a")]).await;
    let error = library.try_import(&[ticket("2", "where is my refund", "b")]).await.expect_err("too many");
    assert!(matches!(error, BuildError::TooMany { cases: 2, most: 1 }), "{error}");
    let library = Library::with(Limits { index_bytes: 100, ..Limits::default() }).await;
    let error = library.try_import(&[cancellation("a")]).await.expect_err("too large");
    assert!(error.to_string().contains("more than 100 need a bucket"), "{error}");
    assert_eq!(library.shown().await, Similar::Nothing);
}

#[tokio::test]
async fn a_bucket_keeps_the_index_where_there_is_one() {
    let (fake, contact) = (FakeBucket::start().await, TestContact::new(Limits::default()).await);
    let in_table = Library::over(contact.clone(), Shelf::new(contact.store.clone(), None, 5_000_000));
    in_table.import(&[cancellation("in the table")]).await;
    let shelf = Shelf::new(contact.store.clone(), Some(fake.bucket().await), 10);
    let library = Library::over(contact.clone(), shelf);
    assert_eq!(library.solutions().await, ["in the table"], "until the next import");

    library.import(&[cancellation("in the bucket")]).await;
    library.wait_for_a_newer_index();
    assert_eq!(library.solutions().await, ["in the bucket"]);
    let first = fake.keys();
    assert_eq!(first.len(), 1);
    assert!(first[0].starts_with("index/tickets/"), "{first:?}");
    assert!(
        !library.keys("TICKETS").iter().any(|key| key.starts_with("CHUNK#")),
        "the table has no chunk of it"
    );
    library.import(&[cancellation("newer")]).await;
    assert!(fake.keys().len() == 1 && fake.keys() != first, "what was replaced is gone");

    assert_eq!(in_table.shown().await, Similar::Failed("no_bucket"));
    fake.damage();
    library.wait_for_a_newer_index();
    assert_eq!(library.shown().await, Similar::Failed("unreadable"));
    drop(fake);
    let bucketless = Library::over(contact.clone(), library.shelf.clone());
    assert_eq!(bucketless.shown().await, Similar::Failed("unavailable"));
}
