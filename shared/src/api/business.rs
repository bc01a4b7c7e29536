//! `/v1/agents/{agent}/facts/{kind}/{id}`: systems push what the business says of itself.

use super::facts::{as_of, as_of_of_deletion, pushed, refused, shown, written};
use super::problem::Problem;
use super::request::{Request, Response};
use super::{Api, auth};
use crate::agent;
use crate::facts;
use crate::store::FactWrite;
use serde_json::{Value, json};

/// Where a fact of a business stands in a path.
struct Place<'p> {
    agent: &'p str,
    kind: &'p str,
    id: &'p str,
}

/// `rest` is the path below `/v1/agents/`.
pub(super) async fn route(api: &Api, request: &Request, rest: &str) -> Result<Response, Problem> {
    auth::system(&api.credentials, request)?;
    let (agent, rest) = rest.split_once("/facts").ok_or_else(Problem::not_found)?;
    agent::check_name(agent).map_err(|error| Problem::bad("agent", format!("{error}.")))?;
    if rest.is_empty() {
        return match request.method.as_str() {
            "GET" => list(api, agent).await,
            _ => Err(Problem::method_not_allowed("GET")),
        };
    }
    let (kind, id) =
        rest.strip_prefix('/').and_then(|rest| rest.split_once('/')).ok_or_else(Problem::not_found)?;
    facts::check_key(kind, id).map_err(refused)?;
    let place = Place { agent, kind, id };
    match request.method.as_str() {
        "PUT" => put(api, request, &place).await,
        "GET" => get(api, &place).await,
        "DELETE" => delete(api, request, &place).await,
        _ => Err(Problem::method_not_allowed("GET, PUT, DELETE")),
    }
}

async fn list(api: &Api, agent: &str) -> Result<Response, Problem> {
    let facts = api.ctx.store.business(agent, &api.ctx.limits).await?;
    let items: Vec<Value> = facts.iter().map(shown).collect();
    Ok(Response::json(200, &json!({"items": items, "next": null})))
}

async fn get(api: &Api, place: &Place<'_>) -> Result<Response, Problem> {
    let fact = api.ctx.store.business_fact(place.agent, place.kind, place.id).await?;
    Ok(Response::json(200, &shown(&fact.ok_or_else(Problem::not_found)?)))
}

async fn put(api: &Api, request: &Request, place: &Place<'_>) -> Result<Response, Problem> {
    let limits = &api.ctx.limits;
    let fact = pushed(api, request, (place.kind, place.id), &limits.of_business())?;
    match api.ctx.store.put_business_fact(place.agent, &fact, limits).await? {
        FactWrite::Gone => Err(Problem::not_found()),
        FactWrite::Full => {
            let most = limits.business_items;
            let detail = format!("The business of an agent has at most {most} facts.");
            Err(Problem::conflict("facts", detail).with_bound(most))
        }
        outcome => written(api, &fact, outcome),
    }
}

async fn delete(api: &Api, request: &Request, place: &Place<'_>) -> Result<Response, Problem> {
    let as_of = as_of(api, &as_of_of_deletion(request)?)?;
    let (store, now) = (&api.ctx.store, api.ctx.clock.now());
    match store.delete_business_fact(place.agent, place.kind, place.id, &as_of, now).await? {
        FactWrite::Created | FactWrite::Done => Ok(Response::empty(204)),
        FactWrite::Gone => Err(Problem::not_found()),
        lost => Err(super::facts::conflict(api, lost)),
    }
}
