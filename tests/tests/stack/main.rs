//! Black-box tests against a running local stack; `make stack-tests` starts it.

mod commands;
mod data_replay;
mod front;
mod lifecycle;
mod readme;
