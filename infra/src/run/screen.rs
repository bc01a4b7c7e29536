//! What a run prints once it is ready.

use super::seed::demo_subjects;
use super::settings::Settings;
use crate::checkout::LocalDir;
use crate::outputs::{Operator, Outputs};
use crate::token::chat_token;
use anyhow::Result;
use secrecy::ExposeSecret;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

const LINKS_LIVE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Where a demo customer gets in, for thirty days.
#[derive(Debug)]
pub struct Links {
    /// Who.
    pub customer: String,
    /// To the web chat.
    pub chat: String,
    /// To the portal.
    pub portal: String,
}

/// The links of each demo customer.
///
/// # Errors
/// No token could be signed.
pub fn links(outputs: &Outputs, now: SystemTime) -> Result<Vec<Links>> {
    let links = |customer: String| {
        let token = chat_token(&outputs.chat_secret, &customer, now, LINKS_LIVE)?;
        let link = |page: &str| format!("{}/{page}#token={token}", outputs.api_url);
        Ok(Links { customer, chat: link("chat"), portal: link("portal") })
    };
    demo_subjects()?.into_iter().map(links).collect()
}

/// One screen: where to go, where to look, how to stop.
pub(super) fn render(
    outputs: &Outputs,
    settings: &Settings,
    local: &LocalDir,
    now: SystemTime,
) -> Result<String> {
    let mut screen = format!("\nCarryover runs on {}\n\n", outputs.api_url);
    for Links { customer, chat, portal } in links(outputs, now)? {
        writeln!(screen, "  Chat as {customer}, and their portal\n    {chat}\n    {portal}")?;
    }
    let mut lines = vec![("Console", format!("{}/console", outputs.api_url))];
    lines.extend(outputs.operators.iter().map(|operator| ("", sign_in(operator))));
    lines.extend([
        ("API", format!("{}/v1/messages", outputs.api_url)),
        ("Model", settings.model()),
        ("Memory", settings.memory()),
        ("AWS", format!("{} (us-east-1, test/test)", outputs.endpoint)),
        ("Logs", format!("{}, {}", local.functions_log().display(), local.stack_log().display())),
        ("Outputs", local.outputs().display().to_string()),
        ("Stop", "Ctrl-C".into()),
    ]);
    writeln!(screen)?;
    for (name, value) in lines {
        writeln!(screen, "  {name:<8} {value}")?;
    }
    Ok(screen)
}

/// One line for people.
fn sign_in(Operator { username, password, role }: &Operator) -> String {
    format!("{username} ({role}), password {}", password.expose_secret())
}
