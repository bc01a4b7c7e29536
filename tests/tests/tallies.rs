//! Tallies: turns and folds count what happened, in one small write each, and never a word of it.

use carryover_shared::fold::{self, End as FoldEnd};
use carryover_shared::job::{FoldJob, FoldReason};
use carryover_shared::limits::Limits;
use carryover_shared::model::NoModel;
use carryover_shared::tally::{Count, Part, Tally};
use carryover_shared::thread::Author::{self, Bot, Customer};
use carryover_shared::traits::{Clock, Model, ModelError, Question, Role};
use carryover_tests::bank::{FakeBank, Trouble};
use carryover_tests::model::FakeModel;
use carryover_tests::table::{Call, Fault};
use carryover_tests::watch::plain;
use carryover_tests::world::World;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

fn reply(text: &str) -> Value {
    json!({"action": "reply", "reply": text, "category": "", "reason": ""})
}

fn polite() -> FakeModel {
    FakeModel::new(|_: &Question| Ok(reply("Gladly."))).counting(120, 7)
}

fn failing(error: ModelError) -> FakeModel {
    FakeModel::new(move |_: &Question| Err(error.clone()))
}

fn is_tally(call: &Call) -> bool {
    call.request["Key"]["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("HEALTH#"))
}

fn tallies(calls: &[Call]) -> usize {
    calls.iter().filter(|call| is_tally(call)).count()
}

fn numbers<const N: usize>(tally: &Tally, counts: [Count; N]) -> [u64; N] {
    counts.map(|count| tally.of(count))
}

#[tokio::test]
async fn a_turn_counts_its_decision_and_its_tokens_in_one_write_after_its_commit() {
    let world = World::new(polite()).await;
    world.table.take_calls();
    world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    let calls = world.table.take_calls();
    assert_eq!(tallies(&calls), 1);
    let commit = calls.iter().rposition(|call| call.operation == "TransactWriteItems");
    assert!(calls.iter().position(is_tally) > commit, "no turn waits for it");
    world.write("ana", "m2", "When do I get my deposit back?").await.expect("an answer");

    let tally = world.counted().await;
    assert_eq!(numbers(&tally, [Count::Replied, Count::Escalated, Count::Silent]), [1, 1, 0]);
    let of_the_model =
        [Count::Calls(Role::Reply), Count::PromptTokens(Role::Reply), Count::CompletionTokens(Role::Reply)];
    assert_eq!(numbers(&tally, of_the_model), [1, 120, 7], "a rule asks no model");
    assert_eq!(tally.iter().count(), 5, "{tally:?}");
}

#[tokio::test]
async fn what_a_person_answers_counts_as_silence_once() {
    let world = World::new(polite()).await;
    world.write("ana", "m1", "When do I get my deposit back?").await.expect("an answer");
    world.table.take_calls();
    world.write("ana", "m2", "Hello?").await.expect("an answer");
    assert_eq!(tallies(&world.table.take_calls()), 1);
    world.work().await.expect("the safety net");
    assert_eq!(numbers(&world.counted().await, [Count::Escalated, Count::Silent]), [1, 1]);
}

#[tokio::test]
async fn a_model_that_is_late_counts_as_its_error_and_as_a_degradation() {
    let world = World::new(failing(ModelError::Timeout)).await;
    world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    let counts = [
        Count::ModelErrors(Role::Reply, "timeout"),
        Count::Degraded(Part::Model),
        Count::Degraded(Part::NoModel),
        Count::Calls(Role::Reply),
        Count::Escalated,
    ];
    assert_eq!(numbers(&world.counted().await, counts), [1, 1, 0, 1, 1]);
}

#[tokio::test]
async fn where_no_model_is_configured_none_has_failed() {
    let world = World::new(NoModel).await;
    world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    let tally = world.counted().await;
    assert_eq!(numbers(&tally, [Count::Degraded(Part::NoModel), Count::Replied]), [1, 1]);
    assert_eq!(tally.iter().count(), 2, "{tally:?}");
}

#[tokio::test]
async fn a_recall_that_fails_counts_as_a_degradation() {
    let bank = FakeBank::default();
    let mut world = World::new(polite()).await;
    world.ctx.bank = Arc::new(bank.clone());
    bank.set_trouble(Some(Trouble::Down));
    world.write("ana", "m1", "Is there parking for my blue car?").await.expect("an answer");
    assert_eq!(numbers(&world.counted().await, [Count::Degraded(Part::Recall), Count::Replied]), [1, 1]);
}

#[tokio::test]
async fn the_tokens_of_a_draft_that_a_person_forestalled_are_counted() {
    let world = Arc::new(World::new(polite().thinking(Duration::from_millis(200))).await);
    let writes = {
        let world = world.clone();
        tokio::spawn(async move { world.write("ana", "m1", "Is there parking?").await })
    };
    while world.ctx.store.resolve(&"chat:ana".parse().expect("an identity")).await.expect("a table").is_none()
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.takes_over("ana").await;
    writes.await.expect("a turn").expect("an answer");
    let counts = [Count::PromptTokens(Role::Reply), Count::Replied, Count::Escalated];
    assert_eq!(numbers(&world.counted().await, counts), [120, 0, 0]);
}

#[tokio::test]
async fn optional_is_optional_a_table_that_counts_nothing_keeps_nobody_waiting() {
    for fault in [Fault::Unsent, Fault::Conflict, Fault::Hangs] {
        let world = World::new(polite()).await;
        world.table.inject(move |_, request| {
            let counts = request["Key"]["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("HEALTH#"));
            counts.then_some(fault)
        });
        world.write("ana", "m1", "Is there parking?").await.expect("an answer");
        assert_eq!(world.log("ana").await.len(), 2, "{fault:?}");
        assert_eq!(world.sent.take_folds().len(), 1, "{fault:?}");
        world.table.heal();
        assert!(world.counted().await.is_empty(), "{fault:?}");
    }
}

#[tokio::test]
async fn each_hour_has_its_own_and_is_forgotten_after_eight_days() {
    let world = World::new(polite()).await;
    world.write("ana", "m1", "Is there parking?").await.expect("an answer");
    world.clock.advance(20 * HOUR);
    world.write("ana", "m2", "Is there parking?").await.expect("an answer");
    let (store, now) = (&world.ctx.store, world.clock.now());
    let hours: Vec<i64> = store
        .tallies(now - 24 * HOUR, now)
        .await
        .expect("tallies")
        .into_iter()
        .map(|(hour, _)| hour)
        .collect();
    assert_eq!(hours, [now.hour() - 20, now.hour()], "two days, one hour each");
    assert_eq!(store.tallies(now - HOUR, now).await.expect("tallies").len(), 1);
    let item = plain(tally_items(&world).remove(0));
    let begun = item["hour"].as_i64().expect("an hour") * 3_600;
    assert_eq!(item["expires_at"].as_i64().expect("a time") - begun, 8 * 24 * 3_600);
}

/// A world whose window is so small that of six messages four age out.
async fn with_a_log() -> World {
    let limits = Limits { window_messages: 2, ..Limits::default() };
    let world = World::with_limits(polite(), limits).await;
    let lines: [(Author, &str); 6] = [
        (Customer, "Is there parking?"),
        (Bot, "There is."),
        (Customer, "Where?"),
        (Bot, "Behind the house."),
        (Customer, "Thanks!"),
        (Bot, "You are welcome."),
    ];
    let ana = carryover_tests::world::identity("ana");
    let contact = carryover_shared::contact::ContactId::new(world.ctx.clock.ulid());
    assert!(world.ctx.store.create_contact(contact, &ana).await.expect("a table"));
    world.import("ana", &lines).await;
    world
}

async fn fold(world: &World, model: impl Model + 'static) -> FoldEnd {
    let contact_id = world.contact("ana").await;
    let up_to = world.head("ana").await.last_seq;
    let ctx = fold::Context {
        store: world.ctx.store.clone(),
        model: Arc::new(model),
        clock: world.ctx.clock.clone(),
        limits: world.ctx.limits.clone(),
        retention: None,
    };
    let job = FoldJob { contact_id, up_to, why: FoldReason::Reply };
    fold::run(&ctx, job, world.clock.now() + Duration::from_secs(300)).await.expect("a fold").end
}

fn summary() -> Value {
    json!({
        "guest_intent": "Wants parking.", "established_facts": [], "open_questions": [],
        "summary_text": "They asked for parking.", "history": "Language: English\nThey asked for parking.",
    })
}

#[tokio::test]
async fn a_fold_counts_how_far_behind_it_was_and_its_tokens_in_one_write() {
    let world = with_a_log().await;
    world.table.take_calls();
    assert_eq!(fold(&world, FakeModel::new(|_| Ok(summary())).counting(300, 40)).await, FoldEnd::Folded);
    assert_eq!(tallies(&world.table.take_calls()), 1);
    let tally = world.counted().await;
    let counts = [
        Count::FoldsSaved,
        Count::Behind,
        Count::BehindAtMost(5),
        Count::Calls(Role::Summary),
        Count::PromptTokens(Role::Summary),
        Count::CompletionTokens(Role::Summary),
    ];
    assert_eq!(numbers(&tally, counts), [1, 4, 1, 1, 300, 40]);
    assert_eq!(fold(&world, polite()).await, FoldEnd::Idle);
    assert_eq!(world.counted().await, tally, "a job with nothing to do counts nothing");
}

#[tokio::test]
async fn a_fold_whose_model_is_down_counts_its_errors_and_what_the_fallback_did() {
    let world = with_a_log().await;
    assert_eq!(fold(&world, failing(ModelError::Overloaded { status: 529 })).await, FoldEnd::Folded);
    let counts = [
        Count::FoldsByFallback,
        Count::FoldsSaved,
        Count::FoldsFailed,
        Count::ModelErrors(Role::Summary, "overloaded"),
        Count::ModelErrors(Role::Reply, "overloaded"),
    ];
    assert_eq!(numbers(&world.counted().await, counts), [1, 0, 0, 2, 0], "it was asked twice");
}

#[tokio::test]
async fn a_fold_that_finds_no_room_counts_as_failed() {
    let limits = Limits { window_messages: 2, history_chars: 0, ..Limits::default() };
    let mut world = with_a_log().await;
    world.ctx.limits = limits;
    let end = fold(&world, failing(ModelError::Timeout)).await;
    assert_eq!(end, FoldEnd::Waits { attempts: 1 });
    assert_eq!(numbers(&world.counted().await, [Count::FoldsFailed, Count::Behind]), [1, 4]);
}

fn tally_items(world: &World) -> Vec<Value> {
    let is_tally = |item: &Value| item["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("HEALTH#"));
    world.table.items().into_iter().filter(is_tally).collect()
}

/// Whether an item says nothing but when and how often.
fn is_numbers_alone(item: &Value) -> bool {
    let known: BTreeSet<String> =
        Count::all().map(Count::name).chain(["hour".into(), "expires_at".into()]).collect();
    item.as_object().expect("an item").iter().all(|(name, value)| match name.as_str() {
        "pk" => value["S"] == "HEALTH#2026-12-03",
        "sk" => value["S"] == "10#2",
        name => known.contains(name) && value["N"].is_string(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn quiet_logs_tallies_are_numbers_whatever_is_written_and_whatever_breaks(
        text in "[a-z #%é]{1,40}",
        who in "[a-z]{1,8}",
        error in prop::sample::select(vec![
            None,
            Some(ModelError::Declined),
            Some(ModelError::Unreadable),
            Some(ModelError::Rejected { status: 404 }),
            Some(ModelError::NotConfigured),
        ]),
        bank_is_down in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let said = text.clone();
            let model = FakeModel::new(move |_: &Question| error.clone().map_or(Ok(reply(&said)), Err));
            let mut world = World::new(model).await;
            let bank = FakeBank::default();
            bank.set_trouble(bank_is_down.then_some(Trouble::Down));
            world.ctx.bank = Arc::new(bank);
            world.write(&who, &text, &text).await.expect("an answer");
            let items = tally_items(&world);
            assert!(!items.is_empty() && items.iter().all(is_numbers_alone), "{items:?}");
        });
    }
}
