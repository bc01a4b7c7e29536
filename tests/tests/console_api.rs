//! The operators' JSON API: what it shows, what it refuses, and writes that happen once.

use axum::http::{Method, Request, StatusCode};
use carryover_shared::admit::Answer as Admitted;
use carryover_shared::case::CaseState;
use carryover_shared::thread::{Author, Mode, Seq};
use carryover_shared::traits::Question;
use carryover_shared::turn::End;
use carryover_tests::console::{Answer, Api, Desk};
use carryover_tests::model::FakeModel;
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::world::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

fn polite() -> FakeModel {
    FakeModel::new(|_: &Question| {
        Ok(json!({"action": "reply", "reply": "Gladly.", "category": "", "reason": ""}))
    })
}

async fn desk() -> Desk {
    Desk::over(World::new(polite()).await).await
}

/// Ana asked for her deposit, and a case waits for a person.
async fn with_a_case() -> Desk {
    let desk = desk().await;
    asks(&desk, "ana", "When do I get my deposit back?").await;
    desk
}

async fn asks(desk: &Desk, who: &str, text: &str) -> End {
    match desk.world.write(who, &desk.world.ctx.clock.ulid().to_string(), text).await.expect("an answer") {
        Admitted::New { end, .. } => end,
        other => panic!("{other:?}"),
    }
}

fn assert_problem(answer: &Answer, status: u16, field: Option<&str>) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/problem+json", "{answer:?}");
    let problem = answer.json();
    assert_eq!(problem["status"], status);
    assert!(problem["title"].is_string() && problem["detail"].is_string(), "{problem}");
    assert_eq!(problem["field"].as_str(), field, "{problem}");
}

fn ids(page: &Answer, field: &str) -> Vec<String> {
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    let page = page.json();
    let items = page["items"].as_array().expect("items");
    items.iter().map(|item| item[field].as_str().expect("an id").to_owned()).collect()
}

async fn without_token(desk: &Desk, method: &str, path: &str) -> Answer {
    desk.send(Request::builder().method(method).uri(path).body("{".into()).expect("a request")).await
}

#[tokio::test]
async fn nobody_comes_in_without_an_operators_token_whatever_they_ask_for() {
    let desk = with_a_case().await;
    let paths = [
        ("GET", "/v1/cases"),
        ("GET", "/v1/cases?state=nonsense&limit=0"),
        ("GET", "/v1/threads/chat:ana"),
        ("POST", "/v1/threads/chat:ana/take-over"),
        ("POST", "/v1/threads/chat:nobody/messages"),
        ("PUT", "/v1/threads/chat:ana/hand-back"),
        ("DELETE", "/v1/cases"),
        ("GET", "/v1/nothing"),
        ("GET", "/v1/"),
        ("POST", "/v1/openapi.json/more"),
    ];
    for (method, path) in paths {
        assert_problem(&without_token(&desk, method, path).await, 401, Some("authorization"));
    }
    assert_eq!(desk.world.head("ana").await.taken_by, None);
}

#[tokio::test]
async fn a_token_of_a_customer_or_of_an_account_system_is_none() {
    let desk = with_a_case().await;
    let customers = carryover_command::token::chat_token(
        &"0123456789abcdef0123456789abcdef".into(),
        "ana",
        std::time::SystemTime::now(),
        Duration::from_secs(60),
    );
    for token in [customers.expect("a token"), "the-token-of-the-api".into(), String::new()] {
        let request = Request::get("/v1/cases").header("authorization", format!("Bearer {token}"));
        let answer = desk.send(request.body("".into()).expect("a request")).await;
        assert_problem(&answer, 401, Some("authorization"));
    }
    let cookie_alone = desk.browser_of(&ROBIN).await.get("/v1/cases").await;
    assert_problem(&cookie_alone, 401, Some("authorization"));
}

#[tokio::test]
async fn whoever_is_in_is_told_what_is_not_there_and_what_may_not_be_done() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    assert_problem(&api.get("/v1/nothing").await, 404, None);
    assert_problem(&api.get("/v1/threads/chat:nobody").await, 404, None);
    assert_problem(&api.get("/v1/threads/ana").await, 400, Some("identity"));
    assert_problem(&api.post("/v1/cases", &json!({})).await, 405, None);
    assert_problem(&api.get("/v1/cases?limit=101").await, 400, Some("limit"));
    assert_problem(&api.get("/v1/cases?cursor=zz").await, 400, Some("cursor"));
    assert_problem(&api.get("/v1/cases?state=lost").await, 400, Some("state"));
    assert_problem(&api.get("/v1/threads/chat:ana/messages?cursor=x").await, 400, Some("cursor"));
    let gone = "/v1/threads/chat:ana/cases/01ARZ3NDEKTSV4RRFFQ69G5FAV/resolve";
    assert_problem(&api.post(gone, &json!({})).await, 404, None);
}

