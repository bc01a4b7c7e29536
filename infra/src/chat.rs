//! `carryover chat`: a customer's side of the web chat, in the terminal.

use crate::api::Api;
use crate::connection::Target;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::traits::Clock;
use std::io::IsTerminal;
use std::time::Duration;
use tokio::sync::mpsc;

/// How often the thread is looked at while nobody types.
const LOOK: Duration = Duration::from_secs(2);
/// Above every number of a message.
const BEYOND: u64 = 9_999_999_999;

/// Options of `carryover chat`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Who writes, such as chat:ana
    identity: Identity,
    #[command(flatten)]
    target: Target,
}

/// Sends each line of standard input as a message and prints what comes back, until the input ends.
///
/// # Errors
/// No stack runs, the identity is not one of the web chat, or a message was not taken.
pub async fn run(options: Options) -> Result<()> {
    let customer = subject(&options.identity)?.to_owned();
    let api = options.target.connect().await?.api;
    let seen = api.messages(&customer, BEYOND).await?.last_seq;
    let mut chat = Chat { api, customer, seen, refused: 0 };
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        terminal::say(&format!("{} messages so far. End with Ctrl-D.", chat.seen));
    }
    chat.talk(interactive).await?;
    match chat.refused {
        0 => Ok(()),
        refused => bail!("{refused} messages were not taken"),
    }
}

/// The customer id of a web chat identity.
///
/// # Errors
/// It is an identity of another channel.
pub fn subject(identity: &Identity) -> Result<&str> {
    let subject = identity.as_str().strip_prefix("chat:");
    subject.with_context(|| format!("{identity} does not write by web chat: use a chat: identity"))
}

/// Lines, read on a thread of their own: it may wait for a person while the thread is looked at.
fn lines_of_stdin() -> mpsc::Receiver<std::io::Result<String>> {
    let (send, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

struct Chat {
    api: Api,
    customer: String,
    /// The newest message that was printed or needs no printing.
    seen: u64,
    refused: usize,
}

impl Chat {
    async fn talk(&mut self, interactive: bool) -> Result<()> {
        let mut lines = lines_of_stdin();
        loop {
            if interactive {
                terminal::ask("you> ");
            }
            let line = loop {
                tokio::select! {
                    line = lines.recv() => break line.transpose().context("the input cannot be read")?,
                    () = tokio::time::sleep(LOOK), if interactive => self.print_new().await?,
                }
            };
            match line {
                Some(line) => self.write(line.trim()).await?,
                None => return Ok(()),
            }
        }
    }

    async fn write(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let id = SystemClock.ulid().to_string();
        match self.api.post(&self.customer, &id, text).await {
            Ok(answer) => {
                self.print_new().await?;
                if let Some(remark) = remark(&answer.status) {
                    terminal::say(remark);
                }
            }
            Err(error) => {
                self.refused += 1;
                terminal::warn(&format!("{error:#}"));
            }
        }
        Ok(())
    }

    /// Prints what others have said since.
    async fn print_new(&mut self) -> Result<()> {
        loop {
            let page = self.api.messages(&self.customer, self.seen).await?;
            for message in page.messages.iter().filter(|message| message.author != "customer") {
                terminal::say(&format!("{}> {}", message.author, message.text));
            }
            if page.messages.is_empty() || page.last_seq <= self.seen {
                return Ok(());
            }
            self.seen = page.last_seq;
        }
    }
}

/// What is worth saying of a message that got no reply.
fn remark(status: &str) -> Option<&'static str> {
    match status {
        "escalated" => Some("(a person takes over)"),
        "silent" => Some("(a person answers here; the bot is silent)"),
        "superseded" => Some("(a newer message is answered first)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identities_of_the_web_chat_can_chat() {
        assert_eq!(subject(&"chat:a:b".parse().unwrap()).unwrap(), "a:b");
        assert!(subject(&"tel:+15551234567".parse().unwrap()).is_err());
    }
}
