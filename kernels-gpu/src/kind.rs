//! The kinds of kernels, each written once: what its symbols begin with, how it is launched, which barriers its source has, and what
//! is inspected of it.
//!
//! A kind's definition is a constant in `kind.rs` of its folder, and a line of the [table](crate::table). The program that makes the committed PTX,
//! `warpfold-build` and the library's build read it. On the host alone: no kernel needs to know of its kind.

use core::fmt;

pub use crate::table::Kind;

use crate::op::*;
use crate::{bf16, f16};

/// What a kind of kernel is.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// What the symbols of its rows begin with, before the row's name.
    pub prefix: &'static str,
    /// What the names of its skeletons begin with.
    pub skeleton: &'static str,
    /// What the skeletons' names tell of an operator, beside the widths of its types.
    pub skeletons_tell: SkeletonsTell,
    /// In which shape the items lie.
    pub shape: Shape,
    /// The most threads of a block.
    pub threads: u32,
    /// How many blocks are to share a multiprocessor, where the row does not say another number.
    pub blocks: u32,
    /// The barriers in the source.
    pub barriers: &'static [Barrier],
    /// How it reads and writes vectors, as far as that is inspected.
    pub vectors: Vectors,
}

/// In which shape the items of a kernel lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An array.
    Array,
    /// Two arrays of as many items.
    Pairs,
    /// Segments of an array.
    Segments,
    /// Columns of a row-major matrix.
    Columns,
    /// An array of which some items are chosen.
    Selection,
}

/// What the names of a kind's skeletons tell of an operator, beside widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkeletonsTell {
    /// Nothing: either kind of operator has the same.
    Nothing,
    /// Whether any order gives the same bits.
    Exactness,
    /// That, and whether some item lifts to the identity.
    ExactnessAndIdentity,
}

/// How a kind's kernels read and write vectors of 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// A thread reads those of a tile at once, and of a ragged one in a loop.
    Tile,
    /// The same of two inputs, of each half as wide ones.
    TileOfPairs,
    /// A thread reads, or copies to shared memory, a short tile's and a long tile's, and writes as many.
    ShortAndLongTile,
    /// As many as there are: this is not inspected.
    Any,
}

/// Barriers of one sort in a kernel's source. As an instruction it reads `bar.sync 1, 256`, with `%r` for a number that is not
/// known when the kernel is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier {
    arrives: bool,
    /// Its number, if it is known.
    number: Option<u32>,
    /// Threads, if not all of the block.
    threads: Option<u32>,
    /// How many of them the source has.
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

    /// Barriers of this number that so many threads wait at.
    pub(crate) const fn sync(number: Option<u32>, threads: u32, count: usize) -> Self {
        Self {
            arrives: false,
            number,
            threads: Some(threads),
            count,
        }
    }

    /// Arrivals at barriers of this number, which count so many threads, by those who do not wait.
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

/// Makes the enum of the kinds, and their list.
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

            /// What the kind is.
            pub const fn definition(self) -> &'static $crate::kind::Definition {
                match self {
                    $(Self::$kind => &$definition,)*
                }
            }
        }
    };
}

impl Kind {
    /// The kind that a symbol says, and the row's name.
    pub fn of(symbol: &str) -> Option<(Self, &str)> {
        let named = Self::ALL.iter().filter_map(|&kind| {
            let name = symbol.strip_prefix(kind.definition().prefix)?;
            Some((kind, name))
        });
        // `reduce_pairs_dot` is no reduction called `pairs_dot`.
        named.min_by_key(|(_, name)| name.len())
    }
}

/// How a row of the table is launched: the most threads of a block, and how many blocks are to share a multiprocessor. `None` for another
/// symbol.
///
/// Without that the driver's compiler may give a scan's threads more registers than a block of 544 can have.
pub fn launch_bounds(symbol: &str) -> Option<(u32, u32)> {
    let (kind, _) = Kind::of(symbol)?;
    let Definition {
        threads, blocks, ..
    } = kind.definition();
    let mut rows = BLOCKS_OF_REDUCTIONS.iter().copied().flatten();
    let own = rows.find(|(row, _)| *row == symbol);
    Some((*threads, own.map_or(*blocks, |(_, own)| *own)))
}

/// How many blocks of the table's reductions are to share a multiprocessor: of whole arrays, of segments, of columns.
static BLOCKS_OF_REDUCTIONS: [&[(&str, u32)]; 3] = {
    use crate::columns::tuning::reduce_blocks as columns_reduce;
    use crate::launch::reduce_blocks_per_multiprocessor as reduce;
    use crate::launch::reduce_blocks_per_multiprocessor as reduce_pairs;
    use crate::segments::tuning::reduce_blocks as segmented_reduce;
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
        crate::for_each_columns_kernel!(rows),
    ]
};

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_symbol_says_the_kind() {
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
    fn each_row_of_the_table_is_of_the_kind_that_it_names() {
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
    fn a_row_may_have_blocks_of_its_own() {
        assert_eq!(launch_bounds("reduce_sum_f32"), Some((256, 3)));
        assert_eq!(launch_bounds("reduce_wide_sum_f32"), Some((256, 2)));
        assert_eq!(launch_bounds("reduce_pairs_dot_f32"), Some((256, 3)));
        assert_eq!(launch_bounds("runs_equal_u8"), Some((544, 2)));
        assert_eq!(launch_bounds("segmented_reduce_sum_f32"), Some((256, 4)));
        assert_eq!(
            launch_bounds("segmented_reduce_statistics_f32"),
            Some((256, 2))
        );
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
