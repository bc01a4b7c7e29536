//! Which of two records of an account system stands.

use super::{AsOf, Fact};
use serde_json::{Number, Value};

/// What becomes of a record that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutRule {
    /// Nothing is there: it is stored.
    Create,
    /// It is newer than what is there, and replaces it.
    Replace,
    /// It is there already; nothing is written.
    Same,
    /// Something newer is there, or was deleted at that time or later: a conflict.
    Older,
    /// Something else is there that claims the same time: a conflict.
    Contradicts,
}

/// What becomes of a deletion that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteRule {
    /// The fact goes and a tombstone stays.
    Delete,
    /// Nothing is there; a tombstone keeps late records out all the same.
    Absent,
    /// It was deleted at that time or later; nothing is written.
    AlreadyGone,
    /// Something newer is there: a conflict.
    Older,
}

/// The rule for storing `new` where `old` is stored and a deletion left the tombstone `gone`.
pub fn put(old: Option<&Fact>, gone: Option<&AsOf>, new: &Fact) -> PutRule {
    if gone.is_some_and(|gone| *gone >= new.as_of) {
        return PutRule::Older;
    }
    match old {
        None => PutRule::Create,
        Some(old) if old.as_of > new.as_of => PutRule::Older,
        Some(old) if old.as_of < new.as_of => PutRule::Replace,
        Some(old) if same_data(&old.data, &new.data) => PutRule::Same,
        Some(_) => PutRule::Contradicts,
    }
}

/// The rule for deleting at `as_of` where `old` is stored and an earlier deletion left the tombstone `gone`.
///
/// At the same time a deletion wins over a record, whichever arrives first.
pub fn delete(old: Option<&Fact>, gone: Option<&AsOf>, as_of: &AsOf) -> DeleteRule {
    match old {
        Some(old) if old.as_of > *as_of => DeleteRule::Older,
        Some(_) => DeleteRule::Delete,
        None if gone.is_some_and(|gone| gone >= as_of) => DeleteRule::AlreadyGone,
        None => DeleteRule::Absent,
    }
}

/// Whether two records say the same: the order of fields does not matter, nor whether a number is written `2`
/// or `2.0`.
pub fn same_data(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_data(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same_data(a, b)))
        }
        _ => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    if a.is_f64() || b.is_f64() { a.as_f64() == b.as_f64() } else { a == b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use proptest::prelude::*;
    use serde_json::json;

    fn at(hour: i64) -> AsOf {
        AsOf::from(Timestamp::from_millis(hour * 3_600_000))
    }

    fn order(hour: i64, status: &str) -> Fact {
        Fact {
            kind: "order".into(),
            id: "#W1".into(),
            as_of: at(hour),
            source: "shop".into(),
            data: json!({ "status": status }),
        }
    }

    #[test]
    fn the_newest_record_stands() {
        let stored = order(5, "pending");
        for (case, old, gone, new, rule) in [
            ("the first one is created", None, None, order(5, "pending"), PutRule::Create),
            ("a newer one replaces", Some(&stored), None, order(6, "shipped"), PutRule::Replace),
            ("a newer one renews", Some(&stored), None, order(6, "pending"), PutRule::Replace),
            ("the same one again is the same", Some(&stored), None, order(5, "pending"), PutRule::Same),
            (
                "another of the same time contradicts",
                Some(&stored),
                None,
                order(5, "lost"),
                PutRule::Contradicts,
            ),
            ("an older one is late", Some(&stored), None, order(4, "pending"), PutRule::Older),
            ("what was deleted later stays away", None, Some(6), order(5, "pending"), PutRule::Older),
            ("what was deleted then stays away", None, Some(5), order(5, "pending"), PutRule::Older),
            (
                "what is newer than its deletion comes back",
                None,
                Some(4),
                order(5, "pending"),
                PutRule::Create,
            ),
            ("an old tombstone does not hinder", Some(&stored), Some(4), order(6, "lost"), PutRule::Replace),
        ] {
            assert_eq!(put(old, gone.map(at).as_ref(), &new), rule, "{case}");
        }
    }

    #[test]
    fn a_deletion_takes_what_is_not_newer() {
        let stored = order(5, "pending");
        for (case, old, gone, hour, rule) in [
            ("what is there goes", Some(&stored), None, 6, DeleteRule::Delete),
            ("at the same time the deletion wins", Some(&stored), None, 5, DeleteRule::Delete),
            ("what is newer stays", Some(&stored), None, 4, DeleteRule::Older),
            ("what was never there leaves a tombstone", None, None, 5, DeleteRule::Absent),
            ("a later deletion moves the tombstone", None, Some(4), 5, DeleteRule::Absent),
            ("the same deletion again is done", None, Some(5), 5, DeleteRule::AlreadyGone),
            ("an earlier deletion is done", None, Some(6), 5, DeleteRule::AlreadyGone),
        ] {
            assert_eq!(delete(old, gone.map(at).as_ref(), &at(hour)), rule, "{case}");
        }
    }

    #[test]
    fn data_is_compared_by_what_it_says() {
        for (a, b) in [
            (json!({ "a": 1, "b": [2, 3] }), json!({ "b": [2.0, 3], "a": 1.0 })),
            (json!({ "a": { "b": null } }), json!({ "a": { "b": null } })),
        ] {
            assert!(same_data(&a, &b), "{a} {b}");
        }
        for (a, b) in [
            (json!({ "a": [1, 2] }), json!({ "a": [2, 1] })),
            (json!({ "a": "1" }), json!({ "a": 1 })),
            (json!({ "a": null }), json!({})),
            (json!({ "a": u64::MAX }), json!({ "a": u64::MAX - 1 })),
        ] {
            assert!(!same_data(&a, &b), "{a} {b}");
        }
    }

    /// What is stored after the events arrived in the order given: the fact's hour, the tombstone's hour.
    fn settle(events: &[(bool, i64)]) -> (Option<i64>, Option<i64>) {
        let (mut fact, mut gone) = (None, None);
        for &(is_put, hour) in events {
            let old = fact.map(|hour| order(hour, "pending"));
            let tombstone = gone.map(at);
            if is_put {
                let rule = put(old.as_ref(), tombstone.as_ref(), &order(hour, "pending"));
                if matches!(rule, PutRule::Create | PutRule::Replace) {
                    fact = Some(hour);
                }
            } else if matches!(
                delete(old.as_ref(), tombstone.as_ref(), &at(hour)),
                DeleteRule::Delete | DeleteRule::Absent
            ) {
                (fact, gone) = (None, Some(hour));
            }
        }
        (fact, gone)
    }

    proptest! {
        #[test]
        fn what_stands_does_not_depend_on_the_order_of_arrival(
            events in prop::collection::vec((any::<bool>(), 0i64..6), 0..8),
            shuffled in any::<prop::sample::Index>(),
        ) {
            let mut turned = events.clone();
            turned.rotate_left(if events.is_empty() { 0 } else { shuffled.index(events.len()) });
            prop_assert_eq!(settle(&events).0, settle(&turned).0);
        }
    }
}
