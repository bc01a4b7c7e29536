//! Deciding: the agent's rules, then the model with checks in code, then the rules in the model's place.

use super::grounds;
use super::{COMMIT_TIME, Context, Remembered, Thread, Turn, voice};
use crate::case::Category;
use crate::checks::{Checked, Correction, Fault};
use crate::decision::{self, Decision, Escalation};
use crate::facts::{self, Fact};
use crate::prompt::{self, Prompt, Source, Sources};
use crate::rules::{self, Answered, Known};
use crate::store::TraceKey;
use crate::tally::{Count, Part, Tally};
use crate::thread::Message;
use crate::time::Timestamp;
use crate::trace::{Attempt, Coverage, DecidedBy, Degraded, FullContext, Outcome, Trace};
use crate::traits::{Asked, ModelError, Question, Role};
use std::time::Duration;
use ulid::Ulid;

/// Tokens of an answer: the longest reply, and the rest of the object.
const MAX_TOKENS: u32 = 1_500;
/// A trace that takes longer to write is given up: no customer waits for it (*optional-is-optional*).
const TRACE_TIME: Duration = Duration::from_secs(1);
/// A second question is worth asking only with this much time left.
const RETRY_TIME: Duration = Duration::from_secs(1);

/// A decision and how it came about.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) trace_id: Ulid,
    /// The trace, where it was not written while the model thought.
    pub(super) unwritten: Option<Trace>,
    by: DecidedBy,
    attempts: Vec<Attempt>,
    degraded: Vec<Degraded>,
}

impl Decided {
    fn by(by: DecidedBy, decision: Decision, trace_id: Ulid) -> Self {
        Self { decision, trace_id, unwritten: None, by, attempts: vec![], degraded: vec![] }
    }

    fn with_trace(mut self, ctx: &Context, thread: &Thread) -> Self {
        self.unwritten = Some(trace(ctx, thread, &build(ctx, thread, &[]), false));
        self
    }

    /// Calls of the reply model, for `calls_per_hour`.
    pub(super) fn calls(&self) -> u32 {
        self.attempts.iter().map(|attempt| attempt.calls).sum()
    }

    /// What it took and what it went without, whether it is committed or not.
    pub(super) fn tally(&self, thread: &Thread) -> Tally {
        let mut tally = Tally::default();
        for part in thread.degraded.iter().chain(&self.degraded).filter_map(Part::of) {
            tally.add(Count::Degraded(part), 1);
        }
        tally.add(Count::Calls(Role::Reply), self.calls().into());
        for attempt in &self.attempts {
            tally.add(Count::PromptTokens(Role::Reply), attempt.prompt_tokens);
            tally.add(Count::CompletionTokens(Role::Reply), attempt.completion_tokens);
        }
        let unanswered = self.attempts.iter().filter(|attempt| attempt.model.is_empty());
        tally.add_errors(Role::Reply, unanswered.filter_map(|attempt| attempt.fault.as_deref()));
        tally
    }

    /// What becomes of it, for the trace.
    pub(super) fn outcome(
        &self,
        message: Option<&Message>,
        case_id: Option<Ulid>,
        took: Duration,
    ) -> Outcome {
        let escalation = match &self.decision {
            Decision::Reply { .. } => None,
            Decision::Escalate(escalation) => Some(escalation),
        };
        Outcome {
            decision: if escalation.is_some() { "escalate" } else { "reply" }.into(),
            by: self.by,
            category: escalation.map(|escalation| escalation.category.code().into()),
            topic: escalation.and_then(|escalation| escalation.topic.clone()),
            seq: message.map(|message| message.seq),
            case_id,
            attempts: self.attempts.clone(),
            millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            degraded: self.degraded.clone(),
        }
    }
}

