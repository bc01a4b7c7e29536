//! Flags, beside the reply that they are on.

use super::expression::Expression;
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::contact::ContactId;
use crate::flag::Flag;
use crate::thread::Seq;
use crate::time::Timestamp;

impl Store {
    /// Keeps a flag; `false` where the contact is gone or being erased (*erasable*).
    pub async fn put_flag(&self, contact: ContactId, flag: &Flag) -> Result<bool, StoreError> {
        let key = keys::flag(contact, flag.seq, flag.flag_id);
        let transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Beside, &key, to_item(flag, "flag")?, Expression::new())
            .check(self, Part::Head, &keys::head(contact), alive());
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// Marks a flag as taken back.
    pub async fn withdraw_flag(
        &self,
        contact: ContactId,
        flag: &Flag,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let change = Expression::new().if_present("pk").set("withdrawn_at_millis", at);
        self.update(&keys::flag(contact, flag.seq, flag.flag_id), change).await.map(|_| ())
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
