//! Segmented reductions and scans: the order of combination, how the work is divided, and what a launch needs.
//!
//! Segment `s` has the items from `offset[s]` to `offset[s + 1]`, exclusive. Offsets ascend; a segment may be empty.
//!
//! # The order, version 3
//!
//! This is part of the bit contract; see [`crate::contract`] for the notation. A segment's items are combined by sixteens, counted from the
//! segment's start: every [`FAN`] consecutive values are left-folded to one value. The last fold may have fewer values. The results are
//! folded by sixteens in the same way, until one value is left. An empty segment has the identity as its value. A segment's value is
//! lowered to its result. For operators that use an item's index, the index is counted from the segment's start.
//!
//! [`Moments`](crate::op::Moments), [`Statistics`](crate::op::Statistics) and [`LogSumExp`](crate::op::LogSumExp) combine each sixteen
//! values pairwise, neighbours first, instead of folding them from the left: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕((x₄⊕x₅)⊕…)`. If there are fewer than
//! sixteen values, the identity takes the place of each missing value. In the pairwise order, several combinations can be computed at the
//! same time. Also, both sides of most combinations have the same number of items, which saves `Moments` a division. Version 2 used the
//! left fold for `LogSumExp`. Version 1 used the left fold for all operators, and did not support `Moments` and `Statistics` on segments.
//!
//! In both orders, a result depends only on the segment's items and their number, and not on the segment's position or its neighbours. The
//! order of the items is kept, so operators need not commute.
//!
//! A scan first combines each segment's items by sixteens in the same way. Then it computes prefixes in the opposite direction, from the
//! one value that is left down to the items. The prefix of the one value that is left is the identity. The first of sixteen values has the
//! same prefix as the value that the sixteen were folded to. The prefix of each further value is the preceding value's prefix, combined
//! with the preceding value. In an exclusive scan, an item's prefix is lowered to the item's result. In an inclusive scan, the prefix is
//! first combined with the item, and then lowered. So an item's result depends only on its segment's items up to this item.
//!
//! # The work
//!
//! The items and the ends of the segments are merged in the order of the input. Places in this merged sequence are called *diagonals*, as
//! in Merrill and Garland's merge path: segment `s` begins at diagonal `offset[s] + s`. The diagonals at which segments begin ascend
//! strictly. A segment is cut into **chunks** of [`chunk_items`], a power of 16; an empty segment counts as one chunk. **Window** `w` has
//! the diagonals from `w·D` to `(w + 1)·D`, exclusive. `D` is the number of items of a chunk, or a smaller power of two in a small launch:
//! see [`window_shift`]. A chunk belongs to the window in which it begins. Results do not depend on `D`. At most one chunk of a window
//! belongs to a segment that began in an earlier window. This chunk is the window's **tail**, and comes first. The segments that begin in
//! the window follow. The last of these segments is *cut* if it has more than one chunk: its further chunks belong to later windows. So the
//! items and segments of a window are limited, whatever the segments' lengths. A block works on up to [`MOST_WINDOWS`] windows. Several
//! blocks share a multiprocessor: some copy items to shared memory while others compute.
//!
//! A window may have no chunk. Then its diagonals belong to a chunk that begins in an earlier window, or come after the last segment.
//!
//! A window is copied to shared memory as one [`Work`], or as two if its last chunk does not fit beside the others. In small launches
//! of narrow items, all chunks of a window fit (see [`RoomSize::Double`]). A **place** is an item's number in a work. If items are copied in
//! vectors, place 0 is where a row of the input begins: 128 bytes at a multiple of 128 bytes.
//!
//! A chunk has a **slot** for each of its leaves, and perhaps a spare slot. The slots of consecutive chunks follow each other: chunk `c`,
//! which starts `d` items after the work's first item, has the slots from `d / 16 + c` on. So leaves are dealt out to threads evenly,
//! whatever the segments' lengths, and no prefix sum of the chunks' numbers of leaves is needed. In rows whose length is a multiple of 16
//! items, chunk `c` has the slots from `d / 16` on. Then a work of 4,096 items has 256 slots, so all warps have equally many leaves. A bit
//! is set for each chunk's first slot. So the chunk of a slot is found by counting the set bits, from slot 0 to this slot.
//!
//! A work is **dense** if its chunks have few items on average. Its offsets are copied to shared memory together with its items, and
//! checked there. Offsets of 4 bytes are copied in vectors. Each chunk of at most one leaf is taken by one thread, and needs no slot. Slots
//! are written only if the work also has longer chunks.
//!
//! In some reductions of rows, vectors of items go straight to registers, and not to shared memory. The operators of these reductions
//! combine sixteens pairwise, or find the indices of extremes. See `kernel/rows.rs` for the conditions. If all chunks of such a launch are
//! equally long, there are usually no windows, and single warps combine whole chunks (see `kernel/whole.rs`).
//!
//! Operators [with rings](rings::has_rings) fold from the left. They reduce rows of one item without shared memory (see
//! `kernel/singles.rs`). For rows with equally long chunks, there are no windows, unless several blocks share a row. Without windows,
//! several warps of a block have a ring each in shared memory, and one block takes all chunks of a row (see `kernel/rings.rs`). All other
//! reductions of segments by these operators have windows. If a block's chunks are long on average, each warp with a ring takes whole
//! chunks, and copies their items through its ring (see `kernel/long.rs`). If a large launch's segments are long on average, each block takes
//! a **span**: consecutive windows, as many as a power of two (see [`rings::span_shift`]).
//!
//! If a scan's segments are long on average, each warp may take whole chunks of a work, and write their results (see
//! `kernel/chunk_scan.rs`).
//!
//! With windows, the value of a chunk that is not its segment's last is published in the state words of its window. If the chunk is the
//! last of sixteen, its value is first combined with those of the other fifteen. If a later block combines a row, the value of the row's
//! last chunk is published too (see `kernel/later.rs`). A window publishes one value at most. Without windows, values are published only if
//! rows are streamed and have several chunks. Then the value of chunk `c` of the launch is published in the state words of window `c`.
//!
//! # Segments that start at heads
//!
//! Reductions and scans by key have segments that start at [heads](crate::heads). An earlier launch has written them as bits, unless the
//! conditions of the last paragraph of this section hold. Here windows are cut by items alone: window `w` has the items from `w·D` to `(w +
//! 1)·D`, exclusive. There are no starts and no slots: each thread uses the bits to find the chunks around its items. A reduction also
//! writes the number of the runs and, if they are wanted, the runs' first keys and starts. See `kernel/heads.rs`.
//!
//! A segment is cut into **nodes** of [`NODE_ITEMS`]. A node belongs to the window in which it begins. The nodes of a segment that belong
//! to the same window are a **chunk**. So a chunk begins at a node of its segment, and may have any number of nodes, up to 16 if `D` is
//! 4,096. All windows have nearly equally many items: at most `D` and 255 more. So all of them fit in one work, and no block has much more
//! to do than the others. At most two chunks of a window share their segment with other windows: the **tail**, whose segment began in an
//! earlier window, and the last chunk, if its segment goes on in a later window.
//!
//! The values of the nodes of these two chunks are published, except that of a segment's last node. The board has a slot for each
//! [`NODE_ITEMS`] items: a node that begins at item `i` has slot `i / 256`. No two of these nodes have the same slot, since each has 256
//! items. If a node is the last of sixteen of its segment, it is first combined with the other fifteen. If their sixteen is the last of
//! sixteen in turn, these are combined too, and so on. See `kernel/heads/shared.rs`.
//!
//! A reduction or a forward scan by key finds the heads itself if all of these conditions hold: it has few keys, a key has 4 or 8 bytes,
//! the address of the keys is a multiple of 16, and two keys are equal exactly if their bytes are equal. See `kernel/heads/keys.rs`. In
//! such a launch, each window has one more state word. There it publishes its last head and, in a reduction, the number of its heads.
//!
//! [`FAN`] is the only number here that changes results.

