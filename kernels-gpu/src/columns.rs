//! Reductions and scans of the columns of a row-major matrix: the order of combination, how the work is divided, and what a launch
//! provides.
//!
//! # The order, version 1
//!
//! Part of the bit contract. A column's items, from the first row on, are combined as those of a segment are (see [`crate::segments`]):
//! by sixteens, counted from the first row. So a column has exactly the bits of a segment of the same items, and of a row of the
//! transposed matrix. An item's index, for operators that look at it, is its row. A column of no rows gives the identity.
//!
//! # The work
//!
//! A column is cut into **chunks** of [`CHUNK_ROWS`] rows, and a chunk into **leaves** of [`FAN`] rows. A **unit** is a chunk of one
//! column. Units are numbered along the rows: unit `u` is chunk `u / columns` of column `u % columns`. A block has [`WARP_LANES`]
//! consecutive units, one for each lane; each of its [`BLOCK_WARPS`] warps has one of the leaves of all of them. So the lanes of a warp
//! read neighbouring items of a row, and where a row has fewer items than a warp has lanes, the others read the chunks below.
//!
//! Units of columns that have several chunks are told to other blocks by the state word of their number.
//!
//! None of the numbers here but [`FAN`] changes a result.

use crate::contract::WARP_LANES;
use crate::segments::FAN;
use crate::workspace::words_per_accumulator;

/// Rows of a chunk.
pub const CHUNK_ROWS: u64 = FAN.pow(2) as u64;

/// Warps of a block: one for each leaf of a chunk.
pub const BLOCK_WARPS: u32 = FAN;

/// Threads of a block.
pub const BLOCK_THREADS: u32 = BLOCK_WARPS * WARP_LANES;

/// Chunks of a column of `row_count` items. One of no items has an empty one.
pub const fn chunk_count(row_count: u64) -> u64 {
    row_count.saturating_sub(1) / CHUNK_ROWS + 1
}

/// Blocks of a launch.
pub const fn block_count(row_count: u64, column_count: u64) -> u64 {
    (chunk_count(row_count) * column_count).div_ceil(WARP_LANES as u64)
}

/// State words of a launch with accumulators of type `A`: none where a column has one chunk only.
pub const fn state_words<A>(row_count: u64, column_count: u64) -> u64 {
    match chunk_count(row_count) {
        1 => 0,
        chunks => chunks * column_count * words_per_accumulator::<A>(),
    }
}

/// What a block's threads tell each other, with accumulators of type `A`.
#[repr(C, align(16))]
pub struct Shared<A> {
    /// Which block it is, in the order of the tickets.
    pub ticket: u32,
    /// The launch's tag.
    pub tag: u32,
    /// The total of each leaf of each unit.
    pub leaves: [Lanes<A>; FAN as usize],
    /// What other blocks have told, for each unit. In the end, the first row has what stands before each.
    pub told: [Lanes<A>; FAN as usize - 1],
}

/// A value for each unit of a block.
pub type Lanes<A> = [A; WARP_LANES as usize];

/// Bytes of dynamic shared memory of a block.
pub const fn shared_bytes<A>() -> u32 {
    size_of::<Shared<A>>() as u32
}

const _: () = {
    assert!(block_count(0, 1) == 1 && block_count(257, 16) == 1 && block_count(257, 17) == 2);
    // What every device has for a block.
    assert!(shared_bytes::<[u32; 16]>() <= 64 << 10);
};
