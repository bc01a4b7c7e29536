//! The facts of a contact as a prompt shows them, within their limit.

use super::line::Line;
use super::read::{is_closed, is_upcoming, one_line, starts};
use super::{Fact, PREFERENCE};
use crate::limits::Limits;
use crate::text;
use crate::time::Timestamp;
use std::cmp::Reverse;

/// Facts as a prompt shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text: a heading for each group, then one line for each fact. Empty where there is nothing.
    pub text: String,
    /// Facts that have a line.
    pub shown: usize,
    /// Facts that have none; the text says how many, of which kind, and names as many as it can.
    pub left_out: usize,
    /// Characters of the text.
    pub chars: usize,
}

const HEADINGS: [&str; 5] = [
    "Profile and contact details:",
    "Open requests and cases:",
    "Upcoming appointments:",
    "Qualification:",
    "Orders and other records, newest first:",
];

const REQUESTS: usize = 1;

/// What is written of a fact that comes after more than all the room is used up.
const BRIEF_CHARS: usize = 300;

/// Writes facts in at most `limits.facts_chars` characters, each labelled with kind, id, source and age in days.
///
/// Profile and contact details come first, then open requests with `open_cases` (lines written elsewhere),
/// upcoming appointments, qualification, and the rest by change. If they do not fit, each group gets a fair
/// share, within a group the first facts stay longer; the rest are named.
pub fn render(facts: &[Fact], open_cases: &[&str], now: Timestamp, limits: &Limits) -> Rendered {
    let max_chars = limits.facts_chars;
    let groups = grouped(facts, open_cases, now, max_chars);
    let needs: Vec<usize> = groups.iter().enumerate().map(|(group, rows)| need(group, rows)).collect();
    let fits = needs.iter().sum::<usize>() <= max_chars + 1;
    let room = if fits { max_chars + 1 } else { max_chars - max_chars / 8 };
    let shares = fair_shares(&needs, room);

    let mut page = Page { lines: vec![], chars: 0, shown: 0, left_out: vec![], cases_left_out: 0 };
    let mut given = 0;
    for (group, rows) in groups.iter().enumerate() {
        given += shares.get(group).copied().unwrap_or(0);
        page.group(group, rows, given.saturating_sub(page.chars));
    }
    page.notes(max_chars);
    page.finish(max_chars)
}

/// Writes facts of the business in at most `limits.business_chars` characters: hours, policies, units, then the rest,
/// each kind by id, so that they stand the same in every prompt (prompt caches).
pub fn render_business(facts: &[Fact], now: Timestamp, limits: &Limits) -> Rendered {
    const FIRST: [&str; 3] = ["hours", "policy", "unit"];
    let max_chars = limits.business_chars;
    let mut sorted: Vec<&Fact> = facts.iter().collect();
    let place = |fact: &Fact| FIRST.iter().position(|kind| *kind == fact.kind).unwrap_or(FIRST.len());
    sorted.sort_by_key(|fact| (place(fact), &fact.kind, &fact.id));
    let row = |fact| Row { fact: Some(fact), line: Line::of(fact, now, max_chars) };
    let rows: Vec<Row<'_>> = sorted.into_iter().map(row).collect();
    let fits = rows.iter().map(|row| row.line.chars + 1).sum::<usize>() <= max_chars + 1;
    let room = if fits { max_chars + 1 } else { max_chars - max_chars / 8 };

    let mut page = Page { lines: vec![], chars: 0, shown: 0, left_out: vec![], cases_left_out: 0 };
    let lengths = lengths(&rows, room);
    for (row, chars) in rows.iter().zip(&lengths) {
        page.push(row.line.fit(*chars));
        page.shown += 1;
    }
    page.leave_out(rows.get(lengths.len()..).unwrap_or_default());
    page.notes(max_chars);
    page.finish(max_chars)
}

/// A line and the fact that it is about; none for a case.
struct Row<'a> {
    fact: Option<&'a Fact>,
    line: Line,
}

