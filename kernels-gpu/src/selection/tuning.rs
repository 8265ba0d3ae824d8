//! Numbers that decide the speed of selections, and no bit of the results. All were measured at compute capability 9.0; other devices run
//! with the same numbers.
//!
//! This design and three that took more time: 2^28 `f32` on an H200, in µs (2026-11-25, `warpfold-bench shapes --only "select if, 10"`, and
//! `--only "run lengths, runs of 32"`):
//!
//! | | 10 % selected | run lengths, runs of 32 |
//! |---|---|---|
//! | this one: a list of places, and a look-back over groups | 377 | 424 |
//! | the same list, and the scans' look-back in one hop | 397 | 593 |
//! | the scans' look-back, and items compacted in shared memory | 433 | 587 |
//! | four blocks of 4 warps; copies two tiles ahead; compacted items are written by whole vectors | 480 | 573 |
//!
//! The last one has a third fewer instructions. But for a third of the time its warps waited for their tile's prefix: a block takes tickets
//! ahead, so blocks do not work on tiles in the order of the tickets. With 2^16 items it was faster: 3.3 µs at 10 %, and this one 3.7.
//!
//! Run lengths are written in batches, other selections one item after another (2^28 `f32` on an H200, 2026-11-26). With batches, run
//! lengths took 852, 444 and 387 µs for runs of 1, of 32 and of 4096, and without 955, 436 and 389. But `select_if` took 376, 481 and
//! 607 µs at 10, 50 and 90 %, and without batches 376, 483 and 594. If copies also began before the tile's items were chosen, all took
//! longer than with batches alone: 399, 495 and 611 µs, and run lengths 933, 481 and 423.

/// Warps of a block that share a tile.
pub const WARPS: u32 = 16;

/// Blocks that share a multiprocessor. The compiler limits the registers accordingly.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// The most tiles that a block holds at once: one being copied, one that has arrived, and one that waits for its prefix.
pub const BUFFERS: u32 = 3;
