//! `/v1/me/settings`: language and channel of replies, and where a customer wants to hear nothing.

use super::Caller;
use crate::api::Api;
use crate::api::messages::known_fields;
use crate::api::problem::Problem;
use crate::api::request::{Request, Response};
use crate::contact::Account;
use crate::portal::{self, Change, Set, Settings};
use crate::thread::Channel;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub(super) async fn route(api: &Api, request: &Request, caller: &Caller) -> Result<Response, Problem> {
    match request.method.as_str() {
        "GET" => get(api, caller).await,
        "PUT" => put(api, request, caller).await,
        _ => Err(Problem::method_not_allowed("GET, PUT")),
    }
}

async fn get(api: &Api, caller: &Caller) -> Result<Response, Problem> {
    let settings = match caller.contact {
        Some(contact) => portal::settings(&api.ctx, contact).await?.ok_or_else(Problem::gone)?,
        None => Settings::default(),
    };
    Ok(Response::json(200, &shown(&settings)))
}

/// Sets what the body names; all else stays as it is.
async fn put(api: &Api, request: &Request, caller: &Caller) -> Result<Response, Problem> {
    let change = change(&request.object()?)?;
    let contact = caller.created(api).await?;
    match portal::set(&api.ctx, contact, &change).await? {
        Set::Done(settings) => Ok(Response::json(200, &shown(&settings))),
        Set::UnknownAccount => Err(Problem::bad(
            "accounts",
            "opt_out and opt_in must list accounts that you wrote to; settings name them.",
        )),
        Set::Full => Err(super::full(api)),
        Set::Gone => Err(Problem::gone()),
    }
}

fn change(body: &Map<String, Value>) -> Result<Change, Problem> {
    known_fields(body, &["language", "channel", "opt_out", "opt_in"], "")?;
    let language: Option<Option<String>> = field(body, "language", LANGUAGE)?;
    if language.iter().flatten().any(|language| !is_language(language)) {
        return Err(Problem::bad("language", LANGUAGE));
    }
    let channel: Option<Option<Channel>> = field(body, "channel", CHANNEL)?;
    let opt_out: BTreeSet<Account> = field(body, "opt_out", OPT_OUT)?.unwrap_or_default();
    let opt_in: BTreeSet<Account> = field(body, "opt_in", OPT_IN)?.unwrap_or_default();
    if !opt_out.is_disjoint(&opt_in) {
        return Err(Problem::bad("opt_in", "opt_in must name no account of opt_out."));
    }
    Ok(Change { language, channel, opt_out, opt_in })
}

const LANGUAGE: &str = "language must be a code such as es or pt-BR, or null.";
const CHANNEL: &str = "channel must be chat, sms, whatsapp, email, telegram, slack or voice, or null.";
const OPT_OUT: &str = "opt_out must be a list of accounts.";
const OPT_IN: &str = "opt_in must be a list of accounts.";

/// A field, if it is there.
fn field<T: DeserializeOwned>(
    body: &Map<String, Value>,
    name: &str,
    detail: &str,
) -> Result<Option<T>, Problem> {
    let Some(given) = body.get(name) else { return Ok(None) };
    serde_json::from_value(given.clone()).map(Some).map_err(|_| Problem::bad(name, detail))
}

/// A language of two or three letters, and a country of two. Nothing else fits in, so that the record can say nothing
/// else.
fn is_language(code: &str) -> bool {
    let (language, country) = code.split_once('-').unwrap_or((code, "ZZ"));
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|letter| letter.is_ascii_lowercase())
        && country.len() == 2
        && country.bytes().all(|letter| letter.is_ascii_uppercase())
}

pub(super) fn shown(settings: &Settings) -> Value {
    let Settings { language, channel, accounts, opted_out } = settings;
    let account = |(account, channel): (&Account, &Option<Channel>)| json!({"account": account, "channel": channel, "opted_out": opted_out.contains(account)});
    let accounts: Vec<Value> = accounts.iter().map(account).collect();
    json!({"language": language, "channel": channel, "opted_out": opted_out, "accounts": accounts})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_code() {
        for code in ["es", "pt-BR", "fil"] {
            assert!(is_language(code), "{code}");
        }
        for code in ["", "e", "Spanish", "ES", "pt-br", "pt-BR-x", "unit-4A", "es\n"] {
            assert!(!is_language(code), "{code}");
        }
    }
}
