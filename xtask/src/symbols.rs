//! The symbols of each part of the kernels, from the tables, and the things that these kernels must not contain.

use warpfold_ptx::inspect::{Operands, Thing};

use crate::kernel_set::KernelSet;

/// The architectures of the library's texts, as values of `VIRTUAL_GPU_ARCH`.
pub const ARCHITECTURES: [&str; 3] = ["sm_90", "sm_80", "sm_70"];

macro_rules! library_symbols {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
}

macro_rules! ladder_symbols {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        &[$(stringify!($symbol)),*]
    };
}

const LIBRARY: &[&str] = warpfold_kernels::for_each_row!(library_symbols);
const LADDER: &[&str] = warpfold_ladder_kernels::for_each_ladder_kernel!(ladder_symbols);
const NESTED: &[&str] = warpfold_ladder_kernels::for_each_nested_kernel!(ladder_symbols);

/// The only nested kernel that is not a row of the table.
const NESTED_HELLO: &str = "ladder_nested_hello";

impl KernelSet {
    /// The part's entries. The part's text has these and no others.
    pub fn symbols(self) -> Vec<&'static str> {
        match self {
            KernelSet::Library => LIBRARY.to_vec(),
            KernelSet::Ladder => LADDER.to_vec(),
            KernelSet::Nested => [NESTED, &[NESTED_HELLO]].concat(),
        }
    }

    /// The things that the part's kernels must not contain.
    ///
    /// Some kernels of the ladder divide by a stride, a power of two. rust-cuda's older LLVM does not see that the stride is never 0, and
    /// leaves a trap. So [`Thing::Panic`] is not forbidden in its output.
    pub fn forbidden(self, operands: Operands) -> &'static [Thing] {
        match (self, operands) {
            (KernelSet::Library, _) | (KernelSet::Ladder, Operands::Known) => &Thing::ALL,
            (KernelSet::Ladder, Operands::InRegisters) => &[
                Thing::Call,
                Thing::LocalMemory,
                Thing::Fused,
                Thing::Flushed,
                Thing::Variable,
                Thing::Pragma,
            ],
            (KernelSet::Nested, _) => &[Thing::Panic, Thing::Fused, Thing::Flushed],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_ladders_kernels_is_in_one_of_its_texts() {
        for (part, other) in [
            (KernelSet::Ladder, KernelSet::Nested),
            (KernelSet::Nested, KernelSet::Ladder),
        ] {
            for symbol in part.symbols() {
                assert!((part.contents().has)(symbol), "{symbol}");
                assert!(!(other.contents().has)(symbol), "{symbol}");
            }
        }
    }
}
