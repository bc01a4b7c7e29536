//! `/v1/contacts/{identity}/facts/{kind}/{id}`: account systems push what their records say.

use super::problem::Problem;
use super::request::{Request, Response};
use super::{Api, auth};
use crate::contact::{ContactId, Identity};
use crate::facts::{self, AsOf, Fact, FactError};
use crate::limits::Limits;
use crate::store::{FactWrite, StoreError};
use serde_json::{Map, Value, json};

/// Where a fact stands in a path.
struct Place<'p> {
    identity: Identity,
    kind: &'p str,
    id: &'p str,
}

/// `rest` is the path below `/v1/contacts/`.
pub(super) async fn route(api: &Api, request: &Request, rest: &str) -> Result<Response, Problem> {
    auth::system(&api.credentials, request)?;
    if let Some(identity) = rest.strip_suffix("/facts").filter(|identity| !identity.contains("/facts/")) {
        return match request.method.as_str() {
            "GET" => list(api, &parse(identity)?).await,
            _ => Err(Problem::method_not_allowed("GET")),
        };
    }
    let place = place(rest)?;
    match request.method.as_str() {
        "PUT" => put(api, request, &place).await,
        "GET" => get(api, &place).await,
        "DELETE" => delete(api, request, &place).await,
        _ => Err(Problem::method_not_allowed("GET, PUT, DELETE")),
    }
}

/// Identities and ids may contain slashes, kinds may not.
///
/// A path in which `/facts/` stands twice is refused: whoever chooses their own id at the host site could make a
/// record of theirs one of another contact (*isolation*).
fn place(rest: &str) -> Result<Place<'_>, Problem> {
    let (identity, fact) = rest.split_once("/facts/").ok_or_else(Problem::not_found)?;
    if fact.contains("/facts/") || fact.starts_with("facts/") {
        return Err(Problem::bad("path", "path must contain /facts/ once, or it names two contacts."));
    }
    let (kind, id) = fact.split_once('/').ok_or_else(Problem::not_found)?;
    facts::check_key(kind, id).map_err(refused)?;
    Ok(Place { identity: parse(identity)?, kind, id })
}

fn parse(identity: &str) -> Result<Identity, Problem> {
    identity.parse().map_err(|error| Problem::bad("identity", format!("{error}.")))
}

async fn list(api: &Api, identity: &Identity) -> Result<Response, Problem> {
    let facts = match api.ctx.store.resolve(identity).await? {
        Some(contact) => api.ctx.store.facts(contact, &api.ctx.limits).await?,
        None => vec![],
    };
    let items: Vec<Value> = facts.iter().map(shown).collect();
    Ok(Response::json(200, &json!({"items": items, "next": null})))
}

async fn get(api: &Api, place: &Place<'_>) -> Result<Response, Problem> {
    let contact = api.ctx.store.resolve(&place.identity).await?.ok_or_else(Problem::not_found)?;
    let fact = api.ctx.store.fact(contact, place.kind, place.id).await?.ok_or_else(Problem::not_found)?;
    Ok(Response::json(200, &shown(&fact)))
}

async fn put(api: &Api, request: &Request, place: &Place<'_>) -> Result<Response, Problem> {
    let limits = &api.ctx.limits;
    let fact = pushed(api, request, (place.kind, place.id), limits)?;
    let contact = contact(api, &place.identity).await?;
    let outcome = match api.ctx.store.put_fact(contact, &fact, limits).await? {
        // Erased, or joined into another, since the identity was looked up.
        FactWrite::Gone => {
            let contact = self::contact(api, &place.identity).await?;
            api.ctx.store.put_fact(contact, &fact, limits).await?
        }
        outcome => outcome,
    };
    written(api, &fact, outcome)
}

/// The fact that a request pushes.
pub(super) fn pushed(
    api: &Api,
    request: &Request,
    (kind, id): (&str, &str),
    limits: &Limits,
) -> Result<Fact, Problem> {
    let body = request.object()?;
    if let Some(unknown) = body.keys().find(|field| !["as_of", "data"].contains(&field.as_str())) {
        let field = crate::text::head(unknown, 64);
        return Err(Problem::bad(field, format!("{field} is not a field; known are as_of, data.")));
    }
    let data = body.get("data").cloned().ok_or_else(|| Problem::bad("data", "data is missing."))?;
    let as_of = as_of(api, body_as_of(&body)?)?;
    Fact::checked(kind, id, as_of, "api", data, limits).map_err(refused)
}

