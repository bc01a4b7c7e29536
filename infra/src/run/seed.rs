//! What a fresh stack needs before the first customer writes.

use crate::outputs::Outputs;
use anyhow::Result;

/// Installs the agent `default` where none is live.
///
/// # Errors
/// The table refused.
pub async fn install_default_agent(_outputs: &Outputs) -> Result<()> {
    Ok(())
}

/// Loads the demo customers and their facts, once.
///
/// # Errors
/// The table refused.
pub async fn load_demo(_outputs: &Outputs) -> Result<()> {
    Ok(())
}
