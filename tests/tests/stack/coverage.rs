//! *coverage*, *flat-cost* and *checkpoint-honest*, seen from the model server and the table.

use crate::customer::Customer;
use crate::doors::now;
use crate::records::{Records, number};
use crate::told::{check_folds, check_prompts, folded, told};
use carryover_tests::client::Answer;
use serde_json::{Value, json};

fn assert_replied(answer: &Answer) {
    assert_eq!(answer.body["status"], "replied", "{answer:?}");
}

/// A contact that has said nothing yet.
async fn contact_of(customer: &Customer, records: &Records) -> String {
    let name = json!({"name": "Ana"});
    let made = customer.client.put_fact(&customer.identity(), "profile", "main", &now(), &name).await;
    assert_eq!(made.expect("an answer").status, 201);
    records.contact(&customer.identity()).await.expect("a contact")
}

#[tokio::test]
async fn forty_turns_leave_the_prompt_flat_and_each_message_in_one_place() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let filler = "It is about the blue one with the long handle that we talked about. ".repeat(2);
    let contact = contact_of(&customer, &records).await;
    for n in 0..40_u64 {
        let k = n % 5;
        let text = format!("Order #W{} of {} May costs €{}. {filler}", 26_000 + k, 10 + k, 100 + k);
        assert_replied(&customer.say(&text).await);
        // The fold of one reply may be late; that of the next makes up for it.
        records.folded(&contact, 2 * n).await;
    }
    check_prompts(&customer, &records, &contact).await;
    check_folds(&customer, &records, &contact).await;
    let sizes: Vec<usize> =
        customer.asked("reply").await.iter().map(|seen| seen.text().chars().count()).collect();
    assert_eq!(sizes.len(), 40, "one call a turn");
    let filled = &sizes[12..];
    let (least, most) = (*filled.iter().min().expect("sizes"), *filled.iter().max().expect("sizes"));
    // A fold may be a turn or two late: so many messages more are pending.
    assert!(most * 100 <= least * 115, "the prompt is not flat: {sizes:?}");
    assert!(sizes[..12].iter().all(|size| *size <= most), "it was larger before: {sizes:?}");
    let (before, after) = filled.split_at(filled.len() / 2);
    let (before, after) = (before.iter().sum::<usize>(), after.iter().sum::<usize>());
    assert!(after * 100 <= before * 105, "the prompt grows: {sizes:?}");
}

/// A number that no summary has to keep.
fn letters(n: i64) -> String {
    n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

#[tokio::test]
async fn ten_thousand_imported_messages_catch_up_over_turns() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let contact = contact_of(&customer, &records).await;
    let said = (0..10_000).map(|n| {
        let author = if n % 2 == 0 { "customer" } else { "bot" };
        (
            author,
            customer.signed(&format!("Line {} of an older log.", letters(n))),
            1_790_000_000_000 + 60_000 * n,
        )
    });
    records.import(&contact, &said.collect::<Vec<_>>()).await;

    // Each turn's job folds a hundred messages, so a hundred turns catch up. The emulator reads a whole partition
    // for each query: here the turns in the middle, which do all the same, are left out.
    let turn = async |covers: u64| {
        assert_replied(&customer.say("And what about today?").await);
        number(&records.covered(&contact, covers).await, "folded_through")
    };
    assert_eq!(turn(100).await, 100);
    assert_eq!(turn(200).await, 200);
    records.skip_to(&contact, 9_850).await;
    assert_eq!(turn(9_950).await, 9_950);
    assert!(turn(9_990).await < 10_008, "the window is not folded");

    check_prompts(&customer, &records, &contact).await;
    let prompts = customer.asked("reply").await;
    let covered: Vec<u64> = prompts.iter().map(|seen| told(seen).must_be_covered_to()).collect();
    assert_eq!(covered, [0, 100, 9_850, 9_950]);
    let first = told(&prompts[0]);
    let (_, from, to) = first.announced.expect("most of it is announced");
    assert_eq!((from, to + 1), (1, first.oldest()));
    let folds = customer.asked("fold").await;
    let batches: Vec<u64> = folds.iter().flat_map(|seen| folded(seen).batch.into_keys()).collect();
    assert!(batches.iter().copied().eq((1..=200).chain(9_851..=9_996)), "{batches:?}");
    let largest = prompts.iter().chain(&folds).map(|seen| seen.text().chars().count()).max().expect("some");
    assert!(largest < 20_000, "{largest} characters");
}

#[tokio::test]
async fn a_message_of_ninety_thousand_characters_is_answered_and_folded() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let middle = "The corridor lamp flickers at night and nobody has looked at it. ".repeat(1_370);
    let long = format!("It began with #W100001. {middle}It ended with #W900009.");
    assert!((89_000..95_000).contains(&long.chars().count()));

    let answer = customer.say(&long).await;

    assert_replied(&answer);
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let received = told(&customer.prompt().await);
    let shown = received.shown(1);
    assert!(shown.chars().count() <= 24_000, "{}", shown.chars().count());
    assert!(
        shown.contains("#W100001") && shown.contains("#W900009") && shown.contains("characters left out")
    );
    assert_eq!(customer.thread().await.len(), 2);
    for n in 0..8 {
        assert_replied(&customer.say(&format!("Step {n}: what now?")).await);
    }
    let snapshot = records.covered(&contact, 1).await;
    let folds = customer.asked("fold").await;
    let parts: Vec<_> =
        folds.iter().filter(|seen| seen.content("user").contains("of a long message")).collect();
    assert!(parts.len() >= 8, "a long message goes in parts: {}", parts.len());
    assert!(folds.iter().all(|seen| seen.text().chars().count() < 30_000));
    let spills: String = records.spills(&contact).await.iter().map(Value::to_string).collect();
    for id in ["W100001", "W900009"] {
        assert!(snapshot.to_string().contains(id) || spills.contains(id), "{id} is lost");
    }
    check_prompts(&customer, &records, &contact).await;
    check_folds(&customer, &records, &contact).await;
}

#[tokio::test]
async fn a_thousand_turns_are_an_item_each_and_the_next_is_written() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let contact = contact_of(&customer, &records).await;
    let text = "x".repeat(435);
    let said = (0..2_000).map(|n| {
        (if n % 2 == 0 { "customer" } else { "bot" }, customer.signed(&text), 1_790_000_000_000 + 60_000 * n)
    });
    records.import(&contact, &said.collect::<Vec<_>>()).await;

    let answer = customer.say("Does this still fit?").await;

    assert_replied(&answer);
    assert_eq!(answer.seq(), 2_001);
    records.covered(&contact, 100).await;
    let sizes = records.sizes(&contact).await;
    let (largest, size) = sizes.iter().max_by_key(|(_, size)| *size).expect("items");
    assert!(*size < 16 * 1024, "{largest} has {size} bytes");
    assert_eq!(sizes.iter().filter(|(sk, _)| sk.starts_with("MSG#")).count(), 2_002);
}
