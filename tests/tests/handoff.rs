//! Hand-off between bot and people, and its races (*silent-means-silent*, *one-reply*).

use carryover_shared::admit::{Answer, Worked};
use carryover_shared::agent::AgentVersion;
use carryover_shared::case::{Case, CaseState, Labels, Priority, tags};
use carryover_shared::handoff::{self, MoveError, Refused};
use carryover_shared::job::{Retained, RetentionJob};
use carryover_shared::thread::{Author, Mode, Seq};
use carryover_shared::traits::{Clock, Event, Question};
use carryover_shared::turn::End;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::world::{Thinking, World, operator};
use serde_json::json;
use std::time::Duration;

fn replies(text: &str) -> Said {
    Ok(json!({"action": "reply", "reply": text, "category": "", "reason": ""}))
}

fn polite() -> FakeModel {
    FakeModel::new(|_: &Question| replies("Gladly."))
}

/// Ana asked for her deposit, and a case waits for a person.
async fn with_a_case() -> World {
    let world = World::new(polite()).await;
    asks_for_the_deposit(&world, "m1").await;
    world.sent.take_retentions();
    world
}

async fn asks_for_the_deposit(world: &World, id: &str) {
    let answer = world.write("ana", id, "When do I get my deposit back?").await.expect("an answer");
    assert!(matches!(answer, Answer::New { end: End::Escalated(_), .. }), "{answer:?}");
}

async fn case(world: &World) -> Case {
    world.ctx.store.cases(world.contact("ana").await).await.expect("a table").remove(0)
}

async fn takes(world: &World, who: &str) -> Result<(), MoveError> {
    handoff::take_over(&world.handoff(), world.contact("ana").await, &operator(who)).await
}

async fn back(world: &World, resolve: bool, seen: Option<Seq>) -> Result<(), MoveError> {
    let contact = world.contact("ana").await;
    handoff::hand_back(&world.handoff(), contact, &operator("leo"), resolve, seen).await.map(|_| ())
}

fn refused(done: Result<(), MoveError>) -> Refused {
    match done.expect_err("it may not be done") {
        MoveError::Refused(refused) => refused,
        MoveError::Store(error) => panic!("{error}"),
    }
}

async fn bot_messages(world: &World) -> usize {
    world.log("ana").await.iter().filter(|message| message.author == Author::Bot).count()
}

#[tokio::test]
async fn a_case_goes_from_open_to_taken_to_resolved_with_who_and_when() {
    let world = with_a_case().await;
    let open = case(&world).await;
    assert_eq!((open.state_of_case, open.assignee, open.moved_by), (CaseState::Open, None, None));
    assert_eq!(open.waiting_since, Some(open.opened_at));

    world.clock.advance(Duration::from_secs(60));
    takes(&world, "leo").await.expect("he may");
    let taken = case(&world).await;
    assert_eq!((taken.state_of_case, &taken.assignee), (CaseState::Taken, &Some(operator("leo"))));
    assert_eq!((taken.moved_by, taken.moved_at), (Some(operator("leo")), Some(world.clock.now())));
    assert_eq!(world.head("ana").await.taken_by, Some(operator("leo")));

    world.says("ana", "Within a week.").await;
    assert_eq!(case(&world).await.waiting_since, None, "nothing waits any more");
    world.clock.advance(Duration::from_secs(60));
    back(&world, true, None).await.expect("he may");
    let resolved = case(&world).await;
    assert_eq!(
        (resolved.state_of_case, resolved.resolved_at),
        (CaseState::Resolved, Some(world.clock.now()))
    );
    let head = world.head("ana").await;
    assert_eq!((head.mode, head.open_case, head.taken_by), (Mode::Bot, None, None));
    let remembered: Vec<Retained> =
        world.sent.take_retentions().into_iter().map(|RetentionJob { what, .. }| what).collect();
    assert_eq!(remembered, [Retained::Reply { seq: Seq(3) }, Retained::Case { case_id: resolved.case_id }]);
}

#[tokio::test]
async fn a_silent_agent_opens_a_case_and_tells_nobody_but_people() {
    let world = World::new(polite()).await;
    let silent = AgentVersion { notifies: false, ..AgentVersion::built_in() };
    world.publish(&silent).await;
    let answer = world.write("ana", "m1", "When do I get my deposit back?").await.expect("an answer");
    assert_eq!(answer, Answer::New { seq: Seq(1), end: End::Escalated(None) });
    assert_eq!((bot_messages(&world).await, world.head("ana").await.mode), (0, Mode::Human));
    let case_id = case(&world).await.case_id;
    let events = world.sent.take_events();
    assert!(matches!(&events[..], [Event::CaseOpened { case_id: id, .. }] if *id == case_id), "{events:?}");
    assert_eq!(world.sent.take_folds().len(), 1, "the brief wants a fresh snapshot");
}

