//! *once-in* and *one-reply* while many things happen at once.

use crate::customer::Customer;
use crate::records::{Records, answers, number, of};
use crate::told::{check_prompts, told};
use carryover_tests::eventually;
use carryover_tests::scripted_model::Then;
use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn a_message_that_is_delivered_again_is_stored_and_answered_once() {
    let customer = Customer::new();
    let first = customer.post("m1", "Is the pool open?").await;
    assert_eq!(first.body["status"], "replied", "{first:?}");
    let again = customer.post("m1", "Is the pool open?").await;
    assert_eq!(again.status, 200);
    assert_eq!(again.body, json!({"status": "duplicate", "seq": 1, "reply": first.body["reply"]}));
    customer.say("And the sauna?").await;
    let late = customer.post("m1", "Is the pool open?").await;
    assert_eq!(late.body, again.body, "also after others");
    assert_eq!(customer.thread().await.len(), 4);
    assert_eq!(customer.asked("reply").await.len(), 2);
}

#[tokio::test]
async fn a_message_that_arrives_twice_at_once_is_stored_and_answered_once() {
    let customer = Customer::new();
    customer.script(customer.rule("reply", &[]).hold(&customer.word)).await;
    let posts = async {
        tokio::join!(customer.post("m1", "Is the pool open?"), customer.post("m1", "Is the pool open?"))
    };
    let release = async {
        customer.model.wait_for(&[&customer.word], 1).await.expect("the model is asked");
        customer.model.release(&customer.word).await.expect("the gate opens");
    };
    let ((a, b), ()) = tokio::join!(posts, release);
    let statuses: BTreeSet<_> = [&a, &b].iter().map(|answer| answer.body["status"].to_string()).collect();
    assert_eq!(statuses, BTreeSet::from(["\"duplicate\"".into(), "\"replied\"".into()]), "{a:?} {b:?}");
    assert_eq!(a.body["reply"], b.body["reply"], "the copy waits for the running turn");
    assert_eq!(customer.thread().await.len(), 2);
    assert_eq!(customer.asked("reply").await.len(), 1);
}

#[tokio::test]
async fn a_hundred_posts_of_ten_ids_make_ten_messages_and_at_most_ten_calls() {
    let (customer, records) = (Customer::new(), Records::shared().await);

    let posts = (0..100).map(|n| {
        let id = n % 10;
        let customer = &customer;
        async move {
            // On a busy machine a gateway gives up on some: whoever hears nothing sends again.
            let taken = async || {
                let answer = customer.post(&format!("m{id}"), &format!("Question number {id}.")).await;
                let is_overloaded =
                    answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS;
                (!is_overloaded).then_some(answer)
            };
            (id, eventually("the post is answered", taken).await)
        }
    });
    let answers_of_posts = join_all(posts).await;

    let contact = records.contact(&customer.identity()).await.expect("a contact");
    records.settled(&contact).await;
    let log = records.log(&contact).await;
    assert_eq!(of(&log, "customer").len(), 10);
    assert!(log.iter().map(|message| number(message, "seq")).eq(1..=log.len() as u64), "dense");
    for id in 0..10 {
        let of_id = answers_of_posts.iter().filter(|(other, _)| *other == id);
        let seqs: BTreeSet<u64> = of_id
            .map(|(_, answer)| {
                assert_eq!(answer.status, 200, "{answer:?}");
                answer.seq()
            })
            .collect();
        assert_eq!(seqs.len(), 1, "id {id} is more than one message: {seqs:?}");
        let seq = *seqs.first().expect("one");
        assert_eq!(log.iter().filter(|message| answers(message, seq)).count(), 1, "message {seq}");
    }
    let calls = customer.asked("reply").await;
    let told = calls.iter().map(|call| {
        let newest = call.content("user").lines().last().unwrap_or_default();
        format!("after {} ms: {newest}", call.started_millis - calls[0].started_millis)
    });
    let told: Vec<_> = told.collect();
    assert!(calls.len() <= 10, "{} calls:\n{}", calls.len(), told.join("\n"));
    check_prompts(&customer, &records, &contact).await;
}

#[tokio::test]
async fn a_message_that_arrives_while_the_model_thinks_gets_one_reply_that_has_read_both() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    customer
        .script(customer.rule("reply", &[]).then(Then::reply("Breakfast is early, and the sauna is open.")))
        .await;
    let held =
        customer.rule("reply", &[]).times(1).hold(&customer.word).then(Then::reply("Breakfast is early."));
    customer.script(held).await;

    let (first, second) = tokio::join!(customer.say("When is breakfast?"), async {
        customer.model.wait_for(&[&customer.word], 1).await.expect("the model is asked");
        let second = customer.say("And is the sauna open?").await;
        customer.model.release(&customer.word).await.expect("the gate opens");
        second
    });

    assert_eq!(first.body, json!({"status": "superseded", "seq": 1, "reply": null}));
    assert_eq!(second.body["status"], "replied", "{second:?}");
    assert_eq!(second.reply(), "Breakfast is early, and the sauna is open.");
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let log = records.log(&contact).await;
    assert_eq!(log.len(), 3);
    assert!(answers(&log[2], 1) && answers(&log[2], 2), "{:?}", log[2]);
    let prompt = customer.prompt().await;
    assert!(prompt.text().contains("When is breakfast?") && prompt.text().contains("And is the sauna open?"));
}

