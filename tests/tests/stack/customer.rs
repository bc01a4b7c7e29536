//! One customer of the shared stack: a token and a word of its own, which stands in every message, so that rules
//! and requests of the scripted model can be told apart.

use carryover_shared::clock::SystemClock;
use carryover_shared::traits::Clock;
use carryover_tests::client::{Answer, Client, Message};
use carryover_tests::scripted_model::{Rule, Script, Seen};
use carryover_tests::stack;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Customer {
    pub(crate) client: Client,
    pub(crate) model: Script,
    pub(crate) sub: String,
    pub(crate) word: String,
    posts: AtomicU64,
}

impl Customer {
    /// Somebody whom the shared stack has never seen.
    pub(crate) fn new() -> Self {
        Self::of(stack::shared(), stack::shared_model())
    }

    pub(crate) fn of(client: Client, model: Script) -> Self {
        let word = word();
        Self { client, model, sub: format!("guest-{word}"), word, posts: AtomicU64::new(0) }
    }

    pub(crate) fn identity(&self) -> String {
        format!("chat:{}", self.sub)
    }

    /// The text with the customer's word in it.
    pub(crate) fn signed(&self, text: &str) -> String {
        format!("{text} ({})", self.word)
    }

    pub(crate) fn next_id(&self) -> String {
        format!("m{}", self.posts.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes and waits for the reply.
    pub(crate) async fn say(&self, text: &str) -> Answer {
        self.post(&self.next_id(), text).await
    }

    /// Writes under an id.
    pub(crate) async fn post(&self, id: &str, text: &str) -> Answer {
        self.client.post(&self.sub, id, &self.signed(text)).await.expect("an answer")
    }

    /// Writes and does not wait for the reply.
    pub(crate) async fn say_async(&self, text: &str) -> Answer {
        self.client.post_async(&self.sub, &self.next_id(), &self.signed(text)).await.expect("an answer")
    }

    /// The whole thread, as the API shows it.
    pub(crate) async fn thread(&self) -> Vec<Message> {
        let mut thread: Vec<Message> = vec![];
        loop {
            let after = thread.last().map_or(0, |last| last.seq);
            let page = self.client.messages(&self.sub, after).await.expect("messages");
            if page.messages.is_empty() {
                return thread;
            }
            thread.extend(page.messages);
        }
    }

    /// The messages of one author.
    pub(crate) async fn said_by(&self, author: &str) -> Vec<Message> {
        self.thread().await.into_iter().filter(|message| message.author == author).collect()
    }

    /// A rule for the model when it answers this customer and is told all of `words`.
    pub(crate) fn rule(&self, schema: &str, words: &[&str]) -> Rule {
        let all: Vec<&str> = std::iter::once(self.word.as_str()).chain(words.iter().copied()).collect();
        Rule::when(&all).schema(schema)
    }

    pub(crate) async fn script(&self, rule: Rule) {
        self.model.add(&rule).await.expect("the rule is taken");
    }

    /// What the model was asked about this customer, oldest first.
    pub(crate) async fn asked(&self, schema: &str) -> Vec<Seen> {
        let seen = self.model.requests(&[&self.word]).await.expect("requests");
        seen.into_iter().filter(|request| request.schema == schema).collect()
    }

    /// The newest prompt of the reply model.
    pub(crate) async fn prompt(&self) -> Seen {
        self.asked("reply").await.pop().expect("a prompt")
    }
}

/// Twelve letters that nobody else uses and that no summary has to keep: neither a number nor a name.
pub(crate) fn word() -> String {
    let random = SystemClock.ulid().random();
    let letter = |n: u32| char::from(b'a' + u8::try_from((random >> (5 * n)) & 0xf).expect("four bits"));
    std::iter::once('q').chain((0..12).map(letter)).collect()
}
