//! Which processes belong to a stack, read from `/proc`.

use std::path::Path;

/// The processes whose command line or environment names `dir`; zombies have neither.
///
/// # Panics
/// There is no `/proc`.
pub fn of(dir: &Path) -> Vec<u32> {
    let needle = dir.to_str().expect("a path in UTF-8").as_bytes();
    let entries = std::fs::read_dir("/proc").expect("/proc can be read");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mine = std::process::id();
    pids.filter(|pid| *pid != mine && names(*pid, needle)).collect()
}

fn names(pid: u32, needle: &[u8]) -> bool {
    let contains = |file: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        // A longer name that begins alike is another directory.
        let ends =
            |at: usize| bytes.get(at).is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'-');
        bytes.windows(needle.len()).enumerate().any(|(at, found)| found == needle && ends(at + needle.len()))
    };
    contains("cmdline") || contains("environ")
}
