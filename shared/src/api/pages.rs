//! The web chat page and what it loads.

use super::problem::Problem;
use super::request::Response;

/// Nothing but what the page brings with it may run or be loaded.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *";

pub(super) fn get(path: &str) -> Result<Response, Problem> {
    let (content_type, body) = match path {
        "/chat" => ("text/html; charset=utf-8", include_str!("chat/chat.html")),
        "/chat/chat.js" => ("text/javascript; charset=utf-8", include_str!("chat/chat.js")),
        "/chat/chat.css" => ("text/css; charset=utf-8", include_str!("chat/chat.css")),
        _ => return Err(Problem::not_found()),
    };
    Ok(Response::new(200, content_type, body.to_owned())
        .with("content-security-policy", POLICY)
        .with("referrer-policy", "no-referrer")
        .with("cache-control", "no-cache"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_brings_nothing_that_its_policy_refuses() {
        let html = include_str!("chat/chat.html");
        for inline in ["<style", " style=", "<script>", " onclick=", " onload=", "javascript:"] {
            assert!(!html.contains(inline), "{inline} in the page");
        }
        for part in ["chat/chat.js", "chat/chat.css"] {
            assert!(html.contains(&format!("\"{part}\"")), "{part} is not loaded");
            assert!(get(&format!("/{part}")).is_ok(), "{part} is not served");
        }
    }

    #[test]
    fn texts_never_become_markup() {
        let js = include_str!("chat/chat.js");
        for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"] {
            assert!(!js.contains(sink), "{sink} in the script");
        }
    }
}