#[tokio::test]
async fn what_follows_a_silent_agents_case_goes_out_later_where_it_could_not_at_once() {
    let world = World::new(polite()).await;
    world.publish(&AgentVersion { notifies: false, ..AgentVersion::built_in() }).await;
    world.drop_off("ana", "m1", "When do I get my deposit back?").await.expect("admitted");
    let jobs = world.sent.take_turns();
    world.sent.set_down(true);
    for job in &jobs {
        carryover_shared::admit::work(&world.ctx, job, 1).await.expect("a case");
    }
    world.sent.set_down(false);
    assert_eq!((world.sent.take_events().len(), world.sent.take_folds().len()), (0, 0));
    for receives in [2, 3] {
        carryover_shared::admit::work(&world.ctx, &jobs[0], receives).await.expect("nothing to do");
    }
    let events = world.sent.take_events();
    assert!(matches!(&events[..], [Event::CaseOpened { .. }]), "once: {events:?}");
    assert_eq!(world.sent.take_folds().len(), 1);
}

#[tokio::test]
async fn an_operator_takes_over_and_answers_without_a_case() {
    let world = World::new(polite()).await;
    world.write("ana", "m1", "hello").await.expect("an answer");
    takes(&world, "leo").await.expect("he may");
    takes(&world, "leo").await.expect("again changes nothing");
    let said = world.says("ana", "Hi, it's Leo.").await;
    assert_eq!((said.operator, said.author), (Some(operator("leo")), Author::Operator));
    let silent = world.write("ana", "m2", "thanks").await.expect("an answer");
    assert!(matches!(silent, Answer::New { end: End::Silent, .. }), "{silent:?}");
    assert!(world.ctx.store.cases(world.contact("ana").await).await.expect("a table").is_empty());
}

#[tokio::test]
async fn silent_means_silent_an_operators_answer_alone_silences_the_bot() {
    let model = Thinking::before(polite());
    let world = World::new(model.clone()).await;
    let (answer, ()) = futures::join!(world.write("ana", "m1", "hello"), async {
        model.asked().await;
        // The page that he answers from still says that the bot answers.
        assert_eq!(world.head("ana").await.mode, Mode::Bot);
        world.says("ana", "Hi, it's Leo.").await;
        model.go_on();
    });
    assert!(matches!(answer, Ok(Answer::New { end: End::Silent, .. })), "{answer:?}");
    assert_eq!((bot_messages(&world).await, world.head("ana").await.mode), (0, Mode::Human));
}

#[tokio::test]
async fn two_operators_take_the_same_case_in_the_same_second_and_one_is_told_who_has_it() {
    let world = with_a_case().await;
    let (leo, mia) = futures::join!(takes(&world, "leo"), takes(&world, "mia"));
    let (has, has_not) = if leo.is_ok() { ("leo", mia) } else { ("mia", leo) };
    assert_eq!(refused(has_not), Refused::AlreadyTaken { by: operator(has) });
    assert_eq!(case(&world).await.assignee, Some(operator(has)));
}

#[tokio::test]
async fn what_the_customer_writes_before_the_operators_first_message_is_settled_and_waits_for_the_operator() {
    let world = with_a_case().await;
    takes(&world, "leo").await.expect("he may");
    world.says("ana", "Let me look.").await;
    world.clock.advance(Duration::from_secs(30));
    let written = world.write("ana", "m2", "it was 200").await.expect("an answer");
    assert_eq!(written, Answer::New { seq: Seq(4), end: End::Silent });
    assert_eq!(case(&world).await.waiting_since, Some(world.clock.now()));
    assert_eq!(world.head("ana").await.settled_seq, Seq(4));

    assert_eq!(refused(back(&world, false, Some(Seq(1))).await), Refused::NewMessage);
    back(&world, false, Some(Seq(4))).await.expect("he has read it");
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(world.work().await.expect("a table"), [Worked::Done, Worked::Done]);
    assert_eq!(bot_messages(&world).await, 1, "nothing that a person was asked is answered by the bot");
}

