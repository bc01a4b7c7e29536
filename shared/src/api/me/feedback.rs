//! `/v1/me/feedback`: what a customer thinks of single messages.

use super::{Caller, list, words};
use crate::api::Api;
use crate::api::messages::known_fields;
use crate::api::problem::Problem;
use crate::api::request::{Request, Response};
use crate::feedback::{Feedback, Rating};
use crate::portal::{self, Rated};
use crate::thread::Seq;
use serde_json::{Value, json};

/// `below` is the path below `/v1/me/feedback/`.
pub(super) async fn route(
    api: &Api,
    request: &Request,
    caller: &Caller,
    below: &str,
) -> Result<Response, Problem> {
    match (request.method.as_str(), below) {
        ("GET", "") => given(api, caller).await,
        (_, "") => Err(Problem::method_not_allowed("GET")),
        ("PUT", seq) => put(api, request, caller, seq).await,
        _ => Err(Problem::method_not_allowed("PUT")),
    }
}

/// The newest, as many as one page of the log has messages.
async fn given(api: &Api, caller: &Caller) -> Result<Response, Problem> {
    let Some(contact) = caller.contact else { return Ok(list(&[])) };
    let given = api.ctx.store.feedback_of(contact, api.ctx.limits.page_messages).await?;
    Ok(list(&given.iter().map(shown).collect::<Vec<_>>()))
}

async fn put(api: &Api, request: &Request, caller: &Caller, seq: &str) -> Result<Response, Problem> {
    let seq = seq.parse().map(Seq).ok().filter(|seq| (Seq::FIRST..=Seq::LAST).contains(seq));
    let seq = seq.ok_or_else(|| Problem::bad("seq", "seq must be the number of a message."))?;
    let body = request.object()?;
    known_fields(&body, &["rating", "text"], "")?;
    let rating: Rating = body
        .get("rating")
        .and_then(|rating| serde_json::from_value(rating.clone()).ok())
        .ok_or_else(|| Problem::bad("rating", "rating must be up or down."))?;
    let text = words(&body, "text", (0, api.ctx.limits.feedback_chars))?;
    let contact = caller.contact.ok_or_else(Problem::not_found)?;
    match portal::rate(&api.ctx, contact, seq, (rating, &text)).await? {
        Rated::Done(feedback) => Ok(Response::json(200, &shown(&feedback))),
        Rated::NoSuchMessage => Err(Problem::not_found()),
        Rated::Own => Err(Problem::bad("seq", "seq must be a message of the assistant or of our staff.")),
        Rated::TooMany => Err(too_many(api.ctx.limits.feedback_per_hour)),
        Rated::Gone => Err(Problem::gone()),
    }
}

fn too_many(most: usize) -> Problem {
    let detail = format!("Feedback can be changed {most} times in an hour. Please try again later.");
    let problem = Problem::new(429, "Too many requests", detail).with_bound(most);
    Problem { header: Some(("retry-after", "3600")), ..problem }
}

fn shown(feedback: &Feedback) -> Value {
    let Feedback { seq, rating, text, at } = feedback;
    json!({"seq": seq, "rating": rating, "text": text, "at": at.rfc3339()})
}
