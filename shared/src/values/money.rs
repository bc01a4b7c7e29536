//! Amounts of money.

use super::number::Figure;
use super::token::{Class, Tokens, ascii_digits, split_digits};
use super::{Finder, Kind};

/// An amount that starts at the token; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Mark(symbol) => push_amount(finder, at, at + 1, symbol_code(symbol)?),
        Class::Word => prefixed_amount(finder, at),
        Class::Number => amount_before_currency(finder, at),
        Class::Mixed => glued_amount(finder, at),
        Class::Wide => None,
    }
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
    if !tokens.class(at + 1).is_some_and(|next| matches!(next, Class::Number | Class::Mixed)) {
        return None;
    }
    let code = currency_code(word)?;
    push_amount(finder, at, at + 1, code)
}

/// `€1,200.50`, `$ 40`, `$3k`: the number after a currency.
fn push_amount(finder: &mut Finder<'_, '_>, from: usize, at: usize, code: &str) -> Option<usize> {
    let tokens = finder.tokens;
    if !tokens.same_line(at) {
        return None;
    }
    let (number, end) = thousands(tokens, at).or_else(|| {
        let figure = Figure::read(tokens, at, true)?;
        let (zeros, end) = multiplier(tokens, figure.end);
        Some((scaled(&figure.normal(), zeros), end))
    })?;
    finder.push(Kind::Amount, from, end, format!("{number} {code}"));
    Some(end)
}

/// `3k`, `1.5k`.
fn thousands(tokens: &Tokens<'_>, at: usize) -> Option<(String, usize)> {
    let kilo = |at: usize| {
        let (digits, letter) = split_digits(tokens.str(at))?;
        letter.eq_ignore_ascii_case("k").then(|| ascii_digits(digits))
    };
    if let Some(whole) = kilo(at) {
        return Some((scaled(&whole, 3), at + 1));
    }
    let fraction = kilo(at + 2).filter(|_| tokens.joins(at + 1, &['.', ',']))?;
    Some((scaled(&format!("{}.{fraction}", tokens.digits(at)?), 3), at + 3))
}

fn multiplier(tokens: &Tokens<'_>, at: usize) -> (usize, usize) {
    match tokens.str(at) {
        "million" | "mio" | "mln" => (6, at + 1),
        "thousand" => (3, at + 1),
        _ => (0, at),
    }
}

/// The number with its decimal point moved to the right.
fn scaled(number: &str, zeros: usize) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = fraction.chars();
    let moved: String = (0..zeros).map(|_| digits.next().unwrap_or('0')).collect();
    let rest = digits.as_str();
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{whole}{moved}{dot}{rest}")
}

/// `5USD`, `USD5`.
fn glued_amount(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    let written = tokens.str(at);
    let digits = written.trim_matches(|mark: char| mark.is_ascii_alphabetic());
    let letters = written.strip_prefix(digits).or_else(|| written.strip_suffix(digits))?;
    let code = currency_code(letters).filter(|_| digits.chars().all(|digit| digit.is_ascii_digit()))?;
    if tokens.joins(at + 1, &['.', ',', '-']) {
        return None;
    }
    finder.push(Kind::Amount, at, at + 1, format!("{digits} {code}"));
    Some(at + 1)
}

/// `1.200,50 EUR`, `1200.50 euros`, `40€`, `1 200 zł`.
fn amount_before_currency(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    for spaced in [false, true] {
        let figure = Figure::read(tokens, at, spaced)?;
        let end = figure.end;
        let code = match tokens.class(end) {
            // `5 $40` is a number and an amount.
            Some(Class::Mark(mark)) => {
                symbol_code(mark).filter(|_| !tokens.adjoins(end + 1) || tokens.adjoins(end))
            }
            Some(Class::Word) => currency_code(tokens.str(end)).or_else(|| currency_word(tokens.str(end))),
            Some(Class::Wide) => wide_currency(tokens.str(end)),
            _ => None,
        };
        if let Some(code) = code.filter(|_| tokens.same_line(end)) {
            finder.push(Kind::Amount, at, end + 1, format!("{} {code}", figure.normal()));
            return Some(end + 1);
        }
        if tokens.class(end) != Some(Class::Number) {
            return None;
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
    match word {
        "eur" | "Eur" => Some("EUR"),
        "usd" | "Usd" => Some("USD"),
        "gbp" => Some("GBP"),
        _ if word.len() == 3 && word.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
            CODES.iter().find(|code| word == **code).copied()
        }
        _ => None,
    }
}

fn currency_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "euro" | "euros" | "Euro" | "Euros" | "EURO" | "евро" => "EUR",
        "dollar" | "dollars" | "Dollar" | "Dollars" | "DOLLARS" | "bucks" | "dólares" | "dólar" => "USD",
        "pound" | "pounds" | "Pounds" | "quid" => "GBP",
        "yen" => "JPY",
        "yuan" | "rmb" => "CNY",
        "rupee" | "rupees" | "rs" => "INR",
        "real" | "reais" => "BRL",
        "Franken" | "franken" | "francs" => "CHF",
        "zł" | "zloty" | "złotych" => "PLN",
        "kč" => "CZK",
        "рублей" | "руб" | "рубля" => "RUB",
        "kr" => "KR",
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
