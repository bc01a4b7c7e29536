//! Every language of the rules, word for word, and what holds in all of them.

use super::table::Table;
use super::templates::tests::texts as texts_of;
use super::*;
use crate::agent::AgentVersion;
use crate::facts::{AsOf, Fact};
use crate::time::Timestamp;
use crate::values::Source;
use proptest::prelude::*;
use serde_json::{Value, json};

/// 2026-11-30T10:00:00Z, a Monday.
const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

fn fact(kind: &str, id: &str, day: u32, data: Value) -> Fact {
    let as_of = AsOf::parse(&format!("2026-11-{day:02}T09:00:00Z"), NOW).expect("a time");
    Fact { kind: kind.into(), id: id.into(), as_of, source: "shop".into(), data }
}

fn account() -> Vec<Fact> {
    let appointment = json!({ "start": "2026-12-03T14:30:00+01:00", "type": "Boiler service", "status": "confirmed",
        "location": "Unit 4B" });
    vec![
        fact(
            "order",
            "#W1002",
            28,
            json!({ "status": "shipped", "estimated_delivery": "2026-12-02", "tracking_number": "JD0146",
                "items": [{ "name": "Desk Lamp" }, { "name": "Kettle" }] }),
        ),
        fact("request", "R-17", 27, json!({ "title": "Heating is cold", "status": "open" })),
        fact("request", "R-12", 20, json!({ "title": "Noisy tap", "status": "resolved" })),
        fact("appointment", "A-1", 26, appointment),
    ]
}

fn hours() -> Vec<Fact> {
    let week = json!({ "mon-fri": "09:00-18:00", "saturday": "10:00-14:00", "sunday": "closed",
        "2026-12-24": "09:00-12:00", "note": "Please ring twice." });
    vec![fact("hours", "main", 1, week)]
}

fn said(language: Language, message: &str, facts: &[Fact], business: &[Fact]) -> Answered {
    answer(&[message], language, Known { facts, business, now: NOW })
}

/// Everything that was understood of a message, and what was not.
fn whole(language: Language, message: &str, facts: &[Fact], business: &[Fact]) -> String {
    match said(language, message, facts, business) {
        Answered::Whole(reply) => reply.text,
        other => format!("{other:?}"),
    }
}