#[tokio::test]
async fn the_document_is_public_and_describes_every_route() {
    let desk = desk().await;
    let answer = without_token(&desk, "GET", "/v1/openapi.json").await;
    assert_eq!(answer.status, StatusCode::OK);
    let document = answer.json();
    assert!(document["openapi"].as_str().expect("a version").starts_with("3."), "{document}");
    let paths: BTreeSet<&str> =
        document["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
    for path in [
        "/v1/cases",
        "/v1/threads",
        "/v1/threads/{identity}",
        "/v1/threads/{identity}/messages",
        "/v1/threads/{identity}/notes",
        "/v1/threads/{identity}/take-over",
        "/v1/threads/{identity}/hand-back",
        "/v1/threads/{identity}/messages/{seq}/flag",
        "/v1/health",
        "/v1/queues/{name}/redrive",
        "/v1/threads/{identity}/memories",
        "/v1/threads/{identity}/memories/{id}",
        "/v1/threads/{identity}/traces/{seq}/{id}",
        "/v1/customers/{identity}",
        "/v1/customers/{identity}/records/{kind}/{id}",
    ] {
        assert!(paths.contains(path), "{path} in {paths:?}");
    }
    let text = answer.body.as_str();
    for name in text.split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(document["components"]["schemas"][name].is_object(), "{name} is described");
    }
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            assert!(operation["responses"].as_object().is_some_and(|r| !r.is_empty()), "{method} {path}");
            let keyed = operation["parameters"].as_array().is_some_and(|parameters| {
                parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key")
            });
            assert_eq!(keyed, method != "get", "{method} {path}: every write wants a key");
        }
    }
}

#[tokio::test]
async fn cases_are_listed_by_state_with_whose_they_are_and_why() {
    let desk = with_a_case().await;
    asks(&desk, "leo", "I want a refund!").await;
    let api = desk.api(&ROBIN);
    let open = api.get("/v1/cases?state=open").await.json();
    let first = &open["items"][0];
    assert_eq!(first["identities"], json!(["chat:ana"]));
    assert_eq!((&first["state"], &first["topic"]), (&json!("open"), &json!("deposit")));
    assert_eq!(first["why"], "A rule of the agent says that people answer this: deposit.");
    assert!(first["waiting_since"].is_string() && first["overdue"] == false);
    assert_eq!(open["next"], Value::Null);

    api.post("/v1/threads/chat:ana/take-over", &json!({})).await;
    assert_eq!(ids(&api.get("/v1/cases?state=taken").await, "state"), ["taken"]);
    assert_eq!(ids(&api.get("/v1/cases?state=open").await, "state"), ["open"]);
    assert_eq!(ids(&api.get("/v1/cases").await, "state"), ["taken", "open"]);
    api.post("/v1/threads/chat:ana/hand-back", &json!({"resolve": true})).await;
    assert_eq!(ids(&api.get("/v1/cases?state=resolved").await, "state"), ["resolved"]);
    assert_eq!(ids(&api.get("/v1/cases").await, "state"), ["open"]);
    let found = api.get("/v1/cases?q=REFUND").await;
    assert_eq!(ids(&found, "state"), ["open"]);
    assert!(ids(&api.get("/v1/cases?q=deposit").await, "state").is_empty(), "that one is resolved");
}

