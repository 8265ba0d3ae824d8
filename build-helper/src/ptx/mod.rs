//! PTX as stable rustc's back end emits it for users' files: hooks replaced, memory named, operators refused. Text in, text out.
//!
//! The parser reads the subset that the back end writes and that hooks contain. Anything else is an error, never a guess.

pub mod control_flow;
pub mod hook;
pub mod refuse;
pub mod scans;
pub mod space;
pub mod splice;
