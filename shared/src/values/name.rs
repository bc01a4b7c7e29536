//! Names: of people, places and companies, as far as capital letters and introductions show them.

use super::hashes::Hashes;
use super::token::{Class, Tokens, is_capital};
use super::words::is_common;
use super::{Finder, Kind};
use std::sync::LazyLock;

/// Words of one name that are taken.
const LONGEST_NAME: usize = 6;
const LONGEST_WORD: usize = 48;

const NAME_WORDS: [&str; 5] = ["name", "nome", "nombre", "nom", "имя"];
const PARTICLES: [&str; 16] = [
    "de", "da", "do", "dos", "das", "di", "du", "del", "della", "van", "von", "der", "den", "la", "bin", "al",
];
const TITLES: [&str; 14] = [
    "mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "sr", "sra", "señor", "señora", "madame",
    "monsieur",
];

/// How a text uses capital letters: where most words have one, as in German, they say nothing.
pub(super) fn capitals_are_common(tokens: &Tokens<'_>) -> bool {
    if (0..tokens.len()).any(|at| is_german(tokens.str(at))) {
        return true;
    }
    let (mut inside, mut capital) = (0usize, 0usize);
    for at in 1..tokens.len() {
        if tokens.class(at) == Some(Class::Word)
            && tokens.class(at - 1) == Some(Class::Word)
            && tokens.same_line(at)
        {
            inside += 1;
            capital += usize::from(is_capital(tokens.str(at)));
        }
    }
    inside >= 8 && capital * 4 > inside
}

/// Words that hardly any language but German has; its nouns and its *you* have capitals.
static GERMAN: LazyLock<Hashes> = LazyLock::new(|| {
    let mut german = Hashes::default();
    let words = "und ist nicht für wir sie ihr ihre ihren ihrer ihrem ihnen wird werden wurde bei kommt kam ich haben \
                 auf mit ein eine einen aus auch beim vom zum zur schon gern gerne bitte dass sehr heute noch uns unser \
                 unsere wieder kann sind vielen guten schönen";
    words.split_ascii_whitespace().for_each(|word| german.add(word));
    german.seal();
    german
});

fn is_german(word: &str) -> bool {
    word.contains(char::is_lowercase) && GERMAN.contains(word)
}

/// A name that starts at the token; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    if tokens.class(at) == Some(Class::Wide) {
        return introduced_wide(finder, at);
    }
    let capital = is_capital(tokens.str(at));
    if !capital || introduction(tokens, at) == Introduction::Certain {
        return introduced(finder, at);
    }
    let end = run_end(tokens, at)?;
    let alone = end == at + 1;
    let starts = starts_sentence(tokens, at);
    let titled = at > 0 && follows_title(tokens, at);
    if !titled && alone && ordinary(tokens, at, starts) {
        return None;
    }
    let sure = titled
        || follows_label(tokens, at, end)
        || !(starts || finder.capitals_are_common || in_title_case(tokens, at, end));
    finder.push_name(at, end, sure);
    Some(end)
}

/// The token after a run of name words: `Ana`, `Ana Souza`, `Anne-Marie`, `O'Brien`, `Charles de Gaulle`, `J. Lee`.
fn run_end(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let mut end = word_end(tokens, at)?;
    for _ in 1..LONGEST_NAME {
        if !tokens.same_line(end) || tokens.adjoins(end) {
            break;
        }
        let particle = tokens.is_word(end, &PARTICLES) && tokens.same_line(end + 1);
        let next = if particle { end + 1 } else { end };
        match word_end(tokens, next) {
            Some(after) => end = after,
            None => break,
        }
    }
    Some(end)
}

