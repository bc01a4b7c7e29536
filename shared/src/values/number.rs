//! Plain numbers, amounts of money and phone numbers.

use super::moment::split_digits;
use super::token::{Class, Tokens, ascii_digits};
use super::{Finder, Kind};

/// Groups of one number, and of one phone number, that are looked at.
const LONGEST_GROUPS: usize = 8;

const UNITS: [&str; 34] = [
    "%", "cm", "mm", "m", "km", "kg", "g", "mg", "lb", "lbs", "oz", "ml", "l", "cl", "inch", "inches", "in",
    "ft", "mb", "gb", "tb", "mbps", "kwh", "w", "v", "mah", "h", "min", "mins", "hrs", "hr", "x", "k", "px",
];

/// An amount or a phone number that starts at a number or at a mark before one; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Mark(_) => amount_after_currency(finder, at, at).or_else(|| phone(finder, at)),
        Class::Word => prefixed_amount(finder, at),
        Class::Number => amount_before_currency(finder, at).or_else(|| phone(finder, at)),
        _ => None,
    }
}

/// A number that is nothing more special; the marker of a list (`1.` at the start of a line) is none.
pub(super) fn plain(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    if let Some((digits, letters)) =
        split_digits(tokens.str(at)).filter(|_| tokens.class(at) == Some(Class::Mixed))
    {
        let unit = unit(letters)?;
        finder.push(Kind::Number, at, at + 1, format!("{} {unit}", ascii_digits(digits)));
        return Some(at + 1);
    }
    if is_list_marker(tokens, at) {
        return Some(at + 1);
    }
    if tokens.joins(at + 1, &['/']) && tokens.small(at).is_some() && tokens.small(at + 2).is_some() {
        finder.push(Kind::Number, at, at + 3, tokens.slice(at, at + 3).to_owned());
        return Some(at + 3);
    }
    let (normal, end) = number(tokens, at, false)?;
    if tokens.is_mark(end, &['%', '٪', '％']) {
        finder.push(Kind::Number, at, end + 1, format!("{normal} %"));
        return Some(end + 1);
    }
    let measured = unit(tokens.str(end)).filter(|unit| tokens.same_line(end) && !["in", "x"].contains(unit));
    if let Some(unit) = measured {
        finder.push(Kind::Number, at, end + 1, format!("{normal} {unit}"));
        return Some(end + 1);
    }
    let written = tokens.slice(at, end);
    let looks_like_id = normal.len() > 4 && normal.len() == written.len();
    finder.push(if looks_like_id { Kind::Id } else { Kind::Number }, at, end, normal);
    Some(end)
}

/// The normal form of an ordinal.
pub(super) fn ordinal(number: u32) -> String {
    format!("{number}th")
}

/// Words for a small whole number, as customers write them.
pub(super) fn in_words(number: &str) -> &'static [&'static str] {
    match number {
        "0" => &["zero", "no", "none", "null", "cero"],
        "1" => &[
            "one", "a", "an", "single", "once", "uno", "una", "um", "uma", "un", "une", "ein", "eine",
            "einen",
        ],
        "2" => &["two", "both", "couple", "twice", "second", "pair", "dos", "dois", "duas", "deux", "zwei"],
        "3" => &["three", "third", "tres", "três", "trois", "drei"],
        "4" => &["four", "fourth", "cuatro", "quatro", "quatre", "vier"],
        "5" => &["five", "fifth", "cinco", "cinq", "fünf"],
        "6" => &["six", "sixth", "seis", "sechs"],
        "7" => &["seven", "seventh", "week", "siete", "sete", "sept", "sieben"],
        "8" => &["eight", "eighth", "ocho", "oito", "huit", "acht"],
        "9" => &["nine", "ninth", "nueve", "nove", "neuf", "neun"],
        "10" => &["ten", "tenth", "diez", "dez", "dix", "zehn"],
        "11" => &["eleven", "eleventh", "once", "onze", "elf"],
        "12" => &["twelve", "twelfth", "dozen", "doce", "doze", "douze", "zwölf"],
        "14" => &["fourteen", "fortnight"],
        "15" => &["fifteen", "quarter"],
        "20" => &["twenty"],
        "30" => &["thirty", "half"],
        "40" => &["forty"],
        "50" => &["fifty"],
        "100" => &["hundred"],
        _ => &[],
    }
}

