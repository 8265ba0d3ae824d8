//! Functions on the PTX that a compiler emits for users' files. They replace hooks, name the memory of each access, make both scans of an
//! operator from one function, and find the operators to refuse.

pub mod control_flow;
pub mod hook;
pub mod refuse;
pub mod scans;
pub mod space;
pub mod splice;
