//! Whether a reply is in the language that the customer writes.

use crate::facts::read::say;
use crate::facts::{Fact, PREFERENCE};
use crate::rules::words::{contains as contains_words, plain};
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

/// How customers call the languages that they most often ask for.
const NAMES: [(Lang, &[&str]); 6] = [
    (Lang::Eng, &["english", "ingles", "englisch", "anglais", "inglese"]),
    (Lang::Spa, &["spanish", "espanol", "castellano", "spanisch", "espagnol", "espanhol"]),
    (Lang::Deu, &["german", "aleman", "deutsch", "allemand", "alemao"]),
    (Lang::Fra, &["french", "frances", "franzosisch", "francais"]),
    (Lang::Por, &["portuguese", "portugues", "portugiesisch", "portugais"]),
    (Lang::Ita, &["italian", "italiano", "italienisch", "italien"]),
];

/// How the languages that customers may prefer stand in their records.
const CODES: [(Lang, &str); 6] = [
    (Lang::Eng, "en"),
    (Lang::Spa, "es"),
    (Lang::Deu, "de"),
    (Lang::Fra, "fr"),
    (Lang::Por, "pt"),
    (Lang::Ita, "it"),
];

/// The language of the newest of the customer's messages (newest first), if the reply is in another that none of
/// them asks for and no record says they prefer; both must be told for sure.
pub(super) fn differs(reply: &str, messages: &[&str], facts: &[Fact]) -> Option<&'static str> {
    let (wanted, is) = (language(messages.first()?)?, language(reply)?);
    let alike = ALIKE.iter().any(|alike| alike.contains(&wanted) && alike.contains(&is));
    let differs = wanted != is
        && !alike
        && !is_preferred(is, facts)
        && !messages.iter().any(|message| names(message, is));
    differs.then(|| wanted.eng_name())
}

fn is_preferred(language: Lang, facts: &[Fact]) -> bool {
    let Some((_, code)) = CODES.iter().find(|(known, _)| *known == language) else { return false };
    let preferences = facts.iter().filter(|fact| fact.kind == PREFERENCE);
    let mut said = preferences.filter_map(|fact| say(fact, &["language"], 35));
    said.any(|said| said.split('-').next() == Some(code))
}

/// Whether a message names the language, in its own words or in others.
fn names(message: &str, language: Lang) -> bool {
    let said = plain(message);
    let own = [plain(language.eng_name()), plain(language.name())];
    let known = NAMES.iter().find(|(known, _)| *known == language).map_or(&[][..], |(_, names)| names);
    own.iter().map(String::as_str).chain(known.iter().copied()).any(|name| contains_words(&said, name))
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
    use crate::facts::AsOf;
    use crate::time::Timestamp;
    use serde_json::json;

    const ENGLISH: &str = "Thank you for your patience, your order has left our warehouse this morning.";
    const GERMAN: &str = "Guten Tag, wo bleibt denn meine Bestellung, ich warte nun schon seit einer Woche?";

    #[test]
    fn a_reply_in_another_language_is_noticed() {
        assert_eq!(differs(ENGLISH, &[GERMAN], &[]), Some("German"));
        assert_eq!(differs(GERMAN, &[GERMAN], &[]), None);
        assert_eq!(differs(GERMAN, &[ENGLISH], &[]), Some("English"));
        assert_eq!(differs(ENGLISH, &[GERMAN, ENGLISH], &[]), Some("German"), "the newest message counts");
    }

    #[test]
    fn a_customer_may_ask_for_another_language() {
        let asking = "Bitte antworten Sie mir auf Englisch, meine Kollegin liest hier nämlich auch mit.";
        assert_eq!(differs(ENGLISH, &[asking], &[]), None);
        assert_eq!(differs(ENGLISH, &[GERMAN, "Could you write in English from now on?"], &[]), None);
        assert_eq!(
            differs(ENGLISH, &["Perdone, ¿me lo puede explicar en francés o en alemán, por favor?"], &[]),
            Some("Spanish")
        );
    }

    #[test]
    fn a_customer_may_prefer_another_language() {
        let prefers = |kind: &str, language: &str| Fact {
            kind: kind.into(),
            id: "replies".into(),
            as_of: AsOf::from(Timestamp::from_millis(0)),
            source: "portal".into(),
            data: json!({"language": language}),
        };
        for language in ["en", "en-GB"] {
            assert_eq!(differs(ENGLISH, &[GERMAN], &[prefers(PREFERENCE, language)]), None, "{language}");
        }
        assert_eq!(differs(ENGLISH, &[GERMAN], &[prefers(PREFERENCE, "fr")]), Some("German"));
        assert_eq!(differs(ENGLISH, &[GERMAN], &[prefers("order", "en")]), Some("German"));
    }

    #[test]
    fn too_little_tells_no_language() {
        assert_eq!(differs(ENGLISH, &["wo ist #W2611340?"], &[]), None);
        assert_eq!(differs("Unterwegs.", &[ENGLISH], &[]), None);
    }
}
