use super::*;
use crate::thread::Seq;
use crate::time::Timestamp;
use crate::values::Source;
use proptest::prelude::*;

fn exchange(seq: u64, said: &str, replied: &str) -> Exchange {
    let (origin, seq) = (Origin::Reply(Seq(2 * seq)), Seq(2 * seq));
    let at = Timestamp::from_millis(i64::try_from(seq.0).unwrap() * 60_000);
    Exchange { origin, said: said.into(), replied: replied.into(), from_seq: seq.prev(), to_seq: seq, at }
}

fn limits(bank_items: usize) -> Limits {
    Limits { bank_items, ..Limits::default() }
}

/// The bank after a retention.
fn after(bank: &[Entry], new: &Exchange, limits: &Limits) -> Vec<Entry> {
    applied(bank, &retain(bank, new, &[], limits))
}

fn applied(bank: &[Entry], change: &Change) -> Vec<Entry> {
    let changed = |entry: &&Entry| !change.put.iter().any(|put| put.exchange.origin == entry.exchange.origin);
    let stays = |entry: &&Entry| !change.remove.contains(&entry.exchange.origin);
    bank.iter().filter(changed).filter(stays).chain(&change.put).cloned().collect()
}

fn retained(exchanges: &[Exchange], limits: &Limits) -> Vec<Entry> {
    exchanges.iter().fold(vec![], |bank, new| after(&bank, new, limits))
}

