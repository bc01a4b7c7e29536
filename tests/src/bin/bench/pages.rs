//! How long an operator waits for a long conversation, over a table whose every answer takes as long as DynamoDB's.

use crate::table::{Row, median};
use anyhow::{Result, ensure};
use carryover_shared::thread::Author;
use carryover_tests::console::Desk;
use carryover_tests::provider::ROBIN;
use carryover_tests::world::{NoModel, World};
use std::time::{Duration, Instant};

const MESSAGES: usize = 10_000;
const TIMES: usize = 20;
/// What a read of DynamoDB takes from a function beside it.
const LATENCY: Duration = Duration::from_millis(5);

pub(crate) async fn rows() -> Result<Vec<Row>> {
    let mut rows = vec![];
    for (messages, bound) in [(100, None), (MESSAGES, Some(1_000.0))] {
        let took = median(open(messages).await?);
        let row = Row::new(format!("a conversation of {messages} messages opens"), took, "ms");
        rows.push(match bound {
            Some(bound) => row.at_most(bound),
            None => row,
        });
    }
    Ok(rows)
}

async fn open(messages: usize) -> Result<Vec<f64>> {
    let desk = Desk::over(World::new(NoModel).await).await;
    let log: Vec<String> = (1..=messages).map(|n| format!("line {n} about the lamp in the hall")).collect();
    let log: Vec<(Author, &str)> = log.iter().map(|text| (Author::Customer, text.as_str())).collect();
    desk.world.create("long").await;
    desk.world.import("long", &log).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    desk.world.table.set_latency(LATENCY);
    let mut took = vec![];
    for _ in 0..TIMES {
        let started = Instant::now();
        let page = browser.get("/console/threads/chat:long").await;
        took.push(started.elapsed().as_secs_f64() * 1_000.0);
        ensure!(page.body.contains(&format!("line {messages} about")), "the page is not the conversation");
    }
    Ok(took)
}
