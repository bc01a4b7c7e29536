//! Every key of the table, built, parsed and escaped here and nowhere else.
//!
//! A partition of a contact can only be named with a [`ContactId`] (*isolation*). Parts that others choose are
//! escaped: `%` as `%25` and `#` as `%23`, nothing else. Numbers are padded so that they sort.

use crate::contact::{Account, ContactId, Identity};
use crate::job::Delivery;
use crate::memory::Origin;
use crate::thread::Seq;
use crate::time::Timestamp;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;
use ulid::Ulid;

/// The shards of one state in the index `by_state`.
pub(crate) const STATE_SHARDS: u64 = 16;

/// The key of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    fn new(pk: String, sk: impl Into<String>) -> Self {
        Self { pk, sk: sk.into() }
    }

    pub(crate) fn attributes(&self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            ("pk".into(), AttributeValue::S(self.pk.clone())),
            ("sk".into(), AttributeValue::S(self.sk.clone())),
        ])
    }
}

pub(crate) fn contact(id: ContactId) -> String {
    format!("CONTACT#{id}")
}

pub(crate) fn head(id: ContactId) -> Key {
    Key::new(contact(id), "HEAD")
}

pub(crate) const MESSAGE_PREFIX: &str = "MSG#";

pub(crate) fn message_sk(seq: Seq) -> String {
    format!("{MESSAGE_PREFIX}{:010}", seq.0)
}

pub(crate) fn message(id: ContactId, seq: Seq) -> Key {
    Key::new(contact(id), message_sk(seq))
}

pub(crate) fn body(id: ContactId, seq: Seq, n: usize) -> Key {
    Key::new(contact(id), format!("{}{n:04}", body_prefix(seq)))
}

pub(crate) const BODIES_PREFIX: &str = "BODY#";

pub(crate) fn body_prefix(seq: Seq) -> String {
    format!("{BODIES_PREFIX}{:010}#", seq.0)
}

pub(crate) const CASE_PREFIX: &str = "CASE#";

pub(crate) fn case(id: ContactId, case_id: Ulid) -> Key {
    Key::new(contact(id), format!("{CASE_PREFIX}{case_id}"))
}

pub(crate) const NOTE_PREFIX: &str = "NOTE#";

/// Notes stand by the message that was the newest when they were written.
pub(crate) fn note(id: ContactId, seq: Seq, note_id: Ulid) -> Key {
    Key::new(contact(id), format!("{}{note_id}", note_prefix(seq)))
}

pub(crate) fn note_prefix(seq: Seq) -> String {
    format!("{NOTE_PREFIX}{:010}#", seq.0)
}

/// Flags stand by the reply that they are on.
pub(crate) fn flag(id: ContactId, seq: Seq, flag_id: Ulid) -> Key {
    Key::new(contact(id), format!("{}{flag_id}", flag_prefix(seq)))
}

pub(crate) fn flag_prefix(seq: Seq) -> String {
    format!("{FLAG_PREFIX}{:010}#", seq.0)
}

const FLAG_PREFIX: &str = "FLAG#";

/// The reply and the flag in the key of a flag.
pub(crate) fn flag_in(sk: &str) -> Option<(Seq, Ulid)> {
    let (seq, flag_id) = sk.strip_prefix(FLAG_PREFIX)?.split_once('#')?;
    Some((Seq(seq.parse().ok()?), Ulid::from_string(flag_id).ok()?))
}

pub(crate) const FEEDBACK_PREFIX: &str = "FEEDBACK#";

pub(crate) fn feedback(id: ContactId, seq: Seq) -> Key {
    Key::new(contact(id), format!("{FEEDBACK_PREFIX}{:010}", seq.0))
}

pub(crate) fn trace(id: ContactId, seq: Seq, trace_id: Ulid) -> Key {
    Key::new(contact(id), format!("{}{trace_id}", trace_prefix(seq)))
}

pub(crate) fn trace_outcome(id: ContactId, seq: Seq, trace_id: Ulid) -> Key {
    Key::new(contact(id), format!("{}{trace_id}#OUTCOME", trace_prefix(seq)))
}

pub(crate) const TRACES_PREFIX: &str = "TRACE#";

