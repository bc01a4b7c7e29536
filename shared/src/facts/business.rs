//! Facts of the business: hours, policies and units. They rank as facts (*truth-ranks*); one that is tied to a unit
//! concerns only contacts whose stay names that unit (*isolation*).

use super::Fact;
use super::read::{When, bare_name, is_closed, is_empty, is_named, status, time_of};
use crate::text;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The kind whose id is a unit.
const UNIT: &str = "unit";

/// The fields by which a fact of the business is tied to units, the surest first.
const TIES: &[&str] = &["unitid", "unitids", "unit", "units", "unitname", "unitnumber"];

/// The kinds of records that are stays. Requests are none: customers open them, and could name any unit.
const STAYS: &[&str] =
    &["appointment", "booking", "lease", "order", "profile", "rental", "reservation", "stay", "tenancy"];

/// The fields in which a stay names its unit, the surest first.
const UNITS: &[&str] = &[
    "unitid",
    "unitids",
    "unit",
    "units",
    "unitname",
    "unitnumber",
    "apartmentid",
    "apartment",
    "apartments",
    "apartmentname",
    "apartmentnumber",
    "roomid",
    "room",
    "rooms",
    "roomname",
    "roomnumber",
    "propertyid",
    "property",
    "properties",
    "propertyname",
];

/// The fields by which an object names itself, the surest first.
const NAMES: &[&str] = &["id", "name", "number", "label", "title"];

/// The fields that say when a stay is over.
const OVER: &[&str] = &[
    "end",
    "endsat",
    "endat",
    "endtime",
    "enddate",
    "ends",
    "until",
    "to",
    "checkout",
    "checkoutat",
    "checkoutdate",
    "departure",
    "departureat",
    "departuredate",
    "validuntil",
    "expiresat",
    "leaseend",
    "moveout",
    "moveoutdate",
];

/// The states of a record that is no stay any more, or not yet one, as bare letters.
const NO_STAY: &[&str] = &[
    "awaitingpayment",
    "checkedout",
    "departed",
    "draft",
    "ended",
    "enquiry",
    "inquiry",
    "left",
    "movedout",
    "onhold",
    "past",
    "pending",
    "pendingpayment",
    "quote",
    "quoted",
    "requested",
    "tentative",
    "terminated",
    "unconfirmed",
    "unpaid",
    "waitlisted",
];

/// The facts of the business that concern a contact with these records: what is tied to no unit, and what is tied to
/// one that a stay of theirs names, which is confirmed and not over.
pub fn of_business(business: &[Fact], records: &[Fact], now: Timestamp) -> Vec<Fact> {
    let stays = records.iter().filter(|record| is_stay(record, now));
    let named: HashSet<String> =
        stays.filter_map(|stay| stay.data.as_object()).flat_map(|fields| units(fields, UNITS)).collect();
    let concerns = |fact: &&Fact| match tie(fact) {
        Tie::None => true,
        Tie::To(units) => units.iter().any(|unit| named.contains(unit)),
        Tie::Unreadable => false,
    };
    business.iter().filter(concerns).cloned().collect()
}

/// What a fact of the business is tied to.
enum Tie {
    /// The business as a whole.
    None,
    /// Units by these names.
    To(Vec<String>),
    /// A unit, but nobody can say which.
    Unreadable,
}

fn tie(fact: &Fact) -> Tie {
    let Some(fields) = fact.data.as_object() else { return Tie::Unreadable };
    let tied = |(field, value): &(&String, &Value)| is_one_of(field, TIES) && !is_empty(value);
    let ties: Vec<&Value> = fields.iter().filter(tied).map(|(_, value)| value).collect();
    if !ties.iter().all(|value| is_readable(value)) {
        return Tie::Unreadable;
    }
    if fact.kind == UNIT {
        let other_names = units(fields, TIES).into_iter().chain(units(fields, &["name"]));
        let lettered = other_names.filter(|name| !is_number(name));
        return Tie::To(std::iter::once(normal(&fact.id)).chain(lettered).collect());
    }
    if ties.is_empty() { Tie::None } else { Tie::To(units(fields, TIES)) }
}

/// One unit by its names, or several by one name each. What lists objects says something of each of its units, so
/// nobody may see all of it.
fn is_readable(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().all(|value| scalar(value).is_some()),
        _ => !names(value).is_empty(),
    }
}

fn is_stay(record: &Fact, now: Timestamp) -> bool {
    let state = status(record).map(|status| bare_name(&status));
    let ends = time_of(record, OVER).map(When::latest);
    STAYS.contains(&record.kind.as_str())
        && !is_closed(record)
        && state.is_none_or(|state| !NO_STAY.contains(&state.as_str()))
        && ends.is_none_or(|end| end > now)
}

/// The units that these fields of a record name. Names with a letter count wherever they stand; bare numbers count
/// where the surest of the fields has one, since 12 may be one unit's id, another's number and a property's too.
fn units(record: &Map<String, Value>, fields: &[&str]) -> Vec<String> {
    let mut units: Vec<String> = vec![];
    let mut has_number = false;
    for field in fields {
        let values = record.iter().filter(|(name, _)| is_named(name, field));
        let found: Vec<String> = values.flat_map(|(_, value)| names(value)).collect();
        let had_number = has_number;
        has_number |= found.iter().any(|name| is_number(name));
        units.extend(found.into_iter().filter(|name| !had_number || !is_number(name)));
    }
    units
}

/// The names that a value gives one unit, or each of several.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(names).collect(),
        Value::Object(fields) => units_of_object(fields),
        _ => scalar(value).into_iter().collect(),
    }
}

