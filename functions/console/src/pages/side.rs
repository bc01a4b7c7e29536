//! What stands beside a conversation: the brief, the records, what is remembered, past cases, identities.

use super::layout;
use super::parts::{ago, first_words, written};
use crate::Console;
use crate::sign_in::Session;
use carryover_shared::case::{Case, Priority};
use carryover_shared::desk::{self, Brief, Conversation};
use carryover_shared::facts::{self, Fact};
use carryover_shared::hash;
use carryover_shared::memory::{Entry, Origin};
use carryover_shared::snapshot::Snapshot;
use carryover_shared::store::StoreError;
use carryover_shared::text;
use carryover_shared::time::Timestamp;
use maud::{Markup, html};
use serde_json::Value;

/// Memories shown.
const MEMORIES: usize = 20;
/// Characters shown of one value of a record.
const VALUE_CHARS: usize = 300;

/// What is read for it. Each part may fail alone: *failed* is never shown as *empty*.
pub(crate) struct Side {
    pub(crate) known: Known,
    memories: Result<Vec<Entry>, StoreError>,
    has_hindsight: bool,
}

/// What moves while a page is open: the brief of the case that waits, else of the newest one, and the records.
pub(crate) struct Known {
    brief: Result<Option<Brief>, StoreError>,
    facts: Result<Vec<Fact>, StoreError>,
}

impl Known {
    pub(crate) async fn read(console: &Console, conversation: &Conversation) -> Self {
        let (desk, contact) = (&console.desk, conversation.head.contact_id);
        let case_id = conversation.head.open_case.or(conversation.cases.first().map(|case| case.case_id));
        let brief = async {
            match case_id {
                Some(case_id) => desk::brief_beside(desk, conversation, case_id).await,
                None => Ok(None),
            }
        };
        let (brief, facts) = futures::join!(brief, desk.store.facts(contact, &desk.limits));
        Self { brief, facts }
    }

    fn brief(&self) -> Option<&Brief> {
        self.brief.as_ref().ok().and_then(Option::as_ref)
    }

    /// The case that the brief is of, and a word that is another one when brief or records show something else.
    pub(crate) fn mark(&self, conversation: &Conversation) -> String {
        let case = self.brief().map(|brief| &brief.case);
        let state = case.map(|case| (case.state_of_case, case.resolved_at, &case.team, case.joined));
        let facts = self.facts.as_ref().ok();
        let facts = facts
            .map(|facts| facts.iter().map(|fact| (&fact.kind, &fact.id, &fact.as_of)).collect::<Vec<_>>());
        let shown = format!("{state:?} {} {:?} {facts:?}", self.brief.is_ok(), conversation.snapshot);
        let case_id = case.map(|case| case.case_id.to_string()).unwrap_or_default();
        format!("{case_id}.{}", text::head(&hash::hex(&shown), MARK_CHARS))
    }
}

/// Characters of a mark that tell it from another one.
const MARK_CHARS: usize = 16;

/// Reads it.
pub(crate) async fn read(console: &Console, conversation: &Conversation) -> Side {
    let contact = conversation.head.contact_id;
    let (known, memories) = futures::join!(
        Known::read(console, conversation),
        desk::memories(&console.desk, contact, None, MEMORIES)
    );
    Side { known, memories, has_hindsight: console.has_hindsight }
}

pub(crate) fn show(conversation: &Conversation, side: &Side, session: &Session, now: Timestamp) -> Markup {
    html! {
        aside tabindex="0" aria-label="What is known" {
            (brief(conversation, &side.known, now, None))
            @if let Some(brief) = side.known.brief() { section { (labels(&brief.case, session)) } }
            (facts(&side.known.facts, now, false))
            (memories(conversation, side, session, now))
            (similar(side.known.brief()))
            section {
                h2 { "Identities" }
                ul { @for identity in &conversation.who.identities { li { (written(identity.as_str())) } } }
            }
        }
    }
}

/// Brief and records, in the place of what an open page shows of them. Forms stay as they are: somebody may be writing.
pub(crate) fn moved(conversation: &Conversation, known: &Known, shown: &str, now: Timestamp) -> Markup {
    let case_id = shown.split('.').next().unwrap_or_default();
    html! {
        (brief(conversation, known, now, Some(case_id)))
        (facts(&known.facts, now, true))
    }
}

