//! A resolved case in the words of the operator who releases it: nothing of the contact stays in them.

use super::instruction::is_instruction;
use super::placeholder::{without_names, without_values};
use crate::contact::Identity;
use crate::facts::Fact;
use crate::limits::Limits;
use crate::text;
use crate::values::{self, Kind};
use serde_json::Value;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// So many words in a row that the customer wrote are the customer's.
const COPIED_WORDS: usize = 8;
/// Fewer words can be anybody's.
const COMMON_WORDS: usize = 4;
/// Kinds of facts that say who somebody is.
const PERSONAL_KINDS: [&str; 2] = ["profile", "contact"];
/// What the fields are called that say so.
const PERSONAL_FIELDS: [&str; 9] =
    ["name", "mail", "phone", "address", "street", "city", "zip", "company", "user"];

/// A problem and its solution, as an operator words them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// What was asked.
    pub problem: String,
    /// What was done or answered.
    pub solution: String,
}

/// Why a wording is not taken. Never carries its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordingFault {
    /// Nothing is said.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// Too much is said.
    #[error("{field} has {chars} characters; at most {most} are taken")]
    TooLong {
        /// Which part.
        field: &'static str,
        /// What it has.
        chars: usize,
        /// What it may have.
        most: usize,
    },
    /// The customer's own words.
    #[error("{0} repeats what the customer wrote: say it in words of your own")]
    Copied(&'static str),
}

impl Wording {
    /// Whether it can be taken from a case in which the customer `said` this.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, said: &[String], limits: &Limits) -> Result<(), WordingFault> {
        let said: Vec<Vec<String>> = said.iter().map(|text| words(text)).collect();
        for (field, text) in [("problem", &self.problem), ("solution", &self.solution)] {
            let (chars, most) = (text::chars(text), limits.ticket_chars);
            if text.trim().is_empty() {
                return Err(WordingFault::Empty(field));
            }
            if chars > most {
                return Err(WordingFault::TooLong { field, chars, most });
            }
            if said.iter().any(|said| is_copied(&words(text), said)) {
                return Err(WordingFault::Copied(field));
            }
        }
        Ok(())
    }

    /// The same with every value and every name replaced by a placeholder, `names` in any case.
    pub fn impersonal(&self, names: &[String]) -> Self {
        let clean = |text: &str| without_values(&without_names(text.trim(), names), is_instruction);
        Self { problem: clean(&self.problem), solution: clean(&self.solution) }
    }
}

fn words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

fn is_copied(words: &[String], said: &[String]) -> bool {
    let run = words.len().min(COPIED_WORDS);
    run >= COMMON_WORDS && words.windows(run).any(|run_of| said.windows(run).any(|said| said == run_of))
}

/// What a contact is called, by its identities and by the records about it.
pub fn names_of(identities: &[Identity], facts: &[Fact]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for identity in identities {
        let named = identity.as_str().split_once(':').map_or("", |(_, named)| named);
        names.extend(named.split(['/', '@']).map(str::to_owned));
        names.insert(named.to_owned());
    }
    for fact in facts {
        let personal = PERSONAL_KINDS.contains(&fact.kind.as_str());
        read(&fact.data, personal, false, &mut names);
    }
    names.into_iter().filter(|name| text::chars(name) > 1).collect()
}