fn is_list_marker(tokens: &Tokens<'_>, at: usize) -> bool {
    let short = tokens.small(at).is_some_and(|number| number < 100);
    let marked = tokens.is_mark(at + 1, &['.', ')', ':']) && tokens.adjoins(at + 1);
    short && marked && !tokens.same_line(at) && !tokens.adjoins(at + 2)
}

fn unit(word: &str) -> Option<&'static str> {
    if word.len() > 6 {
        return None;
    }
    let unit = UNITS.iter().find(|unit| word.eq_ignore_ascii_case(unit))?;
    Some(match *unit {
        "inches" => "inch",
        "mins" => "min",
        "hrs" | "hr" => "h",
        "lbs" => "lb",
        other => other,
    })
}

/// A number with its separators: the last of two kinds is the decimal one; a single one before exactly three digits
/// separates thousands (`1.200` and `1,200` are 1200), else decimals. `spaced` also takes `1 200`.
fn number(tokens: &Tokens<'_>, at: usize, spaced: bool) -> Option<(String, usize)> {
    let mut groups = vec![(' ', tokens.digits(at).filter(|digits| !digits.is_empty())?)];
    let mut end = at + 1;
    while groups.len() <= LONGEST_GROUPS {
        let Some((separator, digits, next)) = next_group(tokens, end, spaced, &groups) else { break };
        groups.push((separator, digits));
        end = next;
    }
    match value_of(&groups) {
        Some(normal) => Some((normal, end)),
        None if groups.iter().skip(1).all(|(separator, _)| *separator == '.') => {
            let dotted: Vec<&str> = groups.iter().map(|(_, digits)| digits.as_str()).collect();
            Some((dotted.join("."), end))
        }
        None => Some((groups.swap_remove(0).1, at + 1)),
    }
}

fn next_group(
    tokens: &Tokens<'_>,
    at: usize,
    spaced: bool,
    groups: &[(char, String)],
) -> Option<(char, String, usize)> {
    if let Some(Class::Mark(mark @ (',' | '.' | '\'' | '’'))) = tokens.class(at)
        && tokens.adjoins(at)
        && tokens.adjoins(at + 1)
    {
        return Some((mark, tokens.digits(at + 1)?, at + 2));
    }
    let first = groups.first().is_some_and(|(_, digits)| digits.len() <= 3);
    let digits = tokens.digits(at).filter(|digits| spaced && first && digits.len() == 3)?;
    tokens.same_line(at).then_some((' ', digits, at + 1))
}

fn value_of(groups: &[(char, String)]) -> Option<String> {
    let (first, rest) = groups.split_first()?;
    let Some(((last_mark, last), middle)) = rest.split_last() else { return Some(first.1.clone()) };
    let mark = middle.first().map_or(*last_mark, |(mark, _)| *mark);
    let thousands = |groups: &[(char, String)]| {
        let lead = first.1.len() <= 3 && !first.1.starts_with('0');
        lead && groups.iter().all(|(other, digits)| *other == mark && digits.len() == 3)
    };
    let mut whole = first.1.clone();
    if thousands(rest) {
        rest.iter().for_each(|(_, digits)| whole.push_str(digits));
        return Some(whole);
    }
    let decimal =
        matches!(last_mark, ',' | '.') && (middle.is_empty() || (*last_mark != mark && thousands(middle)));
    if !decimal {
        return None;
    }
    middle.iter().for_each(|(_, digits)| whole.push_str(digits));
    let fraction = last.trim_end_matches('0');
    Some(if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") })
}

/// `€1,200.50`, `$ 40`, `$3k`.
fn amount_after_currency(finder: &mut Finder<'_, '_>, from: usize, at: usize) -> Option<usize> {
    let Some(Class::Mark(symbol)) = finder.tokens.class(at) else { return None };
    let code = symbol_code(symbol)?;
    push_amount(finder, from, at + 1, code)
}

/// `EUR 1200.5`, `US$ 40`, `R$ 40`.
fn prefixed_amount(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let word = tokens.str(at);
    if word.len() > 4 {
        return None;
    }
    if tokens.is_mark(at + 1, &['$']) && tokens.adjoins(at + 1) {
        let code = match word {
            "US" | "U" => "USD",
            "R" => "BRL",
            "A" | "AU" => "AUD",
            "C" | "CA" => "CAD",
            "NZ" => "NZD",
            "HK" => "HKD",
            "S" => "SGD",
            "MX" => "MXN",
            _ => return None,
        };
        return push_amount(finder, at, at + 2, code);
    }
    let code = currency_code(word)?;
    push_amount(finder, at, at + 1, code)
}

fn push_amount(finder: &mut Finder<'_, '_>, from: usize, at: usize, code: &str) -> Option<usize> {
    let tokens = finder.tokens;
    if !tokens.same_line(at) {
        return None;
    }
    if let Some((digits, _)) =
        split_digits(tokens.str(at)).filter(|(_, letters)| letters.eq_ignore_ascii_case("k"))
    {
        finder.push(Kind::Amount, from, at + 1, format!("{}000 {code}", ascii_digits(digits)));
        return Some(at + 1);
    }
    let (number, end) = number(tokens, at, true)?;
    finder.push(Kind::Amount, from, end, format!("{number} {code}"));
    Some(end)
}

/// `1.200,50 EUR`, `1200.50 euros`, `40€`, `1 200 zł`.
fn amount_before_currency(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    for spaced in [false, true] {
        let (number, end) = number(tokens, at, spaced)?;
        let code = match tokens.class(end) {
            // `5 $40` is a number and an amount.
            Some(Class::Mark(symbol)) => {
                symbol_code(symbol).filter(|_| !tokens.adjoins(end + 1) || tokens.adjoins(end))
            }
            Some(Class::Word) => currency_code(tokens.str(end)).or_else(|| currency_word(tokens.str(end))),
            Some(Class::Wide) => wide_currency(tokens.str(end)),
            _ => None,
        };
        if let Some(code) = code.filter(|_| tokens.same_line(end)) {
            finder.push(Kind::Amount, at, end + 1, format!("{number} {code}"));
            return Some(end + 1);
        }
    }
    None
}

fn symbol_code(symbol: char) -> Option<&'static str> {
    Some(match symbol {
        '$' | '＄' => "USD",
        '€' => "EUR",
        '£' => "GBP",
        '¥' | '￥' => "JPY",
        '₹' => "INR",
        '₽' => "RUB",
        '₩' => "KRW",
        '₺' => "TRY",
        '₴' => "UAH",
        '₪' => "ILS",
        '₫' => "VND",
        '₱' => "PHP",
        '₦' => "NGN",
        '฿' => "THB",
        _ => return None,
    })
}

