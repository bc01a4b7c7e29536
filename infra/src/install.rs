//! `carryover install`: what a first deployment needs before the first customer writes.

use anyhow::Result;
use carryover_shared::clock::SystemClock;
use carryover_shared::store::{Installed, Store};
use carryover_shared::{aws, config};
use std::sync::Arc;

/// Installs the agent `default` in the table of a deployment, where none is installed.
///
/// The table is reached with the AWS credentials and the region of this shell.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The table, as the deployment's output `TableName` names it
    #[arg(long, env = "TABLE")]
    table: String,
}

/// Installs the default agent and says so.
///
/// # Errors
/// The table refused.
pub async fn run(options: Options) -> Result<()> {
    let client = aws_sdk_dynamodb::Client::new(&aws::config().await);
    let store = Store::new(client, &options.table, Arc::new(SystemClock), &config::limits()?);
    match default_agent(&store, "carryover install").await? {
        Installed::Now => println!("The agent default is installed."),
        Installed::Already => println!("An agent default is installed already; nothing was changed."),
    }
    Ok(())
}

/// Installs the default agent where none is live, in the name of whoever runs `command`.
///
/// # Errors
/// The table refused.
pub async fn default_agent(store: &Store, command: &str) -> Result<Installed> {
    Ok(store.install_default_agent(&in_the_name_of(command)).await?)
}

/// Who runs `command`, as an audit entry names them.
pub(crate) fn in_the_name_of(command: &str) -> String {
    let user = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    match user.filter(|user| !user.trim().is_empty()) {
        Some(user) => format!("{command} ({user})"),
        None => command.into(),
    }
}
