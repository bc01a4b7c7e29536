//! `carryover forget`: erases a contact everywhere.

use crate::connection::Target;
use crate::terminal;
use anyhow::{Context, Result, bail, ensure};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::store::Store;
use carryover_shared::{aws, config};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options of `carryover forget`.
///
/// From then on nobody finds the contact, and whoever writes from one of their addresses is somebody new. The eraser,
/// which comes round each minute, deletes messages, summary, records, memories, cases, and what was released of these.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// Who, such as chat:ana
    identity: Identity,
    /// Without being asked again
    #[arg(long)]
    yes: bool,
    /// The table of a deployment on AWS, as its output TableName names it; reached with the credentials and the region
    /// of this shell
    #[arg(long)]
    table: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// The eraser comes round each minute; a long thread takes it a while.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK: Duration = Duration::from_secs(1);

/// Erases the contact and waits until everything is deleted.
///
/// # Errors
/// Nobody has this identity, the answer is no, the table cannot be read or written, or the eraser did not come.
pub async fn run(options: Options) -> Result<()> {
    let store = match &options.table {
        Some(table) => {
            let client = aws_sdk_dynamodb::Client::new(&aws::config().await);
            Store::new(client, table, Arc::new(SystemClock), &config::limits()?)
        }
        None => options.target.connect().await?.store,
    };
    let identity = &options.identity;
    let contact = store.resolve(identity).await?.with_context(|| format!("nobody is known as {identity}"))?;
    ensure!(options.yes || confirmed(&store, contact, identity).await?, "nothing was erased");
    ensure!(store.begin_erasing(contact).await?, "{identity} is gone already");
    terminal::say(&format!("Nobody finds {identity} any more; what is kept is being deleted …"));
    cleared(&store, contact).await?;
    terminal::say(
        "Everything is deleted. A mark without content stays for 15 days: no job brings them back.",
    );
    Ok(())
}

async fn confirmed(store: &Store, contact: ContactId, identity: &Identity) -> Result<bool> {
    ensure!(std::io::stdin().is_terminal(), "say --yes to erase {identity} without being asked");
    let messages = store.head(contact).await?.map_or(0, |head| head.last_seq.0);
    let messages = terminal::grouped(messages);
    terminal::ask(&format!(
        "{identity} goes everywhere and for good, with {messages} messages, records and memories. Type yes: "
    ));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}

async fn cleared(store: &Store, contact: ContactId) -> Result<()> {
    let begun = Instant::now();
    while store.erasure(contact).await?.is_some_and(|erasure| erasure.cleared_at.is_none()) {
        if begun.elapsed() > PATIENCE {
            bail!("the eraser is not done yet and goes on by itself; its log says what keeps it");
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
