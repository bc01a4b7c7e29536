//! One definition of "recent", for the prompt and for the summarizer.

use crate::limits::Limits;
use crate::thread::Seq;

/// One message of the log as the window sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: Seq,
    /// Characters of its rendered lines.
    pub chars: usize,
}

/// Where the log stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// The oldest message still there.
    pub first_seq: Seq,
    /// The newest message.
    pub last_seq: Seq,
    /// The newest message that the history covers.
    pub checkpoint: Seq,
}

/// Where each message of a log belongs: exactly one of verbatim, covered or pending (*coverage*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Up to here the history covers: `..=covered_to`.
    pub covered_to: Seq,
    /// Pending and shown word for word: `pending_from..window_from`.
    pub pending_from: Seq,
    /// The window, word for word: `window_from..=last_seq`.
    pub window_from: Seq,
    /// The newest message.
    pub last_seq: Seq,
}

impl Split {
    /// Pending messages that are announced by their number only: those between `covered_to` and
    /// `pending_from`.
    pub fn omitted(&self) -> u64 {
        self.pending_from.0 - self.covered_to.next().0
    }

    /// Pending messages that are shown.
    pub fn shown_pending(&self) -> u64 {
        self.window_from.0 - self.pending_from.0
    }

    /// Whether `seq` stands word for word in the prompt.
    pub fn is_verbatim(&self, seq: Seq) -> bool {
        self.pending_from <= seq && seq <= self.last_seq
    }

    /// Messages that aged out of the window and are not covered yet: `first..window_from`.
    pub fn aged_out(&self) -> std::ops::Range<Seq> {
        self.covered_to.next()..self.window_from
    }
}

/// Decides where each message belongs, for the prompt and for the fold (*coverage*, *newest-kept*).
///
/// `newest_first` are the newest messages, dense from `log.last_seq` down; it must reach down until window and
/// pending are full or the checkpoint is met (what it does not reach is pending and announced). Nothing at or
/// below the checkpoint is ever shown, whatever the limits say; the newest message always is.
pub fn split(newest_first: &[Entry], log: Log, limits: &Limits) -> Split {
    let covered_to = log.checkpoint.max(log.first_seq.prev()).min(log.last_seq);
    let open = newest_first.iter().take_while(|entry| entry.seq > covered_to);
    let mut rest = open.copied().peekable();
    let window = take(&mut rest, limits.window_messages.max(1), limits.window_chars, Newest::Kept);
    let pending = take(&mut rest, limits.pending_messages, limits.pending_chars, Newest::Counted);
    let window_from = Seq(log.last_seq.0 + 1 - window);
    Split { covered_to, pending_from: Seq(window_from.0 - pending), window_from, last_seq: log.last_seq }
}

/// Whether the first entry is taken even when it does not fit.
#[derive(PartialEq)]
enum Newest {
    Kept,
    Counted,
}

fn take(
    entries: &mut std::iter::Peekable<impl Iterator<Item = Entry>>,
    messages: usize,
    chars: usize,
    newest: Newest,
) -> u64 {
    let (mut taken, mut used) = (0, 0_usize);
    while taken < messages
        && let Some(entry) = entries.next_if(|entry| {
            used.saturating_add(entry.chars) <= chars || (taken == 0 && newest == Newest::Kept)
        })
    {
        taken += 1;
        used = used.saturating_add(entry.chars);
    }
    taken as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(first: u64, last: u64, checkpoint: u64) -> Log {
        Log { first_seq: Seq(first), last_seq: Seq(last), checkpoint: Seq(checkpoint) }
    }

    fn entries(last: u64, chars: &[usize]) -> Vec<Entry> {
        (1..=last)
            .rev()
            .zip(chars.iter().cycle())
            .map(|(seq, &chars)| Entry { seq: Seq(seq), chars })
            .collect()
    }

    #[test]
    fn the_window_counts_first_and_then_trims_from_the_oldest_end() {
        let limits =
            Limits { window_messages: 3, window_chars: 25, pending_messages: 0, ..Limits::default() };
        let split = split(&entries(10, &[10]), log(1, 10, 0), &limits);
        assert_eq!((split.window_from, split.omitted()), (Seq(9), 8));
    }

    #[test]
    fn the_newest_message_stays_however_long_it_is() {
        let split = split(&entries(10, &[99_999]), log(1, 10, 4), &Limits::default());
        assert_eq!((split.window_from, split.pending_from, split.omitted()), (Seq(10), Seq(10), 5));
    }

    #[test]
    fn an_empty_log_has_nothing_to_show() {
        let split = split(&[], log(1, 0, 0), &Limits::default());
        assert_eq!((split.omitted(), split.shown_pending(), split.aged_out().is_empty()), (0, 0, true));
    }

    proptest! {
        #[test]
        fn coverage_and_newest_kept(
            first in 1_u64..50,
            len in 0_u64..200,
            covered in 0_u64..250,
            chars in prop::collection::vec(0_usize..9_000, 1..30),
            window_messages in 0_usize..20,
            window_chars in 0_usize..9_000,
            pending_messages in 0_usize..50,
            pending_chars in 0_usize..9_000,
            read in 1_usize..200,
        ) {
            let last = first + len - 1;
            let limits = Limits { window_messages, window_chars, pending_messages, pending_chars, ..Limits::default() };
            let checkpoint = covered.min(last);
            let mut all = entries(last, &chars);
            all.retain(|entry| entry.seq >= Seq(first));
            all.truncate(read);
            let split = split(&all, log(first, last, checkpoint), &limits);
            for seq in first..=last {
                let verbatim = split.is_verbatim(Seq(seq));
                let covered = Seq(seq) <= split.covered_to;
                let announced = Seq(seq) > split.covered_to && Seq(seq) < split.pending_from;
                prop_assert_eq!(u8::from(verbatim) + u8::from(covered) + u8::from(announced), 1);
                prop_assert_eq!(covered, seq <= checkpoint);
            }
            prop_assert!(len == 0 || checkpoint == last || split.window_from <= Seq(last));
            prop_assert!(split.shown_pending() <= pending_messages as u64);
        }
    }
}
