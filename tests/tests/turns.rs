//! Turns in process: the real use cases over the real store and a table in memory.

use aws_sdk_dynamodb::types::AttributeValue;
use carryover_shared::admit::{Answer, Worked};
use carryover_shared::contact::Account;
use carryover_shared::limits::Limits;
use carryover_shared::store::StoreError;
use carryover_shared::thread::{Author, BotKind, Lease, Mode, Seq};
use carryover_shared::traits::{Clock, ModelError, Question};
use carryover_shared::turn::{self, End, Turn};
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::received::Received;
use carryover_tests::table::{Fault, sequential};
use carryover_tests::world::{NoModel, Thinking, World};
use serde_json::json;
use std::time::Duration;

fn replies(text: &str) -> Said {
    Ok(json!({"action": "reply", "reply": text, "category": "", "reason": ""}))
}

fn escalates(category: &str) -> Said {
    Ok(json!({"action": "escalate", "reply": "", "category": category, "reason": "It is not known."}))
}

fn echo() -> FakeModel {
    FakeModel::new(|question: &Question| {
        let received = Received::read(&question.system, &question.user);
        replies(&format!("You wrote: {}", received.shown(received.newest())))
    })
}

fn reply_of(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::New { end: End::Replied(said) | End::Escalated(Some(said)), .. } => Some(&said.text),
        Answer::Duplicate { reply: Some(said), .. } => Some(&said.text),
        _ => None,
    }
}

#[tokio::test]
async fn a_customer_writes_and_the_bot_answers() {
    let world = World::new(echo()).await;
    let answer = world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(reply_of(&answer), Some("You wrote: hello"));
    let head = world.head("ana").await;
    assert_eq!((head.last_seq, head.settled_seq, head.waiting_since), (Seq(2), Seq(1), None));
    assert_eq!((head.turn_owner, head.turn_tries, head.calls), (None, 0, 1));
    assert_eq!(world.sent.take_folds().len(), 1);
    let log = world.log("ana").await;
    assert!(log[1].followed_up && log[1].answers(Seq(1)));
}

