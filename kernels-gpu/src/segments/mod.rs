//! Segmented reductions and scans: the order of combination, how the work is divided, and what a launch provides.
//!
//! Segment `s` has the items from `offset[s]` to before `offset[s + 1]`. Offsets ascend; a segment may be empty.
//!
//! # The order, version 2
//!
//! Part of the bit contract, see [`crate::contract`] for the notation. A segment's items are combined by sixteens, counted from the
//! segment's start: each [`FAN`] consecutive values, the last ones perhaps fewer, are left-folded to one; so are each 16
//! of the results; and so on, until one value is left. It is lowered. A segment of no items gives the identity. An item's
//! index, for operators that look at it, counts from the segment's start.
//!
//! [`Moments`](crate::op::Moments) and [`Statistics`](crate::op::Statistics) combine each sixteen values pairwise, neighbours first, in
//! place of the left fold: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕((x₄⊕x₅)⊕…)`, where missing ones count as the identity. So both sides mostly are of
//! equally many items, and nothing is divided. Version 1 had the left fold for all operators; these two had no segments then.
//!
//! So a result depends on the segment's items and their number, and on nothing else: not on where the segment lies, nor
//! on its neighbours. The order of the items is kept, so operators need not commute. All operators have this order.
//!
//! A scan combines the same values by sixteens. Before the first of sixteen values stands what stands before these sixteen, and before
//! each other one what stands before its neighbour, combined with the neighbour; before the one value that is left, the identity. The
//! result of an item is what stands before it, combined with the item or, in an exclusive scan, not; it is lowered. So a result depends
//! on the items of its segment up to it, and on nothing else.
//!
//! # The work
//!
//! Items and segments' ends, merged in the order of the input, lie on the *diagonals* of Merrill and Garland's merge path: segment
//! `s` begins at diagonal `offset[s] + s`, which ascends strictly. A segment is cut into **chunks** of [`chunk_items`],
//! a power of 16. To **window** `w`, the diagonals from `w·C` to before `(w + 1)·C`, where `C` is the items of a chunk, belong the
//! chunks that begin there; an empty segment counts as a chunk. So a window has at most one chunk of the segment that began in an
//! earlier one, then segments that begin there, of which the last may be cut. It costs as much as it has items
//! and segments, whatever their lengths. A block works on a few windows one after the other. Several blocks share a multiprocessor, and
//! some bring items to shared memory while others work on theirs.
//!
//! What a window brings to shared memory is one [`Work`], or two where there is no room for its last chunk beside the others. Places
//! in it are numbers from a multiple of 16 bytes in the input on, so that vectors of items are copied as they lie.
//!
//! A chunk has a **slot** for each 16 of its items, and those of consecutive chunks follow each other: chunk `c`, which starts at
//! place `p`, has those from `p / 16 + c` on. So leaves are dealt out to threads evenly, whatever the segments' lengths, and without
//! adding up how many there are. A bit is set for each chunk's first slot; counting bits tells whose a slot is. Where chunks have
//! few items on average, and none has more than a leaf, a thread has a chunk instead.
//!
//! A chunk that is not its segment's last is published in the state word of its window, of which there is at
//! most one in each.
//!
//! None of the numbers here but [`FAN`] changes a result.

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
use crate::segments::tuning::{DENSE_ITEMS, LONG_BLOCK_THREADS};
use crate::workspace::words_per_accumulator;

/// Values that are folded to one.
pub const FAN: u32 = 16;

/// The most windows that a block works on: it has a warp for each border of them.
pub const MOST_WINDOWS: u32 = LONG_BLOCK_THREADS / WARP_LANES - 1;

/// Chunks whose starts a warp writes at a time: its lanes read the offsets where they begin, and where the last one ends.
pub const WARP_CHUNKS: u32 = WARP_LANES - 1;

/// Bytes of a vector of items that is copied at once.
const VECTOR_BYTES: usize = 16;

/// Items of a chunk of narrow items, and of one of wide ones. They have names so that every compiler sees numbers.
const NARROW_CHUNK_ITEMS: u64 = FAN.pow(3) as u64;
const WIDE_CHUNK_ITEMS: u64 = FAN.pow(2) as u64;

