//! The `carryover` command: the local stack and everything an engineer does from a shell.

pub mod api;
pub mod checkout;
pub mod connection;
pub mod outputs;
pub mod run;
pub mod token;
