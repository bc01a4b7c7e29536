//! Answers from the facts, in English. They say what a record says and since when, and nothing else.

use super::escalation::escalation;
use super::question::{Heard, Subject, listen};
use super::words::plain;
use crate::agent::Topic;
use crate::facts::inline::say_value;
use crate::facts::read::{
    When, field, is_closed, is_upcoming, one_line, phrase, say, say_start, starts, status,
};
use crate::facts::{Fact, counted, day};
use crate::time::Timestamp;
use serde_json::Value;
use std::cmp::Reverse;

/// Records that one answer describes or lists.
const RECORDS: usize = 3;

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

/// Answers all customer messages that wait, oldest first, from the facts of the contact.
///
/// Facts that could not be read are not the same as none: do not ask then.
pub fn answer(messages: &[&str], facts: &[Fact], now: Timestamp) -> Answered {
    let heard = listen(messages, facts);
    if heard.only_polite {
        return Answered::Whole(Reply { text: polite(&heard).to_owned(), facts: vec![] });
    }
    if !heard.asked {
        return Answered::NotUnderstood;
    }
    let mut draft = Draft { heard: &heard, facts, now, sentences: vec![], used: vec![], unsettled: false };
    draft.write();
    let Draft { mut sentences, used, unsettled, .. } = draft;
    if heard.unheard {
        sentences.push("I cannot answer the rest of what you wrote.".to_owned());
    }
    let reply = Reply { text: sentences.join(" "), facts: used };
    if heard.unheard || unsettled { Answered::Partly(reply) } else { Answered::Whole(reply) }
}

/// Says what the rules can answer for this contact, and how to get a person where the agent's topics know such
/// a request.
pub fn can_answer(facts: &[Fact], topics: &[Topic]) -> String {
    let count = |subject: &Subject| facts.iter().filter(|fact| fact.kind == subject.kind()).count();
    let counts: Vec<String> = Subject::ALL
        .iter()
        .filter(|subject| count(subject) > 0)
        .map(|subject| format!("{} {}", count(subject), counted(subject.kind(), count(subject))))
        .collect();
    let on_record = match counts.is_empty() {
        true => "There are none on record for you at the moment.".to_owned(),
        false => format!("On record for you: {}.", and(&counts)),
    };
    let mut text = format!("I can tell you about your orders, requests and appointments. {on_record}");
    if escalation(topics, &["talk to a person"]).is_some() {
        text.push_str(" If you would rather talk to a person, just say so.");
    }
    text
}

fn polite(heard: &Heard<'_>) -> &'static str {
    if heard.is_thanks {
        "You're welcome."
    } else if heard.greets {
        "Hello. You can ask me about your orders, requests and appointments."
    } else {
        "All right."
    }
}

struct Draft<'a> {
    heard: &'a Heard<'a>,
    facts: &'a [Fact],
    now: Timestamp,
    sentences: Vec<String>,
    used: Vec<(String, String)>,
    /// Whether a record and the customer say different things.
    unsettled: bool,
}

impl<'a> Draft<'a> {
    fn write(&mut self) {
        if !self.heard.unknown.is_empty() {
            let ids: Vec<String> = self.heard.unknown.iter().take(RECORDS).cloned().collect();
            self.say(format!("I have no record of {} in this account.", or(&ids)));
        }
        for subject in &self.heard.subjects {
            let named: Vec<&Fact> =
                self.heard.named.iter().copied().filter(|fact| fact.kind == subject.kind()).collect();
            match named.as_slice() {
                [] => self.choose(*subject),
                [fact] => self.describe(fact, self.heard.subjects.len() == 1),
                several => several.iter().take(RECORDS).for_each(|fact| self.describe(fact, false)),
            }
        }
    }

    fn choose(&mut self, subject: Subject) {
        let mut records: Vec<&Fact> = self.facts.iter().filter(|fact| fact.kind == subject.kind()).collect();
        records.sort_by_key(|fact| (Reverse(&fact.as_of), &fact.id));
        match subject {
            Subject::Order => {
                self.one_of(subject, &records, &format!("Which {} do you mean?", subject.kind()));
            }
            Subject::Request => self.request(&records),
            Subject::Appointment => self.appointment(&records),
        }
    }

