//! The model client against a server that is told how to misbehave.

use carryover_shared::model::{ModelClient, ModelConfig, NoModel};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::{Asked, Clock, Model, ModelError, Question, Role};
use carryover_tests::scripted_model::{Rule, ScriptedModel, Then};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use ulid::Ulid;

/// Far more than any of these tests needs.
const BUDGET: Duration = Duration::from_secs(3_000);

/// A clock that runs fifty times as fast, so that tests do not wait for backoff.
struct FastClock(Instant);

const SPEED: u32 = 50;

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0) + self.0.elapsed() * SPEED
    }

    fn ulid(&self) -> Ulid {
        Ulid::nil()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration / SPEED))
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

fn client(url: &str, key: &str) -> ModelClient {
    let config = ModelConfig::from_env(|name| {
        let value = match name {
            "MODEL_URL" => url,
            "MODEL_API_KEY" => key,
            "REPLY_MODEL" => "big",
            "SUMMARY_MODEL" => "small",
            _ => return None,
        };
        Some(value.to_owned())
    });
    let config = config.expect("a good configuration").expect("a model is configured");
    ModelClient::new(config, Arc::new(FastClock(Instant::now()))).expect("a client")
}

fn question() -> Question {
    Question {
        role: Role::Reply,
        system: "Be kind.".into(),
        user: "Where is my order?".into(),
        schema_name: "reply",
        schema: json!({"type": "object", "properties": {"reply": {"type": "string"}}}),
        max_tokens: 100,
    }
}

/// Asks a fresh server that first does `then` so many `times` and afterwards answers well.
async fn ask(times: u32, then: Then) -> (Asked, ScriptedModel) {
    let model = ScriptedModel::start().await.expect("a server");
    let good = Rule::when(&["order"]).then(Then::reply("On its way."));
    for rule in [good, Rule::when(&["order"]).times(times).then(then)] {
        model.add(&rule).await.expect("a rule");
    }
    let asked = client(&model.url(), "").ask(&question(), BUDGET).await;
    (asked, model)
}

async fn error_of(then: Then) -> (ModelError, u32) {
    let (asked, _) = ask(100, then).await;
    (asked.answer.expect_err("no answer"), asked.calls)
}

#[tokio::test]
async fn an_answer_costs_one_call_and_names_its_model() {
    let (asked, model) = ask(0, Then::hang()).await;
    let answer = asked.answer.unwrap();
    assert_eq!((asked.calls, answer.model.as_str()), (1, "big"));
    assert_eq!(answer.object["reply"], "On its way.");
    assert!(answer.prompt_tokens > 0 && answer.completion_tokens > 0);
    let seen = model.requests(&["order"]).await.unwrap();
    assert_eq!((seen[0].model.as_str(), seen[0].schema.as_str()), ("big", "reply"));
    assert_eq!((seen[0].content("system"), seen[0].content("user")), ("Be kind.", "Where is my order?"));
}

#[tokio::test]
async fn each_role_asks_its_own_model() {
    let model = ScriptedModel::start().await.unwrap();
    let question = Question { role: Role::Summary, ..question() };
    let answer = client(&model.url(), "").ask(&question, BUDGET).await.answer.unwrap();
    assert_eq!(answer.model, "small");
}

#[tokio::test]
async fn overload_is_asked_again_until_it_passes() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    for then in [
        Then::status(429),
        Then::status(500),
        Then::status(503),
        Then::status(529),
        Then::raw(529, overloaded.clone()),
        Then::raw(200, overloaded),
        Then::raw(502, json!("<html>Bad gateway</html>")),
        Then::Status { status: 429, body: Value::Null, retry_after: Some(5) },
        Then::drop_connection(),
    ] {
        let shown = format!("{then:?}");
        let (asked, model) = ask(2, then).await;
        assert!(asked.answer.is_ok(), "{shown}: {:?}", asked.answer);
        assert_eq!(asked.calls, 3, "{shown}");
        assert_eq!(model.requests(&["order"]).await.unwrap().len(), 3, "{shown}");
    }
}

#[tokio::test]
async fn overload_that_does_not_pass_ends_after_a_few_calls() {
    assert_eq!(error_of(Then::status(529)).await, (ModelError::Overloaded { status: 529 }, 5));
    assert_eq!(
        error_of(Then::raw(200, json!({"error": "busy"}))).await,
        (ModelError::Overloaded { status: 200 }, 5)
    );
    assert_eq!(error_of(Then::drop_connection()).await, (ModelError::Unreachable, 5));
}