/// Decides a turn. It always decides: with nothing else left, a person answers.
pub(super) async fn decide(ctx: &Context, turn: Turn, thread: &Thread) -> Decided {
    let trace_id = ctx.clock.ulid();
    let without_model =
        guarded(ctx, thread).or_else(|| by_rule(ctx, thread)).or_else(|| off_its_channels(thread));
    if let Some((by, escalation)) = without_model {
        return Decided::by(by, Decision::Escalate(escalation), trace_id).with_trace(ctx, thread);
    }
    if thread.head.calls_in_hour(ctx.clock.now()) >= ctx.limits.calls_per_hour {
        let decision = honest_answer(ctx, thread);
        let mut decided = Decided::by(DecidedBy::Fallback, decision, trace_id).with_trace(ctx, thread);
        decided.degraded.push(Degraded::new("model", "calls_per_hour"));
        return decided;
    }
    by_model(ctx, turn, thread, trace_id).await
}

/// Too old, or tried too often: a person answers.
fn guarded(ctx: &Context, thread: &Thread) -> Option<(DecidedBy, Escalation)> {
    let limit = Duration::from_secs(ctx.limits.turn_hours * 3600);
    let waited = thread.unsettled().first().map_or(Duration::ZERO, |oldest| ctx.clock.now().since(oldest.at));
    let reason = match thread.head.turn_tries {
        _ if thread.unread => "More messages wait than the bot reads at once.".into(),
        _ if waited > limit => format!("The message waited longer than {} hours.", ctx.limits.turn_hours),
        tries if tries >= ctx.limits.turn_tries => {
            format!("{} turns on these messages broke off.", tries - 1)
        }
        _ => return None,
    };
    Some((DecidedBy::Guard, stop(Category::ModelUnavailable, &reason)))
}

/// The agent's escalation rules, on every message that waits.
fn by_rule(ctx: &Context, thread: &Thread) -> Option<(DecidedBy, Escalation)> {
    let texts = texts(ctx, thread);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = rules::escalation(&thread.agent.topics, &texts)?;
    let reason = format!("The customer raised a topic for people: {}.", found.topic);
    let escalation = Escalation { category: found.category, reason, topic: Some(found.topic.to_owned()) };
    Some((DecidedBy::Rule, escalation))
}

/// A message on a channel that the agent does not answer on.
fn off_its_channels(thread: &Thread) -> Option<(DecidedBy, Escalation)> {
    let channel = thread.channel();
    if thread.agent.channels.contains(&channel) {
        return None;
    }
    let reason = format!("The agent {} does not answer on {}.", thread.agent.name, channel.name());
    Some((DecidedBy::Rule, stop(Category::PolicyRestriction, &reason)))
}

fn texts(ctx: &Context, thread: &Thread) -> Vec<String> {
    let shown = |message: &&Message| message.shown(ctx.limits.message_chars).into_owned();
    thread.unsettled().iter().map(shown).collect()
}

fn stop(category: Category, reason: &str) -> Escalation {
    Escalation { category, reason: reason.into(), topic: None }
}

/// Asks the model, once more if its answer cannot be used, and lets the rules answer where it has none.
async fn by_model(ctx: &Context, turn: Turn, thread: &Thread, trace_id: Ulid) -> Decided {
    let unanswered = stop(Category::ModelUnavailable, "The model was not asked.");
    let mut decided = Decided::by(DecidedBy::Model, Decision::Escalate(unanswered), trace_id);
    let mut refused: Option<Refused> = None;
    let mut passable: Option<Decision> = None;
    for round in 0..2 {
        let Some(budget) = budget(ctx, turn, round) else { break };
        let corrections = refused.as_ref().map(Refused::corrections).unwrap_or_default();
        let prompt = build(ctx, thread, &corrections);
        let started = ctx.clock.now();
        let (asked, ()) = futures::join!(ask(ctx, &prompt, budget), async {
            if round == 0 {
                put_trace(ctx, thread, trace_id, &prompt).await;
            }
        });
        let (attempt, read) = judge(ctx, thread, &prompt, asked, ctx.clock.now().since(started));
        decided.attempts.push(attempt);
        match read {
            Ok(decision) => {
                decided.decision = with_greeting(ctx, thread, decision);
                return decided;
            }
            Err(mut why) => {
                passable = why.take_passable().or(passable);
                refused = Some(why);
            }
        }
        if refused.as_ref().is_some_and(Refused::is_final) {
            break;
        }
    }
    if let Some(decision) = passable {
        decided.decision = with_greeting(ctx, thread, decision);
        return decided;
    }
    match refused {
        Some(Refused::Check { faults, .. }) => failed_twice(decided, &faults),
        Some(Refused::Model(error)) => in_its_place(ctx, thread, decided, &error),
        None => in_its_place(ctx, thread, decided, &ModelError::Timeout),
    }
}