#[tokio::test]
async fn what_the_model_hands_over_is_not_lost_to_a_later_thanks() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let (gate, gate_of_thanks) = (format!("{}-first", customer.word), format!("{}-thanks", customer.word));
    customer
        .script(customer.rule("reply", &[]).hold(&gate_of_thanks).then(Then::reply("You are welcome.")))
        .await;
    let handed_over = Then::escalate("missing_knowledge", "Nobody knows about the piano.");
    customer.script(customer.rule("reply", &[]).times(1).hold(&gate).then(handed_over)).await;

    let (first, thanks) = tokio::join!(
        async {
            let first = customer.say("Who tuned the piano in the hall?").await;
            customer.model.release(&gate_of_thanks).await.expect("the gate opens");
            first
        },
        async {
            customer.model.wait_for(&[&customer.word], 1).await.expect("the model is asked");
            tokio::join!(customer.say("Thanks."), async {
                customer.model.wait_for(&[&customer.word], 2).await.expect("the model is asked again");
                customer.model.release(&gate).await.expect("the gate opens");
            })
            .0
        }
    );

    assert_eq!(first.body["status"], "escalated", "{first:?}");
    assert_eq!(thanks.body["status"], "silent", "{thanks:?}");
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    assert_one_notice(&customer, &records, &contact).await;
}

#[tokio::test]
async fn what_a_rule_hands_over_is_not_lost_to_a_later_thanks() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    // Both are there before the first turn looks.
    customer.say_async("I want my money back for the second night.").await;
    customer.say_async("Thanks.").await;

    let contact = records.contact(&customer.identity()).await.expect("a contact");
    eventually("a case", async || records.cases(&contact).await.pop()).await;

    assert_one_notice(&customer, &records, &contact).await;
    assert!(customer.asked("reply").await.is_empty(), "rules ask no model");
    let later = customer.say("Hello?").await;
    assert_eq!(later.body["status"], "silent", "a person answers now: {later:?}");
    assert_eq!(customer.said_by("bot").await.len(), 1);
}

/// One case, one notice, a thread that a person answers, and nothing that waits for the bot.
async fn assert_one_notice(customer: &Customer, records: &Records, contact: &str) {
    let head = records.settled(contact).await;
    assert_eq!(head["mode"], "human", "{head}");
    assert_eq!(records.cases(contact).await.len(), 1);
    let log = records.log(contact).await;
    let bots = of(&log, "bot");
    assert_eq!(bots.len(), 1, "{bots:?}");
    assert_eq!(bots[0]["kind"], "notice");
    assert_eq!(customer.said_by("bot").await.len(), 1);
}

#[tokio::test]
async fn messages_of_one_instant_stay_in_the_order_of_the_log() {
    let customer = Customer::new();
    let said = ["Hello!", "Pick one: A or B", "A", "B", "Neither"];
    customer.import(said.iter().map(|text| ("assistant", customer.signed(text), 1_601_985_600_000))).await;

    customer.say("I take A.").await;

    let received = told(&customer.prompt().await);
    for (seq, text) in (1..).zip(said) {
        assert_eq!(received.shown(seq), customer.signed(text));
    }
    let prompt = customer.prompt().await.content("user").to_owned();
    let places: Vec<_> = said
        .iter()
        .map(|text| prompt.find(&format!("]\n{}", customer.signed(text))).expect("it is there"))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    let thread = customer.thread().await;
    assert!(
        thread.iter().zip(said).all(|(message, text)| message.text == customer.signed(text)),
        "{thread:?}"
    );
}

#[tokio::test]
async fn no_cut_falls_inside_a_character() {
    let customer = Customer::new();
    let texts = [format!("{}🙏 thanks", "a".repeat(497)), "ab👨‍👩‍👧cd".to_owned(), "🇩🇪🇩🇪ééé👍🏽👍🏽".to_owned()];
    for text in &texts {
        let answer = customer.say(text).await;
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
        let received = told(&customer.prompt().await);
        assert_eq!(received.shown(answer.seq()), customer.signed(text));
    }
}

#[tokio::test]
async fn a_long_message_is_cut_between_characters_however_they_are_made() {
    use unicode_segmentation::UnicodeSegmentation;
    for cluster in ["👨‍👩‍👧", "🇩🇪", "e\u{301}\u{323}", "👍🏽"] {
        let customer = Customer::new();
        let chars = cluster.chars().count();
        // One letter first, so that a cut by scalar values would fall inside.
        let text = format!("a{}", cluster.repeat(30_000 / chars));
        let answer = customer.say(&text).await;
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
        let received = told(&customer.prompt().await);
        let shown = received.shown(1);
        let (head, rest) = shown.split_once("\n[… ").expect("a mark");
        let (left_out, tail) = rest.split_once(" characters left out …]\n").expect("a mark");
        let signature = format!(" ({})", customer.word);
        let tail = tail.strip_suffix(&signature).expect("the end is shown");
        let whole = |text: &str| text.graphemes(true).all(|grapheme| grapheme == cluster);
        assert!(whole(head.strip_prefix('a').expect("the beginning is shown")) && whole(tail), "{cluster}");
        let counted = head.chars().count() + tail.chars().count() + signature.chars().count();
        let left_out: usize = left_out.parse().expect("a number");
        assert_eq!(counted + left_out, customer.signed(&text).chars().count(), "{cluster}");
    }
}
