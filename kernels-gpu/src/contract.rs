//! The bit contract, version 3: the order in which a result is combined.
//!
//! A result depends only on the values, their number `n`, the element type, the operator, the shape and the options. It does not depend on
//! the GPU, the number of its multiprocessors, the alignment of a pointer or the schedule. So it is the same each time that a program
//! computes it. This module names the numbers that fix the order for whole arrays. Kernels, launches and the host-side reference all take
//! these numbers from this module. A change of any of these numbers changes the bits of float results, and so needs a new version of the
//! contract.
//!
//! Notation: `⊕` is the operator, `e` its identity, `left fold` is `((e ⊕ x₀) ⊕ x₁) ⊕ …`. Items are lifted to the operator's
//! [`Accumulator`](crate::op::Op::Accumulator) type, and combined as values of this type. A result is lowered from its accumulator once, at
//! the end. Identities are exact (`e ⊕ x` and `x ⊕ e` are `x`, bit for bit, except for NaN), so missing items count as `e` everywhere
//! below. In particular, the last tile is filled up with `e`. An accumulator of more than two words of 32 bits is called **wide**.
//!
//! A **vector** is `V` consecutive items, see [`vector_items`]:
//!
//! | bytes of an item | 1 | 2 | 4 | 8 | 16 | 12 | 20 to 32 | 36 to 64 |
//! |---|---|---|---|---|---|---|---|---|
//! | items of a vector, `V` | 16 | 8 | 4 | 2 | 1 | 1 | 1 | 1 |
//! | vectors of a thread in a tile of a reduction, `N` | 8 | 8 | 8 | 8 | 8 | 8 | 4 | 2 |
//! | vectors of a thread in a tile of a short scan (8 warps), `R` | 4 | 4 | 4 | 5 | 4 | 5 | 3 | 1 |
//! | vectors of a thread in a tile of a long scan (16 warps), `R` | 7 | 7 | 7 | 7 | 7 | 7 | | |
//!
//! Items of more than 16 bytes are **large**. A tile of a long scan of large items has 8 warps:
//!
//! | bytes of an item | 20 | 24 | 28 | 32 | 36 to 44 | 48 | 52 to 64 |
//! |---|---|---|---|---|---|---|---|
//! | vectors of a thread in a tile of a long scan, `R` | 11 | 9 | 7 | 6 | 5 | 4 | 3 |
//!
//! For a scan, "an item" in these tables is the wider of an item and a result ([`Wider`]). If an operator is [exact](crate::op::Op::EXACT),
//! tiles of any shape give the same bits. Scans by an exact operator have the tiles of [`crate::scan::tuning`].
//!
//! # Reduction
//!
//! A **tile** is `N` vectors for each of 256 threads, see [`thread_vectors`].
//!
//! 1. Tiles are gathered into chunks of [`reduce_chunk_tiles`] consecutive tiles (a power of two that depends on `n`).
//! 2. In a tile, vector `v` (0..`N`) of thread `t` (0..256) starts at item `(v·256 + t)·V`. For each position `p` (0..V) in a vector, the
//!    thread combines its `N` items at this position pairwise, neighbours first: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕((x₄⊕x₅)⊕(x₆⊕x₇))`. For each position,
//!    the thread also has a left fold over the chunk's tiles, and appends this result to it. At the chunk's end, the thread combines its
//!    `V` folds pairwise, neighbours first.
//!
//!    With a wide accumulator, unless the next paragraph applies, the thread has only two folds: one for its vectors with even `v`, and one
//!    for its vectors with odd `v`. It combines the items of a vector from left to right, and appends the vector's total to the fold for
//!    even or odd `v`. At the chunk's end it combines the two folds.
//!
//!    If the operator is [`Moments`](crate::op::Moments) or [`Statistics`](crate::op::Statistics), or a map or tuple that contains one of
//!    these, the thread has one fold. It combines the items of each vector pairwise, neighbours first, and then the totals of its `N`
//!    vectors in the same way. It appends the result to the fold.
//! 3. The values of a warp's 32 lanes are combined pairwise, halves first: lane `i` combines its value with the value of lane `i + 16`, and
//!    then with those of lanes `i + 8`, `i + 4`, `i + 2` and `i + 1`.
//! 4. The values of the 8 warps are combined in the same way: warp `i` is combined with warp `i + 4`, and then with warps `i + 2` and
//!    `i + 1`.
//! 5. If there is more than one chunk, thread `t` of 256 left-folds the chunks' results `t`, `t + 256`, …. Steps 3 and 4 then combine the
//!    threads' folds.
//!
//! # Scan
//!
//! A **tile** is `R` vectors for each thread of `W` warps; `R` and `W` depend on `n`, see [`scan_tiles`]. An operator need not commute.
//!
//! 1. In a tile, warp `w` (0..`W`) owns `R` consecutive rows of 32 vectors: vector `l` (lane) of row `r` starts at
//!    item `((w·R + r)·32 + l)·V`.
//! 2. A lane scans its vector: inclusive, left to right. The lanes of a row scan the vectors' totals by
//!    Kogge and Stone: for `s` in 1, 2, 4, 8, 16, lane `l ≥ s` replaces `x_l` by `x_{l−s} ⊕ x_l`.
//! 3. In each warp, the rows' totals are left-folded to row prefixes. The warps' totals are left-folded to warp prefixes. The left fold of
//!    all warps' totals is the tile's **aggregate**. The prefix of a vector within its tile is
//!    `L = warp prefix ⊕ (row prefix ⊕ lane prefix)`, where the lane prefix is the inclusive value of the previous lane (`e` for lane 0).
//! 4. Tiles are gathered into groups of [`SCAN_GROUP_TILES`]. For tile `k` of a group, `Q_k` combines the aggregates of the group's earlier
//!    tiles. Each of 32 lanes has the aggregate of one tile, or `e` if the tile is not before tile `k`. The lanes' values are combined
//!    neighbours first: lane `i` combines its value with the value of lane `i + 1`, and then with those of lanes `i + 2`, `i + 4`, `i + 8`
//!    and `i + 16`. Four of the operators that round are an exception, even if they are applied to mapped items: [`Sum`](crate::op::Sum),
//!    [`WideSum`](crate::op::WideSum), [`Product`](crate::op::Product) and [`LogSumExp`](crate::op::LogSumExp). They combine the lanes'
//!    values halves first, as in step 3 of the reduction: see [`Tree`]. The group's aggregate combines all 32 aggregates in the same way.
//!    The group's prefix `P` is the left fold of the aggregates of all earlier groups.
//! 5. The prefix of a vector is `B = (P ⊕ Q_k) ⊕ L`. An inclusive scan's output is `B ⊕ x`, where `x` is the item's inclusive value from
//!    step 2. An exclusive scan's output is `B` at the vector's first item. For each other item, the output is `B ⊕ y`, where `y` is the
//!    inclusive value of the previous item.
//!
//! If a scan has an initial value, the left fold `P` of step 4 begins with that value instead of `e`. A scan can also return the total: for
//! the last tile, whose aggregate is `A`, this is `(P ⊕ Q_k) ⊕ A`. For no items, the total is the initial value, or `e`.
//!
//! With an accumulator of two words and an odd `R`, a lane has `R` consecutive vectors, and a warp has one row of 32 lanes: see
//! [`ScanShape::is_blocked`]. In step 2 each lane left-folds its vectors' totals, and the lanes scan the results. The prefix of a lane's
//! first vector is the `B` of step 5. The prefix of each other vector is the left fold of `B` and the totals of the lane's vectors before
//! it: `B ⊕ t₀`, `(B ⊕ t₀) ⊕ t₁`, ….
//!
//! With a wide accumulator, or with large items or results, the previous paragraph holds for any `R`, except that a lane's vectors count as
//! one vector of `R·V` items. In step 5 the outputs are a left fold that begins with `B`: `B ⊕ x₀`, `(B ⊕ x₀) ⊕ x₁`, … for an inclusive
//! scan, and `B`, `B ⊕ x₀`, … for an exclusive scan.
//!
//! A **reversed** scan, of any shape, scans the items in the opposite order, and puts each result at its item's place. The last item comes
//! first in the order of combination, and an item's index counts from the end.
//!
//! # Segmented reduction
//!
//! Segments have a different order: see [`crate::segments`]. The same order holds for rows and columns of a matrix, parts along any axis
//! (with or without a pitch), runs of equal keys, and a whole array that is reduced by `.in_order()`. So the same items give the same bits
//! in all of these shapes. A plain reduction of a whole array has the order of the section "Reduction" above. So its bits may differ,
//! unless the operator is exact.
//!
//! # Versions
//!
//! 3. In long scans of large items, tiles have 8 warps, with more vectors for each thread. On an H200, a scan of 2^30 bytes in items of 64
//!    bytes took 3,862 µs with version 2, and 643 µs with version 3. In items of 20 bytes, it took 1,561 µs with version 2, and 547 µs with
//!    version 3 (2026-11-25).
//! 2. In scans with an accumulator of two words and an odd `R`, such as sums of `f64`, a lane has consecutive vectors. Short scans of items
//!    of 8 bytes have tiles of 5 rows. On an H200, a scan of 2^21 `f64` took 10.9 µs with version 1, and 9.9 µs with version 2. A scan of
//!    2^28 `f64` took 1,053 µs with version 1, and 1,016 µs with version 2 (2026-11-23).
//! 1. The first.
//!
//! # Values
//!
//! Float arithmetic rounds to nearest even, and never flushes subnormals. A product and a sum are fused in two cases only. In
//! [`LogSumExp`](crate::op::LogSumExp), fused operations are parts of the formula. Elsewhere, operations are fused only if the product is
//! exact; then fusing changes no bit. The library's operators write a NaN as Rust's `NAN`, and a 16-bit NaN as `0x7fff`, the NaN that the
//! hardware's conversions return.

