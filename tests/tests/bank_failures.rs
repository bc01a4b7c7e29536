//! Hindsight as the bank: what is sent to it, and what becomes of a turn when it is down, slow or talks rubbish.
//! The server is a fake one; `bank_hindsight.rs` asks the real one.

use aws_sdk_dynamodb::types::AttributeValue;
use carryover_shared::admit::Answer;
use carryover_shared::contact::ContactId;
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Query, Recall, bank_id};
use carryover_shared::traits::MemoryBank;
use carryover_shared::turn::End;
use carryover_tests::hindsight::{Call, FakeHindsight, bank, exchange, query, somebody};
use carryover_tests::model::FakeModel;
use carryover_tests::table::TABLE;
use carryover_tests::world::{NoModel, World};
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;

const KEY: &str = "k-7";

/// An address at which nobody listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// What Hindsight answers a recall with, as the bank itself stores it.
fn found(bank: &str, said: &str) -> String {
    let kept = json!([{"of": {"reply": 2}, "from": 1, "to": 2, "at_millis": 0, "said": said, "replied": "We will see."}]);
    json!({"results": [{"text": kept.to_string(), "tags": [bank]}]}).to_string()
}

async fn recalled(url: &str, contact: ContactId, question: &Query) -> Recall {
    let world = World::new(NoModel).await;
    bank(url, KEY, &world.ctx.store, &world.ctx.limits).recall(contact, question).await
}

