//! A replay of recorded conversations, with a summariser that folds well, forgets, or invents. It needs the data
//! beside the checkout; where they are missing `make test` says so.

use carryover_command::connection::Connection;
use carryover_shared::contact::Identity;
use carryover_shared::memory::{self, Entry, Exchange, Origin, Query, Question};
use carryover_shared::snapshot::Snapshot;
use carryover_shared::store::Spill;
use carryover_shared::thread::Seq;
use carryover_shared::time::Timestamp;
use carryover_tests::command::{Ran, carryover};
use carryover_tests::scripted_model::{Builtin, Recording, Rule, ScriptedModel, Then};
use carryover_tests::stack::Stack;
use serde::Deserialize;
use std::path::{Path, PathBuf};

const INVENTED: &str = "W0000000";

#[derive(Deserialize)]
struct Conversation {
    conversation_id: String,
}

fn data() -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    data.is_dir().then_some(data)
}

fn conversations(recorded: &Path) -> Vec<Conversation> {
    let text = std::fs::read_to_string(recorded).expect("the data and a stack");
    text.lines().map(|line| serde_json::from_str(line).expect("the data and a stack")).collect()
}

/// Replays everything on a stack of its own; `None` without the data.
async fn replayed(name: &str, summariser: Builtin) -> Option<(Stack, Ran, Vec<Conversation>)> {
    let data = data()?;
    let recorded = data.join("conversations/taubench-fewshot-retail.jsonl");
    let conversations = conversations(&recorded);
    // What staff said next, for each thing that a customer said.
    let recording = Recording::read(&recorded).expect("the data and a stack");
    let model = ScriptedModel::playing(recording).await.expect("the data and a stack");
    model
        .add(&Rule::when(&[]).schema("fold").then(Then::builtin(summariser)))
        .await
        .expect("the data and a stack");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    let url = model.url();
    let stack = Stack::start(&dir, &[("MODEL_URL", &url), ("REPLY_MODEL", "scripted")])
        .expect("the data and a stack");
    let path = |file: &Path| file.to_str().expect("the data and a stack").to_owned();
    let arguments = [
        "replay",
        &path(&recorded),
        "--facts-users",
        &path(&data.join("facts/taubench-retail-users.json")),
        "--facts-orders",
        &path(&data.join("facts/taubench-retail-orders.json")),
        // What nothing but the recording knows is a case; the rest is answered all the same.
        "--hand-back",
        // A fold that failed comes back after minutes; nothing here needs it.
        "--wait-seconds",
        "20",
    ];
    let ran = carryover(stack.dir(), &arguments, "").await.expect("the data and a stack");
    // Every violation of coverage would have failed it.
    assert!(ran.success, "{}\n{}", ran.stdout, ran.stderr);
    Some((stack, ran, conversations))
}

/// A number of the closing table.
fn row(ran: &Ran, name: &str) -> u64 {
    let line = ran
        .stdout
        .lines()
        .find(|line| line.starts_with(&format!("{name:<28} ")))
        .expect("the data and a stack");
    line.trim_start_matches(name).trim().replace(',', "").parse().expect("the data and a stack")
}

/// What is remembered of one conversation.
struct Memory {
    snapshot: Snapshot,
    spills: Vec<Spill>,
    /// The texts of the messages that the history covers.
    covered: Vec<String>,
}

async fn remembered(stack: &Stack, conversations: &[Conversation]) -> Vec<Memory> {
    let connection =
        Connection::to(stack.outputs().expect("the data and a stack")).await.expect("the data and a stack");
    let mut memories = vec![];
    for conversation in conversations {
        let identity = Identity::chat(&conversation.conversation_id).expect("the data and a stack");
        let contact = connection.contact(&identity).await.expect("the data and a stack");
        let snapshot = connection
            .store
            .snapshot(contact)
            .await
            .expect("the data and a stack")
            .expect("the data and a stack");
        let spills = connection.store.spills(contact, 1_000).await.expect("the data and a stack");
        let covered = connection
            .store
            .messages(contact, Seq::FIRST, snapshot.folded_through, 1_000)
            .await
            .expect("the data and a stack");
        let covered = covered.iter().map(|message| message.shown(24_000).into_owned()).collect();
        memories.push(Memory { snapshot, spills, covered });
    }
    memories
}

/// Order numbers in a text, as the shop writes them: `#W` and seven digits.
fn orders(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '#');
    words.filter(|word| word.len() == 9 && is_order(word)).collect()
}

fn is_order(word: &str) -> bool {
    word.strip_prefix("#W").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Memory {
    fn knows(&self, value: &str) -> bool {
        self.snapshot.texts().any(|text| text.contains(value)) || self.recalls(value)
    }

    fn recalls(&self, value: &str) -> bool {
        let entry = |(n, spill): (usize, &Spill)| Entry {
            values: spill.values.clone(),
            bodies: spill.bodies,
            ..Entry::of(Exchange {
                origin: Origin::Spill { revision: 1, n },
                said: spill.text.clone(),
                replied: String::new(),
                from_seq: spill.from_seq,
                to_seq: spill.to_seq,
                at: spill.at,
            })
        };
        let entries: Vec<Entry> = self.spills.iter().enumerate().map(entry).collect();
        let text = format!("What about {value}?");
        let query = Query { text, at: Timestamp::from_millis(0), before: Seq(u64::MAX) };
        let question = Question::new(&query, &entries);
        let best = memory::rank(&entries, &question, 6);
        best.into_iter().any(|entry| memory::show(entry, None, &question, 300).said.contains(value))
    }

    fn check(&self) {
        for text in self.snapshot.texts().chain(self.spills.iter().map(|spill| spill.text.as_str())) {
            assert!(!text.contains(INVENTED), "nothing-invented: {text}");
        }
        for value in self.covered.iter().flat_map(|text| orders(text)) {
            assert!(
                self.knows(value),
                "facts-survive: {value} is neither in {:?} nor recalled",
                self.snapshot
            );
        }
    }
}

#[tokio::test]
async fn a_replay_with_a_good_summariser_folds_and_loses_nothing() {
    let Some((stack, ran, conversations)) = replayed("data-good", Builtin::Summarize).await else { return };
    let memories = remembered(&stack, &conversations).await;
    memories.iter().for_each(Memory::check);
    assert!(memories.iter().any(|memory| memory.covered.iter().any(|text| !orders(text).is_empty())));
    assert_eq!(row(&ran, "turns"), 274);
    assert!(row(&ran, "folds") >= 100 && row(&ran, "replies") >= 150, "{}", ran.stdout);
}

#[tokio::test]
async fn what_a_summariser_forgets_is_recalled() {
    let Some((stack, ran, conversations)) = replayed("data-forgets", Builtin::Forget).await else { return };
    let memories = remembered(&stack, &conversations).await;
    memories.iter().for_each(Memory::check);
    assert!(row(&ran, "spills") > 0, "{}", ran.stdout);
    let forgot =
        |memory: &&Memory| memory.covered.iter().flat_map(|text| orders(text)).any(|id| memory.recalls(id));
    assert!(memories.iter().filter(forgot).count() > 0);
}

#[tokio::test]
async fn what_a_summariser_invents_is_not_stored() {
    let Some((stack, ran, conversations)) = replayed("data-invents", Builtin::Invent).await else { return };
    remembered(&stack, &conversations).await.iter().for_each(Memory::check);
    assert_eq!(row(&ran, "turns"), 274);
}
