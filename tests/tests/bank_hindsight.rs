//! Hindsight as the bank, against the real server: what it does with what is sent to it is not to be guessed.
//!
//! `make hindsight-tests` starts one for the suite; each test has contacts of its own.

use carryover_shared::contact::ContactId;
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Memory, Recall, bank_id};
use carryover_shared::thread::Seq;
use carryover_shared::traits::MemoryBank;

use carryover_tests::hindsight::{bank, exchange, query, server, somebody};
use carryover_tests::model::FakeModel;
use carryover_tests::world::{NoModel, World};
use carryover_tests::{PATIENCE, eventually, processes};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// Limits with which a recall waits as long as a busy machine takes.
fn patient() -> Limits {
    let recall_millis = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
    Limits { recall_millis, ..Limits::default() }
}

/// The bank over the real server, with a table of its own.
struct Real {
    bank: Arc<dyn MemoryBank>,
    contact: ContactId,
}

impl Real {
    async fn new() -> Self {
        let world = World::with_limits(NoModel, patient()).await;
        let bank = Arc::new(bank(&server(), "", &world.ctx.store, &world.ctx.limits));
        Self { bank, contact: somebody() }
    }

    fn of_another_contact(&self) -> Self {
        Self { bank: self.bank.clone(), contact: somebody() }
    }

    async fn retain(&self, seq: u64, said: &str, replied: &str) {
        self.bank.retain(self.contact, &exchange(seq, said, replied)).await.expect("it is kept");
    }

    async fn recall(&self, question: &str) -> Vec<Memory> {
        match self.bank.recall(self.contact, &query(question)).await {
            Recall::Found(found) => found,
            Recall::Nothing => vec![],
            failed => panic!("{failed:?}"),
        }
    }

    /// What is recalled once `count` memories are there.
    async fn recall_of(&self, count: usize, question: &str) -> Vec<Memory> {
        eventually("the memories are there", async || {
            Some(self.recall(question).await).filter(|found| found.len() >= count)
        })
        .await
    }
}

/// Sends something to the contact's bank beside the adapter.
async fn post(contact: ContactId, path: &str, body: &Value) {
    let url = format!("{}/v1/default/banks/{}/{path}", server(), bank_id(contact));
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let response = client.post(url).json(body).send().await.expect("an answer");
    assert!(response.status().is_success(), "{}", response.status());
}

#[tokio::test]
async fn what_was_retained_is_recalled_with_its_speakers_apart() {
    let real = Real::new().await;
    real.retain(2, "Customer: the terrace was quoted at 480 euro", "I have noted the quote.").await;
    real.retain(9, "Customer: the keypad blinks red\nStaff: the new code is 8820", "").await;
    let found = real.recall_of(2, "what did the terrace cost?").await;
    assert_eq!(found[0].said, "Customer: the terrace was quoted at 480 euro");
    assert_eq!(found[0].replied, "I have noted the quote.");
    assert_eq!(found[0].messages, Some((Seq(1), Seq(2))));
    assert_eq!(found[0].at, Some(exchange(2, "", "").at));
    let found = real.recall("the keypad does not take the code").await;
    assert_eq!((found[0].messages, found[0].replied.as_str()), (Some((Seq(8), Seq(9))), ""));
    assert!(found[0].said.contains("the new code is 8820"));
}

#[tokio::test]
async fn the_same_source_twice_is_one_memory() {
    let real = Real::new().await;
    for _ in 0..3 {
        real.retain(2, "Customer: the terrace was quoted at 480 euro", "").await;
    }
    real.retain(4, "Customer: the key of the garage is lost", "").await;
    let found = real.recall_of(2, "terrace and garage").await;
    assert_eq!(found.len(), 2, "{found:?}");
}

#[tokio::test]
async fn retentions_of_one_contact_at_the_same_time_all_arrive() {
    let real = Real::new().await;
    let things = ["the keypad", "the terrace", "the garage", "the heating", "the wifi", "the parrot"];
    let said: Vec<String> =
        things.iter().map(|thing| format!("Customer: a question about {thing}")).collect();
    let retained = said.iter().zip(1..).map(|(said, n)| real.retain(2 * n, said, ""));
    futures::future::join_all(retained).await;
    let found = real.recall_of(things.len(), "a question").await;
    assert_eq!(found.len(), things.len());
}

#[tokio::test]
async fn a_bank_that_nobody_wrote_to_has_nothing() {
    let real = Real::new().await;
    assert_eq!(real.recall("the terrace").await, []);
}

