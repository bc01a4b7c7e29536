//! A reply that an operator flagged as wrong counts no more, and counts again when the flag is taken back.

use carryover_shared::contact::ContactId;
use carryover_shared::desk::{self, NewFlag};
use carryover_shared::flag::FlagReason;
use carryover_shared::limits::Limits;
use carryover_shared::memory::Origin;
use carryover_shared::store::TraceKey;
use carryover_shared::thread::{BotKind, Seq};
use carryover_shared::trace::Trace;
use carryover_shared::traits::{Clock, Role};
use carryover_tests::model::FakeModel;
use carryover_tests::table::Fault;
use carryover_tests::world::{World, operator};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CODE: &str = "The wifi code of your unit is QX-7781.";

/// A model that replies as it is told and summarises what nobody needs.
#[derive(Clone)]
struct Scripted {
    model: FakeModel,
    reply: Arc<Mutex<String>>,
}

impl Scripted {
    fn new() -> Self {
        let reply = Arc::new(Mutex::new(String::new()));
        let says = reply.clone();
        let model = FakeModel::new(move |question| {
            Ok(match question.role {
                Role::Reply => {
                    let reply = says.lock().expect("no panic").clone();
                    json!({"action": "reply", "reply": reply, "category": null, "reason": "said"})
                }
                Role::Summary => {
                    json!({"guest_intent": "wifi", "established_facts": [], "open_questions": [],
                    "summary_text": "The guest asked for the wifi.", "history": "The guest asked for the wifi."})
                }
            })
        });
        Self { model, reply }
    }

    fn says(&self, reply: &str) {
        *self.reply.lock().expect("no panic") = reply.into();
    }

    fn last(&self) -> String {
        self.asked(Role::Reply)
    }

    fn summary(&self) -> String {
        self.asked(Role::Summary)
    }

    /// The newest prompt of this kind; empty where there was none.
    fn asked(&self, role: Role) -> String {
        let asked = self.model.questions().into_iter().rfind(|question| question.role == role);
        asked.map(|asked| format!("{}\n{}", asked.system, asked.user)).unwrap_or_default()
    }
}

/// `chat:ana` was given a code, which a record backs for now, and the bank remembers the reply.
async fn given_a_code(limits: Limits) -> (World, Scripted, ContactId) {
    let model = Scripted::new();
    let world = World::with_limits(model.model.clone(), limits).await;
    let agent = carryover_shared::agent::AgentVersion {
        instructions: format!("You answer for a house. {CODE}"),
        ..carryover_shared::agent::AgentVersion::built_in()
    };
    world.publish(&agent).await;
    world.clock.advance(Duration::from_secs(120));
    model.says(CODE);
    world.write("ana", "m1", "What is the wifi code, please?").await.expect("an answer");
    let ana = world.contact("ana").await;
    let reply = world.log("ana").await.pop().expect("a reply");
    assert_eq!((reply.kind, reply.text.as_str()), (Some(BotKind::Reply), CODE));
    world.retain().await;
    world.sent.take_folds();
    assert!(world.ctx.store.memory(ana, Origin::Reply(Seq(2))).await.expect("a table").is_some());
    // From now on nothing but the thread itself says the code.
    world.publish(&carryover_shared::agent::AgentVersion::built_in()).await;
    world.clock.advance(Duration::from_secs(120));
    (world, model, ana)
}

async fn flag(world: &World, contact: ContactId, by: &str) {
    let new = NewFlag { reason: Some(FlagReason::IncorrectInformation), note: "that's 4B's".into() };
    desk::flag(&world.handoff(), contact, &operator(by), Seq(2), new).await.expect("a reply");
}

async fn unflag(world: &World, contact: ContactId, by: &str) {
    desk::unflag(&world.handoff(), contact, &operator(by), Seq(2)).await.expect("a reply");
}

/// Does what was queued since.
async fn follow(world: &World, model: &Scripted) {
    world.retain().await;
    world.fold(model.model.clone()).await;
}

#[tokio::test]
async fn a_flagged_reply_is_marked_in_the_next_prompt_and_nothing_that_is_remembered_says_it() {
    let (world, model, ana) = given_a_code(Limits::default()).await;
    world.set_history(ana, "Language: English\nThe guest was given QX-7781 for the wifi.").await;
    flag(&world, ana, "leo").await;
    model.says("I am checking that for you.");
    world.write("ana", "m2", "Is the wifi code still right?").await.expect("an answer");
    let prompt = model.last();
    assert!(prompt.contains("bot (WRONG: flagged by staff)"), "{prompt}");
    assert_eq!(prompt.matches("QX-7781").count(), 1, "in the reply itself, which is marked: {prompt}");

    unflag(&world, ana, "leo").await;
    follow(&world, &model).await;
    world.write("ana", "m3", "And the wifi code again?").await.expect("an answer");
    let prompt = model.last();
    assert!(!prompt.contains("(WRONG: flagged by staff)"), "{prompt}");
    assert!(prompt.matches("QX-7781").count() > 1, "it is remembered again: {prompt}");
}

