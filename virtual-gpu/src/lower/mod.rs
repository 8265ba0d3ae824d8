//! Turns a syntax tree into programs: resolves names, checks types, expands calls, numbers branch
//! targets, ranks instructions so that diverged lanes reconverge, and lets registers share rows.
//!
//! Everything unsupported ([`LIMITS`](crate::LIMITS)) in a kernel, or in a function that a kernel calls, is found when the text is loaded,
//! and never while a kernel runs. A call of a function of the text is replaced by the function's body, so recursion and calls through
//! pointers are not possible.

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
mod sharing;
mod space;
mod special;
mod synchronise;
mod transfer;
mod types;
mod variables;

pub use error::LoadError;
pub(crate) use module::lower;
