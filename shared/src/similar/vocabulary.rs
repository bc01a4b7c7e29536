//! The words of an index and what they have in common.
//!
//! Two words are alike by the features that they share, each weighted by how rare it is among the cases (TF-IDF).
//! The likeness of two texts is the cosine of the sums of their words' features. It is computed by word, not by
//! feature: a case is found by its own words and by words that are alike, so that an index holds words only.

use super::terms::{self, Features};
use crate::memory::Stems;
use std::collections::{BTreeMap, HashMap};

/// What a word has in common with another counts from this part of what it has in common with itself.
const ALIKE: f32 = 0.2;

/// Lists of different lengths in one allocation.
pub(super) struct Lists<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    pub(super) fn of(lists: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut all = Self { ends: vec![], items: vec![] };
        for list in lists {
            all.items.extend(list);
            all.ends.push(all.items.len());
        }
        all
    }

    pub(super) fn get(&self, at: u32) -> &[T] {
        let at = at as usize;
        let from = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(at).and_then(|end| self.items.get(from..*end)).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn all(&self) -> &[T] {
        &self.items
    }
}

/// A feature and how often a word has it.
pub(super) type Weighted = (u32, f32);

/// The words of an index, sorted, with their features. A feature is numbered by the word that has it first, so that
/// an index need not hold any.
pub(super) struct Vocabulary {
    stems: Stems,
    words: Vec<String>,
    features: HashMap<String, u32>,
    of_word: Lists<Weighted>,
}

impl Vocabulary {
    pub(super) fn of(words: Vec<String>, stems: Stems) -> Self {
        let mut features: HashMap<String, u32> = HashMap::new();
        let mut numbered = |word: &String| -> Vec<Weighted> {
            let of_word = terms::features(word, &stems).into_iter();
            of_word
                .map(|(feature, weight)| {
                    let next = features.len() as u32;
                    (*features.entry(feature).or_insert(next), weight)
                })
                .collect()
        };
        let lists: Vec<Vec<Weighted>> = words.iter().map(&mut numbered).collect();
        Self { of_word: Lists::of(lists), stems, words, features }
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn knows(&self, word: &str) -> bool {
        self.words.binary_search_by(|known| known.as_str().cmp(word)).is_ok()
    }

    pub(super) fn features(&self) -> usize {
        self.features.len()
    }

    pub(super) fn into_words(self) -> Vec<String> {
        self.words
    }

    /// In how many cases each feature is; each case as its words.
    pub(super) fn found_in(&self, cases: &[Vec<u32>]) -> Vec<u32> {
        let mut found_in = vec![0; self.features.len()];
        let mut last = vec![usize::MAX; self.features.len()];
        for (case, words) in cases.iter().enumerate() {
            for (feature, _) in words.iter().flat_map(|word| self.of_word.get(*word)) {
                let feature = *feature as usize;
                found_in[feature] += u32::from(last[feature] != case);
                last[feature] = case;
            }
        }
        found_in
    }

    /// The length of each case: of the sum of its words' features.
    pub(super) fn lengths(&self, cases: &[Vec<u32>], found_in: &[u32]) -> Vec<f32> {
        let rarity: Vec<f32> = found_in.iter().map(|found| rarity(*found, cases.len())).collect();
        let mut sum = vec![0.0_f32; rarity.len()];
        let mut length = |words: &Vec<u32>| {
            let features = || words.iter().flat_map(|word| self.of_word.get(*word));
            for (feature, weight) in features() {
                sum[*feature as usize] += weight * rarity[*feature as usize];
            }
            // A feature counts once: it is taken out of the sum.
            let squares = features().map(|(feature, _)| std::mem::take(&mut sum[*feature as usize]).powi(2));
            squares.sum::<f32>().sqrt()
        };
        cases.iter().map(&mut length).collect()
    }
}

/// How much words have in common, weighted by how rare each feature is.
pub(super) struct Likeness {
    vocabulary: Vocabulary,
    rarity: Vec<f32>,
    /// The rarity of what no case has.
    unknown: f32,
    /// The words that have a feature, with its weight in them.
    sharing: Lists<Weighted>,
}

impl Likeness {
    /// `found_in` says in how many of the `cases` each feature is.
    pub(super) fn of(vocabulary: Vocabulary, found_in: &[u32], cases: usize) -> Self {
        let rarity: Vec<f32> = found_in.iter().map(|found| rarity(*found, cases)).collect();
        let mut sharing: Vec<Vec<Weighted>> = vec![vec![]; vocabulary.features()];
        for word in 0..vocabulary.words().len() as u32 {
            for (feature, weight) in vocabulary.of_word.get(word) {
                sharing[*feature as usize].push((word, weight * rarity[*feature as usize]));
            }
        }
        Self { unknown: self::rarity(0, cases), sharing: Lists::of(sharing), vocabulary, rarity }
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The known words that are alike, and how much, in their order.
    pub(super) fn alike(&self, word: &str) -> BTreeMap<u32, f32> {
        let (mut alike, mut own) = (BTreeMap::new(), 0.0);
        for (feature, weight) in terms::features(word, &self.vocabulary.stems) {
            let Some(&feature) = self.vocabulary.features.get(&feature) else { continue };
            let weight = weight * self.rarity[feature as usize];
            own += weight * weight;
            for (word, theirs) in self.sharing.get(feature) {
                *alike.entry(*word).or_insert(0.0) += weight * theirs;
            }
        }
        alike.retain(|_, shared| *shared >= ALIKE * own);
        alike
    }

    /// The length of the sum of these words' features. What no case has makes it longer.
    pub(super) fn length<'w>(&self, words: impl IntoIterator<Item = &'w String>) -> f32 {
        let mut sum = Features::new();
        for word in words {
            for (feature, weight) in terms::features(word, &self.vocabulary.stems) {
                *sum.entry(feature).or_default() += weight;
            }
        }
        let weighted = sum.iter().map(|(feature, weight)| {
            let known = self.vocabulary.features.get(feature);
            weight * known.map_or(self.unknown, |feature| self.rarity[*feature as usize])
        });
        weighted.map(|weight| weight * weight).sum::<f32>().sqrt()
    }
}

/// How much a feature says that is in so many of the cases; more than nothing even where all have it.
fn rarity(found_in: u32, cases: usize) -> f32 {
    ((1.0 + cases as f32) / (1.0 + found_in as f32)).ln() + 1.0
}
