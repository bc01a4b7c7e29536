//! The console in process, and who comes to it: browsers, and programs with a bearer token.

use crate::backlog::FakeBacklog;
use crate::provider::{Person, Provider};
use crate::world::World;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use axum_extra::extract::cookie::Cookie;
use carryover_console::Console;
use carryover_console::config::Settings;
use carryover_shared::prices::Prices;
use carryover_shared::{health, http};
use serde_json::Value;
use std::sync::Arc;
use tower::ServiceExt;
use ulid::Ulid;

/// The cookie of a session.
pub const SESSION_COOKIE: &str = "carryover_session";
/// What signs the sessions.
pub const SESSION_SECRET: &str = "0123456789abcdef0123456789abcdef";

/// A console over a world, with a provider of its own.
pub struct Desk {
    /// Whose threads and cases it shows.
    pub world: World,
    /// Who says who somebody is.
    pub provider: Provider,
    /// The queues, as the health page sees them.
    pub backlog: FakeBacklog,
    /// What pages and API need.
    pub console: Console,
    /// The address under which browsers reach it.
    pub public_url: String,
    router: Router,
}

impl Desk {
    /// One that browsers reach at `https://desk.example`.
    pub async fn over(world: World) -> Self {
        Self::at("https://desk.example", world).await
    }

    /// One that browsers reach at this address.
    ///
    /// # Panics
    /// There is no free port for its provider.
    pub async fn at(public_url: &str, world: World) -> Self {
        Self::build(public_url, world, None).await
    }

    /// One that knows what the models cost.
    pub async fn with_prices(world: World, prices: Prices) -> Self {
        Self::build("https://desk.example", world, Some(prices)).await
    }

    async fn build(public_url: &str, world: World, prices: Option<Prices>) -> Self {
        let provider = Provider::start(public_url).await;
        let settings = Settings {
            public_url: public_url.into(),
            session_secret: SESSION_SECRET.into(),
            provider: provider.settings(),
            has_hindsight: false,
        };
        let backlog = FakeBacklog::default();
        let health = health::Context {
            store: world.ctx.store.clone(),
            backlog: Arc::new(backlog.clone()),
            clock: world.ctx.clock.clone(),
            prices,
        };
        let http = http::client(None).expect("a client");
        let console = Console::new(world.handoff(), health, settings, http);
        let router = carryover_console::router(console.clone());
        Self { world, provider, backlog, console, public_url: public_url.into(), router }
    }

    /// From now on a Hindsight server keeps memories, too.
    pub fn has_hindsight(&mut self) {
        self.console.has_hindsight = true;
        self.router = carryover_console::router(self.console.clone());
    }

    /// Everything that is served.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// What it answers.
    ///
    /// # Panics
    /// The answer is no text.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("a body").to_vec();
        Answer { status: parts.status, headers: parts.headers, body: String::from_utf8(body).expect("text") }
    }

    /// A browser without cookies.
    pub fn browser(&self) -> Browser<'_> {
        Browser { desk: self, cookies: vec![] }
    }

    /// A browser in which somebody has signed in.
    ///
    /// # Panics
    /// They were not let in.
    pub async fn browser_of(&self, who: &Person) -> Browser<'_> {
        let mut browser = self.browser();
        let answer = browser.sign_in(who).await;
        assert!(browser.cookie(SESSION_COOKIE).is_some(), "{} is not let in: {answer:?}", who.name);
        browser
    }

    /// A program that somebody gave their ID token.
    pub fn api(&self, who: &Person) -> Api<'_> {
        let id_token = self.provider.id_token(&self.provider.claims(who, ""));
        Api { desk: self, authorization: format!("Bearer {id_token}") }
    }

    /// Path and query of an address of the console; paths stay as they are.
    fn path<'a>(&self, address: &'a str) -> &'a str {
        address.strip_prefix(&self.public_url).unwrap_or(address)
    }
}

/// What the console answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: String,
}

impl Answer {
    /// A header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Where it leads; empty where it leads nowhere.
    pub fn location(&self) -> &str {
        self.header(LOCATION.as_str())
    }

