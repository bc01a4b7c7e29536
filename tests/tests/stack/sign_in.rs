//! Who may work in the console, and how they get in.

use crate::customer::Customer;
use carryover_command::sign_in;
use carryover_tests::command::{carryover, shared_dir};
use carryover_tests::stack;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Client, Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use ulid::Ulid;

#[derive(Deserialize)]
struct Claims {
    #[serde(rename = "cognito:username")]
    username: String,
    #[serde(rename = "cognito:groups")]
    groups: Vec<String>,
    email: String,
    iat: u64,
    exp: u64,
}

#[tokio::test]
async fn both_operators_sign_in_and_their_tokens_say_their_role() {
    let client = stack::shared();
    let outputs = client.outputs();
    let pool = &outputs.user_pool_id;
    let keys = sign_in::browser().unwrap().get(format!("{}/{pool}/.well-known/jwks.json", outputs.endpoint));
    let keys: JwkSet = keys.send().await.unwrap().json().await.unwrap();
    let mut rules = Validation::new(Algorithm::RS256);
    rules.set_issuer(&[format!("https://cognito-idp.us-east-1.amazonaws.com/{pool}")]);
    rules.set_audience(&[&outputs.user_pool_client_id]);

    let roles = outputs.operators.iter().map(|operator| (operator.username.as_str(), operator.role.as_str()));
    assert_eq!(roles.collect::<Vec<_>>(), [("robin", "operator"), ("alex", "admin")]);
    for known in &outputs.operators {
        let token = sign_in::id_token(outputs, &known.username).await.unwrap();
        let key = keys.find(&decode_header(&token).unwrap().kid.unwrap()).expect("a key of the pool");
        let claims: Claims = decode(&token, &DecodingKey::from_jwk(key).unwrap(), &rules).unwrap().claims;
        assert_eq!((claims.username, claims.groups), (known.username.clone(), vec![known.role.clone()]));
        assert_eq!(claims.email, format!("{}@example.com", known.username));
        assert_eq!(claims.exp - claims.iat, 3_600);
    }
}

#[tokio::test]
async fn a_token_from_a_shell_opens_the_operators_api() {
    let ran = carryover(&shared_dir(), &["token", "robin"], "").await.expect("a command");
    assert!(ran.success, "{ran:?}");
    let url = format!("{}/v1/cases", stack::shared().outputs().api_url);
    let cases = sign_in::browser().expect("a client").get(url).bearer_auth(ran.stdout.trim());
    assert_eq!(cases.send().await.expect("an answer").status(), StatusCode::OK);
}

#[tokio::test]
async fn a_browser_that_signs_in_is_led_to_the_page_that_was_asked_for() {
    let browser = sign_in::browser().unwrap();
    let entered = enters(&browser, "robin").await;
    assert_eq!(sign_in::leads_to(&entered).unwrap().path(), "/console");
    let inbox = browser.get(sign_in::leads_to(&entered).unwrap()).header(COOKIE, cookies(&entered));
    let inbox = inbox.send().await.unwrap();
    assert_eq!(inbox.status(), StatusCode::OK);
    assert!(inbox.text().await.unwrap().contains("robin"));
}

/// A browser in which somebody has signed in, with the cookie of their session.
pub(crate) async fn session(username: &str) -> (Client, String) {
    let browser = sign_in::browser().expect("a client");
    let cookie = cookies(&enters(&browser, username).await);
    (browser, cookie)
}

/// What the console answers to somebody who comes from the sign-in page.
async fn enters(browser: &Client, username: &str) -> Response {
    let client = stack::shared();
    let outputs = client.outputs();
    let asked = browser.get(format!("{}/console?tab=mine", outputs.api_url)).send().await.expect("an answer");
    assert_eq!(asked.status(), StatusCode::SEE_OTHER);
    let (page, begun) = (sign_in::leads_to(&asked).expect("a page"), cookies(&asked));
    let callback = sign_in::signed_in(browser, outputs, username, page).await.expect("they may");
    browser.get(callback).header(COOKIE, begun).send().await.expect("an answer")
}

fn cookies(answer: &Response) -> String {
    let set = answer.headers().get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
    set.filter_map(|cookie| cookie.split(';').next()).collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn an_operator_answers_through_the_api_and_the_bot_goes_on() {
    let customer = Customer::new();
    customer.say("When do I get my deposit back?").await;
    let desk = Desk::of("robin").await;
    let thread = format!("/v1/threads/{}", customer.identity());
    let found = desk.call(Method::GET, &format!("/v1/threads?q={}", customer.identity()), None).await;
    assert_eq!(found["items"][0]["case"]["topic"], "deposit", "{found}");

    let taken = desk.call(Method::POST, &format!("{thread}/take-over"), Some(json!({}))).await;
    assert_eq!(taken["taken_by"], "robin");
    desk.call(Method::POST, &format!("{thread}/messages"), Some(json!({"text": "Within a week."}))).await;
    assert_eq!(customer.said_by("operator").await[0].text, "Within a week.");
    let back = json!({"resolve": true, "seen": taken["last_customer_seq"]});
    let back = desk.call(Method::POST, &format!("{thread}/hand-back"), Some(back)).await;
    assert_eq!((&back["mode"], &back["open_case"]), (&json!("bot"), &Value::Null));
    let answer = customer.say("Is the pool open?").await;
    assert_eq!(answer.body["status"], "replied");
    let document = client_get(&desk.url, "/v1/openapi.json").await;
    assert!(document["paths"]["/v1/threads/{identity}/take-over"].is_object());
}

async fn client_get(url: &str, path: &str) -> Value {
    sign_in::browser()
        .expect("a client")
        .get(format!("{url}{path}"))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("an answer")
}

/// An operator's program.
struct Desk {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Desk {
    async fn of(username: &str) -> Self {
        let client = stack::shared();
        let outputs = client.outputs();
        let token = sign_in::id_token(outputs, username).await.expect("an answer");
        Self { http: sign_in::browser().expect("a client"), url: outputs.api_url.clone(), token }
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let request = self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token);
        let request = match body {
            Some(body) => request.header("idempotency-key", Ulid::generate().to_string()).json(&body),
            None => request,
        };
        let answer = request.send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.expect("an answer"));
        answer.json().await.expect("an answer")
    }
}
