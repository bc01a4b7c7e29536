//! The commands of an engineer against the running stack.

use carryover_tests::client::Client;
use carryover_tests::command::{Ran, carryover, shared_dir};
use carryover_tests::scripted_model::{Rule, Then};
use carryover_tests::stack;
use serde_json::{Value, json};
use std::path::PathBuf;

async fn run(arguments: &[&str]) -> Ran {
    run_with(arguments, "").await
}

async fn run_with(arguments: &[&str], input: &str) -> Ran {
    carryover(&shared_dir(), arguments, input).await.expect("a command")
}

async fn show(identity: &str) -> Value {
    let shown = run(&["show", identity, "--json"]).await;
    serde_json::from_str(&shown.stdout).unwrap_or_else(|_| panic!("{shown:?}"))
}

/// A file for a command to read.
fn file(name: &str, lines: &[Value]) -> String {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("commands");
    std::fs::create_dir_all(&dir).expect("a directory");
    let path = dir.join(name);
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&path, text.join("\n")).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn said(messages: &[(&str, &str)]) -> Vec<Value> {
    messages.iter().map(|(role, text)| json!({"role": role, "text": text})).collect()
}

#[tokio::test]
async fn a_chat_shows_replies_notices_and_silence() {
    let rule = Rule::when(&["cmd-chat kettle"]).schema("reply").then(Then::reply("It is in the cupboard."));
    stack::shared_model().add(&rule).await.unwrap();
    let input = "Where is the cmd-chat kettle?\n\nI want my deposit back\nHello?\n";

    let ran = run_with(&["chat", "chat:cmd-chat"], input).await;

    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "bot> It is in the cupboard.", "{ran:?}");
    assert!(lines[1].starts_with("bot> Thank you for your message."), "{ran:?}");
    assert_eq!(lines[2..], ["(a person takes over)", "(a person answers here; the bot is silent)"]);
    assert!(ran.success);
}

#[tokio::test]
async fn a_chat_says_what_was_not_taken() {
    let ran = run_with(&["chat", "chat:cmd-long"], &format!("{}\n", "x".repeat(100_001))).await;
    assert!(!ran.success && ran.stderr.contains("at most 100000 are taken"), "{ran:?}");
    assert!(!run(&["chat", "tel:+15551234567"]).await.success);
}

#[tokio::test]
async fn a_thread_that_was_handed_back_is_answered_again() {
    let client = stack::shared();
    client.post("cmd-back", "1", "I want to talk to a human").await.unwrap();
    assert_eq!(show("chat:cmd-back").await["head"]["mode"], "human");

    let open = run(&["hand-back", "chat:cmd-back"]).await;
    assert!(open.success && open.stdout.contains("stays open"), "{open:?}");
    let resolved = run(&["hand-back", "chat:cmd-back", "--resolve"]).await;
    assert!(resolved.success && resolved.stdout.contains("is resolved"), "{resolved:?}");

    let answer = client.post("cmd-back", "2", "When does the shop open?").await.unwrap();
    assert_eq!(answer.body["status"], "replied");
    assert!(run(&["hand-back", "chat:cmd-back"]).await.stdout.contains("already"));
    assert!(!run(&["hand-back", "chat:cmd-nobody"]).await.success);
}

#[tokio::test]
async fn an_imported_thread_goes_on_where_it_was() {
    let path = file(
        "import.jsonl",
        &said(&[
            ("user", "The cmd-import lamp is broken"),
            ("assistant", "Which one?"),
            ("agent", "I am Rui"),
        ]),
    );
    let imported = run(&["import", "chat:cmd-import", &path]).await;
    assert!(imported.success && imported.stdout.contains("3 messages imported"), "{imported:?}");
    assert!(run(&["import", "chat:cmd-import", &path]).await.stdout.contains("already"));

    let client = stack::shared();
    let answer = client.post("cmd-import", "1", "The one in the hall").await.unwrap();
    assert_eq!((&answer.body["status"], &answer.body["seq"]), (&json!("replied"), &json!(4)));
    let asked = stack::shared_model().wait_for(&["cmd-import lamp", "The one in the hall"], 1).await.unwrap();
    assert!(asked[0].text().contains("I am Rui"));

    let other = file("other.jsonl", &said(&[("user", "Something else")]));
    assert!(run(&["import", "chat:cmd-import", &other]).await.stderr.contains("is not empty"));
    let tool = file("tool.jsonl", &said(&[("user", "Hi"), ("tool", "{}")]));
    let refused = run(&["import", "chat:cmd-refused", &tool]).await;
    assert!(!refused.success && refused.stderr.contains("line 2"), "{refused:?}");
    assert!(!run(&["show", "chat:cmd-refused"]).await.success, "nothing of it was taken");
}

