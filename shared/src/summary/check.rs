//! Judging an answer: nothing of it is stored that fails a check.

use super::answer::{self, Written};
use super::language::{with_language, without_language};
use super::piece::Given;
use super::spill::{kept_in, said_in};
use crate::limits::Limits;
use crate::snapshot::{Overshoot, Snapshot};
use crate::thread::{Message, Seq};
use crate::values::{Kind, Source, Value};
use serde_json::Map;
use std::collections::HashSet;
use std::time::Duration;

/// Values that one correction names.
const NAMED: usize = 40;

/// What is wrong with an answer; the model is told on its one retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It stopped at the token limit.
    CutOff,
    /// It was no JSON object.
    NoObject,
    /// A field is missing or of another type.
    Schema {
        /// Which.
        field: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// A field is longer than its limit.
    Overshoot(Overshoot),
    /// It says nothing although there is something to say.
    Blank,
    /// As a whole it is an apology, a request for the conversation or a placeholder.
    Echo,
    /// Values that nobody said.
    Invented(Vec<String>),
    /// Values that were said and are in it no more.
    Lost(Vec<String>),
}

impl Fault {
    /// A word for metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::CutOff => "cut_off",
            Self::NoObject => "unreadable",
            Self::Schema { .. } => "schema",
            Self::Overshoot(_) => "overshoot",
            Self::Blank => "blank",
            Self::Echo => "echo",
            Self::Invented(_) => "invented",
            Self::Lost(_) => "lost",
        }
    }

    /// What the model is told, and the customer's words that belong to it.
    pub(super) fn correction(&self) -> (String, &[String]) {
        match self {
            Self::CutOff => ("It was cut off. Answer in fewer words.".into(), &[]),
            Self::NoObject => ("It was no JSON object. Answer with the object alone.".into(), &[]),
            Self::Schema { field, wanted } => (format!("\"{field}\" must be {wanted}."), &[]),
            Self::Overshoot(Overshoot { field, is, limit }) => {
                (format!("{field} is {is}; at most {limit} is allowed, so {} less.", is - limit), &[])
            }
            Self::Blank => ("It said nothing. Summarise the messages below.".into(), &[]),
            Self::Echo => ("It was no summary. Everything to summarise stands below.".into(), &[]),
            Self::Invented(values) => ("It contained what nobody said; leave this out:".into(), values),
            Self::Lost(values) => {
                ("It lost what must be kept; keep this, in history or facts:".into(), values)
            }
        }
    }
}

/// An answer, composed into the next snapshot, and what is wrong with it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The next snapshot, its numbers still the old ones; to be stored only if it [`is_sound`](Self::is_sound).
    pub snapshot: Snapshot,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Values that it lost.
    pub lost: usize,
}

impl Judged {
    /// Whether it may be stored: what it lost can be spilled, nothing else can be mended.
    pub fn is_sound(&self) -> bool {
        self.faults.iter().all(|fault| matches!(fault, Fault::Lost(_)))
    }
}

/// Judges an answer against what the model was given (*bounded-summary*, *facts-survive*, *nothing-invented*).
pub fn judge(object: &Map<String, serde_json::Value>, given: &Given<'_>, limits: &Limits) -> Judged {
    let written = match answer::read(object) {
        Ok(written) => written,
        Err(faults) => return Judged { snapshot: given.old.clone(), faults, lost: 0 },
    };
    let echo = is_echo(&written);
    let snapshot = compose(written, given, limits);
    let overshoots = snapshot.overshoots(limits).into_iter().map(Fault::Overshoot);
    let mut faults: Vec<Fault> = overshoots.collect();
    if echo {
        faults.push(Fault::Echo);
    } else if is_blank(&snapshot, given) {
        faults.push(Fault::Blank);
    }
    let invented = invented(&snapshot, given);
    if !invented.is_empty() {
        faults.push(Fault::Invented(invented));
    }
    let lost = lost(&snapshot, given);
    let lost_count = lost.len();
    if lost_count > limits.lost_values {
        faults.push(Fault::Lost(lost.into_iter().take(NAMED).collect()));
    }
    Judged { snapshot, faults, lost: lost_count }
}

