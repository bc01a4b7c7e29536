//! *isolation*: nothing of one contact is ever in a prompt, a call of the bank or a log line of another, whatever they
//! do and in whatever order. *quiet-logs*: nothing that anybody wrote is in a log line at all.

use carryover_shared::bank::Embedded;
use carryover_shared::contact::ContactId;
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::limits::Limits;
use carryover_shared::memory::{Exchange, Origin, Query, Recall};
use carryover_shared::retain;
use carryover_shared::traits::{BankError, Clock, MemoryBank, Question, Role};
use carryover_shared::{fold, handoff};
use carryover_tests::logs::Logs;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::world::{World, operator};
use futures::future::BoxFuture;
use proptest::prelude::*;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Whoever writes carries a word of theirs in everything.
const PEOPLE: [(&str, &str); 2] = [("ana", "anasecret"), ("leo", "leosecret")];

#[derive(Debug, Clone, Copy)]
enum Step {
    Write,
    WriteAsync,
    Work,
    Fold,
    Retain,
    PutFact,
    HandBack,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step, u32)>> {
    let step = prop_oneof![
        4 => Just(Step::Write),
        2 => Just(Step::WriteAsync),
        2 => Just(Step::Work),
        2 => Just(Step::Fold),
        2 => Just(Step::Retain),
        1 => Just(Step::PutFact),
        1 => Just(Step::HandBack),
    ];
    prop::collection::vec((0..PEOPLE.len(), step, 0_u32..20), 1..40)
}

/// The embedded bank, which writes down what it is asked for whom.
#[derive(Clone)]
struct Listening {
    bank: Embedded,
    calls: Arc<Mutex<Vec<(ContactId, String)>>>,
}

impl Listening {
    fn note(&self, contact: ContactId, text: String) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push((contact, text));
    }

    fn calls(&self) -> Vec<(ContactId, String)> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl MemoryBank for Listening {
    fn recall<'a>(&'a self, contact: ContactId, query: &'a Query) -> BoxFuture<'a, Recall> {
        self.note(contact, query.text.clone());
        self.bank.recall(contact, query)
    }

    fn retain<'a>(
        &'a self,
        contact: ContactId,
        exchange: &'a Exchange,
    ) -> BoxFuture<'a, Result<(), BankError>> {
        self.note(contact, format!("{} {}", exchange.said, exchange.replied));
        self.bank.retain(contact, exchange)
    }

    fn leave_out<'a>(&'a self, contact: ContactId, origin: Origin) -> BoxFuture<'a, Result<(), BankError>> {
        self.bank.leave_out(contact, origin)
    }

    fn forget(&self, contact: ContactId) -> BoxFuture<'_, Result<(), BankError>> {
        self.bank.forget(contact)
    }
}

/// Repeats what it reads, as a careless model would; a summary takes up all that it is given.
fn answer(question: &Question) -> Said {
    let words: Vec<&str> = PEOPLE.iter().map(|(_, word)| *word).collect();
    let heard: Vec<&str> = words.into_iter().filter(|word| question.user.contains(word)).collect();
    let heard = heard.join(" and ");
    Ok(match question.role {
        Role::Reply => json!({"action": "reply", "reply": format!("About {heard}, number {}.",
            question.user.len() % 3), "category": "", "reason": ""}),
        _ => json!({
            "guest_intent": format!("wants {heard}"), "summary_text": format!("talks of {heard}"),
            "history": format!("Language: English\ntalked of {heard}"),
            "established_facts": [heard], "open_questions": [],
        }),
    })
}

struct Stage {
    world: World,
    bank: Listening,
    model: FakeModel,
}

impl Stage {
    async fn new() -> Self {
        let model = FakeModel::new(answer);
        let limits = Limits { window_messages: 2, pending_messages: 2, ..Limits::default() };
        let mut world = World::with_limits(model.clone(), limits).await;
        let bank = Listening {
            bank: Embedded::new(world.ctx.store.clone(), &world.ctx.limits),
            calls: Arc::default(),
        };
        world.ctx.bank = Arc::new(bank.clone());
        Self { world, bank, model }
    }