/// What customers ask of [`account`], in several ways, and the one answer.
const QUESTIONS: [(Language, &[&str], &str); 9] = [
    (
        Language::Spanish,
        &[
            "¿Dónde está mi pedido?",
            "donde esta mi pedido",
            "Hola, ¿cuál es el estado de mi pedido?",
            "¿Hay novedades de mi paquete?",
            "Quiero saber por dónde va mi envío",
            "¿Podría decirme dónde está mi pedido #W1002?",
            "estado del pedido",
            "¿Ya enviaron mi pedido?",
        ],
        "El estado de su pedido #W1002 es «enviado», a 28 de noviembre de 2026. \
         También consta: entrega prevista 2 de diciembre de 2026, número de seguimiento JD0146.",
    ),
    (
        Language::Spanish,
        &[
            "¿Recibieron mi solicitud?",
            "¿Hay novedades de mi solicitud?",
            "¿Alguna novedad sobre la avería?",
            "¿Cómo va mi reparación?",
            "estado de la solicitud R-17",
        ],
        "El estado de su solicitud R-17 («Heating is cold») es «abierta», a 27 de noviembre de 2026.",
    ),
    (
        Language::Spanish,
        &["¿Cuándo es mi cita?", "a que hora es mi cita", "¿Cuándo viene el técnico?", "¿Tengo alguna cita?"],
        "La fecha que consta para su cita A-1 («Boiler service») es: 3 de diciembre de 2026 a las 14:30 (UTC+01:00), \
         lugar: Unit 4B; su estado es «confirmada», a 26 de noviembre de 2026.",
    ),
    (
        Language::German,
        &[
            "Wo ist meine Bestellung?",
            "wo bleibt mein paket",
            "Wie ist der Status meiner Bestellung?",
            "Gibt es Neuigkeiten zu meiner Lieferung?",
            "Ich möchte wissen, wo meine Sendung ist.",
            "Können Sie mir sagen, wo meine Bestellung #W1002 ist?",
            "Bestellstatus",
            "Was ist mit meinem Paket los?",
            "Wurde meine Bestellung schon verschickt?",
        ],
        "Der Status Ihrer Bestellung #W1002 ist „versandt“ (Stand: 28. November 2026). \
         Außerdem ist hinterlegt: voraussichtliche Lieferung 2. Dezember 2026, Sendungsnummer JD0146.",
    ),
    (
        Language::German,
        &[
            "Haben Sie meine Anfrage erhalten?",
            "Wie ist der Stand meiner Anfrage?",
            "Gibt es etwas Neues zu meiner Reparatur?",
            "Status meiner Anfrage R-17?",
        ],
        "Der Status Ihrer Anfrage R-17 („Heating is cold“) ist „offen“ (Stand: 27. November 2026).",
    ),
    (
        Language::German,
        &[
            "Wann ist mein Termin?",
            "wann kommt der Techniker",
            "Um wieviel Uhr kommt der Handwerker?",
            "Habe ich einen Termin?",
            "Um wie viel Uhr ist mein Termin?",
            "Steht mein Termin noch?",
        ],
        "Für Ihren Termin A-1 („Boiler service“) ist hinterlegt: 3. Dezember 2026 um 14:30 Uhr (UTC+01:00), \
         Ort: Unit 4B; Status: „bestätigt“ (Stand: 26. November 2026).",
    ),
    (
        Language::French,
        &[
            "Où est ma commande ?",
            "ou est ma commande",
            "Où en est mon colis ?",
            "Quel est le statut de ma commande ?",
            "Je voudrais savoir où en est ma commande.",
            "Pouvez-vous me dire où est ma commande #W1002 ?",
            "Avez-vous des nouvelles de ma livraison ?",
            "Est-ce que ma commande est partie ?",
            "suivi de commande",
        ],
        "Le statut de votre commande #W1002 est «\u{a0}expédiée\u{a0}», au 28 novembre 2026. \
         Autres informations\u{a0}: livraison prévue 2 décembre 2026, numéro de suivi JD0146.",
    ),
    (
        Language::French,
        &[
            "Avez-vous reçu ma demande ?",
            "Y a-t-il du nouveau pour ma demande ?",
            "Où en est ma réparation ?",
            "statut de la demande R-17",
        ],
        "Le statut de votre demande R-17 («\u{a0}Heating is cold\u{a0}») est «\u{a0}ouverte\u{a0}», au 27 novembre 2026.",
    ),
    (
        Language::French,
        &[
            "Quand est mon rendez-vous ?",
            "à quelle heure est mon rdv",
            "Quand passe le technicien ?",
            "J'ai un rendez vous ?",
        ],
        "Pour votre rendez-vous A-1 («\u{a0}Boiler service\u{a0}»), il est indiqué\u{a0}: 3 décembre 2026 à 14:30 \
         (UTC+01:00), lieu\u{a0}: Unit 4B\u{a0}; statut\u{a0}: «\u{a0}confirmé\u{a0}», au 26 novembre 2026.",
    ),
];

#[test]
fn a_question_is_answered_from_its_record_in_the_language_it_is_asked_in() {
    let mut table = Table::default();
    for (language, questions, expected) in QUESTIONS {
        for question in questions {
            table.row(question, Language::spoken([*question], ""), Some(language));
            table.row(question, whole(language, question, &account(), &hours()), expected.to_owned());
        }
    }
    table.end();
}

