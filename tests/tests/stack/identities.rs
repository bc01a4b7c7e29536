//! Who is who, over the running deployment: a customer who goes, and two who are one.

use crate::customer::Customer;
use crate::records::Records;
use carryover_command::sign_in;
use carryover_tests::command::{carryover, shared_dir};
use carryover_tests::scripted_model::Then;
use carryover_tests::{eventually, stack};
use reqwest::StatusCode;
use serde_json::json;
use ulid::Ulid;

#[tokio::test]
async fn erasable_one_command_removes_a_customer_everywhere() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    customer.say("My spare key is with Mrs Okonkwo in flat 7C.").await;
    let identity = customer.identity();
    let contact = records.contact(&identity).await.expect("a contact");
    records.remembered(&contact, "REPLY#").await;
    let asked = carryover(&shared_dir(), &["forget", &identity], "").await.expect("a command");
    assert!(!asked.success && asked.stderr.contains("--yes"), "{asked:?}");
    assert_eq!(records.contact(&identity).await.as_deref(), Some(contact.as_str()));

    let forgot = carryover(&shared_dir(), &["forget", &identity, "--yes"], "").await.expect("a command");

    assert!(forgot.success && forgot.stdout.contains("Everything is deleted."), "{forgot:?}");
    assert_eq!(records.contact(&identity).await, None);
    assert_eq!(records.memories(&contact).await, [] as [serde_json::Value; 0]);
    let left: Vec<String> = records.sizes(&contact).await.into_iter().map(|(key, _)| key).collect();
    assert_eq!(left, ["HEAD"]);
    assert!(customer.thread().await.is_empty(), "whoever comes now is somebody new");
    let gone = carryover(&shared_dir(), &["forget", &identity, "--yes"], "").await.expect("a command");
    assert!(!gone.success && gone.stderr.contains("nobody is known as"), "{gone:?}");
}

#[tokio::test]
async fn two_customers_who_are_joined_have_one_memory() {
    let (here, there) = (Customer::new(), Customer::new());
    let records = Records::shared().await;
    there.say("My spare key is with Mrs Okonkwo in flat 7C.").await;
    here.script(here.rule("reply", &["Okonkwo"]).then(Then::reply("Mrs Okonkwo has it."))).await;
    here.say("Hello there.").await;
    let (kept, closed) = (records.contact(&here.identity()).await, records.contact(&there.identity()).await);
    let (kept, closed) = (kept.expect("a contact"), closed.expect("a contact"));
    records.remembered(&closed, "REPLY#").await;

    let outputs = stack::shared().outputs().clone();
    let token = sign_in::id_token(&outputs, "alex").await.expect("a token");
    let path = format!("{}/v1/customers/{}/join", outputs.api_url, here.identity());
    let request = sign_in::browser().expect("a client").post(path).bearer_auth(token);
    let request = request.header("idempotency-key", Ulid::generate().to_string());
    let answer = request.json(&json!({"identity": there.identity()})).send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);

    eventually("what the other thread knew is in its bank", async || {
        (!records.spills(&closed).await.is_empty()).then_some(())
    })
    .await;
    let answer = here.say("Who has my spare key?").await;
    assert_eq!(answer.reply(), "Mrs Okonkwo has it.");
    assert_eq!(records.contact(&there.identity()).await, Some(kept));
}
