//! The scratch memory of a stream's launches: one allocation, zeroed once, used again by every launch.
//!
//! ```text
//! byte 0      Control                     256 bytes
//! byte 256    partials of a reduction     REDUCE_MAX_CHUNKS × 8 bytes
//! then        state words of a scan       state_words × 8 bytes
//! ```
//!
//! A state word carries 32 bits of a value in its low half and a tag in its high half. The tag is the launch's
//! epoch, so a word left by an earlier launch is seen to be old, and no launch has to clear anything first.
//! The epoch lives in [`Control`], in device memory, and the last block to leave advances it: so a launch
//! that was captured into a graph works each time it is replayed. When 32 bits are used up, that block
//! clears the state words and starts again from zero.
//!
//! Launches that share a workspace must be ordered one after the other, as those on one stream are.

use crate::contract::{scan_group_count, tile_count, REDUCE_MAX_CHUNKS};

/// What the launches on a workspace hand on to each other and their blocks share. All zero at first.
#[repr(C, align(256))]
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// Scans that have run since the state words were last cleared. A running scan's tag is `epoch + 1`.
    pub epoch: u32,
    /// The scan's next tile.
    pub next_tile: u32,
    /// Blocks that have left the running scan.
    pub departures: u32,
    /// Blocks whose partial of the running reduction is written.
    pub arrivals: u32,
}

/// The first byte of the reduction's partials.
pub const PARTIALS_OFFSET: u64 = size_of::<Control>() as u64;

/// The first byte of the scan's state words.
pub const STATES_OFFSET: u64 = PARTIALS_OFFSET + REDUCE_MAX_CHUNKS * 8;

/// Bytes of a workspace with `state_words` state words.
pub const fn workspace_bytes(state_words: u64) -> u64 {
    STATES_OFFSET + state_words * 8
}

/// State words that carry one element of type `T`: one for each 32 bits.
pub const fn words_per_element<T>() -> u64 {
    (size_of::<T>() / 4) as u64
}

/// State words that a scan of `item_count` items of type `T` needs: an aggregate for each tile, and an
/// aggregate and a prefix for each group.
pub const fn scan_state_words<T>(item_count: u64) -> u64 {
    (tile_count::<T>(item_count) + 2 * scan_group_count::<T>(item_count)) * words_per_element::<T>()
}
