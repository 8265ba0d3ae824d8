//! The kernels are divided into parts. Each part has separate texts.

use warpfold_kernels::kind::launch_bounds;
use warpfold_ladder_kernels::texts::{LADDER, MOST_THREADS, NESTED, Text};
use warpfold_ptx::finish::{Bounds, Contents};

/// A part of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelSet {
    /// The library's kernels.
    Library,
    /// The ladder's kernels that only the host launches.
    Ladder,
    /// The ladder's kernels that launch kernels. These kernels call functions of CUDA's device runtime, which none of the texts define.
    Nested,
}

impl KernelSet {
    /// The folder of the part's committed texts, relative to the root.
    pub fn folder(self) -> &'static str {
        match self {
            KernelSet::Library => "host/ptx",
            KernelSet::Ladder | KernelSet::Nested => "ladder/ptx",
        }
    }

    /// The package of its kernels.
    pub fn package(self) -> &'static str {
        match self {
            KernelSet::Library => "warpfold-kernels",
            KernelSet::Ladder | KernelSet::Nested => "warpfold-ladder-kernels",
        }
    }

    /// The folder of the part's [package](Self::package), relative to the root.
    pub const fn source(self) -> &'static str {
        match self {
            KernelSet::Library => "kernels-gpu",
            KernelSet::Ladder | KernelSet::Nested => "ladder/kernels",
        }
    }

    /// The features that the package is built with.
    pub fn features(self) -> &'static str {
        match self {
            KernelSet::Library => "skeletons",
            KernelSet::Ladder | KernelSet::Nested => "",
        }
    }

    /// What the committed text keeps of the compiler's output.
    pub fn contents(self) -> Contents {
        match self {
            KernelSet::Library => Contents {
                has: |_| true,
                has_declarations: false,
                bounds: bounds_of_row,
            },
            KernelSet::Ladder => contents_of(LADDER),
            KernelSet::Nested => contents_of(NESTED),
        }
    }
}

/// The launch bounds of a row of the library.
pub fn bounds_of_row(symbol: &str) -> Option<Bounds> {
    launch_bounds(symbol).map(Bounds::from)
}

fn contents_of(text: Text) -> Contents {
    Contents {
        has: text.has,
        has_declarations: text.has_declarations,
        bounds: |_| Some(Bounds::of_threads(MOST_THREADS)),
    }
}
