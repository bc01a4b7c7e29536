//! Sets of short texts by hash: there are thousands of words in a turn, and their letters are not needed again.

use crate::text::push_bare;

/// A set of texts that compare in lower case and without accents. Sorted rather than hashed into buckets, so that no choice of words can
/// make it slow; two words share a hash by chance about once in 10¹³ sets.
#[derive(Debug, Default, Clone)]
pub(super) struct Hashes(Vec<u64>);

impl Hashes {
    pub(super) fn add(&mut self, text: &str) {
        self.0.push(hash(text));
    }

    /// Makes the set ready to be asked.
    pub(super) fn seal(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.0.binary_search(&hash(text)).is_ok()
    }
}

fn hash(text: &str) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15;
    if text.is_ascii() {
        state = mix_all(state, text.as_bytes());
    } else {
        let mut plain = String::with_capacity(text.len());
        text.chars().for_each(|letter| push_bare(&mut plain, letter));
        state = mix_all(state, plain.as_bytes());
        return mix(state, plain.len() as u64);
    }
    mix(state, text.len() as u64)
}

fn mix_all(mut state: u64, bytes: &[u8]) -> u64 {
    for chunk in bytes.chunks(8) {
        let mut eight = [0u8; 8];
        eight.iter_mut().zip(chunk).for_each(|(byte, letter)| *byte = letter.to_ascii_lowercase());
        state = mix(state, u64::from_le_bytes(eight));
    }
    state
}

/// Both halves of a wide product: every bit of the input reaches every bit of the state.
fn mix(state: u64, input: u64) -> u64 {
    let product = u128::from(state ^ input) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
    (product as u64) ^ ((product >> 64) as u64)
}
