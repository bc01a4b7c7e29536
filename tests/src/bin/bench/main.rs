//! `make bench`: what a turn and a fold cost, as medians beside their bounds. Fails beyond twice a bound.

mod cost;
mod cpu;
mod pages;
mod recall;
mod similar;
mod start;
mod table;

use std::path::Path;
use table::Row;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let binaries = std::env::args().nth(1).unwrap_or_else(|| "target/release".into());
    let binaries = Path::new(&binaries);
    let mut rows: Vec<Row> = vec![];
    rows.extend(cpu::rows());
    rows.extend(cost::rows().await?);
    rows.extend(pages::rows().await?);
    rows.extend(recall::rows()?);
    rows.extend(similar::rows().await?);
    rows.extend(start::rows(binaries)?);
    table::print(&rows);
    let missed: Vec<&Row> = rows.iter().filter(|row| row.is_far_off()).collect();
    anyhow::ensure!(missed.is_empty(), "{} figures are beyond twice their bound", missed.len());
    Ok(())
}
