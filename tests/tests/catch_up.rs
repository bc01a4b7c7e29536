//! An imported log of 10,000 messages catches up over turns, to its end, over an embedded table: the stack tests show
//! the beginning and the end of the same way on the running stack.

use carryover_shared::contact::Account;
use carryover_shared::limits::Limits;
use carryover_shared::store::{Imported, ImportedLog, ImportedMessage};
use carryover_shared::thread::{Author, Channel, Seq};
use carryover_shared::traits::{Clock, Question, Role};
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::received::{Folded, Received};
use carryover_tests::world::World;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

fn answer(question: &Question) -> Said {
    Ok(match question.role {
        Role::Reply => json!({"action": "reply", "reply": "We see to it.", "category": "", "reason": ""}),
        Role::Summary => json!({
            "guest_intent": "Wants news.", "summary_text": "They talk about the log.",
            "history": "Language: English\nThey talked.", "established_facts": [], "open_questions": [],
        }),
    })
}

/// A number that no summary has to keep.
fn letters(n: u64) -> String {
    n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

fn imported(count: u64, world: &World) -> ImportedLog {
    let message = |n| ImportedMessage {
        author: if n % 2 == 0 { Author::Bot } else { Author::Customer },
        text: format!("Line {} of an older log.", letters(n)),
        at: None,
    };
    ImportedLog {
        messages: (1..=count).map(message).collect(),
        channel: Channel::Chat,
        account: Account::chat(),
        at: world.clock.now(),
        message_chars: Limits::default().message_chars,
    }
}

#[tokio::test]
async fn coverage_ten_thousand_imported_messages_catch_up_over_turns() {
    const COUNT: u64 = 10_000;
    let model = FakeModel::new(answer);
    let world = World::new(model.clone()).await;
    let import = imported(COUNT, &world);
    let contact = carryover_shared::contact::ContactId::new(world.clock.ulid());
    let leo = carryover_tests::world::identity("leo");
    assert!(world.ctx.store.create_contact(contact, &leo).await.unwrap());
    let done = world.ctx.store.import(contact, &import, |_| {}).await.unwrap();
    assert_eq!(done, Imported::Done { resumed_after: Seq::NONE });

    let mut checkpoints = vec![0];
    while *checkpoints.last().expect("one") < COUNT {
        let turn = checkpoints.len();
        assert!(turn <= 102, "still at {checkpoints:?}");
        world.write("leo", &format!("m{turn}"), "Is there any news?").await.unwrap();
        world.fold(model.clone()).await;
        let snapshot = world.ctx.store.snapshot(contact).await.unwrap().expect("a snapshot");
        checkpoints.push(snapshot.folded_through.0);
        world.clock.advance(Duration::from_secs(60));
    }

    let said: BTreeMap<u64, String> =
        world.log("leo").await.into_iter().map(|message| (message.seq.0, message.text)).collect();
    let questions = model.questions();
    let of_leo = |question: &&Question| question.user.contains("news?");
    for question in questions.iter().filter(|question| question.role == Role::Reply).filter(of_leo) {
        let received = Received::read(&question.system, &question.user);
        received.check_coverage(&said, &checkpoints, &(24_000..=24_000));
        assert!(question.user.chars().count() < 10_000, "flat-cost");
    }
    let folds = questions.iter().filter(|question| question.role == Role::Summary);
    let folded: Vec<u64> =
        folds.flat_map(|question| Folded::read(&question.system, &question.user).batch.into_keys()).collect();
    assert!(folded.iter().copied().eq(1..=*checkpoints.last().expect("one")), "checkpoint-honest");
    assert!(checkpoints.windows(2).all(|pair| pair[1] - pair[0] <= 100));
}
