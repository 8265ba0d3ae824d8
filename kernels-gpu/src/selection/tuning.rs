//! Numbers that decide the speed of selections, and no bit of the results. Each number says where it was measured and when. All are of
//! compute capability 9.0; devices of others run with the same ones.
//!
//! Two designs that took more time, of 2^28 `f32` on an H200, in µs (2026-11-25, `warpfold-bench shapes --only "select if, 10"`, and
//! `--only "run lengths, runs of 32"`):
//!
//! | | 10 % selected | run lengths, runs of 32 |
//! |---|---|---|
//! | a list of places, and a look-back over groups, as here | 377 | 424 |
//! | the same list, and the scans' look-back in one hop | 397 | 593 |
//! | that look-back, and items moved together in shared memory | 433 | 587 |

/// Warps of a block that share a tile.
pub const WARPS: u32 = 16;

/// Blocks that share a multiprocessor. The compiler limits the registers accordingly.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// The most tiles that a block holds at once: one that arrives, one that has arrived, and one that waits for its prefix.
pub const BUFFERS: u32 = 3;