#[tokio::test]
async fn the_path_of_a_turn_waits_for_the_table_four_times() {
    let world = World::new(echo()).await;
    for n in 0..40 {
        world.write("ana", &format!("m{n}"), "and then?").await.unwrap();
    }
    world.table.take_calls();
    world.table.set_latency(Duration::from_millis(20));
    world.write("ana", "last", "and now?").await.unwrap();
    let calls = world.table.take_calls();
    let committed = calls.iter().rposition(|call| call.operation == "TransactWriteItems").unwrap();
    // The trace is written while the model thinks.
    let path = calls.iter().take(committed + 1).filter(|call| call.operation != "PutItem");
    let until_commit: Vec<_> = path.cloned().collect();
    assert_eq!(
        sequential(&until_commit),
        4,
        "{:#?}",
        until_commit.iter().map(|c| &c.operation).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn once_in_a_redelivery_returns_the_first_reply() {
    let world = World::new(echo()).await;
    let first = world.write("ana", "m1", "hello").await.unwrap();
    let again = world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(
        again,
        Answer::Duplicate {
            seq: Seq(1),
            reply: match first {
                Answer::New { end: End::Replied(said), .. } => Some(said),
                other => panic!("{other:?}"),
            }
        }
    );
    assert_eq!(world.log("ana").await.len(), 2);
}

#[tokio::test]
async fn once_in_two_customers_may_use_the_same_ids() {
    let world = World::new(echo()).await;
    let ana = world.write("ana", "m1", "I am Ana").await.unwrap();
    let leo = world.write("leo", "m1", "I am Leo").await.unwrap();
    assert_eq!(reply_of(&ana), Some("You wrote: I am Ana"));
    assert_eq!(reply_of(&leo), Some("You wrote: I am Leo"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_in_a_hundred_posts_of_ten_ids_make_ten_messages() {
    let model = echo().thinking(Duration::from_millis(30));
    let world = World::new(model.clone()).await;
    let posts = (0..100).map(|n| {
        let (id, text) = (format!("m{}", n % 10), format!("message {}", n % 10));
        let world = &world;
        async move { world.write("ana", &id, &text).await.unwrap() }
    });
    futures::future::join_all(posts).await;
    let log = world.log("ana").await;
    let customers = log.iter().filter(|message| message.author == Author::Customer).count();
    assert_eq!(customers, 10);
    assert!(model.questions().len() <= 10, "{} calls", model.questions().len());
    assert!(!world.head("ana").await.has_unsettled());
    for (n, message) in log.iter().enumerate() {
        assert_eq!(message.seq, Seq(n as u64 + 1), "one-log");
    }
}

/// Writes a second message while the model thinks about the first, then lets it answer both questions.
async fn write_while_it_thinks(
    world: &World,
    model: &Thinking<FakeModel>,
    text: &str,
) -> Result<Answer, StoreError> {
    model.asked().await;
    let second = world.write("ana", "m2", text);
    let release = async {
        model.asked().await;
        model.go_on();
        tokio::time::sleep(Duration::from_millis(20)).await;
        model.go_on();
    };
    futures::join!(second, release).0
}

#[tokio::test]
async fn a_newer_message_supersedes_the_draft_and_gets_one_reply_that_has_read_both() {
    let fake = FakeModel::new(|question: &Question| {
        let both = question.user.contains("first") && question.user.contains("second");
        replies(if both { "Both." } else { "One." })
    });
    let model = Thinking::before(fake);
    let world = World::new(model.clone()).await;
    let (first, second) =
        futures::join!(world.write("ana", "m1", "first"), write_while_it_thinks(&world, &model, "second"));
    let ends = [first.unwrap(), second.unwrap()];
    assert!(ends.contains(&Answer::New { seq: Seq(1), end: End::Superseded }), "{ends:?}");
    assert!(ends.iter().any(|end| reply_of(end) == Some("Both.")), "{ends:?}");
    let replies = world.log("ana").await.into_iter().filter(|message| message.author == Author::Bot);
    assert_eq!(replies.count(), 1, "one-reply");
}

#[tokio::test]
async fn an_escalation_is_not_lost_to_a_later_thanks() {
    let fake = FakeModel::says([escalates("missing_knowledge"), replies("You're welcome.")]);
    let model = Thinking::before(fake);
    let world = World::new(model.clone()).await;
    let (first, later) = futures::join!(
        world.write("ana", "m1", "may I bring a horse?"),
        write_while_it_thinks(&world, &model, "thanks")
    );
    assert!(matches!(first.unwrap(), Answer::New { end: End::Escalated(Some(_)), .. }));
    assert!(matches!(later.unwrap(), Answer::New { end: End::Silent, .. }));
    let head = world.head("ana").await;
    assert_eq!((head.mode, head.settled_seq), (Mode::Human, head.last_seq));
    let silent = world.write("ana", "m3", "hello?").await.unwrap();
    assert_eq!(silent, Answer::New { seq: Seq(4), end: End::Silent });
}

#[tokio::test]
async fn a_topic_for_people_opens_a_case_without_asking_the_model() {
    let model = echo();
    let world = World::new(model.clone()).await;
    let answer = world.write("ana", "m1", "When do I get my deposit back?").await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Escalated(Some(_)), .. }), "{answer:?}");
    assert!(model.questions().is_empty());
    assert_eq!(world.sent.take_events().len(), 1);
    let cases = world.ctx.store.cases(world.contact("ana").await).await.unwrap();
    assert_eq!(cases[0].topic.as_deref(), Some("deposit"));
    assert_eq!(world.log("ana").await[1].kind, Some(BotKind::Notice));
}

#[tokio::test]
async fn silent_means_silent_a_take_over_while_the_model_thinks_wins() {
    let model = Thinking::before(echo());
    let world = World::new(model.clone()).await;
    let (answer, ()) = futures::join!(world.write("ana", "m1", "hello"), async {
        model.asked().await;
        world.takes_over("ana").await;
        model.go_on();
    });
    assert_eq!(answer.unwrap(), Answer::New { seq: Seq(1), end: End::Silent });
    assert_eq!(world.log("ana").await.len(), 1);
}

#[tokio::test]
async fn silent_means_silent_a_draft_dies_when_a_person_answers_and_hands_back_meanwhile() {
    let model = Thinking::before(echo());
    let world = World::new(model.clone()).await;
    let (answer, ()) = futures::join!(world.write("ana", "m1", "hello"), async {
        model.asked().await;
        world.says("ana", "Hi, it's Leo.").await;
        world.hands_back("ana").await;
        model.go_on();
    });
    assert_eq!(answer.unwrap(), Answer::New { seq: Seq(1), end: End::Silent });
    assert_eq!(world.log("ana").await.len(), 2);
    // The safety net fires late, and says nothing.
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(world.work().await.unwrap(), [Worked::Done]);
    assert_eq!(world.log("ana").await.len(), 2);
}

#[tokio::test]
async fn a_dropped_off_message_is_answered_by_the_queue_once() {
    let world = World::new(echo()).await;
    assert_eq!(world.drop_off("ana", "m1", "hello").await.unwrap(), Some(Seq(1)));
    assert_eq!(world.drop_off("ana", "m1", "hello").await.unwrap(), Some(Seq(1)));
    assert_eq!(world.work().await.unwrap(), [Worked::Done, Worked::Done]);
    assert_eq!(world.log("ana").await.len(), 2);
}

#[tokio::test]
async fn without_a_model_the_rules_answer_honestly_and_open_no_case() {
    let world = World::new(NoModel).await;
    let answer = world.write("ana", "m1", "Can you recommend a restaurant?").await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
    assert_eq!(world.head("ana").await.mode, Mode::Bot);
}

#[tokio::test]
async fn a_model_that_is_down_ends_in_an_answer_or_a_case() {
    for error in [ModelError::Timeout, ModelError::Overloaded { status: 529 }, ModelError::Unreadable] {
        let world = World::new(FakeModel::new(move |_: &Question| Err(error.clone()))).await;
        let answer = world.write("ana", "m1", "Can you recommend a restaurant?").await.unwrap();
        assert!(matches!(answer, Answer::New { end: End::Escalated(Some(_)), .. }), "{answer:?}");
    }
}

#[tokio::test]
async fn an_empty_reply_is_asked_again_and_then_a_person_answers() {
    let model = FakeModel::says([replies(""), replies("  \n")]);
    let world = World::new(model.clone()).await;
    let answer = world.write("ana", "m1", "hello").await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Escalated(Some(_)), .. }), "{answer:?}");
    assert_eq!(model.questions().len(), 2);
    assert!(model.questions()[1].system.contains("\"reply\" is empty"));
    assert_eq!(world.head("ana").await.calls, 2);
}

