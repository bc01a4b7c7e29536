//! The voice of a turn where code speaks: the customer's language, a greeting for the first contact and none for a
//! known one, the notice.

use super::Thread;
use crate::facts::Fact;
use crate::prompt::Source;
use crate::rules::{self, Acquaintance, Language};
use crate::thread::Author;

/// The language that the customer writes; `None` where the rules have no templates in it.
pub(super) fn language(thread: &Thread) -> Option<Language> {
    let customers = thread.newest_first.iter().filter(|message| message.author == Author::Customer);
    let history = thread.snapshot.as_ref().map_or("", |snapshot| &snapshot.history);
    Language::spoken(customers.map(|message| message.text.as_str()), history)
}

/// The same, with English where there are no templates.
pub(super) fn language_or_english(thread: &Thread) -> Language {
    language(thread).unwrap_or_default()
}

/// How well the contact is known.
pub(super) fn acquaintance(thread: &Thread) -> Acquaintance {
    let recall = &thread.remembered.recall;
    Acquaintance::of(&thread.head, thread.snapshot.as_ref(), recall, facts(thread))
}

/// What the rules say, greeted where it is the first that a contact hears.
pub(super) fn greeted(thread: &Thread, text: &str) -> String {
    if !is_first(thread) {
        return text.to_owned();
    }
    format!("{} {text}", rules::greeting(language_or_english(thread), facts(thread)))
}

/// What the model says, greeted where it is the first that a contact hears and the model has surely not done so.
/// Nothing is ever taken away from a reply.
pub(super) fn with_greeting(thread: &Thread, reply: &str, max_chars: usize) -> String {
    if is_first(thread) { rules::with_greeting(reply, facts(thread), max_chars) } else { reply.to_owned() }
}

/// What the customer is told when a person takes over.
pub(super) fn notice(thread: &Thread) -> String {
    greeted(thread, rules::notice(language_or_english(thread)))
}

fn is_first(thread: &Thread) -> bool {
    rules::is_first(&thread.head, thread.snapshot.as_ref(), &thread.remembered.recall)
}

fn facts(thread: &Thread) -> &[Fact] {
    match &thread.facts {
        Source::Found(facts) => facts,
        Source::Failed => &[],
    }
}
