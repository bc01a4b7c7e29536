use super::*;
use proptest::prelude::*;
use secrecy::ExposeSecret;
use serde_json::json;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn whole() -> Value {
    json!({
        "teams": {
            "billing": {"webhook": "https://example.com/hook", "secret": SECRET},
            "front": {"slack": "https://hooks.slack.com/services/T/B/x"},
            "lead": {"email": "lead@example.com"},
        },
        "routes": {
            "policy_restriction": {"team": "billing", "priority": "high", "take_minutes": 15, "then": ["lead"]},
            "default": {"team": "front"},
        },
    })
}

/// The whole with one place set to a value, given as a JSON pointer to an object and a field of it.
fn with(object: &str, field: &str, value: Value) -> Value {
    let mut whole = whole();
    let place = whole.pointer_mut(object).and_then(Value::as_object_mut).expect("an object");
    place.insert(field.into(), value);
    whole
}

fn refused(given: &Value) -> String {
    Routing::parse(&given.to_string()).expect_err("it is wrong").to_string()
}

#[test]
fn each_category_has_its_route_or_the_default_one() {
    let routing = Routing::parse(&whole().to_string()).unwrap();
    let route = routing.route(Category::PolicyRestriction).unwrap();
    assert_eq!((route.team.as_str(), route.priority), ("billing", Priority::High));
    let teams: Vec<_> = (0..3).map(|step| route.team_at(step)).collect();
    assert_eq!(teams, [Some("billing"), Some("lead"), None]);
    let route = routing.route(Category::UpsetCustomer).unwrap();
    assert_eq!((route.team.as_str(), route.priority, route.take), ("front", Priority::Normal, None));
    let Some(Target::Webhook { url, secret }) = routing.target("billing") else { panic!("a webhook") };
    assert_eq!((url.as_str(), secret.expose_secret().len()), ("https://example.com/hook", 24));
}

#[test]
fn each_team_has_its_time_one_after_the_other() {
    let routing = Routing::parse(&whole().to_string()).unwrap();
    let route = routing.route(Category::PolicyRestriction).unwrap();
    let opened = Timestamp::from_millis(0);
    assert_eq!(route.due(opened, 0), Some(Timestamp::from_millis(15 * 60_000)));
    assert_eq!(route.due(opened, 1), Some(Timestamp::from_millis(30 * 60_000)));
    assert_eq!(routing.route(Category::UpsetCustomer).unwrap().due(opened, 0), None);
}

