//! What all pages have in common.

use crate::assets::{HTMX, ICON, SCRIPT, STYLE};
use crate::sign_in::Session;
use maud::{DOCTYPE, Markup, html};

/// htmx neither evaluates text nor writes styles into the page: the content policy forbids both.
const HTMX_CONFIG: &str = r#"{"allowEval":false,"includeIndicatorStyles":false,"includeAspNetRequestToken":false,"selfRequestsOnly":true}"#;

/// A page without navigation.
pub(super) fn bare(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body { (body) }
        }
    }
}

/// A page of somebody who is signed in.
pub(super) fn page(title: &str, session: &Session, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body {
                a.skip href="#main" { "Skip to the content" }
                (bar(session))
                (body)
            }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="htmx-config" content=(HTMX_CONFIG);
            title { (title) " · Carryover" }
            link rel="icon" href=(ICON.path());
            link rel="stylesheet" href=(STYLE.path());
            // Before the page is drawn, so that it is drawn in the theme that was chosen.
            script src=(SCRIPT.path()) {}
            script src=(HTMX.path()) defer {}
        }
    }
}

fn bar(session: &Session) -> Markup {
    let caller = &session.caller;
    html! {
        header.bar {
            a.brand href="/console" { "Carryover" }
            form.search role="search" action="/console" method="get" {
                input type="search" name="q" placeholder="Search" aria-label="Search people and briefs"
                    maxlength="200" data-key="/";
            }
            details.menu {
                summary { (caller.operator) }
                div {
                    a href="/console/flags" { "Flags" }
                    a href="/console/health" { "Health" }
                    button type="button" data-theme-switch { "Light or dark" }
                    form method="post" action="/console/sign-out" {
                        (csrf(session))
                        button type="submit" { "Sign out" }
                    }
                }
            }
        }
    }
}

/// What proves that a form is one of this session.
pub(super) fn csrf(session: &Session) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.csrf); }
}
