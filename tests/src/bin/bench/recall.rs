//! What a recall takes over a full bank, and how often it finds what is asked for, beside plain BM25 over the same
//! exchanges.
//!
//! The exchanges are those of recorded conversations, all in one bank; the questions ask for what they ended with
//! (`final_facts`). Without the data beside the checkout only the time is measured, over made-up exchanges.

use crate::table::{Row, median};
use anyhow::{Context, Result};
use carryover_shared::memory::{self, Entry, Exchange, Origin, Query, Question};
use carryover_shared::thread::Seq;
use carryover_shared::time::Timestamp;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 30;
/// Entries of a full bank: so many spills and so many others.
const ITEMS: usize = 500;
/// Memories shown.
const MOST: usize = 6;
const MEMORY_CHARS: usize = 300;
/// A recall runs beside the admission, which waits for the table about this long; and it has 800 ms at most.
const RECALL_MILLIS: f64 = 20.0;

pub(crate) fn rows() -> Result<Vec<Row>> {
    let mut rows = vec![time()];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/conversations/sgd.jsonl");
    match data.is_file() {
        true => rows.extend(quality(&data)?),
        false => println!("retrieval quality is not measured: {} is missing", data.display()),
    }
    Ok(rows)
}

fn time() -> Row {
    let entries: Vec<Entry> = (0..2 * ITEMS).map(made_up).collect();
    let text =
        "Is the parking spot for the van still the one that we talked about in June, and who has the key? ";
    let query = query(text.repeat(15));
    let once = || {
        let started = Instant::now();
        let question = Question::new(&query, &entries);
        let best = memory::rank(&entries, &question, MOST);
        let shown: Vec<_> =
            best.into_iter().map(|entry| memory::show(entry, None, &question, MEMORY_CHARS)).collect();
        black_box(shown);
        started.elapsed().as_secs_f64() * 1_000.0
    };
    let millis = median((0..ROUNDS).map(|_| once()).collect());
    Row::new(format!("CPU of a recall over {ITEMS} + {ITEMS} items"), millis, "ms").at_most(RECALL_MILLIS)
}

fn made_up(n: usize) -> Entry {
    let things = ["sofa", "kettle", "parking spot", "key", "invoice", "terrace", "heating", "refund"];
    let (thing, other) = (things[n % things.len()], things[n / things.len() % things.len()]);
    let said = format!(
        "customer: I wrote to you about the {thing} number {n} before, and the {other} was delivered too late. \
         My order is W{}, I paid {n}.50 EUR for it, and nobody has answered me since.",
        2_000_000 + n
    );
    let replied =
        format!("We are sorry about the {thing}. Somebody will look into it and write to you again soon.");
    entry(n, &said, &replied, n < ITEMS)
}

fn entry(n: usize, said: &str, replied: &str, spilled: bool) -> Entry {
    let seq = Seq(2 * n as u64 + 2);
    let origin = if spilled { Origin::Spill { revision: n as u64, n: 0 } } else { Origin::Reply(seq) };
    let at = Timestamp::from_millis(1_790_000_000_000 + 60_000 * i64::try_from(n).unwrap_or(0));
    let (said, replied) = (said.to_owned(), replied.to_owned());
    Entry::of(Exchange { origin, said, replied, from_seq: seq.prev(), to_seq: seq, at })
}

fn query(text: String) -> Query {
    Query { text, at: Timestamp::from_millis(1_796_292_000_000), before: Seq(u64::MAX) }
}

#[derive(Deserialize)]
struct Conversation {
    final_facts: HashMap<String, String>,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    text: String,
}

/// What is asked, what a memory with the answer says, and the entries of the conversation that it is about.
struct Asked {
    text: String,
    answer: String,
    of: std::ops::Range<usize>,
}