/// The brief; in an answer to an open page it takes the place of what stands there, which is of the case `shown`.
fn brief(conversation: &Conversation, known: &Known, now: Timestamp, shown: Option<&str>) -> Markup {
    let brief = known.brief();
    let case_id = brief.map(|brief| brief.case.case_id.to_string()).unwrap_or_default();
    html! {
        section.brief #brief hx-swap-oob=[shown.map(|_| "true")] {
            h2 { "Brief" }
            @if known.brief.is_err() { p.failed { "The brief cannot be read just now." } }
            @if shown.is_some_and(|shown| shown != case_id) {
                p.banner { "There is another case. " a href=(format!("/console/threads/{}", conversation.head.contact_id)) { "Load the page again" } " to label or assign it." }
            }
            @if let Some(brief) = brief {
                p { strong { "Why it stopped: " } (brief.why) }
                @if let Some(team) = &brief.case.team { p { strong { "Team: " } (written(team)) } }
                @if !brief.case.reason.is_empty() { p.meta { (written(&brief.case.reason)) } }
                @if !brief.case.is_unresolved() {
                    p.meta { "Resolved " @if let Some(at) = brief.case.resolved_at { (ago(at, now)) } @if let Some(by) = &brief.case.moved_by { " by " (by) } }
                }
            } @else if conversation.head.joined_into.is_some() {
                p.meta { "No case: this conversation is closed." }
            } @else if known.brief.is_ok() {
                p.meta { "No case: the bot answers, or somebody took over by hand." }
            }
            (snapshot(conversation.snapshot.as_ref()))
            @if let Some(brief) = brief {
                @let faults: Vec<&String> = brief.tried.iter().filter_map(|tried| tried.fault.as_ref()).collect();
                @if !faults.is_empty() {
                    p { strong { "Tried: " } (faults.len()) " draft" @if faults.len() > 1 { "s" } " (" (faults.iter().map(|fault| fault.replace('_', " ")).collect::<Vec<_>>().join(", ")) ")" }
                }
                @if !brief.facts.is_empty() {
                    details { summary { "Facts it used" } pre.text { (written(&brief.facts)) } }
                }
                @if let Some(trace) = brief.trace {
                    p { a href=(format!("/console/threads/{}/traces/{}/{}", brief.case.contact_id, trace.seq, trace.id)) { "What the bot was given (trace)" } }
                }
            }
        }
    }
}

fn snapshot(snapshot: Option<&Snapshot>) -> Markup {
    html! {
        @match snapshot {
            None => { p.failed { "Where things stand cannot be read." } }
            Some(snapshot) if snapshot.is_blank() => { p.meta { "No summary yet: read the conversation." } }
            Some(snapshot) => {
                p { (written(&snapshot.summary_text)) }
                @if !snapshot.guest_intent.is_empty() { p { strong { "Wants: " } (written(&snapshot.guest_intent)) } }
                (points("Open", &snapshot.open_questions))
                (points("Said", &snapshot.established_facts))
                p.meta { "as of message " (snapshot.as_of) }
            }
        }
    }
}

fn points(title: &str, points: &[String]) -> Markup {
    html! {
        @if !points.is_empty() {
            p.points { strong { (title) ":" } }
            ul { @for point in points { li { (written(point)) } } }
        }
    }
}

fn labels(case: &Case, session: &Session) -> Markup {
    let base = format!("/console/threads/{}/cases/{}", case.contact_id, case.case_id);
    let tags: Vec<&str> = case.tags.iter().map(String::as_str).collect();
    html! {
        details {
            summary { @if case.is_unresolved() { "Case: priority, tags, assignment" } @else { "Case: tags, reopen, release" } }
            form.stacked method="post" action=(format!("{base}/label")) {
                (layout::csrf(session))
                input type="hidden" name="labelled" value=(case.labelled);
                label { "Priority"
                    select name="priority" {
                        @for priority in Priority::ALL {
                            option value=(priority.code()) selected[case.priority == priority] { (priority.code()) }
                        }
                    }
                }
                label { "Tags, with commas between" input name="tags" value=(tags.join(", ")) maxlength="420"; }
                button type="submit" { "Save" }
            }
            @if case.is_unresolved() {
                form.stacked method="post" action=(format!("{base}/assign")) {
                    (layout::csrf(session))
                    label { "Assign to (nobody if empty)"
                        input name="to" value=(case.assignee.as_ref().map_or("", |assignee| assignee.as_str())) maxlength="128";
                    }
                    button type="submit" { "Assign" }
                }
            } @else {
                form method="post" action=(format!("{base}/reopen")) {
                    (layout::csrf(session))
                    button type="submit" { "Reopen and take over" }
                }
                form.stacked method="post" action=(format!("{base}/release")) {
                    (layout::csrf(session))
                    p.meta { "Release it as a past case: in your words, without anything of this customer. Names and numbers become placeholders." }
                    label { "Problem" textarea name="problem" rows="2" required {} }
                    label { "Solution" textarea name="solution" rows="2" required {} }
                    button type="submit" { "Release as a past case" }
                }
            }
        }
    }
}

