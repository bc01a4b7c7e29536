//! Past tickets: taken in and built by the command, shown to the model as hints with their placeholders. The
//! stack is one of their own, so that no other prompt changes.

use carryover_tests::client::Client;
use carryover_tests::command::{Ran, carryover};
use carryover_tests::scripted_model::ScriptedModel;
use carryover_tests::stack::Stack;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Each question looks for a newer index, and waits for it however busy the machine is.
const LIMITS: &str = r#"{"index_seconds": 0, "recall_millis": 10000}"#;

struct Shop {
    stack: Stack,
    model: ScriptedModel,
    client: Client,
}

impl Shop {
    async fn open(dir: &Path) -> Self {
        let model = ScriptedModel::start().await.expect("a model");
        let url = model.url();
        let settings = [("MODEL_URL", url.as_str()), ("REPLY_MODEL", "m"), ("LIMITS", LIMITS)];
        let stack = Stack::start(dir, &settings).expect("a stack");
        let client = stack.client().expect("a client");
        Self { stack, model, client }
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        carryover(self.stack.dir(), arguments, "").await.expect("a command")
    }

    async fn does(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments).await;
        assert!(ran.success, "{ran:?}");
        ran.stdout
    }

    /// What the model is shown of past cases when a new customer asks this.
    async fn shown(&self, sub: &str, question: &str) -> String {
        let answer = self.client.post(sub, "m1", question).await.expect("an answer");
        assert_eq!(answer.body["status"], "replied", "{answer:?}");
        let asked = self.model.requests(&[question]).await.expect("requests");
        let asked = asked.iter().find(|request| request.schema == "reply").expect("a prompt");
        let prompt = asked.content("user");
        let (_, section) = prompt.split_once("# Similar past cases").expect("the section");
        section.split("\n\n# ").next().unwrap_or_default().to_owned()
    }
}

fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn ticket(id: &str, body: &str, answer: &str) -> Value {
    json!({"ticket_id": id, "body": body, "answer": answer, "category": "ORDER", "intent": "ignored"})
}

fn lines(tickets: &[Value]) -> String {
    tickets.iter().map(|ticket| format!("{ticket}\n")).collect()
}

fn fresh_dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tickets");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

#[tokio::test]
async fn past_cases_are_hints_in_the_prompts_of_running_functions() {
    let dir = fresh_dir();
    let shop = Shop::open(&dir).await;
    let cancel =
        ticket("1", "how can I cancel order 113542617735902?", "Open {{Order Details}} of 113542617735902");
    let refund = ticket("2", "where is my refund of €40", "Refunds take a week");
    let tickets = file(&dir, "tickets.jsonl", &lines(&[cancel, refund]));
    assert!(shop.shown("before", "How do I cancel order #W1000001?").await.ends_with("None."));

    let said = shop.does(&["tickets", "import", &tickets]).await;
    assert!(said.starts_with("2 tickets imported. Version 1 of the index is in use now."), "{said}");
    let shown = shop.shown("first", "How do I cancel order #W1000002?").await;
    assert!(shown.contains("(general hints for next steps, not facts about this customer)"), "{shown}");
    assert!(shown.contains("- asked: how can I cancel order {{Order Number}}?"), "{shown}");
    assert!(shown.contains("answered: Open {{Order Details}} of {{Reference Number}}"), "{shown}");
    assert!(!shown.contains("113542617735902") && !shown.contains("Refunds"), "{shown}");
    let said = shop.does(&["tickets", "import", &tickets]).await;
    assert!(said.contains("Version 1 of the index stays"), "{said}");

    let newer =
        file(&dir, "newer.csv", "id,body,answer\n1,\"how can I cancel order 7788991?\",Press {{Cancel}}\n");
    shop.does(&["tickets", "import", &newer]).await;
    let shown = shop.shown("second", "How do I cancel order #W1000003?").await;
    assert!(shown.contains("answered: Press {{Cancel}}") && !shown.contains("Order Details"), "{shown}");

    releases_a_case(&shop).await;
    shop.stack.stop().expect("it stops");
}

async fn releases_a_case(shop: &Shop) {
    shop.client.post("oskar", "m1", "I want to talk to a human about my heating").await.expect("an answer");
    let shown: Value =
        serde_json::from_str(&shop.does(&["show", "chat:oskar", "--json"]).await).expect("JSON");
    let case = shown["cases"][0]["case_id"].as_str().expect("a case").to_owned();
    let words = ["--problem", "The heating of Oskar rattles", "--solution", "Bleed the radiator of flat 4A"];
    let release = [&["tickets", "release", "chat:oskar", &case][..], &words].concat();
    let open = shop.run(&release).await;
    assert!(!open.success && open.stderr.contains("is not resolved"), "{open:?}");

    shop.does(&["hand-back", "chat:oskar", "--resolve"]).await;
    let said = shop.does(&release).await;
    assert!(said.contains("problem   The heating of {{Name}} rattles"), "{said}");
    let said = shop.does(&["tickets", "build"]).await;
    assert!(said.contains("3 past cases, 1 of them released"), "{said}");
    let shown = shop.shown("later", "My heating rattles").await;
    assert!(shown.contains("answered: Bleed the radiator of flat {{Reference Number}}"), "{shown}");
}

#[tokio::test]
async fn a_line_that_cannot_be_taken_is_named() {
    let dir = carryover_tests::command::shared_dir();
    let bad = ticket("2", "", "b");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-tickets.jsonl");
    std::fs::write(&path, lines(&[ticket("1", "a", "b"), bad])).expect("a file");
    let path = path.to_str().expect("a path in UTF-8");
    let ran = carryover(&dir, &["tickets", "import", path], "").await.expect("a command");
    assert!(!ran.success && ran.stderr.contains("line 2: body is missing or empty"), "{ran:?}");
}
