//! Whether every message was where it had to be, from the traces and the table alone (*coverage*).
//!
//! It counts message by message and does not ask the window, which made the traces.

use carryover_shared::snapshot::Snapshot;
use carryover_shared::thread::{Head, Seq};
use carryover_shared::trace::Trace;

/// What the table says of one thread.
pub(super) struct Thread<'a> {
    pub(super) head: &'a Head,
    /// The numbers of its messages, in order.
    pub(super) log: &'a [Seq],
    pub(super) snapshot: &'a Snapshot,
    pub(super) traces: Vec<&'a Trace>,
}

/// What is wrong, a sentence each.
pub(super) fn violations(mut thread: Thread<'_>) -> Vec<String> {
    let mut found = vec![];
    let Head { first_seq, last_seq, .. } = *thread.head;
    if thread.log.iter().map(|seq| seq.0).ne(first_seq.0..=last_seq.0) {
        found.push("the log is not dense".to_owned());
    }
    thread.traces.sort_by_key(|trace| trace.at);
    let mut covered_to = Seq::NONE;
    for trace in &thread.traces {
        let at = format!("the decision on message {}", trace.coverage.last_seq);
        found.extend(of_one(trace, &thread).into_iter().map(|what| format!("{at}: {what}")));
        if trace.coverage.covered_to < covered_to {
            found.push(format!("{at}: the checkpoint went back from {covered_to}"));
        }
        covered_to = covered_to.max(trace.coverage.covered_to);
    }
    found
}

fn of_one(trace: &Trace, thread: &Thread<'_>) -> Vec<String> {
    let coverage = trace.coverage;
    let mut found = vec![];
    if !coverage.is_whole() {
        found.push("its parts do not meet".to_owned());
    }
    let mut announced = 0;
    for seq in (coverage.first_seq.0..=coverage.last_seq.0).map(Seq) {
        let is_covered = seq <= coverage.covered_to;
        let is_verbatim = seq >= coverage.pending_from;
        let is_announced = seq > coverage.covered_to && seq < coverage.pending_from;
        announced += u64::from(is_announced);
        if u8::from(is_covered) + u8::from(is_verbatim) + u8::from(is_announced) != 1 {
            found.push(format!("message {seq} is not in exactly one part"));
        }
    }
    if announced != coverage.pending_omitted {
        found.push(format!(
            "{announced} messages are missing and {} were announced",
            coverage.pending_omitted
        ));
    }
    if trace.answers.iter().any(|seq| *seq < coverage.pending_from || *seq > coverage.last_seq) {
        found.push("a message that waited was not shown word for word".to_owned());
    }
    if coverage.window_from > coverage.last_seq {
        found.push("the newest message was not in the window".to_owned());
    }
    if coverage.covered_to > thread.snapshot.folded_through || coverage.last_seq > thread.head.last_seq {
        found.push("it is ahead of the table".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryover_shared::contact::ContactId;
    use carryover_shared::time::Timestamp;
    use carryover_shared::trace::Coverage;

    fn trace(covered_to: u64, pending_from: u64, window_from: u64, pending_omitted: u64) -> Trace {
        Trace {
            at: Timestamp::from_millis(0),
            agent: "default".into(),
            version: 1,
            answers: vec![Seq(20)],
            coverage: Coverage {
                first_seq: Seq(1),
                last_seq: Seq(20),
                covered_to: Seq(covered_to),
                pending_from: Seq(pending_from),
                window_from: Seq(window_from),
                pending_omitted,
            },
            sections: vec![],
            revision: None,
            facts: 0,
            cases: 0,
            recall: "nothing".into(),
            context: Default::default(),
            degraded: vec![],
        }
    }

    fn found(traces: &[Trace], log: std::ops::RangeInclusive<u64>) -> Vec<String> {
        let contact: ContactId = "01JDXWB6Z80000000000000000".parse().unwrap();
        let head = Head { last_seq: Seq(21), ..Head::new(contact) };
        let snapshot = Snapshot { folded_through: Seq(8), ..Snapshot::empty() };
        let log: Vec<Seq> = log.map(Seq).collect();
        violations(Thread { head: &head, log: &log, snapshot: &snapshot, traces: traces.iter().collect() })
    }

    #[test]
    fn a_whole_thread_has_no_violation() {
        assert_eq!(found(&[trace(0, 1, 9, 0), trace(8, 9, 9, 0), trace(8, 11, 12, 2)], 1..=21), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (trace, log, said) in [
            (trace(8, 9, 9, 0), 1..=20, "not dense"),
            (trace(8, 8, 9, 0), 1..=21, "message 8 is not in exactly one part"),
            (trace(8, 11, 12, 1), 1..=21, "2 messages are missing and 1 were announced"),
            (trace(8, 21, 21, 12), 1..=21, "was not shown word for word"),
            (trace(9, 10, 10, 0), 1..=21, "ahead of the table"),
        ] {
            let found = found(&[trace], log);
            assert!(found.iter().any(|what| what.contains(said)), "{said}: {found:?}");
        }
        let back = found(&[trace(8, 9, 9, 0), trace(7, 8, 8, 0)], 1..=21);
        assert!(back[0].contains("went back from 8"), "{back:?}");
    }
}
