//! `carryover facts`: records of account systems, pushed through the API as those systems would push them.

mod loader;
mod records;

pub(crate) use loader::{Counts, Loader, Wanted};
pub(crate) use records::{Record, modified, read};

use crate::connection::Target;
use crate::terminal;
use anyhow::{Context, Result, bail};
use carryover_shared::clock::SystemClock;
use carryover_shared::contact::Identity;
use carryover_shared::facts::AsOf;
use carryover_shared::traits::Clock;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Subcommands of `carryover facts`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Loads the records of a file.
    Load(Options),
}

/// Options of `carryover facts load`.
///
/// The file is a JSON array of records, a JSON object of records by their keys, or has one record a line. Whose
/// record it is, one of --identity, --identity-field and --identity-key says. Loading a file again changes nothing:
/// as of its last change is what the records are unless --as-of or --as-of-field says otherwise.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group(clap::ArgGroup::new("whose").required(true)))]
pub struct Options {
    /// The records
    file: PathBuf,
    /// What they are: order, request, appointment, profile, contact, qualification, or any other word
    #[arg(long)]
    kind: String,
    /// All of them are this contact's
    #[arg(long, group = "whose")]
    identity: Option<Identity>,
    /// The field that names the contact, such as user_id or customer.id
    #[arg(long, group = "whose")]
    identity_field: Option<String>,
    /// The record's key names the contact
    #[arg(long, group = "whose")]
    identity_key: bool,
    /// The kind of identity that field or key name, where they name none themselves
    #[arg(long, default_value = "chat")]
    identity_scheme: String,
    /// The field with the record's id [default: the record's key, else id or <kind>_id]
    #[arg(long)]
    id_field: Option<String>,
    /// Since when the records are so, in RFC 3339 form [default: the file's last change]
    #[arg(long, conflicts_with = "as_of_field")]
    as_of: Option<String>,
    /// The field that says since when the record is so
    #[arg(long)]
    as_of_field: Option<String>,
    /// Only these fields of each record, separated by commas
    #[arg(long, value_delimiter = ',')]
    fields: Vec<String>,
    #[command(flatten)]
    target: Target,
}

/// Loads them.
///
/// # Errors
/// No stack runs, the file cannot be read, or a record was not taken; all others were.
pub async fn run(command: Command) -> Result<()> {
    let Command::Load(options) = command;
    let connection = options.target.connect().await?;
    let records = read(&options.file)?;
    let as_of = match &options.as_of {
        Some(given) => AsOf::parse(given, SystemClock.now())?.rfc3339(),
        None => modified(&options.file)?,
    };
    let (wanted, unusable) = sorted_out(&records, &options, &as_of);
    let failed = unusable.len();
    for error in unusable.iter().take(loader::FAILURES_SAID) {
        terminal::warn(error);
    }
    let mut counts = Loader::new(connection.api, records.len()).load(wanted).await;
    counts.failed += failed;
    terminal::say(&format!("{} records: {counts}", terminal::grouped(records.len() as u64)));
    if counts.failed > 0 {
        bail!("{} records were not taken", counts.failed);
    }
    Ok(())
}

/// What is to be loaded, and what is wrong with the rest.
fn sorted_out(records: &[Record], options: &Options, as_of: &str) -> (Vec<Wanted>, Vec<String>) {
    let (mut wanted, mut unusable) = (vec![], vec![]);
    for (index, record) in records.iter().enumerate() {
        match options.wanted(record, as_of) {
            Ok(fact) => wanted.push(fact),
            Err(error) => unusable.push(format!("record {}: {error:#}", index + 1)),
        }
    }
    (wanted, unusable)
}

impl Options {
    fn wanted(&self, record: &Record, as_of: &str) -> Result<Wanted> {
        let as_of = match &self.as_of_field {
            Some(field) => record.text(field)?,
            None => as_of.to_owned(),
        };
        let data = self.picked(&record.data)?;
        Ok(Wanted {
            identity: self.whose(record)?,
            kind: self.kind.clone(),
            id: self.id(record)?,
            as_of,
            data,
        })
    }

    fn whose(&self, record: &Record) -> Result<Identity> {
        let name = match (&self.identity, &self.identity_field) {
            (Some(identity), _) => return Ok(identity.clone()),
            (_, Some(field)) => record.text(field)?,
            _ => record.key.clone().context("the record has no key: use --identity-field")?,
        };
        name.parse().or_else(|_| {
            format!("{}:{name}", self.identity_scheme)
                .parse()
                .with_context(|| format!("{name:?} names nobody"))
        })
    }

    fn id(&self, record: &Record) -> Result<String> {
        match (&self.id_field, &record.key) {
            (Some(field), _) => record.text(field),
            (None, Some(key)) => Ok(key.clone()),
            (None, None) => record
                .text("id")
                .or_else(|_| record.text(&format!("{}_id", self.kind)))
                .with_context(|| format!("there is neither id nor {}_id: use --id-field", self.kind)),
        }
    }

    fn picked(&self, data: &Value) -> Result<Value> {
        let fields = data.as_object().context("it is no JSON object")?;
        if self.fields.is_empty() {
            return Ok(data.clone());
        }
        let picked: Map<_, _> = fields
            .iter()
            .filter(|(name, _)| self.fields.contains(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Ok(picked.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(flags: &str) -> Options {
        let line = format!("load users.json {flags}");
        Line::try_parse_from(line.split_whitespace()).unwrap().options
    }

    fn record(key: Option<&str>, data: Value) -> Record {
        Record { key: key.map(str::to_owned), data }
    }

    #[test]
    fn a_record_by_its_key_is_a_fact_of_the_contact_of_that_name() {
        let options = options("--kind profile --identity-key --fields name,email");
        let user = record(Some("ana_1"), json!({"name": "Ana", "email": "ana@example.com", "orders": []}));
        let wanted = options.wanted(&user, "2026-11-30T09:00:00Z").unwrap();
        assert_eq!(wanted.identity.as_str(), "chat:ana_1");
        assert_eq!((wanted.kind.as_str(), wanted.id.as_str()), ("profile", "ana_1"));
        assert_eq!(wanted.data, json!({"name": "Ana", "email": "ana@example.com"}));
    }

    #[test]
    fn fields_name_contact_id_and_time() {
        let options = options("--kind order --identity-field customer.id --as-of-field changed");
        let order =
            json!({"order_id": 7, "customer": {"id": "tel:+15551234567"}, "changed": "2026-11-01T00:00:00Z"});
        let wanted = options.wanted(&record(None, order), "never").unwrap();
        assert_eq!(wanted.identity.as_str(), "tel:+15551234567");
        assert_eq!((wanted.id.as_str(), wanted.as_of.as_str()), ("7", "2026-11-01T00:00:00Z"));
    }

    #[test]
    fn a_record_that_names_nobody_is_said_and_the_rest_is_loaded() {
        let options = options("--kind order --identity-field user_id");
        let records =
            [record(Some("W1"), json!({"user_id": "ana"})), record(Some("W2"), json!({"user_id": null}))];
        let (wanted, unusable) = sorted_out(&records, &options, "2026-11-30T09:00:00Z");
        assert_eq!(wanted.len(), 1);
        assert_eq!(unusable, ["record 2: the field user_id is missing"]);
    }

    #[test]
    fn whose_the_records_are_must_be_said_once() {
        for flags in ["", "--identity chat:ana --identity-key"] {
            let line = format!("load users.json --kind order {flags}");
            assert!(Line::try_parse_from(line.split_whitespace()).is_err(), "{flags}");
        }
    }
}
