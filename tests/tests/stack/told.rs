//! What requests really said of a thread, as the model server received them, compared with the table (*coverage*).

use crate::customer::Customer;
use crate::records::{Records, number};
use carryover_tests::received::{Folded, Received};
use carryover_tests::scripted_model::Seen;
use std::collections::{BTreeMap, BTreeSet};

/// Characters that a prompt shows of one message.
const MESSAGE_CHARS: usize = 24_000;

/// A prompt of the reply model, read back.
pub(crate) fn told(seen: &Seen) -> Received {
    Received::read(seen.content("system"), seen.content("user"))
}

/// A question of a fold, read back.
pub(crate) fn folded(seen: &Seen) -> Folded {
    Folded::read(seen.content("system"), seen.content("user"))
}

/// Every prompt that the model server received about this customer has each message of the table in exactly one
/// place: verbatim, covered or announced; and the checkpoint never went back.
pub(crate) async fn check_prompts(customer: &Customer, records: &Records, contact: &str) {
    let said = records.said(contact).await;
    let folded_through = number(&records.snapshot(contact).await, "folded_through");
    let mut covered = 0;
    for seen in customer.asked("reply").await {
        let received = told(&seen);
        let checkpoints: Vec<u64> = (covered..=folded_through).collect();
        received.check_coverage(&said, &checkpoints, &(MESSAGE_CHARS..=MESSAGE_CHARS));
        covered = received.must_be_covered_to();
    }
}

/// What the checkpoint covers was given to a fold, word for word; `from` is the first that it covers.
pub(crate) async fn check_folds(customer: &Customer, records: &Records, contact: &str, from: u64) {
    let said = records.said(contact).await;
    let mut parts: BTreeMap<u64, String> = BTreeMap::new();
    let mut given = BTreeSet::new();
    for seen in customer.asked("fold").await {
        let Folded { batch, fresh } = folded(&seen);
        let in_parts = seen.content("user").contains(" of a long message that ages out now");
        for (seq, text) in batch.iter().chain(&fresh) {
            let whole = &said[seq];
            let is_part = (in_parts && batch.contains_key(seq)) || whole.chars().count() > MESSAGE_CHARS;
            assert!(is_part || text == whole, "message {seq} is not word for word: {text}");
        }
        if in_parts {
            parts.extend(
                batch
                    .clone()
                    .into_iter()
                    .map(|(seq, text)| {
                        let before = parts.get(&seq).cloned().unwrap_or_default();
                        (seq, before + &text)
                    })
                    .collect::<Vec<_>>(),
            );
        }
        given.extend(batch.into_keys());
    }
    let folded_through = number(&records.snapshot(contact).await, "folded_through");
    let missing: Vec<u64> = (from..=folded_through).filter(|seq| !given.contains(seq)).collect();
    assert!(missing.is_empty(), "covered, but given to no fold: {missing:?}");
    for (seq, all) in parts {
        let (all, whole) = (letters(&all), letters(&said[&seq]));
        assert!(all.contains(&whole), "the parts of message {seq} are not the whole of it");
    }
}

/// A text without its spaces: parts are cut at them.
fn letters(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}
