//! Retention in process: what a bank keeps of a thread, and what becomes of a job that fails.

use carryover_shared::admit::Answer;
use carryover_shared::bank::Embedded;
use carryover_shared::feedback::{Feedback, Rating};
use carryover_shared::fold;
use carryover_shared::job::{FoldJob, FoldReason, Retained, RetentionJob};
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Exchange, Origin};
use carryover_shared::retain::{self, End, Worked};
use carryover_shared::tally::Count;
use carryover_shared::thread::Seq;
use carryover_shared::traits::{Clock, Event, MemoryBank, Question, Role};
use carryover_tests::bank::{FakeBank, Trouble};
use carryover_tests::logs::Logs;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::watch::plain;
use carryover_tests::world::World;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn replies(text: &str) -> Said {
    Ok(json!({"action": "reply", "reply": text, "category": "", "reason": ""}))
}

fn escalates() -> Said {
    Ok(json!({"action": "escalate", "reply": "", "category": "missing_knowledge", "reason": "Unknown."}))
}

/// A world with a bank besides the embedded one.
async fn world(bank: &FakeBank, model: FakeModel) -> World {
    let mut world = World::new(model).await;
    world.ctx.bank = Arc::new(bank.clone());
    world
}

/// What the bank keeps of Ana after this happened.
async fn kept(world: &World, bank: &FakeBank, what: Retained) -> Vec<Exchange> {
    let contact_id = world.contact("ana").await;
    let end = retain::run(&world.retention(), RetentionJob { contact_id, what }).await.expect("it is kept");
    assert!(matches!(end, End::Kept(_)), "{end:?}");
    bank.kept(contact_id)
}

/// The memories of Ana in the table.
async fn memories(world: &World) -> Vec<Value> {
    let partition = Value::from(format!("MEMORY#{}", world.contact("ana").await));
    world.table.items().into_iter().filter(|item| item["pk"]["S"] == partition).map(plain).collect()
}

#[tokio::test]
async fn a_reply_is_kept_in_the_table_with_what_it_answers() {
    let world = World::new(FakeModel::says([replies("Until late.")])).await;
    world.write("ana", "m1", "Is the pool\nopen today?").await.unwrap();

    assert_eq!(world.retain().await, [Worked::Done]);

    let memories = memories(&world).await;
    assert_eq!(memories.len(), 1, "{memories:?}");
    assert_eq!(memories[0]["sk"], "REPLY#0000000002");
    assert_eq!(memories[0]["said"], "customer: Is the pool open today?");
    assert_eq!(memories[0]["replied"], "Until late.");
    assert_eq!((&memories[0]["from_seq"], &memories[0]["to_seq"]), (&json!(1), &json!(2)));
}

#[tokio::test]
async fn a_repeated_job_writes_the_same_memory() {
    let world = World::new(FakeModel::says([replies("Until late.")])).await;
    world.write("ana", "m1", "Is the pool open?").await.unwrap();
    let contact_id = world.contact("ana").await;
    let job = RetentionJob { contact_id, what: Retained::Reply { seq: Seq(2) } };
    for _ in 0..2 {
        assert_eq!(retain::run(&world.retention(), job).await.unwrap(), End::Kept(1));
    }
    assert_eq!(memories(&world).await.len(), 1);
}

#[tokio::test]
async fn what_was_retained_is_recalled_by_a_later_turn() {
    let bank = FakeBank::default();
    let model = FakeModel::new(|_| replies("Noted."));
    let world = world(&bank, model.clone()).await;
    world.write("ana", "m1", "My partner Oskar arrives on Sunday.").await.unwrap();
    world.retain().await;
    world.write("ana", "m2", "Who arrives?").await.unwrap();
    let remembered = "customer: My partner Oskar arrives on Sunday. | the bot replied: Noted.";
    assert!(!model.questions()[0].user.contains(remembered));
    assert!(model.questions()[1].user.contains(remembered), "{}", model.questions()[1].user);
}

