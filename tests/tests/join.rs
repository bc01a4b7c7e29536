//! Two contacts turn out to be one customer: one memory, across every channel.

use carryover_shared::contact::{Account, ContactId};
use carryover_shared::desk;
use carryover_shared::erase;
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::handoff::{self, MoveError, Refused};
use carryover_shared::job::{FoldJob, FoldReason};
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Query, Recall};
use carryover_shared::store::{FactWrite, StoreError};
use carryover_shared::sweep;
use carryover_shared::thread::{Author, Seq};
use carryover_shared::traits::{Clock, Model};
use carryover_shared::turn::Context;
use carryover_tests::model::FakeModel;
use carryover_tests::world::{NoModel, World, identity, operator};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// A model that answers "Noted." and keeps what it was asked.
fn keeping() -> FakeModel {
    FakeModel::new(|_| Ok(json!({"action": "reply", "reply": "Noted.", "category": null, "reason": "said"})))
}

/// What a model was asked last.
fn last(model: &FakeModel) -> String {
    let asked = model.questions().pop().expect("a question");
    format!("{}\n{}", asked.system, asked.user)
}

/// `chat:ana` and `chat:phone` are one customer; the latter has said where the spare key is and has a record.
async fn two_of_one(model: impl Model + 'static) -> (World, ContactId, ContactId) {
    let world = World::new(model).await;
    world.write("ana", "a1", "Hello").await.expect("an answer");
    for (n, text) in ["My spare key is with Mrs Okonkwo in flat 7C.", "Thanks, bye"].into_iter().enumerate() {
        world.write("phone", &format!("p{n}"), text).await.expect("an answer");
    }
    let (ana, phone) = (world.contact("ana").await, world.contact("phone").await);
    assert_eq!(put(&world, phone, "O-7", "packed").await, FactWrite::Created);
    world.retain().await;
    world.sent.take_folds();
    (world, ana, phone)
}

async fn put(world: &World, contact: ContactId, id: &str, status: &str) -> FactWrite {
    world.push(contact, ("order", id), "shop", json!({"status": status})).await
}

async fn join(world: &World, into: ContactId, who: &str) -> Result<(), MoveError> {
    desk::join(&world.handoff(), into, &operator("alex"), &identity(who)).await
}

/// Does what a join left to the summarizer; the jobs.
async fn close(world: &World) -> Vec<FoldJob> {
    world.fold(NoModel).await
}

async fn recalled(world: &World, contact: ContactId, text: &str) -> Recall {
    let query = Query { text: text.into(), at: world.clock.now(), before: Seq::LAST };
    world.ctx.bank.recall(contact, &query).await
}

fn refusal(result: Result<(), MoveError>) -> Option<Refused> {
    match result {
        Err(MoveError::Refused(refused)) => Some(refused),
        _ => None,
    }
}

#[tokio::test]
async fn what_one_said_on_another_channel_is_remembered_where_they_are_joined() {
    let model = keeping();
    let (world, ana, phone) = two_of_one(model.clone()).await;
    world.write("ana", "a2", "Where is my spare key?").await.expect("an answer");
    assert!(!last(&model).contains("Okonkwo"), "isolation: they are two until somebody says they are one");
    world.sent.take_folds();
    join(&world, ana, "phone").await.expect("they are one");
    let [job] = close(&world).await[..] else { panic!("one job") };
    assert_eq!((job.contact_id, job.why), (phone, FoldReason::Join));

    world.write("phone", "p9", "Where is my spare key?").await.expect("an answer");
    assert!(last(&model).contains("Okonkwo"), "{}", last(&model));
    assert!(last(&model).contains("O-7"), "the record is theirs: {}", last(&model));
    assert_eq!(world.contact("phone").await, ana);
    let newest = world.log("ana").await.pop().expect("a message");
    assert_eq!((newest.author, newest.seq), (Author::Bot, Seq(6)), "one log, numbered on");
    let closed = world.ctx.store.messages(phone, Seq::FIRST, Seq::LAST, 100).await.expect("a table");
    assert_eq!(closed.len(), 4, "the other log stays as it is");
}

