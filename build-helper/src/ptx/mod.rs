//! Functions on the PTX that stable rustc's back end emits for users' files. They replace hooks, name the memory of each access, make both
//! scans of one function, and find the operators to refuse.
//!
//! The parser reads the subset of PTX that the back end and the hooks use. Anything else is an error, never a guess.

pub mod control_flow;
pub mod hook;
pub mod refuse;
pub mod scans;
pub mod space;
pub mod splice;