mod counting;

use self::counting::next_power_of_two;
pub use self::counting::{is_power_of_two, leading_zeros, trailing_zeros};

/// Threads of a block of a reduction.
pub const BLOCK_THREADS: u32 = 256;

/// Lanes of a warp.
pub const WARP_LANES: u32 = 32;

/// Warps of a block of a reduction.
pub const BLOCK_WARPS: u32 = BLOCK_THREADS / WARP_LANES;

/// Bytes of a vector of items of 1, 2, 4, 8 or 16 bytes. A thread can load such a vector at once.
pub const VECTOR_BYTES: usize = 16;

/// The most vectors that a thread has in a tile, for items of up to 16 bytes.
pub const THREAD_VECTORS: usize = 8;

/// The most bytes of a tile of a reduction.
pub const TILE_BYTES: usize = BLOCK_THREADS as usize * THREAD_VECTORS * VECTOR_BYTES;

/// The most chunks that a reduction is cut into.
pub const REDUCE_MAX_CHUNKS: u64 = 4096;

/// The order in which the values of 32 lanes are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// Halves first: lane `i` combines its value with the value of lane `i + 16`, and then with those of lanes `i + 8`, `i + 4`, `i + 2`
    /// and `i + 1`. For operators that commute.
    Halves,
    /// Neighbours first: lane `i` combines its value with the value of lane `i + 1`, and then with those of lanes `i + 2`, `i + 4`, `i + 8`
    /// and `i + 16`. The values are combined in the order of the lanes, so the operator need not commute.
    Neighbours,
}

