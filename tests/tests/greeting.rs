//! The first contact and the known one, and what the rules say in the customer's language, in process.

use carryover_shared::admit::Answer;
use carryover_shared::contact::{Account, ContactId};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::limits::Limits;
use carryover_shared::store::{ImportedLog, ImportedMessage};
use carryover_shared::thread::{Author, Channel, Mode};
use carryover_shared::traits::{Clock, Model, ModelError, Question};
use carryover_shared::turn::End;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::world::{NoModel, World, identity};
use serde_json::{Value, json};

const HELP: &str = "How can I help you? You can ask me about your orders, requests and appointments.";

fn replies(text: &str) -> Said {
    Ok(json!({"action": "reply", "reply": text, "category": "", "reason": ""}))
}

fn down() -> FakeModel {
    FakeModel::new(|_: &Question| Err(ModelError::Overloaded { status: 529 }))
}

/// `chat:ana` with these records, before she ever writes.
async fn with_facts(world: &World, facts: &[(&str, &str, Value)]) -> ContactId {
    let contact = ContactId::new(world.clock.ulid());
    assert!(world.ctx.store.create_contact(contact, &identity("ana")).await.expect("a table"));
    for (kind, id, data) in facts {
        let as_of = AsOf::parse("2026-11-28T09:00:00Z", world.clock.now()).expect("a time");
        let fact =
            Fact { kind: (*kind).into(), id: (*id).into(), as_of, source: "shop".into(), data: data.clone() };
        world.ctx.store.put_fact(contact, &fact, &world.ctx.limits).await.expect("a table");
    }
    contact
}

async fn shop(model: impl Model + 'static) -> World {
    let world = World::new(model).await;
    let name = json!({ "name": { "first_name": "Ana", "last_name": "Souza" }, "email": "ana@example.com" });
    with_facts(&world, &[("profile", "p", name), ("order", "#W1", json!({ "status": "shipped" }))]).await;
    world
}

/// Writes as `chat:ana`; what she is answered.
async fn said(world: &World, id: &str, text: &str) -> String {
    match world.write("ana", id, text).await.expect("a table") {
        Answer::New { end: End::Replied(said) | End::Escalated(Some(said)), .. } => said.text,
        other => panic!("{text}: {other:?}"),
    }
}

#[tokio::test]
async fn a_first_message_ever_is_greeted_and_the_second_is_not() {
    let world = World::new(NoModel).await;
    assert_eq!(said(&world, "m1", "Hi there").await, format!("Hello. {HELP}"));
    assert_eq!(said(&world, "m2", "Hi there").await, HELP);
}

#[tokio::test]
async fn each_language_is_answered_in_itself_from_the_first_greeting_on() {
    for (question, greeting, answer) in [
        (
            "Where is my order?",
            "Hello Ana. ",
            "The status of order #W1 is \"shipped\", as of 28 November 2026.",
        ),
        (
            "¿Dónde está mi pedido?",
            "Hola, Ana. ",
            "El estado de su pedido #W1 es «enviado», a 28 de noviembre de 2026.",
        ),
        (
            "Wo ist meine Bestellung?",
            "Guten Tag, Ana Souza. ",
            "Der Status Ihrer Bestellung #W1 ist „versandt“ (Stand: 28. November 2026).",
        ),
        (
            "Où est ma commande ?",
            "Bonjour Ana Souza. ",
            "Le statut de votre commande #W1 est «\u{a0}expédiée\u{a0}», au 28 novembre 2026.",
        ),
    ] {
        // With no model, and with one that is down.
        for world in [shop(NoModel).await, shop(down()).await] {
            assert_eq!(said(&world, "m1", question).await, format!("{greeting}{answer}"));
            assert_eq!(said(&world, "m2", question).await, answer);
            assert_eq!(
                said(&world, "m3", "#W1").await,
                answer,
                "an id tells no language, what was said before does"
            );
        }
    }
}

#[tokio::test]
async fn a_burst_of_first_messages_gets_one_greeting() {
    let world = shop(NoModel).await;
    for (id, text) in [("m1", "Hello"), ("m2", "Where is my order?")] {
        world.drop_off("ana", id, text).await.unwrap();
    }
    world.work().await.unwrap();
    let log = world.log("ana").await;
    let bots: Vec<&str> = log.iter().filter(|m| m.author == Author::Bot).map(|m| m.text.as_str()).collect();
    assert_eq!(bots, ["Hello Ana. The status of order #W1 is \"shipped\", as of 28 November 2026."]);
}

#[tokio::test]
async fn an_imported_thread_is_known() {
    let world = World::new(NoModel).await;
    let contact = with_facts(&world, &[]).await;
    let message = |author, text: &str| ImportedMessage { author, text: text.into(), at: None };
    let log = ImportedLog {
        messages: vec![message(Author::Customer, "Guten Tag"), message(Author::Bot, "Wie kann ich helfen?")],
        channel: Channel::Chat,
        account: Account::chat(),
        at: world.clock.now(),
        message_chars: 24_000,
    };
    world.ctx.store.import(contact, &log, |_| {}).await.unwrap();
    let answer = said(&world, "m1", "?").await;
    assert!(answer.starts_with("Ich kann Ihnen zu Ihren Bestellungen"), "{answer}");
}

