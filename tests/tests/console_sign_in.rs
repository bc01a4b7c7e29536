//! Signing in to the console: who is let in, and how they leave. Nobody else ever gets a session.

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum_extra::extract::cookie::{Cookie, SameSite};
use carryover_console::caller::{Caller, Role};
use carryover_console::lambda;
use carryover_console::sign_in::{Refusal, Session, Signer};
use carryover_shared::traits::Clock;
use carryover_tests::console::{Answer, Browser, Desk, SESSION_COOKIE, SESSION_SECRET};
use carryover_tests::logs::Logs;
use carryover_tests::provider::{
    ALEX, Asked, FIRST, Person, Provider, ROBIN, SECOND, Signature, Trouble, seconds_from_now, token,
};
use carryover_tests::world::{NoModel, World, operator};
use futures::future::join_all;
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const ORIGIN: &str = "https://desk.example";
const SIGN_OUT: &str = "/console/sign-out";
const EIGHT_HOURS: Duration = Duration::from_secs(8 * 60 * 60);
const TEN_MINUTES: Duration = Duration::from_secs(10 * 60);
const SECOND_OF_TIME: Duration = Duration::from_secs(1);

async fn desk() -> Desk {
    Desk::over(World::new(NoModel).await).await
}

/// Opens the console without a session; what the provider is asked.
async fn begun(browser: &mut Browser<'_>, desk: &Desk) -> Asked {
    desk.provider.asked(browser.get("/console").await.location())
}

fn leads_to_the_provider(answer: &Answer, desk: &Desk) -> bool {
    let page = desk.provider.settings().authorize_url;
    answer.status == StatusCode::SEE_OTHER && answer.location().starts_with(&format!("{page}?"))
}

/// It is a page that says so, and no session begins.
#[track_caller]
fn assert_nobody_is_let_in(answer: &Answer, status: StatusCode, says: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.cookie(SESSION_COOKIE).is_none(), "{answer:?}");
    assert!(answer.header("content-type").starts_with("text/html"), "{answer:?}");
    assert!(answer.body.contains(says), "{says:?} is not said: {answer:?}");
}

/// What the console says when the provider answers a sign-in with the ID token that `make` makes.
async fn brought(desk: &Desk, make: impl FnOnce(&Provider, &Asked) -> String) -> Answer {
    let mut browser = desk.browser();
    let asked = begun(&mut browser, desk).await;
    browser.get(&desk.provider.answers(&asked, make(&desk.provider, &asked))).await
}

/// The claims of Robin's token with some replaced; null takes one away.
fn claims_with(provider: &Provider, asked: &Asked, other: Value) -> Value {
    let mut claims = provider.claims(&ROBIN, &asked.nonce);
    let (Some(into), Value::Object(other)) = (claims.as_object_mut(), other) else { panic!("no object") };
    into.extend(other);
    into.retain(|_, value| !value.is_null());
    claims
}

fn header(alg: &str, kid: &str) -> Value {
    json!({"alg": alg, "typ": "JWT", "kid": kid})
}

// The way in.

#[tokio::test]
async fn a_page_without_a_session_leads_to_the_sign_in_page() {
    let desk = desk().await;
    let answer = desk.browser().get("/console?tab=mine").await;
    assert!(leads_to_the_provider(&answer, &desk), "{answer:?}");
    assert!(answer.cookie(SESSION_COOKIE).is_none());
    assert_eq!(answer.body, "");

    // Client, callback and PKCE are as the provider wants them, or else it would panic.
    let first = desk.provider.asked(answer.location());
    let second = begun(&mut desk.browser(), &desk).await;
    let random = [&first, &second].map(|asked| [&asked.state, &asked.nonce, &asked.challenge]);
    let random: BTreeSet<&String> = random.into_iter().flatten().collect();
    assert_eq!(random.len(), 6, "all differ, each time");
    assert!(random.iter().all(|value| value.len() == 43), "256 bits each: {random:?}");
}

#[tokio::test]
async fn nothing_under_the_console_is_shown_without_a_session() {
    let desk = desk().await;
    for path in ["/console/", "/console/nothing"] {
        let answer = desk.browser().get(path).await;
        assert!(leads_to_the_provider(&answer, &desk), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn the_sign_in_page_is_told_nothing_of_where_somebody_was_going() {
    let desk = desk().await;
    let answer = desk.browser().get("/console?q=ana").await;
    assert!(!answer.location().contains("ana"), "{answer:?}");
}

#[tokio::test]
async fn signing_in_ends_on_the_page_that_was_asked_for() {
    let desk = desk().await;
    for page in ["/console", "/console?tab=mine&q=a%20b"] {
        let mut browser = desk.browser();
        let answer = browser.sign_in_from(page, &ROBIN).await;
        assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, page));
        let page = browser.get(answer.location()).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains("robin"), "{page:?}");
    }
}

