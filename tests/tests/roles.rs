//! What each function does in the table, against what its role allows there: the local stack enforces no role.

use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use axum::http::Method;
use carryover_command::token::chat_token;
use carryover_shared::agent::{AccountAgent, AgentVersion};
use carryover_shared::api::{self, Api, Credentials};
use carryover_shared::contact::{Account, ContactId};
use carryover_shared::erase::{JOB_LIFE, RUN};
use carryover_shared::limits::Limits;
use carryover_shared::notification::Notification;
use carryover_shared::routing::{Routing, Target};
use carryover_shared::similar::Ticket;
use carryover_shared::tickets::{self, PastTickets};
use carryover_shared::traits::{Clock, Messenger, MessengerError, ModelError, Question, Role};
use carryover_shared::{erase, fold, handoff, notify, retain, sweep};
use carryover_tests::clock::TestClock;
use carryover_tests::console::{Answer, Desk};
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::table::{Call, Fault, Table};
use carryover_tests::template::{Grant, Right, functions, grants, is_like, rights};
use carryover_tests::world::{Sent, World, operator};
use futures::future::BoxFuture;
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

const SECRET: &str = "the secret of the host site, long enough";
const API_TOKEN: &str = "the token of the account systems";
const MINUTE: Duration = Duration::from_secs(60);

/// Every function over one table, each with calls of its own; what one queues the others find.
struct Deployment {
    clock: Arc<TestClock>,
    sent: Arc<Sent>,
    model: FakeModel,
    is_model_down: Arc<AtomicBool>,
    engineer: World,
    door: World,
    worker: World,
    sweep: World,
    summarizer: World,
    retainer: World,
    notifier: World,
    eraser: World,
    console: Desk,
    /// What programs have asked the console's API: methods and paths.
    asked: Mutex<BTreeSet<(String, String)>>,
}

impl Deployment {
    async fn new() -> Self {
        let (table, clock, sent) = (Table::new(), Arc::new(TestClock::new()), Arc::new(Sent::default()));
        let is_model_down = Arc::new(AtomicBool::new(false));
        let is_down = is_model_down.clone();
        let model = FakeModel::new(move |question: &Question| says(question, is_down.load(Ordering::SeqCst)));
        let function = || Box::pin(function(&table, &clock, &sent, &model));
        Self {
            engineer: function().await,
            door: function().await,
            worker: function().await,
            sweep: function().await,
            summarizer: function().await,
            retainer: function().await,
            notifier: function().await,
            eraser: function().await,
            console: Desk::over(function().await).await,
            clock,
            sent,
            model,
            is_model_down,
            asked: Mutex::default(),
        }
    }

