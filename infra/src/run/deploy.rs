//! Deploys `template.yaml` to the emulator, as `sam deploy` does to AWS.

use super::build;
use super::secrets::Secrets;
use super::settings::Settings;
use crate::checkout::{Checkout, LocalDir};
use crate::outputs::Outputs;
use anyhow::{Context, Result, bail};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

const STACK: &str = "carryover";

/// The outputs of the template.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Deployment {
    api_url: String,
    table_name: String,
    turns_queue_url: String,
    turns_dead_queue_url: String,
    folds_queue_url: String,
    folds_dead_queue_url: String,
    retention_queue_url: String,
    retention_dead_queue_url: String,
    notifications_queue_url: String,
    notifications_dead_queue_url: String,
    user_pool_id: String,
    user_pool_client_id: String,
}

impl Deployment {
    /// The host name by which the emulator routes to the API.
    pub(super) fn api_host(&self) -> &str {
        self.api_url.trim_start_matches("http://")
    }

    /// What the world needs to know.
    pub(super) fn outputs(
        self,
        api_url: String,
        endpoint: &str,
        settings: &Settings,
        secrets: Secrets,
    ) -> Outputs {
        let queues = [
            ("turns", self.turns_queue_url),
            ("turns-dead", self.turns_dead_queue_url),
            ("folds", self.folds_queue_url),
            ("folds-dead", self.folds_dead_queue_url),
            ("retention", self.retention_queue_url),
            ("retention-dead", self.retention_dead_queue_url),
            ("notifications", self.notifications_queue_url),
            ("notifications-dead", self.notifications_dead_queue_url),
        ];
        Outputs {
            api_url,
            endpoint: endpoint.to_owned(),
            table: self.table_name,
            queues: queues.into_iter().map(|(name, url)| (name.to_owned(), url)).collect(),
            hindsight_url: settings.hindsight_url().map(str::to_owned),
            index_bucket: settings.index_bucket().map(str::to_owned),
            chat_secret: secrets.chat_secret,
            api_token: secrets.api_token,
            user_pool_id: self.user_pool_id,
            user_pool_client_id: self.user_pool_client_id,
            operators: secrets.operators,
        }
    }
}

/// Creates or updates the stack, which browsers reach at `api_url`, and lets its operators in; nothing happens where
/// nothing changed.
pub(super) async fn deploy(
    checkout: &Checkout,
    local: &LocalDir,
    settings: &Settings,
    secrets: &Secrets,
    endpoint: &str,
    api_url: &str,
) -> Result<Deployment> {
    let request = json!({
        "endpoint": endpoint,
        "stack": STACK,
        "template": checkout.template(),
        "artifacts": local.artifacts(),
        "binaries": build::binaries()?.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "parameters": parameters(settings, secrets, endpoint, api_url),
        "operators": secrets.operators,
    });
    let printed = run_script(checkout, &request).await?;
    serde_json::from_str(&printed)
        .with_context(|| format!("the outputs of the stack are incomplete: {printed}"))
}

fn parameters(settings: &Settings, secrets: &Secrets, endpoint: &str, api_url: &str) -> Map<String, Value> {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x86_64" };
    let mut parameters = settings.parameters();
    parameters.insert("Architecture".into(), architecture.into());
    parameters.insert("AwsEndpointUrl".into(), endpoint.into());
    parameters.insert("ChatSecret".into(), secrets.chat_secret.expose_secret().into());
    parameters.insert("ApiToken".into(), secrets.api_token.expose_secret().into());
    parameters.insert("SessionSecret".into(), secrets.session_secret.expose_secret().into());
    parameters.insert("ConsoleUrl".into(), api_url.into());
    parameters.insert("SignInUrl".into(), endpoint.into());
    parameters
}

/// The request goes through standard input, because arguments can be read by everyone on the machine.
async fn run_script(checkout: &Checkout, request: &Value) -> Result<String> {
    let mut script = Command::new(checkout.python())
        .arg(checkout.script("deploy.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} could not be started: run `make run`", checkout.python().display()))?;
    let mut input = script.stdin.take().context("the deployment has no standard input")?;
    input.write_all(request.to_string().as_bytes()).await?;
    drop(input);
    let output = script.wait_with_output().await?;
    if !output.status.success() {
        bail!("template.yaml could not be deployed");
    }
    Ok(String::from_utf8(output.stdout)?)
}
