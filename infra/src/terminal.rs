//! What a command prints.

use carryover_shared::text;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Prints where somebody still listens; a closed terminal must not keep a run from ending what it started.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Like [`say`], without ending the line.
pub(crate) fn ask(text: &str) {
    let mut stdout = std::io::stdout();
    let _ = write!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// Like [`say`], for what went wrong.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "carryover: {text}");
}

/// A number for people: `12,500`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Text in lines of at most `columns` characters, broken between words where that is possible.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrapped_line(line, columns)).collect()
}

fn wrapped_line(line: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace().flat_map(|word| text::parts(word, columns)) {
        let Some(last) = lines.last_mut() else { continue };
        if !last.is_empty() && text::chars(last) + 1 + text::chars(word) > columns {
            lines.push(word.to_owned());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines
}

/// How far long work has come, on standard error: once a second, or in place where that is a terminal.
pub(crate) struct Progress {
    what: &'static str,
    total: u64,
    said: Instant,
    pause: Duration,
    in_place: bool,
}

impl Progress {
    /// Of `total` things that are called `what`.
    pub(crate) fn of(total: usize, what: &'static str) -> Self {
        let in_place = std::io::stderr().is_terminal();
        let pause = if in_place { Duration::from_millis(100) } else { Duration::from_secs(1) };
        Self { what, total: total as u64, said: Instant::now(), pause, in_place }
    }

    /// So many are done.
    pub(crate) fn at(&mut self, done: u64) {
        if self.said.elapsed() < self.pause && !(self.in_place && done == self.total) {
            return;
        }
        self.said = Instant::now();
        let (start, end) = match self.in_place {
            true if done < self.total => ("\r", ""),
            true => ("\r", "\n"),
            false => ("", "\n"),
        };
        let (done, total) = (grouped(done), grouped(self.total));
        let _ = write!(std::io::stderr(), "{start}{done} of {total} {}{end}", self.what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words_and_never_lost() {
        assert_eq!(wrapped("one two three\n\nfour", 8), ["one two", "three", "", "four"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
