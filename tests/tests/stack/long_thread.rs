//! A thread of ten thousand messages, as an operator opens it.

use crate::sign_in::session;
use carryover_tests::command::{carryover, shared_dir};
use carryover_tests::stack;
use reqwest::header::COOKIE;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

const MESSAGES: usize = 10_000;

/// A log of them, in a file.
fn log() -> String {
    let line = |n| {
        let role = if n % 2 == 1 { "customer" } else { "bot" };
        json!({"role": role, "text": format!("long-thread message {n} of the lamp in the hall")}).to_string()
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long-thread.jsonl");
    std::fs::write(&path, (1..=MESSAGES).map(line).collect::<Vec<_>>().join("\n")).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[tokio::test]
async fn a_thread_of_ten_thousand_messages_opens_and_pages_backwards() {
    let imported = carryover(&shared_dir(), &["import", "chat:long-thread", &log()], "").await.unwrap();
    assert!(imported.success, "{imported:?}");
    let (browser, cookie) = session("robin").await;
    let page = format!("{}/console/threads/chat:long-thread", stack::shared().outputs().api_url);
    let open = async |address: &str| {
        let started = Instant::now();
        let opened = browser.get(address).header(COOKIE, &cookie).send().await.unwrap().text().await.unwrap();
        assert!(!opened.contains("Not readable"), "{opened}");
        eprintln!("opened in {:?}", started.elapsed());
        opened
    };
    let newest = open(&page).await;
    assert!(newest.contains(&format!("message {MESSAGES} of")), "{newest}");
    let older = open(&format!("{page}?before=101")).await;
    assert!(older.contains("message 100 of") && !older.contains("message 101 of"), "{older}");
    let oldest = open(&format!("{page}?before=2")).await;
    assert!(oldest.contains("message 1 of"), "{oldest}");
}