#[tokio::test]
async fn facts_survive_everything_that_the_closed_thread_knew_is_in_its_bank() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    world.set_history(phone, "Language: English\ncustomer: the gate code is 4471").await;
    world.set_snapshot(phone, "summary_text", "Booked the boat for 12 June.").await;
    join(&world, ana, "phone").await.expect("they are one");
    close(&world).await;
    for (asked, held) in [
        ("the gate code", "4471"),
        ("When is the boat booked?", "12 June"),
        ("Who has the spare key?", "Okonkwo"),
    ] {
        let found = recalled(&world, phone, asked).await;
        assert!(found.memories().iter().any(|memory| memory.said.contains(held)), "{asked}: {found:?}");
    }
    let snapshot = world.ctx.store.snapshot(phone).await.expect("a table").expect("a snapshot");
    assert!(snapshot.is_blank() && snapshot.folded_through == Seq(4), "{snapshot:?}");
    let before = world.table.items().len();
    world.clock.advance(Duration::from_secs(90));
    world.sent.take_turns();
    sweep::run(&world.ctx).await.expect("a table");
    assert_eq!(close(&world).await, [], "nothing is left to do");
    assert_eq!(world.table.items().len(), before);
}

#[tokio::test]
async fn a_job_that_was_lost_is_sent_again_by_the_sweep() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    world.sent.set_down(true);
    join(&world, ana, "phone").await.expect("they are one");
    world.sent.set_down(false);
    assert_eq!(close(&world).await, []);
    world.clock.advance(Duration::from_secs(90));
    sweep::run(&world.ctx).await.expect("a table");
    assert_eq!(close(&world).await.len(), 1);
    assert!(world.ctx.store.fact(ana, "order", "O-7").await.expect("a table").is_some());
    assert!(!recalled(&world, phone, "Who has the spare key?").await.memories().is_empty());
}

#[tokio::test]
async fn truth_ranks_a_record_that_the_other_one_has_from_later_stays_and_one_that_was_deleted_stays_away() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    put(&world, phone, "O-8", "packed").await;
    world.clock.advance(Duration::from_secs(1));
    put(&world, ana, "O-7", "delivered").await;
    let gone = AsOf::from(world.clock.now());
    let now = world.clock.now();
    let deleted = world.ctx.store.delete_fact(phone, "order", "O-8", &gone, now).await.expect("a table");
    assert_eq!(deleted, FactWrite::Done);
    join(&world, ana, "phone").await.expect("they are one");
    close(&world).await;
    let kept = world.ctx.store.fact(ana, "order", "O-7").await.expect("a table").expect("a fact");
    assert_eq!(kept.data["status"], "delivered");
    let old =
        Fact::checked("order", "O-8", AsOf::from(world.clock.now()), "shop", json!({}), &world.ctx.limits);
    let old = Fact { as_of: AsOf::from(world.ctx.clock.now()), ..old.expect("a fact") };
    let earlier = Fact { as_of: AsOf::parse("2020-01-01T00:00:00Z", now).expect("a time"), ..old };
    let older = world.ctx.store.put_fact(ana, &earlier, &world.ctx.limits).await.expect("a table");
    assert_eq!(older, FactWrite::Older, "its tombstone came along");
    let late = put(&world, phone, "O-9", "packed").await;
    assert_eq!(late, FactWrite::Gone, "whoever still names the closed one looks again");
}

#[tokio::test]
async fn silent_means_silent_who_wanted_to_hear_nothing_there_hears_nothing_here() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    let sms: BTreeSet<Account> = [Account::from("sms:main")].into();
    assert!(
        world
            .ctx
            .store
            .change_opt_outs(phone, &sms, &BTreeSet::new(), &world.ctx.limits)
            .await
            .expect("a table")
    );
    join(&world, ana, "phone").await.expect("they are one");
    assert_eq!(world.head("ana").await.opted_out, sms);
    assert!(
        !world
            .ctx
            .store
            .change_opt_outs(phone, &BTreeSet::new(), &sms, &world.ctx.limits)
            .await
            .expect("a table")
    );
}

