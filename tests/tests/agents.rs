//! Agents in process: who answers, what the business says of itself, and that memory belongs to no agent.

use aws_sdk_dynamodb::types::AttributeValue;
use carryover_shared::admit::{self, Answer, Incoming};
use carryover_shared::agent::{AccountAgent, AgentVersion};
use carryover_shared::case::Category;
use carryover_shared::contact::{Account, ContactId, Identity};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::limits::Limits;
use carryover_shared::store::{Assigned, FactWrite, Installed};
use carryover_shared::thread::{Author, Channel, Mode};
use carryover_shared::trace::{Degraded, Outcome, Trace};
use carryover_shared::traits::{Clock, Question, Role};
use carryover_shared::turn::End;
use carryover_tests::model::FakeModel;
use carryover_tests::received::Received;
use carryover_tests::table::{Call, Fault, TABLE, sequential};
use carryover_tests::world::{self, World, identity};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Answers turns, and folds by remembering nothing: every value is spilled.
fn forgetful() -> FakeModel {
    folding("They talked.")
}

/// Answers turns, and folds into this history.
fn folding(history: &'static str) -> FakeModel {
    FakeModel::new(move |question| {
        Ok(match question.role {
            Role::Reply => json!({"action": "reply", "reply": "Good.", "category": "", "reason": ""}),
            Role::Summary => json!({"guest_intent": "talks", "established_facts": [], "open_questions": [],
                                    "summary_text": "They talk.", "history": history}),
        })
    })
}

/// A live agent that is told its own name, beside the default one.
async fn with_garden(model: FakeModel) -> World {
    let world = World::new(model).await;
    world.publish(&garden("You are the garden.")).await;
    world
}

fn garden(instructions: &str) -> AgentVersion {
    AgentVersion { name: "garden".into(), instructions: instructions.into(), ..AgentVersion::built_in() }
}

fn on(channel: Channel, account: &str) -> (Channel, Account) {
    (channel, Account::from(account))
}

fn sms() -> (Channel, Account) {
    on(Channel::Sms, "sms:spring")
}

/// `chat:<who>` writes on this account.
async fn write(
    world: &World,
    who: &str,
    id: &str,
    (channel, account): (Channel, Account),
    text: &str,
) -> Answer {
    let incoming = Incoming { channel, account, ..world.incoming(who, id, text) };
    Box::pin(admit::answer(&world.ctx, &incoming)).await.expect("an answer")
}

async fn assign(world: &World, agent: &str) -> Assigned {
    let to = AccountAgent { account: sms().1, agent: agent.into(), campaign: Some("spring".into()) };
    world.ctx.store.assign_account(&to, "tests").await.expect("a table")
}

async fn use_agent(world: &World, who: &str, agent: Option<&str>) -> Assigned {
    world.ctx.store.use_agent(world.contact(who).await, agent).await.expect("a table")
}

/// Who wrote the newest reply to `chat:<who>`.
async fn answered_by(world: &World, who: &str) -> (String, u32) {
    let log = world.log(who).await;
    let reply = log.into_iter().rfind(|message| message.author == Author::Bot).expect("a reply");
    (reply.agent.expect("an agent"), reply.version.expect("a version"))
}

async fn degraded(world: &World, who: &str) -> Vec<Degraded> {
    let traces =
        world.ctx.store.traces::<Trace, Outcome>(world.contact(who).await, 1).await.expect("a table");
    traces.into_iter().next_back().expect("a trace").0.degraded
}

/// The newest question of a turn.
fn asked(model: &FakeModel) -> Question {
    model.questions().into_iter().rfind(|question| question.role == Role::Reply).expect("a question")
}