    fn one_of(&mut self, subject: Subject, records: &[&'a Fact], question: &str) {
        match records {
            [] => self.nothing(subject),
            [record] if self.heard.unknown.is_empty() => {
                self.describe(record, self.heard.subjects.len() == 1);
            }
            [record] => {
                let listed = self.listed(record);
                self.say(format!("The only {} on record is {listed}.", subject.kind()));
            }
            several => {
                let shown: Vec<String> = several.iter().take(RECORDS).map(|fact| self.listed(fact)).collect();
                let count = several.len();
                let newest = if count > RECORDS { "; the newest are" } else { ":" };
                let kinds = counted(subject.kind(), count);
                self.say(format!("There are {count} {kinds} on record{newest} {}.", and(&shown)));
                self.say(question.to_owned());
            }
        }
    }

    fn nothing(&mut self, subject: Subject) {
        if self.heard.unknown.is_empty() {
            self.say(format!("I have no {} on record in this account.", counted(subject.kind(), 2)));
        }
    }

    fn request(&mut self, records: &[&'a Fact]) {
        let about = |fact: &&&Fact| mentions(fact, &self.heard.about);
        let meant: Vec<&Fact> = records.iter().filter(about).copied().collect();
        let open: Vec<&Fact> = records.iter().copied().filter(|fact| !is_closed(fact)).collect();
        match (meant.as_slice(), open.as_slice()) {
            ([], _) if !records.is_empty() && !self.heard.about.is_empty() => {
                self.say("I see no request about that in this account.".to_owned());
                let listed: Vec<String> =
                    records.iter().take(RECORDS).map(|fact| self.listed(fact)).collect();
                self.say(format!("The newest on record: {}.", and(&listed)));
            }
            ([_, ..], _) => meant.iter().take(2).for_each(|fact| self.describe(fact, meant.len() == 1)),
            (_, []) => self.one_of(Subject::Request, records, "None of them is open."),
            (_, open) => self.one_of(Subject::Request, open, "Which request do you mean?"),
        }
    }

    fn appointment(&mut self, records: &[&'a Fact]) {
        let mut upcoming: Vec<&Fact> =
            records.iter().copied().filter(|fact| is_upcoming(fact, self.now)).collect();
        upcoming.sort_by_key(|fact| starts(fact).map_or(i64::MAX, |start| start.earliest().millis()));
        match upcoming.as_slice() {
            [] => {
                self.say("I have no upcoming appointment on record in this account.".to_owned());
                if let [newest, ..] = records {
                    let listed = self.listed(newest);
                    self.say(format!("The newest other one on record is {listed}."));
                }
            }
            upcoming => {
                for fact in upcoming.iter().take(2) {
                    self.describe(fact, upcoming.len() == 1);
                }
                if let Some(more) = upcoming.len().checked_sub(2).filter(|more| *more > 0) {
                    self.say(format!("There are {more} more after that."));
                }
            }
        }
    }

    /// What a record says, in one sentence, or in a few where `details` are wanted.
    fn describe(&mut self, fact: &Fact, details: bool) {
        self.used.push((fact.kind.clone(), fact.id.clone()));
        let kind = &fact.kind;
        let id = one_line(&fact.id, 80);
        let date = day(fact.as_of.timestamp());
        let named =
            title(fact).map_or_else(|| format!("{kind} {id}"), |title| format!("{kind} {id} (\"{title}\")"));
        let status = status(fact).map(|status| format!("\"{status}\""));
        let sentence = match (fact.kind.as_str(), say_start(fact), status) {
            ("appointment", Some(start), status) => {
                let place = place(fact).map(|place| format!(", place: {place}")).unwrap_or_default();
                let status = status.map(|status| format!("; its status is {status}")).unwrap_or_default();
                format!("The time on record for {named} is {start}{place}{status}, as of {date}.")
            }
            ("appointment", None, _) => format!("No time is on record for {named}, as of {date}."),
            (_, _, Some(status)) => format!("The status of {named} is {status}, as of {date}."),
            (_, _, None) => format!("There is {named} on record, as of {date}, without a status."),
        };
        self.say(sentence);
        if kind == "order" && details {
            self.order_details(fact);
        }
    }

    fn order_details(&mut self, fact: &Fact) {
        let transit = transit(fact);
        if self.heard.asks_what
            && let Some(items) = items(fact)
        {
            self.say(format!("It contains {items}."));
        }
        if !transit.is_empty() {
            self.say(format!("The record also says: {}.", transit.join(", ")));
        }
        let is_delivered = status(fact).is_some_and(|status| plain(&status).contains("delivered"));
        if self.heard.not_arrived && is_delivered {
            self.unsettled = true;
            self.say(
                "You write that it has not arrived, and I cannot settle that from the record.".to_owned(),
            );
        } else if self.heard.asks_when && !is_delivered && !is_closed(fact) && date_of_arrival(fact).is_none()
        {
            self.say("It does not say when the order will arrive.".to_owned());
        }
    }

    /// `#W1 (processed)`.
    fn listed(&mut self, fact: &Fact) -> String {
        self.used.push((fact.kind.clone(), fact.id.clone()));
        let start = if fact.kind == "appointment" { say_start(fact) } else { None };
        let said: Vec<String> = [title(fact), start, status(fact)].into_iter().flatten().collect();
        let id = one_line(&fact.id, 80);
        if said.is_empty() { id } else { format!("{id} ({})", said.join(", ")) }
    }

    fn say(&mut self, sentence: String) {
        self.sentences.push(sentence);
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

fn date_of_arrival(fact: &Fact) -> Option<&str> {
    field(fact.data.as_object()?, ARRIVAL).map(|(name, _)| name)
}

/// What an order says of its way: dates, carrier, tracking.
fn transit(fact: &Fact) -> Vec<String> {
    let Some(fields) = fact.data.as_object() else { return vec![] };
    let tracking: &[&str] = &["trackingnumber", "trackingid", "tracking"];
    let mut said: Vec<String> = [ARRIVAL, &["shippedat"], &["carrier"], tracking]
        .into_iter()
        .filter_map(|names| field(fields, names))
        .map(|(name, value)| said_field(name, value))
        .collect();
    let shipments = field(fields, &["fulfillments", "fulfilments", "shipments"]);
    let shipments = shipments.and_then(|(_, shipments)| shipments.as_array()).into_iter().flatten();
    let of_shipment = |shipment: &Value| {
        let (_, id) = field(shipment.as_object()?, tracking)?;
        Some(format!("tracking number {}", say_value(id, 120)))
    };
    said.extend(shipments.filter_map(of_shipment).take(RECORDS));
    said
}

fn said_field(name: &str, value: &Value) -> String {
    let said = When::read(value).map_or_else(|| say_value(value, 120), When::say);
    format!("{} {said}", spaced(name))
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
    crate::text::collapse_whitespace(&words)
}

fn items(fact: &Fact) -> Option<String> {
    let (_, items) = field(fact.data.as_object()?, &["items", "lineitems", "products"])?;
    let name = |item: &Value| match item {
        Value::Object(fields) => {
            field(fields, &["name", "title", "product", "productname"]).and_then(|(_, name)| phrase(name, 60))
        }
        _ => phrase(item, 60),
    };
    let names: Vec<String> = items.as_array()?.iter().filter_map(name).collect();
    let more = names.len().saturating_sub(5);
    let mut shown: Vec<String> = names.into_iter().take(5).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    (!shown.is_empty()).then(|| and(&shown))
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

fn and(items: &[String]) -> String {
    joined(items, "and")
}

fn or(items: &[String]) -> String {
    joined(items, "or")
}

fn joined(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
