//! Every bound of the product in one place (*bounds*).
//!
//! Lengths count Unicode scalar values; cuts fall on grapheme boundaries. The defaults are those of the
//! design; a deployment overrides single fields with the environment variable `LIMITS`, a JSON object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The least that a deployment works with. Where a limit is not here, 0 turns off what it bounds.
const AT_LEAST: [(&str, u64); 28] = [
    ("window_messages", 1),
    ("window_chars", 200),
    ("unsettled_messages", 1),
    ("message_chars", 200),
    ("admit_chars", 200),
    ("reply_chars", 200),
    ("note_chars", 1),
    ("inbox_scan", 1),
    ("inbox_step", 1),
    ("batch_messages", 1),
    ("batch_chars", 200),
    ("batches_per_turn", 1),
    ("guest_intent", 20),
    ("summary_text", 100),
    ("history_chars", 200),
    ("entry_chars", 20),
    ("fold_attempts", 1),
    ("facts_items", 1),
    ("fact_bytes", 200),
    ("facts_chars", 200),
    ("reply_seconds", 1),
    ("burst_messages", 1),
    ("turn_hours", 1),
    ("calls_per_hour", 1),
    ("turn_tries", 1),
    ("write_seconds", 1),
    ("sweep_contacts", 1),
    ("page_messages", 1),
];

/// What is wrong with limits, and with which.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct LimitsError {
    field: String,
    problem: String,
}

fn wrong(field: impl Into<String>, problem: impl Into<String>) -> LimitsError {
    LimitsError { field: field.into(), problem: problem.into() }
}

