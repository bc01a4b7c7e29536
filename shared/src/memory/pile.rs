//! Piles: spills that no recall would read any more, in one that stands for them. Its values find each of them, and
//! their texts stay word for word in its bodies (*facts-survive*). What the bot said is never in one pile with what
//! others said.

use super::{Entry, Exchange, SEARCH_CHARS};
use crate::text;
use std::collections::HashSet;

/// Spills of one pile.
const PILE_SPILLS: usize = 60;
/// Bodies of one pile: with these, one transaction has room for it.
const PILE_BODIES: usize = 8;

/// Which of these spills, oldest first, are piled up next, so that a recall reads `most` and misses none. Fewer than
/// two where that is so already, or where no two fit one pile.
///
/// Spills that stand alone come first, so that a pile is seldom written again; the newest always stay alone.
pub fn next_pile(spills: &[Entry], most: usize) -> Vec<usize> {
    if spills.len() <= most.max(1) {
        return vec![];
    }
    let (piles, alone): (Vec<usize>, Vec<usize>) = (0..spills.len()).partition(|at| spills[*at].bodies > 0);
    let old = alone.len().saturating_sub((most / 2).max(1));
    let old = alone.get(..old).unwrap_or_default();
    together(spills, old).or_else(|| together(spills, &piles)).unwrap_or_default()
}

/// The first of the candidates that fit one pile with others.
fn together(spills: &[Entry], candidates: &[usize]) -> Option<Vec<usize>> {
    let from = |start: usize| fitting(spills, candidates.get(start..).unwrap_or_default());
    (0..candidates.len()).map(from).find(|together| together.len() > 1)
}

/// The first of the candidates and those that are the bot's as it is, or others' as it is, as many as fit one pile.
fn fitting(spills: &[Entry], candidates: &[usize]) -> Vec<usize> {
    let is_bots = |at: &usize| spills[*at].exchange.is_bots();
    let first = candidates.first().map(is_bots);
    let alike = candidates.iter().filter(|at| Some(is_bots(at)) == first);
    let (mut chars, mut bodies) = (0, 0);
    let fits = |at: &&usize| {
        let spill = &spills[**at];
        chars += text::chars(&spill.values) + 1;
        bodies += spill.bodies;
        chars <= SEARCH_CHARS && bodies <= PILE_BODIES
    };
    alike.take(PILE_SPILLS).take_while(fits).copied().collect()
}