fn quality(data: &Path) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(data).context("the conversations cannot be read")?;
    let (mut entries, mut asked) = (vec![], vec![]);
    for line in text.lines() {
        let conversation: Conversation =
            serde_json::from_str(line).context("a conversation cannot be read")?;
        if entries.len() + conversation.turns.len() > ITEMS {
            break;
        }
        let from = entries.len();
        exchanges(&conversation, &mut entries);
        asked.extend(questions(&conversation, from..entries.len()));
    }
    let ours = |asked: &Asked| {
        let question = Question::new(&query(asked.text.clone()), &entries);
        memory::rank(&entries, &question, MOST).into_iter().cloned().collect::<Vec<_>>()
    };
    let plain = plain(&entries);
    let missed_by = |found: &dyn Fn(&Asked) -> Vec<Entry>| {
        let missed =
            asked.iter().filter(|asked| !found(asked).iter().any(|entry| answers(entry, asked))).count();
        100.0 * missed as f64 / asked.len().max(1) as f64
    };
    let (ours, plain) = (missed_by(&ours), missed_by(&|asked| plain.best(&asked.text)));
    let over = format!("of {} questions to {} exchanges", asked.len(), entries.len());
    Ok(vec![
        Row::new(format!("not among {MOST} memories, {over}"), ours, "%").at_most(plain),
        Row::new("the same, plain BM25", plain, "%"),
    ])
}

fn exchanges(conversation: &Conversation, entries: &mut Vec<Entry>) {
    for pair in conversation.turns.windows(2) {
        if let [customer, bot] = pair
            && (customer.role.as_str(), bot.role.as_str()) == ("user", "assistant")
        {
            entries.push(entry(entries.len(), &format!("customer: {}", customer.text), &bot.text, false));
        }
    }
}

/// For each fact, a question that names what it is and two other facts of the same service.
fn questions(conversation: &Conversation, of: std::ops::Range<usize>) -> Vec<Asked> {
    let mut facts: Vec<(&str, &str, &str)> = conversation
        .final_facts
        .iter()
        .filter_map(|(name, value)| {
            name.split_once('.').map(|(service, slot)| (service, slot, value.as_str()))
        })
        .filter(|(.., value)| value.len() > 3 && !["True", "False"].contains(value))
        .collect();
    facts.sort_unstable();
    let beside = |service: &str, slot: &str| {
        let others = facts.iter().filter(|(other, name, _)| *other == service && *name != slot);
        let named: Vec<&str> = others.map(|(.., value)| *value).take(2).collect();
        (!named.is_empty()).then(|| named.join(" and "))
    };
    let ask = |(service, slot, value): &(&str, &str, &str)| {
        let text = format!("What was the {} again, with {}?", slot.replace('_', " "), beside(service, slot)?);
        Some(Asked { text, answer: value.to_lowercase(), of: of.clone() })
    };
    facts.iter().filter_map(ask).collect()
}

fn answers(entry: &Entry, asked: &Asked) -> bool {
    let Exchange { said, replied, to_seq, .. } = &entry.exchange;
    let inside = asked.of.contains(&(to_seq.0 as usize / 2 - 1));
    inside && (said.to_lowercase().contains(&asked.answer) || replied.to_lowercase().contains(&asked.answer))
}

/// BM25 over lower-case words and nothing else.
struct Plain<'e> {
    entries: &'e [Entry],
    documents: Vec<HashMap<String, f64>>,
    average: f64,
}

fn plain(entries: &[Entry]) -> Plain<'_> {
    let count = |entry: &Entry| {
        let mut counts = HashMap::new();
        for word in words(&format!("{} {}", entry.exchange.said, entry.exchange.replied)) {
            *counts.entry(word).or_insert(0.0) += 1.0;
        }
        counts
    };
    let documents: Vec<HashMap<String, f64>> = entries.iter().map(count).collect();
    let words: f64 = documents.iter().flat_map(HashMap::values).sum();
    Plain { entries, average: words / documents.len().max(1) as f64, documents }
}

impl Plain<'_> {
    fn best(&self, text: &str) -> Vec<Entry> {
        let asked: HashSet<String> = words(text).collect();
        let all = self.documents.len() as f64;
        let weight = |word: &String| {
            let found = self.documents.iter().filter(|document| document.contains_key(word)).count() as f64;
            (1.0 + (all - found + 0.5) / (found + 0.5)).ln()
        };
        let weights: HashMap<&String, f64> = asked.iter().map(|word| (word, weight(word))).collect();
        let score = |document: &HashMap<String, f64>| -> f64 {
            let norm = 1.2 * (0.25 + 0.75 * document.values().sum::<f64>() / self.average);
            let of = |(word, weight): (&&String, &f64)| {
                document.get(*word).map_or(0.0, |count| weight * count * 2.2 / (count + norm))
            };
            weights.iter().map(of).sum()
        };
        let mut scored: Vec<(f64, usize)> = self.documents.iter().map(score).zip(0..).collect();
        scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.cmp(x)));
        scored.into_iter().take(MOST).map(|(_, at)| self.entries[at].clone()).collect()
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
