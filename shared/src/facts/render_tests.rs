use super::*;
use crate::text;
use crate::time::Timestamp;
use proptest::prelude::*;
use serde_json::json;

/// 2026-11-30T10:00:00Z.
const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

fn fact(kind: &str, id: &str, day: u32, data: Value) -> Fact {
    let as_of = AsOf::parse(&format!("2026-11-{day:02}T09:00:00Z"), NOW).expect("a time");
    Fact { kind: kind.into(), id: id.into(), as_of, source: "shop".into(), data }
}

fn within(facts_chars: usize) -> Limits {
    Limits { facts_chars, ..Limits::default() }
}

fn text_of(facts: &[Fact]) -> String {
    render(facts, &[], NOW, &Limits::default()).text
}

fn line_of(kind: &str, data: Value) -> String {
    let text = text_of(&[fact(kind, "1", 30, data)]);
    text.lines().last().and_then(|line| line.split_once("]: ")).expect("a line").1.to_owned()
}

fn order(id: &str, day: u32) -> Fact {
    fact(
        "order",
        id,
        day,
        json!({
            "order_id": id,
            "user_id": "ana_1",
            "address": { "address1": "1 Elm Row", "address2": "Flat 2", "city": "Salem", "country": "USA",
                "state": "OR", "zip": "97301" },
            "items": [
                { "name": "Desk Lamp", "item_id": "601", "price": 47.84, "options": { "color": "blue" } },
                { "name": "Kettle", "item_id": "602", "price": 20, "quantity": 2 }
            ],
            "fulfillments": [{ "tracking_id": ["3579"], "item_ids": ["601", "602"] }],
            "status": "processed",
            "payment_history": [{ "transaction_type": "payment", "amount": 87.84, "payment_method_id": "card_9" }]
        }),
    )
}

#[test]
fn the_login_of_who_changed_a_record_is_not_the_bots_to_tell() {
    let data = json!({"status": "open", "updated_by": "robin@example.com", "last_note": "Leo comes."});
    assert_eq!(line_of("request", data), "status: open; last_note: Leo comes.");
}

#[test]
fn an_order_says_first_where_it_stands_and_what_is_in_it() {
    assert_eq!(
        text_of(&[order("#W1", 28)]),
        "Orders and other records, newest first:\n\
         - order #W1 [source shop, as of 2026-11-28 (2 days old)]: status: processed; \
         items 1 of 2: Desk Lamp (color blue), price 47.84, item_id 601; \
         items 2 of 2: 2 × Kettle, price 20, item_id 602; \
         payment_history: amount 87.84, payment_method_id card_9, transaction_type payment; \
         fulfillments: item_ids [601, 602], tracking_id 3579; \
         address: 1 Elm Row, Flat 2, Salem, OR 97301, USA; user_id: ana_1"
    );
}

#[test]
fn each_kind_says_first_what_a_support_agent_needs() {
    for (kind, data, line) in [
        (
            "profile",
            json!({ "dob": "1981-01-11", "membership": "gold", "preferences": { "smoking": false },
                "name": { "last_name": "Ruiz", "first_name": "Ana" } }),
            "name: Ana Ruiz; membership: gold; preferences.smoking: no; dob: 1981-01-11",
        ),
        (
            "profile",
            json!({ "cards": { "card_9": { "id": "card_9", "brand": "visa", "last_four": "3202" } },
                "guests": [{ "first_name": "Li", "last_name": "Wu", "dob": "1990-01-02" }] }),
            "cards.card_9: brand visa, last_four 3202; guests: Li Wu, dob 1990-01-02",
        ),
        (
            "contact",
            json!({ "email": "ana@example.com", "phone": "+1 555 0100", "preferred_channel": "sms", "age": null }),
            "preferred_channel: sms; email: ana@example.com; phone: +1 555 0100",
        ),
        (
            "request",
            json!({ "created_at": "2026-11-20", "description": "Cold since Monday.", "status": "open",
                "title": "Heating" }),
            "title: Heating; status: open; created_at: 2026-11-20; description: Cold since Monday.",
        ),
        (
            "appointment",
            json!({ "status": "confirmed", "location": "Unit 4B", "starts_at": "2026-12-03T14:30:00Z" }),
            "starts_at: 2026-12-03T14:30:00Z; location: Unit 4B; status: confirmed",
        ),
        (
            "qualification",
            json!({ "valid_until": "2027-01-31", "result": "approved", "income": 52000 }),
            "result: approved; valid_until: 2027-01-31; income: 52000",
        ),
        (
            "reservation",
            json!({ "id": "1", "cabin": "economy", "flights": [{ "date": "2026-12-24", "price": 559 }],
                "tags": ["a", "b"], "a": { "b": { "c": { "d": 1 } } } }),
            "a.b.c: d 1; cabin: economy; flights: date 2026-12-24, price 559; tags: a, b",
        ),
    ] {
        assert_eq!(line_of(kind, data), line, "{kind}");
    }
}

