//! The sentences of the rules: one table for each language, filled by one logic.
//!
//! `{name}` is a hole; the table of every language has the same holes in the same sentence.

mod de;
mod en;
mod es;
mod fr;

pub(super) use de::GERMAN;
pub(super) use en::ENGLISH;
pub(super) use es::SPANISH;
pub(super) use fr::FRENCH;

/// A sentence or a part of one, with holes.
pub(super) type Text = &'static str;

/// What one language says.
pub(super) struct Templates {
    /// The first words to somebody who never wrote before; with `{name}` to somebody who has one.
    pub(super) greeting: Text,
    pub(super) greeting_by_name: Text,
    /// Whether a greeting names people whole, where their given name is known too.
    pub(super) greets_formally: bool,
    /// A person takes over.
    pub(super) notice: Text,

    pub(super) you_are_welcome: Text,
    pub(super) all_right: Text,
    pub(super) how_can_i_help: Text,
    /// What the rules can answer, and what of it they have records of: `{counts}`.
    pub(super) can_answer: Text,
    pub(super) can_answer_with_hours: Text,
    pub(super) on_record: Text,
    pub(super) nothing_on_record: Text,
    /// How to get a person, and words that ask for one.
    pub(super) ask_for_a_person: Text,
    pub(super) person: Text,

    /// `{ids}`
    pub(super) no_record: Text,
    pub(super) cannot_answer_the_rest: Text,
    pub(super) and: Text,
    pub(super) or: Text,
    /// Around the words of a record.
    pub(super) quotes: [Text; 2],

    /// Orders, requests, appointments.
    pub(super) subjects: [SubjectTemplates; 3],
    /// `{items}`
    pub(super) contains: Text,
    /// `{count}`
    pub(super) more_items: Text,
    /// `{said}`
    pub(super) record_also_says: Text,
    pub(super) not_settled: Text,
    pub(super) no_arrival: Text,
    /// `{listed}`
    pub(super) requests_unmatched: Text,
    pub(super) no_request_open: Text,
    /// `{named}`, `{start}`, `{place}`, `{status}`, `{date}`; place and status are the two after it, or nothing.
    pub(super) appointment_at: Text,
    pub(super) at_place: Text,
    pub(super) with_status: Text,
    pub(super) no_upcoming: Text,
    /// `{listed}`
    pub(super) other_appointment: Text,
    pub(super) one_more_after: Text,
    /// `{count}`
    pub(super) more_after: Text,

    pub(super) hours: HoursTemplates,

    /// `{day}`, `{month}`, `{year}`; and `{date}`, `{time}`.
    pub(super) date: Text,
    pub(super) date_and_time: Text,
    pub(super) first_of_month: Text,
    pub(super) months: [Text; 12],
    pub(super) weekdays: [Text; 7],

    /// What fields of an order are called here: the field's name in lower case without separators, then the word.
    pub(super) labels: &'static [(&'static str, Text)],
    /// Usual words for where a record stands, said of what is masculine and of what is feminine.
    pub(super) statuses: &'static [(&'static str, Text, Text)],
}

/// What is said of one subject's records.
pub(super) struct SubjectTemplates {
    pub(super) is_feminine: bool,
    pub(super) one: Text,
    pub(super) many: Text,
    /// `{named}`, `{status}`, `{date}`
    pub(super) status: Text,
    /// `{named}`, `{date}`
    pub(super) without_status: Text,
    pub(super) none: Text,
    pub(super) which: Text,
    /// `{listed}`
    pub(super) only: Text,
    /// `{count}`, `{listed}`
    pub(super) several: Text,
    pub(super) newest: Text,
}

/// What is said of opening hours.
pub(super) struct HoursTemplates {
    /// `{hours}`
    pub(super) whole: Text,
    /// `{day}`, `{hours}`
    pub(super) on_day: Text,
    /// `{day}`
    pub(super) closed_on_day: Text,
    /// `{weekday}`
    pub(super) not_said: Text,
    /// `{date}`
    pub(super) date_not_said: Text,
    /// `{weekday}`; `{date}`
    pub(super) on_weekday: Text,
    pub(super) on_date: Text,
    /// Today, tomorrow, the day after, each with `{weekday}`.
    pub(super) days_ahead: [Text; 3],
    /// `{from}`, `{to}`
    pub(super) range: Text,
    pub(super) closed: Text,
}

