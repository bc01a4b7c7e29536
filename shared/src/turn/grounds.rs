//! What a reply is checked against, of the thread that it answers.

use super::decide::{found, rendered_business, rendered_facts, wrote};
use super::{Context, Thread};
use crate::case::Case;
use crate::checks::{self, Checked, Grounds};
use crate::fence::for_model;
use crate::snapshot::Snapshot;
use crate::summary::without_bot;
use crate::thread::{Author, BotKind, Message};
use crate::time::Timestamp;
use std::borrow::Cow;

/// Checks a reply of the model.
pub(super) fn check(ctx: &Context, thread: &Thread, reply: &str) -> Checked {
    let now = ctx.clock.now();
    let business = rendered_business(ctx, thread, now);
    let evidence = evidence(ctx, thread, business.as_deref(), now);
    let evidence: Vec<&str> = evidence.iter().map(AsRef::as_ref).collect();
    let moments: Vec<Timestamp> = thread.newest_first.iter().map(|message| message.at).chain([now]).collect();
    let cases = found(&thread.cases).map_or(&[][..], Vec::as_slice);
    let (customer, staff) = (texts_of(thread, Author::Customer), texts_of(thread, Author::Operator));
    checks::check(
        reply,
        &Grounds {
            evidence: &evidence,
            moments: &moments,
            facts: found(&thread.facts).map_or(&[], Vec::as_slice),
            business: business.as_deref(),
            open_case: cases.iter().any(Case::is_unresolved),
            promises: &thread.agent.promises,
            staff: &staff,
            customer: &customer,
            previous: previous(thread),
        },
    )
}

/// Everything that a value of a reply may come from, as the model was given it; what the customer wrote in a request
/// counts as a message of theirs. What the bot said is not among it,
/// nor what was remembered or kept in the history of that; similar cases are of others.
fn evidence<'t>(
    ctx: &Context,
    thread: &'t Thread,
    business: Option<&'t str>,
    now: Timestamp,
) -> Vec<Cow<'t, str>> {
    let said = |message: &&Message| message.author != Author::Bot;
    let copied = |text: Cow<'t, str>| match text {
        Cow::Borrowed(text) => for_model(text),
        Cow::Owned(text) => Cow::Owned(for_model(&text).into_owned()),
    };
    let messages = thread.newest_first.iter().filter(said);
    let messages = messages.map(|message| {
        let shown = copied(message.shown(ctx.limits.message_chars));
        // A customer who quotes a wrong reply does not make it right.
        if message.author == Author::Customer { thread.wrong.values_left_out(shown) } else { shown }
    });
    let summary = thread.snapshot.iter().flat_map(Snapshot::texts);
    let summary = summary.map(|text| copied(without_bot(text)));
    let recalled = thread.remembered.recall.memories().iter().map(|memory| for_model(&memory.said));
    let facts = rendered_facts(ctx, thread, now).map(|facts| Cow::Owned(without_ages(facts)));
    let agent = [&thread.agent.instructions, &thread.agent.tone].map(|text| for_model(text));
    let agent = agent.into_iter().chain(thread.agent.topics.iter().map(|topic| for_model(&topic.name)));
    facts
        .into_iter()
        .chain(business.map(Cow::Borrowed))
        .chain(messages)
        .chain([copied(Cow::Owned(wrote(ctx, thread)))])
        .chain(summary)
        .chain(recalled)
        .chain(agent)
        .collect()
}

/// How old a record is says nothing about anything else: `(14 days old)` is no evidence for 14 days.
fn without_ages(mut facts: String) -> String {
    const END: &str = " days old)";
    while let Some(end) = facts.find(END) {
        let start = facts.get(..end).and_then(|before| before.rfind(" (")).unwrap_or(end);
        facts.replace_range(start..end + END.len(), "");
    }
    facts
}

fn texts_of(thread: &Thread, author: Author) -> Vec<&str> {
    let by_them = thread.newest_first.iter().filter(|message| message.author == author);
    by_them.map(|message| message.text.as_str()).collect()
}

fn previous(thread: &Thread) -> Option<&str> {
    let is_reply = |message: &&Message| message.kind == Some(BotKind::Reply);
    thread.newest_first.iter().find(is_reply).map(|message| message.text.as_str())
}
