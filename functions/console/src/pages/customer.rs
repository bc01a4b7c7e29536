//! A customer: who they are, what the records say, what they thought of the answers.

use super::parts::{ago, as_of, plain, sentence, who, written};
use super::{identities, layout, message, side};
use crate::Console;
use crate::api::write_name;
use crate::form::Form;
use crate::sign_in::Session;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use carryover_shared::contact::ContactId;
use carryover_shared::desk::{self, Customer, Edit};
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::handoff::MoveError;
use carryover_shared::store::StoreError;
use carryover_shared::time::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use std::str::FromStr;
use ulid::Ulid;

/// `GET /console/customers/{contact}`.
pub async fn show(State(console): State<Console>, session: Session, Path(contact): Path<String>) -> Response {
    match ContactId::from_str(&contact) {
        Ok(contact) => page(&console, &session, contact, None).await,
        Err(_) => message::not_found().await,
    }
}

/// The page, with why something was refused, if it was.
pub(super) async fn page(
    console: &Console,
    session: &Session,
    contact: ContactId,
    refused: Option<String>,
) -> Response {
    let customer = match desk::customer(&console.desk, contact).await {
        Ok(Some(customer)) => customer,
        Ok(None) => return gone(console, contact).await,
        Err(error) => return failed(&error),
    };
    let status = if refused.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let now = console.now();
    let body = html! {
        main #main.customer {
            @if let Some(refused) = &refused { p.refused role="alert" { (refused) } }
            header.top {
                h1 { (who(&customer.who)) }
                a.button href=(format!("/console/threads/{contact}")) { "Conversation" }
                @for account in &customer.head.opted_out { span.badge.amber { "opted out of " (account) } }
                @if let Some(agent) = &customer.head.agent { span.badge { "agent " (agent) } }
            }
            div.columns {
                (records(&customer, session, console.desk.clock.ulid(), now))
                (beside(&customer, session, now))
            }
        }
    };
    (status, layout::page(&plain(customer.who.title()), session, &body)).into_response()
}

async fn gone(console: &Console, contact: ContactId) -> Response {
    match console.desk.store.erasure(contact).await {
        Ok(Some(erasure)) => identities::erased(&erasure),
        Ok(None) => message::not_found().await,
        Err(error) => failed(&error),
    }
}

fn failed(error: &StoreError) -> Response {
    tracing::error!(%error, "a customer could not be read or written");
    message::failed("This customer cannot be read just now.")
}

/// The groups of records, in the order of the page, and the kinds that are in them; the rest comes last.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Profile and contact", &["profile", "contact"]),
    ("Requests", &["request"]),
    ("Appointments", &["appointment"]),
    ("Orders", &["order"]),
    ("Qualification", &["qualification"]),
];

fn records(customer: &Customer, session: &Session, key: Ulid, now: Timestamp) -> Markup {
    let contact = customer.head.contact_id;
    html! {
        div.records {
            @match &customer.facts {
                Err(_) => { section { p.failed { "The records cannot be read just now." } } }
                Ok(facts) => {
                    @for (title, kinds) in GROUPS {
                        (group(title, facts.iter().filter(|fact| kinds.contains(&fact.kind.as_str())).collect(), contact, session, now))
                    }
                    @let known = |fact: &&Fact| GROUPS.iter().any(|(_, kinds)| kinds.contains(&fact.kind.as_str()));
                    (group("Other records", facts.iter().filter(|fact| !known(fact)).collect(), contact, session, now))
                    @if facts.is_empty() { section { p.meta { "The account has no records." } } }
                }
            }
            section {
                details {
                    summary { "Open a record" }
                    form.stacked method="post" action=(format!("/console/customers/{contact}/records")) {
                        (layout::csrf(session))
                        input type="hidden" name="key" value=(key);
                        label { "Kind"
                            select name="kind" { option value="request" { "request" } option value="appointment" { "appointment" } option value="qualification" { "qualification" } }
                        }
                        label { "Title" input name="title" required maxlength="500"; }
                        (fields("open", "", ""))
                        button type="submit" { "Open" }
                    }
                }
            }
        }
    }
}