#[tokio::test]
async fn after_a_hand_back_nobody_is_greeted() {
    let world = World::new(NoModel).await;
    let notice = said(&world, "m1", "Ich möchte mit einem Menschen sprechen").await;
    assert_eq!(
        notice,
        "Guten Tag. Vielen Dank für Ihre Nachricht. Jemand aus unserem Team kümmert sich darum und antwortet Ihnen hier."
    );
    assert_eq!(world.head("ana").await.mode, Mode::Human);
    world.hands_back("ana").await;
    let answer = said(&world, "m2", "Hallo").await;
    assert!(answer.starts_with("Wie kann ich Ihnen helfen?"), "{answer}");
}

#[tokio::test]
async fn a_model_that_is_down_leaves_other_languages_to_a_person() {
    let question = "Onde está o meu pedido?";
    let world = shop(down()).await;
    let answer = world.write("ana", "m1", question).await.unwrap();
    assert!(matches!(answer, Answer::New { end: End::Escalated(Some(_)), .. }), "{answer:?}");

    let world = shop(NoModel).await;
    let answer = said(&world, "m1", question).await;
    assert!(answer.starts_with("Hello Ana. I can tell you about your orders"), "{answer}");
    assert_eq!(world.head("ana").await.mode, Mode::Bot);
}

#[tokio::test]
async fn above_the_calls_of_an_hour_the_rules_say_what_they_can_answer_in_the_customers_language() {
    let model = FakeModel::new(|_: &Question| replies("Ja."));
    let world = World::with_limits(model.clone(), Limits { calls_per_hour: 1, ..Limits::default() }).await;
    with_facts(&world, &[("order", "#W1", json!({ "status": "shipped" }))]).await;
    said(&world, "m1", "Haben Sie einen Parkplatz?").await;
    let answer = said(&world, "m2", "Haben Sie einen Parkplatz?").await;
    assert!(
        answer.starts_with("Ich kann Ihnen zu Ihren Bestellungen, Anfragen und Terminen Auskunft"),
        "{answer}"
    );
    assert!(answer.contains("1 Bestellung"), "{answer}");
    let answer = said(&world, "m3", "Wo ist meine Bestellung?").await;
    assert!(answer.starts_with("Der Status Ihrer Bestellung #W1"), "{answer}");
    assert_eq!(model.questions().len(), 1);
}

#[tokio::test]
async fn the_model_is_told_whether_to_greet_and_what_not_to_ask_again() {
    let model = FakeModel::new(|_: &Question| replies("Yes."));
    let world = shop(model.clone()).await;
    for id in ["m1", "m2"] {
        said(&world, id, "Is there a gym?").await;
    }
    let told: Vec<String> = model.questions().into_iter().map(|question| question.user).collect();
    let [first, second] = told.as_slice() else { panic!("two questions") };
    assert!(
        first.contains("They write for the first time ever: begin with a short greeting, by their name.")
    );
    assert!(
        second.contains("They are known: do not greet them.") && !second.contains("for the first time ever")
    );
    for told in [first, second] {
        assert!(
            told.contains("Known already, never ask for it again: name, e-mail, order number."),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_models_first_reply_is_greeted_where_it_surely_has_no_greeting() {
    let bare = "Yes, there is a gym in the cellar, and it is open from six in the morning.";
    let greeted = format!("Hello Ana. {bare}");
    for (reply, sent) in [(bare, greeted.as_str()), (&greeted, &greeted), ("Yes.", "Yes.")] {
        let reply = reply.to_owned();
        let world = shop(FakeModel::new(move |_: &Question| replies(&reply))).await;
        assert_eq!(said(&world, "m1", "Is there a gym?").await, sent);
    }
    let other = "There is a sauna as well, and both of them are free of charge for all who stay.";
    let world = shop(FakeModel::says([replies(bare), replies(other)])).await;
    said(&world, "m1", "Is there a gym?").await;
    assert_eq!(said(&world, "m2", "And a sauna?").await, other, "she is known now");
}

#[tokio::test]
async fn opening_hours_are_answered_from_what_the_business_says() {
    // 2026-12-03, a Thursday.
    for world in [shop(NoModel).await, shop(down()).await] {
        let as_of = AsOf::parse("2026-11-28T09:00:00Z", world.clock.now()).unwrap();
        let data = json!({ "thursday": "9:00-17:00", "friday": "9:00-13:00", "closed": "Sunday" });
        let hours = Fact { kind: "hours".into(), id: "shop".into(), as_of, source: "desk".into(), data };
        world.ctx.store.put_business_fact("default", &hours, &world.ctx.limits).await.unwrap();
        assert_eq!(
            said(&world, "m1", "Sind Sie morgen geöffnet?").await,
            "Guten Tag, Ana Souza. Unsere Öffnungszeiten morgen (Freitag): 9:00-13:00."
        );
        assert_eq!(said(&world, "m2", "¿Abren el domingo?").await, "Cerramos el domingo.");
    }
}
