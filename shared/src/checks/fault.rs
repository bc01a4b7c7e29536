//! What can be wrong with a reply, and what the model is told of it.

use super::Disagreement;
use crate::case::Category;
use crate::rules::Field;
use crate::text;

/// Values that one correction names, and characters of each.
const NAMED: usize = 10;
const NAMED_CHARS: usize = 80;

/// Why a model's answer cannot be used; the model is told on its one retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No known action.
    Action,
    /// A reply without text.
    Empty,
    /// A reply longer than the channel carries.
    TooLong {
        /// What it is.
        is: usize,
        /// What it may be.
        limit: usize,
    },
    /// Values that nothing in the evidence says.
    Ungrounded(Vec<String>),
    /// It says of a record what the record does not.
    Disagrees(Vec<Disagreement>),
    /// It promises what no open request or case backs.
    FalsePromise(String),
    /// It is in another language than the customer's message.
    Language {
        /// The customer's.
        wanted: &'static str,
    },
    /// It is what the bot said last.
    Copy,
    /// It asks the customer for what profile or facts say.
    AsksForKnown(Field),
}

/// What the model is told: a sentence of ours, and words of others that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The sentence.
    pub what: String,
    /// The words, data like everything that others wrote.
    pub words: Vec<String>,
}

impl Fault {
    /// A word for traces and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Empty => "empty",
            Self::TooLong { .. } => "too_long",
            Self::Ungrounded(_) => "ungrounded",
            Self::Disagrees(_) => "disagrees",
            Self::FalsePromise(_) => "false_promise",
            Self::Language { .. } => "language",
            Self::Copy => "copy",
            Self::AsksForKnown(_) => "asks_for_known",
        }
    }

    /// Whether a reply with it is still better than none: it is asked for once more, and then it may go out.
    pub fn is_soft(&self) -> bool {
        matches!(self, Self::AsksForKnown(_))
    }

    /// The category of the case that a second such reply opens.
    pub fn category(&self) -> Category {
        match self {
            Self::FalsePromise(_) => Category::FalsePromise,
            _ => Category::UngroundedReply,
        }
    }

    /// Why the bot stopped, for the person who takes over.
    pub fn reason(&self) -> String {
        let Correction { what, words } = self.correction();
        let words = if words.is_empty() { String::new() } else { format!(" {}", words.join("; ")) };
        format!("The model's reply failed a check twice: {what}{words}")
    }

    /// What the model is told.
    pub fn correction(&self) -> Correction {
        let (what, words) = match self {
            Self::Action => ("\"action\" must be \"reply\" or \"escalate\".".into(), vec![]),
            Self::Empty => ("\"reply\" is empty; write the reply, or escalate.".into(), vec![]),
            Self::TooLong { is, limit } => {
                (format!("\"reply\" has {is} characters; at most {limit} are allowed."), vec![])
            }
            Self::Ungrounded(values) => (
                "It named what nothing below says; leave it out, or escalate:".into(),
                values.iter().map(|value| named(value)).collect(),
            ),
            Self::Disagrees(disagreements) => (
                "It said of a record what the record does not say; follow the record:".into(),
                disagreements.iter().map(|disagreement| named(&disagreement.to_string())).collect(),
            ),
            Self::FalsePromise(promise) => (
                "It promised what no open request or case backs; do not promise it, or escalate:".into(),
                vec![named(promise)],
            ),
            Self::Language { wanted } => {
                (format!("It was not in the customer's language; write it in {wanted}."), vec![])
            }
            Self::Copy => (
                "It repeated the last reply; answer what the customer writes now, or escalate.".into(),
                vec![],
            ),
            Self::AsksForKnown(field) => {
                (format!("It asked the customer for the {field}, which the facts say; do not ask."), vec![])
            }
        };
        Correction { what, words: words.into_iter().take(NAMED).collect() }
    }
}

fn named(words: &str) -> String {
    text::collapse_whitespace(&text::shorten(words, NAMED_CHARS))
}
