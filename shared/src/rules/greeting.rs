//! The first contact and the known one: who is greeted, and what nobody is asked for again.

use super::known::{Field, is_name, known_fields, name};
use super::language::{Language, Told};
use super::lexicon::is_in;
use super::templates::fill;
use super::words::plain;
use crate::facts::Fact;
use crate::memory::Recall;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Head, Seq};

/// How well a contact is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintance {
    /// Whether nothing was ever settled with them, remembered of them, or deleted of their log: what waits are their
    /// first words ever.
    pub is_first: bool,
    /// Whether the profile names them.
    pub is_named: bool,
    /// What profile and facts say, so that nobody asks for it.
    pub known: Vec<Field>,
}

impl Acquaintance {
    /// Of a contact with these facts.
    pub fn of(head: &Head, snapshot: Option<&Snapshot>, recall: &Recall, facts: &[Fact]) -> Self {
        Self {
            is_first: is_first(head, snapshot, recall),
            is_named: name(facts, false).is_some(),
            known: known_fields(facts),
        }
    }
}

/// Whether what waits are a contact's first words ever. What was imported, covered, answered, silenced or remembered
/// makes it a known one.
pub fn is_first(head: &Head, snapshot: Option<&Snapshot>, recall: &Recall) -> bool {
    let is_covered =
        snapshot.is_some_and(|snapshot| snapshot.folded_through > Seq::NONE || !snapshot.is_blank());
    head.settled_seq == Seq::NONE
        && head.first_seq == Seq::FIRST
        && !is_covered
        && recall.memories().is_empty()
}

/// The first words to somebody who never wrote before, by name where the profile says one.
pub fn greeting(language: Language, facts: &[Fact]) -> String {
    let templates = language.templates();
    match name(facts, templates.greets_formally) {
        Some(name) => fill(templates.greeting_by_name, &[("name", &name)]),
        None => templates.greeting.to_owned(),
    }
}

/// Letters of a reply from which on its language can be told for sure.
const LETTERS: usize = 40;
/// A greeting stands among so many first characters, or there is none.
const GREETING_CHARS: usize = 40;

/// A model's reply to a first message, with a greeting before it where it surely has none: it is long enough, in a
/// language of ours, begins with no word that greets or thanks, and stays within `max_chars`. Otherwise as it is.
pub fn with_greeting(reply: &str, facts: &[Fact], max_chars: usize) -> String {
    let letters = reply.chars().filter(|mark| mark.is_alphabetic()).count();
    let Some(Told::In(language)) = Told::of(reply).filter(|_| letters >= LETTERS && !greets(reply)) else {
        return reply.to_owned();
    };
    let greeted = format!("{} {reply}", greeting(language, facts));
    if text::chars(&greeted) <= max_chars { greeted } else { reply.to_owned() }
}

/// A text without a greeting of ours before it.
pub fn without_greeting(text: &str) -> &str {
    Language::ALL.into_iter().find_map(|language| after_greeting(text, language)).unwrap_or(text)
}

fn after_greeting(text: &str, language: Language) -> Option<&str> {
    let templates = language.templates();
    if let Some(rest) = text.strip_prefix(templates.greeting) {
        return rest.strip_prefix(' ');
    }
    let (before, _) = templates.greeting_by_name.split_once("{name}")?;
    let (name, rest) = text.strip_prefix(before)?.split_once(". ")?;
    is_name(name).then_some(rest)
}

/// Words that open a reply as a greeting does.
const OPENINGS: &str = "greetings welcome dear bienvenid* estimad* willkommen geehrte* liebe* bienvenue \
    cher chere madame monsieur ola ciao";