/// A reply that fails a check twice is a person's; the rules do not answer in its place.
fn failed_twice(mut decided: Decided, faults: &[Fault]) -> Decided {
    if let Some(fault) = faults.first() {
        decided.decision = Decision::Escalate(stop(fault.category(), &fault.reason()));
    }
    decided
}

/// Why an answer cannot be used.
#[derive(Debug)]
enum Refused {
    /// Checks in code failed; the reply itself, where it is still better than none.
    Check { faults: Vec<Fault>, passable: Option<Decision> },
    /// There is none.
    Model(ModelError),
}

impl Refused {
    fn code(&self) -> String {
        match self {
            Self::Check { faults, .. } => faults.iter().map(Fault::code).collect::<Vec<_>>().join(", "),
            Self::Model(error) => error.code().into(),
        }
    }

    fn corrections(&self) -> Vec<Correction> {
        match self {
            Self::Check { faults, .. } => faults.iter().map(Fault::correction).collect(),
            Self::Model(_) => vec![Correction {
                what: "Answer with one short JSON object of the given schema and nothing else.".into(),
                words: vec![],
            }],
        }
    }

    /// The reply, where it is still better than none.
    fn take_passable(&mut self) -> Option<Decision> {
        match self {
            Self::Check { passable, .. } => passable.take(),
            Self::Model(_) => None,
        }
    }

    /// Whether asking again would not help.
    fn is_final(&self) -> bool {
        !matches!(self, Self::Check { .. } | Self::Model(ModelError::Unreadable | ModelError::CutOff))
    }
}

/// What a question may take; `None` where there is no time left for one.
fn budget(ctx: &Context, turn: Turn, round: usize) -> Option<Duration> {
    let left = turn.deadline.since(ctx.clock.now()).saturating_sub(COMMIT_TIME);
    let least = if round == 0 { Duration::ZERO } else { RETRY_TIME };
    (left > least).then_some(left)
}

async fn ask(ctx: &Context, prompt: &Prompt, budget: Duration) -> Asked {
    let question = Question {
        role: Role::Reply,
        system: prompt.system.clone(),
        user: prompt.user.clone(),
        schema_name: decision::SCHEMA_NAME,
        schema: decision::schema(),
        max_tokens: MAX_TOKENS,
    };
    ctx.model.ask(&question, budget).await
}

fn judge(
    ctx: &Context,
    thread: &Thread,
    prompt: &Prompt,
    asked: Asked,
    took: Duration,
) -> (Attempt, Result<Decision, Refused>) {
    let (model, prompt_tokens, completion_tokens) = match &asked.answer {
        Ok(answer) => (answer.model.clone(), answer.prompt_tokens, answer.completion_tokens),
        Err(_) => (String::new(), 0, 0),
    };
    let read = match asked.answer {
        Ok(answer) => decision::read(&answer.object, &ctx.limits)
            .map_err(|fault| Refused::Check { faults: vec![fault], passable: None })
            .and_then(|decision| ground(ctx, thread, decision)),
        Err(error) => Err(Refused::Model(error)),
    };
    let attempt = Attempt {
        model,
        prompt_chars: prompt.sections.iter().map(|section| section.chars).sum(),
        prompt_tokens,
        completion_tokens,
        calls: asked.calls,
        millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        fault: read.as_ref().err().map(Refused::code),
    };
    (attempt, read)
}

