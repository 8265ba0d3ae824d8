//! What decides the speed and no bit: how many threads, blocks and tiles there are, and what the caches keep.
//!
//! What fixes bits stands in [`crate::contract`], [`crate::segments`] and [`crate::columns`]; a number from here may become another
//! without any result becoming another. Each says where it was measured, when, and what came next. All are of compute capability
//! 9.0; devices of others run with the same ones.

/// Reductions.
pub mod reduce {
    /// Blocks that share a multiprocessor: what the compiler fits the registers to. 768 threads with 8 loads of 16 bytes each under way
    /// are more than an H200 needs to be kept busy (48 KiB a multiprocessor).
    ///
    /// `f64` on an H200, in µs (2026-11-21; with 4 blocks, threads have 64 registers and spill some):
    ///
    /// | blocks | 2^24 | 2^27 |
    /// |---|---|---|
    /// | 3 | 36.3 | 240.7 |
    /// | 4 | 38.9 | 242.9 |
    pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 3;

    /// The same of an operator whose threads hold [`MANY_WORDS`], such as a wide sum of `f32`: eight `f64` at a time beside the items.
    /// 2^28 items on an H200 (2026-11-21): 2 blocks 238.8 µs, 3 blocks 240.1, 4 blocks 255.9.
    pub const WIDE_BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

    /// Words of accumulators that a thread holds at a time, from which on it has the registers of
    /// [`WIDE_BLOCKS_PER_MULTIPROCESSOR`]. A wide sum of `f32` has 24, moments 30, and other sums at most 20.
    pub const MANY_WORDS: usize = 21;

    /// Bytes of the largest input that the caches are to keep, in case it is read again. A larger one that passes by them is read
    /// faster. Of `f32` on an H200 (2026-11-22).
    pub const CACHED_BYTES: u64 = 32 << 20;
}

/// Scans.
pub mod scan {
    use crate::contract::{scan_tiles, ScanTiles, Wider};
    use crate::element::Element;
    use crate::op::Op;

    /// Blocks, of the larger ones, that share a multiprocessor: what the compiler fits the registers to. Its [`TURNS`] tiles fill the
    /// shared memory.
    ///
    /// Two would leave the threads 56 registers, which suffice for most operators, and four blocks of the smaller ones would share a
    /// multiprocessor, with two tiles each in hand. Inclusive sums on an H200, in µs (2026-11-23), with one and with two:
    ///
    /// | | 8 MiB | 16 MiB | 1 GiB |
    /// |---|---|---|---|
    /// | `u32` | 5.98, 6.33 | 9.39, 10.88 | 511, 522 |
    /// | `u64` | 6.50, 6.58 | 9.98, 11.01 | 514, 514 |
    pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 1;

    /// Tiles that a block has in hand at once, where there is room.
    pub const TURNS: usize = 4;

    /// The tiles of an exact operator's scans, whose bits they do not decide. Those of the [contract](crate::contract::scan_tiles): no
    /// others were faster. Inclusive sums of `u64` on an H200, in µs, by rows of a short scan's tile (2026-11-23, `warpfold-bench measure
    /// --kinds inclusive_sum --types u64 --sizes 10-22`):
    ///
    /// | rows | 2^10 | 2^13 | 2^16 | 2^18 | 2^19 | 2^20 | 2^21 |
    /// |---|---|---|---|---|---|---|---|
    /// | 3 | 3.06 | 2.97 | 3.30 | 4.09 | 5.06 | 6.96 | 10.78 |
    /// | 4 | 2.96 | 2.97 | 3.47 | 4.00 | 5.07 | 6.95 | 10.98 |
    /// | 5 | 2.88 | 3.33 | 3.42 | 4.05 | 4.91 | 6.73 | 9.90 |
    /// | 7 | | | 3.74 | 4.34 | 5.31 | 6.52 | 9.84 |
    ///
    /// Narrower items take more time with 7 rows, up to 2^22 of them. Long tiles from 2 MiB on, or short ones up to 128 MiB, take more too.
    pub const fn exact_tiles<T>() -> ScanTiles {
        scan_tiles::<T>()
    }

