//! `carryover agent`: versions of agents, where they answer, and what their business says of itself.
//!
//! Nothing here makes a version live: publishing belongs to the review of a change (*signed-change*).

mod assign;
mod create;
mod fact;
mod show;

use crate::connection::Target;
use anyhow::Result;
use carryover_shared::agent::DEFAULT_AGENT;
use carryover_shared::clock::SystemClock;
use carryover_shared::limits::Limits;
use carryover_shared::store::Store;
use carryover_shared::{aws, config};
use std::sync::Arc;

/// Subcommands of `carryover agent`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Creates the next version of an agent; it is not live.
    Create(create::Options),
    /// Shows an agent: a version, its accounts, what its business says of itself.
    Show(show::Options),
    /// Lets an agent answer a contact, whatever account they write to.
    Use(assign::UseOptions),
    /// Lets an agent answer on a channel account.
    Account(assign::AccountOptions),
    /// Puts or deletes a fact of an agent's business: hours, a policy, a unit.
    Fact(fact::Options),
}

/// Runs one of them.
///
/// # Errors
/// What was given is wrong, there is no such thing, or the table refused.
pub async fn run(command: Command) -> Result<()> {
    match command {
        Command::Create(options) => create::run(options).await,
        Command::Show(options) => show::run(options).await,
        Command::Use(options) => assign::use_agent(options).await,
        Command::Account(options) => assign::account(options).await,
        Command::Fact(options) => fact::run(options).await,
    }
}

/// Which table.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// The table of a deployment on AWS, reached with the AWS credentials and the region of this shell
    /// [default: the table of the stack that runs here]
    #[arg(long)]
    table: Option<String>,
    #[command(flatten)]
    target: Target,
}

impl Place {
    async fn open(&self) -> Result<(Store, Limits)> {
        let Some(table) = &self.table else {
            let connection = self.target.connect().await?;
            return Ok((connection.store, connection.limits));
        };
        let limits = config::limits()?;
        let client = aws_sdk_dynamodb::Client::new(&aws::config().await);
        Ok((Store::new(client, table, Arc::new(SystemClock), &limits), limits))
    }
}

/// What to say of an agent that nothing may be given to.
fn not_live(agent: &str) -> String {
    let how = match agent {
        DEFAULT_AGENT => "run `carryover install`",
        _ => "only a published version answers",
    };
    format!("the agent {agent} is not live: {how}")
}