/// Holds a reply against what is known; what it promises and may open goes with it.
fn ground(ctx: &Context, thread: &Thread, decision: Decision) -> Result<Decision, Refused> {
    let Decision::Reply { text, .. } = decision else { return Ok(decision) };
    let Checked { mut faults, opens } = grounds::check(ctx, thread, &text);
    let no_room = found(&thread.facts).is_none_or(|facts| facts.len() >= ctx.limits.facts_items);
    if let (Some(promise), true) = (&opens, no_room) {
        faults.push(Fault::FalsePromise(promise.clone()));
    }
    let reply = Decision::Reply { text, opens };
    match faults.is_empty() {
        true => Ok(reply),
        false => {
            let passable = faults.iter().all(Fault::is_soft).then_some(reply);
            Err(Refused::Check { faults, passable })
        }
    }
}

/// No answer of the model: the rules answer from the facts, or a person does. Where no model is configured the
/// rules say honestly what they can answer.
fn in_its_place(ctx: &Context, thread: &Thread, mut decided: Decided, error: &ModelError) -> Decided {
    decided.by = DecidedBy::Fallback;
    decided.degraded.push(Degraded::new("model", error.code()));
    decided.decision = match from_facts(ctx, thread) {
        _ if *error == ModelError::NotConfigured => honest_answer(ctx, thread),
        Some(Answered::Whole(reply)) => Decision::reply(voice::greeted(thread, &reply.text)),
        _ => Decision::Escalate(stop(
            Category::ModelUnavailable,
            "No answer of the model, and none from the facts.",
        )),
    };
    decided
}

/// What the rules can say, and otherwise what they could.
fn honest_answer(ctx: &Context, thread: &Thread) -> Decision {
    let Source::Found(facts) = &thread.facts else {
        return Decision::Escalate(stop(
            Category::MissingKnowledge,
            "The account's records could not be read.",
        ));
    };
    let text = match from_facts(ctx, thread) {
        Some(Answered::Whole(reply) | Answered::Partly(reply)) => reply.text,
        _ => {
            let language = voice::language_or_english(thread);
            rules::can_answer(language, known(ctx, thread, facts), &thread.agent.topics)
        }
    };
    Decision::reply(voice::greeted(thread, &text))
}

/// What the rules answer from the facts; `None` where those could not be read, or in a language without templates.
fn from_facts(ctx: &Context, thread: &Thread) -> Option<Answered> {
    let Source::Found(facts) = &thread.facts else { return None };
    let language = voice::language(thread)?;
    let texts = texts(ctx, thread);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(rules::answer(&texts, language, known(ctx, thread, facts)))
}

fn known<'a>(ctx: &Context, thread: &'a Thread, facts: &'a [Fact]) -> Known<'a> {
    let business = found(&thread.business).map_or(&[][..], Vec::as_slice);
    Known { facts, business, now: ctx.clock.now() }
}

fn with_greeting(ctx: &Context, thread: &Thread, decision: Decision) -> Decision {
    match decision {
        Decision::Reply { text, opens } => {
            Decision::Reply { text: voice::with_greeting(thread, &text, ctx.limits.reply_chars), opens }
        }
        escalation @ Decision::Escalate(_) => escalation,
    }
}

