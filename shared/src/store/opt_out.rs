//! Accounts on which a contact wants to hear nothing, and which they may choose among.

use super::contacts::no_longer_waiting;
use super::expression::Expression;
use super::listing::List;
use super::{ROUNDS, Range, Span, Store, StoreError, from_item, keys};
use crate::contact::{Account, ContactId};
use crate::limits::Limits;
use crate::thread::{Author, Channel, Head, Message, Mode};
use std::collections::{BTreeMap, BTreeSet};

impl Store {
    /// The accounts that a customer wrote to in their newest messages, with the channel of each; eventually consistent.
    pub async fn written_to(
        &self,
        contact: ContactId,
        limits: &Limits,
    ) -> Result<BTreeMap<Account, Channel>, StoreError> {
        let pk = keys::contact(contact);
        let span = Span::Prefix(keys::MESSAGE_PREFIX.into());
        let range =
            Range { pk: &pk, span, oldest_first: false, limit: limits.accounts_messages, start: None };
        let mut accounts = BTreeMap::new();
        for item in self.recent_page(range).await?.items {
            let message: Message = from_item(item, "message")?;
            if message.author == Author::Customer {
                accounts.entry(message.account).or_insert(message.channel);
            }
        }
        Ok(accounts)
    }

    /// From now on the contact hears nothing on the accounts of `out`, and on those of `back` what there is to hear;
    /// `false` where they are gone or being erased.
    ///
    /// Where all that waits came to accounts that are opted out it is settled in the same write; else the guard of its
    /// turn does that (*silent-means-silent*).
    pub async fn change_opt_outs(
        &self,
        contact: ContactId,
        out: &BTreeSet<Account>,
        back: &BTreeSet<Account>,
        limits: &Limits,
    ) -> Result<bool, StoreError> {
        let key = keys::head(contact);
        for _ in 0..ROUNDS {
            let Some(item) = self.item(&key).await? else { return Ok(false) };
            let found = item.get("opted_out").cloned();
            let head: Head = from_item(item, "head")?;
            if head.erasing || head.joined_into.is_some() {
                return Ok(false);
            }
            let accounts = &(&(&head.opted_out | out) - back);
            if head.opted_out == *accounts {
                return Ok(true);
            }
            let change = Expression::new()
                .if_present("pk")
                .if_absent("erasing")
                .if_absent("joined_into")
                .if_still_raw("opted_out", found.as_ref());
            let mut change = match accounts.is_empty() {
                true => change.remove("opted_out"),
                false => change.set("opted_out", accounts),
            };
            if head.has_unsettled() && self.all_wait_on(&head, accounts, limits).await? {
                change = List::Bot.put(settled(change, &head), contact, self.clock().now());
            }
            if self.update(&key, change).await?.is_some() {
                return Ok(true);
            }
        }
        Err(StoreError::Contended)
    }

    /// Whether everything that waits for the bot came to one of these accounts.
    async fn all_wait_on(
        &self,
        head: &Head,
        accounts: &BTreeSet<Account>,
        limits: &Limits,
    ) -> Result<bool, StoreError> {
        let (from, most) = (head.settled_seq.next(), limits.unsettled_messages);
        let messages = self.messages(head.contact_id, from, head.last_seq, most).await?;
        let all_read = messages.last().is_some_and(|last| last.seq == head.last_seq);
        Ok(all_read
            && messages
                .iter()
                .filter(|message| message.asks_for_a_turn())
                .all(|message| accounts.contains(&message.account)))
    }
}

/// Nothing of the bot is owed any more, if the thread is still as it was read.
fn settled(change: Expression, head: &Head) -> Expression {
    let change = change
        .if_equal("epoch", head.epoch)
        .if_equal("last_seq", head.last_seq)
        .if_equal("settled_seq", head.settled_seq)
        .if_equal("mode", Mode::Bot)
        .set("settled_seq", head.last_seq)
        .set("turn_tries", 0);
    no_longer_waiting(change)
}
