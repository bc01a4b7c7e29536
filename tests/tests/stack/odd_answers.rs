//! Models that talk rubbish, fail or say nothing: the customer gets an answer or a person (*optional-is-optional*).

use crate::customer::Customer;
use crate::records::{Records, number, of};
use crate::told::{check_prompts, told};
use carryover_tests::client::Answer;
use carryover_tests::scripted_model::Then;
use serde_json::{Value, json};

async fn said(then: Then) -> (Customer, Answer) {
    let customer = Customer::new();
    customer.script(customer.rule("reply", &[]).then(then)).await;
    let answer = customer.say("Is there a gym?").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    (customer, answer)
}

async fn assert_handed_over(customer: &Customer, answer: &Answer) {
    assert_eq!(answer.body["status"], "escalated", "{answer:?}");
    assert!(!answer.reply().trim().is_empty(), "the customer is told: {answer:?}");
    let records = Records::shared().await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    assert_eq!(records.cases(&contact).await.len(), 1);
    let log = records.log(&contact).await;
    assert_eq!(of(&log, "customer").len(), 1, "the message is kept");
}

#[tokio::test]
async fn an_empty_reply_is_never_sent() {
    for reply in [json!(""), json!(null), json!("  \n")] {
        let answer = json!({"action": "reply", "reply": reply, "category": "", "reason": ""});
        let (customer, answer) = said(Then::json(answer)).await;
        assert_handed_over(&customer, &answer).await;
        assert!(customer.thread().await.iter().all(|message| !message.text.trim().is_empty()));
        assert_eq!(customer.asked("reply").await.len(), 2, "it is asked once more");
    }
}

#[tokio::test]
async fn an_empty_reply_may_be_followed_by_a_better_one() {
    let customer = Customer::new();
    customer.script(customer.rule("reply", &[]).then(Then::reply("Yes, in the cellar."))).await;
    customer.script(customer.rule("reply", &[]).times(1).then(Then::reply("  "))).await;
    let answer = customer.say("Is there a gym?").await;
    assert_eq!((answer.body["status"].as_str(), answer.reply()), (Some("replied"), "Yes, in the cellar."));
}

#[tokio::test]
async fn backticks_and_prose_around_an_answer_do_not_spoil_it() {
    let object = "{\"action\": \"reply\", \"reply\": \"Run `reset` on the lock.\", \"category\": \"\", \"reason\": \"\"}";
    for content in [
        object.to_owned(),
        format!("Sure, the `object` you asked for: {object}"),
        format!("```json\n{object}\n```"),
        format!("Here it is:\n```\n{object}\n```\nAnything else?"),
    ] {
        let (_, answer) = said(Then::content(&content)).await;
        assert_eq!(
            (answer.body["status"].as_str(), answer.reply()),
            (Some("replied"), "Run `reset` on the lock.")
        );
    }
}

#[tokio::test]
async fn a_summary_in_prose_and_backticks_is_read_too() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let object = json!({
        "guest_intent": "Wants to run `reset` on the lock.", "summary_text": "The lock is stuck.",
        "history": "Language: English\nThe lock is stuck.", "established_facts": [], "open_questions": [],
    });
    let content = format!("Sure, the `object` you asked for:\n```json\n{object}\n```");
    customer.script(customer.rule("fold", &[]).then(Then::content(&content))).await;
    customer.say("The lock is stuck.").await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let snapshot = records.folded(&contact, 2).await;
    assert_eq!(snapshot["guest_intent"], "Wants to run `reset` on the lock.");
}

fn overloads() -> [Then; 4] {
    let error =
        |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    let hidden = json!({"type": "error", "error": {"details": null, "type": "overloaded_error", "message": "Overloaded"}});
    [
        Then::raw(529, error("overloaded_error", "Overloaded")),
        Then::raw(200, hidden),
        Then::raw(429, error("rate_limit_error", "This request would exceed the account's rate limit.")),
        Then::raw(500, error("api_error", "Overloaded")),
    ]
}

#[tokio::test]
async fn an_overloaded_model_is_asked_again() {
    for overload in overloads() {
        let customer = Customer::new();
        customer.script(customer.rule("reply", &[]).then(Then::reply("Yes, in the cellar."))).await;
        customer.script(customer.rule("reply", &[]).times(2).then(overload.clone())).await;
        let answer = customer.say("Is there a gym?").await;
        assert_eq!(answer.reply(), "Yes, in the cellar.", "{overload:?}: {answer:?}");
        assert_eq!(customer.asked("reply").await.len(), 3);
    }
}

#[tokio::test]
async fn a_model_that_stays_overloaded_leaves_the_message_to_a_person() {
    let runs = overloads().map(|overload| async {
        let (customer, answer) = said(overload).await;
        assert_handed_over(&customer, &answer).await;
        assert!(customer.asked("reply").await.len() > 1, "it is asked again");
    });
    futures::future::join_all(runs).await;
}

#[tokio::test]
async fn a_model_that_breaks_off_refuses_or_is_filtered_leaves_the_message_to_a_person() {
    let filtered = Then::Finish { finish_reason: "content_filter".into(), content: None };
    let refusal = Then::Refusal { refusal: "I cannot help with that.".into() };
    let odd = [
        Then::drop_connection(),
        Then::cut("{\"action\": \"reply\", \"reply\": \"Yes, in the"),
        filtered,
        refusal,
        Then::Content { content: Value::Null },
        Then::content("I am only a language model."),
        Then::raw(404, Value::Null),
    ];
    let runs = odd.map(|then| async {
        let (customer, answer) = said(then).await;
        assert_handed_over(&customer, &answer).await;
    });
    futures::future::join_all(runs).await;
}

#[tokio::test]
async fn the_facts_answer_where_the_model_does_not() {
    let customer = Customer::new();
    let order = json!({"status": "shipped", "carrier": "the blue van"});
    let identity = customer.identity();
    customer.client.put_fact(&identity, "order", "W2611340", &crate::doors::now(), &order).await.unwrap();
    customer.script(customer.rule("reply", &[]).then(Then::status(404))).await;
    let answer = customer.say("Where is my order W2611340?").await;
    assert_eq!(answer.body["status"], "replied", "{answer:?}");
    assert!(answer.reply().contains("shipped"), "{answer:?}");
}

#[tokio::test]
async fn messages_leave_the_prompt_only_after_a_summary_of_them_is_stored() {
    let (customer, records) = (Customer::new(), Records::shared().await);
    let failures = [Then::status(429), Then::drop_connection(), Then::status(500), Then::content("rubbish")];
    // The newest rule comes first; each is used up once, and then all is well.
    for failure in failures {
        customer.script(customer.rule("fold", &[]).times(6).then(failure)).await;
    }
    let mut contact = String::new();
    for n in 0..12 {
        let answer = customer.say(&format!("Item {n} of my list is the lamp, it flickers.")).await;
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
        contact = records.contact(&customer.identity()).await.expect("a contact");
        let covered = told(&customer.prompt().await).must_be_covered_to();
        assert!(covered <= number(&records.snapshot(&contact).await, "folded_through"));
    }
    let snapshot = records.folded(&contact, 24).await;
    assert!(number(&snapshot, "folded_through") <= 12);
    check_prompts(&customer, &records, &contact).await;
}