fn facts(facts: &Result<Vec<Fact>, StoreError>, now: Timestamp, in_place: bool) -> Markup {
    html! {
        section #facts hx-swap-oob=[in_place.then_some("true")] {
            h2 { "Facts" }
            @match facts {
                Err(_) => { p.failed { "The records cannot be read just now." } }
                Ok(facts) if facts.is_empty() => { p.meta { "The account has no records." } }
                Ok(facts) => {
                    @for fact in facts {
                        details.fact {
                            summary {
                                bdi { (fact.kind) " " (fact.id) }
                                @if let Some(status) = fact.data.get("status").and_then(Value::as_str) { " · " bdi { (status) } }
                                span.meta { " " (fact.source) " · " (ago(fact.as_of.timestamp(), now)) }
                            }
                            (values(&fact.data))
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn values(data: &Value) -> Markup {
    let said = |value: &Value| first_words(&plain_value(value), VALUE_CHARS);
    html! {
        @match data {
            Value::Object(fields) => {
                dl {
                    @for (name, value) in fields.iter().filter(|(name, _)| *name != facts::WROTE) {
                        dt { bdi { (name) } } dd { (written(&said(value))) }
                    }
                }
                // Theirs, and no record's.
                @if let Some(wrote) = fields.get(facts::WROTE) {
                    blockquote { p.meta { "The customer wrote:" } p.text { (written(&said(wrote))) } }
                }
            }
            other => { p { (written(&said(other))) } }
        }
    }
}

/// A value as people read it: names of its parts before them, one after the other.
fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(plain_value).collect::<Vec<_>>().join(", "),
        Value::Object(parts) => {
            let part = |(name, part): (&String, &Value)| format!("{name}: {}", plain_value(part));
            parts.iter().map(part).collect::<Vec<_>>().join("; ")
        }
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

fn memories(conversation: &Conversation, side: &Side, session: &Session, now: Timestamp) -> Markup {
    let action = format!("/console/threads/{}/memories/forget", conversation.head.contact_id);
    html! {
        section {
            h2 { "Memory" }
            @match &side.memories {
                Err(_) => { p.failed { "What is remembered cannot be read just now." } }
                Ok(memories) if memories.is_empty() && !side.has_hindsight => { p.meta { "Nothing is remembered yet." } }
                Ok(memories) => {
                    ul.memories {
                        @for Entry { exchange, .. } in memories {
                            li {
                                @if !exchange.said.is_empty() { div.text { (written(&exchange.said)) } }
                                @if !exchange.replied.is_empty() { div.text.meta { (written(&exchange.replied)) } }
                                div.source {
                                    span.meta { (source(exchange.origin)) " · " (ago(exchange.at, now)) }
                                    form method="post" action=(action) {
                                        (layout::csrf(session))
                                        input type="hidden" name="origin" value=(exchange.origin);
                                        button.quiet type="submit" { "Forget this" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if side.has_hindsight {
                p.meta { "Only what the summary had no room for is listed here: other memories are in Hindsight." }
            }
        }
    }
}

/// Where a memory comes from, for people.
fn source(origin: Origin) -> String {
    match origin {
        Origin::Reply(seq) => format!("message {seq}"),
        Origin::Case(_) => "a resolved case".into(),
        Origin::Feedback(seq) => format!("feedback on message {seq}"),
        Origin::Spill { .. } => "what the summary had no room for".into(),
    }
}

fn similar(brief: Option<&Brief>) -> Markup {
    let cases = brief.map(|brief| brief.similar.as_slice()).unwrap_or_default();
    html! {
        @if !cases.is_empty() {
            section {
                details {
                    summary { "Similar past cases (hints)" }
                    @for past in cases {
                        p.text { (written(&past.problem)) }
                        p.text.meta { "→ " (written(&past.solution)) }
                    }
                }
            }
        }
    }
}
