//! What a prompt says, line by line, and the values in it.

/// Words that start with a capital without being a name.
const ORDINARY: [&str; 12] =
    ["I", "I'm", "I'd", "I'll", "I've", "Hi", "Hello", "The", "A", "Language", "Said", "English"];
/// Characters that a label before a colon has at most.
const LABEL: usize = 48;

/// What the product says around the words of others.
const FRAME: [&str; 10] = [
    "# ",
    "<data ",
    "</data ",
    "None yet.",
    "None:",
    "None match.",
    "None.",
    "Nothing.",
    "Covers messages ",
    "Now: ",
];
/// What follows is about the last answer and says nothing new.
const CORRECTIONS: &str = "# Your last answer was refused";

/// What was said, line by line: messages stand between their labels (`[mark #12 customer, …]`) and their ends
/// (`[/mark #12]`), or behind their labels (`[12] customer: …`).
pub(super) fn lines(text: &str) -> Vec<&str> {
    let said = text.split(CORRECTIONS).next().unwrap_or(text);
    said.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_label(line))
        .filter(|line| !FRAME.iter().any(|frame| line.starts_with(frame)))
        .map(|line| behind_label(line).unwrap_or(line))
        .collect()
}

/// `[mark #12 customer, web chat, 2026-12-01 00:10 UTC]` or `[/mark #12]`.
fn is_label(line: &str) -> bool {
    let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let seq = inner.and_then(|inner| inner.split_once(" #")).and_then(|(_, rest)| rest.split(' ').next());
    seq.is_some_and(|seq| seq.parse::<u64>().is_ok())
}

/// What stands behind `[12] customer: `, `#12 customer: ` or `12. customer: `.
fn behind_label(line: &str) -> Option<&str> {
    let is_numbered = line.trim_start_matches(['[', '#']).starts_with(|first: char| first.is_ascii_digit());
    let (label, text) = line.split_once(": ").filter(|_| is_numbered)?;
    (label.chars().count() <= LABEL).then_some(text)
}

pub(super) fn sentences(text: &str) -> Vec<&str> {
    let ends = text.match_indices(['.', '?', '!']).map(|(at, mark)| at + mark.len());
    let ends =
        ends.filter(|&end| text.get(end..).is_none_or(|rest| rest.is_empty() || rest.starts_with(' ')));
    let mut cuts: Vec<usize> = std::iter::once(0).chain(ends).chain([text.len()]).collect();
    cuts.dedup();
    let pieces = cuts.windows(2).filter_map(|cut| text.get(cut[0]..cut[1])).map(str::trim);
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Ids, amounts, dates, times, addresses, numbers and names, in order, each once.
pub(super) fn values(lines: &[&str]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in lines.iter().flat_map(|line| values_of(line)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// Neighbouring words that tell something make one value: `3 Dec 2026`, `+1 555 0100`, `Ana Souza`.
fn values_of(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut starts_sentence = true;
    for word in text.split_whitespace() {
        let bare = trimmed(word);
        let tells = bare.contains(|c: char| c.is_ascii_digit() || c == '@') || is_name(bare);
        if tells {
            run.push(bare);
        }
        let ends = !tells || word.ends_with([',', ';', '.', ':', '!', '?', ')']);
        if ends && !run.is_empty() {
            // A capital at the start of a sentence says nothing, unless a value follows.
            let opens = starts_sentence && run.len() == 1 && is_name(run[0]);
            values.extend((!opens).then(|| run.join(" ")));
            run.clear();
        }
        starts_sentence = word.ends_with(['.', '!', '?']) || (starts_sentence && tells && !ends);
    }
    values.extend((!run.is_empty()).then(|| run.join(" ")));
    values
}

fn trimmed(word: &str) -> &str {
    let start = word.trim_start_matches(|c: char| !c.is_alphanumeric() && !"#+€$£@".contains(c));
    start.trim_end_matches(|c: char| !c.is_alphanumeric() && !"€$£%".contains(c))
}

fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && !ORDINARY.contains(&word)
}
