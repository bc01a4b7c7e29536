//! Promises: honest where an open request or case of the contact backs them.

use super::Grounds;
use crate::agent::Promise;
use crate::facts::read::{bare_name, is_closed, is_closed_by_customer, is_empty, status};
use crate::facts::wrote::record;
use crate::facts::{Fact, OURS, PREFERENCE, is_the_customers_alone};
use crate::rules::words::{contains as contains_words, plain};
use crate::text::sentences;
use serde_json::Value;

/// Words that a `*` in a phrase stands for, at most.
const BETWEEN: usize = 3;

/// Between the words of a promise they deny it.
const DENIALS: [&str; 12] =
    ["not", "never", "no", "cannot", "nicht", "nie", "kein", "keine", "nunca", "pas", "jamais", "ne"];

/// A sentence with one of these offers what the customer may still decline.
const OFFERS: [&str; 13] = [
    "if you like",
    "if you want",
    "if you wish",
    "if you prefer",
    "would you like",
    "do you want",
    "si quiere",
    "si lo desea",
    "si prefiere",
    "wenn sie mochten",
    "wenn sie wollen",
    "si vous voulez",
    "si vous souhaitez",
];

/// A promise in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promised<'a> {
    /// Which of the agent's.
    pub promise: &'a Promise,
    /// The sentence that makes it.
    pub sentence: &'a str,
}

/// The promises that a text makes, in the order of its sentences.
///
/// A phrase counts on word boundaries, in any case, with or without accents and with `'ll` for `will`; a `*` in it
/// stands for up to three words that do not deny it. Questions and offers promise nothing.
pub fn promised<'a>(promises: &'a [Promise], text: &'a str) -> Vec<Promised<'a>> {
    let phrases: Vec<(&Promise, String)> =
        promises.iter().map(|promise| (promise, plain(&promise.phrase))).collect();
    let mut found = vec![];
    for sentence in sentences(text) {
        let said = plain(sentence);
        if said.ends_with('?') || OFFERS.iter().any(|offer| said.contains(offer)) {
            continue;
        }
        let words = words(&said);
        let made = phrases
            .iter()
            .filter(|(_, phrase)| may_be_made(phrase, &said) && is_made(&pieces(phrase), &words));
        found.extend(made.map(|(promise, _)| Promised { promise, sentence }));
    }
    found
}

/// What stands behind the promises of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Backing {
    /// It makes none.
    None,
    /// A record stands behind each.
    Backed,
    /// A new request would make this one honest, and the agent allows it.
    Opens(String),
    /// Nothing does.
    False(String),
}

pub(super) fn backing(reply: &str, grounds: &Grounds<'_>) -> Backing {
    let mut backing = Backing::None;
    for Promised { promise, sentence } in promised(grounds.promises, reply) {
        match () {
            () if is_backed(promise, grounds) => {
                if backing == Backing::None {
                    backing = Backing::Backed;
                }
            }
            () if promise.opens_request => backing = Backing::Opens(sentence.to_owned()),
            () => return Backing::False(sentence.to_owned()),
        }
    }
    backing
}

/// What is still to be done is backed by whatever staff or the bot have open; what is claimed to be done, by a record
/// that says so. The bot's own requests say only that it promised, and what the customer opened or closed, nothing.
fn is_backed(promise: &Promise, grounds: &Grounds<'_>) -> bool {
    let is_open = |fact: &Fact| fact.kind == "request" && !is_closed(fact) && !is_the_customers_alone(fact);
    match &promise.act {
        None => grounds.open_case || grounds.facts.iter().any(is_open),
        Some(act) => {
            let act = plain(act);
            let others = grounds.facts.iter().filter(|fact| {
                fact.source != OURS
                    && !is_closed_by_customer(fact)
                    && !matches!(fact.kind.as_str(), "profile" | "contact" | "qualification" | PREFERENCE)
            });
            others.into_iter().any(|fact| says_done(fact, &act))
        }
    }
}

/// A record that stands so has not been acted on.
const UNDONE: [&str; 16] = [
    "open",
    "new",
    "pending",
    "waiting",
    "requested",
    "processing",
    "in progress",
    "denied",
    "declined",
    "rejected",
    "refused",
    "failed",
    "not",
    "no",
    "under review",
    "on hold",
];

/// Whether a record says that the act is done: by its status, by a field that is named after it, or in any words where
/// the record is closed. A policy or a plan says nothing, nor does what the customer wrote.
fn says_done(fact: &Fact, act: &str) -> bool {
    let undone = status(fact).is_some_and(|status| {
        let status = plain(&status);
        UNDONE.iter().any(|word| contains_words(&status, word))
    });
    let data = record(&fact.data);
    let by_status = status(fact).is_some_and(|status| names(&plain(&status), act));
    let in_words = || is_closed(fact) && (names(&plain(&fact.kind), act) || says(&data, act));
    !undone && (by_status || has_field(&data, act) || in_words())
}

/// A field that begins so says when a record was written and by whom, of whatever act.
const WRITTEN: [&str; 5] = ["closed", "created", "modified", "opened", "updated"];

