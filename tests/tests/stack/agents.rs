//! Agents and facts of the business, through the command and the API, as the next turn knows them.

use crate::customer::{Customer, word};
use crate::doors::{assert_bound, assert_problem, now};
use crate::records::Records;
use carryover_tests::client::{Answer, answer};
use carryover_tests::command::{Ran, carryover, shared_dir};
use reqwest::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::path::PathBuf;

async fn agent(arguments: &[&str]) -> Ran {
    carryover(&shared_dir(), &[&["agent"], arguments].concat(), "").await.expect("a command")
}

fn file(name: &str, text: &str) -> String {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("agents");
    std::fs::create_dir_all(&dir).expect("a directory");
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[tokio::test]
async fn signed_change_an_agent_answers_once_a_version_of_it_is_published() {
    let customer = Customer::new();
    let name = format!("garden-{}", customer.word).to_lowercase();
    let path =
        file(&format!("{name}.toml"), "instructions = \"You speak for the garden.\"\ntone = \"Sunny.\"");
    let created = agent(&["create", &name, "--file", &path, "--from", "default@0"]).await;
    assert!(created.success && created.stdout.contains("Version 1"), "{created:?}");
    customer.say("hello").await;
    let early = agent(&["use", &customer.identity(), &name]).await;
    assert!(!early.success && early.stderr.contains("is not live"), "{early:?}");

    Records::shared().await.publish(&name, 1).await;
    let hours = ["fact", &name, "hours", "shed", "--data", r#"{"monday": "7:00-12:00"}"#];
    assert!(agent(&hours).await.success);
    let used = agent(&["use", &customer.identity(), &name]).await;
    assert!(used.success && used.stdout.contains("answers"), "{used:?}");
    customer.say("When are you open?").await;
    let prompt = customer.prompt().await;
    assert!(prompt.content("system").contains("You speak for the garden."));
    assert!(prompt.content("user").contains("7:00-12:00"));

    assert!(agent(&["use", &customer.identity(), "--none"]).await.success);
    customer.say("hello again").await;
    assert!(!customer.prompt().await.content("system").contains("You speak for the garden."));
}

#[tokio::test]
async fn an_agent_is_shown_with_its_versions_accounts_and_business() {
    let name = format!("desk-{}", word()).to_lowercase();
    let path = file(&format!("{name}.json"), r#"{"tone": "Formal."}"#);
    agent(&["create", &name, "--file", &path, "--from", "default@0"]).await;
    let second = agent(&["create", &name, "--file", &path, "--from", "1"]).await;
    assert!(second.stdout.contains("Version 2"), "{second:?}");
    Records::shared().await.publish(&name, 1).await;
    let account = format!("sms:{name}");
    let assigned = agent(&["account", &account, "--agent", &name, "--campaign", "spring"]).await;
    assert!(assigned.success, "{assigned:?}");
    agent(&["fact", &name, "policy", "pets", "--data", r#"{"text": "Dogs are welcome."}"#]).await;

    let shown = agent(&["show", &name, "--json"]).await;
    let view: Value = serde_json::from_str(&shown.stdout).unwrap_or_else(|_| panic!("{shown:?}"));
    assert_eq!((&view["live"], &view["version"]["version"]), (&json!(1), &json!(1)));
    assert_eq!(view["versions"].as_array().map(Vec::len), Some(2));
    assert_eq!(view["accounts"], json!([{"account": account, "agent": name, "campaign": "spring"}]));
    let page = agent(&["show", &name, "--version", "2"]).await.stdout;
    for part in ["version 2, not live", "Formal.", "campaign spring", "Dogs are welcome."] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 100));
}

#[tokio::test]
async fn what_cannot_be_created_is_told_by_its_field() {
    let name = format!("odd-{}", word()).to_lowercase();
    for (text, told) in [
        ("tones = \"\"", "unknown field `tones`"),
        ("tone = \"Plain.\"", "instructions is missing"),
        ("instructions = \"x\"\nchannels = [\"fax\"]", "unknown variant `fax`"),
    ] {
        let refused = agent(&["create", &name, "--file", &file(&format!("{name}.toml"), text)]).await;
        assert!(!refused.success && refused.stderr.contains(told), "{refused:?}");
    }
    let long = file(&format!("{name}.toml"), &format!("instructions = \"{}\"", "x".repeat(20_001)));
    let refused = agent(&["create", &name, "--file", &long, "--from", "default@0"]).await;
    assert!(refused.stderr.contains("instructions has 20001 characters; at most 20000"), "{refused:?}");
    assert!(agent(&["show", &name]).await.stderr.contains("there is no agent"));
    assert!(agent(&["create", "My Agent", "--file", &long]).await.stderr.contains("the name of an agent"));
}

/// A request for a fact of an agent's business, with the API's token.
async fn business(method: Method, agent: &str, id: &str, body: Option<Value>) -> Answer {
    let client = carryover_tests::stack::shared();
    let token = client.outputs().api_token.expose_secret().to_owned();
    let request = client.request(method, &format!("/v1/agents/{agent}/facts/policy/{id}")).bearer_auth(token);
    let request = body.iter().fold(request, |request, body| request.json(body));
    answer(request).await.expect("an answer")
}

#[tokio::test]
async fn systems_push_what_the_business_says_of_itself() {
    let id = word();
    let put = async |data: Value| {
        business(Method::PUT, "default", &id, Some(json!({"as_of": now(), "data": data}))).await
    };
    assert_eq!(put(json!({"text": "No."})).await.status, 201);
    let read = business(Method::GET, "default", &id, None).await;
    assert_eq!(read.body["data"], json!({"text": "No."}));
    let older = json!({"as_of": "2026-01-01T00:00:00Z", "data": {}});
    assert_problem(&business(Method::PUT, "default", &id, Some(older)).await, 409, "as_of");
    let large = put(json!({"text": "x".repeat(8 * 1024)})).await;
    assert_problem(&large, 400, "data");
    assert_bound(&large, 8 * 1024);
    let gone = business(Method::DELETE, "default", &id, Some(json!({"as_of": now()}))).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    assert_eq!(business(Method::GET, "default", &id, None).await.status, 404);

    let nobody = business(Method::PUT, "ghost", &id, Some(json!({"as_of": now(), "data": {}}))).await;
    assert_eq!(nobody.status, 404, "{nobody:?}");
    assert_problem(&business(Method::GET, "My-Agent", &id, None).await, 400, "agent");
    let customer = Customer::new();
    let path = format!("/v1/agents/default/facts/policy/{id}");
    let request = customer.client.request(Method::GET, &path);
    let token = customer.client.token(&customer.sub).unwrap();
    assert_problem(&answer(request.bearer_auth(token)).await.unwrap(), 401, "authorization");
}