    /// The functions by their names in the template, with what they have done in the table.
    fn calls(&self) -> BTreeMap<&'static str, Vec<Call>> {
        let functions = [
            ("ReplyDoor", &self.door),
            ("ReplyWorker", &self.worker),
            ("ReplySweep", &self.sweep),
            ("Summarizer", &self.summarizer),
            ("Retainer", &self.retainer),
            ("Notifier", &self.notifier),
            ("Eraser", &self.eraser),
            ("Console", &self.console.world),
        ];
        functions.map(|(name, world)| (name, world.table.take_calls())).into()
    }

    async fn contact(&self, who: &str) -> ContactId {
        self.engineer.contact(who).await
    }

    /// `who` writes to the door under a message id of its own.
    async fn writes(&self, who: &str, text: &str) {
        let id = self.clock.ulid().to_string();
        Box::pin(self.door.write(who, &id, text)).await.expect("an answer");
    }

    /// The same, answered by the worker.
    async fn drops_off(&self, who: &str, text: &str) {
        let id = self.clock.ulid().to_string();
        Box::pin(self.door.drop_off(who, &id, text)).await.expect("admitted");
        Box::pin(self.worker.work()).await.expect("an answer");
    }

    /// A customer's page sends a request to the door.
    async fn portal(&self, who: &str, method: &str, path: &str, body: &Value) -> Value {
        let secret = SecretString::from(SECRET);
        let token = chat_token(&secret, who, SystemTime::now(), 60 * MINUTE).expect("a token");
        self.request(&token, method, path, body).await
    }

    /// An account system sends a request to the door.
    async fn system(&self, method: &str, path: &str, body: &Value) -> Value {
        self.request(API_TOKEN, method, path, body).await
    }

    async fn request(&self, token: &str, method: &str, path: &str, body: &Value) -> Value {
        let credentials = Credentials { chat_secret: SECRET.into(), api_token: API_TOKEN.into() };
        let mut event = ApiGatewayV2httpRequest::default();
        event.request_context.http.method = method.parse().expect("a method");
        event.raw_path = Some(path.split('?').next().unwrap_or_default().into());
        event.raw_query_string = path.split('?').nth(1).map(str::to_owned);
        event.body = (!body.is_null()).then(|| body.to_string());
        event.headers.insert("authorization", format!("Bearer {token}").parse().expect("a header"));
        let api = Api { ctx: self.door.ctx.clone(), credentials };
        let response = Box::pin(api::handle(&api, event)).await;
        assert!(response.status_code < 300, "{method} {path}: {response:?}");
        let Some(aws_lambda_events::encodings::Body::Text(body)) = response.body else { return Value::Null };
        serde_json::from_str(&body).unwrap_or(Value::Null)
    }

    /// An operator's program sends a request to the console.
    async fn program(&self, method: Method, path: &str, body: Value) -> Value {
        let api = self.console.api(&ALEX);
        self.asked.lock().expect("no panic").insert((method.to_string().to_lowercase(), path.into()));
        let answer = api.write(method.clone(), path, &self.clock.ulid().to_string(), &body).await;
        assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        serde_json::from_str(&answer.body).unwrap_or(Value::Null)
    }

    async fn reads(&self, path: &str) -> Value {
        self.asked.lock().expect("no panic").insert(("get".into(), path.into()));
        let answer = self.console.api(&ROBIN).get(path).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        answer.json()
    }

    /// The operations of the API by method and path, and of these such as no program has asked for.
    async fn operations(&self) -> (Vec<(String, String)>, Vec<(String, String)>) {
        let document = self.reads("/v1/openapi.json").await;
        let paths = document["paths"].as_object().expect("paths");
        let operations = paths.iter().flat_map(|(path, operations)| {
            let methods = operations.as_object().expect("operations").keys();
            methods.map(move |method| (method.clone(), path.clone()))
        });
        let all: Vec<_> = operations.collect();
        let asked = self.asked.lock().expect("no panic");
        let is_asked = |(method, path): &(String, String)| {
            asked.iter().any(|(by, asked)| by == method && is_at(asked, path))
        };
        let missing = all.iter().filter(|operation| !is_asked(operation)).cloned().collect();
        (all, missing)
    }

    /// The console serves these pages.
    async fn opens(&self, pages: &[&str]) {
        let mut browser = self.console.browser_of(&ALEX).await;
        for page in pages {
            let answer = browser.get(page).await;
            assert!(answer.status.is_success(), "{page}: {answer:?}");
        }
    }

    /// An admin fills in a form of a page that they have just opened.
    async fn submits(&self, page: &str, form: &str, fields: &[(&str, &str)]) {
        let mut browser = self.console.browser_of(&ALEX).await;
        let opened = browser.get(page).await;
        let hidden = ["key", "seen", "epoch"].map(|name| (name, field(&opened, name)));
        let hidden = hidden.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        let fields: Vec<_> = hidden.chain(fields.iter().copied()).collect();
        let answer = browser.submit(&opened, &format!("{page}/{form}"), &fields).await;
        assert!(answer.status.is_redirection() || answer.status.is_success(), "{form}: {answer:?}");
    }

    /// Does all jobs that were queued, of every queue, until there are none.
    async fn works(&self) {
        Box::pin(self.worker.work()).await.expect("answers");
        for _ in 0..3 {
            self.folds().await;
            Box::pin(self.retainer.retain()).await;
        }
    }

    async fn folds(&self) {
        let limits = Limits { bank_items: 2, ..self.summarizer.ctx.limits.clone() };
        let ctx = fold::Context {
            store: self.summarizer.ctx.store.clone(),
            model: Arc::new(self.model.clone()),
            clock: self.clock.clone(),
            limits,
            retention: Some(self.sent.clone()),
        };
        for job in self.sent.take_folds() {
            Box::pin(fold::work(&ctx, job, self.clock.now() + 5 * MINUTE)).await;
        }
    }

    /// Tells teams by this way, for the last time.
    async fn notifies(&self, messenger: impl Messenger + 'static) {
        let ctx = notify::Context {
            store: self.notifier.ctx.store.clone(),
            routing: self.notifier.ctx.routing.clone(),
            messenger: Arc::new(messenger),
            queue: self.sent.clone(),
            clock: self.clock.clone(),
            limits: self.notifier.ctx.limits.clone(),
            console_url: "https://console.example".into(),
        };
        for (job, _) in self.sent.take_notifications() {
            notify::work(&ctx, job, notify::ATTEMPTS, self.clock.now() + MINUTE).await;
        }
    }

    async fn erases(&self) {
        erase::run(&self.eraser.eraser(), self.clock.now() + 4 * MINUTE).await.expect("a table");
    }
}

