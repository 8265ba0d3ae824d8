//! The definitions of the kinds of kernels: symbols, skeletons, input, launch bounds, barriers and vector accesses.
//!
//! A kind's definition is a constant in its folder's `kind.rs`. A line of the [table](crate::table) names the constant. Three crates read
//! the definitions: `xtask`, which makes the committed PTX; `warpfold-build`; and `warpfold`, whose build script may compile the kernels
//! with rust-cuda. Definitions exist on the host alone: kernels do not use them.

use core::fmt;

pub use crate::table::Kind;

use crate::op::*;
use crate::{bf16, f16};

/// The definition of a kind of kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// The prefix of the symbols of the kind's rows. The rest of a symbol tells the kind's rows apart.
    pub prefix: &'static str,
    /// The beginning of the names of the kind's skeletons.
    pub skeleton: &'static str,
    /// The properties of an operator that the skeletons' names contain, besides the widths of its types.
    pub skeletons_tell: SkeletonsTell,
    /// The shape of the input.
    pub shape: Shape,
    /// The most threads of a block.
    pub threads: u32,
    /// How many blocks are to share a multiprocessor, unless a row has its own number.
    pub blocks: u32,
    /// The barriers in the source of a kernel of this kind. Kernels with other barriers have a list in `other_barriers`.
    pub barriers: &'static [Barrier],
    /// One list of barriers for each sort of kernel whose barriers are not those in `barriers`.
    pub other_barriers: &'static [&'static [Barrier]],
    /// How the kind's kernels read and write vectors, for the inspection of the PTX.
    pub vectors: Vectors,
}

/// The shape of a kernel's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An array.
    Array,
    /// Two arrays of equal length.
    Pairs,
    /// Segments of an array.
    Segments,
    /// Columns of row-major matrices.
    Columns,
    /// An array; some of its items are chosen.
    Selection,
    /// An array of keys.
    Keys,
}

/// The properties of an operator that the names of a kind's skeletons contain, besides the widths of its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkeletonsTell {
    /// None: all operators whose types have the same widths share a skeleton.
    Nothing,
    /// Exactness: whether any order of combination gives the same bits.
    Exactness,
    /// Exactness, and whether some item lifts to the identity.
    ExactnessAndIdentity,
}

/// How a kind's kernels read and write vectors of 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// If a tile is full and aligned, a thread reads its vectors of the tile all at once. Otherwise the thread reads its vectors in a loop.
    Tile,
    /// As [`Self::Tile`], but a vector has 8 bytes from each of two inputs.
    TileOfPairs,
    /// The text has code for short tiles and code for long tiles. In both, a thread loads its vectors of a whole tile, or copies them to
    /// shared memory, and later writes as many vectors of results.
    ShortAndLongTile,
    /// A thread reads and writes any number of vectors. The inspection does not check the number.
    Any,
}

/// Barriers of one sort in a kernel's source. They are displayed as an instruction such as `bar.sync 1, 256`, with `%r` for a barrier
/// number that is known only at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier {
    arrives: bool,
    /// The barrier's number, if the compiler knows it.
    number: Option<u32>,
    /// How many threads the barrier counts, if not all threads of the block.
    threads: Option<u32>,
    /// How many such barriers the source has.
    pub count: usize,
}

impl Barrier {
    /// Barriers of the whole block.
    pub(crate) const fn block(count: usize) -> Self {
        Self {
            arrives: false,
            number: Some(0),
            threads: None,
            count,
        }
    }

    /// Barriers with the number `number`, at which threads arrive and wait (`bar.sync`). Each barrier counts `threads` threads.
    pub(crate) const fn sync(number: Option<u32>, threads: u32, count: usize) -> Self {
        Self {
            arrives: false,
            number,
            threads: Some(threads),
            count,
        }
    }

    /// Barriers with the number `number`, at which threads arrive and do not wait (`bar.arrive`). Each barrier counts `threads` threads.
    pub(crate) const fn arrive(number: Option<u32>, threads: u32, count: usize) -> Self {
        Self {
            arrives: true,
            number,
            threads: Some(threads),
            count,
        }
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.arrives {
            "bar.arrive "
        } else {
            "bar.sync "
        })?;
        match self.number {
            Some(number) => write!(f, "{number}")?,
            None => f.write_str("%r")?,
        }
        match self.threads {
            Some(threads) => write!(f, ", {threads}"),
            None => Ok(()),
        }
    }
}

/// Makes the enum of the kinds, with a list of all kinds and each kind's definition.
macro_rules! kinds {
    ($($(#[$documentation:meta])* $kind:ident: $definition:path,)*) => {
        /// A kind of kernel.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$documentation])* $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The kind's definition.
            pub const fn definition(self) -> &'static $crate::kind::Definition {
                match self {
                    $(Self::$kind => &$definition,)*
                }
            }
        }
    };
}

