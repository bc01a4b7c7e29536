//! `/v1/messages`: customers write, and read what was said.

use super::problem::Problem;
use super::request::{Request, Response};
use super::{Api, auth};
use crate::admit::{self, Answer, Incoming};
use crate::contact::{Account, Identity};
use crate::limits::Limits;
use crate::text;
use crate::thread::{Attachment, Author, Channel, Message, Seq};
use crate::time::Timestamp;
use crate::turn::{End, Said};
use serde_json::{Map, Value, json};

/// The longest id of a message, in characters.
const ID_CHARS: usize = 256;
/// The longest name, media type and URL of an attachment, in characters.
const NAME_CHARS: usize = 255;
const URL_CHARS: usize = 2_048;

/// A customer writes; the answer is the bot's, or with `Prefer: respond-async` that the message was taken.
pub(super) async fn post(api: &Api, request: &Request) -> Result<Response, Problem> {
    let at = api.ctx.clock.now();
    let identity = auth::customer(&api.credentials, request)?;
    let incoming = incoming(request, identity, at, &api.ctx.limits)?;
    if responds_async(request) {
        let seq = admit::accept(&api.ctx, &incoming).await?.ok_or_else(Problem::gone)?;
        return Ok(Response::json(202, &json!({"status": "accepted", "seq": seq}))
            .with("preference-applied", "respond-async"));
    }
    let (status, seq, said) = match admit::answer(&api.ctx, &incoming).await? {
        Answer::Duplicate { seq, reply } => ("duplicate", seq, reply),
        Answer::New { seq, end: End::Replied(said) } => ("replied", seq, Some(said)),
        Answer::New { seq, end: End::Escalated(said) } => ("escalated", seq, said),
        Answer::New { seq, end: End::Silent } => ("silent", seq, None),
        Answer::New { seq, end: End::Superseded } => ("superseded", seq, None),
        Answer::Gone => return Err(Problem::gone()),
    };
    Ok(Response::json(200, &json!({"status": status, "seq": seq, "reply": said.map(reply)})))
}

fn reply(said: Said) -> Value {
    json!({"seq": said.seq, "text": said.text})
}

fn responds_async(request: &Request) -> bool {
    let wanted = |preference: &str| preference.trim().eq_ignore_ascii_case("respond-async");
    request.header("prefer").is_some_and(|header| header.split([',', ';']).any(wanted))
}

/// What was said after a message, oldest first, a page at a time; `last_seq` is where the next page begins.
pub(super) async fn get(api: &Api, request: &Request) -> Result<Response, Problem> {
    let identity = auth::customer(&api.credentials, request)?;
    let after = match request.query("after").map(str::parse::<u64>) {
        None => Seq::NONE,
        Some(Ok(seq)) => Seq(seq),
        Some(Err(_)) => return Err(Problem::bad("after", "after must be the number of a message.")),
    };
    let limits = &api.ctx.limits;
    let nothing = json!({"messages": [], "last_seq": 0});
    let Some(contact) = api.ctx.store.resolve(&identity).await? else {
        return Ok(Response::json(200, &nothing));
    };
    let Some(head) = api.ctx.store.head(contact).await? else { return Ok(Response::json(200, &nothing)) };
    let from = Seq(after.0.saturating_add(1));
    let messages = api.ctx.store.messages(contact, from, head.last_seq, limits.page_messages).await?;
    let last_seq = match messages.last() {
        Some(last) if messages.len() == limits.page_messages => last.seq,
        _ => head.last_seq,
    };
    let messages: Vec<Value> = messages.iter().map(|message| shown(message, limits)).collect();
    Ok(Response::json(200, &json!({"messages": messages, "last_seq": last_seq})))
}

fn shown(message: &Message, limits: &Limits) -> Value {
    let author = match message.author {
        Author::Customer => "customer",
        Author::Bot => "bot",
        Author::Operator => "operator",
    };
    json!({
        "seq": message.seq,
        "author": author,
        "text": message.shown(limits.message_chars),
        "at": message.at.rfc3339(),
    })
}