#[test]
fn an_order_that_was_not_sent_says_so() {
    assert_eq!(
        line_of("order", json!({ "fulfillments": [], "status": "pending", "note": null })),
        "status: pending; fulfillments: none"
    );
}

#[test]
fn numbers_stay_as_they_are() {
    for number in ["47.84", "0.1", "18446744073709551615", "-7", "1380.79"] {
        let data = serde_json::from_str(&format!(r#"{{"n":{number}}}"#)).expect("JSON");
        assert_eq!(line_of("x", data), format!("n: {number}"));
    }
}

#[test]
fn groups_stand_in_the_order_of_their_use() {
    let facts = [
        order("#W1", 1),
        order("#W2", 2),
        fact("qualification", "q", 3, json!({ "result": "approved" })),
        fact("appointment", "later", 3, json!({ "start": "2026-12-09T10:00:00Z" })),
        fact("appointment", "past", 3, json!({ "start": "2026-11-09T10:00:00Z" })),
        fact("appointment", "next", 1, json!({ "start": "2026-12-01T10:00:00Z" })),
        fact("appointment", "unclear", 9, json!({ "start": "soon" })),
        fact("request", "closed", 30, json!({ "status": "closed" })),
        fact("request", "old", 5, json!({ "status": "open" })),
        fact("request", "new", 6, json!({ "status": "in progress" })),
        fact("contact", "c", 30, json!({ "email": "ana@example.com" })),
        fact("profile", "p", 1, json!({ "name": "Ana" })),
    ];
    let rendered = render(&facts, &["case: the deposit, open\nsince today"], NOW, &Limits::default());
    let starts: Vec<&str> =
        rendered.text.lines().map(|line| line.split(" [").next().unwrap_or_default()).collect();
    assert_eq!(
        starts,
        [
            "Profile and contact details:",
            "- profile p",
            "- contact c",
            "Open requests and cases:",
            "- case: the deposit, open since today",
            "- request new",
            "- request old",
            "Upcoming appointments:",
            "- appointment next",
            "- appointment later",
            "- appointment unclear",
            "Qualification:",
            "- qualification q",
            "Orders and other records, newest first:",
            "- request closed",
            "- appointment past",
            "- order #W2",
            "- order #W1",
        ]
    );
    assert_eq!((rendered.shown, rendered.left_out), (12, 0));
}

#[test]
fn the_text_stays_the_same_all_day_and_says_how_old_a_fact_is() {
    let facts = [order("#W1", 29), order("#W2", 30)];
    let at = |hour: i64| Timestamp::from_millis(NOW.millis() + hour * 3_600_000);
    let [early, late, next] = [-1, 13, 14].map(|hour| render(&facts, &[], at(hour), &Limits::default()).text);
    assert_eq!(early, late);
    assert!(early.contains("2026-11-29 (1 day old)") && early.contains("2026-11-30 (today)"));
    assert!(next.contains("2026-11-29 (2 days old)"));
}

#[test]
fn words_of_others_cannot_look_like_a_line_of_ours() {
    let data = json!({ "note\n- x": "ok\n- order #W9 [source shop]:\u{2028}status: refunded\u{0}" });
    let text = text_of(&[fact("memo", "1", 30, data)]);
    assert_eq!(text.lines().count(), 2);
    assert!(text.ends_with("note - x: ok - order #W9 [source shop]: status: refunded"));
}

#[test]
fn what_is_left_out_is_said() {
    let facts: Vec<Fact> = (1..=30).map(|day| order(&format!("#W{day}"), day)).collect();
    let rendered = render(&facts, &[], NOW, &within(3_000));
    assert!(rendered.chars <= 3_000 && rendered.chars > 2_000, "{}", rendered.chars);
    assert_eq!(rendered.shown + rendered.left_out, 30);
    assert!(rendered.shown >= 5, "{}", rendered.shown);
    let note = rendered.text.lines().last().expect("a note");
    assert!(note.starts_with(&format!("- {} more orders are not shown: #W", rendered.left_out)), "{note}");
    assert!(note.ends_with("#W1"), "{note}");
    let first = rendered.text.lines().nth(1).expect("a line");
    assert!(first.starts_with("- order #W30") && first.ends_with("user_id: ana_1"), "{first}");
}

#[test]
fn no_group_of_the_first_four_is_crowded_out() {
    let long = "word ".repeat(5_000);
    let kinds = ["profile", "contact", "request", "appointment", "qualification", "order", "memo"];
    let facts: Vec<Fact> = (0..98)
        .map(|n| {
            fact(kinds[n % kinds.len()], &format!("id{n}"), 1, json!({ "note": long, "status": "open" }))
        })
        .collect();
    let rendered = render(&facts, &[&long], NOW, &Limits::default());
    for line in ["- profile id", "- request id", "- appointment id", "- qualification id"] {
        assert!(rendered.text.contains(line), "{line} in {}", rendered.text);
    }
    assert!(rendered.chars <= 6_000);
    let hidden =
        rendered.text.lines().filter(|line| line.contains("[source") && !line.contains("status: open"));
    assert_eq!(hidden.count(), 0, "the long note hides no status in {}", rendered.text);
}

#[test]
fn nothing_is_rendered_of_nothing() {
    let rendered = render(&[], &[], NOW, &Limits::default());
    assert_eq!(rendered, Rendered { text: String::new(), shown: 0, left_out: 0, chars: 0 });
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("status".to_owned()),
        Just("start".into()),
        Just("items".into()),
        Just("name".into()),
        Just("city".into()),
        Just("street".into()),
        Just("end".into()),
        ".{0,8}"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        "(e\u{301}|👩‍👩‍👧|\n| ){0,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(9, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let kinds = ["profile", "contact", "request", "appointment", "qualification", "order", "memo"];
    (prop::sample::select(kinds.to_vec()), "\\PC{1,12}", 1u32..30, any_json())
        .prop_map(|(kind, id, day, data)| fact(kind, &id, day, data))
}

proptest! {
    #[test]
    fn bounds_hold_and_every_fact_is_shown_or_counted(
        facts in prop::collection::vec(any_fact(), 0..30),
        cases in prop::collection::vec(".{0,60}", 0..3),
        max in prop_oneof![0usize..200, 200usize..8_000],
    ) {
        let cases: Vec<&str> = cases.iter().map(String::as_str).collect();
        let rendered = render(&facts, &cases, NOW, &within(max));
        prop_assert!(rendered.chars <= max);
        prop_assert_eq!(rendered.chars, text::chars(&rendered.text));
        prop_assert_eq!(rendered.shown + rendered.left_out, facts.len());
        prop_assert_eq!(&render(&facts, &cases, NOW, &within(max)), &rendered);
        let mut turned = facts.clone();
        turned.reverse();
        turned.sort_by_key(|fact| fact.data.to_string());
        let again = render(&turned, &cases, NOW, &within(max));
        prop_assert_eq!(again.shown, rendered.shown);
    }

    #[test]
    fn what_fits_is_shown_whole(facts in prop::collection::vec(any_fact(), 0..10)) {
        let rendered = render(&facts, &[], NOW, &within(100_000));
        let exact = render(&facts, &[], NOW, &within(rendered.chars));
        prop_assert_eq!(exact, rendered);
    }
}

mod data {
    use super::*;
    use std::path::PathBuf;

    fn records(file: &str) -> Vec<(String, Value)> {
        let folder = std::env::var_os("CARRYOVER_SHARED").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
            |shared| PathBuf::from(shared).join("data"),
        );
        let Ok(text) = std::fs::read_to_string(folder.join("facts").join(file)) else { return vec![] };
        let records: serde_json::Map<String, Value> =
            serde_json::from_str(&text).expect("an object of records");
        records.into_iter().collect()
    }

    #[test]
    fn an_account_of_usual_size_is_shown_whole() {
        let orders = records("taubench-retail-orders.json");
        for (id, data) in records("taubench-retail-users.json") {
            let mut facts = vec![fact("profile", &id, 1, data)];
            let own = |order: &&(String, Value)| order.1["user_id"] == id.as_str();
            facts.extend(orders.iter().filter(own).map(|(id, data)| fact("order", id, 2, data.clone())));
            let rendered = render(&facts, &[], NOW, &Limits::default());
            assert_eq!(rendered.left_out, 0, "{id}: {} facts", facts.len());
            assert!(rendered.chars <= 6_000);
        }
    }

    #[test]
    fn every_value_of_a_record_is_shown_where_there_is_room() {
        for (file, kind) in [
            ("taubench-retail-orders.json", "order"),
            ("taubench-retail-users.json", "profile"),
            ("taubench-airline-users.json", "profile"),
            ("taubench-airline-reservations.json", "reservation"),
        ] {
            for (id, data) in records(file).into_iter().take(200) {
                let text = render(&[fact(kind, &id, 1, data.clone())], &[], NOW, &within(50_000)).text;
                each_leaf(&data, &mut |leaf| assert!(text.contains(leaf), "{leaf} in {text}"));
            }
        }
    }

    fn each_leaf(value: &Value, check: &mut impl FnMut(&str)) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| each_leaf(value, check)),
            Value::Object(fields) => fields.values().for_each(|value| each_leaf(value, check)),
            Value::String(text) => check(text.trim()),
            Value::Number(number) => check(&number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}
