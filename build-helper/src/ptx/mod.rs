//! PTX as rustc's back end emits it: read, changed, written. Text in, text out; no tool is run.
//!
//! What is read is the subset that the back end writes and hooks contain. Anything else is an error, never a guess.

pub mod control_flow;
pub mod finish;
pub mod hook;
pub mod inspect;
pub mod narrow;
pub mod refuse;
pub mod space;
pub mod splice;
pub mod statement;
pub mod text;