#[tokio::test]
async fn a_part_of_a_page_without_a_session_loads_the_page_anew() {
    let desk = desk().await;
    let request = Request::get("/console").header("hx-request", "true").body(Body::empty()).unwrap();
    let answer = desk.send(request).await;
    assert_eq!((answer.status, answer.header("hx-refresh")), (StatusCode::UNAUTHORIZED, "true"));
}

#[tokio::test]
async fn the_cookies_are_for_the_console_alone_and_go_over_tls_where_there_is_tls() {
    for (public_url, secure) in [("https://desk.example", true), ("http://localhost:8080", false)] {
        let desk = Desk::at(public_url, World::new(NoModel).await).await;
        let mut browser = desk.browser();
        let asked = begun(&mut browser, &desk).await;
        let [attempt] = browser.cookies() else { panic!("one cookie") };
        assert_is_ours(attempt, "/console/sign-in", TEN_MINUTES, secure);

        browser.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
        let [session] = browser.cookies() else { panic!("the sign-in's cookie has ended") };
        assert_eq!(session.name(), SESSION_COOKIE);
        assert_is_ours(session, "/console", EIGHT_HOURS, secure);
    }
}

#[track_caller]
fn assert_is_ours(cookie: &Cookie<'_>, path: &str, lives: Duration, secure: bool) {
    assert_eq!(cookie.http_only(), Some(true), "{cookie}");
    assert_eq!(cookie.same_site(), Some(SameSite::Lax), "{cookie}");
    assert_eq!(cookie.path(), Some(path), "{cookie}");
    assert_eq!(cookie.domain(), None, "{cookie}");
    assert_eq!(cookie.max_age().and_then(|age| age.try_into().ok()), Some(lives), "{cookie}");
    assert_eq!(cookie.secure().unwrap_or_default(), secure, "{cookie}");
}

#[tokio::test]
async fn two_tabs_sign_in_at_once() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let first = desk.provider.asked(browser.get("/console?tab=mine").await.location());
    let second = desk.provider.asked(browser.get("/console?tab=bot").await.location());
    let answer = browser.get(&desk.provider.lets_in(&second, &ROBIN)).await;
    assert_eq!(answer.location(), "/console?tab=bot");
    let answer = browser.get(&desk.provider.lets_in(&first, &ROBIN)).await;
    assert_eq!(answer.location(), "/console?tab=mine");
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
}

#[tokio::test]
async fn many_tabs_that_sign_in_at_once_fit_into_one_request() {
    let desk = desk().await;
    let mut browser = desk.browser();
    for _ in 0..20 {
        browser.get("/console?tab=mine").await;
    }
    let sent: usize = browser.cookies().iter().map(|cookie| cookie.stripped().to_string().len() + 2).sum();
    // The gateway takes 10,240 bytes of headers; a browser's other ones and the callback's address need some.
    assert!(sent < 8_000, "{sent} bytes of cookies");
}

#[tokio::test]
async fn a_long_address_does_not_keep_anybody_out() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let begun = browser.get(&format!("/console?q={}", "x".repeat(6_000))).await;
    let [attempt] = browser.cookies() else { panic!("one cookie: {begun:?}") };
    let size = attempt.stripped().to_string().len();
    assert!(size <= 4_096, "a browser drops a cookie of {size} bytes");
}

// Where it leads.

