//! What a reply model received, read back from its prompt alone: which messages stand there word for word, up to
//! where the history covers, which are announced. Nothing of the code under test is used for it (*coverage*).

use carryover_shared::fence::for_model;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A prompt, read back.
#[derive(Debug, Clone)]
pub struct Received {
    /// The messages that stand there word for word, by number, each with everything between its label and its end.
    pub verbatim: BTreeMap<u64, String>,
    /// Up to where the history says that it covers.
    pub covers: Option<u64>,
    /// What is announced as neither summarised nor shown: how many, from, to.
    pub announced: Option<(u64, u64, u64)>,
    /// What is left without messages and fenced data: our own words.
    pub ours: String,
}

impl Received {
    /// Reads a prompt.
    ///
    /// # Panics
    /// If it is not one of ours.
    pub fn read(system: &str, user: &str) -> Self {
        let mark = mark(system, "Fence marks in this conversation: ");
        let (verbatim, rest) = apart(user, &mark);
        let ours = without_data(&rest, &mark);
        Self { verbatim, covers: covers(&ours), announced: announced(&ours), ours }
    }

    /// What stands there of one message.
    ///
    /// # Panics
    /// If nothing does.
    pub fn shown(&self, seq: u64) -> &str {
        self.verbatim.get(&seq).unwrap_or_else(|| panic!("#{seq} is not shown"))
    }

    /// The oldest message that stands there, or the number after all of them.
    pub fn oldest(&self) -> u64 {
        self.verbatim.keys().next().copied().unwrap_or(u64::MAX)
    }

    /// The newest message that stands there.
    ///
    /// # Panics
    /// If there is none: the newest message is always there (*newest-kept*).
    pub fn newest(&self) -> u64 {
        *self.verbatim.keys().next_back().expect("newest-kept: a prompt shows the newest message")
    }

    /// Below what is shown and announced everything must be covered: up to here.
    pub fn must_be_covered_to(&self) -> u64 {
        self.announced.map_or(self.oldest(), |(_, from, _)| from) - 1
    }

    /// Each message of the log is exactly one of verbatim, covered by one of these `checkpoints`, or announced; and
    /// what stands there is what was said (*coverage*, *newest-kept*).
    ///
    /// `said` gives the whole text of each message; `message_chars` are the limits under which it may have been
    /// admitted and shown.
    ///
    /// # Panics
    /// If it is not so.
    pub fn check_coverage(
        &self,
        said: &BTreeMap<u64, String>,
        checkpoints: &[u64],
        message_chars: &RangeInclusive<usize>,
    ) {
        let (oldest, newest) = (self.oldest(), self.newest());
        assert_eq!(self.verbatim.len() as u64, newest + 1 - oldest, "coverage: a hole in what is shown");
        if let Some((count, from, to)) = self.announced {
            assert_eq!(count, to + 1 - from, "coverage: the announced count");
            assert_eq!(to + 1, oldest, "coverage: what is announced meets what is shown");
        }
        let covered = self.must_be_covered_to();
        assert!(checkpoints.contains(&covered), "coverage: {covered} is no checkpoint: {checkpoints:?}");
        assert!(self.covers.is_none_or(|to| to == covered), "coverage: {:?} and {covered}", self.covers);
        for (seq, shown) in &self.verbatim {
            let whole = said.get(seq).unwrap_or_else(|| panic!("coverage: nobody said #{seq}"));
            check_shown(*seq, shown, whole, message_chars);
        }
    }
}

fn check_shown(seq: u64, shown: &str, whole: &str, message_chars: &RangeInclusive<usize>) {
    let chars = whole.chars().count();
    // The model's copy lacks what nobody sees; the number left out counts it.
    let whole = &for_model(whole).replace('‹', "<");
    let shown = &shown.replace('‹', "<");
    let visible = whole.chars().count();
    let is_cut = shown.contains(" characters left out …]\n");
    if chars <= *message_chars.start() || (chars <= *message_chars.end() && !is_cut) {
        assert_eq!(shown, whole, "newest-kept: #{seq} is not word for word");
        return;
    }
    let (head, rest) = shown.split_once("\n[… ").unwrap_or_else(|| panic!("newest-kept: #{seq}: {shown:?}"));
    let (left_out, tail) = rest.split_once(" characters left out …]\n").expect("newest-kept: a number");
    let left_out: usize = left_out.parse().expect("newest-kept: a number");
    let both = head.chars().count() + tail.chars().count();
    let is_honest = whole.starts_with(head)
        && whole.ends_with(tail)
        && (visible..=chars).contains(&(both + left_out))
        && both <= *message_chars.end();
    assert!(is_honest, "newest-kept: head, number and tail of #{seq}: {shown:?}");
}