#[tokio::test]
async fn above_the_calls_of_an_hour_the_rules_answer() {
    let limits = Limits { calls_per_hour: 2, ..Limits::default() };
    let model = echo();
    let world = World::with_limits(model.clone(), limits).await;
    for n in 0..3 {
        world.write("ana", &format!("m{n}"), "tell me something").await.unwrap();
    }
    assert_eq!(model.questions().len(), 2);
    world.clock.advance(Duration::from_secs(3600));
    world.write("ana", "m9", "tell me something").await.unwrap();
    assert_eq!(model.questions().len(), 3);
}

#[tokio::test]
async fn a_conflict_is_never_a_lost_race() {
    // Of the admission, of the commit of a reply, of a case with its notice.
    for (part, text) in [("SEEN#", "again"), ("in_reply_to", "again"), ("in_reply_to", "I want a refund")] {
        let model = echo();
        let world = World::new(model.clone()).await;
        world.write("ana", "m1", "hello").await.unwrap();
        let countdown = std::sync::atomic::AtomicI32::new(6);
        world.table.inject(move |operation, request| {
            let is_meant = operation == "TransactWriteItems" && request.to_string().contains(part);
            let conflicts = is_meant && countdown.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) > 0;
            conflicts.then_some(Fault::Conflict)
        });
        world.table.take_calls();
        let answer = world.write("ana", "m2", text).await.unwrap();
        assert!(reply_of(&answer).is_some(), "{part}: {answer:?}");
        let reads =
            world.table.take_calls().into_iter().filter(|call| call.operation == "BatchGetItem").count();
        assert_eq!(reads, 1, "{part}: nothing was read again");
    }
}