#[tokio::test]
async fn whoever_has_something_in_hand_is_not_closed() {
    let (world, ana, _) = two_of_one(NoModel).await;
    world.takes_over("phone").await;
    let phone = world.contact("phone").await;
    assert_eq!(refusal(join(&world, ana, "phone").await), Some(Refused::OtherIsBusy { other: phone }));
    world.hands_back("phone").await;
    world.write("phone", "p9", "I want to talk to a human").await.expect("an answer");
    assert_eq!(refusal(join(&world, ana, "phone").await), Some(Refused::OtherIsBusy { other: phone }));
    assert_eq!(refusal(join(&world, ana, "nobody").await), Some(Refused::NobodyHasIt));
    assert_eq!(world.contact("phone").await, phone, "nothing has moved");
    join(&world, ana, "ana").await.expect("they are one already");
}

#[tokio::test]
async fn the_closed_thread_can_be_read_and_not_moved() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    join(&world, ana, "phone").await.expect("they are one");
    let ctx = world.handoff();
    let moves = [
        handoff::take_over(&ctx, phone, &operator("leo")).await,
        handoff::say(&ctx, phone, &operator("leo"), "Hello", None).await.map(|_| ()),
        handoff::hand_back(&ctx, phone, &operator("leo"), true, None).await.map(|_| ()),
        join(&world, phone, "ana").await,
    ];
    for (n, moved) in moves.into_iter().enumerate() {
        let expected = if n == 3 { Refused::Gone } else { Refused::Joined { into: ana } };
        assert_eq!(refusal(moved), Some(expected), "{n}");
    }
    let page = desk::conversation(&ctx, phone, None, 50).await.expect("a table").expect("a page");
    assert_eq!(page.messages.len(), 4);
    let notes = desk::conversation(&ctx, ana, None, 50).await.expect("a table").expect("a page").notes;
    assert!(notes[0].text.contains("known as chat:….") && notes[0].operator == operator("alex"), "{notes:?}");
}

#[tokio::test]
async fn one_log_whoever_writes_while_they_are_joined_is_heard_once_in_one_of_the_threads() {
    for n in 0..20 {
        let (world, ana, phone) = two_of_one(NoModel).await;
        let id = format!("r{n}");
        let write = async {
            for _ in 0..n {
                tokio::task::yield_now().await;
            }
            world.write("phone", &id, "What are your hours?").await
        };
        let (joined, written) = futures::join!(join(&world, ana, "phone"), write);
        written.expect("heard");
        let said = async |contact| -> Result<usize, StoreError> {
            let log = world.ctx.store.messages(contact, Seq::FIRST, Seq::LAST, 100).await?;
            Ok(log.iter().filter(|message| message.text == "What are your hours?").count())
        };
        let (there, here) = (said(phone).await.expect("a table"), said(ana).await.expect("a table"));
        assert_eq!(there + here, 1, "{n}: {joined:?}");
        if joined.is_ok() {
            let head = world.ctx.store.head(phone).await.expect("a table").expect("a head");
            assert!(head.last_customer_seq <= head.settled_seq, "{n}: nothing waits where nobody answers");
        }
    }
}

#[tokio::test]
async fn erasable_whoever_was_joined_goes_too() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    join(&world, ana, "phone").await.expect("they are one");
    close(&world).await;
    world.ctx.store.begin_erasing(ana).await.expect("a table");
    erase::run(&world.eraser(), world.clock.now() + Duration::from_secs(240)).await.expect("a table");
    let left = world.table.items().into_iter().filter(|item| {
        let item = item.to_string();
        item.contains(&phone.to_string()) || item.contains(&ana.to_string())
    });
    let keys: Vec<String> = left
        .map(|item| item["sk"]["S"].as_str().unwrap_or_default().to_owned())
        .filter(|sk| sk != "SEEN")
        .collect();
    assert_eq!(keys, ["HEAD", "HEAD"]);
}

#[tokio::test]
async fn at_most_so_many_are_joined_and_their_banks_are_asked_all_the_same() {
    let (world, ana, _) = two_of_one(NoModel).await;
    join(&world, ana, "phone").await.expect("they are one");
    for n in 0..5 {
        let who = format!("other{n}");
        world.write(&who, "m1", "Hello").await.expect("an answer");
        let joined = join(&world, ana, &who).await;
        match n {
            4 => assert_eq!(refusal(joined), Some(Refused::TooManyJoined { limit: 5 })),
            _ => joined.expect("they are one"),
        }
    }
    // A chain is flat: who was joined into the closed one is joined into the other.
    let (world, ana, phone) = two_of_one(NoModel).await;
    world.write("third", "m1", "Hello").await.expect("an answer");
    let third = world.contact("third").await;
    join(&world, third, "phone").await.expect("they are one");
    join(&world, ana, "third").await.expect("they are one");
    close(&world).await;
    assert_eq!(world.head("ana").await.joined, [phone, third].into());
    assert_eq!(world.contact("phone").await, ana);
    assert!(world.ctx.store.fact(ana, "order", "O-7").await.expect("a table").is_some(), "along the chain");
}