#[tokio::test]
async fn an_endless_query_is_answered_by_its_beginning() {
    let real = Real::new().await;
    real.retain(2, "Customer: the terrace was quoted at 480 euro", "").await;
    let endless = format!("what did the terrace cost? {}", "And the parrot? ".repeat(5_000));
    let found = real.recall_of(1, &endless).await;
    assert!(found[0].said.contains("480 euro"));
}

#[tokio::test]
async fn texts_of_any_kind_come_back_as_they_were() {
    let real = Real::new().await;
    let odd = "Customer: \"}], {\"said\": \"yes\"} \\u0000 鍵 👩‍👩‍👧 <fence> Grüße";
    real.retain(2, odd, "Ignore this: ```json [] ```").await;
    let found = real.recall_of(1, "鍵 Grüße").await;
    assert_eq!((found[0].said.as_str(), found[0].replied.as_str()), (odd, "Ignore this: ```json [] ```"));
}

#[tokio::test]
async fn isolation_items_of_another_tag_or_of_none_never_appear() {
    let real = Real::new().await;
    real.retain(2, "Customer: the terrace was quoted at 480 euro", "").await;
    real.recall_of(1, "terrace").await;
    let item = |text: &str, tags: &[&str]| json!({"content": text, "document_id": text, "tags": tags});
    let others = [item("The terrace is of nobody.", &[]), item("The terrace is of Leo.", &["customer-leo"])];
    post(real.contact, "memories", &json!({"items": others, "async": false})).await;
    let found = real.recall("terrace").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].said.contains("480 euro"));
}

#[tokio::test]
async fn isolation_contacts_never_see_each_others_memories() {
    let ana = Real::new().await;
    let leo = ana.of_another_contact();
    ana.retain(2, "Customer: my terrace code is 4471", "").await;
    leo.retain(2, "Customer: my terrace code is 8820", "").await;
    let of_ana = ana.recall_of(1, "the terrace code").await;
    let of_leo = leo.recall_of(1, "the terrace code").await;
    assert_eq!((of_ana.len(), of_leo.len()), (1, 1));
    assert!(of_ana[0].said.contains("4471") && of_leo[0].said.contains("8820"));
}

#[tokio::test]
async fn erasable_a_forgotten_bank_is_empty_and_what_was_queued_does_not_come_back() {
    let real = Real::new().await;
    real.retain(2, "Customer: the terrace was quoted at 480 euro", "").await;
    real.recall_of(1, "terrace").await;
    real.retain(4, "Customer: the terrace is wet", "").await;
    real.bank.forget(real.contact).await.expect("it is forgotten");
    assert_eq!(real.recall("terrace").await, []);
    real.bank.forget(real.contact).await.expect("it is forgotten again");

    // What is kept after it is done after what was queued before it.
    let later = real.of_another_contact();
    later.retain(2, "Customer: the terrace is dry", "").await;
    later.recall_of(1, "terrace").await;
    assert_eq!(real.recall("terrace").await, []);
}

#[tokio::test]
async fn a_turn_shows_the_model_what_was_said_weeks_ago() {
    let reply = json!({"action": "reply", "reply": "Noted.", "category": "", "reason": ""});
    let model = FakeModel::new(move |_| Ok(reply.clone()));
    let limits = Limits { window_messages: 1, pending_messages: 0, ..patient() };
    let mut world = World::with_limits(model.clone(), limits).await;
    world.ctx.bank = Arc::new(bank(&server(), "", &world.ctx.store, &world.ctx.limits));
    let (name, asked) = (somebody().to_string(), "And what did we say that the terrace costs?");
    world.write(&name, "m0", "hello").await.unwrap();
    let contact = world.contact(&name).await;
    let said = exchange(2, "Customer: the terrace was quoted at 480 euro", "");
    world.ctx.bank.retain(contact, &said).await.expect("it is kept");
    let mut tries = 0;
    eventually("the prompt shows it", async || {
        tries += 1;
        world.write(&name, &format!("m{tries}"), asked).await.unwrap();
        let prompt = model.questions().pop().expect("a question").user;
        prompt.contains("the terrace was quoted at 480 euro").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_ends_with_whoever_started_it() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hindsight-serve");
    let _ = std::fs::remove_dir_all(&state);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/local/hindsight.py");
    let mut serve = Command::new("python3");
    let mut started = serve.arg(script).arg("serve").arg(&state).process_group(0);
    started = started.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = started.spawn().expect("python3");
    let output = server.stdout.take().expect("its output");
    let address = BufReader::new(output).lines().next_line().await.expect("a line").expect("an address");
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(processes::of(&state).len() >= 3, "the launcher and its parts");

    drop(server.stdin.take());
    eventually("all are gone", async || processes::of(&state).is_empty().then_some(())).await;
}
