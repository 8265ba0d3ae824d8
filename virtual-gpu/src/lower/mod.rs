//! Syntax tree to programs: names resolved, types checked, calls written out in place, branches
//! turned into numbers, and an order of instructions found in which diverged lanes meet again.
//!
//! Whatever is not supported is found here, each place with its line; nothing about an instruction
//! is left to be refused while it runs. What it is, [`LIMITS`](crate::LIMITS) lists. A call is replaced
//! by the body of what is called, so there are neither recursion nor calls through pointers.

mod atomic;
mod bitwise;
mod body;
mod budget;
mod builtin;
mod calls;
mod carry;
mod compare;
mod convert;
mod convert_narrow;
mod convert_tensor;
mod copy;
mod dispatch;
mod error;
mod floating;
mod flow;
mod integer;
mod mbarrier;
mod module;
mod moves;
mod names;
mod narrow;
mod opcode;
mod operand;
mod order;
mod packed;
mod relation;
mod rows;
mod space;
mod special;
mod synchronise;
mod transfer;
mod types;
mod variables;

pub use error::LoadError;
pub(crate) use module::lower;
