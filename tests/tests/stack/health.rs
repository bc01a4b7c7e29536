//! What was given up is queued again by an admin, and then it is done.

use crate::customer::Customer;
use crate::records::Records;
use carryover_command::outputs::Outputs;
use carryover_command::sign_in;
use carryover_tests::{eventually, stack};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use ulid::Ulid;

async fn send(outputs: &Outputs, queue: &str, job: &Value) {
    let sqs = aws_sdk_sqs::Client::new(&carryover_shared::aws::config_of(&outputs.endpoint).await);
    let message = sqs.send_message().queue_url(&outputs.queues[queue]);
    message.message_body(job.to_string()).send().await.expect("the queue takes it");
}

/// What the API answers an operator.
async fn call(outputs: &Outputs, username: &str, method: Method, path: &str) -> Response {
    let token = sign_in::id_token(outputs, username).await.expect("a token");
    let request = sign_in::browser().expect("a client").request(method, format!("{}{path}", outputs.api_url));
    let request = request.bearer_auth(token).header("idempotency-key", Ulid::generate().to_string());
    request.send().await.expect("an answer")
}

async fn health(outputs: &Outputs) -> Value {
    let answer = call(outputs, "robin", Method::GET, "/v1/health").await;
    assert_eq!(answer.status(), StatusCode::OK);
    answer.json().await.expect("JSON")
}

#[tokio::test]
async fn a_fold_that_was_given_up_is_done_when_an_admin_queues_it_again() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let outputs = stack::shared().outputs().clone();
    customer.say("The lamp flickers.").await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    records.folded(&contact, 2).await;
    let forgotten = json!({"pk": format!("SNAPSHOT#{contact}"), "sk": "SNAPSHOT", "revision": 40});
    records.put(forgotten).await;
    send(&outputs, "folds-dead", &json!({"contact_id": contact, "up_to": 2, "why": "reply"})).await;
    let dead = async || health(&outputs).await["queues"][1]["dead"].as_u64().filter(|dead| *dead > 0);
    eventually("the dead letter is counted", dead).await;

    let path = "/v1/queues/folds/redrive";
    assert_eq!(call(&outputs, "robin", Method::POST, path).await.status(), StatusCode::FORBIDDEN);
    let redriven = call(&outputs, "alex", Method::POST, path).await;
    assert_eq!(redriven.status(), StatusCode::OK);
    let redriven: Value = redriven.json().await.expect("JSON");

    assert!(redriven["queued"].as_u64() >= Some(1), "{redriven}");
    let snapshot = records.folded(&contact, 2).await;
    assert!(snapshot["revision"].as_u64() >= Some(41), "{snapshot}");
    let counted = async || {
        let hour = &health(&outputs).await["last_hour"];
        let replied = hour["replied"].as_u64() >= Some(1) && hour["folds"]["saved"].as_u64() >= Some(1);
        replied.then_some(())
    };
    eventually("a turn and a fold are counted", counted).await;
}
