//! Customers in the operators' JSON API: who they are, what the records say, what may be changed.

use axum::http::{Method, Request, StatusCode};
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::desk::{self, Edit};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::feedback::{Feedback, Rating};
use carryover_shared::job::Delivery;
use carryover_shared::operator::Operator;
use carryover_shared::thread::Seq;
use carryover_shared::traits::Clock;
use carryover_tests::console::{Answer, Desk};
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::table::Fault;
use carryover_tests::world::{NoModel, World};
use serde_json::{Value, json};
use std::time::Duration;

/// Ana has written, and an account system has pushed an order of hers.
async fn with_an_order() -> (Desk, ContactId) {
    let desk = Desk::over(World::new(NoModel).await).await;
    desk.world.write("ana", "m1", "Hello").await.expect("an answer");
    let ana = desk.world.contact("ana").await;
    desk.world.push(ana, ("order", "O-1"), "shop", json!({"status": "packed"})).await;
    desk.world.push(ana, ("profile", "ana"), "shop", json!({"name": "Ana Lind"})).await;
    (desk, ana)
}

async fn record(desk: &Desk, contact: ContactId, kind: &str, id: &str) -> Fact {
    desk.world.ctx.store.fact(contact, kind, id).await.expect("a table").expect("a record")
}

fn assert_problem(answer: &Answer, status: u16, field: Option<&str>) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/problem+json", "{answer:?}");
    assert_eq!(answer.json()["field"].as_str(), field, "{answer:?}");
}

#[tokio::test]
async fn nobody_hears_of_customers_without_an_operators_token() {
    let (desk, ana) = with_an_order().await;
    for (method, path) in [
        ("GET", "/v1/customers/chat:ana".to_owned()),
        ("GET", "/v1/customers/chat:nobody".to_owned()),
        ("POST", "/v1/customers/chat:ana/records".to_owned()),
        ("PUT", format!("/v1/customers/{ana}/records/order/O-1")),
        ("POST", "/v1/customers/chat:ana/identities".to_owned()),
    ] {
        let request = Request::builder().method(method).uri(path).body("{".into()).expect("a request");
        assert_problem(&desk.send(request).await, 401, Some("authorization"));
    }
}

#[tokio::test]
async fn a_customer_is_shown_with_what_the_page_shows() {
    let (desk, ana) = with_an_order().await;
    let at = desk.world.clock.now();
    let feedback = Feedback { seq: Seq(2), rating: Rating::Down, text: "not helpful".into(), at };
    assert!(desk.world.ctx.store.put_feedback(ana, &feedback).await.expect("a table"));
    desk.world.push(ana, ("request", "portal-1"), "portal", json!({"status": "open"})).await;
    let api = desk.api(&ROBIN);
    for name in ["chat:ana", &ana.to_string()] {
        let shown = api.get(&format!("/v1/customers/{name}")).await.json();
        assert_eq!(shown["contact_id"], ana.to_string());
        assert_eq!((&shown["name"], &shown["identities"]), (&json!("Ana Lind"), &json!(["chat:ana"])));
        assert_eq!((&shown["opted_out"], &shown["agent"]), (&json!([]), &Value::Null));
        let feedback = json!([{"seq": 2, "rating": "down", "text": "not helpful", "at": at.rfc3339()}]);
        assert_eq!(shown["feedback"], feedback);
        let records = shown["records"].as_array().expect("records");
        let one = |id: &str| records.iter().find(|record| record["id"] == id).expect("a record");
        let order = json!({"kind": "order", "id": "O-1", "source": "shop", "as_of": AsOf::from(at).rfc3339(), "is_ours": false,
            "data": {"status": "packed"}});
        assert_eq!((one("O-1"), &one("portal-1")["is_ours"]), (&order, &json!(true)));
    }
    assert_problem(&api.get("/v1/customers/chat:nobody").await, 404, None);
    assert_problem(&api.get("/v1/customers/ana").await, 400, Some("identity"));
}

#[tokio::test]
async fn records_that_cannot_be_read_are_never_shown_as_none() {
    let (desk, _) = with_an_order().await;
    let api = desk.api(&ROBIN);
    desk.world.table.inject(|_, request| request.to_string().contains("FACT#").then_some(Fault::Conflict));
    assert_problem(&api.get("/v1/customers/chat:ana").await, 503, None);
}

