//! The health page: does everything do its work, and what is to be done where it does not?

use super::{layout, message};
use crate::Console;
use crate::caller::Role;
use crate::form::{Form, Nothing};
use crate::sign_in::Session;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use carryover_shared::health::{self, Counted, Health, QueueHealth, Redrive};
use carryover_shared::job::QueueName;
use carryover_shared::prices::Prices;
use carryover_shared::tally::{Count, Part, Tally};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::{ModelError, RedriveError, Role as Model, Waiting};
use maud::{Markup, html};

/// `GET /console/health`.
pub async fn show(State(console): State<Console>, session: Session) -> Response {
    page(&console, &session, StatusCode::OK, &html! {}).await
}

/// `POST /console/health/queues/{queue}/redrive`: queues given-up work again and says what became of it.
pub async fn redrive(
    State(console): State<Console>,
    Path(queue): Path<String>,
    Form { session, .. }: Form<Nothing>,
) -> Response {
    if session.caller.role != Role::Admin {
        return message::refused(StatusCode::FORBIDDEN, "Only admins queue given-up work again.");
    }
    let Ok(queue) = queue.parse::<QueueName>() else { return message::not_found().await };
    let (status, said) = match health::redrive(&console.health, queue).await {
        Ok(redriven) => (StatusCode::OK, html! { p.done role="status" { (became(queue, redriven)) } }),
        Err(error) => {
            tracing::warn!(%error, "dead letters were not all queued again");
            (StatusCode::SERVICE_UNAVAILABLE, html! { p.refused role="alert" { (broke_off(queue, &error)) } })
        }
    };
    page(&console, &session, status, &said).await
}

fn became(queue: QueueName, Redrive { queued, left }: Redrive) -> String {
    let title = title(queue);
    let again = match queued {
        0 => format!("{title}: there was nothing to queue again."),
        1 => format!("{title}: 1 job is queued again."),
        queued => format!("{title}: {} jobs are queued again.", grouped(queued as u64)),
    };
    match left {
        Some(0) => again,
        Some(left) => format!("{again} About {} are left: queue them again, too.", grouped(left)),
        None => format!("{again} How many are left cannot be counted just now."),
    }
}

fn broke_off(queue: QueueName, error: &RedriveError) -> String {
    let before = match error.queued {
        0 => String::new(),
        1 => " 1 job was queued again before.".into(),
        queued => format!(" {} jobs were queued again before.", grouped(queued as u64)),
    };
    format!(
        "{}: the queues do not answer just now.{before} Nothing is lost: try again in a moment.",
        title(queue)
    )
}

async fn page(console: &Console, session: &Session, status: StatusCode, said: &Markup) -> Response {
    let health = health::look(&console.health).await;
    let body = html! {
        main #main.health {
            h1 { "Health" }
            (said)
            p.meta { "As of " (health.at.to_minute()) ". " a href="/console/health" { "Read again" } }
            (queues(&health, session))
            @match &health.counted {
                Some(counted) => (sections(counted, &health)),
                None => section {
                    h2 { "What happened lately" }
                    p.failed { "The counts cannot be read just now. Nothing is lost: read again in a moment." }
                },
            }
        }
    };
    (status, layout::page("Health", session, &body)).into_response()
}

fn sections(counted: &Counted, health: &Health) -> Markup {
    html! {
        p.meta {
            "Counts are of whole hours: the last hour is since " (clock(counted.hour.since))
            ", the last day since " (clock(counted.day.since)) " UTC yesterday."
        }
        (given_up(counted))
        (degradations(counted))
        (turns(counted))
        (folds(counted, health))
        (models(counted, health.prices))
    }
}

fn clock(at: Timestamp) -> String {
    format!("{:02}:00", at.hour_of_day())
}

const fn title(queue: QueueName) -> &'static str {
    match queue {
        QueueName::Turns => "Turns",
        QueueName::Folds => "Summaries",
        QueueName::Retention => "Memories",
        QueueName::Notifications => "Notifications",
    }
}

/// What waits on a queue, and what it means when it was given up.
const fn meaning(queue: QueueName) -> (&'static str, &'static str) {
    match queue {
        QueueName::Turns => (
            "Customers' messages that the bot has to look at.",
            "Messages may have stayed without an answer.",
        ),
        QueueName::Folds => (
            "Conversations whose summary is due.",
            "Summaries stay behind until the next reply in the conversation.",
        ),
        QueueName::Retention => (
            "What was said and is to be remembered later.",
            "The bot will not remember it in later conversations.",
        ),
        QueueName::Notifications => (
            "Teams that are to be told of a case, or to be asked whether somebody took it.",
            "A team does not know of its case; the inbox shows it all the same.",
        ),
    }
}