#[tokio::test]
async fn an_unknown_outcome_is_compared_with_what_was_written() {
    let world = World::new(echo()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    let first = std::sync::atomic::AtomicBool::new(true);
    world.table.inject(move |operation, _| {
        let unanswered =
            operation == "TransactWriteItems" && first.swap(false, std::sync::atomic::Ordering::SeqCst);
        unanswered.then_some(Fault::Unanswered)
    });
    let answer = world.write("ana", "m2", "again").await.unwrap();
    assert_eq!(reply_of(&answer), Some("You wrote: again"));
    assert_eq!(world.log("ana").await.len(), 4);
}

#[tokio::test]
async fn the_sweep_queues_a_turn_for_whoever_waits() {
    let world = World::new(echo()).await;
    world.drop_off("ana", "m1", "hello").await.unwrap();
    world.sent.take_turns();
    assert_eq!(carryover_shared::sweep::run(&world.ctx).await.unwrap().waiting, 0);
    world.clock.advance(Duration::from_secs(61));
    assert_eq!(carryover_shared::sweep::run(&world.ctx).await.unwrap().queued, 1);
    assert_eq!(carryover_shared::sweep::run(&world.ctx).await.unwrap().queued, 0);
    assert_eq!(world.work().await.unwrap(), [Worked::Done]);
    assert_eq!(world.log("ana").await.len(), 2);
    assert_eq!(carryover_shared::sweep::run(&world.ctx).await.unwrap().waiting, 0);
}

#[tokio::test]
async fn the_third_turn_on_the_same_messages_opens_a_case() {
    let model = Thinking::before(echo());
    let world = World::new(model.clone()).await;
    world.drop_off("ana", "m1", "hello").await.unwrap();
    let jobs = world.sent.take_turns();
    for _ in 0..2 {
        // The turn breaks off while the model thinks: the future is dropped.
        let turn = carryover_shared::admit::work(&world.ctx, &jobs[0], 1);
        futures::future::select(Box::pin(turn), Box::pin(model.asked())).await;
        world.clock.advance(Duration::from_secs(60));
    }
    assert_eq!(carryover_shared::admit::work(&world.ctx, &jobs[0], 3).await.unwrap(), Worked::Done);
    assert_eq!(world.head("ana").await.mode, Mode::Human);
}

#[tokio::test]
async fn a_message_older_than_a_turn_may_be_gets_a_case() {
    let world = World::new(echo()).await;
    world.drop_off("ana", "m1", "hello").await.unwrap();
    world.clock.advance(Duration::from_secs(2 * 3600));
    world.work().await.unwrap();
    assert_eq!(world.head("ana").await.mode, Mode::Human);
}

#[tokio::test]
async fn what_follows_a_commit_is_sent_again_until_it_is_marked() {
    let world = World::new(echo()).await;
    world.drop_off("ana", "m1", "hello").await.unwrap();
    let jobs = world.sent.take_turns();
    world.sent.set_down(true);
    carryover_shared::admit::work(&world.ctx, &jobs[0], 1).await.unwrap();
    world.sent.set_down(false);
    let sent = || (world.sent.take_folds().len(), world.sent.take_retentions().len());
    assert_eq!(sent(), (0, 0));
    carryover_shared::admit::work(&world.ctx, &jobs[0], 2).await.unwrap();
    assert_eq!(sent(), (1, 1));
    carryover_shared::admit::work(&world.ctx, &jobs[0], 3).await.unwrap();
    assert_eq!(sent(), (0, 0));
}

#[tokio::test]
async fn an_opted_out_contact_hears_nothing() {
    let world = World::new(echo()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    let chat = AttributeValue::Ss(vec![Account::chat().as_str().to_owned()]);
    set_of_head(&world, "ADD opted_out :v", chat).await;
    let answer = world.write("ana", "m2", "hello?").await.expect("it is taken");
    assert_eq!(answer, Answer::New { seq: Seq(3), end: End::Silent });
    assert_eq!(world.head("ana").await.settled_seq, Seq(3));
}

#[tokio::test]
async fn a_door_without_time_leaves_the_message_to_its_job_and_opens_no_case() {
    let model = echo();
    let world = World::new(model.clone()).await;
    world.drop_off("ana", "m1", "hello").await.unwrap();
    let again = world.incoming("ana", "m1", "hello");
    world.clock.advance(Duration::from_secs(18));
    let answer = carryover_shared::admit::answer(&world.ctx, &again).await.unwrap();
    assert_eq!(answer, Answer::Duplicate { seq: Seq(1), reply: None });
    assert!(model.questions().is_empty());
    assert_eq!(world.work().await.unwrap(), [Worked::Done, Worked::Done]);
    assert_eq!(world.log("ana").await[1].text, "You wrote: hello");
}

/// Four messages wait, and the window takes one.
async fn four_wait(model: FakeModel, limits: Limits, first: &str) -> World {
    let limits = Limits { window_messages: 1, pending_messages: 0, burst_messages: 9, ..limits };
    let world = World::with_limits(model, limits).await;
    for (n, text) in [first, "two", "three", "four"].into_iter().enumerate() {
        world.drop_off("ana", &format!("m{n}"), text).await.expect("it is taken");
    }
    world.work().await.expect("it is taken");
    world
}

#[tokio::test]
async fn one_reply_nothing_is_settled_unread_however_small_the_window_is() {
    let world = four_wait(echo(), Limits::default(), "one").await;
    let log = world.log("ana").await;
    assert_eq!((log.len(), log[4].answers_from, log[4].in_reply_to), (5, Some(Seq(1)), Some(Seq(4))));
    let world = four_wait(echo(), Limits::default(), "When do I get my deposit back?").await;
    assert_eq!(world.head("ana").await.mode, Mode::Human, "the rules read it");
}

#[tokio::test]
async fn more_messages_than_the_bot_reads_at_once_get_a_case() {
    let model = echo();
    let limits = Limits { unsettled_messages: 2, ..Limits::default() };
    let world = four_wait(model.clone(), limits, "one").await;
    assert_eq!(world.head("ana").await.mode, Mode::Human);
    let log = world.log("ana").await;
    assert!(model.questions().is_empty() && log[4].answers(Seq(1)) && log[4].answers(Seq(4)));
}

#[tokio::test]
async fn a_reply_reaches_its_customer_whole_whatever_a_prompt_shows_of_a_message() {
    let long = "Hello, yes, of course. ".repeat(30);
    let model = FakeModel::new({
        let long = long.clone();
        move |_: &Question| replies(&long)
    });
    let limits = Limits { message_chars: 100, ..Limits::default() };
    let world = World::with_limits(model, limits).await;
    for _ in 0..2 {
        let answer = world.write("ana", "m1", "hello").await.unwrap();
        assert_eq!(reply_of(&answer), Some(long.trim()), "{answer:?}");
    }
}

#[tokio::test]
async fn erasable_a_redelivery_returns_nothing_of_a_contact_that_is_being_erased() {
    let world = World::new(echo()).await;
    world.write("ana", "m1", "hello").await.unwrap();
    let contact = world.contact("ana").await;
    set_of_head(&world, "SET erasing = :v", AttributeValue::Bool(true)).await;
    let again = world.write("ana", "m1", "hello").await.unwrap();
    assert!(matches!(again, Answer::Gone | Answer::Duplicate { reply: None, .. }), "{again:?}");
    // Its identities go first: then the door meets a new contact, and the delivery is remembered.
    let key = format!("IDENTITY#{}", carryover_tests::world::identity("ana"));
    let delete = world.table.client().delete_item().table_name("carryover");
    let delete = delete.key("pk", AttributeValue::S(key)).key("sk", AttributeValue::S("IDENTITY".into()));
    delete.send().await.unwrap();
    let again = world.write("ana", "m1", "hello").await.unwrap();
    assert_eq!(again, Answer::Duplicate { seq: Seq(1), reply: None });
    assert!(
        world.ctx.store.resolve(&carryover_tests::world::identity("ana")).await.unwrap().is_none(),
        "{contact}"
    );
}

#[tokio::test]
async fn the_sweep_lets_no_shard_starve_behind_another() {
    let world = World::new(echo()).await;
    for n in 0..60 {
        world.drop_off(&format!("c{n}"), "m", "hello").await.unwrap();
    }
    let later = world.clock.now() + Duration::from_secs(61);
    let swept = world.ctx.store.waiting(later, 16).await.unwrap();
    let shard = |contact: &carryover_shared::contact::ContactId| {
        let head = world.table.item(&format!("CONTACT#{contact}"), "HEAD").unwrap();
        head["state"]["S"].as_str().unwrap().to_owned()
    };
    let shards: std::collections::BTreeSet<String> = swept.iter().map(shard).collect();
    assert_eq!(shards.len(), swept.len(), "one of each");
    assert!(swept.len() > 8, "{} shards of 16", swept.len());
}

async fn set_of_head(world: &World, update: &str, value: AttributeValue) {
    let contact = world.contact("ana").await;
    let request = world.table.client().update_item().table_name("carryover").update_expression(update);
    request
        .key("pk", AttributeValue::S(format!("CONTACT#{contact}")))
        .key("sk", AttributeValue::S("HEAD".into()))
        .expression_attribute_values(":v", value)
        .send()
        .await
        .expect("an update");
}

/// Another turn's lease on everything that waits.
async fn held_by_another(world: &World, reads: usize) -> Lease {
    let head = world.head("ana").await;
    let until = world.clock.now() + Duration::from_secs(25);
    let lease = Lease { owner: world.clock.ulid(), until, reads };
    world.ctx.store.take_lease(&head, lease).await.expect("a table").expect("the lease is free");
    lease
}

#[tokio::test]
async fn a_lease_on_the_newest_message_is_taken_over_by_nobody() {
    let model = echo();
    let world = World::new(model.clone()).await;
    world.drop_off("ana", "m1", "first").await.unwrap();
    let lease = held_by_another(&world, 1).await;
    let turn = Turn::starting(&world.ctx, world.clock.now());
    assert_eq!(turn::take_up(&world.ctx, turn, world.contact("ana").await).await.unwrap(), None);
    assert_eq!(world.head("ana").await.turn_owner, Some(lease.owner));
    assert!(model.questions().is_empty());
}

#[tokio::test]
async fn a_reply_between_the_messages_makes_no_burst() {
    let model = echo();
    let limits = Limits { burst_messages: 3, ..Limits::default() };
    let world = World::with_limits(model.clone(), limits).await;
    world.write("ana", "m1", "first").await.unwrap();
    world.drop_off("ana", "m2", "second").await.unwrap();
    world.drop_off("ana", "m3", "third").await.unwrap();
    let lease = held_by_another(&world, 2).await;
    let answer = world.write("ana", "m4", "fourth").await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
    assert!(world.clock.now() < lease.until, "the newest message took over at once");
}

#[tokio::test]
async fn a_turn_that_may_commit_in_a_burst_keeps_its_lease() {
    let model = echo();
    let limits = Limits { burst_messages: 2, ..Limits::default() };
    let world = World::with_limits(model.clone(), limits).await;
    world.drop_off("ana", "m1", "first").await.unwrap();
    world.drop_off("ana", "m2", "second").await.unwrap();
    let lease = held_by_another(&world, 2).await;
    world.drop_off("ana", "m3", "third").await.unwrap();
    let turn = Turn::starting(&world.ctx, world.clock.now());
    assert_eq!(turn::take_up(&world.ctx, turn, world.contact("ana").await).await.unwrap(), None);
    assert_eq!(world.head("ana").await.turn_owner, Some(lease.owner));
}
