//! Grounding: every value in a reply occurs in the evidence.

use crate::time::Timestamp;
use crate::values::{self, Kind, Source, Value};
use std::collections::BTreeSet;

/// The values of a reply that the evidence does not say, as written, each once.
///
/// A moment that the model was told may be named as a day. Numbers up to `counted` may count the contact's own records.
pub(super) fn ungrounded(
    reply: &str,
    evidence: &[&str],
    moments: &[Timestamp],
    counted: usize,
) -> Vec<String> {
    let said = values::values(reply);
    // Most values stand in the evidence as they stand in the reply; reading all of it is for the others.
    let open: Vec<&Value<'_>> = said
        .iter()
        .filter(|value| {
            let words = telling(reply, value);
            value.sure && !evidence.iter().any(|text| stands_in(text, words))
        })
        .collect();
    if open.is_empty() {
        return vec![];
    }
    let (evidence, days) = (Source::new(evidence.iter().copied()), days(moments));
    let mut missing: Vec<String> = vec![];
    for value in open {
        let is_a_day = value.kind == Kind::Date && days.grounds(value);
        let is_a_count =
            value.kind == Kind::Number && (1..=counted).any(|count| value.normal == count.to_string());
        let is_a_part = value.kind == Kind::Number
            && (evidence.says_in_part(value) || days.says_in_part(value))
            && is_of_a_moment(reply, value, &said);
        let is_grounded = is_a_day || is_a_count || is_a_part || evidence.grounds(value);
        if !is_grounded && !missing.iter().any(|known| known == value.text) {
            missing.push(value.text.to_owned());
        }
    }
    missing
}

/// Between the two ends of a span.
const SPANS: [&str; 14] =
    ["to", "until", "till", "and", "-", "bis", "und", "a", "al", "y", "hasta", "à", "au", "et"];

/// Before an hour, and behind one.
const AT: [&str; 10] = ["at", "um", "ab", "gegen", "las", "la", "à", "dès", "vers", "by"];
const HOURS: [&str; 12] =
    ["h", "uhr", "heures", "heure", "horas", "hora", "hrs", "o'clock", "am", "pm", "tarde", "mañana"];

/// Whether a number tells an hour or a day by the words around it: `9 h`, `um 9`, the 3 of `3 to 5 December`, both of
/// `from 9 to 6`.
fn is_of_a_moment(reply: &str, value: &Value<'_>, said: &[Value<'_>]) -> bool {
    let before = reply.get(..value.start).unwrap_or_default();
    let after = reply.get(value.span().end..).unwrap_or_default();
    let is_one_of = |word: Option<&str>, words: &[&str]| {
        let word = word.unwrap_or_default().trim_matches(|mark: char| ",.;:!?".contains(mark)).to_lowercase();
        words.contains(&word.as_str())
    };
    let (mut back, mut ahead) = (before.split_whitespace().rev(), after.split_whitespace());
    let (last, next) = (back.next(), ahead.next());
    let is_hour = value.normal.ends_with(" h") || is_one_of(next, &HOURS) || is_one_of(last, &AT);
    let spans_ahead = is_one_of(next, &SPANS) && {
        let other = said.iter().find(|other| other.start > value.start);
        let word_after = ahead.nth(1);
        other.is_some_and(|other| {
            matches!(other.kind, Kind::Date | Kind::Time)
                || other.normal.ends_with(" h")
                || is_one_of(word_after, &HOURS)
                || (is_one_of(last, &["from", "between"])
                    && word_after.is_none_or(|word| !word.contains("day")))
        })
    };
    let spans_back = is_one_of(last, &SPANS)
        && is_one_of(back.nth(1), &["from", "between"])
        && next.is_none_or(|word| !word.contains("day"));
    is_hour || spans_ahead || spans_back
}

/// The days of these moments, the days before and the days after.
pub(super) fn days(moments: &[Timestamp]) -> Source {
    const DAY: i64 = 24 * 3_600_000;
    let days = moments.iter().map(|moment| moment.millis().div_euclid(DAY));
    let days: BTreeSet<i64> = days.flat_map(|day| [day - 1, day, day + 1]).collect();
    let dates = days.into_iter().map(|day| Timestamp::from_millis(day * DAY).to_minute());
    let dates: Vec<String> = dates.map(|date| date.chars().take(10).collect()).collect();
    Source::new(dates.iter().map(String::as_str))
}

/// The words by which a value is looked for: a number could be a part of a date, so the word behind it counts too;
/// empty where there is none.
fn telling<'t>(reply: &'t str, value: &Value<'t>) -> &'t str {
    if value.kind != Kind::Number {
        return value.text;
    }
    let end = value.span().end;
    let rest = reply.get(end..).and_then(|rest| rest.strip_prefix(' ')).unwrap_or_default();
    let word = rest.split(|mark: char| !mark.is_alphabetic()).next().unwrap_or_default();
    if word.is_empty() { "" } else { reply.get(value.start..end + 1 + word.len()).unwrap_or_default() }
}

/// Whether the words stand in the text as a whole, not inside a longer number or word.
fn stands_in(text: &str, words: &str) -> bool {
    let is_digit = |edge: Option<char>| edge.is_some_and(char::is_numeric);
    let (first, last) = (is_digit(words.chars().next()), is_digit(words.chars().next_back()));
    !words.is_empty()
        && text.match_indices(words).any(|(at, found)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + found.len()..).unwrap_or_default();
            !goes_on(before.chars().rev(), first) && !goes_on(after.chars(), last)
        })
}