/// The next snapshot.
///
/// While a history catches up, the four fields come from the newest messages and not from the old batch: where
/// nothing is new they stay. Before anything aged out there is no history.
fn compose(written: Written, given: &Given<'_>, limits: &Limits) -> Snapshot {
    let old = given.old;
    let covers_nothing = given.batch.is_empty() && old.folded_through == Seq::NONE;
    let history = if covers_nothing {
        String::new()
    } else {
        with_language(&written.history, &old.history, &given.customers_words())
    };
    let fields_fit = Snapshot { history: String::new(), ..old.clone() }.overshoots(limits).is_empty();
    if given.fresh.is_empty() && fields_fit {
        return Snapshot { history, ..old.clone() };
    }
    Snapshot {
        guest_intent: written.guest_intent,
        established_facts: written.established_facts,
        open_questions: written.open_questions,
        summary_text: written.summary_text,
        history,
        ..old.clone()
    }
}

fn is_blank(new: &Snapshot, given: &Given<'_>) -> bool {
    let owes_history = !given.batch.is_empty() || !given.old.history.is_empty();
    new.is_blank() || (owes_history && new.history.is_empty())
}

fn invented(new: &Snapshot, given: &Given<'_>) -> Vec<String> {
    let messages = given.batch.iter().chain(given.fresh).map(|piece| piece.evidence.as_ref());
    let evidence = Source::new(given.old.texts().chain(messages));
    let moments = moments(given);
    let is_a_moment =
        |value: &Value<'_>| matches!(value.kind, Kind::Date | Kind::Time) && moments.occurs(value);
    distinct(said_in(new).flat_map(|text| evidence.invented(text)).filter(|value| !is_a_moment(value)))
}

/// A summary may say when something was written; and since `today` and `tomorrow` do not outlive a summary, it may
/// say the day instead: the day of a message, or the next.
fn moments(given: &Given<'_>) -> Source {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    let of = |message: &Message| [message.at.to_minute(), (message.at + DAY).to_minute()];
    let moments: Vec<String> =
        given.batch.iter().chain(given.fresh).flat_map(|piece| of(piece.message)).collect();
    Source::new(moments.iter().map(String::as_str))
}

fn lost(new: &Snapshot, given: &Given<'_>) -> Vec<String> {
    let kept = kept_in(new);
    let batch = given.batch.iter().map(|piece| piece.text.as_ref());
    distinct(batch.chain(said_in(given.old)).flat_map(|text| kept.lost(text)))
}

fn distinct<'t>(values: impl Iterator<Item = Value<'t>>) -> Vec<String> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(value.normal.clone())).map(|value| value.text.to_owned()).collect()
}

/// Beginnings of answers that are no summary.
const APOLOGIES: [&str; 10] = [
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "i apologize",
    "i apologise",
    "i cannot",
    "i can't",
    "i'm unable",
    "i am unable",
    "as an ai",
];

/// What such answers ask for or admit.
const REQUESTS: [&str; 14] = [
    "please provide",
    "please share",
    "please paste",
    "provide the conversation",
    "share the conversation",
    "no conversation",
    "no messages",
    "don't have access",
    "do not have access",
    "cannot summarize",
    "can't summarize",
    "unable to summarize",
    "nothing to summarize",
    "conversation to summarize",
];

/// Stand-ins for a text.
const PLACEHOLDERS: [&str; 13] = [
    "n/a",
    "na",
    "none",
    "null",
    "...",
    "…",
    "string",
    "summary",
    "history",
    "placeholder",
    "todo",
    "tbd",
    "lorem ipsum",
];

/// Whether the answer as a whole is no summary: each text that it has is an apology, a request for the
/// conversation or a placeholder. A customer who apologises, or has no messages, is in some of them only.
fn is_echo(written: &Written) -> bool {
    let history = without_language(&written.history);
    let texts = [written.guest_intent.as_str(), &written.summary_text, history];
    let entries = written.established_facts.iter().chain(&written.open_questions).map(String::as_str);
    let mut said = texts.into_iter().chain(entries).filter(|text| !text.is_empty()).peekable();
    said.peek().is_some() && said.all(is_no_summary)
}

fn is_no_summary(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let bare = lower.trim_matches(|mark: char| "<>[](){}\"'`.:- ".contains(mark));
    PLACEHOLDERS.contains(&bare)
        || bare.is_empty()
        || APOLOGIES.iter().any(|apology| lower.starts_with(apology))
        || REQUESTS.iter().any(|request| lower.contains(request))
}
