use super::*;
use proptest::prelude::*;

/// The table of the module's documentation: text, kind and normal form; neither where nothing counts.
fn documented() -> Vec<(&'static str, Option<(&'static str, &'static str)>)> {
    let rows = include_str!("../values.rs").lines().filter_map(|line| line.strip_prefix("//! | `"));
    let cells = rows.map(|row| row.split('|').map(|cell| cell.trim().trim_matches('`')).collect::<Vec<_>>());
    cells.map(|cells| (cells[0], (cells[1] != "–").then_some((cells[1], cells[2])))).collect()
}

fn found(text: &str) -> Vec<(String, String)> {
    values(text).into_iter().map(|value| (format!("{:?}", value.kind).to_lowercase(), value.normal)).collect()
}

fn normals(text: &str) -> Vec<String> {
    values(text).into_iter().map(|value| value.normal).collect()
}

fn lost(old: &str, new: &str) -> Vec<String> {
    Source::new([new]).lost(old).into_iter().map(|value| value.normal).collect()
}

fn invented(new: &str, old: &str) -> Vec<String> {
    Source::new([old]).invented(new).into_iter().map(|value| value.normal).collect()
}

#[test]
fn the_documented_table_is_what_the_code_does() {
    let table = documented();
    assert!(table.len() > 50);
    for (text, expected) in table {
        let expected: Vec<_> =
            expected.into_iter().map(|(kind, normal)| (kind.to_owned(), normal.to_owned())).collect();
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn ids_are_found_whatever_joins_their_parts() {
    assert_eq!(normals("orders #W2611340, hm-20931 and mia_li_3668"), ["w2611340", "hm20931", "miali3668"]);
    assert_eq!(normals("reservation YAX4DR, flights HAT235 and HAT298"), ["yax4dr", "hat235", "hat298"]);
    assert_eq!(normals("my postcode is 01310-100"), ["01310100"]);
    assert_eq!(normals("ref INV/2026/0042"), ["inv20260042"]);
    assert_eq!(normals("HAT123/HAT235"), ["hat123", "hat235"]);
    assert_eq!(normals("a 3-bedroom flat on the 2nd-floor"), ["3", "2th"]);
}

#[test]
fn amounts_are_read_as_people_write_them() {
    assert_eq!(
        normals("$1.5k, $2 million, £1,000,000, ₹1,50,000"),
        ["1500 USD", "2000000 USD", "1000000 GBP", "150000 INR"]
    );
    assert_eq!(
        normals("5USD, 40€, 1200円, 10 000 kr, CHF 12.50"),
        ["5 USD", "40 EUR", "1200 JPY", "10000 KR", "12.5 CHF"]
    );
    assert_eq!(normals("rooms 1,2,3 and 4.5 of 10.0.0.1"), ["1", "2", "3", "4.5", "10.0.0.1"]);
    assert_eq!(normals("+49 (0)171 2345678"), ["+491712345678"]);
}

#[test]
fn ranges_are_two_values() {
    assert_eq!(normals("March 6–8, 2027"), ["2027-03-06", "2027-03-08"]);
    assert_eq!(normals("from 6 to 8 March"), ["--03-06", "--03-08"]);
    assert_eq!(normals("between 11-1 pm"), ["11:00", "13:00"]);
    assert_eq!(normals("2 to 4pm"), ["14:00", "16:00"]);
    assert_eq!(normals("um 18.30 Uhr oder 19 Uhr"), ["18:30", "19:00"]);
    assert_eq!(normals("5 to 7 business days"), ["5", "7"]);
}

#[test]
fn a_timestamp_is_a_date_and_a_time() {
    assert_eq!(normals("created 2026-05-05T23:00:15Z"), ["2026-05-05", "23:00"]);
    assert_eq!(normals("on 2026-05-05 at 19:00:00"), ["2026-05-05", "19:00"]);
}

#[test]
fn names_are_found_inside_sentences_and_ordinary_capitals_are_not() {
    let names = |text: &str| -> Vec<String> {
        values(text).into_iter().filter(|value| value.kind == Kind::Name).map(|value| value.normal).collect()
    };
    assert_eq!(names("My partner Oskar arrives with Ana Souza's dog."), ["oskar", "ana souza"]);
    assert_eq!(
        names("Hi Ana, this is Dr. O'Brien from Charles de Gaulle"),
        ["ana", "o'brien", "charles de gaulle"]
    );
    assert_eq!(names("MY NAME IS OSKAR AND I AM ANGRY"), ["oskar"]);
    assert_eq!(names("hi, i'm oskar. where is my parcel?"), ["oskar"]);
    assert_eq!(names("i'm happy. i'm looking. this is urgent! I'm confused and tired"), Vec::<String>::new());
    assert_eq!(names("WHERE IS MY REFUND? I WANT IT NOW"), Vec::<String>::new());
    assert_eq!(names("Me llamo José y mi esposa es Lucía"), ["josé", "lucía"]);
    assert_eq!(
        names("Thanks! Great. Perfect, see you. Unfortunately I can't. Booking confirmed"),
        Vec::<String>::new()
    );
    assert_eq!(names("The Guest wants a Refund by WhatsApp in English"), Vec::<String>::new());
}

#[test]
fn a_value_survives_in_another_form() {
    let old =
        "Ana Souza pays €1,200.50 for order #W2611340 on 3 Dec 2026 at 2:30 pm, phone +1 555 0100, 2 adults.";
    let new = "w2611340: two adults, 1.200,50 EUR, 2026-12-03 14:30, (+1) 5550100, guest souza, ana";
    assert_eq!(lost(old, new), Vec::<String>::new());
    assert_eq!(lost("tracking 357962501027, code 4471", "tracking 357962501027"), ["4471"]);
    assert_eq!(lost("Oskar arrives Sunday", "a partner arrives"), ["oskar", "sunday"]);
}

#[test]
fn a_more_precise_value_keeps_a_less_precise_one_and_not_the_other_way_round() {
    for (less, more) in [
        ("8 March", "2027-03-08"),
        ("the 8th", "8 March"),
        ("in March 2027", "2027-03-08"),
        ("Sunday", "2026-11-29"),
        ("03/12/2026", "3 Dec 2026"),
        ("at 2:30", "14:30"),
        ("555-0100", "+1 555 0100"),
        ("pays 600", "pays $600"),
        ("José", "Jose"),
        ("18h", "18:00"),
        ("Ana called", "with Ana Souza"),
    ] {
        assert_eq!(lost(less, more), Vec::<String>::new(), "{less} in {more}");
    }
    assert_eq!(lost("2027-03-08", "8 March"), ["2027-03-08"]);
    assert_eq!(lost("$600", "600"), ["600 USD"]);
    assert_eq!(lost("$600", "€600"), ["600 USD"]);
    assert_eq!(lost("with Ana Souza", "with Ana"), ["ana souza"]);
}

#[test]
fn an_invention_is_found() {
    let said = "I'm Ana, order #W2611340, $600, arriving 3 Dec 2026 at 14:30 with Oskar. Phone 925-671-3845";
    assert_eq!(invented("Order #W0000000", said), ["w0000000"]);
    assert_eq!(invented("paid $650", said), ["650 USD"]);
    assert_eq!(invented("paid €600", said), ["600 EUR"]);
    assert_eq!(invented("arrives 2026-12-04", said), ["2026-12-04"]);
    assert_eq!(invented("arrives 3 Dec 2027", said), ["2027-12-03"]);
    assert_eq!(invented("call +1 925-671-3846", said), ["+19256713846"]);
    assert_eq!(invented("arrives with Otto", said), ["otto"]);
    assert_eq!(invented("write to ana@example.com", said), ["ana@example.com"]);
    assert_eq!(invented("arrives at 15:30", said), ["15:30"]);
    assert_eq!(invented("for 5 nights", said), ["5"]);
    assert_eq!(invented("comes on Monday", said), ["monday"]);
    assert_eq!(invented("Partner: Otto", said), ["otto"]);
}

#[test]
fn a_good_summary_invents_nothing() {
    let said = "my name is ana souza. flying to NYC on march 8th at 2 in the afternoon, two adults, budget 600 dollars. \
                late checkout please. my partner oskar comes sunday, card ending in gift_card_8245350";
    let summary = "Customer Ana Souza wants Late Checkout for 2 adults. Guest flies to NYC on 2027-03-08 at 2 pm \
                   (14:00). Parking is open. Budget: $600. Partner Oskar joins on Sunday; card 8245350.";
    assert_eq!(invented(summary, said), Vec::<String>::new());
    assert_eq!(
        invented("Guest is José, arriving Monday, 8 March", "my name is jose, 8th of march"),
        Vec::<String>::new()
    );
    assert_eq!(invented("on Thursday, 3 Dec 2026 at 18:00", "2026-12-03, 18h"), Vec::<String>::new());
    assert_eq!(
        invented("Language: Portuguese\nCabin: Economy\nGuest prefers WhatsApp", "olá"),
        Vec::<String>::new()
    );
    assert_eq!(invented("Visit at 2:30 pm", "let us say 2:30"), Vec::<String>::new());
    assert_eq!(invented("Guest is travelling with +49 171 2345678", "0171 2345678"), Vec::<String>::new());
}

#[test]
fn sentences_of_lost_values_come_once_and_in_order() {
    let text = "Hello. Oskar has code 4471! Bye.\nOrder W2611340";
    let lost = values(text);
    assert_eq!(sentences_of(text, &lost), ["Oskar has code 4471!", "Order W2611340"]);
    assert_eq!(sentence_of(text, lost.last().unwrap()), "Order W2611340");
}

#[test]
fn digits_of_other_scripts_and_invisible_marks_change_nothing() {
    assert_eq!(normals("رمز ٤٤٧١"), ["4471"]);
    assert_eq!(normals("ｗ２６１１３４０"), ["ｗ2611340"]);
    assert_eq!(normals("\u{202a}+1 555\u{a0}0100\u{202c}"), ["+15550100"]);
    assert_eq!(normals("12月3日 下午"), ["--12-03"]);
    assert_eq!(normals("Мы увидим Олега 3 декабря 2026 г."), ["олега", "2026-12-03"]);
}

#[test]
fn hostile_texts_take_linear_time() {
    let started = std::time::Instant::now();
    for unit in [
        "1",
        "1 ",
        "1,",
        "1.",
        "1-",
        "a",
        "A",
        "A ",
        "a@",
        "a.b@",
        "(",
        "+",
        "+1",
        "#",
        "http://",
        "$",
        "/",
        "10:",
        "W1-",
        "Ana ",
        "Ana de ",
        "3 Dec ",
        "a\u{301}",
        "👨‍👩‍👧",
        "١",
        "年",
        "1年",
        "我叫",
        "'",
        "a'",
        "www.a",
        "Rua A ",
        "12 A St ",
    ] {
        let text = unit.repeat(20_000 / unit.len());
        let source = Source::new([text.as_str()]);
        assert!(source.lost(&text).is_empty(), "{unit}");
    }
    let marks = format!("Ana\u{301}{}", "\u{301}".repeat(100_000));
    assert!(values(&marks).len() <= 1);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,6}",
        "[0-9]{1,5}",
        "[-+#$€/.,:'() \n]{1,2}",
        "[A-Z][a-z]{1,6}",
        prop::sample::select(vec![
            " am",
            "pm",
            " Dec ",
            "March",
            "2026",
            " de ",
            "st",
            "my name is ",
            "EUR",
            "W2611340",
            "年",
            "月",
            "日",
            "@",
            ".com",
            "https://",
            "Rua ",
            " Street",
            "T14:30",
            "\u{301}",
            "٣",
            "k",
            "%",
            " of ",
            " to ",
            "–",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_text_keeps_and_says_its_own_values(text in any_text()) {
        let source = Source::new([text.as_str()]);
        for value in values(&text) {
            prop_assert!(source.keeps(&value) && source.occurs(&value), "{value:?}");
        }
    }

    #[test]
    fn values_are_in_order_and_never_overlap(text in any_text()) {
        let mut end = 0;
        for value in values(&text) {
            prop_assert!(value.start >= end && !value.text.is_empty());
            prop_assert_eq!(text.get(value.span()), Some(value.text));
            prop_assert!(!value.normal.is_empty());
            prop_assert!(sentence_of(&text, &value).len() <= text.len());
            end = value.span().end;
        }
    }
}

/// Real conversations, where the folder with them is at hand.
mod data {
    use super::*;
    use std::path::PathBuf;

    /// The conversations' texts, a conversation each; nothing where there are none.
    fn conversations(file: &str) -> Vec<(String, serde_json::Value)> {
        let near = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
        let shared = std::env::var_os("CARRYOVER_SHARED").map_or_else(near, PathBuf::from);
        let lines = std::fs::read_to_string(shared.join("data/conversations").join(file)).unwrap_or_default();
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|json| (said(&json), json))
            .collect()
    }

    fn said(conversation: &serde_json::Value) -> String {
        let turns = conversation["turns"].as_array().unwrap();
        let spoken = turns.iter().filter(|turn| !turn["role"].as_str().unwrap().starts_with("tool"));
        spoken.map(|turn| turn["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn order_numbers_and_user_names_of_shops_and_airlines_are_ids() {
        for (text, json) in conversations("taubench-airline.jsonl") {
            let user = json["user_id"].as_str().unwrap();
            let ids: Vec<_> = values(&text).into_iter().filter(|value| value.kind == Kind::Id).collect();
            assert!(!text.contains(user) || ids.iter().any(|id| id.text == user), "{user}");
        }
        for (text, _) in conversations("taubench-fewshot-retail.jsonl") {
            let orders = text.matches("#W").count();
            assert_eq!(values(&text).iter().filter(|value| value.text.starts_with("#W")).count(), orders);
        }
    }

    #[test]
    fn dates_and_times_that_a_conversation_agreed_on_occur_in_it() {
        let (mut asked, mut missed) = (0, Vec::new());
        for (text, json) in conversations("sgd.jsonl") {
            let source = Source::new([text.as_str()]);
            let agreed = json["final_facts"].as_object().unwrap();
            for (slot, fact) in
                agreed.iter().filter(|(slot, _)| slot.contains("date") || slot.contains("time"))
            {
                asked += 1;
                let fact = fact.as_str().unwrap_or_default();
                missed.extend(source.invented(fact).iter().map(|value| format!("{slot}: {}", value.normal)));
            }
        }
        assert!(missed.len() * 20 <= asked, "{missed:?}");
    }
}
