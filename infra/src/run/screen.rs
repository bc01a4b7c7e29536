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

/// A link to the web chat of each demo customer, which works for thirty days.
///
/// # Errors
/// No token could be signed.
pub fn chat_links(outputs: &Outputs, now: SystemTime) -> Result<Vec<(String, String)>> {
    let link = |customer: String| {
        let token = chat_token(&outputs.chat_secret, &customer, now, LINKS_LIVE)?;
        Ok((customer, format!("{}/chat#token={token}", outputs.api_url)))
    };
    demo_subjects()?.into_iter().map(link).collect()
}

/// One screen: where to go, where to look, how to stop.
pub(super) fn render(
    outputs: &Outputs,
    settings: &Settings,
    local: &LocalDir,
    now: SystemTime,
) -> Result<String> {
    let mut screen = format!("\nCarryover runs on {}\n\n", outputs.api_url);
    for (customer, link) in chat_links(outputs, now)? {
        writeln!(screen, "  Chat as {customer}\n    {link}")?;
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
