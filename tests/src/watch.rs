//! Watching the table while a Carryover runs over it: what must always be true is stated on each step from one
//! state of a thread to the next, from the items alone.

use crate::table::Table;
use carryover_shared::limits::Limits;
use carryover_shared::snapshot::Snapshot;
use carryover_shared::thread::{Author, BotKind, Head, Message, Mode, Seq};
use serde_json::{Map, Number, Value};

/// One watched thread.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The contact's name; its identity is `chat:<name>`.
    pub name: String,
    /// The contact's id, once there is one.
    pub contact: Option<String>,
    /// The head, once there is one.
    pub head: Option<Head>,
    /// The log so far.
    pub log: Vec<Message>,
    /// Every checkpoint that there was.
    pub checkpoints: Vec<u64>,
    /// The newest message when a person last took or gave back the thread: up to here all is settled for good.
    pub handed_at: Seq,
    /// Whether a person ever had a hand in it.
    pub was_handed: bool,
    snapshot: Value,
}

/// The order number by which a test's message is found again: `#W` and six digits.
pub fn order_of(text: &str) -> Option<&str> {
    let at = text.find("#W")?;
    text.get(at..at + 8).filter(|order| order.bytes().skip(2).all(|b| b.is_ascii_digit()))
}

impl Watched {
    /// Nothing has happened yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            contact: None,
            head: None,
            log: vec![],
            checkpoints: vec![0],
            handed_at: Seq::NONE,
            was_handed: false,
            snapshot: Value::Null,
        }
    }

    /// Looks at the table again; call it after every step.
    ///
    /// # Panics
    /// If something that must always be true is not.
    pub fn look(&mut self, table: &Table, limits: &Limits) {
        let Some(contact) = self.contact(table) else { return };
        let item = table.item(&format!("CONTACT#{contact}"), "HEAD").map(plain).expect("a head");
        let next: Head = serde_json::from_value(item.clone()).expect("a readable head");
        if self.head.as_ref() != Some(&next) {
            let before = self.head.replace(next.clone()).unwrap_or_else(|| Head::new(next.contact_id));
            self.listed_where_it_belongs(&next, &item);
            self.step(table, &contact, &before, &next);
        }
        let snapshot = table.item(&format!("SNAPSHOT#{contact}"), "SNAPSHOT").map(plain).unwrap_or_default();
        if snapshot != self.snapshot {
            self.snapshot = snapshot;
            self.folded(table, &contact, limits);
        }
    }

    fn contact(&mut self, table: &Table) -> Option<String> {
        if self.contact.is_none() {
            let item = table.item(&format!("IDENTITY#chat:{}", self.name), "IDENTITY").map(plain)?;
            self.contact = item["contact_id"].as_str().map(str::to_owned);
        }
        self.contact.clone()
    }

    fn listed_where_it_belongs(&self, head: &Head, item: &Value) {
        let waits = head.mode == Mode::Bot && head.last_customer_seq > head.settled_seq;
        assert_eq!(head.waiting_since.is_some(), waits, "waiting_since of {head:?}");
        let list = item.get("state").and_then(Value::as_str).and_then(|state| state.split('#').next());
        let listed = match (head.mode, waits, head.open_case) {
            (Mode::Bot, true, _) => Some("waiting"),
            (Mode::Bot, false, _) => Some("bot"),
            (Mode::Human, _, None) => Some("person"),
            (Mode::Human, _, Some(_)) => None,
        };
        assert_eq!(list, listed, "index key of {head:?}");
        if let Some(since) = head.waiting_since {
            assert_eq!(item["state_at"], format!("{:015}", since.millis()), "index key of {head:?}");
        }
        assert_eq!(head.turn_owner.is_some(), head.turn_until.is_some(), "half a lease in {head:?}");
        assert!(head.mode == Mode::Bot || head.turn_owner.is_none(), "a turn in human mode: {head:?}");
    }

    fn step(&mut self, table: &Table, contact: &str, before: &Head, next: &Head) {
        assert!(before.last_seq <= next.last_seq && next.last_seq.0 <= before.last_seq.0 + 1, "one-log");
        assert!(before.settled_seq <= next.settled_seq && next.settled_seq <= next.last_seq, "{next:?}");
        assert!(before.epoch <= next.epoch && before.last_customer_seq <= next.last_customer_seq);
        let appended = (next.last_seq > before.last_seq).then(|| {
            let key = format!("MSG#{:010}", next.last_seq.0);
            let item =
                table.item(&format!("CONTACT#{contact}"), &key).map(plain).expect("one-log: a message");
            serde_json::from_value::<Message>(item).expect("a readable message")
        });
        if let Some(message) = &appended {
            assert_eq!(message.seq, next.last_seq, "one-log");
            if message.author == Author::Bot {
                self.said(before, next, message);
            }
        }
        self.settled_by_somebody(before, next, appended.as_ref());
        if next.epoch > before.epoch {
            assert_eq!(next.settled_seq, next.last_seq, "what a person answered is settled for good");
            self.handed_at = next.last_seq;
            self.was_handed = true;
        }
        self.log.extend(appended);
    }

    /// The bot spoke.
    fn said(&self, before: &Head, next: &Head, message: &Message) {
        let to = message.in_reply_to.expect("a bot's message answers something");
        let from = message.answers_from.expect("a bot's message answers something");
        assert_eq!(before.mode, Mode::Bot, "silent-means-silent: {message:?}");
        assert_eq!((before.epoch, next.epoch), (message.epoch, message.epoch), "silent-means-silent");
        assert!(to > self.handed_at, "silent-means-silent: a person answered #{to}: {message:?}");
        assert!(from <= to && to <= next.settled_seq && to < message.seq, "{message:?}");
        match message.kind {
            Some(BotKind::Reply) => {
                assert!(!before.opted_out.contains(&message.account), "silent-means-silent: opted out");
                assert!(from > before.settled_seq, "one-reply: #{from} was answered before: {message:?}");
            }
            _ => assert_eq!((next.mode, next.settled_seq), (Mode::Human, next.last_seq), "{message:?}"),
        }
    }

    fn settled_by_somebody(&self, before: &Head, next: &Head, appended: Option<&Message>) {
        let by_a_person = next.epoch > before.epoch || next.mode == Mode::Human;
        let by_the_bot = appended.is_some_and(|message| message.author == Author::Bot);
        let opted_out = !next.opted_out.is_empty();
        let moved = next.settled_seq > before.settled_seq;
        assert!(!moved || by_a_person || by_the_bot || opted_out, "settled by nobody: {before:?} {next:?}");
    }

    /// The snapshot changed.
    fn folded(&mut self, table: &Table, contact: &str, limits: &Limits) {
        let Ok(snapshot) = serde_json::from_value::<Snapshot>(self.snapshot.clone()) else { return };
        let (from, to) = (self.checkpoints.last().copied().unwrap_or(0), snapshot.folded_through.0);
        let last = self.head.as_ref().map_or(0, |head| head.last_seq.0);
        assert!(from <= to && to <= last.saturating_sub(1), "checkpoint-honest: {from} to {to} of {last}");
        assert!(snapshot.overshoots(limits).is_empty(), "bounded-summary: {:?}", snapshot.overshoots(limits));
        let mut kept: String = snapshot.texts().collect::<Vec<_>>().join("\n");
        assert!(!kept.contains("W0000000"), "nothing-invented: {kept}");
        let partition = Value::from(format!("MEMORY#{contact}"));
        for item in table.items().into_iter().filter(|item| item["pk"]["S"] == partition) {
            kept.push_str(item["text"]["S"].as_str().unwrap_or_default());
        }
        for message in self.log.iter().filter(|message| message.seq.0 <= to) {
            for text in [&message.text, &message.tail] {
                let survived = order_of(text).is_none_or(|order| kept.contains(order));
                assert!(survived, "facts-survive: {text:?} is neither in {kept:?}");
            }
        }
        self.checkpoints.push(to);
    }
}

/// An item as plain JSON.
pub fn plain(item: Value) -> Value {
    let Value::Object(item) = item else { return Value::Null };
    Value::Object(item.into_iter().map(|(name, value)| (name, plain_value(value))).collect::<Map<_, _>>())
}

fn plain_value(value: Value) -> Value {
    let Value::Object(typed) = value else { return Value::Null };
    let Some((kind, value)) = typed.into_iter().next() else { return Value::Null };
    match (kind.as_str(), value) {
        ("N", Value::String(digits)) => digits.parse::<Number>().map_or(Value::Null, Value::Number),
        ("L", Value::Array(values)) => values.into_iter().map(plain_value).collect(),
        ("M", map) => plain(map),
        ("NULL", _) => Value::Null,
        (_, value) => value,
    }
}
