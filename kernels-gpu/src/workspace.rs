//! The device memory that a stream's launches share: one allocation that is zeroed once, and that every launch uses again.
//!
//! ```text
//! byte 0      Control         256 bytes
//! byte 256    state words     8 bytes each
//! ```
//!
//! A state word carries 32 bits of a value in its low half and a tag in its high half. The tag is the epoch plus one. By the tag, a launch
//! recognises words that earlier calls have left, so no launch has to clear anything first. The epoch is in [`Control`], in device memory.
//! The block with the last ticket of a call's last launch advances the epoch. So a launch that was captured into a graph works each time it
//! is replayed. The last tag is 2^32 − 1. In a call with this tag, the last block that uses the state words clears them, and sets the epoch
//! to zero.
//!
//! Launches that share a workspace must be ordered one after the other, for example on one stream.

use crate::contract::{reduce_chunk_count, ScanTiles};
use crate::element::ACCUMULATOR_MAX_WORDS;

/// State that the blocks of a launch share, and that persists from launch to launch. At first, all bytes are zero.
#[repr(C, align(256))]
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// The high half is the epoch: the number of earlier calls that have taken tickets since the state words were last cleared. The tag of
    /// the running call is the epoch plus one. The low half is the number of tickets that have been taken since the last reset.
    pub tickets: u64,
    /// The number of blocks that have left the running launch. Some launches with the last tag count them; other launches do not.
    pub departures: u32,
    /// The tag of the last launch that refused its segments' offsets, or 0.
    pub fault: u64,
    /// The initial value of the next scan, if it has one.
    pub initial: Initial,
}

/// Room for an accumulator.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy)]
pub struct Initial(pub [u32; ACCUMULATOR_MAX_WORDS]);

/// The byte of a workspace at which an initial value begins.
pub const INITIAL_OFFSET: u64 = core::mem::offset_of!(Control, initial) as u64;

/// The byte of a workspace at which the state words begin.
pub const STATES_OFFSET: u64 = size_of::<Control>() as u64;

/// The number of bytes of a workspace with `state_words` state words.
pub const fn workspace_bytes(state_words: u64) -> u64 {
    STATES_OFFSET + state_words * 8
}

/// The number of state words that carry one accumulator of type `A`: one word for each 32 bits.
pub const fn words_per_accumulator<A>() -> u64 {
    (size_of::<A>() / 4) as u64
}

/// The number of state words of a reduction: they hold a partial for each chunk. The reduction has `item_count` items of type `T`, and
/// accumulators of type `A`.
pub const fn reduce_state_words<T, A>(item_count: u64) -> u64 {
    reduce_chunk_count::<T>(item_count) * words_per_accumulator::<A>()
}

/// The number of state words of a scan: they hold an aggregate for each tile, and an aggregate and a prefix for each tile group. The scan
/// has `item_count` items, divided into `tiles`, and accumulators of type `A`.
pub const fn scan_state_words<A>(tiles: ScanTiles, item_count: u64) -> u64 {
    (tiles.count(item_count) + 2 * tiles.group_count(item_count)) * words_per_accumulator::<A>()
}

/// The greatest number of state words that a scan of at most `item_count` items can need. A short scan has smaller tiles than a long scan.
/// So the longest short scan has more tiles than some long scans, and needs more state words.
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
