//! Speakers: who says a line of an entry, as its label names them (`customer: …`, `operator: …`).

/// A label is short; a longer beginning of a line is what was said.
const LABEL_CHARS: usize = 40;

/// Words by which customers mean our people, whatever they are called.
const STAFF: [&str; 24] = [
    "staff",
    "colleague",
    "colleagues",
    "agent",
    "operator",
    "employee",
    "person",
    "human",
    "mitarbeiter",
    "mitarbeiterin",
    "kollege",
    "kollegin",
    "collègue",
    "conseiller",
    "conseillère",
    "compañero",
    "compañera",
    "agente",
    "operador",
    "operadora",
    "colega",
    "atendente",
    "funcionário",
    "empleado",
];

/// The label of a line and what is said after it.
pub(super) fn split(line: &str) -> (Option<&str>, &str) {
    match line.split_once(": ") {
        Some((label, said)) if is_label(label) => (Some(label), said.trim_start()),
        _ => (None, line),
    }
}

fn is_label(label: &str) -> bool {
    let named = label.chars().any(char::is_alphabetic);
    let mut marks = label.chars();
    named
        && label.len() <= LABEL_CHARS
        && label.split_whitespace().count() <= 4
        && marks.all(|mark| mark.is_alphanumeric() || " ()#.'-".contains(mark))
}

/// The labels of a text.
pub(super) fn labels(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| split(line).0)
}

/// Whether these words of a question, in lower case, name the speaker of this label. Everything is somebody's:
/// `customer` names nobody.
pub(super) fn is_named(label: &str, words: &[String]) -> bool {
    let label = label.to_lowercase();
    let means_us = |word: &String| STAFF.contains(&word.as_str());
    let mut names = label.split(|mark: char| !mark.is_alphanumeric());
    (label.starts_with("operator") && words.iter().any(means_us))
        || names.any(|name| name.len() > 1 && name != "customer" && words.iter().any(|word| word == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_a_speaker_by_name_or_by_what_they_are() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert!(is_named("operator", &words(&["your", "colleague", "said"])));
        assert!(
            is_named("operator (Ana)", &words(&["ana"])) && !is_named("operator (Ana)", &words(&["bob"]))
        );
        assert!(!is_named("customer", &words(&["customer", "colleague"])));
    }

    #[test]
    fn a_label_is_short_and_names_somebody() {
        assert_eq!(
            split("operator (Ana): It is in the post."),
            (Some("operator (Ana)"), "It is in the post.")
        );
        assert_eq!(split("12: 30"), (None, "12: 30"));
        let long = "I would like to know the following about my order, please: where is it?";
        assert_eq!(split(long), (None, long));
        assert_eq!(
            labels("customer: a: b\nplain\noperator: c").collect::<Vec<_>>(),
            ["customer", "operator"]
        );
    }
}
