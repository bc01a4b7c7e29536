//! Black-box tests against a running local stack; `make stack-tests` starts it.
//!
//! All tests share one stack and one scripted model. Each has customers of its own, whose messages carry a word that
//! nobody else uses; none depends on another, on their order or on how long something takes.

mod agents;
mod commands;
mod customer;
mod data_replay;
mod records;
mod told;

mod coverage;
mod crashes;
mod doors;
mod double_charge;
mod facts;
mod front;
mod guest;
mod health;
mod hindsight;
mod identities;
mod lifecycle;
mod long_thread;
mod notifications;
mod odd_answers;
mod portal;
mod queues;
mod races;
mod readme;
mod retention;
mod sign_in;
mod tickets;
