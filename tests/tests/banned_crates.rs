//! A function links one TLS stack, one crypto provider and one HTTP stack.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const FUNCTIONS: [&str; 6] = ["reply", "summarizer", "retainer", "notifier", "eraser", "console"];
const BANNED: [(&str, &str); 5] =
    [("aws-lc-sys", ""), ("openssl-sys", ""), ("native-tls", ""), ("hyper", "0.14."), ("rustls", "0.21.")];

#[test]
fn no_function_links_a_second_tls_or_http_stack() {
    let metadata = metadata();
    for function in FUNCTIONS {
        let linked = linked_into(function, &metadata);
        let has = |name: &str, version: &str| {
            linked.iter().any(|(linked, found)| linked == name && found.starts_with(version))
        };
        assert!(has("lambda_runtime", "1."), "the graph of {function} is not what it seems: {linked:?}");
        for (name, version) in BANNED {
            assert!(!has(name, version), "{function} links {name} {version}");
        }
    }
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("metadata in JSON")
}

/// Names and versions of everything that normal dependencies reach from a package.
fn linked_into(package: &str, metadata: &Value) -> BTreeSet<(String, String)> {
    let packages: BTreeMap<&str, &Value> = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let is_root = |(_, found): &(&&str, &&Value)| found["name"] == package && found["source"].is_null();
    let (root, _) = packages.iter().find(is_root).expect("a package of the workspace");
    let mut reached = BTreeSet::from([*root]);
    let mut waiting = vec![*root];
    while let Some(id) = waiting.pop() {
        waiting.extend(normal_dependencies(nodes[id]).filter(|id| reached.insert(id)));
    }
    reached.into_iter().map(|id| (text(&packages[id]["name"]), text(&packages[id]["version"]))).collect()
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    let items = list.as_array().expect("a list").iter();
    items.map(|item| (item["id"].as_str().expect("an id"), item)).collect()
}

fn normal_dependencies(node: &Value) -> impl Iterator<Item = &str> {
    let dependencies = node["deps"].as_array().expect("dependencies").iter();
    let normal = dependencies.filter(|dependency| {
        dependency["dep_kinds"].as_array().expect("kinds").iter().any(|kind| kind["kind"].is_null())
    });
    normal.map(|dependency| dependency["pkg"].as_str().expect("an id"))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