#[macro_use]
mod arguments;
mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod kind;
mod layout;
pub mod rings;
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
pub use layout::*;

use crate::contract::{trailing_zeros, WARP_LANES};
use crate::element::Element;
use crate::op::Op;
use crate::segments::tuning::{
    BLOCKS_PER_SMALL_WINDOW, DENSE_ITEMS, LEAST_WINDOW_SHIFT, LONG_BLOCK_THREADS,
};
use crate::workspace::words_per_accumulator;

/// How many values are folded to one.
pub const FAN: u32 = 16;

/// The most windows that a block works on, unless it takes whole rows (see [`rings::MOST_ROW_WINDOWS`]). The block needs a warp for each
/// border, and has one more border than windows.
pub const MOST_WINDOWS: u32 = LONG_BLOCK_THREADS / WARP_LANES - 1;

/// How many chunks' starts a warp writes at a time. Each lane of the warp reads one offset. Together, these are the starts of the chunks
/// and the end of the last chunk.
pub const WARP_CHUNKS: u32 = WARP_LANES - 1;

/// The size in bytes of a vector, which one instruction copies.
const VECTOR_BYTES: usize = 16;

/// The sizes of a chunk, for narrow and for wide items. They are constants with names, so that every compiler sees plain numbers.
const NARROW_CHUNK_ITEMS: u64 = FAN.pow(3) as u64;
const WIDE_CHUNK_ITEMS: u64 = FAN.pow(2) as u64;

/// The number of items of a full node: of sixteen full leaves.
pub const NODE_ITEMS: u64 = FAN.pow(2) as u64;