#[tokio::test]
async fn nobody_is_led_to_another_site() {
    let desk = desk().await;
    for next in [
        "https://evil.example/console",
        "//evil.example/console",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/console.evil.example",
        "/console@evil.example",
        "https://desk.example.evil.example/console",
        "/console/\r\nlocation: https://evil.example",
        "/console\t//evil.example",
        "javascript:alert(1)",
        "",
    ] {
        let start = format!("/console/sign-in?{}", serde_urlencoded::to_string([("next", next)]).unwrap());
        let answer = desk.browser().sign_in_from(&start, &ROBIN).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{next:?}");
        assert_eq!(answer.headers.get_all("location").iter().count(), 1, "{next:?}");
        assert_eq!(answer.location(), "/console", "{next:?}");
    }
    for path in ["//evil.example/console", "/console//evil.example", "/console/%5Cevil.example"] {
        let answer = desk.browser().get(path).await;
        let leads = Url::parse(ORIGIN).unwrap().join(answer.location()).unwrap();
        let is_known = leads.as_str().starts_with(ORIGIN) || leads_to_the_provider(&answer, &desk);
        assert!(is_known, "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn nobody_is_led_out_of_the_console() {
    let desk = desk().await;
    for next in ["/console/../chat", "/console/%2e%2e/chat", "/console/.%2E/chat", "/console/..\\chat"] {
        let start = format!("/console/sign-in?{}", serde_urlencoded::to_string([("next", next)]).unwrap());
        let answer = desk.browser().sign_in_from(&start, &ROBIN).await;
        let leads = Url::parse(ORIGIN).unwrap().join(answer.location()).unwrap();
        assert!(leads.path().starts_with("/console"), "{next}: {leads}");
    }
}

// The way back from the provider.

#[tokio::test]
async fn a_sign_in_of_another_browser_lets_nobody_in() {
    let desk = desk().await;
    let asked = begun(&mut desk.browser(), &desk).await;

    let mut without_cookies = desk.browser();
    let answer = without_cookies.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
    assert_nobody_is_let_in(&answer, StatusCode::BAD_REQUEST, "begun elsewhere");

    let mut with_its_own = desk.browser();
    begun(&mut with_its_own, &desk).await;
    let answer = with_its_own.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
    assert_nobody_is_let_in(&answer, StatusCode::BAD_REQUEST, "begun elsewhere");
}

#[tokio::test]
async fn no_other_cookie_serves_for_that_of_a_sign_in() {
    let desk = desk().await;
    let theirs = desk.browser().get("/console").await;
    let name = theirs.cookies()[0].name().to_owned();
    let mut browser = desk.browser_of(&ROBIN).await;
    let session = browser.cookies()[0].value().to_owned();
    let own = browser.get("/console/sign-in").await.cookies()[0].value().to_owned();
    for value in [session, own, String::new()] {
        browser.keep(Cookie::new(name.clone(), value));
        let asked = desk.provider.asked(theirs.location());
        let answer = browser.get(&desk.provider.lets_in(&asked, &ALEX)).await;
        assert_nobody_is_let_in(&answer, StatusCode::BAD_REQUEST, "begun elsewhere");
    }
}

#[tokio::test]
async fn a_callback_lets_in_once() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let asked = begun(&mut browser, &desk).await;
    let attempt = browser.cookies()[0].clone();
    let callback = desk.provider.lets_in(&asked, &ROBIN);
    assert_eq!(browser.get(&callback).await.status, StatusCode::SEE_OTHER);

    let answer = browser.get(&callback).await;
    assert_nobody_is_let_in(&answer, StatusCode::BAD_REQUEST, "begun elsewhere");
    let mut thief = desk.browser();
    thief.keep(attempt);
    let answer = thief.get(&callback).await;
    assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
}

#[tokio::test]
async fn a_sign_in_may_take_ten_minutes() {
    let desk = desk().await;
    for (takes, expected) in
        [(TEN_MINUTES - SECOND_OF_TIME, StatusCode::SEE_OTHER), (TEN_MINUTES, StatusCode::BAD_REQUEST)]
    {
        let mut browser = desk.browser();
        let asked = begun(&mut browser, &desk).await;
        desk.world.clock.advance(takes);
        let answer = browser.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
        assert_eq!(answer.status, expected, "after {takes:?}");
    }
}

#[tokio::test]
async fn a_callback_without_what_belongs_there_lets_nobody_in() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let asked = begun(&mut browser, &desk).await;
    let state = ("state", asked.state.as_str());
    for parameters in [vec![], vec![state], vec![("code", "c")], vec![("code", "c"), ("state", "")]] {
        let answer = browser.get(&desk.provider.leads_back(&parameters)).await;
        assert_nobody_is_let_in(&answer, StatusCode::BAD_REQUEST, "begun elsewhere");
    }
    for parameters in [
        vec![("error", "access_denied"), state],
        vec![("error", "<script>"), ("error_description", "<script>"), ("code", "c"), state],
    ] {
        let answer = browser.get(&desk.provider.leads_back(&parameters)).await;
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "was not finished");
        assert!(!answer.body.contains("<script>"), "{answer:?}");
    }
    let answer = browser.get(&desk.provider.leads_back(&[("code", "refused"), state])).await;
    assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    assert!(leads_to_the_provider(&browser.get("/console").await, &desk));
}

#[tokio::test]
async fn a_code_that_was_given_for_another_sign_in_lets_nobody_in() {
    let desk = desk().await;
    let others = begun(&mut desk.browser(), &desk).await;
    let mut browser = desk.browser();
    let own = begun(&mut browser, &desk).await;
    // The code's challenge is that of the other sign-in; its token would do.
    let mixed = Asked { challenge: others.challenge, ..own };
    let answer = browser.get(&desk.provider.lets_in(&mixed, &ROBIN)).await;
    assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
}

