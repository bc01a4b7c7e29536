//! `carryover tickets`: past tickets and released cases, as hints for the bot.

mod file;

use crate::connection::Target;
use crate::outputs::Outputs;
use crate::terminal::{self, Progress, grouped};
use anyhow::{Context, Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::limits::Limits;
use carryover_shared::release::{Released, release};
use carryover_shared::similar::Wording;
use carryover_shared::store::Store;
use carryover_shared::tickets::{Bucket, Built, Shelf, build, import};
use carryover_shared::{aws, config, wiring};
use std::path::PathBuf;
use std::sync::Arc;
use ulid::Ulid;

/// Subcommands of `carryover tickets`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Takes past tickets into the index of past cases.
    Import(ImportOptions),
    /// Releases a resolved case for the next build, in words of your own.
    Release(ReleaseOptions),
    /// Builds the index again, with what was released since.
    Build(BuildOptions),
}

/// Options of `carryover tickets import`.
///
/// The file has one ticket a line, as a JSON object, or is a CSV file with a header (by its name: *.csv). Fields are
/// body and answer, and if you like id (or ticket_id), subject, category and tags; others are left alone. Values and
/// names in it are replaced by placeholders. A ticket replaces the one with its id.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ImportOptions {
    /// The tickets
    file: PathBuf,
    /// In the place of all tickets that were imported before
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    deployment: Deployment,
}

/// Options of `carryover tickets release`.
#[derive(Debug, clap::Args)]
pub struct ReleaseOptions {
    /// Whose case it was, such as chat:ana
    identity: Identity,
    /// The case, which must be resolved
    case: Ulid,
    /// What was asked; not in the customer's words
    #[arg(long)]
    problem: String,
    /// What was done
    #[arg(long)]
    solution: String,
    #[command(flatten)]
    deployment: Deployment,
}

/// Options of `carryover tickets build`.
#[derive(Debug, clap::Args)]
pub struct BuildOptions {
    #[command(flatten)]
    deployment: Deployment,
}

/// Which deployment a command works on: the local stack or, with --table, one on AWS.
#[derive(Debug, clap::Args)]
struct Deployment {
    /// The table on AWS, as the deployment's output `TableName` names it
    #[arg(long, conflicts_with = "state")]
    table: Option<String>,
    /// The bucket on AWS, as the deployment's parameter `IndexBucket` names it
    #[arg(long, requires = "table")]
    index_bucket: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// A deployment's past cases.
struct Library {
    store: Store,
    shelf: Shelf,
    limits: Limits,
}

impl Deployment {
    async fn open(&self) -> Result<Library> {
        match &self.table {
            Some(table) => on_aws(table, self.index_bucket.as_deref()).await,
            None => on_this_machine(&self.target.connect().await?.outputs).await,
        }
    }
}

async fn on_aws(table: &str, bucket: Option<&str>) -> Result<Library> {
    let (sdk, limits) = (aws::config().await, config::limits()?);
    let store = Store::new(aws_sdk_dynamodb::Client::new(&sdk), table, Arc::new(SystemClock), &limits);
    let endpoint = wiring::bucket_endpoint(&sdk);
    let bucket = bucket.map(|name| Bucket::new(name, endpoint.as_deref(), &sdk)).transpose()?;
    let shelf = Shelf::new(store.clone(), bucket, limits.index_bytes);
    Ok(Library { store, shelf, limits })
}

async fn on_this_machine(outputs: &Outputs) -> Result<Library> {
    let (sdk, limits) = (aws::config_of(&outputs.endpoint).await, config::limits()?);
    let client = aws_sdk_dynamodb::Client::new(&sdk);
    let store = Store::new(client, &outputs.table, Arc::new(SystemClock), &limits);
    let bucket = outputs.index_bucket.as_deref();
    let bucket = bucket.map(|name| Bucket::new(name, Some(&outputs.endpoint), &sdk)).transpose()?;
    let shelf = Shelf::new(store.clone(), bucket, limits.index_bytes);
    Ok(Library { store, shelf, limits })
}

/// Does it and says what became of it.
///
/// # Errors
/// Something could not be taken, and nothing was; or the deployment refused.
pub async fn run(command: Command) -> Result<()> {
    let said = match command {
        Command::Import(options) => import_file(&options).await?,
        Command::Release(options) => release_case(&options).await?,
        Command::Build(options) => {
            let Library { shelf, limits, .. } = options.deployment.open().await?;
            summary(&build(&shelf, &limits).await?)
        }
    };
    terminal::say(&said);
    Ok(())
}

async fn import_file(options: &ImportOptions) -> Result<String> {
    let Library { shelf, limits, .. } = options.deployment.open().await?;
    let tickets = file::read(&options.file, &limits)?;
    let mut progress = Progress::of(tickets.len(), "tickets");
    let read = |done: usize| progress.at(done as u64);
    let built = import(&shelf, &tickets, options.replace, &limits, read).await?;
    Ok(format!("{} tickets imported. {}", grouped(tickets.len() as u64), summary(&built)))
}

async fn release_case(options: &ReleaseOptions) -> Result<String> {
    let Library { store, limits, .. } = options.deployment.open().await?;
    let ReleaseOptions { identity, case, problem, solution, .. } = options;
    let contact = store.resolve(identity).await?.with_context(|| format!("nobody is known as {identity}"))?;
    let wording = Wording { problem: problem.clone(), solution: solution.clone() };
    match release(&store, &limits, contact, *case, &wording).await? {
        Released::Done(Wording { problem, solution }) => Ok(format!(
            "Case {case} is released in these words:\n  problem   {problem}\n  solution  {solution}\n\
             `carryover tickets build` takes it into the index; release it again to change the words."
        )),
        Released::NoSuchCase => bail!("{identity} has no case {case}"),
        Released::NotResolved => bail!("case {case} is not resolved"),
        Released::Refused(fault) => Err(fault.into()),
        Released::Gone => bail!("{identity} is being erased"),
    }
}

fn summary(built: &Built) -> String {
    let (index, released) = (&built.index, grouped(built.released as u64));
    let (cases, size) = (grouped(index.cases as u64), grouped(index.size_bytes as u64));
    let state = if built.changed { "is in use now" } else { "stays: nothing has changed" };
    format!(
        "Version {} of the index {state}. It has {cases} past cases, {released} of them released, in {size} bytes.",
        index.version
    )
}
