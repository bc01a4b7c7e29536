//! The guest of the apartment: what was settled stays settled, what was called off stays off, and what is open is
//! known.

use crate::customer::Customer;
use crate::records::{Records, number};
use crate::told::check_prompts;
use carryover_tests::scripted_model::Then;
use serde_json::{Value, json};

/// What she writes and what the bot answers. No word of hers is one of the escalation rules'.
const STORY: [(&str, &str); 10] = [
    (
        "Hi, this is Mara Lind. We land late tomorrow, can we still check in at 23:30?",
        "Hello Mara, late check-in at 23:30 is fine; the key box at the side door opens with your booking code.",
    ),
    ("Great, so check-in at 23:30 is settled?", "It is settled: 23:30, key box at the side door."),
    ("Could we also get a parking space for two nights?", "I have asked for a parking space for two nights."),
    ("How wide is that parking space?", "It is wide enough for a small van."),
    (
        "Our car is wider. Please cancel the parking, we take the train.",
        "The parking request is cancelled, nothing to pay.",
    ),
    ("Good. Which train stops nearest?", "The S3 stops at Lindenhof, four minutes on foot."),
    (
        "We are in. The coffee machine in the kitchen is broken, it only blinks.",
        "I am sorry about the coffee machine. Does it blink red or white?",
    ),
    ("Red, three times, then it stops.", "Thank you, red three times means that its pump is stuck."),
    (
        "So what happens now with the coffee machine?",
        "We can replace it or give you a refund for the breakfast part. We are looking into which.",
    ),
    (
        "Fine, tell me which of the two it will be. And is there a bakery?",
        "There is one at the corner, open from 7:00. About the coffee machine you hear from us today.",
    ),
];

const QUESTION: &str =
    "Coffee machine: replacement or refund? She waits for word which of the two it will be.";

/// What a good summariser says after that turn.
fn summaries() -> [(u64, Value); 4] {
    let history = "Language: English\nMara Lind settled late check-in at 23:30, key box at the side door. Parking \
                   for two nights was asked for and cancelled, they take the train.";
    let settled = "Late check-in at 23:30 is settled, key box at the side door.";
    let called_off = "Parking was cancelled, they take the train.";
    let asked_for = "A parking space for two nights is asked for.";
    let broken = "The coffee machine is broken: it blinks red and stops.";
    let summary = |intent: &str, text: &str, facts: &[&str], questions: &[&str]| {
        json!({
            "guest_intent": intent, "summary_text": text, "history": history,
            "established_facts": facts, "open_questions": questions,
        })
    };
    let arrives = "Mara Lind arranges her arrival.";
    [
        (0, summary(arrives, "Mara Lind checks in late, at 23:30.", &[settled], &[])),
        (
            2,
            summary(
                arrives,
                "Check-in at 23:30 is settled.",
                &[settled, asked_for],
                &["Is the parking wide enough?"],
            ),
        ),
        (
            4,
            summary(
                arrives,
                "Check-in at 23:30 is settled. Parking was cancelled.",
                &[settled, called_off],
                &[],
            ),
        ),
        (
            6,
            summary(
                "Mara Lind wants the broken coffee machine dealt with.",
                "Late check-in at 23:30 is settled and Mara Lind is in. Parking was cancelled. The coffee machine is \
                 broken. Replacement or refund is not decided.",
                &[settled, called_off, broken],
                &[QUESTION],
            ),
        ),
    ]
}

/// What the house knows, so that the bot may say it.
async fn know_the_neighbourhood(guest: &Customer) {
    let data = json!({"station": "Lindenhof, train S3", "bakery": "at the corner, open from 7:00"});
    let (identity, as_of) = (guest.identity(), "2026-11-01T09:00:00Z");
    let put = guest.client.put_fact(&identity, "neighbourhood", "1", as_of, &data).await;
    assert_eq!(put.expect("an answer").status, 201);
}

async fn tell(guest: &Customer, records: &Records) -> String {
    know_the_neighbourhood(guest).await;
    let summaries = summaries();
    for (n, (text, reply)) in (1_u64..).zip(STORY) {
        let (_, summary) = summaries.iter().rfind(|(from, _)| *from < n).expect("one from the start");
        guest.script(guest.rule("fold", &[]).then(Then::json(summary.clone()))).await;
        guest.script(guest.rule("reply", &[text]).then(Then::reply(&guest.signed(reply)))).await;
        let answer = guest.say(text).await;
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
        assert_eq!(answer.reply(), guest.signed(reply));
        let contact = records.contact(&guest.identity()).await.expect("a contact");
        // The fold of one reply may be late; that of the next makes up for it.
        records.folded(&contact, 2 * n - 2).await;
    }
    records.contact(&guest.identity()).await.expect("a contact")
}

#[tokio::test]
async fn after_twenty_messages_what_is_settled_called_off_and_open_is_known() {
    let (guest, records) = (Customer::new(), Records::shared().await);

    let contact = tell(&guest, &records).await;

    let snapshot = records.folded(&contact, 20).await;
    assert!((8..20).contains(&number(&snapshot, "folded_through")), "{snapshot}");
    assert_eq!(snapshot["open_questions"], json!([QUESTION]), "the open question stands first");
    let facts = snapshot["established_facts"].to_string();
    assert!(facts.contains("Late check-in at 23:30 is settled"), "{facts}");
    assert!(facts.contains("Parking was cancelled"), "{facts}");
    assert!(snapshot["guest_intent"].as_str().expect("an intent").contains("coffee machine"));
    assert!(snapshot["history"].as_str().expect("a history").contains("asked for and cancelled"));
    let refused = guest.asked("fold").await.into_iter().find(|seen| seen.text().contains("was refused"));
    assert!(refused.is_none(), "a summary of this guest was refused: {refused:?}");
    assert!(records.cases(&contact).await.is_empty(), "nothing of this is for a person");
}

#[tokio::test]
async fn the_next_prompt_has_no_parking_request_that_is_alive() {
    let (guest, records) = (Customer::new(), Records::shared().await);
    let contact = tell(&guest, &records).await;
    records.folded(&contact, 20).await;

    guest.script(guest.rule("reply", &["any news"]).then(Then::reply("We are looking into it."))).await;
    // Her word, which stands in every message, would recall every memory.
    let news = guest.client.post(&guest.sub, &guest.next_id(), "Is there any news for us?").await;
    assert_eq!(news.expect("an answer").body["status"], "replied");

    let prompt = guest.prompt().await;
    check_prompts(&guest, &records, &contact).await;
    // A memory shows what was said then, under a title that says so; everything else knows what became of it.
    let (before, rest) = prompt.content("user").split_once("# Memories (from earlier").expect("memories");
    let after = rest.split_once("# History").expect("a history").1;
    let parking: Vec<&str> =
        sentences(before).chain(sentences(after)).filter(|said| said.contains("arking")).collect();
    assert!(!parking.is_empty(), "that it was cancelled is still known");
    for said in parking {
        assert!(said.contains("cancel"), "a parking request is alive: {said}");
    }
    let questions = prompt.content("user").split_once("Open questions, newest first:\n- ");
    assert!(questions.expect("open questions").1.starts_with(QUESTION));
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split(['.', '?', '!']))
}
