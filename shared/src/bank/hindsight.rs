//! Hindsight as the memory bank (`HINDSIGHT_URL`). What folds spilled is in the table, and always searched with it.
//!
//! What its API makes necessary:
//! - The default match of tags shows what has none, and an append gives a document's tags to all that is in it. So
//!   every item carries the contact's tag, a recall asks for it strictly, and what comes without it is dropped.
//! - Synchronous appends to one document at the same time fail. So everything is retained asynchronously, under an
//!   operation id derived from what is kept: a repeated job is the same operation.
//! - An operation that failed is never tried again under its id. So the next one gets the next id.
//! - A query without a word is refused, and a long one is slow or refused. So the one is not sent, the other cut.

mod api;
mod config;
mod content;

pub use config::HindsightConfig;

use super::Embedded;
use crate::config::ConfigError;
use crate::contact::ContactId;
use crate::hash;
use crate::limits::Limits;
use crate::memory::{self, Entry, Exchange, Memory, Origin, Query, Question, Recall, bank_id};
use crate::traits::{BankError, MemoryBank};
use api::{Api, Failure};
use futures::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How long one call that writes may take; nobody waits for it.
const WRITE: Duration = Duration::from_secs(10);
/// How many times something is kept again whose operation failed.
const ATTEMPTS: u32 = 5;
/// Tokens of a query, counted cautiously: some versions refuse more than 500 of their own.
const QUERY_TOKENS: usize = 400;
/// Tokens of the texts that a recall brings: more than `memories` of them, however long.
const RECALL_TOKENS: u32 = 8_192;

/// A Hindsight server and the table's spills. Build it once, at start.
pub struct Hindsight {
    api: Api,
    table: Embedded,
    limits: Limits,
}

impl Hindsight {
    /// The server that `config` names, beside the bank of the table; connects with the first question.
    ///
    /// # Errors
    /// No HTTP client can be built.
    pub fn new(config: &HindsightConfig, table: Embedded, limits: &Limits) -> Result<Self, ConfigError> {
        Ok(Self { api: Api::new(config)?, table, limits: limits.clone() })
    }

    async fn ask(&self, contact: ContactId, query: &Query) -> Result<Vec<Memory>, Failure> {
        let bank = bank_id(contact);
        let question = question(&bank, memory::clipped(&query.text, QUERY_TOKENS));
        let path = [bank.as_str(), "memories", "recall"];
        let asked = self.api.call(Method::POST, &path, Some(&question));
        // A bank that does not exist yet has no memories.
        let Some(answer) = timeout(self.patience(), asked).await.map_err(|_| Failure::Late)?? else {
            return Ok(vec![]);
        };
        let found = content::read(&answer, &bank)?.into_iter();
        let unseen = found.filter(|exchange| exchange.from_seq < query.before);
        Ok(self.shown(query, unseen.take(self.limits.memories)))
    }

    /// As a prompt shows them, around what the query asks for.
    fn shown(&self, query: &Query, exchanges: impl Iterator<Item = Exchange>) -> Vec<Memory> {
        let entries: Vec<Entry> = exchanges.map(Entry::of).collect();
        let question = Question::new(query, &entries);
        let show = |entry| memory::show(entry, None, &question, self.limits.memory_chars);
        entries.iter().map(show).collect()
    }

    /// A little less than the turn waits for a recall, so that it still gets the spills.
    fn patience(&self) -> Duration {
        Duration::from_millis(self.limits.recall_millis) * 7 / 8
    }

    async fn keep(&self, contact: ContactId, exchange: &Exchange) -> Result<(), Failure> {
        let bank = bank_id(contact);
        self.write(Method::PUT, &[&bank], Some(&content::settings())).await?;
        for attempt in 0..ATTEMPTS {
            let operation = operation_id(&bank, exchange, attempt);
            let retention = content::retention(&bank, exchange, &operation);
            let kept = self.write(Method::POST, &[&bank, "memories"], Some(&retention)).await?;
            kept.ok_or(Failure::Refused)?;
            let found = self.write(Method::GET, &[&bank, "operations", &operation], None).await?;
            if found.is_none_or(|found| found["status"] != "failed") {
                return Ok(());
            }
        }
        Err(Failure::Refused)
    }

    async fn write(
        &self,
        method: Method,
        path: &[&str],
        body: Option<&Value>,
    ) -> Result<Option<Value>, Failure> {
        timeout(WRITE, self.api.call(method, path, body)).await.map_err(|_| Failure::Late)?
    }
}

impl MemoryBank for Hindsight {
    fn recall<'a>(&'a self, contact: ContactId, query: &'a Query) -> BoxFuture<'a, Recall> {
        Box::pin(async move {
            if !memory::has_word(&query.text) {
                return Recall::Nothing;
            }
            let (memories, spills) =
                futures::join!(self.ask(contact, query), self.table.recall_spills(contact, query));
            merged(memories, &spills, self.limits.memories)
        })
    }

    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        Box::pin(async move { self.keep(contact, exchange).await.map_err(bank_error) })
    }

    /// It keeps a day in one document, so nothing can be taken out of it; a recall says which reply a memory is of.
    fn leave_out<'a>(&'a self, contact: ContactId, origin: Origin) -> BoxFuture<'a, Result<(), BankError>> {
        self.table.leave_out(contact, origin)
    }

    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        Box::pin(async move {
            let bank = bank_id(contact);
            let path = [bank.as_str()];
            let (deleted, forgotten) =
                futures::join!(self.write(Method::DELETE, &path, None), self.table.forget(contact));
            deleted.map_err(bank_error).and(forgotten)
        })
    }
}