fn currency_code(word: &str) -> Option<&'static str> {
    const CODES: [&str; 34] = [
        "EUR", "USD", "GBP", "JPY", "CHF", "BRL", "CAD", "AUD", "NZD", "CNY", "INR", "MXN", "PLN", "CZK",
        "SEK", "NOK", "DKK", "HUF", "RUB", "UAH", "TRY", "KRW", "ILS", "ZAR", "AED", "SGD", "HKD", "THB",
        "IDR", "PHP", "VND", "NGN", "ARS", "CLP",
    ];
    if word.len() != 3 {
        return None;
    }
    let lower = ["eur", "usd", "gbp", "Eur", "Usd"];
    let known = CODES.iter().find(|code| word == **code).copied();
    known.or_else(|| {
        lower.contains(&word).then(|| CODES.iter().find(|code| word.eq_ignore_ascii_case(code)).copied())?
    })
}

fn currency_word(word: &str) -> Option<&'static str> {
    if word.len() > 10 {
        return None;
    }
    Some(match word.to_lowercase().as_str() {
        "euro" | "euros" | "евро" => "EUR",
        "dollar" | "dollars" | "bucks" | "dólares" | "dólar" => "USD",
        "pound" | "pounds" | "quid" => "GBP",
        "yen" => "JPY",
        "yuan" | "rmb" => "CNY",
        "rupee" | "rupees" | "rs" => "INR",
        "real" | "reais" => "BRL",
        "franken" | "francs" => "CHF",
        "zł" | "zloty" | "złotych" => "PLN",
        "kč" => "CZK",
        "рублей" | "руб" | "рубля" => "RUB",
        "pesos" => "MXN",
        _ => return None,
    })
}

fn wide_currency(word: &str) -> Option<&'static str> {
    Some(match word.chars().next()? {
        '円' => "JPY",
        '元' | '块' => "CNY",
        '원' => "KRW",
        _ => return None,
    })
}

/// `+1 555 0100`, `(+1) 5550100`, `925-671-3845`, `(415) 555-0132`, `0800 123 456`.
fn phone(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
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
                shape.bracket = true
            }
            Class::Mark(')') if shape.bracket && !shape.digits.is_empty() => {}
            Class::Mark('-' | '.' | '/' | '‑')
                if !shape.digits.is_empty() && tokens.joins(next, &['-', '.', '/', '‑']) =>
            {
                shape.dashes = true;
            }
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
