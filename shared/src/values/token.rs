//! Texts as tokens: one pass, after which every recogniser looks at a bounded number of tokens around its own.

/// Tokens longer than this many bytes (blobs, keyboard noise, endless combining marks) are never a value.
const LONGEST: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Letters of scripts that separate words.
    Word,
    /// Digits of any script.
    Number,
    /// Letters, digits and underscores.
    Mixed,
    /// Letters of scripts written without spaces, and Hangul, whose counters stick to digits.
    Wide,
    /// Any other single character.
    Mark(char),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: Class,
    /// White space or a line break comes before it.
    pub(super) gap: bool,
    /// A line break comes before it, or it is the first.
    pub(super) line: bool,
}

/// A text and its tokens. Asking beyond either end answers `None` or `false`.
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    pub(super) all: Vec<Token>,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut all: Vec<Token> = Vec::with_capacity(text.len() / 4);
        let (mut gap, mut line) = (true, true);
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            let class = match sort(character) {
                Sort::Space => {
                    gap = true;
                    continue;
                }
                Sort::Line => {
                    (gap, line) = (true, true);
                    continue;
                }
                Sort::Invisible => {
                    extend_over_invisible(&mut all, gap, start, end);
                    continue;
                }
                Sort::Is(class) => class,
            };
            let last = all.last_mut().filter(|last| !gap && last.end == start);
            match last.and_then(|last| joined(last.class, class).map(|class| (last, class))) {
                Some((last, class)) => (last.class, last.end) = (class, end),
                None => all.push(Token { start, end, class, gap, line }),
            }
            (gap, line) = (false, false);
        }
        Self { text, all }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn class(&self, at: usize) -> Option<Class> {
        self.all.get(at).map(|token| token.class)
    }

    /// The token as written; empty where there is none or where it is too long to be a value.
    pub(super) fn str(&self, at: usize) -> &'t str {
        match self.all.get(at) {
            Some(token) if token.end - token.start <= LONGEST => {
                self.text.get(token.start..token.end).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// The text from the first token to the one before `end`.
    pub(super) fn slice(&self, first: usize, end: usize) -> &'t str {
        match (self.all.get(first), end.checked_sub(1).and_then(|last| self.all.get(last))) {
            (Some(from), Some(to)) => self.text.get(from.start..to.end).unwrap_or_default(),
            _ => "",
        }
    }

    pub(super) fn is_mark(&self, at: usize, marks: &[char]) -> bool {
        matches!(self.class(at), Some(Class::Mark(mark)) if marks.contains(&mark))
    }

    /// Whether the token sticks to the one before it.
    pub(super) fn adjoins(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| !token.gap)
    }

    /// Whether the token is on the same line as the one before it.
    pub(super) fn same_line(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| !token.line)
    }

    /// A mark that sticks to both neighbours.
    pub(super) fn joins(&self, at: usize, marks: &[char]) -> bool {
        self.is_mark(at, marks) && self.adjoins(at) && self.adjoins(at + 1)
    }

    /// The digits of a number token, in ASCII.
    pub(super) fn digits(&self, at: usize) -> Option<String> {
        matches!(self.class(at), Some(Class::Number)).then(|| ascii_digits(self.str(at)))
    }

    /// A number token of at most four digits.
    pub(super) fn small(&self, at: usize) -> Option<u32> {
        if !matches!(self.class(at), Some(Class::Number)) {
            return None;
        }
        parse_small(self.str(at))
    }

    pub(super) fn is_word(&self, at: usize, words: &[&str]) -> bool {
        matches!(self.class(at), Some(Class::Word | Class::Wide)) && {
            let word = self.str(at);
            words.iter().any(|known| word.eq_ignore_ascii_case(known))
        }
    }
}

/// Leading digits and the letters after them: `8th`, `48cm`, `6pm`.
pub(super) fn split_digits(token: &str) -> Option<(&str, &str)> {
    let letters = token.find(|character: char| digit_value(character).is_none())?;
    token.split_at_checked(letters).filter(|(digits, _)| !digits.is_empty())
}

