//! The embedded memory bank, from a retention to a later turn's prompt.

use carryover_shared::bank::Embedded;
use carryover_shared::contact::ContactId;
use carryover_shared::fold;
use carryover_shared::job::{FoldJob, FoldReason};
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Exchange, Memory, Origin, Query};
use carryover_shared::thread::{Author, Seq};
use carryover_shared::trace::{Outcome, Trace};
use carryover_shared::traits::{Clock, MemoryBank, Question};
use carryover_tests::contact::TestContact;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::table::Fault;
use carryover_tests::world::{NoModel, World};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn replies(text: &str) -> Said {
    Ok(json!({"action": "reply", "reply": text, "category": "", "reason": ""}))
}

fn noted() -> FakeModel {
    FakeModel::new(|_: &Question| replies("Noted."))
}

/// Limits under which a message is soon out of the prompt.
fn small() -> Limits {
    Limits { window_messages: 2, pending_messages: 0, ..Limits::default() }
}

fn exchange(seq: u64, said: &str, replied: &str) -> Exchange {
    let at = carryover_shared::time::Timestamp::from_millis(1_796_000_000_000);
    let (origin, seq) = (Origin::Reply(Seq(seq)), Seq(seq));
    Exchange { origin, said: said.into(), replied: replied.into(), from_seq: seq.prev(), to_seq: seq, at }
}

async fn retain(world: &World, contact: ContactId, exchange: &Exchange) {
    world.ctx.bank.retain(contact, exchange).await.expect("a bank");
}

/// What the bank has for these words.
async fn recall(world: &World, contact: ContactId, text: &str) -> Vec<Memory> {
    let query = Query { text: text.into(), at: world.clock.now(), before: Seq(1_000_000) };
    world.ctx.bank.recall(contact, &query).await.memories().to_vec()
}

/// The items of a contact's bank whose keys start like this.
fn items(world: &World, contact: ContactId, prefix: &str) -> Vec<Value> {
    let pk = format!("MEMORY#{contact}");
    let is_here = |item: &Value| {
        item["pk"]["S"] == pk.as_str() && item["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with(prefix))
    };
    world.table.items().into_iter().filter(is_here).collect()
}

async fn last_trace(world: &World, contact: ContactId) -> Trace {
    let mut traces = world.ctx.store.traces::<Trace, Outcome>(contact, 1).await.expect("a table");
    traces.pop().expect("a trace").0
}

/// What a prompt says about memories.
fn memories_in(question: &Question) -> &str {
    let (_, from) = question.user.split_once("# Memories").expect("a section");
    from.split_once("\n# ").expect("another section").0
}

/// A thread whose first message is out of the prompt and was retained.
async fn with_a_memory(model: &FakeModel) -> (World, ContactId) {
    let world = World::with_limits(model.clone(), small()).await;
    world.write("ana", "m1", "My parking spot is P-4471, next to the ramp.").await.expect("an answer");
    let contact = world.contact("ana").await;
    retain(&world, contact, &exchange(2, "customer: My parking spot is P-4471, next to the ramp.", "Noted."))
        .await;
    world.write("ana", "m2", "The weather is nice here.").await.expect("an answer");
    (world, contact)
}

#[tokio::test]
async fn a_retained_exchange_is_recalled_in_a_later_turn() {
    let model = noted();
    let (world, contact) = with_a_memory(&model).await;
    world.write("ana", "m3", "Which parking spot did I tell you?").await.expect("an answer");
    let question = model.questions().pop().expect("a question");
    let memories = memories_in(&question);
    assert!(
        memories.contains("(messages 1 to 2") && memories.contains("P-4471, next to the ramp."),
        "{memories}"
    );
    assert!(memories.contains("| the bot replied: Noted."), "{memories}");
    let trace = last_trace(&world, contact).await;
    assert_eq!(trace.recall, "found");
    assert_eq!(trace.context.memories[0].origin, Some(Origin::Reply(Seq(2))));
}

#[tokio::test]
async fn what_the_prompt_shows_word_for_word_is_not_recalled() {
    let model = noted();
    let world = World::new(model.clone()).await;
    world.write("ana", "m1", "My parking spot is P-4471.").await.expect("an answer");
    let contact = world.contact("ana").await;
    retain(&world, contact, &exchange(2, "customer: My parking spot is P-4471.", "Noted.")).await;
    world.write("ana", "m2", "Which parking spot did I tell you?").await.expect("an answer");
    let question = model.questions().pop().expect("a question");
    assert!(memories_in(&question).contains("None match.") && question.user.contains("P-4471"));
}

/// What is wrong with the queries of the bank.
fn break_bank(world: &World, fault: Fault, which: &'static str) {
    world.table.inject(move |operation, request| {
        let request = request.to_string();
        let hit = operation == "Query" && request.contains("\"MEMORY#") && request.contains(which);
        hit.then_some(fault)
    });
}

#[tokio::test]
async fn found_nothing_and_failed_never_look_alike() {
    let model = noted();
    let (world, contact) = with_a_memory(&model).await;
    let mut seen = vec![];
    let mut ask = async |id: &str, text: &str| {
        world.write("ana", id, text).await.expect("an answer");
        let question = model.questions().pop().expect("a question");
        seen.push((last_trace(&world, contact).await.recall, memories_in(&question).to_owned()));
    };
    ask("found", "Which parking spot did I tell you?").await;
    ask("nothing", "Do you sell umbrellas?").await;
    break_bank(&world, Fault::Unsent, "MEMORY#");
    ask("down", "Which parking spot did I tell you?").await;
    break_bank(&world, Fault::Hangs, "MEMORY#");
    ask("late", "Which parking spot did I tell you?").await;
    break_bank(&world, Fault::Unsent, "\"SPILL#");
    ask("partly", "Which parking spot did I tell you?").await;
    let words: Vec<&str> = seen.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["found", "nothing", "failed:unavailable", "failed:late", "partly:unavailable"]);
    let shown: Vec<&str> = seen.iter().map(|(_, shown)| shown.as_str()).collect();
    assert!(shown[0].contains("P-4471") && !shown[0].contains("could not be read"));
    assert!(shown[1].contains("None match."));
    for failed in [shown[2], shown[3]] {
        assert!(failed.contains("Failed: the memory could not be read.") && !failed.contains("None match."));
    }
    assert!(shown[4].contains("P-4471") && shown[4].contains("there may be more"));
}

