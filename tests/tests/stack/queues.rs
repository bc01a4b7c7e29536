//! Jobs of the queues, one of which cannot be read.

use crate::customer::Customer;
use crate::records::Records;
use carryover_tests::stack;
use serde_json::{Value, json};

/// Calls a function as its queue does.
async fn deliver(function: &str, event: &Value) -> Value {
    let endpoint = stack::shared().outputs().endpoint.clone();
    let functions = format!("{endpoint}/2015-03-31/functions");
    let http = reqwest::Client::new();
    let sent = async |request: reqwest::RequestBuilder| -> Value {
        request.send().await.expect("an answer").json().await.expect("JSON")
    };
    let listed = sent(http.get(format!("{functions}/"))).await;
    let mut names = listed["Functions"].as_array().expect("functions").iter();
    let named =
        names.find_map(|listed| listed["FunctionName"].as_str().filter(|name| name.contains(function)));
    sent(http.post(format!("{functions}/{}/invocations", named.expect("the function"))).json(event)).await
}

fn record(queue: &str, id: &str, body: &str) -> Value {
    json!({
        "messageId": id, "receiptHandle": id, "body": body, "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": "us-east-1",
        "eventSourceARN": format!("arn:aws:sqs:us-east-1:000000000000:{queue}"),
    })
}

#[tokio::test]
async fn one_unreadable_job_fails_alone() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    customer.say("The lamp flickers.").await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    records.settled(&contact).await;
    let fold = json!({"contact_id": contact, "up_to": 2, "why": "reply"}).to_string();
    let turn = json!({"job": "swept", "contact_id": contact}).to_string();
    let retention = json!({"contact_id": contact, "what": "reply", "seq": 2}).to_string();
    let tell = json!({"contact_id": contact, "case_id": contact, "step": 0, "what": "tell"}).to_string();
    let jobs = [
        ("Summarizer", "folds", fold),
        ("ReplyWorker", "turns", turn),
        ("Retainer", "retention", retention),
        ("Notifier", "notifications", tell),
    ];
    for (function, queue, good) in jobs {
        for bad in ["", "{", "null", "{\"job\": \"else\"}", "Hello"] {
            let records = [record(queue, "m1", &good), record(queue, "m2", bad), record(queue, "m3", &good)];
            let response = deliver(function, &json!({"Records": records})).await;
            assert_eq!(
                response,
                json!({"batchItemFailures": [{"itemIdentifier": "m2"}]}),
                "{function}: {bad}"
            );
        }
    }
    records.folded(&contact, 2).await;
    assert_eq!(customer.thread().await.len(), 2);
}

#[tokio::test]
async fn an_unreadable_job_does_not_stop_those_behind_it() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let outputs = stack::shared().outputs().clone();
    let sqs = aws_sdk_sqs::Client::new(&carryover_shared::aws::config_of(&outputs.endpoint).await);
    for queue in ["turns", "folds", "retention", "notifications"] {
        sqs.send_message().queue_url(&outputs.queues[queue]).message_body("{").send().await.unwrap();
    }
    assert_eq!(customer.say_async("The lamp flickers.").await.status, 202);
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    records.settled(&contact).await;
    records.folded(&contact, 2).await;
    records.remembered(&contact, "REPLY#0000000002").await;
}
