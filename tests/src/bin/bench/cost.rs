//! What a turn and a fold read, send and ask, at 100, 1,000 and 10,000 messages (*flat-cost*).

use crate::table::Row;
use anyhow::{Context as _, Result};
use carryover_shared::admit::{self, Incoming};
use carryover_shared::bank::Embedded;
use carryover_shared::contact::Account;
use carryover_shared::fold;
use carryover_shared::job::{FoldJob, FoldReason};
use carryover_shared::limits::Limits;
use carryover_shared::thread::{Author, Channel};
use carryover_shared::tickets::NoTickets;
use carryover_shared::traits::{Clock, Question, Role};
use carryover_shared::turn::{Agents, Context};
use carryover_tests::contact::TestContact;
use carryover_tests::model::FakeModel;
use carryover_tests::table::{Call, sequential};
use carryover_tests::world::{Sent, identity};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

struct Cost {
    prompt_chars: f64,
    summariser_chars: f64,
    requests: f64,
    units: f64,
    trips: f64,
}

pub(crate) async fn rows() -> Result<Vec<Row>> {
    let mut costs = vec![];
    for messages in [100, 1_000, 10_000] {
        costs.push((messages, cost(messages).await?));
    }
    let smallest = &costs.first().context("no costs")?.1;
    let mut rows = vec![];
    for (messages, cost) in &costs {
        let at = |what: &str| format!("{what} at {messages} messages");
        let drift = (cost.prompt_chars / smallest.prompt_chars - 1.0).abs() * 100.0;
        rows.push(Row::new(at("prompt of a turn"), cost.prompt_chars, "chars"));
        rows.push(Row::new(at("prompt, off the shortest thread's"), drift, "%").at_most(5.0));
        rows.push(Row::new(at("summariser's question of a turn"), cost.summariser_chars, "chars"));
        rows.push(
            Row::new(at("requests to the table of a turn"), cost.requests, "").at_most(smallest.requests),
        );
        rows.push(Row::new(at("request units of a turn"), cost.units, "").at_most(smallest.units * 1.05));
        rows.push(Row::new(at("waits for the table before the commit"), cost.trips, "").at_most(4.0));
    }
    Ok(rows)
}

async fn cost(messages: usize) -> Result<Cost> {
    let contact = TestContact::new(Limits::default()).await;
    let texts: Vec<String> =
        (1..=messages).map(|n| format!("This is message {n:05}, about the coffee machine.")).collect();
    let log: Vec<(Author, &str)> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| (if n % 2 == 0 { Author::Customer } else { Author::Bot }, text.as_str()))
        .collect();
    let last = contact.log(&log).await;
    contact.set_head("settled_seq", last.0).await;
    contact.set_snapshot("folded_through", last.0 - 12).await;
    contact.set_snapshot("as_of", last.0).await;
    let model = FakeModel::new(answer).thinking(Duration::from_millis(50));
    let sent = Arc::new(Sent::default());
    let ctx = Context {
        store: contact.store.clone(),
        model: Arc::new(model.clone()),
        bank: Arc::new(Embedded::new(contact.store.clone(), &contact.limits)),
        similar: Arc::new(NoTickets),
        queue: sent.clone(),
        events: sent.clone(),
        clock: contact.clock.clone(),
        limits: contact.limits.clone(),
        routing: Arc::default(),
        agents: Arc::new(Agents::default()),
    };
    contact.table.set_latency(Duration::from_millis(5));
    contact.table.take_calls();
    admit::answer(&ctx, &incoming(&contact)).await?;
    let calls = contact.table.take_calls();
    let job = sent.take_folds().pop().unwrap_or(FoldJob {
        contact_id: contact.id,
        up_to: last,
        why: FoldReason::Reply,
    });
    let fold = fold::Context {
        store: contact.store.clone(),
        model: Arc::new(model.clone()),
        clock: contact.clock.clone(),
        limits: contact.limits.clone(),
        retention: None,
    };
    fold::run(&fold, job, contact.clock.now() + Duration::from_secs(300)).await?;
    Ok(Cost {
        prompt_chars: chars(&model, Role::Reply),
        summariser_chars: chars(&model, Role::Summary),
        requests: calls.len() as f64,
        units: calls.iter().map(|call| call.units).sum(),
        trips: sequential(&until_commit(&calls)) as f64,
    })
}

fn until_commit(calls: &[Call]) -> Vec<Call> {
    let committed = calls.iter().rposition(|call| call.operation == "TransactWriteItems").unwrap_or(0);
    // The trace is written while the model thinks.
    calls.iter().take(committed + 1).filter(|call| call.operation != "PutItem").cloned().collect()
}

fn chars(model: &FakeModel, role: Role) -> f64 {
    let questions = model.questions().into_iter().filter(|question| question.role == role);
    questions.map(|q| q.system.chars().count() + q.user.chars().count()).sum::<usize>() as f64
}

fn answer(question: &Question) -> carryover_tests::model::Said {
    Ok(match question.role {
        Role::Reply => json!({"action": "reply", "reply": "It is on its way.", "category": "", "reason": ""}),
        Role::Summary => json!({
            "guest_intent": "Wants the coffee machine repaired.", "established_facts": [], "open_questions": [],
            "summary_text": "The coffee machine is broken.", "history": "Language: English\nThe coffee machine is broken.",
        }),
    })
}

fn incoming(contact: &TestContact) -> Incoming {
    Incoming {
        identity: identity("ana"),
        channel: Channel::Chat,
        account: Account::chat(),
        id: "bench".into(),
        text: "And when does somebody come?".into(),
        attachments: vec![],
        at: contact.clock.now(),
    }
}
