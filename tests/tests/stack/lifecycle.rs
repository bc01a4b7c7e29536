//! `carryover run` starts, starts again and leaves nothing behind.

use carryover_tests::stack::Stack;
use carryover_tests::{eventually, processes};
use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};

fn dir_of(test: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(test)
}

/// The directory of one test, without what an earlier run left.
fn fresh(test: &str) -> PathBuf {
    let dir = dir_of(test);
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

async fn call(stack: &Stack) {
    let client = stack.client().expect("a running stack");
    let response = client.request(Method::GET, "/chat").send().await.expect("an answer");
    assert!(response.status().is_success());
}

fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::KILL).expect("a process of ours");
}

#[tokio::test]
async fn an_interrupted_run_leaves_no_process_and_no_outputs() {
    let stack = Stack::start(&fresh("interrupted"), &[]).unwrap();
    call(&stack).await;
    let (dir, outputs) = (stack.dir().to_owned(), stack.outputs_path());
    assert!(processes::of(&dir).len() >= 3, "the command, the emulator and a function");

    assert!(stack.stop().unwrap().success());

    assert_eq!(processes::of(&dir), Vec::<u32>::new());
    assert!(!outputs.exists());
}

#[tokio::test]
async fn a_second_run_keeps_table_and_secrets_though_the_model_changed() {
    let dir = fresh("again");
    let stack = Stack::start(&dir, &[]).unwrap();
    let first = serde_json::to_value(stack.outputs().unwrap()).unwrap();
    stack.stop().unwrap();

    let model = [("MODEL_URL", "http://127.0.0.1:9/v1"), ("REPLY_MODEL", "none")];
    let stack = Stack::start(&dir, &model).unwrap();
    call(&stack).await;
    let second = serde_json::to_value(stack.outputs().unwrap()).unwrap();

    for name in ["table", "chat_secret", "api_token"] {
        assert_eq!(first[name], second[name]);
    }
}

#[tokio::test]
async fn a_crash_of_the_emulator_ends_the_run() {
    let stack = Stack::start(&fresh("crash"), &[]).unwrap();
    call(&stack).await;
    let (dir, outputs, screen) = (stack.dir().to_owned(), stack.outputs_path(), stack.screen_path());
    let emulator = processes::of(&dir).into_iter().filter(|pid| *pid != stack.pid()).min().unwrap();
    kill(emulator);

    assert!(!stack.wait().unwrap().success());

    assert_eq!(processes::of(&dir), Vec::<u32>::new());
    assert!(!outputs.exists());
    assert!(std::fs::read_to_string(screen).unwrap().contains("the AWS emulator died"));
}

#[tokio::test]
async fn a_run_that_is_killed_takes_its_processes_along() {
    let stack = Stack::start(&fresh("killed"), &[]).unwrap();
    call(&stack).await;
    let dir = stack.dir().to_owned();
    kill(stack.pid());
    stack.wait().unwrap();
    eventually("no process is left", async || processes::of(&dir).is_empty().then_some(())).await;
}

#[tokio::test]
async fn a_model_without_a_name_is_refused() {
    let refused = Stack::start(&fresh("refused"), &[("MODEL_URL", "http://127.0.0.1:9/v1")]);
    assert!(refused.is_err());
    let screen = std::fs::read_to_string(dir_of("refused").join("screen.txt")).unwrap();
    assert!(screen.contains("REPLY_MODEL is required"), "{screen}");
}