#[tokio::test]
async fn a_wait_that_does_not_fit_the_budget_is_not_waited() {
    let later = Then::Status { status: 429, body: Value::Null, retry_after: Some(100_000) };
    assert_eq!(error_of(later).await, (ModelError::Overloaded { status: 429 }, 1));
}

#[tokio::test]
async fn what_is_refused_is_not_asked_again() {
    for status in [400, 401, 403, 404, 413, 422, 501] {
        assert_eq!(error_of(Then::status(status)).await, (ModelError::Rejected { status }, 1));
    }
    let overflow = json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 4096}});
    assert_eq!(error_of(Then::raw(400, overflow)).await, (ModelError::ContextOverflow, 1));
}

#[tokio::test]
async fn what_a_model_says_is_the_callers_to_judge() {
    let refusal = Then::Refusal { refusal: "I can't.".into() };
    let filtered = Then::Finish { finish_reason: "content_filter".into(), content: None };
    assert_eq!(error_of(Then::cut("{\"action\": \"re")).await, (ModelError::CutOff, 1));
    assert_eq!(error_of(filtered).await, (ModelError::Filtered, 1));
    assert_eq!(error_of(refusal).await, (ModelError::Declined, 1));
    for content in [Value::Null, json!(""), json!("null"), json!("Sorry, what?")] {
        assert_eq!(error_of(Then::Content { content }).await, (ModelError::Unreadable, 1));
    }
    assert_eq!(error_of(Then::raw(200, json!("<html>"))).await, (ModelError::Unreadable, 1));
    assert_eq!(error_of(Then::raw(200, json!(" ".repeat(2_000_000)))).await, (ModelError::Unreadable, 1));
}

#[tokio::test]
async fn an_object_in_fences_and_prose_is_an_answer() {
    let (asked, _) = ask(1, Then::content("Sure, `here`:\n```json\n{\"reply\": \"`Hi`\"}\n```")).await;
    assert_eq!(asked.answer.unwrap().object["reply"], "`Hi`");
}

#[tokio::test]
async fn a_hang_ends_with_the_budget() {
    let model = ScriptedModel::start().await.unwrap();
    model.add(&Rule::when(&["order"]).then(Then::hang())).await.unwrap();
    let client = client(&model.url(), "");
    let question = question();
    let (asked, seen) = tokio::join!(client.ask(&question, BUDGET / 20), model.wait_for(&["order"], 1));
    assert_eq!((asked.answer, asked.calls), (Err(ModelError::Timeout), 1));
    assert!(!seen.unwrap()[0].answered);
}

#[tokio::test]
async fn without_a_budget_or_a_model_nothing_is_asked() {
    let asked = client("http://127.0.0.1:9/v1", "").ask(&question(), Duration::ZERO).await;
    assert_eq!((asked.answer, asked.calls), (Err(ModelError::Timeout), 0));
    let asked = NoModel.ask(&question(), BUDGET).await;
    assert_eq!((asked.answer, asked.calls), (Err(ModelError::NotConfigured), 0));
}

#[tokio::test]
async fn a_server_that_is_down_is_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(client(&url, "").ask(&question(), BUDGET).await.answer, Err(ModelError::Unreachable));
}

#[tokio::test]
async fn a_parameter_that_a_server_does_not_take_is_left_out_from_then_on() {
    let model = ScriptedModel::start().await.unwrap();
    let objections = [
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "'temperature' does not support 0 with this model.",
        "'response_format.type' must be 'json_object' or 'text'",
    ];
    for message in objections {
        let body = json!({"error": {"message": message}});
        model.add(&Rule::when(&["order"]).times(1).then(Then::raw(400, body))).await.unwrap();
    }
    let client = client(&model.url(), "");
    let asked = client.ask(&question(), BUDGET).await;
    assert_eq!((asked.answer.is_ok(), asked.calls), (true, 4));
    assert_eq!(client.ask(&question(), BUDGET).await.calls, 1);
    let seen = model.requests(&["order"]).await.unwrap();
    let schemas: Vec<&str> = seen.iter().map(|seen| seen.schema.as_str()).collect();
    assert_eq!(schemas, ["reply", "", "", "", ""]);
    assert!(seen[4].content("system").contains("JSON schema"));
}

#[tokio::test]
async fn an_objection_that_was_met_already_is_a_refusal() {
    let body = json!({"error": {"message": "response_format is not supported"}});
    assert_eq!(error_of(Then::raw(400, body)).await, (ModelError::Rejected { status: 400 }, 2));
}

#[tokio::test]
async fn a_debugged_client_does_not_show_its_key() {
    assert!(!format!("{:?}", client("http://127.0.0.1:9/v1", "hunter2")).contains("hunter2"));
}