/// The number of items of a full chunk, for items of type `T` and accumulators of type `A`. It is also the most diagonals that a window
/// has.
pub const fn chunk_items<T, A>() -> u64 {
    let is_narrow = size_of::<T>() <= 4 || size_of::<T>() <= 8 && size_of::<A>() <= 8;
    if is_narrow {
        NARROW_CHUNK_ITEMS
    } else {
        WIDE_CHUNK_ITEMS
    }
}

/// The binary logarithm of the number of diagonals of a window. The launch has `diagonals` diagonals, and a full chunk has `chunk_items`
/// items. If segments start at heads, items take the place of diagonals. The device holds `resident_blocks` short blocks at a time.
///
/// In a large launch, a window has as many diagonals as a chunk has items. A small launch has more windows, with fewer diagonals each: at
/// most one window for each [`BLOCKS_PER_SMALL_WINDOW`] resident blocks, with at least 2^[`LEAST_WINDOW_SHIFT`] diagonals.
pub const fn window_shift(chunk_items: u64, diagonals: u64, resident_blocks: u64) -> u32 {
    let most_windows = resident_blocks / BLOCKS_PER_SMALL_WINDOW;
    let mut shift = trailing_zeros(chunk_items);
    while shift > LEAST_WINDOW_SHIFT && window_count(diagonals, shift - 1) <= most_windows {
        shift -= 1;
    }
    shift
}

/// The number of windows of 2^`window_shift` diagonals each, for a launch of `diagonals` diagonals: its items and segments together.
pub const fn window_count(diagonals: u64, window_shift: u32) -> u64 {
    diagonals.div_ceil(1 << window_shift)
}

/// The number of windows of each block, for a launch of `window_count` windows on a device that holds `resident_blocks` blocks at a time. A
/// block with more windows takes less time for each of them, since it finds all of them at once. But there should be enough blocks to keep
/// all multiprocessors busy to the end.
pub const fn windows_per_block(window_count: u64, resident_blocks: u64) -> u64 {
    let windows = window_count / (4 * resident_blocks);
    if windows == 0 {
        1
    } else if windows > MOST_WINDOWS as u64 {
        MOST_WINDOWS as u64
    } else {
        windows
    }
}

/// The number of state words of a launch of `window_count` windows with accumulators of type `A`, if segments do not start at heads.
pub const fn state_words<A>(window_count: u64) -> u64 {
    window_count * words_per_accumulator::<A>()
}

/// The number of slots for nodes in a launch by key, which has `window_count` windows of 2^`window_shift` items. Each slot has as many
/// state words as an accumulator. If the launch compares the keys, it needs one more state word for each window.
pub const fn node_slots(window_count: u64, window_shift: u32) -> u64 {
    window_count << (window_shift - const { trailing_zeros(NODE_ITEMS) })
}

/// Whether a reduction by `O` may stream rows: their items go straight to registers (see `kernel/rows.rs`). Only items of 4 bytes are
/// streamed. With narrower or wider items, a chunk has fewer vectors than a block of [`LONG_BLOCK_THREADS`] threads reads at once.
///
/// Sums are not streamed. Sums of 2^28 `f32` in rows of 1,024 and of 65,536 took 303 and 305 µs on an H200 (2026-11-26) when they combined
/// sixteens pairwise and were streamed in pieces. With items in shared memory they took 250 and 251 µs.
pub const fn streams_rows<O: Op<T>, T: Element>() -> bool {
    O::STREAMS_ROWS && has_vectors::<T>() && size_of::<T>() == 4
}

/// Whether the threads of a scan by key with `O` may each hold the items of 16 consecutive places (see `kernel/heads/sixteens.rs`). Items
/// must be copied in vectors, and have at most 4 bytes. A result must have the size of an item, since results replace items in shared
/// memory.
pub const fn goes_by_sixteens<O: Op<T>, T: Element>() -> bool {
    has_vectors::<T>() && size_of::<T>() <= 4 && size_of::<O::Output>() == size_of::<T>()
}

/// The first part of a block's shared memory: its windows, its works and the values of tails, with accumulators of type `A`.
#[repr(C, align(16))]
pub struct Header<A> {
    /// The works of each window.
    pub works: [[Work; 2]; MOST_WINDOWS as usize],
    /// The tail of each window.
    pub windows: [Window; MOST_WINDOWS as usize],
    /// For each border of the windows, the first segment that begins there or later. If segments start at heads, two other numbers lie here
    /// instead: how many runs begin before the block's window, and the last head before the window.
    pub borders: [u64; MOST_WINDOWS as usize + 1],
    /// The index of the block's ticket, which decides its windows.
    pub ticket: u32,
    /// The launch's tag.
    pub tag: u32,
    /// Whether the block stops because offsets are refused: 0 or 1.
    pub is_refused: u32,
    /// Whether a scan's block stops because it waits for a value in vain, since offsets are refused: 0 or 1. Warp 0 may write this while
    /// other warps still read `is_refused`.
    pub waits_in_vain: u32,
    /// For each window whose tail [must be combined](Window::is_combined) with earlier chunks, the tail's value. A scan later writes the
    /// prefix of each tail here.
    pub tails: [A; MOST_WINDOWS as usize],
}