fn units_of_object(fields: &Map<String, Value>) -> Vec<String> {
    let scalars: Map<String, Value> = fields
        .iter()
        .filter(|(_, value)| scalar(value).is_some())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    units(&scalars, NAMES)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(normal(name)).filter(|name| !name.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_number(name: &str) -> bool {
    !name.chars().any(char::is_alphabetic)
}

/// The same name however it is typed. Only case and white space do not count: `1-12` and `11-2` are two units.
fn normal(name: &str) -> String {
    text::collapse_whitespace(&name.to_lowercase())
}

fn is_one_of(field: &str, names: &[&str]) -> bool {
    names.iter().any(|name| is_named(field, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use proptest::prelude::*;
    use serde_json::json;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn fact(kind: &str, id: &str, data: Value) -> Fact {
        Fact { kind: kind.into(), id: id.into(), as_of: AsOf::from(NOW), source: "desk".into(), data }
    }

    /// Whether somebody with this record is shown this fact of the business.
    fn is_shown(record: (&str, Value), (kind, id, data): (&str, &str, Value)) -> bool {
        let records = [fact(record.0, "1", record.1)];
        !of_business(&[fact(kind, id, data)], &records, NOW).is_empty()
    }

    #[test]
    fn what_is_tied_to_no_unit_concerns_everybody() {
        for data in [json!({"open": "9-17"}), json!({"unit": null, "pets": "no"}), json!({"units": []})] {
            assert_eq!(of_business(&[fact("policy", "p", data)], &[], NOW).len(), 1);
        }
    }

    #[test]
    fn a_unit_concerns_whoever_stays_there() {
        let wifi = || ("unit", "Alba", json!({"wifi": "sun-42"}));
        let policy = || ("policy", "p", json!({"unit": {"id": 7, "name": "Alba"}, "checkout": "11:00"}));
        for stay in [
            ("stay", json!({"unit": " ALBA "})),
            ("appointment", json!({"unit": {"name": "Alba"}, "end": "2026-12-04T11:00:00Z"})),
            ("reservation", json!({"apartment": "Alba", "check_out": "2026-11-30", "status": "confirmed"})),
            ("booking", json!({"rooms": ["Brisa", "alba"]})),
            ("profile", json!({"unitName": "Alba", "unit_id": 7})),
        ] {
            assert!(is_shown(stay.clone(), wifi()), "{stay:?}");
            assert!(is_shown(stay.clone(), policy()), "{stay:?}");
        }
        assert!(is_shown(("stay", json!({"unit_id": 7})), policy()));
        assert!(is_shown(("stay", json!({"unit": "Alba"})), ("unit", "7", json!({"name": "Alba"}))));
    }

    #[test]
    fn a_unit_concerns_nobody_else() {
        let wifi = || ("unit", "Alba", json!({"wifi": "sun-42"}));
        for record in [
            ("stay", json!({"unit": "Brisa"})),
            ("stay", json!({"unit": "Alba 2"})),
            ("stay", json!({"note": "Alba"})),
            ("stay", json!({"unit": "Alba", "status": "cancelled"})),
            ("stay", json!({"unit": "Alba", "status": "Checked out"})),
            ("stay", json!({"unit": "Alba", "status": "inquiry"})),
            ("stay", json!({"unit": "Alba", "check_out": "2026-11-28"})),
            ("appointment", json!({"unit": "Alba", "end": "2026-11-30T09:59:59Z"})),
            ("request", json!({"unit": "Alba", "status": "open"})),
        ] {
            assert!(!is_shown(record.clone(), wifi()), "{record:?}");
        }
    }

    #[test]
    fn a_number_is_the_number_of_one_thing_only() {
        let three = || ("unit", "3", json!({"wifi": "sun-42"}));
        assert!(is_shown(("stay", json!({"unit_number": 3})), three()));
        assert!(!is_shown(("stay", json!({"unit_id": 12, "unit_number": 3})), three()));
        assert!(!is_shown(("stay", json!({"unit": {"id": 12, "number": 3}})), three()));
        assert!(!is_shown(("stay", json!({"room": 12, "property_id": 3})), three()));
        assert!(!is_shown(("stay", json!({"unit": "11-2"})), ("unit", "1-12", json!({}))));
    }

    #[test]
    fn what_says_something_of_several_units_in_one_record_is_shown_to_nobody() {
        let units = json!({"units": [{"name": "Alba", "wifi": "a"}, {"name": "Brisa", "wifi": "b"}]});
        assert!(!is_shown(("stay", json!({"unit": "Alba"})), ("wifi", "all", units)));
        let shared = json!({"units": ["Alba", "Brisa"], "bins": "Tuesday"});
        assert!(is_shown(("stay", json!({"unit": "Alba"})), ("policy", "bins", shared)));
    }

    proptest! {
        #[test]
        fn isolation_a_contact_never_sees_a_fact_of_another_unit(
            own in "[a-cA-C1-3]{1,2}",
            others in prop::collection::vec("[a-cA-C1-3]{1,2}", 1..8),
            field in prop::sample::select(vec!["unit", "unit_id", "room", "unitName"]),
        ) {
            let tied = |n: usize, unit: &String| match n % 3 {
                0 => fact("unit", unit, json!({"wifi": n})),
                1 => fact("policy", &n.to_string(), json!({"unit": unit})),
                _ => fact("policy", &n.to_string(), json!({"unit": {"name": unit}})),
            };
            let business: Vec<Fact> = others.iter().enumerate().map(|(n, unit)| tied(n, unit)).collect();
            let shown = of_business(&business, &[fact("stay", "1", json!({field: own}))], NOW);
            let same: Vec<&Fact> = business.iter().zip(&others)
                .filter(|(_, unit)| unit.eq_ignore_ascii_case(&own)).map(|(fact, _)| fact).collect();
            prop_assert_eq!(shown.iter().collect::<Vec<_>>(), same);
        }
    }
}
