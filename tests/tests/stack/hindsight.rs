//! `make run MEMORY=hindsight`: the whole product, with a Hindsight server of its own.

use carryover_tests::scripted_model::{Rule, ScriptedModel, Then};
use carryover_tests::stack::Stack;
use carryover_tests::{eventually, processes};
use std::path::Path;

const SAID: &str = "The terrace was quoted at 480 euro.";
const ASKED: &str = "How much was the terrace again?";

/// What stood among the memories of the newest prompt with this question.
async fn memories_shown(model: &ScriptedModel) -> String {
    let asked = model.requests(&[ASKED]).await.expect("the scripted model");
    let newest = asked.iter().rev().find_map(|seen| seen.content("user").split_once("# Memories"));
    newest.and_then(|(_, memories)| memories.split("\n# ").next()).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_was_said_is_recalled_by_hindsight_and_nothing_is_left_behind() {
    let model = ScriptedModel::start().await.unwrap();
    model.add(&Rule::when(&[]).schema("reply").then(Then::reply("Noted."))).await.unwrap();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hindsight");
    let _ = std::fs::remove_dir_all(&dir);
    let url = model.url();
    let environment = [
        ("MEMORY", "hindsight"),
        ("MODEL_URL", url.as_str()),
        ("REPLY_MODEL", "scripted-reply"),
        // The machine may be busy; a prompt of nothing but the newest message leaves the rest to memory.
        ("LIMITS", r#"{"recall_millis": 8000, "window_messages": 1, "pending_messages": 0}"#),
    ];
    let stack = Stack::start(&dir, &environment).unwrap();
    let server = stack.outputs().unwrap().hindsight_url.expect("a server");
    let client = stack.client().unwrap();

    client.post("ana", "said", SAID).await.unwrap();
    let mut tries = 0;
    eventually("Hindsight recalls it", async || {
        tries += 1;
        client.post("ana", &format!("asked-{tries}"), ASKED).await.unwrap();
        memories_shown(&model).await.contains("480 euro").then_some(())
    })
    .await;

    let dir = stack.dir().to_owned();
    assert!(stack.stop().unwrap().success());
    assert_eq!(processes::of(&dir), Vec::<u32>::new());
    let address = server.trim_start_matches("http://");
    assert!(std::net::TcpStream::connect(address).is_err(), "the server is gone");
}
