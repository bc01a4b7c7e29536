//! Terms: what a question and an entry are compared by. Words without endings and accents; pairs of letters where a
//! script has no spaces.
//!
//! A language is told by its common words: of the few that a question has, trigrams of letters are never sure.
//! Both sides of a comparison are stemmed alike, in the language of the question: only words of that language can
//! match by their stems, and names and numbers match in any.

use crate::text::push_bare;
use crate::values::is_wide;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A word and where it starts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

/// The words of a text, single letters left out; of scripts without spaces every two letters that stand together.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::with_capacity(text.len() / 5);
    let mut run: Option<(usize, Sort)> = None;
    for (at, mark) in text.char_indices() {
        let sort = sort(mark);
        match run {
            Some((_, same)) if sort == same => {}
            Some((start, same)) => {
                push(&mut words, text, start, at, same);
                run = (sort != Sort::Other).then_some((at, sort));
            }
            None if sort != Sort::Other => run = Some((at, sort)),
            None => {}
        }
    }
    if let Some((start, sort)) = run {
        push(&mut words, text, start, text.len(), sort);
    }
    words
}

/// Whether a text says anything at all: emoji and punctuation alone do not.
pub fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Spaced,
    Wide,
    Other,
}

fn sort(mark: char) -> Sort {
    match mark {
        _ if mark.is_ascii_alphanumeric() => Sort::Spaced,
        _ if mark.is_ascii() => Sort::Other,
        _ if is_wide(mark) => Sort::Wide,
        _ if mark.is_alphanumeric() || is_mark(mark) => Sort::Spaced,
        _ => Sort::Other,
    }
}

/// Accents that stand alone, vowel signs and joiners of scripts with spaces.
fn is_mark(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{963}' | '\u{966}'..='\u{dff}')
}

fn push<'t>(words: &mut Vec<Word<'t>>, text: &'t str, start: usize, end: usize, sort: Sort) {
    let Some(run) = text.get(start..end) else { return };
    if sort == Sort::Wide {
        return push_pairs(words, run, start);
    }
    let letter = run.len() == 1 && !run.starts_with(|mark: char| mark.is_ascii_digit());
    if !letter {
        words.push(Word { text: run, start });
    }
}

fn push_pairs<'t>(words: &mut Vec<Word<'t>>, run: &'t str, start: usize) {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().map(|(at, mark)| at + mark.len_utf8()).skip(1);
    let before = words.len();
    for (from, to) in starts.zip(ends) {
        words.extend(run.get(from..to).map(|text| Word { text, start: start + from }));
    }
    if words.len() == before {
        words.push(Word { text: run, start });
    }
}

/// Languages that can be stemmed, by the codes of their stop words; those of the Latin alphabet first.
const LANGUAGES: [(&str, Algorithm); 18] = [
    ("en", Algorithm::English),
    ("es", Algorithm::Spanish),
    ("de", Algorithm::German),
    ("fr", Algorithm::French),
    ("pt", Algorithm::Portuguese),
    ("it", Algorithm::Italian),
    ("nl", Algorithm::Dutch),
    ("sv", Algorithm::Swedish),
    ("da", Algorithm::Danish),
    ("no", Algorithm::Norwegian),
    ("fi", Algorithm::Finnish),
    ("hu", Algorithm::Hungarian),
    ("ro", Algorithm::Romanian),
    ("tr", Algorithm::Turkish),
    ("el", Algorithm::Greek),
    ("ru", Algorithm::Russian),
    ("ar", Algorithm::Arabic),
    ("ta", Algorithm::Tamil),
];
const LATIN: usize = 14;
const GREEK: usize = 14;
const RUSSIAN: usize = 15;
const ARABIC: usize = 16;
const TAMIL: usize = 17;

/// The languages in which a word is common, one bit each.
static COMMON: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut common = HashMap::new();
    for (bit, (code, _)) in LANGUAGES.iter().enumerate() {
        for word in stop_words::lookup(code).unwrap_or_default() {
            *common.entry(*word).or_insert(0) |= 1 << bit;
        }
    }
    common
});

/// Greetings and thanks: they name nothing that could be remembered, and no list of stop words has them.
const COURTESIES: [&str; 36] = [
    "hello", "hi", "hey", "please", "thanks", "thank", "yes", "ok", "okay", "sure", "great", "hola",
    "gracias", "favor", "buenos", "buenas", "vale", "hallo", "bitte", "danke", "guten", "ja", "gern",
    "gerne", "bonjour", "merci", "plaît", "oui", "salut", "olá", "ola", "obrigado", "obrigada", "sim", "bom",
    "ciao",
];

/// A longer word is a number, noise or a blob: it has no ending worth taking off.
const LONGEST: usize = 40;

/// Words of a text that tell its language: these are enough, however long it is.
const TELLING: usize = 80;

/// How the words of one comparison become terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stems {
    latin: usize,
}

impl Stems {
    /// In the language of whose common words `question` has most; where that is undecided, `others` decide.
    pub(crate) fn of(question: &str, others: &str) -> Self {
        let (first, second) = (common_words(question), common_words(others));
        let languages = (0..LATIN).rev();
        let latin = languages.max_by_key(|language| (first[*language], second[*language])).unwrap_or(0);
        Self { latin }
    }

