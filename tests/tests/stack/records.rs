//! The table of the shared stack, read directly: what the customer cannot see is compared here.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use carryover_command::outputs::Outputs;
use carryover_tests::{eventually, stack};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

pub(crate) struct Records {
    client: Client,
    table: String,
}

type Item = HashMap<String, AttributeValue>;

impl Records {
    pub(crate) async fn shared() -> Self {
        Self::of(stack::shared().outputs()).await
    }

    pub(crate) async fn of(outputs: &Outputs) -> Self {
        let client = Client::new(&carryover_shared::aws::config_of(&outputs.endpoint).await);
        Self { client, table: outputs.table.clone() }
    }

    /// Whose identity this is, if anybody's.
    pub(crate) async fn contact(&self, identity: &str) -> Option<String> {
        let item = self.item(&format!("IDENTITY#{identity}"), "IDENTITY").await?;
        item["contact_id"].as_str().map(str::to_owned)
    }

    /// The head of a thread.
    pub(crate) async fn head(&self, contact: &str) -> Value {
        self.item(&format!("CONTACT#{contact}"), "HEAD").await.expect("a head")
    }

    /// All messages of a thread, oldest first.
    pub(crate) async fn log(&self, contact: &str) -> Vec<Value> {
        self.items(&format!("CONTACT#{contact}"), "MSG#").await
    }

    /// The whole text of every message, by number.
    pub(crate) async fn said(&self, contact: &str) -> BTreeMap<u64, String> {
        let bodies = self.items(&format!("CONTACT#{contact}"), "BODY#").await;
        let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
        let whole = |message: &Value| {
            let prefix = format!("BODY#{:010}#", number(message, "seq"));
            let own = bodies.iter().filter(|body| text(body, "sk").starts_with(&prefix));
            let middle: String = own.map(|body| text(body, "text")).collect();
            (number(message, "seq"), text(message, "text") + &middle + &text(message, "tail"))
        };
        self.log(contact).await.iter().map(whole).collect()
    }

    /// Cases, oldest first.
    pub(crate) async fn cases(&self, contact: &str) -> Vec<Value> {
        self.items(&format!("CONTACT#{contact}"), "CASE#").await
    }

    /// Snapshot and history.
    pub(crate) async fn snapshot(&self, contact: &str) -> Value {
        self.item(&format!("SNAPSHOT#{contact}"), "SNAPSHOT").await.expect("a snapshot")
    }

    /// What folds could not keep.
    pub(crate) async fn spills(&self, contact: &str) -> Vec<Value> {
        self.items(&format!("MEMORY#{contact}"), "SPILL#").await
    }

    /// Waits until the memory bank has an item whose key starts so; the first of them.
    pub(crate) async fn remembered(&self, contact: &str, key: &str) -> Value {
        let memories = async || self.items(&format!("MEMORY#{contact}"), key).await;
        eventually(&format!("{key} is remembered"), async || memories().await.into_iter().next()).await
    }

    /// Everything in the memory bank.
    pub(crate) async fn memories(&self, contact: &str) -> Vec<Value> {
        self.items(&format!("MEMORY#{contact}"), "").await
    }

    /// Puts an item into the table as it is.
    pub(crate) async fn put(&self, item: Value) {
        let item: Item = serde_dynamo::to_item(item).expect("an object of JSON");
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.expect("the table takes it");
    }

    /// Key and size in bytes of every item in a contact's own partition.
    pub(crate) async fn sizes(&self, contact: &str) -> Vec<(String, usize)> {
        let bytes = |value: &AttributeValue| match value {
            AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
            AttributeValue::B(blob) => blob.as_ref().len(),
            // Lists, maps and sets; their text is longer than they are.
            other => format!("{other:?}").len(),
        };
        let items = self.query(&format!("CONTACT#{contact}"), "").await;
        let size = |item: &Item| item.iter().map(|(name, value)| name.len() + bytes(value)).sum();
        items.iter().map(|item| (item["sk"].as_s().cloned().expect("a key"), size(item))).collect()
    }

    /// Waits until the four fields know of message `seq`; the snapshot then.
    pub(crate) async fn folded(&self, contact: &str, seq: u64) -> Value {
        eventually(&format!("message {seq} is in the snapshot"), async || {
            let snapshot = self.snapshot(contact).await;
            (number(&snapshot, "as_of") >= seq).then_some(snapshot)
        })
        .await
    }

    /// Waits until the history covers message `seq`; the snapshot then.
    pub(crate) async fn covered(&self, contact: &str, seq: u64) -> Value {
        eventually(&format!("message {seq} is covered"), async || {
            let snapshot = self.snapshot(contact).await;
            (number(&snapshot, "folded_through") >= seq).then_some(snapshot)
        })
        .await
    }

    /// Waits until nothing of a thread waits for the bot; its head then.
    pub(crate) async fn settled(&self, contact: &str) -> Value {
        eventually("everything is settled", async || {
            let head = self.head(contact).await;
            (number(&head, "settled_seq") >= number(&head, "last_customer_seq")).then_some(head)
        })
        .await
    }

    /// Pretends that folds have covered all up to `seq`.
    pub(crate) async fn skip_to(&self, contact: &str, seq: u64) {
        let mut snapshot = self.snapshot(contact).await;
        snapshot["folded_through"] = json!(seq);
        self.put(snapshot).await;
    }

    /// Makes a version of an agent live, as a publication does.
    pub(crate) async fn publish(&self, agent: &str, version: u32) {
        let put = self.client.put_item().table_name(&self.table);
        let put = put.item("pk", string(&format!("LIVE#{agent}"))).item("sk", string("LIVE"));
        put.item("version", AttributeValue::N(version.to_string())).send().await.expect("the table takes it");
    }

    async fn item(&self, pk: &str, sk: &str) -> Option<Value> {
        let get = self.client.get_item().table_name(&self.table).consistent_read(true);
        let found = get.key("pk", string(pk)).key("sk", string(sk)).send().await.expect("the table answers");
        found.item.map(|item| serde_dynamo::from_item(item).expect("an item"))
    }

    async fn items(&self, pk: &str, prefix: &str) -> Vec<Value> {
        let items = self.query(pk, prefix).await;
        items.into_iter().map(|item| serde_dynamo::from_item(item).expect("an item")).collect()
    }

    async fn query(&self, pk: &str, prefix: &str) -> Vec<Item> {
        let query = self.client.query().table_name(&self.table).consistent_read(true);
        let query = if prefix.is_empty() {
            query.key_condition_expression("pk = :pk")
        } else {
            let prefixed = query.key_condition_expression("pk = :pk AND begins_with(sk, :sk)");
            prefixed.expression_attribute_values(":sk", string(prefix))
        };
        let mut pages = query.expression_attribute_values(":pk", string(pk)).into_paginator().items().send();
        let mut items = vec![];
        while let Some(item) = pages.next().await {
            items.push(item.expect("the table answers"));
        }
        items
    }
}

fn string(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number of an item; zero where it has none.
pub(crate) fn number(item: &Value, field: &str) -> u64 {
    item[field].as_u64().unwrap_or(0)
}

/// The numbers of the messages of one author in a log.
pub(crate) fn of<'a>(log: &'a [Value], author: &str) -> Vec<&'a Value> {
    log.iter().filter(|message| message["author"] == author).collect()
}

/// A bot's message that answers customer message `seq`.
pub(crate) fn answers(message: &Value, seq: u64) -> bool {
    message["author"] == "bot"
        && (number(message, "answers_from")..=number(message, "in_reply_to")).contains(&seq)
}
