//! `carryover agent show`: an agent on one page.

use super::Place;
use crate::terminal::{self, wrapped};
use anyhow::{Context, Result, bail};
use carryover_shared::agent::{AccountAgent, AgentVersion, DEFAULT_AGENT, Promise, Topic, check_name};
use carryover_shared::facts::{Fact, render_business};
use carryover_shared::limits::Limits;
use carryover_shared::store::{Store, VersionEntry};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::Clock;
use serde::Serialize;

/// Columns of the page.
const COLUMNS: usize = 100;
/// Versions and accounts that are listed, newest or first by name.
const LISTED: usize = 50;

/// Options of `carryover agent show`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The agent
    name: String,
    /// Which version [default: the live one, else the newest]
    #[arg(long)]
    version: Option<u32>,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

/// Prints it.
///
/// # Errors
/// There is no such agent or version, or the table cannot be read.
pub(super) async fn run(options: Options) -> Result<()> {
    check_name(&options.name)?;
    let (store, limits) = options.place.open().await?;
    let view = View::read(&store, &limits, &options.name, options.version).await?;
    let now = carryover_shared::clock::SystemClock.now();
    let shown = if options.json { serde_json::to_string_pretty(&view)? } else { page(&view, now, &limits) };
    terminal::say(&shown);
    Ok(())
}

/// An agent.
#[derive(Debug, Serialize)]
struct View {
    name: String,
    /// The live version, if one is.
    live: Option<u32>,
    /// The newest first.
    versions: Vec<VersionEntry>,
    /// The version that is shown.
    version: AgentVersion,
    accounts: Vec<AccountAgent>,
    /// What its business says of itself.
    facts: Vec<Fact>,
}

impl View {
    async fn read(store: &Store, limits: &Limits, name: &str, wanted: Option<u32>) -> Result<Self> {
        let live = store.live_version(name).await?;
        let versions = store.agent_versions(name, LISTED).await?;
        let newest = versions.first().map(|newest| newest.version);
        let version = match wanted.or(live).or(newest) {
            Some(number) => store
                .agent_version(name, number)
                .await?
                .with_context(|| format!("the agent {name} has no version {number}"))?,
            None if name == DEFAULT_AGENT => AgentVersion::built_in(),
            None => bail!("there is no agent {name}"),
        };
        Ok(Self {
            name: name.to_owned(),
            live,
            versions,
            version,
            accounts: store.accounts_of(name, LISTED).await?,
            facts: store.business(name, limits).await?,
        })
    }
}

fn page(view: &View, now: Timestamp, limits: &Limits) -> String {
    let version = &view.version;
    let mut page = Page(vec![]);
    let number = version.version;
    let state = if view.live == Some(number) { "live" } else { "not live" };
    page.heading(&view.name, &format!("version {number}, {state}"));
    page.row("live", &view.live.map_or("no version".into(), |live| format!("version {live}")));
    let channels: Vec<&str> = version.channels.iter().map(|channel| channel.name()).collect();
    page.row("answers on", &channels.join(", "));
    page.row("notifies", if version.notifies { "yes" } else { "no: a person takes over in silence" });
    page.row("tone", &version.tone);
    page.heading("Instructions", "");
    page.text(&version.instructions);
    page.heading("Topics for people", &version.topics.len().to_string());
    version.topics.iter().for_each(|topic| page.topic(topic));
    page.heading("Promises", &version.promises.len().to_string());
    version.promises.iter().for_each(|promise| page.promise(promise));
    page.heading("Versions", &view.versions.len().to_string());
    for VersionEntry { version, author, at } in &view.versions {
        page.row(&version.to_string(), &format!("{}, by {author}", at.to_minute()));
    }
    page.heading("Accounts", &view.accounts.len().to_string());
    for AccountAgent { account, campaign, .. } in &view.accounts {
        let campaign = campaign.as_ref().map_or(String::new(), |campaign| format!("campaign {campaign}"));
        page.row(account.as_str(), &campaign);
    }
    page.heading("Facts of the business", &view.facts.len().to_string());
    page.text(&render_business(&view.facts, now, limits).text);
    page.0.join("\n")
}

struct Page(Vec<String>);

impl Page {
    fn heading(&mut self, name: &str, text: &str) {
        if !self.0.is_empty() {
            self.0.push(String::new());
        }
        self.0.push(format!("{name}: {text}").trim_end().to_owned());
    }

    fn row(&mut self, name: &str, text: &str) {
        let lines = wrapped(text, COLUMNS - 13).join("\n             ");
        self.0.push(format!("  {name:<10} {lines}").trim_end().to_owned());
    }

    fn text(&mut self, text: &str) {
        let lines = wrapped(text, COLUMNS - 2).into_iter();
        self.0.extend(lines.map(|line| format!("  {line}").trim_end().to_owned()));
    }

    fn topic(&mut self, topic: &Topic) {
        self.text(&format!("{} ({}): {}", topic.name, topic.category.code(), topic.keywords.join("; ")));
    }

    fn promise(&mut self, promise: &Promise) {
        let backed = match &promise.act {
            Some(act) => format!("only a record that names {act} backs it"),
            None if promise.opens_request => "opens a request".into(),
            None => "only an open request or case backs it".into(),
        };
        self.text(&format!("{}: {backed}", promise.phrase));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryover_shared::case::Category;
    use carryover_shared::contact::Account;
    use carryover_shared::facts::AsOf;
    use carryover_shared::text;
    use serde_json::json;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn view() -> View {
        let version = AgentVersion {
            name: "garden".into(),
            version: 2,
            instructions: "Answer for the garden. ".repeat(6),
            topics: vec![Topic {
                name: "bees".into(),
                category: Category::PolicyRestriction,
                keywords: vec!["bee".into(), "swarm".into()],
            }],
            promises: vec![Promise { opens_request: true, ..Promise::of("I'll * water") }],
            tone: "Cheerful.".into(),
            channels: vec![carryover_shared::thread::Channel::Sms],
            notifies: false,
        };
        let hours = Fact {
            kind: "hours".into(),
            id: "shop".into(),
            as_of: AsOf::from(NOW),
            source: "demo".into(),
            data: json!({"monday": "9:00-17:00", "closed": "Sunday"}),
        };
        View {
            name: "garden".into(),
            live: Some(1),
            versions: vec![VersionEntry { version: 2, author: "mia".into(), at: NOW }],
            version,
            accounts: vec![AccountAgent {
                account: Account::from("sms:spring"),
                agent: "garden".into(),
                campaign: Some("spring".into()),
            }],
            facts: vec![hours],
        }
    }

    #[test]
    fn an_agent_stands_on_one_page_of_bounded_width() {
        let shown = page(&view(), NOW, &Limits::default());
        assert!(shown.lines().all(|line| text::chars(line) <= COLUMNS));
        insta::assert_snapshot!(shown, @r"
        garden: version 2, not live
          live       version 1
          answers on SMS
          notifies   no: a person takes over in silence
          tone       Cheerful.

        Instructions:
          Answer for the garden. Answer for the garden. Answer for the garden. Answer for the garden. Answer
          for the garden. Answer for the garden.

        Topics for people: 1
          bees (policy_restriction): bee; swarm

        Promises: 1
          I'll * water: opens a request

        Versions: 1
          2          2026-11-30 10:00 UTC, by mia

        Accounts: 1
          sms:spring campaign spring

        Facts of the business: 1
          - hours shop [source demo, as of 2026-11-30 (today)]: monday: 9:00-17:00; closed: Sunday
        ");
    }
}
