//! Identifiers: whatever mixes letters and digits, or is marked with `#`.

use super::token::{Class, Tokens, compact, split_digits};
use super::{Finder, Kind};

/// Segments of one id that are looked at.
const LONGEST_SEGMENTS: usize = 12;

/// An id that starts at the token; the answer is the token after it.
pub(super) fn find(finder: &mut Finder<'_, '_>, at: usize) -> Option<usize> {
    let tokens = finder.tokens;
    if tokens.is_mark(at, &['#', '№']) {
        let first = at + 1;
        let numbered =
            matches!(tokens.class(first), Some(Class::Number | Class::Mixed)) && tokens.same_line(first);
        let named = tokens.class(first) == Some(Class::Word) && segments_end(tokens, first) > first + 1;
        if !numbered && !named {
            return None;
        }
        let end = segments_end(tokens, first);
        return push(finder, at, first, end);
    }
    let end = segments_end(tokens, at);
    let written = tokens.slice(at, end);
    if written.is_empty() || !is_id(tokens, at, end, written) {
        return None;
    }
    push(finder, at, at, end)
}

fn push(finder: &mut Finder<'_, '_>, from: usize, first: usize, end: usize) -> Option<usize> {
    let normal = compact(finder.tokens.slice(first, end));
    let digits = normal.bytes().any(|byte| byte.is_ascii_digit());
    (digits && normal.len() <= 128).then(|| {
        finder.push(Kind::Id, from, end, normal);
        end
    })
}

/// The token after the segments joined by dashes, underscores or slashes.
fn segments_end(tokens: &Tokens<'_>, at: usize) -> usize {
    let mut end = at + 1;
    while end < at + 2 * LONGEST_SEGMENTS
        && (tokens.joins(end, &['-', '‑']) || (tokens.joins(end, &['/']) && !is_two_ids(tokens, end)))
        && matches!(tokens.class(end + 1), Some(Class::Word | Class::Number | Class::Mixed))
    {
        end += 2;
    }
    end
}

/// `HAT123/HAT235` are two ids, `INV/2026/0042` is one.
fn is_two_ids(tokens: &Tokens<'_>, slash: usize) -> bool {
    tokens.class(slash - 1) == Some(Class::Mixed) && tokens.class(slash + 1) == Some(Class::Mixed)
}

/// Letters and digits together, or at least seven digits in groups; not `3-bedroom`, `2nd-floor`, `24/7`, `2-4`.
fn is_id(tokens: &Tokens<'_>, at: usize, end: usize, written: &str) -> bool {
    let digits = written.chars().filter(|mark| super::token::digit_value(*mark).is_some()).count();
    let letters = written.chars().any(char::is_alphabetic);
    if digits == 0 {
        return false;
    }
    if !letters {
        return end > at + 1 && digits >= 7 && !written.contains('/');
    }
    if end == at + 1 {
        return true;
    }
    let counted = matches!(tokens.class(at), Some(Class::Number)) || split_digits(tokens.str(at)).is_some();
    let plain = (at + 2..end).step_by(2).all(|part| {
        tokens.class(part) == Some(Class::Word) && !tokens.str(part).chars().all(char::is_uppercase)
    });
    let alternatives = written.contains('/') && !written.contains('-') && digits < 4;
    !(alternatives || (counted && plain))
}