#[tokio::test]
async fn the_account_that_received_the_newest_message_decides_who_answers() {
    let model = forgetful();
    let world = with_garden(model.clone()).await;
    assert_eq!(assign(&world, "garden").await, Assigned::Done);

    write(&world, "ana", "m1", sms(), "hello").await;
    assert_eq!(answered_by(&world, "ana").await, ("garden".into(), 1));
    assert!(asked(&model).system.contains("You are the garden."));

    world.write("ana", "m2", "and here?").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("default".into(), 1));
    assert!(!asked(&model).system.contains("You are the garden."));

    // The queue knows the account from the message alone.
    let (channel, account) = sms();
    let dropped_off = Incoming { channel, account, ..world.incoming("ana", "m3", "and now?") };
    admit::accept(&world.ctx, &dropped_off).await.unwrap();
    world.work().await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("garden".into(), 1));
}

#[tokio::test]
async fn the_head_overrides_the_account() {
    let world = with_garden(forgetful()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(use_agent(&world, "ana", Some("garden")).await, Assigned::Done);
    world.write("ana", "m2", "and now?").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await.0, "garden");
    world.write("leo", "m1", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "leo").await.0, "default");

    assert_eq!(use_agent(&world, "ana", None).await, Assigned::Done);
    world.write("ana", "m3", "and now?").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await.0, "default");
}