#[test]
fn an_empty_routing_tells_nobody() {
    for empty in ["{}", r#"{"teams": {}, "routes": {}}"#] {
        let routing = Routing::parse(empty).unwrap();
        assert!(Category::ALL.into_iter().all(|category| routing.route(category).is_none()));
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_its_bound() {
    let team = "/teams/billing";
    let route = "/routes/policy_restriction";
    let cases = [
        (json!([]), "it must be an object"),
        (with("", "sender", json!("x")), "sender is unknown"),
        (with("", "teams", json!([])), "teams must be an object"),
        (
            with("/teams", "", json!({"email": "a@b.c"})),
            "teams must have names of 1 to 40 characters in one line",
        ),
        (
            with("/teams", &"x".repeat(41), json!({})),
            "teams must have names of 1 to 40 characters in one line",
        ),
        (
            with("/teams", "x", json!({})),
            "teams.x must have `webhook` with its `secret`, or `slack`, or `email`",
        ),
        (with(team, "slack", json!("https://x")), "teams.billing must have `webhook` with its `secret`"),
        (with(team, "url", json!("https://x")), "teams.billing.url is unknown"),
        (with(team, "webhook", json!(7)), "teams.billing.webhook must be a text"),
        (with(team, "webhook", json!("ftp://x")), "teams.billing.webhook must be an http or https URL"),
        (
            with(team, "webhook", json!("file:///etc/passwd")),
            "teams.billing.webhook must be an http or https URL",
        ),
        (with(team, "webhook", json!(format!("https://x/{}", "y".repeat(1_000)))), "at most 1000 characters"),
        (
            with(team, "secret", json!("secret")),
            "teams.billing.secret must be `whsec_` and 24 to 64 bytes in base64",
        ),
        (
            with(team, "secret", json!("whsec_AAAA")),
            "teams.billing.secret must be `whsec_` and 24 to 64 bytes",
        ),
        (with("/teams/lead", "email", json!("Lead <a@b.c>")), "teams.lead.email must be an e-mail address"),
        (with("/routes", "angry", json!({"team": "lead"})), "routes.angry is no category, nor `default`"),
        (with("/routes", "default", json!({})), "routes.default.team is missing"),
        (
            with(route, "team", json!("nobody")),
            "routes.policy_restriction.team names a team that is not among `teams`",
        ),
        (with(route, "then", json!(["nobody"])), "routes.policy_restriction.then names a team"),
        (
            with(route, "then", json!(["lead", "lead", "lead", "lead", "lead", "lead"])),
            "a list of at most 5 teams",
        ),
        (
            with(route, "take_minutes", json!(0)),
            "routes.policy_restriction.take_minutes must be a number from 1 to 1440",
        ),
        (with(route, "take_minutes", json!(1_441)), "must be a number from 1 to 1440"),
        (
            with(route, "priority", json!("asap")),
            "routes.policy_restriction.priority must be `low`, `normal`",
        ),
        (with(route, "colour", json!("red")), "routes.policy_restriction.colour is unknown"),
        (
            with("/routes/default", "then", json!(["lead"])),
            "routes.default.take_minutes is missing: `then` needs it",
        ),
    ];
    for (given, problem) in cases {
        let refused = refused(&given);
        assert!(refused.contains(problem), "{problem:?}: {refused}");
    }
    let many: Map<_, _> = (0..=TEAMS).map(|n| (n.to_string(), json!({"email": "a@b.c"}))).collect();
    assert_eq!(refused(&json!({"teams": many})), "teams must have at most 20; it has 21");
    assert_eq!(Routing::parse("{").unwrap_err().to_string(), "it must be JSON (line 1, column 1)");
    let long = Routing::parse(&" ".repeat(ROUTING_BYTES + 1)).unwrap_err().to_string();
    assert_eq!(long, "it must have at most 2500 bytes; it has 2501");
}

#[test]
fn quiet_logs_neither_debug_nor_an_error_shows_an_address_or_a_secret() {
    let shown = format!("{:?}", Routing::parse(&whole().to_string()).unwrap());
    for hidden in ["example.com", "hooks.slack.com", "MfKQ9r8", "77, "] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
    let misplaced = [
        with("/teams", "x", json!(SECRET)),
        with("/teams/billing", "secret", json!(format!("{SECRET}!"))),
        with("/routes/default", "priority", json!(SECRET)),
        with("/routes/default", "then", json!(SECRET)),
    ];
    for given in misplaced {
        assert!(!refused(&given).contains("MfKQ9r8"), "{}", refused(&given));
    }
}

#[test]
fn an_address_is_one_address() {
    for good in ["a@b.c", "support+cases@mail.example.com"] {
        assert!(is_email(good), "{good}");
    }
    let long = format!("{}@b.c", "a".repeat(EMAIL_CHARS));
    for bad in [
        "",
        "a",
        "@b.c",
        "a@",
        "a@b",
        "a@b.",
        "a b@c.d",
        "a@b.c,d@e.f",
        "a@b.c\nBcc: x@y.z",
        "a@b@c.d",
        &long,
    ] {
        assert!(!is_email(bad), "{bad}");
    }
}

proptest! {
    /// *bounds*: whatever stands there, it is read or refused.
    #[test]
    fn nothing_makes_it_panic(text in ".{0,200}", field in "[a-z_]{1,12}", n in any::<i64>()) {
        let _ = Routing::parse(&text);
        for object in ["", "/teams", "/teams/billing", "/routes", "/routes/default"] {
            for value in [json!(text), json!(n), json!([text]), json!({ (field.clone()): text }), Value::Null] {
                let _ = Routing::parse(&with(object, &field, value).to_string());
            }
        }
    }
}
