//! Routing in process: whom a new case is for, who is told of it, and what becomes of one that nobody takes.

use carryover_shared::admit::{self, Answer};
use carryover_shared::aws;
use carryover_shared::case::{Case, Category, Priority};
use carryover_shared::handoff;
use carryover_shared::job::{NotificationJob, Notify};
use carryover_shared::messenger::Messengers;
use carryover_shared::notification::Notification;
use carryover_shared::notify::{self, End, Worked};
use carryover_shared::routing::{Routing, Target};
use carryover_shared::tally::Count;
use carryover_shared::traits::{Clock, Messenger, MessengerError, Question};
use carryover_shared::turn;
use carryover_tests::logs::Logs;
use carryover_tests::model::{FakeModel, Said};
use carryover_tests::receiver::{Receiver, SECRET};
use carryover_tests::world::{World, operator};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const NOTHING: [(NotificationJob, Duration); 0] = [];

/// Deposits go to billing and, after a quarter of an hour each, to front and lead; all else goes to front.
fn routing() -> Routing {
    let routing = json!({
        "teams": {
            "billing": {"webhook": "https://billing.example.com/hook", "secret": SECRET},
            "front": {"slack": "https://hooks.slack.com/services/T/B/x"},
            "lead": {"email": "lead@example.com"},
        },
        "routes": {
            "policy_restriction":
                {"team": "billing", "priority": "high", "take_minutes": 15, "then": ["front", "lead"]},
            "default": {"team": "front"},
        },
    });
    Routing::parse(&routing.to_string()).expect("a routing")
}

/// Tells nobody, and keeps what it was to tell; fails where it is told to.
#[derive(Default)]
struct FakeMessenger {
    sent: Mutex<Vec<(String, Notification)>>,
    fails: Mutex<Option<MessengerError>>,
    hangs: Mutex<bool>,
}

impl FakeMessenger {
    fn take(&self) -> Vec<(String, Notification)> {
        std::mem::take(&mut *lock(&self.sent))
    }

    fn fail(&self, error: Option<MessengerError>) {
        *lock(&self.fails) = error;
    }
}