/// A function's own way to the table, and what all have in common.
async fn function(table: &Table, clock: &Arc<TestClock>, sent: &Arc<Sent>, model: &FakeModel) -> World {
    let limits = Limits { window_messages: 4, own_requests: 2, ..Limits::default() };
    let mut world = World::over(&table.apart(), clock, model.clone(), limits).await;
    world.sent = sent.clone();
    world.ctx.queue = sent.clone();
    world.ctx.events = sent.clone();
    world.ctx.routing = Arc::new(routing());
    let shelf = world.eraser().shelf;
    world.ctx.similar = Arc::new(PastTickets::new(shelf, clock.clone(), &world.ctx.limits));
    world.table.take_calls();
    world
}

fn routing() -> Routing {
    let slack = json!({"slack": "https://hooks.slack.com/services/T/B/x"});
    let route = json!({"team": "front", "take_minutes": 15, "then": ["lead"]});
    let routing = json!({"teams": {"front": slack, "lead": slack}, "routes": {"default": route}});
    Routing::parse(&routing.to_string()).expect("a routing")
}

fn says(question: &Question, is_down: bool) -> Said {
    if question.role == Role::Summary {
        let summary = json!({"guest_intent": "Wants news.", "summary_text": "They talk.",
            "history": "Language: English\nThey talked.", "established_facts": [], "open_questions": []});
        return if is_down { Err(ModelError::Timeout) } else { Ok(summary) };
    }
    let reply =
        if question.user.contains("coffee machine") { "I'll follow up by e-mail." } else { "Gladly." };
    Ok(json!({"action": "reply", "reply": reply, "category": "", "reason": ""}))
}

/// Cannot tell anybody.
struct Failing;

impl Messenger for Failing {
    fn send<'a>(&'a self, _: &'a Target, _: &'a Notification) -> BoxFuture<'a, Result<(), MessengerError>> {
        Box::pin(async { Err(MessengerError::Late) })
    }
}

/// Tells nobody.
struct Silent;

impl Messenger for Silent {
    fn send<'a>(&'a self, _: &'a Target, _: &'a Notification) -> BoxFuture<'a, Result<(), MessengerError>> {
        Box::pin(async { Ok(()) })
    }
}

/// Whether an address is one of a path with names in braces.
fn is_at(address: &str, path: &str) -> bool {
    let address = address.split('?').next().unwrap_or(address);
    let (address, path): (Vec<_>, Vec<_>) = (address.split('/').collect(), path.split('/').collect());
    address.len() == path.len()
        && address.iter().zip(path).all(|(part, named)| *part == named || named.starts_with('{'))
}

