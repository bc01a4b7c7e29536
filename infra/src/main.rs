//! The `carryover` command.

fn main() {}
