//! What the functions may do, as the template grants it.

use carryover_tests::template::{TEMPLATE, resource};
use std::time::Duration;

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
fn signed_change_no_function_may_write_a_version_a_pointer_or_an_accounts_agent() {
    assert!(statements().len() >= 10, "the statements are found");
    assert!(!TEMPLATE.contains("dynamodb:*"), "no function may do everything");
    for statement in statements() {
        let signed = ["LIVE#", "AGENT#", "ACCOUNT#"].iter().any(|partition| statement.contains(partition));
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

#[test]
fn isolation_functions_read_the_index_of_past_cases_and_none_but_the_eraser_writes_it() {
    let table: Vec<_> =
        statements().into_iter().filter(|statement| statement.contains("- TICKETS\n")).collect();
    assert!(!table.is_empty() && !table.iter().any(|statement| writes(statement)), "{table:?}");
    let eraser = resource("Eraser");
    let of_others = || statements().into_iter().filter(|statement| !eraser.contains(statement));
    let released: Vec<_> = of_others().filter(|statement| statement.contains("RELEASED")).collect();
    let reads = ["GetItem", "Query", "Scan"];
    assert!(
        released.iter().all(|statement| !reads.iter().any(|action| statement.contains(action))),
        "released cases stand beside their contact: no function reads them: {released:?}"
    );
    let bucket: Vec<_> = of_others().filter(|statement| statement.contains("${IndexBucket}")).collect();
    assert_eq!(bucket.len(), TEMPLATE.matches("Action: s3:").count(), "{bucket:?}");
    let reads = ["Action: s3:GetObject\n", "Action: s3:ListBucket\n"];
    let only_reads = |statement: &&str| reads.iter().any(|action| statement.contains(action));
    assert!(bucket.iter().all(only_reads), "{bucket:?}");
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

#[test]
fn a_notification_is_a_dead_letter_when_the_notifier_gives_it_up_and_the_metric_counts_its_line() {
    let attempts = format!("maxReceiveCount: {}\n", carryover_shared::notify::ATTEMPTS);
    assert!(resource("Notifications").contains(&attempts), "{}", resource("Notifications"));
    let metric = resource("CaseNotTaken");
    for part in [r#"{ $.metric = "case_not_taken" }"#, "MetricName: case_not_taken", "NotifierLogs"] {
        assert!(metric.contains(part), "{part}: {metric}");
    }
    let longest = format!("MaxLength: {}\n", carryover_shared::routing::ROUTING_BYTES);
    assert!(TEMPLATE.contains(&format!("  Routing:\n    Type: String\n    NoEcho: true\n    {longest}")));
}

#[test]
fn the_notifier_touches_contacts_alone_and_mails_from_the_sender_alone() {
    let notifier = resource("Notifier");
    assert_eq!(notifier.matches("dynamodb:LeadingKeys: [").count(), 1);
    assert!(notifier.contains("dynamodb:LeadingKeys: [CONTACT#*]") && !writes_more_than_updates(notifier));
    let mails: Vec<_> =
        statements().into_iter().filter(|statement| statement.contains("ses:SendEmail")).collect();
    assert_eq!((mails.len(), TEMPLATE.matches("ses:Send").count()), (1, 1));
    assert!(mails[0].contains("StringEquals: { ses:FromAddress: !Ref NotificationSender }"), "{}", mails[0]);
}

#[test]
fn erasable_no_job_outlives_the_head_of_an_erased_contact_and_no_function_the_second_look() {
    let longest = |name: &str| {
        let values =
            TEMPLATE.split(name).skip(1).filter_map(|rest| rest.split('\n').next()?.trim().parse().ok());
        Duration::from_secs(values.max().expect("a value"))
    };
    let (dead_letter, redelivery) = (longest("MessageRetentionPeriod:"), longest("VisibilityTimeout:"));
    assert!(dead_letter + redelivery <= carryover_shared::erase::JOB_LIFE, "{dead_letter:?} {redelivery:?}");
    assert!(longest(" Timeout:") <= carryover_shared::erase::RUN);
}

#[test]
fn erasable_the_eraser_deletes_in_every_partition_of_a_contact_and_puts_nothing_there() {
    let eraser = resource("Eraser");
    let deletes = eraser.split("- Sid: DeleteWhatIsKept").nth(1).and_then(|rest| rest.split("- Sid:").next());
    let deletes = deletes.expect("a statement");
    for partition in ["CONTACT#*", "SNAPSHOT#*", "FACTS#*", "MEMORY#*", "IDENTITY#*"] {
        assert!(deletes.contains(partition), "{partition}");
    }
    assert!(!deletes.contains("PutItem"));
}

/// The functions that a policy of the template is of.
fn with_policy(policy: &str) -> Vec<&'static str> {
    let functions = TEMPLATE.split("\n  ").filter(|line| line.ends_with(':') && !line.starts_with(' '));
    let names =
        functions.filter_map(|line| line.strip_suffix(':')).filter(|name| !name.contains([' ', '\n']));
    let of = format!("        - !Ref {policy}\n");
    names
        .filter(|name| TEMPLATE.contains(&format!("\n  {name}:\n")) && resource(name).contains(&of))
        .collect()
}

#[test]
fn whoever_works_may_count_and_counting_reads_and_replaces_nothing() {
    let functions = ["ReplyDoor", "ReplyWorker", "Summarizer", "Retainer", "Notifier"];
    assert_eq!(with_policy("TallyPolicy"), functions);
    let all = statements();
    let of_tallies: Vec<_> = all.iter().filter(|statement| statement.contains("HEALTH#")).collect();
    assert_eq!(of_tallies.iter().filter(|statement| writes(statement)).count(), 1, "{of_tallies:?}");
    let policy = resource("TallyPolicy");
    assert!(policy.contains("Action: dynamodb:UpdateItem\n") && policy.contains("LeadingKeys: [HEALTH#*] }"));
}

#[test]
fn the_console_counts_every_queue_takes_from_dead_ones_and_sends_to_live_ones() {
    let console = resource("Console");
    let queues = ["Turns", "Folds", "Retention", "Notifications"];
    let statement = |sid: &str| {
        let found = console.split("- Sid: ").find(|statement| statement.starts_with(sid));
        found.unwrap_or_else(|| panic!("{sid}"))
    };
    let arns = |sid: &str| statement(sid).matches("!GetAtt ").count();
    for queue in queues {
        let (live, dead) = (format!("!GetAtt {queue}.Arn"), format!("!GetAtt {queue}Dead.Arn"));
        let counts = statement("CountJobsAndDeadLetters");
        assert!(counts.contains(&live) && counts.contains(&dead), "{counts}");
        let (takes, sends) = (statement("TakeDeadLetters"), statement("QueueThemAgain"));
        assert!(takes.contains(&dead) && !takes.contains(&live), "{takes}");
        assert!(sends.contains(&live) && !sends.contains(&dead), "{sends}");
        let (name, dead) = (queue.to_uppercase(), format!("{queue}Dead"));
        assert!(console.contains(&format!("{name}_QUEUE_URL: !Ref {queue}\n")), "{queue}");
        assert!(console.contains(&format!("{name}_DEAD_QUEUE_URL: !Ref {dead}\n")), "{queue}");
    }
    assert_eq!((arns("CountJobs"), arns("TakeDead"), arns("QueueThem")), (8, 4, 4));
    assert_eq!(console.matches("sqs:ReceiveMessage").count(), 1);
    assert!(statement("ReadTallies").contains("Action: dynamodb:Query\n"), "it reads them and no more");
}

fn writes_more_than_updates(text: &str) -> bool {
    ["PutItem", "DeleteItem", "BatchWriteItem"].iter().any(|action| text.contains(action))
}

/// The sources of everything that is deployed or run, in one text.
fn sources() -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut dirs: Vec<_> = ["shared/src", "functions", "infra/src"].map(|dir| root.join(dir)).into();
    let mut text = String::new();
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(path).expect("a source"));
            }
        }
    }
    text
}

#[test]
fn signed_change_one_place_in_the_code_writes_the_pointer() {
    let sources = sources();
    let named = |before: &str| sources.matches(&format!("{before}&keys::live(")).count();
    let (created, checked, read) =
        (named("create(self, Part::Live, "), named("check(self, Part::Live, "), named("get("));
    assert_eq!(created, 1, "the first installation");
    let in_the_batch_of_a_turn = 1;
    let all = sources.matches("keys::live(").count();
    assert_eq!(all, created + checked + read + in_the_batch_of_a_turn, "no other way to name it");
    assert_eq!(sources.matches("\"LIVE#").count(), 1, "keys.rs builds it");
}

#[test]
fn bounds_the_api_takes_so_many_requests_in_a_second() {
    let stage = resource("ApiStage");
    for (limit, parameter) in
        [("ThrottlingRateLimit", "RequestsPerSecond"), ("ThrottlingBurstLimit", "RequestsInBurst")]
    {
        assert!(stage.contains(&format!("{limit}: !Ref {parameter}\n")), "{stage}");
        assert!(TEMPLATE.contains(&format!("\n  {parameter}:\n    Type: Number\n")), "{parameter}");
    }
}
