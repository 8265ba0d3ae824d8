//! The exchange between the warps that scan and the warp that looks back: tiles one way, prefixes the other.
//!
//! Each turn has a slot of shared memory and a barrier for each direction. The sender writes the slot, arrives at the barrier and goes on.
//! The receiver waits at the barrier, and reads.
//!
//! A tile's slot is written atomically, which the barrier does not need: `compute-sanitizer`'s `racecheck` orders accesses
//! by how many barriers each warp has waited at, and the warp that looks back has waited at fewer.
//!
//! **A slot is free again in time.** Slots and barriers serve again after [`TURNS`] turns. When the last warp sends the tile of turn t + 4,
//! or the end in its stead, it has received the prefix of turn t. So the tile of turn t was read. When the other warp sends the prefix of
//! turn t + 4, it has received that turn's tile. All warps had asked for the prefix of turn t + 1 before that, so they had read the prefix
//! of turn t.

use crate::block::Shape;
use crate::element::Element;
use crate::op::Op;
use crate::scan::tuning::TURNS;
use crate::simt;

use super::Launch;

/// The first of the barriers for tiles.
const TILE_BARRIERS: u32 = 2;
/// The first of the barriers for prefixes.
const PREFIX_BARRIERS: u32 = TILE_BARRIERS + TURNS as u32;

/// The slot of a turn.
#[inline(always)]
fn slot(turn: u32) -> u32 {
    turn % TURNS as u32
}

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// The last warp that scans and the one that looks back.
    const TOLD_A_TILE: u32 = 2;
    /// The warps that scan and the one that looks back.
    const TOLD_A_PREFIX: u32 = S::WARPS + 1;

    /// Tells the warp that looks back the tile of a turn, or that there is none.
    ///
    /// # Safety
    /// Convergent: at least the last warp that scans, whose first thread published the tile. Once for each turn, in order.
    #[inline(always)]
    pub unsafe fn tell_tile(&self, turn: u32, tile: u32) {
        if simt::warp() != S::WARPS - 1 {
            return;
        }
        // SAFETY: the caller's; the slot's last tile has been read.
        unsafe {
            if simt::lane() == 0 {
                let slot = &raw mut (*self.shared).tiles[slot(turn) as usize];
                simt::store_shared_atomically(slot, tile);
            }
            simt::arrive_at_barrier(TILE_BARRIERS + slot(turn), Self::TOLD_A_TILE);
        }
    }

    /// The tile of a turn, or the end of the tiles for none.
    ///
    /// # Safety
    /// Convergent: the warp that looks back. Once for each turn, in order.
    #[inline(always)]
    pub unsafe fn await_tile(&self, turn: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe {
            simt::wait_at_barrier(TILE_BARRIERS + slot(turn), Self::TOLD_A_TILE);
            (*self.shared).tiles[slot(turn) as usize]
        }
    }

    /// Tells the warps that scan the prefix, valid on lane 0, of the tile of a turn.
    ///
    /// # Safety
    /// Convergent: the warp that looks back. Once for each turn, in order.
    #[inline(always)]
    pub unsafe fn tell_prefix(&self, turn: u32, prefix: O::Accumulator) {
        // SAFETY: the caller's; the slot's last prefix has been read.
        unsafe {
            if simt::lane() == 0 {
                (*self.shared).prefixes[slot(turn) as usize] = prefix;
            }
            simt::arrive_at_barrier(PREFIX_BARRIERS + slot(turn), Self::TOLD_A_PREFIX);
        }
    }

    /// The prefix of the tile of a turn.
    ///
    /// # Safety
    /// Convergent: all warps that scan. Once for each turn, in order.
    #[inline(always)]
    pub unsafe fn await_prefix(&self, turn: u32) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            simt::wait_at_barrier(PREFIX_BARRIERS + slot(turn), Self::TOLD_A_PREFIX);
            (*self.shared).prefixes[slot(turn) as usize]
        }
    }
}
