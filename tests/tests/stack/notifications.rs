//! A new case is told to its team, by a signed webhook, and passed on where nobody takes it.

use crate::customer::Customer;
use crate::records::Records;
use carryover_tests::command::{carryover, shared_dir};
use carryover_tests::eventually;
use carryover_tests::receiver::{self, Received, SECRET};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What came under this path about a case.
async fn arrived(path: &str, case: &str) -> Vec<Received> {
    let received = receiver::shared_received().await.into_iter();
    received.filter(|received| received.path == path && received.body.contains(case)).collect()
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(now.as_secs()).expect("a time")
}

/// The case that a customer's question opened, once it is answered with a notice.
async fn case_of(customer: &Customer, records: &Records) -> (String, Value) {
    let answer = customer.say("When do I get my deposit back?").await;
    assert_eq!(answer.body["status"], "escalated", "{answer:?}");
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let case = records.cases(&contact).await.pop().expect("a case");
    (contact, case)
}

#[tokio::test]
async fn a_question_about_a_deposit_reaches_its_team_within_half_a_minute() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let (contact, case) = case_of(&customer, &records).await;
    assert_eq!((&case["team"], &case["priority"]), (&json!("desk"), &json!("normal")));
    let id = case["case_id"].as_str().expect("an id");

    let told = eventually("the team is told", async || arrived("/hook/desk", id).await.pop()).await;

    assert!(told.is_signed(SECRET, now()), "{told:?}");
    assert_eq!(told.header("webhook-id"), format!("{id}-0"));
    let at: i64 = told.header("webhook-timestamp").parse().expect("seconds");
    let opened = case["opened_at_millis"].as_i64().expect("a time") / 1_000;
    assert!(at - opened <= 30, "opened {opened}, told {at}");
    let (body, data) = (told.json(), &told.json()["data"]);
    assert_eq!((&body["type"], &data["category"]), (&json!("case.opened"), &json!("policy_restriction")));
    let link = data["url"].as_str().expect("a link");
    assert!(link.ends_with(&format!("/console/threads/{contact}")), "{link}");
    assert!(!told.body.contains(&customer.word), "nothing of the customer: {}", told.body);
}

#[tokio::test]
async fn a_case_that_nobody_takes_goes_to_the_next_team_and_one_that_somebody_takes_does_not() {
    let (left, taken, records) = (Customer::new(), Customer::new(), Records::shared().await);
    let (_, case) = case_of(&left, &records).await;
    let (_, case_taken) = case_of(&taken, &records).await;
    let (dir, identity) = (shared_dir(), taken.identity());
    let resolved = carryover(&dir, &["hand-back", &identity, "--resolve"], "").await.expect("a command");
    assert!(resolved.success, "{resolved:?}");
    let id = case["case_id"].as_str().expect("an id");

    // A minute is the shortest time that a route can give.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let told = eventually("the next team is told", async || arrived("/hook/lead", id).await.pop()).await;

    let text = told.json()["text"].as_str().expect("a text").to_owned();
    assert!(text.starts_with("Nobody has taken a case; it goes to lead"), "{text}");
    let log = std::fs::read_to_string(shared_dir().join("functions.log")).expect("a log");
    let lines = log.lines().filter_map(|line| line.strip_prefix("Notifier "));
    let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let counted: Vec<Value> =
        lines.filter(|line| line["metric"] == "case_not_taken" && line["case"] == id).collect();
    assert!(!counted.is_empty(), "the template counts the line");
    assert!(!log.contains(SECRET), "quiet-logs");
    let id = case_taken["case_id"].as_str().expect("an id");
    assert_eq!(arrived("/hook/lead", id).await, []);
}
