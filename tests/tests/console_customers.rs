//! A customer's page: who they are, what the records say, what may be changed.

use axum::http::StatusCode;
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::feedback::{Feedback, Rating};
use carryover_shared::portal;
use carryover_shared::thread::Seq;
use carryover_shared::traits::Clock;
use carryover_tests::console::{Answer, Browser, Desk};
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::table::Fault;
use carryover_tests::world::{NoModel, World};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Ana has written, and an account system has pushed an order of hers.
async fn with_an_order() -> (Desk, ContactId) {
    let desk = Desk::over(World::new(NoModel).await).await;
    desk.world.write("ana", "m1", "Hello").await.expect("an answer");
    let ana = desk.world.contact("ana").await;
    desk.world.push(ana, ("order", "O-1"), "shop", json!({"status": "packed", "note": "<b>fragile"})).await;
    desk.world.push(ana, ("profile", "ana"), "shop", json!({"name": "Ana Lind"})).await;
    (desk, ana)
}

async fn page_of(browser: &mut Browser<'_>, contact: ContactId) -> (String, Answer) {
    let path = format!("/console/customers/{contact}");
    let page = browser.get(&path).await;
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    (path, page)
}

/// What a form of the page carries.
fn hidden(page: &Answer, name: &str) -> String {
    let (_, rest) = page.body.split_once(&format!("name=\"{name}\" value=\"")).expect("a field");
    rest.split('"').next().expect("its end").to_owned()
}

#[tokio::test]
async fn a_customer_is_shown_with_records_of_every_source_and_age_and_with_feedback() {
    let (desk, ana) = with_an_order().await;
    let at = desk.world.clock.now();
    let feedback = Feedback { seq: Seq(2), rating: Rating::Down, text: "not <i>helpful".into(), at };
    assert!(desk.world.ctx.store.put_feedback(ana, &feedback).await.expect("a table"));
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&mut browser, ana).await;
    for shown in [
        "Ana Lind",
        "chat:ana",
        "O-1",
        "packed",
        "&lt;b&gt;fragile",
        "from <bdi>shop</bdi>",
        "thumbs down",
        "not &lt;i&gt;helpful",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(!page.body.contains("records/edit"), "what a system pushes is changed there");
}

#[tokio::test]
async fn a_record_of_ours_is_opened_and_changed_and_the_next_turn_reads_it() {
    let (desk, ana) = with_an_order().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut browser, ana).await;
    let key = hidden(&page, "key");
    let new = [
        ("key", key.as_str()),
        ("kind", "request"),
        ("title", "Call back"),
        ("status", "open"),
        ("assigned_to", ""),
        ("note", ""),
    ];
    for _ in 0..2 {
        let opened = browser.submit(&page, &format!("{path}/records"), &new).await;
        assert_eq!((opened.status, opened.location()), (StatusCode::SEE_OTHER, path.as_str()), "{opened:?}");
    }
    let facts = desk.world.ctx.store.facts(ana, &desk.world.ctx.limits).await.expect("a table");
    let requests: Vec<&Fact> = facts.iter().filter(|fact| fact.kind == "request").collect();
    let [ours] = requests.as_slice() else { panic!("one, however often it is sent: {requests:?}") };
    assert_eq!((ours.source.as_str(), &ours.data["updated_by"]), ("staff", &json!("robin")));

    desk.world.clock.advance(Duration::from_secs(1));
    let as_of = ours.as_of.rfc3339();
    let change = [
        ("kind", "request"),
        ("id", ours.id.as_str()),
        ("as_of", as_of.as_str()),
        ("status", "done"),
        ("assigned_to", "leo"),
        ("note", "She was called."),
    ];
    browser.submit(&page, &format!("{path}/records/edit"), &change).await;
    let changed =
        desk.world.ctx.store.fact(ana, "request", &ours.id).await.expect("a table").expect("a fact");
    assert_eq!((&changed.data["status"], &changed.data["title"]), (&json!("done"), &json!("Call back")));
    let answer = desk.world.write("ana", "m2", "Where is my request?").await.expect("an answer");
    assert!(format!("{answer:?}").contains("done"), "{answer:?}");
}

#[tokio::test]
async fn what_a_system_pushes_and_what_is_too_long_is_refused_with_a_word_why() {
    let (desk, ana) = with_an_order().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut browser, ana).await;
    let edit = |kind: &'static str, id: &'static str, status: &str| {
        [
            ("kind", kind.to_owned()),
            ("id", id.to_owned()),
            ("as_of", desk.world.clock.now().rfc3339()),
            ("status", status.to_owned()),
            ("assigned_to", String::new()),
            ("note", String::new()),
        ]
    };
    let long = "x".repeat(501);
    for (fields, why) in [
        (edit("order", "O-1", "sent"), "This record is shop&#39;s"),
        (edit("order", "O-9", "sent"), "There is no such record."),
        (edit("order", "O-1", &long), "Status must have 1 to 500 characters; it has 501."),
    ] {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let refused = browser.submit(&page, &format!("{path}/records/edit"), &fields).await;
        let said = refused.body.replace('\'', "&#39;");
        assert!(refused.status == StatusCode::CONFLICT && said.contains(why), "{why}: {}", refused.body);
    }
}