/// `named` says that the field of this value is one that says who somebody is.
fn read(value: &Value, personal: bool, named: bool, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if personal && named => {
            names.insert(text.clone());
            names.extend(text.unicode_words().map(str::to_owned));
        }
        Value::String(text) => {
            let sure =
                values::values(text).into_iter().filter(|value| value.kind == Kind::Name && value.sure);
            names.extend(sure.map(|value| value.text.to_owned()));
        }
        Value::Array(values) => values.iter().for_each(|value| read(value, personal, named, names)),
        Value::Object(fields) => {
            for (field, value) in fields {
                let field = field.to_lowercase();
                let named = named || PERSONAL_FIELDS.iter().any(|known| field.contains(known));
                read(value, personal, named, names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use crate::time::Timestamp;
    use proptest::prelude::*;
    use serde_json::json;

    fn wording(problem: &str, solution: &str) -> Wording {
        Wording { problem: problem.into(), solution: solution.into() }
    }

    fn names() -> Vec<String> {
        let identities =
            ["chat:guest-7", "email:oskar.lind@example.com"].map(|text| text.parse().expect(text));
        let fact = |kind: &str, data: Value| {
            let as_of = AsOf::from(Timestamp::from_millis(0));
            Fact { kind: kind.into(), id: "1".into(), as_of, source: "crm".into(), data }
        };
        let profile = json!({"name": {"first": "Oskar", "last": "Lind"}, "status": "open", "address": {"city": "Braga"}});
        let order = json!({"note": "leave it with Rita Alves", "status": "sent"});
        names_of(&identities, &[fact("profile", profile), fact("order", order)])
    }

    #[test]
    fn isolation_nothing_of_the_contact_is_left() {
        let said = wording(
            "oskar of braga, order #W2611340, wrote twice; guest-7 is open",
            "Reset the clock. Told LIND that Rita Alves has it, paid €40 on 3 May.",
        );
        let left = said.impersonal(&names());
        assert_eq!(
            left.problem,
            "{{Name}} of {{Name}}, order {{Order Number}}, wrote twice; {{Name}} is open"
        );
        assert_eq!(
            left.solution,
            "Reset the clock. {{Name}} {{Name}} that {{Name}} has it, paid {{Amount}} on {{Date}}."
        );
        assert_eq!(left.impersonal(&names()), left);
    }

    #[test]
    fn isolation_a_name_that_no_record_has_goes_though_an_article_follows_it() {
        let said =
            wording("Rita the cleaner lost a key", "Müller die Nachbarin. Reset the lock, ask {{Staff}}.");
        let left = said.impersonal(&[]);
        assert_eq!(left.problem, "{{Name}} the cleaner lost a key");
        assert_eq!(left.solution, "{{Name}} die {{Name}}. Reset the lock, ask {{Staff}}.");
    }

    #[test]
    fn what_the_customer_wrote_is_not_taken() {
        let limits = Limits { ticket_chars: 60, ..Limits::default() };
        let said = ["Hi! My new lamp flickers whenever it rains and nobody has come, please help".to_owned()];
        let fault = |problem: &str, solution: &str| wording(problem, solution).check(&said, &limits).err();
        assert_eq!(fault("A lamp flickers in the rain", "Send the electrician"), None);
        assert_eq!(fault("my new lamp flickers!", "x"), Some(WordingFault::Copied("problem")));
        assert_eq!(
            fault("Lamp", "it rains: MY NEW LAMP FLICKERS WHENEVER IT RAINS AND"),
            Some(WordingFault::Copied("solution"))
        );
        assert_eq!(fault("Lamp", " "), Some(WordingFault::Empty("solution")));
        let long = WordingFault::TooLong { field: "problem", chars: 61, most: 60 };
        assert_eq!(fault(&"x".repeat(61), "x"), Some(long));
    }

    proptest! {
        #[test]
        fn isolation_no_value_of_a_released_case_survives(
            name in "[a-z]{4,9}", id in "[A-Z]{2}-[0-9]{5}", amount in 100_u32..9_999, before in "[a-z ]{0,12}",
        ) {
            let fact = Fact {
                kind: "profile".into(),
                id: "1".into(),
                as_of: AsOf::from(Timestamp::from_millis(0)),
                source: "crm".into(),
                data: json!({"full_name": name}),
            };
            let names = names_of(&["chat:guest".parse().expect("an identity")], &[fact]);
            let said = format!("{before} {name}'s order {id} of ${amount}; {} paid", name.to_uppercase());
            let left = wording(&said, &said).impersonal(&names);
            for gone in [name.as_str(), id.as_str(), &amount.to_string()] {
                prop_assert!(!left.problem.to_lowercase().contains(&gone.to_lowercase()), "{gone} in {left:?}");
            }
        }
    }
}
