//! What the suites share: the scripted model server and the client of a running stack.

pub mod scripted_model;