fn has_field(value: &Value, act: &str) -> bool {
    let is_of_act = |field: &str| is_past(field, act) && !is_of_writing(field);
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(field, value)| (is_of_act(field) && is_something(value)) || has_field(value, act)),
        Value::Array(values) => values.iter().any(|value| has_field(value, act)),
        _ => false,
    }
}

fn is_of_writing(field: &str) -> bool {
    let name = bare_name(field);
    WRITTEN.iter().any(|written| name.starts_with(written))
}

fn says(value: &Value, act: &str) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(|value| says(value, act)),
        Value::Array(values) => values.iter().any(|value| says(value, act)),
        Value::String(text) => names(&plain(text), act),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a word of the text begins as the act does.
fn names(text: &str, act: &str) -> bool {
    text.match_indices(act)
        .any(|(at, _)| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric)))
}

/// `refunded`, `cancelled_at`, `refundedAmount`; not `refundable`, `refund_policy`.
fn is_past(field: &str, act: &str) -> bool {
    let end = field
        .char_indices()
        .find(|(at, mark)| *at > 0 && !mark.is_lowercase())
        .map_or(field.len(), |(at, _)| at);
    let first = plain(field.get(..end).unwrap_or(field));
    first.starts_with(act) && first.ends_with("ed")
}

fn is_something(value: &Value) -> bool {
    let is_nothing = match value {
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        other => is_empty(other),
    };
    !is_nothing
}

/// A cheap first look at a sentence, both in [`plain`] form: the longest word of the phrase stands in it. A word that
/// has a short form may stand there in that.
fn may_be_made(phrase: &str, said: &str) -> bool {
    let words = phrase.split(|mark: char| !mark.is_alphanumeric());
    let longest =
        words.filter(|word| !matches!(*word, "will" | "have" | "ll" | "ve")).max_by_key(|word| word.len());
    longest.is_none_or(|word| said.contains(word))
}

/// The words between the `*` of a phrase in [`plain`] form.
fn pieces(phrase: &str) -> Vec<Vec<&str>> {
    phrase.split('*').map(words).filter(|piece| !piece.is_empty()).collect()
}

