//! Recorded conversations, and the accounts of those who speak in them.

use crate::facts::{Record, Wanted, modified};
use anyhow::{Context, Result};
use carryover_shared::contact::Identity;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// One conversation; what else a line says of it does not matter here.
#[derive(Debug, Deserialize)]
pub(super) struct Conversation {
    pub(super) conversation_id: String,
    /// The user whom the conversation is with, where it says so itself.
    #[serde(default)]
    user_id: Option<String>,
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    role: String,
    text: String,
}

/// Reads conversations, one a line.
pub(super) fn read(path: &Path) -> Result<Vec<Conversation>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| format!("{}: line {}", path.display(), index + 1))
        })
        .collect()
}

impl Conversation {
    /// Who writes.
    pub(super) fn identity(&self) -> Result<Identity> {
        Identity::chat(&self.conversation_id)
            .with_context(|| format!("conversation_id {:?} names nobody", self.conversation_id))
    }

    /// What the customer says, with its place among the turns.
    pub(super) fn said_by_customer(&self) -> impl Iterator<Item = (usize, &str)> {
        let turns = self.turns.iter().enumerate();
        turns
            .filter(|(_, turn)| {
                ["customer", "user"].contains(&turn.role.as_str()) && !turn.text.trim().is_empty()
            })
            .map(|(index, turn)| (index, turn.text.as_str()))
    }

    /// The words of the tool turns, in order.
    fn tool_words(&self) -> impl Iterator<Item = &str> {
        let tools = self.turns.iter().filter(|turn| turn.role.starts_with("tool"));
        tools.flat_map(|turn| turn.text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-'))
    }
}

/// The records of users and of their orders.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    users: BTreeMap<String, Value>,
    orders: BTreeMap<String, Vec<Record>>,
    users_as_of: String,
    orders_as_of: String,
}

impl Accounts {
    /// Reads them; their files' last change is since when they are so.
    pub(super) fn read(users: Option<&Path>, orders: Option<&Path>) -> Result<Self> {
        let mut accounts = Self::default();
        if let Some(path) = users {
            accounts.users_as_of = modified(path)?;
            accounts.take_users(crate::facts::read(path)?)?;
        }
        if let Some(path) = orders {
            accounts.orders_as_of = modified(path)?;
            accounts.take_orders(crate::facts::read(path)?)?;
        }
        Ok(accounts)
    }

    fn take_users(&mut self, records: Vec<Record>) -> Result<()> {
        for record in records {
            let id = id_of(&record, "user_id")?;
            self.users.insert(id, record.data);
        }
        Ok(())
    }

    fn take_orders(&mut self, records: Vec<Record>) -> Result<()> {
        for record in records {
            let id = id_of(&record, "order_id")?;
            let user = record.text("user_id").with_context(|| format!("order {id}"))?;
            self.orders.entry(user).or_default().push(Record { key: Some(id), ..record });
        }
        Ok(())
    }

    /// The facts of the user whom the conversation is with, if that user is known.
    pub(super) fn facts_of(&self, conversation: &Conversation, identity: &Identity) -> Vec<Wanted> {
        let Some(user) = self.user_of(conversation) else { return vec![] };
        let wanted = |kind: &str, id: &str, as_of: &str, data: &Value| Wanted {
            identity: identity.clone(),
            kind: kind.into(),
            id: id.into(),
            as_of: as_of.into(),
            data: data.clone(),
        };
        let profile = self.users.get(user).map(|data| wanted("profile", user, &self.users_as_of, data));
        let orders = self.orders.get(user).into_iter().flatten().filter_map(|order| {
            Some(wanted("order", order.key.as_deref()?, &self.orders_as_of, &order.data))
        });
        profile.into_iter().chain(orders).collect()
    }

    fn user_of<'a>(&self, conversation: &'a Conversation) -> Option<&'a str> {
        let known = |name: &&str| self.users.contains_key(*name) || self.orders.contains_key(*name);
        let named = conversation.user_id.as_deref().filter(known);
        named.or_else(|| conversation.tool_words().find(known))
    }
}

fn id_of(record: &Record, field: &str) -> Result<String> {
    match &record.key {
        Some(key) => Ok(key.clone()),
        None => record.text(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn conversation(turns: Value) -> Conversation {
        serde_json::from_value(json!({"conversation_id": "c-1", "source": "x", "turns": turns})).unwrap()
    }

    fn accounts() -> Accounts {
        let mut accounts = Accounts::default();
        let record = |key: &str, data| Record { key: Some(key.into()), data };
        accounts
            .take_users(vec![record("ana_1", json!({"email": "a"})), record("leo_2", json!({}))])
            .unwrap();
        let order = |id: &str, user: &str| record(id, json!({"order_id": id, "user_id": user}));
        accounts
            .take_orders(vec![order("#W1", "ana_1"), order("#W2", "leo_2"), order("#W3", "ana_1")])
            .unwrap();
        accounts
    }

    #[test]
    fn only_what_the_customer_says_is_posted() {
        let turns = json!([
            {"role": "user", "text": "Hi"}, {"role": "assistant", "text": "Hello"},
            {"role": "customer", "text": " "}, {"role": "customer", "text": "Where?"}
        ]);
        let said: Vec<_> =
            conversation(turns).said_by_customer().map(|(n, text)| (n, text.to_owned())).collect();
        assert_eq!(said, [(0, "Hi".to_owned()), (3, "Where?".to_owned())]);
    }

    #[test]
    fn the_user_is_the_one_whom_a_tool_turn_names() {
        let identity = Identity::chat("c-1").unwrap();
        let named = conversation(json!([
            {"role": "user", "text": "I am leo_2"},
            {"role": "tool", "text": "{\"order_id\": \"#W1\", \"user_id\": \"ana_1\"}"}
        ]));
        let facts = accounts().facts_of(&named, &identity);
        let ids: Vec<_> = facts.iter().map(|fact| (fact.kind.as_str(), fact.id.as_str())).collect();
        assert_eq!(ids, [("profile", "ana_1"), ("order", "#W1"), ("order", "#W3")]);
        let unnamed = conversation(json!([{"role": "tool", "text": "ana_12 is not found"}]));
        assert!(accounts().facts_of(&unnamed, &identity).is_empty());
    }
}
