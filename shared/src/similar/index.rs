//! The index of past cases: TF-IDF over words, built once, kept as bytes, searched in memory.

use super::past_case::PastCase;
use super::placeholder::without_values;
use super::terms;
use super::vocabulary::{Likeness, Lists, Vocabulary};
use super::{Showing, SimilarCase};
use crate::memory::Stems;
use crate::text;
use crate::values::{Kind, Value};
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// The form of the bytes; other forms are unreadable. It changes with whatever changes the features of a word.
const FORM: u32 = 1;
/// Cases that are packed together.
const BLOCK: usize = 32;
/// Cases that tell the language of all.
const SAMPLE: usize = 20;
/// Cases that are looked at for each one that is shown: some say the same.
const LOOKED_AT: usize = 4;

/// These bytes are no index of the form that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the index of past cases cannot be read")]
pub struct Unreadable;

/// A case that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its number in the index.
    pub case: usize,
    /// How much it is like the question: 0 has nothing in common with it, 1 all.
    pub likeness: f32,
}

/// An index as bytes, to be put somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// What [`Index::read`] reads.
    pub bytes: Vec<u8>,
    /// How many cases are in it.
    pub cases: usize,
}

impl Packed {
    /// An index of these cases. The same cases are the same bytes, in whatever order they come; of two with one id
    /// the last stays.
    pub fn of(cases: impl IntoIterator<Item = PastCase>) -> Self {
        let named = cases.into_iter().map(|case| ((case.is_released(), case.id().to_owned()), case));
        let cases: Vec<PastCase> = named.collect::<BTreeMap<_, _>>().into_values().collect();
        let blocks = cases.chunks(BLOCK).map(|block| packed(&serialized(&block.to_vec()))).collect();
        let searched = packed(&serialized(&Searched::of(&cases)));
        Self { bytes: serialized(&Stored { form: FORM, searched, blocks }), cases: cases.len() }
    }
}

/// Past cases, ready to be searched.
pub struct Index {
    searched: Searchable,
    blocks: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("cases", &self.len()).finish_non_exhaustive()
    }
}

/// An index as bytes: what is searched, and the cases, both packed.
#[derive(Serialize, Deserialize)]
struct Stored {
    form: u32,
    searched: Vec<u8>,
    blocks: Vec<Vec<u8>>,
}

impl Index {
    /// The index that these bytes are.
    ///
    /// # Errors
    /// They are none.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let Stored { form, searched, blocks } = deserialized(bytes)?;
        if form != FORM {
            return Err(Unreadable);
        }
        let searched = Searchable::of(deserialized(&unpacked(&searched)?)?)?;
        let needed = searched.lengths.len().div_ceil(BLOCK);
        if blocks.len() == needed { Ok(Self { searched, blocks }) } else { Err(Unreadable) }
    }

    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.searched.lengths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cases, in their order.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn cases(&self) -> Result<Vec<PastCase>, Unreadable> {
        let mut cases = vec![];
        for block in &self.blocks {
            cases.extend(deserialized::<Vec<PastCase>>(&unpacked(block)?)?);
        }
        Ok(cases)
    }

    /// The case of this number.
    ///
    /// # Errors
    /// It cannot be read, or there is none.
    pub fn case(&self, number: usize) -> Result<PastCase, Unreadable> {
        let block = self.blocks.get(number / BLOCK).ok_or(Unreadable)?;
        let cases: Vec<PastCase> = deserialized(&unpacked(block)?)?;
        cases.into_iter().nth(number % BLOCK).ok_or(Unreadable)
    }

    /// What a prompt shows for a question: the cases that are most like it and at least as much as the floor, most
    /// similar first, each solution once.
    ///
    /// # Errors
    /// The cases cannot be read.
    pub fn find(&self, question: &str, showing: &Showing) -> Result<Vec<SimilarCase>, Unreadable> {
        let mut shown: Vec<SimilarCase> = vec![];
        for near in self.nearest(text::tail(question, showing.question_chars), showing.most * LOOKED_AT) {
            if shown.len() == showing.most || near.likeness < showing.floor {
                break;
            }
            let case = self.case(near.case)?.shown(showing.case_chars);
            if shown.iter().all(|shown| shown.solution != case.solution) {
                shown.push(case);
            }
        }
        Ok(shown)
    }

    /// The cases that are most like a question, at most `most` of them, most similar first.
    pub fn nearest(&self, question: &str, most: usize) -> Vec<Near> {
        self.searched.nearest(question, most)
    }
}

