//! All flags in one list, in the console and its API.

use axum::http::StatusCode;
use carryover_shared::desk::{self, NewFlag};
use carryover_shared::flag::FlagReason;
use carryover_shared::thread::Seq;
use carryover_tests::console::Desk;
use carryover_tests::provider::ROBIN;
use carryover_tests::world::{NoModel, World, operator};
use serde_json::json;
use std::time::Duration;

/// Thirty customers, each with a reply that was flagged a minute after the one before; every third one as outdated.
async fn with_flags() -> Desk {
    let desk = Desk::over(World::new(NoModel).await).await;
    for n in 0..30 {
        let who = format!("guest{n}");
        desk.world.write(&who, "m1", &format!("Hello <b>{n}</b>")).await.expect("an answer");
        desk.world.clock.advance(Duration::from_secs(60));
        let reason = if n % 3 == 0 { FlagReason::Outdated } else { FlagReason::Other };
        let flag = NewFlag { reason: Some(reason), note: format!("note <i>{n}") };
        let contact = desk.world.contact(&who).await;
        desk::flag(&desk.world.handoff(), contact, &operator("leo"), Seq(2), flag).await.expect("a reply");
    }
    desk
}

#[tokio::test]
async fn flags_are_listed_the_newest_first_with_the_reply_in_its_context() {
    let desk = with_flags().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let page = browser.get("/console/flags").await;
    assert_eq!((page.status, page.body.matches("<article class=\"flagged\"").count()), (StatusCode::OK, 25));
    let newest = desk.world.contact("guest29").await;
    for shown in [
        "Hello &lt;b&gt;29",
        "note &lt;i&gt;29",
        "leo",
        "default",
        &format!("/console/threads/{newest}?before=7#m2"),
        &format!("/console/threads/{newest}/traces/1/"),
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(page.body.find("note &lt;i&gt;29") < page.body.find("note &lt;i&gt;28"));
    let older = page.body.split("href=\"/console/flags?").nth(1).and_then(|rest| rest.split('"').next());
    let older = format!("/console/flags?{}", older.expect("older flags").replace("&amp;", "&"));
    let older = browser.get(&older).await;
    assert_eq!(older.body.matches("<article class=\"flagged\"").count(), 5);
    assert!(older.body.contains("note &lt;i&gt;0") && !older.body.contains("Older flags"));
}

#[tokio::test]
async fn flags_are_filtered_and_one_that_was_taken_back_or_whose_customer_is_erased_is_none() {
    let desk = with_flags().await;
    let api = desk.api(&ROBIN);
    let count = async |query: &str| {
        let page = api.get(&format!("/v1/flags?limit=100{query}")).await.json();
        page["items"].as_array().expect("items").len()
    };
    assert_eq!((count("").await, count("&reason=outdated").await), (30, 10));
    assert_eq!((count("&agent=default").await, count("&agent=desk").await), (30, 0));
    let wrong = api.get("/v1/flags?reason=bad").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{wrong:?}");
    let contact = desk.world.contact("guest0").await;
    desk::unflag(&desk.world.handoff(), contact, &operator("leo"), Seq(2)).await.expect("a reply");
    assert_eq!((count("").await, count("&reason=outdated").await), (29, 9));
    desk.world.ctx.store.begin_erasing(desk.world.contact("guest1").await).await.expect("a table");
    let deadline = carryover_shared::traits::Clock::now(&*desk.world.clock) + Duration::from_secs(100);
    carryover_shared::erase::run(&desk.world.eraser(), deadline).await.expect("a table");
    assert_eq!(count("").await, 28);
    let first = api.get("/v1/flags?limit=3&reason=outdated").await.json();
    let item = &first["items"][0];
    assert_eq!((&item["note"], &item["reason"]), (&json!("note <i>27"), &json!("outdated")));
    let next = first["next"].as_str().expect("more");
    let second = api.get(&format!("/v1/flags?limit=3&reason=outdated&cursor={next}")).await.json();
    assert_eq!(second["items"][0]["note"], json!("note <i>18"));
}
