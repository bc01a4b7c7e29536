//! CPU of one turn's own work: window, prompt, escalation rules, reading and checking the model's answer.

use crate::table::{Row, median};
use carryover_shared::agent::AgentVersion;
use carryover_shared::checks::{self, Checked, Grounds};
use carryover_shared::contact::{Account, ContactId};
use carryover_shared::decision;
use carryover_shared::facts::Fact;
use carryover_shared::limits::Limits;
use carryover_shared::memory::Recall;
use carryover_shared::prompt::{self, Source, Sources};
use carryover_shared::rules::{self, Acquaintance};
use carryover_shared::similar::Similar;
use carryover_shared::snapshot::Snapshot;
use carryover_shared::thread::{Author, BotKind, Channel, Head, Message, Parts, Seq};
use carryover_shared::time::Timestamp;
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use ulid::Ulid;

const ROUNDS: usize = 400;

pub(crate) fn rows() -> Vec<Row> {
    let short = turn_millis(100);
    let long = turn_millis(10_000);
    vec![
        Row::new("CPU of one turn at 100 messages", short, "ms").at_most(0.3),
        Row::new("CPU of one turn at 10,000 messages", long, "ms").at_most(0.3),
        Row::new("ratio", long / short, "").at_most(1.1),
    ]
}

fn turn_millis(messages: u64) -> f64 {
    let limits = Limits::default();
    let agent = AgentVersion::built_in();
    let newest_first: Vec<Message> = (1..=messages).rev().take(52).map(message).collect();
    let head = Head {
        last_seq: Seq(messages),
        last_customer_seq: Seq(messages),
        settled_seq: Seq(messages - 1),
        ..Head::new(ContactId::new(Ulid::from_parts(1, 1)))
    };
    let snapshot = Snapshot {
        summary_text: "The guest arrives late and is settled. Parking is no longer needed.".repeat(6),
        history: "Language: English\nThe guest booked the apartment Alba for four nights at 480 euro."
            .repeat(20),
        folded_through: Seq(messages - 12),
        as_of: Seq(messages - 2),
        revision: 7,
        ..Snapshot::empty()
    };
    let records: Vec<Fact> = (0..100).map(record).collect();
    let facts = "order #W2611340: status shipped; items: kettle, 47.84\n".repeat(100);
    let answer = json!({"action": "reply", "reply": REPLY, "category": "", "reason": ""});
    let once = || {
        let started = Instant::now();
        let sources = Sources {
            agent: &agent,
            facts: Source::Found(facts.clone()),
            wrote: "",
            records: &records,
            business: Source::Found(String::new()),
            acquaintance: &Acquaintance::default(),
            similar: &Similar::Nothing,
            memories: &Recall::Nothing,
            snapshot: Some(&snapshot),
            flagged: &[],
            newest_first: &newest_first,
            head: &head,
            now: Timestamp::from_millis(1_796_292_000_000),
            corrections: &[],
        };
        let prompt = prompt::build(&sources, &limits);
        let newest = newest_first[0].shown(limits.message_chars);
        black_box(rules::escalation(&agent.topics, &[&newest]));
        black_box(decision::read(answer.as_object().expect("an object"), &limits).is_ok());
        black_box(checked(&agent, &snapshot, &newest_first, &facts, &records));
        black_box(prompt);
        started.elapsed().as_secs_f64() * 1_000.0
    };
    median((0..ROUNDS).map(|_| once()).collect())
}

/// A reply that names a record, an amount and an hour.
const REPLY: &str = "Order #W2611340 was shipped; the kettle is 47.84. The 480 euro for the apartment stand.";

fn checked(
    agent: &AgentVersion,
    snapshot: &Snapshot,
    newest_first: &[Message],
    facts: &str,
    records: &[Fact],
) -> Checked {
    let customers = newest_first.iter().filter(|message| message.author == Author::Customer);
    let said = customers.map(|message| message.text.as_str());
    let evidence: Vec<&str> =
        [facts, agent.instructions.as_str()].into_iter().chain(said).chain(snapshot.texts()).collect();
    let moments: Vec<Timestamp> = newest_first.iter().map(|message| message.at).collect();
    checks::check(
        REPLY,
        &Grounds {
            evidence: &evidence,
            moments: &moments,
            facts: records,
            open_case: false,
            promises: &agent.promises,
            customer: &["Where is my order, and what about the kettle?"],
            business: None,
            staff: &[],
            previous: Some("The apartment is yours from Friday on, and the key is in the box at the door."),
        },
    )
}

fn record(n: u64) -> Fact {
    let at = Timestamp::from_millis(1_796_292_000_000);
    let data = json!({"status": "shipped", "total": 47.84, "items": "kettle"});
    Fact {
        kind: "order".into(),
        id: format!("#W{}", 2_611_340 + n),
        as_of: at.into(),
        source: "shop".into(),
        data,
    }
}

fn message(seq: u64) -> Message {
    let author = if seq.is_multiple_of(2) { Author::Customer } else { Author::Bot };
    let text =
        format!("This is what was said in message {seq}, about the coffee machine and the late arrival. ");
    let parts = Parts::of(&text.repeat(3), 24_000);
    let at = Timestamp::from_millis(1_796_292_000_000);
    Message {
        kind: (author == Author::Bot).then_some(BotKind::Reply),
        ..Message::new(Seq(seq), author, Channel::Chat, Account::chat(), &parts, at)
    }
}