#[tokio::test]
async fn cases_are_read_page_by_page_and_each_stands_on_one() {
    let desk = desk().await;
    for n in 0..7 {
        desk.world.clock.advance(Duration::from_millis(if n % 3 == 0 { 0 } else { 5 }));
        asks(&desk, &format!("c{n}"), "When do I get my deposit back?").await;
    }
    let api = desk.api(&ROBIN);
    let (mut seen, mut path) = (vec![], "/v1/cases?limit=3".to_owned());
    loop {
        let page = api.get(&path).await;
        seen.extend(ids(&page, "case_id"));
        match page.json()["next"].as_str() {
            Some(next) => path = format!("/v1/cases?limit=3&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((seen.len(), seen.iter().collect::<BTreeSet<_>>().len()), (7, 7), "{seen:?}");
}

#[tokio::test]
async fn a_case_is_overdue_when_its_customer_waits_too_long() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let minutes = desk.world.ctx.limits.case_minutes;
    desk.world.clock.advance(Duration::from_secs(minutes * 60 + 1));
    assert_eq!(api.get("/v1/cases").await.json()["items"][0]["overdue"], true);
    api.post("/v1/threads/chat:ana/messages", &json!({"text": "Within a week."})).await;
    assert_eq!(api.get("/v1/cases").await.json()["items"][0]["overdue"], false, "nothing waits");
}

#[tokio::test]
async fn a_thread_is_shown_with_its_brief_its_coverage_and_its_messages() {
    let desk = with_a_case().await;
    let contact = desk.world.contact("ana").await;
    desk.world.set_snapshot(contact, "summary_text", "She moved out on Monday.").await;
    let api = desk.api(&ROBIN);
    for name in ["chat:ana", &contact.to_string()] {
        let thread = api.get(&format!("/v1/threads/{name}")).await.json();
        assert_eq!(thread["contact_id"], contact.to_string());
        assert_eq!((&thread["mode"], &thread["last_seq"]), (&json!("human"), &json!(2)));
        assert_eq!(thread["brief"]["snapshot"]["summary_text"], "She moved out on Monday.");
        assert_eq!(thread["brief"]["case"]["topic"], "deposit");
        assert_eq!(
            thread["coverage"],
            json!({"first_seq": 1, "covered_to": 0, "pending_from": 1, "window_from": 1})
        );
        let said: Vec<_> = thread["messages"].as_array().expect("messages").iter().collect();
        assert_eq!(said.iter().map(|message| &message["author"]).collect::<Vec<_>>(), ["customer", "bot"]);
        assert_eq!(
            (&said[1]["kind"], &said[0]["text"]),
            (&json!("notice"), &json!("When do I get my deposit back?"))
        );
    }
}

#[tokio::test]
async fn messages_are_read_backwards_page_by_page() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    for n in 0..5 {
        api.post("/v1/threads/chat:ana/messages", &json!({"text": format!("{n}")})).await;
    }
    let (mut seen, mut path) = (vec![], "/v1/threads/chat:ana/messages?limit=3".to_owned());
    loop {
        let page = api.get(&path).await.json();
        let seqs: Vec<u64> =
            page["items"].as_array().expect("items").iter().filter_map(|item| item["seq"].as_u64()).collect();
        seen.splice(0..0, seqs);
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/threads/chat:ana/messages?limit=3&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, (1..=7).collect::<Vec<u64>>());
}

#[tokio::test]
async fn silent_means_silent_an_operator_takes_over_answers_and_hands_back() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let taken = api.post("/v1/threads/chat:ana/take-over", &json!({})).await;
    assert_eq!((taken.status, &taken.json()["taken_by"]), (StatusCode::OK, &json!("robin")));
    let said = api.post("/v1/threads/chat:ana/messages", &json!({"text": "Within a week."})).await;
    assert_eq!((said.status, said.json()), (StatusCode::CREATED, json!({"seq": 3})));
    assert_eq!(asks(&desk, "ana", "Thanks!").await, End::Silent);

    let stale = json!({"resolve": true, "seen": 1});
    let refused = api.post("/v1/threads/chat:ana/hand-back", &stale).await;
    assert_problem(&refused, 409, Some("seen"));
    let back = api.post("/v1/threads/chat:ana/hand-back", &json!({"resolve": true, "seen": 4})).await;
    assert_eq!((back.status, &back.json()["mode"]), (StatusCode::OK, &json!("bot")));
    let again = api.post("/v1/threads/chat:ana/hand-back", &json!({"resolve": true})).await;
    assert_problem(&again, 409, Some("mode"));
    assert!(matches!(asks(&desk, "ana", "Is the pool open?").await, End::Replied(_)));
}

#[tokio::test]
async fn the_second_of_two_operators_is_told_who_was_first() {
    let desk = with_a_case().await;
    let path = "/v1/threads/chat:ana/take-over";
    assert_eq!(desk.api(&ROBIN).post(path, &json!({})).await.status, StatusCode::OK);
    let late = desk.api(&ALEX).post(path, &json!({})).await;
    assert_problem(&late, 409, Some("taken_by"));
    assert_eq!(late.json()["detail"], "Already taken by robin.");
}

