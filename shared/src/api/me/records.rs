//! `/v1/me/orders`: a customer's orders and upcoming appointments, as the records say; read only.

use super::{Caller, list};
use crate::api::Api;
use crate::api::problem::Problem;
use crate::api::request::Response;
use crate::facts::Fact;
use crate::facts::inline::say_value;
use crate::facts::read::{When, field, is_upcoming, phrase, say, starts, status, time_of};
use chrono::SecondsFormat;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// What is shown of one field, in characters.
const SHOWN_CHARS: usize = 200;
/// Items that are shown of one order.
const ITEMS: usize = 50;

const TITLE: &[&str] = &["title", "subject", "summary", "name"];
const PLACED: &[&str] = &["orderedat", "orderdate", "placedat", "createdat", "created"];
const TOTAL: &[&str] = &["total", "totalamount", "totalprice", "grandtotal", "amount"];
const ARRIVES: &[&str] =
    &["estimateddelivery", "expecteddelivery", "deliverydate", "eta", "arrives", "arrivesat", "deliveredat"];
const TRACKING: &[&str] = &["trackingnumber", "trackingid", "tracking"];
const PLACE: &[&str] = &["location", "place", "venue", "where", "room", "unit", "address"];

/// Upcoming appointments, the next one first, then orders, the newest first.
pub(super) async fn orders(api: &Api, caller: &Caller) -> Result<Response, Problem> {
    let Some(contact) = caller.contact else { return Ok(list(&[])) };
    let facts = api.ctx.store.facts(contact, &api.ctx.limits).await?;
    let now = api.ctx.clock.now();
    let (mut orders, mut appointments) = (vec![], vec![]);
    for fact in facts {
        match fact.kind.as_str() {
            "order" => orders.push(fact),
            "appointment" if is_upcoming(&fact, now) => appointments.push(fact),
            _ => {}
        }
    }
    orders.sort_by_cached_key(|fact| (Reverse(fact.as_of.clone()), fact.id.clone()));
    appointments.sort_by_key(|fact| starts(fact).map_or(i64::MAX, |start| start.earliest().millis()));
    let items: Vec<Value> = appointments.iter().map(appointment).chain(orders.iter().map(order)).collect();
    Ok(list(&items))
}

fn order(fact: &Fact) -> Value {
    json!({
        "kind": fact.kind,
        "id": fact.id,
        "status": status(fact),
        "as_of": fact.as_of.rfc3339(),
        "placed_at": moment(fact, PLACED),
        "items": items(fact),
        "total": value(fact, TOTAL),
        "currency": value(fact, &["currency"]),
        "arrives": moment(fact, ARRIVES).or_else(|| value(fact, ARRIVES)),
        "carrier": value(fact, &["carrier"]),
        "tracking": value(fact, TRACKING),
    })
}

fn appointment(fact: &Fact) -> Value {
    json!({
        "kind": fact.kind,
        "id": fact.id,
        "title": title(fact),
        "status": status(fact),
        "as_of": fact.as_of.rfc3339(),
        "starts": starts(fact).map(written),
        "place": value(fact, PLACE),
    })
}

/// What a record is called.
pub(super) fn title(fact: &Fact) -> Option<String> {
    say(fact, TITLE, SHOWN_CHARS)
}

/// A time as a record gives it: RFC 3339 where it is a point in time, else as a wall clock or a calendar says it.
pub(super) fn moment(fact: &Fact, names: &[&str]) -> Option<String> {
    time_of(fact, names).map(written)
}

fn written(when: When) -> String {
    match when {
        When::Exact(time) => time.to_rfc3339_opts(SecondsFormat::AutoSi, true),
        When::Local(time) => time.format("%Y-%m-%dT%H:%M").to_string(),
        When::Day(day) => day.to_string(),
    }
}

fn value(fact: &Fact, names: &[&str]) -> Option<String> {
    let (_, value) = field(fact.data.as_object()?, names)?;
    let said = phrase(value, SHOWN_CHARS).unwrap_or_else(|| say_value(value, SHOWN_CHARS));
    Some(said).filter(|said| !said.is_empty())
}

fn items(fact: &Fact) -> Vec<String> {
    let found = fact.data.as_object().and_then(|fields| field(fields, &["items", "lineitems", "products"]));
    let items = found.and_then(|(_, items)| items.as_array()).into_iter().flatten().take(ITEMS);
    items.map(|item| named(item).unwrap_or_else(|| say_value(item, SHOWN_CHARS))).collect()
}

/// `2 × Lamp`: what customers know an item by.
fn named(item: &Value) -> Option<String> {
    let fields = item.as_object()?;
    let said = |names: &[&str]| field(fields, names).map(|(_, value)| say_value(value, SHOWN_CHARS));
    let name = said(&["name", "title", "product", "productname", "description", "sku"])?;
    Some(match said(&["quantity", "qty", "count"]) {
        Some(count) => format!("{count} × {name}"),
        None => name,
    })
}