    /// The cookies that it sets.
    ///
    /// # Panics
    /// One is none.
    pub fn cookies(&self) -> Vec<Cookie<'static>> {
        let set = self.headers.get_all(SET_COOKIE).iter();
        set.map(|cookie| Cookie::parse(cookie.to_str().expect("text").to_owned()).expect("a cookie"))
            .collect()
    }

    /// The cookie that it sets under this name.
    pub fn cookie(&self, name: &str) -> Option<Cookie<'static>> {
        self.cookies().into_iter().find(|cookie| cookie.name() == name)
    }

    /// What proves that a form is one of the session that the page is of.
    ///
    /// # Panics
    /// The page has no form.
    pub fn csrf(&self) -> &str {
        let value = self.body.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        value.unwrap_or_else(|| panic!("no form: {self:?}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// It is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// A browser that follows no redirect by itself and keeps cookies past their age, so that a test sees who refuses them.
pub struct Browser<'a> {
    desk: &'a Desk,
    cookies: Vec<Cookie<'static>>,
}

impl Browser<'_> {
    /// Opens a page by its path or its address.
    ///
    /// # Panics
    /// It is no address.
    pub async fn get(&mut self, address: &str) -> Answer {
        self.send(Request::get(self.desk.path(address)).body(Body::empty()).expect("a request")).await
    }

    /// Sends a form as a page of the console does.
    ///
    /// # Panics
    /// It is no address.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let origin = self.desk.public_url.clone();
        self.post_from(&origin, path, fields).await
    }

    /// Sends a form as a page of `origin` does.
    ///
    /// # Panics
    /// It is no address.
    pub async fn post_from(&mut self, origin: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let form = serde_urlencoded::to_string(fields).expect("a form");
        let request = Request::post(path)
            .header(ORIGIN, origin)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.into());
        self.send(request.expect("a request")).await
    }

    /// Sends a form of this page, with what proves that it is one.
    pub async fn submit(&mut self, page: &Answer, path: &str, fields: &[(&str, &str)]) -> Answer {
        let fields: Vec<_> = [("csrf", page.csrf())].iter().chain(fields).copied().collect();
        self.post(path, &fields).await
    }

    /// Sends a request with the cookies that belong there, and keeps those of the answer.
    ///
    /// # Panics
    /// A cookie is no text.
    pub async fn send(&mut self, mut request: Request<Body>) -> Answer {
        let path = request.uri().path();
        let fitting = self.cookies.iter().filter(|cookie| is_for(cookie, path));
        let pairs: Vec<String> = fitting.map(|cookie| cookie.stripped().to_string()).collect();
        if !pairs.is_empty() {
            request.headers_mut().insert(COOKIE, pairs.join("; ").try_into().expect("text"));
        }
        let answer = self.desk.send(request).await;
        for cookie in answer.cookies() {
            self.keep(cookie);
        }
        answer
    }

    /// Opens the console, goes where it leads, and lets the provider lead back; what the console says then.
    pub async fn sign_in(&mut self, who: &Person) -> Answer {
        self.sign_in_from("/console", who).await
    }

    /// The same, from this page on.
    pub async fn sign_in_from(&mut self, page: &str, who: &Person) -> Answer {
        let begun = self.get(page).await;
        let asked = self.desk.provider.asked(begun.location());
        self.get(&self.desk.provider.lets_in(&asked, who)).await
    }

    /// A cookie that it keeps.
    pub fn cookie(&self, name: &str) -> Option<&Cookie<'static>> {
        self.cookies.iter().find(|cookie| cookie.name() == name)
    }

    /// All cookies that it keeps.
    pub fn cookies(&self) -> &[Cookie<'static>] {
        &self.cookies
    }

    /// Keeps a cookie in the place of one with its name and path; one that lives no more is only taken away.
    pub fn keep(&mut self, cookie: Cookie<'static>) {
        self.cookies.retain(|kept| kept.name() != cookie.name() || kept.path() != cookie.path());
        if cookie.max_age().is_none_or(|age| age.is_positive()) {
            self.cookies.push(cookie);
        }
    }
}

fn is_for(cookie: &Cookie<'_>, path: &str) -> bool {
    let below = path.strip_prefix(cookie.path().unwrap_or("/").trim_end_matches('/'));
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// A program that calls the API for somebody.
pub struct Api<'a> {
    desk: &'a Desk,
    authorization: String,
}

impl Api<'_> {
    /// Reads.
    ///
    /// # Panics
    /// It is no path.
    pub async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).header(AUTHORIZATION, &self.authorization);
        self.desk.send(request.body(Body::empty()).expect("a request")).await
    }

    /// Writes, once.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.write(Method::POST, path, &Ulid::generate().to_string(), body).await
    }

    /// Deletes, once.
    pub async fn delete(&self, path: &str) -> Answer {
        self.write(Method::DELETE, path, &Ulid::generate().to_string(), &Value::Null).await
    }

    /// Writes with this method, under this key.
    ///
    /// # Panics
    /// It is no path.
    pub async fn write(&self, method: Method, path: &str, key: &str, body: &Value) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(AUTHORIZATION, &self.authorization)
            .header("idempotency-key", key)
            .header(CONTENT_TYPE, "application/json");
        self.desk.send(request.body(body.to_string().into()).expect("a request")).await
    }
}