#[tokio::test]
async fn a_case_is_resolved_once() {
    let world = with_a_case().await;
    let (contact, open) = (world.contact("ana").await, case(&world).await);
    let (ctx, leo, mia) = (world.handoff(), operator("leo"), operator("mia"));
    takes(&world, "leo").await.expect("he may");
    let resolve = |who| handoff::resolve(&ctx, contact, who, open.case_id, None);
    let (first, second) = futures::join!(resolve(&leo), resolve(&mia));
    let (done, not): (Vec<_>, Vec<_>) = [first, second].into_iter().partition(Result::is_ok);
    assert_eq!((done.len(), not.len()), (1, 1));
    assert!(not.into_iter().all(|not| refused(not) == Refused::AlreadyResolved));
    assert_eq!(world.head("ana").await.mode, Mode::Human, "a case is independent of the mode");
    assert_eq!(world.sent.take_retentions().len(), 1);
}

#[tokio::test]
async fn a_case_that_nobody_took_is_resolved_and_the_bot_hears_whoever_writes_next() {
    let world = with_a_case().await;
    let (contact, ctx, leo) = (world.contact("ana").await, world.handoff(), operator("leo"));
    let id = case(&world).await.case_id;
    world.write("ana", "m2", "hello?").await.expect("an answer");
    let unread = handoff::resolve(&ctx, contact, &leo, id, Some(Seq(1))).await;
    assert_eq!(refused(unread), Refused::NewMessage);
    handoff::resolve(&ctx, contact, &leo, id, Some(Seq(3))).await.expect("he has read it");
    let answer = world.write("ana", "m3", "Is the pool open?").await.expect("an answer");
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
}

#[tokio::test]
async fn a_case_is_resolved_while_the_bot_thinks_and_the_bot_answers_all_the_same() {
    let model = Thinking::before(polite());
    let world = World::new(model.clone()).await;
    asks_for_the_deposit(&world, "m1").await;
    back(&world, false, None).await.expect("he may");
    assert_eq!(case(&world).await.waiting_since, None, "nothing waits for a person");
    let (answer, ()) = futures::join!(world.write("ana", "m2", "Is the pool open?"), async {
        model.asked().await;
        back(&world, true, None).await.expect("he may");
        model.go_on();
    });
    assert!(matches!(answer, Ok(Answer::New { end: End::Replied(_), .. })), "{answer:?}");
    assert_eq!(case(&world).await.state_of_case, CaseState::Resolved);
}

#[tokio::test]
async fn what_waited_for_the_bot_waits_for_the_operator_who_takes_over() {
    let world = with_a_case().await;
    back(&world, false, None).await.expect("he may");
    world.drop_off("ana", "m2", "Is the pool open?").await.expect("a table");
    let since = world.clock.now();
    world.clock.advance(Duration::from_secs(60));
    takes(&world, "mia").await.expect("she may");
    assert_eq!(case(&world).await.waiting_since, Some(since));
}

#[tokio::test]
async fn a_thread_goes_back_with_its_case_open_and_the_bot_knows_of_it() {
    let model = polite();
    let world = World::new(model.clone()).await;
    asks_for_the_deposit(&world, "m1").await;
    back(&world, false, None).await.expect("he may");
    assert_eq!(refused(back(&world, false, None).await), Refused::WithTheBot);
    let answer = world.write("ana", "m2", "Is the pool open?").await.expect("an answer");
    assert!(matches!(answer, Answer::New { end: End::Replied(_), .. }), "{answer:?}");
    assert!(model.questions()[0].user.contains("a person of ours works on it, not resolved"));

    asks_for_the_deposit(&world, "m3").await;
    let joined = case(&world).await;
    assert_eq!(joined.joined, 1);
    assert_eq!(world.ctx.store.cases(world.contact("ana").await).await.expect("a table").len(), 1);
}

#[tokio::test]
async fn a_new_case_after_an_old_one_starts_afresh() {
    let world = with_a_case().await;
    let old = case(&world).await;
    back(&world, true, None).await.expect("he may");
    let answer = world.write("ana", "m2", "Is the pool open?").await.expect("an answer");
    assert!(
        matches!(answer, Answer::New { end: End::Replied(_), .. }),
        "the old one stops nothing: {answer:?}"
    );
    asks_for_the_deposit(&world, "m3").await;
    let new = case(&world).await;
    assert_ne!(new.case_id, old.case_id);
    assert_eq!((new.joined, new.assignee, new.state_of_case), (0, None, CaseState::Open));
}

#[tokio::test]
async fn a_resolved_case_is_opened_again_by_whoever_takes_it() {
    let world = with_a_case().await;
    let (contact, ctx, mia) = (world.contact("ana").await, world.handoff(), operator("mia"));
    let id = case(&world).await.case_id;
    assert_eq!(refused(handoff::reopen(&ctx, contact, &mia, id).await), Refused::NotResolved);
    back(&world, true, None).await.expect("he may");
    handoff::reopen(&ctx, contact, &mia, id).await.expect("she may");
    let reopened = case(&world).await;
    assert_eq!((reopened.state_of_case, reopened.resolved_at), (CaseState::Reopened, None));
    let head = world.head("ana").await;
    assert_eq!((head.mode, head.open_case, head.taken_by), (Mode::Human, Some(id), Some(mia)));
}

