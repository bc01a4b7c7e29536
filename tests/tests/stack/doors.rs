//! What customers may send, and what each refusal says.

use crate::customer::Customer;
use crate::records::Records;
use crate::told::told;
use carryover_command::token::chat_token;
use carryover_tests::client::{Answer, answer};
use carryover_tests::eventually;
use carryover_tests::scripted_model::Then;
use jsonwebtoken::{EncodingKey, Header, encode};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const HOUR: Duration = Duration::from_secs(3600);

/// Asserts that an answer is an RFC 9457 problem which names the field.
pub(crate) fn assert_problem(answer: &Answer, status: u16, field: &str) {
    assert_eq!(answer.status.as_u16(), status, "{answer:?}");
    assert_eq!(answer.content_type, "application/problem+json", "{answer:?}");
    for member in ["type", "title", "detail"] {
        assert!(answer.body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {answer:?}");
    }
    assert_eq!(answer.body["status"], status, "{answer:?}");
    assert_eq!(answer.body["field"], field, "{answer:?}");
}

/// Asserts that a problem names the bound as well.
pub(crate) fn assert_bound(answer: &Answer, bound: u64) {
    assert_eq!(answer.body["bound"], bound, "{answer:?}");
}

async fn read_with(customer: &Customer, token: Option<&str>) -> Answer {
    let request = customer.client.request(Method::GET, "/v1/messages");
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    answer(request).await.expect("an answer")
}

#[tokio::test]
async fn only_a_token_that_the_host_site_signed_opens_the_door() {
    let customer = Customer::new();
    let secret = &customer.client.outputs().chat_secret;
    let now = SystemTime::now();
    let valid = customer.client.token(&customer.sub).unwrap();
    let other = chat_token(&SecretString::from("another secret, also long enough"), &customer.sub, now, HOUR);
    let key = EncodingKey::from_secret(secret.expose_secret().as_bytes()).unwrap();
    let claims = |claims: Value| encode(&Header::default(), &claims, &key).unwrap();
    let exp = now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() + 3600;
    // {"alg":"none"}, and no signature.
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", valid.split('.').nth(1).unwrap());
    let refused = [
        ("missing", None),
        ("no token", Some("abc".to_owned())),
        ("wrong signature", Some(other.unwrap())),
        ("expired", Some(chat_token(secret, &customer.sub, now - HOUR, HOUR / 2).unwrap())),
        ("no exp", Some(claims(json!({"sub": customer.sub})))),
        ("no sub", Some(claims(json!({"exp": exp})))),
        ("alg none", Some(unsigned)),
        ("the API's", Some(customer.client.outputs().api_token.expose_secret().to_owned())),
    ];
    for (what, token) in refused {
        let answer = read_with(&customer, token.as_deref()).await;
        assert_eq!(answer.status, 401, "{what}");
        assert_problem(&answer, 401, "authorization");
    }
    let extra =
        claims(json!({"sub": customer.sub, "exp": exp, "name": "Ana", "aud": "shop", "iat": exp - 60}));
    for token in [valid, extra] {
        assert_eq!(read_with(&customer, Some(&token)).await.status, 200);
    }
}

#[tokio::test]
async fn a_post_without_a_valid_token_reaches_nobody() {
    let customer = Customer::new();
    let request = customer.client.request(Method::POST, "/v1/messages");
    let refused = answer(request.json(&json!({"id": "m1", "text": customer.signed("Hello")}))).await.unwrap();
    assert_problem(&refused, 401, "authorization");
    assert_eq!(Records::shared().await.contact(&customer.identity()).await, None);
}

#[tokio::test]
async fn each_refusal_names_the_field_and_the_bound() {
    let customer = Customer::new();
    let file = |name: &str| json!({"name": name, "type": "application/pdf", "bytes": 1});
    let refused = [
        (json!([]), 400, "body", None),
        (json!({"text": "Hello"}), 400, "id", None),
        (json!({"id": "", "text": "Hello"}), 400, "id", None),
        (json!({"id": 7, "text": "Hello"}), 400, "id", None),
        (json!({"id": "m1"}), 400, "text", None),
        (json!({"id": "m1", "text": ""}), 400, "text", None),
        (json!({"id": "m1", "text": " \n\t"}), 400, "text", None),
        (json!({"id": "m1", "text": 7}), 400, "text", None),
        (json!({"id": "m1", "text": "Hello", "customer_id": "ana"}), 400, "customer_id", None),
        (json!({"id": "m1", "text": "x".repeat(100_001)}), 413, "text", Some(100_000)),
        (json!({"id": "x".repeat(257), "text": "Hello"}), 400, "id", Some(256)),
        (json!({"id": "m1", "text": "Hello", "attachments": {}}), 400, "attachments", None),
        (
            json!({"id": "m1", "text": "Hello", "attachments": vec![file("a"); 21]}),
            400,
            "attachments",
            Some(20),
        ),
        (json!({"id": "m1", "attachments": [{"type": "a/b", "bytes": 1}]}), 400, "attachments[0].name", None),
        (
            json!({"id": "m1", "attachments": [file("a"), {"name": "b", "type": "a/b", "bytes": -1}]}),
            400,
            "attachments[1].bytes",
            None,
        ),
        (
            json!({"id": "m1", "attachments": [{"name": "b", "type": "a/b", "bytes": 1, "contact": "ana"}]}),
            400,
            "attachments[0].contact",
            None,
        ),
    ];
    for (body, status, field, bound) in refused {
        for prefer in [None, Some("respond-async")] {
            let request = customer.client.request(Method::POST, "/v1/messages").json(&body);
            let request = request.bearer_auth(customer.client.token(&customer.sub).unwrap());
            let request = prefer.into_iter().fold(request, |request, value| request.header("prefer", value));
            let answer = answer(request).await.unwrap();
            assert_problem(&answer, status, field);
            if let Some(bound) = bound {
                assert_bound(&answer, bound);
            }
        }
    }
    assert_eq!(Records::shared().await.contact(&customer.identity()).await, None);
}

#[tokio::test]
async fn an_unreadable_body_is_a_problem() {
    let customer = Customer::new();
    for body in ["", "{", "Hello", "{\"id\": \"m1\", \"text\": \"Hello\"} and more"] {
        for content_type in ["application/json", "application/x-www-form-urlencoded", ""] {
            let request = customer.client.request(Method::POST, "/v1/messages").body(body);
            let request = request.bearer_auth(customer.client.token(&customer.sub).unwrap());
            let request =
                if content_type.is_empty() { request } else { request.header("content-type", content_type) };
            assert_problem(&answer(request).await.unwrap(), 400, "body");
        }
    }
}

#[tokio::test]
async fn a_body_counts_whatever_media_type_it_claims() {
    let customer = Customer::new();
    for (n, content_type) in
        ["application/x-www-form-urlencoded", "application/octet-stream"].iter().enumerate()
    {
        let body =
            json!({"id": format!("as-{n}"), "text": customer.signed(&format!("Grüße, ça va? 🙂 {n}"))})
                .to_string();
        let request = customer.client.request(Method::POST, "/v1/messages").body(body);
        let request = request.bearer_auth(customer.client.token(&customer.sub).unwrap());
        let answer = answer(request.header("content-type", *content_type)).await.unwrap();
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
    }
    assert!(
        customer.said_by("customer").await.iter().all(|message| message.text.contains("Grüße, ça va? 🙂"))
    );
}

#[tokio::test]
async fn other_paths_and_methods_are_problems_too() {
    let client = Customer::new().client;
    let status = async |method, path| answer(client.request(method, path)).await.unwrap();
    let unknown = status(Method::GET, "/v1/nothing").await;
    assert_problem(&unknown, 401, "authorization");
    let wrong = status(Method::DELETE, "/v1/messages").await;
    assert_eq!((wrong.status.as_u16(), wrong.content_type.as_str()), (405, "application/problem+json"));
}

#[tokio::test]
async fn a_message_is_answered_and_read_again() {
    let customer = Customer::new();
    customer.script(customer.rule("reply", &[]).then(Then::reply("In the afternoon."))).await;

    let answer = customer.post("m1", "When can I check in?").await;

    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({"status": "replied", "seq": 1, "reply": {"seq": 2, "text": "In the afternoon."}})
    );
    let thread = customer.thread().await;
    let said: Vec<_> = thread.iter().map(|message| (message.seq, message.author.as_str())).collect();
    assert_eq!(said, [(1, "customer"), (2, "bot")]);
    assert_eq!(thread[0].text, customer.signed("When can I check in?"));
    assert!(thread[0].at <= thread[1].at, "{thread:?}");
    let after = customer.client.messages(&customer.sub, 1).await.unwrap();
    assert_eq!((after.messages.len(), after.messages[0].seq, after.last_seq), (1, 2, 2));
    let none = customer.client.messages(&customer.sub, 2).await.unwrap();
    assert_eq!((none.messages.len(), none.last_seq), (0, 2));
}