#[tokio::test]
async fn a_thread_is_shown_with_what_its_last_decision_was_made_from() {
    let client = stack::shared();
    for n in 1..=3 {
        client.post("cmd-show", &n.to_string(), &format!("cmd-show question {n}")).await.unwrap();
    }
    let shown = show("chat:cmd-show").await;
    assert_eq!(shown["head"]["last_seq"], 6);
    let coverage = &shown["last_decision"]["trace"]["coverage"];
    assert_eq!((&coverage["covered_to"], &coverage["last_seq"]), (&json!(0), &json!(5)));
    assert_eq!(shown["last_decision"]["outcome"]["decision"], "reply");

    let page = run(&["show", "chat:cmd-show"]).await.stdout;
    for part in ["1 to 6 (6 messages)", "covered    none", "verbatim   1 to 5", "cmd-show question 3"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(run(&["show", "chat:cmd-nobody"]).await.stderr.contains("nobody is known"));
}

#[tokio::test]
async fn facts_are_loaded_once_and_what_was_not_taken_is_told() {
    let users = json!({
        "cmd_ana": {"name": "Ana", "email": "ana@example.com"},
        "cmd_leo": {"name": "Leo", "email": "leo@example.com"}
    });
    let users = file("users.json", &[users]);
    let load = ["facts", "load", &users, "--kind", "profile", "--identity-key"];
    let first = run(&load).await;
    assert!(first.success && first.stdout.contains("2 records: 2 created"), "{first:?}");
    let second = run(&load).await;
    assert!(second.success && second.stdout.contains("0 created, 0 replaced, 2 unchanged"), "{second:?}");

    let orders = [
        json!({"order_id": "#C1", "user_id": "cmd_ana", "status": "shipped", "changed": "2026-11-01T00:00:00Z"}),
        json!({"order_id": "#C2", "user_id": "cmd_ana", "status": "lost", "changed": "yesterday"}),
        json!({"order_id": "#C3", "status": "lost", "changed": "2026-11-01T00:00:00Z"}),
    ];
    let load = |orders: &[Value]| file("orders.jsonl", orders);
    let path = load(&orders);
    let flags = ["--kind", "order", "--identity-field", "user_id", "--as-of-field", "changed"];
    let ran = run(&[&["facts", "load", &path][..], &flags[..]].concat()).await;
    assert!(!ran.success && ran.stdout.contains("3 records: 1 created"), "{ran:?}");
    assert!(ran.stdout.contains("2 failed") && ran.stderr.contains("as_of must be a time"), "{ran:?}");
    assert!(ran.stderr.contains("record 3: the field user_id is missing"), "{ran:?}");

    let newer = json!({"order_id": "#C1", "user_id": "cmd_ana", "status": "delivered", "changed": "2026-11-02T00:00:00Z"});
    let path = load(&[newer]);
    let ran = run(&[&["facts", "load", &path][..], &flags[..]].concat()).await;
    assert!(ran.success && ran.stdout.contains("1 replaced, 0 unchanged, 0 older"), "{ran:?}");
    let path = load(&[orders[0].clone()]);
    let ran = run(&[&["facts", "load", &path][..], &flags[..]].concat()).await;
    assert!(ran.success && ran.stdout.contains("0 replaced, 0 unchanged, 1 older"), "{ran:?}");
    assert_eq!(show("chat:cmd_ana").await["facts"], 2);
}

fn conversations() -> Vec<Value> {
    let question =
        |n: usize| json!({"role": "user", "text": format!("cmd-replay question {n} about #R{n}00")});
    let mut turns: Vec<Value> = (1..=12).map(question).collect();
    turns.insert(0, json!({"role": "tool", "text": "{\"user_id\": \"cmd_rosa\"}"}));
    vec![
        json!({"conversation_id": "cmd-replay-1", "turns": turns}),
        json!({"conversation_id": "cmd-replay-2", "turns": said(&[
            ("user", "I want to talk to a human"), ("assistant", "Of course"), ("user", "Hello?"),
        ])}),
    ]
}

#[tokio::test]
async fn a_replay_posts_what_customers_said_and_can_be_run_again() {
    let path = file("conversations.jsonl", &conversations());
    let users = file("replay-users.json", &[json!({"cmd_rosa": {"name": "Rosa"}})]);
    let orders = file("replay-orders.json", &[json!({"#R1": {"user_id": "cmd_rosa", "status": "shipped"}})]);
    let replay =
        ["replay", &path, "--wait-seconds", "20", "--facts-users", &users, "--facts-orders", &orders];

    let first = run(&replay).await;
    assert!(first.success, "{first:?}");
    let row = |ran: &Ran, name: &str| {
        let line =
            ran.stdout.lines().find(|line| line.starts_with(&format!("{name:<28} "))).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{name}: {ran:?}")).split_off(29)
    };
    assert_eq!(first.stdout.lines().filter(|line| line.starts_with("cmd-replay-")).count(), 14);
    assert_eq!(row(&first, "this run"), "1 escalated, 12 replied, 1 silent");
    assert!(row(&first, "facts").starts_with("2 created"));
    for (name, value) in [("turns", "14"), ("replies", "12"), ("cases", "1"), ("coverage violations", "0")] {
        assert_eq!(row(&first, name), value, "{name}");
    }
    assert_ne!(row(&first, "folds"), "0");

    let second = run(&replay).await;
    assert_eq!(row(&second, "this run"), "14 duplicate");
    for name in ["turns", "replies", "cases", "prompt characters p50 / p95", "coverage violations"] {
        assert_eq!(row(&second, name), row(&first, name), "{name}");
    }
    let client: Client = stack::shared();
    assert_eq!(client.messages("cmd-replay-1", 0).await.unwrap().last_seq, 24);
}

#[tokio::test]
async fn without_a_stack_a_command_says_so() {
    let nowhere = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-stack-here");
    let ran = carryover(&nowhere, &["show", "chat:ana"], "").await.unwrap();
    assert!(!ran.success && ran.stderr.contains("is `make run` running?"), "{ran:?}");
}

#[tokio::test]
async fn a_trace_prints_exactly_what_the_model_was_given() {
    let rule = Rule::when(&["cmd-trace kettle"]).schema("reply").then(Then::reply("It is in the cupboard."));
    stack::shared_model().add(&rule).await.unwrap();
    run_with(&["chat", "chat:cmd-trace"], "Where is the cmd-trace kettle?\nI want a refund\n").await;

    let of_reply = run(&["trace", "chat:cmd-trace", "2"]).await;
    let of_question = run(&["trace", "chat:cmd-trace", "1", "--json"]).await;
    let of_rule = run(&["trace", "chat:cmd-trace", "3"]).await;

    let asked = stack::shared_model().requests(&["cmd-trace kettle"]).await.expect("requests");
    let asked = asked.iter().find(|seen| seen.schema == "reply").expect("a question");
    assert!(of_reply.stdout.contains(asked.content("user")), "{of_reply:?}");
    assert!(of_reply.stdout.contains(asked.content("system")), "{of_reply:?}");
    assert!(of_reply.stdout.contains("outcome: reply by the model, message 2"), "{of_reply:?}");
    let json: Value = serde_json::from_str(&of_question.stdout).expect("JSON");
    assert_eq!(json[0]["trace"]["context"]["user"], asked.content("user"));
    assert!(of_rule.stdout.contains("outcome: escalate by the rule, policy_restriction"), "{of_rule:?}");
    assert!(of_rule.stdout.contains("The model was not asked."), "{of_rule:?}");
    assert!(!run(&["trace", "chat:cmd-trace", "99"]).await.success);
}
