//! Similar past cases on real tickets.

use carryover_shared::limits::Limits;
use carryover_shared::similar::{Index, Packed, Showing};
use carryover_shared::values::{Kind, values};
use carryover_tests::tickets::{Labelled, halves, labelled, of_index, of_plain, past_cases};

#[test]
fn past_cases_agree_with_a_question_more_often_than_those_of_a_plain_tf_idf() {
    let Some(tickets) = labelled() else { return };
    let (indexed, asked) = halves(&tickets);
    let (ours, plain) = (of_index(&indexed, &asked), of_plain(&indexed, &asked));
    assert!(ours.first >= plain.first + 1.0, "{ours:?} {plain:?}");
    assert!(ours.of_three >= plain.of_three, "{ours:?} {plain:?}");
}

#[test]
fn isolation_no_value_or_name_of_a_ticket_is_in_the_index() {
    let Some(tickets) = labelled() else { return };
    let cases = past_cases(&tickets);
    let mut checked = 0;
    for (ticket, case) in tickets.iter().zip(&cases) {
        for text in [case.problem(), case.solution()] {
            let text = outside_placeholders(text);
            let left: Vec<_> = values(&text).into_iter().filter(|value| value.kind != Kind::Name).collect();
            assert!(left.is_empty(), "{left:?} in {text}");
            let Some(value) = personal_value(ticket) else { continue };
            assert!(!text.contains(value), "{value} in {text}");
            checked += 1;
        }
    }
    assert!(checked > 800, "{checked}");
}

fn outside_placeholders(text: &str) -> String {
    let outside = text.split("{{").map(|part| part.split_once("}}").map_or(part, |(_, after)| after));
    outside.collect::<Vec<_>>().join("…")
}

/// An order's or an invoice's number, an amount, the last name of a person.
fn personal_value(ticket: &Labelled) -> Option<&str> {
    let entity = ticket.entity.as_ref()?;
    let is_personal =
        ["order_id", "invoice_id", "refund_amount", "person_name"].contains(&entity.kind.as_str());
    let value = entity.value.trim_start_matches(['#', '$']).rsplit(' ').next()?;
    (is_personal && value.len() > 2).then_some(value)
}

#[test]
fn the_floor_keeps_questions_of_the_shop_and_stops_small_talk_and_other_trades() {
    let Some(tickets) = labelled() else { return };
    let (indexed, asked) = halves(&tickets);
    let index = Index::read(&Packed::of(past_cases(&indexed)).bytes).expect("an index");
    let showing = Showing::of(&Limits::default());
    let found = |question: &str| !index.find(question, &showing).expect("cases").is_empty();
    let kept = asked.iter().step_by(5).filter(|ticket| found(&ticket.body)).count();
    assert!(kept * 100 >= asked.len().div_ceil(5) * 90, "{kept} of {}", asked.len().div_ceil(5));
    for question in [
        "Hi",
        "Hello, how are you?",
        "Thanks a lot!",
        "yes please",
        "Tell me a joke",
        "What is the weather like in Porto today?",
        "Who won the match yesterday?",
        "The coffee machine does not heat",
        "My heating is broken in flat 4A",
        "Can I bring my dog to the apartment?",
        "Is there parking near the house?",
        "I would like a mocha to go.",
        "Can you find me a bus to San Diego?",
        "I'd like to book a flight from Chicago to Philadelphia on May 26.",
    ] {
        assert!(!found(question), "{question}");
    }
}