#[tokio::test]
async fn two_operators_who_take_a_case_at_once_are_one_who_has_it_and_one_who_is_told() {
    let desk = with_a_case().await;
    let (robin, alex) = (desk.api(&ROBIN), desk.api(&ALEX));
    let path = "/v1/threads/chat:ana/take-over";
    let body = json!({});
    let (first, second) = futures::join!(robin.post(path, &body), alex.post(path, &body));
    let statuses: BTreeSet<u16> = [&first, &second].map(|answer| answer.status.as_u16()).into();
    assert_eq!(statuses, BTreeSet::from([200, 409]), "{first:?} {second:?}");
}

#[tokio::test]
async fn a_case_is_labelled_assigned_resolved_once_and_reopened() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let case_id = desk.world.head("ana").await.open_case.expect("a case");
    let at = |what: &str| format!("/v1/threads/chat:ana/cases/{case_id}/{what}");
    let case =
        async || desk.world.ctx.store.case(desk.world.contact("ana").await, case_id).await.expect("a table");

    let label = json!({"priority": "urgent", "tags": ["vip"]});
    assert_eq!(api.post(&at("label"), &label).await.status, StatusCode::NO_CONTENT);
    let stale = json!({"priority": "low", "tags": [], "labelled": 0});
    assert_problem(&desk.api(&ALEX).post(&at("label"), &stale).await, 409, Some("labelled"));
    let shown = &api.get("/v1/cases").await.json()["items"][0];
    assert_eq!((&shown["labelled"], &shown["labelled_by"]), (&json!(1), &json!("robin")));
    let refused = api.post(&at("label"), &json!({"priority": "urgent", "tags": ["x".repeat(41)]})).await;
    assert_problem(&refused, 400, Some("tags"));
    assert_eq!(api.post(&at("assign"), &json!({"to": "alex"})).await.status, StatusCode::NO_CONTENT);
    let assigned = case().await.expect("a case");
    assert_eq!(assigned.assignee.as_ref().map(|name| name.as_str()), Some("alex"));
    assert_eq!((assigned.tags.len(), assigned.state_of_case), (1, CaseState::Taken));

    assert_eq!(api.post(&at("resolve"), &json!({"seen": 1})).await.status, StatusCode::NO_CONTENT);
    assert_problem(&api.post(&at("resolve"), &json!({})).await, 409, Some("state"));
    assert_problem(&api.post(&at("reopen"), &json!({})).await, 409, Some("taken_by"));
    assert_eq!(desk.api(&ALEX).post(&at("reopen"), &json!({})).await.status, StatusCode::NO_CONTENT);
    assert_eq!(case().await.expect("a case").state_of_case, CaseState::Reopened);
}

#[tokio::test]
async fn a_note_is_read_by_operators_and_by_nobody_else() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let path = "/v1/threads/chat:ana/notes";
    let written = api.post(path, &json!({"text": "She is the owner's aunt."})).await;
    assert_eq!((written.status, written.json()), (StatusCode::CREATED, json!({"seq": 2})));
    desk.world.clock.advance(Duration::from_secs(61));
    let note = json!({"text": "Twice."});
    for _ in 0..2 {
        api.write(Method::POST, path, "n", &note).await;
        // As if the first one had broken off before its answer was kept.
        desk.world.clock.advance(Duration::from_secs(24 * 3600 + 1));
    }
    assert_eq!(api.get(path).await.json()["items"].as_array().map(Vec::len), Some(2));
    let notes = api.get(path).await.json();
    assert_eq!(notes["items"][0]["text"], "She is the owner's aunt.");
    assert_eq!(notes["items"][0]["operator"], "robin");
    assert_eq!(desk.world.log("ana").await.len(), 2);
}

