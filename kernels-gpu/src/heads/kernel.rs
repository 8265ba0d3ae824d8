//! Launches on keys. One kind of launch marks the heads of runs, and the other writes what is at the heads.
//!
//! ```text
//! mark:    each block: in turns of up to 8 tiles of its range:
//!              each warp: load its part of each tile, compare neighbours, put the bits into shared memory
//!              each warp: write the bits of one tile, and count its heads
//!              warp 0: write what is known before each tile
//!          the last block: add up the ranges                          no block waits for another
//! gather:  each warp: for a tile, or a part of one: write the key and the start of each head to its run's place
//! ```
//!
//! Cost: `mark` reads each key once, and has 2 barriers in a turn. `gather` reads all bits and the keys at heads, and has no barrier.

mod gathering;
mod marking;
mod ranges;

use core::marker::PhantomData;

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{Before, BeforeTile, Heads, HeadsArguments};
use crate::heads::{GOES_BACKWARD, MARKS, SHARED_BYTES, TILE_WORDS, WARPS};
use crate::selection::Equality;
use crate::simt;
use crate::tiles::counted;

/// Marks the heads of runs of equal keys, or writes what is at the heads.
///
/// # Safety
/// - All threads of the launch call this. Blocks have [`crate::heads::BLOCK_THREADS`] threads and [`SHARED_BYTES`] of dynamic shared
///   memory.
/// - `key_count` is at least 1. `keys` is the address of that many readable keys, and is aligned to a key.
/// - `key_count_at` is null, or points to a readable number.
/// - `heads` is [`crate::heads::Layout::bytes`] of memory for `key_count` items, aligned to 16 bytes. No other launch uses it at the same
///   time, and it was zeroed once.
/// - With [`MARKS`] there is a block for each range. `run_count` is null or a writable word.
/// - Without [`MARKS`], an earlier launch on the same keys in the same direction has marked the heads. `firsts` is null, or is aligned and
///   has `first_capacity` writable places. `starts` is aligned, and has `start_capacity` writable places.
/// - Outputs overlap neither each other nor the keys.
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
    // SAFETY: the whole block is here, once. A launch that marks has a block for each range; before any other launch, the heads are marked
    // (conditions of this function).
    unsafe {
        if arguments.options & MARKS != 0 {
            launch.mark();
        } else {
            launch.gather();
        }
    }
}

/// The shared memory of a block that marks.
#[repr(C, align(16))]
struct Shared {
    /// The bits of a turn's tiles.
    bits: [[u32; TILE_WORDS as usize]; WARPS as usize],
    /// What each warp's ranges add up to.
    sums: [Before; WARPS as usize],
    /// The heads of each of the turn's tiles. Places are counted from the tile's beginning.
    tiles: [BeforeTile; WARPS as usize],
    /// Whether the block is the last to arrive: 0 or 1.
    is_last: u32,
}

/// A launch's arguments. Its functions need the conditions of [`heads`].
struct Launch<E, T> {
    /// With the number of keys that there are.
    arguments: HeadsArguments<T>,
    heads: Heads,
    shared: *mut Shared,
    equality: PhantomData<E>,
}

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Whether items are numbered from the end.
    #[inline(always)]
    fn is_backward(&self) -> bool {
        self.arguments.options & GOES_BACKWARD != 0
    }
}

const _: () = {
    assert!(size_of::<Shared>() <= SHARED_BYTES as usize);
    // A word's lanes are the lanes of a warp, and a tile has four words for each lane.
    assert!(WARP_LANES == u32::BITS && TILE_WORDS == 4 * WARP_LANES as u64);
};
