//! What is said and done gets into the memory bank, off the path of any reply; what could not is told and replayed.

use crate::customer::Customer;
use crate::records::Records;
use carryover_tests::command::{Ran, carryover, shared_dir};
use carryover_tests::eventually;
use carryover_tests::scripted_model::Then;
use carryover_tests::stack;
use serde_json::{Value, json};

async fn run(arguments: &[&str]) -> Ran {
    carryover(&shared_dir(), arguments, "").await.expect("a command")
}

/// Puts a job on the queue of retentions, as the console will.
async fn send(job: &Value) {
    let outputs = stack::shared().outputs().clone();
    let sqs = aws_sdk_sqs::Client::new(&carryover_shared::aws::config_of(&outputs.endpoint).await);
    let message = sqs.send_message().queue_url(&outputs.queues["retention"]);
    message.message_body(job.to_string()).send().await.expect("the queue takes it");
}

/// The lines in which the retainer tells that it gave up something of a contact.
fn given_up(contact: &str) -> Vec<Value> {
    let log = std::fs::read_to_string(shared_dir().join("functions.log")).expect("a log");
    let lines = log.lines().filter_map(|line| line.strip_prefix("Retainer "));
    let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["metric"] == "retention_failed" && line["contact"] == contact).collect()
}

#[tokio::test]
async fn a_reply_becomes_a_memory() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    customer.script(customer.rule("reply", &[]).then(Then::reply("Until late."))).await;
    customer.say("Is the pool open?").await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");

    let memory = records.remembered(&contact, "REPLY#0000000002").await;

    assert_eq!(memory["said"], format!("customer: {}", customer.signed("Is the pool open?")));
    assert_eq!(memory["replied"], "Until late.");
}

#[tokio::test]
async fn a_case_that_is_resolved_from_a_shell_becomes_a_memory_and_its_notice_none() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let answer = customer.say("I want to talk to a human").await;
    assert_eq!(answer.body["status"], "escalated", "{answer:?}");
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let resolved = run(&["hand-back", &customer.identity(), "--resolve"]).await;
    assert!(resolved.success && resolved.stderr.is_empty(), "{resolved:?}");

    let memory = records.remembered(&contact, "CASE#").await;

    let said = memory["said"].as_str().expect("a text");
    let asked = format!("customer: {}", customer.signed("I want to talk to a human"));
    assert!(said.starts_with("case: customer_request") && said.ends_with(&asked), "{said}");
    assert_eq!(records.memories(&contact).await.len(), 1);
}

#[tokio::test]
async fn what_fails_five_times_is_told_and_replayed_once_it_can_be_done() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    customer.say("Is the pool open?").await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let feedback = |text: Value| {
        json!({"pk": format!("CONTACT#{contact}"), "sk": "FEEDBACK#0000000002", "seq": 2, "rating": "down",
            "text": text, "at_millis": 1_796_292_000_000_u64})
    };
    records.put(feedback(json!(["unreadable"]))).await;
    send(&json!({"contact_id": contact, "what": "feedback", "seq": 2})).await;
    let told = eventually("the retainer gives up", async || given_up(&contact).pop()).await;
    assert_eq!((&told["receives"], &told["level"]), (&json!(5), &json!("ERROR")), "{told}");
    assert!(!told.to_string().contains(&customer.word), "quiet-logs: {told}");

    records.put(feedback(json!("It was closed."))).await;
    eventually("a dead letter is queued again", async || {
        let ran = run(&["redrive", "retention"]).await;
        assert!(ran.success, "{ran:?}");
        ran.stdout.contains("queued again").then_some(())
    })
    .await;

    let memory = records.remembered(&contact, "FEEDBACK#0000000002").await;
    assert_eq!(memory["said"], "customer: thumbs down; It was closed.");
    assert_eq!(given_up(&contact).len(), 1);
    let again = run(&["redrive", "retention"]).await;
    assert!(again.success && again.stdout.contains("no dead letters"), "{again:?}");
}
