//! Phone numbers and card numbers: digits in groups.

use super::token::{Class, Tokens};
use super::{Finder, Kind};

/// Groups of one phone number that are looked at.
const LONGEST_GROUPS: usize = 8;
const SEPARATORS: [char; 4] = ['-', '.', '/', '‑'];

/// `+1 555 0100`, `(+1) 5550100`, `925-671-3845`, `(415) 555-0132`, `0800 123 456`.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let grouped =
        matches!(tokens.class(at + 1)?, Class::Number | Class::Mark('-' | '.' | '/' | '‑' | '(' | ')' | '+'));
    if !grouped {
        return None;
    }
    let shape = phone_shape(tokens, at)?;
    let digits = shape.digits.as_str();
    if shape.is_card() {
        finder.push(Kind::Id, at, shape.end, digits.to_owned());
        return Some(shape.end);
    }
    if !(7..=15).contains(&digits.len()) || !shape.is_phone(tokens, at) {
        return None;
    }
    let normal = match (shape.plus, digits.strip_prefix("00")) {
        (true, _) => format!("+{digits}"),
        (false, Some(international)) => format!("+{international}"),
        (false, None) => digits.strip_prefix('0').unwrap_or(digits).to_owned(),
    };
    finder.push(Kind::Phone, at, shape.end, normal);
    Some(shape.end)
}

struct PhoneShape {
    digits: String,
    groups: Vec<usize>,
    plus: bool,
    bracket: bool,
    dashes: bool,
    end: usize,
}

impl PhoneShape {
    /// Four groups of four, as on a card.
    fn is_card(&self) -> bool {
        !self.plus && self.groups.len() == 4 && self.in_fours()
    }

    fn in_fours(&self) -> bool {
        self.groups.iter().all(|length| *length == 4)
    }

    /// Digits apart from each other are a phone number if they are written or introduced like one.
    fn is_phone(&self, tokens: &Tokens<'_>, at: usize) -> bool {
        if self.plus || (self.bracket && self.groups.len() > 1) {
            return true;
        }
        let usual = matches!(self.groups.as_slice(), [3, 4] | [3, 3, 4] | [1, 3, 3, 4]);
        let trunk = self.digits.starts_with('0') && self.groups.len() > 1 && self.digits.len() > 8;
        let many = self.dashes && self.groups.len() > 2;
        usual || trunk || many || is_introduced(tokens, at)
    }
}

fn is_introduced(tokens: &Tokens<'_>, at: usize) -> bool {
    let words =
        ["phone", "tel", "telephone", "call", "mobile", "cell", "whatsapp", "fax", "telefon", "telefone"];
    (1..=3).any(|back| at.checked_sub(back).is_some_and(|before| tokens.is_word(before, &words)))
}

fn phone_shape(tokens: &Tokens<'_>, at: usize) -> Option<PhoneShape> {
    let mut shape = PhoneShape {
        digits: String::new(),
        groups: Vec::new(),
        plus: false,
        bracket: false,
        dashes: false,
        end: at,
    };
    let mut next = at;
    while shape.groups.len() < LONGEST_GROUPS {
        match tokens.class(next)? {
            Class::Mark('+') if shape.digits.is_empty() && !shape.plus => shape.plus = true,
            Class::Mark('(') if !shape.bracket && tokens.same_line(next) | (next == at) => {
                shape.bracket = true;
            }
            Class::Mark(')') if shape.bracket && !shape.digits.is_empty() => {}
            Class::Mark('-' | '.' | '/' | '‑')
                if !shape.digits.is_empty() && tokens.joins(next, &SEPARATORS) =>
            {
                shape.dashes = true;
            }
            // `+49 (0)171`: a zero that is only dialled at home.
            Class::Number if shape.plus && tokens.str(next) == "0" && tokens.is_mark(next - 1, &['(']) => {}
            Class::Number if continues(tokens, at, next, &shape) => {
                let digits = tokens.digits(next)?;
                shape.groups.push(digits.len());
                shape.digits.push_str(&digits);
                shape.end = next + 1;
            }
            _ => break,
        }
        next += 1;
        if next >= tokens.len() {
            break;
        }
    }
    Some(shape)
}

/// A further group of digits belongs to the number unless it reads as something of its own.
fn continues(tokens: &Tokens<'_>, at: usize, next: usize, shape: &PhoneShape) -> bool {
    if next == at || shape.digits.is_empty() {
        return tokens.same_line(next) || next == at;
    }
    let length = tokens.str(next).len();
    let fits =
        shape.digits.len() + length <= 15 || (shape.digits.len() == 12 && length == 4 && shape.in_fours());
    let own = tokens.joins(next + 1, &[':', ',']) || (!tokens.adjoins(next) && length < 2);
    tokens.same_line(next) && fits && !own
}
