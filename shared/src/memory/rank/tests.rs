use super::*;
use crate::memory::{Exchange, Origin, Query};
use crate::thread::Seq;
use crate::time::Timestamp;
use proptest::prelude::*;

/// 2026-12-03, 10:00 UTC; an exchange a day before that for each message that comes before the hundredth.
const NOW: i64 = 1_796_292_000_000;
const DAY: i64 = 86_400_000;

fn exchange(seq: u64, said: &str, replied: &str) -> Entry {
    let at = Timestamp::from_millis(NOW - DAY * (100 - i64::try_from(seq).unwrap()));
    Entry::of(Exchange {
        origin: Origin::Reply(Seq(seq)),
        said: said.into(),
        replied: replied.into(),
        from_seq: Seq(seq),
        to_seq: Seq(seq),
        at,
    })
}

fn said(seq: u64, said: &str) -> Entry {
    exchange(seq, said, "")
}

fn query(text: &str) -> Query {
    Query { text: text.into(), at: Timestamp::from_millis(NOW), before: Seq(1_000) }
}

/// The numbers of what is found, best first.
fn found(entries: &[Entry], text: &str) -> Vec<u64> {
    let question = Question::new(&query(text), entries);
    rank(entries, &question, 6).into_iter().map(|entry| entry.exchange.to_seq.0).collect()
}

fn shown(entry: &Entry, text: &str, memory_chars: usize) -> Memory {
    show(entry, None, &Question::new(&query(text), &[]), memory_chars)
}

#[test]
fn what_resembles_the_question_is_found_and_nothing_else() {
    let kept = [
        said(1, "customer: The quote for the terrace was 480 euro."),
        said(30, "customer: Oskar, my partner, arrives on Sunday."),
        exchange(60, "customer: Is it warm?", "The heating was repaired."),
    ];
    assert_eq!(found(&kept, "what were the quotes for the terraces again?"), [1]);
    assert_eq!(found(&kept, "When does Oskar come?"), [30]);
    assert_eq!(
        found(&kept, "Did somebody repair the heating?"),
        [60],
        "what the bot said finds an entry, too"
    );
    assert!(found(&kept, "what about the other one?").is_empty(), "common words find nothing");
    assert!(found(&kept, "??? 👍").is_empty());
}

#[test]
fn an_entry_is_found_in_the_language_of_the_question() {
    let kept = [
        said(1, "customer: Wann kommen meine Bestellungen endlich an?"),
        said(30, "customer: ¿Cuándo llegan los pedidos de la devolución?"),
        said(60, "customer: 我的订单什么时候送到?"),
    ];
    assert_eq!(found(&kept, "Ist die Bestellung inzwischen bei Ihnen angekommen?"), [1]);
    assert_eq!(found(&kept, "¿Dónde está mi pedido? Es una devolucion."), [30]);
    assert_eq!(found(&kept, "订单在哪里"), [60]);
}

#[test]
fn a_value_is_found_however_it_is_written() {
    let kept =
        [said(1, "customer: It arrives on 2026-12-24."), said(30, "customer: I paid €1,200.50 for it.")];
    assert_eq!(found(&kept, "What was planned for December 24th?"), [1]);
    assert_eq!(found(&kept, "Who got the 1200.50 EUR?"), [30]);
}

#[test]
fn an_entrys_own_text_weighs_more_than_its_neighbours() {
    let kept = [
        said(1, "customer: The sofa is for the terrace."),
        said(3, "customer: The colour is dark green, for the sofa."),
        said(5, "customer: The terrace faces south."),
        said(50, "customer: The sofa of my sister, by the way."),
    ];
    let best = found(&kept, "Which sofa did I want for the terrace?");
    assert_eq!((best[0], best[3]), (1, 50), "neighbours of a match come before a lonely one: {best:?}");
}

#[test]
fn what_is_far_apart_in_the_log_are_no_neighbours() {
    let near =
        [said(1, "customer: the sofa"), said(2, "customer: a green sofa"), said(99, "customer: a blue sofa")];
    assert_eq!(found(&near, "sofa green blue?").first(), Some(&2));
}