/// The token after one name word with its hyphens and apostrophes, or after an initial with its full stop.
fn word_end(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    if !is_name_word(tokens, at) {
        let initial = tokens.str(at).chars().count() == 1 && is_capital(tokens.str(at));
        let dotted = tokens.is_mark(at + 1, &['.']) && tokens.adjoins(at + 1) && is_name_word(tokens, at + 2);
        let prefix = tokens.joins(at + 1, &['\'', '’']) && is_name_word(tokens, at + 2);
        return match (initial, dotted, prefix) {
            (true, true, _) => Some(at + 2),
            (true, _, true) => Some(at + 3),
            _ => None,
        };
    }
    let mut end = at + 1;
    while tokens.joins(end, &['-', '‑']) && is_name_word(tokens, end + 1) {
        end += 2;
    }
    Some(end)
}

fn is_name_word(tokens: &Tokens<'_>, at: usize) -> bool {
    if tokens.class(at) != Some(Class::Word) {
        return false;
    }
    let word = tokens.str(at);
    if !is_capital(word) || word.len() < 2 || word.len() > LONGEST_WORD {
        return false;
    }
    let shouted = !word.chars().any(char::is_lowercase);
    let letters = word.chars().count();
    let loud = shouted && (letters < 3 || is_shouted(tokens, at));
    letters > 1 && !loud && !is_common(word) && !is_contraction(tokens, at)
}

/// `I'm`, `They're`, `Don't`, but not the possessive `Ana's`.
fn is_contraction(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.joins(at + 1, &['\'', '’']) && tokens.is_word(at + 2, &["m", "re", "ve", "ll", "d", "t"])
}

/// An upper-case word between others is shouting, not a name.
fn is_shouted(tokens: &Tokens<'_>, at: usize) -> bool {
    let loud = |at: usize| {
        let word = tokens.str(at);
        tokens.class(at) == Some(Class::Word) && word.len() > 3 && !word.chars().any(char::is_lowercase)
    };
    (at > 0 && tokens.same_line(at) && loud(at - 1)) || (tokens.same_line(at + 1) && loud(at + 1))
}

fn starts_sentence(tokens: &Tokens<'_>, at: usize) -> bool {
    if at == 0 || !tokens.same_line(at) {
        return true;
    }
    match tokens.class(at - 1) {
        Some(Class::Mark('.')) => !(at > 1 && is_initial(tokens, at - 2)),
        Some(Class::Mark(mark)) => "!?:;…。！？*•-–—|>\"“”«»([{/#=".contains(mark),
        Some(Class::Number | Class::Wide) => tokens.adjoins(at),
        _ => false,
    }
}

fn is_initial(tokens: &Tokens<'_>, at: usize) -> bool {
    let letter = tokens.class(at) == Some(Class::Word) && tokens.str(at).chars().count() == 1;
    letter || tokens.is_word(at, &TITLES)
}

fn follows_title(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.is_word(at - 1, &TITLES)
        || (at > 1 && tokens.is_mark(at - 1, &['.']) && tokens.is_word(at - 2, &TITLES))
}

/// `Partner: Oskar`, `Hotel: Casa Pino`, but not `Cabin: Economy`.
fn follows_label(tokens: &Tokens<'_>, at: usize, end: usize) -> bool {
    let people =
        ["name", "partner", "guest", "contact", "passenger", "customer", "husband", "wife", "driver", "host"];
    at > 1
        && tokens.is_mark(at - 1, &[':'])
        && tokens.same_line(at)
        && (end > at + 1 || tokens.is_word(at - 2, &people))
}

/// Single words that only look like a name because a sentence or a label starts with them.
fn ordinary(tokens: &Tokens<'_>, at: usize, starts: bool) -> bool {
    if !starts {
        return false;
    }
    let label = tokens.is_mark(at + 1, &[':']) || tokens.is_mark(at + 1, &['*']);
    let lower = tokens.str(at).to_lowercase();
    let ending = ["ing", "tion", "ment", "ly", "ness", "able", "ible", "ity", "ance", "ence"];
    label || (lower.len() > 5 && ending.iter().any(|ending| lower.ends_with(ending)))
}