/// Items of a chunk, and diagonals of a window, for items of type `T` and accumulators of type `A`.
pub const fn chunk_items<T, A>() -> u64 {
    let is_narrow = size_of::<T>() <= 4 || size_of::<T>() <= 8 && size_of::<A>() <= 8;
    if is_narrow {
        NARROW_CHUNK_ITEMS
    } else {
        WIDE_CHUNK_ITEMS
    }
}

/// Windows of `item_count` items in `segment_count` segments.
pub const fn window_count<T, A>(item_count: u64, segment_count: u64) -> u64 {
    (item_count + segment_count).div_ceil(chunk_items::<T, A>())
}

/// Windows of each block of a launch that has this many, on a device that holds `resident_blocks` at a time: a block finds all of its
/// windows at once, and all blocks should be busy to the end.
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

/// State words of a launch with accumulators of type `A`.
pub const fn state_words<T, A>(item_count: u64, segment_count: u64) -> u64 {
    window_count::<T, A>(item_count, segment_count) * words_per_accumulator::<A>()
}

/// Chunks and their items that a block has room for. Of a window's chunks all but the last have fewer items than a window
/// diagonals. If all of them have no room together, the last is worked on alone.
pub const fn room_items<T, A>() -> usize {
    (chunk_items::<T, A>() + chunk_items::<T, A>() / 8) as usize
}

/// Whether items are copied in vectors: where they are numbers, or lie as numbers do.
pub const fn has_vectors<T>() -> bool {
    matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16) && align_of::<T>() == size_of::<T>()
}

/// Items of type `T` in a vector, where there are vectors.
pub const fn vector_items<T>() -> u32 {
    if has_vectors::<T>() {
        (VECTOR_BYTES / size_of::<T>()) as u32
    } else {
        1
    }
}

/// Items of type `T` in a row of shared memory, after which there is a gap: so lanes that read items 16 apart read from
/// different banks.
pub const fn row_items<T>() -> usize {
    match size_of::<T>() {
        1 => 128,
        2 => 64,
        4 => 32,
        8 => 16,
        12 | 16 => 8,
        _ => 4,
    }
}

/// Items in a row's gap: a vector's.
pub const fn gap_items<T>() -> usize {
    vector_items::<T>() as usize
}

/// The place of item `index`, in items.
#[inline(always)]
pub const fn place_of<T>(index: usize) -> usize {
    index + index / row_items::<T>() * gap_items::<T>()
}

/// Where what lies in a block's shared memory, in bytes. First comes a [`Header`].
///
/// What one work has of slots' bits and counts stands in the other of two places for the next one.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// A bit for each slot, in words of 32, and a word in which there is something if a chunk has more than one node.
    pub bits: usize,
    /// For each word of bits, how many bits the ones before have.
    pub counts: usize,
    /// A value for each 8 items.
    pub leaves: usize,
    /// A value for each 128 items.
    pub nodes: usize,
    /// The items; the starts of chunks lie after them, the first one last.
    pub items: usize,
    /// Bytes of items and starts.
    pub item_bytes: usize,
}

/// What a block's threads hand to each other, with accumulators of type `A`.
#[repr(C, align(16))]
pub struct Header<A> {
    /// The works of each window.
    pub works: [[Work; 2]; MOST_WINDOWS as usize],
    /// The windows.
    pub windows: [Window; MOST_WINDOWS as usize],
    /// The segments that begin first after the windows' borders.
    pub borders: [u64; MOST_WINDOWS as usize + 1],
    /// The ticket: which windows these are.
    pub ticket: u32,
    /// The launch's tag.
    pub tag: u32,
    /// Whether an offset between the chunks is refused.
    pub is_refused: u32,
    /// Of each window, the value of the chunk of an earlier segment.
    pub tails: [A; MOST_WINDOWS as usize],
}