fn queues(health: &Health, session: &Session) -> Markup {
    html! {
        section {
            h2 { "Queues" }
            p.meta {
                "What fails too often is given up and kept for two weeks. Mend first what made it fail, then queue it again: "
                "no job does harm when it is done twice. Numbers of queues are about right and may be a minute old."
            }
            ul.queues { @for queue in &health.queues { li { (one_queue(queue, session)) } } }
        }
    }
}

fn one_queue(health: &QueueHealth, session: &Session) -> Markup {
    let (what, lost) = meaning(health.queue);
    html! {
        h3 { (title(health.queue)) }
        p.meta { (what) }
        p { @match health.waiting {
            Some(waiting) => (waits(waiting)),
            None => span.failed { "The jobs cannot be counted just now." },
        } }
        @match health.dead {
            Some(0) => p.meta { "Nothing was given up." },
            Some(dead) => {
                p { strong.failed { (grouped(dead)) " given up." } " " (lost) }
                @if session.caller.role == Role::Admin { (redrive_form(health.queue, dead, session)) }
                @else { p.meta { "An admin can queue them again." } }
            },
            None => p.failed { "What was given up cannot be counted just now." },
        }
    }
}

fn waits(waiting: Waiting) -> String {
    let Waiting { ready, held, delayed } = waiting;
    if waiting.total() == 0 {
        return "Nothing waits.".into();
    }
    let parts = [(ready, "ready"), (held, "in work or to be tried again"), (delayed, "due later")];
    let said = parts.into_iter().filter(|(number, _)| *number > 0);
    said.map(|(number, what)| format!("{} {what}", grouped(number))).collect::<Vec<_>>().join(" · ")
}

fn redrive_form(queue: QueueName, dead: u64, session: &Session) -> Markup {
    html! {
        form method="post" action=(format!("/console/health/queues/{}/redrive", queue.as_str())) {
            (layout::csrf(session))
            button type="submit" {
                "Queue " (grouped(dead)) " again" span.visually-hidden { ": " (title(queue)) }
            }
        }
    }
}

/// A line of a table: what happened, and how often of late.
struct Line {
    what: Markup,
    hour: String,
    day: String,
    failed: bool,
}

impl Line {
    fn of(counted: &Counted, what: &str, count: Count) -> Self {
        let (hour, day) = (counted.hour.tally.of(count), counted.day.tally.of(count));
        Self { what: html! { (what) }, hour: grouped(hour), day: grouped(day), failed: false }
    }

    /// One that is red where it happened.
    fn of_failure(counted: &Counted, what: &str, count: Count) -> Self {
        Self { failed: counted.day.tally.of(count) > 0, ..Self::of(counted, what, count) }
    }

    fn explained(self, what_then: &str) -> Self {
        Self { what: html! { (self.what) " " span.meta { (what_then) } }, ..self }
    }
}

fn table(caption: &str, lines: &[Line]) -> Markup {
    html! {
        table {
            caption.visually-hidden { (caption) }
            thead { tr { th scope="col" { "What" } th scope="col" { "Last hour" } th scope="col" { "Last day" } } }
            tbody { @for line in lines {
                tr.failed[line.failed] {
                    th scope="row" { (line.what) }
                    td { (line.hour) }
                    td { (line.day) }
                }
            } }
        }
    }
}

fn given_up(counted: &Counted) -> Markup {
    let line = |(count, what, what_then)| Line::of_failure(counted, what, count).explained(what_then);
    let happened = |(count, ..): &(Count, _, _)| counted.day.tally.of(*count) > 0;
    let lines: Vec<Line> = GIVEN_UP.into_iter().filter(happened).map(line).collect();
    html! {
        section {
            h2 { "Not delivered, not done" }
            @if lines.is_empty() { p.meta { "Everything was delivered and done in the last day." } }
            @else { (table("Not delivered, not done", &lines)) }
        }
    }
}

