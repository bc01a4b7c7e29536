//! What the index knows of a word: its stem, and its short runs of letters, which typing errors and other forms of
//! the word share.

use super::placeholder;
use crate::memory::Stems;
use std::collections::{BTreeMap, BTreeSet};
use unicode_segmentation::UnicodeSegmentation;

/// Lengths of the runs of letters, with a mark at either end of the word.
const RUNS: [usize; 2] = [3, 4];
/// What one run weighs beside the stem.
const RUN_WEIGHT: f32 = 0.5;
/// Letters of a word that are looked at.
const WORD_CHARS: usize = 40;

/// The words of a text, each once, in order: in lower case, a placeholder as one word in braces.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut from = 0;
    for span in placeholder::spans(text) {
        plain_words(text.get(from..span.start).unwrap_or_default(), &mut words);
        let inside = text.get(span.clone()).unwrap_or_default().trim_matches(['{', '}']);
        words.insert(format!("{{{}}}", inside.trim().to_lowercase()));
        from = span.end;
    }
    plain_words(text.get(from..).unwrap_or_default(), &mut words);
    words
}

fn plain_words(text: &str, words: &mut BTreeSet<String>) {
    words.extend(text.unicode_words().map(|word| word.to_lowercase().replace('’', "'")));
}

/// What makes two words alike, and how much.
pub(super) type Features = BTreeMap<String, f32>;

/// The features of a word. A placeholder is like nothing but itself, and a common word is its stem alone.
pub(super) fn features(word: &str, stems: &Stems) -> Features {
    if word.starts_with('{') {
        return Features::from([(word.to_owned(), 1.0)]);
    }
    let [stem, _] = stems.forms(word);
    let mut features = Features::from([(format!("={stem}"), 1.0)]);
    if stems.is_common(word) {
        return features;
    }
    let letters = word.chars().take(WORD_CHARS);
    let marked: Vec<char> = std::iter::once('^').chain(letters).chain(std::iter::once('$')).collect();
    for run in RUNS.iter().flat_map(|length| marked.windows(*length)) {
        *features.entry(run.iter().collect()).or_default() += RUN_WEIGHT;
    }
    features
}
