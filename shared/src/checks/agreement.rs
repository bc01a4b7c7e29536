//! Agreement: what a text says of a record, beside the record (*truth-ranks*).

use super::Grounds;
use super::grounding::days;
use super::standing::{Standing, claims_something, tells_the_customers};
use crate::facts::read::{bare_name, one_line, status};
use crate::facts::wrote::is_wrote;
use crate::facts::{Fact, PREFERENCE};
use crate::rules::words::{contains as contains_words, plain};
use crate::text::sentences;
use crate::values::{self, Kind, Source};
use serde_json::Value;
use std::fmt;

/// Something that a text says of a record and that the record does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The record's kind and id.
    pub record: String,
    /// What the text says.
    pub said: String,
    /// What the record says; empty where the text names it.
    pub is: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was said to be \"{}\"", self.record, self.said)?;
        if self.is.is_empty() { Ok(()) } else { write!(f, "; the record says \"{}\"", self.is) }
    }
}

/// Kinds of records, and how people call them.
const CALLED: [(&str, &[&str]); 3] = [
    (
        "order",
        &["order", "package", "parcel", "pedido", "paquete", "bestellung", "paket", "commande", "colis"],
    ),
    ("request", &["request", "ticket", "solicitud", "anfrage", "anliegen", "demande"]),
    ("appointment", &["appointment", "cita", "termin", "rendez-vous", "visit"]),
];

/// Fields that hold an amount of money.
const AMOUNTS: [&str; 10] =
    ["amount", "total", "price", "cost", "fee", "balance", "paid", "due", "charge", "subtotal"];

/// Words that take up what the sentence before was about.
const TAKING_UP: &[&str] = &[
    "it",
    "it's",
    "its",
    "this",
    "that",
    "they",
    "the order",
    "your order",
    "the package",
    "your package",
    "el pedido",
    "su pedido",
    "die bestellung",
    "ihre bestellung",
    "das paket",
    "la commande",
    "votre commande",
    "le colis",
    "fue",
    "ha",
    "ya",
    "esta",
    "este",
    "ese",
    "eso",
    "sera",
    "sie",
    "er",
    "es",
    "diese",
    "dieser",
    "dieses",
    "elle",
    "il",
    "celle-ci",
    "celui-ci",
];

/// A reply that names one of these beside the record's own standing tells two stories apart.
const CONTRASTS: &[&str] = &[
    "but",
    "however",
    "although",
    "while",
    "record",
    "records",
    "system",
    "pero",
    "registro",
    "sistema",
    "aber",
    "jedoch",
    "unterlagen",
    "mais",
    "cependant",
    "systeme",
];

/// What a reply says of a record and the record does not say: its status, an amount, a date. A reply that says the
/// record's own beside it says both, as it should where the customer tells another story. Amounts and dates of the
/// business, of staff, and the days around the messages, are no record's.
pub(super) fn of_reply(reply: &str, grounds: &Grounds<'_>) -> Vec<Disagreement> {
    let whole = plain(reply);
    let subjects = Subjects::of(grounds.facts, &whole);
    if subjects.0.is_empty() {
        return vec![];
    }
    let told_apart = CONTRASTS.iter().any(|word| contains_words(&whole, word));
    let mut statuses: Vec<(Vec<usize>, Claims)> = vec![];
    let mut found = vec![];
    let mut last: Vec<usize> = vec![];
    for sentence in sentences(reply) {
        let said = plain(sentence);
        let named = subjects.in_sentence(&said);
        found.extend(subjects.wrong_value(sentence, &said, &named, grounds));
        let takes_up = named.is_empty() && TAKING_UP.iter().any(|word| begins_with(&said, word));
        let about = if takes_up { last } else { named };
        statuses.push((about.clone(), Standing::claimed(&said)));
        last = about;
    }
    for (about, claims) in &statuses {
        let says_both = |record: usize| {
            let of_it = statuses.iter().filter(|(about, _)| about.is_empty() || about.contains(&record));
            let mut standings = of_it.flat_map(|(_, claims)| claims).map(|(standing, _)| *standing);
            told_apart && standings.any(|standing| Some(standing) == subjects.0[record].standing)
        };
        if !about.iter().any(|record| says_both(*record)) {
            found.extend(subjects.wrong_status(claims, about));
        }
    }
    found
}

