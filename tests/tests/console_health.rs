//! The health page and its JSON: what they show, what they show without a part, and who queues given-up work again.

use axum::http::{Method, StatusCode};
use carryover_shared::job::QueueName;
use carryover_shared::limits::Limits;
use carryover_shared::prices::Prices;
use carryover_shared::tally::{Count, Part, Tally};
use carryover_shared::traits::{ModelError, Question, Role, Waiting};
use carryover_tests::console::{Answer, Desk};
use carryover_tests::model::FakeModel;
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::table::Fault;
use carryover_tests::world::World;
use serde_json::{Value, json};
use std::time::Duration;

const PAGE: &str = "/console/health";
const REDRIVE: &str = "/console/health/queues/retention/redrive";

fn polite() -> FakeModel {
    FakeModel::new(|_: &Question| {
        Ok(json!({"action": "reply", "reply": "Gladly.", "category": "", "reason": ""}))
    })
    .counting(120_000, 7_000)
}

async fn desk() -> Desk {
    Desk::over(World::new(polite()).await).await
}

/// The text of a page, without its tags and with one space where there were many.
fn text(page: &Answer) -> String {
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    let pieces = page.body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    pieces.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn assert_shows(page: &Answer, shown: &[&str]) {
    let text = text(page);
    for shown in shown {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

#[tokio::test]
async fn where_nothing_happened_the_page_says_so_calmly() {
    let desk = desk().await;
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(
        &page,
        &[
            "As of 2026-12-03 10:00 UTC.",
            "Nothing waits. Nothing was given up.",
            "Everything was delivered and done in the last day.",
            "Everything it asks was there in the last day.",
            "No conversation waits for its summary.",
            "No prices are configured (MODEL_PRICES), so there is no cost.",
        ],
    );
    assert!(!page.body.contains("failed\"") && !page.body.contains("action=\"/console/health"));
}

#[tokio::test]
async fn every_page_leads_there() {
    let desk = desk().await;
    let inbox = desk.browser_of(&ROBIN).await.get("/console").await;
    assert!(inbox.body.contains("<a href=\"/console/health\">Health</a>"), "{}", inbox.body);
    let nobody = desk.browser().get(PAGE).await;
    assert_eq!(nobody.status, StatusCode::SEE_OTHER, "nobody comes in without a session");
}

#[tokio::test]
async fn what_turns_did_and_did_without_is_shown_for_the_last_hour_and_the_last_day() {
    let model = FakeModel::new(|_: &Question| Err(ModelError::Timeout));
    let desk = Desk::over(World::new(model).await).await;
    desk.world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    desk.world.clock.advance(Duration::from_secs(3 * 3_600));
    desk.world.write("leo", "m1", "Is there parking?").await.expect("an answer");
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(
        &page,
        &[
            "the last hour is since 12:00, the last day since 13:00 UTC yesterday.",
            "The model gave no usable answer. The rules answered from the records, or a person was asked. 1 2",
            "A person was asked. 1 2",
            "The bot replied. 0 0",
            "It did not answer in time. 1 2",
        ],
    );
}

#[tokio::test]
async fn what_was_not_done_is_red_and_says_what_to_do() {
    let desk = desk().await;
    let mut tally = Tally::one(Count::DeliveriesFailed);
    tally.add(Count::RetentionsFailed, 1_200);
    desk.world.ctx.store.count(&tally).await;
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    let memories =
        "Memories that were not kept. Look at the memory bank, then queue Memories again. 1,200 1,200";
    let deliveries = "Messages that a channel did not take. The customer did not get them";
    assert_shows(&page, &[memories, deliveries]);
    assert_eq!(page.body.matches("<tr class=\"failed\">").count(), 2);
    assert!(!page.body.contains("Cases that nobody took in time."), "nothing of what did not happen");
}

#[tokio::test]
async fn what_is_older_than_a_day_is_not_shown() {
    let desk = desk().await;
    desk.world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    desk.world.clock.advance(Duration::from_secs(24 * 3_600));
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(&page, &["The bot replied. 0 1"]);
    desk.world.clock.advance(Duration::from_secs(3_600));
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(&page, &["The bot replied. 0 0"]);
}

#[tokio::test]
async fn models_cost_what_the_deployment_says() {
    let prices = Prices::parse(r#"{"reply": {"in": 0.5, "out": 10}}"#).expect("prices");
    let desk = Desk::with_prices(World::new(polite()).await, prices).await;
    desk.world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(&page, &["Tokens in. 120,000 120,000", "Tokens out. 7,000 7,000", "Cost. $0.13 $0.13"]);
    assert_eq!(text(&page).matches("Cost.").count(), 1, "the other model has no price");
    let view = desk.api(&ROBIN).get("/v1/health").await.json();
    assert_eq!(view["last_day"]["models"]["reply"]["cost_usd"], 0.13);
    assert_eq!(view["last_day"]["models"]["summary"]["cost_usd"], Value::Null);
}

#[tokio::test]
async fn how_far_folds_are_behind_is_what_they_found_and_what_waits() {
    let desk = desk().await;
    let mut tally = Tally::default();
    tally.add_behind(2);
    tally.add_behind(15);
    tally.add(Count::FoldsSaved, 1);
    tally.add(Count::FoldsByFallback, 1);
    desk.world.ctx.store.count(&tally).await;
    desk.backlog.set_waiting(QueueName::Folds, Waiting { ready: 3, held: 1, delayed: 0 });
    let page = desk.browser_of(&ROBIN).await.get(PAGE).await;
    assert_shows(
        &page,
        &[
            "3 ready · 1 in work or to be tried again",
            "Conversations that wait for their summary: 4.",
            "on average. 8.5 8.5",
            "roughly. up to 20 up to 20",
        ],
    );
    let folds = &desk.api(&ROBIN).get("/v1/health").await.json()["last_hour"]["folds"];
    let expected =
        json!({"saved": 1, "by_fallback": 1, "failed": 0, "jobs": 2, "behind": 17, "behind_at_most": 20});
    assert_eq!(*folds, expected);
}

#[tokio::test]
async fn whatever_cannot_be_read_leaves_the_rest_of_the_page() {
    let desk = desk().await;
    desk.world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    desk.backlog.set_dead(QueueName::Turns, 2);
    desk.backlog.break_down(QueueName::Folds);
    let mut browser = desk.browser_of(&ROBIN).await;
    let page = browser.get(PAGE).await;
    let shown = [
        "2 given up.",
        "The jobs cannot be counted just now.",
        "What was given up cannot be counted just now.",
        "How many conversations wait cannot be counted just now.",
        "The bot replied. 1 1",
    ];
    assert_shows(&page, &shown);
    let queues = &desk.api(&ROBIN).get("/v1/health").await.json()["queues"];
    assert_eq!(
        (&queues[0]["dead"], &queues[1]["dead"], &queues[1]["ready"]),
        (&json!(2), &Value::Null, &Value::Null)
    );

    desk.world.table.inject(|_, request| {
        let of_tallies = request["ExpressionAttributeValues"][":pk"]["S"].as_str();
        of_tallies.is_some_and(|pk| pk.starts_with("HEALTH#")).then_some(Fault::Unsent)
    });
    let page = browser.get(PAGE).await;
    assert_shows(&page, &["2 given up.", "The counts cannot be read just now."]);
    let view = desk.api(&ROBIN).get("/v1/health").await;
    assert_eq!((view.status, &view.json()["last_day"]), (StatusCode::OK, &Value::Null));
}

#[tokio::test]
async fn an_operator_sees_what_was_given_up_and_cannot_queue_it_again() {
    let desk = desk().await;
    desk.backlog.set_dead(QueueName::Retention, 3);
    let mut browser = desk.browser_of(&ROBIN).await;
    let page = browser.get(PAGE).await;
    assert_shows(&page, &["3 given up. The bot will not remember it in later conversations."]);
    assert!(!page.body.contains(REDRIVE), "no button: {}", page.body);
    let refused = browser.submit(&page, REDRIVE, &[]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(refused.body.contains("Only admins queue given-up work again."), "{}", refused.body);
    let api = desk.api(&ROBIN);
    let refused = api.post("/v1/queues/retention/redrive", &Value::Null).await;
    assert_eq!((refused.status, &refused.json()["title"]), (StatusCode::FORBIDDEN, &json!("Forbidden")));
    assert_eq!(api.get("/v1/health").await.json()["queues"][2]["dead"], 3, "nothing was moved");
}

#[tokio::test]
async fn an_admin_queues_given_up_work_again_as_much_of_it_as_fits_into_a_click() {
    let desk = desk().await;
    desk.backlog.set_dead(QueueName::Retention, 501);
    let mut browser = desk.browser_of(&ALEX).await;
    let page = browser.get(PAGE).await;
    assert_shows(&page, &["Queue 501 again : Memories"]);
    let said = browser.submit(&page, REDRIVE, &[]).await;
    let shown = ["Memories: 500 jobs are queued again. About 1 are left", "500 ready", "1 given up."];
    assert_shows(&said, &shown);
    let said = browser.submit(&said, REDRIVE, &[]).await;
    assert_shows(&said, &["Memories: 1 job is queued again.", "501 ready", "Nothing was given up."]);
    let said = browser.submit(&said, REDRIVE, &[]).await;
    assert_shows(&said, &["Memories: there was nothing to queue again."]);
}

#[tokio::test]
async fn a_form_of_another_session_queues_nothing_again() {
    let desk = desk().await;
    desk.backlog.set_dead(QueueName::Retention, 1);
    let mut browser = desk.browser_of(&ALEX).await;
    assert_eq!(browser.post(REDRIVE, &[("csrf", "0")]).await.status, StatusCode::FORBIDDEN);
    let page = browser.get(PAGE).await;
    assert_shows(&page, &["1 given up."]);
    let elsewhere = browser.submit(&page, "/console/health/queues/nowhere/redrive", &[]).await;
    assert_eq!(elsewhere.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_queue_that_does_not_answer_is_told_and_loses_nothing() {
    let desk = desk().await;
    desk.backlog.set_dead(QueueName::Retention, 1);
    let mut browser = desk.browser_of(&ALEX).await;
    let page = browser.get(PAGE).await;
    desk.backlog.break_down(QueueName::Retention);
    let said = browser.submit(&page, REDRIVE, &[]).await;
    assert_eq!(said.status, StatusCode::SERVICE_UNAVAILABLE);
    let words = "Memories: the queues do not answer just now. Nothing is lost: try again in a moment.";
    assert!(said.body.contains(words) && said.body.contains("Turns"), "{}", said.body);
    let refused = desk.api(&ALEX).post("/v1/queues/retention/redrive", &Value::Null).await;
    assert_eq!((refused.status, refused.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "5"));
}

#[tokio::test]
async fn a_program_queues_given_up_work_again_once() {
    let desk = desk().await;
    desk.backlog.set_dead(QueueName::Folds, 2);
    let api = desk.api(&ALEX);
    let path = "/v1/queues/folds/redrive";
    for _ in 0..2 {
        let answer = api.write(Method::POST, path, "k1", &Value::Null).await;
        assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({"queued": 2, "left": 0})));
    }
    let nothing = api.write(Method::POST, path, "k2", &Value::Null).await;
    assert_eq!(nothing.json(), json!({"queued": 0, "left": 0}));
    let unknown = api.post("/v1/queues/nowhere/redrive", &Value::Null).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_program_reads_what_was_counted_by_its_names() {
    let limits = Limits { calls_per_hour: 0, ..Limits::default() };
    let desk = Desk::over(World::with_limits(polite(), limits).await).await;
    desk.world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    let mut tally = Tally::one(Count::DeliveriesFailed);
    tally.add(Count::ModelErrors(Role::Summary, "overloaded"), 3);
    tally.add(Count::Degraded(Part::Recall), 2);
    desk.world.ctx.store.count(&tally).await;
    let view = desk.api(&ROBIN).get("/v1/health").await.json();
    assert_eq!(
        (&view["at"], &view["last_day"]["since"]),
        (&json!("2026-12-03T10:00:00.000Z"), &json!("2026-12-02T10:00:00.000Z"))
    );
    let hour = &view["last_hour"];
    assert_eq!(hour["degraded"], json!({"model_limit": 1, "recall": 2}));
    assert_eq!(
        (&hour["replied"], &hour["deliveries_failed"], &hour["cases_not_taken"]),
        (&json!(1), &json!(1), &json!(0))
    );
    let models = json!({
        "reply": {"calls": 0, "errors": {}, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": null},
        "summary":
            {"calls": 0, "errors": {"overloaded": 3}, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": null},
    });
    assert_eq!(hour["models"], models);
}