impl Messenger for FakeMessenger {
    fn send<'a>(
        &'a self,
        target: &'a Target,
        notification: &'a Notification,
    ) -> BoxFuture<'a, Result<(), MessengerError>> {
        let hangs = *lock(&self.hangs);
        lock(&self.sent).push((format!("{target:?}"), notification.clone()));
        let failed = lock(&self.fails).clone();
        Box::pin(async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            failed.map_or(Ok(()), Err)
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A world with a routing, and what its notifier needs.
struct Office {
    world: World,
    messenger: Arc<FakeMessenger>,
    ctx: notify::Context,
}

impl Office {
    async fn new() -> Self {
        Self::with(routing()).await
    }

    async fn with(routing: Routing) -> Self {
        let model = FakeModel::new(|question: &Question| -> Said {
            let (action, category) = if question.user.contains("horse") {
                ("escalate", "missing_knowledge")
            } else {
                ("reply", "")
            };
            Ok(
                json!({"action": action, "reply": "Gladly.", "category": category, "reason": "They said horse."}),
            )
        });
        let mut world = World::new(model).await;
        world.ctx.routing = Arc::new(routing);
        let messenger = Arc::new(FakeMessenger::default());
        let ctx = notify::Context {
            store: world.ctx.store.clone(),
            routing: world.ctx.routing.clone(),
            messenger: messenger.clone(),
            queue: world.ctx.queue.clone(),
            clock: world.ctx.clock.clone(),
            limits: world.ctx.limits.clone(),
            console_url: "https://console.example.com".into(),
        };
        Self { world, messenger, ctx }
    }

    /// Ana asks for her deposit; the jobs that this sends.
    async fn asks_for_the_deposit(&self) -> Vec<NotificationJob> {
        self.escalates("m1", "When do I get my deposit back?").await;
        self.world.sent.take_notifications().into_iter().map(|(job, _)| job).collect()
    }

    async fn escalates(&self, id: &str, text: &str) {
        let answer = self.world.write("ana", id, text).await.expect("an answer");
        assert!(matches!(answer, Answer::New { end: turn::End::Escalated(_), .. }), "{answer:?}");
    }

    async fn case(&self) -> Case {
        let contact = self.world.contact("ana").await;
        self.world.ctx.store.cases(contact).await.expect("a table").remove(0)
    }

    async fn run(&self, job: NotificationJob) -> End {
        notify::run(&self.ctx, job).await.expect("it can be done")
    }

    async fn work(&self, job: NotificationJob, receives: u32) -> Worked {
        notify::work(&self.ctx, job, receives, self.world.clock.now() + Duration::from_secs(30)).await
    }

    async fn job(&self, step: u32, what: Notify) -> NotificationJob {
        let case = self.case().await;
        let Case { contact_id, case_id, round_at, .. } = case;
        NotificationJob { contact_id, case_id, round_at, step, what }
    }

    fn told(&self) -> Vec<String> {
        self.messenger.take().into_iter().map(|(_, notification)| notification.team).collect()
    }
}

#[tokio::test]
async fn a_new_case_has_the_team_and_the_priority_of_its_route_or_of_the_default_one() {
    let office = Office::new().await;
    office.asks_for_the_deposit().await;
    let case = office.case().await;
    assert_eq!((case.team.as_deref(), case.priority), (Some("billing"), Priority::High));
    office.world.hands_back("ana").await;
    office.escalates("m2", "May I bring a horse?").await;
    let case = office.case().await;
    assert_eq!(case.category, Category::MissingKnowledge);
    assert_eq!((case.team.as_deref(), case.priority), (Some("front"), Priority::Normal));
    let jobs = office.world.sent.take_notifications();
    assert_eq!(jobs, [(office.job(0, Notify::Tell).await, Duration::ZERO)], "nobody watches: it has no time");
}

#[tokio::test]
async fn without_a_route_nobody_is_told() {
    let only = json!({"teams": {"lead": {"email": "lead@example.com"}}, "routes": {"upset_customer": {"team": "lead"}}});
    for routing in ["{}".to_owned(), only.to_string()] {
        let office = Office::with(Routing::parse(&routing).expect("a routing")).await;
        assert_eq!(office.asks_for_the_deposit().await, []);
        let case = office.case().await;
        assert_eq!((case.team, case.priority), (None, Priority::Normal));
        // Nor by a job from a time when there was one.
        assert_eq!(office.run(office.job(0, Notify::Tell).await).await, End::Nothing);
        assert_eq!(office.run(office.job(0, Notify::Watch).await).await, End::Nothing);
    }
}

#[tokio::test]
async fn a_new_case_is_told_at_once_and_once() {
    let office = Office::new().await;
    office.escalates("m1", "When do I get my deposit back?").await;
    let jobs = office.world.sent.take_notifications();
    let (tell, watch) = (office.job(0, Notify::Tell).await, office.job(0, Notify::Watch).await);
    assert_eq!(jobs, [(tell, Duration::ZERO), (watch, 15 * MINUTE)]);

    assert_eq!(office.work(tell, 1).await, Worked::Done);
    assert_eq!(office.work(tell, 2).await, Worked::Done);

    let sent = office.messenger.take();
    assert_eq!(sent.len(), 1, "a repeated job tells nobody again: {sent:?}");
    let (way, notification) = &sent[0];
    let case = office.case().await;
    assert_eq!((way.as_str(), notification.id()), ("webhook", format!("{}-0", case.case_id)));
    assert_eq!(
        notification.json(),
        json!({
            "type": "case.opened",
            "timestamp": "2026-12-03T10:00:00.000Z",
            "data": {
                "case_id": case.case_id,
                "team": "billing",
                "category": "policy_restriction",
                "why": format!("A rule of the agent says that people answer this: {}.", case.topic.clone().expect("a topic")),
                "topic": case.topic,
                "priority": "high",
                "opened_at": "2026-12-03T10:00:00.000Z",
                "url": format!("https://console.example.com/console/threads/{}", case.contact_id),
            },
        })
    );
    assert_eq!(case.notified_step, Some(0));
}

#[tokio::test]
async fn an_escalation_that_joins_a_case_is_the_same_work_for_whoever_answers_such_now() {
    let office = Office::new().await;
    office.asks_for_the_deposit().await;
    let before = office.case().await;
    let contact = before.contact_id;
    handoff::hand_back(&office.world.handoff(), contact, &operator("leo"), false, None)
        .await
        .expect("he may");
    office.world.clock.advance(MINUTE);
    office.escalates("m2", "May I bring a horse?").await;
    let jobs = office.world.sent.take_notifications();
    let after = office.case().await;
    assert_eq!((after.case_id, after.joined), (before.case_id, 1));
    assert_eq!((after.team.as_deref(), after.priority), (Some("front"), before.priority));
    assert_eq!(jobs, [(office.job(0, Notify::Tell).await, Duration::ZERO)], "front has no time");
}

#[tokio::test]
async fn a_case_that_was_taken_once_and_waits_again_is_told_anew() {
    let office = Office::new().await;
    let world = &office.world;
    let first = office.asks_for_the_deposit().await;
    assert_eq!(office.run(first[0]).await, End::Told);
    let contact = world.contact("ana").await;
    let ids = |office: &Office| -> Vec<String> {
        office.messenger.take().iter().map(|(_, notification)| notification.id()).collect()
    };
    let before = ids(&office);
    world.takes_over("ana").await;
    let leo = operator("leo");
    handoff::hand_back(&world.handoff(), contact, &leo, false, None).await.expect("he may");
    world.clock.advance(15 * MINUTE);
    assert_eq!(office.run(first[1]).await, End::Nothing, "the bot has it");

    office.escalates("m2", "Where is my deposit?").await;

    let jobs = world.sent.take_notifications();
    let (tell, watch) = (office.job(0, Notify::Tell).await, office.job(0, Notify::Watch).await);
    assert_eq!(jobs, [(tell, Duration::ZERO), (watch, 15 * MINUTE)]);
    assert_eq!(world.sent.take_events().len(), 1, "it was opened once");
    assert_eq!(office.run(first[1]).await, End::Nothing, "another watches now");
    assert_eq!((office.run(tell).await, office.run(tell).await), (End::Told, End::ToldBefore));
    let again = ids(&office);
    assert!(again.len() == 1 && again != before, "{before:?} {again:?}");
    assert_eq!(office.run(watch).await, End::InTime(15 * MINUTE));
    world.clock.advance(15 * MINUTE);
    assert_eq!(office.run(watch).await, End::PassedOn);
}

#[tokio::test]
async fn a_case_that_is_given_to_nobody_is_told_anew() {
    let office = Office::new().await;
    let (world, leo) = (&office.world, operator("leo"));
    office.asks_for_the_deposit().await;
    world.takes_over("ana").await;
    let case = office.case().await;
    world.clock.advance(MINUTE);
    handoff::assign(&world.handoff(), case.contact_id, &leo, case.case_id, None).await.expect("he may");
    let jobs: Vec<_> = world.sent.take_notifications().into_iter().map(|(job, _)| job).collect();
    let (tell, watch) = (office.job(0, Notify::Tell).await, office.job(0, Notify::Watch).await);
    assert_eq!(jobs, [tell, watch]);
    assert_eq!(office.run(tell).await, End::Told);
    assert_eq!(office.work(watch, 1).await, Worked::Later(15 * MINUTE));
}

#[tokio::test]
async fn an_escalation_of_the_worker_reaches_its_team_however_long_the_queue_is_down() {
    let office = Office::new().await;
    let world = &office.world;
    world.drop_off("ana", "m1", "When do I get my deposit back?").await.expect("admitted");
    let turns = world.sent.take_turns();
    world.sent.set_down(true);
    for (receives, seconds) in [(1, 5), (2, 10), (3, 20), (20, 900)] {
        let worked = admit::work(&world.ctx, &turns[0], receives).await.expect("a case");
        assert_eq!(worked, admit::Worked::Later(Duration::from_secs(seconds)), "the job stays in the queue");
    }
    world.sent.set_down(false);
    assert_eq!(admit::work(&world.ctx, &turns[0], 21).await.expect("a case"), admit::Worked::Done);
    let sent: Vec<_> = world.sent.take_notifications().into_iter().map(|(job, _)| job).collect();
    assert_eq!(sent, [office.job(0, Notify::Tell).await, office.job(0, Notify::Watch).await]);
    assert_eq!(admit::work(&world.ctx, &turns[0], 22).await.expect("a case"), admit::Worked::Done);
    assert_eq!(world.sent.take_notifications(), NOTHING, "once");
}

#[tokio::test]
async fn jobs_that_were_not_queued_go_out_with_a_later_copy_of_the_turn() {
    let office = Office::new().await;
    let world = &office.world;
    world.drop_off("ana", "m1", "When do I get my deposit back?").await.expect("admitted");
    let turns = world.sent.take_turns();
    world.sent.set_down(true);
    admit::work(&world.ctx, &turns[0], 1).await.expect("a case");
    world.sent.set_down(false);
    assert_eq!(world.sent.take_notifications(), NOTHING);
    for receives in [2, 3] {
        admit::work(&world.ctx, &turns[0], receives).await.expect("nothing to do");
    }
    let sent: Vec<_> = world.sent.take_notifications().into_iter().map(|(job, _)| job).collect();
    assert_eq!(sent, [office.job(0, Notify::Tell).await, office.job(0, Notify::Watch).await]);
}

#[tokio::test]
async fn nobody_is_told_of_a_case_that_somebody_has() {
    for move_of in ["take over", "answer", "assign", "resolve"] {
        let office = Office::new().await;
        let jobs = office.asks_for_the_deposit().await;
        let (world, case) = (&office.world, office.case().await);
        match move_of {
            "take over" => world.takes_over("ana").await,
            "answer" => drop(world.says("ana", "Tomorrow.").await),
            "assign" => {
                let leo = operator("leo");
                let (ctx, contact) = (world.handoff(), case.contact_id);
                handoff::assign(&ctx, contact, &leo, case.case_id, Some(&leo)).await.expect("he may");
            }
            _ => world.hands_back("ana").await,
        }
        world.clock.advance(15 * MINUTE);
        for job in jobs {
            assert_eq!(office.run(job).await, End::Nothing, "{move_of}: {job:?}");
        }
        assert_eq!((office.told(), world.sent.take_notifications().len()), (vec![], 0), "{move_of}");
    }
}

#[tokio::test]
async fn erasable_nobody_is_told_of_a_customer_who_is_being_erased_or_gone() {
    let office = Office::new().await;
    let jobs = office.asks_for_the_deposit().await;
    let gone =
        NotificationJob { contact_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().expect("an id"), ..jobs[0] };
    assert_eq!(office.run(gone).await, End::Nothing);
    office.world.begin_erasing("ana").await;
    office.world.clock.advance(15 * MINUTE);
    for job in jobs {
        assert_eq!(office.run(job).await, End::Nothing);
    }
    assert_eq!(office.told(), Vec::<String>::new());
}

/// The lines that the template counts.
fn counted(logs: &Logs) -> Vec<Value> {
    logs.lines().into_iter().filter(|line| line["metric"] == "case_not_taken").collect()
}

#[tokio::test]
async fn a_case_that_nobody_takes_in_time_goes_to_the_next_team_and_raises_the_metric() {
    let office = Office::new().await;
    let (logs, _listening) = Logs::listen();
    let jobs = office.asks_for_the_deposit().await;
    assert_eq!(office.run(jobs[0]).await, End::Told);
    office.world.clock.advance(14 * MINUTE);
    assert_eq!(office.work(jobs[1], 1).await, Worked::Later(MINUTE), "billing has its time");
    office.world.clock.advance(MINUTE);
    assert_eq!((office.told(), counted(&logs).len()), (vec!["billing".into()], 0));

    assert_eq!(office.work(jobs[1], 2).await, Worked::Done);

    let (tell, watch) = (office.job(1, Notify::Tell).await, office.job(1, Notify::Watch).await);
    let sent = office.world.sent.take_notifications();
    assert_eq!(sent, [(tell, Duration::ZERO), (watch, 15 * MINUTE)]);
    let lines = counted(&logs);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["case"], &lines[0]["step"]), (&json!(tell.case_id), &json!(0)));
    assert_eq!(office.case().await.team.as_deref(), Some("front"), "it is theirs now");
    assert_eq!(office.run(tell).await, End::Told);
    let sent = office.messenger.take();
    assert_eq!((sent[0].0.as_str(), sent[0].1.team.as_str()), ("slack", "front"));
    let text = sent[0].1.slack()["text"].as_str().expect("a text").to_owned();
    assert!(text.starts_with("Nobody has taken a case; it goes to front, high priority\n"), "{text}");
    let json = sent[0].1.json();
    assert_eq!(json["type"], "case.not_taken");
    assert_eq!(
        (&json["timestamp"], &json["data"]["opened_at"]),
        (&json!("2026-12-03T10:15:00.000Z"), &json!("2026-12-03T10:00:00.000Z"))
    );
}