#[test]
fn what_is_on_its_way_need_not_be_named() {
    let mut table = Table::default();
    for (language, questions) in [
        (Language::Spanish, &["¿Cuándo llega?", "¿Ya lo enviaron?", "¿Cuándo llegará?"][..]),
        (Language::German, &["Wann kommt es an?", "Ist es schon unterwegs?"]),
        (Language::French, &["Quand est-ce qu'elle arrive ?", "Elle est déjà partie ?"]),
    ] {
        for question in questions {
            table.row(question, whole(language, question, &account(), &[]).contains("#W1002"), true);
        }
    }
    table.end();
}

#[test]
fn what_no_record_says_is_said_in_every_language() {
    let mut table = Table::default();
    for (language, question, expected) in [
        (Language::Spanish, "¿Dónde está mi pedido?", "No me consta ningún pedido en esta cuenta."),
        (Language::Spanish, "¿Dónde está el pedido #W9?", "En esta cuenta no me consta #W9."),
        (Language::Spanish, "¿Cuándo es mi cita?", "No me consta ninguna cita próxima en esta cuenta."),
        (Language::German, "Wo ist meine Bestellung?", "In diesem Konto ist keine Bestellung hinterlegt."),
        (Language::German, "Wo ist Bestellung #W9?", "Zu #W9 finde ich in diesem Konto nichts."),
        (
            Language::German,
            "Wann ist mein Termin?",
            "In diesem Konto ist kein bevorstehender Termin hinterlegt.",
        ),
        (Language::French, "Où est ma commande ?", "Aucune commande n'est enregistrée dans ce compte."),
        (Language::French, "Où est la commande #W9 ?", "Je ne trouve pas #W9 dans ce compte."),
        (
            Language::French,
            "Quand est mon rendez-vous ?",
            "Aucun rendez-vous à venir n'est enregistré dans ce compte.",
        ),
    ] {
        table.row(question, whole(language, question, &[], &[]), expected.to_owned());
    }
    table.end();
}

#[test]
fn several_records_are_listed_and_asked_about_in_every_language() {
    let mut table = Table::default();
    let orders: Vec<Fact> =
        (1..=4).map(|n| fact("order", &format!("#W{n}"), n, json!({ "status": "in_transit" }))).collect();
    for (language, question, expected) in [
        (
            Language::Spanish,
            "¿Dónde está mi pedido?",
            "Me constan 4 pedidos; los más recientes son #W4 (en tránsito), #W3 (en tránsito) y #W2 (en tránsito). \
             ¿A qué pedido se refiere?",
        ),
        (
            Language::German,
            "Wo ist meine Bestellung?",
            "Es sind 4 Bestellungen hinterlegt; die neuesten sind #W4 (unterwegs), #W3 (unterwegs) und #W2 (unterwegs). \
             Welche Bestellung meinen Sie?",
        ),
        (
            Language::French,
            "Où est ma commande ?",
            "4 commandes sont enregistrées\u{a0}; les plus récentes sont #W4 (en transit), #W3 (en transit) et #W2 \
             (en transit). De quelle commande s'agit-il\u{a0}?",
        ),
    ] {
        table.row(question, whole(language, question, &orders, &[]), expected.to_owned());
    }
    table.end();
}

#[test]
fn a_status_that_is_no_usual_word_stays_as_the_record_has_it() {
    let order = [fact("order", "1", 1, json!({ "status": "Lost at sea" }))];
    assert_eq!(
        whole(Language::German, "Wo ist meine Bestellung?", &order, &[]),
        "Der Status Ihrer Bestellung 1 ist „Lost at sea“ (Stand: 1. November 2026)."
    );
}

