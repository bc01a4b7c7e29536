use super::*;
use crate::agent::AgentVersion;
use crate::facts::{AsOf, Fact};
use crate::time::Timestamp;
use serde_json::{Value, json};

/// 2026-11-30T10:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

fn fact(kind: &str, id: &str, day: u32, data: Value) -> Fact {
    let as_of = AsOf::parse(&format!("2026-11-{day:02}T09:00:00Z"), NOW).expect("a time");
    Fact { kind: kind.into(), id: id.into(), as_of, source: "shop".into(), data }
}

fn one_order() -> Vec<Fact> {
    vec![fact(
        "order",
        "#W2611340",
        28,
        json!({ "status": "processed", "items": [{ "name": "Desk Lamp" }, { "name": "Kettle" }],
            "fulfillments": [{ "tracking_id": ["3579"] }] }),
    )]
}

fn account() -> Vec<Fact> {
    vec![
        fact("order", "#W1001", 20, json!({ "status": "delivered" })),
        fact("order", "#W1002", 28, json!({ "status": "shipped", "estimated_delivery": "2026-12-02" })),
        fact("request", "R-17", 27, json!({ "title": "Heating is cold", "status": "open" })),
        fact("request", "R-12", 20, json!({ "title": "Noisy tap", "status": "resolved" })),
        fact(
            "appointment",
            "A-1",
            26,
            json!({ "start": "2026-12-03T14:30:00+01:00", "type": "Boiler service", "status": "confirmed",
                "location": "Unit 4B" }),
        ),
        fact("appointment", "A-0", 1, json!({ "start": "2026-11-03T14:30:00Z" })),
        fact("profile", "p", 1, json!({ "name": "Ana" })),
    ]
}

fn known(facts: &[Fact]) -> Known<'_> {
    Known { facts, business: &[], now: NOW }
}

fn whole(messages: &[&str], facts: &[Fact]) -> String {
    match answer(messages, Language::English, known(facts)) {
        Answered::Whole(reply) => reply.text,
        other => panic!("{messages:?}: {other:?}"),
    }
}

#[test]
fn a_question_about_an_order_is_answered_from_its_record() {
    for question in [
        "Where is my order #W2611340?",
        "where is order w2611340",
        "what's the status of my order",
        "What’s happening with my package?",
        "any update on my order?",
        "I'd like to check the status of my order.",
        "order status",
        "#W2611340",
        "Has my order been shipped?",
        "I want to know where my parcel is",
    ] {
        assert_eq!(
            whole(&[question], &one_order()),
            "The status of order #W2611340 is \"processed\", as of 28 November 2026. \
             The record also says: tracking number 3579.",
            "{question}"
        );
    }
}

#[test]
fn what_the_record_does_not_say_is_not_said() {
    assert_eq!(
        whole(&["Hi there!", "When will my order arrive?"], &one_order()),
        "The status of order #W2611340 is \"processed\", as of 28 November 2026. \
         The record also says: tracking number 3579. It does not say when the order will arrive."
    );
    assert_eq!(
        whole(&["When will it arrive? The order is #W1002."], &account()),
        "The status of order #W1002 is \"shipped\", as of 28 November 2026. \
         The record also says: estimated delivery 2 December 2026."
    );
    assert_eq!(
        whole(&["where is order X9"], &[fact("order", "X9", 1, json!({}))]),
        "There is order X9 on record, as of 1 November 2026, without a status."
    );
}

#[test]
fn an_order_that_is_not_in_the_account_is_not_invented() {
    assert_eq!(
        whole(&["Where is my order #W9999999?"], &[]),
        "I have no record of #W9999999 in this account."
    );
    assert_eq!(
        whole(&["Where is order 55512?"], &account()),
        "I have no record of 55512 in this account. \
         There are 2 orders on record: #W1002 (shipped) and #W1001 (delivered). Which order do you mean?"
    );
    assert_eq!(
        whole(&["Where is my order W2611341?"], &one_order()),
        "I have no record of W2611341 in this account. \
         The only order on record is #W2611340 (processed)."
    );
    assert_eq!(whole(&["where is my order?"], &[]), "I have no orders on record in this account.");
}

#[test]
fn several_orders_are_listed_and_asked_about() {
    let orders: Vec<Fact> =
        (1..=5).map(|n| fact("order", &format!("#W100{n}"), n, json!({ "status": "pending" }))).collect();
    assert_eq!(
        whole(&["where's my order"], &orders),
        "There are 5 orders on record; the newest are #W1005 (pending), #W1004 (pending) and #W1003 (pending). \
         Which order do you mean?"
    );
    assert_eq!(
        whole(&["where's my order", "sorry, #W1002"], &orders),
        "The status of order #W1002 is \"pending\", as of 2 November 2026."
    );
    assert_eq!(
        whole(&["Where are my orders #W1001 and #W1002?"], &orders),
        "The status of order #W1001 is \"pending\", as of 1 November 2026. \
         The status of order #W1002 is \"pending\", as of 2 November 2026."
    );
}

#[test]
fn of_orders_that_came_at_once_the_newest_are_those_placed_last() {
    let order =
        |(id, day): (&str, u32)| fact("order", id, 9, json!({"placed_at": format!("2026-11-{day:02}")}));
    let orders: Vec<Fact> = [("#A1", 1), ("#B2", 4), ("#C3", 2), ("#D4", 3)].map(order).into();
    let reply = whole(&["where's my order"], &orders);
    assert!(reply.contains("the newest are #B2, #D4 and #C3."), "{reply}");
}