    async fn take(&self, n: usize, who: usize, step: Step, about: u32) {
        let (name, word) = PEOPLE[who];
        let text = format!("I ask about {word} topic{about}, what about the {word} kettle?");
        match step {
            Step::Write => {
                let _ = self.world.write(name, &n.to_string(), &text).await.expect("a table");
            }
            Step::WriteAsync => {
                let _ = self.world.drop_off(name, &n.to_string(), &text).await.expect("a table");
            }
            Step::Work => {
                let _ = self.world.work().await.expect("a table");
            }
            Step::Fold => self.fold().await,
            Step::Retain => self.retain().await,
            Step::PutFact => self.put_fact(who, about).await,
            Step::HandBack => self.hand_back(who).await,
        }
        self.world.clock.advance(Duration::from_secs(40));
    }

    async fn fold(&self) {
        let ctx = fold::Context {
            store: self.world.ctx.store.clone(),
            model: Arc::new(self.model.clone()),
            retention: Some(self.world.sent.clone()),
            clock: self.world.clock.clone(),
            limits: self.world.ctx.limits.clone(),
        };
        for job in self.world.sent.take_folds() {
            let deadline = self.world.clock.now() + Duration::from_secs(300);
            let _ = fold::run(&ctx, job, deadline).await.expect("a table");
        }
    }

    async fn retain(&self) {
        let ctx = retain::Context {
            store: self.world.ctx.store.clone(),
            bank: Arc::new(self.bank.clone()),
            events: self.world.sent.clone(),
            clock: self.world.clock.clone(),
            limits: self.world.ctx.limits.clone(),
        };
        for job in self.world.sent.take_retentions() {
            let _ = retain::run(&ctx, job).await.expect("a bank");
        }
    }

    async fn put_fact(&self, who: usize, about: u32) {
        let (name, word) = PEOPLE[who];
        let store = &self.world.ctx.store;
        let Some(contact) = store.resolve(&carryover_tests::world::identity(name)).await.expect("a table")
        else {
            return;
        };
        let as_of = AsOf::from(self.world.clock.now());
        let (kind, id) = ("order".into(), format!("{word}{about}"));
        let fact = Fact { kind, id, as_of, source: "shop".into(), data: json!({"for": word}) };
        let _ = store.put_fact(contact, &fact, &self.world.ctx.limits).await.expect("a table");
    }

    async fn hand_back(&self, who: usize) {
        let store = &self.world.ctx.store;
        let identity = carryover_tests::world::identity(PEOPLE[who].0);
        let Some(contact) = store.resolve(&identity).await.expect("a table") else { return };
        let _ = handoff::hand_back(&self.world.handoff(), contact, &operator("leo"), true, None).await;
    }

    async fn check(&self, logs: &Logs) -> Result<(), TestCaseError> {
        for question in self.model.questions() {
            let asked = format!("{}\n{}", question.system, question.user);
            let heard = PEOPLE.iter().filter(|(_, word)| asked.contains(word)).count();
            prop_assert!(heard <= 1, "isolation: a prompt knows two customers: {asked}");
        }
        let calls = self.bank.calls();
        for (name, word) in PEOPLE {
            let identity = carryover_tests::world::identity(name);
            let Some(contact) = self.world.ctx.store.resolve(&identity).await.expect("a table") else {
                continue;
            };
            let others = PEOPLE.iter().filter(|(other, _)| *other != name).map(|(_, word)| *word);
            for other in others {
                let of_contact = calls.iter().filter(|(whose, _)| *whose == contact);
                for (_, text) in of_contact {
                    prop_assert!(!text.contains(other), "isolation: {name}'s bank hears of {other}: {text}");
                }
            }
            let said = |line: &serde_json::Value| line.to_string().contains(word);
            prop_assert!(!logs.lines().iter().any(said), "quiet-logs: a line of the log knows {word}");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn isolation_two_contacts_never_meet(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (logs, _listening) = Logs::listen();
        runtime.block_on(async {
            let stage = Stage::new().await;
            for (n, (who, step, about)) in steps.into_iter().enumerate() {
                stage.take(n, who, step, about).await;
            }
            // Everything that is still on its way arrives.
            for _ in 0..2 {
                let _ = stage.world.work().await.expect("a table");
                stage.fold().await;
                stage.retain().await;
            }
            stage.check(&logs).await
        })?;
    }
}
