//! Cutting, shortening and splitting text without ever breaking what a reader sees as one character.
//!
//! Lengths count Unicode scalar values, cuts fall on grapheme boundaries, and a result never exceeds its limit
//! (*bounds*). A single grapheme can be longer than any limit (one letter under 100,000 combining marks): then
//! [`head`] and [`tail`] take nothing of it, and [`parts`], which must not lose anything, cuts inside it.

use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// The length of a text in Unicode scalar values, the unit of every limit.
pub fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The longest prefix of whole graphemes with at most `max_chars` scalar values.
pub fn head(text: &str, max_chars: usize) -> &str {
    match text.char_indices().nth(max_chars) {
        None => text,
        Some((offset, _)) => text.get(..boundary_at_or_before(text, offset)).unwrap_or_default(),
    }
}

/// The longest suffix of whole graphemes with at most `max_chars` scalar values.
pub fn tail(text: &str, max_chars: usize) -> &str {
    let Some(cut) = max_chars.checked_sub(1) else { return "" };
    match text.char_indices().nth_back(cut) {
        None => text,
        Some((offset, _)) => text.get(boundary_at_or_after(text, offset)..).unwrap_or_default(),
    }
}

/// The text if it fits, else its head and tail with the number left out between them:
/// `[… 1,234 characters left out …]`. The whole result has at most `max_chars` scalar values; where not even the
/// note about what is missing fits, only the head is kept.
pub fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    if fits(text, max_chars) {
        return Cow::Borrowed(text);
    }
    let total = chars(text);
    let Some(room) = max_chars.checked_sub(chars(&left_out(total))) else {
        return Cow::Borrowed(head(text, max_chars));
    };
    let first = head(text, room.div_ceil(2));
    let last = tail(text, room / 2);
    let missing = left_out(total - chars(first) - chars(last));
    Cow::Owned(format!("{first}{missing}{last}"))
}

/// The part of the text around a match (a range of bytes), at most `max_chars` scalar values, with `…` where
/// something was cut. A match that does not fit shows its beginning.
pub fn around(text: &str, found: Range<usize>, max_chars: usize) -> Cow<'_, str> {
    if fits(text, max_chars) {
        return Cow::Borrowed(text);
    }
    let Some(room) = max_chars.checked_sub(2).filter(|room| *room > 0) else {
        return Cow::Borrowed(head(text, max_chars));
    };
    let start = boundary_at_or_before(text, found.start);
    let (before, rest) = text.split_at(start);
    let matched = rest.get(..found.end.saturating_sub(start)).map_or(1, chars).min(room);
    let lead = tail(before, lead_chars(before, rest, room, matched));
    let shown = head(rest, room - chars(lead));
    let open = if lead.len() < before.len() { "…" } else { "" };
    let close = if shown.len() < rest.len() { "…" } else { "" };
    Cow::Owned(format!("{open}{lead}{shown}{close}"))
}

/// Every run of white space as one space, none at either end.
pub fn collapse_whitespace(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// Appends a letter in lower case without its accent: accents are left out as often as they are written, and both
/// ways of writing them are one. José is Jose, Straße is Strasse.
pub(crate) fn push_bare(text: &mut String, letter: char) {
    if letter.is_ascii() {
        return text.push(letter.to_ascii_lowercase());
    }
    for lower in letter.to_lowercase() {
        match bare(lower) {
            Bare::Nothing => {}
            Bare::Letter(bare) => text.push(bare),
            Bare::Two(bare) => text.push_str(bare),
        }
    }
}

enum Bare {
    Nothing,
    Letter(char),
    Two(&'static str),
}

fn bare(letter: char) -> Bare {
    Bare::Letter(match letter {
        '\u{300}'..='\u{36f}' => return Bare::Nothing,
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ё' => 'е',
        'ß' => return Bare::Two("ss"),
        'æ' => return Bare::Two("ae"),
        'œ' => return Bare::Two("oe"),
        other => other,
    })
}

/// The text cut into consecutive parts of at most `max_chars` scalar values (at least one), preferably after white
/// space. Joined together they are the text again.
pub fn parts(text: &str, max_chars: usize) -> Vec<&str> {
    let max_chars = max_chars.max(1);
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(part_end(rest, max_chars));
        parts.push(part);
        rest = after;
    }
    parts
}

/// The sentences of a support chat, trimmed, none empty. Lines are sentences of their own; abbreviations, initials,
/// decimals, `3 p.m.`, list numbers and addresses of the web do not end one.
pub fn sentences(text: &str) -> Vec<&str> {
    sentence_spans(text).into_iter().filter_map(|span| text.get(span)).collect()
}

/// Where the [`sentences`] of a text are, as ranges of bytes in ascending order.
pub fn sentence_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = 0;
    let mut marks = text.char_indices().peekable();
    while let Some((at, mark)) = marks.next() {
        let after = at + mark.len_utf8();
        let ends = match mark {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => true,
            '。' | '！' | '？' => true,
            '!' | '?' | '…' => marks.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '.' => full_stop_ends(text, start, at),
            _ => false,
        };
        if ends {
            push_trimmed(text, start..after, &mut spans);
            start = after;
        }
    }
    push_trimmed(text, start..text.len(), &mut spans);
    spans
}