/// What is searched, as it is kept. Features are not in it: they follow from the words.
#[derive(Serialize, Deserialize)]
struct Searched {
    /// The language of the words, as their stems are named.
    language: String,
    /// Sorted.
    words: Vec<String>,
    /// The cases that a word is in, each as the step from the one before.
    steps: Vec<Vec<u32>>,
    /// In how many cases each feature is.
    found_in: Vec<u32>,
    lengths: Vec<f32>,
}

impl Searched {
    fn of(cases: &[PastCase]) -> Self {
        let stems = Stems::of(&sample(cases), "");
        let language = stems.language().to_owned();
        let mut postings: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (number, case) in cases.iter().enumerate() {
            for word in terms::words(&case.searched()) {
                postings.entry(word).or_default().push(number as u32);
            }
        }
        let (words, postings): (Vec<String>, Vec<Vec<u32>>) = postings.into_iter().unzip();
        let vocabulary = Vocabulary::of(words, stems);
        let words_of = transposed(&postings, cases.len());
        let found_in = vocabulary.found_in(&words_of);
        let lengths = vocabulary.lengths(&words_of, &found_in);
        Self { language, words: vocabulary.into_words(), steps: stepped(postings), found_in, lengths }
    }
}

/// A little of many cases, by which their language is told.
fn sample(cases: &[PastCase]) -> String {
    let some = cases.iter().step_by((cases.len() / SAMPLE).max(1)).take(SAMPLE);
    some.map(PastCase::problem).collect::<Vec<_>>().join("\n")
}

/// What is searched, in memory.
struct Searchable {
    likeness: Likeness,
    /// The cases that a word is in.
    postings: Lists<u32>,
    /// The length of each case's vector.
    lengths: Vec<f32>,
}

impl Searchable {
    fn of(stored: Searched) -> Result<Self, Unreadable> {
        let Searched { language, words, steps, found_in, lengths } = stored;
        let cases = lengths.len();
        let stems = Stems::in_language(&language).ok_or(Unreadable)?;
        let vocabulary = Vocabulary::of(words, stems);
        let postings = Lists::of(steps.into_iter().map(walked));
        let is_whole = postings.len() == vocabulary.words().len()
            && found_in.len() == vocabulary.features()
            && postings.all().iter().all(|case| (*case as usize) < cases);
        if !is_whole {
            return Err(Unreadable);
        }
        Ok(Self { likeness: Likeness::of(vocabulary, &found_in, cases), postings, lengths })
    }

    fn nearest(&self, question: &str, most: usize) -> Vec<Near> {
        let words = self.words_of(question);
        let mut pull: BTreeMap<u32, f32> = BTreeMap::new();
        for word in &words {
            for (alike, shared) in self.likeness.alike(word) {
                *pull.entry(alike).or_default() += shared;
            }
        }
        let mut shared = vec![0.0_f32; self.lengths.len()];
        for (word, pull) in &pull {
            for case in self.postings.get(*word) {
                shared[*case as usize] += pull;
            }
        }
        let length = self.likeness.length(&words);
        let likeness =
            |(case, shared): (usize, f32)| Near { case, likeness: shared / (length * self.lengths[case]) };
        best(shared.into_iter().enumerate().filter(|(_, shared)| *shared > 0.0).map(likeness), most)
    }

