//! Promises: honest where an open request or case of the contact backs them.

use super::Grounds;
use crate::agent::Promise;
use crate::facts::Fact;
use crate::facts::read::is_closed;
use crate::rules::words::plain;
use crate::text::sentences;

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
    let phrases: Vec<(&Promise, Vec<Vec<String>>)> =
        promises.iter().map(|promise| (promise, pieces(&promise.phrase))).collect();
    let mut found = vec![];
    for sentence in sentences(text) {
        let said = plain(sentence);
        if said.ends_with('?') || OFFERS.iter().any(|offer| said.contains(offer)) {
            continue;
        }
        let words = words(&said);
        let made = phrases.iter().filter(|(_, pieces)| is_made(pieces, &words));
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

/// What is still to be done is backed by whatever is open; what is claimed to be done, by a record that names it.
fn is_backed(promise: &Promise, grounds: &Grounds<'_>) -> bool {
    let is_open = |fact: &&Fact| fact.kind == "request" && !is_closed(fact);
    match &promise.act {
        None => grounds.open_case || grounds.facts.iter().any(|fact| is_open(&fact)),
        Some(act) => {
            let act = plain(act);
            let names = |fact: &Fact| plain(&format!("{} {}", fact.kind, fact.data)).contains(&act);
            grounds
                .facts
                .iter()
                .filter(|fact| !matches!(fact.kind.as_str(), "profile" | "contact"))
                .any(names)
        }
    }
}

/// The words between the `*` of a phrase.
fn pieces(phrase: &str) -> Vec<Vec<String>> {
    let pieces = phrase.split('*').map(|piece| words(&plain(piece)).into_iter().map(str::to_owned).collect());
    pieces.filter(|piece: &Vec<String>| !piece.is_empty()).collect()
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

fn is_made(pieces: &[Vec<String>], words: &[&str]) -> bool {
    !pieces.is_empty() && (0..words.len()).any(|at| starts_at(pieces, words, at, true))
}

fn starts_at(pieces: &[Vec<String>], words: &[&str], at: usize, first: bool) -> bool {
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
    use crate::facts::AsOf;
    use crate::time::Timestamp;
    use serde_json::{Value, json};

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
        let grounds =
            Grounds { evidence: &[], moments: &[], facts, open_case, promises, newest: "", previous: None };
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
}
