//! `/v1/me`: what the portal shows a customer of their own, and what they open, rate and set there.
//!
//! Whose it is comes from the token and from nothing else (*isolation*).

mod feedback;
mod records;
mod requests;
mod settings;

use super::problem::Problem;
use super::request::{Request, Response};
use super::{Api, auth};
use crate::contact::{ContactId, Identity};
use crate::rules;
use crate::text;
use serde_json::{Map, Value, json};

/// The customer whom a token names.
struct Caller {
    identity: Identity,
    /// None before they have written, opened or set anything.
    contact: Option<ContactId>,
}

impl Caller {
    /// The contact, created if need be.
    async fn created(&self, api: &Api) -> Result<ContactId, Problem> {
        match self.contact {
            Some(contact) => Ok(contact),
            None => super::facts::contact(api, &self.identity).await,
        }
    }
}

/// `rest` is the path below `/v1/me`, without a slash before it.
pub(super) async fn route(api: &Api, request: &Request, rest: &str) -> Result<Response, Problem> {
    let identity = auth::customer(&api.credentials, request)?;
    let contact = api.ctx.store.resolve(&identity).await?;
    let caller = Caller { identity, contact };
    let (section, below) = rest.split_once('/').unwrap_or((rest, ""));
    match (request.method.as_str(), section, below) {
        ("GET", "", "") => me(api, &caller).await,
        (_, "", "") => Err(Problem::method_not_allowed("GET")),
        (_, "requests", below) => requests::route(api, request, &caller, below).await,
        ("GET", "orders", "") => records::orders(api, &caller).await,
        (_, "orders", "") => Err(Problem::method_not_allowed("GET")),
        (_, "feedback", below) => feedback::route(api, request, &caller, below).await,
        (_, "settings", "") => settings::route(api, request, &caller).await,
        _ => Err(Problem::not_found()),
    }
}

/// Profiles that are read for a name.
const PROFILES: usize = 5;

/// Who they are, and what they have set.
async fn me(api: &Api, caller: &Caller) -> Result<Response, Problem> {
    let store = &api.ctx.store;
    let Some(contact) = caller.contact else {
        let settings = settings::shown(&crate::portal::Settings::default());
        return Ok(Response::json(
            200,
            &json!({"name": null, "identities": [caller.identity], "settings": settings}),
        ));
    };
    let (identities, profiles, settings) = futures::try_join!(
        store.identities(contact),
        store.profiles(contact, PROFILES),
        crate::portal::settings(&api.ctx, contact)
    )?;
    let settings = settings::shown(&settings.ok_or_else(Problem::gone)?);
    let name = rules::name_of(&profiles);
    Ok(Response::json(200, &json!({"name": name, "identities": identities, "settings": settings})))
}

/// There is no room for another record.
fn full(api: &Api) -> Problem {
    super::facts::conflict(api, crate::store::FactWrite::Full)
}

/// A whole list.
fn list(items: &[Value]) -> Response {
    Response::json(200, &json!({"items": items, "next": null}))
}

/// A text of 1 to `max` characters over any number of lines, or none where `least` is 0.
fn words(body: &Map<String, Value>, field: &str, (least, max): (usize, usize)) -> Result<String, Problem> {
    let given = match body.get(field) {
        None | Some(Value::Null) => "",
        Some(Value::String(given)) => given.trim(),
        Some(_) => return Err(Problem::bad(field, format!("{field} must be a string."))),
    };
    let chars = text::chars(given);
    if !(least..=max).contains(&chars) {
        let detail = format!("{field} must have {least} to {max} characters; it has {chars}.");
        return Err(Problem::bad(field, detail).with_bound(max));
    }
    Ok(given.to_owned())
}
