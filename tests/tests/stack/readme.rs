//! The transcript in the README is what a stack without a model really says.

use carryover_tests::stack::Stack;
use std::path::Path;

const README: &str = include_str!("../../../README.md");

/// The customer and the lines of a transcript: `> ` before the customer's words, the bot's as they are.
fn transcript() -> (&'static str, Vec<&'static str>) {
    let (_, rest) = README.split_once("<!-- transcript: chat:").expect("a transcript");
    let (sub, rest) = rest.split_once(" -->").expect("whose transcript it is");
    let block = rest.split("```").nth(1).expect("a block");
    (sub, block.trim().lines().collect())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Days differ from one run to the next.
fn without_days(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    while let Some(at) = words.iter().position(|word| MONTHS.contains(word)) {
        // The day before it, and the year after it.
        words.splice(at.saturating_sub(1)..=at + 1, ["<day>"]);
    }
    words.join(" ")
}

#[tokio::test]
async fn the_transcript_of_the_readme_is_true() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = std::fs::remove_dir_all(&dir);
    let stack = Stack::start(&dir, &[]).expect("a stack");
    let client = stack.client().expect("a client");
    let (sub, lines) = transcript();
    assert!(lines.len() >= 4 && lines.len().is_multiple_of(2), "questions and answers");
    for (n, pair) in lines.chunks(2).enumerate() {
        let question = pair[0].strip_prefix("> ").expect("a question");
        let answer = client.post(sub, &format!("readme-{n}"), question).await.expect("an answer");
        let said = answer.body["reply"]["text"].as_str().expect("a reply");
        assert_eq!(without_days(said), without_days(pair[1]), "{question}");
    }
}
