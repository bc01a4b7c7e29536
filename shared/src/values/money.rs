//! Amounts of money.

use super::moment::split_digits;
use super::number::Figure;
use super::token::{Class, ascii_digits};
use super::{Finder, Kind};

/// An amount that starts at the token; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    match finder.tokens.class(at)? {
        Class::Mark(symbol) => push_amount(finder, at, at + 1, symbol_code(symbol)?),
        Class::Word => prefixed_amount(finder, at),
        Class::Number => amount_before_currency(finder, at),
        _ => None,
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
    if let Some((digits, _)) =
        split_digits(tokens.str(at)).filter(|(_, letters)| letters.eq_ignore_ascii_case("k"))
    {
        finder.push(Kind::Amount, from, at + 1, format!("{}000 {code}", ascii_digits(digits)));
        return Some(at + 1);
    }
    let figure = Figure::read(tokens, at, true)?;
    finder.push(Kind::Amount, from, figure.end, format!("{} {code}", figure.normal()));
    Some(figure.end)
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
