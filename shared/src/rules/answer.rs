//! Answers from the facts. They say what a record says and since when, and nothing else; how they say it is a
//! template of the customer's language.

use super::escalation::escalation;
use super::hours::{self, Week};
use super::language::Language;
use super::question::{Heard, HoursHeard, Subject, listen};
use super::templates::{SubjectTemplates, Templates, fill};
use super::words::plain;
use crate::agent::Topic;
use crate::facts::Fact;
use crate::facts::inline::say_value;
use crate::facts::read::{
    When, bare_name, field, is_closed, is_upcoming, one_line, phrase, say, say_start, starts, status, time_of,
};
use crate::text;
use crate::time::Timestamp;
use serde_json::Value;
use std::cmp::Reverse;

/// Records that one answer describes or lists.
const RECORDS: usize = 3;

/// Fields that say when a record's matter began.
const BEGUN: &[&str] =
    &["orderedat", "orderdate", "placedat", "bookedat", "openedat", "createdat", "created", "updatedat"];

/// Which of two records of the same time is the newer one.
fn begun(fact: &Fact) -> Option<Timestamp> {
    time_of(fact, BEGUN).map(When::earliest)
}

/// What became of the messages that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// All of it was understood.
    Whole(Reply),
    /// Some of it was; the text says that the rest was not.
    Partly(Reply),
    /// None of it was.
    NotUnderstood,
}

/// An answer of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What to say.
    pub text: String,
    /// Kind and id of the records that it says something of.
    pub facts: Vec<(String, String)>,
}

/// What the rules answer from.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The records of the contact. Facts that could not be read are not the same as none: do not ask then.
    pub facts: &'a [Fact],
    /// The records of the business; of them opening hours are said.
    pub business: &'a [Fact],
    /// Now.
    pub now: Timestamp,
}

/// Answers all customer messages that wait, oldest first, in the language of the conversation.
pub fn answer(messages: &[&str], language: Language, known: Known<'_>) -> Answered {
    let heard = listen(messages, language, known.facts, known.business);
    let templates = language.templates();
    if heard.only_polite {
        return Answered::Whole(Reply { text: polite(&heard, templates).to_owned(), facts: vec![] });
    }
    if !heard.asked {
        return Answered::NotUnderstood;
    }
    let mut draft =
        Draft { heard: &heard, known, templates, sentences: vec![], used: vec![], unsettled: false };
    draft.write();
    let Draft { mut sentences, used, unsettled, .. } = draft;
    if heard.unheard {
        sentences.push(templates.cannot_answer_the_rest.to_owned());
    }
    let reply = Reply { text: sentences.join(" "), facts: used };
    if heard.unheard || unsettled { Answered::Partly(reply) } else { Answered::Whole(reply) }
}

/// Says what the rules can answer for this contact, and how to get a person where the agent's topics know such
/// a request.
pub fn can_answer(language: Language, known: Known<'_>, topics: &[Topic]) -> String {
    let templates = language.templates();
    let counts: Vec<String> =
        Subject::ALL.iter().filter_map(|subject| counted(*subject, known, templates)).collect();
    let says_hours = known.business.iter().any(|fact| fact.kind == hours::KIND && Week::read(fact).is_some());
    let can = if says_hours { templates.can_answer_with_hours } else { templates.can_answer };
    let on_record = match counts.is_empty() {
        true => templates.nothing_on_record.to_owned(),
        false => fill(templates.on_record, &[("counts", &templates.all_of(&counts))]),
    };
    let mut sentences = vec![can.to_owned(), on_record];
    if escalation(topics, &[templates.person]).is_some() {
        sentences.push(templates.ask_for_a_person.to_owned());
    }
    sentences.join(" ")
}

/// `2 orders`; `None` where there are none.
fn counted(subject: Subject, known: Known<'_>, templates: &Templates) -> Option<String> {
    let words = subject.of(&templates.subjects);
    match known.facts.iter().filter(|fact| fact.kind == subject.kind()).count() {
        0 => None,
        1 => Some(format!("1 {}", words.one)),
        count => Some(format!("{count} {}", words.many)),
    }
}

fn polite(heard: &Heard<'_>, templates: &Templates) -> &'static str {
    if heard.is_thanks {
        templates.you_are_welcome
    } else if heard.greets {
        templates.how_can_i_help
    } else {
        templates.all_right
    }
}

struct Draft<'a> {
    heard: &'a Heard<'a>,
    known: Known<'a>,
    templates: &'static Templates,
    sentences: Vec<String>,
    used: Vec<(String, String)>,
    /// Whether a record and the customer say different things.
    unsettled: bool,
}