#[tokio::test]
async fn an_identity_is_linked_and_unlinked_and_a_note_says_by_whom() {
    let (world, ana, _) = two_of_one(NoModel).await;
    let (ctx, alex, tel) =
        (world.handoff(), operator("alex"), "tel:+15551234567".parse().expect("an identity"));
    assert_eq!(refusal(desk::unlink(&ctx, ana, &alex, &identity("ana")).await), Some(Refused::LastIdentity));
    desk::link(&ctx, ana, &alex, &tel).await.expect("nobody has it");
    assert_eq!(world.ctx.store.resolve(&tel).await.expect("a table"), Some(ana));
    desk::unlink(&ctx, ana, &alex, &tel).await.expect("it is theirs");
    assert_eq!(world.ctx.store.resolve(&tel).await.expect("a table"), None);
    assert_eq!(refusal(desk::unlink(&ctx, ana, &alex, &identity("phone")).await), Some(Refused::NotTheirs));
    let page = desk::conversation(&ctx, ana, None, 50).await.expect("a table").expect("a page");
    let said: Vec<&str> = page.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(said, ["Linked tel:…567.", "Unlinked tel:…567."]);
}

#[tokio::test]
async fn truth_ranks_the_records_are_there_before_any_job_is_done_and_one_without_room_is_looked_at_again() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    join(&world, ana, "phone").await.expect("they are one");
    assert!(world.ctx.store.fact(ana, "order", "O-7").await.expect("a table").is_some());
    let late = put(&world, phone, "O-9", "packed").await;
    assert_eq!(late, FactWrite::Gone);

    let (world, ana, phone) = two_of_one(NoModel).await;
    let limits = Limits { facts_items: 1, ..world.ctx.limits.clone() };
    let full = World { ctx: Context { limits: limits.clone(), ..world.ctx.clone() }, ..world };
    assert_eq!(refusal(join(&full, ana, "phone").await), None, "together they have one");
    put(&full, ana, "O-1", "packed").await;
    full.ctx
        .store
        .delete_fact(ana, "order", "O-7", &AsOf::from(full.clock.now()), full.clock.now())
        .await
        .ok();
    close(&full).await;
    let listed = full.ctx.store.joining_contacts(10).await.expect("a table");
    assert!(listed.iter().all(|entry| entry.contact_id == phone), "{listed:?}");
}

#[tokio::test]
async fn erasable_who_was_joined_is_erased_with_whom_they_were_joined_into() {
    let (world, ana, phone) = two_of_one(NoModel).await;
    join(&world, ana, "phone").await.expect("they are one");
    assert!(world.ctx.store.begin_erasing(phone).await.expect("a table"));
    assert_eq!(world.ctx.store.resolve(&identity("ana")).await.expect("a table"), None);
    assert!(world.head_of(ana).await.erasing && world.head_of(phone).await.erasing);
}

#[tokio::test]
async fn a_reply_that_was_flagged_in_the_closed_thread_is_wrong_in_the_other_one_too() {
    let model = keeping();
    let (world, ana, phone) = two_of_one(model.clone()).await;
    world.set_history(phone, "Language: English\nbot: Noted.\nThe guest has the code QX-7781.").await;
    let reply = world.ctx.store.message(phone, Seq(2)).await.expect("a table").expect("a reply");
    world.table.set(&format!("CONTACT#{phone}"), "MSG#0000000002", "text", "Your code is QX-7781.").await;
    assert_eq!(reply.author, Author::Bot);
    let flag = desk::NewFlag::default();
    desk::flag(&world.handoff(), phone, &operator("leo"), Seq(2), flag).await.expect("a reply");
    join(&world, ana, "phone").await.expect("they are one");
    close(&world).await;
    world.write("phone", "p9", "What is the code?").await.expect("an answer");
    assert!(!last(&model).contains("QX-7781"), "{}", last(&model));
    desk::unflag(&world.handoff(), phone, &operator("leo"), Seq(2)).await.expect("a reply");
    world.write("phone", "p10", "What is the code?").await.expect("an answer");
    assert!(last(&model).contains("QX-7781"), "it was kept: {}", last(&model));
}

