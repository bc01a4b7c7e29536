//! Account systems push facts; the next turn reads them.

use crate::customer::Customer;
use crate::doors::{assert_bound, assert_problem};
use crate::records::{Records, number};
use carryover_shared::clock::SystemClock;
use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use carryover_tests::client::{Answer, answer};
use reqwest::Method;
use serde_json::{Value, json};

/// A time so many seconds from now, in the past where they are negative.
fn at(seconds: i64) -> String {
    Timestamp::from_millis(SystemClock.now().millis() + 1_000 * seconds).rfc3339()
}

async fn put(customer: &Customer, id: &str, as_of: &str, data: Value) -> Answer {
    customer.client.put_fact(&customer.identity(), "order", id, as_of, &data).await.expect("an answer")
}

async fn send(customer: &Customer, method: Method, id: &str, body: Option<Value>) -> Answer {
    let request = customer.client.fact(method, &customer.identity(), "order", id);
    let request = body.iter().fold(request, |request, body| request.json(body));
    answer(request).await.expect("an answer")
}

#[tokio::test]
async fn only_the_token_of_the_api_pushes_facts() {
    let customer = Customer::new();
    let path = format!("/v1/contacts/{}/facts/order/W1", customer.identity());
    let chat = customer.client.token(&customer.sub).unwrap();
    for token in [None, Some("abc".to_owned()), Some(chat)] {
        for method in [Method::PUT, Method::GET, Method::DELETE] {
            let request = customer.client.request(method, &path).json(&json!({"as_of": at(0), "data": {}}));
            let request = token.iter().fold(request, |request, token| request.bearer_auth(token));
            assert_problem(&answer(request).await.unwrap(), 401, "authorization");
        }
    }
    assert_eq!(Records::shared().await.contact(&customer.identity()).await, None);
}

#[tokio::test]
async fn a_fact_is_created_replaced_and_read() {
    let customer = Customer::new();
    let (earlier, later) = (at(-60), at(-30));
    let created = put(&customer, "W1", &earlier, json!({"status": "packed"})).await;
    assert_eq!(created.status, 201, "{created:?}");
    let same = put(&customer, "W1", &earlier, json!({"status": "packed"})).await;
    assert_eq!(same.status, 200, "{same:?}");
    let newer = put(&customer, "W1", &later, json!({"status": "shipped"})).await;
    assert_eq!(newer.status, 200, "{newer:?}");
    let read = send(&customer, Method::GET, "W1", None).await;
    assert_eq!(read.status, 200);
    assert_eq!((&read.body["kind"], &read.body["id"]), (&json!("order"), &json!("W1")));
    assert_eq!(read.body["data"], json!({"status": "shipped"}));
    assert_eq!(send(&customer, Method::GET, "W2", None).await.status, 404);
    assert!(Records::shared().await.contact(&customer.identity()).await.is_some(), "the contact is created");
}

#[tokio::test]
async fn an_older_or_contradicting_fact_is_refused() {
    let customer = Customer::new();
    let stored = at(-30);
    put(&customer, "W1", &stored, json!({"status": "shipped"})).await;
    assert_problem(&put(&customer, "W1", &at(-60), json!({"status": "packed"})).await, 409, "as_of");
    assert_problem(&put(&customer, "W1", &stored, json!({"status": "lost"})).await, 409, "as_of");
    let read = send(&customer, Method::GET, "W1", None).await;
    assert_eq!(read.body["data"], json!({"status": "shipped"}));
}

#[tokio::test]
async fn the_time_of_a_fact_must_be_there_and_not_ahead() {
    let customer = Customer::new();
    for body in [
        json!({"data": {}}),
        json!({"as_of": null, "data": {}}),
        json!({"as_of": "", "data": {}}),
        json!({"as_of": "yesterday", "data": {}}),
        json!({"as_of": 7, "data": {}}),
        json!({"as_of": at(6 * 60), "data": {}}),
    ] {
        assert_problem(&send(&customer, Method::PUT, "W1", Some(body)).await, 400, "as_of");
    }
    let little_ahead = put(&customer, "W1", &at(4 * 60), json!({})).await;
    assert_eq!(little_ahead.status, 201, "clocks differ: {little_ahead:?}");
}

