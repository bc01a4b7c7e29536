//! The model client against a real llama.cpp server, because only a real one truncates and overflows as
//! real ones do. The model is tiny: this says nothing about the quality of answers.
//!
//! `tests/llama/setup.sh` installs what it needs; `LLAMA_URL` (ends in `/v1`) names a server that runs.

use anyhow::{Context, Result};
use carryover_shared::model::{ModelClient, ModelConfig};
use carryover_shared::time::Timestamp;
use carryover_shared::traits::{Clock, Model, ModelError, Question, Role};
use futures::future::BoxFuture;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use ulid::Ulid;

/// Loading takes five seconds and an answer two, on an idle machine.
const PATIENCE: Duration = Duration::from_secs(300);

struct WallClock(Instant);

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0) + self.0.elapsed()
    }

    fn ulid(&self) -> Ulid {
        Ulid::nil()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

/// A server's address and, where this test started it, its process, which ends with its standard input.
struct Llama {
    url: String,
    _process: Option<Child>,
}

impl Llama {
    async fn start() -> Result<Self> {
        if let Ok(url) = std::env::var("LLAMA_URL") {
            return Ok(Self { url, _process: None });
        }
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let home = checkout.join("target/local/llama");
        let mut process = Command::new(home.join("venv/bin/python"))
            .arg(checkout.join("tests/llama/serve.py"))
            .arg(home.join("model.gguf"))
            .arg(free_port()?.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("llama.cpp is not installed: run tests/llama/setup.sh")?;
        let output = process.stdout.take().context("no output")?;
        let address = BufReader::new(output).lines().next_line().await?;
        let address = address.context("the server ended before it listened")?;
        Ok(Self { url: format!("{address}/v1"), _process: Some(process) })
    }

    async fn ask(&self, path: &str, user: &str) -> Result<ModelError> {
        let url = format!("{}{path}", self.url);
        let config = ModelConfig::from_env(|name| match name {
            "MODEL_URL" => Some(url.clone()),
            "REPLY_MODEL" => Some("local".to_owned()),
            _ => None,
        })?;
        let client = ModelClient::new(config.context("no model")?, Arc::new(WallClock(Instant::now())))?;
        client.ask(&question(user), PATIENCE).await.answer.err().context("fifteen tokens were enough")
    }
}

fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn question(user: &str) -> Question {
    let string = json!({"type": "string"});
    Question {
        role: Role::Reply,
        system: "Reply in JSON.".into(),
        user: user.into(),
        schema_name: "reply",
        schema: json!({
            "type": "object", "additionalProperties": false, "required": ["reply", "category", "reason", "action"],
            "properties": {"reply": string, "category": string, "reason": string, "action": string},
        }),
        max_tokens: 15,
    }
}

#[tokio::test]
async fn a_real_server_cuts_off_overflows_and_refuses() -> Result<()> {
    let llama = tokio::time::timeout(PATIENCE, Llama::start()).await??;
    assert_eq!(llama.ask("", "The keypad blinks red.").await?, ModelError::CutOff);
    let long = "The keypad blinks red. ".repeat(200);
    assert_eq!(llama.ask("", &long).await?, ModelError::ContextOverflow);
    assert_eq!(llama.ask("/nowhere/v1", "Hello?").await?, ModelError::Rejected { status: 404 });
    Ok(())
}
