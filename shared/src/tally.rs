//! Tallies: how often something happened, hour by hour. There is no room in them for text or an id (*quiet-logs*).

use crate::trace::Degraded;
use crate::traits::{ModelError, Role};
use std::collections::BTreeMap;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// Turns that ended in a reply.
    Replied,
    /// Turns that ended in a case.
    Escalated,
    /// Messages to which the bot said nothing: a person answers, or their customer wants to hear nothing.
    Silent,
    /// Turns that went without a part.
    Degraded(Part),
    /// Requests to a model, repetitions included.
    Calls(Role),
    /// Questions to which a model gave no usable answer, by [`ModelError::code`].
    ModelErrors(Role, &'static str),
    /// Tokens of prompts, as far as the API told them.
    PromptTokens(Role),
    /// Tokens of answers, as far as the API told them.
    CompletionTokens(Role),
    /// Jobs of folds that saved what the model said.
    FoldsSaved,
    /// Jobs of folds that saved what the fallback moved.
    FoldsByFallback,
    /// Jobs of folds that came to nothing.
    FoldsFailed,
    /// Messages that had aged out and were not summarised yet, summed over the jobs that found them.
    Behind,
    /// Jobs that found at most so many of them, and more than the bound before; one of [`BEHIND`].
    BehindAtMost(u64),
    /// Retentions that were given up.
    RetentionsFailed,
    /// Messages that a channel did not take.
    DeliveriesFailed,
    /// Messages of which nobody knows whether they arrived.
    DeliveriesUnknown,
    /// Teams that were not told of a case.
    NotificationsFailed,
    /// Cases that nobody took in time.
    CasesNotTaken,
}

/// A part of a turn that may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The model gave no usable answer.
    Model,
    /// The contact had used up the hour's calls of the model.
    ModelLimit,
    /// No model is configured.
    NoModel,
    /// Long-term memory.
    Recall,
    /// Past cases.
    SimilarCases,
    /// Snapshot and history.
    Snapshot,
    /// The account's records.
    Facts,
    /// The contact's own cases.
    Cases,
    /// What the business says of itself.
    Business,
    /// The agent that should have answered.
    Agent,
    /// Replies that are flagged as wrong.
    Flags,
}

/// Up to how many messages a fold may be behind, roughly; there is no way to count a largest number.
pub const BEHIND: [u64; 8] = [0, 5, 10, 20, 50, 200, 1_000, u64::MAX];

impl Part {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Model,
        Self::ModelLimit,
        Self::NoModel,
        Self::Recall,
        Self::SimilarCases,
        Self::Snapshot,
        Self::Facts,
        Self::Cases,
        Self::Business,
        Self::Agent,
        Self::Flags,
    ];

    /// The name, as the table and clients have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::ModelLimit => "model_limit",
            Self::NoModel => "no_model",
            Self::Recall => "recall",
            Self::SimilarCases => "similar_cases",
            Self::Snapshot => "snapshot",
            Self::Facts => "facts",
            Self::Cases => "cases",
            Self::Business => "business",
            Self::Agent => "agent",
            Self::Flags => "flags",
        }
    }

    /// The part that a trace names.
    pub fn of(degraded: &Degraded) -> Option<Self> {
        match (degraded.part.as_str(), degraded.why.as_str()) {
            ("model", "calls_per_hour") => Some(Self::ModelLimit),
            ("model", why) if why == ModelError::NotConfigured.code() => Some(Self::NoModel),
            (part, _) => Self::ALL.into_iter().find(|known| known.as_str() == part),
        }
    }
}

impl Count {
    /// Everything that is counted.
    pub fn all() -> impl Iterator<Item = Self> {
        let plain = [
            Self::Replied,
            Self::Escalated,
            Self::Silent,
            Self::FoldsSaved,
            Self::FoldsByFallback,
            Self::FoldsFailed,
            Self::Behind,
            Self::RetentionsFailed,
            Self::DeliveriesFailed,
            Self::DeliveriesUnknown,
            Self::NotificationsFailed,
            Self::CasesNotTaken,
        ];
        let of_models = |role| {
            let errors = ModelError::CODES.map(|code| Self::ModelErrors(role, code));
            let others = [Self::Calls(role), Self::PromptTokens(role), Self::CompletionTokens(role)];
            others.into_iter().chain(errors)
        };
        plain
            .into_iter()
            .chain(Part::ALL.map(Self::Degraded))
            .chain(BEHIND.map(Self::BehindAtMost))
            .chain(Role::ALL.into_iter().flat_map(of_models))
    }