fn fits(text: &str, max_chars: usize) -> bool {
    text.len() <= max_chars || text.chars().nth(max_chars).is_none()
}

fn left_out(count: usize) -> String {
    format!(" [… {} characters left out …] ", thousands(count))
}

fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Half of what the match leaves, more where the text after it is too short to use its half.
fn lead_chars(before: &str, rest: &str, room: usize, matched: usize) -> usize {
    let after = rest.chars().take(room).count();
    let half = (room - matched) / 2;
    half.max(room - after).min(chars(before))
}

fn part_end(text: &str, max_chars: usize) -> usize {
    if fits(text, max_chars) {
        return text.len();
    }
    let whole = head(text, max_chars);
    if whole.is_empty() {
        return text.char_indices().nth(max_chars).map_or(text.len(), |(offset, _)| offset);
    }
    let space = whole.char_indices().rev().find(|(_, mark)| mark.is_whitespace());
    match space.map(|(offset, mark)| offset + mark.len_utf8()) {
        Some(end) if end > whole.len() / 2 && boundary_at_or_before(text, end) == end => end,
        _ => whole.len(),
    }
}

fn boundary_at_or_before(text: &str, offset: usize) -> usize {
    let offset = text.floor_char_boundary(offset);
    let mut cursor = GraphemeCursor::new(offset, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => offset,
    }
}

fn boundary_at_or_after(text: &str, offset: usize) -> usize {
    let mut cursor = GraphemeCursor::new(offset, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => offset,
    }
}

fn push_trimmed(text: &str, span: Range<usize>, spans: &mut Vec<Range<usize>>) {
    let raw = text.get(span.clone()).unwrap_or_default();
    let start = span.start + (raw.len() - raw.trim_start().len());
    let length = raw.trim().len();
    if length > 0 {
        spans.push(start..start + length);
    }
}

const ABBREVIATIONS: [&str; 37] = [
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "nr", "vs", "etc", "approx", "apt", "ave", "blvd",
    "rd", "str", "inc", "ltd", "co", "dept", "est", "ext", "tel", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec", "sra",
];

fn full_stop_ends(text: &str, start: usize, at: usize) -> bool {
    let after = text.get(at + 1..).unwrap_or_default();
    match after.chars().next() {
        None => return true,
        Some(next) if !next.is_whitespace() => return false,
        Some(_) => {}
    }
    let next = after.trim_start().chars().next();
    if next.is_some_and(char::is_lowercase) {
        return false;
    }
    let before = text.get(start..at).unwrap_or_default();
    let word = last_word(before);
    let list_number =
        word.len() == before.trim_start().len() && word.chars().all(|mark| mark.is_ascii_digit());
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let dotted = word.len() <= 6 && word.contains('.') && word.split('.').all(|part| part.len() == 1);
    let short = word.len() <= 6 && ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known));
    let number = ["no", "num", "núm"].iter().any(|known| word.eq_ignore_ascii_case(known))
        && next.is_some_and(|mark| mark.is_ascii_digit());
    !(list_number || initial || dotted || short || number)
}

