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

/// What the template says of one resource.
fn resource(name: &str) -> &'static str {
    let start = TEMPLATE.split(&format!("\n  {name}:\n")).nth(1).expect("the resource");
    let next = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let end = start.lines().find(next).map_or(start.len(), |line| start.find(line).unwrap_or(start.len()));
    start.get(..end).expect("whole lines")
}

#[test]
fn a_retention_is_a_dead_letter_when_the_retainer_gives_it_up_and_the_metric_counts_its_line() {
    let attempts = format!("maxReceiveCount: {}\n", carryover_shared::retain::ATTEMPTS);
    assert!(resource("Retention").contains(&attempts), "{}", resource("Retention"));
    let metric = resource("RetentionFailed");
    for part in [r#"{ $.metric = "retention_failed" }"#, "MetricName: retention_failed", "RetainerLogs"] {
        assert!(metric.contains(part), "{part}: {metric}");
    }
}