/// The shape of a scan's tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanShape {
    /// Warps that share a tile.
    pub warps: u32,
    /// Vectors of each thread. So a warp has this many rows of 32 vectors.
    pub rows: usize,
    /// Bytes of a vector.
    pub vector_bytes: usize,
}

/// The tiles of an operator's scans, short and long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanTiles {
    /// The tiles of a short scan.
    pub short: ScanShape,
    /// The tiles of a long scan.
    pub long: ScanShape,
    /// The number of items of the longest short scan.
    pub short_items: u64,
    /// Items of a vector.
    pub vector_items: usize,
}

/// The shape of the tiles of a short scan of items of 1, 2, 4 or 16 bytes. The tiles are small, so that more multiprocessors share the
/// scan. On an H200, early kernels scanned 2^16 `f32` in 4.5 µs with tiles of this size, and in 5.0 µs with tiles twice as large (plain
/// launches).
pub const SCAN_SHORT: ScanShape = ScanShape {
    warps: 8,
    rows: 4,
    vector_bytes: VECTOR_BYTES,
};

/// The shape of the tiles of a long scan, with vectors of 16 bytes. The tiles are large, so that fewer look-backs run at a time. Four such
/// tiles fill the shared memory of a multiprocessor of compute capability 9.0. On an H200, early kernels, replayed from a graph, scanned
/// 2^28 `f32` in 595 µs with tiles of 16 KiB, and in 575 µs with tiles of 32 KiB. With tiles of 16 warps, the scan took 559 µs for 8 rows,
/// and 545 µs for 7 rows.
pub const SCAN_LONG: ScanShape = ScanShape {
    warps: 16,
    rows: 7,
    vector_bytes: VECTOR_BYTES,
};

/// Bytes of the longest short scan.
pub const SCAN_SHORT_BYTES: u64 = 16 << 20;

/// How many tiles a group of a scan has. A warp combines the tiles' aggregates, one on each lane.
pub const SCAN_GROUP_TILES: u64 = WARP_LANES as u64;

