//! Placeholders: what stands where a past case had a value or a name (*isolation*).

use crate::values::{self, Kind, Value};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The longest placeholder, in bytes between its braces.
const LONGEST: usize = 80;
/// What was left out may have kept what stood beside it from being seen; after so many rounds nothing new is.
const ROUNDS: usize = 6;
/// What stands where a name was.
pub(super) const NAME: &str = "{{Name}}";
/// Words before a value that say what it numbers.
const LABELS: [(&str, &[&str]); 5] = [
    ("{{Order Number}}", &["order", "orders", "purchase", "bestellung", "pedido", "commande"]),
    ("{{Invoice Number}}", &["invoice", "invoices", "bill", "rechnung", "factura", "facture"]),
    ("{{Tracking Number}}", &["tracking", "parcel", "package", "shipment", "sendung", "paquete", "colis"]),
    ("{{Booking Number}}", &["booking", "reservation", "buchung", "reserva", "réservation"]),
    ("{{Account Number}}", &["account", "customer", "konto", "cuenta", "compte"]),
];
/// Words that may stand between such a word and the value.
const BETWEEN: [&str; 7] = ["number", "no", "nr", "id", "code", "is", "nummer"];

/// The text with every value and every name that is not `kept` replaced by a placeholder such as `{{Order Number}}`;
/// `kept` is told the value and what follows it. Placeholders that stand there already stay. Doing it again changes
/// nothing.
pub fn without_values(text: &str, kept: impl Fn(&Value<'_>, &str) -> bool) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let found = replacements(&text, &kept);
        if found.is_empty() {
            break;
        }
        text = replaced(&text, &found);
    }
    text
}

/// The text with each of these names replaced by a placeholder, in any case, also where it stands in braces.
pub fn without_names(text: &str, names: &[String]) -> String {
    let placed = spans(text);
    let names: Vec<Vec<String>> = names.iter().map(|name| lower(&words(name))).collect();
    let (words, mut found, mut at) = (words(text), vec![], 0);
    let lower = lower(&words);
    while at < words.len() {
        let here = lower.get(at..).unwrap_or_default();
        let named = names.iter().filter(|name| !name.is_empty() && here.starts_with(name));
        let length = named.map(Vec::len).max().unwrap_or(0);
        if length > 0 {
            let (start, (last, word)) = (words[at].0, words[at + length - 1]);
            found.push((outermost(start..last + word.len(), &placed), NAME));
        }
        at += length.max(1);
    }
    replaced(text, &found)
}

/// The words of a text and where they start; an apostrophe ends one.
fn words(text: &str) -> Vec<(usize, &str)> {
    let (mut words, mut start) = (vec![], 0);
    for part in text.split_inclusive(['\'', '’']) {
        words.extend(part.unicode_word_indices().map(|(at, word)| (start + at, word)));
        start += part.len();
    }
    words
}

fn lower(words: &[(usize, &str)]) -> Vec<String> {
    words.iter().map(|(_, word)| word.to_lowercase()).collect()
}

/// Where placeholders stand, braces included.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = vec![];
    let mut from = 0;
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("{{")).map(|at| from + at) {
        let inside = text.get(open + 2..).unwrap_or_default();
        let inside = inside.split_once("}}").map(|(inside, _)| inside).filter(|inside| is_label(inside));
        from = open + 1;
        if let Some(inside) = inside {
            from = open + inside.len() + 4;
            spans.push(open..from);
        }
    }
    spans
}

fn is_label(inside: &str) -> bool {
    !inside.trim().is_empty() && inside.len() <= LONGEST && !inside.contains(['{', '}', '\n'])
}

