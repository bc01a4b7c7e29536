//! Ordinary words that only look like names: `Navigate` at the start of a sentence, every noun in German.

use super::placeholder::NAME;
use crate::values::{Kind, Value};
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// Texts in which a word must stand in lower case.
const LOWER_TEXTS: usize = 3;
/// Where capitals are usual: texts in which a word must stand at all, of a hundred, and at least.
const USUAL_PERCENT: usize = 1;
const USUAL_TEXTS: usize = 5;
/// Of a hundred words after another one; above it capitals are usual.
const CAPITALS_PERCENT: usize = 15;

/// The ordinary words of many texts. Without texts there is none, and every word that looks like a name is one.
#[derive(Debug, Clone, Default)]
pub struct Ordinary {
    words: HashSet<String>,
    capitals_are_usual: bool,
}

impl Ordinary {
    /// The ordinary words of these texts: those that several of them write in lower case and, where capitals are
    /// usual, those that many of them write at all.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = Counts::default();
        texts.into_iter().for_each(|text| counts.read(text));
        let capitals_are_usual = counts.capital * 100 > counts.inside * CAPITALS_PERCENT;
        let usual = USUAL_TEXTS.max(counts.texts * USUAL_PERCENT / 100);
        let is_ordinary =
            |(lower, all): (usize, usize)| lower >= LOWER_TEXTS || (capitals_are_usual && all >= usual);
        let words = counts.words.into_iter().filter(|(_, count)| is_ordinary(*count)).map(|(word, _)| word);
        Self { words: words.collect(), capitals_are_usual }
    }

    /// Whether a value is no name after all: it begins an instruction, or its words are ordinary and nothing but a
    /// capital says that it is one. `after` is what follows it.
    pub fn excuses(&self, value: &Value<'_>, after: &str) -> bool {
        let mut words = value.text.unicode_words().map(str::to_lowercase);
        let by_capital = value.kind == Kind::Name && (!value.sure || self.capitals_are_usual);
        is_instruction(value, after) || (by_capital && words.all(|word| self.words.contains(&word)))
    }
}

/// Whether what looks like a name is the verb that begins an instruction: `Reset the router`, `Open {{Profile}}`.
pub(super) fn is_instruction(value: &Value<'_>, after: &str) -> bool {
    let after = after.strip_prefix(' ').unwrap_or_default();
    let word_after = after.split(|mark: char| !mark.is_alphabetic()).next().unwrap_or_default();
    let placeholder = after.starts_with("{{") && !after.starts_with(NAME);
    value.kind == Kind::Name
        && !value.sure
        && !value.text.contains(char::is_whitespace)
        && (placeholder || OBJECTS.contains(&word_after))
}

/// Words with which an object begins: an instruction has one, a name has none.
const OBJECTS: [&str; 48] = [
    "a", "all", "an", "any", "both", "each", "every", "her", "him", "his", "it", "its", "me", "my", "our",
    "that", "the", "their", "them", "these", "this", "those", "us", "your", "den", "das", "die", "dem",
    "ihn", "sie", "Sie", "einen", "eine", "ein", "el", "la", "los", "las", "un", "una", "su", "le", "les",
    "votre", "une", "o", "os", "seu",
];

#[derive(Default)]
struct Counts {
    texts: usize,
    /// In how many texts a word stands in lower case, and in how many at all.
    words: HashMap<String, (usize, usize)>,
    /// Words after a word in lower case, and those of them with a capital.
    inside: usize,
    capital: usize,
}

impl Counts {
    fn read(&mut self, text: &str) {
        let mut seen: HashMap<String, bool> = HashMap::new();
        let mut after_lower = false;
        for word in text.unicode_words() {
            let lower = !word.starts_with(char::is_uppercase);
            self.inside += usize::from(after_lower);
            self.capital += usize::from(after_lower && !lower);
            after_lower = lower;
            *seen.entry(word.to_lowercase()).or_default() |= lower;
        }
        for (word, lower) in seen {
            let count = self.words.entry(word).or_default();
            *count = (count.0 + usize::from(lower), count.1 + 1);
        }
        self.texts += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::placeholder::without_values;

    #[test]
    fn a_word_that_others_write_in_lower_case_is_no_name() {
        let texts = ["please navigate to it", "then navigate there", "navigate back", "We told anna"];
        let ordinary = Ordinary::of(texts);
        assert_eq!(
            without_values("1. Navigate to it.\n2. Oskar knows.", |value, after| ordinary
                .excuses(value, after)),
            "1. Navigate to it.\n2. {{Name}} knows."
        );
    }

    #[test]
    fn a_verb_with_its_object_is_no_name() {
        let ordinary = Ordinary::default();
        let clean = |text: &str| without_values(text, |value, after| ordinary.excuses(value, after));
        assert_eq!(clean("Press {{Cancel}}. Rita {{Name}} saw."), "Press {{Cancel}}. {{Name}} {{Name}} saw.");
        assert_eq!(clean("Reset the router. Bleed it, then wait."), "Reset the router. Bleed it, then wait.");
        assert_eq!(
            clean("Rita fixed it. Oskar, the partner, saw."),
            "{{Name}} fixed it. {{Name}}, the partner, saw."
        );
    }

    #[test]
    fn where_capitals_are_usual_what_many_write_is_no_name() {
        let text = |n: usize| format!("ich suche meine Rechnung und die Bestellung, sagt Nutzer{n} heute");
        let texts: Vec<String> = (0..8).map(text).collect();
        let ordinary = Ordinary::of(texts.iter().map(String::as_str));
        assert_eq!(
            without_values("Wo ist meine Rechnung, fragt Oskar", |value, after| ordinary
                .excuses(value, after)),
            "Wo ist meine Rechnung, fragt {{Name}}"
        );
    }
}