pub(crate) fn trace_prefix(seq: Seq) -> String {
    format!("{TRACES_PREFIX}{:010}#", seq.0)
}

pub(crate) fn pulse() -> Key {
    Key::new("INBOX".into(), "PULSE")
}

/// Over how many items the tallies of one hour are spread.
pub(crate) const TALLY_SHARDS: u64 = 4;

/// The tallies of one day.
pub(crate) fn tallies(at: Timestamp) -> String {
    format!("HEALTH#{}", at.day())
}

/// The tallies of a day stand between these two.
pub(crate) const HOURS: [&str; 2] = ["00#", "23#~"];

/// One of the tallies of an hour.
pub(crate) fn tally(at: Timestamp, shard: u64) -> Key {
    Key::new(tallies(at), format!("{:02}#{}", at.hour_of_day(), shard % TALLY_SHARDS))
}

/// The way back from a contact to its identities.
pub(crate) fn identity_of(id: ContactId, identity: &Identity) -> Key {
    Key::new(contact(id), identity_pk(identity))
}

/// From an identity to its contact.
pub(crate) fn identity(identity: &Identity) -> Key {
    Key::new(identity_pk(identity), "IDENTITY")
}

pub(crate) const IDENTITY_PREFIX: &str = "IDENTITY#";

fn identity_pk(identity: &Identity) -> String {
    format!("{IDENTITY_PREFIX}{}", escape(identity.as_str()))
}

/// The identity in the key of a way back.
pub(crate) fn identity_in(item: &HashMap<String, AttributeValue>) -> Option<Identity> {
    let sk = item.get("sk")?.as_s().ok()?;
    unescape(sk.strip_prefix(IDENTITY_PREFIX)?).parse().ok()
}

pub(crate) fn snapshot(id: ContactId) -> Key {
    Key::new(format!("SNAPSHOT#{id}"), "SNAPSHOT")
}

pub(crate) fn facts(id: ContactId) -> String {
    format!("FACTS#{id}")
}

pub(crate) const FACT_PREFIX: &str = "FACT#";

pub(crate) fn fact(id: ContactId, kind: &str, fact_id: &str) -> Key {
    Key::new(facts(id), fact_sk(FACT_PREFIX, kind, fact_id))
}

pub(crate) fn fact_gone(id: ContactId, kind: &str, fact_id: &str) -> Key {
    Key::new(facts(id), fact_sk(GONE_PREFIX, kind, fact_id))
}

/// Kind and id in the key of a tombstone.
pub(crate) fn gone_fact(item: &HashMap<String, AttributeValue>) -> Option<(String, String)> {
    let (kind, id) = item.get("sk")?.as_s().ok()?.strip_prefix(GONE_PREFIX)?.split_once('#')?;
    Some((unescape(kind), unescape(id)))
}

pub(crate) fn facts_of_kind(kind: &str) -> String {
    format!("{FACT_PREFIX}{}#", escape(kind))
}

pub(crate) const GONE_PREFIX: &str = "GONE#";

fn fact_sk(prefix: &str, kind: &str, fact_id: &str) -> String {
    format!("{prefix}{}#{}", escape(kind), escape(fact_id))
}

pub(crate) fn fact_count(id: ContactId) -> Key {
    Key::new(facts(id), "COUNT")
}

/// The partitions of a contact.
pub(crate) fn partitions(id: ContactId) -> [String; 4] {
    [memory(id), facts(id), snapshot(id).pk, contact(id)]
}

pub(crate) fn memory(id: ContactId) -> String {
    format!("MEMORY#{id}")
}

pub(crate) const SPILL_PREFIX: &str = "SPILL#";

/// The spills of one save.
pub(crate) fn spills_prefix(revision: u64) -> String {
    format!("{SPILL_PREFIX}{revision:010}#")
}

/// Where a bank keeps what comes from `origin`.
pub(crate) fn memory_of(id: ContactId, origin: Origin) -> Key {
    Key::new(memory(id), memory_sk(origin))
}

/// Memories that are no spills stand between these two.
pub(crate) const MEMORIES: [&str; 2] = ["CASE#", "REPLY#~"];