#[tokio::test]
async fn notes_are_read_page_by_page_to_the_first_one() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    for n in 0..5 {
        desk.world.clock.advance(Duration::from_millis(5));
        api.post("/v1/threads/chat:ana/notes", &json!({"text": n.to_string()})).await;
    }
    let mut path = "/v1/threads/chat:ana/notes?limit=2".to_owned();
    let mut pages = vec![];
    loop {
        let page = api.get(&path).await;
        pages.push(ids(&page, "note_id").len());
        match page.json()["next"].as_str() {
            Some(next) => path = format!("/v1/threads/chat:ana/notes?limit=2&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(pages, [2, 2, 1]);
    assert_problem(&api.get("/v1/threads/chat:ana/notes?cursor=7").await, 400, Some("cursor"));
}

#[tokio::test]
async fn each_refusal_of_a_write_names_the_field_and_the_bound() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let limits = &desk.world.ctx.limits;
    let say = "/v1/threads/chat:ana/messages";
    for (text, bound) in
        [(String::new(), limits.admit_chars), ("x".repeat(limits.admit_chars + 1), limits.admit_chars)]
    {
        let refused = api.post(say, &json!({"text": text})).await;
        assert_problem(&refused, 400, Some("text"));
        assert_eq!(refused.json()["bound"], bound);
    }
    let note =
        api.post("/v1/threads/chat:ana/notes", &json!({"text": "x".repeat(limits.note_chars + 1)})).await;
    assert_problem(&note, 400, Some("text"));
    for (body, field) in [
        (json!({}), "text"),
        (json!({"text": 7}), "text"),
        (json!({"text": "a", "as": "leo"}), "as"),
        (json!([]), "body"),
    ] {
        assert_problem(&api.post(say, &body).await, 400, Some(field));
    }
    let log = desk.world.log("ana").await;
    assert!(log.iter().all(|message| message.author != Author::Operator), "nothing was written");
}

async fn written(api: &Api<'_>, key: &str, text: &str) -> Answer {
    api.write(Method::POST, "/v1/threads/chat:ana/messages", key, &json!({"text": text})).await
}

#[tokio::test]
async fn once_in_a_write_under_the_same_key_is_answered_alike_and_changes_nothing() {
    let desk = with_a_case().await;
    let (robin, alex) = (desk.api(&ROBIN), desk.api(&ALEX));
    let first = written(&robin, "k1", "Within a week.").await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (StatusCode::CREATED, ""));
    let again = written(&robin, "k1", "Within a week.").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (StatusCode::CREATED, "true"));
    assert_eq!(again.json(), first.json());
    assert_problem(&written(&robin, "k1", "Tomorrow.").await, 422, Some("Idempotency-Key"));
    assert_eq!(
        written(&alex, "k1", "Tomorrow.").await.status,
        StatusCode::CREATED,
        "a key is its operator's"
    );
    assert_eq!(desk.world.head("ana").await.last_seq, Seq(4));

    desk.world.clock.advance(Duration::from_secs(24 * 3600 + 1));
    let after_a_day = written(&robin, "k1", "Within a week.").await;
    assert_eq!(after_a_day.json(), first.json(), "what was said once is not said again");
    desk.world.clock.advance(Duration::from_secs(24 * 3600 + 1));
    let other = written(&robin, "k1", "Tomorrow.").await;
    assert_problem(&other, 409, Some("Idempotency-Key"));
    assert_eq!(desk.world.head("ana").await.last_seq, Seq(4));
}