/// What was not done, and what is to be done about it.
const GIVEN_UP: [(Count, &str, &str); 5] = [
    (
        Count::CasesNotTaken,
        "Cases that nobody took in time.",
        "They went on to the next team, if there is one, and stand in the inbox.",
    ),
    (
        Count::NotificationsFailed,
        "Teams that were not told of a case.",
        "Look at the team's address, then queue Notifications again.",
    ),
    (
        Count::RetentionsFailed,
        "Memories that were not kept.",
        "Look at the memory bank, then queue Memories again.",
    ),
    (
        Count::DeliveriesFailed,
        "Messages that a channel did not take.",
        "The customer did not get them: look at the channel's account.",
    ),
    (
        Count::DeliveriesUnknown,
        "Messages that may not have arrived.",
        "They are not sent twice: the conversation says which.",
    ),
];

fn degradations(counted: &Counted) -> Markup {
    let line = |part: Part| {
        let (what, instead) = words(part);
        Line::of(counted, what, Count::Degraded(part)).explained(instead)
    };
    let happened = |part: &Part| counted.day.tally.of(Count::Degraded(*part)) > 0;
    let lines: Vec<Line> = Part::ALL.into_iter().filter(happened).map(line).collect();
    html! {
        section {
            h2 { "What the bot had to do without" }
            @if lines.is_empty() { p.meta { "Everything it asks was there in the last day." } }
            @else { (table("What the bot had to do without, in turns", &lines)) }
        }
    }
}

/// What did not work, and what the bot did instead.
const fn words(part: Part) -> (&'static str, &'static str) {
    match part {
        Part::Model => (
            "The model gave no usable answer.",
            "The rules answered from the records, or a person was asked.",
        ),
        Part::ModelLimit => {
            ("A customer had used up the model's calls of the hour.", "The rules answered from the records.")
        }
        Part::NoModel => ("No model is configured.", "The rules answered from the records."),
        Part::Recall => (
            "Long-term memory did not answer in time.",
            "The bot answered without earlier conversations and was told so.",
        ),
        Part::SimilarCases => {
            ("Past cases could not be searched in time.", "The bot answered without their hints.")
        }
        Part::Snapshot => (
            "A conversation's summary could not be read.",
            "The bot read the messages themselves, as many as fit.",
        ),
        Part::Facts => {
            ("The account's records could not be read.", "The bot was told so and stated nothing from them.")
        }
        Part::Cases => ("The customer's cases could not be read.", "The bot was told so."),
        Part::Business => (
            "What the business says of itself could not be read.",
            "The bot answered without opening hours and policies.",
        ),
        Part::Agent => (
            "The agent that should answer is not live, or could not be read.",
            "The default agent answered in its place.",
        ),
        Part::Flags => (
            "Which earlier replies are flagged as wrong could not be read.",
            "The bot knew only of those among the newest messages.",
        ),
    }
}

fn turns(counted: &Counted) -> Markup {
    let lines = [
        Line::of(counted, "The bot replied.", Count::Replied),
        Line::of(counted, "A person was asked.", Count::Escalated),
        Line::of(counted, "The bot was silent.", Count::Silent)
            .explained("A person answers, or the customer opted out."),
    ];
    html! { section { h2 { "Turns" } (table("How turns ended", &lines)) } }
}

fn folds(counted: &Counted, health: &Health) -> Markup {
    let of = |what: &str, value: fn(&Tally) -> String| Line {
        what: html! { (what) },
        hour: value(&counted.hour.tally),
        day: value(&counted.day.tally),
        failed: false,
    };
    let lines = [
        of("Messages that a summary found waiting, on average.", average_behind),
        of("The most that one found waiting, roughly.", most_behind),
        Line::of(counted, "Summaries written by the model.", Count::FoldsSaved),
        Line::of(counted, "Summaries written without it.", Count::FoldsByFallback)
            .explained("Messages went into the history as they were; nothing is lost."),
        Line::of(counted, "Summaries that came to nothing.", Count::FoldsFailed).explained(
            "Each failed try counts. Where no conversation waits any more, a later try made up for it or it was given up, as the queues above say. Until then the bot reads the messages themselves, as many as fit.",
        ),
    ];
    let queue = health.queues.iter().find(|queue| queue.queue == QueueName::Folds);
    html! {
        section {
            h2 { "How far summaries are behind" }
            p.meta {
                "Whatever leaves the newest messages waits for the next summary; a few at a time are normal. "
                "Many, again and again, mean that the model for summaries is slow or down."
            }
            p { @match queue.and_then(|queue| queue.waiting) {
                Some(waiting) if waiting.total() == 0 => "No conversation waits for its summary.",
                Some(waiting) => { "Conversations that wait for their summary: " (grouped(waiting.total())) "." },
                None => span.failed { "How many conversations wait cannot be counted just now." },
            } }
            (table("How far summaries are behind", &lines))
        }
    }
}