#[tokio::test]
async fn an_id_token_of_another_sign_in_lets_nobody_in() {
    let desk = desk().await;
    let others = begun(&mut desk.browser(), &desk).await;
    for nonce in [json!(others.nonce), json!(""), Value::Null] {
        let answer = brought(&desk, |provider, asked| {
            provider.id_token(&claims_with(provider, asked, json!({"nonce": nonce})))
        });
        assert_nobody_is_let_in(&answer.await, StatusCode::FORBIDDEN, "did not vouch");
    }
}

// ID tokens.

#[tokio::test]
async fn an_id_token_must_be_for_the_console_and_of_its_provider_and_not_old() {
    let desk = desk().await;
    for other in [
        json!({"iss": "https://issuer.example/other"}),
        json!({"iss": "https://issuer.example/pool/"}),
        json!({"iss": null}),
        json!({"aud": "another"}),
        json!({"aud": []}),
        json!({"aud": null}),
        json!({"aud": null, "client_id": "desk"}),
        json!({"exp": seconds_from_now(-120)}),
        json!({"exp": null}),
        json!({"exp": "never"}),
        json!({"sub": null}),
        json!({"token_use": "access"}),
        json!({"cognito:username": ""}),
        json!({"cognito:username": "a\nb"}),
        json!({"cognito:groups": "admin"}),
    ] {
        let said = other.to_string();
        let answer =
            brought(&desk, |provider, asked| provider.id_token(&claims_with(provider, asked, other))).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{said}");
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    }
    let answer = brought(&desk, |provider, asked| {
        provider.id_token(&claims_with(provider, asked, json!({"aud": ["desk", "another"]})))
    });
    assert_eq!(answer.await.status, StatusCode::SEE_OTHER, "one of several is the console");
}

#[tokio::test]
async fn an_id_token_must_be_signed_by_the_provider() {
    let desk = desk().await;
    let public_key = FIRST.public();
    for (what, alg, kid, signature) in [
        ("no algorithm", "none", "1", Signature::Nothing),
        ("no algorithm, oddly written", "nOnE", "1", Signature::Nothing),
        ("no signature", "RS256", "1", Signature::Nothing),
        ("the public key as a secret", "HS256", "1", Signature::Hmac(public_key)),
        ("the console's name as a secret", "HS256", "1", Signature::Hmac(b"desk")),
        ("the secret of sessions", "HS256", "1", Signature::Hmac(SESSION_SECRET.as_bytes())),
        ("a secret that calls itself a key", "RS256", "1", Signature::Hmac(public_key)),
        ("another algorithm", "PS256", "1", Signature::Rsa(&FIRST)),
        ("another key", "RS256", "1", Signature::Rsa(&SECOND)),
        ("an unknown key", "RS256", "2", Signature::Rsa(&SECOND)),
        ("the key under another name", "RS256", "2", Signature::Rsa(&FIRST)),
    ] {
        let answer = with_token(&desk, &header(alg, kid), signature).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{what}");
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    }
    let brings_its_key = json!({"alg": "RS256", "jwk": {"kty": "RSA"}, "jku": "https://evil.example"});
    let answer = with_token(&desk, &brings_its_key, Signature::Rsa(&FIRST)).await;
    assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    let answer = with_token(&desk, &header("RS256", "1"), Signature::Rsa(&FIRST)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "the provider's own");
}

/// What the console says to Alex's claims under this header and this signature.
async fn with_token(desk: &Desk, header: &Value, signature: Signature<'_>) -> Answer {
    brought(desk, |provider, asked| token(header, &provider.claims(&ALEX, &asked.nonce), signature)).await
}

#[tokio::test]
async fn an_id_token_cannot_be_changed_after_it_was_signed() {
    let desk = desk().await;
    let answer = brought(&desk, |provider, asked| {
        let robins = provider.id_token(&provider.claims(&ROBIN, &asked.nonce));
        let alexs = provider.id_token(&provider.claims(&ALEX, &asked.nonce));
        let parts = |token: &str| token.split('.').map(str::to_owned).collect::<Vec<_>>();
        let (robins, alexs) = (parts(&robins), parts(&alexs));
        format!("{}.{}.{}", robins[0], alexs[1], robins[2])
    });
    assert_nobody_is_let_in(&answer.await, StatusCode::FORBIDDEN, "did not vouch");
    for junk in ["", "a", "a.b", "a.b.c", "..", "e30.e30.", "é.é.é"] {
        let answer = brought(&desk, |_, _| junk.to_owned()).await;
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    }
}

#[tokio::test]
async fn keys_are_read_once() {
    let desk = desk().await;
    for who in [ROBIN, ALEX] {
        desk.browser_of(&who).await;
    }
    assert_eq!(desk.provider.key_reads(), 1);
    desk.provider.set_trouble(Some(Trouble::KeysDown));
    desk.browser_of(&ROBIN).await;
}

