//! What a fresh stack needs before the first customer writes.

use crate::connection::Connection;
use crate::install;
use crate::outputs::Outputs;
use anyhow::{Context, Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::limits::Limits;
use carryover_shared::store::FactWrite;
use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use serde::Deserialize;
use serde_json::Value;

/// The customers of the demo; each file is one.
const CUSTOMERS: [&str; 3] = [
    include_str!("../../demo/ana.json"),
    include_str!("../../demo/maya.json"),
    include_str!("../../demo/leo.json"),
];

/// What the business of the demo says of itself.
const BUSINESS: &str = include_str!("../../demo/business.json");

/// Which system the facts of the demo are from.
const SOURCE: &str = "demo";

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1_000;

/// Days around the first run that a demo file may name.
const DAYS: std::ops::RangeInclusive<i64> = -30..=30;

/// Installs the agent `default` where none is live, in the name of whoever runs this.
///
/// # Errors
/// The table refused.
pub async fn install_default_agent(outputs: &Outputs) -> Result<()> {
    let connection = Connection::to(outputs.clone()).await?;
    install::default_agent(&connection.store, "carryover run").await?;
    Ok(())
}

/// Loads the demo customers, their facts and those of the business, once; dates in them are counted from that day.
///
/// # Errors
/// The table refused.
pub async fn load_demo(outputs: &Outputs) -> Result<()> {
    let connection = Connection::to(outputs.clone()).await?;
    let now = SystemClock.now();
    for customer in demo_customers(now)? {
        load(&connection, &customer, now).await?;
    }
    load_business(&connection, &demo_business()?, now).await
}

/// A customer of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Customer {
    identity: Identity,
    /// The last one says that all of them have been loaded.
    facts: Vec<Record>,
}

/// The business of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Business {
    agent: String,
    /// The last one says that all of them have been loaded.
    facts: Vec<Record>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    kind: String,
    id: String,
    data: Value,
}

fn demo_customers(now: Timestamp) -> Result<Vec<Customer>> {
    let read = |text: &&str| serde_json::from_str(&dated(text, now)).context("a file of the demo is damaged");
    CUSTOMERS.iter().map(read).collect()
}

fn demo_business() -> Result<Business> {
    serde_json::from_str(BUSINESS).context("a file of the demo is damaged")
}

/// Puts days in the place of `{today}`, `{today-2}` and the like.
fn dated(text: &str, now: Timestamp) -> String {
    DAYS.fold(text.to_owned(), |text, offset| {
        let name = match offset {
            0 => "{today}".to_owned(),
            offset => format!("{{today{offset:+}}}"),
        };
        let moment = Timestamp::from_millis(now.millis() + offset * MILLIS_PER_DAY).rfc3339();
        text.replace(&name, moment.split('T').next().unwrap_or_default())
    })
}

/// The names by which the host site of the web chat would know the customers of the demo.
pub(super) fn demo_subjects() -> Result<Vec<String>> {
    let customers = demo_customers(Timestamp::from_millis(0))?.into_iter();
    Ok(customers.map(|customer| customer.identity.as_str().trim_start_matches("chat:").to_owned()).collect())
}

async fn load(connection: &Connection, customer: &Customer, now: Timestamp) -> Result<()> {
    let store = &connection.store;
    let contact = connection.contact_or_new(&customer.identity).await?;
    let Some(last) = customer.facts.last() else { return Ok(()) };
    if store.fact(contact, &last.kind, &last.id).await?.is_some() {
        return Ok(());
    }
    let limits = Limits::default();
    for Record { kind, id, data } in &customer.facts {
        let fact = Fact::checked(kind, id, AsOf::from(now), SOURCE, data.clone(), &limits)?;
        taken(store.put_fact(contact, &fact, &limits).await?)?;
    }
    Ok(())
}

async fn load_business(connection: &Connection, business: &Business, now: Timestamp) -> Result<()> {
    let store = &connection.store;
    let Business { agent, facts } = business;
    let Some(last) = facts.last() else { return Ok(()) };
    if store.business_fact(agent, &last.kind, &last.id).await?.is_some() {
        return Ok(());
    }
    let limits = Limits::default();
    for Record { kind, id, data } in facts {
        let fact = Fact::checked(kind, id, AsOf::from(now), SOURCE, data.clone(), &limits.of_business())?;
        taken(store.put_business_fact(agent, &fact, &limits).await?)?;
    }
    Ok(())
}

fn taken(written: FactWrite) -> Result<()> {
    if matches!(written, FactWrite::Full | FactWrite::Gone) {
        bail!("a fact of the demo was not taken: {written:?}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    #[test]
    fn the_files_of_the_demo_keep_all_bounds_and_name_no_day_outside() {
        for text in CUSTOMERS {
            assert!(!dated(text, NOW).contains("{today"));
        }
        for customer in demo_customers(NOW).unwrap() {
            for Record { kind, id, data } in customer.facts {
                Fact::checked(&kind, &id, AsOf::from(NOW), SOURCE, data, &Limits::default()).unwrap();
            }
        }
        let limits = Limits::default().of_business();
        for Record { kind, id, data } in demo_business().unwrap().facts {
            Fact::checked(&kind, &id, AsOf::from(NOW), SOURCE, data, &limits).unwrap();
        }
        assert_eq!(demo_subjects().unwrap(), ["ana", "maya", "leo"]);
    }

    #[test]
    fn days_are_counted_from_today() {
        assert_eq!(
            dated("{today} {today-1} {today+3} {today+13}", NOW),
            "2026-11-30 2026-11-29 2026-12-03 2026-12-13"
        );
    }
}
