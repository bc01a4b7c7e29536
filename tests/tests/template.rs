//! What the functions may do, as the template grants it.

const TEMPLATE: &str = include_str!("../../template.yaml");

const WRITES: [&str; 4] = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];

/// The statements of all policies, each with its name first.
fn statements() -> Vec<&'static str> {
    let statement = |text: &'static str| text.split("      Events:").next().unwrap_or(text);
    TEMPLATE.split("- Sid: ").skip(1).map(statement).collect()
}

fn writes(statement: &str) -> bool {
    WRITES.iter().any(|action| statement.contains(&format!("dynamodb:{action}")))
}

#[test]
fn signed_change_no_function_may_write_a_version_or_the_pointer() {
    assert!(statements().len() >= 10, "the statements are found");
    assert!(!TEMPLATE.contains("dynamodb:*"), "no function may do everything");
    for statement in statements() {
        let signed = ["LIVE#", "AGENT#"].iter().any(|partition| statement.contains(partition));
        assert!(!(signed && writes(statement)), "{statement}");
    }
}

#[test]
fn isolation_whoever_writes_the_table_may_write_some_partitions_only() {
    for statement in statements().into_iter().filter(|statement| writes(statement)) {
        let bounded = statement.contains("dynamodb:LeadingKeys:") && statement.contains("\"Null\"");
        assert!(bounded, "{statement}");
    }
}