/// The pages of the console to which a page leads.
fn links(page: &Answer) -> Vec<String> {
    let links = page.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let pages = links.filter(|link| link.starts_with("/console") && !link.contains("/assets/"));
    pages.map(|link| link.replace("&amp;", "&")).collect()
}

/// What a hidden field of a page holds, if it has one.
fn field(page: &Answer, name: &str) -> Option<String> {
    let held = page.body.split(&format!("name=\"{name}\" value=\"")).nth(1)?;
    held.split('"').next().map(str::to_owned)
}

/// An engineer gives the web chat to an agent of its own, and imports past tickets.
async fn is_set_up(on: &Deployment) {
    let agent = AgentVersion { name: "garden".into(), ..AgentVersion::built_in() };
    on.engineer.publish(&agent).await;
    let to = AccountAgent { account: Account::chat(), agent: "garden".into(), campaign: None };
    on.engineer.ctx.store.assign_account(&to, "tests").await.expect("a table");
    let ticket = Ticket {
        id: "1".into(),
        body: "How can I cancel my order?".into(),
        answer: "Open it and press Cancel.".into(),
        ..Ticket::default()
    };
    let shelf = on.engineer.eraser().shelf;
    tickets::import(&shelf, &[ticket], false, &on.engineer.ctx.limits, |_| ()).await.expect("an import");
    on.clock.advance(2 * MINUTE);
}

/// The first message, bursts and redeliveries, promises, cases, what is long, what joins a case: by the door and by the
/// worker.
async fn customers_write(on: &Deployment) {
    for who in ["ana", "ben", "dora", "eve", "fay"] {
        on.writes(who, "Hello, how do I cancel my order?").await;
    }
    for id in ["m1", "m1", "m2"] {
        Box::pin(on.door.write("ana", id, &"word ".repeat(6_000))).await.expect("an answer");
    }
    on.writes("ben", "When do I get my deposit back?").await;
    on.writes("ben", "Hello?").await;
    on.writes("cleo", "The coffee machine is broken").await;
    on.drops_off("gil", "Hello").await;
    on.drops_off("gil", "How do I cancel?").await;
    on.drops_off("gil", "When do I get my deposit back?").await;
    on.drops_off("hal", "The coffee machine is broken").await;
    for n in 0..8 {
        on.writes("fay", &format!("My code {n} is 4471{n}-{n}, is the pool open?")).await;
    }
    on.engineer.says("ben", "Within a week.").await;
    let leo = operator("leo");
    let (ben, gil) = (on.contact("ben").await, on.contact("gil").await);
    for who in [ben, gil] {
        handoff::hand_back(&on.engineer.handoff(), who, &leo, false, None).await.expect("he may");
    }
    on.writes("ben", "And my deposit?").await;
    on.drops_off("gil", "And my deposit?").await;
    on.worker.work().await.expect("answers");
    on.portal("ana", "GET", "/v1/messages?after=0", &Value::Null).await;
}

/// All that a customer does in the portal, before they have written and after.
async fn customers_open_the_portal(on: &Deployment) {
    for who in ["ana", "ida"] {
        for path in ["", "/requests", "/orders", "/feedback", "/settings"] {
            on.portal(who, "GET", &format!("/v1/me{path}"), &Value::Null).await;
        }
        for n in 0..4 {
            let request = json!({"id": format!("r{n}"), "subject": "Tap", "text": "It drips."});
            let opened = on.portal(who, "POST", "/v1/me/requests", &request).await;
            on.clock.advance(MINUTE);
            let close = format!("/v1/me/requests/{}/close", opened["id"].as_str().expect("an id"));
            on.portal(who, "POST", &close, &Value::Null).await;
        }
        on.portal(who, "PUT", "/v1/me/settings", &json!({"language": "en", "channel": "chat"})).await;
    }
    on.portal("ana", "PUT", "/v1/me/feedback/2", &json!({"rating": "down", "text": "Too short."})).await;
    for change in ["opt_out", "opt_in"] {
        on.portal("ana", "PUT", "/v1/me/settings", &json!({change: ["chat"]})).await;
        on.writes("ana", "And the pool?").await;
    }
}

