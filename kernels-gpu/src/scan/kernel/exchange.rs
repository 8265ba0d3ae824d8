//! The exchange between the warps that scan and the warp that looks back: the numbers of tiles in one direction, prefixes in the other.
//!
//! In each direction, each turn has a barrier, and a slot in shared memory. The sender writes the slot, and arrives at the barrier without
//! waiting. The receiver waits at the barrier, and reads the slot.
//!
//! A tile's slot is written atomically, although the barrier makes this unnecessary. The reason is `compute-sanitizer`'s `racecheck`. It
//! orders accesses by the number of barriers at which each warp has waited. The warp that looks back reads the slot, but has waited at
//! fewer barriers than the writer. So `racecheck` would report a race for a plain write.
//!
//! **A slot is free again in time.** Slots and barriers are reused after [`TURNS`] turns. *Tiles:* the last of the warps that scan sends
//! the tile of turn t + 4, or `tiles.end` if there is no such tile. Before that, this warp receives the prefix of turn t. The warp that
//! looks back has read the tile of turn t before it sends that prefix. *Prefixes:* the warp that looks back sends the prefix of turn t + 4.
//! Before that, it receives the tile of turn t + 4. When that tile is sent, all warps that scan have begun to wait for the prefix of turn
//! t + 1. So they have read the prefix of turn t.

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
    /// The warps at a tile's barrier: the last warp that scans and the warp that looks back.
    const TILE_WARPS: u32 = 2;
    /// The warps at a prefix's barrier: the warps that scan and the warp that looks back.
    const PREFIX_WARPS: u32 = S::WARPS + 1;

    /// Sends the tile of a turn to the warp that looks back. After the last tile, sends `tiles.end` instead.
    ///
    /// # Safety
    /// Convergent: at least the last warp that scans. If a tile is sent, that warp has published the tile's aggregate. The call is made
    /// once for each turn, in order.
    #[inline(always)]
    pub unsafe fn send_tile(&self, turn: u32, tile: u32) {
        if simt::warp() != S::WARPS - 1 {
            return;
        }
        // SAFETY: `slot` is below `TURNS`, and the slot's earlier tile has been read (see the module). The whole last warp arrives, and the
        // warp that looks back waits there: two warps each turn.
        unsafe {
            if simt::lane() == 0 {
                let slot = &raw mut (*self.shared).tiles[slot(turn) as usize];
                simt::store_shared_atomically(slot, tile);
            }
            simt::arrive_at_barrier(TILE_BARRIERS + slot(turn), Self::TILE_WARPS);
        }
    }

    /// Waits for the tile of a turn. If there is no further tile, the result is `tiles.end`.
    ///
    /// # Safety
    /// Convergent: the warp that looks back. The call is made once for each turn, in order.
    #[inline(always)]
    pub unsafe fn await_tile(&self, turn: u32) -> u32 {
        // SAFETY: the whole warp that looks back waits once each turn (this function's condition), and one warp arrives. The sender wrote
        // the slot before it arrived.
        unsafe {
            simt::wait_at_barrier(TILE_BARRIERS + slot(turn), Self::TILE_WARPS);
            (*self.shared).tiles[slot(turn) as usize]
        }
    }

    /// Sends the prefix of a turn's tile to the warps that scan. The prefix is valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the warp that looks back. The call is made once for each turn with a tile, in order.
    #[inline(always)]
    pub unsafe fn send_prefix(&self, turn: u32, prefix: O::Accumulator) {
        // SAFETY: `slot` is below `TURNS`, and the slot's earlier prefix has been read (see the module). The whole warp arrives once each
        // turn (this function's condition), and all warps that scan wait there.
        unsafe {
            if simt::lane() == 0 {
                (*self.shared).prefixes[slot(turn) as usize] = prefix;
            }
            simt::arrive_at_barrier(PREFIX_BARRIERS + slot(turn), Self::PREFIX_WARPS);
        }
    }

    /// Waits for the prefix of a turn's tile.
    ///
    /// # Safety
    /// Convergent: all warps that scan. The call is made once for each turn with a tile, in order.
    #[inline(always)]
    pub unsafe fn await_prefix(&self, turn: u32) -> O::Accumulator {
        // SAFETY: all warps that scan wait once each turn (this function's condition), and one warp arrives. The sender wrote the slot
        // before it arrived.
        unsafe {
            simt::wait_at_barrier(PREFIX_BARRIERS + slot(turn), Self::PREFIX_WARPS);
            (*self.shared).prefixes[slot(turn) as usize]
        }
    }
}
