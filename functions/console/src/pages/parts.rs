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

/// What somebody else wrote, as it stands: isolated from the page's own direction, and with the characters that nobody
/// sees made visible.
pub(super) fn written(text: &str) -> Markup {
    html! {
        bdi {
            @for piece in pieces(text) {
                @match piece {
                    Piece::Seen(seen) => (seen),
                    Piece::Hidden(mark) => { span.hidden-mark title="a character that nobody sees" { "U+" (format!("{:04X}", u32::from(mark))) } }
                }
            }
        }
    }
}

/// Whether a text has characters that nobody sees.
pub(super) fn has_hidden(text: &str) -> bool {
    pieces(text).iter().any(|piece| matches!(piece, Piece::Hidden(_)))
}

/// The beginning of a text in one line.
pub(super) fn first_words(text: &str, chars: usize) -> String {
    text::shorten(&text::collapse_whitespace(text::head(text, chars * 4)), chars).into_owned()
}

/// What a contact is called.
pub(super) fn who(who: &Who) -> Markup {
    html! { bdi { (who.title()) } }
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
    fn what_somebody_wrote_is_text_and_hides_nothing() {
        let shown = written("<script>a\u{202e}b").into_string();
        assert_eq!(
            shown,
            "<bdi>&lt;script&gt;a<span class=\"hidden-mark\" title=\"a character that nobody sees\">U+202E</span>b</bdi>"
        );
    }
}
