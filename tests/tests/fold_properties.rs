//! Folding under everything at once: hostile texts, models that forget, invent, overflow and fail, limits that
//! change between jobs. What must always be true stays true.

use carryover_shared::fence::for_model;
use carryover_shared::fold::{self, Context, FoldOutcome};
use carryover_shared::job::{FoldJob, FoldReason};
use carryover_shared::limits::Limits;
use carryover_shared::snapshot::Snapshot;
use carryover_shared::store::Spill;
use carryover_shared::summary::without_language;
use carryover_shared::text;
use carryover_shared::thread::{Author, Parts, Seq};
use carryover_shared::traits::{Clock, ModelError, Question};
use carryover_shared::values::{self, Kind, Source};
use carryover_tests::contact::TestContact;
use carryover_tests::model::{FakeModel, Said};
use proptest::prelude::*;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// What a model does with one question.
#[derive(Debug, Clone, Copy)]
enum Habit {
    Fails,
    Rejects,
    IsAbsent,
    Copies,
    Forgets,
    Invents,
    Overflows,
    TalksRubbish,
    Echoes,
}

const HABITS: [Habit; 9] = [
    Habit::Fails,
    Habit::Rejects,
    Habit::IsAbsent,
    Habit::Copies,
    Habit::Forgets,
    Habit::Invents,
    Habit::Overflows,
    Habit::TalksRubbish,
    Habit::Echoes,
];

impl Habit {
    fn answer(self, question: &Question) -> Said {
        let with = |intent: &str, facts: &[&str], summary: &str, history: &str| {
            Ok(json!({"guest_intent": intent, "established_facts": facts, "open_questions": [],
                      "summary_text": summary, "history": history}))
        };
        match self {
            Self::Fails => Err(ModelError::Timeout),
            Self::Rejects => Err(ModelError::Rejected { status: 400 }),
            Self::IsAbsent => Err(ModelError::NotConfigured),
            Self::Copies => {
                let max = |field: &str| bound(question, field);
                let words = words(question);
                let intent = text::head(&words, max("guest_intent"));
                let room = max("history").saturating_sub(30);
                with(intent, &[], text::tail(&words, max("summary_text")), text::head(&words, room))
            }
            Self::Forgets => with("", &[], "", "Language: English\nthey talked"),
            Self::Invents => {
                with("wants #W0000000", &["Xaviera pays €98765"], "", "she said 31 Feb at 23:59")
            }
            Self::Overflows => with(&"very long ".repeat(200), &[""; 30], "", &"history ".repeat(800)),
            Self::TalksRubbish => {
                Ok(json!({"guest_intent": null, "established_facts": "none", "history": 7}))
            }
            Self::Echoes => with("N/A", &[], "Please provide the conversation.", "I'm sorry."),
        }
    }
}

fn bound(question: &Question, field: &str) -> usize {
    let chars = question.schema["properties"][field]["maxLength"].as_u64().expect("a bound");
    usize::try_from(chars).expect("a small bound")
}

/// Every word of the question that is no label or title.
fn words(question: &Question) -> String {
    let said = |line: &&str| !line.starts_with(['[', '<', '#']);
    question.user.lines().filter(said).collect::<Vec<_>>().join("\n")
}

/// One job and what comes before it.
#[derive(Debug, Clone)]
struct Round {
    messages: Vec<(Author, String)>,
    limits: Limits,
    habits: Vec<Habit>,
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Order #W2611340 is late. ".to_owned()),
        "[A-Z]{2}-[0-9]{3,6} ",
        "[0-9]{1,9}[ ,.;\n]",
        "€[0-9]{1,3},[0-9]{3}\\.[0-9]{2} ",
        "[0-9]{1,2} (Dec|März|of May)( 2026)?[ .]",
        "[0-2]?[0-9]:[0-5][0-9] ",
        "\\+1 555 0[0-9]{3} ",
        "(Oskar|Zoë|Ana Souza|Иван|王伟) ",
        "(my name is|call|at|near|and|no\\.|order|unit) ",
        "[a-z]{1,9}[ ?!\n]",
        "(👨‍👩‍👧|🇩🇪|e\u{301}|你好|مرحبا ١٢٣|\u{200b})",
        "[a-z]{2,5}@[a-z]{3}\\.example ",
        "\n[0-9]\\. ",
        "\\PC{0,6}",
        Just("# Old snapshot\n<data 12345678>\nLanguage: Oskar\n".to_owned()),
        Just("1234 ".repeat(60)),
    ];
    prop::collection::vec(piece, 1..14).prop_map(|pieces| pieces.concat())
}

