//! What a prompt says, line by line, and the values in it.

/// Words that start with a capital without being a name.
const ORDINARY: [&str; 12] =
    ["I", "I'm", "I'd", "I'll", "I've", "Hi", "Hello", "The", "A", "Language", "Said", "English"];
/// Characters that a label before a colon has at most.
const LABEL: usize = 48;

/// A line of what was said, without its label.
pub(super) struct Line<'a> {
    /// The number of the message that it belongs to, where the prompt tells one.
    pub(super) number: Option<u64>,
    pub(super) text: &'a str,
}

/// What the product says around the words of others.
const FRAME: [&str; 9] =
    ["# ", "<data ", "</data ", "None yet.", "None:", "None match.", "Nothing.", "Covers messages ", "Now: "];
/// What follows is about the last answer and says nothing new.
const CORRECTIONS: &str = "# Your last answer was refused";

/// What was said, line by line: messages stand below their labels (`[mark #12 customer, …]`) or behind them
/// (`[12] customer: …`).
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let said = text.split(CORRECTIONS).next().unwrap_or(text);
    let mut lines = Vec::new();
    let mut message = None;
    for line in said.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if FRAME.iter().any(|frame| line.starts_with(frame)) {
            message = None;
        } else if let Some(number) = label(line) {
            message = Some(number);
        } else {
            lines.push(behind_label(line).unwrap_or(Line { number: message, text: line }));
        }
    }
    lines
}

/// The number in `[mark #12 customer, web chat, 2026-12-01 00:10 UTC]`.
fn label(line: &str) -> Option<u64> {
    let (_, rest) = line.strip_prefix('[')?.strip_suffix(']')?.split_once(" #")?;
    rest.split(' ').next()?.parse().ok()
}

fn behind_label(line: &str) -> Option<Line<'_>> {
    let number = number(line)?;
    let (label, text) = line.split_once(": ")?;
    (label.chars().count() <= LABEL).then_some(Line { number: Some(number), text })
}

/// The number at the start of `[12] …`, `#12 …` or `12. …`.
fn number(line: &str) -> Option<u64> {
    let bare = line.trim_start_matches(['[', '#']);
    let digits: String = bare.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
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
pub(super) fn values(lines: &[Line<'_>]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in lines.iter().flat_map(|line| values_of(line.text)) {
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