fn build(ctx: &Context, thread: &Thread, corrections: &[Correction]) -> Prompt {
    let now = ctx.clock.now();
    let facts = match rendered_facts(ctx, thread, now) {
        Some(facts) => Source::Found(facts),
        None => Source::Failed,
    };
    let business = match rendered_business(ctx, thread, now) {
        Some(facts) => Source::Found(facts),
        None => Source::Failed,
    };
    let sources = Sources {
        agent: &thread.agent,
        business,
        facts,
        wrote: &wrote(ctx, thread),
        records: found(&thread.facts).map_or(&[], Vec::as_slice),
        acquaintance: &voice::acquaintance(thread),
        memories: &thread.remembered.recall,
        similar: &thread.remembered.similar,
        snapshot: thread.snapshot.as_ref(),
        flagged: &thread.flagged,
        newest_first: &thread.newest_first,
        head: &thread.head,
        now,
        corrections,
    };
    prompt::build(&sources, &ctx.limits)
}

/// The account's records and our own cases as a prompt shows them; `None` where they could not be read.
pub(super) fn rendered_facts(ctx: &Context, thread: &Thread, now: Timestamp) -> Option<String> {
    let facts = found(&thread.facts)?;
    let cases = open_cases(thread);
    let cases: Vec<&str> = cases.iter().map(String::as_str).collect();
    Some(facts::render(facts, &cases, now, &ctx.limits).text)
}

/// What the customer wrote into their requests, as a prompt shows it.
pub(super) fn wrote(ctx: &Context, thread: &Thread) -> String {
    found(&thread.facts).map_or_else(String::new, |facts| facts::render_wrote(facts, &ctx.limits))
}

/// What the business says of itself, as a prompt shows it; `None` where it could not be read.
pub(super) fn rendered_business(ctx: &Context, thread: &Thread, now: Timestamp) -> Option<String> {
    found(&thread.business).map(|facts| facts::render_business(facts, now, &ctx.limits).text)
}

/// The contact's own cases that are not resolved, as facts; *failed* is never shown as *empty*.
fn open_cases(thread: &Thread) -> Vec<String> {
    let Source::Found(cases) = &thread.cases else {
        return vec!["case (ours): failed, our own cases could not be read; there may be some".into()];
    };
    cases
        .iter()
        .filter(|case| case.is_unresolved())
        .map(|case| {
            let (category, opened) = (case.category.code(), case.opened_at.to_minute());
            format!(
                "case (ours): a person of ours works on it, not resolved; why: {category}; opened {opened}"
            )
        })
        .collect()
}

/// Writes what the decision is made from; without it the turn goes on.
async fn put_trace(ctx: &Context, thread: &Thread, id: Ulid, prompt: &Prompt) {
    let contact = thread.head.contact_id;
    let key = TraceKey { contact, seq: thread.head.last_customer_seq, id };
    let trace = trace(ctx, thread, prompt, true);
    match tokio::time::timeout(TRACE_TIME, ctx.store.put_trace(key, &trace, ctx.clock.now())).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%contact, %error, "a trace was not written"),
        Err(_) => tracing::warn!(%contact, "writing a trace took too long"),
    }
}

fn trace(ctx: &Context, thread: &Thread, prompt: &Prompt, asked: bool) -> Trace {
    let Remembered { recall, similar } = &thread.remembered;
    Trace {
        at: ctx.clock.now(),
        agent: thread.agent.name.clone(),
        version: thread.agent.version,
        answers: thread.unsettled().iter().map(|message| message.seq).collect(),
        coverage: Coverage::of(prompt.split, thread.head.first_seq),
        sections: if asked { prompt.sections.clone() } else { vec![] },
        revision: thread.snapshot.as_ref().map(|snapshot| snapshot.revision),
        facts: found(&thread.facts).map_or(0, Vec::len),
        cases: found(&thread.cases).map_or(0, Vec::len),
        recall: recall.word(),
        degraded: thread.degraded.clone(),
        context: FullContext::of(prompt, recall.memories(), similar.cases()),
    }
}

pub(super) fn found<T>(source: &Source<T>) -> Option<&T> {
    match source {
        Source::Found(found) => Some(found),
        Source::Failed => None,
    }
}