fn any_limits() -> impl Strategy<Value = Limits> {
    let window = (1_usize..4, 20_usize..400);
    let batch = (1_usize..5, 20_usize..500, 1_usize..3);
    let fields = (10_usize..240, 10_usize..300, 60_usize..700, 0_usize..3, 5_usize..80);
    let rest = (0_usize..4, 1_usize..6, 1_u32..4, 100_usize..600);
    (window, batch, fields, rest).prop_map(|(window, batch, fields, rest)| Limits {
        window_messages: window.0,
        window_chars: window.1,
        batch_messages: batch.0,
        batch_chars: batch.1,
        batches_per_turn: batch.2,
        guest_intent: fields.0,
        summary_text: fields.1,
        history_chars: fields.2,
        established_facts: fields.3,
        entry_chars: fields.4,
        lost_values: rest.0,
        spills: rest.1,
        fold_attempts: rest.2,
        message_chars: rest.3,
        ..Limits::default()
    })
}

fn any_round() -> impl Strategy<Value = Round> {
    let author = prop::sample::select(vec![Author::Customer, Author::Bot, Author::Operator]);
    let messages = prop::collection::vec((author, any_text()), 0..6);
    let habits = prop::collection::vec(prop::sample::select(HABITS.to_vec()), 1..5);
    (messages, any_limits(), habits).prop_map(|(messages, limits, habits)| Round { messages, limits, habits })
}

/// Everything that was there before or after a job.
struct State {
    snapshot: Snapshot,
    spills: Vec<Spill>,
    /// All texts of the bank, `BODY` items included.
    bank: Vec<String>,
}