    /// Values are looked for as placeholders, as is a name of which the index knows no word.
    fn words_of(&self, question: &str) -> BTreeSet<String> {
        let vocabulary = self.likeness.vocabulary();
        let is_word = |value: &Value<'_>, _: &str| {
            value.kind == Kind::Name && terms::words(value.text).iter().any(|word| vocabulary.knows(word))
        };
        terms::words(&without_values(question, is_word))
    }
}

/// The `most` best, best first; of equals the first.
fn best(found: impl Iterator<Item = Near>, most: usize) -> Vec<Near> {
    let mut best: Vec<Near> = vec![];
    for near in found {
        let worst = best.last().map_or(0.0, |worst| worst.likeness);
        if best.len() < most || near.likeness > worst {
            let at = best.partition_point(|better| better.likeness >= near.likeness);
            best.insert(at, near);
            best.truncate(most);
        }
    }
    best
}

/// The words of each case, from the cases of each word.
fn transposed(postings: &[Vec<u32>], cases: usize) -> Vec<Vec<u32>> {
    let mut words_of = vec![vec![]; cases];
    for (word, cases) in postings.iter().enumerate() {
        for case in cases {
            words_of[*case as usize].push(word as u32);
        }
    }
    words_of
}

fn stepped(postings: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let steps = |cases: Vec<u32>| {
        let before = std::iter::once(0).chain(cases.iter().copied());
        cases.iter().zip(before).map(|(case, before)| case - before).collect()
    };
    postings.into_iter().map(steps).collect()
}

fn walked(steps: Vec<u32>) -> Vec<u32> {
    let mut at = 0_u32;
    let walk = |step: u32| {
        at = at.saturating_add(step);
        at
    };
    steps.into_iter().map(walk).collect()
}

fn serialized(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_default()
}

