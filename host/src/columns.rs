//! Reductions and scans of the columns of row-major matrices.

mod launch;
pub(crate) mod reference;

pub(crate) use launch::{Matrices, reduce_column_to_host};
