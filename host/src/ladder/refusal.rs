//! Why the ladder does not do what was asked.

use super::{BlockSizes, Kind, Rung};

/// Why a call of the ladder was refused. Nothing was launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The rung is not for blocks of this size.
    #[error("{rung} is not for blocks of {offered} threads; it takes {allowed}")]
    BlockSize {
        /// The rung.
        rung: Rung,
        /// The block size that was asked for.
        offered: u32,
        /// Those that it is for.
        allowed: BlockSizes,
    },

    /// The rung does something else.
    #[error("{rung} is no {wanted}: it is a {kind}", kind = rung.kind())]
    Kind {
        /// The rung.
        rung: Rung,
        /// What it was asked to do.
        wanted: Kind,
    },

    /// The rung has no kernel for this operator on items of this type.
    #[error("{rung} has no kernel for {operator} on items of type {element}")]
    NoKernel {
        /// The rung.
        rung: Rung,
        /// The operator's name.
        operator: &'static str,
        /// The type's name.
        element: &'static str,
    },
}
