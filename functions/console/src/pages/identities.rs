//! Who a customer is: by what they are known, with whom they are one, and that they are to go.

use super::customer::{after, page};
use super::parts::{sentence, written};
use super::{layout, message};
use crate::Console;
use crate::caller::Caller;
use crate::form::{Form, Nothing};
use crate::sign_in::Session;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::desk::{self, Customer};
use carryover_shared::handoff::{MoveError, Refused};
use carryover_shared::store::Erasure;
use maud::{Markup, html};
use serde::Deserialize;
use std::str::FromStr;

/// What only an admin can do: join two customers.
pub(crate) const JOIN: &str = "join another customer into this one";

/// The identities of a customer, and what can be done about them.
pub(super) fn section(customer: &Customer, session: &Session) -> Markup {
    let contact = customer.head.contact_id;
    let identities = &customer.who.identities;
    html! {
        section {
            h2 { "Identities" }
            ul.identities {
                @for identity in identities {
                    li {
                        (written(identity.as_str()))
                        @if identities.len() > 1 { (unlink_form(contact, identity, session)) }
                    }
                }
            }
            @for joined in &customer.head.joined {
                p.meta { a href=(format!("/console/threads/{joined}")) { "Earlier conversation, joined into this one" } }
            }
            form.stacked method="post" action=(format!("/console/customers/{contact}/identities")) {
                (layout::csrf(session))
                label { "Another identity of this customer"
                    input name="identity" placeholder="tel:+15551234567" required maxlength="256";
                }
                button type="submit" { "Link" }
            }
            @if session.caller.is_admin() { (join_form(contact, session)) }
        }
    }
}

fn unlink_form(contact: ContactId, identity: &Identity, session: &Session) -> Markup {
    html! {
        details.inline {
            summary { "Unlink" }
            form method="post" action=(format!("/console/customers/{contact}/unlink")) {
                (layout::csrf(session))
                input type="hidden" name="identity" value=(identity.as_str());
                p.meta { "Whoever writes from there next is somebody new." }
                button type="submit" { "Unlink " (identity.as_str()) }
            }
        }
    }
}

fn join_form(contact: ContactId, session: &Session) -> Markup {
    html! {
        details {
            summary { "Join with another customer" }
            form.stacked method="post" action=(format!("/console/customers/{contact}/join")) {
                (layout::csrf(session))
                p { "The other customer becomes this one, for good: identities, records and memories come here, and their conversation stays to be read. It must have nothing in hand." }
                label { "An identity of the other customer"
                    input name="identity" placeholder="whatsapp:+15551234567/…" required maxlength="256";
                }
                button type="submit" { "Join for good" }
            }
        }
    }
}

/// What an admin can do to a customer who is to go.
pub(super) fn erasing(customer: &Customer, session: &Session) -> Markup {
    let contact = customer.head.contact_id;
    html! {
        @if session.caller.is_admin() {
            section {
                details.danger {
                    summary { "Erase this customer" }
                    form.stacked method="post" action=(format!("/console/customers/{contact}/erase")) {
                        (layout::csrf(session))
                        p {
                            "Everything of theirs goes, everywhere and for good: "
                            (counted(customer.head.last_seq.0, "message")) ", "
                            @if let Ok(facts) = &customer.facts { (counted(facts.len() as u64, "record")) ", " }
                            (counted(customer.who.identities.len() as u64, "identity")) ", cases, notes, memories, and what was released of their cases as a similar case"
                            @if !customer.head.joined.is_empty() { ", with the conversations that were joined into this one" }
                            "."
                        }
                        label.check { input type="checkbox" name="sure" value="yes" required; " I mean this customer, and for good." }
                        button.danger type="submit" { "Erase for good" }
                    }
                }
            }
        }
    }
}

fn counted(n: u64, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "identity") => format!("{n} identities"),
        _ => format!("{n} {what}s"),
    }
}

/// The page of a customer who is being erased.
pub(super) fn erased(erasure: &Erasure) -> Response {
    let (title, text) = match erasure.cleared_at {
        Some(_) => (
            "Erased",
            "Everything of this customer is deleted. A mark without content stays for some days, so that nothing that is still on its way brings them back.",
        ),
        None => (
            "Being erased",
            "Nobody finds this customer any more. What is kept of them is deleted within minutes.",
        ),
    };
    message::page(StatusCode::GONE, title, text, Some(("To the inbox", "/console")))
}

/// Whether somebody may give this identity to a customer: with the login of a site comes whatever its owner may read.
pub(crate) fn may_link(caller: &Caller, identity: &Identity) -> Result<(), MoveError> {
    match identity.is_login() && !caller.is_admin() {
        true => Err(Refused::AdminsOnly { what: "give somebody's login to a customer" }.into()),
        false => Ok(()),
    }
}

/// An identity.
#[derive(Debug, Deserialize)]
pub struct Given {
    identity: String,
}

/// `POST /console/customers/{contact}/identities`.
pub async fn link(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields }: Form<Given>,
) -> Response {
    with(&console, &session, &contact, &fields, async |contact, identity| {
        may_link(&session.caller, identity)?;
        desk::link(&console.desk, contact, &session.caller.operator, identity).await
    })
    .await
}

/// `POST /console/customers/{contact}/unlink`.
pub async fn unlink(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields }: Form<Given>,
) -> Response {
    with(&console, &session, &contact, &fields, async |contact, identity| {
        desk::unlink(&console.desk, contact, &session.caller.operator, identity).await
    })
    .await
}

/// `POST /console/customers/{contact}/join`.
pub async fn join(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields }: Form<Given>,
) -> Response {
    with(&console, &session, &contact, &fields, async |contact, identity| match session.caller.is_admin() {
        true => desk::join(&console.desk, contact, &session.caller.operator, identity).await,
        false => Err(Refused::AdminsOnly { what: JOIN }.into()),
    })
    .await
}

async fn with(
    console: &Console,
    session: &Session,
    contact: &str,
    given: &Given,
    change: impl AsyncFnOnce(ContactId, &Identity) -> Result<(), MoveError>,
) -> Response {
    let Ok(contact) = ContactId::from_str(contact) else { return message::not_found().await };
    match given.identity.trim().parse::<Identity>() {
        Ok(identity) => after(console, session, contact, change(contact, &identity).await).await,
        Err(error) => page(console, session, contact, Some(sentence(&error.to_string()))).await,
    }
}

/// `POST /console/customers/{contact}/erase`.
pub async fn erase(
    State(console): State<Console>,
    Path(contact): Path<String>,
    Form { session, fields: Nothing {} }: Form<Nothing>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    if !session.caller.is_admin() {
        return message::refused(StatusCode::FORBIDDEN, "Only an admin can erase a customer.");
    }
    match desk::erase(&console.desk, contact).await {
        Ok(()) => {
            tracing::info!(%contact, by = %session.caller.operator, "an erasure was asked for");
            Redirect::to(&format!("/console/customers/{contact}")).into_response()
        }
        refused => after(&console, &session, contact, refused).await,
    }
}
