//! What the use cases log, as the functions write it.

use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// The lines that this thread logs from now on.
#[derive(Debug, Clone, Default)]
pub struct Logs {
    written: Arc<Mutex<Vec<u8>>>,
}

impl Logs {
    /// Listens until the guard is dropped.
    pub fn listen() -> (Self, DefaultGuard) {
        let logs = Self::default();
        let lines = tracing_subscriber::fmt().json().flatten_event(true).with_writer(logs.clone());
        let guard = tracing::subscriber::set_default(lines.finish());
        (logs, guard)
    }

    /// Each line so far.
    ///
    /// # Panics
    /// If one is no JSON.
    pub fn lines(&self) -> Vec<Value> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8(written).expect("lines in UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}

impl Write for Logs {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
