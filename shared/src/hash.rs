//! One hash for everything that must be named without being shown.

use sha2::{Digest, Sha256};

/// SHA-256 of a text.
pub fn of(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// SHA-256 of a text, as 64 hexadecimal digits.
pub fn hex(text: &str) -> String {
    hex_of(text.as_bytes())
}

/// SHA-256 of bytes, as 64 hexadecimal digits.
pub fn hex_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