#[tokio::test]
async fn a_fact_has_known_fields_and_a_bound() {
    let customer = Customer::new();
    let refused = async |body: Value| send(&customer, Method::PUT, "W1", Some(body)).await;
    assert_problem(&refused(json!({"as_of": at(0)})).await, 400, "data");
    assert_problem(&refused(json!({"as_of": at(0), "data": {}, "source": "me"})).await, 400, "source");
    assert_problem(&refused(json!([])).await, 400, "body");
    let large = refused(json!({"as_of": at(0), "data": {"note": "x".repeat(32 * 1024)}})).await;
    assert_problem(&large, 400, "data");
    assert_bound(&large, 32 * 1024);
    let almost = put(&customer, "W1", &at(0), json!({"note": "x".repeat(32 * 1024 - 100)})).await;
    assert_eq!(almost.status, 201, "{almost:?}");
}

#[tokio::test]
async fn facts_belong_to_an_identity() {
    let client = Customer::new().client;
    for identity in ["ana", "post:ana", "tel:ana"] {
        let request = client.fact(Method::PUT, identity, "order", "W1");
        let answer = answer(request.json(&json!({"as_of": at(0), "data": {}}))).await.unwrap();
        assert_problem(&answer, 400, "identity");
    }
}

#[tokio::test]
async fn a_contact_keeps_a_hundred_facts() {
    let customer = Customer::new();
    for n in 0..100 {
        let created = put(&customer, &format!("W{n}"), &at(-60), json!({})).await;
        assert_eq!(created.status, 201, "{created:?}");
    }
    let full = put(&customer, "W100", &at(-60), json!({})).await;
    assert_problem(&full, 409, "facts");
    assert_bound(&full, 100);
    assert_eq!(put(&customer, "W5", &at(-30), json!({"status": "packed"})).await.status, 200);
    let deleted = send(&customer, Method::DELETE, "W6", Some(json!({"as_of": at(-30)}))).await;
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(put(&customer, "W100", &at(-60), json!({})).await.status, 201);
}

#[tokio::test]
async fn a_deleted_fact_stays_deleted_for_older_news() {
    let customer = Customer::new();
    put(&customer, "W1", &at(-60), json!({"status": "packed"})).await;
    assert_problem(&send(&customer, Method::DELETE, "W1", None).await, 400, "as_of");
    let older = send(&customer, Method::DELETE, "W1", Some(json!({"as_of": at(-90)}))).await;
    assert_problem(&older, 409, "as_of");
    let deleted = send(&customer, Method::DELETE, "W1", Some(json!({"as_of": at(-30)}))).await;
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(send(&customer, Method::GET, "W1", None).await.status, 404);
    assert_problem(&put(&customer, "W1", &at(-45), json!({"status": "late"})).await, 409, "as_of");
    assert_eq!(put(&customer, "W1", &at(-10), json!({"status": "back"})).await.status, 201);
}

#[tokio::test]
async fn every_turn_reads_the_facts_of_now() {
    let customer = Customer::new();
    let told = async |status: &str| {
        customer.say(&format!("Where is my order? This is {}.", customer.next_id())).await;
        customer.prompt().await.content("user").contains(status)
    };
    put(&customer, "W2611340", &at(-60), json!({"status": "packed in Porto"})).await;
    assert!(told("packed in Porto").await);
    put(&customer, "W2611340", &at(-30), json!({"status": "shipped to Braga"})).await;
    assert!(told("shipped to Braga").await);
    assert!(!told("packed in Porto").await);
    send(&customer, Method::DELETE, "W2611340", Some(json!({"as_of": at(-10)}))).await;
    assert!(!told("shipped to Braga").await);
    let records = Records::shared().await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    assert_eq!(number(&records.head(&contact).await, "last_seq"), 8, "facts are no messages");
}
