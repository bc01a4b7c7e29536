//! "I'm seeing the double charge again": what the profile, the records and the memory know, in their order
//! (*truth-ranks*).

use crate::customer::Customer;
use crate::records::Records;
use carryover_tests::eventually;
use carryover_tests::scripted_model::Then;
use serde_json::{Value, json};

const INVOICE: &str = "I uploaded the invoice of the double charge, invoice.pdf";
const AGAIN: &str = "I'm seeing the double charge again";

async fn put(customer: &Customer, kind: &str, id: &str, as_of: &str, data: Value) {
    let put = customer.client.put_fact(&customer.identity(), kind, id, as_of, &data).await;
    assert!(put.expect("an answer").status.is_success());
}

/// A customer who prefers e-mail, whose billing request is open, and who uploaded the invoice so long ago that only
/// the memory knows.
async fn charged_twice() -> Customer {
    let (customer, records) = (Customer::new(), Records::shared().await);
    put(&customer, "profile", "1", "2026-11-01T09:00:00Z", json!({"preferred_contact": "email"})).await;
    let open = json!({"status": "open", "subject": "double charge", "topic": "billing"});
    put(&customer, "request", "R-7", "2026-11-20T09:00:00Z", open).await;
    customer.script(customer.rule("reply", &[INVOICE]).then(Then::reply("Thank you, it is here."))).await;
    customer.say(INVOICE).await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    eventually("the invoice is remembered", async || {
        let kept = records.memories(&contact).await;
        kept.iter().any(|memory| memory.to_string().contains("invoice.pdf")).then_some(())
    })
    .await;
    // By now the window is full of something else.
    for n in 0..8 {
        customer.say(&format!("And the weather at place{n}?")).await;
    }
    records.folded(&contact, 18).await;
    customer
}

#[tokio::test]
async fn the_double_charge_is_followed_up_by_mail_and_nobody_asks_for_the_invoice_again() {
    let customer = charged_twice().await;
    let reply = "Your request R-7 is still open. I'll follow up by email.";
    customer.script(customer.rule("reply", &[AGAIN]).then(Then::reply(reply))).await;

    let answer = customer.say(AGAIN).await;

    assert_eq!((answer.body["status"].as_str(), answer.reply()), (Some("replied"), reply));
    let prompt = customer.prompt().await;
    let user = prompt.content("user");
    let at = |words: &str| user.find(words).unwrap_or_else(|| panic!("{words}: {user}"));
    assert!(at("preferred_contact: email") < at("# Memories"), "facts come before memories");
    assert!(at("R-7") < at("# Memories"));
    let memories = user.split("# Memories").nth(1).and_then(|rest| rest.split("\n# ").next());
    assert!(memories.is_some_and(|memories| memories.contains("invoice.pdf")), "{user}");
    let window = user.split("# Recent messages").last().expect("a window");
    assert!(!window.contains("invoice.pdf"), "the window does not know any more");
    let asked = customer.asked("reply").await;
    assert!(!asked.iter().any(|seen| seen.text().contains("was refused")), "nothing was refused");
    let records = Records::shared().await;
    let contact = records.contact(&customer.identity()).await.expect("a contact");
    let _ = (&records, &contact);
}

#[tokio::test]
async fn when_the_record_says_resolved_the_record_is_followed() {
    let customer = charged_twice().await;
    customer
        .script(
            customer.rule("reply", &[AGAIN]).times(1).then(Then::reply("Your request R-7 is still open.")),
        )
        .await;
    let resolved = json!({"status": "resolved", "subject": "double charge", "topic": "billing"});
    put(&customer, "request", "R-7", "2026-11-29T09:00:00Z", resolved).await;
    let honest = "Request R-7 was resolved. Is it a new charge?";
    customer.script(customer.rule("reply", &["was refused"]).then(Then::reply(honest))).await;

    let answer = customer.say(AGAIN).await;

    assert_eq!(answer.reply(), honest);
    let refused = customer.prompt().await;
    assert!(refused.content("system").contains("the record says \"resolved\""), "{refused:?}");
}