impl<'a> Draft<'a> {
    fn write(&mut self) {
        if !self.heard.unknown.is_empty() {
            let ids: Vec<String> = self.heard.unknown.iter().take(RECORDS).cloned().collect();
            let ids = self.templates.one_of(&ids);
            self.say(self.templates.no_record, &[("ids", &ids)]);
        }
        for subject in &self.heard.subjects {
            let named: Vec<&Fact> =
                self.heard.named.iter().copied().filter(|fact| fact.kind == subject.kind()).collect();
            match named.as_slice() {
                [] => self.choose(*subject),
                [fact] => self.describe(*subject, fact, self.heard.subjects.len() == 1),
                several => several.iter().take(RECORDS).for_each(|fact| self.describe(*subject, fact, false)),
            }
        }
        if let Some(heard) = &self.heard.hours {
            self.hours(heard);
        }
    }

    fn choose(&mut self, subject: Subject) {
        let mut records: Vec<&Fact> =
            self.known.facts.iter().filter(|fact| fact.kind == subject.kind()).collect();
        records.sort_by_cached_key(|fact| (Reverse((fact.as_of.clone(), begun(fact))), fact.id.clone()));
        match subject {
            Subject::Order => self.one_of(subject, &records, self.words(subject).which),
            Subject::Request => self.request(&records),
            Subject::Appointment => self.appointment(&records),
        }
    }