#[test]
fn a_record_that_the_customer_contradicts_is_not_asserted_again_in_any_language() {
    let order = [fact("order", "#W1", 20, json!({ "status": "delivered" }))];
    for (language, message, unsettled) in [
        (Language::Spanish, "Mi pedido no ha llegado", "Usted indica que no ha llegado"),
        (
            Language::German,
            "Meine Bestellung ist nicht angekommen",
            "Sie schreiben, dass sie nicht angekommen ist",
        ),
        (Language::French, "Ma commande n'est pas arrivée", "Vous indiquez qu'elle n'est pas arrivée"),
    ] {
        let said = said(language, message, &order, &[]);
        let Answered::Partly(reply) = said else { panic!("{message}: {said:?}") };
        assert!(reply.text.contains(unsettled), "{reply:?}");
    }
}

#[test]
fn what_only_people_can_do_is_not_understood_in_any_language() {
    let mut table = Table::default();
    for (language, messages) in [
        (
            Language::Spanish,
            &[
                "Quiero cancelar mi pedido #W1002",
                "¿Puedo cambiar la dirección de mi pedido?",
                "Necesito devolver mi pedido",
                "¿Por qué se retrasa mi pedido?",
                "He pedido dos lámparas",
                "¿Ofrecen citas los sábados?",
                "¿Cuánto cuesta el envío?",
                "Mi pedido llegó roto.",
                "La calefacción no funciona.",
                "El técnico no vino a mi cita.",
                "¿Me pueden llamar cuando llegue mi pedido?",
                "¿Puedo recoger mi pedido en la tienda?",
                "¿Tienen citas los sábados?",
            ][..],
        ),
        (
            Language::German,
            &[
                "Ich möchte meine Bestellung stornieren",
                "Kann ich die Lieferadresse meiner Bestellung ändern?",
                "Ich will meinen Termin verschieben",
                "Warum ist meine Bestellung so spät?",
                "Wie kann ich etwas zurückschicken?",
                "Bieten Sie Termine am Samstag an?",
                "Was kostet die Lieferung?",
                "Meine Bestellung kam beschädigt an.",
                "Die Heizung ist kalt.",
                "Der Techniker ist nicht gekommen.",
                "Wo kann ich bei meinem Termin parken?",
                "Haben Sie morgen Termine frei?",
                "In meiner Bestellung fehlt ein Artikel.",
            ],
        ),
        (
            Language::French,
            &[
                "Je veux annuler ma commande #W1002",
                "Puis-je changer l'adresse de ma commande ?",
                "Je souhaite retourner ma commande",
                "Pourquoi ma commande est-elle en retard ?",
                "Comment renvoyer un article ?",
                "Proposez-vous des rendez-vous le samedi ?",
                "Combien coûte la livraison ?",
                "Ma commande est arrivée cassée.",
                "Le chauffage ne marche pas.",
                "Le technicien n'est pas venu.",
                "Où puis-je me garer pour mon rendez-vous ?",
                "Avez-vous des rendez-vous demain ?",
                "Il manque un article dans ma commande.",
            ],
        ),
        (Language::English, &["Onde está o meu pedido?", "Gdzie jest moje zamówienie?"]),
    ] {
        for message in messages {
            table.row(message, said(language, message, &account(), &[]), Answered::NotUnderstood);
        }
    }
    table.end();
}

#[test]
fn the_rest_that_was_not_understood_is_admitted_in_every_language() {
    for (language, message, rest) in [
        (
            Language::Spanish,
            "¿Dónde está mi pedido? ¿Aceptan perros?",
            "No puedo responder al resto de su mensaje.",
        ),
        (
            Language::German,
            "Wo ist mein Paket? Sind Hunde erlaubt?",
            "Den Rest Ihrer Nachricht kann ich nicht beantworten.",
        ),
        (
            Language::French,
            "Où est mon colis ? Les chiens sont-ils admis ?",
            "Je ne peux pas répondre au reste de votre message.",
        ),
    ] {
        let said = said(language, message, &account(), &[]);
        let Answered::Partly(reply) = said else { panic!("{message}: {said:?}") };
        assert!(reply.text.ends_with(rest), "{reply:?}");
    }
}