impl Kind {
    /// The kind whose prefix the symbol has, and the rest of the symbol. If several kinds have such a prefix: the kind with the longest
    /// prefix.
    pub fn of(symbol: &str) -> Option<(Self, &str)> {
        let named = Self::ALL.iter().filter_map(|&kind| {
            let name = symbol.strip_prefix(kind.definition().prefix)?;
            Some((kind, name))
        });
        // The shortest rest has the longest prefix: `reduce_pairs_dot` is the row `dot` of `reduce_pairs_`, not the row `pairs_dot` of
        // `reduce_`.
        named.min_by_key(|(_, name)| name.len())
    }
}

/// The launch bounds of a row of the table: the most threads of a block, and how many blocks are to share a multiprocessor. `None` if the
/// symbol begins with no kind's prefix.
///
/// Without these bounds the driver's compiler may give a scan's threads more registers than a block of 544 threads can have.
pub fn launch_bounds(symbol: &str) -> Option<(u32, u32)> {
    let (kind, _) = Kind::of(symbol)?;
    let Definition {
        threads, blocks, ..
    } = kind.definition();
    let mut rows = BLOCKS_OF_REDUCTIONS.iter().copied().flatten();
    let own = rows.find(|(row, _)| *row == symbol);
    Some((*threads, own.map_or(*blocks, |(_, own)| *own)))
}

/// The symbols of the table's reductions, each with the number of blocks that are to share a multiprocessor. The four lists are for whole
/// arrays, segments, runs of keys and columns.
static BLOCKS_OF_REDUCTIONS: [&[(&str, u32)]; 4] = {
    use crate::columns::tuning::reduce_blocks as columns_reduce;
    use crate::launch::reduce_blocks_per_multiprocessor as reduce;
    use crate::launch::reduce_blocks_per_multiprocessor as reduce_pairs;
    use crate::segments::tuning::reduce_blocks as segmented_reduce;
    use crate::segments::tuning::reduce_blocks as by_key_reduce;
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            &[$((stringify!($symbol), $kind::<$op, rows!(@ $kind $t)>()),)*]
        };
        (@ reduce_pairs $t:ident) => { Pair<$t, $t> };
        (@ $kind:ident $t:ident) => { $t };
    }
    [
        crate::for_each_whole_array_reduction!(rows),
        crate::for_each_segmented_kernel!(rows),
        crate::for_each_by_key_reduce_kernel!(rows),
        crate::for_each_columns_kernel!(rows),
    ]
};

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_symbol_begins_with_its_kind() {
        assert_eq!(Kind::of("reduce_gcd"), Some((Kind::Reduce, "gcd")));
        assert_eq!(
            Kind::of("reduce_pairs_dot"),
            Some((Kind::ReducePairs, "dot"))
        );
        assert_eq!(
            Kind::of("exclusive_scan_gcd"),
            Some((Kind::ExclusiveScan, "gcd"))
        );
        assert_eq!(Kind::of("runs_equal_u8"), Some((Kind::Runs, "equal_u8")));
        assert_eq!(Kind::of("scan_gcd"), None);
        assert_eq!(Kind::of("kernel_gcd"), None);
    }

    #[test]
    fn every_rows_symbol_begins_with_the_rows_kind() {
        macro_rules! rows {
            ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
                &[$((stringify!($kind), stringify!($symbol))),*]
            };
        }
        let rows: &[(&str, &str)] = crate::for_each_row!(rows);
        for (name, symbol) in rows {
            let (kind, _) = Kind::of(symbol).unwrap();
            assert_eq!(kind.definition().prefix.trim_end_matches('_'), *name);
        }
        for kind in Kind::ALL {
            let prefix = kind.definition().prefix.trim_end_matches('_');
            assert!(rows.iter().any(|(name, _)| *name == prefix), "{prefix}");
        }
    }

    #[test]
    fn rows_have_their_own_launch_bounds() {
        assert_eq!(launch_bounds("reduce_sum_f32"), Some((256, 3)));
        assert_eq!(launch_bounds("reduce_wide_sum_f32"), Some((256, 2)));
        assert_eq!(launch_bounds("reduce_pairs_dot_f32"), Some((256, 3)));
        assert_eq!(launch_bounds("runs_equal_u8"), Some((544, 2)));
        assert_eq!(launch_bounds("segmented_reduce_sum_f32"), Some((256, 4)));
        assert_eq!(
            launch_bounds("segmented_reduce_statistics_f32"),
            Some((256, 2))
        );
        assert_eq!(launch_bounds("by_key_reduce_sum_f32"), Some((256, 4)));
        assert_eq!(
            launch_bounds("columns_reduce_statistics_u8"),
            Some((512, 1))
        );
        assert_eq!(launch_bounds("columns_reduce_sum_f32"), Some((512, 3)));
        assert_eq!(launch_bounds("columns_reduce_sum_f64"), Some((512, 2)));
        assert_eq!(launch_bounds("scan_u8"), None);
    }

    #[test]
    fn barriers_are_written_as_instructions() {
        let written = |barrier: Barrier| barrier.to_string();
        assert_eq!(written(Barrier::block(3)), "bar.sync 0");
        assert_eq!(written(Barrier::sync(Some(1), 256, 1)), "bar.sync 1, 256");
        assert_eq!(written(Barrier::arrive(None, 64, 1)), "bar.arrive %r, 64");
    }
}
