//! What a replay has shown, from this run and from what the stack has on record.

use super::{coverage, traces};
use crate::connection::Connection;
use crate::facts::Counts;
use crate::terminal::{grouped, warn};
use anyhow::{Context, Result};
use carryover_shared::contact::{ContactId, Identity};
use carryover_shared::snapshot::Snapshot;
use carryover_shared::thread::{Author, BotKind, Message, Seq};
use carryover_shared::trace::{DecidedBy, Outcome, Trace};
use std::collections::BTreeMap;
use std::fmt;

/// Messages of one conversation that are looked at, and its traces and spills.
const LOOKED_AT: usize = 10_000;

/// Counts over all conversations.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// What became of the facts, in this run.
    pub(super) facts: Counts,
    /// How the turns ended, in this run.
    ended: BTreeMap<String, u64>,
    /// The last folds were not waited for.
    pub(super) folds_pending: bool,
    turns: u64,
    replies: u64,
    cases: u64,
    folds: u64,
    retries: u64,
    checked: Checked,
    spills: u64,
    /// Decisions for which something was recalled.
    recalled: u64,
    /// Characters of each prompt.
    prompts: Vec<usize>,
    violations: u64,
}

/// What the checks made of the model's replies.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checked {
    /// Replies that passed at once.
    grounded: u64,
    /// Replies that passed the second time.
    retried: u64,
    /// Cases, because no reply passed.
    escalated: u64,
}

impl Checked {
    fn add(&mut self, outcome: &Outcome) {
        let refused = outcome.attempts.iter().filter(|attempt| attempt.fault.is_some()).count();
        match (outcome.by, outcome.decision.as_str(), refused) {
            (DecidedBy::Model, "reply", 0) => self.grounded += 1,
            (DecidedBy::Model, "reply", _) => self.retried += 1,
            (DecidedBy::Model, _, 2) => self.escalated += 1,
            _ => {}
        }
    }
}

impl Report {
    /// A turn ended so.
    pub(super) fn count(&mut self, status: &str) {
        *self.ended.entry(status.to_owned()).or_default() += 1;
    }

    /// Adds what the stack has on record of one conversation; violations are told at once.
    pub(super) async fn look_at(
        &mut self,
        connection: &Connection,
        identity: &Identity,
        contact: ContactId,
    ) -> Result<()> {
        let store = &connection.store;
        let head = store.head(contact).await?.with_context(|| format!("{identity} is gone"))?;
        let log = store.messages(contact, head.first_seq, head.last_seq, LOOKED_AT).await?;
        let snapshot = store.snapshot(contact).await?.unwrap_or_else(Snapshot::empty);
        let traces = traces(connection, contact, LOOKED_AT).await?;
        self.cases += store.cases(contact).await?.len() as u64;
        self.spills += store.spills(contact, LOOKED_AT).await?.len() as u64;
        self.folds += snapshot.revision;
        self.add_log(&log);
        self.add_decisions(&traces);
        let seqs: Vec<Seq> = log.iter().map(|message| message.seq).collect();
        let traces = traces.iter().map(|(trace, _)| trace).collect();
        let thread = coverage::Thread { head: &head, log: &seqs, snapshot: &snapshot, traces };
        for violation in coverage::violations(thread) {
            self.violations += 1;
            warn(&format!("coverage of {identity}: {violation}"));
        }
        Ok(())
    }

    fn add_log(&mut self, log: &[Message]) {
        let count = |wanted: fn(&&Message) -> bool| log.iter().filter(wanted).count() as u64;
        self.turns += count(|message| message.author == Author::Customer);
        self.replies += count(|message| message.kind == Some(BotKind::Reply));
    }

    fn add_decisions(&mut self, traces: &[(Trace, Option<Outcome>)]) {
        let recalled = traces.iter().filter(|(trace, _)| !trace.context.memories.is_empty());
        self.recalled += recalled.count() as u64;
        for outcome in traces.iter().filter_map(|(_, outcome)| outcome.as_ref()) {
            self.retries += u64::from(outcome.attempts.iter().map(|attempt| attempt.calls).sum::<u32>())
                .saturating_sub(1);
            self.prompts.extend(prompt_chars(Some(outcome)));
            self.checked.add(outcome);
        }
    }

    /// Why the replay failed, if it did.
    pub(super) fn faults(&self) -> Option<String> {
        let failed = self.ended.get("failed").copied().unwrap_or(0);
        let faults = [
            (failed, "turns were not taken"),
            (self.facts.failed as u64, "facts were not taken"),
            (self.violations, "violations of coverage"),
        ];
        let faults: Vec<String> = faults
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!faults.is_empty()).then(|| faults.join(", "))
    }
}

/// Characters of the first prompt of a decision; none where no model was asked.
pub(super) fn prompt_chars(outcome: Option<&Outcome>) -> Option<usize> {
    outcome?.attempts.first().map(|attempt| attempt.prompt_chars)
}

/// The smallest value that at least `percent` of 100 of them do not exceed.
fn percentile(values: &[usize], percent: usize) -> Option<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied()
}

impl Report {
    /// The closing table, a name and a value in each row.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let ended = self.ended.iter().map(|(status, count)| format!("{} {status}", grouped(*count)));
        let prompt = |percent| {
            percentile(&self.prompts, percent).map_or_else(|| "-".into(), |chars| grouped(chars as u64))
        };
        let folds = if self.folds_pending { " (more to come)" } else { "" };
        vec![
            ("this run", ended.collect::<Vec<_>>().join(", ")),
            ("facts", self.facts.to_string()),
            ("turns", grouped(self.turns)),
            ("replies", grouped(self.replies)),
            ("cases", grouped(self.cases)),
            ("folds", format!("{}{folds}", grouped(self.folds))),
            ("retries", grouped(self.retries)),
            ("grounded", grouped(self.checked.grounded)),
            ("retried", grouped(self.checked.retried)),
            ("escalated by a check", grouped(self.checked.escalated)),
            ("spills", grouped(self.spills)),
            ("decisions with memories", grouped(self.recalled)),
            ("prompt characters p50 / p95", format!("{} / {}", prompt(50), prompt(95))),
            ("coverage violations", grouped(self.violations)),
        ]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.rows().into_iter().map(|(name, value)| format!("{name:<28} {value}"));
        f.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let hundred: Vec<usize> = (1..=100).rev().collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 95)), (Some(50), Some(95)));
        assert_eq!((percentile(&[7], 50), percentile(&[], 95)), (Some(7), None));
    }

    #[test]
    fn a_report_is_a_table_and_says_what_failed() {
        let mut report = Report { turns: 1_200, prompts: vec![4_000, 5_000], ..Report::default() };
        report.count("replied");
        assert_eq!(report.faults(), None);
        report.count("failed");
        report.violations = 2;
        assert_eq!(report.faults().as_deref(), Some("1 turns were not taken, 2 violations of coverage"));
        let table = report.to_string();
        assert!(table.contains("1 failed, 1 replied") && table.contains("4,000 / 5,000"), "{table}");
    }
}
