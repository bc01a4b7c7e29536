//! The first line of the history names the language, so that the bot still knows it when every message of the
//! customer has aged out.

use whatlang::Lang;

const LABEL: &str = "Language: ";
const UNKNOWN: &str = "unknown";

/// Languages that a model may name and the detector does not know, or knows by another name.
const ALSO: [&str; 16] = [
    "Albanian",
    "Basque",
    "Bosnian",
    "Chinese",
    "Filipino",
    "Galician",
    "Icelandic",
    "Irish",
    "Kazakh",
    "Lao",
    "Malay",
    "Mongolian",
    "Norwegian",
    "Slovenian",
    "Somali",
    "Swahili",
];

/// The history without the line that names its language: that line says nothing about the customer's affairs.
pub fn without_language(history: &str) -> &str {
    match history.split_once('\n') {
        Some((first, rest)) if named_in(first).is_some() => rest,
        None if named_in(history).is_some() => "",
        _ => history,
    }
}

/// The English name of the language that the first line of a history names.
pub fn language(history: &str) -> Option<&'static str> {
    history.lines().next().and_then(named_in).filter(|name| *name != UNKNOWN)
}

/// The history with its language in the first line: the one that it names itself, else the one that the old
/// history named, else the one that the customer's words look like. An empty history stays empty.
pub(super) fn with_language(history: &str, old: &str, customers_words: &str) -> String {
    let rest = without_language(history).trim();
    if rest.is_empty() {
        return String::new();
    }
    let named = language(history).or_else(|| language(old)).or_else(|| detected(customers_words));
    format!("{LABEL}{}\n{rest}", named.unwrap_or(UNKNOWN))
}

/// Only a language that is one counts, so that nothing else is ever stored in this line.
fn named_in(line: &str) -> Option<&'static str> {
    let (label, name) = line.split_once(':')?;
    let name = name.trim().trim_end_matches('.');
    if !label.trim().eq_ignore_ascii_case("language") {
        return None;
    }
    let known = Lang::all().iter().map(|lang| lang.eng_name()).chain(ALSO).chain([UNKNOWN]);
    let mut matching = known.filter(|known| known.eq_ignore_ascii_case(name));
    matching.next().or_else(|| Lang::from_code(name.to_lowercase()).map(|lang| lang.eng_name()))
}

fn detected(text: &str) -> Option<&'static str> {
    whatlang::detect(text).filter(whatlang::Info::is_reliable).map(|info| info.lang().eng_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_language_whether_or_not_the_model_did() {
        assert_eq!(
            with_language("language: portuguese.\nEla chega.", "", ""),
            "Language: Portuguese\nEla chega."
        );
        assert_eq!(
            with_language("She comes.", "Language: German\nSie kam.", ""),
            "Language: German\nShe comes."
        );
        let words = "Guten Abend, wir kommen am Sonntag erst spät an, ist das in Ordnung für Sie?";
        assert_eq!(with_language("She comes.", "", words), "Language: German\nShe comes.");
        assert_eq!(with_language("She comes.", "", "ok"), "Language: unknown\nShe comes.");
        assert_eq!(with_language("Language: English\n ", "", "ok"), "");
    }

    #[test]
    fn nothing_but_a_language_hides_in_that_line() {
        let lie = "Language: Oskar\nShe comes.";
        assert_eq!(without_language(lie), lie);
        assert_eq!(without_language("Language: Swahili\nAnakuja."), "Anakuja.");
        assert_eq!(without_language("She comes."), "She comes.");
    }
}
