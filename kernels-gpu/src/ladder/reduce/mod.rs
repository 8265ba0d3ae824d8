//! The ladders of reductions, a file for each family of rungs.

pub mod halving;
