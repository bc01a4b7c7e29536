//! Processes die at the worst moments: the message is answered once all the same.

use crate::customer::Customer;
use crate::records::{Records, answers, number};
use carryover_tests::client::Client;
use carryover_tests::scripted_model::ScriptedModel;
use carryover_tests::stack::Stack;
use carryover_tests::{eventually, processes};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};

/// Short turns, so that leases end and safety nets come soon.
const LIMITS: &str = r#"{"reply_seconds": 4}"#;

/// A stack of its own: nobody else's processes are killed.
struct Scene {
    stack: Stack,
    model: ScriptedModel,
    records: Records,
}

impl Scene {
    async fn set() -> Self {
        let model = ScriptedModel::start().await.expect("a model");
        let dir: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crashes");
        let _ = std::fs::remove_dir_all(&dir);
        let url = model.url();
        let environment = [("MODEL_URL", url.as_str()), ("REPLY_MODEL", "scripted"), ("LIMITS", LIMITS)];
        let stack = Stack::start(&dir, &environment).expect("a stack");
        let records = Records::of(&stack.outputs().expect("outputs")).await;
        Self { stack, model, records }
    }

    fn customer(&self) -> Customer {
        let client: Client = self.stack.client().expect("a client");
        Customer::of(client, (*self.model).clone())
    }

    /// Kills every process of these functions; how many there were.
    fn kill(&self, functions: &[&str]) -> usize {
        let is_of = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment);
            functions
                .iter()
                .any(|name| environment.contains(&format!("AWS_LAMBDA_FUNCTION_NAME=carryover-{name}-")))
        };
        let pids: Vec<u32> = processes::of(self.stack.dir()).into_iter().filter(is_of).collect();
        for pid in &pids {
            let pid = i32::try_from(*pid).ok().and_then(Pid::from_raw).expect("a process id");
            // One that has just ended by itself is as dead.
            let _ = kill_process(pid, Signal::KILL);
        }
        pids.len()
    }

    /// Looks at a thread as often as it can until it has so many messages, then kills the functions.
    async fn kill_at(&self, customer: &Customer, messages: usize) {
        loop {
            if let Some(contact) = self.records.contact(&customer.identity()).await
                && self.records.log(&contact).await.len() >= messages
            {
                break;
            }
        }
        assert!(self.kill(&["ReplyDoor"]) > 0);
    }

    /// The first message of the customer has one answer, and keeps one.
    async fn assert_answered_once(&self, customer: &Customer) {
        let contact = self.records.contact(&customer.identity()).await.expect("a contact");
        eventually("the message is answered", async || {
            self.records.log(&contact).await.iter().any(|message| answers(message, 1)).then_some(())
        })
        .await;
        self.records.settled(&contact).await;
        self.records.folded(&contact, 2).await;
        let next = customer.say("And the sauna?").await;
        assert_eq!(next.body["status"], "replied", "{next:?}");
        let again = customer.post("m0", "Is the pool open?").await;
        assert_eq!(again.body["status"], "duplicate", "{again:?}");
        assert!(!again.reply().is_empty(), "{again:?}");
        let log = self.records.log(&contact).await;
        let authors: Vec<_> =
            log.iter().map(|message| message["author"].as_str().expect("an author")).collect();
        assert_eq!(authors, ["customer", "bot", "customer", "bot"]);
        assert!(log.iter().map(|message| number(message, "seq")).eq(1..=4));
        assert_eq!(log[1]["kind"], "reply", "answered, not handed over");
        assert!(self.records.cases(&contact).await.is_empty());
    }

    /// What is queued and delayed for turns has been done: nothing late answers again.
    async fn drained(&self) {
        let outputs = self.stack.outputs().expect("outputs");
        let sdk = carryover_shared::aws::config_of(&outputs.endpoint).await;
        let sqs = aws_sdk_sqs::Client::new(&sdk);
        eventually("no job of a turn is left", async || {
            let attributes = sqs.get_queue_attributes().queue_url(&outputs.queues["turns"]);
            let attributes = attributes.attribute_names(aws_sdk_sqs::types::QueueAttributeName::All);
            let found = attributes.send().await.expect("the queue answers").attributes.unwrap_or_default();
            let counts =
                found.iter().filter(|(name, _)| name.as_str().starts_with("ApproximateNumberOfMessages"));
            let left: u32 = counts.map(|(_, count)| count.parse::<u32>().unwrap_or(0)).sum();
            (left == 0).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_message_whose_processes_are_killed_is_answered_once_all_the_same() {
    let scene = Scene::set().await;

    let admitted = killed_after_admission(&scene).await;
    let admitted_at_the_door = killed_after_admission_at_the_door(&scene).await;
    let thinking = killed_while_the_model_thinks(&scene).await;
    let committed = killed_after_the_commit(&scene).await;

    for customer in [&admitted, &admitted_at_the_door, &thinking, &committed] {
        scene.assert_answered_once(customer).await;
    }
    scene.drained().await;
    for customer in [&admitted, &admitted_at_the_door, &thinking, &committed] {
        assert_eq!(customer.thread().await.len(), 4, "nothing late answers again");
    }
}

/// The message is in the log and its job is on the queue when door and worker die.
async fn killed_after_admission(scene: &Scene) -> Customer {
    let customer = scene.customer();
    let accepted = customer.say_async("Is the pool open?").await;
    assert_eq!(accepted.status, 202, "{accepted:?}");
    assert!(scene.kill(&["ReplyDoor", "ReplyWorker"]) > 0);
    customer
}

/// The door dies as soon as the message is in the log, before anything is answered.
async fn killed_after_admission_at_the_door(scene: &Scene) -> Customer {
    let customer = scene.customer();
    hold(scene, &customer).await;
    let (answer, ()) = tokio::join!(customer.say("Is the pool open?"), scene.kill_at(&customer, 1));
    assert!(answer.status.is_server_error(), "{answer:?}");
    scene.model.release(&customer.word).await.expect("the gate opens");
    customer
}

async fn killed_while_the_model_thinks(scene: &Scene) -> Customer {
    let customer = scene.customer();
    hold(scene, &customer).await;
    let (answer, ()) = tokio::join!(customer.say("Is the pool open?"), async {
        scene.model.wait_for(&[&customer.word], 1).await.expect("the model is asked");
        assert!(scene.kill(&["ReplyDoor"]) > 0);
    });
    assert!(answer.status.is_server_error(), "{answer:?}");
    scene.model.release(&customer.word).await.expect("the gate opens");
    customer
}

/// The reply is in the log; whether its jobs are sent and the customer has it depends on the moment.
async fn killed_after_the_commit(scene: &Scene) -> Customer {
    let customer = scene.customer();
    tokio::join!(customer.say("Is the pool open?"), scene.kill_at(&customer, 2));
    customer
}

/// The model thinks about this customer until its gate opens.
async fn hold(scene: &Scene, customer: &Customer) {
    let rule = customer.rule("reply", &[]).hold(&customer.word);
    scene.model.add(&rule).await.expect("the rule is taken");
}