fn average_behind(tally: &Tally) -> String {
    match tally.folds() {
        0 => "–".into(),
        folds => format!("{:.1}", tally.of(Count::Behind) as f64 / folds as f64),
    }
}

fn most_behind(tally: &Tally) -> String {
    match tally.most_behind() {
        None => "–".into(),
        Some(0) => "0".into(),
        Some(u64::MAX) => "over 1,000".into(),
        Some(bound) => format!("up to {}", grouped(bound)),
    }
}

fn models(counted: &Counted, prices: Option<Prices>) -> Markup {
    html! {
        section {
            h2 { "Models" }
            @for role in Model::ALL { (model(counted, role, prices)) }
            p.meta {
                "Tokens are those of answers that came, as the provider counted them; what failed calls cost is not known here."
                @if prices.is_none() { " No prices are configured (MODEL_PRICES), so there is no cost." }
            }
        }
    }
}

fn model(counted: &Counted, role: Model, prices: Option<Prices>) -> Markup {
    let name = match role {
        Model::Reply => "The model that answers",
        Model::Summary => "The model that summarises",
    };
    let mut lines = vec![
        Line::of(counted, "Calls, repetitions included.", Count::Calls(role)),
        Line::of(counted, "Tokens in.", Count::PromptTokens(role)),
        Line::of(counted, "Tokens out.", Count::CompletionTokens(role)),
    ];
    lines.extend(prices.and_then(|prices| cost(counted, role, prices)));
    let happened = |code: &&'static str| counted.day.tally.of(Count::ModelErrors(role, code)) > 0;
    let codes = ModelError::CODES.into_iter().filter(happened);
    lines.extend(codes.map(|code| Line::of_failure(counted, error(code), Count::ModelErrors(role, code))));
    html! { h3 { (name) } (table(name, &lines)) }
}

fn cost(counted: &Counted, role: Model, prices: Prices) -> Option<Line> {
    let (hour, day) = (prices.cost(role, &counted.hour.tally)?, prices.cost(role, &counted.day.tally)?);
    Some(Line { what: html! { "Cost." }, hour: dollars(hour), day: dollars(day), failed: false })
}

fn dollars(cost: f64) -> String {
    if cost > 0.0 && cost < 0.01 { "under $0.01".into() } else { format!("${cost:.2}") }
}

/// An error's code in words.
fn error(code: &str) -> &'static str {
    match code {
        "timeout" => "It did not answer in time.",
        "unreachable" => "It could not be reached: look at MODEL_URL.",
        "overloaded" => "It was overloaded, or limits how often it is asked.",
        "rejected" => "It refused the request: look at the key and the model's name.",
        "context_overflow" => "The prompt was too long for it.",
        "cut_off" => "Its answer was cut off.",
        "filtered" => "A filter removed its answer.",
        "declined" => "It declined to answer.",
        _ => "Its answer was not readable.",
    }
}

/// A number with its thousands told apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_costs_are_as_people_read_them() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!([0.0, 0.004, 0.01, 12.345].map(dollars), ["$0.00", "under $0.01", "$0.01", "$12.35"]);
    }

    #[test]
    fn what_became_of_dead_letters_is_said_in_words() {
        let said = |queued, left| became(QueueName::Folds, Redrive { queued, left });
        assert_eq!(said(0, Some(0)), "Summaries: there was nothing to queue again.");
        assert_eq!(said(1, Some(0)), "Summaries: 1 job is queued again.");
        assert_eq!(
            said(500, Some(1_200)),
            "Summaries: 500 jobs are queued again. About 1,200 are left: queue them again, too."
        );
        assert!(said(3, None).ends_with("How many are left cannot be counted just now."));
    }

    #[test]
    fn a_queue_says_what_waits() {
        assert_eq!(waits(Waiting::default()), "Nothing waits.");
        let some = Waiting { ready: 1_200, held: 0, delayed: 2 };
        assert_eq!(waits(some), "1,200 ready · 2 due later");
    }

    #[test]
    fn how_far_summaries_are_behind_is_rough_where_it_is() {
        let mut tally = Tally::default();
        assert_eq!((average_behind(&tally), most_behind(&tally)), ("–".into(), "–".into()));
        tally.add_behind(2);
        tally.add_behind(7);
        assert_eq!((average_behind(&tally), most_behind(&tally)), ("4.5".into(), "up to 10".into()));
    }
}