#[tokio::test]
async fn a_burst_is_kept_with_all_that_its_reply_has_read() {
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::new(|_| replies("Both are open."))).await;
    world.drop_off("ana", "m1", "Is the pool open?").await.unwrap();
    world.drop_off("ana", "m2", "And the sauna?").await.unwrap();
    world.work().await.unwrap();
    world.retain().await;
    let kept = bank.kept(world.contact("ana").await);
    assert_eq!(kept.len(), 1, "one-reply: {kept:?}");
    assert_eq!(kept[0].said, "customer: Is the pool open?\ncustomer: And the sauna?");
    assert_eq!((kept[0].from_seq, kept[0].to_seq), (Seq(1), Seq(3)));
}

#[tokio::test]
async fn silent_turns_and_notices_are_not_retained() {
    let world = World::new(FakeModel::says([escalates()])).await;
    let notice = world.write("ana", "m1", "May I bring a horse?").await.unwrap();
    assert!(matches!(notice, Answer::New { end: carryover_shared::turn::End::Escalated(Some(_)), .. }));
    let silent = world.write("ana", "m2", "Hello?").await.unwrap();
    assert_eq!(silent, Answer::New { seq: Seq(3), end: carryover_shared::turn::End::Silent });
    world.clock.advance(Duration::from_secs(60));
    world.work().await.unwrap();
    assert_eq!(world.sent.take_retentions(), []);
    // A job for the notice would find nothing either.
    let job = RetentionJob { contact_id: world.contact("ana").await, what: Retained::Reply { seq: Seq(2) } };
    assert_eq!(retain::run(&world.retention(), job).await.unwrap(), End::Nothing);
}

#[tokio::test]
async fn what_was_recalled_is_not_stored_again() {
    let code = "The gate code of unit 4B is 4471.";
    let bank = FakeBank::default();
    let answers = [code.to_owned(), format!("{code} Shall I send it by SMS?"), code.to_owned()];
    let world = world(&bank, FakeModel::says(answers.iter().map(|text| replies(text)))).await;
    for id in ["m1", "m2", "m3"] {
        world.write("ana", id, "Is 4471 still the gate code of 4B?").await.unwrap();
        assert_eq!(world.retain().await, [Worked::Done]);
    }
    let kept = bank.kept(world.contact("ana").await);
    let replied: Vec<&str> = kept.iter().map(|exchange| exchange.replied.as_str()).collect();
    assert_eq!(replied, [code, "Shall I send it by SMS?", ""]);
    assert!(kept.iter().all(|exchange| exchange.said == "customer: Is 4471 still the gate code of 4B?"));
}

#[tokio::test]
async fn without_a_trace_nothing_is_taken_out() {
    let code = "The gate code of unit 4B is 4471.";
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::new(move |_| replies(code))).await;
    for id in ["m1", "m2"] {
        world.write("ana", id, "Is 4471 still the gate code of 4B?").await.unwrap();
        if id == "m2" {
            // Its trace has expired by now.
            world.clock.advance(Duration::from_secs(31 * 24 * 3600));
        }
        world.retain().await;
    }
    let kept = bank.kept(world.contact("ana").await);
    assert_eq!((kept[1].origin, kept[1].replied.as_str()), (Origin::Reply(Seq(4)), code));
}

#[tokio::test]
async fn an_operators_answer_is_kept_with_the_message_that_it_answers() {
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::says([replies("Hello."), escalates()])).await;
    world.write("ana", "m1", "Hi").await.unwrap();
    world.write("ana", "m2", "May I bring a horse?").await.unwrap();
    world.write("ana", "m3", "A small one.").await.unwrap();
    world.says("ana", "A pony is fine, 35 euro a night.").await;
    world.says("ana", "Please book the stable.").await;

    let kept = [
        kept(&world, &bank, Retained::Reply { seq: Seq(6) }).await.remove(0),
        kept(&world, &bank, Retained::Reply { seq: Seq(7) }).await.remove(1),
    ];

    let asked = "customer: May I bring a horse?\ncustomer: A small one.\noperator: ";
    assert_eq!(kept[0].said, format!("{asked}A pony is fine, 35 euro a night."));
    assert_eq!(kept[1].said, format!("{asked}Please book the stable."), "it answers the same");
    assert!(kept.iter().all(|exchange| exchange.replied.is_empty() && exchange.from_seq == Seq(3)));
}