fn grouped<'a>(
    facts: &'a [Fact],
    open_cases: &[&str],
    now: Timestamp,
    max_chars: usize,
) -> [Vec<Row<'a>>; 5] {
    let mut sorted: Vec<&Fact> = facts.iter().collect();
    sorted.sort_by_cached_key(|fact| (order(fact, now), Reverse(fact.as_of.clone()), &fact.kind, &fact.id));
    let mut groups: [Vec<Row<'a>>; 5] = Default::default();
    for case in open_cases {
        groups[REQUESTS].push(Row { fact: None, line: Line::written(case, max_chars) });
    }
    let mut written = [0; 5];
    for fact in sorted {
        let (group, _) = order(fact, now);
        let line = Line::of(fact, now, if written[group] > max_chars { BRIEF_CHARS } else { max_chars });
        written[group] += line.chars;
        groups[group].push(Row { fact: Some(fact), line });
    }
    groups
}

/// The group of a fact, and its place before `as_of` counts: profiles before contact details, the next
/// appointment first.
fn order(fact: &Fact, now: Timestamp) -> (usize, i64) {
    match fact.kind.as_str() {
        "profile" => (0, 0),
        "contact" => (0, 1),
        PREFERENCE => (0, 2),
        "request" if !is_closed(fact) => (REQUESTS, 0),
        "appointment" if is_upcoming(fact, now) => {
            (2, starts(fact).map_or(i64::MAX, |start| start.earliest().millis()))
        }
        "qualification" => (3, 0),
        _ => (4, 0),
    }
}

/// Characters of a group with everything in it, line ends counted.
fn need(group: usize, rows: &[Row<'_>]) -> usize {
    if rows.is_empty() {
        return 0;
    }
    text::chars(HEADINGS[group]) + 1 + rows.iter().map(|row| row.line.chars + 1).sum::<usize>()
}

/// Room for each, none more than it needs, none less than another that needs as much.
fn fair_shares(needs: &[usize], room: usize) -> Vec<usize> {
    let mut by_need: Vec<usize> = (0..needs.len()).collect();
    by_need.sort_by_key(|&index| needs[index]);
    let mut shares = vec![0; needs.len()];
    let mut left = room;
    for (done, index) in by_need.into_iter().enumerate() {
        shares[index] = needs[index].min(left / (needs.len() - done));
        left -= shares[index];
    }
    shares
}

struct Page<'a> {
    lines: Vec<String>,
    /// Characters so far, line ends counted.
    chars: usize,
    shown: usize,
    left_out: Vec<&'a Fact>,
    cases_left_out: usize,
}

impl<'a> Page<'a> {
    fn push(&mut self, line: String) {
        self.chars += text::chars(&line) + 1;
        self.lines.push(line);
    }

    fn group(&mut self, group: usize, rows: &[Row<'a>], share: usize) {
        if rows.is_empty() || share == 0 {
            self.leave_out(rows);
            return;
        }
        let heading = HEADINGS[group];
        // A share that small is better spent on the fact itself.
        let room = share.checked_sub(text::chars(heading) + 1).filter(|room| *room > text::chars(heading));
        if room.is_some() {
            self.push(heading.to_owned());
        }
        let lengths = lengths(rows, room.unwrap_or(share));
        for (row, chars) in rows.iter().zip(&lengths) {
            self.push(row.line.fit(*chars));
            self.shown += usize::from(row.fact.is_some());
        }
        self.leave_out(rows.get(lengths.len()..).unwrap_or_default());
    }

    fn leave_out(&mut self, rows: &[Row<'a>]) {
        self.left_out.extend(rows.iter().filter_map(|row| row.fact));
        self.cases_left_out += rows.iter().filter(|row| row.fact.is_none()).count();
    }

    fn notes(&mut self, max_chars: usize) {
        let mut kinds: Vec<(&str, Vec<&str>)> = vec![];
        for fact in &self.left_out {
            match kinds.iter_mut().find(|(kind, _)| *kind == fact.kind) {
                Some((_, ids)) => ids.push(&fact.id),
                None => kinds.push((&fact.kind, vec![&fact.id])),
            }
        }
        if self.cases_left_out > 0 {
            kinds.push(("case", vec![]));
        }
        let room = max_chars.saturating_sub(self.chars);
        let each = room / kinds.len().max(1);
        if each < 60 {
            let count = self.left_out.len() + self.cases_left_out;
            kinds = if count > 0 { vec![("record", vec![])] } else { vec![] };
        }
        let notes: Vec<String> = kinds.iter().map(|(kind, ids)| self.note(kind, ids, each)).collect();
        notes.into_iter().for_each(|note| self.push(note));
    }

    /// `3 more orders are not shown: #W1, #W2, #W3`, with as many ids as fit.
    fn note(&self, kind: &str, ids: &[&str], max_chars: usize) -> String {
        let count = match kind {
            "case" if ids.is_empty() => self.cases_left_out,
            "record" if ids.is_empty() => self.left_out.len() + self.cases_left_out,
            _ => ids.len(),
        };
        let verb = if count == 1 { "is" } else { "are" };
        let mut note = format!("- {count} more {} {verb} not shown", counted(kind, count));
        let mut joint = ": ";
        for id in ids {
            let id = one_line(id, 256);
            let fits = text::chars(&note) + text::chars(&id) + 4 <= max_chars;
            note.push_str(joint);
            note.push_str(if fits { &id } else { "…" });
            if !fits {
                break;
            }
            joint = ", ";
        }
        note
    }

    fn finish(self, max_chars: usize) -> Rendered {
        let joined = self.lines.join("\n");
        let text = text::head(&joined, max_chars).to_owned();
        let chars = text::chars(&text);
        Rendered { text, shown: self.shown, left_out: self.left_out.len(), chars }
    }
}

/// How long the line of each row that gets one may be. Where not all fit, half of the room goes to brief lines
/// for as many as it takes, and the other half makes the first of them longer.
fn lengths(rows: &[Row<'_>], room: usize) -> Vec<usize> {
    let need: usize = rows.iter().map(|row| row.line.chars + 1).sum();
    if need <= room {
        return rows.iter().map(|row| row.line.chars).collect();
    }
    let all_brief: usize = rows.iter().map(|row| row.line.brief_chars() + 1).sum();
    let for_brief = if all_brief <= room { room } else { room.div_ceil(2) };
    let mut lengths: Vec<usize> = vec![];
    let mut used = 0;
    for row in rows {
        let chars = row.line.brief_chars();
        if used + chars + 1 > for_brief && !lengths.is_empty() {
            break;
        }
        lengths.push(chars.min(room.saturating_sub(1)));
        used += chars + 1;
    }
    lengthen(rows, &mut lengths, room.saturating_sub(used));
    lengths
}

/// Gives out what is left: half of it at most to one line, in order; then what is still left, in order.
fn lengthen(rows: &[Row<'_>], lengths: &mut [usize], mut left: usize) {
    for share in [2, 1] {
        for (row, length) in rows.iter().zip(lengths.iter_mut()) {
            let more = row.line.chars.saturating_sub(*length).min(left / share);
            *length += more;
            left -= more;
        }
    }
}

/// `order`, `orders`; `gift card`, `gift cards`.
fn counted(kind: &str, count: usize) -> String {
    let word = one_line(kind, 64).replace(['_', '-'], " ");
    match (count, word.strip_suffix('y')) {
        (1, _) => word,
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if word.ends_with('s') => word,
        _ => format!("{word}s"),
    }
}
