//! The `carryover` command: the local stack and everything an engineer does from a shell.

pub mod agent;
pub mod api;
pub mod chat;
pub mod checkout;
pub mod connection;
pub mod facts;
pub mod forget;
pub mod hand_back;
pub mod import;
pub mod install;
pub mod outputs;
pub mod redrive;
pub mod replay;
pub mod run;
pub mod show;
pub mod sign_in;
mod terminal;
pub mod tickets;
pub mod token;
pub mod trace;