#[tokio::test]
async fn a_resolved_case_is_kept_with_its_outcome() {
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::says([escalates()])).await;
    world.write("ana", "m1", "May I bring a horse?").await.unwrap();
    let case_id = world.head("ana").await.open_case.expect("a case");
    let contact_id = world.contact("ana").await;
    let job = RetentionJob { contact_id, what: Retained::Case { case_id } };
    assert_eq!(retain::run(&world.retention(), job).await.unwrap(), End::Nothing, "it is not resolved");
    world.says("ana", "A pony is fine, 35 euro a night.").await;
    world.clock.advance(Duration::from_secs(3600));
    world.hands_back("ana").await;
    world.write("ana", "m2", "Thanks").await.unwrap();

    let kept = kept(&world, &bank, job.what).await;

    assert_eq!(
        kept[0].said,
        "case: missing_knowledge; opened 2026-12-03 10:00 UTC, resolved 2026-12-03 11:00 UTC\n\
         customer: May I bring a horse?\noperator: A pony is fine, 35 euro a night."
    );
    assert_eq!((kept[0].origin, kept[0].from_seq, kept[0].to_seq), (Origin::Case(case_id), Seq(1), Seq(3)));
    assert!(kept[0].replied.is_empty(), "what a model gave as its reason is nothing that anybody said");
}

#[tokio::test]
async fn the_outcome_of_a_long_case_is_its_end() {
    let bank = FakeBank::default();
    let mut world = world(&bank, FakeModel::says([escalates()])).await;
    world.ctx.limits = Limits { exchange_messages: 3, ..Limits::default() };
    world.write("ana", "m1", "May I bring a horse?").await.unwrap();
    let case_id = world.head("ana").await.open_case.expect("a case");
    for n in 1..=9 {
        world.says("ana", &format!("Answer {n}.")).await;
    }
    world.hands_back("ana").await;
    let kept = kept(&world, &bank, Retained::Case { case_id }).await;
    let lines: Vec<&str> = kept[0].said.lines().skip(1).collect();
    let answers = ["operator: Answer 7.", "operator: Answer 8.", "operator: Answer 9."];
    assert_eq!(lines[0], "customer: May I bring a horse?");
    assert_eq!(lines[1..], answers);
}

#[tokio::test]
async fn feedback_is_kept_with_the_message_that_it_is_about() {
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::says([replies("Your code is 4471.")])).await;
    world.write("ana", "m1", "Is my code 4471?").await.unwrap();
    let contact = world.contact("ana").await;
    let job = RetentionJob { contact_id: contact, what: Retained::Feedback { seq: Seq(2) } };
    assert_eq!(retain::run(&world.retention(), job).await.unwrap(), End::Nothing, "there is none yet");
    let feedback =
        |rating, text: &str| Feedback { seq: Seq(2), rating, text: text.into(), at: world.clock.now() };
    let store = &world.ctx.store;
    assert!(store.put_feedback(contact, &feedback(Rating::Up, "")).await.unwrap());
    assert_eq!(kept(&world, &bank, job.what).await[0].said, "customer: thumbs up");
    assert!(store.put_feedback(contact, &feedback(Rating::Down, "That is 4A's\ncode.")).await.unwrap());

    let kept = kept(&world, &bank, job.what).await;

    assert_eq!(kept.len(), 1, "the newest counts: {kept:?}");
    assert_eq!(kept[0].said, "customer: thumbs down; That is 4A's code.");
    assert_eq!((kept[0].replied.as_str(), kept[0].origin), ("Your code is 4471.", Origin::Feedback(Seq(2))));
}

/// Replies, and folds by remembering nothing: every value is spilled.
fn forgetful() -> FakeModel {
    FakeModel::new(|question: &Question| match question.role {
        Role::Reply => replies("Good."),
        Role::Summary => Ok(json!({"guest_intent": "talks", "established_facts": [], "open_questions": [],
                                   "summary_text": "They talk.", "history": "They talked."})),
    })
}

