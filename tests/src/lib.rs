//! What the suites share: the scripted model server and the client of a running stack.

pub mod clock;
pub mod table;
pub mod scripted_model;
