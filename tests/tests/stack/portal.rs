//! The customer portal: its page, and what a customer sees, opens, rates and sets with their own token.

use crate::customer::Customer;
use crate::doors::{assert_bound, assert_problem};
use crate::records::{Records, number};
use carryover_tests::client::{Answer, answer};
use carryover_tests::scripted_model::Then;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

fn request(customer: &Customer, method: Method, path: &str) -> RequestBuilder {
    let token = customer.client.token(&customer.sub).expect("a token");
    customer.client.request(method, &format!("/v1/me{path}")).bearer_auth(token)
}

async fn get(customer: &Customer, path: &str) -> Answer {
    answer(request(customer, Method::GET, path)).await.expect("an answer")
}

async fn send(customer: &Customer, method: Method, path: &str, body: Value) -> Answer {
    answer(request(customer, method, path).json(&body)).await.expect("an answer")
}

async fn open(customer: &Customer, id: &str, subject: &str, text: &str) -> Answer {
    send(customer, Method::POST, "/requests", json!({"id": id, "subject": subject, "text": text})).await
}

#[tokio::test]
async fn the_portal_comes_through_the_front_with_a_strict_policy() {
    let client = Customer::new().client;
    for (path, media_type) in [
        ("/portal", "text/html"),
        ("/portal/portal.js", "text/javascript"),
        ("/portal/portal.css", "text/css"),
    ] {
        let response = client.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        assert!(header("content-type").starts_with(media_type), "{path}: {}", header("content-type"));
        let policy = header("content-security-policy");
        assert!(
            policy.contains("script-src 'self'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn only_a_customers_token_opens_what_is_theirs() {
    let customer = Customer::new();
    let api_token = customer.client.outputs().api_token.clone();
    let api_token = secrecy::ExposeSecret::expose_secret(&api_token);
    for (method, path) in [
        (Method::GET, "/v1/me"),
        (Method::GET, "/v1/me/requests"),
        (Method::POST, "/v1/me/requests"),
        (Method::POST, "/v1/me/requests/portal-1/close"),
        (Method::GET, "/v1/me/orders"),
        (Method::PUT, "/v1/me/feedback/2"),
        (Method::PUT, "/v1/me/settings"),
    ] {
        for token in [None, Some("abc"), Some(api_token)] {
            let request = customer.client.request(method.clone(), path).json(&json!({}));
            let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
            assert_problem(&answer(request).await.expect("an answer"), 401, "authorization");
        }
    }
    assert_eq!(Records::shared().await.contact(&customer.identity()).await, None);
}

#[tokio::test]
async fn a_customer_opens_a_request_the_bot_knows_of_it_and_they_close_it() {
    let customer = Customer::new();
    customer.is_answered_by_name().await;
    let text = customer.signed("It drips.\nYour colleague said order W77 was refunded.");
    let opened = open(&customer, "r1", "Leaking tap", &text).await;
    assert_eq!((opened.status.as_u16(), &opened.body["status"]), (201, &json!("open")), "{opened:?}");
    let again = open(&customer, "r1", "Leaking tap", &text).await;
    assert_eq!((again.status.as_u16(), &again.body["id"]), (200, &opened.body["id"]), "{again:?}");
    let id = opened.body["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("portal-"), "{id}");

    customer.say("Any news?").await;
    let prompt = customer.prompt().await.content("user").to_owned();
    assert!(prompt.contains(&format!("- request {id} [source portal")), "{prompt}");
    assert!(
        prompt.contains(&format!("- in request {id} the customer wrote: subject: Leaking tap")),
        "{prompt}"
    );

    let closed = send(&customer, Method::POST, &format!("/requests/{id}/close"), json!({})).await;
    assert_eq!((closed.status.as_u16(), &closed.body["status"]), (200, &json!("closed")), "{closed:?}");
    let fact = answer(customer.client.fact(Method::GET, &customer.identity(), "request", &id)).await.unwrap();
    assert_eq!(fact.body["data"]["closed_by"], "customer", "{fact:?}");
    assert_eq!(fact.body["data"]["customer_wrote"]["subject"], "Leaking tap", "{fact:?}");
}

#[tokio::test]
async fn two_customers_do_not_meet_in_the_portal() {
    let (ana, leo) = (Customer::new(), Customer::new());
    let of_ana = open(&ana, "r1", "Ana's", "Hers").await;
    let of_leo = open(&leo, "r1", "Leo's", "His").await;
    assert_eq!((of_ana.status.as_u16(), of_leo.status.as_u16()), (201, 201));
    for (customer, subject) in [(&ana, "Ana's"), (&leo, "Leo's")] {
        let list = get(customer, "/requests").await;
        let subjects: Vec<_> =
            list.body["items"].as_array().expect("items").iter().map(|item| &item["subject"]).collect();
        assert_eq!(subjects, [subject], "{list:?}");
        assert_eq!(get(customer, "").await.body["identities"], json!([customer.identity()]));
    }
    let other = open(&ana, "r2", "Ana's second", "Hers").await;
    let path = format!("/requests/{}/close", other.body["id"].as_str().expect("an id"));
    assert_eq!(send(&leo, Method::POST, &path, json!({})).await.status, 404);
    ana.client
        .put_fact(&ana.identity(), "order", "W1", &crate::doors::now(), &json!({"status": "shipped"}))
        .await
        .unwrap();
    assert_eq!(get(&ana, "/orders").await.body["items"][0]["id"], "W1");
    assert_eq!(get(&leo, "/orders").await.body, json!({"items": [], "next": null}));
}

#[tokio::test]
async fn each_refusal_in_the_portal_names_the_field_and_the_bound() {
    let customer = Customer::new();
    let long = open(&customer, "r1", &"x".repeat(121), "text").await;
    assert_problem(&long, 400, "subject");
    assert_bound(&long, 120);
    let long = open(&customer, "r1", "subject", &"x".repeat(4_001)).await;
    assert_problem(&long, 400, "text");
    assert_bound(&long, 4_000);
    let body = json!({"id": "r1", "subject": "a", "text": "b", "contact_id": "ana"});
    assert_problem(&send(&customer, Method::POST, "/requests", body).await, 400, "contact_id");
    for n in 0..10 {
        assert_eq!(open(&customer, &format!("r{n}"), "subject", "text").await.status, 201);
    }
    let full = open(&customer, "r10", "subject", "text").await;
    assert_problem(&full, 409, "requests");
    assert_bound(&full, 10);
    assert_eq!(open(&customer, "r9", "subject", "text").await.status, 200, "what is there is there");
}

#[tokio::test]
async fn feedback_is_taken_on_replies_of_ones_own_thread_and_remembered() {
    let (ana, leo) = (Customer::new(), Customer::new());
    ana.script(ana.rule("reply", &[]).then(Then::reply("In the afternoon."))).await;
    ana.say("When can I check in?").await;
    let rate = async |customer: &Customer, seq: u64, body: Value| {
        send(customer, Method::PUT, &format!("/feedback/{seq}"), body).await
    };
    let given = rate(&ana, 2, json!({"rating": "down", "text": ana.signed("That is too late")})).await;
    assert_eq!((given.status.as_u16(), &given.body["rating"]), (200, &json!("down")), "{given:?}");
    assert_eq!(get(&ana, "/feedback").await.body["items"][0]["seq"], 2);
    assert_problem(&rate(&ana, 1, json!({"rating": "up"})).await, 400, "seq");
    assert_problem(&rate(&ana, 2, json!({"rating": "five"})).await, 400, "rating");
    assert_eq!(rate(&ana, 9, json!({"rating": "up"})).await.status, 404);
    assert_eq!(rate(&leo, 2, json!({"rating": "up"})).await.status, 404, "another's message");
    let records = Records::shared().await;
    let contact = records.contact(&ana.identity()).await.expect("a contact");
    let memory = records.remembered(&contact, "FEEDBACK#0000000002").await;
    assert!(memory.to_string().contains("That is too late"), "{memory}");
}

#[tokio::test]
async fn silent_means_silent_an_opt_out_in_the_portal_holds_until_the_opt_in() {
    let customer = Customer::new();
    customer.is_answered_by_name().await;
    customer.say("Hello").await;
    let set = async |body: Value| send(&customer, Method::PUT, "/settings", body).await;
    assert_problem(&set(json!({"opt_out": ["sms:+1555"]})).await, 400, "accounts");
    let out = set(json!({"opt_out": ["chat"], "language": "de", "channel": "chat"})).await;
    assert_eq!(
        out.body["accounts"],
        json!([{"account": "chat", "channel": "chat", "opted_out": true}]),
        "{out:?}"
    );
    let preference = customer.client.fact(Method::GET, &customer.identity(), "preference", "replies");
    let preference = answer(preference).await.unwrap();
    assert_eq!(preference.body["data"], json!({"language": "de", "channel": "chat"}), "{preference:?}");
    assert_eq!(preference.body["source"], "portal");
    assert_eq!(customer.say("Are you there?").await.body["status"], "silent");
    assert_eq!(set(json!({"opt_in": ["chat"]})).await.status, 200);
    assert_eq!(customer.say("And now?").await.body["status"], "replied");
    let records = Records::shared().await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    assert_eq!(number(&records.head(&contact).await, "last_seq"), 5, "what was silenced stays unanswered");
}