    /// In the language of this name.
    pub(crate) fn in_language(name: &str) -> Option<Self> {
        let latin = LANGUAGES.iter().take(LATIN).position(|(code, _)| *code == name)?;
        Some(Self { latin })
    }

    /// The language of words in Latin letters.
    pub(crate) fn language(&self) -> &'static str {
        LANGUAGES[self.latin].0
    }

    /// The forms under which a word is compared: without ending and accents, and without accents and ending, since
    /// many write without accents. The same word twice where that makes no difference.
    pub(crate) fn forms(&self, word: &str) -> [String; 2] {
        let lower = word.to_lowercase();
        let plain = plain(&lower);
        match self.script(&lower) {
            Some(language) => {
                let stemmer = Stemmer::create(LANGUAGES[language].1);
                [self::plain(&stemmer.stem(&lower)), stemmer.stem(&plain).into_owned()]
            }
            None => [plain.clone(), plain],
        }
    }

    /// Whether a word is too common to find anything by.
    pub(crate) fn is_common(&self, word: &str) -> bool {
        let lower = word.to_lowercase();
        let language = self.script(&lower).unwrap_or(self.latin);
        let common_in = COMMON.get(lower.as_str()).copied().unwrap_or(0);
        common_in & (1 << language) != 0 || COURTESIES.contains(&lower.as_str())
    }

    /// The language whose letters a word has.
    fn script(&self, lower: &str) -> Option<usize> {
        if lower.len() > LONGEST || lower.contains(char::is_numeric) {
            return None;
        }
        match lower.chars().next()? {
            'a'..='z' | '\u{aa}'..='\u{24f}' => Some(self.latin),
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(GREEK),
            '\u{400}'..='\u{52f}' => Some(RUSSIAN),
            '\u{600}'..='\u{6ff}' => Some(ARABIC),
            '\u{b80}'..='\u{bff}' => Some(TAMIL),
            _ => None,
        }
    }
}

/// How many of the first words of a text are common in each language.
fn common_words(text: &str) -> [u32; LANGUAGES.len()] {
    let mut counts = [0; LANGUAGES.len()];
    for word in words(text).into_iter().take(TELLING) {
        let common_in = COMMON.get(word.text.to_lowercase().as_str()).copied().unwrap_or(0);
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += (common_in >> bit) & 1;
        }
    }
    counts
}

fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    word.chars().for_each(|letter| push_bare(&mut plain, letter));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    /// Whether two words are the same term for a question.
    fn same(question: &str, one: &str, other: &str) -> bool {
        let stems = Stems::of(question, "");
        stems.forms(one).iter().any(|form| stems.forms(other).contains(form))
    }

    #[test]
    fn words_are_found_in_every_script() {
        assert_eq!(texts("It's #W2611340, HM-20931!"), ["It", "W2611340", "HM", "20931"]);
        assert_eq!(texts("我叫王伟 ok 京"), ["我叫", "叫王", "王伟", "ok", "京"]);
        assert_eq!(texts("e\u{301}te\u{301} नमस्ते"), ["e\u{301}te\u{301}", "नमस्ते"]);
        assert!(!has_word("👍 ?! …") && has_word("👍 4") && has_word("好"));
    }

    #[test]
    fn words_are_stemmed_in_the_language_of_the_question() {
        assert!(same("When are my orders going to be delivered?", "deliveries", "delivery"));
        assert!(same("Wann werden meine Bestellungen endlich geliefert?", "Bestellungen", "Bestellung"));
        assert!(same("¿Cuándo llegan los pedidos que hice la semana pasada?", "pedidos", "pedido"));
        assert!(same("Quand est-ce que mes commandes seront livrées?", "commandes", "commande"));
        assert!(same("Когда придут мои заказы?", "заказы", "заказа"));
        assert!(!same("When are my orders going to be delivered?", "order", "refund"));
    }

    #[test]
    fn accents_are_left_out_as_often_as_they_are_written() {
        let question = "¿Cuándo llegan los pedidos que hice la semana pasada?";
        assert!(same(question, "devolución", "devolucion"));
        assert!(same(question, "José", "jose"));
    }

    #[test]
    fn common_words_and_courtesies_find_nothing() {
        let german = Stems::of("Wo ist denn meine Bestellung geblieben, bitte?", "");
        assert!(german.is_common("ist") && german.is_common("Bitte") && !german.is_common("Bestellung"));
        let short = Stems::of("ok?", "¿Cuándo llegan los pedidos que hice la semana pasada?");
        assert!(short.is_common("los"), "the language of what is kept");
    }

    proptest! {
        #[test]
        fn whatever_is_written_has_terms_and_no_stemmer_panics(text in "\\PC{0,40}", question in "\\PC{0,60}") {
            let stems = Stems::of(&question, &text);
            for word in words(&text) {
                prop_assert_eq!(text.get(word.start..word.start + word.text.len()), Some(word.text));
                prop_assert!(stems.forms(word.text).len() == 2);
            }
        }
    }
}
