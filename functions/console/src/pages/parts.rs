//! Small parts that several pages have.

use carryover_shared::desk::Who;
use carryover_shared::fence::{Piece, pieces};
use carryover_shared::text;
use carryover_shared::thread::Channel;
use carryover_shared::time::Timestamp;
use maud::{Markup, html};
use std::time::Duration;

/// A point in time as people say it, the exact one in its title.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> Markup {
    let since = if at > now { at.since(now) } else { now.since(at) };
    html! { time datetime=(at.rfc3339()) title=(at.to_minute()) { (duration(since)) } }
}

/// Since when a record says what it says.
pub(super) fn as_of(at: Timestamp, now: Timestamp) -> Markup {
    let is_past = at < now && now.since(at) >= Duration::from_secs(60);
    html! { "as of " (ago(at, now)) @if is_past { " ago" } }
}

fn duration(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    match minutes {
        0 => "now".into(),
        1..60 => format!("{minutes} min"),
        60..1_440 => format!("{} h", minutes / 60),
        1_440..2_880 => "1 day".into(),
        _ => format!("{} days", minutes / 1_440),
    }
}

/// Marks of one text: a page must stay readable, and of bounded size, whatever somebody sends.
const MARKS: usize = 50;

/// What somebody else wrote, as it stands: isolated from the page's own direction, and with the characters that nobody
/// sees made visible, a run of them as one mark; of many, the first ones and their number.
pub(super) fn written(text: &str) -> Markup {
    let all = runs(text);
    let marks = all.iter().filter(|run| matches!(run, Run::Hidden(..))).count();
    let mut room = MARKS;
    let is_shown = |run: &Run<'_>| match run {
        Run::Seen(_) => true,
        Run::Hidden(..) => {
            let had_room = room > 0;
            room = room.saturating_sub(1);
            had_room
        }
    };
    let shown: Vec<Run<'_>> = all.into_iter().filter(is_shown).collect();
    html! {
        bdi {
            @for run in &shown {
                @match run {
                    Run::Seen(seen) => (seen),
                    Run::Hidden(mark, times) => {
                        span.hidden-mark title="characters that nobody sees" {
                            "U+" (format!("{:04X}", u32::from(*mark)))
                            @if *times > 1 { " ×" (times) }
                        }
                    }
                }
            }
            @if marks > MARKS { span.hidden-mark { "and " (marks - MARKS) " more places with hidden characters" } }
        }
    }
}

/// A text in pieces, with runs of what nobody sees as one: its first character and how many there are.
enum Run<'a> {
    Seen(&'a str),
    Hidden(char, usize),
}

fn runs(text: &str) -> Vec<Run<'_>> {
    let mut runs = vec![];
    for piece in pieces(text) {
        match (piece, runs.last_mut()) {
            (Piece::Hidden(_), Some(Run::Hidden(_, times))) => *times += 1,
            (Piece::Hidden(mark), _) => runs.push(Run::Hidden(mark, 1)),
            (Piece::Seen(seen), _) => runs.push(Run::Seen(seen)),
        }
    }
    runs
}

/// A name as a page's title or an attribute has it: without what nobody sees.
pub(super) fn plain(text: &str) -> String {
    pieces(text)
        .iter()
        .filter_map(|piece| match piece {
            Piece::Seen(seen) => Some(*seen),
            Piece::Hidden(_) => None,
        })
        .collect()
}

/// What an error says, as a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// Whether a text has characters that nobody sees.
pub(super) fn has_hidden(text: &str) -> bool {
    pieces(text).iter().any(|piece| matches!(piece, Piece::Hidden(_)))
}

/// The beginning of a text in one line.
pub(super) fn first_words(text: &str, chars: usize) -> String {
    let line = text::collapse_whitespace(text::head(text, chars * 4));
    let head = text::head(&line, chars);
    let is_all = head.len() == line.len() && text::head(text, chars * 4).len() == text.len();
    if is_all { line } else { format!("{} …", head.trim_end()) }
}

/// What a contact is called.
pub(super) fn who(who: &Who) -> Markup {
    written(who.title())
}

pub(super) fn channel(channel: Channel) -> &'static str {
    channel.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_people_say_them() {
        let minutes = |minutes: u64| duration(Duration::from_secs(minutes * 60));
        let said = [0, 1, 59, 60, 1_439, 1_440, 2_880].map(minutes);
        assert_eq!(said, ["now", "1 min", "59 min", "1 h", "23 h", "1 day", "2 days"]);
    }

    #[test]
    fn a_page_stays_small_whatever_is_hidden_in_it() {
        let many = "\u{200b}".repeat(10_000);
        assert!(written(&many).into_string().contains("U+200B ×10000"));
        let scattered = "a\u{200b}".repeat(10_000);
        let shown = written(&scattered).into_string();
        assert!(shown.len() < 20_000 && shown.contains("and 9950 more places"), "{} bytes", shown.len());
    }

    #[test]
    fn what_somebody_wrote_is_text_and_hides_nothing() {
        let shown = written("<script>a\u{202e}b").into_string();
        assert_eq!(
            shown,
            "<bdi>&lt;script&gt;a<span class=\"hidden-mark\" title=\"characters that nobody sees\">U+202E</span>b</bdi>"
        );
    }
}