    fn words(&self, subject: Subject) -> &'static SubjectTemplates {
        subject.of(&self.templates.subjects)
    }

    fn one_of(&mut self, subject: Subject, records: &[&'a Fact], question: &str) {
        let words = self.words(subject);
        match records {
            [] if self.heard.unknown.is_empty() => self.say(words.none, &[]),
            [] => {}
            [record] if self.heard.unknown.is_empty() => {
                self.describe(subject, record, self.heard.subjects.len() == 1);
            }
            [record] => {
                let listed = self.listed(record);
                self.say(words.only, &[("listed", &listed)]);
            }
            several => {
                let template = if several.len() > RECORDS { words.newest } else { words.several };
                let listed = self.list(several);
                self.say(template, &[("count", &several.len().to_string()), ("listed", &listed)]);
                self.say(question, &[]);
            }
        }
    }

    fn request(&mut self, records: &[&'a Fact]) {
        let about = |fact: &&&Fact| mentions(fact, &self.heard.about);
        let meant: Vec<&Fact> = records.iter().filter(about).copied().collect();
        let open: Vec<&Fact> = records.iter().copied().filter(|fact| !is_closed(fact)).collect();
        let (subject, which) = (Subject::Request, self.words(Subject::Request).which);
        match (meant.as_slice(), open.as_slice()) {
            ([], _) if !records.is_empty() && !self.heard.about.is_empty() => {
                let listed = self.list(records);
                self.say(self.templates.requests_unmatched, &[("listed", &listed)]);
            }
            ([_, ..], _) => {
                meant.iter().take(2).for_each(|fact| self.describe(subject, fact, meant.len() == 1));
            }
            (_, []) => self.one_of(subject, records, self.templates.no_request_open),
            (_, open) => self.one_of(subject, open, which),
        }
    }

    fn appointment(&mut self, records: &[&'a Fact]) {
        let mut upcoming: Vec<&Fact> =
            records.iter().copied().filter(|fact| is_upcoming(fact, self.known.now)).collect();
        upcoming.sort_by_key(|fact| starts(fact).map_or(i64::MAX, |start| start.earliest().millis()));
        for fact in upcoming.iter().take(2) {
            self.describe(Subject::Appointment, fact, upcoming.len() == 1);
        }
        match (upcoming.len(), records) {
            (0, records) => {
                self.say(self.templates.no_upcoming, &[]);
                if let [newest, ..] = records {
                    let listed = self.listed(newest);
                    self.say(self.templates.other_appointment, &[("listed", &listed)]);
                }
            }
            (1 | 2, _) => {}
            (3, _) => self.say(self.templates.one_more_after, &[]),
            (count, _) => self.say(self.templates.more_after, &[("count", &(count - 2).to_string())]),
        }
    }

    /// The opening hours of the places that are named, or of all.
    fn hours(&mut self, heard: &HoursHeard) {
        let records = self.known.business.iter().filter(|fact| fact.kind == hours::KIND);
        let weeks: Vec<(&Fact, Week)> =
            records.filter_map(|fact| Week::read(fact).map(|week| (fact, week))).collect();
        let is_named = |fact: &Fact| hours::names_of(fact).iter().any(|name| heard.words.contains(name));
        let some_named = weeks.iter().any(|(fact, _)| is_named(fact));
        let meant: Vec<&(&Fact, Week)> =
            weeks.iter().filter(|(fact, _)| !some_named || is_named(fact)).take(RECORDS).collect();
        for (fact, week) in &meant {
            self.used.push((fact.kind.clone(), fact.id.clone()));
            let label = hours::title(fact).filter(|_| weeks.len() > 1).map(|title| format!("{title}:"));
            self.sentences.extend(label);
            self.sentences.extend(week.say(&heard.days, self.templates, self.known.now));
        }
    }

    /// What a record says, in one sentence, or in a few where `details` are wanted.
    fn describe(&mut self, subject: Subject, fact: &Fact, details: bool) {
        self.used.push((fact.kind.clone(), fact.id.clone()));
        let words = self.words(subject);
        let named = self.named(fact);
        let date = self.templates.say_day(fact.as_of.timestamp());
        let status = self.status(subject, fact).map(|status| self.templates.quote(&status));
        let holes = [("named", named.as_str()), ("date", &date)];
        match (subject, self.start(fact), status) {
            (Subject::Appointment, Some(start), status) => {
                let part = |template, name, word: Option<String>| {
                    word.map(|word| fill(template, &[(name, &word)])).unwrap_or_default()
                };
                let place = part(self.templates.at_place, "place", place(fact));
                let status = part(self.templates.with_status, "status", status);
                let about = [("start", start.as_str()), ("place", &place), ("status", &status)];
                self.say(self.templates.appointment_at, &[holes.as_slice(), &about].concat());
            }
            (Subject::Appointment, None, _) | (_, _, None) => self.say(words.without_status, &holes),
            (_, _, Some(status)) => {
                self.say(words.status, &[holes.as_slice(), &[("status", &status)]].concat());
            }
        }
        if subject == Subject::Order && details {
            self.order_details(fact);
        }
    }

    fn order_details(&mut self, fact: &Fact) {
        if self.heard.asks_what
            && let Some(items) = self.items(fact)
        {
            self.say(self.templates.contains, &[("items", &items)]);
        }
        let transit = self.transit(fact);
        if !transit.is_empty() {
            self.say(self.templates.record_also_says, &[("said", &transit.join(", "))]);
        }
        let is_delivered = status(fact).is_some_and(|status| is_delivered(&status));
        if self.heard.not_arrived && is_delivered {
            self.unsettled = true;
            self.say(self.templates.not_settled, &[]);
        } else if self.heard.asks_when && !is_delivered && !is_closed(fact) && date_of_arrival(fact).is_none()
        {
            self.say(self.templates.no_arrival, &[]);
        }
    }

    /// `R-17 ("Heating is cold")`
    fn named(&self, fact: &Fact) -> String {
        let id = one_line(&fact.id, 80);
        title(fact).map_or_else(|| id.clone(), |title| format!("{id} ({})", self.templates.quote(&title)))
    }

    fn list(&mut self, records: &[&Fact]) -> String {
        let listed: Vec<String> = records.iter().take(RECORDS).map(|fact| self.listed(fact)).collect();
        self.templates.all_of(&listed)
    }

    /// `#W1 (processed)`
    fn listed(&mut self, fact: &Fact) -> String {
        self.used.push((fact.kind.clone(), fact.id.clone()));
        let subject = Subject::of_kind(&fact.kind);
        let start = self.start(fact).filter(|_| subject == Some(Subject::Appointment));
        let status = subject.and_then(|subject| self.status(subject, fact));
        let said: Vec<String> = [title(fact), start, status].into_iter().flatten().collect();
        let id = one_line(&fact.id, 80);
        if said.is_empty() { id } else { format!("{id} ({})", said.join(", ")) }
    }

    fn start(&self, fact: &Fact) -> Option<String> {
        say_start(fact, |when| self.templates.say_when(when))
    }

    /// A usual word for where a record stands in this language, and any other one as the record has it.
    fn status(&self, subject: Subject, fact: &Fact) -> Option<String> {
        let status = status(fact)?;
        let bare = bare_name(&status);
        let known = self.templates.statuses.iter().find(|(name, ..)| *name == bare);
        Some(match known {
            Some((_, _, feminine)) if self.words(subject).is_feminine => (*feminine).to_owned(),
            Some((_, masculine, _)) => (*masculine).to_owned(),
            None => status,
        })
    }

    /// What an order says of its way: dates, carrier, tracking.
    fn transit(&self, fact: &Fact) -> Vec<String> {
        let Some(fields) = fact.data.as_object() else { return vec![] };
        let dates = [ARRIVAL, &["shippedat"]].into_iter().filter_map(|names| field(fields, names));
        let others = [&["carrier"], TRACKING].into_iter().filter_map(|names| field(fields, names));
        let mut said: Vec<String> =
            dates.map(|(name, value)| self.labelled(name, self.date(value))).collect();
        said.extend(others.map(|(name, value)| self.labelled(name, say_value(value, 120))));
        let shipments = field(fields, &["fulfillments", "fulfilments", "shipments"]);
        let shipments = shipments.and_then(|(_, shipments)| shipments.as_array()).into_iter().flatten();
        let of_shipment = |shipment: &Value| {
            let (_, id) = field(shipment.as_object()?, TRACKING)?;
            Some(self.labelled("tracking_number", say_value(id, 120)))
        };
        said.extend(shipments.filter_map(of_shipment).take(RECORDS));
        said
    }

    fn date(&self, value: &Value) -> String {
        When::read(value).map_or_else(|| say_value(value, 120), |when| self.templates.say_when(when))
    }

    /// What a field says, behind the field's name in this language or else its own.
    fn labelled(&self, name: &str, said: String) -> String {
        let bare = bare_name(name);
        let label = self.templates.labels.iter().find(|(field, _)| *field == bare);
        format!("{} {said}", label.map_or_else(|| spaced(name), |(_, label)| (*label).to_owned()))
    }

    fn items(&self, fact: &Fact) -> Option<String> {
        let (_, items) = field(fact.data.as_object()?, &["items", "lineitems", "products"])?;
        let names: Vec<String> = items.as_array()?.iter().filter_map(item_name).collect();
        let more = names.len().saturating_sub(5);
        let mut shown: Vec<String> = names.into_iter().take(5).collect();
        if more > 0 {
            shown.push(fill(self.templates.more_items, &[("count", &more.to_string())]));
        }
        (!shown.is_empty()).then(|| self.templates.all_of(&shown))
    }

    fn say(&mut self, template: &str, words: &[(&str, &str)]) {
        self.sentences.push(fill(template, words));
    }
}

fn title(fact: &Fact) -> Option<String> {
    let names: &[&str] = match fact.kind.as_str() {
        "order" => &[],
        "appointment" => &["title", "type", "service", "purpose", "subject"],
        _ => &["title", "subject", "summary", "type", "category"],
    };
    say(fact, names, 80)
}

fn place(fact: &Fact) -> Option<String> {
    let names = ["location", "where", "place", "venue", "room", "unit", "address"];
    let (_, value) = field(fact.data.as_object()?, &names)?;
    Some(say_value(value, 120))
}

const ARRIVAL: &[&str] =
    &["estimateddelivery", "expecteddelivery", "estimateddeliverydate", "deliverydate", "eta", "deliveredat"];
const TRACKING: &[&str] = &["trackingnumber", "trackingid", "tracking"];

fn date_of_arrival(fact: &Fact) -> Option<&str> {
    field(fact.data.as_object()?, ARRIVAL).map(|(name, _)| name)
}

pub(super) fn is_delivered(status: &str) -> bool {
    let plain = plain(status);
    ["delivered", "entregad", "zugestellt", "geliefert", "livre"].iter().any(|word| plain.contains(word))
}

fn item_name(item: &Value) -> Option<String> {
    match item {
        Value::Object(fields) => {
            field(fields, &["name", "title", "product", "productname"]).and_then(|(_, name)| phrase(name, 60))
        }
        _ => phrase(item, 60),
    }
}

/// `estimated delivery` of `estimated_delivery` and `estimatedDelivery`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for mark in one_line(name, 60).chars() {
        if mark.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(mark.to_lowercase().map(|mark| if mark.is_alphanumeric() { mark } else { ' ' }));
    }
    text::collapse_whitespace(&words)
}

/// Whether a record mentions any of the words, or one that begins like it.
fn mentions(fact: &Fact, words: &[String]) -> bool {
    if words.is_empty() {
        return false;
    }
    let said = plain(&fact.data.to_string());
    let begins_like = |a: &str, b: &str| a.chars().take(5).eq(b.chars().take(5));
    said.split(|mark: char| !mark.is_alphanumeric())
        .any(|said| words.iter().any(|word| begins_like(said, word)))
}
