//! Past cases: tickets of another system and resolved cases that an operator released, without values and names.

use super::ordinary::Ordinary;
use super::placeholder::without_values;
use super::{SimilarCase, Wording};
use crate::hash;
use crate::text;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// A past ticket, as another system exports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticket {
    /// Its id there; empty where it has none.
    pub id: String,
    /// What it is about, in a line; may be empty.
    pub subject: String,
    /// What the customer wrote.
    pub body: String,
    /// What was answered.
    pub answer: String,
    /// A word for what it is about; may be empty.
    pub category: String,
    /// More such words.
    pub tags: Vec<String>,
}

/// A past case as the index keeps it: no value and no name of anyone is in it (*isolation*).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastCase {
    id: String,
    problem: String,
    solution: String,
    category: String,
    tags: Vec<String>,
    released: bool,
}

impl PastCase {
    /// Of a ticket; names that are `ordinary` words stay. A ticket without an id is named by what it says.
    pub fn of_ticket(ticket: &Ticket, ordinary: &Ordinary) -> Self {
        let clean = |text: &str| without_values(text.trim(), |value, after| ordinary.excuses(value, after));
        let problem = match ticket.subject.trim() {
            "" => clean(&ticket.body),
            subject => clean(&format!("{subject}\n{}", ticket.body.trim())),
        };
        let solution = clean(&ticket.answer);
        let id = match ticket.id.trim() {
            "" => text::head(&hash::hex(&format!("{problem}\n\n{solution}")), 16).to_owned(),
            id => id.to_owned(),
        };
        let category = clean(&ticket.category);
        let tags = ticket.tags.iter().map(|tag| clean(tag)).collect();
        Self { id, problem, solution, category, tags, released: false }
    }

    /// Of a resolved case, in the words in which an operator released it, values and names replaced.
    pub fn of_release(case_id: Ulid, wording: Wording) -> Self {
        Self {
            id: case_id.to_string(),
            problem: wording.problem,
            solution: wording.solution,
            category: String::new(),
            tags: vec![],
            released: true,
        }
    }

    /// What names it among its like.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether an operator released it; the others were imported.
    pub fn is_released(&self) -> bool {
        self.released
    }

    /// What was asked.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// What was answered.
    pub fn solution(&self) -> &str {
        &self.solution
    }

    /// What finds it.
    pub(super) fn searched(&self) -> String {
        format!("{}\n{}\n{}", self.problem, self.category.replace('_', " "), self.tags.join("\n"))
    }

    /// As a prompt shows it, in at most `chars` characters, a third of them for the problem.
    pub(super) fn shown(&self, chars: usize) -> SimilarCase {
        let problem = cut(&self.problem, chars / 3);
        let solution = cut(&self.solution, chars.saturating_sub(text::chars(&problem)));
        SimilarCase { problem, solution }
    }
}

/// The beginning of a text; no placeholder is cut in two.
fn cut(whole: &str, max_chars: usize) -> String {
    if text::chars(whole) <= max_chars {
        return whole.to_owned();
    }
    let Some(room) = max_chars.checked_sub(1) else { return String::new() };
    let head = text::head(whole, room);
    let open = head.rfind("{{").filter(|open| !head.get(*open..).unwrap_or_default().contains("}}"));
    format!("{}…", open.and_then(|open| head.get(..open)).unwrap_or(head).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(problem: &str, solution: &str) -> PastCase {
        let ticket = Ticket { body: problem.into(), answer: solution.into(), ..Ticket::default() };
        PastCase::of_ticket(&ticket, &Ordinary::default())
    }

    #[test]
    fn a_ticket_without_an_id_is_named_by_what_it_says() {
        assert_eq!(
            case("Where is order #W1234567?", "on its way"),
            case("Where is order #W7654321?", "on its way")
        );
        assert_ne!(case("a", "b").id(), case("a", "c").id());
    }

    #[test]
    fn a_subject_stands_above_the_body() {
        let ticket = Ticket {
            subject: "Order 77123".into(),
            body: "Late".into(),
            answer: "Soon".into(),
            ..Ticket::default()
        };
        let case = PastCase::of_ticket(&ticket, &Ordinary::default());
        assert_eq!(case.problem(), "Order {{Order Number}}\nLate");
    }

    #[test]
    fn bounds_a_case_is_shown_within_its_characters_and_no_placeholder_is_cut() {
        let long = case(&"why ".repeat(40), &"go to {{Order Details}} ".repeat(40));
        for chars in 0..200 {
            let shown = long.shown(chars);
            assert!(text::chars(&shown.problem) + text::chars(&shown.solution) <= chars, "{chars}");
            assert_eq!(shown.solution.matches("{{").count(), shown.solution.matches("}}").count());
        }
        assert_eq!(
            case("why", "so").shown(600),
            SimilarCase { problem: "why".into(), solution: "so".into() }
        );
    }
}