#[tokio::test]
async fn unknown_keys_are_asked_for_at_most_once_a_minute_however_many_come() {
    let desk = desk().await;
    for kid in 2..7 {
        let header = header("RS256", &kid.to_string());
        let answer = with_token(&desk, &header, Signature::Rsa(&SECOND)).await;
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
    }
    assert_eq!(desk.provider.key_reads(), 1);
}

fn unknown_key(provider: &Provider) -> String {
    token(&header("RS256", "9"), &provider.claims(&ROBIN, ""), Signature::Rsa(&SECOND))
}

#[tokio::test]
async fn unknown_keys_that_come_together_are_asked_for_once() {
    let desk = desk().await;
    let unknown = unknown_key(&desk.provider);
    let asked = (0..5).map(|_| desk.console.oidc.caller(&unknown, None));
    assert!(join_all(asked).await.iter().all(|caller| *caller == Err(Refusal::Token)));
    assert_eq!(desk.provider.key_reads(), 1);
}

#[tokio::test]
async fn a_provider_that_is_down_is_asked_for_unknown_keys_no_more_often() {
    let desk = desk().await;
    desk.provider.set_trouble(Some(Trouble::KeysDown));
    let unknown = unknown_key(&desk.provider);
    for _ in 0..5 {
        let caller = desk.console.oidc.caller(&unknown, None).await;
        assert_eq!(caller, Err(Refusal::Unreachable));
    }
    assert_eq!(desk.provider.key_reads(), 1);
}

#[tokio::test]
async fn a_key_that_the_provider_has_since_its_rotation_is_taken() {
    let desk = desk().await;
    desk.provider.rotate();
    desk.browser_of(&ROBIN).await;
    let answer = with_token(&desk, &header("RS256", "1"), Signature::Rsa(&FIRST)).await;
    assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "did not vouch");
}

// Roles.

#[tokio::test]
async fn an_account_without_a_role_is_told_so() {
    let desk = desk().await;
    for groups in [&[] as &[_], &["sales"], &["Admin"], &["administrators", "operators"]] {
        let mut browser = desk.browser();
        let answer = browser.sign_in(&Person { name: "kim", groups }).await;
        assert_nobody_is_let_in(&answer, StatusCode::FORBIDDEN, "no role");
        assert!(leads_to_the_provider(&browser.get("/console").await, &desk));
    }
    let answer = brought(&desk, |provider, asked| {
        provider.id_token(&claims_with(provider, asked, json!({"cognito:groups": null})))
    });
    assert_nobody_is_let_in(&answer.await, StatusCode::FORBIDDEN, "no role");
}

#[tokio::test]
async fn groups_are_roles() {
    let desk = desk().await;
    let both = Person { name: "kim", groups: &["sales", "admin", "operator"] };
    for (who, role) in [(ROBIN, Role::Operator), (ALEX, Role::Admin), (both, Role::Admin)] {
        let browser = desk.browser_of(&who).await;
        let cookie = browser.cookie(SESSION_COOKIE).expect("a session").value();
        let session = desk.console.signer.read_session(cookie, desk.world.clock.now()).expect("a session");
        assert_eq!(session.caller, Caller { operator: operator(who.name), role });

        let id_token = desk.provider.id_token(&desk.provider.claims(&who, ""));
        assert_eq!(desk.console.oidc.caller(&id_token, None).await, Ok(session.caller));
    }
}

// The provider fails.

#[tokio::test]
async fn a_provider_that_is_down_lets_nobody_in_and_the_page_says_so() {
    for trouble in [Trouble::Down, Trouble::KeysDown] {
        let desk = desk().await;
        let mut browser = desk.browser();
        let asked = begun(&mut browser, &desk).await;
        let callback = desk.provider.lets_in(&asked, &ROBIN);
        desk.provider.set_trouble(Some(trouble));
        let answer = browser.get(&callback).await;
        assert_nobody_is_let_in(&answer, StatusCode::SERVICE_UNAVAILABLE, "cannot be reached");
    }
}

#[tokio::test]
async fn a_provider_that_is_up_again_lets_people_in() {
    let desk = desk().await;
    desk.provider.set_trouble(Some(Trouble::Down));
    desk.browser().sign_in(&ROBIN).await;
    desk.provider.set_trouble(None);
    desk.browser_of(&ROBIN).await;
}

