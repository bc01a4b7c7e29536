//! A thread on one page of text.

use super::{Decided, Line, View};
use crate::terminal::grouped;
use carryover_shared::case::Case;
use carryover_shared::snapshot::Snapshot;
use carryover_shared::text;
use carryover_shared::thread::{Author, Head, Mode, Seq};
use carryover_shared::trace::{Attempt, Coverage, Degraded, Outcome, Trace};

/// The page, a paragraph for each part.
pub(super) fn render(view: &View) -> String {
    let mut page = Page(vec![]);
    page.head(view);
    page.cases(&view.cases);
    page.snapshot(view.snapshot.as_ref());
    match &view.last_decision {
        Some(decided) => page.decision(decided),
        None => page.part("Last decision", "none is on record"),
    }
    page.messages(&view.messages);
    page.0.join("\n")
}

struct Page(Vec<String>);

impl Page {
    /// A line with a heading.
    fn part(&mut self, heading: &str, text: impl AsRef<str>) {
        if !self.0.is_empty() {
            self.0.push(String::new());
        }
        self.0.push(format!("{heading}: {}", text.as_ref()));
    }

    /// A line below a heading; none where there is nothing to say.
    fn row(&mut self, name: &str, text: impl AsRef<str>) {
        if !text.as_ref().is_empty() {
            self.0.push(format!("  {name:<10} {}", text.as_ref().replace('\n', "\n             ")));
        }
    }

    fn head(&mut self, view: &View) {
        let head = &view.head;
        self.part(view.identity.as_str(), format!("contact {}", view.contact_id));
        self.row("messages", span(head.first_seq, head.last_seq));
        let (customer, settled) = (head.last_customer_seq, head.settled_seq);
        self.row("settled", format!("to {settled}; the newest that asks for an answer is {customer}"));
        self.row("answers", answers(head));
        self.row("agent", head.agent.as_deref().unwrap_or_default());
        if let Some(since) = head.waiting_since {
            self.row("waiting", format!("since {since}"));
        }
        if let Some(until) = head.turn_until {
            let (seq, tries) = (head.turn_seq, head.turn_tries);
            self.row("turn", format!("on message {seq} until {until}, attempt {tries}"));
        }
        if !head.opted_out.is_empty() {
            let accounts: Vec<&str> = head.opted_out.iter().map(|account| account.as_str()).collect();
            self.row("opted out", accounts.join(", "));
        }
        self.row("knows", format!("{} facts, {} memories", view.facts, view.memories));
    }

    fn cases(&mut self, cases: &[Case]) {
        for case in cases {
            let state = format!("{:?}", case.state_of_case).to_lowercase();
            let topic = case.topic.as_ref().map(|topic| format!(", {topic}")).unwrap_or_default();
            self.part(&format!("Case {}", case.case_id), format!("{state}, {}{topic}", case.category.code()));
            self.row("about", format!("message {}", case.about_seq));
            self.row("reason", &case.reason);
        }
    }

    fn snapshot(&mut self, snapshot: Option<&Snapshot>) {
        let Some(snapshot) = snapshot else { return self.part("Snapshot", "missing, or not readable") };
        let Snapshot { revision, as_of, folded_through, attempts, .. } = snapshot;
        self.part("Snapshot", format!("revision {revision}, as of message {as_of}, failed folds {attempts}"));
        self.row("intent", &snapshot.guest_intent);
        self.row("facts", snapshot.established_facts.join("\n"));
        self.row("open", snapshot.open_questions.join("\n"));
        self.row("summary", &snapshot.summary_text);
        let chars = grouped(text::chars(&snapshot.history) as u64);
        self.part("History", format!("through message {folded_through}, {chars} characters"));
        self.row("", &snapshot.history);
    }

