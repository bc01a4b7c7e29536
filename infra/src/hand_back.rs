//! `carryover hand-back`: gives a thread back to the bot.

use crate::connection::{Connection, Target};
use crate::terminal;
use anyhow::{Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::handoff::{self, MoveError, Refused};
use carryover_shared::limits::Limits;
use carryover_shared::operator::Operator;
use carryover_shared::queue::{SqsQueue, Urls};
use std::sync::Arc;

/// Who moves a thread from a shell.
const SHELL: &str = "shell";

/// Options of `carryover hand-back`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Whose thread, such as chat:ana
    identity: Identity,
    /// The open case is resolved
    #[arg(long)]
    resolve: bool,
    #[command(flatten)]
    target: Target,
}

/// Hands the thread back; what people were asked is settled for good.
///
/// # Errors
/// Nobody has this identity, or the table cannot be read or written.
pub async fn run(options: Options) -> Result<()> {
    let connection = options.target.connect().await?;
    let said = hand_back(&connection, &options.identity, options.resolve).await?;
    terminal::say(&said);
    Ok(())
}

/// Hands a thread back, and says so.
///
/// # Errors
/// As [`run`].
pub(crate) async fn hand_back(connection: &Connection, identity: &Identity, resolve: bool) -> Result<String> {
    let contact = connection.contact(identity).await?;
    let urls = Urls { retention: connection.outputs.queue("retention")?.to_owned(), ..Urls::default() };
    let ctx = handoff::Context {
        store: connection.store.clone(),
        queue: Arc::new(SqsQueue::new(connection.sqs.clone(), urls)),
        clock: Arc::new(SystemClock),
        limits: Limits::default(),
    };
    let operator = Operator::new(SHELL)?;
    Ok(match handoff::hand_back(&ctx, contact, &operator, resolve, None).await {
        Ok(Some(case)) if resolve => format!("The bot answers {identity} again; case {case} is resolved."),
        Ok(Some(case)) => format!("The bot answers {identity} again; case {case} stays open."),
        Ok(None) => format!("The bot answers {identity} again."),
        Err(MoveError::Refused(Refused::WithTheBot)) => format!("The bot answers {identity} already."),
        Err(error) => bail!("{identity}: {error}"),
    })
}