/// The wider of two types. For a scan of items of type `T` to results of type `U`, the functions below take the type `Wider<T, U>`.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub union Wider<T: Copy, U: Copy> {
    /// An item.
    pub item: T,
    /// A result.
    pub result: U,
}

/// Items of type `T` in a vector: as many as fill 16 bytes exactly, or 1 if no number does.
pub const fn vector_items<T>() -> usize {
    match size_of::<T>() {
        1 | 2 | 4 | 8 => VECTOR_BYTES / size_of::<T>(),
        _ => 1,
    }
}

/// Bytes of a vector of items of type `T`.
pub const fn vector_bytes<T>() -> usize {
    vector_items::<T>() * size_of::<T>()
}

/// How many vectors of a reduction's tile each thread has, for items of type `T`.
pub const fn thread_vectors<T>() -> usize {
    match vector_bytes::<T>() {
        0..=VECTOR_BYTES => THREAD_VECTORS,
        bytes if bytes <= 32 => THREAD_VECTORS / 2,
        _ => THREAD_VECTORS / 4,
    }
}

/// Items of type `T` in a tile of a reduction.
pub const fn reduce_tile_items<T>() -> u64 {
    (BLOCK_THREADS as usize * thread_vectors::<T>() * vector_items::<T>()) as u64
}

/// The number of tiles that a reduction of `item_count` items of type `T` has. The last tile may be filled only in part.
pub const fn reduce_tile_count<T>(item_count: u64) -> u64 {
    ReduceTiles::of::<T>().count(item_count)
}

/// How many tiles a chunk has, in a reduction of `item_count` items of type `T`: see [`ReduceTiles::chunk_tiles`].
pub const fn reduce_chunk_tiles<T>(item_count: u64) -> u64 {
    ReduceTiles::of::<T>().chunk_tiles(item_count)
}

/// How many chunks a reduction of `item_count` items of type `T` has; 0 for no items.
pub const fn reduce_chunk_count<T>(item_count: u64) -> u64 {
    ReduceTiles::of::<T>().chunk_count(item_count)
}

/// The tiles of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReduceTiles {
    /// Items of a tile.
    pub items: u64,
}

impl ReduceTiles {
    /// The tiles for items of type `T`.
    #[inline(always)]
    pub const fn of<T>() -> Self {
        Self {
            items: reduce_tile_items::<T>(),
        }
    }

    /// The number of tiles that `item_count` items need. The last tile may be filled only in part.
    #[inline(always)]
    pub const fn count(self, item_count: u64) -> u64 {
        item_count.div_ceil(self.items)
    }

    /// How many tiles a chunk has, in a reduction of `item_count` items: the smallest power of two that leaves at most
    /// [`REDUCE_MAX_CHUNKS`] chunks.
    #[inline(always)]
    pub const fn chunk_tiles(self, item_count: u64) -> u64 {
        next_power_of_two(self.count(item_count).div_ceil(REDUCE_MAX_CHUNKS))
    }

    /// Items of a full chunk of a reduction of `item_count` items.
    pub const fn chunk_items(self, item_count: u64) -> u64 {
        self.chunk_tiles(item_count).saturating_mul(self.items)
    }

    /// How many chunks a reduction of `item_count` items has; 0 for no items.
    #[inline(always)]
    pub const fn chunk_count(self, item_count: u64) -> u64 {
        self.count(item_count)
            .div_ceil(self.chunk_tiles(item_count))
    }

    /// The most chunks of a reduction of up to `item_count` items: at least one.
    pub const fn most_chunks(self, item_count: u64) -> u64 {
        match self.count(item_count) {
            0 => 1,
            tiles if tiles > REDUCE_MAX_CHUNKS => REDUCE_MAX_CHUNKS,
            tiles => tiles,
        }
    }
}

/// The tiles of a scan of items of type `T` by an operator that rounds.
pub const fn scan_tiles<T>() -> ScanTiles {
    // Four long tiles of large items, and the look-back's scratch, fit into the shared memory of a multiprocessor of compute capability
    // 9.0.
    let (short_rows, long_rows) = match size_of::<T>() {
        1 | 2 | 4 | 16 => (SCAN_SHORT.rows, SCAN_LONG.rows),
        8 | 12 => (5, SCAN_LONG.rows),
        20 => (3, 11),
        24 => (3, 9),
        28 => (3, 7),
        32 => (3, 6),
        36 | 40 | 44 => (1, 5),
        48 => (1, 4),
        _ => (1, 3),
    };
    let long_warps = match vector_bytes::<T>() > VECTOR_BYTES {
        true => SCAN_SHORT.warps,
        false => SCAN_LONG.warps,
    };
    ScanTiles {
        short: ScanShape {
            rows: short_rows,
            vector_bytes: vector_bytes::<T>(),
            ..SCAN_SHORT
        },
        long: ScanShape {
            warps: long_warps,
            rows: long_rows,
            vector_bytes: vector_bytes::<T>(),
        },
        short_items: SCAN_SHORT_BYTES / size_of::<T>() as u64,
        vector_items: vector_items::<T>(),
    }
}