#[tokio::test]
async fn who_has_never_written_gets_an_empty_list_and_is_not_created() {
    let customer = Customer::new();
    let found = customer.client.messages(&customer.sub, 0).await.unwrap();
    assert_eq!((found.messages.len(), found.last_seq), (0, 0));
    assert_eq!(Records::shared().await.contact(&customer.identity()).await, None);
}

#[tokio::test]
async fn after_must_be_a_number() {
    let customer = Customer::new();
    for after in ["x", "-1", "1.5"] {
        let request = customer.client.request(Method::GET, &format!("/v1/messages?after={after}"));
        let request = request.bearer_auth(customer.client.token(&customer.sub).unwrap());
        assert_problem(&answer(request).await.unwrap(), 400, "after");
    }
}

#[tokio::test]
async fn a_long_thread_is_read_page_by_page() {
    let customer = Customer::new();
    customer.import((0..230).map(|n| ("user", format!("Line {n}"), 60_000 * n))).await;
    let thread = customer.thread().await;
    assert!(thread.iter().map(|message| message.seq).eq(1..=230));
}

#[tokio::test]
async fn a_message_may_be_taken_now_and_answered_later() {
    let customer = Customer::new();
    let text = "What time is breakfast?";
    let first = customer.client.post_async(&customer.sub, "m1", &customer.signed(text)).await.unwrap();
    assert_eq!(first.status, 202);
    assert_eq!(first.body, json!({"status": "accepted", "seq": 1}));
    let again = customer.client.post_async(&customer.sub, "m1", &customer.signed(text)).await.unwrap();
    assert_eq!((again.status, again.body), (first.status, first.body));
    let reply = eventually("a reply", async || {
        customer.client.messages(&customer.sub, 1).await.expect("messages").messages.pop()
    })
    .await;
    assert_eq!((reply.seq, reply.author.as_str()), (2, "bot"));
    let later = customer.client.post(&customer.sub, "m1", &customer.signed(text)).await.unwrap();
    assert_eq!(later.body["status"], "duplicate");
    assert_eq!(later.body["reply"], json!({"seq": 2, "text": reply.text}));
}

