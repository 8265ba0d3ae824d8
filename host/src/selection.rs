//! Selection of items: by flags, by a predicate, or as heads of runs.

mod call;
mod kernels;
mod launch;
pub(crate) mod reference;

pub(crate) use call::and_wait;
pub use kernels::{HeadsKernel, RunsKernel, SelectKernel};
pub(crate) use kernels::{by_flags, by_predicate, heads};
pub(crate) use launch::{Chooser, Count, Outputs, Selection};
