//! Ordinary words that only look like names: `Navigate` at the start of a sentence, every noun in German.
//!
//! That many texts have a word shows nothing: they have frequent names, too. It must be seen as a word.

use super::instruction::is_instruction;
use super::people::{is_first_name, is_name};
use crate::values::{Kind, Value};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

/// Texts in which a word must stand in lower case.
const LOWER_TEXTS: usize = 3;
/// Where capitals are usual: texts in which it must stand like a noun, and those of them in which a name would not.
const NOUN_TEXTS: usize = 3;
const SURELY_NOUN_TEXTS: usize = 2;
/// For each text in which it stands like a last name, there must be so many in which it stands like a noun.
const NOUNS_FOR_A_NAME: usize = 10;
/// Of a hundred words after another one; above it capitals are usual.
const CAPITALS_PERCENT: usize = 15;

/// The ordinary words of many texts. Without texts there is none, and every word that looks like a name is one.
#[derive(Debug, Clone, Default)]
pub struct Ordinary {
    words: HashSet<String>,
    capitals_are_usual: bool,
}

impl Ordinary {
    /// The ordinary words of these texts: those that several of them write in lower case, not only by mistake, and,
    /// where capitals are usual, those that several of them use as nouns and none as a name.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = Counts::default();
        texts.into_iter().for_each(|text| counts.read(text));
        let capitals_are_usual = counts.capital * 100 > counts.inside * CAPITALS_PERCENT;
        let is_ordinary = |word: &str, uses: Uses| {
            !is_name(word) && !uses.is_titled() && (uses.is_lower() || (capitals_are_usual && uses.is_noun()))
        };
        let words = counts.words.into_iter().filter(|(word, uses)| is_ordinary(word, *uses));
        Self { words: words.map(|(word, _)| word).collect(), capitals_are_usual }
    }

    /// Whether a value is no name after all: it begins an instruction, or its words are ordinary and nothing but a
    /// capital says that it is one. `after` is what follows it.
    pub fn excuses(&self, value: &Value<'_>, after: &str) -> bool {
        let mut words = value.text.unicode_words().map(str::to_lowercase);
        let by_capital = value.kind == Kind::Name && (!value.sure || self.capitals_are_usual);
        is_instruction(value, after) || (by_capital && words.all(|word| self.words.contains(&word)))
    }
}

/// Words behind which a noun stands and no name, in German and English.
const BEFORE_NOUNS: &str = "
    ein eine einem einen einer eines kein keine keinem keinen keiner keines mein meine meinem meinen meiner meines
    deinem deinen deiner deines sein seine seinem seinen seiner seines ihrem ihren ihrer ihres unser unsere unserem
    unseren unserer unseres eurem euren eurer eures des dieser diese diesem diesen dieses jeder jede jedem jeden jedes
    welcher welche welchem welchen welches alle allen aller viele vielen einige einigen mehrere mehreren beide beiden
    im ins ans
    a an my your his its our their these those every each any some
";
/// Words behind which a noun stands, or a name: in some dialects (`der Peter`), in a closing (`Ihre Anna`), or where a
/// letter is missing (`das Peter kommt`).
const BEFORE_NAMES_TOO: &str = "
    der die das den dem zum zur am beim vom ihr ihre dein deine euer eure the this that her all no
";
/// Words that say that a name follows.
const TITLES: [&str; 21] = [
    "herr", "herrn", "frau", "familie", "fam", "eheleute", "hr", "fr", "dr", "prof", "mr", "mrs", "ms", "sr",
    "sra", "señor", "señora", "madame", "monsieur", "mme", "mlle",
];

/// How a word is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    /// In lower case.
    Lower,
    /// With a capital, directly behind a word in lower case.
    Inside,
    /// With a capital behind a word behind which a noun stands.
    Noun,
    /// The same, where no name would stand.
    SurelyNoun,
    /// With a capital behind a title.
    Titled,
    /// With a capital behind a first name.
    Last,
}

/// In how many texts a word is used in which way.
#[derive(Debug, Clone, Copy, Default)]
struct Uses([usize; 6]);

impl Uses {
    fn texts(self, how: Use) -> usize {
        self.0[how as usize]
    }

    fn is_titled(self) -> bool {
        self.texts(Use::Titled) > 0
    }

    fn is_lower(self) -> bool {
        let lower = self.texts(Use::Lower);
        lower >= LOWER_TEXTS && lower >= self.texts(Use::Inside)
    }

    fn is_noun(self) -> bool {
        let nouns = self.texts(Use::Noun);
        nouns >= NOUN_TEXTS.max(self.texts(Use::Last) * NOUNS_FOR_A_NAME)
            && self.texts(Use::SurelyNoun) >= SURELY_NOUN_TEXTS
    }
}

#[derive(Default)]
struct Counts {
    words: HashMap<String, Uses>,
    /// Words after a word in lower case, and those of them with a capital.
    inside: usize,
    capital: usize,
}

impl Counts {
    fn read(&mut self, text: &str) {
        let mut seen: HashSet<(String, Use)> = HashSet::new();
        let mut before = Word::default();
        for (start, written) in text.unicode_word_indices() {
            let word = Word::new(start, written);
            self.inside += usize::from(before.is_lower);
            self.capital += usize::from(before.is_lower && !word.is_lower);
            seen.extend(word.uses(&before, text).map(|how| (word.lower.clone(), how)));
            before = word;
        }
        for (word, how) in seen {
            self.words.entry(word).or_default().0[how as usize] += 1;
        }
    }
}