/// The limits of one deployment. Windows and limits belong to the deployment, never to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Messages in the window; counted before [`window_chars`](Self::window_chars) trims it.
    pub window_messages: usize,
    /// Characters of the window; trimmed from the oldest end, the newest message always stays.
    pub window_chars: usize,
    /// Messages that wait for an answer and that one turn reads beyond window and pending, so that none is settled
    /// unread; when more wait, a person answers.
    pub unsettled_messages: usize,
    /// Messages shown as pending.
    pub pending_messages: usize,
    /// Characters of the rendered pending messages.
    pub pending_chars: usize,
    /// Characters that a prompt shows of one message.
    pub message_chars: usize,
    /// Characters that are taken from one message.
    pub admit_chars: usize,
    /// Characters of one reply.
    pub reply_chars: usize,
    /// Characters of one note.
    pub note_chars: usize,
    /// Entries of its lists that one look into the inbox reads through, at most, for a search or a count.
    pub inbox_scan: usize,
    /// Entries that a search reads at once, and among which an operator's own are counted.
    pub inbox_step: usize,
    /// Minutes that a customer may wait for a person before the case is overdue.
    pub case_minutes: u64,
    /// The same for an urgent case.
    pub urgent_minutes: u64,
    /// Attachments of one message.
    pub attachments: usize,
    /// Messages that one fold call takes.
    pub batch_messages: usize,
    /// Characters that one fold call takes; a longer message goes in parts within one fold.
    pub batch_chars: usize,
    /// Batches that one turn's job folds.
    pub batches_per_turn: usize,
    /// Characters of the snapshot's `guest_intent`.
    pub guest_intent: usize,
    /// Characters of the snapshot's `summary_text`.
    pub summary_text: usize,
    /// Characters of the history.
    pub history_chars: usize,
    /// Entries of the snapshot's `established_facts`.
    pub established_facts: usize,
    /// Entries of the snapshot's `open_questions`.
    pub open_questions: usize,
    /// Characters of one entry of either list.
    pub entry_chars: usize,
    /// Values that a fold may lose before a retry is worth it.
    pub lost_values: usize,
    /// Memory items that one save may write, at least one for what the bot said and one for what others said.
    pub spills: usize,
    /// Failed jobs on one checkpoint before its oldest message is spilled whole.
    pub fold_attempts: u32,
    /// Memories shown.
    pub memories: usize,
    /// Characters shown of one memory, around the match.
    pub memory_chars: usize,
    /// Items ranked per recall: so many spills and so many others.
    pub bank_items: usize,
    /// Characters of either side of an exchange that is retained: head and tail of a longer one.
    pub exchange_chars: usize,
    /// Messages before an operator's answer, or of a resolved case, that a retention reads.
    pub exchange_messages: usize,
    /// Seconds until a failed retention is tried again; twice as long after each further failure.
    pub retention_wait_seconds: u64,
    /// Seconds until a team that could not be told is tried again; twice as long after each further failure.
    pub notification_wait_seconds: u64,
    /// Tokens of a query to the memory bank, as [`memory::tokens`](crate::memory::tokens) counts them.
    pub query_tokens: usize,
    /// Similar past cases shown.
    pub similar_cases: usize,
    /// How much a past case must be like the question, in hundredths.
    pub similar_floor: u8,
    /// Characters shown of one past case.
    pub similar_chars: usize,
    /// Characters of a question in which past cases look for what they are like.
    pub similar_question_chars: usize,
    /// Past tickets in the index.
    pub tickets: usize,
    /// Characters of a ticket's body and of its answer.
    pub ticket_chars: usize,
    /// Bytes of an index that is kept in the table; a larger one needs a bucket.
    pub index_bytes: usize,
    /// Seconds until a running function looks for a newer index.
    pub index_seconds: u64,
    /// Facts kept for one contact.
    pub facts_items: usize,
    /// Bytes of one fact.
    pub fact_bytes: usize,
    /// Characters of facts shown.
    pub facts_chars: usize,
    /// Characters shown of what a customer wrote into their requests.
    pub wrote_chars: usize,
    /// Requests that a customer may have open at once, of those that they opened.
    pub open_requests: usize,
    /// Requests that are kept of those that a customer opened; a new one takes the place of the oldest closed one.
    pub own_requests: usize,
    /// Characters of a request's subject.
    pub subject_chars: usize,
    /// Characters of a request's text.
    pub request_chars: usize,
    /// Characters of what a customer says of a message beside their thumb.
    pub feedback_chars: usize,
    /// Changes of feedback that are taken from one contact in an hour.
    pub feedback_per_hour: usize,
    /// Messages among which the accounts are looked for that a customer wrote to.
    pub accounts_messages: usize,
    /// Facts kept for one agent's business; a turn reads them at most once a minute.
    pub business_items: usize,
    /// Bytes of one of them.
    pub business_bytes: usize,
    /// Characters of them shown.
    pub business_chars: usize,
    /// Characters of an agent's instructions.
    pub instructions_chars: usize,
    /// Characters of an agent's tone.
    pub tone_chars: usize,
    /// Escalation topics of an agent.
    pub topics: usize,
    /// Keywords of one topic.
    pub keywords: usize,
    /// Promises of an agent.
    pub promises: usize,
    /// Examples of one promise: so many that match and so many that do not.
    pub promise_examples: usize,
    /// Characters of one example.
    pub example_chars: usize,
    /// Characters of a topic's name, a keyword, or a promise's phrase or act.
    pub phrase_chars: usize,
    /// Bytes of one version of an agent; it is one item of the table.
    pub version_bytes: usize,
    /// Seconds that a turn may take from receipt, retries included.
    pub reply_seconds: u64,
    /// Milliseconds that a recall may take, and a search for similar cases.
    pub recall_millis: u64,
    /// Unsettled messages a turn must have read to commit although newer ones came.
    pub burst_messages: usize,
    /// Seconds the oldest unsettled message may wait before a turn commits although newer ones came.
    pub burst_wait_seconds: u64,
    /// Seconds a push channel's turn waits for the rest of a burst.
    pub burst_seconds: u64,
    /// Hours after which a waiting message gets a case instead of an answer.
    pub turn_hours: u64,
    /// Calls of the reply model for one contact in an hour; retries count, folds do not.
    pub calls_per_hour: u32,
    /// Turns on the same messages before one skips the model and opens a case.
    pub turn_tries: u32,
    /// Seconds a conditional write may be repeated for conflicts and throttling.
    pub write_seconds: u64,
    /// Messages after an old duplicate among which its reply is looked for.
    pub reply_search: usize,
    /// Replies flagged as wrong that each turn and fold of a thread knows of, the newest ones.
    pub flagged_replies: usize,
    /// Contacts that one sweep looks at.
    pub sweep_contacts: usize,
    /// Contacts that can be joined into one; each turn asks their banks, too.
    pub joined_contacts: usize,
    /// Messages of one page of the log for a client.
    pub page_messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            window_messages: 12,
            window_chars: 6_000,
            unsettled_messages: 200,
            pending_messages: 40,
            pending_chars: 6_000,
            message_chars: 24_000,
            admit_chars: 100_000,
            reply_chars: 4_000,
            note_chars: 4_000,
            inbox_scan: 500,
            inbox_step: 200,
            case_minutes: 60,
            urgent_minutes: 15,
            attachments: 20,
            batch_messages: 20,
            batch_chars: 12_000,
            batches_per_turn: 5,
            guest_intent: 240,
            summary_text: 700,
            history_chars: 2_000,
            established_facts: 12,
            open_questions: 6,
            entry_chars: 160,
            lost_values: 3,
            spills: 60,
            fold_attempts: 5,
            memories: 6,
            memory_chars: 300,
            bank_items: 500,
            exchange_chars: 4_000,
            exchange_messages: 50,
            retention_wait_seconds: 30,
            notification_wait_seconds: 5,
            query_tokens: 400,
            similar_cases: 3,
            similar_floor: 45,
            similar_chars: 600,
            similar_question_chars: 2_000,
            tickets: 200_000,
            ticket_chars: 10_000,
            index_bytes: 5_000_000,
            index_seconds: 60,
            facts_items: 100,
            fact_bytes: 32 * 1024,
            facts_chars: 6_000,
            wrote_chars: 2_000,
            open_requests: 10,
            own_requests: 30,
            subject_chars: 120,
            request_chars: 4_000,
            feedback_chars: 1_000,
            feedback_per_hour: 60,
            accounts_messages: 100,
            business_items: 500,
            business_bytes: 8 * 1024,
            business_chars: 3_000,
            instructions_chars: 20_000,
            tone_chars: 1_000,
            topics: 50,
            keywords: 200,
            promises: 100,
            promise_examples: 20,
            example_chars: 500,
            phrase_chars: 200,
            version_bytes: 300 * 1024,
            reply_seconds: 20,
            recall_millis: 800,
            burst_messages: 5,
            burst_wait_seconds: 30,
            burst_seconds: 2,
            turn_hours: 1,
            calls_per_hour: 200,
            turn_tries: 3,
            write_seconds: 10,
            reply_search: 50,
            flagged_replies: 20,
            sweep_contacts: 1_000,
            joined_contacts: 5,
            page_messages: 100,
        }
    }
}