/// What says that a memory was forgotten; it stands beyond all memories.
pub(crate) fn forgotten(id: ContactId, origin: Origin) -> Key {
    Key::new(memory(id), format!("~FORGOTTEN#{}", memory_sk(origin)))
}

/// An origin as a key, which [`origin`] reads again.
pub(crate) fn memory_sk(origin: Origin) -> String {
    match origin {
        Origin::Reply(seq) => format!("REPLY#{:010}", seq.0),
        Origin::Case(case_id) => format!("CASE#{case_id}"),
        Origin::Feedback(seq) => format!("FEEDBACK#{:010}", seq.0),
        Origin::Spill { revision, n } => format!("{}{n:04}", spills_prefix(revision)),
    }
}

/// Where a memory under this key comes from.
pub(crate) fn origin(sk: &str) -> Option<Origin> {
    let (kind, rest) = sk.split_once('#')?;
    match kind {
        "REPLY" => Some(Origin::Reply(Seq(rest.parse().ok()?))),
        "CASE" => Some(Origin::Case(rest.parse().ok()?)),
        "FEEDBACK" => Some(Origin::Feedback(Seq(rest.parse().ok()?))),
        "SPILL" => {
            let (revision, n) = rest.split_once('#')?;
            Some(Origin::Spill { revision: revision.parse().ok()?, n: n.parse().ok()? })
        }
        _ => None,
    }
}

/// The revision in the key of a spill.
pub(crate) fn spill_revision(item: &HashMap<String, AttributeValue>) -> Option<u64> {
    match origin(&of(item)?.sk)? {
        Origin::Spill { revision, .. } => Some(revision),
        _ => None,
    }
}

/// A part of the text that a spill has no room for.
pub(crate) fn spill_body(id: ContactId, revision: u64, n: usize, part: usize) -> Key {
    Key::new(memory(id), format!("{BODIES_PREFIX}{revision:010}#{n:04}#{part:04}"))
}

pub(crate) fn seen(delivery: &Delivery) -> Key {
    Key::new(seen_pk(delivery), "SEEN")
}

/// What was answered to a write, beside what remembers the message that it wrote.
pub(crate) fn answer(delivery: &Delivery) -> Key {
    Key::new(seen_pk(delivery), "ANSWER")
}

fn seen_pk(delivery: &Delivery) -> String {
    let Delivery { account, scope, id } = delivery;
    format!("SEEN#{}#{}#{}", escape(account), escape(scope), escape(id))
}

pub(crate) fn live(agent: &str) -> Key {
    Key::new(format!("LIVE#{}", escape(agent)), "LIVE")
}

/// What belongs to one agent: versions, audit entries and the way back to its accounts.
pub(crate) fn agent_pk(agent: &str) -> String {
    format!("AGENT#{}", escape(agent))
}

pub(crate) fn agent_version(agent: &str, version: u32) -> Key {
    Key::new(agent_pk(agent), format!("{VERSION_PREFIX}{version:010}"))
}

pub(crate) fn agent_audit(agent: &str, ulid: Ulid) -> Key {
    Key::new(agent_pk(agent), format!("AUDIT#{ulid}"))
}

/// The way back from an agent to its accounts.
pub(crate) fn agent_account(agent: &str, account: &Account) -> Key {
    Key::new(agent_pk(agent), format!("{ACCOUNT_PREFIX}{}", escape(account.as_str())))
}

pub(crate) const VERSION_PREFIX: &str = "VERSION#";

pub(crate) const ACCOUNT_PREFIX: &str = "ACCOUNT#";

/// From an account to its agent.
pub(crate) fn account(account: &Account) -> Key {
    Key::new(format!("{ACCOUNT_PREFIX}{}", escape(account.as_str())), "ACCOUNT")
}

pub(crate) fn business(agent: &str) -> String {
    format!("BUSINESS#{}", escape(agent))
}

pub(crate) fn business_fact(agent: &str, kind: &str, fact_id: &str) -> Key {
    Key::new(business(agent), fact_sk(FACT_PREFIX, kind, fact_id))
}

pub(crate) fn business_fact_gone(agent: &str, kind: &str, fact_id: &str) -> Key {
    Key::new(business(agent), fact_sk(GONE_PREFIX, kind, fact_id))
}

