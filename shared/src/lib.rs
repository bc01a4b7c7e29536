//! Carryover's library: pure domain first, then use cases, then adapters.
//!
//! *Domain*: no I/O, no clock, no SDK. *Use cases* take the store and a few small traits. *Adapters* talk to
//! the world. Domain imports nothing of the others; use cases import domain and the traits; adapters import
//! domain; functions wire one use case to its adapters and contain no decision.

// Domain.
pub mod agent;
pub mod case;
pub mod checks;
pub mod contact;
pub mod decision;
pub mod facts;
pub mod feedback;
pub mod fence;
pub mod flag;
pub mod hash;
pub mod job;
pub mod limits;
pub mod memory;
pub mod notification;
pub mod operator;
pub mod prompt;
pub mod routing;
pub mod rules;
pub mod similar;
pub mod snapshot;
pub mod summary;
pub mod text;
pub mod thread;
pub mod time;
pub mod trace;
pub mod values;
pub mod window;
pub mod wrong;

// What use cases need of the world.
pub mod traits;

// Use cases.
pub mod admit;
pub mod desk;
pub mod erase;
pub mod fold;
pub mod handoff;
pub mod health;
pub mod join;
pub mod notify;
pub mod portal;
pub mod prices;
pub mod release;
pub mod retain;
pub mod sweep;
pub mod tally;
pub mod turn;

// Adapters.
pub mod api;
pub mod aws;
pub mod bank;
pub mod clock;
pub mod config;
pub mod events;
pub mod http;
pub mod messenger;
pub mod model;
pub mod queue;
pub mod store;
pub mod telemetry;
pub mod tickets;
pub mod wiring;