/// What is to be replaced, and by what, in the order of the text.
fn replacements(text: &str, kept: impl Fn(&Value<'_>, &str) -> bool) -> Vec<(Range<usize>, &'static str)> {
    let placed = spans(text);
    let mut found = vec![];
    let after = |value: &Value<'_>| text.get(value.span().end..).unwrap_or_default();
    for value in values::values(text).iter().filter(|value| !kept(value, after(value))) {
        let in_braces =
            placed.iter().any(|placed| placed.contains(&value.start) && value.span().end < placed.end);
        if !in_braces || is_telling(value) {
            found.push((outermost(value.span(), &placed), placeholder(value, text)));
        }
    }
    found
}

/// The placeholder around a span, or the span itself.
fn outermost(span: Range<usize>, placed: &[Range<usize>]) -> Range<usize> {
    let around = placed.iter().find(|placed| placed.start < span.end && span.start < placed.end);
    around.map_or(span.clone(), |placed| placed.start.min(span.start)..placed.end.max(span.end))
}

fn replaced(text: &str, found: &[(Range<usize>, &'static str)]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut from = 0;
    for (span, placeholder) in found.iter().filter(|(span, _)| !span.is_empty()) {
        if let Some(before) = text.get(from..span.start) {
            replaced.push_str(before);
            replaced.push_str(placeholder);
            from = span.end;
        }
    }
    replaced.push_str(text.get(from..).unwrap_or_default());
    replaced
}

/// Whether braces with this value in them hold somebody's value rather than a label: `{{Step 1}}` is a label.
fn is_telling(value: &Value<'_>) -> bool {
    let digits = value.text.chars().filter(|mark| mark.is_numeric()).count();
    value.kind != Kind::Name && (digits > 1 || value.kind == Kind::Email)
}

fn placeholder(value: &Value<'_>, text: &str) -> &'static str {
    let labelled = || label_before(text.get(..value.start).unwrap_or_default());
    match value.kind {
        Kind::Id => labelled().unwrap_or("{{Reference Number}}"),
        Kind::Number => labelled().unwrap_or("{{Number}}"),
        Kind::Amount => "{{Amount}}",
        Kind::Date => "{{Date}}",
        Kind::Time => "{{Time}}",
        Kind::Email => "{{Email Address}}",
        Kind::Url => "{{Website}}",
        Kind::Phone => "{{Phone Number}}",
        Kind::Address => "{{Address}}",
        Kind::Name => NAME,
    }
}

/// What the words before a value say that it numbers.
fn label_before(before: &str) -> Option<&'static str> {
    let words = before.rsplit(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.take(BETWEEN.len()).map(str::to_lowercase);
    let label = words.find(|word| !BETWEEN.contains(&word.as_str()))?;
    LABELS.iter().find(|(_, labels)| labels.contains(&label.as_str())).map(|(placeholder, _)| *placeholder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Source;
    use proptest::prelude::*;

    fn strictly(text: &str) -> String {
        without_values(text, |_, _| false)
    }

    #[test]
    fn a_value_becomes_what_the_words_before_it_call_it() {
        for (text, expected) in [
            ("cancel order #W2611340 please", "cancel order {{Order Number}} please"),
            ("my purchase number is 113542617735902", "my purchase number is {{Order Number}}"),
            ("the invoice no. 00108", "the invoice no. {{Invoice Number}}"),
            (
                "see HM-20931, paid €1,200.50 on 3 Dec 2026",
                "see {{Reference Number}}, paid {{Amount}} on {{Date}}",
            ),
            ("write to ana@example.com by 14:30", "write to {{Email Address}} by {{Time}}"),
            ("within 5 days", "within {{Number}} days"),
            ("We told Anna Freeman so", "We told {{Name}} so"),
        ] {
            assert_eq!(strictly(text), expected);
        }
    }

    #[test]
    fn placeholders_stay_but_for_a_value_in_braces() {
        let text = "Go to {{Order Details}} of {{Purchase ID Anonymized}}, see {{Situation 1}}";
        assert_eq!(strictly(text), text);
        assert_eq!(
            strictly("order {{732201349959}} of {{ana@example.com}}"),
            "order {{Order Number}} of {{Email Address}}"
        );
        assert_eq!(
            strictly("{{order 7, {{Date}} }} {{}} {{"),
            "{{order {{Order Number}}, {{Date}} }} {{}} {{"
        );
    }

    #[test]
    fn names_that_are_known_go_in_any_case() {
        let names = ["Oskar Lind".to_owned(), "oskar".to_owned()];
        let text = "OSKAR LIND asked; oskar's key. {{Oskar}} Oskarsson";
        assert_eq!(without_names(text, &names), "{{Name}} asked; {{Name}}'s key. {{Name}} Oskarsson");
    }

    proptest! {
        #[test]
        fn isolation_no_value_is_left_and_doing_it_again_changes_nothing(
            pieces in proptest::collection::vec(piece(), 0..12),
        ) {
            let once = strictly(&pieces.concat());
            prop_assert_eq!(&strictly(&once), &once);
            let said = Source::new([once.as_str()]);
            for piece in &pieces {
                let ids = values::values(piece).into_iter().filter(|value| value.kind == Kind::Id);
                for id in ids {
                    prop_assert!(!said.keeps(&id), "{:?} is left in {once:?}", id.text);
                }
            }
        }

        #[test]
        fn whatever_it_is_given_it_ends(text in "\\PC{0,60}") {
            strictly(&text);
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "#W[0-9]{7}",
            "[A-Z]{2}-[0-9]{5} ",
            "[0-9]{12} ",
            "€[0-9]{2},[0-9]{2} ",
            "[a-z]{3}@[a-z]{4}\\.com ",
            "[A-Z][a-z]{3} [A-Z][a-z]{5} ",
            "(the|order|of|my|invoice|number) ",
            "[.,{}\n ]{1,2}",
            Just("{{Order Number}} ".to_owned()),
            Just("{{".to_owned()),
            Just("}}".to_owned()),
        ]
    }
}
