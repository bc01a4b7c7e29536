//! Promises: what a reply may only say where something backs it.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One entry of an agent's promise list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Promise {
    /// Its words; a `*` stands for up to three words between.
    pub phrase: String,
    /// A reply with it may open a request in the same commit, which backs it.
    pub opens_request: bool,
    /// The act that it claims is done, such as `refund`: only a record that names the act backs it.
    pub act: Option<String>,
    /// Sentences that say it.
    pub matches: Vec<String>,
    /// Sentences that do not, although they are close.
    pub not: Vec<String>,
}

impl Promise {
    /// A promise that an open request or case backs, and nothing else.
    pub fn of(phrase: &str) -> Self {
        let phrase = phrase.into();
        Self { phrase, opens_request: false, act: None, matches: vec![], not: vec![] }
    }
}

impl<'de> Deserialize<'de> for Promise {
    /// Reads a phrase alone, or a table with one.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PhraseOrTable)
    }
}

struct PhraseOrTable;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    phrase: String,
    #[serde(default)]
    opens_request: bool,
    #[serde(default)]
    act: Option<String>,
    #[serde(default)]
    matches: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

impl<'de> Visitor<'de> for PhraseOrTable {
    type Value = Promise;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a phrase, or a table with a phrase")
    }

    fn visit_str<E: Error>(self, phrase: &str) -> Result<Promise, E> {
        Ok(Promise::of(phrase))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Promise, A::Error> {
        let Table { phrase, opens_request, act, matches, not } =
            Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Promise { phrase, opens_request, act, matches, not })
    }
}