#[tokio::test]
async fn a_message_without_a_word_asks_no_bank() {
    let model = noted();
    let (world, contact) = with_a_memory(&model).await;
    world.table.take_calls();
    world.write("ana", "m3", "👍👍 !!").await.expect("an answer");
    let asked =
        world.table.take_calls().into_iter().filter(|call| call.request.to_string().contains("\"MEMORY#"));
    assert_eq!(asked.count(), 0);
    assert_eq!(last_trace(&world, contact).await.recall, "nothing");
}

#[tokio::test]
async fn a_vague_message_finds_what_the_open_question_names() {
    let model = noted();
    let (world, contact) = with_a_memory(&model).await;
    world.set_snapshot(contact, "open_questions", ["Is the parking spot big enough for a van?"]).await;
    world.write("ana", "m3", "what about the other one?").await.expect("an answer");
    assert!(memories_in(&model.questions().pop().expect("a question")).contains("P-4471"));
}

#[tokio::test]
async fn a_repeated_job_writes_the_same_item_and_counts_nothing_twice() {
    let model = noted();
    let (world, contact) = with_a_memory(&model).await;
    world.write("ana", "m3", "Which parking spot did I tell you?").await.expect("an answer");
    let reply = exchange(6, "customer: Which parking spot did I tell you?", "Noted.");
    retain(&world, contact, &reply).await;
    let once = items(&world, contact, "REPLY#");
    assert_eq!(once.len(), 2);
    assert_eq!(once.iter().map(|item| item["recalls"]["N"].as_str().unwrap_or("0")).max(), Some("1"));
    retain(&world, contact, &reply).await;
    assert_eq!(items(&world, contact, "REPLY#"), once);
}

#[tokio::test]
async fn near_duplicates_are_one_item() {
    let (world, contact) = with_a_memory(&noted()).await;
    let again = "customer: My parking spot is P-4471, next to the ramp!";
    retain(&world, contact, &exchange(4, again, "Noted.")).await;
    let kept = items(&world, contact, "REPLY#");
    assert_eq!(kept.len(), 1);
    assert_eq!((&kept[0]["sk"]["S"], &kept[0]["to_seq"]["N"]), (&json!("REPLY#0000000002"), &json!("4")));
}

#[tokio::test]
async fn facts_survive_a_full_bank_keeps_every_value() {
    let world = World::with_limits(noted(), Limits { bank_items: 4, ..small() }).await;
    world.write("ana", "m1", "hello").await.expect("an answer");
    let contact = world.contact("ana").await;
    let things = ["locker", "parcel", "bicycle", "umbrella", "passport", "suitcase", "key", "ticket"];
    let of = |n: usize| {
        let (thing, number) = (things[n % things.len()], 7_300 + n);
        exchange(2 * n as u64 + 2, &format!("customer: The number of my {thing} is AB-{number}."), "Noted.")
    };
    for n in (0..24).step_by(2) {
        // Two retainers at once: one of them reads again.
        let (one, other) = (of(n), of(n + 1));
        futures::join!(retain(&world, contact, &one), retain(&world, contact, &other));
    }
    assert!(items(&world, contact, "REPLY#").len() <= 4);
    for n in 0..24 {
        let number = format!("AB-{}", 7_300 + n);
        let found = recall(&world, contact, &format!("What was {number} again?")).await;
        assert!(found.iter().any(|memory| memory.said.contains(&number)), "{number} in {found:?}");
    }
}

async fn fold_without_model(contact: &TestContact, up_to: Seq) {
    let ctx = fold::Context {
        store: contact.store.clone(),
        model: Arc::new(NoModel),
        clock: contact.clock.clone(),
        limits: contact.limits.clone(),
        retention: None,
    };
    let job = FoldJob { contact_id: contact.id, up_to, why: FoldReason::Reply };
    fold::run(&ctx, job, contact.clock.now() + Duration::from_secs(300)).await.expect("a fold");
}

