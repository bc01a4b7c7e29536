//! `carryover agent use` and `carryover agent account`: which agent answers whom, and where.

use super::{Place, not_live};
use crate::install;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::agent::{AccountAgent, check_label, check_name};
use carryover_shared::contact::{Account, Identity};
use carryover_shared::store::Assigned;

/// Options of `carryover agent use`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["name", "none"])))]
pub struct UseOptions {
    /// Whose thread, such as chat:ana
    identity: Identity,
    /// The agent that answers them from now on
    name: Option<String>,
    /// The account that they write to decides again
    #[arg(long)]
    none: bool,
    #[command(flatten)]
    place: Place,
}

/// Options of `carryover agent account`.
#[derive(Debug, clap::Args)]
pub struct AccountOptions {
    /// The channel account, such as chat
    account: String,
    /// The agent that answers there from now on
    #[arg(long)]
    agent: String,
    /// The campaign that the account belongs to
    #[arg(long)]
    campaign: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Sets who answers a contact; their thread and memory stay as they are.
///
/// # Errors
/// Nobody has this identity, or the agent is not live.
pub(super) async fn use_agent(options: UseOptions) -> Result<()> {
    let UseOptions { identity, name, .. } = &options;
    if let Some(name) = name {
        check_name(name)?;
    }
    let (store, _) = options.place.open().await?;
    let contact = store.resolve(identity).await?;
    let contact = contact.with_context(|| format!("nobody is known as {identity}"))?;
    let said = match (store.use_agent(contact, name.as_deref()).await?, name) {
        (Assigned::Done, Some(name)) => format!("The agent {name} answers {identity} now."),
        (Assigned::Done, None) => format!("The account that {identity} writes to decides now."),
        (Assigned::NotLive, name) => bail!(not_live(name.as_deref().unwrap_or_default())),
        (Assigned::Gone, _) => bail!("{identity} is gone"),
    };
    terminal::say(&said);
    Ok(())
}

/// Sets who answers on an account.
///
/// # Errors
/// A name or a label is wrong, or the agent is not live.
pub(super) async fn account(options: AccountOptions) -> Result<()> {
    let AccountOptions { account, agent, campaign, .. } = &options;
    check_label("account", account)?;
    check_name(agent)?;
    if let Some(campaign) = campaign {
        check_label("campaign", campaign)?;
    }
    let (store, _) = options.place.open().await?;
    let to = AccountAgent {
        account: Account::from(account.as_str()),
        agent: agent.clone(),
        campaign: campaign.clone(),
    };
    let by = install::in_the_name_of("carryover agent account");
    if store.assign_account(&to, &by).await? == Assigned::NotLive {
        bail!(not_live(agent));
    }
    terminal::say(&format!("The agent {agent} answers on {account} within a minute."));
    Ok(())
}