/// The token after a dash, `to` or `until` that makes a range with the number before it.
pub(super) fn range_end(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let links = tokens.is_mark(at, &['-', '–', '—', '‑']) || tokens.is_word(at, &["to", "until", "till"]);
    (links && tokens.same_line(at) && tokens.same_line(at + 1)).then_some(at + 1)
}

/// Whether a word starts with a capital letter.
pub(super) fn is_capital(word: &str) -> bool {
    match word.as_bytes().first() {
        Some(first) if first.is_ascii() => first.is_ascii_uppercase(),
        _ => word.starts_with(char::is_uppercase),
    }
}

/// A number of at most four digits of any script.
pub(super) fn parse_small(digits: &str) -> Option<u32> {
    let mut value = 0;
    let mut count = 0;
    for digit in digits.chars() {
        count += 1;
        value = value * 10 + digit_value(digit).filter(|_| count <= 4)?;
    }
    (count > 0).then_some(value)
}

pub(super) fn ascii_digits(text: &str) -> String {
    text.chars().filter_map(|digit| char::from_digit(digit_value(digit)?, 10)).collect()
}

/// Lower case, digits of every script as ASCII, without joiners and separators: how ids compare.
pub(super) fn compact(text: &str) -> String {
    let mut compacted = String::with_capacity(text.len());
    for character in text.chars() {
        match digit_value(character).and_then(|value| char::from_digit(value, 10)) {
            Some(digit) => compacted.push(digit),
            None if character.is_alphanumeric() => compacted.extend(character.to_lowercase()),
            None => {}
        }
    }
    compacted
}

/// The value of a decimal digit of any script in use.
pub(super) fn digit_value(character: char) -> Option<u32> {
    const ZEROS: [u32; 18] = [
        0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50,
        0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10,
    ];
    if character.is_ascii() {
        return character.to_digit(10);
    }
    let code = u32::from(character);
    ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))
}

enum Sort {
    Space,
    Line,
    Invisible,
    Is(Class),
}

fn sort(character: char) -> Sort {
    match character {
        'a'..='z' | 'A'..='Z' => Sort::Is(Class::Word),
        '0'..='9' => Sort::Is(Class::Number),
        '_' => Sort::Is(Class::Mixed),
        ' ' | '\t' => Sort::Space,
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Sort::Line,
        '\0'..='\u{7f}' => Sort::Is(Class::Mark(character)),
        _ if character.is_whitespace() => Sort::Space,
        _ if is_invisible(character) => Sort::Invisible,
        _ if digit_value(character).is_some() => Sort::Is(Class::Number),
        _ if is_wide(character) => Sort::Is(Class::Wide),
        _ if character.is_alphabetic() => Sort::Is(Class::Word),
        _ => Sort::Is(Class::Mark(character)),
    }
}

/// Combining marks, joiners and direction marks: they belong to what they follow and mean nothing here.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}' | '\u{610}'..='\u{61C}'
        | '\u{64B}'..='\u{65F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FE20}'..='\u{FE2F}' | '\u{FEFF}')
}

/// Letters of scripts that are written without spaces, and Hangul.
pub(crate) fn is_wide(character: char) -> bool {
    matches!(character,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{31FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

fn joined(last: Class, next: Class) -> Option<Class> {
    match (last, next) {
        (Class::Mark(_), _) | (_, Class::Mark(_)) => None,
        (Class::Wide, Class::Wide) => Some(Class::Wide),
        (Class::Wide, _) | (_, Class::Wide) => None,
        (one, other) if one == other => Some(one),
        _ => Some(Class::Mixed),
    }
}

fn extend_over_invisible(all: &mut [Token], gap: bool, start: usize, end: usize) {
    if let Some(last) = all.last_mut().filter(|last| !gap && last.end == start)
        && !matches!(last.class, Class::Mark(_))
    {
        last.end = end;
    }
}
