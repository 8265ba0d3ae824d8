//! Reductions and scans of the columns of row-major matrices: the order of combination, the division of the work, and the resources of a
//! launch.
//!
//! # The order, version 3
//!
//! The order of combination is part of the bit contract. A column's items are combined like a segment's items (see [`crate::segments`]), in
//! groups of sixteen. The groups begin at the first row; in a backward scan, they begin at the last row. So a column's results have the
//! same bits as the results of a segment with the same items, or of a row of the transposed matrix. For operators that use an item's index,
//! this index is the number of the item's row, counted from the row where the groups begin. The result of a column without rows is the
//! identity, lowered.
//!
//! # Along an axis
//!
//! A dense array of three axes, (outer, length, inner), is handled as several matrices: one for each index of the outer axis. Each of these
//! matrices has `length` rows and `inner` columns. The columns of all matrices are numbered as if they belonged to one matrix: column `c`
//! is column `c % inner` of matrix `c / inner`. The distance from row to row, in items, is the *row pitch*. It may exceed the number of
//! items of a row. The *matrix pitch* is the distance from matrix to matrix, also in items. Rows with a pitch are handled as columns too:
//! the items of each row count as a matrix of one column. The layout changes no bit of a result.
//!
//! # The work
//!
//! A column is cut into **chunks** of [`CHUNK_ROWS`] rows, and a chunk into **leaves** of [`FAN`] rows. A **unit** is a chunk of one
//! column. Units are numbered along the rows: unit `u` is chunk `u / columns` of column `u % columns`. A group of [`unit_warps`] warps
//! works on [`WARP_LANES`] consecutive units, one for each lane. So the lanes of a warp read neighbouring items of a row. If a row of a
//! matrix ends within the 32 units, the remaining lanes have columns of the next matrix. After the last matrix, they have the next chunks,
//! beginning with column 0. Warp `w` of the group folds leaf `w` of each of these units. A block's [`BLOCK_WARPS`] warps form as many
//! groups as they can. If columns have more than 128 rows, all warps form one group. If each column is a single leaf, each warp is a group.
//!
//! If columns have several chunks, each unit has state words of its own. Each unit except a column's last publishes its value there.
//!
//! Of the numbers that this module uses, only [`FAN`] changes results.

#[macro_use]
mod arguments;
mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod kind;
pub mod tuning;

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
#[doc(hidden)]
pub mod kernel;
#[cfg(all(
    any(target_arch = "nvptx64", feature = "cuda_std"),
    feature = "skeletons"
))]
mod skeletons;

pub use arguments::*;

use crate::contract::WARP_LANES;
use crate::segments::FAN;
use crate::workspace::words_per_accumulator;

/// The number of rows of a chunk.
pub const CHUNK_ROWS: u64 = FAN.pow(2) as u64;

/// The number of warps of a block: one for each leaf of a chunk.
pub const BLOCK_WARPS: u32 = FAN;

/// The number of warps that share 32 units, in columns of `row_count` rows: one for each leaf of a chunk, rounded up to a power of two.
pub const fn unit_warps(row_count: u64) -> u32 {
    let rows = if row_count < CHUNK_ROWS {
        row_count as u32
    } else {
        CHUNK_ROWS as u32
    };
    rows.div_ceil(FAN).next_power_of_two()
}

/// The number of units of a block.
const fn block_units(row_count: u64) -> u64 {
    (BLOCK_WARPS / unit_warps(row_count) * WARP_LANES) as u64
}

/// The number of threads of a block.
pub const BLOCK_THREADS: u32 = BLOCK_WARPS * WARP_LANES;

/// The number of chunks of a column of `row_count` items. An empty column has one empty chunk.
pub const fn chunk_count(row_count: u64) -> u64 {
    row_count.saturating_sub(1) / CHUNK_ROWS + 1
}

/// The number of blocks of a launch. All matrices together have `column_count` columns.
pub const fn block_count(row_count: u64, column_count: u64) -> u64 {
    (chunk_count(row_count) * column_count).div_ceil(block_units(row_count))
}

/// The number of state words of a launch with accumulators of type `A`: none if a column has a single chunk.
pub const fn state_words<A>(row_count: u64, column_count: u64) -> u64 {
    match chunk_count(row_count) {
        1 => 0,
        chunks => chunks * column_count * words_per_accumulator::<A>(),
    }
}

/// The shared memory in which a block's threads exchange values, with accumulators of type `A`.
#[repr(C, align(16))]
pub struct Shared<A> {
    /// The index of the block's ticket, which decides the block's units.
    pub ticket: u32,
    /// The launch's tag.
    pub tag: u32,
    /// For each warp, the totals of 32 leaves. These are the leaves that the warp's lanes fold, one in each lane's unit.
    pub leaves: [Lanes<A>; FAN as usize],
    /// Published values that were read from the board: up to 15 for each lane's unit. At the end of a scan of columns with several chunks,
    /// the prefix of a lane's unit takes the place of the unit's value 0.
    pub published: [Lanes<A>; FAN as usize - 1],
}

/// A value for each lane of a warp.
pub type Lanes<A> = [A; WARP_LANES as usize];

/// The number of bytes of a block's dynamic shared memory.
pub const fn shared_bytes<A>() -> u32 {
    size_of::<Shared<A>>() as u32
}

const _: () = {
    assert!(block_count(0, 1) == 1 && block_count(257, 16) == 1 && block_count(257, 17) == 2);
    assert!(
        unit_warps(0) == 1 && unit_warps(16) == 1 && unit_warps(17) == 2 && unit_warps(33) == 4
    );
    assert!(unit_warps(129) == 16 && unit_warps(u64::MAX) == BLOCK_WARPS);
    assert!(block_count(16, 513) == 2 && block_count(17, 256) == 1);
    // Every device of compute capability 7.0 or later can give a block this much shared memory.
    assert!(shared_bytes::<[u32; 16]>() <= 64 << 10);
};