#[tokio::test]
async fn once_in_a_refusal_is_answered_alike_and_what_came_to_nothing_may_be_tried_again() {
    let desk = with_a_case().await;
    let api = desk.api(&ALEX);
    desk.api(&ROBIN).post("/v1/threads/chat:ana/take-over", &json!({})).await;
    let path = "/v1/threads/chat:ana/take-over";
    assert_problem(&api.write(Method::POST, path, "k", &json!({})).await, 409, Some("taken_by"));
    desk.api(&ROBIN).post("/v1/threads/chat:ana/hand-back", &json!({"resolve": true})).await;
    assert_problem(&api.write(Method::POST, path, "k", &json!({})).await, 409, Some("taken_by"));
    assert_eq!(api.write(Method::POST, path, "k2", &json!({})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn once_in_the_same_write_twice_at_once_is_written_once() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let (first, second) = futures::join!(written(&api, "k", "Hello."), written(&api, "k", "Hello."));
    for answer in [&first, &second] {
        assert!([StatusCode::CREATED, StatusCode::CONFLICT].contains(&answer.status), "{answer:?}");
    }
    assert!([&first, &second].iter().any(|answer| answer.status == StatusCode::CREATED));
    assert_eq!(desk.world.head("ana").await.last_seq, Seq(3));
}

#[tokio::test]
async fn every_write_needs_a_key() {
    let desk = with_a_case().await;
    let api = desk.api(&ROBIN);
    let path = "/v1/threads/chat:ana/take-over";
    for key in ["", &"x".repeat(129)] {
        assert_problem(&api.write(Method::POST, path, key, &json!({})).await, 400, Some("Idempotency-Key"));
    }
    let flag = "/v1/threads/chat:ana/messages/2/flag";
    assert_problem(&api.write(Method::DELETE, flag, "", &json!({})).await, 400, Some("Idempotency-Key"));
    assert_eq!(desk.world.head("ana").await.mode, Mode::Human);
    assert_eq!(desk.world.head("ana").await.taken_by, None);
}

#[tokio::test]
async fn several_operators_flag_a_reply_and_each_keeps_their_own_note() {
    let desk = desk().await;
    assert!(matches!(asks(&desk, "ana", "Is the pool open?").await, End::Replied(_)));
    let (robin, alex) = (desk.api(&ROBIN), desk.api(&ALEX));
    let path = "/v1/threads/chat:ana/messages/2/flag";
    let click = robin.post(path, &json!({})).await;
    assert_eq!((click.status, click.json()), (StatusCode::CREATED, json!({"seq": 2})));
    robin.post(path, &json!({"note": "wrong wifi", "reason": "incorrect_information"})).await;
    alex.post(path, &json!({"note": "that's 4B's"})).await;
    let flags = async || {
        let messages = robin.get("/v1/threads/chat:ana/messages").await.json();
        let flags = messages["items"][1]["flags"].as_array().expect("flags").clone();
        flags.iter().map(|flag| flag["note"].as_str().expect("a note").to_owned()).collect::<BTreeSet<_>>()
    };
    assert_eq!(flags().await, BTreeSet::from(["wrong wifi".into(), "that's 4B's".into()]));
    let back = robin.write(Method::DELETE, path, "k", &Value::Null).await;
    assert_eq!(back.status, StatusCode::NO_CONTENT);
    assert_eq!(flags().await, BTreeSet::from(["that's 4B's".into()]));
    let customers = robin.post("/v1/threads/chat:ana/messages/1/flag", &json!({})).await;
    assert_problem(&customers, 409, Some("kind"));
    let nothing = robin.post("/v1/threads/chat:ana/messages/999/flag", &json!({})).await;
    assert_problem(&nothing, 404, None);
    let ugly = robin.post(path, &json!({"reason": "ugly"})).await;
    assert_problem(&ugly, 400, Some("reason"));
    let detail = ugly.json()["detail"].as_str().expect("a detail").to_owned();
    assert!(detail.starts_with("reason must be one of `"), "{detail}");
}

#[tokio::test]
async fn an_identity_stands_in_a_path_as_it_is() {
    let desk = desk().await;
    let contact = desk.world.ctx.clock.ulid();
    let identity = "telegram:bot/9".parse().expect("an identity");
    let contact = carryover_shared::contact::ContactId::new(contact);
    assert!(desk.world.ctx.store.create_contact(contact, &identity).await.expect("a table"));
    let api = desk.api(&ROBIN);
    assert_eq!(api.get("/v1/threads/telegram:bot/9").await.json()["contact_id"], contact.to_string());
    let taken = api.post("/v1/threads/telegram:bot/9/take-over", &json!({})).await;
    assert_eq!((taken.status, &taken.json()["taken_by"]), (StatusCode::OK, &json!("robin")));
    let threads = api.get("/v1/threads?tab=mine").await;
    assert_eq!(ids(&threads, "contact_id"), [contact.to_string()], "a thread that was taken without a case");
    let found = api.get("/v1/threads?tab=bot&q=telegram:bot/9").await;
    assert_eq!(ids(&found, "contact_id"), [contact.to_string()], "an identity is found on any tab");
}

#[tokio::test]
async fn erasable_nothing_is_shown_or_done_of_a_contact_that_is_being_erased() {
    let desk = with_a_case().await;
    desk.world.begin_erasing("ana").await;
    let api = desk.api(&ROBIN);
    assert_problem(&api.get("/v1/threads/chat:ana").await, 404, None);
    assert_problem(&api.post("/v1/threads/chat:ana/take-over", &json!({})).await, 410, None);
    assert_problem(&written(&api, "k", "hm").await, 410, None);
}