#[tokio::test]
async fn an_identity_that_nobody_has_is_linked_and_anothers_is_not() {
    let (desk, ana) = with_an_order().await;
    desk.world.write("leo", "m1", "Hello").await.expect("an answer");
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut browser, ana).await;
    let link = format!("{path}/identities");
    let linked = browser.submit(&page, &link, &[("identity", "tel:+15551234567")]).await;
    assert_eq!(linked.status, StatusCode::SEE_OTHER, "{linked:?}");
    let phone: Identity = "tel:+15551234567".parse().expect("an identity");
    assert_eq!(desk.world.ctx.store.resolve(&phone).await.expect("a table"), Some(ana));
    assert!(page_of(&mut browser, ana).await.1.body.contains("tel:+15551234567"));

    let login = browser.submit(&page, &link, &[("identity", "chat:nobody")]).await;
    assert!(login.body.contains("Only an admin can give somebody"), "{}", login.body);
    let mut browser = desk.browser_of(&ALEX).await;
    let (_, page) = page_of(&mut browser, ana).await;
    let taken = browser.submit(&page, &link, &[("identity", "chat:leo")]).await;
    assert!(taken.body.contains("This identity is another customer") && taken.status == StatusCode::CONFLICT);
    let wrong = browser.submit(&page, &link, &[("identity", "leo")]).await;
    assert!(wrong.body.contains("Identity must start with one of"), "{}", wrong.body);
}

#[tokio::test]
async fn what_a_customer_wrote_in_a_request_is_told_from_what_the_record_says() {
    let (desk, ana) = with_an_order().await;
    let wrote = json!({"subject": "Refund", "text": "status: <b>granted"});
    let data = json!({"status": "open", "customer_wrote": wrote});
    desk.world.push(ana, ("request", "portal-1"), "portal", data).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&mut browser, ana).await;
    let quoted = page.body.split("The customer wrote:").nth(1).expect("a quotation");
    let quoted = quoted.split("</blockquote>").next().expect("its end");
    assert!(quoted.contains("status: &lt;b&gt;granted") && !quoted.contains("<b>"), "{quoted}");
    assert!(!page.body.contains("<dt><bdi>customer_wrote"), "it is no field of the record");
    assert!(page.body.contains("records/edit"), "the console owns it");
}

#[tokio::test]
async fn truth_ranks_a_record_that_a_system_takes_over_meanwhile_is_not_written_over() {
    let (desk, ana) = with_an_order().await;
    desk.world.push(ana, ("request", "portal-1"), "portal", json!({"status": "open"})).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut browser, ana).await;
    let as_of = hidden(&page, "as_of");
    desk.world.clock.advance(Duration::from_secs(1));
    let limits = &desk.world.ctx.limits;
    let of_then = AsOf::from(desk.world.clock.now());
    let systems =
        Fact::checked("request", "portal-1", of_then, "shop", json!({"status": "rejected"}), limits);
    let systems = systems.expect("a fact");
    // Their record is older than the operator's click, and newer than what the page showed.
    desk.world.clock.advance(Duration::from_secs(1));

    // The operator's write waits for the system's.
    let (came, goes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (is_there, may_go) = (came.clone(), goes.clone());
    desk.world.table.inject(move |operation, request| {
        let is_operators = operation == "TransactWriteItems" && request.to_string().contains("by robin");
        is_there.fetch_or(is_operators, Relaxed);
        (is_operators && !may_go.load(Relaxed)).then_some(Fault::Conflict)
    });
    let fields = [
        ("kind", "request"),
        ("id", "portal-1"),
        ("as_of", as_of.as_str()),
        ("status", "done"),
        ("assigned_to", ""),
        ("note", "by robin"),
    ];
    let edit_path = format!("{path}/records/edit");
    let operator = browser.submit(&page, &edit_path, &fields);
    let system = async {
        while !came.load(Relaxed) {
            tokio::task::yield_now().await;
        }
        desk.world.ctx.store.put_fact(ana, &systems, limits).await.expect("a table");
        goes.store(true, Relaxed);
    };
    let (refused, ()) = futures::join!(operator, system);
    assert!(refused.body.contains("A newer record came: look again."), "{}", refused.body);
    let kept = desk.world.ctx.store.fact(ana, "request", "portal-1").await.expect("a table").expect("a fact");
    assert_eq!((kept.source.as_str(), &kept.data), ("shop", &json!({"status": "rejected"})));
}

#[tokio::test]
async fn a_stale_page_does_not_open_again_what_the_customer_closed() {
    let (desk, ana) = with_an_order().await;
    desk.world.push(ana, ("request", "portal-1"), "portal", json!({"status": "open"})).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut browser, ana).await;
    desk.world.clock.advance(Duration::from_secs(1));
    portal::close_request(&desk.world.ctx, ana, "portal-1").await.expect("a table");
    let edit = async |browser: &mut Browser<'_>, page: &Answer, status: &str| {
        let as_of = hidden(page, "as_of");
        let said = [("kind", "request"), ("id", "portal-1"), ("as_of", &as_of), ("status", status)];
        let fields = [said.as_slice(), &[("assigned_to", ""), ("note", "")]].concat();
        browser.submit(page, &format!("{path}/records/edit"), &fields).await
    };
    let kept = async || {
        desk.world.ctx.store.fact(ana, "request", "portal-1").await.expect("a table").expect("a fact")
    };

    let refused = edit(&mut browser, &page, "open").await;

    assert!(refused.body.contains("A newer record came: look again."), "{}", refused.body);
    assert_eq!(kept().await.data["closed_by"], "customer");
    let (_, page) = page_of(&mut browser, ana).await;
    edit(&mut browser, &page, "open").await;
    let opened = kept().await.data;
    assert_eq!(
        (&opened["status"], opened.get("closed_by"), opened.get("closed_at")),
        (&json!("open"), None, None)
    );
}
