//! One fact on one line: what a support agent needs first, then everything else.

use super::inline::{address, inline, is_address, is_item, is_name, item, list, pairs, person};
use super::read::{bare_name, clip, is_empty, is_named, one_line, phrase};
use super::wrote::record;
use super::{Fact, UPDATED_BY};
use crate::text;
use crate::time::Timestamp;
use serde_json::Value;

/// How deep a record is taken apart into fields of their own; below, values stand inline.
const PATH_DEPTH: usize = 3;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// A line that can be made shorter.
pub(super) struct Line {
    label: String,
    parts: Vec<String>,
    /// Fields that were not even written, because the line is longer than any text it may stand in.
    unwritten: usize,
    /// Characters of the whole line.
    pub(super) chars: usize,
}

impl Line {
    /// The line of a fact. What exceeds `max_chars` is counted, not written.
    pub(super) fn of(fact: &Fact, now: Timestamp, max_chars: usize) -> Self {
        let label = format!(
            "- {} {} [source {}, as of {}]:",
            one_line(&fact.kind, 64),
            one_line(&fact.id, 256),
            one_line(&fact.source, 64),
            age(fact.as_of.timestamp(), now)
        );
        let mut fields = Fields { parts: vec![], room: max_chars, unwritten: 0 };
        fields.record(fact);
        Self::new(label, fields.parts, fields.unwritten)
    }

    /// A line that was written elsewhere.
    pub(super) fn written(line: &str, max_chars: usize) -> Self {
        Self::new("-".into(), vec![one_line(line, max_chars)], 0)
    }

    fn new(label: String, parts: Vec<String>, unwritten: usize) -> Self {
        let joints = (2 * parts.len()).saturating_sub(1);
        let chars = text::chars(&label) + joints + parts.iter().map(|part| text::chars(part)).sum::<usize>();
        let chars = chars + text::chars(&not_shown(unwritten));
        Self { label, parts, unwritten, chars }
    }

    /// Characters of the shortest form that is of use: the label and what is said first.
    pub(super) fn brief_chars(&self) -> usize {
        self.chars.min(text::chars(&self.label) + 140)
    }

    /// The line in at most `max_chars`: long values are shortened first, then the last fields are dropped.
    pub(super) fn fit(&self, max_chars: usize) -> String {
        let whole = self.chars <= max_chars;
        let room =
            if whole { max_chars } else { max_chars.saturating_sub(text::chars(&not_shown(usize::MAX))) };
        let value_chars = if whole { max_chars } else { (max_chars / self.parts.len().clamp(1, 4)).max(80) };
        let mut line = self.label.clone();
        let mut used = text::chars(&line);
        let mut shown = 0;
        for part in &self.parts {
            let joint = if shown == 0 { " " } else { "; " };
            let left = room.saturating_sub(used + joint.len());
            let part = clip(part, if shown == 0 { value_chars.min(left) } else { value_chars });
            let chars = text::chars(&part);
            if chars > left || chars == 0 {
                break;
            }
            used += joint.len() + chars;
            shown += 1;
            line.push_str(joint);
            line.push_str(&part);
        }
        line.push_str(&not_shown(self.parts.len() - shown + self.unwritten));
        text::head(&line, max_chars).to_owned()
    }
}

fn not_shown(fields: usize) -> String {
    match fields {
        0 => String::new(),
        1 => " [1 more field]".into(),
        usize::MAX => " [000 more fields]".into(),
        _ => format!(" [{} more fields]", fields.min(999)),
    }
}

/// In whole days, so that it stays the same all day: `2026-11-28 (2 days old)`.
pub(super) fn age(as_of: Timestamp, now: Timestamp) -> String {
    let days = now.millis().div_euclid(MILLIS_PER_DAY) - as_of.millis().div_euclid(MILLIS_PER_DAY);
    let date = day(as_of);
    match days {
        ..=0 => format!("{date} (today)"),
        1 => format!("{date} (1 day old)"),
        _ => format!("{date} ({days} days old)"),
    }
}

/// The day of a time, in UTC.
fn day(at: Timestamp) -> String {
    at.rfc3339().split('T').next().unwrap_or_default().to_owned()
}

/// The usual names of the fields of a kind, in the order in which a support agent needs them.
fn known(kind: &str) -> Vec<&'static str> {
    let names = match kind {
        "order" => ORDER,
        "request" => REQUEST,
        "appointment" => APPOINTMENT,
        "profile" => PROFILE,
        "contact" => CONTACT,
        "qualification" => QUALIFICATION,
        "hours" => HOURS,
        _ => OTHER,
    };
    names.split_whitespace().collect()
}