pub(crate) fn business_count(agent: &str) -> Key {
    Key::new(business(agent), "COUNT")
}

const TICKETS: &str = "TICKETS";

/// Which index of past cases is used.
pub(crate) fn index() -> Key {
    Key::new(TICKETS.into(), "INDEX")
}

pub(crate) const UPLOAD_PREFIX: &str = "UPLOAD#";

/// An index that is, or was, being put somewhere.
pub(crate) fn upload(upload: Ulid) -> Key {
    Key::new(TICKETS.into(), format!("{UPLOAD_PREFIX}{upload}"))
}

pub(crate) fn chunk_prefix(upload: Ulid) -> String {
    format!("CHUNK#{upload}#")
}

pub(crate) fn chunk(upload: Ulid, n: usize) -> Key {
    Key::new(TICKETS.into(), format!("{}{n:04}", chunk_prefix(upload)))
}

pub(crate) fn tickets() -> String {
    TICKETS.into()
}

pub(crate) const RELEASED: &str = "RELEASED";

pub(crate) fn released_prefix(id: ContactId) -> String {
    format!("{id}#")
}

/// A resolved case that an operator released.
pub(crate) fn released(id: ContactId, case_id: Ulid) -> Key {
    Key::new(RELEASED.into(), format!("{}{case_id}", released_prefix(id)))
}

/// The key of an item that was read.
pub(crate) fn of(item: &HashMap<String, AttributeValue>) -> Option<Key> {
    let part = |name: &str| item.get(name)?.as_s().ok().cloned();
    Some(Key { pk: part("pk")?, sk: part("sk")? })
}

/// The partition of the index in which a contact stands while it is in `state`.
pub(crate) fn state(state: &str, id: ContactId) -> String {
    let hash = crate::hash::of(&id.to_string());
    state_shard(state, u64::from(hash[0]) % STATE_SHARDS)
}

pub(crate) fn state_shard(state: &str, shard: u64) -> String {
    format!("{state}#{shard}")
}

fn escape(part: &str) -> String {
    part.replace('%', "%25").replace('#', "%23")
}

fn unescape(part: &str) -> String {
    part.replace("%23", "#").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_stand_as_the_design_says() {
        let id = ContactId::new(Ulid::from_parts(1, 2));
        let ana: Identity = "chat:a#na%".parse().expect("identity");
        assert_eq!(message(id, Seq(41)).sk, "MSG#0000000041");
        assert_eq!(identity(&ana).pk, "IDENTITY#chat:a%23na%25");
        assert_eq!(fact(id, "order", "#W1").sk, "FACT#order#%23W1");
        assert_eq!(memory_sk(Origin::Spill { revision: 3, n: 4 }), "SPILL#0000000003#0004");
        let tea = Timestamp::from_millis(1_796_292_000_000);
        assert_eq!(tally(tea, 6), Key::new("HEALTH#2026-12-03".into(), "10#2"));
        assert_eq!(head(id).pk, format!("CONTACT#{id}"));
        assert_eq!(identity_in(&identity_of(id, &ana).attributes()), Some(ana));
    }

    #[test]
    fn an_origin_is_read_from_its_key() {
        let case = Origin::Case(Ulid::from_parts(1, 2));
        let spill = Origin::Spill { revision: 3, n: 4 };
        for is in [Origin::Reply(Seq(7)), Origin::Feedback(Seq(7)), case, spill] {
            assert_eq!(origin(&memory_sk(is)), Some(is));
            let inside = MEMORIES[0] <= memory_sk(is).as_str() && memory_sk(is).as_str() <= MEMORIES[1];
            assert_eq!(inside, is != spill);
        }
        assert_eq!(origin("BODY#0000000003#0004#0000"), None);
    }

    proptest! {
        #[test]
        fn isolation_two_names_never_meet_in_one_key(a in ".{1,12}", b in ".{1,12}", c in ".{1,12}", d in ".{1,12}") {
            let id = ContactId::new(Ulid::from_parts(1, 2));
            prop_assert_eq!(fact(id, &a, &b) == fact(id, &c, &d), (a, b) == (c, d));
        }
    }
}
