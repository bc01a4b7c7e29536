//! One contact with a thread in an embedded table, as tests of use cases need it.

use crate::clock::TestClock;
use crate::table::{TABLE, Table};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use carryover_shared::contact::{Account, ContactId, Identity};
use carryover_shared::limits::Limits;
use carryover_shared::snapshot::Snapshot;
use carryover_shared::store::{Spill, Store};
use carryover_shared::thread::{Author, BotKind, Channel, Message, Parts, Seq};
use carryover_shared::traits::Clock;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// A table with one contact in it.
#[derive(Clone)]
pub struct TestContact {
    /// The table.
    pub table: Table,
    /// The client under the store.
    pub client: Client,
    /// The store over it.
    pub store: Store,
    /// The clock.
    pub clock: Arc<TestClock>,
    /// The limits of the store.
    pub limits: Limits,
    /// The contact.
    pub id: ContactId,
}

impl std::fmt::Debug for TestContact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.id.fmt(f)
    }
}

impl TestContact {
    /// A contact that has said nothing yet.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn new(limits: Limits) -> Self {
        let (table, clock) = (Table::new(), Arc::new(TestClock::new()));
        let client = table.client();
        let store = Store::new(client.clone(), TABLE, clock.clone(), &limits);
        let id = ContactId::new(clock.ulid());
        let ana: Identity = "chat:ana".parse().expect("an identity");
        assert!(store.create_contact(id, &ana).await.expect("a table"), "a fresh table");
        Self { table, client, store, clock, limits, id }
    }

    /// Writes messages into the log, after those that are there; the newest number.
    ///
    /// # Panics
    /// If the table refuses them.
    pub async fn log(&self, messages: &[(Author, &str)]) -> Seq {
        let mut seq = self.store.head(self.id).await.expect("a table").expect("a head").last_seq;
        let mut items = vec![];
        for (author, text) in messages {
            seq = seq.next();
            let parts = Parts::of(text, self.limits.message_chars);
            for (n, body) in parts.bodies.iter().enumerate() {
                let body = HashMap::from([("text", body)]);
                items.push(self.item(format!("BODY#{:010}#{n:04}", seq.0), body));
            }
            items.push(self.item(format!("MSG#{:010}", seq.0), self.message(seq, *author, parts)));
        }
        self.put(items).await;
        self.set_head("last_seq", seq.0).await;
        seq
    }

    /// Sets a number of the head.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn set_head(&self, attribute: &str, value: impl Serialize) {
        self.table.set(&format!("CONTACT#{}", self.id), "HEAD", attribute, value).await;
    }

    /// Sets an attribute of the snapshot's item.
    ///
    /// # Panics
    /// If the table refuses it.
    pub async fn set_snapshot(&self, attribute: &str, value: impl Serialize) {
        self.table.set(&format!("SNAPSHOT#{}", self.id), "SNAPSHOT", attribute, value).await;
    }

    /// Snapshot and history.
    ///
    /// # Panics
    /// If there is none that can be read.
    pub async fn snapshot(&self) -> Snapshot {
        self.store.snapshot(self.id).await.expect("a table").expect("a snapshot")
    }

    /// Every spill, newest first.
    ///
    /// # Panics
    /// If they cannot be read.
    pub async fn spills(&self) -> Vec<Spill> {
        self.store.spills(self.id, 10_000).await.expect("spills")
    }

    fn message(&self, seq: Seq, author: Author, parts: Parts) -> Message {
        Message {
            kind: (author == Author::Bot).then_some(BotKind::Reply),
            ..Message::new(seq, author, Channel::Chat, Account::chat(), &parts, self.clock.now())
        }
    }

    fn item(&self, sk: String, body: impl Serialize) -> HashMap<String, AttributeValue> {
        let mut item: HashMap<String, AttributeValue> =
            serde_dynamo::aws_sdk_dynamodb_1::to_item(body).expect("an item");
        item.insert("pk".into(), AttributeValue::S(format!("CONTACT#{}", self.id)));
        item.insert("sk".into(), AttributeValue::S(sk));
        item
    }

    async fn put(&self, items: Vec<HashMap<String, AttributeValue>>) {
        let write = |item: &HashMap<_, _>| {
            let put = PutRequest::builder().set_item(Some(item.clone())).build().expect("an item");
            WriteRequest::builder().put_request(put).build()
        };
        for some in items.chunks(25) {
            let writes = some.iter().map(write).collect();
            self.table
                .client()
                .batch_write_item()
                .request_items(TABLE, writes)
                .send()
                .await
                .expect("a write");
        }
    }
}