    /// The tiles of scans of items of type `T` by `O`: the contract's, or those of an exact operator.
    pub const fn tiles<O: Op<T>, T: Element>() -> ScanTiles {
        if O::EXACT {
            exact_tiles::<Wider<T, O::Output>>()
        } else {
            scan_tiles::<Wider<T, O::Output>>()
        }
    }

    /// Bytes of the longest scan in place that leaves the order to the L2 cache in which it gives up lines. All others have it give
    /// up last what they read. Inclusive sums of `f32`, in µs, left alone and not (2026-11-22):
    ///
    /// | | 48 MiB | 96 MiB | 256 MiB | 1 GiB |
    /// |---|---|---|---|---|
    /// | H200 | 29.2, 28.6 | 53.8, 52.1 | 134.1, 130.4 | 525.9, 508.4 |
    /// | in place | 27.4, 28.1 | 53.5, 53.5 | 134.3, 132.1 | 524.4, 508.9 |
    /// | H100 | 36.9, 36.4 | 70.3, 69.4 | 182.8, 180.1 | 721.1, 709.2 |
    /// | in place | 35.1, 36.0 | 70.5, 71.1 | 182.7, 181.8 | 720.4, 710.9 |
    pub const IN_PLACE_CACHED_BYTES: u64 = 96 << 20;
}

/// Segmented reductions and scans.
pub mod segments {
    /// Threads of a block where all windows are worked on at once.
    pub const SHORT_BLOCK_THREADS: u32 = 256;

    /// Threads of a block where there are more windows. What few threads do while the others wait then takes longest: folding nodes and
    /// roots, waiting for other blocks. So a multiprocessor has more windows, on fewer threads each.
    ///
    /// 2^28 `f32` on an H200, in µs (2026-11-23, `warpfold-bench shapes --only "offsets, segments"`):
    ///
    /// | threads | sums of 32 | 1,024 | 65,536 | scans of 32 | 1,024 | 65,536 |
    /// |---|---|---|---|---|---|---|
    /// | 128 | 379 | 337 | 314 | 758 | 762 | 816 |
    /// | 256 | 388 | 391 | 363 | 906 | 885 | 971 |
    ///
    /// (256 with four blocks, of which each copies a window while it works on another, and with five for scans.)
    pub const LONG_BLOCK_THREADS: u32 = 128;

    /// Blocks of [`SHORT_BLOCK_THREADS`] that share a multiprocessor, or twice as many of [`LONG_BLOCK_THREADS`]: what the compiler fits
    /// the registers to. More have no room for their items. Scans of segments of 32, as above: 714 µs with registers for 4, and 789 with
    /// those for 5.
    pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

    /// The most items of a chunk, on average, where a thread has a chunk if none has more than a leaf. Inclusive scans by key on an H200,
    /// 2^28 `f32` in runs of 1 (2026-11-23): 4,016 µs without, 2,717 with it.
    pub const DENSE_ITEMS: u32 = 8;

    /// The most items of a leaf that are better read one by one.
    pub const SHORT_LEAF: u32 = 4;

    /// Vectors that a thread moves one after the other, without a look at the end of the work.
    pub const VECTORS_AT_ONCE: u32 = 4;
}

/// Reductions and scans of columns.
pub mod columns {
    /// Blocks that share a multiprocessor: what the compiler fits the registers to.
    pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;
}

/// Selections.
pub mod selection {
    /// Warps of a block that share a tile.
    pub const WARPS: u32 = 16;

    /// Blocks that share a multiprocessor: what the compiler fits the registers to.
    pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

    /// The most tiles that a block has in hand: one that arrives, one that has arrived, and one that waits for its prefix.
    pub const BUFFERS: u32 = 3;
}
