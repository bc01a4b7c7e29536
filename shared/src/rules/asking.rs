//! Whether a text asks its reader for something that people give: a few patterns for each language.
//!
//! A pattern is elements between white space. `can|could` is any of these words, `send*` any word that begins so, `~`
//! a few words that say little, `@` the thing, `^` the start of the sentence and `?` a sentence that ends in one.

mod phrases;

use super::known::Field;
use super::lexicon::is_in;
use super::words::plain;
use crate::text;
use phrases::LANGUAGES;

/// How one language asks.
struct Asking {
    /// Words that say little.
    loose: &'static str,
    /// "Your", and articles.
    yours: &'static str,
    articles: &'static str,
    /// Before or right after what matches they turn it round; the others only before.
    not: &'static str,
    not_before: &'static str,
    /// Who wants a new one does not ask again.
    other: &'static str,
    patterns: &'static [&'static str],
    /// Patterns without `@` that ask for a name.
    name_patterns: &'static [&'static str],
    /// For name, e-mail, phone, address and order number: what they are called. `_` is a space.
    things: [Things; 5],
}

/// What one thing is called.
struct Things {
    /// Sure to be meant: "an e-mail address" is enough.
    sure: &'static str,
    /// Only with "your".
    bare: &'static str,
}

/// The longest run of words that say little.
const GAP: usize = 8;

/// Whether a text asks for a field, in any language of ours, in a sentence that names none of its `values`.
pub(super) fn asks_for(reply: &str, field: Field, values: &[String]) -> bool {
    let values: Vec<String> = values.iter().map(|value| plain(value)).collect();
    text::sentences(reply).into_iter().any(|sentence| {
        let plain = plain(sentence);
        let names_value = values.iter().any(|value| plain.contains(value.as_str()));
        !names_value && LANGUAGES.iter().any(|asking| Sentence::of(sentence, &plain, asking).asks_for(field))
    })
}

struct Sentence<'a> {
    asking: &'a Asking,
    words: Vec<String>,
    is_question: bool,
}

impl<'a> Sentence<'a> {
    fn of(sentence: &str, plain: &str, asking: &'a Asking) -> Self {
        let plain = plain.replace("e-mail", "email");
        let words = plain.split(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_question = sentence.trim_end().ends_with('?');
        Self { asking, words: words.map(str::to_owned).collect(), is_question }
    }

    fn asks_for(&self, field: Field) -> bool {
        if self.words.iter().any(|word| is_in(word, self.asking.other)) {
            return false;
        }
        let names: &[&str] = if field == Field::Name { self.asking.name_patterns } else { &[] };
        self.asking.patterns.iter().chain(names).any(|pattern| {
            let elements: Vec<&'static str> = pattern.split_whitespace().collect();
            (0..self.words.len()).any(|at| !self.is_turned_round(at) && self.matches(&elements, at, field))
        })
    }

    /// Whether the word before `at` says that what begins there is not meant.
    fn is_turned_round(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.words.get(at));
        before.is_some_and(|word| is_in(word, self.asking.not) || is_in(word, self.asking.not_before))
    }

    fn is_negated(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| is_in(word, self.asking.not))
    }

    /// Whether the elements match the words from `at` on.
    fn matches(&self, elements: &[&'static str], at: usize, field: Field) -> bool {
        let Some((element, rest)) = elements.split_first() else { return !self.is_negated(at) };
        match *element {
            "^" => at == 0 && self.matches(rest, at, field),
            "?" => self.is_question && self.matches(rest, at, field),
            "~" => (at..=at + GAP)
                .take_while(|end| *end == at || self.is_loose(end - 1))
                .any(|end| self.matches(rest, end, field)),
            "@" => {
                let length = self.thing(at, field);
                length.is_some_and(|length| {
                    !self.is_negated(at + length) && self.matches(rest, at + length, field)
                })
            }
            words => {
                let word = self.words.get(at);
                let is_listed = |word: &String| words.split('|').any(|listed| is_in(word, listed));
                word.is_some_and(is_listed) && self.matches(rest, at + 1, field)
            }
        }
    }

    fn is_loose(&self, at: usize) -> bool {
        let is_of_thing = |word: &str| {
            let lists = self.asking.things.iter().flat_map(|things| [things.sure, things.bare]);
            lists.flat_map(|list| list.split(['_', ' '])).any(|part| part == word)
        };
        self.words.get(at).is_some_and(|word| is_in(word, self.asking.loose) || is_of_thing(word))
    }

    /// How many words from `at` on are the thing, where they are no part of a longer one, and somebody's.
    fn thing(&self, at: usize, field: Field) -> Option<usize> {
        let index = Field::ALL.iter().position(|known| *known == field)?;
        let (length, is_sure) = self.longest(at, self.asking.things.get(index)?)?;
        let is_longer =
            |from: usize, other: usize| other > length + (at - from) || from < at && other > at - from;
        let is_part = self.asking.things.iter().any(|things| {
            (at.saturating_sub(GAP)..=at)
                .any(|from| self.longest(from, things).is_some_and(|(other, _)| is_longer(from, other)))
        });
        let before = (0..at).rev().take(GAP).take_while(|at| self.is_loose(*at));
        let lists = if is_sure { [self.asking.yours, self.asking.articles] } else { [self.asking.yours; 2] };
        let is_given =
            before.filter_map(|at| self.words.get(at)).any(|word| lists.iter().any(|list| is_in(word, list)));
        (!is_part && is_given).then_some(length)
    }

    /// The longest name of a thing that stands at `at`, and whether it is a sure one.
    fn longest(&self, at: usize, things: &Things) -> Option<(usize, bool)> {
        let words = self.words.get(at..)?;
        let stands = |name: &&str| {
            let mut words = words.iter();
            name.split('_').all(|part| words.next().is_some_and(|word| word == part))
        };
        let of = |list: &'static str, is_sure: bool| {
            list.split_whitespace().filter(stands).map(move |name| (name.split('_').count(), is_sure)).max()
        };
        of(things.sure, true).max(of(things.bare, false))
    }
}