#[tokio::test]
async fn a_record_of_ours_is_opened_once_and_changed() {
    let (desk, ana) = with_an_order().await;
    let api = desk.api(&ROBIN);
    let new = json!({"kind": "request", "title": "Call back", "status": "open"});
    let open = async |key: &str| api.write(Method::POST, "/v1/customers/chat:ana/records", key, &new).await;
    let (opened, again) = (open("k1").await, open("k1").await);
    assert_eq!((opened.status, &opened.body), (StatusCode::CREATED, &again.body), "{opened:?}");
    let id = opened.json()["id"].as_str().expect("an id").to_owned();
    let all = desk.world.ctx.store.facts(ana, &desk.world.ctx.limits).await.expect("a table");
    assert_eq!(all.iter().filter(|fact| fact.kind == "request").count(), 1);

    desk.world.clock.advance(Duration::from_secs(1));
    let path = format!("/v1/customers/chat:ana/records/request/{id}");
    let edit = json!({"status": "done", "assigned_to": "leo", "note": "She was called."});
    assert_eq!(api.write(Method::PUT, &path, "k2", &edit).await.status, StatusCode::NO_CONTENT);
    let data = record(&desk, ana, "request", &id).await.data;
    let said = ["title", "status", "assigned_to", "last_note", "updated_by"].map(|field| data[field].clone());
    assert_eq!(said, ["Call back", "done", "leo", "She was called.", "robin"].map(Value::from));

    desk.world.clock.advance(Duration::from_secs(1));
    api.write(Method::PUT, &path, "k3", &json!({"status": "closed"})).await;
    let data = record(&desk, ana, "request", &id).await.data;
    assert_eq!(
        (&data["status"], data.get("assigned_to")),
        (&json!("closed"), None),
        "all of it is said anew"
    );
    let stale = json!({"status": "open", "as_of": opened.json()["as_of"]});
    assert_problem(&api.write(Method::PUT, &path, "k4", &stale).await, 409, Some("as_of"));
    let shown = record(&desk, ana, "request", &id).await.as_of.rfc3339();
    let fresh = json!({"status": "open", "as_of": shown});
    assert_eq!(api.write(Method::PUT, &path, "k5", &fresh).await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_record_whose_answer_was_lost_is_opened_once() {
    let (desk, ana) = with_an_order().await;
    let robin = Operator::new("robin").expect("an operator");
    let once = Delivery { account: "console".into(), scope: "robin".into(), id: "k1".into() };
    let edit = Edit { status: "open".into(), ..Edit::default() };
    for _ in 0..2 {
        let what = ("request", "Call back");
        desk::open_record(&desk.world.handoff(), ana, &robin, what, &edit, &once).await.expect("a record");
        desk.world.clock.advance(Duration::from_secs(1));
    }
    let all = desk.world.ctx.store.facts(ana, &desk.world.ctx.limits).await.expect("a table");
    assert_eq!(all.iter().filter(|fact| fact.kind == "request").count(), 1);
}

#[tokio::test]
async fn what_cannot_be_taken_of_a_record_is_refused_with_its_field() {
    let (desk, ana) = with_an_order().await;
    let api = desk.api(&ROBIN);
    let put = async |path: &str, body: Value| {
        let path = format!("/v1/customers/{path}");
        api.write(Method::PUT, &path, &desk.world.ctx.clock.ulid().to_string(), &body).await
    };
    let done = json!({"status": "done"});
    assert_problem(&put("chat:ana/records/order/O-1", done.clone()).await, 409, Some("source"));
    assert_problem(&put("chat:ana/records/order/O-9", done.clone()).await, 404, None);
    assert_problem(&put("chat:nobody/records/order/O-1", done).await, 404, None);
    let long = put("chat:ana/records/order/O-1", json!({"status": "x".repeat(501)})).await;
    assert_problem(&long, 400, Some("status"));
    assert_eq!(long.json()["bound"], 500);
    assert_problem(&put("chat:ana/records/order/O-1", json!({"state": "done"})).await, 400, Some("state"));
    let records = "/v1/customers/chat:ana/records";
    for (body, field) in [
        (json!({"kind": "Request!", "title": "Call", "status": "open"}), "record"),
        (json!({"kind": "request", "title": " ", "status": "open"}), "title"),
        (json!({"kind": "request", "status": "open"}), "title"),
    ] {
        assert_problem(&api.post(records, &body).await, 400, Some(field));
    }
    assert_eq!(record(&desk, ana, "order", "O-1").await.data, json!({"status": "packed"}));
}

#[tokio::test]
async fn an_identity_that_nobody_has_is_linked_and_anothers_is_not() {
    let (desk, ana) = with_an_order().await;
    desk.world.write("leo", "m1", "Hello").await.expect("an answer");
    let api = desk.api(&ALEX);
    let link = async |identity: &str| {
        api.post("/v1/customers/chat:ana/identities", &json!({"identity": identity})).await
    };
    assert_eq!(link("telegram:bot/9").await.status, StatusCode::NO_CONTENT);
    let telegram: Identity = "telegram:bot/9".parse().expect("an identity");
    assert_eq!(desk.world.ctx.store.resolve(&telegram).await.expect("a table"), Some(ana));
    let by_that = api.get("/v1/customers/telegram:bot/9").await.json();
    assert_eq!(by_that["identities"], json!(["chat:ana", "telegram:bot/9"]));
    assert_problem(&link("chat:leo").await, 409, Some("identity"));
    assert_problem(&link("leo").await, 400, Some("identity"));
}

#[tokio::test]
async fn memories_are_read_page_by_page_and_forgotten_for_good() {
    let desk = Desk::over(World::new(NoModel).await).await;
    desk.world.write("ana", "m1", "What are your opening hours?").await.expect("an answer");
    desk.world.write("ana", "m2", "And on Sundays?").await.expect("an answer");
    desk.world.retain().await;
    let api = desk.api(&ROBIN);
    let path = "/v1/threads/chat:ana/memories";
    let page = api.get(&format!("{path}?limit=1")).await.json();
    let newest = page["items"][0]["id"].as_str().expect("an id");
    assert!(newest.starts_with("reply-") && page["others_in_hindsight"] == false, "{page}");
    let next = page["next"].as_str().expect("there is more");
    let older = api.get(&format!("{path}?limit=1&cursor={next}")).await.json();
    assert_eq!((&older["items"][0]["id"], &older["next"]), (&json!("reply-2"), &Value::Null));
    assert!(older["items"][0]["said"].as_str().is_some_and(|said| said.contains("opening hours")), "{older}");

    let forget = async |id: &str| api.write(Method::DELETE, &format!("{path}/{id}"), id, &json!({})).await;
    for _ in 0..2 {
        assert_eq!(forget("reply-2").await.status, StatusCode::NO_CONTENT);
    }
    let left = api.get(path).await.json();
    assert_eq!((left["items"].as_array().map(Vec::len), &left["items"][0]["id"]), (Some(1), &json!(newest)));
    assert_problem(&forget("page-2").await, 404, None);
    assert_problem(&api.get(&format!("{path}?cursor=2")).await, 400, Some("cursor"));
    let request = Request::delete(format!("{path}/{newest}")).body("".into()).expect("a request");
    assert_problem(&desk.send(request).await, 401, Some("authorization"));
}

#[tokio::test]
async fn a_trace_says_what_the_bot_was_given_and_what_became_of_it() {
    let desk = Desk::over(World::new(NoModel).await).await;
    desk.world.write("ana", "m1", "When do I get my deposit back?").await.expect("an answer");
    desk.world.write("leo", "m1", "Hello").await.expect("an answer");
    let api = desk.api(&ROBIN);
    let case = &api.get("/v1/cases").await.json()["items"][0];
    let (seq, id) = (&case["about_seq"], case["trace"].as_str().expect("a trace"));
    let trace = api.get(&format!("/v1/threads/chat:ana/traces/{seq}/{id}")).await.json();
    assert_eq!((&trace["answers"], &trace["outcome"]["decision"]), (&json!([1]), &json!("escalate")));
    assert_eq!((&trace["outcome"]["by"], &trace["outcome"]["topic"]), (&json!("rule"), &json!("deposit")));
    assert_problem(&api.get(&format!("/v1/threads/chat:leo/traces/{seq}/{id}")).await, 404, None);
    assert_problem(&api.get("/v1/threads/chat:ana/traces/1/x").await, 404, None);
}
