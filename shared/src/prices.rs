//! What models cost, where a deployment says so (`MODEL_PRICES`).

use crate::tally::{Count, Tally};
use crate::traits::Role;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The highest price, in US dollars per million tokens.
pub const HIGHEST: f64 = 1_000.0;
const MILLION: f64 = 1_000_000.0;

/// The prices of the models that have one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prices {
    reply: Option<Price>,
    summary: Option<Price>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    #[serde(rename = "in")]
    prompt: f64,
    #[serde(rename = "out")]
    completion: f64,
}

/// What is wrong with prices, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {problem}")]
pub struct PricesError {
    place: String,
    problem: String,
}

fn wrong(place: impl Into<String>, problem: impl Into<String>) -> PricesError {
    PricesError { place: place.into(), problem: problem.into() }
}

impl Prices {
    /// Reads `{"reply": {"in": 0.15, "out": 0.6}, "summary": {…}}`, US dollars per million tokens; either may be missing.
    ///
    /// # Errors
    /// It is no JSON object, or something in it is unknown, missing or out of bounds.
    pub fn parse(given: &str) -> Result<Self, PricesError> {
        let json: Map<String, Value> =
            serde_json::from_str(given).map_err(|_| wrong("it", "must be a JSON object"))?;
        let mut prices = Self::default();
        for (name, value) in json {
            let Some(role) = Role::ALL.into_iter().find(|role| role.as_str() == name) else {
                return Err(wrong(name, "is unknown: there are reply and summary"));
            };
            *prices.slot(role) = Some(Price::parse(&name, value)?);
        }
        Ok(prices)
    }

    fn slot(&mut self, role: Role) -> &mut Option<Price> {
        match role {
            Role::Reply => &mut self.reply,
            Role::Summary => &mut self.summary,
        }
    }

    /// What a model's tokens cost, in US dollars; `None` where it has no price.
    pub fn cost(mut self, role: Role, tally: &Tally) -> Option<f64> {
        let Price { prompt, completion } = (*self.slot(role))?;
        let millions = |count| tally.of(count) as f64 / MILLION;
        let (asked, answered) =
            (millions(Count::PromptTokens(role)), millions(Count::CompletionTokens(role)));
        Some(asked * prompt + answered * completion)
    }
}

impl Price {
    fn parse(role: &str, value: Value) -> Result<Self, PricesError> {
        let price: Self =
            serde_json::from_value(value).map_err(|error| wrong(role, format!("is wrong: {error}")))?;
        for (field, dollars) in [("in", price.prompt), ("out", price.completion)] {
            if !(0.0..=HIGHEST).contains(&dollars) {
                let problem = format!("must be 0 to {HIGHEST} US dollars per million tokens");
                return Err(wrong(format!("{role}.{field}"), problem));
            }
        }
        Ok(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cost_what_the_deployment_says() {
        let prices = Prices::parse(r#"{"reply": {"in": 0.15, "out": 0.6}}"#).unwrap();
        let mut tally = Tally::default();
        tally.add(Count::PromptTokens(Role::Reply), 2_000_000);
        tally.add(Count::CompletionTokens(Role::Reply), 500_000);
        assert_eq!(prices.cost(Role::Reply, &tally), Some(0.6));
        assert_eq!(prices.cost(Role::Reply, &Tally::default()), Some(0.0));
        assert_eq!(prices.cost(Role::Summary, &tally), None);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_bound() {
        for (given, named) in [
            ("[]", "it must be a JSON object"),
            (r#"{"judge": {"in": 1, "out": 1}}"#, "judge is unknown"),
            (r#"{"reply": {"in": 1}}"#, "reply is wrong: missing field `out`"),
            (r#"{"reply": {"in": 1, "out": 1, "cached": 1}}"#, "reply is wrong: unknown field `cached`"),
            (r#"{"summary": {"in": -1, "out": 1}}"#, "summary.in must be 0 to 1000 US dollars"),
            (r#"{"summary": {"in": 1, "out": 1001}}"#, "summary.out must be 0 to 1000 US dollars"),
        ] {
            let error = Prices::parse(given).unwrap_err().to_string();
            assert!(error.starts_with(named), "{given}: {error}");
        }
    }
}