/// Records of customers and of a business are pushed, read, replaced and deleted.
async fn systems_push(on: &Deployment) {
    for (whose, other) in [("contacts/chat:ana", "contacts/chat:jon"), ("agents/garden", "agents/default")] {
        for (whose, status) in [(whose, "packed"), (whose, "sent"), (other, "packed")] {
            on.clock.advance(MINUTE);
            let fact = json!({"as_of": on.clock.now().rfc3339(), "data": {"status": status}});
            on.system("PUT", &format!("/v1/{whose}/facts/order/O-1"), &fact).await;
        }
        on.system("GET", &format!("/v1/{whose}/facts"), &Value::Null).await;
        on.system("GET", &format!("/v1/{whose}/facts/order/O-1"), &Value::Null).await;
        on.clock.advance(MINUTE);
        for id in ["O-1", "O-2"] {
            let gone = format!("/v1/{other}/facts/order/{id}?as_of={}", on.clock.now().rfc3339());
            on.system("DELETE", &gone, &Value::Null).await;
        }
    }
    for (of, into) in [("dora", "ana"), ("oli", "nia")] {
        records_are_to_be_handed_over(on, of, into).await;
    }
}

/// `of` has a record, and of two others it is known that they are gone; one of these `into` has still.
async fn records_are_to_be_handed_over(on: &Deployment, of: &str, into: &str) {
    let record = |who: &str, id: &str| format!("/v1/contacts/chat:{who}/facts/order/{id}");
    for path in [record(into, "O-1"), record(of, "O-3")] {
        let fact = json!({"as_of": on.clock.now().rfc3339(), "data": {"status": "packed"}});
        on.system("PUT", &path, &fact).await;
    }
    on.clock.advance(MINUTE);
    for id in ["O-1", "O-4"] {
        let gone = format!("{}?as_of={}", record(of, id), on.clock.now().rfc3339());
        on.system("DELETE", &gone, &Value::Null).await;
    }
}

/// Folds with the model, without it until it is given up, from a summary that cannot be read, and with many spills.
async fn threads_are_folded(on: &Deployment) {
    on.works().await;
    on.is_model_down.store(true, Ordering::SeqCst);
    let fay = on.contact("fay").await;
    for n in 0..8 {
        let long = "word ".repeat(700);
        on.writes("fay", &format!("{long} and my other code {n} is 5582{n}-{n}")).await;
        on.folds().await;
        if n == 5 {
            on.engineer.set_snapshot(fay, "history", 7).await;
        }
    }
    on.is_model_down.store(false, Ordering::SeqCst);
    on.works().await;
}

/// Memories are kept, merged where they are many, and one is given up.
async fn memories_are_kept(on: &Deployment) {
    on.works().await;
    on.retainer.table.inject(|_, request| request.to_string().contains("MEMORY#").then_some(Fault::Unsent));
    on.writes("ana", "Is the sauna open?").await;
    for job in on.sent.take_retentions() {
        let deadline = on.clock.now() + MINUTE;
        Box::pin(retain::work(&on.retainer.retention(), job, retain::ATTEMPTS, deadline)).await;
    }
    on.retainer.table.heal();
}

/// Teams are told of cases, again after a time, and the case is passed on.
async fn teams_are_told(on: &Deployment) {
    on.writes("kim", "When do I get my deposit back?").await;
    on.notifies(Silent).await;
    for _ in 0..3 {
        on.writes("kim", "Hello?").await;
        on.clock.advance(16 * MINUTE);
        on.notifies(Silent).await;
    }
    on.writes("lou", "When do I get my deposit back?").await;
    on.notifies(Failing).await;
}

