//! Update and condition expressions, with every attribute name aliased so that no reserved word bites.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use std::collections::HashMap;

/// What an update sets, adds and removes, and on what condition.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expression {
    sets: Vec<String>,
    adds: Vec<String>,
    removes: Vec<String>,
    conditions: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expression {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn set(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.sets.push(format!("{name} = {value}"));
        self
    }

    /// Sets an attribute only where the item has none.
    pub(crate) fn set_if_absent(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.sets.push(format!("{name} = if_not_exists({name}, {value})"));
        self
    }

    pub(crate) fn add(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.adds.push(format!("{name} {value}"));
        self
    }

    pub(crate) fn remove(mut self, attribute: &str) -> Self {
        let name = self.name(attribute);
        self.removes.push(name);
        self
    }

    pub(crate) fn if_equal(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.conditions.push(format!("{name} = {value}"));
        self
    }

    /// The attribute is as it was read, absent included.
    pub(crate) fn if_still(self, attribute: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.if_equal(attribute, value),
            None => self.if_absent(attribute),
        }
    }

    /// The attribute is as it was read, where an item says nothing of what is the default: no flags, no links.
    pub(crate) fn if_still_said<T: Serialize + Default + PartialEq>(
        self,
        attribute: &str,
        value: &T,
    ) -> Self {
        self.if_still(attribute, (*value != T::default()).then_some(value))
    }

    /// The attribute is as it was found, whatever its type, absent included.
    pub(crate) fn if_still_raw(mut self, attribute: &str, found: Option<&AttributeValue>) -> Self {
        let Some(found) = found else { return self.if_absent(attribute) };
        let (name, alias) = (self.name(attribute), format!(":v{}", self.values.len()));
        self.values.insert(alias.clone(), found.clone());
        self.conditions.push(format!("{name} = {alias}"));
        self
    }

    pub(crate) fn if_absent(mut self, attribute: &str) -> Self {
        let name = self.name(attribute);
        self.conditions.push(format!("attribute_not_exists({name})"));
        self
    }

    pub(crate) fn if_present(mut self, attribute: &str) -> Self {
        let name = self.name(attribute);
        self.conditions.push(format!("attribute_exists({name})"));
        self
    }

    pub(crate) fn if_less(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.conditions.push(format!("{name} < {value}"));
        self
    }

    /// There is no such item, or its attribute is below `value`.
    pub(crate) fn if_absent_or_less(mut self, attribute: &str, value: impl Serialize) -> Self {
        let (name, value) = (self.name(attribute), self.value(value));
        self.conditions.push(format!("(attribute_not_exists({name}) OR {name} < {value})"));
        self
    }

    /// The set does not contain `member`.
    pub(crate) fn if_not_in(mut self, attribute: &str, member: impl Serialize) -> Self {
        let (name, member) = (self.name(attribute), self.value(member));
        self.conditions.push(format!("NOT contains({name}, {member})"));
        self
    }

    pub(crate) fn condition(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "))
    }

    pub(crate) fn update(&self) -> String {
        [("SET", &self.sets), ("ADD", &self.adds), ("REMOVE", &self.removes)]
            .into_iter()
            .filter(|(_, parts)| !parts.is_empty())
            .map(|(verb, parts)| format!("{verb} {}", parts.join(", ")))
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    pub(crate) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }

    fn name(&mut self, attribute: &str) -> String {
        let alias = format!("#{attribute}");
        self.names.insert(alias.clone(), attribute.to_owned());
        alias
    }

    fn value(&mut self, value: impl Serialize) -> String {
        let alias = format!(":v{}", self.values.len());
        self.values.insert(alias.clone(), to_value(value));
        alias
    }
}

/// A value of an attribute; what the store writes always has one.
pub(crate) fn to_value(value: impl Serialize) -> AttributeValue {
    serde_dynamo::aws_sdk_dynamodb_1::to_attribute_value(value).unwrap_or(AttributeValue::Null(true))
}