/// Three orders aged out and were spilled; with another bank configured, or without.
async fn spill(world: &World, another_bank: bool) {
    for n in 1..=5 {
        world.write("ana", &format!("m{n}"), &format!("Where is W261134{n}?")).await.expect("an answer");
    }
    world.sent.take_retentions();
    let ctx = fold::Context {
        store: world.ctx.store.clone(),
        model: world.ctx.model.clone(),
        clock: world.ctx.clock.clone(),
        limits: world.ctx.limits.clone(),
        retention: another_bank.then(|| world.ctx.queue.clone()),
    };
    let contact_id = world.contact("ana").await;
    let job = FoldJob { contact_id, up_to: Seq(10), why: FoldReason::Reply };
    let folded = fold::run(&ctx, job, world.clock.now() + Duration::from_secs(300)).await.expect("a fold");
    assert!(folded.counts.spills >= 3, "{folded:?}");
}

#[tokio::test]
async fn spills_are_forwarded_to_another_bank_once() {
    // The second time most of them stand beside the items that a bank takes.
    for spills in [60, 1] {
        let bank = FakeBank::default();
        let mut world = world(&bank, forgetful()).await;
        world.ctx.limits = Limits { window_messages: 4, spills, ..Limits::default() };
        spill(&world, true).await;
        let jobs = world.sent.take_retentions();
        let contact_id = world.contact("ana").await;
        assert_eq!(jobs, [RetentionJob { contact_id, what: Retained::Spilled { revision: 1 } }]);

        let first = kept(&world, &bank, jobs[0].what).await;
        let again = kept(&world, &bank, jobs[0].what).await;

        assert_eq!(first, again);
        assert!(first.iter().all(|exchange| matches!(exchange.origin, Origin::Spill { revision: 1, .. })));
        let all: String = first.iter().map(|exchange| exchange.said.as_str()).collect();
        assert!((1..=3).all(|n| all.contains(&format!("W261134{n}"))), "{all}");
    }
}

#[tokio::test]
async fn where_spills_are_kept_already_none_is_forwarded() {
    let limits = Limits { window_messages: 4, ..Limits::default() };
    let world = World::with_limits(forgetful(), limits).await;
    spill(&world, false).await;
    assert_eq!(world.sent.take_retentions(), []);
    // A dead letter from a time with another bank changes nothing.
    let before = memories(&world).await;
    let job =
        RetentionJob { contact_id: world.contact("ana").await, what: Retained::Spilled { revision: 1 } };
    retain::run(&world.retention(), job).await.unwrap();
    assert_eq!(memories(&world).await, before);
}

/// A reply that has not been retained yet.
async fn replied(bank: &FakeBank) -> (World, RetentionJob) {
    let world = world(bank, FakeModel::new(|_| replies("Until late."))).await;
    world.write("ana", "m1", "Is the secret pool open?").await.expect("an answer");
    let job = world.sent.take_retentions().pop().expect("a job");
    (world, job)
}

async fn work(world: &World, job: RetentionJob, receives: u32) -> Worked {
    retain::work(&world.retention(), job, receives, world.clock.now() + Duration::from_secs(60)).await
}

#[tokio::test]
async fn while_the_bank_is_down_a_job_waits_longer_each_time() {
    let bank = FakeBank::default();
    let (world, job) = replied(&bank).await;
    bank.set_trouble(Some(Trouble::Down));
    let mut waits = vec![];
    for receives in 1..=4 {
        match work(&world, job, receives).await {
            Worked::Later(wait) => waits.push(wait),
            Worked::Done => panic!("the bank is down"),
        }
    }
    assert!(waits[0] >= Duration::from_secs(15) && waits[0] <= Duration::from_secs(30), "{waits:?}");
    assert!(waits.windows(2).all(|pair| pair[1] == pair[0] * 2), "{waits:?}");
    assert_eq!(world.sent.take_events(), []);
    bank.set_trouble(None);
    assert_eq!(work(&world, job, 5).await, Worked::Done);
    assert_eq!(bank.kept(world.contact("ana").await).len(), 1);
}

