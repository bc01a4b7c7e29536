//! Imports into an embedded table: quick, whole or not at all, and resumed where they were interrupted.

use carryover_shared::contact::Account;
use carryover_shared::limits::Limits;
use carryover_shared::store::{
    Admission, Imported, ImportedLog, ImportedMessage, NewMessage, StoreError, Ticket,
};
use carryover_shared::thread::{Author, Channel, Seq};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use carryover_shared::{job::Delivery, thread::Message};
use carryover_tests::contact::TestContact;
use carryover_tests::table::Fault;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

fn log(texts: impl IntoIterator<Item = String>) -> ImportedLog {
    let by_turns = [Author::Customer, Author::Bot, Author::Customer, Author::Operator];
    let message = |(author, text): (&Author, String)| ImportedMessage { author: *author, text, at: None };
    ImportedLog {
        messages: by_turns.iter().cycle().zip(texts).map(message).collect(),
        channel: Channel::Chat,
        account: Account::chat(),
        at: Timestamp::from_millis(1_000),
        message_chars: Limits::default().message_chars,
    }
}

fn short(count: usize) -> ImportedLog {
    log((1..=count).map(|n| format!("message {n}")))
}

async fn import(contact: &TestContact, log: &ImportedLog) -> Result<Imported, StoreError> {
    contact.store.import(contact.id, log, |_| {}).await
}

async fn contact() -> TestContact {
    TestContact::new(Limits::default()).await
}

const WHOLE: Imported = Imported::Done { resumed_after: Seq::NONE };

async fn whole_log(contact: &TestContact) -> Vec<Message> {
    let head = contact.store.head(contact.id).await.expect("a table").expect("a head");
    contact.store.messages(contact.id, head.first_seq, head.last_seq, 100_000).await.expect("a log")
}

/// The items of a table, without what names a write and with the contact's own name left out.
fn items(contact: &TestContact) -> Vec<Value> {
    let id = contact.id.to_string();
    let mut items: Vec<Value> = contact.table.items();
    for item in &mut items {
        item.as_object_mut().expect("an item").remove("write_id");
        *item = serde_json::from_str(&item.to_string().replace(&id, "contact")).expect("an item");
    }
    items.sort_by_key(Value::to_string);
    items
}

/// The table answers so many transactions, then it is gone.
fn break_after(contact: &TestContact, transactions: usize, fault: Fault) {
    let seen = AtomicUsize::new(0);
    contact.table.inject(move |operation, _| {
        let counts = operation == "TransactWriteItems";
        let gone = counts && seen.fetch_add(1, Ordering::SeqCst) >= transactions;
        gone.then_some(fault)
    });
}

#[tokio::test]
async fn ten_thousand_messages_take_little_more_than_a_hundred_writes() {
    let contact = contact().await;
    contact.table.take_calls();
    let mut told = vec![];
    let imported = contact.store.import(contact.id, &short(10_000), |seq| told.push(seq)).await.unwrap();

    assert_eq!(imported, WHOLE);
    assert!(contact.table.take_calls().len() < 120);
    assert_eq!(told.last(), Some(&Seq(10_000)));
    assert!(told.is_sorted() && told.len() > 100);
    let seqs: Vec<u64> = whole_log(&contact).await.iter().map(|message| message.seq.0).collect();
    assert!(seqs.into_iter().eq(1..=10_000));
}

#[tokio::test]
async fn what_was_imported_waits_for_nothing() {
    let contact = contact().await;
    import(&contact, &short(4)).await.unwrap();

    let head = contact.store.head(contact.id).await.unwrap().unwrap();
    assert_eq!((head.last_seq, head.last_customer_seq, head.settled_seq), (Seq(4), Seq(3), Seq(4)));
    assert!(!head.has_unsettled() && head.waiting_since.is_none());
    let later = Timestamp::from_millis(i64::MAX);
    assert_eq!(contact.store.waiting(later, 10).await.unwrap(), []);
    assert_eq!(contact.snapshot().await.revision, 0);
}

#[tokio::test]
async fn a_long_text_is_whole_in_the_log() {
    let contact = contact().await;
    let long = "né👨‍👩‍👧 ".repeat(11_000);
    import(&contact, &log([long.clone(), "short".into()])).await.unwrap();

    let messages = whole_log(&contact).await;
    assert!(messages[0].bodies > 0 && messages[0].omitted_chars > 0);
    assert_eq!(contact.store.whole_text(contact.id, &messages[0]).await.unwrap(), long);
}

