//! The scratch memory of a stream's launches: one allocation, zeroed once, used again by every launch.
//!
//! ```text
//! byte 0      Control         256 bytes
//! byte 256    state words     8 bytes each
//! ```
//!
//! A state word carries 32 bits of a value in its low half and a tag in its high half. The tag is the launch's
//! epoch, so a word left by an earlier launch is seen to be old, and no launch has to clear anything first.
//! The epoch lives in [`Control`], in device memory, and whoever takes a launch's last ticket advances it: so a launch
//! that was captured into a graph works each time it is replayed. When 32 bits are used up, the last block
//! clears the state words and starts again from zero.
//!
//! Launches that share a workspace must be ordered one after the other, as those on one stream are.

use crate::contract::{reduce_chunk_count, ScanTiles};
use crate::element::ACCUMULATOR_MAX_WORDS;

/// What the launches on a workspace hand on to each other and their blocks share. All zero at first.
#[repr(C, align(256))]
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// In the high half the epoch: reductions and scans that have run since the state words were last cleared; the
    /// running one's tag is one more. In the low half the tickets that its blocks have taken.
    pub tickets: u64,
    /// Blocks that have left the running scan, if it is the one that uses up the tags.
    pub departures: u32,
    /// The tag of the last launch that refused its offsets.
    pub fault: u64,
    /// The initial value of the next scan, if it has one.
    pub initial: Initial,
}

/// Room for an accumulator.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy)]
pub struct Initial(pub [u32; ACCUMULATOR_MAX_WORDS]);

/// The first byte of an initial value.
pub const INITIAL_OFFSET: u64 = core::mem::offset_of!(Control, initial) as u64;

/// The first byte of the state words.
pub const STATES_OFFSET: u64 = size_of::<Control>() as u64;

/// Bytes of a workspace with `state_words` state words.
pub const fn workspace_bytes(state_words: u64) -> u64 {
    STATES_OFFSET + state_words * 8
}

/// State words that carry one accumulator of type `A`: one for each 32 bits.
pub const fn words_per_accumulator<A>() -> u64 {
    (size_of::<A>() / 4) as u64
}

/// State words that a reduction of `item_count` items of type `T` with accumulators of type `A` needs: a partial for
/// each chunk.
pub const fn reduce_state_words<T, A>(item_count: u64) -> u64 {
    reduce_chunk_count::<T>(item_count) * words_per_accumulator::<A>()
}

/// State words that a scan of `item_count` items, divided into these tiles, with accumulators of type `A` needs: an aggregate for each
/// tile, and an aggregate and a prefix for each group.
pub const fn scan_state_words<A>(tiles: ScanTiles, item_count: u64) -> u64 {
    (tiles.count(item_count) + 2 * tiles.group_count(item_count)) * words_per_accumulator::<A>()
}

/// State words that a scan of any number of items up to `item_count` needs: the longest short one has more tiles than some long ones.
pub const fn scan_most_state_words<A>(tiles: ScanTiles, item_count: u64) -> u64 {
    let long = scan_state_words::<A>(tiles, item_count);
    if tiles.is_short(item_count) {
        return long;
    }
    let short = scan_state_words::<A>(tiles, tiles.short_items);
    if short > long {
        short
    } else {
        long
    }
}