#[tokio::test]
async fn the_fifth_failure_is_told_as_metric_and_event_without_a_word_of_text() {
    let bank = FakeBank::default();
    let (world, job) = replied(&bank).await;
    let (logs, _listening) = Logs::listen();
    bank.set_trouble(Some(Trouble::Down));
    for receives in 1..=retain::ATTEMPTS {
        work(&world, job, receives).await;
    }
    let RetentionJob { contact_id, what } = job;
    assert_eq!(world.sent.take_events(), [Event::RetentionFailed { contact_id, what }]);
    let event = serde_json::to_value(Event::RetentionFailed { contact_id, what }).unwrap();
    assert_eq!(event, json!({"contact_id": contact_id, "what": "reply", "seq": 2}));
    let lines = logs.lines();
    let counted: Vec<&Value> = lines.iter().filter(|line| line["metric"] == "retention_failed").collect();
    assert_eq!(counted.len(), 1, "{lines:?}");
    assert_eq!(counted[0]["contact"], contact_id.to_string());
    assert!(!format!("{lines:?}").contains("secret"), "quiet-logs: {lines:?}");
    assert_eq!(world.counted().await.of(Count::RetentionsFailed), 1);
}

#[tokio::test]
async fn a_bus_that_is_down_changes_nothing_for_a_job_that_is_given_up() {
    let bank = FakeBank::default();
    let (world, job) = replied(&bank).await;
    bank.set_trouble(Some(Trouble::Down));
    world.sent.set_down(true);
    assert_eq!(work(&world, job, retain::ATTEMPTS).await, Worked::Later(Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_bank_that_hangs_has_failed() {
    let bank = FakeBank::default();
    let (world, job) = replied(&bank).await;
    bank.set_trouble(Some(Trouble::Hangs));
    assert!(matches!(work(&world, job, 1).await, Worked::Later(wait) if !wait.is_zero()));
    assert_eq!(work(&world, job, retain::ATTEMPTS).await, Worked::Later(Duration::ZERO));
    assert_eq!(world.sent.take_events().len(), 1);
}

#[tokio::test]
async fn erasable_nothing_is_kept_of_a_contact_that_is_being_erased() {
    let bank = FakeBank::default();
    let (world, job) = replied(&bank).await;
    let contact = world.contact("ana").await;
    world.begin_erasing("ana").await;
    assert_eq!(work(&world, job, 1).await, Worked::Done);
    assert_eq!(bank.kept(contact), []);
    // Neither does the table take a memory whose job had begun before, nor feedback.
    let exchange = Exchange {
        origin: Origin::Reply(Seq(2)),
        said: "customer: Hi".into(),
        replied: String::new(),
        from_seq: Seq(1),
        to_seq: Seq(2),
        at: world.clock.now(),
    };
    let embedded = Embedded::new(world.ctx.store.clone(), &world.ctx.limits);
    embedded.retain(contact, &exchange).await.unwrap();
    let feedback = Feedback { seq: Seq(2), rating: Rating::Up, text: String::new(), at: world.clock.now() };
    assert!(!world.ctx.store.put_feedback(contact, &feedback).await.unwrap());
    assert_eq!(memories(&world).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_was_attached_is_remembered_by_its_name() {
    let bank = FakeBank::default();
    let world = world(&bank, FakeModel::says([replies("Received.")])).await;
    let mut invoice = world.incoming("ana", "m1", "Here is the invoice.");
    invoice.attachments = vec![
        serde_json::from_value(
            json!({"name": "invoice-8812.pdf", "type": "application/pdf", "bytes": 122_880}),
        )
        .unwrap(),
    ];
    carryover_shared::admit::answer(&world.ctx, &invoice).await.unwrap();
    world.retain().await;
    let kept = bank.kept(world.contact("ana").await);
    assert_eq!(
        kept[0].said,
        "customer: Here is the invoice. [attachment: invoice-8812.pdf, application/pdf, 120 KB]"
    );
}