/// Whether a value goes on in these characters: at once, behind a single mark that joins numbers and names, or, for
/// digits, behind a space.
fn goes_on(mut next: impl Iterator<Item = char>, is_number: bool) -> bool {
    const JOINTS: &str = ".,:/-–'’@_+#$€£¥%()";
    match next.next() {
        Some(mark) if mark.is_alphanumeric() => true,
        Some(mark) if JOINTS.contains(mark) => next.next().is_some_and(char::is_alphanumeric),
        Some(mark) if mark.is_whitespace() && is_number => next.next().is_some_and(char::is_numeric),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_millis(1_796_032_800_000); // 2026-11-30T10:00:00Z

    fn missing(reply: &str, evidence: &[&str]) -> Vec<String> {
        ungrounded(reply, evidence, &[NOW], 3)
    }

    #[test]
    fn what_the_evidence_says_in_any_form_is_grounded() {
        for (reply, evidence) in [
            ("Your 480 euro quote still stands.", "History: she was quoted €480 for the terrace."),
            ("Order #W2611340 was shipped.", "- order #W2611340: shipped"),
            ("It arrives on 3 December.", "delivery: 2026-12-03"),
            ("Oskar can pick it up at 2:30 pm.", "my partner Oskar comes at 14:30"),
            ("We wrote to ana@example.com.", "profile: email ana@example.com"),
            ("The code is 4471.", "door code 4471."),
            ("As of today, 30 November, it is open.", "open"),
            ("You asked for 2 adults.", "nothing"),
            ("Today is Monday.", ""),
            ("You have thirty days, 30 in all.", "returns: thirty days"),
            ("On the 14th, so 14 December.", "on the 14th please"),
            ("Ihre Bestellung #W1 ist unterwegs und kommt morgen bei Ihnen an.", "order #W1: on its way"),
            ("Vielen Dank für Ihre Geduld.", ""),
            ("Gern geschehen! Einen schönen Tag noch.", "Danke!"),
            ("Vielen Dank! Schönen Abend noch.", ""),
            ("Ihre Bestellung #W1 kam gestern an.", "order #W1: delivered"),
            ("You have 3 open orders.", "three records, none of which says so"),
            ("Nous sommes ouverts de 9 h à 18 h.", "open: 09:00-18:00"),
            ("Wir haben von 9 bis 18 Uhr geöffnet.", "open: 09:00-18:00"),
            ("Abrimos de 9 a 18 h.", "open: 09:00-18:00"),
            ("A las 5 de la tarde.", "appointment at 17:00"),
            ("We are open from 9 to 6.", "open: 09:00-18:00"),
            ("Del 3 al 5 de diciembre.", "from 2026-12-03 to 2026-12-05"),
            ("Du 3 au 5 décembre.", "from 2026-12-03 to 2026-12-05"),
            ("Between 3 and 5 December.", "from 2026-12-03 to 2026-12-05"),
            ("Bonjour Madame, votre commande est en route.", ""),
            ("Buenos días, Señora, su pedido está en camino.", ""),
            ("Thanks, see you tomorrow.", ""),
        ] {
            assert_eq!(missing(reply, &[evidence]), Vec::<String>::new(), "{reply}");
        }
    }

    #[test]
    fn what_nothing_says_is_named() {
        for (reply, evidence, named) in [
            ("The wifi code is 9932-AB.", "unit 4A, wifi code 7711-CD", "9932-AB"),
            ("Order #W0000000 was shipped.", "- order #W2611340: shipped", "#W0000000"),
            ("You get $60 back.", "price $600", "$60"),
            ("It arrives on 5 December.", "delivery: 2026-12-03", "5 December"),
            ("It takes 14 days.", "order 1480", "14"),
            ("It takes 14 days.", "come on the 14th, or on 14 December", "14"),
            ("It takes between 18 and 18 days.", "open 09:00-18:00", "18"),
            ("The courier comes on Thursday.", "profile: name Ana Smith", "Thursday"),
            ("It takes 15 days.", "call at 15:00, in a quarter of an hour", "15"),
            ("You have 30 days to return it.", "in half an hour", "30"),
            ("The courier comes on Friday.", "can you come today?", "Friday"),
            ("Write to help@shop.example.", "ana@example.com", "help@shop.example"),
            ("Then Oskar picks it up.", "my partner picks it up", "Oskar"),
            ("Frau Petersen kommt bei Ihnen vorbei.", "wer kommt?", "Petersen"),
        ] {
            assert_eq!(missing(reply, &[evidence]), [named], "{reply}");
        }
    }

    #[test]
    fn a_number_inside_another_is_not_said() {
        for (text, words) in [("1,480", "480"), ("48", "4"), ("12:30", "12"), ("W48-2", "48"), ("3.48", "48")]
        {
            assert!(!stands_in(text, words), "{words} in {text}");
        }
        for (text, words) in [("(480)", "480"), ("480.", "480"), ("a 480, b", "480"), ("\"480\"", "480")] {
            assert!(stands_in(text, words), "{words} in {text}");
        }
    }

    proptest! {
        #[test]
        fn a_quick_look_grounds_nothing_that_reading_would_not(
            reply in "(#W[0-9]{3}|[0-9]{1,4}|\\$[0-9]{2}|[a-z]{1,4}|Oskar|[.,: ]){1,12}",
            evidence in "(#W[0-9]{3}|[0-9]{1,4}|\\$[0-9]{2}|[a-z]{1,4}|Oskar|[.,: ]){0,20}",
        ) {
            let named = ungrounded(&reply, &[&evidence], &[NOW], 0);
            let read = Source::new([evidence.as_str()]);
            for value in values::values(&reply).into_iter().filter(|value| value.sure && !read.grounds(value)) {
                let known = value.kind == Kind::Date || read.says_in_part(&value) || named.iter().any(|named| named == value.text);
                prop_assert!(known, "{value:?} is not said in {evidence:?}, and not named in {named:?}");
            }
        }
    }
}