fn group(title: &str, facts: Vec<&Fact>, contact: ContactId, session: &Session, now: Timestamp) -> Markup {
    html! {
        @if !facts.is_empty() {
            section {
                h2 { (title) }
                @for fact in facts {
                    article.record {
                        h3 { bdi { (fact.id) } @if !["profile", "contact"].contains(&fact.kind.as_str()) { " " span.meta { (fact.kind) } } }
                        p.meta { "from " bdi { (fact.source) } " · " (as_of(fact.as_of.timestamp(), now)) }
                        (side::values(&fact.data))
                        @if desk::is_ours(fact) { (edit(fact, contact, session)) }
                    }
                }
            }
        }
    }
}

fn edit(fact: &Fact, contact: ContactId, session: &Session) -> Markup {
    let said = |field: &str| fact.data.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    html! {
        details {
            summary { "Change" }
            form.stacked method="post" action=(format!("/console/customers/{contact}/records/edit")) {
                (layout::csrf(session))
                input type="hidden" name="kind" value=(fact.kind);
                input type="hidden" name="id" value=(fact.id);
                input type="hidden" name="as_of" value=(fact.as_of);
                (fields(&said("status"), &said("assigned_to"), &said("last_note")))
                button type="submit" { "Save" }
            }
        }
    }
}

fn fields(status: &str, assigned_to: &str, note: &str) -> Markup {
    html! {
        label { "Status" input name="status" value=(status) required maxlength="500"; }
        label { "Assigned to" input name="assigned_to" value=(assigned_to) maxlength="500"; }
        label { "Last note (the bot may tell it)" textarea name="note" rows="2" maxlength="500" { (note) } }
    }
}

fn beside(customer: &Customer, session: &Session, now: Timestamp) -> Markup {
    let contact = customer.head.contact_id;
    html! {
        aside aria-label="Who they are" {
            (identities::section(customer, session))
            section {
                h2 { "Feedback" }
                @match &customer.feedback {
                    Err(_) => { p.failed { "The feedback cannot be read just now." } }
                    Ok(all) if all.is_empty() => { p.meta { "None yet." } }
                    Ok(all) => {
                        ul {
                            @for one in all {
                                li {
                                    a href=(format!("/console/threads/{contact}#m{}", one.seq)) { "message " (one.seq) }
                                    ": " (one.rating.words())
                                    @if !one.text.is_empty() { " “" (written(&one.text)) "”" }
                                    span.meta { " · " (ago(one.at, now)) }
                                }
                            }
                        }
                    }
                }
            }
            (identities::erasing(customer, session))
        }
    }
}

/// Where a form leads, given what became of it.
pub(super) async fn after(
    console: &Console,
    session: &Session,
    contact: ContactId,
    done: Result<(), MoveError>,
) -> Response {
    match done {
        Ok(()) => Redirect::to(&format!("/console/customers/{contact}")).into_response(),
        Err(MoveError::Refused(refused)) => {
            page(console, session, contact, Some(sentence(&refused.to_string()))).await
        }
        Err(MoveError::Store(error)) => failed(&error),
    }
}

/// A new record.
#[derive(Debug, Deserialize)]
pub struct Open {
    /// Makes it one record, however often the button is pressed.
    key: Ulid,
    kind: String,
    title: String,
    status: String,
    assigned_to: String,
    note: String,
}

/// `POST /console/customers/{contact}/records`.
pub async fn open(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields: Open { key, kind, title, status, assigned_to, note } }: Form<Open>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    let edit = Edit { status, assigned_to, note };
    let once = write_name(&session.caller, &format!("record {key}"));
    let operator = &session.caller.operator;
    let opened = desk::open_record(&console.desk, contact, operator, (&kind, &title), &edit, &once).await;
    after(&console, &session, contact, opened.map(|_| ())).await
}

/// What staff say of a record.
#[derive(Debug, Deserialize)]
pub struct Change {
    kind: String,
    id: String,
    /// Of the record that the page showed.
    as_of: AsOf,
    status: String,
    assigned_to: String,
    note: String,
}

/// `POST /console/customers/{contact}/records/edit`.
pub async fn change(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields: Change { kind, id, as_of, status, assigned_to, note } }: Form<Change>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    let edit = Edit { status, assigned_to, note };
    let operator = &session.caller.operator;
    let changed =
        desk::edit_record(&console.desk, contact, operator, (&kind, &id), Some(&as_of), &edit).await;
    after(&console, &session, contact, changed.map(|_| ())).await
}
