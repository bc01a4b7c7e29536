//! Text in a form in which the same words are the same, however they were typed.

use crate::text::push_bare;

/// Lower case, without accents, with one kind of apostrophe, hyphen and white space.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for mark in text.chars() {
        match mark {
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '’' | '‘' | 'ʼ' | '′' | '`' | '´' => plain.push('\''),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            _ if mark.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            _ => push_bare(&mut plain, mark),
        }
    }
    plain.trim().to_owned()
}

/// Whether `words` stand in `text` on word boundaries; both are [`plain`].
pub(crate) fn contains(text: &str, words: &str) -> bool {
    // Hundreds of phrases are looked for in each turn and few are there: the quick look comes first.
    !words.is_empty()
        && text.contains(words)
        && text.match_indices(words).any(|(at, found)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
            is_boundary(before, found.chars().next()) && is_boundary(found.chars().next_back(), after)
        })
}

/// Whether a word can end between two characters. Some scripts put nothing between words.
fn is_boundary(left: Option<char>, right: Option<char>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return true };
    !(left.is_alphanumeric() && right.is_alphanumeric()) || is_unspaced(left) || is_unspaced(right)
}

fn is_unspaced(mark: char) -> bool {
    matches!(mark,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_however_they_are_typed() {
        for (typed, same) in [
            ("  I’LL\u{a0}\n sue ", "i'll sue"),
            ("Depósito", "deposito"),
            ("Depo\u{301}sito", "deposito"),
            ("RÜCKERSTATTUNG, Straße", "ruckerstattung, strasse"),
            ("break\u{2011}in", "break-in"),
            ("re\u{200b}fund", "refund"),
        ] {
            assert_eq!(plain(typed), same);
        }
    }

    #[test]
    fn a_word_counts_on_its_boundaries() {
        for (text, word) in
            [("a refund?", "refund"), ("l'avocat", "avocat"), ("我要退款了", "退款"), ("x", "x")]
        {
            assert!(contains(text, word), "{word} in {text}");
        }
        for (text, word) in [("fireplace", "fire"), ("deposited", "deposit"), ("bonfire", "fire"), ("x", "")]
        {
            assert!(!contains(text, word), "{word} in {text}");
        }
    }
}