fn deserialized<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    postcard::from_bytes(bytes).map_err(|_| Unreadable)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![];
    // Reading from memory into memory cannot fail.
    let _ = DeflateEncoder::new(bytes, Compression::best()).read_to_end(&mut packed);
    packed
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let mut unpacked = vec![];
    DeflateDecoder::new(bytes).read_to_end(&mut unpacked).map_err(|_| Unreadable)?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::{Ordinary, Ticket};
    use proptest::prelude::*;

    fn case(id: &str, body: &str, answer: &str) -> PastCase {
        let (id, body, answer) = (id.to_owned(), body.to_owned(), answer.to_owned());
        PastCase::of_ticket(&Ticket { id, body, answer, ..Ticket::default() }, &Ordinary::default())
    }

    fn index(cases: impl IntoIterator<Item = PastCase>) -> Index {
        Index::read(&Packed::of(cases).bytes).expect("an index")
    }

    fn shop() -> Vec<PastCase> {
        vec![
            case("1", "how can I cancel order 113542617735902?", "Open {{Order Details}}"),
            case("2", "where is my refund of €40", "Refunds take a week"),
            case("3", "change the delivery address please", "Open {{Profile}}"),
            case("4", "I would like to cancel my purchase", "Open {{Order Details}}"),
            case("5", "which payment methods do you take", "Cards"),
        ]
    }

    fn showing() -> Showing {
        Showing { most: 3, floor: 0.3, case_chars: 600, question_chars: 2_000 }
    }

    fn ids(index: &Index, question: &str) -> Vec<String> {
        let nearest = index.nearest(question, 10).into_iter();
        nearest.map(|near| index.case(near.case).expect("a case").id().to_owned()).collect()
    }

    #[test]
    fn the_case_that_is_most_like_the_question_comes_first() {
        let index = index(shop());
        assert_eq!(ids(&index, "please cancel order #W2611340")[0], "1");
        assert_eq!(ids(&index, "cancelling purchases")[0], "4");
        assert_eq!(ids(&index, "my adress for delivrey changed")[0], "3", "typing errors");
    }

    #[test]
    fn what_is_shown_is_above_the_floor_and_says_something_new() {
        let index = index(shop());
        let found = index.find("how do I cancel my order 732201349959", &showing()).expect("cases");
        assert_eq!(
            found.iter().map(|case| case.solution.as_str()).collect::<Vec<_>>(),
            ["Open {{Order Details}}"]
        );
        assert_eq!(found[0].problem, "how can I cancel order {{Order Number}}?");
        for question in ["", "??? 👍", "The lamp flickers", "who are you?"] {
            assert_eq!(index.find(question, &showing()), Ok(vec![]), "{question}");
        }
    }

    #[test]
    fn a_name_that_nobody_else_has_is_looked_for_as_a_name() {
        let index =
            index([case("1", "invoices from Anna Freeman", "x"), case("2", "invoices of last month", "y")]);
        let near = index.nearest("invoices from Rita Alves", 1)[0];
        assert_eq!((near.case, near.likeness > 0.99), (0, true));
    }

    #[test]
    fn an_index_of_nothing_finds_nothing() {
        let index = index([]);
        assert!(index.is_empty());
        assert_eq!(index.find("cancel order", &showing()), Ok(vec![]));
    }

    #[test]
    fn a_german_index_knows_german_stems() {
        let texts = [
            "Wie kann ich meine Bestellung bei Ihnen stornieren?",
            "Wo bleibt die Rückzahlung meiner Rechnung?",
        ];
        let ordinary = Ordinary::of(texts.repeat(8));
        let case = |(id, text): (usize, &&str)| {
            let ticket =
                Ticket { id: id.to_string(), body: (*text).into(), answer: "x".into(), ..Ticket::default() };
            PastCase::of_ticket(&ticket, &ordinary)
        };
        let index = index(texts.iter().enumerate().map(case));
        assert_eq!(ids(&index, "Bestellungen stornierten")[0], "0");
        assert_eq!(ids(&index, "die Rechnungen")[0], "1");
    }

    #[test]
    fn what_is_no_index_is_unreadable() {
        let bytes = Packed::of(shop()).bytes;
        assert!(Index::read(&[]).is_err() && Index::read(b"{}").is_err());
        assert!(Index::read(&bytes[..bytes.len() - 1]).is_err());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            // Whatever it is, it ends without a panic.
            if let Ok(index) = Index::read(&damaged) {
                let _ = (index.find("cancel order", &showing()), index.cases());
            }
        }
    }

    proptest! {
        #[test]
        fn the_same_cases_are_the_same_bytes_and_come_back(
            texts in proptest::collection::btree_map("[a-c]{1,2}", ("[a-z ]{0,40}", "\\PC{0,20}"), 0..80),
            turned in any::<prop::sample::Index>(),
        ) {
            let cases: Vec<PastCase> =
                texts.iter().map(|(id, (body, answer))| case(id, body, answer)).collect();
            let bytes = Packed::of(cases.clone()).bytes;
            let mut other = cases.clone();
            other.rotate_left(turned.index(cases.len() + 1) % cases.len().max(1));
            prop_assert_eq!(&Packed::of(other).bytes, &bytes);
            prop_assert_eq!(Index::read(&bytes).expect("an index").cases().expect("cases"), cases);
        }

        #[test]
        fn a_ranking_is_the_same_every_time_and_never_grows(
            bodies in proptest::collection::vec("[a-d]{1,3}( [a-d]{1,3}){0,5}", 1..40),
            question in "[a-d]{1,3}( [a-d]{1,3}){0,5}",
        ) {
            let cases = bodies.iter().enumerate().map(|(id, body)| case(&id.to_string(), body, "x"));
            let index = index(cases);
            let nearest = index.nearest(&question, 100);
            prop_assert_eq!(&index.nearest(&question, 100), &nearest);
            prop_assert!(nearest.is_sorted_by(|a, b| a.likeness >= b.likeness));
            prop_assert!(nearest.iter().all(|near| (0.0..=1.001).contains(&near.likeness)), "{:?}", nearest);
            prop_assert_eq!(&index.nearest(&question, 3)[..], &nearest[..nearest.len().min(3)]);
        }
    }
}