#[tokio::test]
async fn a_case_goes_on_until_the_route_ends_and_each_miss_counts_once() {
    let office = Office::new().await;
    let (logs, _listening) = Logs::listen();
    let mut jobs = office.asks_for_the_deposit().await;
    for minutes in [0, 15, 15, 15, 15] {
        office.world.clock.advance(minutes * MINUTE);
        for job in std::mem::take(&mut jobs) {
            let worked = office.work(job, 1).await;
            // A queue may bring a job twice.
            let (again, queued) = (office.work(job, 2).await, office.world.sent.take_notifications());
            jobs.extend(queued.into_iter().map(|(job, _)| job));
            if matches!(worked, Worked::Later(_)) {
                assert!(matches!(again, Worked::Later(_)));
                jobs.push(job);
            }
        }
    }
    assert_eq!(office.told(), ["billing", "front", "lead"]);
    let steps: Vec<Value> = counted(&logs).into_iter().map(|line| line["step"].clone()).collect();
    assert_eq!(steps, [0, 1, 2], "the last team's miss counts, too");
    assert_eq!(office.world.counted().await.of(Count::CasesNotTaken), 3);
    assert_eq!(jobs, []);
}

#[tokio::test]
async fn a_team_that_cannot_be_told_is_tried_again_and_longer_each_time_and_then_given_up() {
    let office = Office::new().await;
    let (logs, _listening) = Logs::listen();
    let jobs = office.asks_for_the_deposit().await;
    office.messenger.fail(Some(MessengerError::Status(404)));
    let mut waits = vec![];
    for receives in 1..notify::ATTEMPTS {
        match office.work(jobs[0], receives).await {
            Worked::Later(wait) => waits.push(wait),
            Worked::Done => panic!("nobody was told"),
        }
    }
    assert!(
        waits[0] <= Duration::from_secs(5) && waits.windows(2).all(|pair| pair[1] == pair[0] * 2),
        "{waits:?}"
    );
    assert!(waits[..3].iter().sum::<Duration>() >= Duration::from_secs(17), "{waits:?}");
    assert_eq!(office.work(jobs[0], notify::ATTEMPTS).await, Worked::Later(Duration::ZERO), "a dead letter");
    let lines = logs.lines();
    let given_up = lines.iter().find(|line| line["level"] == "ERROR").expect("a line");
    assert_eq!(given_up["error"], "the target answered with status 404");
    assert_eq!(office.world.counted().await.of(Count::NotificationsFailed), 1);
    // The next team is told all the same, and the dead letter can be replayed.
    office.messenger.take();
    office.messenger.fail(None);
    office.world.clock.advance(15 * MINUTE);
    assert_eq!(office.run(jobs[1]).await, End::PassedOn);
    assert_eq!(office.run(jobs[0]).await, End::Told);
    assert_eq!(office.told(), ["billing"]);
}