#[tokio::test]
async fn a_provider_that_hangs_is_not_waited_for() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let asked = begun(&mut browser, &desk).await;
    let callback = desk.provider.lets_in(&asked, &ROBIN);
    desk.provider.set_trouble(Some(Trouble::Hangs));
    let answer = tokio::time::timeout(Duration::from_secs(20), browser.get(&callback)).await;
    let answer = answer.expect("an answer before the gateway gives up");
    assert_nobody_is_let_in(&answer, StatusCode::SERVICE_UNAVAILABLE, "cannot be reached");
}

#[tokio::test]
async fn whoever_is_signed_in_does_not_need_the_provider() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    desk.provider.set_trouble(Some(Trouble::Hangs));
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
}

// Sessions.

#[tokio::test]
async fn a_session_ends_after_eight_hours() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    desk.world.clock.advance(EIGHT_HOURS - SECOND_OF_TIME);
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
    desk.world.clock.advance(SECOND_OF_TIME);
    assert!(leads_to_the_provider(&browser.get("/console").await, &desk));
}

/// What a page says to a browser whose session cookie has this value.
async fn with_session(desk: &Desk, value: impl Into<String>) -> Answer {
    let mut browser = desk.browser();
    let mut cookie = Cookie::new(SESSION_COOKIE, value.into());
    cookie.set_path("/console");
    browser.keep(cookie);
    browser.get("/console").await
}

#[tokio::test]
async fn only_cookies_that_the_console_signed_as_sessions_are_sessions() {
    let desk = desk().await;
    let now = desk.world.clock.now();
    let caller = Caller { operator: operator("robin"), role: Role::Admin };
    let session = Session { caller, csrf: "c".into() };
    let signed_with = |secret: &str| {
        let cookie = Signer::new(secret.into(), ORIGIN).session(&session, now);
        cookie.expect("a cookie").value().to_owned()
    };
    let ours = signed_with(SESSION_SECRET);
    assert_eq!(with_session(&desk, ours.as_str()).await.status, StatusCode::OK);

    let mut browser = desk.browser();
    begun(&mut browser, &desk).await;
    let attempt = browser.cookies()[0].value().to_owned();
    let claims = json!({
        "aud": "session",
        "exp": now.seconds() + 60,
        "caller": {"operator": "robin", "role": "admin"},
        "csrf": "c",
    });
    let header = json!({"alg": "none", "typ": "JWT"});
    let parts: Vec<&str> = ours.split('.').collect();
    for (what, value) in [
        ("another secret", signed_with("another secret, of thirty-two bytes")),
        ("no secret", token(&header, &claims, Signature::Nothing)),
        ("a sign-in", attempt),
        ("an ID token", desk.provider.id_token(&desk.provider.claims(&ALEX, ""))),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("nothing", String::new()),
        ("junk", "junk".into()),
    ] {
        let answer = with_session(&desk, value).await;
        assert!(leads_to_the_provider(&answer, &desk), "{what}: {answer:?}");
    }
    // Signed as sessions are, these claims would do.
    let hs256 = json!({"alg": "HS256", "typ": "JWT"});
    let signed = token(&hs256, &claims, Signature::Hmac(SESSION_SECRET.as_bytes()));
    assert_eq!(with_session(&desk, signed).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_session_cannot_be_changed() {
    let desk = desk().await;
    let value_of = async |who| {
        let browser = desk.browser_of(who).await;
        browser.cookie(SESSION_COOKIE).expect("a session").value().to_owned()
    };
    let (robins, alexs) = (value_of(&ROBIN).await, value_of(&ALEX).await);
    let parts = |cookie: &str| cookie.split('.').map(str::to_owned).collect::<Vec<_>>();
    let (robins, alexs) = (parts(&robins), parts(&alexs));
    let answer = with_session(&desk, format!("{}.{}.{}", robins[0], alexs[1], robins[2])).await;
    assert!(leads_to_the_provider(&answer, &desk), "{answer:?}");
}

// Forms.

/// It was refused, and the session goes on.
#[track_caller]
fn assert_refused(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{answer:?}");
    assert!(answer.cookies().is_empty(), "{answer:?}");
}

#[tokio::test]
async fn a_form_without_what_proves_its_session_does_nothing() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let own = browser.get("/console").await.csrf().to_owned();
    let others = desk.browser_of(&ROBIN).await.get("/console").await.csrf().to_owned();
    assert_ne!(own, others, "each session has its own");
    let upper = own.to_uppercase();
    for fields in [
        &[] as &[(&str, &str)],
        &[("csrf", "")],
        &[("csrf", "wrong")],
        &[("csrf", &others)],
        &[("csrf", &upper)],
        &[("csrf", own.get(1..).unwrap())],
        &[("csrf", &own), ("csrf", &own)],
        &[("CSRF", &own)],
    ] {
        assert_refused(&browser.post(SIGN_OUT, fields).await);
    }
    assert_refused(&browser.post(&format!("{SIGN_OUT}?csrf={own}"), &[]).await);
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_form_of_another_site_does_nothing() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let own = browser.get("/console").await.csrf().to_owned();
    for origin in [
        "https://evil.example",
        "null",
        "",
        "http://desk.example",
        "https://desk.example:8443",
        "https://desk.example.evil.example",
        "https://evil.example/https://desk.example",
    ] {
        let answer = browser.post_from(origin, SIGN_OUT, &[("csrf", &own)]).await;
        assert_refused(&answer);
    }
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_form_without_a_session_leads_to_the_sign_in_page_and_from_there_to_the_inbox() {
    let desk = desk().await;
    let mut browser = desk.browser();
    let answer = browser.post(SIGN_OUT, &[("csrf", "c")]).await;
    assert!(leads_to_the_provider(&answer, &desk), "{answer:?}");
    let asked = desk.provider.asked(answer.location());
    let answer = browser.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
    assert_eq!(answer.location(), "/console");
}

// The way out.

#[tokio::test]
async fn signing_out_ends_the_session_here_and_at_the_provider() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let page = browser.get("/console").await;
    let answer = browser.submit(&page, SIGN_OUT, &[]).await;

    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let leads = Url::parse(answer.location()).unwrap();
    let parameters: Vec<(String, String)> = leads.query_pairs().into_owned().collect();
    let expected = [("client_id", "desk"), ("logout_uri", "https://desk.example/console/signed-out")];
    assert_eq!(parameters, expected.map(|(name, value)| (name.into(), value.into())));
    assert_eq!(answer.location().split('?').next(), Some(desk.provider.settings().logout_url.as_str()));
    let ended = answer.cookie(SESSION_COOKIE).expect("a cookie");
    assert_is_ours(&ended, "/console", Duration::ZERO, true);
    assert_eq!(ended.value(), "");

    let page = browser.get("/console/signed-out").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("signed out"));
    assert!(leads_to_the_provider(&browser.get("/console").await, &desk));
}

