//! `carryover hand-back`: gives a thread back to the bot.

use crate::connection::{Connection, Target};
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::job::{Retained, RetentionJob};
use carryover_shared::queue::{SqsQueue, Urls};
use carryover_shared::thread::{Head, Mode};
use carryover_shared::traits::{Clock, Queue};

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
/// Nobody has this identity, or a new message came while the thread was read.
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
    let head = connection.store.head(contact).await?.with_context(|| format!("{identity} is gone"))?;
    if nothing_to_do(&head, resolve) {
        return Ok(format!("The bot answers {identity} already."));
    }
    if !connection.store.hand_back(&head, resolve, SystemClock.now()).await? {
        bail!("a new message came: read it, then hand back again");
    }
    if let Some(case_id) = head.open_case.filter(|_| resolve) {
        let job = RetentionJob { contact_id: contact, what: Retained::Case { case_id } };
        if let Err(error) = retain(connection, &job).await {
            terminal::warn(&format!("case {case_id} is resolved, but will not be remembered: {error:#}"));
        }
    }
    Ok(match head.open_case {
        Some(case) if resolve => format!("The bot answers {identity} again; case {case} is resolved."),
        Some(case) => format!("The bot answers {identity} again; case {case} stays open."),
        None => format!("The bot answers {identity} again."),
    })
}

/// How a case ended is worth remembering.
async fn retain(connection: &Connection, job: &RetentionJob) -> Result<()> {
    let urls = Urls { retention: connection.outputs.queue("retention")?.to_owned(), ..Urls::default() };
    Ok(SqsQueue::new(connection.sqs.clone(), urls).send_retention(job).await?)
}

fn nothing_to_do(head: &Head, resolve: bool) -> bool {
    head.mode == Mode::Bot && !(resolve && head.open_case.is_some())
}