fn said(bank: &[Entry]) -> String {
    bank.iter().map(|entry| entry.exchange.said.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_retained_twice_is_one_entry() {
    let bank = retained(&[exchange(1, "customer: Where is order W2611340?", "It was shipped.")], &limits(9));
    let again = exchange(1, "customer: Where is order W2611340?", "It was shipped.");
    assert!(retain(&bank, &again, &[], &limits(9)).is_empty());
    let mended = exchange(1, "customer: Where is order W2611341?", "It was shipped.");
    let bank = after(&bank, &mended, &limits(9));
    assert_eq!((bank.len(), said(&bank).contains("W2611341")), (1, true));
}

#[test]
fn near_duplicates_become_one_entry_with_the_values_of_both() {
    let first = "customer: Hello, I would like to know when my order W2611340 will finally arrive.";
    let second = "customer: Hello, I would like to know when my order W2611341 will finally arrive.";
    let bank = retained(
        &[exchange(1, first, "It is on its way."), exchange(5, second, "It is on its way.")],
        &limits(9),
    );
    let [both] = &bank[..] else { panic!("{bank:#?}") };
    assert_eq!(both.exchange.origin, Origin::Reply(Seq(2)), "a stable key");
    assert_eq!((both.exchange.from_seq, both.exchange.to_seq), (Seq(1), Seq(10)));
    assert!(both.exchange.said.contains("W2611340") && both.exchange.said.contains("W2611341"));
    assert_eq!(both.holds, [Origin::Reply(Seq(10))]);
    assert!(retain(&bank, &exchange(5, second, "It is on its way."), &[], &limits(9)).is_empty());
}

#[test]
fn feedback_that_changed_stands_as_it_was_given_last_wherever_it_was_merged_into() {
    let reply = exchange(6, "customer: What is my code?", "Your code is 4471.");
    let rated = |minute: i64, thought: &str| Exchange {
        origin: Origin::Feedback(Seq(12)),
        said: format!("customer: {thought}"),
        replied: "Your code is 4471.".into(),
        from_seq: Seq(12),
        to_seq: Seq(12),
        at: Timestamp::from_millis(minute * 60_000),
    };
    let limits = limits(1);
    let bank = retained(&[reply, rated(20, "thumbs up")], &limits);
    let [one] = &bank[..] else { panic!("a full bank merges: {bank:#?}") };
    assert_eq!(one.exchange.said, "customer: What is my code?\ncustomer: thumbs up");
    let down = rated(21, "thumbs down; that is 4A's");
    let bank = after(&bank, &down, &limits);
    assert_eq!(said(&bank), "customer: What is my code?\ncustomer: thumbs down; that is 4A's");
    assert!(retain(&bank, &down, &[], &limits).is_empty(), "a repeated job changes nothing");
    let bank = after(&bank, &rated(22, "thumbs up"), &limits);
    assert!(said(&bank).ends_with("customer: thumbs up"), "{bank:#?}");
}

#[test]
fn different_exchanges_stay_apart() {
    let bank = retained(
        &[
            exchange(1, "customer: Where is order W2611340?", "It was shipped."),
            exchange(2, "customer: Where is order W2611341?", "It was shipped."),
            exchange(
                3,
                "customer: Where is order W2611340?",
                "A colleague looks into the damage that you reported.",
            ),
        ],
        &limits(9),
    );
    assert_eq!(bank.len(), 3);
}

#[test]
fn a_full_bank_merges_its_oldest_least_recalled_entries() {
    let of = |n: u64| exchange(n, &format!("customer: My item number {n} is AB-{}.", 10_000 + n), "Noted.");
    let mut bank = retained(&[of(1), of(2), of(3), of(4), of(5), of(6)], &limits(6));
    bank.iter_mut().find(|entry| entry.exchange.origin == Origin::Reply(Seq(2))).unwrap().recalls = 2;
    let change = retain(&bank, &of(7), &[], &limits(6));
    let bank = applied(&bank, &change);
    assert_eq!(
        change.remove,
        [Origin::Reply(Seq(6))],
        "the third went into the second, the recalled first stays"
    );
    let second = bank.iter().find(|entry| entry.exchange.origin == Origin::Reply(Seq(4))).unwrap();
    assert!(second.exchange.said.contains("AB-10002") && second.exchange.said.contains("AB-10003"));
    assert_eq!(bank.len(), 6);
}

#[test]
fn a_reply_counts_what_it_was_made_with_once() {
    let bank = retained(&[exchange(1, "customer: The door code is 4471.", "Thanks.")], &limits(9));
    let next = exchange(2, "customer: Which code was it?", "4471.");
    let counted = applied(&bank, &retain(&bank, &next, &[Origin::Reply(Seq(2))], &limits(9)));
    assert_eq!(counted.iter().map(|entry| entry.recalls).max(), Some(1));
    assert!(
        retain(&counted, &next, &[Origin::Reply(Seq(2))], &limits(9)).is_empty(),
        "a repeated job counts nothing"
    );
}

#[test]
fn what_the_bot_said_stays_apart_when_entries_are_merged() {
    let of = |n: u64| {
        exchange(n, &format!("customer: I paid {n}00 EUR."), &format!("The refund of {n}50 EUR is due."))
    };
    let bank = retained(&(1..=9).map(of).collect::<Vec<_>>(), &limits(3));
    assert_eq!(bank.len(), 3);
    for n in 1..=9 {
        let of = |value: &str, text: &str| text.contains(value);
        assert!(bank.iter().any(|entry| of(&format!("{n}00 EUR"), &entry.exchange.said)));
        assert!(!bank.iter().any(|entry| of(&format!("{n}50 EUR"), &entry.exchange.said)));
        assert!(bank.iter().any(|entry| of(&format!("{n}50 EUR"), &entry.exchange.replied)));
    }
}

#[test]
fn a_long_exchange_keeps_its_values_and_not_its_length() {
    let long = format!(
        "customer: {}My card ends in 4471. {}",
        "Well, you know. ".repeat(200),
        "And so on. ".repeat(200)
    );
    let bank = retained(&[exchange(1, &long, "")], &limits(9));
    assert!(said(&bank).contains("4471") && said(&bank).chars().count() <= 1_400);
}

/// Something that a customer or the bot could say.
fn saying() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        (1_000_000..9_999_999_u32).prop_map(|n| format!("order W{n}")),
        (1..999_u32).prop_map(|n| format!("{n}.50 EUR")),
        (1..28_u32, 1..12_u32).prop_map(|(day, month)| format!("2027-{month:02}-{day:02}")),
        prop_oneof!["Oskar", "Marta", "Lena", "Bruno"],
        (100..999_u32).prop_map(|n| format!("+1 555 0{n}")),
        Just("nothing at all".to_owned()),
    ];
    let filler = prop_oneof!["please", "as I said before", "which is rather annoying to be honest"];
    proptest::collection::vec((value, filler), 0..6).prop_map(|parts| {
        let sentences = parts.into_iter().map(|(value, filler)| format!("This is about {value}, {filler}."));
        sentences.collect::<Vec<_>>().join(" ")
    })
}

fn exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    proptest::collection::vec((saying(), saying()), 1..14).prop_map(|said| {
        let of = |(n, (said, replied)): (u64, (String, String))| {
            exchange(n, &format!("customer: {said}"), &replied)
        };
        (1..).zip(said).map(of).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn facts_survive_every_value_is_kept_by_any_merge(exchanges in exchanges(), items in 1..8_usize) {
        let bank = retained(&exchanges, &limits(items));
        prop_assert!(bank.len() <= items.max(2), "{} entries", bank.len());
        let all_said = Source::new(bank.iter().map(|entry| entry.exchange.said.as_str()));
        let all_replied = Source::new(bank.iter().map(|entry| entry.exchange.replied.as_str()));
        for exchange in &exchanges {
            prop_assert_eq!(all_said.lost(&exchange.said), vec![]);
            prop_assert_eq!(all_replied.lost(&exchange.replied), vec![]);
        }
    }

    #[test]
    fn retaining_again_changes_nothing(exchanges in exchanges(), items in 2..8_usize, again in 0..30_usize) {
        let bank = retained(&exchanges, &limits(items));
        let again = &exchanges[again % exchanges.len()];
        prop_assert_eq!(retain(&bank, again, &[], &limits(items)), Change::default());
    }
}
