//! `/v1/me/requests`: a customer's requests, those that they open and those that others opened for them.

use super::records::{moment, title};
use super::{Caller, list, words};
use crate::api::Api;
use crate::api::facts::refused;
use crate::api::messages::{known_fields, string};
use crate::api::problem::Problem;
use crate::api::request::{Request, Response};
use crate::facts::read::{is_closed, say, status};
use crate::facts::{self, Fact};
use crate::portal::{self, Closed, NewRequest, Opened};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// The longest id that a customer's side may choose, in characters.
const ID_CHARS: usize = 256;
/// What is shown of one field, in characters.
const SHOWN_CHARS: usize = 500;

const WHO: &[&str] = &["assignedto", "assignee", "handledby", "technician"];
const NOTE: &[&str] = &["lastnote", "latestnote", "latestupdate", "resolution"];
const OPENED: &[&str] = &["openedat", "opened", "createdat", "created", "reportedat"];
const CLOSED: &[&str] = &["closedat", "resolvedat", "completedat", "cancelledat", "canceledat"];
const DUE: &[&str] = &["dueat", "duedate", "due"];

/// `below` is the path below `/v1/me/requests/`.
pub(super) async fn route(
    api: &Api,
    request: &Request,
    caller: &Caller,
    below: &str,
) -> Result<Response, Problem> {
    match (request.method.as_str(), below) {
        ("GET", "") => all(api, caller).await,
        ("POST", "") => open(api, request, caller).await,
        (_, "") => Err(Problem::method_not_allowed("GET, POST")),
        (method, below) => {
            let id = below.strip_suffix("/close").ok_or_else(Problem::not_found)?;
            if method != "POST" {
                return Err(Problem::method_not_allowed("POST"));
            }
            close(api, caller, id).await
        }
    }
}

/// What is open first, then the newest.
async fn all(api: &Api, caller: &Caller) -> Result<Response, Problem> {
    let Some(contact) = caller.contact else { return Ok(list(&[])) };
    let mut facts = api.ctx.store.facts(contact, &api.ctx.limits).await?;
    facts.retain(|fact| fact.kind == "request");
    facts.sort_by_cached_key(|fact| (is_closed(fact), Reverse(fact.as_of.clone()), fact.id.clone()));
    let items: Vec<Value> = facts.iter().map(shown).collect();
    Ok(list(&items))
}

async fn open(api: &Api, request: &Request, caller: &Caller) -> Result<Response, Problem> {
    let limits = &api.ctx.limits;
    let body = request.object()?;
    known_fields(&body, &["id", "subject", "text"], "")?;
    let id = string(&body, "id", "id", ID_CHARS)?.ok_or_else(|| Problem::bad("id", "id is missing."))?;
    let subject = words(&body, "subject", (1, limits.subject_chars))?;
    let text = words(&body, "text", (1, limits.request_chars))?;
    let contact = caller.created(api).await?;
    match portal::open_request(&api.ctx, contact, &NewRequest { id, subject, text }).await? {
        Opened::New(fact) => Ok(Response::json(201, &shown(&fact))),
        Opened::Known(fact) => Ok(Response::json(200, &shown(&fact))),
        Opened::Deleted => Err(Problem::conflict("id", "The request of this id was deleted.")),
        Opened::TooManyOpen => {
            let most = limits.open_requests;
            let detail = format!("At most {most} of your requests may be open at once.");
            Err(Problem::conflict("requests", detail).with_bound(most))
        }
        Opened::Full => Err(super::full(api)),
        Opened::Gone => Err(Problem::gone()),
    }
}

async fn close(api: &Api, caller: &Caller, id: &str) -> Result<Response, Problem> {
    facts::check_key("request", id).map_err(refused)?;
    let contact = caller.contact.ok_or_else(Problem::not_found)?;
    match portal::close_request(&api.ctx, contact, id).await? {
        Closed::Done(fact) | Closed::Already(fact) => Ok(Response::json(200, &shown(&fact))),
        Closed::NoSuchRequest => Err(Problem::not_found()),
        Closed::Gone => Err(Problem::gone()),
    }
}

/// A request as its customer sees it: of the record the usual fields and no others.
fn shown(fact: &Fact) -> Value {
    let wrote = |field: &str| fact.data.get(facts::WROTE).and_then(|wrote| wrote.get(field)).cloned();
    let said = |names: &[&str]| say(fact, names, SHOWN_CHARS);
    json!({
        "id": fact.id,
        "subject": title(fact).map(Value::String).or_else(|| wrote("subject")),
        "text": wrote("text"),
        "status": status(fact),
        "open": !is_closed(fact),
        "assigned_to": said(WHO),
        "last_note": said(NOTE),
        "opened_at": moment(fact, OPENED),
        "due_at": moment(fact, DUE),
        "updated_at": fact.as_of.rfc3339(),
        "closed_at": moment(fact, CLOSED),
        "closed_by": said(&["closedby"]),
    })
}