#[tokio::test]
async fn a_thread_that_is_not_empty_takes_no_import() {
    let contact = contact().await;
    contact.log(&[(Author::Customer, "Hi")]).await;
    let before = items(&contact);

    assert_eq!(import(&contact, &short(3)).await.unwrap(), Imported::NotEmpty);
    assert_eq!(items(&contact), before);
}

#[tokio::test]
async fn the_same_log_again_is_there_already() {
    let contact = contact().await;
    import(&contact, &short(3)).await.unwrap();
    let again = ImportedLog { at: Timestamp::from_millis(2_000), ..short(3) };

    assert_eq!(import(&contact, &again).await.unwrap(), Imported::Already);
    assert_eq!(import(&contact, &short(4)).await.unwrap(), Imported::NotEmpty);
}

#[tokio::test]
async fn nobody_sees_half_an_import_and_no_message_is_lost_to_it() {
    let contact = contact().await;
    break_after(&contact, 2, Fault::Unsent);
    assert!(import(&contact, &short(300)).await.is_err());
    contact.table.heal();

    let head = contact.store.head(contact.id).await.unwrap().unwrap();
    assert_eq!((head.last_seq, whole_log(&contact).await.len()), (Seq::NONE, 0));
    let message = NewMessage {
        channel: Channel::Chat,
        account: Account::chat(),
        text: "Hi".into(),
        attachments: vec![],
        no_turn: false,
        at: contact.clock.now(),
        message_chars: 100,
    };
    let delivery = Delivery { account: "chat".into(), scope: "ana".into(), id: "1".into() };
    let ticket = Ticket { delivery, lease: None };
    let admission = contact.store.admit(&head, &message, &ticket).await.unwrap();
    assert!(matches!(admission, Admission::Moved), "it is sent again later");

    import(&contact, &short(300)).await.unwrap();
    let head = contact.store.head(contact.id).await.unwrap().unwrap();
    let admission = contact.store.admit(&head, &message, &ticket).await.unwrap();
    assert!(matches!(admission, Admission::Admitted(admitted) if admitted.message.seq == Seq(301)));
}

#[tokio::test]
async fn another_log_discards_an_import_that_was_never_finished() {
    let contact = contact().await;
    break_after(&contact, 3, Fault::Unsent);
    assert!(import(&contact, &short(300)).await.is_err());
    contact.table.heal();

    assert_eq!(import(&contact, &short(5)).await.unwrap(), WHOLE);
    assert_eq!(whole_log(&contact).await.len(), 5);
    let logged = |item: &&Value| item["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with("MSG#"));
    assert_eq!(contact.table.items().iter().filter(logged).count(), 5);
}

#[tokio::test]
async fn an_import_that_was_overtaken_writes_no_more() {
    let contact = contact().await;
    let (store, id) = (contact.store.clone(), contact.id);
    let mut other = None;
    let first = short(300);
    let slow = contact.store.import(contact.id, &first, |seq| {
        if seq < Seq(100) {
            let store = store.clone();
            other = Some(std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(store.import(id, &short(7), |_| {})).unwrap()
            }));
            if let Some(other) = other.take() {
                assert_eq!(other.join().unwrap(), WHOLE);
            }
        }
    });
    assert_eq!(slow.await.unwrap(), Imported::NotEmpty);
    assert_eq!(whole_log(&contact).await.len(), 7);
}

#[tokio::test]
async fn a_contact_that_is_being_erased_takes_no_import() {
    let contact = contact().await;
    contact.set_head("erasing", true).await;
    assert_eq!(import(&contact, &short(3)).await.unwrap(), Imported::Gone);
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![Just(Fault::Unsent), Just(Fault::Unanswered), Just(Fault::Conflict)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn an_interrupted_import_ends_the_same_when_it_is_run_again(
        breaks in prop::collection::vec((0_usize..5, fault()), 1..4),
        count in 1_usize..350,
        long in prop::option::of(0_usize..350),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut log = short(count);
            if let Some(long) = long.filter(|long| *long < count) {
                log.messages[long].text = "x".repeat(99_000);
            }
            let whole = contact().await;
            import(&whole, &log).await.unwrap();

            let broken = contact().await;
            for (transactions, fault) in breaks {
                break_after(&broken, transactions, fault);
                let _ = import(&broken, &log).await;
                broken.table.heal();
            }
            let end = import(&broken, &log).await.unwrap();
            assert!(matches!(end, Imported::Done { .. } | Imported::Already), "{end:?}");
            assert_eq!(items(&broken), items(&whole));
        });
    }
}
