//! The scripted model itself, over HTTP, as stack tests use it.

use carryover_shared::clock::SystemClock;
use carryover_shared::model::{ModelClient, ModelConfig};
use carryover_tests::scripted_model::{Builtin, Recording, Rule, Script, ScriptedModel, Then};
use carryover_tests::world::World;
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

async fn ask(model: &Script, text: &str) -> reqwest::Result<Value> {
    let request = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
    let address = format!("{}/chat/completions", model.url());
    reqwest::Client::new().post(address).json(&request).send().await?.json().await
}

async fn said(model: &Script, text: &str) -> Value {
    ask(model, text).await.expect("an answer")["choices"][0]["message"]["content"].clone()
}

#[tokio::test]
async fn the_newest_rule_that_matches_wins_until_it_is_used_up() {
    let model = ScriptedModel::start().await.unwrap();
    let old = model.add(&Rule::when(&["apple", "pear"]).then(Then::content("old"))).await.unwrap();
    model.add(&Rule::when(&["apple"]).times(1).then(Then::content("new"))).await.unwrap();
    assert!(said(&model, "plum").await.as_str().unwrap().contains("plum"));
    assert_eq!(said(&model, "apple and pear").await, "new");
    assert_eq!(said(&model, "apple and pear").await, "old");
    model.remove(&old).await.unwrap();
    assert!(said(&model, "apple and pear").await.as_str().unwrap().contains("apple and pear"));
    let rules: Vec<_> = model.requests(&["pear"]).await.unwrap().into_iter().map(|seen| seen.rule).collect();
    assert_eq!(rules, [Some("rule-2".to_owned()), Some(old), None]);
}

#[tokio::test]
async fn a_held_answer_waits_for_its_gate() {
    let model = ScriptedModel::start().await.unwrap();
    model.add(&Rule::when(&["apple"]).hold("gate").then(Then::content("late"))).await.unwrap();
    let script: Script = (*model).clone();
    let asking = tokio::spawn(async move { said(&script, "apple").await });
    let seen = model.wait_for(&["apple"], 1).await.unwrap();
    assert!(!seen[0].answered && seen[0].ended_millis.is_none());
    model.release("gate").await.unwrap();
    assert_eq!(asking.await.unwrap(), "late");
    assert!(model.requests(&["apple"]).await.unwrap()[0].answered);
    assert_eq!(said(&model, "apple").await, "late");
}

#[tokio::test]
async fn a_rule_may_be_for_one_schema_only() {
    let model = ScriptedModel::start().await.unwrap();
    model.add(&Rule::when(&[]).schema("fold").then(Then::builtin(Builtin::Forget))).await.unwrap();
    assert!(said(&model, "apple").await.as_str().unwrap().contains("apple"));
}

#[tokio::test]
async fn a_rule_nobody_understands_is_refused() {
    let model = ScriptedModel::start().await.unwrap();
    let address = format!("{}/script/rules", model.url().trim_end_matches("/v1"));
    let rule = json!({"contains": ["a"], "than": {"hang": true}});
    let response = reqwest::Client::new().post(address).json(&rule).send().await.unwrap();
    assert_eq!(response.status(), 422);
}

#[tokio::test]
async fn a_dropped_connection_has_no_answer() {
    let model = ScriptedModel::start().await.unwrap();
    model.add(&Rule::when(&["apple"]).then(Then::drop_connection())).await.unwrap();
    assert!(ask(&model, "apple").await.is_err());
}

#[tokio::test]
async fn a_recording_answers_a_customer_as_staff_did() {
    let said = |role: &str, text: &str| json!({"role": role, "text": text});
    let recorded = [
        json!({"conversation_id": "1", "turns": [said("user", "Yes"), said("assistant", "Yes, what?")]}),
        json!({"conversation_id": "2", "turns": [
            said("user", "Is the shop\nopen?"), said("tool", "{}"), said("assistant", "Do you mean today?"),
            said("user", "Yes"), said("assistant", "It is."),
        ]}),
    ];
    let file = std::env::temp_dir().join(format!("carryover-recorded-{}.jsonl", std::process::id()));
    std::fs::write(&file, recorded.map(|conversation| conversation.to_string()).join("\n")).unwrap();
    let model = ScriptedModel::playing(Recording::read(&file).unwrap()).await.unwrap();
    std::fs::remove_file(file).unwrap();
    let world = World::new(client(&model.url())).await;
    for (id, text, reply) in [
        ("1", "Is the shop\nopen?", "Do you mean today?"),
        ("2", "Yes", "It is."),
        ("3", "Bye", "You wrote: Bye"),
    ] {
        world.write("ana", id, text).await.unwrap();
        let newest = world.log("ana").await.pop().unwrap().text;
        assert!(newest.ends_with(reply), "{text}: {newest}");
    }
}

fn client(url: &str) -> ModelClient {
    let lookup = |name: &str| match name {
        "MODEL_URL" => Some(url.to_owned()),
        "REPLY_MODEL" => Some("recorded".to_owned()),
        _ => None,
    };
    let config = ModelConfig::from_env(lookup).expect("a good configuration").expect("a model is configured");
    ModelClient::new(config, Arc::new(SystemClock)).expect("a client")
}

#[tokio::test]
async fn the_process_prints_its_address_and_ends_when_told() {
    let mut process =
        Command::new(env!("CARGO_BIN_EXE_scripted-model")).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(process.stdout.take().unwrap());
    let url = output.lines().next_line().await.unwrap().unwrap();
    assert!(said(&Script::of(&url).unwrap(), "apple").await.as_str().unwrap().contains("apple"));
    let pid = process.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    assert!(process.wait().await.unwrap().success());
}