#[test]
fn politeness_is_answered_in_kind() {
    let mut table = Table::default();
    for (language, message, expected) in [
        (Language::Spanish, "Hola, buenos días", Language::Spanish.templates().how_can_i_help),
        (Language::Spanish, "Muchas gracias por su ayuda", "De nada."),
        (Language::Spanish, "Vale, perfecto", "De acuerdo."),
        (Language::German, "Guten Tag", Language::German.templates().how_can_i_help),
        (Language::German, "Vielen Dank für Ihre Hilfe!", "Gern geschehen."),
        (Language::German, "Alles klar", "Alles klar."),
        (Language::French, "Bonjour !", Language::French.templates().how_can_i_help),
        (Language::French, "Merci beaucoup pour votre aide", "Je vous en prie."),
        (Language::French, "D'accord, parfait", "D'accord."),
    ] {
        table.row(message, whole(language, message, &account(), &[]), expected.to_owned());
    }
    table.end();
}

#[test]
fn each_message_is_heard_in_its_own_language_and_answered_in_that_of_the_conversation() {
    let known = Known { facts: &account(), business: &[], now: NOW };
    let messages = ["Where is my order?", "¿Y cuándo es mi cita?"];
    let Answered::Whole(reply) = answer(&messages, Language::Spanish, known) else { panic!("not whole") };
    assert!(reply.text.starts_with("El estado de su pedido #W1002"), "{reply:?}");
    assert!(reply.text.contains("La fecha que consta para su cita A-1"), "{reply:?}");
}

#[test]
fn opening_hours_are_said_for_the_day_that_is_asked_about() {
    let mut table = Table::default();
    let (mon, sun) = ("09:00-18:00", "Please ring twice.");
    for (language, question, expected) in [
        (
            Language::English,
            "Are you open tomorrow?",
            format!("Our opening hours tomorrow (Tuesday): {mon}. {sun}"),
        ),
        (Language::English, "Are you open on Sunday?", format!("We are closed on Sunday. {sun}")),
        (Language::English, "are you open now", format!("Our opening hours today (Monday): {mon}. {sun}")),
        (
            Language::English,
            "Are you open on 24 December?",
            format!("Our opening hours on 24 December 2026: 09:00-12:00. {sun}"),
        ),
        (
            Language::English,
            "What are your hours on 26 December?",
            format!(
                "Our opening hours on Saturday: 10:00-14:00. They do not say whether 26 December 2026 is an exception. {sun}"
            ),
        ),
        (Language::Spanish, "¿Abren mañana?", format!("Nuestro horario mañana (martes): {mon}. {sun}")),
        (Language::Spanish, "¿Están abiertos el domingo?", format!("Cerramos el domingo. {sun}")),
        (
            Language::German,
            "Haben Sie morgen geöffnet?",
            format!("Unsere Öffnungszeiten morgen (Dienstag): {mon}. {sun}"),
        ),
        (Language::German, "Seid ihr am Sonntag offen?", format!("Wir haben am Sonntag geschlossen. {sun}")),
        (
            Language::French,
            "Êtes-vous ouverts demain ?",
            format!("Nos horaires d'ouverture demain (mardi)\u{a0}: {mon}. {sun}"),
        ),
        (Language::French, "C'est ouvert le dimanche ?", format!("Nous sommes fermés le dimanche. {sun}")),
    ] {
        table.row(question, whole(language, question, &account(), &hours()), expected);
    }
    table.end();
}