#[tokio::test]
async fn a_team_that_was_told_before_a_crash_is_told_again_under_the_same_id() {
    let office = Office::new().await;
    let jobs = office.asks_for_the_deposit().await;
    // It has come there, and nobody here knows.
    office.messenger.fail(Some(MessengerError::Late));
    assert!(matches!(office.work(jobs[0], 1).await, Worked::Later(_)));
    office.messenger.fail(None);
    office.world.clock.advance(MINUTE);
    assert_eq!(office.work(jobs[0], 2).await, Worked::Done);
    assert_eq!(office.work(jobs[0], 3).await, Worked::Done);
    let sent = office.messenger.take();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1], "word for word");
}

#[tokio::test]
async fn a_case_whose_next_job_was_not_queued_is_passed_on_by_the_same_job_again() {
    let office = Office::new().await;
    let (logs, _listening) = Logs::listen();
    let jobs = office.asks_for_the_deposit().await;
    office.world.clock.advance(15 * MINUTE);
    office.world.sent.set_down(true);
    assert!(matches!(office.work(jobs[1], 1).await, Worked::Later(wait) if !wait.is_zero()));
    office.world.sent.set_down(false);
    assert_eq!((office.case().await.missed, counted(&logs).len()), (0, 0));
    assert_eq!(office.work(jobs[1], 2).await, Worked::Done);
    assert_eq!((office.world.sent.take_notifications().len(), counted(&logs).len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_team_that_hangs_was_not_told() {
    let office = Office::new().await;
    let jobs = office.asks_for_the_deposit().await;
    *lock(&office.messenger.hangs) = true;
    assert!(matches!(office.work(jobs[0], 1).await, Worked::Later(wait) if !wait.is_zero()));
    assert_eq!(office.case().await.notified_step, None);
}

#[tokio::test]
async fn quiet_logs_nothing_of_a_customer_leaves_the_house() {
    let office = Office::new().await;
    let (logs, _listening) = Logs::listen();
    office.escalates("m1", "My deposit! I am Ana Oskarsdottir, ana@home.example, order W2611344.").await;
    let jobs: Vec<_> = office.world.sent.take_notifications().into_iter().map(|(job, _)| job).collect();
    office.world.clock.advance(15 * MINUTE);
    for job in jobs {
        office.work(job, 1).await;
    }
    let (_, sent) = office.messenger.take().remove(0);
    let case = office.case().await;
    assert!(!case.reason.is_empty());
    let said =
        format!("{} {} {} {} {:?}", sent.json(), sent.text(), sent.subject(), sent.slack(), logs.lines());
    for word in
        ["Oskarsdottir", "home.example", "W2611344", "My deposit", "chat:ana", "example.com/hook", "MfKQ9r8"]
    {
        assert!(!said.contains(word), "{word}: {said}");
    }
}

/// The ways of the product, to teams that are all at this receiver.
async fn messengers(receiver: &Receiver, clock: Arc<dyn Clock>) -> (Messengers, Routing) {
    let url = receiver.url();
    let routing = json!({"teams": {
        "webhook": {"webhook": format!("{url}/hook"), "secret": SECRET},
        "slack": {"slack": format!("{url}/hook/slack")},
        "moved": {"slack": format!("{url}/moved")},
        "404": {"slack": format!("{url}/status/404")},
        "503": {"webhook": format!("{url}/status/503"), "secret": SECRET},
        "nowhere": {"slack": "http://127.0.0.1:9/hook"},
        "mail": {"email": "lead@example.com"},
    }});
    let routing = Routing::parse(&routing.to_string()).expect("a routing");
    let ses = aws_sdk_sesv2::Client::new(&aws::config_of(url).await);
    let sender = Some("carryover@example.com".into());
    (Messengers::new(&routing, ses, sender, clock).expect("messengers"), routing)
}

/// A notification of the deposit.
async fn notification(office: &Office) -> Notification {
    let jobs = office.asks_for_the_deposit().await;
    office.run(jobs[0]).await;
    office.messenger.take().remove(0).1
}

#[tokio::test]
async fn a_webhook_is_signed_as_the_standard_webhooks_have_it() {
    let (office, receiver) = (Office::new().await, Receiver::start().await.expect("a receiver"));
    let (messengers, routing) = messengers(&receiver, office.world.clock.clone()).await;
    let notification = notification(&office).await;
    let target = routing.target("webhook").expect("a team");
    messengers.send(target, &notification).await.expect("it is taken");
    office.world.clock.advance(MINUTE);
    messengers.send(target, &notification).await.expect("it is taken");

    let received = receiver.received();
    let now = office.world.clock.now().seconds();
    assert!(received.iter().all(|received| received.is_signed(SECRET, now)), "{received:?}");
    assert_eq!(received[0].json(), notification.json());
    assert_eq!(received[0].header("content-type"), "application/json");
    assert_eq!(received[0].header("webhook-id"), notification.id());
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"), "the same on a retry");
    assert_eq!(received[0].body, received[1].body);
    assert_ne!(received[0].header("webhook-signature"), received[1].header("webhook-signature"));
    // What is not as it was sent is not taken: the check itself is sound.
    let mut other = received[0].clone();
    other.body.push(' ');
    assert!(!other.is_signed(SECRET, now) && !received[0].is_signed(SECRET, now + 400));
    assert!(!received[0].is_signed("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", now));
}

#[tokio::test]
async fn slack_gets_a_text_and_nothing_else() {
    let (office, receiver) = (Office::new().await, Receiver::start().await.expect("a receiver"));
    let (messengers, routing) = messengers(&receiver, office.world.clock.clone()).await;
    let notification = notification(&office).await;
    messengers.send(routing.target("slack").expect("a team"), &notification).await.expect("it is taken");
    let received = receiver.received();
    assert_eq!((received.len(), received[0].path.as_str()), (1, "/hook/slack"));
    assert_eq!(received[0].json(), json!({"text": notification.text()}));
    assert!(notification.text().starts_with("A customer waits for billing, high priority\n"));
}

#[tokio::test]
async fn a_mail_goes_out_by_ses() {
    let (office, receiver) = (Office::new().await, Receiver::start().await.expect("a receiver"));
    let (messengers, routing) = messengers(&receiver, office.world.clock.clone()).await;
    let notification = notification(&office).await;
    messengers.send(routing.target("mail").expect("a team"), &notification).await.expect("it is taken");
    let received = receiver.received();
    assert_eq!((received.len(), received[0].path.as_str()), (1, "/v2/email/outbound-emails"));
    let part = |text: String| json!({"Data": text, "Charset": "UTF-8"});
    assert_eq!(
        received[0].json(),
        json!({
            "FromEmailAddress": "carryover@example.com",
            "Destination": {"ToAddresses": ["lead@example.com"]},
            "Content": {"Simple": {
                "Subject": part(notification.subject()),
                "Body": {"Text": part(notification.text())},
            }},
        })
    );
}

#[tokio::test]
async fn whatever_is_no_success_is_a_failure_and_no_redirect_is_followed() {
    let (office, receiver) = (Office::new().await, Receiver::start().await.expect("a receiver"));
    let (messengers, routing) = messengers(&receiver, office.world.clock.clone()).await;
    let notification = notification(&office).await;
    let failures = [
        ("moved", MessengerError::Status(307)),
        ("404", MessengerError::Status(404)),
        ("503", MessengerError::Status(503)),
        ("nowhere", MessengerError::Unreachable),
    ];
    for (team, failure) in failures {
        let sent = messengers.send(routing.target(team).expect("a team"), &notification).await;
        assert_eq!(sent, Err(failure), "{team}");
    }
    assert!(receiver.received().iter().all(|received| received.path != "/hook"));
}

#[tokio::test]
async fn mails_need_a_sender() {
    let (office, receiver) = (Office::new().await, Receiver::start().await.expect("a receiver"));
    let (_, routing) = messengers(&receiver, office.world.clock.clone()).await;
    for (sender, problem) in [(None, "is missing"), (Some("nobody".to_owned()), "must be an e-mail address")]
    {
        let ses = aws_sdk_sesv2::Client::new(&aws::config_of(receiver.url()).await);
        let refused =
            Messengers::new(&routing, ses, sender, office.world.clock.clone()).err().expect("wrong");
        let refused = refused.to_string();
        assert!(refused.contains("NOTIFICATION_SENDER") && refused.contains(problem), "{refused}");
    }
}