fn bank_error(failure: Failure) -> BankError {
    BankError { code: failure.code().into() }
}

/// A recall of what carries the bank's tag, and nothing else. What Hindsight itself concluded cannot be traced to who
/// said it, so it is not asked for; the text that a memory is from is.
fn question(bank: &str, query: &str) -> Value {
    json!({
        "query": query,
        "types": ["world", "experience"],
        "budget": "low",
        "max_tokens": RECALL_TOKENS,
        "tags": [bank],
        "tags_match": "all_strict",
        "include": {"entities": null, "chunks": {"max_tokens": RECALL_TOKENS}},
    })
}

/// The id under which something is kept for the `attempt`th time: a UUID of version 8 that names its bank, too, since
/// ids are unique in the whole of Hindsight.
fn operation_id(bank: &str, exchange: &Exchange, attempt: u32) -> String {
    let kept = match exchange.origin {
        Origin::Reply(seq) => format!("reply {seq}"),
        Origin::Case(case) => format!("case {case}"),
        // It may be changed, and each change is kept.
        Origin::Feedback(seq) => format!("feedback {seq} {}", exchange.at.millis()),
        Origin::Spill { revision, n } => format!("spill {revision} {n}"),
    };
    let digits: Vec<char> = hash::hex(&format!("{bank} {kept} {attempt}")).chars().collect();
    let part = |from: usize, to: usize| digits.iter().skip(from).take(to - from).collect::<String>();
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// The best of both in turns, at most `most`; a spill that came from both comes once.
fn merged(memories: Result<Vec<Memory>, Failure>, spills: &Recall, most: usize) -> Recall {
    let failure = memories.as_ref().err().map(|failure| failure.code());
    let mut memories = memories.unwrap_or_default();
    memories.retain(|memory| !spills.memories().iter().any(|spill| spill.origin == memory.origin));
    Recall::in_turns(&[Recall::unless(failure, memories), spills.clone()], most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Seq;
    use crate::time::Timestamp;
    use std::collections::HashSet;

    fn memory(origin: Origin, said: &str) -> Memory {
        Memory { said: said.into(), replied: String::new(), messages: None, at: None, origin: Some(origin) }
    }

    fn reply(seq: u64, said: &str) -> Memory {
        memory(Origin::Reply(Seq(seq)), said)
    }

    fn spill(n: usize, said: &str) -> Memory {
        memory(Origin::Spill { revision: 1, n }, said)
    }

    fn said(recall: &Recall) -> Vec<&str> {
        recall.memories().iter().map(|memory| memory.said.as_str()).collect()
    }

    #[test]
    fn both_sides_are_shown_in_turns_and_a_forwarded_spill_once() {
        let memories = vec![reply(2, "a"), spill(0, "the quote was 480 euro"), reply(4, "b")];
        let spills = Recall::Found(vec![spill(0, "…quote was 480…"), spill(1, "c"), spill(2, "d")]);
        assert_eq!(said(&merged(Ok(memories), &spills, 4)), ["a", "…quote was 480…", "b", "c"]);
    }

    #[test]
    fn what_failed_is_told_from_what_is_not_there() {
        let (memories, no_table) = (|| vec![reply(2, "b")], Recall::Failed("unavailable"));
        let spills = Recall::Found(vec![spill(0, "a")]);
        let one = |spills: &Recall| merged(Ok(memories()), spills, 6);
        assert_eq!(merged(Ok(vec![]), &Recall::Nothing, 6), Recall::Nothing);
        assert_eq!(merged(Err(Failure::Late), &Recall::Nothing, 6), Recall::Failed("late"));
        assert_eq!(merged(Err(Failure::Late), &spills, 6), Recall::Partly(vec![spill(0, "a")], "late"));
        assert_eq!(merged(Ok(vec![]), &no_table, 6), Recall::Failed("unavailable"));
        assert_eq!(one(&no_table), Recall::Partly(memories(), "unavailable"));
        assert_eq!(one(&Recall::Nothing), Recall::Found(memories()));
        assert_eq!(merged(Err(Failure::Unreachable), &no_table, 6), Recall::Failed("unreachable"));
    }

    #[test]
    fn an_operation_is_named_by_bank_source_and_attempt() {
        let of = |origin, millis| Exchange {
            origin,
            said: "a".into(),
            replied: String::new(),
            from_seq: Seq(7),
            to_seq: Seq(7),
            at: Timestamp::from_millis(millis),
        };
        let (reply, feedback) = (of(Origin::Reply(Seq(7)), 1), of(Origin::Feedback(Seq(7)), 1));
        let first = operation_id("a", &reply, 0);
        assert_eq!(first, operation_id("a", &reply, 0));
        assert_eq!(first.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        let others = [
            operation_id("b", &reply, 0),
            operation_id("a", &feedback, 0),
            operation_id("a", &of(Origin::Feedback(Seq(7)), 2), 0),
            operation_id("a", &reply, 1),
        ];
        assert_eq!(HashSet::from(others.clone()).len(), others.len(), "feedback that was changed is another");
        assert!(!others.contains(&first));
    }
}