/// The sweep finds who waits, and whose records have not gone where they were joined.
async fn what_was_lost_is_swept(on: &Deployment) {
    on.door.drop_off("mia", "m1", "Hello").await.expect("admitted");
    on.sent.take_turns();
    on.clock.advance(2 * MINUTE);
    assert!(sweep::run(&on.sweep.ctx).await.expect("a table").queued > 0);
    on.works().await;
}

/// The number and the name of the decision that opened the case of `who`.
async fn decision_of(on: &Deployment, who: &str) -> (u64, String) {
    let cases = on.engineer.ctx.store.cases(on.contact(who).await).await.expect("a table");
    (cases[0].about_seq.0, cases[0].trace.clone().expect("a trace"))
}

/// Every page is opened and every form is sent.
async fn operators_use_the_pages(on: &Deployment) {
    let (ana, ben) = (on.contact("ana").await, on.contact("ben").await);
    let (thread, customer) = (format!("/console/threads/{ben}"), format!("/console/customers/{ana}"));
    on.opens(&[
        "/console",
        "/console?tab=mine",
        "/console?tab=bot",
        "/console?tab=resolved",
        "/console?q=ana",
    ])
    .await;
    let inbox = on.console.browser_of(&ALEX).await.get("/console").await;
    on.opens(&links(&inbox).iter().map(String::as_str).collect::<Vec<_>>()).await;
    on.opens(&["/console/inbox", "/console/health", &thread, &customer]).await;
    on.opens(&[
        &format!("{thread}/live"),
        &format!("{thread}/messages/1"),
        &format!("{thread}?before=2"),
        &format!("{thread}/earlier-notes?before=x"),
        "/console/threads/chat:ben",
    ])
    .await;
    let case = on.engineer.head("ben").await.open_case.expect("a case").to_string();
    let (seq, trace) = decision_of(on, "ben").await;
    on.opens(&[&format!("{thread}/traces/{seq}/{trace}")]).await;

    on.submits(&thread, "take-over", &[]).await;
    on.submits(&thread, "messages", &[("text", "Within a week.")]).await;
    on.submits(&thread, "notes", &[("text", "She is patient.")]).await;
    let label = [("priority", "urgent"), ("tags", "vip"), ("labelled", "0")];
    on.submits(&thread, &format!("cases/{case}/label"), &label).await;
    on.submits(&thread, &format!("cases/{case}/assign"), &[("to", "robin")]).await;
    on.submits(&thread, &format!("cases/{case}/assign"), &[("to", "")]).await;
    on.submits(&thread, &format!("cases/{case}/resolve"), &[]).await;
    on.submits(&thread, &format!("cases/{case}/reopen"), &[]).await;
    on.submits(&thread, "hand-back", &[("resolve", "true")]).await;
    let words =
        [("problem", "A guest asks for the deposit."), ("solution", "It is paid back within a week.")];
    on.submits(&thread, &format!("cases/{case}/release"), &words).await;
    on.works().await;

    let thread = format!("/console/threads/{ana}");
    on.submits(&thread, "messages/2/flag", &[("reason", "incorrect_information"), ("note", "wrong")]).await;
    on.works().await;
    on.submits(&thread, "messages/2/flag/withdraw", &[]).await;
    on.works().await;
    on.submits(&thread, "memories/forget", &[("origin", "reply-2")]).await;
    let record =
        [("kind", "request"), ("title", "Call back"), ("status", "open"), ("assigned_to", ""), ("note", "")];
    on.submits(&customer, "records", &record).await;
    on.clock.advance(MINUTE);
    let facts = on.engineer.ctx.store.facts(ana, &on.engineer.ctx.limits).await.expect("a table");
    let ours = facts.iter().find(|fact| fact.source == "staff").expect("a record");
    let as_of = ours.as_of.rfc3339();
    let edit = [
        ("kind", "request"),
        ("id", &ours.id),
        ("as_of", &as_of),
        ("status", "done"),
        ("assigned_to", ""),
        ("note", ""),
    ];
    on.submits(&customer, "records/edit", &edit).await;
    on.submits(&customer, "identities", &[("identity", "tel:+15551234567")]).await;
    on.submits(&customer, "unlink", &[("identity", "tel:+15551234567")]).await;
    on.submits(&customer, "join", &[("identity", "chat:dora")]).await;
    let eve = on.contact("eve").await;
    on.submits(&format!("/console/customers/{eve}"), "erase", &[("sure", "yes")]).await;
    let mut browser = on.console.browser_of(&ALEX).await;
    browser.get(&format!("/console/customers/{eve}")).await;
}