fn greets(reply: &str) -> bool {
    let head = plain(text::head(reply, GREETING_CHARS));
    let words: Vec<&str> =
        head.split(|mark: char| !mark.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let opens = |language: Language| {
        let lexicon = language.lexicon();
        let phrase =
            (0..words.len()).find_map(|at| lexicon.phrase(words.get(at..)?)).map(|(phrase, _)| phrase);
        let greets =
            |word: &&str| [lexicon.greetings, lexicon.thanks, OPENINGS].iter().any(|list| is_in(word, list));
        words.iter().any(greets) || phrase.is_some_and(|phrase| is_in(phrase, lexicon.greetings))
    };
    head.contains('👋') || Language::ALL.into_iter().any(opens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactId;
    use crate::facts::AsOf;
    use crate::memory::Memory;
    use crate::rules::table::Table;
    use crate::time::Timestamp;
    use serde_json::{Value, json};
    use ulid::Ulid;

    fn profile(data: Value) -> Vec<Fact> {
        let as_of = AsOf::from(Timestamp::from_millis(1_796_032_800_000));
        vec![Fact { kind: "profile".into(), id: "p".into(), as_of, source: "shop".into(), data }]
    }

    fn head() -> Head {
        Head {
            last_seq: Seq(1),
            last_customer_seq: Seq(1),
            ..Head::new(ContactId::new(Ulid::from_parts(1, 1)))
        }
    }

    #[test]
    fn first_is_whoever_has_no_past_here() {
        let empty = Snapshot::empty();
        assert!(is_first(&head(), Some(&empty), &Recall::Nothing));
        assert!(is_first(&head(), None, &Recall::Failed("late")), "what failed says nothing");

        let answered = Head { settled_seq: Seq(1), ..head() };
        let shortened = Head { first_seq: Seq(5), ..head() };
        for known in [answered, shortened] {
            assert!(!is_first(&known, Some(&empty), &Recall::Nothing), "{known:?}");
        }
        let covered = Snapshot { folded_through: Seq(3), ..Snapshot::empty() };
        assert!(!is_first(&head(), Some(&covered), &Recall::Nothing));
        let memory = Memory {
            origin: None,
            said: "He has a dog.".into(),
            replied: String::new(),
            messages: None,
            at: None,
        };
        assert!(!is_first(&head(), Some(&empty), &Recall::Found(vec![memory])));
    }

    #[test]
    fn a_greeting_is_by_name_where_the_profile_says_one() {
        let mia = profile(json!({ "name": { "first_name": "Mia", "last_name": "Li" } }));
        for (language, by_name, without) in [
            (Language::English, "Hello Mia.", "Hello."),
            (Language::Spanish, "Hola, Mia.", "Hola."),
            (Language::German, "Guten Tag, Mia Li.", "Guten Tag."),
            (Language::French, "Bonjour Mia Li.", "Bonjour."),
        ] {
            assert_eq!(greeting(language, &mia), by_name);
            assert_eq!(greeting(language, &[]), without);
            for greeting in [by_name, without] {
                assert_eq!(without_greeting(&format!("{greeting} It is open.")), "It is open.");
            }
            assert_eq!(with_greeting(&greeting(language, &mia), &mia, 1_000), by_name, "it is one already");
        }
    }

    #[test]
    fn only_a_greeting_is_taken_for_one() {
        for text in ["Hello", "Hello Ana, it is open.", "Hello 24/7. It is open.", "It is open. Hello.", ""] {
            assert_eq!(without_greeting(text), text);
        }
    }

    #[test]
    fn a_reply_is_greeted_only_where_it_surely_is_not_yet() {
        let mut table = Table::default();
        for (reply, prefix) in [
            ("Your order was shipped on Monday and arrives tomorrow.", "Hello. "),
            ("Su pedido fue enviado el lunes y llegará mañana por la tarde.", "Hola. "),
            ("Ihre Bestellung wurde am Montag versandt und kommt morgen an.", "Guten Tag. "),
            ("Votre commande a été expédiée lundi et arrivera demain matin.", "Bonjour. "),
            ("Hi Ana! Your order was shipped on Monday and arrives tomorrow.", ""),
            ("Good morning, your order was shipped on Monday and arrives tomorrow.", ""),
            ("Thank you for reaching out. Your order was shipped on Monday.", ""),
            ("Welcome! Your order was shipped on Monday and arrives tomorrow.", ""),
            ("Dear Ana, your order was shipped on Monday and arrives tomorrow.", ""),
            ("👋 Your order was shipped on Monday and arrives tomorrow.", ""),
            ("¡Buenos días! Su pedido fue enviado el lunes y llegará mañana.", ""),
            ("Guten Abend, Ihre Bestellung wurde am Montag versandt.", ""),
            ("Grüß Gott, Ihre Bestellung wurde am Montag versandt, sie kommt.", ""),
            ("Liebe Ana, Ihre Bestellung wurde am Montag versandt, sie kommt.", ""),
            ("Bonsoir, votre commande a été expédiée lundi et arrivera demain.", ""),
            ("Your order was shipped.", ""),
            ("O seu pedido foi enviado na segunda-feira e chega amanhã à tarde.", ""),
            ("", ""),
        ] {
            table.row(reply, with_greeting(reply, &[], 1_000), format!("{prefix}{reply}"));
            table.row(reply, with_greeting(reply, &[], text::chars(reply)), reply.to_owned());
        }
        table.end();
    }
}