/// Puts words into the holes of a template. What the words hold is never taken for a hole.
pub(super) fn fill(template: &str, words: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (hole, after) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(words.iter().find(|(name, _)| *name == hole).map_or("", |(_, word)| word));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

impl Templates {
    /// The words of a record between quotes.
    pub(super) fn quote(&self, words: &str) -> String {
        let [open, close] = self.quotes;
        format!("{open}{words}{close}")
    }

    /// "a, b and c"
    pub(super) fn all_of(&self, items: &[String]) -> String {
        joined(items, self.and)
    }

    /// "a, b or c"
    pub(super) fn one_of(&self, items: &[String]) -> String {
        joined(items, self.or)
    }
}

fn joined(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rules::language::Language;
    use std::collections::BTreeSet;

    /// Every text of a language, in one order.
    pub(in crate::rules) fn texts(templates: &Templates) -> Vec<Text> {
        let Templates { greeting, greeting_by_name, notice, you_are_welcome, all_right, .. } = templates;
        let Templates { how_can_i_help, can_answer, can_answer_with_hours, on_record, .. } = templates;
        let Templates { nothing_on_record, ask_for_a_person, person, no_record, .. } = templates;
        let Templates { cannot_answer_the_rest, and, or, quotes, subjects, contains, .. } = templates;
        let Templates { more_items, record_also_says, not_settled, no_arrival, .. } = templates;
        let Templates { requests_unmatched, no_request_open, appointment_at, at_place, .. } = templates;
        let Templates { with_status, no_upcoming, other_appointment, one_more_after, .. } = templates;
        let Templates { more_after, hours, date, date_and_time, first_of_month, months, weekdays, .. } =
            templates;
        let HoursTemplates { whole, on_day, closed_on_day, not_said, date_not_said, .. } = hours;
        let HoursTemplates { on_weekday, on_date, days_ahead, range, closed, .. } = hours;
        let one = [
            greeting,
            greeting_by_name,
            notice,
            you_are_welcome,
            all_right,
            how_can_i_help,
            can_answer,
            can_answer_with_hours,
            on_record,
            nothing_on_record,
            ask_for_a_person,
            person,
            no_record,
            cannot_answer_the_rest,
            and,
            or,
            contains,
            more_items,
            record_also_says,
            not_settled,
            no_arrival,
            requests_unmatched,
            no_request_open,
            appointment_at,
            at_place,
            with_status,
            no_upcoming,
            other_appointment,
            one_more_after,
            more_after,
            date,
            date_and_time,
            first_of_month,
            whole,
            on_day,
            closed_on_day,
            not_said,
            date_not_said,
            on_weekday,
            on_date,
            range,
            closed,
        ];
        let of_subject = |subject: &SubjectTemplates| {
            let SubjectTemplates { is_feminine: _, one, many, status, without_status, none, .. } = *subject;
            let SubjectTemplates { which, only, several, newest, .. } = *subject;
            [one, many, status, without_status, none, which, only, several, newest]
        };
        let lists = quotes.iter().chain(days_ahead).chain(months).chain(weekdays);
        one.into_iter().chain(lists).copied().chain(subjects.iter().flat_map(of_subject)).collect()
    }

    fn holes(template: &str) -> BTreeSet<&str> {
        let after = |part: &'_ str| part.split_once('}').map(|(hole, _)| hole.len());
        template.split('{').skip(1).filter_map(|part| part.get(..after(part)?)).collect()
    }

    #[test]
    fn the_same_sentence_has_the_same_holes_in_every_language() {
        let english = texts(Language::English.templates());
        for language in Language::ALL {
            let texts = texts(language.templates());
            assert_eq!(texts.len(), english.len());
            for (text, english) in texts.iter().zip(&english) {
                assert_eq!(holes(text), holes(english), "{language:?}: {text} / {english}");
                assert!(!text.is_empty() && !text.contains("  "), "{language:?}: {text:?} / {english}");
            }
        }
    }

    #[test]
    fn what_fills_a_hole_is_never_a_hole_itself() {
        assert_eq!(fill("{a} and {b}.", &[("a", "{b}"), ("b", "2")]), "{b} and 2.");
        assert_eq!(fill("no holes", &[("a", "1")]), "no holes");
    }

    #[test]
    fn labels_and_statuses_are_found_by_names_as_they_are_compared() {
        for language in Language::ALL {
            let Templates { labels, statuses, .. } = language.templates();
            for (name, label) in *labels {
                assert_eq!(crate::facts::read::bare_name(name), *name, "{label}");
            }
            for (status, masculine, feminine) in *statuses {
                assert_eq!(crate::facts::read::bare_name(status), *status, "{masculine} {feminine}");
            }
        }
    }
}
