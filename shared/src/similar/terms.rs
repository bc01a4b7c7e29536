//! What the index knows of a word: its stem, and its short runs of letters, which typing errors and other forms of
//! the word share.

use super::{function_words, placeholder};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, BTreeSet};
use unicode_segmentation::UnicodeSegmentation;
use whatlang::Lang;

/// Lengths of the runs of letters, with a mark at either end of the word.
const RUNS: [usize; 2] = [3, 4];
/// What one run weighs beside the stem.
const RUN_WEIGHT: f32 = 0.5;
/// Letters of a word that are looked at.
const WORD_CHARS: usize = 40;
/// Characters in which the language of many texts is recognised.
const LANGUAGE_CHARS: usize = 20_000;
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
    words.extend(text.unicode_words().map(str::to_lowercase));
}

/// What makes two words alike, and how much.
pub(super) type Features = BTreeMap<String, f32>;

/// Makes features of words in the language of an index.
pub(super) struct Analyser {
    language: Option<Lang>,
    stemmer: Option<Stemmer>,
}

impl Analyser {
    /// For texts in a language, named by its code of three letters.
    pub(super) fn of(language: &str) -> Self {
        let language = Lang::from_code(language);
        Self { language, stemmer: language.and_then(algorithm).map(Stemmer::create) }
    }

    /// A placeholder is like nothing but itself, and a function word is its stem alone.
    pub(super) fn features(&self, word: &str) -> Features {
        if word.starts_with('{') {
            return Features::from([(word.to_owned(), 1.0)]);
        }
        let stem = self.stemmer.as_ref().map_or(word.into(), |stemmer| stemmer.stem(word));
        let mut features = Features::from([(format!("={stem}"), 1.0)]);
        if function_words::is_one(word, self.language) {
            return features;
        }
        let marked: Vec<char> =
            std::iter::once('^').chain(word.chars().take(WORD_CHARS)).chain(std::iter::once('$')).collect();
        for run in RUNS.iter().flat_map(|length| marked.windows(*length)) {
            *features.entry(run.iter().collect()).or_default() += RUN_WEIGHT;
        }
        features
    }
}

/// The language that most of these texts are in, as a code of three letters; English where they are too few to tell.
pub(super) fn language<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut sample = String::new();
    for text in texts {
        if sample.len() > LANGUAGE_CHARS {
            break;
        }
        sample.push_str(text);
        sample.push('\n');
    }
    let found = whatlang::detect(&sample).filter(whatlang::Info::is_reliable);
    found.map_or(Lang::Eng, |found| found.lang()).code().to_owned()
}

fn algorithm(language: Lang) -> Option<Algorithm> {
    Some(match language {
        Lang::Ara => Algorithm::Arabic,
        Lang::Dan => Algorithm::Danish,
        Lang::Nld => Algorithm::Dutch,
        Lang::Eng => Algorithm::English,
        Lang::Fin => Algorithm::Finnish,
        Lang::Fra => Algorithm::French,
        Lang::Deu => Algorithm::German,
        Lang::Ell => Algorithm::Greek,
        Lang::Hun => Algorithm::Hungarian,
        Lang::Ita => Algorithm::Italian,
        Lang::Nob => Algorithm::Norwegian,
        Lang::Por => Algorithm::Portuguese,
        Lang::Ron => Algorithm::Romanian,
        Lang::Rus => Algorithm::Russian,
        Lang::Spa => Algorithm::Spanish,
        Lang::Swe => Algorithm::Swedish,
        Lang::Tam => Algorithm::Tamil,
        Lang::Tur => Algorithm::Turkish,
        _ => return None,
    })
}
