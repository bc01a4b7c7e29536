//! Flags, beside the reply that they are on. The reply itself says how many stand, and the head which replies have one,
//! so that turns and folds know without looking for flags.

use super::expression::Expression;
use super::facts::alive;
use super::listing::List;
use super::transaction::{Part, Transaction, Written};
use super::{Item, ROUNDS, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::flag::Flag;
use crate::limits::Limits;
use crate::thread::{Message, Seq};
use serde::Serialize;
use std::collections::BTreeSet;

impl Store {
    /// Raises a flag, or changes one that stands; `false` where contact or reply are gone (*erasable*).
    ///
    /// # Errors
    /// The table cannot be read or written.
    pub async fn raise_flag(
        &self,
        contact: ContactId,
        flag: &Flag,
        limits: &Limits,
    ) -> Result<bool, StoreError> {
        self.change_flag(contact, flag, limits, |before| match before {
            Some(before) if before.stands() => Some(0),
            _ => Some(1),
        })
        .await
    }

    /// Takes a flag back, which is `flag` with the moment that says so; one that does not stand stays as it is.
    ///
    /// # Errors
    /// The table cannot be read or written.
    pub async fn withdraw_flag(
        &self,
        contact: ContactId,
        flag: &Flag,
        limits: &Limits,
    ) -> Result<bool, StoreError> {
        self.change_flag(contact, flag, limits, |before| before.filter(|before| before.stands()).map(|_| -1))
            .await
    }

    /// Writes a flag; `by` says how many more stand then, given what was there, or that nothing is to be written.
    async fn change_flag(
        &self,
        contact: ContactId,
        flag: &Flag,
        limits: &Limits,
        by: impl Fn(Option<&Flag>) -> Option<i32>,
    ) -> Result<bool, StoreError> {
        let key = keys::flag(contact, flag.seq, flag.flag_id);
        for _ in 0..ROUNDS {
            let (head, reply, before) = futures::try_join!(
                self.head(contact),
                self.message(contact, flag.seq),
                self.get::<Flag>(&key, "flag")
            )?;
            let (Some(head), Some(reply)) = (head.filter(|head| !head.erasing), reply) else {
                return Ok(false);
            };
            let Some(by) = by(before.as_ref()) else { return Ok(true) };
            let still = Expression::new()
                .if_still("at_millis", before.as_ref().map(|before| before.at))
                .if_still("withdrawn_at_millis", before.and_then(|before| before.withdrawn_at));
            let transaction = Transaction::new(self.clock().ulid());
            let transaction = transaction.put(self, Part::Beside, &key, listed(contact, flag)?, still);
            let head_key = keys::head(contact);
            let transaction = if by == 0 {
                transaction.check(self, Part::Head, &head_key, alive())
            } else {
                let flags = reply.flags.saturating_add_signed(by);
                transaction
                    .update(self, Part::Message, &keys::message(contact, flag.seq), counted(&reply, flags))
                    .update(self, Part::Head, &head_key, known(&head.flagged, flag.seq, flags, limits))
            };
            if matches!(transaction.write(self).await?, Written::Done) {
                return Ok(true);
            }
        }
        Err(StoreError::Contended)
    }

    /// The flags on messages `from..=to` that stand, oldest message first, at most `most` of all there are.
    pub async fn flags(
        &self,
        contact: ContactId,
        from: Seq,
        to: Seq,
        most: usize,
    ) -> Result<Vec<Flag>, StoreError> {
        let range = Range {
            pk: &keys::contact(contact),
            span: Span::Between(keys::flag_prefix(from), keys::flag_prefix(to.next())),
            oldest_first: true,
            limit: most,
            start: None,
        };
        let flags = self.all(range).await?.into_iter().map(|item| from_item(item, "flag"));
        flags.filter(|flag: &Result<Flag, _>| flag.as_ref().map_or(true, Flag::stands)).collect()
    }
}

/// A flag that stands is in the list of those.
fn listed(contact: ContactId, flag: &Flag) -> Result<Item, StoreError> {
    #[derive(Serialize)]
    struct FlagItem<'a> {
        contact_id: ContactId,
        #[serde(flatten)]
        flag: &'a Flag,
    }
    let mut item = to_item(FlagItem { contact_id: contact, flag }, "flag")?;
    if flag.stands() {
        item.extend(List::Flagged.attributes(contact, flag.at));
    }
    Ok(item)
}

/// The reply has so many flags that stand.
fn counted(reply: &Message, flags: u32) -> Expression {
    let still = Expression::new().if_present("pk").if_still_said("flags", &reply.flags);
    if flags == 0 { still.remove("flags") } else { still.set("flags", flags) }
}

/// The head knows the newest replies that have one.
fn known(before: &BTreeSet<Seq>, seq: Seq, flags: u32, limits: &Limits) -> Expression {
    let mut flagged = before.clone();
    if flags == 0 {
        flagged.remove(&seq);
    } else {
        flagged.insert(seq);
    }
    while flagged.len() > limits.flagged_replies {
        flagged.pop_first();
    }
    let change = alive().if_still_said("flagged", before);
    if flagged.is_empty() { change.remove("flagged") } else { change.set("flagged", flagged) }
}
