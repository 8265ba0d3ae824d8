//! Launches that mark the heads of runs.
//!
//! ```text
//! each block: in turns of up to 8 tiles of its range:
//!     each warp: load its part of each tile, compare neighbours, put the bits into shared memory;
//!                load the first keys of its next part before it compares the last keys of this one
//!     each warp: write the bits of one tile, count its heads, and find its last head
//!     warp 0: write the number of heads before each tile, and the last of them
//! the last block: the same before each range                         no block waits for another
//! ```
//!
//! Cost: each key is read once, and the key before a warp's part is read again. If keys are not loaded in vectors, the key before each
//! vector is read again, and the last key is read in place of each key that does not exist. A turn has 2 barriers.

mod marking;
mod ranges;

use core::marker::PhantomData;

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{BeforeRange, BeforeTile, Heads, HeadsArguments};
use crate::heads::{SHARED_BYTES, TILE_WORDS, WARPS};
use crate::selection::Equality;
use crate::simt;
use crate::tiles::counted;

/// Marks the heads of runs of equal keys.
///
/// # Safety
/// - All threads of the launch call this. Blocks have [`crate::heads::BLOCK_THREADS`] threads and [`SHARED_BYTES`] of dynamic shared
///   memory. There is a block for each range.
/// - `key_count` is at least 1. `keys` is the address of that many readable keys, and is aligned to a key.
/// - `key_count_at` is null, or points to a readable number.
/// - `heads` is the address of [`crate::heads::Layout::bytes`] bytes of memory, computed for `key_count` items. The address is aligned to
///   16 bytes. The memory was zeroed once, before its first use. No other launch uses the memory at the same time. The memory does not
///   overlap the keys.
#[inline(always)]
pub unsafe fn heads<E: Equality<T>, T: Element>(mut arguments: HeadsArguments<T>) {
    simt::await_work_before();
    let heads = Heads::new(arguments.heads, arguments.key_count);
    // SAFETY: work before the launch is awaited above; `key_count_at` is null or readable (condition of this function).
    arguments.key_count = unsafe { counted(arguments.key_count, arguments.key_count_at) };
    let launch = Launch::<E, T> {
        arguments,
        heads,
        shared: simt::shared_memory(),
        equality: PhantomData,
    };
    // SAFETY: the whole block is here, once, and there is a block for each range (condition of this function).
    unsafe { launch.mark() }
}

/// The shared memory of a block that marks.
#[repr(C, align(16))]
struct Shared {
    /// The bits of a turn's tiles.
    bits: [[u32; TILE_WORDS as usize]; WARPS as usize],
    /// In the last block, for each warp: the heads of all ranges that the warp reads.
    ranges: [BeforeRange; WARPS as usize],
    /// The heads of each of the turn's tiles. Here `end` is counted from the first item of the tile.
    tiles: [BeforeTile; WARPS as usize],
    /// The heads before the turn, in the block's range. Here `end` is counted from the first item of the range.
    before: BeforeTile,
    /// Whether the block is the last to arrive: 0 or 1.
    is_last: u32,
}

/// A launch. Its functions need the conditions of [`heads`].
struct Launch<E, T> {
    /// The arguments. If `key_count_at` has a lesser number of keys, `key_count` is replaced by that number.
    arguments: HeadsArguments<T>,
    heads: Heads,
    shared: *mut Shared,
    equality: PhantomData<E>,
}

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Whether items are numbered from the end.
    #[inline(always)]
    fn is_backward(&self) -> bool {
        self.arguments.is_backward != 0
    }
}

const _: () = {
    assert!(size_of::<Shared>() <= SHARED_BYTES as usize);
    // A word has a bit for each lane of a warp, and a tile has four words for each lane.
    assert!(WARP_LANES == u32::BITS && TILE_WORDS == 4 * WARP_LANES as u64);
};