/// The words of a text in [`plain`] form, `'ll` and `'ve` in full.
fn words(text: &str) -> Vec<&str> {
    text.split(|mark: char| !mark.is_alphanumeric() && mark != '\'')
        .flat_map(|word| match word.split_once('\'') {
            Some((word, "ll")) => [word, "will"],
            Some((word, "ve")) => [word, "have"],
            _ => [word, ""],
        })
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_made(pieces: &[Vec<&str>], words: &[&str]) -> bool {
    !pieces.is_empty() && (0..words.len()).any(|at| starts_at(pieces, words, at, true))
}

fn starts_at(pieces: &[Vec<&str>], words: &[&str], at: usize, first: bool) -> bool {
    let Some((piece, rest)) = pieces.split_first() else { return true };
    let between = if first { 0 } else { BETWEEN };
    (0..=between).any(|skipped| {
        let (from, to) = (at + skipped, at + skipped + piece.len());
        let Some(gap) = words.get(at..from) else { return false };
        let here = words.get(from..to).is_some_and(|words| words.iter().zip(piece).all(|(a, b)| a == b));
        here && !gap.iter().any(|word| DENIALS.contains(word)) && starts_at(rest, words, to, false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentVersion;
    use crate::facts::{AsOf, PORTAL};
    use crate::time::Timestamp;
    use serde_json::json;

    fn promise(phrase: &str, opens_request: bool, act: Option<&str>) -> Promise {
        Promise {
            phrase: phrase.into(),
            opens_request,
            act: act.map(str::to_owned),
            matches: vec![],
            not: vec![],
        }
    }

    fn fact(kind: &str, data: Value) -> Fact {
        let as_of = AsOf::from(Timestamp::from_millis(1_796_032_800_000));
        Fact { kind: kind.into(), id: "R-1".into(), as_of, source: "desk".into(), data }
    }

    fn backs(promise: &Promise, reply: &str, facts: &[Fact], open_case: bool) -> Backing {
        let promises = std::slice::from_ref(promise);
        let grounds = Grounds { facts, open_case, promises, ..Grounds::default() };
        backing(reply, &grounds)
    }

    #[test]
    fn the_examples_of_the_built_in_promises_hold() {
        let agent = AgentVersion::built_in();
        for promise in &agent.promises {
            let promises = std::slice::from_ref(promise);
            for example in &promise.matches {
                assert!(!promised(promises, example).is_empty(), "{:?} in {example:?}", promise.phrase);
            }
            for example in &promise.not {
                assert!(promised(promises, example).is_empty(), "{:?} not in {example:?}", promise.phrase);
            }
        }
    }

    #[test]
    fn a_gap_takes_up_to_three_words_and_no_denial() {
        let promises = [promise("I have * refunded", false, None)];
        for made in ["I've refunded it.", "I have just now fully refunded the order.", "ok, I HAVE refunded"]
        {
            assert_eq!(promised(&promises, made).len(), 1, "{made}");
        }
        for not in [
            "I have not refunded it.",
            "I have one two three four refunded.",
            "Should I say that I have refunded it?",
            "I have a ticket. Refunded orders come later.",
        ] {
            assert_eq!(promised(&promises, not), [], "{not}");
        }
    }

    #[test]
    fn a_promise_needs_something_open_behind_it() {
        let follow_up = promise("I will follow up", true, None);
        let reply = "Thanks. I'll follow up by e-mail.";
        let open = [fact("request", json!({"status": "open"}))];
        let closed = [fact("request", json!({"status": "resolved"}))];
        assert_eq!(backs(&follow_up, reply, &open, false), Backing::Backed);
        assert_eq!(backs(&follow_up, reply, &[], true), Backing::Backed);
        assert_eq!(
            backs(&follow_up, reply, &closed, false),
            Backing::Opens("I'll follow up by e-mail.".into())
        );
        assert_eq!(backs(&follow_up, "I'll follow up if you like.", &[], false), Backing::None);
        let strict = Promise { opens_request: false, ..follow_up };
        assert_eq!(backs(&strict, reply, &[], false), Backing::False("I'll follow up by e-mail.".into()));
    }

    #[test]
    fn what_is_claimed_to_be_done_needs_a_record_that_names_it() {
        let refunded = promise("I have * refunded", false, Some("refund"));
        let reply = "I have refunded the 20 euro.";
        let about_it = [fact("payment", json!({"status": "refunded", "amount": "20 EUR"}))];
        let other = [fact("request", json!({"status": "open", "subject": "late delivery"}))];
        assert_eq!(backs(&refunded, reply, &about_it, false), Backing::Backed);
        assert!(matches!(backs(&refunded, reply, &other, true), Backing::False(_)));
    }
    #[test]
    fn only_a_record_that_says_it_is_done_backs_what_is_claimed_to_be_done() {
        let refunded = promise("I have * refunded", false, Some("refund"));
        let reply = "I have refunded the 20 euro.";
        for (kind, data, backed) in [
            ("order", json!({"status": "refunded"}), true),
            ("refund", json!({"status": "completed"}), true),
            ("refund", json!({"status": "pending"}), false),
            ("order", json!({"status": "delivered", "refunded_at": "2026-11-02"}), true),
            ("order", json!({"status": "delivered", "refundedAmount": 20}), true),
            ("order", json!({"status": "delivered", "refunded": false}), false),
            ("order", json!({"status": "delivered", "refunded_at": null}), false),
            ("order", json!({"status": "delivered", "refundable": true}), false),
            ("order", json!({"status": "delivered", "refund_policy": "within 14 days"}), false),
            ("request", json!({"status": "open", "subject": "wants a refund"}), false),
            ("request", json!({"status": "resolved", "subject": "refund of 20 EUR"}), true),
            ("order", json!({"status": "confirmed", "terms": "Free refunds until 1 December"}), false),
            ("order", json!({"status": "confirmed", "fare": "non-refundable"}), false),
            ("profile", json!({"note": "was refunded"}), false),
        ] {
            let is = backs(&refunded, reply, &[fact(kind, data.clone())], false);
            assert_eq!(is == Backing::Backed, backed, "{kind} {data}");
        }
        let mut own = fact("request", json!({"status": "resolved", "promise": "I have refunded it."}));
        own.source = OURS.into();
        assert!(matches!(backs(&refunded, reply, &[own], false), Backing::False(_)));
    }

    #[test]
    fn truth_ranks_what_the_customer_opened_or_closed_backs_nothing() {
        let refunded = promise("I have * refunded", false, Some("refund"));
        let closed = json!({"status": "closed", "title": "Refund for W1", "closed_by": "customer"});
        let facts = [fact("request", closed)];
        assert!(matches!(backs(&refunded, "I have refunded it.", &facts, false), Backing::False(_)));

        let forwarded = promise("I have * forwarded", false, None);
        let reply = "I've forwarded your invoice question.";
        let mut tap = fact("request", json!({"status": "open", "customer_wrote": "The tap drips."}));
        tap.source = PORTAL.into();
        assert!(matches!(backs(&forwarded, reply, &[tap.clone()], false), Backing::False(_)));
        tap.data["updated_by"] = json!("leo@example.com");
        assert_eq!(backs(&forwarded, reply, &[tap], false), Backing::Backed, "staff work on it");
    }

    #[test]
    fn truth_ranks_who_wrote_a_record_and_when_is_no_act() {
        for (act, phrase, field) in [
            ("close", "I have * closed", "closed_at"),
            ("update", "I have * updated", "updated_by"),
            ("update", "I have * updated", "updatedAt"),
            ("open", "I have * opened", "opened_at"),
            ("create", "I have * created", "created_at"),
        ] {
            let reply = format!("{} it.", phrase.replace(" *", ""));
            let facts = [fact("order", json!({"status": "shipped", field: "2026-11-02"}))];
            let is = backs(&promise(phrase, false, Some(act)), &reply, &facts, false);
            assert!(matches!(is, Backing::False(_)), "{field}");
        }
    }
}