/// What a sentence claims: each standing with its words.
type Claims = Vec<(Standing, &'static str)>;

/// Whether an amount or a date comes from somewhere else than a record of this kind: the days of the conversation, what
/// staff and business say, or a record of another kind, such as the payment for an order.
fn is_said_elsewhere(value: &values::Value<'_>, kind: &str, grounds: &Grounds<'_>) -> bool {
    let said = grounds.staff.iter().copied().chain(grounds.business);
    (value.kind == Kind::Date && days(grounds.moments).grounds(value))
        || Source::new(said).grounds(value)
        || {
            let others = grounds.facts.iter().filter(|fact| fact.kind != kind);
            let leaves: Vec<String> = others.flat_map(|fact| leaves(&fact.data, value.kind)).collect();
            Source::new(leaves.iter().map(String::as_str)).grounds(value)
        }
}

fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// What a remembered or summarised text says of a record's status, and the record no longer says.
pub fn outdated(text: &str, facts: &[Fact]) -> Vec<Disagreement> {
    let whole = plain(text);
    if !claims_something(&whole) {
        return vec![];
    }
    let subjects = Subjects::of(facts, &whole);
    if subjects.0.is_empty() {
        return vec![];
    }
    let mut found: Vec<Disagreement> = vec![];
    for sentence in sentences(text) {
        let said = plain(sentence);
        let claims = Standing::claimed(&said);
        for disagreement in subjects.wrong_status(&claims, &subjects.in_sentence(&said)) {
            if !found.contains(&disagreement) {
                found.push(disagreement);
            }
        }
    }
    found
}

/// The records that a text is about.
struct Subjects<'a>(Vec<Subject<'a>>);

struct Subject<'a> {
    fact: &'a Fact,
    id: String,
    /// How people call it, where it is the only one of its kind.
    called: &'static [&'static str],
    standing: Option<Standing>,
}

impl<'a> Subjects<'a> {
    fn of(facts: &'a [Fact], text: &str) -> Self {
        let alone = |fact: &Fact| facts.iter().filter(|other| other.kind == fact.kind).nth(1).is_none();
        let subject = |fact: &'a Fact| {
            let called = CALLED.iter().find(|(kind, _)| *kind == fact.kind);
            let called = called.filter(|_| alone(fact)).map_or(&[][..], |(_, words)| words);
            let subject =
                Subject { fact, id: plain(fact.id.trim_start_matches('#')), called, standing: None };
            // Most records are in no reply: only of the others it is worth reading where they stand.
            subject.is_in(text).then(|| Subject { standing: Standing::of(fact), ..subject })
        };
        let concerns = |fact: &&Fact| {
            !matches!(fact.kind.as_str(), "profile" | "contact" | "qualification" | PREFERENCE)
        };
        Self(facts.iter().filter(concerns).filter_map(subject).collect())
    }

    fn in_sentence(&self, sentence: &str) -> Vec<usize> {
        let named: Vec<usize> = (0..self.0.len()).filter(|&at| self.0[at].is_named_in(sentence)).collect();
        if !named.is_empty() {
            return named;
        }
        (0..self.0.len()).filter(|&at| self.0[at].is_in(sentence)).collect()
    }

    /// Each claim has to hold for one of the records that the sentence is about.
    fn wrong_status(&self, claims: &Claims, about: &[usize]) -> Vec<Disagreement> {
        let stand: Vec<(&Subject<'_>, Standing)> =
            about.iter().filter_map(|&at| Some((&self.0[at], self.0[at].standing?))).collect();
        let Some((first, _)) = stand.first().filter(|_| stand.len() == about.len()) else { return vec![] };
        let holds = |claimed: Standing, record: Standing| {
            !claimed.contradicts(record) || claims.iter().any(|(also, _)| *also == record)
        };
        let wrong =
            claims.iter().filter(|(claimed, _)| stand.iter().all(|(_, record)| !holds(*claimed, *record)));
        wrong.map(|(_, words)| first.disagreement(words, status(first.fact))).collect()
    }

    /// An amount or a date beside records that have some, and none of them this one.
    fn wrong_value(
        &self,
        sentence: &str,
        said: &str,
        about: &[usize],
        grounds: &Grounds<'_>,
    ) -> Vec<Disagreement> {
        let Some(&first) = about.first() else { return vec![] };
        if said.ends_with('?') || tells_the_customers(said) {
            return vec![];
        }
        let said = values::values(sentence);
        let mut found = vec![];
        for kind in [Kind::Amount, Kind::Date] {
            let said: Vec<_> = said.iter().filter(|value| value.kind == kind).collect();
            if said.is_empty() {
                continue;
            }
            let leaves: Vec<Vec<String>> =
                about.iter().map(|&at| leaves(&self.0[at].fact.data, kind)).collect();
            if leaves.iter().any(Vec::is_empty) {
                continue;
            }
            let record = Source::new(leaves.iter().flatten().map(String::as_str));
            if said.iter().any(|value| record.occurs(value)) {
                continue;
            }
            let wrong =
                said.iter().filter(|value| !is_said_elsewhere(value, &self.0[first].fact.kind, grounds));
            found.extend(wrong.map(|value| self.0[first].disagreement(value.text, None)));
        }
        found
    }
}