/// Consecutive chunks that a block works on together. Segments that start at heads have no numbers, and their chunks are not counted. For
/// such segments, two fields have other meanings. `cut_chunk` is the distance from the work's first item to the first item of the chunk
/// whose segment goes on in later windows. This chunk may be the tail. `starts` is the place that the window's first item would have in the
/// work.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Work {
    /// The number of the item at place 0. If place 0 is before the first item of the input, the number wraps.
    pub base: u64,
    /// The segment of the first chunk.
    pub segment: u64,
    /// The first item's index in its segment.
    pub index: u64,
    /// The first item's place.
    pub begin: u32,
    /// One past the last item's place.
    pub end: u32,
    /// How many chunks there are; 0 if there is no work.
    pub chunk_count: u32,
    /// The number of the window's tail among the work's chunks; [`NO_CHUNK`] if the work does not have the tail.
    pub tail_chunk: u32,
    /// The number, among the work's chunks, of the cut segment's first chunk; [`NO_CHUNK`] if the work does not have that chunk. The other
    /// chunks of the cut segment belong to later windows.
    pub cut_chunk: u32,
    /// The number of the work's window in the block.
    pub window: u32,
    /// Whether the window has a second work, after this one: 0 or 1.
    pub is_followed: u32,
    /// Where the first chunk's start lies, in bytes after the items' first byte. A start is the low half of an offset. The starts lie in
    /// the same order as their offsets in global memory.
    pub starts: u32,
}

/// The tail of a window: its chunk of a segment that began in an earlier window.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Window {
    /// The segment.
    pub segment: u64,
    /// The segment's first item.
    pub begin: u64,
    /// The index of the chunk in its segment. If segments start at heads, the index of the chunk's first node.
    pub index: u64,
    /// Whether the window has a tail: 0 or 1.
    pub has_tail: u32,
    /// Whether the tail is its segment's last chunk: 0 or 1.
    pub is_last: u32,
}

impl Work {
    /// Whether chunks have few items on average. Then perhaps each chunk is a single leaf, and no slots are needed.
    #[inline(always)]
    pub fn is_dense(&self) -> bool {
        self.end - self.begin <= DENSE_ITEMS * self.chunk_count
    }
}

impl Window {
    /// Whether the tail must be combined with earlier chunks: whether it is the last of sixteen chunks, or the last chunk of its segment.
    #[inline(always)]
    pub fn is_combined(&self) -> bool {
        self.has_tail != 0 && (self.is_last != 0 || self.index % FAN as u64 == FAN as u64 - 1)
    }
}

/// No chunk.
pub const NO_CHUNK: u32 = u32::MAX;

/// Whether segments are reduced or scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A result for each segment.
    Reduce,
    /// A result for each item.
    Scan,
}

const _: () = {
    assert!(chunk_items::<f32, f32>() == 4096 && chunk_items::<[u8; 32], f32>() == 256);
    assert!(window_count(1, 12) == 1 && window_count(4096, 12) == 1);
    // 2^16 diagonals are 16 windows of 2^12 diagonals, or 256 windows of 2^8 diagonals. No window has fewer than 2^8 diagonals.
    assert!(window_shift(4096, 1 << 16, 31 * BLOCKS_PER_SMALL_WINDOW) == 12);
    assert!(window_shift(4096, 1 << 16, 32 * BLOCKS_PER_SMALL_WINDOW) == 11);
    assert!(window_shift(4096, 1 << 16, 512 * BLOCKS_PER_SMALL_WINDOW) == LEAST_WINDOW_SHIFT);
    // A window has room for at least one node.
    assert!(trailing_zeros(NODE_ITEMS) <= LEAST_WINDOW_SHIFT);
    // Windows of wide items never have fewer diagonals than a chunk has items.
    assert!(trailing_zeros(WIDE_CHUNK_ITEMS) <= LEAST_WINDOW_SHIFT);
    // The end of each group of `WARP_CHUNKS` chunks is stored in a word for the slots' counts, so there must be at least one such word for
    // each group. A work has at most as many chunks as a window has diagonals.
    assert!(4096_u32.div_ceil(WARP_CHUNKS) as usize <= Layout::bit_words::<f32, f32>());
    assert!(256_u32.div_ceil(WARP_CHUNKS) as usize <= Layout::bit_words::<[u8; 32], f32>());
};
