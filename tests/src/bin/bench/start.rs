//! How large the functions are, and how long they take from process start to the first `next` call, beside a bare
//! function.

use crate::table::{Row, median};
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const STARTS: usize = 15;

pub(crate) fn rows(binaries: &Path) -> Result<Vec<Row>> {
    let mut rows = vec![];
    for name in ["reply", "summarizer", "retainer", "notifier", "eraser", "console"] {
        rows.push(
            Row::new(format!("zip of {name}"), zip_megabytes(&binaries.join(name))?, "MB").at_most(6.0),
        );
    }
    for name in ["bare-function", "reply", "summarizer", "retainer", "notifier", "eraser", "console"] {
        let binary = binaries.join(name);
        let times = (0..STARTS).map(|_| start_millis(&binary)).collect::<Result<Vec<_>>>()?;
        rows.push(Row::new(format!("start of {name} to its first next call"), median(times), "ms"));
        match start_instructions(&binary) {
            Ok(instructions) => {
                rows.push(Row::new(format!("instructions of that, {name}"), instructions, "million"));
            }
            Err(error) => println!("instructions of {name} were not counted: {error:#}"),
        }
    }
    Ok(rows)
}

/// The binary deflated, as a zip holds it.
fn zip_megabytes(binary: &Path) -> Result<f64> {
    let bytes = std::fs::read(binary).with_context(|| format!("{} is not built", binary.display()))?;
    let mut encoder = DeflateEncoder::new(vec![], Compression::default());
    encoder.write_all(&bytes)?;
    Ok(encoder.finish()?.len() as f64 / 1_000_000.0)
}

fn start_millis(binary: &Path) -> Result<f64> {
    let runtime = TcpListener::bind("127.0.0.1:0")?;
    let started = Instant::now();
    let mut function = function(Command::new(binary), &runtime)?;
    wait_for_next(&runtime)?;
    let took = started.elapsed().as_secs_f64() * 1_000.0;
    end(&mut function)?;
    Ok(took)
}

/// Instructions in user space, counted by valgrind: the same whatever else the machine does.
fn start_instructions(binary: &Path) -> Result<f64> {
    let runtime = TcpListener::bind("127.0.0.1:0")?;
    let counts = counts_file(binary)?;
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", counts.display())).arg(binary);
    let mut function = function(command, &runtime)?;
    wait_for_next(&runtime)?;
    interrupt(&function)?;
    function.wait()?;
    let counted = std::fs::read_to_string(&counts).context("valgrind left no counts")?;
    std::fs::remove_file(&counts)?;
    let total = counted.lines().find_map(|line| line.strip_prefix("totals: ")).context("no totals")?;
    Ok(total.trim().parse::<f64>().context("unreadable totals")? / 1_000_000.0)
}

fn counts_file(binary: &Path) -> Result<PathBuf> {
    let name = binary.file_name().context("a binary has a name")?.to_string_lossy().into_owned();
    Ok(std::env::temp_dir().join(format!("{name}-{}.callgrind", std::process::id())))
}

fn function(mut command: Command, runtime: &TcpListener) -> Result<Child> {
    let environment = [
        ("AWS_LAMBDA_FUNCTION_NAME", "bench"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "bench"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("TABLE", "carryover"),
        ("TURNS_QUEUE_URL", "http://127.0.0.1/turns"),
        ("FOLDS_QUEUE_URL", "http://127.0.0.1/folds"),
        ("RETENTION_QUEUE_URL", "http://127.0.0.1/retention"),
        ("NOTIFICATIONS_QUEUE_URL", "http://127.0.0.1/notifications"),
        ("EVENT_BUS", "carryover"),
        ("CHAT_SECRET", "0123456789abcdef0123456789abcdef"),
        ("API_TOKEN", "0123456789abcdef0123456789abcdef"),
        ("DOOR", "door"),
        ("CONSOLE_URL", "http://127.0.0.1"),
        ("SESSION_SECRET", "0123456789abcdef0123456789abcdef"),
        ("OIDC_ISSUER", "http://127.0.0.1"),
        ("OIDC_CLIENT_ID", "console"),
        ("OIDC_AUTHORIZE_URL", "http://127.0.0.1/authorize"),
        ("OIDC_TOKEN_URL", "http://127.0.0.1/token"),
        ("OIDC_JWKS_URL", "http://127.0.0.1/jwks.json"),
        ("OIDC_LOGOUT_URL", "http://127.0.0.1/logout"),
    ];
    let address = runtime.local_addr()?.to_string();
    let command = command.env_clear().envs(environment).env("AWS_LAMBDA_RUNTIME_API", address);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("the function does not start")
}

/// Waits until the function asks for its first event.
fn wait_for_next(runtime: &TcpListener) -> Result<()> {
    loop {
        let (mut connection, _) = runtime.accept()?;
        let mut request = [0; 1024];
        let read = connection.read(&mut request)?;
        if String::from_utf8_lossy(request.get(..read).unwrap_or_default()).contains("/invocation/next") {
            return Ok(());
        }
    }
}

fn interrupt(function: &Child) -> Result<()> {
    let pid = rustix::process::Pid::from_child(function);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).context("the function is gone")
}

fn end(function: &mut Child) -> Result<()> {
    function.kill()?;
    function.wait()?;
    Ok(())
}