impl Subject<'_> {
    fn is_named_in(&self, text: &str) -> bool {
        self.id.chars().count() > 1 && contains_words(text, &self.id)
    }

    fn is_in(&self, text: &str) -> bool {
        self.is_named_in(text) || self.called.iter().any(|word| contains_words(text, word))
    }

    fn disagreement(&self, said: &str, is: Option<String>) -> Disagreement {
        Disagreement {
            record: one_line(&format!("{} {}", self.fact.kind, self.fact.id), 80),
            said: one_line(said, 80),
            is: is.unwrap_or_default(),
        }
    }
}

/// What a record says that can be compared with an amount, or with a date.
fn leaves(data: &Value, kind: Kind) -> Vec<String> {
    let mut found = vec![];
    collect(data, "", kind, &mut found);
    found
}

fn collect(value: &Value, field: &str, kind: Kind, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let said = fields.iter().filter(|(field, _)| !is_wrote(field));
            said.for_each(|(field, value)| collect(value, field, kind, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, field, kind, found)),
        Value::String(text) if values::values(text).iter().any(|value| value.kind == kind) => {
            found.push(text.clone());
        }
        Value::Number(number) if kind == Kind::Amount && is_amount(field) => found.push(number.to_string()),
        Value::String(text) if kind == Kind::Amount && is_amount(field) => found.push(text.clone()),
        _ => {}
    }
}

