//! Recall: which memories resemble what the customer writes. BM25 over words, ranked in process.

use super::Memory;
use crate::text;
use crate::thread::Seq;
use crate::time::Timestamp;
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// Something kept from earlier, as a candidate of a recall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// More words that find it, and that nobody is shown.
    pub also: String,
    /// The first message that it is from.
    pub from_seq: Seq,
    /// The last message that it is from.
    pub to_seq: Seq,
    /// When it was kept.
    pub at: Timestamp,
}

/// Term saturation and length normalisation, as BM25 usually has them.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The `most` candidates that resemble `query` best, best first; those that share no word with it are left out.
pub fn rank(candidates: &[Candidate], query: &str, most: usize, memory_chars: usize) -> Vec<Memory> {
    let query: HashSet<String> = words(query).collect();
    if query.is_empty() || candidates.is_empty() {
        return vec![];
    }
    let documents: Vec<Vec<String>> =
        candidates.iter().map(|c| words(&c.text).chain(words(&c.also)).collect()).collect();
    let mut scored: Vec<(f64, &Candidate)> =
        scores(&documents, &query).into_iter().zip(candidates).filter(|(score, _)| *score > 0.0).collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.to_seq.cmp(&x.to_seq)));
    scored.into_iter().take(most).map(|(_, candidate)| shown(candidate, &query, memory_chars)).collect()
}

fn scores(documents: &[Vec<String>], query: &HashSet<String>) -> Vec<f64> {
    let count = documents.len() as f64;
    let average = documents.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let counted: Vec<HashMap<&str, f64>> = documents.iter().map(|words| occurrences(words, query)).collect();
    let mut found_in: HashMap<&str, f64> = HashMap::new();
    for word in counted.iter().flat_map(HashMap::keys) {
        *found_in.entry(word).or_default() += 1.0;
    }
    let weight = |word: &str| {
        let n = found_in.get(word).copied().unwrap_or(0.0);
        (1.0 + (count - n + 0.5) / (n + 0.5)).ln()
    };
    let score = |(words, length): (&HashMap<&str, f64>, usize)| {
        let norm = K1 * (1.0 - B + B * length as f64 / average.max(1.0));
        words.iter().map(|(word, n)| weight(word) * n * (K1 + 1.0) / (n + norm)).sum()
    };
    counted.iter().zip(documents.iter().map(Vec::len)).map(score).collect()
}

fn occurrences<'w>(words: &'w [String], query: &HashSet<String>) -> HashMap<&'w str, f64> {
    let mut counts = HashMap::new();
    for word in words.iter().filter(|word| query.contains(*word)) {
        *counts.entry(word.as_str()).or_default() += 1.0;
    }
    counts
}

fn shown(candidate: &Candidate, query: &HashSet<String>, memory_chars: usize) -> Memory {
    let hit = candidate
        .text
        .unicode_word_indices()
        .find(|(_, word)| query.contains(&word.to_lowercase()))
        .map_or(0..0, |(at, word)| at..at + word.len());
    Memory {
        said: text::collapse_whitespace(&text::around(&candidate.text, hit, memory_chars)),
        replied: String::new(),
        messages: Some((candidate.from_seq, candidate.to_seq)),
        at: Some(candidate.at),
    }
}

/// Lower-case words that say something: common words and single letters find nothing.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.unicode_words()
        .map(str::to_lowercase)
        .filter(|word| word.len() > 1 && !COMMON.contains(&word.as_str()))
}

const COMMON: [&str; 64] = [
    "the", "and", "or", "to", "of", "in", "on", "at", "is", "it", "was", "be", "are", "am", "for", "with",
    "my", "me", "you", "your", "we", "our", "that", "this", "these", "those", "do", "does", "did", "have",
    "has", "had", "can", "could", "would", "will", "shall", "should", "what", "when", "where", "who",
    "which", "how", "if", "as", "by", "an", "so", "but", "not", "no", "yes", "please", "thanks", "thank",
    "hi", "hello", "there", "about", "from", "up", "its", "again",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(seq: u64, text: &str) -> Candidate {
        let at = Timestamp::from_millis(0);
        Candidate { text: text.into(), also: String::new(), from_seq: Seq(seq), to_seq: Seq(seq), at }
    }

    #[test]
    fn what_resembles_the_question_comes_first() {
        let kept = [
            candidate(1, "The quote for the terrace was 480 euro."),
            candidate(2, "Oskar, the partner, arrives on Sunday."),
            candidate(3, "The heating was repaired."),
        ];
        let found = rank(&kept, "what was the quote for the terrace again?", 2, 300);
        assert_eq!(found.iter().map(|memory| memory.messages).collect::<Vec<_>>(), [Some((Seq(1), Seq(1)))]);
        assert_eq!(rank(&kept, "When does Oskar come?", 2, 300)[0].messages, Some((Seq(2), Seq(2))));
    }

    #[test]
    fn a_question_without_a_word_recalls_nothing() {
        assert!(rank(&[candidate(1, "the quote")], "??? 👍", 6, 300).is_empty());
    }

    #[test]
    fn values_beside_the_text_find_it_and_are_not_shown() {
        let kept = Candidate { also: "w2611340".into(), ..candidate(1, "a long overflow") };
        let found = rank(&[kept], "W2611340", 6, 300);
        assert_eq!(found[0].said, "a long overflow");
    }
}
