//! Whether a reply is a copy of the last one.

use crate::rules;
use crate::text;
use crate::values::Source;
use std::collections::HashMap;

/// A shorter reply may well be given twice.
const LEAST_CHARS: usize = 40;
/// Alike from here on.
const ALIKE: f64 = 0.95;

/// Whether at least 95 % of the reply are the last one's, greeting, case and white space aside, and it names nothing
/// that the last one did not: the same sentence about another order is an answer of its own.
pub(super) fn is_copy(reply: &str, previous: &str) -> bool {
    is_alike(reply, previous) && Source::new([previous]).lost(reply).is_empty()
}

fn is_alike(reply: &str, previous: &str) -> bool {
    let (reply, previous) = (plain(reply), plain(previous));
    let (shorter, longer) = {
        let (one, other) = (text::chars(&reply), text::chars(&previous));
        (one.min(other), one.max(other))
    };
    shorter >= LEAST_CHARS
        && shorter as f64 >= longer as f64 * ALIKE
        && letters_apart(&reply, &previous) as f64 <= longer as f64 * (1.0 - ALIKE) * 2.0
        && strsim::normalized_levenshtein(&reply, &previous) >= ALIKE
}

fn plain(text: &str) -> String {
    text::collapse_whitespace(rules::without_greeting(text)).to_lowercase()
}

/// How many letters one has more of than the other; cheap, and never more than twice their distance.
fn letters_apart(one: &str, other: &str) -> u64 {
    let mut counts: HashMap<char, i64> = HashMap::new();
    one.chars().for_each(|letter| *counts.entry(letter).or_default() += 1);
    other.chars().for_each(|letter| *counts.entry(letter).or_default() -= 1);
    counts.values().map(|count| count.unsigned_abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str =
        "Your order left our warehouse on Monday and should be with you by the end of the week.";

    #[test]
    fn the_same_answer_again_is_a_copy() {
        assert!(is_copy(REPLY, REPLY));
        assert!(is_copy(&REPLY.to_uppercase(), REPLY));
        assert!(is_copy(&format!("{REPLY}!"), REPLY));
    }

    #[test]
    fn another_answer_is_none() {
        assert!(!is_copy("Your order left our warehouse on Monday.", REPLY));
        assert!(!is_copy(&REPLY.replace("Monday", "Tuesday evening"), REPLY));
        let (one, other) = (format!("{REPLY} It is #W1."), format!("{REPLY} It is #W2."));
        assert!(!is_copy(&one, &other), "about another order");
        assert!(!is_copy("You are welcome.", "You are welcome."), "short ones may be given twice");
        let reversed: String = REPLY.chars().rev().collect();
        assert!(!is_copy(&reversed, REPLY), "the same letters are not the same words");
    }
}