    fn decision(&mut self, decided: &Decided) {
        let Decided { trace, outcome } = decided;
        let ended = outcome.as_ref().map_or_else(|| "its outcome is not on record".into(), ended);
        self.part("Last decision", format!("{}, {ended}", trace.at));
        self.row("agent", format!("{}, version {}", trace.agent, trace.version));
        self.row("answers", list(&trace.answers));
        self.coverage(trace.coverage);
        self.row("sections", sections(trace));
        self.row(
            "read",
            format!(
                "{} facts, {} cases, {} memories, {} similar cases",
                trace.facts,
                trace.cases,
                trace.context.memories.len(),
                trace.context.similar_cases.len()
            ),
        );
        self.row("recall", &trace.recall);
        let late = outcome.as_ref().map_or(&[][..], |outcome| &outcome.degraded);
        self.row("degraded", degraded(trace.degraded.iter().chain(late)));
        for attempt in outcome.iter().flat_map(|outcome| &outcome.attempts) {
            self.row("model", asked(attempt));
        }
    }

    fn coverage(&mut self, coverage: Coverage) {
        let Coverage { first_seq, last_seq, covered_to, pending_from, window_from, pending_omitted } =
            coverage;
        self.row("covered", span(first_seq, covered_to));
        let announced = format!("{pending_omitted} more announced by their number");
        self.row("pending", format!("{}; {announced}", span(pending_from, window_from.prev())));
        self.row("verbatim", span(window_from, last_seq));
        if !coverage.is_whole() {
            self.row("WRONG", "a message is in none of them, or in two");
        }
    }

    fn messages(&mut self, lines: &[Line]) {
        self.part("Newest messages", lines.len().to_string());
        for line in lines {
            let author = match line.author {
                Author::Customer => "customer",
                Author::Bot => "bot",
                Author::Operator => "operator",
            };
            self.0.push(format!("  [{}] {author}, {}: {}", line.seq, line.at.to_minute(), line.text));
        }
    }
}

fn span(from: Seq, to: Seq) -> String {
    match to.0.checked_sub(from.0) {
        None => "none".into(),
        Some(0) => format!("{from} (1 message)"),
        Some(more) => format!("{from} to {to} ({} messages)", grouped(more + 1)),
    }
}

fn list(seqs: &[Seq]) -> String {
    seqs.iter().map(Seq::to_string).collect::<Vec<_>>().join(", ")
}

fn answers(head: &Head) -> String {
    let who = match head.mode {
        Mode::Bot => "the bot",
        Mode::Human => "a person",
    };
    let case = head.open_case.map(|case| format!(", case {case} is open")).unwrap_or_default();
    format!("{who}, epoch {}{case}", head.epoch)
}

fn ended(outcome: &Outcome) -> String {
    let by = format!("{:?}", outcome.by).to_lowercase();
    let seq = outcome.seq.map(|seq| format!(", message {seq}")).unwrap_or_default();
    let category = outcome.category.as_ref().map(|category| format!(" ({category})")).unwrap_or_default();
    format!("{}{category} by {by}{seq}, {} ms", outcome.decision, grouped(outcome.millis))
}

fn sections(trace: &Trace) -> String {
    let one = |section: &carryover_shared::prompt::Section| {
        format!("{} {}", section.name, grouped(section.chars as u64))
    };
    let total: usize = trace.sections.iter().map(|section| section.chars).sum();
    let each = trace.sections.iter().map(one).collect::<Vec<_>>().join(", ");
    if each.is_empty() { each } else { format!("{} characters: {each}", grouped(total as u64)) }
}

fn degraded<'a>(degraded: impl Iterator<Item = &'a Degraded>) -> String {
    degraded.map(|Degraded { part, why }| format!("{part} ({why})")).collect::<Vec<_>>().join(", ")
}