#[tokio::test]
async fn a_link_signs_nobody_out() {
    let desk = desk().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let answer = browser.get(SIGN_OUT).await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(browser.get("/console").await.status, StatusCode::OK);
}

// What browsers are told.

#[tokio::test]
async fn every_answer_is_safe_from_scripts_frames_and_caches() {
    let desk = desk().await;
    let mut somebody = desk.browser_of(&ROBIN).await;
    let mut nobody = desk.browser();
    for answer in [
        somebody.get("/console").await,
        somebody.get(SIGN_OUT).await,
        somebody.post(SIGN_OUT, &[]).await,
        somebody.get("/console/sign-in/callback").await,
        somebody.get("/console/sign-in?next=a&next=b").await,
        somebody.get("/console/nothing").await,
        nobody.get("/console").await,
        nobody.get("/console/signed-out").await,
        nobody.get("/console/assets/nothing.js").await,
        nobody.get("/").await,
        nobody.get("/v1/cases").await,
    ] {
        assert_is_safe(&answer);
        assert_eq!(answer.header("cache-control"), "no-store", "{answer:?}");
    }
}

#[track_caller]
fn assert_is_safe(answer: &Answer) {
    let policy = answer.header("content-security-policy");
    let rules: Vec<&str> = policy.split(';').map(str::trim).collect();
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(rules.contains(&rule), "{rule}: {answer:?}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{answer:?}");
    assert_eq!(answer.header("x-frame-options"), "DENY", "{answer:?}");
    assert_eq!(answer.header("referrer-policy"), "same-origin", "{answer:?}");
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000", "{answer:?}");
}

#[tokio::test]
async fn signing_out_may_lead_to_the_provider() {
    let desk = desk().await;
    let policy = desk.browser().get("/console/signed-out").await;
    let logout = Url::parse(&desk.provider.settings().logout_url).unwrap();
    let rule = format!("form-action 'self' {}", logout.origin().ascii_serialization());
    assert!(policy.header("content-security-policy").split("; ").any(|found| found == rule), "{policy:?}");
}

#[tokio::test]
async fn only_a_console_behind_tls_asks_for_tls() {
    let desk = Desk::at("http://localhost:8080", World::new(NoModel).await).await;
    let answer = desk.browser().get("/console").await;
    assert!(!answer.headers.contains_key("strict-transport-security"), "{answer:?}");
}