#[test]
fn opening_hours_are_said_whole_where_no_day_is_asked_about() {
    let mut table = Table::default();
    for (language, questions, expected) in [
        (
            Language::English,
            &[
                "What are your opening hours?",
                "When do you open?",
                "How late are you open?",
                "business hours",
            ][..],
            "Our opening hours: Monday to Friday 09:00-18:00; Saturday 10:00-14:00; Sunday closed; \
             24 December 2026 09:00-12:00. Please ring twice.",
        ),
        (
            Language::Spanish,
            &[
                "¿Cuál es su horario?",
                "¿A qué hora abren?",
                "horario de atención",
                "¿Hasta qué hora están abiertos?",
            ],
            "Nuestro horario: de lunes a viernes 09:00-18:00; sábado 10:00-14:00; domingo cerrado; \
             24 de diciembre de 2026 09:00-12:00. Please ring twice.",
        ),
        (
            Language::German,
            &[
                "Wie sind Ihre Öffnungszeiten?",
                "Wann haben Sie geöffnet?",
                "oeffnungszeiten",
                "Bis wann haben Sie auf?",
            ],
            "Unsere Öffnungszeiten: Montag bis Freitag 09:00-18:00; Samstag 10:00-14:00; Sonntag geschlossen; \
             24. Dezember 2026 09:00-12:00. Please ring twice.",
        ),
        (
            Language::French,
            &[
                "Quels sont vos horaires d'ouverture ?",
                "À quelle heure ouvrez-vous ?",
                "vos horaires",
                "Vous fermez quand ?",
            ],
            "Nos horaires d'ouverture\u{a0}: du lundi au vendredi 09:00-18:00; samedi 10:00-14:00; dimanche fermé; \
             24 décembre 2026 09:00-12:00. Please ring twice.",
        ),
    ] {
        for question in questions {
            table.row(question, Language::spoken([*question], ""), Some(language));
            table.row(question, whole(language, question, &account(), &hours()), expected.to_owned());
        }
    }
    table.end();
}

#[test]
fn a_question_that_only_sounds_like_opening_hours_is_none() {
    let mut table = Table::default();
    for message in [
        "When does the pool open?",
        "Are you open to a discount?",
        "How many hours until my food comes?",
        "Can you open my door?",
        "Sind Sie offen für einen Rabatt?",
        "¿A qué hora abre la piscina?",
        "À quelle heure ouvre la piscine ?",
        "You are open tomorrow.",
    ] {
        let language = Language::spoken([message], "").expect("a language");
        table.row(message, said(language, message, &[], &hours()), Answered::NotUnderstood);
    }
    table.end();
    let without = said(Language::English, "What are your opening hours?", &account(), &[]);
    assert_eq!(without, Answered::NotUnderstood, "nothing says them");
}

#[test]
fn opening_hours_are_read_in_any_usual_shape() {
    let mut table = Table::default();
    for (data, expected) in [
        (json!({ "text": "Mon-Fri 9-18." }), "Our opening hours: Mon-Fri 9-18."),
        (json!({ "monday": { "open": "9:00", "close": "17:00" } }), "Our opening hours: Monday 9:00-17:00."),
        (
            json!({ "Mon": ["9-12", "13-18"], "Tue": [] }),
            "Our opening hours: Monday 9-12, 13-18; Tuesday closed.",
        ),
        (
            json!({ "weekend": { "closed": true }, "weekdays": "9-18" }),
            "Our opening hours: Monday to Friday 9-18; Saturday and Sunday closed.",
        ),
        (
            json!({ "monday": "9:00-17:00", "closed": "Sunday" }),
            "Our opening hours: Monday 9:00-17:00; Sunday closed.",
        ),
        (
            json!({ "monday": "9-17", "closed": ["sat", "sun"], "holidays": "25 December" }),
            "Our opening hours: Monday 9-17; Saturday and Sunday closed. Holidays: 25 December.",
        ),
        (
            json!({ "days": { "montag": "9-18", "so": false } }),
            "Our opening hours: Monday 9-18; Sunday closed.",
        ),
        (
            json!({ "fri to mon": "by appointment" }),
            "Our opening hours: Monday by appointment; Friday to Sunday by appointment.",
        ),
    ] {
        let business = [fact("hours", "main", 1, data.clone())];
        table.row(
            &data.to_string(),
            whole(Language::English, "What are your hours?", &[], &business),
            expected.to_owned(),
        );
    }
    for data in [
        json!({}),
        json!({ "monday": null }),
        json!({ "closed": "25 December" }),
        json!({ "color": "red" }),
        json!([1]),
    ] {
        let business = [fact("hours", "main", 1, data.clone())];
        table.row(
            &data.to_string(),
            said(Language::English, "What are your hours?", &[], &business),
            Answered::NotUnderstood,
        );
    }
    let monday = [fact("hours", "main", 1, json!({ "monday": "9-18" }))];
    assert_eq!(
        whole(Language::English, "Are you open tomorrow?", &[], &monday),
        "The opening hours on record do not mention Tuesday. Our opening hours: Monday 9-18."
    );
    table.end();
}

