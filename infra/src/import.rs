//! `carryover import`: a log from elsewhere into an empty thread.

use crate::connection::Target;
use crate::terminal::{self, Progress, grouped};
use anyhow::{Context, Result, bail, ensure};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::{Account, Identity};
use carryover_shared::facts::AsOf;
use carryover_shared::limits::Limits;
use carryover_shared::store::{Imported, ImportedLog, ImportedMessage};
use carryover_shared::text;
use carryover_shared::thread::{Author, Channel, Seq};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use serde::Deserialize;
use std::path::PathBuf;

/// Options of `carryover import`.
///
/// The file has one message a line: {"role", "text", "at"?}, oldest first. A role is customer or user, bot or
/// assistant, operator, agent or human; at is a time in RFC 3339 form. The thread must be empty. An import that
/// was interrupted goes on when it is run again with the same file.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// Whose thread, such as chat:ana; created where nobody has this identity
    identity: Identity,
    /// The messages, one JSON object a line: {"role": "customer|bot|operator", "text": …, "at"?: …}
    file: PathBuf,
    #[command(flatten)]
    target: Target,
}

/// Reads the whole file, then imports it.
///
/// # Errors
/// A line cannot be taken (none is, then), the thread is not empty, or the table refused.
pub async fn run(options: Options) -> Result<()> {
    let Options { identity, file, target } = options;
    let connection = target.connect().await?;
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    let now = SystemClock.now();
    let messages = read(&text, now, &connection.limits).with_context(|| file.display().to_string())?;
    let total = messages.len();
    let contact = connection.contact_or_new(&identity).await?;
    let (channel, account) = way(&identity);
    let message_chars = connection.limits.message_chars;
    let log = ImportedLog { messages, channel, account, at: now, message_chars };
    let mut progress = Progress::of(total, "messages");
    let imported = connection.store.import(contact, &log, |seq| progress.at(seq.0)).await?;
    terminal::say(&outcome(imported, &identity, total)?);
    Ok(())
}

fn outcome(imported: Imported, identity: &Identity, total: usize) -> Result<String> {
    let total = grouped(total as u64);
    match imported {
        Imported::Done { resumed_after: Seq::NONE } => {
            Ok(format!("{total} messages imported to {identity}."))
        }
        Imported::Done { resumed_after } => {
            let before = grouped(resumed_after.0);
            Ok(format!("{total} messages imported to {identity}, {before} of them by an earlier run."))
        }
        Imported::Already => Ok(format!("{identity} has these {total} messages already.")),
        Imported::NotEmpty => {
            bail!("the thread of {identity} is not empty: only an empty one takes an import")
        }
        Imported::Overtaken => bail!("another import to {identity} has begun since; this one was given up"),
        Imported::Gone => bail!("{identity} is being erased"),
    }
}

/// One line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    role: String,
    text: String,
    #[serde(default)]
    at: Option<String>,
}

/// The messages of a file, or what is wrong with its first bad line.
fn read(file: &str, now: Timestamp, limits: &Limits) -> Result<Vec<ImportedMessage>> {
    let lines = file.trim_start_matches('\u{feff}').lines().enumerate();
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    let messages: Vec<_> = filled
        .map(|(index, line)| message(line, now, limits).with_context(|| format!("line {}", index + 1)))
        .collect::<Result<_>>()?;
    ensure!(!messages.is_empty(), "there is no message in it");
    Ok(messages)
}

fn message(line: &str, now: Timestamp, limits: &Limits) -> Result<ImportedMessage> {
    let Line { role, text, at } = serde_json::from_str(line)?;
    let author = author(&role)?;
    ensure!(!text.trim().is_empty(), "text is empty");
    let (chars, most) = (text::chars(&text), limits.admit_chars);
    ensure!(chars <= most, "text has {chars} characters; at most {most} are taken");
    let at = at.map(|at| AsOf::parse(&at, now)).transpose();
    let at = at.map_err(|error| anyhow::anyhow!("{}", error.to_string().replace("as_of", "at")))?;
    Ok(ImportedMessage { author, text, at: at.map(|at| at.timestamp()) })
}

/// Who writes under this name in other systems' exports.
fn author(role: &str) -> Result<Author> {
    match role {
        "customer" | "user" | "guest" => Ok(Author::Customer),
        "bot" | "assistant" => Ok(Author::Bot),
        "operator" | "agent" | "human" | "staff" => Ok(Author::Operator),
        _ => bail!(
            "role {role:?} is not known: use customer (or user, guest), bot (or assistant), \
             operator (or agent, human, staff)"
        ),
    }
}

/// The way on which messages of an identity travel; the account is its own where the identity names it.
pub(crate) fn way(identity: &Identity) -> (Channel, Account) {
    let (scheme, rest) = identity.as_str().split_once(':').unwrap_or_default();
    let channel = match scheme {
        "tel" => Channel::Sms,
        "whatsapp" => Channel::Whatsapp,
        "email" => Channel::Email,
        "telegram" => Channel::Telegram,
        "slack" => Channel::Slack,
        _ => return (Channel::Chat, Account::chat()),
    };
    let account = rest.split_once('/').map_or(scheme, |(account, _)| account);
    (channel, Account::from(account))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn error(file: &str) -> String {
        let limits = Limits { admit_chars: 10, ..Limits::default() };
        format!("{:#}", read(file, NOW, &limits).unwrap_err())
    }

    #[test]
    fn a_line_is_a_message_whatever_its_role_is_called() {
        let file = "\u{feff}{\"role\": \"user\", \"text\": \"Hi\", \"at\": \"2026-11-29T09:00:00+01:00\"}\n\n\
                    {\"role\": \"assistant\", \"text\": \"Hello\"}\r\n{\"role\": \"agent\", \"text\": \"I am Rui\"}";
        let messages = read(file, NOW, &Limits::default()).unwrap();
        let authors: Vec<_> = messages.iter().map(|message| message.author).collect();
        assert_eq!(authors, [Author::Customer, Author::Bot, Author::Operator]);
        assert_eq!(messages[0].at.unwrap().rfc3339(), "2026-11-29T08:00:00.000Z");
        assert_eq!(messages[1].at, None);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let good = "{\"role\": \"user\", \"text\": \"Hi\"}\n\n";
        for (line, said) in [
            ("{\"role\": \"tool\", \"text\": \"x\"}", "role \"tool\" is not known"),
            ("{\"role\": \"user\", \"text\": \" \"}", "text is empty"),
            ("{\"role\": \"user\", \"text\": \"01234567890\"}", "text has 11 characters; at most 10"),
            ("{\"role\": \"user\", \"text\": \"x\", \"at\": \"soon\"}", "at must be a time"),
            ("{\"role\": \"user\", \"text\": \"x\", \"time\": \"1\"}", "unknown field `time`"),
            ("Hi", "expected value"),
        ] {
            let error = error(&format!("{good}{line}"));
            assert!(error.starts_with("line 3: ") && error.contains(said), "{error}");
        }
        assert_eq!(error("\n"), "there is no message in it");
    }

    #[test]
    fn an_identity_names_its_channel_and_perhaps_its_account() {
        let way = |identity: &str| way(&identity.parse().unwrap());
        assert_eq!(way("chat:ana"), (Channel::Chat, Account::chat()));
        assert_eq!(way("whatsapp:shop/US.1"), (Channel::Whatsapp, "shop".into()));
        assert_eq!(way("tel:+15551234567"), (Channel::Sms, "tel".into()));
    }
}