/// `Late Checkout Requested`: the whole line is capitalised, so nothing in it stands out.
fn in_title_case(tokens: &Tokens<'_>, first: usize, end: usize) -> bool {
    let before = first > 0 && tokens.same_line(first) && {
        let word = tokens.str(first - 1);
        is_capital(word) && word.len() > 1 && starts_sentence(tokens, first - 1)
    };
    before && (!tokens.same_line(end) || end >= tokens.len()) && end - first < 2
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Introduction {
    None,
    /// `I'm`, `this is`: an adjective as often as a name.
    Possible,
    /// `my name is`, `named`, `me llamo`.
    Certain,
}

fn introduction(tokens: &Tokens<'_>, at: usize) -> Introduction {
    let Some(before) = at.checked_sub(1).filter(|_| tokens.class(at) == Some(Class::Word)) else {
        return Introduction::None;
    };
    if !tokens.same_line(at) {
        return Introduction::None;
    }
    let second = |known: &[&str]| before.checked_sub(1).is_some_and(|second| tokens.is_word(second, known));
    let third = |known: &[&str]| before.checked_sub(2).is_some_and(|third| tokens.is_word(third, known));
    let certain = match tokens.str(before) {
        ":" | "é" | "es" | "est" => second(&NAME_WORDS),
        "is" | "IS" => second(&NAME_WORDS),
        "ist" | "are" => second(&["name", "names"]),
        "s" | "S" => third(&["name"]),
        "named" | "NAMED" | "llamo" | "chamo" | "chiamo" | "appelle" | "heiße" | "heet" | "зовут"
        | "اسمي" => true,
        _ => false,
    };
    let possible = || match tokens.str(before) {
        "m" | "M" => third(&["i"]),
        "am" | "AM" => second(&["i"]),
        "is" | "IS" => second(&["this"]),
        _ => false,
    };
    if certain {
        Introduction::Certain
    } else if possible() {
        Introduction::Possible
    } else {
        Introduction::None
    }
}

/// A name in lower case or in capitals throughout, after words that introduce one.
pub(super) fn introduced(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let introduction = introduction(finder.tokens, at);
    if introduction == Introduction::None {
        return None;
    }
    let tokens = finder.tokens;
    let mut end = at;
    while end < at + 3
        && (end == at || (tokens.same_line(end) && !tokens.adjoins(end)))
        && could_be_name(tokens, end)
    {
        end += if tokens.joins(end + 1, &['-']) && could_be_name(tokens, end + 2) { 3 } else { 1 };
    }
    let closes = end >= tokens.len()
        || matches!(tokens.class(end), Some(Class::Mark(_)))
        || tokens.is_word(end, &["and", "from", "here", "at", "with"]);
    if end == at || (introduction == Introduction::Possible && !closes) {
        return None;
    }
    finder.push_name(at, end, false);
    Some(end)
}

fn could_be_name(tokens: &Tokens<'_>, at: usize) -> bool {
    let lower = tokens.str(at).to_lowercase();
    let ending = ["ing", "ed", "ly", "ful", "less", "able", "ous", "ent"];
    tokens.class(at) == Some(Class::Word)
        && (2..=LONGEST_WORD).contains(&lower.len())
        && !is_common(&lower)
        && !(lower.len() > 4 && ending.iter().any(|ending| lower.ends_with(ending)))
}

/// `我叫王伟`, `我的名字是王伟`: scripts without capitals show a name only by its introduction.
fn introduced_wide(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let written = tokens.str(at);
    let name = ["我叫", "名字是", "名字叫", "姓名是"].iter().find_map(|intro| {
        let (_, name) = written.split_once(intro)?;
        (2..=4).contains(&name.chars().count()).then_some(name)
    })?;
    let start = tokens.all.get(at)?.end - name.len();
    finder.push_part(Kind::Name, start, name);
    Some(at + 1)
}