#[test]
fn a_request_is_found_by_what_it_is_about() {
    let heating = "The status of request R-17 (\"Heating is cold\") is \"open\", as of 27 November 2026.";
    for question in [
        "Did you get my request about the heating?",
        "did you get my request",
        "I sent a request last week, did you receive it?",
        "What is the status of ticket R-17?",
        "any news on my repair",
    ] {
        assert_eq!(whole(&[question], &account()), heating, "{question}");
    }
    assert_eq!(
        whole(&["What about my request for the tap?"], &account()),
        "The status of request R-12 (\"Noisy tap\") is \"resolved\", as of 20 November 2026."
    );
    assert_eq!(
        whole(&["Did you get my request about the window?"], &account()),
        "I cannot tell which of your requests is about that. \
         The newest on record: R-17 (Heating is cold, open) and R-12 (Noisy tap, resolved)."
    );
    assert_eq!(whole(&["Did you get my request?"], &[]), "I have no requests on record in this account.");
}

#[test]
fn an_appointment_is_said_with_its_time_and_place() {
    let boiler = "The time on record for appointment A-1 (\"Boiler service\") is 3 December 2026 at 14:30 (UTC+01:00), \
                  place: Unit 4B; its status is \"confirmed\", as of 26 November 2026.";
    for question in [
        "When is my appointment?",
        "what time is my appointment",
        "When is the technician coming?",
        "Do I have any appointments?",
        "Can you confirm my appointment?",
        "Is my visit still on?",
    ] {
        assert_eq!(whole(&[question], &account()), boiler, "{question}");
    }
    assert_eq!(
        whole(&["When is my appointment?"], &account()[5..]),
        "I have no upcoming appointment on record in this account. \
         The newest other one on record is A-0 (3 November 2026 at 14:30 UTC)."
    );
    assert_eq!(
        whole(
            &["When is my appointment?"],
            &[fact("appointment", "A-2", 1, json!({ "status": "requested" }))]
        ),
        "No time is on record for appointment A-2, as of 1 November 2026."
    );
}

#[test]
fn what_only_people_can_do_is_not_understood() {
    for message in [
        "Cancel my order #W2611340",
        "I want to return my order",
        "Can I change the address of order #W2611340?",
        "Can I order two lamps?",
        "Can you place the order for me?",
        "Can I schedule a visit?",
        "I want to update my order to another address",
        "Could you tell me the total amount of my order?",
        "Which station does it arrive at?",
        "Why is my order late?",
        "My order arrived broken.",
        "The technician did not come.",
        "How do I get to my appointment?",
        "I need to reschedule my appointment",
        "Do you offer next-day delivery?",
        "What are your opening hours?",
        "My heating is cold.",
        "Onde está o meu pedido?",
        "asdf",
        "?",
        "",
    ] {
        assert_eq!(
            answer(&[message], Language::English, known(&one_order())),
            Answered::NotUnderstood,
            "{message}"
        );
    }
    assert_eq!(answer(&[], Language::English, known(&one_order())), Answered::NotUnderstood);
}

#[test]
fn the_rest_that_was_not_understood_is_admitted() {
    for messages in [
        &["Where is my order? Also, can you change the address?"][..],
        &["Where is my order?", "The coffee machine leaks."],
        &["Do you take dogs?", "Where is my order?"],
    ] {
        let Answered::Partly(reply) = answer(messages, Language::English, known(&one_order())) else {
            panic!("{messages:?}")
        };
        assert!(reply.text.starts_with("The status of order #W2611340"), "{}", reply.text);
        assert!(reply.text.ends_with("I cannot answer the rest of what you wrote."), "{}", reply.text);
    }
}

#[test]
fn a_record_that_the_customer_contradicts_is_not_asserted_again() {
    let Answered::Partly(reply) =
        answer(&["My order #W1001 never arrived"], Language::English, known(&account()))
    else {
        panic!("not partly")
    };
    assert_eq!(
        reply.text,
        "The status of order #W1001 is \"delivered\", as of 20 November 2026. \
         You write that it has not arrived, and I cannot settle that from the record."
    );
    assert_eq!(reply.facts, [("order".to_owned(), "#W1001".to_owned())]);
}

#[test]
fn a_message_full_of_ids_gets_a_short_answer() {
    let ids: String = (0..10_000).map(|n| format!("where is my order #Z{n}? ")).collect();
    let answered = answer(&[&ids], Language::English, known(&account()));
    let Answered::Partly(Reply { text, .. }) = answered else { panic!("{answered:?}") };
    assert!(text.starts_with("I have no record of #Z0, #Z1 or #Z2 in this account."), "{text}");
    assert!(text.ends_with("I cannot answer the rest of what you wrote."), "{text}");
    assert!(text.chars().count() < 300, "{text}");
}

#[test]
fn politeness_gets_a_polite_answer() {
    for (message, said) in [
        ("thanks", "You're welcome."),
        ("Thank you so much!", "You're welcome."),
        ("ok great", "All right."),
        ("Hi", "How can I help you? You can ask me about your orders, requests and appointments."),
        ("Good morning!", "How can I help you? You can ask me about your orders, requests and appointments."),
    ] {
        assert_eq!(whole(&[message], &account()), said, "{message}");
    }
}

#[test]
fn what_can_be_answered_is_said_honestly() {
    let topics = AgentVersion::built_in().topics;
    assert_eq!(
        can_answer(Language::English, known(&account()), &topics),
        "I can tell you about your orders, requests and appointments. \
         On record for you: 2 orders, 2 requests and 2 appointments. \
         If you would rather talk to a person, just say so."
    );
    assert_eq!(
        can_answer(Language::English, known(&one_order()), &[]),
        "I can tell you about your orders, requests and appointments. On record for you: 1 order."
    );
    assert_eq!(
        can_answer(Language::English, known(&[]), &[]),
        "I can tell you about your orders, requests and appointments. \
         No orders, requests or appointments are on record for you at the moment."
    );
}