    /// The name, as the table has it; no two have the same.
    pub fn name(self) -> String {
        match self {
            Self::Replied => "replied".into(),
            Self::Escalated => "escalated".into(),
            Self::Silent => "silent".into(),
            Self::Degraded(part) => format!("degraded_{}", part.as_str()),
            Self::Calls(role) => format!("{}_calls", role.as_str()),
            Self::ModelErrors(role, code) => format!("{}_error_{code}", role.as_str()),
            Self::PromptTokens(role) => format!("{}_prompt_tokens", role.as_str()),
            Self::CompletionTokens(role) => format!("{}_completion_tokens", role.as_str()),
            Self::FoldsSaved => "folds_saved".into(),
            Self::FoldsByFallback => "folds_by_fallback".into(),
            Self::FoldsFailed => "folds_failed".into(),
            Self::Behind => "behind".into(),
            Self::BehindAtMost(u64::MAX) => "behind_by_more".into(),
            Self::BehindAtMost(bound) => format!("behind_at_most_{bound}"),
            Self::RetentionsFailed => "retentions_failed".into(),
            Self::DeliveriesFailed => "deliveries_failed".into(),
            Self::DeliveriesUnknown => "deliveries_unknown".into(),
            Self::NotificationsFailed => "notifications_failed".into(),
            Self::CasesNotTaken => "cases_not_taken".into(),
        }
    }
}

/// How often what happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<Count, u64>);

impl Tally {
    /// One thing, once.
    pub fn one(count: Count) -> Self {
        let mut tally = Self::default();
        tally.add(count, 1);
        tally
    }

    /// Adds so many; none leaves no trace.
    pub fn add(&mut self, count: Count, number: u64) {
        if number > 0 {
            let sum = self.0.entry(count).or_default();
            *sum = sum.saturating_add(number);
        }
    }

    /// Adds one for each of these codes of models' errors; of others it knows nothing.
    pub fn add_errors<'a>(&mut self, role: Role, codes: impl IntoIterator<Item = &'a str>) {
        for code in codes {
            if let Some(code) = ModelError::CODES.into_iter().find(|known| *known == code) {
                self.add(Count::ModelErrors(role, code), 1);
            }
        }
    }

    /// Adds a job that found so many messages waiting to be summarised.
    pub fn add_behind(&mut self, messages: u64) {
        self.add(Count::Behind, messages);
        if let Some(bound) = BEHIND.into_iter().find(|bound| messages <= *bound) {
            self.add(Count::BehindAtMost(bound), 1);
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Self) {
        for (count, number) in other.iter() {
            self.add(count, number);
        }
    }

    /// How often this happened.
    pub fn of(&self, count: Count) -> u64 {
        self.0.get(&count).copied().unwrap_or(0)
    }

    /// Jobs of folds that had something to do.
    pub fn folds(&self) -> u64 {
        BEHIND.map(|bound| self.of(Count::BehindAtMost(bound))).iter().sum()
    }

    /// How many messages the job found that was furthest behind, at most; one of [`BEHIND`], `None` without a job.
    pub fn most_behind(&self) -> Option<u64> {
        BEHIND.into_iter().rev().find(|bound| self.of(Count::BehindAtMost(*bound)) > 0)
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What happened at least once, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (Count, u64)> + '_ {
        self.0.iter().map(|(count, number)| (*count, *number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_counted_has_a_name_of_its_own() {
        let names: Vec<String> = Count::all().map(Count::name).collect();
        let once: BTreeSet<&String> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "{names:?}");
        let is_plain =
            |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(names.iter().all(is_plain), "{names:?}");
    }

    #[test]
    fn a_part_is_told_from_the_words_of_a_trace() {
        for (part, why, is) in [
            ("recall", "timeout", Some(Part::Recall)),
            ("model", "timeout", Some(Part::Model)),
            ("model", "calls_per_hour", Some(Part::ModelLimit)),
            ("model", "not_configured", Some(Part::NoModel)),
            ("flags", "late", Some(Part::Flags)),
            ("Where is my order?", "late", None),
        ] {
            assert_eq!(Part::of(&Degraded::new(part, why)), is);
        }
    }

    #[test]
    fn a_fold_is_behind_by_about_as_much_as_it_found() {
        let mut tally = Tally::default();
        for messages in [0, 2, 5, 6, 5_000] {
            tally.add_behind(messages);
        }
        let of = |bound| tally.of(Count::BehindAtMost(bound));
        assert_eq!((tally.of(Count::Behind), of(0), of(5), of(10), of(u64::MAX)), (5_013, 1, 2, 1, 1));
        assert_eq!((tally.folds(), tally.most_behind()), (5, Some(u64::MAX)));
        assert_eq!((Tally::default().folds(), Tally::default().most_behind()), (0, None));
    }

    #[test]
    fn only_codes_of_models_are_counted_as_their_errors() {
        let mut tally = Tally::default();
        tally.add_errors(Role::Reply, ["timeout", "ungrounded", "not_configured", "timeout"]);
        assert_eq!(tally.iter().collect::<Vec<_>>(), [(Count::ModelErrors(Role::Reply, "timeout"), 2)]);
    }
}