#[tokio::test]
async fn a_case_is_given_to_another_operator_and_to_nobody() {
    let world = with_a_case().await;
    let (contact, ctx, leo, mia) =
        (world.contact("ana").await, world.handoff(), operator("leo"), operator("mia"));
    let id = case(&world).await.case_id;
    takes(&world, "leo").await.expect("he may");
    handoff::assign(&ctx, contact, &leo, id, Some(&mia)).await.expect("he may");
    assert_eq!(refused(takes(&world, "leo").await), Refused::AlreadyTaken { by: mia.clone() });
    assert_eq!(case(&world).await.assignee, Some(mia.clone()));
    handoff::assign(&ctx, contact, &mia, id, None).await.expect("she may");
    assert_eq!(case(&world).await.state_of_case, CaseState::Open);
    takes(&world, "leo").await.expect("nobody has it");

    let labels = |priority, word: &str| Labels { priority, tags: tags([word]).expect("tags") };
    let (urgent, low) = (labels(Priority::Urgent, "vip"), labels(Priority::Low, "wifi"));
    handoff::label(&ctx, contact, &leo, id, &urgent, Some(0)).await.expect("he may");
    let stale = handoff::label(&ctx, contact, &mia, id, &low, Some(0)).await;
    assert_eq!(refused(stale), Refused::Labelled { by: leo.clone() });
    handoff::label(&ctx, contact, &mia, id, &urgent, Some(0)).await.expect("nothing changes");
    assert_eq!((case(&world).await.labels(), case(&world).await.labelled), (urgent, 1));
    for shown in [Some(1), None] {
        handoff::label(&ctx, contact, &mia, id, &low, shown)
            .await
            .expect("she has looked, or asks for no look");
    }
    assert_eq!((case(&world).await.labels(), case(&world).await.labelled_by), (low, Some(mia)));
}

#[tokio::test]
async fn a_case_that_is_given_to_somebody_while_the_bot_has_the_thread_takes_no_thread() {
    let world = with_a_case().await;
    let (contact, ctx, leo, mia) =
        (world.contact("ana").await, world.handoff(), operator("leo"), operator("mia"));
    back(&world, false, None).await.expect("he may");
    let id = case(&world).await.case_id;
    handoff::assign(&ctx, contact, &leo, id, Some(&mia)).await.expect("he may");
    let (given, head) = (case(&world).await, world.head("ana").await);
    assert_eq!((given.state_of_case, given.assignee), (CaseState::Open, Some(mia)));
    assert_eq!((head.mode, head.taken_by), (Mode::Bot, None));
}

#[tokio::test]
async fn a_note_stands_beside_the_log_and_reaches_no_model() {
    let model = polite();
    let world = World::new(model.clone()).await;
    world.write("ana", "m1", "hello").await.expect("an answer");
    let (contact, ctx, leo) = (world.contact("ana").await, world.handoff(), operator("leo"));
    let note = handoff::note(&ctx, contact, &leo, "She is the owner's aunt.", None).await.expect("he may");
    assert_eq!(world.log("ana").await.len(), 2, "never numbered");
    assert_eq!(ctx.store.notes(contact, Seq(1), Seq(2), 10).await.expect("a table"), [note]);
    world.write("ana", "m2", "and the pool?").await.expect("an answer");
    assert!(model.questions().iter().all(|asked| !asked.user.contains("aunt")));

    let too_long = "x".repeat(world.ctx.limits.note_chars + 1);
    for text in ["", " \n", &too_long] {
        let note = handoff::note(&ctx, contact, &leo, text, None).await.map(|_| ());
        assert!(matches!(refused(note), Refused::Text { .. }));
    }
}

#[tokio::test]
async fn erasable_nothing_is_moved_for_a_contact_that_is_being_erased() {
    let world = with_a_case().await;
    world.begin_erasing("ana").await;
    let (contact, ctx, leo) = (world.contact("ana").await, world.handoff(), operator("leo"));
    assert_eq!(refused(takes(&world, "leo").await), Refused::Gone);
    assert_eq!(refused(back(&world, true, None).await), Refused::Gone);
    assert_eq!(refused(handoff::note(&ctx, contact, &leo, "hm", None).await.map(|_| ())), Refused::Gone);
    assert_eq!(refused(handoff::say(&ctx, contact, &leo, "hm", None).await.map(|_| ())), Refused::Gone);
}