#[test]
fn a_named_day_or_speaker_makes_an_entry_likelier() {
    let kept = [
        said(97, "customer: The invoice is here."),
        said(98, "operator: The invoice is here."),
        said(99, "customer: The invoice is there."),
    ];
    assert_eq!(found(&kept, "the invoice of November 30th")[0], 97);
    assert_eq!(found(&kept, "the invoice that I sent you yesterday")[0], 99);
    assert_eq!(found(&kept, "what did your colleague say about the invoice?")[0], 98);
}

#[test]
fn what_the_prompt_shows_anyway_is_not_found() {
    let kept = [said(1, "customer: a blue sofa"), said(40, "customer: a green sofa")];
    let question = Question::new(&Query { before: Seq(40), ..query("which sofa?") }, &kept);
    assert_eq!(rank(&kept, &question, 6).len(), 1);
}

#[test]
fn the_same_is_not_told_twice() {
    let kept = [
        said(1, "customer: Please send order W2611340 to my new address today."),
        said(30, "customer: please send order W2611340 to my new address today"),
        said(60, "customer: Please send order W2611341 to my new address today."),
    ];
    assert_eq!(found(&kept, "what about sending the order to my address?").len(), 2);
}

#[test]
fn a_memory_is_shown_around_the_match() {
    let long =
        format!("customer: {}The door code is 4471. {}", "It rains. ".repeat(80), "It snows. ".repeat(80));
    let entry = exchange(1, &long, &"We are sorry to hear that. ".repeat(20));
    let memory = shown(&entry, "which code has the door?", 300);
    assert!(memory.said.contains("The door code is 4471."), "{memory:?}");
    let lengths = |memory: &Memory| (text::chars(&memory.said), text::chars(&memory.replied));
    assert!(matches!(lengths(&memory), (190..=200, 90..=100)), "{memory:?}");
    let memory = shown(&entry, "were you sorry?", 300);
    assert!(
        matches!(lengths(&memory), (90..=100, 190..=200)) && memory.replied.contains("sorry"),
        "{memory:?}"
    );
}

#[test]
fn what_stands_in_bodies_is_found_by_its_values_and_shown_from_there() {
    let pile = Entry { values: "w2611340\n2026-12-24".into(), bodies: 1, ..said(1, "Something else.") };
    let kept = [pile];
    let question = Question::new(&query("When does order W2611340 come, on December 24th?"), &kept);
    let best = rank(&kept, &question, 6);
    assert!(question.is_answered_by_bodies_of(best[0]));
    let body = format!(
        "{}Order W2611340 comes on 2026-12-24.{}",
        "Other things. ".repeat(900),
        " More.".repeat(900)
    );
    let memory = show(best[0], Some(&body), &question, 300);
    assert!(memory.said.contains("Order W2611340 comes on 2026-12-24."), "{memory:?}");
    let none = Question::new(&query("something else?"), &kept);
    assert!(!none.is_answered_by_bodies_of(&kept[0]));
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let words = proptest::collection::vec(
        prop_oneof!["sofa", "terrace", "code", "door", "Oskar", "4471", "W2611340", "订单", "\\PC{0,8}"],
        0..8,
    );
    proptest::collection::vec((1..60_u64, words.clone(), words), 0..20).prop_map(|all| {
        let mut seen = HashSet::new();
        let distinct = all.into_iter().filter(|(seq, ..)| seen.insert(*seq));
        distinct.map(|(seq, said, replied)| exchange(seq, &said.join(" "), &replied.join(" "))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_order_of_entries_does_not_matter(entries in entries(), text in "(sofa|door|Oskar|4471|订单| ){1,6}") {
        let mut reversed = entries.clone();
        reversed.reverse();
        prop_assert_eq!(found(&entries, &text), found(&reversed, &text));
    }

    #[test]
    fn bounds_a_memory_never_exceeds_its_characters(entries in entries(), text in "\\PC{0,30}", chars in 0..60_usize) {
        let question = Question::new(&query(&text), &entries);
        let best = rank(&entries, &question, 6);
        prop_assert!(best.len() <= 6);
        for entry in best {
            let memory = show(entry, None, &question, chars);
            prop_assert!(text::chars(&memory.said) + text::chars(&memory.replied) <= chars);
        }
    }
}