fn incoming(
    request: &Request,
    identity: Identity,
    at: Timestamp,
    limits: &Limits,
) -> Result<Incoming, Problem> {
    let body = request.object()?;
    known_fields(&body, &["id", "text", "attachments"], "")?;
    let id = string(&body, "id", "id", ID_CHARS)?.ok_or_else(|| Problem::bad("id", "id is missing."))?;
    let message = match body.get("text") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(message)) => message.clone(),
        Some(_) => return Err(Problem::bad("text", "text must be a string.")),
    };
    let attachments = attachments(&body, limits)?;
    if message.trim().is_empty() && attachments.is_empty() {
        return Err(Problem::bad("text", "text is empty and there is no attachment."));
    }
    let chars = text::chars(&message);
    if chars > limits.admit_chars {
        let detail = format!("text has {chars} characters; at most {} are taken.", limits.admit_chars);
        return Err(Problem::too_large("text", limits.admit_chars, detail));
    }
    let (channel, account) = (Channel::Chat, Account::chat());
    Ok(Incoming { identity, channel, account, id, text: message, attachments, at })
}

fn attachments(body: &Map<String, Value>, limits: &Limits) -> Result<Vec<Attachment>, Problem> {
    let list = match body.get("attachments") {
        None | Some(Value::Null) => return Ok(vec![]),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Problem::bad("attachments", "attachments must be a list.")),
    };
    if list.len() > limits.attachments {
        let detail = format!("attachments has {} entries; at most {}.", list.len(), limits.attachments);
        return Err(Problem::bad("attachments", detail).with_bound(limits.attachments));
    }
    list.iter().enumerate().map(|(n, attachment)| self::attachment(n, attachment)).collect()
}

fn attachment(n: usize, value: &Value) -> Result<Attachment, Problem> {
    let at = format!("attachments[{n}]");
    let object = value.as_object().ok_or_else(|| Problem::bad(&at, format!("{at} must be an object.")))?;
    known_fields(object, &["name", "type", "bytes", "url"], &format!("{at}."))?;
    let needed = |field: &'static str| {
        let path = format!("{at}.{field}");
        string(object, field, &path, NAME_CHARS)?
            .ok_or_else(|| Problem::bad(&path, format!("{path} is missing.")))
    };
    let bytes = object.get("bytes").and_then(Value::as_u64).ok_or_else(|| {
        Problem::bad(&format!("{at}.bytes"), format!("{at}.bytes must be a whole number, 0 or more."))
    })?;
    let url = string(object, "url", &format!("{at}.url"), URL_CHARS)?;
    Ok(Attachment { name: needed("name")?, media_type: needed("type")?, bytes, url })
}

/// A field that is a string of 1 to `max` characters without control characters, if it is there.
pub(super) fn string(
    object: &Map<String, Value>,
    field: &str,
    path: &str,
    max: usize,
) -> Result<Option<String>, Problem> {
    let given = match object.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(given)) => given,
        Some(_) => return Err(Problem::bad(path, format!("{path} must be a string."))),
    };
    let chars = text::chars(given);
    if given.trim().is_empty() || chars > max {
        let detail = format!("{path} must have 1 to {max} characters; it has {chars}.");
        return Err(Problem::bad(path, detail).with_bound(max));
    }
    if given.chars().any(char::is_control) {
        return Err(Problem::bad(path, format!("{path} must not contain control characters.")));
    }
    Ok(Some(given.clone()))
}

/// Refuses what is not asked for, a customer id above all.
pub(super) fn known_fields(object: &Map<String, Value>, known: &[&str], path: &str) -> Result<(), Problem> {
    match object.keys().find(|field| !known.contains(&field.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let field = format!("{path}{}", text::head(unknown, 64));
            let detail = format!("{field} is not a field; known are {}.", known.join(", "));
            Err(Problem::bad(&field, detail))
        }
    }
}