/// A word of a text.
#[derive(Default)]
struct Word {
    start: usize,
    end: usize,
    lower: String,
    is_lower: bool,
}

impl Word {
    fn new(start: usize, written: &str) -> Self {
        let is_lower = !written.starts_with(char::is_uppercase);
        Self { start, end: start + written.len(), lower: written.to_lowercase(), is_lower }
    }

    /// How it is used behind the word `before`.
    fn uses(&self, before: &Self, text: &str) -> impl Iterator<Item = Use> {
        let between = text.get(before.end..self.start).unwrap_or_default();
        let follows = |words: &HashSet<&str>| between == " " && words.contains(before.lower.as_str());
        let (noun, name_too) = (follows(&NOUNS_FOLLOW), follows(&NAMES_FOLLOW_TOO));
        let titled = matches!(between, " " | ". ") && TITLES.contains(&before.lower.as_str());
        let last = between == " " && is_first_name(&before.lower);
        let with_capital = [
            (Use::Inside, between == " " && before.is_lower),
            (Use::Noun, noun || name_too),
            (Use::SurelyNoun, noun),
            (Use::Titled, titled),
            (Use::Last, last),
        ];
        let is_lower = self.is_lower;
        let with_capital = with_capital.into_iter().filter(move |(_, is_so)| *is_so && !is_lower);
        with_capital.map(|(how, _)| how).chain(is_lower.then_some(Use::Lower))
    }
}

static NOUNS_FOLLOW: LazyLock<HashSet<&str>> =
    LazyLock::new(|| BEFORE_NOUNS.split_ascii_whitespace().collect());
static NAMES_FOLLOW_TOO: LazyLock<HashSet<&str>> =
    LazyLock::new(|| BEFORE_NAMES_TOO.split_ascii_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::placeholder::without_values;

    fn clean(text: &str, texts: &[&str]) -> String {
        let ordinary = Ordinary::of(texts.iter().copied());
        without_values(text, |value, after| ordinary.excuses(value, after))
    }

    #[test]
    fn a_word_that_others_write_in_lower_case_is_no_name() {
        let texts = ["please navigate to it", "then navigate there", "navigate back", "We told anna"];
        assert_eq!(
            clean("1. Navigate to it.\n2. Oskar knows.", &texts),
            "1. Navigate to it.\n2. {{Name}} knows."
        );
    }

    #[test]
    fn isolation_a_name_that_some_write_in_lower_case_is_one() {
        let texts = ["this is jolanta", "it is jolanta again", "jolanta, as i said", "here mark"];
        let more =
            ["I told Jolanta", "and Jolanta said", "for Jolanta", "for Jolanta too", "mark it", "to mark"];
        let all = [&texts[..], &more].concat();
        assert_eq!(
            clean("Jolanta the cleaner came. Mark saw her.", &all),
            "{{Name}} the cleaner came. {{Name}} saw her."
        );
    }

    /// German texts in which nouns and names are equally frequent.
    const GERMAN: [&str; 10] = [
        "ich suche meine Rechnung in der Übersicht und Weber sagt, die Heizung geht nicht",
        "wo ist die Rechnung, fragt Frau Schmidt, und meine Heizung ist wieder kalt",
        "wir haben eine Rechnung bekommen, sagt Müller, für diese Heizung im Keller",
        "bitte schickt der Müller noch eine Rechnung, unsere Heizung im Keller rauscht",
        "Anna Brinkhaus wartet, der Brinkhaus schimpft, und die Schmidt will einen Keller",
        "die Weber und der Weber suchen einen Keller, sagt unser Brinkhaus zu Herr Weber",
        "mein Brinkhaus war da, der Keller ist nass, und Familie Brinkmann hat eine Heizung",
        "das ist kein Brinkhaus, sagen alle, einen Brinkmann gibt es, meinen Brinkmann, und jeder Brinkmann",
        "ein Brinkmann und kein Brinkmann, eine Brinkmann, der Swantje, die Swantje, das Swantje",
        "die Swantje und der Swantje kommen, sagt Ihre Swantje, und dein Müller kommt auch",
    ];

    #[test]
    fn where_capitals_are_usual_what_several_use_as_a_noun_is_no_name() {
        let text = "Wo ist meine Rechnung, die Heizung im Keller ist kalt, fragt Oskar";
        assert_eq!(
            clean(text, &GERMAN),
            "Wo ist meine Rechnung, die Heizung im Keller ist kalt, fragt {{Name}}"
        );
    }

    #[test]
    fn isolation_where_capitals_are_usual_a_frequent_name_stays_one() {
        let texts = [GERMAN; 3].concat();
        for name in ["Müller", "Weber", "Schmidt", "Brinkhaus", "Brinkmann", "Swantje"] {
            let text = format!("wo ist meine Rechnung, fragt {name} heute");
            assert_eq!(clean(&text, &texts), "wo ist meine Rechnung, fragt {{Name}} heute");
        }
    }
}