#[test]
fn the_day_is_that_of_the_place() {
    let late = Timestamp::from_millis(NOW.millis() + 13 * 3_600_000);
    let there =
        [fact("hours", "main", 1, json!({ "monday": "9-18", "tuesday": "8-17", "utc_offset": "+02:00" }))];
    let known = Known { facts: &[], business: &there, now: late };
    let Answered::Whole(reply) = answer(&["Are you open today?"], Language::English, known) else {
        panic!("not whole")
    };
    assert_eq!(reply.text, "Our opening hours today (Tuesday): 8-17.");
    assert_eq!(reply.facts, [("hours".to_owned(), "main".to_owned())]);
}

#[test]
fn the_place_that_is_named_is_the_one_that_is_said() {
    let places = [
        fact("hours", "reception", 1, json!({ "title": "Reception", "daily": "8-20" })),
        fact("hours", "pool", 1, json!({ "title": "Pool", "daily": "10-19" })),
    ];
    let said = |question| whole(Language::English, question, &[], &places);
    assert_eq!(said("When does the pool open?"), "Pool: Our opening hours: Monday to Sunday 10-19.");
    assert_eq!(
        said("What are your opening hours?"),
        "Reception: Our opening hours: Monday to Sunday 8-20. Pool: Our opening hours: Monday to Sunday 10-19."
    );
}

#[test]
fn what_can_be_answered_is_said_honestly_in_every_language() {
    let topics = AgentVersion::built_in().topics;
    let account = account();
    let known = Known { facts: &account, business: &hours(), now: NOW };
    for (language, expected) in [
        (
            Language::English,
            "I can tell you about your orders, requests and appointments, and about our opening hours. On record for you: \
             1 order, 2 requests and 1 appointment. If you would rather talk to a person, just say so.",
        ),
        (
            Language::Spanish,
            "Puedo informarle sobre sus pedidos, solicitudes y citas, y sobre nuestro horario. En su cuenta constan: \
             1 pedido, 2 solicitudes y 1 cita. Si prefiere hablar con una persona, solo tiene que decírmelo.",
        ),
        (
            Language::German,
            "Ich kann Ihnen zu Ihren Bestellungen, Anfragen und Terminen und zu unseren Öffnungszeiten Auskunft geben. Für \
             Sie hinterlegt: 1 Bestellung, 2 Anfragen und 1 Termin. Wenn Sie lieber mit einem Menschen sprechen möchten, \
             sagen Sie es einfach.",
        ),
        (
            Language::French,
            "Je peux vous renseigner sur vos commandes, vos demandes et vos rendez-vous, ainsi que sur nos horaires \
             d'ouverture. Enregistré pour vous\u{a0}: 1 commande, 2 demandes et 1 rendez-vous. Si vous préférez parler à une \
             personne, dites-le-moi simplement.",
        ),
    ] {
        assert_eq!(can_answer(language, known, &topics), expected);
    }
}

#[test]
fn whoever_takes_the_bot_at_its_word_gets_a_person() {
    let topics = AgentVersion::built_in().topics;
    for language in Language::ALL {
        assert!(escalation(&topics, &[language.templates().person]).is_some(), "{language:?}");
    }
}

