//! Whether a reply is in the language that the customer writes.

use whatlang::Lang;

/// Fewer letters do not tell a language.
const LETTERS: usize = 40;

/// Languages so alike that a detector takes one for the other.
const ALIKE: [&[Lang]; 6] = [
    &[Lang::Dan, Lang::Nob, Lang::Swe],
    &[Lang::Ces, Lang::Slk],
    &[Lang::Hrv, Lang::Srp, Lang::Slv, Lang::Mkd],
    &[Lang::Rus, Lang::Ukr, Lang::Bel, Lang::Bul],
    &[Lang::Spa, Lang::Por, Lang::Cat],
    &[Lang::Ind, Lang::Jav],
];

/// The customer's language, if the reply is in another; both must be told for sure.
pub(super) fn differs(reply: &str, message: &str) -> Option<&'static str> {
    let (wanted, is) = (language(message)?, language(reply)?);
    let alike = ALIKE.iter().any(|alike| alike.contains(&wanted) && alike.contains(&is));
    (wanted != is && !alike).then(|| wanted.eng_name())
}

fn language(text: &str) -> Option<Lang> {
    if text.chars().filter(|mark| mark.is_alphabetic()).count() < LETTERS {
        return None;
    }
    whatlang::detect(text).filter(whatlang::Info::is_reliable).map(|info| info.lang())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "Thank you for your patience, your order has left our warehouse this morning.";
    const GERMAN: &str = "Guten Tag, wo bleibt denn meine Bestellung, ich warte nun schon seit einer Woche?";

    #[test]
    fn a_reply_in_another_language_is_noticed() {
        assert_eq!(differs(ENGLISH, GERMAN), Some("German"));
        assert_eq!(differs(GERMAN, GERMAN), None);
        assert_eq!(differs(GERMAN, ENGLISH), Some("English"));
    }

    #[test]
    fn too_little_tells_no_language() {
        assert_eq!(differs(ENGLISH, "wo ist #W2611340?"), None);
        assert_eq!(differs("Unterwegs.", ENGLISH), None);
    }
}