/// Every route of the API is called.
async fn programs_call_the_api(on: &Deployment) {
    on.writes("nia", "Is the pool open?").await;
    on.works().await;
    on.writes("nia", "When do I get my deposit back?").await;
    on.writes("oli", "Hello").await;
    let (thread, customer) = ("/v1/threads/chat:nia", "/v1/customers/chat:nia");
    for (method, path) in on.operations().await.0 {
        if method == "get" && !path.contains('{') {
            on.reads(&path).await;
        }
    }
    for path in ["/v1/cases?q=deposit", "/v1/threads?tab=bot", thread, customer] {
        on.reads(path).await;
    }
    for part in ["messages", "notes", "memories"] {
        on.reads(&format!("{thread}/{part}")).await;
    }
    let (seq, trace) = decision_of(on, "nia").await;
    on.reads(&format!("{thread}/traces/{seq}/{trace}")).await;
    let post = async |path: String, body: Value| on.program(Method::POST, &path, body).await;
    let case = on.engineer.head("nia").await.open_case.expect("a case");
    post(format!("{thread}/take-over"), json!({})).await;
    post(format!("{thread}/messages"), json!({"text": "Within a week."})).await;
    post(format!("{thread}/notes"), json!({"text": "She is patient."})).await;
    post(format!("{thread}/cases/{case}/label"), json!({"priority": "urgent", "tags": ["vip"]})).await;
    post(format!("{thread}/cases/{case}/assign"), json!({"to": "robin"})).await;
    post(format!("{thread}/cases/{case}/assign"), json!({"to": null})).await;
    post(format!("{thread}/cases/{case}/resolve"), json!({})).await;
    post(format!("{thread}/cases/{case}/reopen"), json!({})).await;
    post(format!("{thread}/hand-back"), json!({"resolve": true})).await;
    post(format!("{thread}/messages/2/flag"), json!({"note": "wrong"})).await;
    on.program(Method::DELETE, &format!("{thread}/messages/2/flag"), Value::Null).await;
    on.works().await;
    on.program(Method::DELETE, &format!("{thread}/memories/reply-2"), Value::Null).await;
    let record = json!({"kind": "request", "title": "Call back", "status": "open"});
    let opened = post(format!("{customer}/records"), record).await;
    on.clock.advance(MINUTE);
    let path = format!("{customer}/records/request/{}", opened["id"].as_str().expect("an id"));
    on.program(Method::PUT, &path, json!({"status": "done"})).await;
    let phone = json!({"identity": "tel:+15557654321"});
    post(format!("{customer}/identities"), phone.clone()).await;
    post(format!("{customer}/unlink"), phone).await;
    let puts = |operation: &str, request: &Value| {
        operation == "TransactWriteItems" && request.to_string().contains("FACTS#")
    };
    let table = &on.console.world.table;
    table.inject(move |operation, request| puts(operation, request).then_some(Fault::Conflict));
    post(format!("{customer}/join"), json!({"identity": "chat:oli"})).await;
    table.heal();
    on.sent.take_folds();
    post("/v1/queues/folds/redrive".into(), Value::Null).await;
    on.clock.advance(2 * MINUTE);
    sweep::run(&on.sweep.ctx).await.expect("a table");
    on.works().await;
    on.program(Method::DELETE, customer, Value::Null).await;
    let missing = on.operations().await.1;
    assert!(missing.is_empty(), "{missing:?}");
}

