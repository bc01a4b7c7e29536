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

/// What the checkpoint covers was given to folds, word for word and whole.
pub(crate) async fn check_folds(customer: &Customer, records: &Records, contact: &str) {
    let said = records.said(contact).await;
    let mut given = BTreeSet::new();
    let mut parts: BTreeMap<u64, BTreeMap<usize, String>> = BTreeMap::new();
    for Folded { batch, fresh, part } in customer.asked("fold").await.iter().map(folded) {
        for (seq, text) in batch {
            match part {
                Some((n, of)) => {
                    let known = parts.entry(seq).or_default();
                    known.insert(n, text);
                    given.extend((known.len() == of).then_some(seq));
                }
                None => {
                    assert_eq!(text, said[&seq], "message {seq} is not word for word");
                    given.insert(seq);
                }
            }
        }
        for (seq, text) in fresh.iter().filter(|(seq, _)| said[seq].chars().count() < MESSAGE_CHARS) {
            assert_eq!(*text, said[seq], "message {seq} is not word for word");
        }
    }
    for (seq, parts) in parts {
        let all: Vec<&str> = parts.values().flat_map(|part| part.split_whitespace()).collect();
        assert_eq!(
            all.concat(),
            said[&seq].split_whitespace().collect::<String>(),
            "the parts of message {seq}"
        );
    }
    let folded_through = number(&records.snapshot(contact).await, "folded_through");
    let missing: Vec<u64> = (1..=folded_through).filter(|seq| !given.contains(seq)).collect();
    assert!(missing.is_empty(), "covered, but given to no fold: {missing:?}");
}