/// The last word, as far as an abbreviation can reach; longer words come back cut, which is as good.
fn last_word(before: &str) -> &str {
    let reach = before.char_indices().rev().take(12);
    let start = reach.take_while(|(_, mark)| !mark.is_whitespace()).last().map_or(before.len(), |(at, _)| at);
    before.get(start..).unwrap_or_default().trim_start_matches(['(', '"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    const FAMILY: &str = "👨‍👩‍👧";

    fn zalgo() -> String {
        format!("z{}", "\u{301}".repeat(100_000))
    }

    #[test]
    fn a_cut_never_falls_inside_a_multi_byte_character() {
        let text = format!("{}🙏 thanks", "a".repeat(497));
        for max in 0..=chars(&text) {
            assert_eq!(chars(head(&text, max)), max);
            assert_eq!(chars(tail(&text, max)), max);
        }
    }

    #[test]
    fn a_cut_never_leaves_one_person_of_a_family() {
        assert_eq!(head(&format!("ab{FAMILY}cd"), 4), "ab");
        assert_eq!(tail(&format!("ab{FAMILY}cd"), 4), "cd");
        assert_eq!(head("🇩🇪🇩🇪", 3), "🇩🇪");
        assert_eq!(tail("🇩🇪🇩🇪", 3), "🇩🇪");
        assert_eq!(head("e\u{301}e\u{301}e\u{301}", 3), "e\u{301}");
        assert_eq!(head("👍🏽👍🏽", 3), "👍🏽");
    }

    #[test]
    fn a_long_text_is_shortened_to_head_and_tail_with_the_number_left_out() {
        assert_eq!(shorten("short", 5), "short");
        let shortened = shorten(&"ab".repeat(2_000), 100).into_owned();
        assert_eq!(chars(&shortened), 100);
        assert!(shortened.contains(" [… 3,933 characters left out …] "), "{shortened}");
        assert_eq!(shorten("abcdefgh", 3), "abc");
    }

    #[test]
    fn one_endless_grapheme_neither_panics_nor_breaks_the_bound() {
        let text = zalgo();
        assert_eq!(head(&text, 10), "");
        assert_eq!(tail(&text, 10), "");
        assert_eq!(shorten(&text, 60).trim(), "[… 100,001 characters left out …]");
        assert_eq!(around(&text, 50..52, 60), "…");
        assert_eq!(parts(&text, 1_000).len(), 101);
    }

    #[test]
    fn the_text_around_a_match_shows_the_match() {
        let text = format!("{}Oskar arrives {}", "before ".repeat(50), "after ".repeat(50));
        let at = text.find("Oskar").unwrap();
        let shown = around(&text, at..at + 5, 40);
        assert_eq!(shown, "…e before before Oskar arrives after af…");
        assert_eq!(around("abcdef", 5..6, 4), "…ef");
        assert_eq!(around("abcdef", 0..1, 4), "ab…");
        assert_eq!(around("abc", 90..99, 2), "ab");
    }

    #[test]
    fn letters_are_the_same_with_and_without_accents() {
        for (written, same) in [
            ("José", "jose"),
            ("Jose\u{301}", "jose"),
            ("ÑANDÚ", "nandu"),
            ("Straße", "strasse"),
            ("Œuvre", "oeuvre"),
            ("İzmir", "izmir"),
            ("Țară", "tara"),
            ("Фёдор", "федор"),
            ("王伟", "王伟"),
        ] {
            let mut bare = String::new();
            written.chars().for_each(|letter| push_bare(&mut bare, letter));
            assert_eq!(bare, same);
        }
    }

    #[test]
    fn white_space_collapses_to_single_spaces() {
        assert_eq!(collapse_whitespace(" a \n\t b\u{a0} c "), "a b c");
    }

    #[test]
    fn parts_prefer_white_space() {
        assert_eq!(parts("one two three", 9), ["one two ", "three"]);
        assert_eq!(parts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(parts(&format!("ab{FAMILY}c"), 5), ["ab", FAMILY, "c"].to_vec());
    }

    #[test]
    fn sentences_survive_abbreviations_decimals_times_and_links() {
        let text = "No. Order no. 5! Mr. Silva pays 3.50 at 3 p.m. Sunday. See https://a.example/b.html?c=1. Thanks…\n1. Oskar\n\n好。是！ok";
        let expected = [
            "No.",
            "Order no. 5!",
            "Mr. Silva pays 3.50 at 3 p.m. Sunday.",
            "See https://a.example/b.html?c=1.",
            "Thanks…",
            "1. Oskar",
            "好。",
            "是！",
            "ok",
        ];
        assert_eq!(sentences(text), expected);
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "\\PC{0,4}",
            "[a-z .\n]{0,9}",
            Just(FAMILY.to_string()),
            Just("🇩🇪".to_string()),
            Just("e\u{301}\u{302}".to_string()),
            Just("\r\n".to_string()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn is_boundary(text: &str, offset: usize) -> bool {
        offset == text.len() || text.grapheme_indices(true).any(|(start, _)| start == offset)
    }

    proptest! {
        #[test]
        fn head_and_tail_are_the_longest_whole_graphemes_within_the_bound(text in any_text(), max in 0usize..40) {
            let first = head(&text, max);
            prop_assert!(text.starts_with(first) && chars(first) <= max && is_boundary(&text, first.len()));
            let last = tail(&text, max);
            prop_assert!(text.ends_with(last) && chars(last) <= max);
            prop_assert!(is_boundary(&text, text.len() - last.len()));
            let next = text.graphemes(true).nth(first.graphemes(true).count());
            prop_assert!(next.is_none_or(|next| chars(first) + chars(next) > max));
        }

        #[test]
        fn whatever_is_shortened_keeps_its_bound(text in any_text(), max in 0usize..60, at in 0usize..80) {
            prop_assert!(chars(&shorten(&text, max)) <= max);
            prop_assert!(chars(&around(&text, at..at + 3, max)) <= max);
        }

        #[test]
        fn parts_lose_nothing_and_stay_within_the_bound(text in any_text(), max in 1usize..20) {
            let parts = parts(&text, max);
            prop_assert_eq!(&parts.concat(), &text);
            prop_assert!(parts.iter().all(|part| !part.is_empty() && chars(part) <= max));
        }

        #[test]
        fn sentences_lose_nothing_but_white_space(text in any_text()) {
            let joined: String = sentences(&text).concat().split_whitespace().collect();
            prop_assert_eq!(joined, text.split_whitespace().collect::<String>());
        }
    }
}