impl ScanShape {
    /// Whether a lane has consecutive vectors, and folds them. `words` is the number of an accumulator's words of 32 bits.
    ///
    /// A value of two words needs two shuffles. So a scan of one row at a time would execute three times the instructions of a scan with
    /// consecutive vectors. On an H200 (2026-11-21), a scan of 2^24 `f64` by maximum took 110.6 µs one row at a time, and 80.9 µs with
    /// consecutive vectors. A scan of 2^28 `u32` by sum, with values of one word, took 529 µs one row at a time, and 532 µs with
    /// consecutive vectors. An odd number of rows avoids bank conflicts in shared memory.
    pub const fn is_blocked(self, words: usize) -> bool {
        words > 2 || words == 2 && self.rows % 2 == 1 || self.is_large()
    }

    /// Whether the vectors are large items or large results: of more than 16 bytes.
    pub const fn is_large(self) -> bool {
        self.vector_bytes > VECTOR_BYTES
    }

    /// Bytes of a tile in shared memory.
    pub const fn bytes(self) -> usize {
        match self.is_large() {
            true => (self.warps * WARP_LANES) as usize * self.lane_bytes(),
            false => self.vectors() * self.vector_bytes,
        }
    }

    /// The distance in bytes from one lane's vectors to the next lane's vectors in shared memory, in a tile of large items. A vector of the
    /// wider type is read in units. The size of a unit is the largest power of two, up to 16 bytes, that divides the vector's size. The
    /// distance is an odd number of units, so the lanes' reads have no bank conflicts.
    pub const fn lane_bytes(self) -> usize {
        let bytes = self.rows * self.vector_bytes;
        match bytes.is_multiple_of(2 * VECTOR_BYTES) {
            true => bytes + VECTOR_BYTES,
            false => bytes,
        }
    }

    /// Vectors of a tile.
    pub const fn vectors(self) -> usize {
        (self.warps * WARP_LANES) as usize * self.rows
    }
}

impl ScanTiles {
    /// Whether a scan of `item_count` items is short.
    pub const fn is_short(self, item_count: u64) -> bool {
        item_count <= self.short_items
    }

    /// The shape of the tiles of a scan of `item_count` items.
    pub const fn shape(self, item_count: u64) -> ScanShape {
        if self.is_short(item_count) {
            self.short
        } else {
            self.long
        }
    }

    /// How many items a tile has, in a scan of `item_count` items.
    pub const fn items(self, item_count: u64) -> u64 {
        (self.shape(item_count).vectors() * self.vector_items) as u64
    }

    /// The number of tiles that `item_count` items need. The last tile may be filled only in part.
    pub const fn count(self, item_count: u64) -> u64 {
        item_count.div_ceil(self.items(item_count))
    }

    /// How many groups of tiles a scan of `item_count` items has.
    pub const fn group_count(self, item_count: u64) -> u64 {
        self.count(item_count).div_ceil(SCAN_GROUP_TILES)
    }
}

const _: () = {
    assert!(BLOCK_THREADS.is_multiple_of(WARP_LANES));
    assert!(BLOCK_WARPS.is_power_of_two() && BLOCK_WARPS <= WARP_LANES);
    assert!(TILE_BYTES == 32 * 1024);
    assert!(SCAN_SHORT.rows <= THREAD_VECTORS && SCAN_LONG.rows <= THREAD_VECTORS);
    assert!(reduce_tile_items::<[u32; 8]>() as usize * 32 <= TILE_BYTES);
    assert!(reduce_tile_items::<[u32; 16]>() as usize * 64 <= TILE_BYTES);
    assert!(reduce_tile_items::<[u32; 3]>() as usize * 12 <= TILE_BYTES);
    assert!(SCAN_SHORT.warps < WARP_LANES && SCAN_LONG.warps < WARP_LANES);
    assert!(reduce_chunk_tiles::<f32>(0) == 1 && reduce_chunk_count::<f32>(0) == 0);
};

#[cfg(test)]
mod tests;