#[tokio::test]
async fn what_a_flagged_reply_said_is_no_evidence_although_the_summary_has_it() {
    let (world, model, ana) = given_a_code(Limits::default()).await;
    world.set_history(ana, "Language: English\nThe guest was given QX-7781 for the wifi.").await;
    model.says("The code is QX-7781.");
    world.write("ana", "m2", "Is the wifi code still right?").await.expect("an answer");
    assert_eq!(world.log("ana").await.pop().expect("a reply").text, "The code is QX-7781.", "it was, before");
    flag(&world, ana, "leo").await;
    desk::flag(&world.handoff(), ana, &operator("leo"), Seq(4), NewFlag::default()).await.expect("a reply");
    world.write("ana", "m3", "So which code is it?").await.expect("an answer");
    let last = world.log("ana").await.pop().expect("a message");
    assert!(last.kind == Some(BotKind::Notice) && !last.text.contains("QX-7781"), "{last:?}");
}

#[tokio::test]
async fn a_fold_leaves_it_out_of_the_summary_and_nothing_is_lost_when_the_flag_is_taken_back() {
    let (world, model, ana) = given_a_code(Limits { window_messages: 2, ..Limits::default() }).await;
    world.set_history(ana, "Language: English\nThe guest was given QX-7781 for the wifi.").await;
    flag(&world, ana, "leo").await;
    follow(&world, &model).await;
    assert!(world.ctx.store.memory(ana, Origin::Reply(Seq(2))).await.expect("a table").is_none());

    model.says("I am checking that for you.");
    for n in 2..6 {
        world.write("ana", &format!("m{n}"), "Is it still right?").await.expect("an answer");
    }
    follow(&world, &model).await;
    let given = model.summary();
    assert!(given.contains("what it said is left out") && !given.contains("QX-7781"), "{given}");
    let snapshot = world.ctx.store.snapshot(ana).await.expect("a table").expect("a snapshot");
    assert!(snapshot.folded_through >= Seq(2), "{snapshot:?}");
    assert!(snapshot.texts().all(|text| !text.contains("QX-7781")), "{snapshot:?}");
    world.write("ana", "m9", "What was the wifi code?").await.expect("an answer");
    assert!(model.last().contains("Earlier replies of the bot that were WRONG"), "{}", model.last());
    assert_eq!(model.last().matches("QX-7781").count(), 1, "and nothing else says it: {}", model.last());

    unflag(&world, ana, "leo").await;
    follow(&world, &model).await;
    assert!(
        world.ctx.store.memory(ana, Origin::Reply(Seq(2))).await.expect("a table").is_some(),
        "it is back"
    );
    let spills = world.ctx.store.spills(ana, 100).await.expect("a table");
    assert!(spills.iter().any(|spill| spill.text.contains("QX-7781")), "facts-survive: {spills:?}");
    world.write("ana", "m10", "What was the wifi code?").await.expect("an answer");
    assert!(model.last().contains("was given QX-7781"), "{}", model.last());
}

#[tokio::test]
async fn several_operators_flag_one_reply_and_it_is_wrong_until_the_last_one_takes_theirs_back() {
    let (world, _, ana) = given_a_code(Limits::default()).await;
    let both = async |by: &'static str| flag(&world, ana, by).await;
    futures::join!(both("leo"), both("robin"), both("leo"));
    let flags = world.ctx.store.flags(ana, Seq(2), Seq(2), 10).await.expect("a table");
    assert_eq!(flags.len(), 2);
    assert!(
        flags.iter().all(|flag| flag.note == "that's 4B's" && flag.version.is_some() && flag.agent.is_some())
    );
    let reply = async || world.ctx.store.message(ana, Seq(2)).await.expect("a table").expect("a reply");
    assert_eq!((reply().await.flags, world.head("ana").await.flagged), (2, [Seq(2)].into()));
    unflag(&world, ana, "leo").await;
    unflag(&world, ana, "leo").await;
    assert!(reply().await.is_wrong());
    futures::join!(async { unflag(&world, ana, "robin").await }, async {
        unflag(&world, ana, "robin").await;
    });
    assert!(!reply().await.is_wrong() && world.head("ana").await.flagged.is_empty());
    flag(&world, ana, "leo").await;
    assert_eq!(reply().await.flags, 1, "raised again");
}

#[tokio::test]
async fn a_flag_keeps_the_trace_past_its_end_and_its_loss_costs_nothing_else() {
    let (world, _, ana) = given_a_code(Limits::default()).await;
    let reply = world.ctx.store.message(ana, Seq(2)).await.expect("a table").expect("a reply");
    let id = reply.trace.as_deref().expect("a trace").parse().expect("an id");
    let key = TraceKey { contact: ana, seq: Seq(1), id };
    world.table.inject(|_, request| request.to_string().contains("TRACE#").then_some(Fault::Unsent));
    flag(&world, ana, "robin").await;
    world.table.heal();
    flag(&world, ana, "leo").await;
    world.clock.advance(Duration::from_secs(40 * 24 * 3600));
    let trace: Option<Trace> = world.ctx.store.trace(key, world.clock.now()).await.expect("a table");
    assert!(trace.expect("it is kept").context.user.contains("wifi"));
}
