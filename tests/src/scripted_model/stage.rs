//! What the server knows: its rules, its gates and what it was asked.

use super::prompt::Prompt;
use super::recorded::Recording;
use super::rule::{Rule, Then};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::Semaphore;

const RULES: usize = 10_000;
const REQUESTS: usize = 20_000;
const REQUEST_BYTES: usize = 256 * 1024 * 1024;

/// One request as the server saw it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Seen {
    /// Counts all requests of this server.
    pub number: u64,
    /// The model that was asked for.
    pub model: String,
    /// The name of the JSON schema; empty without one.
    pub schema: String,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The rule that answered; none for the default.
    pub rule: Option<String>,
    /// When it arrived, in milliseconds since the Unix epoch.
    pub started_millis: u64,
    /// When it ended, likewise; none while the model thinks.
    pub ended_millis: Option<u64>,
    /// Whether an answer was given; false while the model thinks and when the client went away.
    pub answered: bool,
}

/// A message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

impl Seen {
    /// The contents of all messages, joined by line breaks.
    pub fn text(&self) -> String {
        self.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The content of the newest message of this role; empty without one.
    pub fn content(&self, role: &str) -> &str {
        self.messages.iter().rev().find(|message| message.role == role).map_or("", |message| &message.content)
    }

    fn bytes(&self) -> usize {
        self.messages.iter().map(|message| message.content.len()).sum()
    }
}

pub(super) struct Stage {
    state: Mutex<State>,
    recording: Recording,
}

#[derive(Default)]
struct State {
    rules: VecDeque<(String, Rule)>,
    added: u64,
    gates: HashMap<String, Arc<Semaphore>>,
    log: VecDeque<Seen>,
    bytes: usize,
    asked: u64,
}

/// What the script says about one request.
pub(super) struct Cue {
    pub(super) number: u64,
    pub(super) delay_ms: u64,
    pub(super) gate: Option<Arc<Semaphore>>,
    pub(super) then: Then,
}

impl Stage {
    pub(super) fn new(recording: Recording) -> Self {
        Self { state: Mutex::default(), recording }
    }

    pub(super) fn add(&self, rule: Rule) -> String {
        let mut state = self.state();
        state.added += 1;
        let id = rule.id.clone().unwrap_or_else(|| format!("rule-{}", state.added));
        state.rules.retain(|(known, _)| *known != id);
        state.rules.push_back((id.clone(), rule));
        if state.rules.len() > RULES {
            state.rules.pop_front();
        }
        id
    }

    pub(super) fn remove(&self, id: &str) {
        self.state().rules.retain(|(known, _)| known != id);
    }

    /// A closed semaphore is an open gate: nobody waits at it any more.
    pub(super) fn release(&self, name: &str) {
        self.state().gate(name).close();
    }

    pub(super) fn requests(&self, words: &[String], schema: Option<&str>) -> Vec<Seen> {
        let matches = |seen: &&Seen| {
            schema.is_none_or(|name| seen.schema == name) && {
                let text = seen.text();
                words.iter().all(|word| text.contains(word))
            }
        };
        self.state().log.iter().filter(matches).cloned().collect()
    }

    /// Records a request and finds out what to do about it.
    pub(super) fn ask(&self, prompt: &Prompt) -> Cue {
        let mut state = self.state();
        let rule = state.take_rule(prompt);
        let number = state.record(prompt, rule.as_ref().map(|(id, _)| id.clone()));
        let rule = rule.map_or_else(|| self.without_rule(prompt), |(_, rule)| rule);
        let gate = rule.hold.as_deref().map(|name| state.gate(name));
        Cue { number, delay_ms: rule.delay_ms, gate, then: rule.then }
    }

    pub(super) fn end(&self, number: u64, answered: bool) {
        let mut state = self.state();
        if let Some(seen) = state.log.iter_mut().rev().find(|seen| seen.number == number) {
            seen.ended_millis = Some(millis());
            seen.answered = answered;
        }
    }

    fn without_rule(&self, prompt: &Prompt) -> Rule {
        Rule::when(&[]).then(self.recording.answer(prompt).map_or_else(Then::default, Then::reply))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn gate(&mut self, name: &str) -> Arc<Semaphore> {
        Arc::clone(self.gates.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(0))))
    }

    /// The newest rule that matches, one of its times used.
    fn take_rule(&mut self, prompt: &Prompt) -> Option<(String, Rule)> {
        let text = prompt.text();
        let index = self.rules.iter().rposition(|(_, rule)| {
            rule.times != Some(0)
                && rule.schema.as_ref().is_none_or(|name| *name == prompt.schema_name)
                && rule.contains.iter().all(|word| text.contains(word))
        })?;
        let (id, rule) = self.rules.get_mut(index)?;
        rule.times = rule.times.map(|times| times.saturating_sub(1));
        Some((id.clone(), rule.clone()))
    }

    fn record(&mut self, prompt: &Prompt, rule: Option<String>) -> u64 {
        self.asked += 1;
        let seen = Seen {
            number: self.asked,
            model: prompt.model.clone(),
            schema: prompt.schema_name.clone(),
            messages: prompt.messages.clone(),
            rule,
            started_millis: millis(),
            ended_millis: None,
            answered: false,
        };
        self.bytes += seen.bytes();
        self.log.push_back(seen);
        while self.log.len() > REQUESTS || self.bytes > REQUEST_BYTES {
            self.bytes -= self.log.pop_front().map_or(self.bytes, |oldest| oldest.bytes());
        }
        self.asked
    }
}

fn millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