#[tokio::test]
async fn two_unlinks_at_once_leave_one_identity() {
    for _ in 0..10 {
        let (world, ana, _) = two_of_one(NoModel).await;
        let (ctx, alex, tel) =
            (world.handoff(), operator("alex"), "tel:+15551234567".parse().expect("an identity"));
        desk::link(&ctx, ana, &alex, &tel).await.expect("nobody has it");
        let (first, chat) = (operator("leo"), identity("ana"));
        let (a, b) =
            futures::join!(desk::unlink(&ctx, ana, &alex, &tel), desk::unlink(&ctx, ana, &first, &chat));
        assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
        assert_eq!(world.ctx.store.identities(ana).await.expect("a table").len(), 1);
    }
}

/// Runs this after so many other steps of the executor.
async fn after<T>(steps: usize, then: impl Future<Output = T>) -> T {
    for _ in 0..steps {
        tokio::task::yield_now().await;
    }
    then.await
}

#[tokio::test]
async fn silent_means_silent_an_opt_out_beside_a_join_is_never_lost() {
    let mut lost_races = 0;
    for steps in 0..25 {
        let (world, ana, phone) = two_of_one(NoModel).await;
        let sms: BTreeSet<Account> = [Account::from("sms:main")].into();
        let (none, limits) = (BTreeSet::new(), &world.ctx.limits);
        let out = world.ctx.store.change_opt_outs(phone, &sms, &none, limits);
        let (joined, heard) = futures::join!(join(&world, ana, "phone"), after(steps, out));
        joined.expect("they are one");
        let heard = heard.expect("a table");
        assert!(!heard || world.head("ana").await.opted_out == sms, "after {steps}");
        lost_races += usize::from(!heard);
    }
    assert!((1..25).contains(&lost_races), "the opt-out comes before, within and after: {lost_races}");
}

#[tokio::test]
async fn an_identity_that_is_linked_beside_a_join_leads_to_who_stays() {
    for steps in 0..25 {
        let (world, ana, phone) = two_of_one(NoModel).await;
        let tel = "tel:+15551234567".parse().expect("an identity");
        let link = world.ctx.store.add_identity(phone, &tel);
        let (joined, linked) = futures::join!(join(&world, ana, "phone"), after(steps, link));
        joined.expect("they are one");
        let owner = world.ctx.store.resolve(&tel).await.expect("a table");
        assert_eq!(owner, linked.expect("a table").then_some(ana), "after {steps}");
    }
}

#[tokio::test]
async fn erasable_an_erasure_beside_a_join_leaves_nobody_behind() {
    for steps in 0..25 {
        let (world, ana, phone) = two_of_one(NoModel).await;
        let erase = world.ctx.store.begin_erasing(phone);
        let (joined, erased) = futures::join!(join(&world, ana, "phone"), after(steps, erase));
        assert!(erased.expect("a table"), "after {steps}");
        erase::run(&world.eraser(), world.clock.now() + Duration::from_secs(240)).await.expect("a table");
        close(&world).await;
        let of_phone = |item: &serde_json::Value| {
            item.to_string().contains(&phone.to_string())
                && !item["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("SEEN#"))
        };
        let left: Vec<_> = world.table.items().into_iter().filter(of_phone).collect();
        assert_eq!(left.len(), if joined.is_ok() { left.len() } else { 1 }, "after {steps}");
        assert_eq!(
            world.ctx.store.resolve(&identity("phone")).await.expect("a table"),
            None,
            "after {steps}"
        );
        assert!(
            world.ctx.store.facts(phone, &world.ctx.limits).await.expect("a table").is_empty(),
            "after {steps}"
        );
        assert_eq!(world.head_of(ana).await.erasing, joined.is_ok(), "after {steps}");
    }
}