/// A pile of spills, oldest first, each with the text of its bodies; and the text for its own bodies. It stands where
/// the oldest stood and says what that one said.
pub fn piled(spills: &[(&Entry, String)]) -> Option<(Entry, String)> {
    let ((first, own), rest) = spills.split_first()?;
    let exchanges = || spills.iter().map(|(spill, _)| &spill.exchange);
    let mut seen = HashSet::new();
    let values: Vec<&str> = spills
        .iter()
        .flat_map(|(spill, _)| spill.values.lines())
        .filter(|normal| seen.insert(*normal))
        .collect();
    let mut texts = vec![own.as_str()];
    for (spill, bodies) in rest {
        texts.extend([spill.exchange.spilled(), bodies]);
    }
    texts.retain(|text| !text.is_empty());
    let exchange = Exchange {
        from_seq: exchanges().map(|exchange| exchange.from_seq).min()?,
        to_seq: exchanges().map(|exchange| exchange.to_seq).max()?,
        at: exchanges().map(|exchange| exchange.at).max()?,
        ..first.exchange.clone()
    };
    Some((Entry { exchange, values: values.join("\n"), ..(*first).clone() }, texts.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;
    use crate::thread::Seq;
    use crate::time::Timestamp;
    use crate::values::Source;
    use proptest::prelude::*;

    fn spill(n: u64, bodies: usize) -> Entry {
        let exchange = Exchange {
            origin: Origin::Spill { revision: n, n: 0 },
            said: format!("This is about order W{}.", 1_000_000 + n),
            replied: String::new(),
            from_seq: Seq(n),
            to_seq: Seq(n),
            at: Timestamp::from_millis(0),
        };
        Entry { bodies, ..Entry::of(exchange) }
    }

    #[test]
    fn nothing_is_piled_up_while_a_recall_reads_all() {
        let spills: Vec<Entry> = (1..=4).map(|n| spill(n, 0)).collect();
        assert!(next_pile(&spills, 4).is_empty());
        assert_eq!(next_pile(&spills, 3), [0, 1, 2], "the newest stays alone");
    }

    #[test]
    fn what_stands_alone_is_piled_up_before_piles_are() {
        let spills: Vec<Entry> = (1..=6).map(|n| spill(n, usize::from(n <= 2))).collect();
        assert_eq!(next_pile(&spills, 5), [2, 3]);
        let piles: Vec<Entry> = (1..=6).map(|n| spill(n, usize::from(n <= 5))).collect();
        assert_eq!(next_pile(&piles, 5), [0, 1, 2, 3, 4]);
        let full: Vec<Entry> = (1..=6).map(|n| spill(n, 8)).collect();
        assert!(next_pile(&full, 5).is_empty());
    }

    #[test]
    fn what_the_bot_said_is_piled_up_apart() {
        let mut spills: Vec<Entry> = (1..=7).map(|n| spill(n, 0)).collect();
        for at in [0, 3, 4] {
            spills[at].exchange = bots(spills[at].exchange.clone());
        }
        assert_eq!(next_pile(&spills, 3), [0, 3, 4]);
        let parts: Vec<(&Entry, String)> = [0, 3].map(|at| (&spills[at], "beside".to_owned())).to_vec();
        let (pile, body) = piled(&parts).expect("a pile");
        assert!(pile.exchange.is_bots() && pile.exchange.replied.contains("W1000001"));
        assert_eq!(body, "beside\nThis is about order W1000004.\nbeside");
        let two_kinds = [spills[0].clone(), spills[1].clone(), spills[2].clone(), spills[5].clone()];
        assert_eq!(next_pile(&two_kinds, 2), [1, 2]);
    }

    fn bots(exchange: Exchange) -> Exchange {
        Exchange { said: String::new(), replied: exchange.said, ..exchange }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn facts_survive_a_pile_has_every_value_and_every_word_of_one_side(
            count in 2..30_u64,
            most in 1..6_usize,
            of_bot in prop::collection::vec(any::<bool>(), 30),
        ) {
            let is_bots = |n: u64| of_bot.get(usize::try_from(n).expect("a small number")) == Some(&true);
            let told = |n: u64| match is_bots(n) {
                true => Entry::of(bots(spill(n, 0).exchange)),
                false => spill(n, 0),
            };
            let mut spills: Vec<(Entry, String)> = (1..=count).map(|n| (told(n), String::new())).collect();
            loop {
                let entries: Vec<Entry> = spills.iter().map(|(spill, _)| spill.clone()).collect();
                let group = next_pile(&entries, most);
                if group.len() < 2 {
                    break;
                }
                let parts: Vec<(&Entry, String)> = group.iter().map(|at| (&entries[*at], spills[*at].1.clone())).collect();
                let (pile, body) = piled(&parts).expect("a pile");
                spills[group[0]] = (Entry { bodies: 1, ..pile }, body);
                for at in group[1..].iter().rev() {
                    spills.remove(*at);
                }
            }
            // One pile more, and one that waits for its like.
            prop_assert!(spills.len() <= most.max(2) + 2, "{} are left", spills.len());
            let side = |is_bots: bool| {
                let piles = spills.iter().filter(move |(pile, _)| pile.exchange.is_bots() == is_bots);
                Source::new(piles.flat_map(|(pile, body)| [pile.exchange.spilled(), body]))
            };
            let (of_bot, of_others) = (side(true), side(false));
            for n in 1..=count {
                let told = told(n);
                let (own, other) = if is_bots(n) { (&of_bot, &of_others) } else { (&of_others, &of_bot) };
                prop_assert!(own.lost(told.exchange.spilled()).is_empty());
                prop_assert!(!other.lost(told.exchange.spilled()).is_empty());
                prop_assert!(spills.iter().any(|(pile, _)| pile.values.lines().any(|normal| normal == told.values)));
            }
        }
    }
}