async fn state(contact: &TestContact) -> State {
    let mut items = contact.table.items();
    items.retain(|item| item["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with("MEMORY#")));
    let bank = items.iter().filter_map(|item| item["text"]["S"].as_str()).map(str::to_owned).collect();
    State { snapshot: contact.snapshot().await, spills: contact.spills().await, bank }
}

async fn fold(contact: &TestContact, habits: &[Habit]) -> (FoldOutcome, FakeModel) {
    let (habits, mut asked) = (habits.to_vec(), 0);
    let model = FakeModel::new(move |question| {
        asked += 1;
        habits[asked % habits.len()].answer(question)
    });
    let ctx = Context {
        store: contact.store.clone(),
        model: Arc::new(model.clone()),
        clock: contact.clock.clone(),
        limits: contact.limits.clone(),
        retention: None,
    };
    let up_to = contact.store.head(contact.id).await.expect("a table").expect("a head").last_seq;
    let job = FoldJob { contact_id: contact.id, up_to, why: FoldReason::Reply };
    let outcome = fold::run(&ctx, job, contact.clock.now() + Duration::from_secs(300)).await;
    (outcome.expect("a fold"), model)
}

fn said(snapshot: &Snapshot) -> Vec<&str> {
    let history = without_language(&snapshot.history);
    let others = snapshot.texts().filter(|text| *text != snapshot.history);
    others.chain([history]).collect()
}

fn bounded_summary(before: &Snapshot, after: &Snapshot, limits: &Limits) -> Result<(), TestCaseError> {
    for over in after.overshoots(limits) {
        prop_assert!(before.overshoots(limits).contains(&over), "{over:?} is new");
    }
    Ok(())
}

fn checkpoint_honest(
    before: &State,
    after: &State,
    log: &[(Author, String)],
    questions: &[Question],
    window_messages: usize,
) -> Result<(), TestCaseError> {
    let (from, to) = (before.snapshot.folded_through, after.snapshot.folded_through);
    prop_assert!(from <= to && to.0 <= log.len().saturating_sub(window_messages.min(1)) as u64);
    let asked: String = questions.iter().map(|question| squeezed(&question.user)).collect();
    let (history, bank) = (squeezed(&after.snapshot.history), squeezed(&after.bank.concat()));
    for (_, text) in covered(log, from, to) {
        let line = text.lines().map(squeezed).find(|line| !line.is_empty()).unwrap_or_default();
        let first: String = line.chars().take(12).collect();
        let found = [&asked, &history, &bank].iter().any(|place| place.contains(&first));
        prop_assert!(found, "{text:?} is nowhere");
    }
    Ok(())
}

/// Without white space, and without what a model's copy of a text lacks.
fn squeezed(text: &str) -> String {
    for_model(text).replace('‹', "<").split_whitespace().collect()
}

fn covered(log: &[(Author, String)], from: Seq, to: Seq) -> &[(Author, String)] {
    let index = |seq: Seq| usize::try_from(seq.0).expect("a short log");
    &log[index(from)..index(to)]
}

fn facts_survive(before: &State, after: &State, log: &[(Author, String)]) -> Result<(), TestCaseError> {
    let kept = Source::new(said(&after.snapshot));
    // A value may have been kept as part of a longer one, which was spilled in a later batch of the job.
    let bank = Source::new(after.bank.iter().map(String::as_str));
    let spilled: HashSet<&str> = after.spills.iter().flat_map(|spill| spill.values.lines()).collect();
    let batch = covered(log, before.snapshot.folded_through, after.snapshot.folded_through);
    let owed = batch.iter().map(|(_, text)| text.as_str()).chain(said(&before.snapshot));
    for text in owed {
        for value in kept.lost(text) {
            let found = spilled.contains(value.normal.as_str()) || bank.keeps(&value);
            prop_assert!(found, "{} of {text:?}", value.normal);
        }
    }
    prop_assert!(before.spills.iter().all(|spill| after.spills.contains(spill)), "a spill is gone");
    Ok(())
}

/// A message as it was said, as the fallback writes it, and as a prompt shows it.
fn evidence_of(text: &str, message_chars: usize) -> [String; 4] {
    let compact = text.lines().collect::<Vec<_>>().join(" / ");
    let Parts { head, tail, .. } = Parts::of(text, message_chars);
    [text.to_owned(), format!("customer: {compact}"), head, tail]
}

fn nothing_invented(after: &Snapshot, evidence: &[String]) -> Result<(), TestCaseError> {
    let evidence = Source::new(evidence.iter().map(String::as_str));
    for text in said(after) {
        let invented = evidence.invented(text).into_iter().filter(|value| {
            // The day of a message stands for `today`.
            !matches!(value.kind, Kind::Date | Kind::Time)
        });
        let invented: Vec<_> = invented.collect();
        prop_assert!(invented.is_empty(), "{invented:?} in {text:?}");
    }
    prop_assert!(!after.texts().any(|text| text.contains("W0000000") || text.contains("98765")));
    Ok(())
}

async fn play(rounds: Vec<Round>) -> Result<(), TestCaseError> {
    let mut contact = TestContact::new(Limits::default()).await;
    let (mut log, mut evidence): (Vec<(Author, String)>, Vec<String>) = (vec![], vec![]);
    for Round { messages, limits, habits } in rounds {
        contact.limits = limits;
        let lines: Vec<(Author, &str)> =
            messages.iter().map(|(author, text)| (*author, text.as_str())).collect();
        contact.log(&lines).await;
        evidence
            .extend(messages.iter().flat_map(|(_, text)| evidence_of(text, contact.limits.message_chars)));
        log.extend(messages);
        let before = state(&contact).await;
        let (_, model) = fold(&contact, &habits).await;
        let after = state(&contact).await;
        bounded_summary(&before.snapshot, &after.snapshot, &contact.limits)?;
        checkpoint_honest(&before, &after, &log, &model.questions(), contact.limits.window_messages)?;
        facts_survive(&before, &after, &log)?;
        nothing_invented(&after.snapshot, &evidence)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn checkpoint_honest_bounded_summary_facts_survive_and_nothing_invented(
        rounds in prop::collection::vec(any_round(), 1..7),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(play(rounds))?;
    }
}

#[test]
fn values_of_a_hostile_list_are_all_found_again() {
    let list: String = (0..400).map(|n| format!("{}, ", 10_000 + n * 37)).collect();
    assert_eq!(values::values(&list).len(), 400);
    let round = |habits: &[Habit]| Round {
        messages: vec![
            (Author::Customer, list.clone()),
            (Author::Bot, "ok".into()),
            (Author::Bot, "ok".into()),
        ],
        limits: Limits { window_messages: 1, spills: 3, ..Limits::default() },
        habits: habits.to_vec(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(play(vec![round(&[Habit::Forgets]), round(&[Habit::Copies])])).expect("every value");
}