/// Chunks that are worked on at once: consecutive items.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Work {
    /// The item that has place 0; the difference to it wraps.
    pub base: u64,
    /// The segment of the first chunk.
    pub segment: u64,
    /// The index in its segment of the first item.
    pub index: u64,
    /// The first item's place.
    pub begin: u32,
    /// One past the last item's place.
    pub end: u32,
    /// How many chunks there are; 0 if there is no work.
    pub chunk_count: u32,
    /// Which chunk is of a segment that began in an earlier window, if any.
    pub tail_chunk: u32,
    /// Which chunk is not its segment's last, which begins here, if any.
    pub cut_chunk: u32,
    /// Which of the block's windows it is.
    pub window: u32,
    /// Whether the window has another one: 0 or 1.
    pub is_followed: u32,
}

/// What a block knows of a window's chunk of a segment that began in an earlier one.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Window {
    /// The segment.
    pub segment: u64,
    /// Its first item.
    pub begin: u64,
    /// Which of its chunks begins here.
    pub index: u64,
    /// Whether there is such a chunk.
    pub has_tail: u32,
    /// Whether it is the segment's last.
    pub is_last: u32,
}

impl Work {
    /// Whether chunks have few items on average, so that perhaps all are leaves, which need no slots.
    #[inline(always)]
    pub fn is_dense(&self) -> bool {
        self.end - self.begin <= DENSE_ITEMS * self.chunk_count
    }
}

impl Window {
    /// Whether the chunk is combined with what stands before it: the last of sixteen, and of its segment.
    #[inline(always)]
    pub fn is_combined(&self) -> bool {
        self.has_tail != 0 && (self.is_last != 0 || self.index % FAN as u64 == FAN as u64 - 1)
    }
}

/// No chunk.
pub const NO_CHUNK: u32 = u32::MAX;

impl Layout {
    /// The layout for items of type `T` and accumulators of type `A`.
    pub const fn of<T, A>() -> Self {
        let places = room_items::<T, A>() + vector_items::<T>() as usize;
        let bits = size_of::<Header<A>>();
        let counts = bits + 2 * 4 * (Self::bit_words::<T, A>() + 1);
        let leaves = (counts + 2 * 4 * Self::bit_words::<T, A>()).next_multiple_of(16);
        let nodes = leaves + (places / 8 + 1) * size_of::<A>();
        let items = (nodes + (places / 128 + 1) * size_of::<A>()).next_multiple_of(16);
        let bytes_of_items = (place_of::<T>(places) + 1) * size_of::<T>();
        // Where items are narrow, starts take more room than as many items.
        let bytes_of_starts = places * 2;
        let bytes = if bytes_of_items > bytes_of_starts {
            bytes_of_items
        } else {
            bytes_of_starts
        };
        Layout {
            bits,
            counts,
            leaves,
            nodes,
            items,
            item_bytes: (bytes + 4).next_multiple_of(16),
        }
    }

    /// Words of a bit for each slot. There are no more slots than places and one.
    pub const fn bit_words<T, A>() -> usize {
        (room_items::<T, A>() + vector_items::<T>() as usize) / 32 + 2
    }
}

/// What is made of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A result for each segment.
    Reduce,
    /// A result for each item.
    Scan,
}

/// Bytes of dynamic shared memory of a block.
pub const fn shared_bytes<T, A>() -> u32 {
    let layout = Layout::of::<T, A>();
    (layout.items + layout.item_bytes) as u32
}

const _: () = {
    assert!(chunk_items::<f32, f32>() == 4096 && chunk_items::<[u8; 32], f32>() == 256);
    // Places are numbers of 16 bits.
    assert!(room_items::<f32, f32>() + VECTOR_BYTES < u16::MAX as usize);
    assert!(window_count::<f32, f32>(0, 1) == 1 && window_count::<f32, f32>(4096, 0) == 1);
    // What ends a warp's chunks has a place among the slots' counts. A work has at most as many chunks as a window diagonals.
    assert!(4096_u32.div_ceil(WARP_CHUNKS) as usize <= Layout::bit_words::<f32, f32>());
    assert!(256_u32.div_ceil(WARP_CHUNKS) as usize <= Layout::bit_words::<[u8; 32], f32>());
    // What every device has for a block.
    assert!(shared_bytes::<u64, u64>() <= 64 << 10);
    assert!(shared_bytes::<u32, [u32; 16]>() <= 64 << 10);
    assert!(shared_bytes::<[u32; 16], [u32; 16]>() <= 64 << 10);
};