impl Limits {
    /// Reads the limits that differ from their defaults, `{"window_messages": 20}`.
    ///
    /// # Errors
    /// It is no JSON object, or a field is unknown, no whole number, or too small.
    pub fn parse(given: &str) -> Result<Self, LimitsError> {
        let given: Map<String, Value> =
            serde_json::from_str(given).map_err(|_| wrong("it", "must be a JSON object"))?;
        let mut all = json!(Self::default());
        for (field, value) in given {
            let Some(slot) = all.get_mut(&field) else { return Err(wrong(field, "is unknown")) };
            *slot = value.clone();
            let alone = Value::Object(Map::from_iter([(field.clone(), value)]));
            serde_json::from_value::<Self>(alone)
                .map_err(|_| wrong(field, "must be a whole number, and no huge one"))?;
        }
        let limits: Self = serde_json::from_value(all).map_err(|error| wrong("it", error.to_string()))?;
        limits.check()?;
        Ok(limits)
    }

    /// Whether a deployment can work with them.
    ///
    /// # Errors
    /// One is too small.
    pub fn check(&self) -> Result<(), LimitsError> {
        let all = json!(self);
        for (field, least) in AT_LEAST {
            if all[field].as_u64().is_none_or(|is| is < least) {
                return Err(wrong(field, format!("must be at least {least}")));
            }
        }
        if self.admit_chars < self.message_chars {
            return Err(wrong(
                "admit_chars",
                format!("must be at least message_chars ({})", self.message_chars),
            ));
        }
        Ok(())
    }

    /// The limits of facts as they are for those of a business.
    #[must_use]
    pub fn of_business(&self) -> Self {
        Self {
            facts_items: self.business_items,
            fact_bytes: self.business_bytes,
            facts_chars: self.business_chars,
            ..self.clone()
        }
    }

    /// The budget of a turn from receipt.
    pub fn reply_budget(&self) -> Duration {
        Duration::from_secs(self.reply_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_stands_over_the_defaults() {
        let limits = Limits::parse(r#"{"window_messages": 1, "pending_messages": 0}"#).unwrap();
        assert_eq!(limits, Limits { window_messages: 1, pending_messages: 0, ..Limits::default() });
        assert_eq!(Limits::parse("{}").unwrap(), Limits::default());
    }

    #[test]
    fn a_limit_that_cannot_work_is_named_with_its_bound() {
        for (given, problem) in [
            ("[]", "it must be a JSON object"),
            (r#"{"widow_messages": 1}"#, "widow_messages is unknown"),
            (r#"{"window_messages": "1"}"#, "window_messages must be a whole number, and no huge one"),
            (r#"{"similar_floor": 999}"#, "similar_floor must be a whole number, and no huge one"),
            (r#"{"window_messages": 0}"#, "window_messages must be at least 1"),
            (r#"{"message_chars": 5}"#, "message_chars must be at least 200"),
            (r#"{"admit_chars": 1000}"#, "admit_chars must be at least message_chars (24000)"),
        ] {
            assert_eq!(Limits::parse(given).unwrap_err().to_string(), problem);
        }
    }

    #[test]
    fn the_least_is_of_limits_that_there_are() {
        let all = json!(Limits::default());
        assert!(AT_LEAST.iter().all(|(field, _)| all[field].is_u64()));
    }
}