#[tokio::test]
async fn facts_survive_spills_beyond_the_page_are_piled_up_and_found() {
    let limits = Limits { bank_items: 6, history_chars: 300, window_messages: 2, ..Limits::default() };
    let contact = TestContact::new(limits).await;
    let texts: Vec<String> =
        (0..60).map(|n| format!("The number of box {n} is BX-{}, as I said.", 5_000 + n)).collect();
    let log: Vec<(Author, &str)> = texts.iter().map(|text| (Author::Customer, text.as_str())).collect();
    let up_to = contact.log(&log).await;
    for _ in 0..8 {
        fold_without_model(&contact, up_to).await;
    }
    let snapshot = contact.snapshot().await;
    assert_eq!(snapshot.folded_through, Seq(58));
    assert!(contact.spills().await.len() <= 6);
    let bank = Embedded::new(contact.store.clone(), &contact.limits);
    for n in 0..58 {
        let number = format!("BX-{}", 5_000 + n);
        let query =
            Query { text: format!("Which box is {number}?"), at: contact.clock.now(), before: Seq(99) };
        let found = bank.recall(contact.id, &query).await;
        let shown =
            found.memories().iter().any(|memory| memory.said.contains(&format!("is {number}, as I said.")));
        assert!(shown || snapshot.history.contains(&number), "{number} in {found:?}");
    }
}

#[tokio::test]
async fn spills_are_searched_without_the_exchanges_for_a_bank_elsewhere() {
    let contact =
        TestContact::new(Limits { history_chars: 60, window_messages: 1, ..Limits::default() }).await;
    let said = "The number of my box is BX-5001, as I said, and it is a heavy one.";
    let up_to = contact.log(&[(Author::Customer, said), (Author::Customer, "Thanks.")]).await;
    fold_without_model(&contact, up_to).await;
    let bank = Embedded::new(contact.store.clone(), &contact.limits);
    bank.retain(contact.id, &exchange(2, "customer: My other box is BX-5002.", "Noted."))
        .await
        .expect("a bank");
    let query = Query { text: "Which box?".into(), at: contact.clock.now(), before: Seq(99) };
    let both = bank.recall(contact.id, &query).await;
    let spills = bank.recall_spills(contact.id, &query).await;
    assert_eq!((both.memories().len(), spills.memories().len()), (2, 1));
    assert!(spills.memories()[0].said.contains("BX-5001"));
}

#[tokio::test]
async fn erasable_nothing_is_kept_of_a_contact_that_is_being_erased() {
    let contact = TestContact::new(Limits::default()).await;
    contact.set_head("erasing", true).await;
    let bank = Embedded::new(contact.store.clone(), &contact.limits);
    bank.retain(contact.id, &exchange(2, "customer: My parking spot is P-4471.", "Noted."))
        .await
        .expect("a bank");
    assert!(contact.store.memories(contact.id, 10).await.expect("a table").is_empty());
}

#[tokio::test]
async fn a_bank_that_is_forgotten_is_empty() {
    let (world, contact) = with_a_memory(&noted()).await;
    world.ctx.bank.forget(contact).await.expect("a bank");
    assert!(items(&world, contact, "").is_empty());
}

/// What two customers do with their banks.
#[derive(Debug, Clone)]
enum Act {
    Retain { who: usize, seq: u64 },
    Recall { who: usize },
    Write { who: usize },
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..2_usize, 1..9_u64).prop_map(|(who, seq)| Act::Retain { who, seq }),
        (0..2_usize).prop_map(|who| Act::Recall { who }),
        (0..2_usize).prop_map(|who| Act::Write { who }),
    ]
}

async fn play(acts: Vec<Act>) -> Result<(), TestCaseError> {
    let secrets = ["SPOT-1111", "SPOT-2222"];
    let names = ["ana", "leo"];
    let model = noted();
    let world = World::with_limits(model.clone(), small()).await;
    let mut contacts = vec![];
    for who in names {
        world.write(who, "first", "hello there").await.expect("an answer");
        contacts.push(world.contact(who).await);
    }
    for (n, act) in acts.into_iter().enumerate() {
        match act {
            Act::Retain { who, seq } => {
                let said = format!("customer: My parking spot number {seq} is {}-{seq}.", secrets[who]);
                retain(&world, contacts[who], &exchange(2 * seq, &said, "Noted.")).await;
            }
            Act::Recall { who } => {
                let found = recall(&world, contacts[who], "Which parking spots did I tell you?").await;
                let other = secrets[1 - who];
                prop_assert!(!format!("{found:?}").contains(other), "{found:?}");
            }
            Act::Write { who } => {
                let text = "Which parking spots did I tell you?";
                world.write(names[who], &format!("m{n}"), text).await.expect("an answer");
                let question = model.questions().pop().expect("a question");
                prop_assert!(!question.user.contains(secrets[1 - who]), "{}", question.user);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn isolation_nothing_of_one_bank_is_recalled_for_another(acts in proptest::collection::vec(act(), 1..16)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(play(acts))?;
    }
}
