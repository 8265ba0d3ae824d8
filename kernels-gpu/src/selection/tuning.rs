//! Numbers that change the speed of selections, but no bit of the results. All measurements are from compute capability 9.0. Other devices
//! use the same numbers.
//!
//! This table compares the design with five slower designs. The times are in µs, for 2^28 `f32` on an H200 (2026-11-25,
//! `warpfold-bench shapes --only "select if, 10"`, and `--only "run lengths, runs of 32"`):
//!
//! | | 10 % selected | run lengths, runs of 32 |
//! |---|---|---|
//! | this one: a list of places, and a look-back over groups | 377 | 424 |
//! | the same list, and the scans' look-back | 397 | 593 |
//! | the scans' look-back, and items compacted in shared memory | 433 | 587 |
//! | four blocks of 4 warps; copies two tiles ahead; compacted items are written by whole vectors | 480 | 573 |
//! | votes make a word of bits for 32 items; each lane looks for its own item in each word; if few are chosen, it lists them | 384 | 451 |
//! | the same, in four blocks of 8 warps with half the tile | 468 | 559 |
//!
//! The design with four blocks of 4 warps has a third fewer instructions than this design. But its warps spent a third of the time waiting
//! for their tile's prefix. In that design, a block takes tickets ahead, so blocks do not work on tiles in the order of the tickets. For
//! 2^16 items, of which 10 % are selected, that design was faster: it took 3.3 µs, and this design 3.7 µs.
//!
//! The last two designs were measured on 2026-11-26, when this design took 377 and 444 µs.
//!
//! What bounds long selections is the wait for prefixes. Without any look-back, `select_if` of 10 and 50 % of 2^27 `f32` would take 151 and
//! 188 µs on an H200 (2026-11-28; the results are wrong then). Of the many polls of look-backs that begin at once, most find a count that
//! is not published yet. So most look-backs of long selections begin later, except those for runs. This table has the times in µs for 2^26
//! items; the shares are selected from `f32`, and the runs have `u32` keys:
//!
//! | look-backs begin | `select_if`, 10, 50, 90 % | partition, 10 % | run lengths, runs of 1, 32, 4096 |
//! |---|---|---|---|
//! | at once | 101, 127, 152 | 165 | 218, 112, 102 |
//! | when the next tile has arrived | 89, 117, 142 | | |
//! | when the next tile's count is published | 94, 115, 139 | | 212, 120, 107 |
//! | this design: at one of the last two times | 89, 116, 139 | 151 | 219, 112, 100 |
//!
//! Other ways to shorten that wait were slower or no faster. *Consecutive items for each lane*, in 12 warps with five vectors each: a
//! quarter fewer instructions, and the same times (192, 250 and 306 µs for 2^27 items; the design of that day took 190, 244 and 296). *A
//! fourth buffer*, so that prefixes may come two turns later: with 12 warps, which need a smaller tile, 180 and 233 µs for 10 and 50 % of
//! 2^27 items, when three buffers took 180 and 226; with 8 warps in three blocks, 209 and 253. *Copies two tiles ahead* in three buffers:
//! 156 instead of 151 µs even without look-backs. *Loads of all published values at once*, without a branch for values that are known: 2 to
//! 6 % slower, also if only the nearest 4, 8 or 16 groups are loaded. *Pauses* of 0.1 to 2 µs before or between the polls: 3 % faster at
//! best. *Eight warps with seven vectors each:* 5 % slower.
//!
//! With the instruction `redux.sync` in place of the nine shuffles by which a warp adds up its own count and those of the lower warps,
//! `select_if` of 10, 50 and 90 % took 377, 485 and 590 µs instead of 379, 487 and 595 (2026-11-28). Devices before compute capability 8.0
//! lack the instruction.
//!
//! A selection of runs writes lengths, and items of up to 8 bytes, in batches. For all other outputs, a lane reads and writes one value
//! after another. This table has the times in µs, for 2^28 `f32` on an H200 (2026-11-26):
//!
//! | | run lengths, runs of 1, 32, 4096 | `select_if`, 10, 50, 90 % |
//! |---|---|---|
//! | without batches | 955, 436, 389 | 376, 483, 594 |
//! | with batches | 852, 444, 387 | 376, 481, 607 |
//! | with batches, and a tile's copy begins before the items of the tile before it are chosen | 933, 481, 423 | 399, 495, 611 |

/// Warps of a block that share a tile.
pub const WARPS: u32 = 16;

/// Blocks that share a multiprocessor. The compiler limits the registers accordingly.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// The most tiles that a block holds at once: one being copied, one that has arrived, and one that waits for its prefix.
pub const BUFFERS: u32 = 3;

/// A tile has few chosen items if less than one in `FEW` of its items is chosen. See `Beginning` in the kernel.
pub const FEW: usize = 4;