const ORDER: &str = "status state orderstatus statusreason cancelreason orderedat orderdate placedat createdat \
    shippedat estimateddelivery expecteddelivery deliverydate eta deliveredat items lineitems products total \
    totalamount totalprice grandtotal amount currency paymentstatus paymenthistory payments payment \
    fulfillmentstatus fulfillments fulfilments shipments carrier trackingnumber trackingid trackingurl tracking \
    shippingmethod shippingaddress deliveryaddress address";

const REQUEST: &str = "title subject summary status state stage openedat createdat opened created reportedat \
    updatedat updated resolvedat closedat dueat due priority category type assignee assignedto unit location \
    resolution lastnote description";

const APPOINTMENT: &str = "start startsat startat starttime starts scheduledat scheduledfor when datetime date day \
    time timewindow window slot end endsat endat endtime duration timezone location where place venue room unit \
    address link status state title type service purpose with agent technician";

const PROFILE: &str = "name fullname firstname lastname displayname membership tier loyalty status plan language \
    locale timezone preferences email phone unit address customersince since";

const CONTACT: &str = "preferredchannel preferredcontact email emails phone phonenumber mobile phones whatsapp \
    telegram language timezone besttime donotcontact address";

const QUALIFICATION: &str = "status state result outcome decision eligible qualified name title product program limit \
    amount reason conditions requirements missing validfrom validuntil expiresat";

const HOURS: &str = "name title place location timezone days monday mon tuesday tue wednesday wed thursday thu \
    friday fri saturday sat sunday sun monfri weekdays weekend open opens opensat close closes closesat hours holidays \
    closed exceptions";

const OTHER: &str = "name title status state type date start amount total price quantity currency";

/// The fields of one record, written one after another until the room is used up.
struct Fields {
    parts: Vec<String>,
    room: usize,
    unwritten: usize,
}

impl Fields {
    fn record(&mut self, fact: &Fact) {
        // What a customer wrote into it is shown apart, as theirs.
        let data = record(&fact.data);
        let Some(fields) = data.as_object() else {
            self.value("data", &data, 0);
            return;
        };
        let known = known(&fact.kind);
        let rank = |name: &str| {
            let name = bare_name(name);
            known.iter().position(|known| name == *known).unwrap_or(known.len())
        };
        let mut ranked: Vec<_> = fields.iter().map(|(name, value)| (rank(name), name, value)).collect();
        ranked.sort_by_key(|(rank, ..)| *rank);
        for (rank, name, value) in ranked {
            if fact.kind == "order" && rank < known.len() && value.as_array().is_some_and(Vec::is_empty) {
                self.push(name, || "none".into());
            } else if name != UPDATED_BY && !repeats_id(name, value, fact) {
                self.value(name, value, 0);
            }
        }
    }

    fn value(&mut self, path: &str, value: &Value, depth: usize) {
        if is_empty(value) {
            return;
        }
        let room = self.room;
        match value {
            Value::Array(values) if values.iter().any(Value::is_object) => self.each(path, values),
            Value::Object(fields) if is_name(fields) => self.push(path, || person(fields)),
            Value::Object(fields) if is_address(fields) => self.push(path, || address(fields, room)),
            Value::Object(fields) if depth > 0 && fields.values().all(is_scalar) => {
                let own = path.rsplit('.').next().unwrap_or_default();
                let rest = fields.iter().filter(|(_, value)| value.as_str() != Some(own));
                self.push(path, || pairs(rest, room, 0));
            }
            Value::Object(fields) if depth + 1 < PATH_DEPTH && !self.is_full() => {
                for (name, value) in fields {
                    self.value(&format!("{path}.{name}"), value, depth + 1);
                }
            }
            Value::Array(values) => self.push(path, || list(values, room, 0)),
            _ => self.push(path, || inline(value, room)),
        }
    }

    fn each(&mut self, path: &str, values: &[Value]) {
        let count = values.len();
        let room = self.room;
        for (index, value) in values.iter().enumerate() {
            let number = index + 1;
            let name = if count == 1 { path.to_owned() } else { format!("{path} {number} of {count}") };
            match value {
                Value::Object(fields) if is_item(fields) => self.push(&name, || item(fields, room)),
                Value::Object(fields) if is_name(fields) => self.push(&name, || person(fields)),
                _ => self.push(&name, || inline(value, room)),
            }
        }
    }

    fn push(&mut self, path: &str, say: impl FnOnce() -> String) {
        if self.is_full() {
            self.unwritten += 1;
            return;
        }
        let part = format!("{}: {}", one_line(path, 120), say());
        self.room = self.room.saturating_sub(text::chars(&part) + 2);
        self.parts.push(part);
    }

    fn is_full(&self) -> bool {
        self.room == 0
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn repeats_id(name: &str, value: &Value, fact: &Fact) -> bool {
    let named_id = is_named(name, "id") || is_named(name, &format!("{}id", fact.kind));
    named_id && phrase(value, 256).is_some_and(|id| id == fact.id)
}