fn asked(attempt: &Attempt) -> String {
    let Attempt { model, prompt_chars, prompt_tokens, completion_tokens, calls, millis, fault } = attempt;
    let model = if model.is_empty() { "no answer" } else { model };
    let (chars, millis) = (grouped(*prompt_chars as u64), grouped(*millis));
    let fault = fault.as_ref().map(|fault| format!(", not used: {fault}")).unwrap_or_default();
    format!(
        "{model}, {chars} characters, {prompt_tokens} + {completion_tokens} tokens, {calls} calls, {millis} ms{fault}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryover_shared::contact::ContactId;
    use carryover_shared::time::Timestamp;
    use carryover_shared::trace::DecidedBy;

    /// 2026-11-30T10:00:00Z.
    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000);

    fn decided() -> Decided {
        let attempt = Attempt {
            model: "small".into(),
            prompt_chars: 4_512,
            prompt_tokens: 1_128,
            completion_tokens: 40,
            calls: 1,
            millis: 310,
            fault: None,
        };
        let trace = Trace {
            at: NOW,
            agent: "default".into(),
            version: 1,
            answers: vec![Seq(51)],
            coverage: Coverage {
                first_seq: Seq(1),
                last_seq: Seq(51),
                covered_to: Seq(30),
                pending_from: Seq(33),
                window_from: Seq(40),
                pending_omitted: 2,
            },
            sections: vec![carryover_shared::prompt::Section { name: "rules".into(), chars: 4_512 }],
            revision: Some(7),
            facts: 3,
            cases: 0,
            recall: "failed:late".into(),
            context: Default::default(),
            degraded: vec![Degraded::new("recall", "late")],
        };
        let outcome = Outcome {
            decision: "reply".into(),
            by: DecidedBy::Model,
            category: None,
            topic: None,
            seq: Some(Seq(52)),
            case_id: None,
            attempts: vec![attempt],
            millis: 402,
            degraded: vec![],
        };
        Decided { trace, outcome: Some(outcome) }
    }

    #[test]
    fn a_page_says_where_every_message_was_and_what_is_remembered() {
        let contact_id: ContactId = "01JDXWB6Z80000000000000000".parse().unwrap();
        let view = View {
            identity: "chat:ana".parse().unwrap(),
            contact_id,
            head: Head {
                last_seq: Seq(52),
                last_customer_seq: Seq(51),
                settled_seq: Seq(51),
                ..Head::new(contact_id)
            },
            snapshot: Some(Snapshot {
                guest_intent: "Wants to know when the parcel comes.".into(),
                open_questions: vec!["When does it come?".into(), "Who pays?".into()],
                history: "Language: English\nShe ordered.".into(),
                folded_through: Seq(30),
                as_of: Seq(50),
                revision: 7,
                ..Snapshot::empty()
            }),
            cases: vec![],
            facts: 3,
            memories: 1,
            last_decision: Some(decided()),
            messages: vec![Line {
                seq: Seq(52),
                author: Author::Bot,
                at: NOW,
                text: "It comes tomorrow.".into(),
            }],
        };
        insta::assert_snapshot!(render(&view), @"
        chat:ana: contact 01JDXWB6Z80000000000000000
          messages   1 to 52 (52 messages)
          settled    to 51; the newest that asks for an answer is 51
          answers    the bot, epoch 0
          knows      3 facts, 1 memories

        Snapshot: revision 7, as of message 50, failed folds 0
          intent     Wants to know when the parcel comes.
          open       When does it come?
                     Who pays?

        History: through message 30, 30 characters
                     Language: English
                     She ordered.

        Last decision: 2026-11-30T10:00:00.000Z, reply by model, message 52, 402 ms
          agent      default, version 1
          answers    51
          covered    1 to 30 (30 messages)
          pending    33 to 39 (7 messages); 2 more announced by their number
          verbatim   40 to 51 (12 messages)
          sections   4,512 characters: rules 4,512
          read       3 facts, 0 cases, 0 memories, 0 similar cases
          recall     failed:late
          degraded   recall (late)
          model      small, 4,512 characters, 1128 + 40 tokens, 1 calls, 310 ms

        Newest messages: 1
          [52] bot, 2026-11-30 10:00 UTC: It comes tomorrow.
        ");
    }
}
