//! Piles: spills that no recall would read any more, in one that stands for them. Its values find each of them, and
//! their texts stay word for word in its bodies (*facts-survive*).

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
    let together = fitting(spills, alone.get(..old).unwrap_or_default());
    if together.len() > 1 {
        return together;
    }
    let from = |start: usize| fitting(spills, piles.get(start..).unwrap_or_default());
    (0..piles.len()).map(from).find(|together| together.len() > 1).unwrap_or_default()
}

/// The first of the candidates, as many as fit one pile.
fn fitting(spills: &[Entry], candidates: &[usize]) -> Vec<usize> {
    let (mut chars, mut bodies) = (0, 0);
    let fits = |at: &&usize| {
        let spill = &spills[**at];
        chars += text::chars(&spill.values) + 1;
        bodies += spill.bodies;
        chars <= SEARCH_CHARS && bodies <= PILE_BODIES
    };
    candidates.iter().take(PILE_SPILLS).take_while(fits).copied().collect()
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
        texts.extend([spill.exchange.said.as_str(), bodies]);
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn facts_survive_a_pile_has_every_value_and_every_word(count in 2..30_u64, most in 1..6_usize) {
            let mut spills: Vec<(Entry, String)> = (1..=count).map(|n| (spill(n, 0), String::new())).collect();
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
            prop_assert!(spills.len() <= most.max(2), "{} are left", spills.len());
            let texts = spills.iter().flat_map(|(pile, body)| [pile.exchange.said.as_str(), body]);
            let kept = Source::new(texts);
            for n in 1..=count {
                let told = spill(n, 0);
                prop_assert!(kept.lost(&told.exchange.said).is_empty());
                prop_assert!(spills.iter().any(|(pile, _)| pile.values.lines().any(|normal| normal == told.values)));
            }
        }
    }
}