/// A question of a fold, read back: what it was given word for word, by number.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The messages that age out.
    pub batch: BTreeMap<u64, String>,
    /// The messages that are new.
    pub fresh: BTreeMap<u64, String>,
    /// Where the batch is one part of a long message: which, of how many.
    pub part: Option<(usize, usize)>,
}

impl Folded {
    /// Reads a question.
    ///
    /// # Panics
    /// If it is not one of ours.
    pub fn read(system: &str, user: &str) -> Self {
        let mark = mark(system, "Fence marks here: ");
        let behind_title = format!(" [{mark}]\n");
        let mut sections = user.split(&behind_title);
        // What stands behind a title ends with the next one's words.
        let mut next = || sections.next().unwrap_or_else(|| panic!("a section of {user}"));
        let (_, old_history, aged_out, old_snapshot) = (next(), next(), next(), next());
        let (_, title) = old_history.rsplit_once("\n\n# ").expect("messages that age out");
        assert!(aged_out.ends_with("\n\n# Old snapshot"), "{aged_out}");
        assert!(old_snapshot.contains("\n\n# New messages, the newest last"), "{old_snapshot}");
        Self { batch: apart(aged_out, &mark).0, fresh: apart(next(), &mark).0, part: part(title) }
    }
}

fn part(title: &str) -> Option<(usize, usize)> {
    let (n, rest) = title.strip_prefix("Part ")?.split_once(" of ")?;
    Some((n.parse().ok()?, rest.split(' ').next()?.parse().ok()?))
}

fn mark(system: &str, before: &str) -> String {
    system.split_once(before).expect("a mark").1.chars().take(8).collect()
}

/// The messages of a text, each cut out by its label and its end, and what is left of the text.
fn apart(text: &str, mark: &str) -> (BTreeMap<u64, String>, String) {
    let label = format!("[{mark} #");
    let (mut messages, mut ours, mut rest) = (BTreeMap::new(), String::new(), text);
    while let Some((before, from)) = rest.split_once(&label) {
        let (label, from) = from.split_once("]\n").expect("a label ends its line");
        let seq = label.split(' ').next().and_then(|seq| seq.parse().ok()).expect("a number");
        let (message, after) =
            from.split_once(&format!("\n[/{mark} #{seq}]")).expect("a message has its end");
        assert!(!message.contains(mark), "isolation: #{seq} has the mark");
        assert!(messages.insert(seq, message.to_owned()).is_none(), "coverage: #{seq} stands there twice");
        ours.push_str(before);
        rest = after;
    }
    (messages, ours + rest)
}

/// A text without what is fenced as data.
fn without_data(text: &str, mark: &str) -> String {
    let (open, close) = (format!("<data {mark}>"), format!("</data {mark}>"));
    let mut parts = text.split(&open);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once(&close).map_or("", |(_, after)| after))
}

fn covers(ours: &str) -> Option<u64> {
    let after = ours.split_once("\nCovers messages 1 to ")?.1;
    after.split('.').next()?.parse().ok()
}

fn announced(ours: &str) -> Option<(u64, u64, u64)> {
    let line = ours.split_once("# Not summarised yet [")?.1.lines().nth(1)?;
    let mut words =
        line.strip_suffix(" are neither summarised nor shown: ask rather than guess about them.")?.split(' ');
    let count = words.next()?.parse().ok()?;
    let from = words.nth(1)?.strip_prefix('(')?.parse().ok()?;
    let to = words.nth(1)?.strip_suffix(')')?.parse().ok()?;
    Some((count, from, to))
}
