//! Similar past cases: how often they agree with the question, beside a plain TF-IDF in the same run, and how long a
//! lookup takes among many.

use crate::table::{Row, median};
use anyhow::{Result, ensure};
use carryover_shared::limits::Limits;
use carryover_shared::similar::{Index, Packed, Similar};
use carryover_shared::tickets::{PastTickets, Shelf};
use carryover_shared::traits::SimilarCases;
use carryover_tests::bucket::FakeBucket;
use carryover_tests::contact::TestContact;
use carryover_tests::tickets::{Labelled, halves, labelled, of_index, of_plain, past_cases, varied};
use std::hint::black_box;
use std::time::Instant;

const MANY: usize = 100_000;
const LOOKUPS: usize = 500;

pub(crate) async fn rows() -> Result<Vec<Row>> {
    let Some(tickets) = labelled() else {
        println!("similar past cases were not measured: ../shared is missing");
        return Ok(vec![]);
    };
    let (indexed, asked) = halves(&tickets);
    let mut rows = agreement(&indexed, &asked);
    let packed = Packed::of(past_cases(&varied(&tickets, MANY)));
    rows.extend(lookups(&packed, &asked)?);
    rows.push(first_question(&packed, &asked).await?);
    Ok(rows)
}

fn agreement(indexed: &[Labelled], asked: &[Labelled]) -> Vec<Row> {
    let (ours, plain) = (of_index(indexed, asked), of_plain(indexed, asked));
    vec![
        Row::new("the first past case agrees, plain TF-IDF", plain.first, "%"),
        Row::new("the first past case agrees", ours.first, "%").at_least(plain.first + 1.0),
        Row::new("one of three past cases agrees, plain TF-IDF", plain.of_three, "%"),
        Row::new("one of three past cases agrees", ours.of_three, "%").at_least(plain.of_three),
    ]
}

fn lookups(packed: &Packed, asked: &[Labelled]) -> Result<Vec<Row>> {
    let started = Instant::now();
    let index = Index::read(&packed.bytes)?;
    let read = started.elapsed().as_secs_f64() * 1_000.0;
    let showing = carryover_shared::similar::Showing::of(&Limits::default());
    let lookup = |ticket: &Labelled| {
        let started = Instant::now();
        black_box(index.find(&ticket.body, &showing)).map(|_| started.elapsed().as_secs_f64() * 1_000.0)
    };
    let mut times = asked.iter().cycle().take(LOOKUPS).map(lookup).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    let slow = times[times.len() * 99 / 100];
    Ok(vec![
        Row::new("lookup among 100,000 past cases", median(times), "ms").at_most(5.0),
        Row::new("lookup among them, the slowest of a hundred", slow, "ms"),
        Row::new("index of them", packed.bytes.len() as f64 / 1_000_000.0, "MB"),
        Row::new("reading the index of them", read, "ms"),
    ])
}

/// Too large for the table, the index lives in a bucket, and is loaded with the first question.
async fn first_question(packed: &Packed, asked: &[Labelled]) -> Result<Row> {
    let (fake, contact) = (FakeBucket::start().await, TestContact::new(Limits::default()).await);
    let table = Shelf::new(contact.store.clone(), None, contact.limits.index_bytes);
    ensure!(table.put(None, packed).await.is_err(), "the table takes an index of any size");
    let shelf = Shelf::new(contact.store.clone(), Some(fake.bucket().await), contact.limits.index_bytes);
    shelf.put(None, packed).await?;
    let started = Instant::now();
    let tickets = PastTickets::new(shelf, contact.clock.clone(), &contact.limits);
    let found = tickets.find(&asked[0].body).await;
    ensure!(matches!(found, Similar::Found(_)), "nothing was found: {found:?}");
    let took = started.elapsed().as_secs_f64() * 1_000.0;
    Ok(Row::new("first question, the index loaded from a bucket", took, "ms"))
}