/// Everything that an answer may take a value from: messages, records and when they were so, and how many there are.
fn evidence(messages: &[&str], known: Known<'_>, language: Language) -> Source {
    let mut texts: Vec<String> = messages.iter().map(|&message| message.to_owned()).collect();
    for fact in known.facts.iter().chain(known.business) {
        texts.push(format!("{} {} {}", fact.id, fact.as_of, fact.data));
    }
    texts.extend((0..=known.facts.len()).map(|count| count.to_string()));
    texts.extend(texts_of(language.templates()).into_iter().map(str::to_owned));
    texts.extend(
        language.templates().statuses.iter().flat_map(|(_, a, b)| [(*a).to_owned(), (*b).to_owned()]),
    );
    texts.extend(language.templates().labels.iter().map(|(_, label)| (*label).to_owned()));
    Source::new(texts.iter().map(String::as_str))
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let status = prop::sample::select(vec!["shipped", "delivered", "open", "resolved", "lost at sea", ""]);
    let kind = prop::sample::select(vec!["order", "request", "appointment"]);
    (kind, "[A-Z]{1,2}-?[0-9]{3,5}", 1_u32..30, status, 1_u32..28, 0_u32..24).prop_map(
        |(kind, id, day, status, start, hour)| {
            let data = json!({ "status": status, "start": format!("2026-12-{start:02}T{hour:02}:30:00Z"),
                "eta": format!("2026-12-{start:02}"), "tracking_number": format!("JD{hour}{start}77"),
                "items": ["Desk Lamp", "Kettle"] });
            fact(kind, &id, day, data)
        },
    )
}

fn any_messages() -> impl Strategy<Value = Vec<String>> {
    let questions: Vec<&'static str> = QUESTIONS
        .iter()
        .flat_map(|(_, questions, _)| questions.iter().copied())
        .chain([
            "When do you open on Sunday?",
            "Abren mañana?",
            "¿Qué contiene mi pedido?",
            "#W9999",
            "R-17",
            "order 123?",
        ])
        .collect();
    let question = prop::sample::select(questions).prop_map(str::to_owned);
    let words = "(where is |mi |Bestellung |commande |open |R-1[0-9] |W77[0-9]{3} |[a-zäéñ?. ]{0,9}){0,6}";
    prop::collection::vec(prop_oneof![4 => question, 2 => words, 1 => "\\PC{0,40}"], 0..4)
}

proptest! {
    #[test]
    fn no_value_is_said_that_no_record_holds_and_no_hole_stays_open(
        messages in any_messages(),
        facts in prop::collection::vec(any_fact(), 0..6),
        language in prop::sample::select(Language::ALL.to_vec()),
        says_hours in any::<bool>(),
    ) {
        let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
        let business = if says_hours { hours() } else { vec![] };
        let known = Known { facts: &facts, business: &business, now: NOW };
        let evidence = evidence(&messages, known, language);
        let honest = can_answer(language, known, &[]);
        let (text, used) = match answer(&messages, language, known) {
            Answered::Whole(reply) | Answered::Partly(reply) => (reply.text, reply.facts),
            Answered::NotUnderstood => (String::new(), vec![]),
        };
        for text in [&text, &honest] {
            let invented = evidence.invented(text);
            prop_assert!(invented.is_empty(), "{:?} in {}", invented, text);
            prop_assert!(text.chars().count() < 2_000);
            let is_of_template = |hole: &str| ["{named}", "{date}", "{listed}", "{status}"].contains(&hole);
            prop_assert!(!text.split_inclusive('}').any(is_of_template) && !text.contains("  "), "{}", text);
        }
        for (kind, id) in &used {
            prop_assert!(facts.iter().chain(&business).any(|fact| fact.kind == *kind && fact.id == *id));
        }
    }
}