pub(super) fn written(api: &Api, fact: &Fact, outcome: FactWrite) -> Result<Response, Problem> {
    match outcome {
        FactWrite::Created => Ok(Response::json(201, &shown(fact))),
        FactWrite::Done => Ok(Response::json(200, &shown(fact))),
        lost => Err(conflict(api, lost)),
    }
}

async fn delete(api: &Api, request: &Request, place: &Place<'_>) -> Result<Response, Problem> {
    let as_of = as_of(api, &as_of_of_deletion(request)?)?;
    let contact = contact(api, &place.identity).await?;
    let now = api.ctx.clock.now();
    match api.ctx.store.delete_fact(contact, place.kind, place.id, &as_of, now).await? {
        FactWrite::Created | FactWrite::Done => Ok(Response::empty(204)),
        lost => Err(conflict(api, lost)),
    }
}

/// Since when what a request deletes is gone, as the request gives it.
pub(super) fn as_of_of_deletion(request: &Request) -> Result<String, Problem> {
    match request.query("as_of") {
        Some(given) => Ok(given.to_owned()),
        None if request.body.is_empty() => Ok(String::new()),
        None => body_as_of(&request.object()?).map(str::to_owned),
    }
}

fn body_as_of(body: &Map<String, Value>) -> Result<&str, Problem> {
    match body.get("as_of") {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(given)) => Ok(given),
        Some(_) => Err(refused(FactError::AsOfUnreadable)),
    }
}

pub(super) fn as_of(api: &Api, given: &str) -> Result<AsOf, Problem> {
    AsOf::parse(given, api.ctx.clock.now()).map_err(refused)
}

pub(super) fn conflict(api: &Api, lost: FactWrite) -> Problem {
    let limit = api.ctx.limits.facts_items;
    match lost {
        FactWrite::Older => Problem::conflict("as_of", "A newer record is stored, or was deleted since."),
        FactWrite::Contradicts => {
            Problem::conflict("as_of", "A record of the same as_of is stored, and its data is other.")
        }
        FactWrite::Full => {
            Problem::conflict("facts", format!("A contact has at most {limit} facts.")).with_bound(limit)
        }
        _ => Problem::gone(),
    }
}

pub(super) fn refused(error: FactError) -> Problem {
    let detail = format!("{error}.");
    let field = detail.split(' ').next().unwrap_or("body").to_owned();
    match error {
        FactError::DataTooLarge { max, .. } => Problem::bad(&field, detail).with_bound(max),
        _ => Problem::bad(&field, detail),
    }
}

/// The contact, created if need be.
pub(super) async fn contact(api: &Api, identity: &Identity) -> Result<ContactId, Problem> {
    let ctx = &api.ctx;
    for _ in 0..2 {
        if let Some(contact) = ctx.store.resolve(identity).await? {
            return Ok(contact);
        }
        let contact = ContactId::new(ctx.clock.ulid());
        if ctx.store.create_contact(contact, identity).await? {
            return Ok(contact);
        }
    }
    Err(StoreError::Contended.into())
}

pub(super) fn shown(fact: &Fact) -> Value {
    json!({
        "kind": fact.kind,
        "id": fact.id,
        "as_of": fact.as_of.rfc3339(),
        "source": fact.source,
        "data": fact.data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_and_ids_may_contain_slashes() {
        let place = place("telegram:bot/9/facts/order/a/b").expect("a place");
        assert_eq!((place.identity.as_str(), place.kind, place.id), ("telegram:bot/9", "order", "a/b"));
    }

    #[test]
    fn isolation_a_path_names_one_contact() {
        // What customers who call themselves `ana/facts`, or worse, would make of their records.
        for path in ["chat:ana/facts/facts/order/1", "chat:ana/facts/profile/x/facts/order/1"] {
            assert_eq!(place(path).err().map(|problem| problem.status), Some(400), "{path}");
        }
    }
}