#[tokio::test]
async fn each_failure_has_its_word_and_none_looks_like_nothing() {
    let answers = [
        (200, "<html>", "unreadable"),
        (200, r#"{"results": 7}"#, "unreadable"),
        (302, "{}", "refused"),
        (400, "{}", "refused"),
        (401, "{}", "unauthorized"),
        (403, "{}", "unauthorized"),
        (404, r#"{"detail": "Not Found"}"#, "refused"),
        (429, "{}", "unavailable"),
        (500, r#"{"results": []}"#, "unavailable"),
    ];
    for (status, body, word) in answers {
        let server = FakeHindsight::answering(status, body).await;
        let recall = recalled(server.url(), somebody(), &query("the keypad")).await;
        assert_eq!(recall, Recall::Failed(word), "{status} {body}");
    }
    assert_eq!(recalled(&nobody(), somebody(), &query("the keypad")).await, Recall::Failed("unreachable"));
}

#[tokio::test]
async fn a_server_that_hangs_is_left_before_the_turn_gives_up() {
    let server = FakeHindsight::start(|_| None).await;
    let recall = recalled(server.url(), somebody(), &query("the keypad")).await;
    assert_eq!(recall, Recall::Failed("late"));
}

#[tokio::test]
async fn a_bank_that_is_missing_or_empty_has_nothing() {
    let missing = FakeHindsight::answering(404, r#"{"detail": "Bank 'customer-1' not found"}"#).await;
    assert_eq!(recalled(missing.url(), somebody(), &query("the keypad")).await, Recall::Nothing);
    let empty = FakeHindsight::answering(200, r#"{"results": []}"#).await;
    assert_eq!(recalled(empty.url(), somebody(), &query("the keypad")).await, Recall::Nothing);
}

#[tokio::test]
async fn a_query_without_a_word_makes_no_call() {
    let server = FakeHindsight::answering(500, "{}").await;
    assert_eq!(recalled(server.url(), somebody(), &query("??? 👍")).await, Recall::Nothing);
    assert!(server.calls().is_empty());
}

#[tokio::test]
async fn isolation_a_recall_names_the_contact_by_a_hash_and_asks_strictly_for_its_tag() {
    let server = FakeHindsight::answering(200, r#"{"results": []}"#).await;
    let contact = somebody();
    recalled(server.url(), contact, &query(&"keypad ".repeat(3_000))).await;
    let [call] = server.calls().try_into().expect("one call");
    let bank = bank_id(contact);
    assert_eq!(call.method, Method::POST);
    assert_eq!(call.path, format!("/v1/default/banks/{bank}/memories/recall"));
    assert_eq!(call.authorization, Some(format!("Bearer {KEY}")));
    assert_eq!((&call.body["tags"], &call.body["tags_match"]), (&json!([bank]), &json!("all_strict")));
    let asked = call.body["query"].as_str().expect("a query");
    assert!(asked.starts_with("keypad ") && asked.split_whitespace().count() <= 500, "{asked}");
}

#[tokio::test]
async fn isolation_what_comes_with_another_tag_is_not_shown() {
    let server = FakeHindsight::answering(200, &found("customer-other", "The code is 4471.")).await;
    assert_eq!(recalled(server.url(), somebody(), &query("the code")).await, Recall::Nothing);
}

/// A server that keeps what it is sent; an operation fails as long as `fails` says so of its number.
async fn keeping(fails: impl Fn(usize) -> bool + Send + Sync + 'static) -> FakeHindsight {
    let operations = std::sync::Mutex::new(Vec::<String>::new());
    FakeHindsight::start(move |call: &Call| {
        let mut operations = operations.lock().expect("a lock");
        if let Some(id) = call.body["operation_id"].as_str() {
            operations.push(id.to_owned());
        }
        operations.dedup();
        let failed = call.method == Method::GET && fails(operations.len());
        Some((200, json!({"status": if failed { "failed" } else { "pending" }}).to_string()))
    })
    .await
}

fn operations(server: &FakeHindsight) -> Vec<String> {
    let calls = server.calls().into_iter();
    calls.filter_map(|call| call.body["operation_id"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_repeated_retention_is_the_same_operation_of_the_same_document() {
    let server = keeping(|_| false).await;
    let world = World::new(NoModel).await;
    let bank = bank(server.url(), "", &world.ctx.store, &world.ctx.limits);
    let contact = somebody();
    for seq in [2, 2, 4] {
        bank.retain(contact, &exchange(seq, "Customer: the keypad blinks", "")).await.unwrap();
    }
    let [first, again, other] = operations(&server).try_into().expect("three retentions");
    assert!(first == again && first != other);
    let retained = server.calls().into_iter().filter(|call| call.path.ends_with("/memories"));
    let documents: Vec<_> = retained.map(|call| call.body["items"][0]["document_id"].clone()).collect();
    assert!(documents.iter().all(|document| *document == documents[0]), "{documents:?}");
    assert!(server.calls().iter().all(|call| call.authorization.is_none()));
}

#[tokio::test]
async fn what_failed_there_is_kept_again_under_another_id_and_not_for_ever() {
    let world = World::new(NoModel).await;
    let keep = async |server: &FakeHindsight| {
        let bank = bank(server.url(), "", &world.ctx.store, &world.ctx.limits);
        bank.retain(somebody(), &exchange(2, "Customer: the keypad blinks", "")).await
    };
    let once = keeping(|submitted| submitted == 1).await;
    assert_eq!(keep(&once).await, Ok(()));
    assert_eq!(operations(&once).len(), 2);

    let always = keeping(|_| true).await;
    assert_eq!(keep(&always).await.unwrap_err().code, "refused");
    let mut ids = operations(&always);
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[tokio::test]
async fn quiet_logs_what_a_bank_refuses_is_said_without_its_text() {
    let world = World::new(NoModel).await;
    for (status, word) in [(401, "unauthorized"), (422, "refused"), (503, "unavailable")] {
        let server = FakeHindsight::answering(status, r#"{"detail": "4471 is a secret"}"#).await;
        let bank = bank(server.url(), KEY, &world.ctx.store, &world.ctx.limits);
        let retained = bank.retain(somebody(), &exchange(2, "Customer: my code is 4471", "")).await;
        let error = retained.unwrap_err().to_string();
        assert!(error.ends_with(word), "{error}");
        assert!(!error.contains("4471") && !error.contains(KEY), "{error}");
        let paths: Vec<String> = server.calls().into_iter().map(|call| call.path).collect();
        assert!(paths.iter().all(|path| !path.contains("4471")), "{paths:?}");
    }
}

/// Puts a spill into the table, as a fold does.
async fn spill(world: &World, contact: ContactId, text: &str) {
    let number = |n: &str| AttributeValue::N(n.into());
    let put = world.table.client().put_item().table_name(TABLE);
    put.item("pk", AttributeValue::S(format!("MEMORY#{contact}")))
        .item("sk", AttributeValue::S("SPILL#0000000001#0000".into()))
        .item("text", AttributeValue::S(text.into()))
        .item("from_seq", number("1"))
        .item("to_seq", number("1"))
        .item("at_millis", number("0"))
        .send()
        .await
        .expect("a spill");
}

#[tokio::test]
async fn erasable_forgetting_empties_the_server_and_the_table_whatever_the_other_says() {
    let world = World::new(NoModel).await;
    let contact = somebody();
    spill(&world, contact, "The terrace costs 480 euro.").await;
    let down = bank(&nobody(), "", &world.ctx.store, &world.ctx.limits);
    assert_eq!(down.forget(contact).await.unwrap_err().code, "unreachable");
    assert!(world.ctx.store.spills(contact, 10).await.unwrap().is_empty());

    let server = FakeHindsight::answering(200, r#"{"success": true}"#).await;
    let up = bank(server.url(), "", &world.ctx.store, &world.ctx.limits);
    assert_eq!(up.forget(contact).await, Ok(()));
    let [call] = server.calls().try_into().expect("one call");
    let path = format!("/v1/default/banks/{}", bank_id(contact));
    assert_eq!((call.method, call.path), (Method::DELETE, path));
}

/// What the model was shown as memories in a turn of a contact with this bank, who was replied to.
async fn memories_shown(url: &str, spilled: Option<&str>) -> String {
    let reply = json!({"action": "reply", "reply": "Noted.", "category": "", "reason": ""});
    let model = FakeModel::new(move |_| Ok(reply.clone()));
    // A prompt shows nothing but the newest message, so that memories are asked for the rest.
    let small = Limits { window_messages: 1, pending_messages: 0, ..Limits::default() };
    // On a busy machine the table takes part of the time.
    let limits = Limits { recall_millis: 4_000, ..small };
    let mut world = World::with_limits(model.clone(), limits).await;
    world.write("ana", "m1", "hello").await.expect("an answer");
    world.ctx.bank = Arc::new(bank(url, "", &world.ctx.store, &world.ctx.limits));
    if let Some(text) = spilled {
        spill(&world, world.contact("ana").await, text).await;
    }
    let answer = world.write("ana", "m2", "What did the terrace cost?").await.expect("an answer");
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
    let prompt = model.questions().pop().expect("a question").user;
    let (_, memories) = prompt.split_once("# Memories").expect("a section");
    memories.split("\n# ").next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_prompt_shows_what_hindsight_recalled() {
    let server = FakeHindsight::start(|call| {
        let bank = call.path.split('/').nth(4).unwrap_or_default();
        Some((200, found(bank, "Customer: the terrace costs 480 euro")))
    })
    .await;
    let shown = memories_shown(server.url(), None).await;
    assert!(shown.contains("the terrace costs 480 euro") && shown.contains("We will see."), "{shown}");
    assert!(!shown.contains("could not be read"), "{shown}");
}

#[tokio::test]
async fn optional_is_optional_without_hindsight_the_reply_comes_and_the_prompt_says_failed() {
    let broken = FakeHindsight::answering(500, "").await;
    for server in [nobody().as_str(), broken.url()] {
        let shown = memories_shown(server, None).await;
        assert!(shown.contains("Failed: the memory could not be read."), "{shown}");
    }
}

#[tokio::test]
async fn optional_is_optional_what_folds_spilled_is_found_though_hindsight_hangs() {
    let server = FakeHindsight::start(|_| None).await;
    let shown = memories_shown(server.url(), Some("The terrace costs 480 euro.")).await;
    assert!(shown.contains("480 euro"), "{shown}");
    assert!(shown.contains("A part of the memory could not be read"), "{shown}");
}

#[tokio::test]
async fn what_folds_spilled_is_searched_beside_hindsight() {
    let world = World::new(NoModel).await;
    let contact = somebody();
    spill(&world, contact, "The terrace costs 480 euro.").await;
    let server =
        FakeHindsight::answering(200, &found(&bank_id(contact), "Customer: terrace tiles are slippery"))
            .await;
    let bank = bank(server.url(), "", &world.ctx.store, &world.ctx.limits);
    let Recall::Found(memories) = bank.recall(contact, &query("the terrace")).await else {
        panic!("both answered");
    };
    let said: Vec<&str> = memories.iter().map(|memory| memory.said.as_str()).collect();
    assert_eq!(said, ["Customer: terrace tiles are slippery", "The terrace costs 480 euro."]);
}
