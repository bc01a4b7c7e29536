//! A running stack, as the commands reach it: its table and its API.

use crate::api::Api;
use crate::checkout::LocalDir;
use crate::outputs::Outputs;
use anyhow::{Context, Result};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::limits::Limits;
use carryover_shared::store::Store;
use carryover_shared::traits::Clock;
use carryover_shared::{aws, config};
use std::path::PathBuf;
use std::sync::Arc;

/// Which stack a command talks to.
#[derive(Debug, Clone, clap::Args)]
pub struct Target {
    /// Directory of the stack, absolute or from the root of the checkout [default: target/local]
    #[arg(long, env = "CARRYOVER_LOCAL_DIR")]
    state: Option<PathBuf>,
}

impl Target {
    /// Connects to the stack, which must run.
    ///
    /// # Errors
    /// This is no checkout, or no stack runs in the directory.
    pub async fn connect(&self) -> Result<Connection> {
        let local = LocalDir::named(self.state.as_deref())?;
        Connection::to(Outputs::read(&local.outputs())?).await
    }
}

/// A running stack.
#[derive(Clone)]
pub struct Connection {
    /// Where it is and how to sign in.
    pub outputs: Outputs,
    /// Its table.
    pub store: Store,
    /// Its API.
    pub api: Api,
    /// Its queues.
    pub sqs: aws_sdk_sqs::Client,
    /// Its limits: the defaults, with what `LIMITS` says otherwise here, as it did for `make run`.
    pub limits: Limits,
}

impl Connection {
    /// The stack with these outputs.
    ///
    /// # Errors
    /// `LIMITS` is wrong, or no HTTP client could be built.
    pub async fn to(outputs: Outputs) -> Result<Self> {
        let limits = config::limits()?;
        let sdk = aws::config_of(&outputs.endpoint).await;
        let client = aws_sdk_dynamodb::Client::new(&sdk);
        let store = Store::new(client, &outputs.table, Arc::new(SystemClock), &limits);
        let (api, sqs) = (Api::new(&outputs)?, aws_sdk_sqs::Client::new(&sdk));
        Ok(Self { outputs, store, api, sqs, limits })
    }

    /// The contact behind an identity.
    ///
    /// # Errors
    /// There is none, or the table cannot be read.
    pub async fn contact(&self, identity: &Identity) -> Result<ContactId> {
        let found = self.store.resolve(identity).await?;
        found.with_context(|| format!("nobody is known as {identity}"))
    }

    /// The contact behind an identity, created where there is none.
    ///
    /// # Errors
    /// The table cannot be read or written.
    pub async fn contact_or_new(&self, identity: &Identity) -> Result<ContactId> {
        if let Some(contact) = self.store.resolve(identity).await? {
            return Ok(contact);
        }
        let contact = ContactId::new(SystemClock.ulid());
        if self.store.create_contact(contact, identity).await? {
            return Ok(contact);
        }
        self.contact(identity).await
    }
}