#[tokio::test]
async fn only_an_agent_that_is_live_is_given_anything() {
    let world = World::new(forgetful()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    world.ctx.store.create_version(&garden("Not yet."), "tests").await.unwrap();
    for agent in ["garden", "ghost"] {
        assert_eq!(use_agent(&world, "ana", Some(agent)).await, Assigned::NotLive);
        assert_eq!(assign(&world, agent).await, Assigned::NotLive);
    }
    assert_eq!(
        (world.head("ana").await.agent, world.ctx.store.account(&sms().1).await.unwrap()),
        (None, None)
    );
    let nobody = ContactId::new(world.clock.ulid());
    assert_eq!(world.ctx.store.use_agent(nobody, Some("default")).await.unwrap(), Assigned::Gone);
}

#[tokio::test]
async fn an_account_stands_with_one_agent_and_its_campaign() {
    let world = with_garden(forgetful()).await;
    let store = &world.ctx.store;
    let spring = |agent: &str| {
        let (account, agent) = (sms().1, agent.to_owned());
        AccountAgent { account, agent, campaign: Some("spring".into()) }
    };
    assign(&world, "garden").await;
    assert_eq!(store.accounts_of("garden", 10).await.unwrap(), [spring("garden")]);
    assign(&world, "default").await;
    assert_eq!(store.accounts_of("garden", 10).await.unwrap(), []);
    assert_eq!(store.accounts_of("default", 10).await.unwrap(), [spring("default")]);
}

#[tokio::test]
async fn what_was_read_of_an_account_and_a_pointer_counts_for_a_minute() {
    let world = with_garden(forgetful()).await;
    write(&world, "ana", "m1", sms(), "hello").await;
    assign(&world, "garden").await;
    write(&world, "ana", "m2", sms(), "hello").await;
    assert_eq!(answered_by(&world, "ana").await.0, "default", "as it was read a moment ago");
    world.clock.advance(MINUTE);
    write(&world, "ana", "m3", sms(), "hello").await;
    assert_eq!(answered_by(&world, "ana").await, ("garden".into(), 1));

    // A pointer that stands beside the head is read in every turn; another one is read again after a minute.
    write(&world, "leo", "m1", sms(), "hello").await;
    use_agent(&world, "leo", Some("default")).await;
    write(&world, "leo", "m2", sms(), "hello").await;
    world.publish(&garden("Two.")).await;
    write(&world, "ana", "m4", sms(), "hello").await;
    assert_eq!(answered_by(&world, "ana").await, ("garden".into(), 2));
    world.publish(&AgentVersion::built_in()).await;
    world.clock.advance(MINUTE);
    write(&world, "leo", "m3", sms(), "hello").await;
    assert_eq!(answered_by(&world, "leo").await, ("default".into(), 2));
}

#[tokio::test]
async fn signed_change_another_process_answers_with_what_was_published_a_minute_later() {
    let world = with_garden(forgetful()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    use_agent(&world, "ana", Some("garden")).await;
    world.write("ana", "m2", "hello").await.unwrap();
    world.publish(&garden("Two.")).await;
    world.clock.advance(MINUTE);
    world.write("ana", "m3", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("garden".into(), 2));
}

async fn set(world: &World, (pk, sk): (&str, &str), attribute: &str, value: &str) {
    let update = world.table.client().update_item().table_name(TABLE);
    update
        .key("pk", AttributeValue::S(pk.into()))
        .key("sk", AttributeValue::S(sk.into()))
        .update_expression("SET #a = :v")
        .expression_attribute_names("#a", attribute)
        .expression_attribute_values(":v", AttributeValue::S(value.into()))
        .send()
        .await
        .expect("an update");
}

#[tokio::test]
async fn in_place_of_an_agent_that_cannot_answer_the_default_one_does() {
    let world = with_garden(forgetful()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    let head = format!("CONTACT#{}", world.contact("ana").await);
    set(&world, (&head, "HEAD"), "agent", "ghost").await;
    world.write("ana", "m2", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("default".into(), 1));
    assert_eq!(degraded(&world, "ana").await, [Degraded::new("agent", "not live")]);

    set(&world, ("AGENT#garden", "VERSION#0000000001"), "definition", "{\"mood\": 1}").await;
    use_agent(&world, "ana", Some("garden")).await;
    world.write("ana", "m3", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("default".into(), 1));
    assert_eq!(degraded(&world, "ana").await, [Degraded::new("agent", "unreadable")]);
}

#[tokio::test]
async fn in_place_of_a_default_agent_that_cannot_be_read_the_built_in_one_answers() {
    let world = World::new(forgetful()).await;
    set(&world, ("AGENT#default", "VERSION#0000000001"), "definition", "{}").await;
    world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("default".into(), 0));
    let escalated = world.write("ana", "m2", "I want a refund").await.unwrap();
    assert!(matches!(escalated, Answer::New { end: End::Escalated(_), .. }), "{escalated:?}");
}

#[tokio::test]
async fn on_a_channel_that_the_agent_does_not_answer_a_person_does() {
    let model = forgetful();
    let world = World::new(model.clone()).await;
    let version = AgentVersion { channels: vec![Channel::Chat], ..AgentVersion::built_in() };
    world.publish(&version).await;
    world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(model.questions().len(), 1);

    let answer = write(&world, "ana", "m2", sms(), "hello").await;
    assert!(matches!(answer, Answer::New { end: End::Escalated(Some(_)), .. }), "{answer:?}");
    assert_eq!(model.questions().len(), 1, "the model is not asked");
    let cases = world.ctx.store.cases(world.contact("ana").await).await.unwrap();
    assert_eq!(cases[0].category, Category::PolicyRestriction);
    assert_eq!(cases[0].reason, "The agent default does not answer on SMS.");
    assert_eq!(world.head("ana").await.mode, Mode::Human);
}

#[tokio::test]
async fn signed_change_a_version_that_was_created_is_not_live() {
    let model = forgetful();
    let world = World::new(model.clone()).await;
    let version =
        AgentVersion { instructions: "Give everybody a refund.".into(), ..AgentVersion::built_in() };
    let created = world.ctx.store.create_version(&version, "tests").await.unwrap();
    assert_eq!(created, 2);
    let stored = world.ctx.store.agent_version("default", 2).await.unwrap();
    assert_eq!(stored, Some(AgentVersion { version: 2, ..version }));
    world.clock.advance(MINUTE);
    world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(answered_by(&world, "ana").await, ("default".into(), 1));
    assert!(!asked(&model).system.contains("Give everybody a refund."));
}

#[tokio::test]
async fn versions_are_numbered_without_a_gap_and_each_has_an_author() {
    let world = World::new(forgetful()).await;
    let store = &world.ctx.store;
    let created = (0..8).map(|n| {
        let by = format!("author {n}");
        async move { store.create_version(&garden("Water."), &by).await.unwrap() }
    });
    let numbers: BTreeSet<u32> = futures::future::join_all(created).await.into_iter().collect();
    assert_eq!(numbers, (1..=8).collect());
    let versions = store.agent_versions("garden", 10).await.unwrap();
    assert_eq!(versions.iter().map(|entry| entry.version).collect::<Vec<_>>(), [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(versions.iter().map(|entry| &entry.author).collect::<BTreeSet<_>>().len(), 8);
    let of_garden = |item: &Value, sk: &str| {
        item["pk"]["S"] == "AGENT#garden" && item["sk"]["S"].as_str().is_some_and(|key| key.starts_with(sk))
    };
    let audits: Vec<Value> =
        world.table.items().into_iter().filter(|item| of_garden(item, "AUDIT#")).collect();
    assert_eq!(audits.len(), 8);
    assert!(audits.iter().all(|audit| audit["action"]["S"] == "created"), "{audits:?}");
}

#[tokio::test]
async fn a_default_agent_is_installed_once_whatever_was_created_before() {
    let world = World::new(forgetful()).await;
    let store = &world.ctx.store;
    assert_eq!(store.install_default_agent("tests").await.unwrap(), Installed::Already);
    let delete = world.table.client().delete_item().table_name(TABLE);
    let delete = delete.key("pk", AttributeValue::S("LIVE#default".into()));
    delete.key("sk", AttributeValue::S("LIVE".into())).send().await.unwrap();
    store.create_version(&AgentVersion::built_in(), "tests").await.unwrap();
    assert_eq!(store.install_default_agent("tests").await.unwrap(), Installed::Now);
    assert_eq!(store.live_version("default").await.unwrap(), Some(3));
}

fn writes_pointer(call: &Call) -> bool {
    let writes = |item: &Value| {
        ["Put", "Update", "Delete"].iter().any(|kind| item[*kind].to_string().contains("\"LIVE#"))
    };
    match call.operation.as_str() {
        "TransactWriteItems" => call.request["TransactItems"].as_array().expect("items").iter().any(writes),
        "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" => {
            call.request.to_string().contains("\"LIVE#")
        }
        _ => false,
    }
}

#[tokio::test]
async fn signed_change_nothing_but_the_first_installation_writes_the_pointer() {
    let world = with_garden(forgetful()).await;
    let store = &world.ctx.store;
    world.table.take_calls();
    store.create_version(&garden("More."), "tests").await.unwrap();
    store.install_default_agent("tests").await.unwrap();
    world.write("ana", "m1", "hello").await.unwrap();
    use_agent(&world, "ana", Some("garden")).await;
    assign(&world, "garden").await;
    store.put_business_fact("garden", &hours("9-17"), &world.ctx.limits).await.unwrap();
    write(&world, "ana", "m2", sms(), "I want a refund").await;
    let calls: Vec<Call> = world.table.take_calls();
    let changed = calls.iter().filter(|call| writes_pointer(call)).count();
    assert_eq!(changed, 1, "the installation alone tries, and loses");
    assert_eq!(store.live_version("default").await.unwrap(), Some(1));
    assert_eq!(store.live_version("garden").await.unwrap(), Some(1));
}

#[tokio::test]
async fn whoever_answers_a_turn_waits_for_the_table_four_times() {
    let world = with_garden(forgetful()).await;
    assign(&world, "garden").await;
    for who in ["ana", "leo"] {
        for n in 0..20 {
            write(&world, who, &format!("m{n}"), sms(), "and then?").await;
        }
    }
    use_agent(&world, "leo", Some("default")).await;
    write(&world, "leo", "moved", sms(), "and then?").await;
    world.table.set_latency(Duration::from_millis(20));
    for who in ["ana", "leo"] {
        world.table.take_calls();
        write(&world, who, "last", sms(), "and now?").await;
        let calls = world.table.take_calls();
        let committed = calls.iter().rposition(|call| call.operation == "TransactWriteItems").unwrap();
        // The trace is written while the model thinks.
        let path = calls.iter().take(committed + 1).filter(|call| call.operation != "PutItem");
        let path: Vec<Call> = path.cloned().collect();
        assert_eq!(
            sequential(&path),
            4,
            "{who}: {:?}",
            path.iter().map(|c| &c.operation).collect::<Vec<_>>()
        );
    }
}

fn fact(kind: &str, id: &str, data: Value) -> Fact {
    let as_of = AsOf::parse("2026-12-01T09:00:00Z", TEST_NOW).expect("a time");
    Fact::checked(kind, id, as_of, "desk", data, &Limits::default()).expect("a fact")
}

const TEST_NOW: carryover_shared::time::Timestamp =
    carryover_shared::time::Timestamp::from_millis(carryover_tests::clock::START_MILLIS);

fn hours(monday: &str) -> Fact {
    fact("hours", "shop", json!({"monday": monday}))
}

async fn put(world: &World, agent: &str, fact: &Fact) {
    let written = world.ctx.store.put_business_fact(agent, fact, &world.ctx.limits).await.expect("a table");
    assert_eq!(written, FactWrite::Created);
}

#[tokio::test]
async fn facts_of_the_business_hang_on_the_agent_and_rank_as_facts() {
    let model = forgetful();
    let world = with_garden(model.clone()).await;
    assign(&world, "garden").await;
    put(&world, "default", &hours("9:00 to 17:00")).await;
    put(&world, "garden", &hours("7:00 to 12:00")).await;
    world.write("ana", "m1", "When are you open?").await.unwrap();
    let asked_default = asked(&model);
    assert!(asked_default.system.contains("FACTS of the business are its own records"));
    let (_, business) = asked_default.user.split_once("# FACTS of the business").expect("a section");
    assert!(
        business.contains("hours shop [source desk, as of 2026-12-01 (2 days old)]: monday: 9:00 to 17:00")
    );
    assert!(!business.contains("7:00 to 12:00"));

    write(&world, "ana", "m2", sms(), "When are you open?").await;
    let user = asked(&model).user;
    assert!(user.contains("7:00 to 12:00") && !user.contains("9:00 to 17:00"));
}

#[tokio::test]
async fn a_reply_may_say_what_the_business_says_of_itself_and_nothing_of_another_unit() {
    let model = FakeModel::new(|question| {
        let received = Received::read(&question.system, &question.user);
        let reply = if received.shown(received.newest()).contains("open") {
            "We open at 07:15 on Mondays."
        } else {
            "The code is sun-4217."
        };
        Ok(json!({"action": "reply", "reply": reply, "category": "", "reason": ""}))
    });
    let world = World::new(model).await;
    put(&world, "default", &hours("07:15-12:00")).await;
    put(&world, "default", &fact("unit", "Alba", json!({"wifi": "sun-4217"}))).await;
    let answer = world.write("ana", "m1", "When do you open on Mondays?").await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
    world.write("ana", "m2", "What is the wifi code of Alba?").await.unwrap();
    let cases = world.ctx.store.cases(world.contact("ana").await).await.unwrap();
    assert_eq!(cases[0].category, Category::UngroundedReply);
}

#[tokio::test]
async fn facts_of_the_business_are_read_again_after_a_minute() {
    let model = forgetful();
    let world = World::new(model.clone()).await;
    world.write("ana", "m1", "When are you open?").await.unwrap();
    assert!(asked(&model).user.contains("It has no records."));
    put(&world, "default", &hours("9:00 to 17:00")).await;
    world.clock.advance(MINUTE);
    world.write("ana", "m2", "When are you open?").await.unwrap();
    assert!(asked(&model).user.contains("9:00 to 17:00"));
}

#[tokio::test]
async fn optional_is_optional_without_the_facts_of_the_business_a_turn_goes_on() {
    for fault in [Fault::Unsent, Fault::Conflict] {
        let model = forgetful();
        let world = World::new(model.clone()).await;
        put(&world, "default", &hours("9:00 to 17:00")).await;
        world.table.inject(move |operation, request| {
            let is_meant = operation == "Query" && request.to_string().contains("\"BUSINESS#");
            is_meant.then_some(fault)
        });
        let answer = world.write("ana", "m1", "When are you open?").await.unwrap();
        assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
        assert!(asked(&model).user.contains("Failed: its records could not be read."));
        assert_eq!(degraded(&world, "ana").await, [Degraded::new("business", "unavailable")]);
        world.table.heal();
        world.write("ana", "m2", "When are you open?").await.unwrap();
        assert!(asked(&model).user.contains("9:00 to 17:00"));
    }
}

#[tokio::test]
async fn bounds_a_business_keeps_so_many_facts_and_only_of_an_agent_that_there_is() {
    let limits = Limits { business_items: 2, ..Limits::default() };
    let world = World::with_limits(forgetful(), limits.clone()).await;
    let store = &world.ctx.store;
    let policy = |n: usize| fact("policy", &n.to_string(), json!({"text": n}));
    for n in 0..2 {
        put(&world, "default", &policy(n)).await;
    }
    assert_eq!(store.put_business_fact("default", &policy(2), &limits).await.unwrap(), FactWrite::Full);
    assert_eq!(store.put_business_fact("ghost", &policy(2), &limits).await.unwrap(), FactWrite::Gone);
    let later = AsOf::parse("2026-12-02T09:00:00Z", TEST_NOW).unwrap();
    let deleted = store.delete_business_fact("default", "policy", "0", &later, TEST_NOW).await.unwrap();
    assert_eq!(deleted, FactWrite::Done);
    assert_eq!(store.put_business_fact("default", &policy(0), &limits).await.unwrap(), FactWrite::Older);
    put(&world, "default", &policy(2)).await;
}

/// The customers of the property below, and where each of them stays.
const UNITS: [&str; 4] = ["Alba", "Brisa", "11-2", "1-12"];

fn code_of(unit: &str) -> String {
    format!("code-of-{}", unit.replace('-', "dash"))
}

async fn stay_in(units: Vec<usize>, writers: Vec<usize>) {
    let model = forgetful();
    let world = World::new(model.clone()).await;
    for (n, unit) in UNITS.iter().enumerate() {
        let code = code_of(unit);
        let fact = if n % 2 == 0 {
            fact("unit", unit, json!({"wifi": code}))
        } else {
            fact("policy", &n.to_string(), json!({"unit": unit, "wifi": code}))
        };
        put(&world, "default", &fact).await;
    }
    for (n, unit) in units.iter().enumerate() {
        let who: Identity = identity(&format!("guest{n}"));
        let contact = ContactId::new(world.clock.ulid());
        assert!(world.ctx.store.create_contact(contact, &who).await.expect("a table"));
        let stay = fact("stay", "S", json!({"unit": UNITS[*unit]}));
        world.ctx.store.put_fact(contact, &stay, &world.ctx.limits).await.expect("a table");
    }
    for (n, writer) in writers.into_iter().enumerate() {
        let guest = writer % units.len();
        let text = format!("What is the wifi code of {}?", UNITS[writer % UNITS.len()]);
        world.write(&format!("guest{guest}"), &n.to_string(), &text).await.expect("an answer");
        let user = asked(&model).user;
        for (index, unit) in UNITS.iter().enumerate() {
            let is_own = index == units[guest];
            assert_eq!(
                user.contains(&code_of(unit)),
                is_own,
                "guest {guest} in {}, {unit}",
                UNITS[units[guest]]
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn isolation_nobody_is_told_the_code_of_a_unit_where_they_do_not_stay(
        units in prop::collection::vec(0..UNITS.len(), 1..4),
        writers in prop::collection::vec(0_usize..12, 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(stay_in(units, writers));
    }
}

#[tokio::test]
async fn isolation_where_the_records_cannot_be_read_no_unit_is_shown() {
    let model = forgetful();
    let world = World::new(model.clone()).await;
    put(&world, "default", &hours("9:00 to 17:00")).await;
    put(&world, "default", &fact("unit", "Alba", json!({"wifi": "sun-42"}))).await;
    world.write("ana", "m1", "hello").await.unwrap();
    let stay = fact("stay", "S", json!({"unit": "Alba"}));
    world.ctx.store.put_fact(world.contact("ana").await, &stay, &world.ctx.limits).await.unwrap();
    world.write("ana", "m2", "What is the wifi code?").await.unwrap();
    assert!(asked(&model).user.contains("sun-42"));

    world.table.inject(|operation, request| {
        (operation == "Query" && request.to_string().contains("\"FACTS#")).then_some(Fault::Unsent)
    });
    world.write("ana", "m3", "What is the wifi code?").await.unwrap();
    let user = asked(&model).user;
    assert!(user.contains("9:00 to 17:00") && !user.contains("sun-42"));
}

/// Last week on WhatsApp with the default agent, today by SMS with another one; what the newest prompt says.
async fn asked_after_a_week(model: FakeModel) -> Question {
    let world = with_garden(model.clone()).await;
    assign(&world, "garden").await;
    let whatsapp = || on(Channel::Whatsapp, "whatsapp:main");
    write(&world, "ana", "w0", whatsapp(), "My greyhound is called Biscuit and eats only P-4402.").await;
    for n in 1..12 {
        write(&world, "ana", &format!("w{n}"), whatsapp(), "Thanks, and what else is there to do?").await;
    }
    world::fold(&world.ctx, model.clone(), world.contact("ana").await).await;
    assert_eq!(answered_by(&world, "ana").await.0, "default");

    world.clock.advance(WEEK);
    write(&world, "ana", "s1", sms(), "Do you remember my greyhound?").await;
    assert_eq!(answered_by(&world, "ana").await.0, "garden");
    let asked = asked(&model);
    assert!(asked.system.contains("You are the garden."));
    let (_, said) = asked.user.rsplit_once("# Not summarised yet").expect("a section");
    assert!(!said.contains("Biscuit"), "what was said then is no longer shown word for word");
    asked
}

#[tokio::test]
async fn another_agent_on_another_channel_knows_what_the_history_kept() {
    let kept = "Language: English\nThe customer's greyhound Biscuit eats only P-4402.";
    let asked = asked_after_a_week(folding(kept)).await;
    let (_, history) = asked.user.split_once("# History").expect("a section");
    assert!(history.contains("Biscuit eats only P-4402"));
}

#[tokio::test]
async fn another_agent_on_another_channel_knows_what_was_spilled_into_memory() {
    let asked = asked_after_a_week(forgetful()).await;
    let (_, memories) = asked.user.split_once("# Memories").expect("a section");
    let (memories, history) = memories.split_once("# History").expect("a section");
    assert!(memories.contains("Biscuit") && memories.contains("P-4402"), "{memories}");
    assert!(!history.contains("P-4402"));
}

#[tokio::test]
async fn moving_a_contact_changes_nothing_but_who_answers() {
    let world = with_garden(forgetful()).await;
    world.write("ana", "m1", "My parking spot is P-4402.").await.unwrap();
    let before = world.head("ana").await;
    let (log, contact) = (world.log("ana").await, world.contact("ana").await);
    use_agent(&world, "ana", Some("garden")).await;
    let after = world.head("ana").await;
    assert_eq!(after, carryover_shared::thread::Head { agent: Some("garden".into()), ..before });
    assert_eq!((world.log("ana").await, world.contact("ana").await), (log, contact));
}