#[tokio::test]
async fn attachments_are_told_by_name_type_and_size() {
    let customer = Customer::new();
    let invoice = json!({"name": "invoice.pdf", "type": "application/pdf", "bytes": 122_880,
        "url": "https://example.com/invoice.pdf"});
    let photo = json!({"name": "photo.jpg", "type": "image/jpeg", "bytes": 3_355_443});
    let with_text = json!({"id": "m1", "text": customer.signed("Here it is."), "attachments": [invoice]});
    let answer = customer.client.post_body(&customer.sub, &with_text).await.unwrap();
    assert_eq!(answer.body["status"], "replied", "{answer:?}");
    let without_text = json!({"id": "m2", "attachments": [photo]});
    let answer = customer.client.post_body(&customer.sub, &without_text).await.unwrap();
    assert_eq!(answer.body["status"], "replied", "{answer:?}");

    let lines =
        ["[attachment: invoice.pdf, application/pdf, 120 KB]", "[attachment: photo.jpg, image/jpeg, 3.2 MB]"];
    let first = format!("{}\n{}", customer.signed("Here it is."), lines[0]);
    let received = told(&customer.prompt().await);
    assert_eq!((received.shown(1), received.shown(3)), (first.as_str(), lines[1]));
    let thread = customer.thread().await;
    assert_eq!((thread[0].text.as_str(), thread[2].text.as_str()), (first.as_str(), lines[1]));
    eventually("a fold is told both", async || {
        let told: String =
            customer.asked("fold").await.iter().map(|seen| seen.content("user").to_owned()).collect();
        lines.iter().all(|line| told.contains(line)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn two_customers_who_use_the_same_ids_do_not_meet() {
    let (ana, leo) = (Customer::new(), Customer::new());
    for customer in [&ana, &leo] {
        let reply = format!("This is for {}.", customer.word);
        customer.script(customer.rule("reply", &[]).then(Then::reply(&reply))).await;
    }
    for n in 1..=3 {
        let (id, text) = (format!("m{n}"), format!("Question {n}"));
        let (to_ana, to_leo) = tokio::join!(ana.post(&id, &text), leo.post(&id, &text));
        for (customer, answer) in [(&ana, to_ana), (&leo, to_leo)] {
            assert_eq!(answer.body["status"], "replied", "{answer:?}");
            assert_eq!(answer.seq(), 2 * n - 1);
            assert_eq!(answer.reply(), format!("This is for {}.", customer.word));
        }
    }
    for (customer, other) in [(&ana, &leo), (&leo, &ana)] {
        assert_eq!(customer.thread().await.len(), 6);
        assert!(customer.asked("reply").await.iter().all(|seen| !seen.text().contains(&other.word)));
    }
}

/// Now, as an account system writes it.
pub(crate) fn now() -> String {
    use carryover_shared::traits::Clock;
    carryover_shared::clock::SystemClock.now().rfc3339()
}