#[tokio::test]
async fn style_and_scripts_are_kept_for_good_and_nothing_stands_in_the_page() {
    let desk = desk().await;
    let page = desk.browser_of(&ROBIN).await.get("/console").await.body;
    for inline in ["<script>", " style=", "<style", " onclick=", "javascript:"] {
        assert!(!page.contains(inline), "{inline}: {page}");
    }
    let parts: BTreeSet<&str> = page.split('"').filter(|part| part.starts_with("/console/assets/")).collect();
    assert_eq!(parts.len(), 4, "{page}");
    for part in parts {
        let answer = desk.browser().get(part).await;
        assert_eq!(answer.status, StatusCode::OK, "{part}");
        assert_is_safe(&answer);
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable", "{part}");
        let kind = match part.rsplit('.').next() {
            Some("css") => "text/css",
            Some("svg") => "image/svg+xml",
            _ => "text/javascript",
        };
        assert_eq!(answer.header("content-type"), format!("{kind}; charset=utf-8"), "{part}");
    }
}

// Behind the gateway.

/// What the function answers to an event of the gateway.
async fn through_the_gateway(desk: &Desk, address: &str, cookies: &[String]) -> ApiGatewayV2httpResponse {
    let url = Url::parse(&format!("{ORIGIN}{}", address.trim_start_matches(ORIGIN))).expect("an address");
    let event = json!({
        "version": "2.0",
        "rawPath": url.path(),
        "rawQueryString": url.query().unwrap_or_default(),
        "cookies": cookies,
        "headers": {"host": "desk.example"},
        "requestContext": {"http": {"method": "GET", "path": url.path()}},
        "isBase64Encoded": false,
    });
    lambda::answer(desk.router(), serde_json::from_value(event).expect("an event")).await
}

/// The cookies that an answer sets, as they are sent back.
fn sent_back(answer: &ApiGatewayV2httpResponse) -> Vec<String> {
    assert!(!answer.headers.contains_key("set-cookie"), "the gateway would join them: {answer:?}");
    answer.cookies.iter().filter_map(|cookie| cookie.split(';').next().map(str::to_owned)).collect()
}

#[tokio::test]
async fn the_way_in_leads_through_events_and_leaves_no_secret_in_the_logs() {
    let desk = desk().await;
    let (logs, _listening) = Logs::listen();
    let begun = through_the_gateway(&desk, "/console?q=ana", &[]).await;
    let asked = desk.provider.asked(begun.headers["location"].to_str().unwrap());
    let attempt = sent_back(&begun);
    let entered = through_the_gateway(&desk, &desk.provider.lets_in(&asked, &ROBIN), &attempt).await;
    assert_eq!(
        (entered.status_code, &entered.headers["location"]),
        (303, &"/console?q=ana".parse().unwrap())
    );
    let cookies = sent_back(&entered);
    let page = through_the_gateway(&desk, "/console?q=ana", &cookies).await;
    assert_eq!(page.status_code, 200);

    let said = format!("{:?}", logs.lines());
    assert_eq!(said.matches("a request was answered").count(), 3, "{said}");
    let secrets = [asked.state, asked.nonce, "code".into(), "robin".into(), "ana".into(), "eyJ".into()];
    for secret in secrets.iter().chain(&attempt).chain(&cookies) {
        assert!(!said.contains(secret), "quiet-logs: {secret} in {said}");
    }
}

// Logs.

#[tokio::test]
async fn no_token_code_name_or_cookie_reaches_the_logs() {
    let desk = desk().await;
    let (logs, _listening) = Logs::listen();
    let mut secrets = vec!["robin".to_owned(), "code-".into(), "eyJ".into()];
    let mut browser = desk.browser();
    let asked = begun(&mut browser, &desk).await;
    secrets.extend(browser.cookies().iter().map(|cookie| cookie.value().to_owned()));
    browser.get(&desk.provider.lets_in(&asked, &ROBIN)).await;
    secrets.extend(browser.cookies().iter().map(|cookie| cookie.value().to_owned()));
    let page = browser.get("/console").await;
    secrets.push(page.csrf().to_owned());
    secrets.extend([asked.state, asked.nonce, asked.challenge]);
    desk.api(&ROBIN).get("/v1/cases").await;
    browser.submit(&page, SIGN_OUT, &[]).await;

    let wrong = |provider: &Provider, asked: &Asked| {
        provider.id_token(&claims_with(provider, asked, json!({"aud": "another"})))
    };
    brought(&desk, wrong).await;
    let strange = |provider: &Provider, _: &Asked| unknown_key(provider);
    brought(&desk, strange).await;
    for trouble in [Trouble::Down, Trouble::KeysDown] {
        desk.provider.set_trouble(Some(trouble));
        desk.browser().sign_in(&ROBIN).await;
    }

    let lines = logs.lines();
    assert!(!lines.is_empty(), "something is logged");
    let said = format!("{lines:?}");
    for secret in secrets {
        assert!(!said.contains(&secret), "quiet-logs: {secret} in {said}");
    }
}
