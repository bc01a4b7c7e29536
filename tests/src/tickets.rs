//! Past tickets of the data beside the checkout: split in half, asked, and compared with a plain TF-IDF.

use carryover_shared::hash;
use carryover_shared::similar::{Index, Ordinary, Packed, PastCase, Ticket};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A ticket and what it is about.
#[derive(Debug, Clone, Deserialize)]
pub struct Labelled {
    /// Its id.
    pub ticket_id: String,
    /// What the customer wrote.
    pub body: String,
    /// What was answered.
    pub answer: String,
    /// A word for what it is about.
    pub category: String,
    /// Letters for how it is written.
    pub tags: String,
    /// What it is about, exactly.
    pub intent: String,
    /// A value in it: an order number, a name.
    #[serde(default)]
    pub entity: Option<Entity>,
}

/// A value in a ticket.
#[derive(Debug, Clone, Deserialize)]
pub struct Entity {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// As it stands in the data.
    pub value: String,
}

/// The tickets of the data; `None` without it.
///
/// # Panics
/// If they cannot be read.
pub fn labelled() -> Option<Vec<Labelled>> {
    let path = "../../shared/data/tickets/bitext-tickets.jsonl";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = path.is_file().then(|| std::fs::read_to_string(path).expect("the data"))?;
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a ticket")).collect())
}

/// Lines 0, 2, 4, … and lines 1, 3, 5, …
pub fn halves(tickets: &[Labelled]) -> (Vec<Labelled>, Vec<Labelled>) {
    let half = |first| tickets.iter().skip(first).step_by(2).cloned().collect();
    (half(0), half(1))
}

/// So many tickets, made of these by varying what they say: each has words of its own.
///
/// # Panics
/// If there are none.
pub fn varied(tickets: &[Labelled], count: usize) -> Vec<Labelled> {
    let vary = |n: usize| {
        let ticket = &tickets[n % tickets.len()];
        let seed = hash::of(&n.to_string());
        Labelled {
            ticket_id: format!("{}-{n}", ticket.ticket_id),
            body: varied_text(&ticket.body, &seed, &tickets[usize::from(seed[0]) % tickets.len()].body),
            answer: varied_text(&ticket.answer, &seed, &n.to_string()),
            ..ticket.clone()
        }
    };
    (0..count).map(vary).collect()
}

/// A typing error, a word left out, two words swapped, and something added, each at a place of its own.
fn varied_text(text: &str, seed: &[u8; 32], added: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let place = |n: usize, length: usize| usize::from(seed[n]) % length.max(1);
    let (left_out, swapped, typed) = (place(1, words.len()), place(2, words.len()), place(3, words.len()));
    words.swap(swapped, left_out);
    let word = &mut words[typed];
    let at = word.char_indices().map(|(at, _)| at).nth(place(4, word.len()));
    if let Some(at) = at {
        word.insert(at, char::from(b'a' + seed[5] % 26));
    }
    if words.len() > 3 && seed[6].is_multiple_of(2) {
        words.remove(left_out);
    }
    format!("{} {}", words.join(" "), added.split(' ').next_back().unwrap_or_default())
}

/// What an import makes of them.
pub fn past_cases(tickets: &[Labelled]) -> Vec<PastCase> {
    let ticket = |ticket: &Labelled| Ticket {
        id: ticket.ticket_id.clone(),
        body: ticket.body.clone(),
        answer: ticket.answer.clone(),
        category: ticket.category.clone(),
        tags: vec![ticket.tags.clone()],
        ..Ticket::default()
    };
    let tickets: Vec<Ticket> = tickets.iter().map(ticket).collect();
    let ordinary = Ordinary::of(tickets.iter().flat_map(|ticket| [ticket.body.as_str(), &ticket.answer]));
    tickets.iter().map(|ticket| PastCase::of_ticket(ticket, &ordinary)).collect()
}

/// How often, of a hundred questions, the first ticket that was found is about the same, and how often one of the
/// first three is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The first one.
    pub first: f64,
    /// One of three.
    pub of_three: f64,
}

/// Asks `find` for the ids of tickets like each question.
pub fn agreement(indexed: &[Labelled], asked: &[Labelled], find: impl Fn(&str) -> Vec<String>) -> Agreement {
    let intents: HashMap<&str, &str> =
        indexed.iter().map(|ticket| (ticket.ticket_id.as_str(), ticket.intent.as_str())).collect();
    let (mut first, mut of_three) = (0, 0);
    for ticket in asked {
        let found = find(&ticket.body);
        let agrees = |id: &String| intents.get(id.as_str()) == Some(&ticket.intent.as_str());
        first += usize::from(found.first().is_some_and(agrees));
        of_three += usize::from(found.iter().take(3).any(agrees));
    }
    let percent = |hits: usize| hits as f64 * 100.0 / asked.len() as f64;
    Agreement { first: percent(first), of_three: percent(of_three) }
}

/// The agreement of the index.
///
/// # Panics
/// If the index cannot be read.
pub fn of_index(indexed: &[Labelled], asked: &[Labelled]) -> Agreement {
    let index = Index::read(&Packed::of(past_cases(indexed)).bytes).expect("an index");
    let cases = index.cases().expect("cases");
    agreement(indexed, asked, |question| {
        index.nearest(question, 3).iter().map(|near| cases[near.case].id().to_owned()).collect()
    })
}

/// The agreement of a plain TF-IDF: cosine of whole words, in lower case, weighted by smoothed rarity.
pub fn of_plain(indexed: &[Labelled], asked: &[Labelled]) -> Agreement {
    let plain = Plain::of(indexed);
    agreement(indexed, asked, |question| {
        plain.nearest(question).into_iter().take(3).map(|at| indexed[at].ticket_id.clone()).collect()
    })
}

struct Plain {
    rarity: HashMap<String, f64>,
    vectors: Vec<HashMap<String, f64>>,
}

impl Plain {
    fn of(tickets: &[Labelled]) -> Self {
        let mut found_in: HashMap<String, f64> = HashMap::new();
        for ticket in tickets {
            for word in words(&ticket.body).into_iter().collect::<HashSet<_>>() {
                *found_in.entry(word).or_default() += 1.0;
            }
        }
        let all = tickets.len() as f64;
        let rarity = found_in.into_iter().map(|(word, n)| (word, ((1.0 + all) / (1.0 + n)).ln() + 1.0));
        let mut plain = Self { rarity: rarity.collect(), vectors: vec![] };
        plain.vectors = tickets.iter().map(|ticket| plain.vector(&ticket.body)).collect();
        plain
    }

    fn vector(&self, text: &str) -> HashMap<String, f64> {
        let mut vector: HashMap<String, f64> = HashMap::new();
        for word in words(text) {
            if let Some(rarity) = self.rarity.get(&word) {
                *vector.entry(word).or_default() += rarity;
            }
        }
        let length = vector.values().map(|weight| weight * weight).sum::<f64>().sqrt();
        vector.values_mut().for_each(|weight| *weight /= length);
        vector
    }

    fn nearest(&self, question: &str) -> Vec<usize> {
        let asked = self.vector(question);
        let cosine = |vector: &HashMap<String, f64>| {
            asked.iter().map(|(word, weight)| weight * vector.get(word).unwrap_or(&0.0)).sum::<f64>()
        };
        let scores: Vec<f64> = self.vectors.iter().map(cosine).collect();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        order
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|mark: char| !mark.is_alphanumeric() && mark != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