/// Those who are to go are erased, with a case of theirs that was released.
async fn customers_are_erased(on: &Deployment) {
    let ben = on.contact("ben").await;
    let shelf = on.engineer.eraser().shelf;
    tickets::build(&shelf, &on.engineer.ctx.limits).await.expect("a build");
    on.submits(&format!("/console/customers/{ben}"), "erase", &[("sure", "yes")]).await;
    on.erases().await;
    for life in [RUN, JOB_LIFE] {
        on.clock.advance(life + MINUTE);
        on.erases().await;
    }
    assert!(on.engineer.ctx.store.erasure(ben).await.expect("a table").is_none(), "the head went, too");
}

/// All that the functions do.
async fn all_calls() -> BTreeMap<&'static str, Vec<Call>> {
    let on = &Box::pin(Deployment::new()).await;
    Box::pin(is_set_up(on)).await;
    Box::pin(customers_write(on)).await;
    Box::pin(customers_open_the_portal(on)).await;
    Box::pin(systems_push(on)).await;
    Box::pin(threads_are_folded(on)).await;
    Box::pin(memories_are_kept(on)).await;
    Box::pin(teams_are_told(on)).await;
    Box::pin(what_was_lost_is_swept(on)).await;
    Box::pin(operators_use_the_pages(on)).await;
    Box::pin(programs_call_the_api(on)).await;
    Box::pin(customers_are_erased(on)).await;
    on.calls()
}

#[tokio::test]
async fn whatever_a_function_does_in_the_table_its_role_allows() {
    let calls = all_calls().await;
    assert_eq!(calls.keys().copied().collect::<BTreeSet<_>>(), functions().into_iter().collect());
    let mut refused = BTreeSet::new();
    for (function, calls) in &calls {
        let grants = grants(function);
        for right in calls.iter().flat_map(rights) {
            if !grants.iter().any(|grant| grant.allows(&right)) {
                let kinds: BTreeSet<_> = right.partitions.iter().map(|partition| kind(partition)).collect();
                refused.insert(format!("{function}: {} {:?} {kinds:?}", right.action, right.index));
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

/// What a partition holds: the part of its key before the first id.
fn kind(partition: &str) -> &str {
    partition.split('#').next().unwrap_or(partition)
}

#[tokio::test]
async fn no_statement_allows_what_no_function_does_that_has_it() {
    let calls = all_calls().await;
    let mut idle = BTreeSet::new();
    for grant in calls.keys().flat_map(|function| grants(function)) {
        let has_it = |function: &&str| grants(function).contains(&grant);
        let used = calls.iter().filter(|(function, _)| has_it(function)).flat_map(|(_, calls)| calls);
        idle.extend(unused(&grant, &used.flat_map(rights).collect::<Vec<_>>()));
    }
    assert!(idle.is_empty(), "{idle:#?}");
}

/// Actions of a statement that nobody does in one of its partitions, and partitions in which nobody does one of them.
fn unused(grant: &Grant, used: &[Right]) -> Vec<String> {
    let is_of_it = |right: &&Right| right.index == grant.index && grant.actions.contains(&right.action);
    let used: Vec<&Right> = used.iter().filter(is_of_it).collect();
    let is_in = |right: &Right, pattern: &String| right.partitions.iter().any(|one| is_like(one, pattern));
    let is_here = |right: &Right| {
        grant.partitions.is_empty() || grant.partitions.iter().any(|pattern| is_in(right, pattern))
    };
    let is_done = |action: &String| used.iter().any(|right| right.action == *action && is_here(right));
    let is_named = |pattern: &String| used.iter().any(|right| is_in(right, pattern));
    let actions = grant.actions.iter().filter(|action| !is_done(action));
    let partitions = grant.partitions.iter().filter(|pattern| !is_named(pattern));
    actions.chain(partitions).map(|part| format!("{}: {part}", grant.sid)).collect()
}
