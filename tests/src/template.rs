//! What the template says: its resources, and what the role of each function allows in the table.

use crate::table::{Call, TABLE};
use serde_json::Value;
use std::collections::BTreeMap;

/// The template.
pub const TEMPLATE: &str = include_str!("../../template.yaml");

/// What the template says of one resource.
///
/// # Panics
/// There is none of this name.
pub fn resource(name: &str) -> &'static str {
    let start = TEMPLATE.split(&format!("\n  {name}:\n")).nth(1).expect("the resource");
    let next = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let end = start.lines().find(next).map_or(start.len(), |line| start.find(line).unwrap_or(start.len()));
    start.get(..end).expect("whole lines")
}

/// The names of all functions.
pub fn functions() -> Vec<&'static str> {
    let begins = TEMPLATE.split("\n    Type: AWS::Serverless::Function\n");
    let names = begins.filter_map(|before| before.lines().last()?.trim().strip_suffix(':'));
    names.filter(|name| resource(name).starts_with("    Type: AWS::Serverless::Function\n")).collect()
}

/// One thing that a call wants to do: an action in partitions of the table, or in one of its indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Right {
    /// The action, such as `PutItem`.
    pub action: String,
    /// The index; none is the table.
    pub index: Option<String>,
    /// The partitions of the table, which one statement has to allow together.
    pub partitions: Vec<String>,
}

/// What a call wants to do. A transaction wants something of its own for each item.
///
/// # Panics
/// No function may do such a thing at all.
pub fn rights(call: &Call) -> Vec<Right> {
    let Call { operation, request, .. } = call;
    match operation.as_str() {
        "GetItem" | "UpdateItem" | "DeleteItem" => vec![right(operation, [&request["Key"]])],
        "PutItem" => vec![right(operation, [&request["Item"]])],
        "BatchGetItem" => vec![right(operation, list(&request["RequestItems"][TABLE]["Keys"]))],
        "Query" => vec![query(request)],
        "TransactWriteItems" => list(&request["TransactItems"]).map(of_transaction).collect(),
        other => panic!("{other}: no statement is about it"),
    }
}

fn query(request: &Value) -> Right {
    let index = request["IndexName"].as_str().map(str::to_owned);
    let of_table = index.is_none().then(|| &request["ExpressionAttributeValues"][":pk"]);
    let partitions = of_table.map(text).into_iter().collect();
    Right { action: "Query".into(), index, partitions }
}

fn of_transaction(item: &Value) -> Right {
    for (part, action, key) in [
        ("Put", "PutItem", "Item"),
        ("Update", "UpdateItem", "Key"),
        ("Delete", "DeleteItem", "Key"),
        ("ConditionCheck", "ConditionCheckItem", "Key"),
    ] {
        if item[part].is_object() {
            return right(action, [&item[part][key]]);
        }
    }
    panic!("{item}: no part of a transaction")
}

fn right<'a>(action: &str, keys: impl IntoIterator<Item = &'a Value>) -> Right {
    let partitions = keys.into_iter().map(|key| text(&key["pk"])).collect();
    Right { action: action.into(), index: None, partitions }
}

fn text(value: &Value) -> String {
    value["S"].as_str().unwrap_or_else(|| panic!("{value}: no partition")).to_owned()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap_or_else(|| panic!("{value}: no list")).iter()
}

/// What one statement of a role allows in the table, or in one of its indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The statement's name.
    pub sid: String,
    /// The actions, such as `PutItem`.
    pub actions: Vec<String>,
    /// The index; none is the table.
    pub index: Option<String>,
    /// Which partitions of the table, each with a `*` at its end or without; none is all of them.
    pub partitions: Vec<String>,
}

impl Grant {
    /// Whether it allows all of it.
    pub fn allows(&self, right: &Right) -> bool {
        let is_among = |wanted: &String| self.partitions.iter().any(|pattern| is_like(wanted, pattern));
        self.actions.contains(&right.action)
            && self.index == right.index
            && (self.partitions.is_empty() || right.partitions.iter().all(is_among))
    }
}

/// Whether a partition is one of a pattern.
pub fn is_like(partition: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => partition.starts_with(prefix),
        None => partition == pattern,
    }
}

/// What the role of a function allows in the table, by its own policies and by those that it names.
///
/// # Panics
/// A statement about the table is of a shape that is not known here.
pub fn grants(function: &str) -> Vec<Grant> {
    let function = resource(function);
    let named = function.lines().filter_map(|line| line.trim().strip_prefix("- !Ref "));
    let policies = named.filter(|name| name.ends_with("Policy")).map(resource);
    policies.chain([function]).flat_map(of_policy).collect()
}

fn of_policy(policy: &str) -> Vec<Grant> {
    let lines: Vec<&str> = policy.lines().collect();
    let begins = |at: &usize| lines[*at].trim_start().starts_with("- Sid: ");
    (0..lines.len()).filter(begins).filter_map(|at| grant(&lines[..at], &lines[at..])).collect()
}

/// The statement that begins here, if it is about the table. Such a one stands in its list under no condition.
fn grant(before: &[&str], lines: &[&str]) -> Option<Grant> {
    let (sid, fields) = statement(lines);
    let actions = words(&fields["Action"]).filter_map(|word| word.strip_prefix("dynamodb:"));
    let actions: Vec<String> = actions.map(str::to_owned).collect();
    if actions.is_empty() {
        return None;
    }
    let list = before.iter().rfind(|line| line.trim() == "Statement:").map_or(0, |line| depth(line));
    assert!(fields["Effect"] == "Allow" && depth(lines[0]) == list + 2, "{sid}: {fields:?}");
    let index = match fields["Resource"].as_str() {
        "!GetAtt Table.Arn" => None,
        other => {
            other.strip_prefix("!Sub ${Table.Arn}/index/").map_or_else(|| panic!("{sid}: {other}"), Some)
        }
    };
    let condition = fields.get("Condition").map(String::as_str).unwrap_or_default();
    let keys = condition.split("dynamodb:LeadingKeys:").nth(1).unwrap_or_default();
    let partitions = words(keys).take_while(|word| *word != "Null").map(str::to_owned).collect();
    Some(Grant { sid, actions, index: index.map(str::to_owned), partitions })
}

/// Its name, and what stands under each of its fields, in one line.
fn statement(lines: &[&str]) -> (String, BTreeMap<String, String>) {
    let indent = depth(lines[0]) + 2;
    let sid = lines[0].trim_start().trim_start_matches("- Sid: ").to_owned();
    let mut fields: Vec<(String, String)> = vec![];
    for line in lines[1..].iter().take_while(|line| depth(line) >= indent) {
        match line.trim().split_once(':').filter(|_| depth(line) == indent) {
            Some((name, value)) => fields.push((name.into(), value.trim().into())),
            None => {
                let (_, value) = fields.last_mut().expect("a field");
                value.extend([" ", line.trim()]);
            }
        }
    }
    (sid, fields.into_iter().collect())
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let between = |mark: char| mark.is_whitespace() || "[]{},\"".contains(mark);
    text.split(between).filter(|word| !word.is_empty() && *word != "-")
}