fn is_amount(field: &str) -> bool {
    let name = bare_name(field);
    AMOUNTS.iter().any(|amount| name.contains(amount))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use crate::time::Timestamp;
    use serde_json::json;

    fn fact(kind: &str, id: &str, data: Value) -> Fact {
        let as_of = AsOf::from(Timestamp::from_millis(1_796_032_800_000));
        Fact { kind: kind.into(), id: id.into(), as_of, source: "shop".into(), data }
    }

    fn records() -> Vec<Fact> {
        vec![
            fact("order", "#W1", json!({"status": "shipped", "total": 120.5, "arrives": "2026-12-03"})),
            fact("order", "#W2", json!({"status": "processing", "total": "80 EUR"})),
            fact("request", "R-7", json!({"status": "resolved", "subject": "double charge"})),
            fact("payment", "P-3", json!({"amount": "40 EUR"})),
        ]
    }

    fn said(reply: &str) -> Vec<String> {
        let business = "Shipping costs 4.90 EUR. Closed from 24 to 26 December.";
        let (facts, staff) = (records(), ["You get a 15 EUR voucher for #W1."]);
        let moments = [Timestamp::from_millis(1_796_032_800_000)];
        let grounds = Grounds {
            facts: &facts,
            staff: &staff,
            business: Some(business),
            moments: &moments,
            ..Grounds::default()
        };
        of_reply(reply, &grounds).into_iter().map(|found| found.said).collect()
    }

    #[test]
    fn what_agrees_with_the_record_passes() {
        for reply in [
            "Order #W1 was shipped and arrives on 3 December.",
            "Your order #W1 is on its way.",
            "Order #W1 has not been delivered yet.",
            "Once #W1 is delivered, you can return it.",
            "Has #W1 been delivered?",
            "Your request R-7 was resolved.",
            "Your request is closed.",
            "Order #W2 is being processed; #W1 was shipped.",
            "#W1 cost $120.50.",
            "You say that #W1 was delivered; our records say it is shipped, and on its way.",
            "I can cancel order #W2 if you want it cancelled.",
            "We delivered a talk about parking.",
            "You wrote that #W1 was delivered, and that you paid $99.",
            "Order #W1 has shipped. It'll be delivered on 3 December.",
            "Order #W1 couldn't be delivered yesterday.",
            "You'll get a tracking link after #W2 is shipped.",
            "It's too late to have #W1 cancelled.",
            "Order #W1 has arrived at our Leipzig hub.",
            "The payment for #W1 was completed.",
            "Une fois la commande #W2 expédiée, vous recevrez un lien.",
            "En cuanto su pedido #W2 sea enviado, le avisaremos.",
            "Sie erhalten eine Nachricht, nachdem #W2 versandt wurde.",
            "#W1 und #W2 sollen am 3. Dezember zugestellt werden.",
            "We received 40 EUR for order #W1.",
            "As my colleague said, you get a 15 EUR voucher for order #W1.",
            "I understand you'd like order #W1 to arrive on 12 December.",
            "Sie schreiben, dass die Bestellung #W1 zugestellt wurde.",
            "The carrier lists #W1 as delivered, but in our records it was shipped and is on its way.",
            "Sollte #W1 storniert worden sein, sagen Sie es uns.",
            "La commande #W1 devrait bientôt être livrée.",
            "El pedido #W1 debería ser entregado mañana.",
            "#W1 is being delivered.",
            "I looked at order #W2. Your question about parking is resolved.",
            "#W1 was shipped. Other parcels cost 4.90 EUR.",
            "Order #W1 is on its way; shipping costs 4.90 EUR.",
            "Order #W1 is on its way as of today, 30 November.",
            "#W1 is on its way. We are closed on 25 December.",
            "",
        ] {
            assert_eq!(said(reply), Vec::<String>::new(), "{reply}");
        }
    }

    #[test]
    fn what_the_record_does_not_say_is_named() {
        for (reply, named) in [
            ("Good news: order #W1 was delivered.", "delivered"),
            ("#w1 has been cancelled as you asked.", "cancelled"),
            ("I looked at order #W2. It was shipped on Monday.", "shipped"),
            ("Your request is still open.", "still open"),
            ("R-7 is in progress.", "in progress"),
            ("Su pedido #W1 fue entregado.", "entregado"),
            ("Ihre Bestellung #W1 wurde zugestellt.", "zugestellt"),
            ("Votre commande #W1 a été annulée.", "annulee"),
            ("#W1 cost $99.", "$99"),
            ("#W1 arrives on 5 December.", "5 December"),
            ("You wrote about it, and #W1 was delivered.", "delivered"),
            ("I can confirm that your order #W1 has been delivered.", "delivered"),
            ("Your order no. W1 was delivered.", "delivered"),
            ("Order #W1 was shipped on Monday. It was delivered.", "delivered"),
            ("Mire el pedido #W2. Fue entregado.", "entregado"),
        ] {
            assert_eq!(said(reply), [named], "{reply}");
        }
        assert_eq!(said("On 3 May order #W1 was delivered."), ["3 May", "delivered"], "a month is no hedge");
    }

    #[test]
    fn a_remembered_status_that_the_record_no_longer_says_is_outdated() {
        let history = "She complained about the double charge. Request R-7 is open. Order #W1 was shipped.";
        let found = outdated(history, &records());
        assert_eq!(
            found,
            [Disagreement { record: "request R-7".into(), said: "is open".into(), is: "resolved".into() }]
        );
        assert_eq!(outdated("Request R-7 was open, then it was resolved.", &records()), []);
        assert_eq!(outdated("The shop is open until six.", &records()), []);
    }
}
