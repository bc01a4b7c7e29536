//! The pages of customers, web chat and portal, and what they load.

use super::problem::Problem;
use super::request::Response;

/// Nothing but what the page brings with it may run or be loaded.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *";

/// The same for the portal, which stands in no other page: what is set there is set on purpose.
const PORTAL_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                             connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

pub(super) fn get(path: &str) -> Result<Response, Problem> {
    let (content_type, body) = match path {
        "/chat" => (HTML, include_str!("chat/chat.html")),
        "/chat/chat.js" => (SCRIPT, include_str!("chat/chat.js")),
        "/chat/chat.css" => (STYLE, include_str!("chat/chat.css")),
        "/portal" => (HTML, include_str!("portal/portal.html")),
        "/portal/portal.js" => (SCRIPT, include_str!("portal/portal.js")),
        "/portal/portal.css" => (STYLE, include_str!("portal/portal.css")),
        _ => return Err(Problem::not_found()),
    };
    let response = Response::new(200, content_type, body.to_owned())
        .with("referrer-policy", "no-referrer")
        .with("cache-control", "no-cache");
    Ok(if path.starts_with("/portal") { of_portal(response) } else { response.with(CSP, POLICY) })
}

const CSP: &str = "content-security-policy";
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

fn of_portal(response: Response) -> Response {
    response
        .with(CSP, PORTAL_POLICY)
        .with("x-frame-options", "DENY")
        .with("cross-origin-opener-policy", "same-origin")
        .with("permissions-policy", "camera=(), geolocation=(), microphone=()")
        .with("x-robots-tag", "noindex")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_bring_nothing_that_their_policy_refuses() {
        let chat = ["chat/chat.js", "chat/chat.css"];
        let portal = ["portal/portal.js", "portal/portal.css", "chat/chat.css"];
        for (html, parts) in
            [(include_str!("chat/chat.html"), &chat[..]), (include_str!("portal/portal.html"), &portal[..])]
        {
            for inline in ["<style", " style=", "<script>", " onclick=", " onload=", "javascript:"] {
                assert!(!html.contains(inline), "{inline} in the page");
            }
            for part in parts {
                assert!(html.contains(&format!("\"{part}\"")), "{part} is not loaded");
                assert!(get(&format!("/{part}")).is_ok(), "{part} is not served");
            }
        }
        assert!(
            include_str!("portal/portal.js").contains("from '../chat/chat.js'"),
            "the portal is the chat, too"
        );
    }

    #[test]
    fn the_portal_has_every_part_that_the_chat_asks_for() {
        let js = include_str!("chat/chat.js");
        for (_, rest) in js.match_indices("$('").map(|(at, _)| js.split_at(at + 3)) {
            let id = rest.split('\'').next().unwrap_or_default();
            assert!(include_str!("portal/portal.html").contains(&format!("id=\"{id}\"")), "{id}");
        }
    }

    #[test]
    fn texts_never_become_markup() {
        for js in [include_str!("chat/chat.js"), include_str!("portal/portal.js")] {
            for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"] {
                assert!(!js.contains(sink), "{sink} in the script");
            }
        }
    }
}
