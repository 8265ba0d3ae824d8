//! The exchange between the warps that share a tile and the warp that looks back: the numbers of tiles go to the warp that looks back, and
//! prefixes come from it.
//!
//! Scans have the same exchange. In each direction, each turn has a slot in shared memory, and a barrier. The sender writes the slot, and
//! arrives at the barrier without waiting. The receiver waits at the barrier, and reads the slot.
//!
//! A tile's slot is written atomically, although the barrier makes this unnecessary. The reason is `compute-sanitizer`'s `racecheck`. It
//! orders accesses by the number of barriers at which each warp has waited. The warp that looks back has waited at fewer barriers than the
//! warp that writes the slot. So `racecheck` would report a race for a plain write.
//!
//! **A slot is free before it is written again.** There are [`TURNS`] slots and barriers for each direction, so turn t + 4 uses those of
//! turn t again. A tile is sent in the turn in which it arrives, or one turn later. Its output is written in one of these turns, too, but
//! not before it is sent. *Tiles:* in turn t + 4 or later, the last sharing warp sends the tile's number of turn t + 4, or the end number
//! of the tiles. Before that, this warp received the prefix of turn t. The warp that looks back had read the tile's slot of turn t before
//! it sent that prefix. So that slot is free. *Prefixes:* the warp that looks back sends the prefix of turn t + 4. Before that, it received
//! the tile of turn t + 4. When that tile was sent, all sharing warps had waited for the prefix of turn t + 1. So they had read the prefix
//! of turn t, and its slot is free.

use crate::scan::tuning::TURNS;
use crate::selection::tuning::WARPS;
use crate::simt;

/// The first of the barriers for tiles.
const TILE_BARRIERS: u32 = 2;
/// The first of the barriers for prefixes.
const PREFIX_BARRIERS: u32 = TILE_BARRIERS + TURNS as u32;

/// Warps at a tile's barrier: the last warp that shares the tiles, and the warp that looks back.
const TILE_WARPS: u32 = 2;

/// Warps at a prefix's barrier: the warps that share the tiles, and the warp that looks back.
const PREFIX_WARPS: u32 = WARPS + 1;

/// The number of the slot that a turn uses. The turns use the slots in rotation.
#[inline(always)]
fn slot(turn: u32) -> u32 {
    turn % TURNS as u32
}

/// The slots for tiles, in the block's own shared memory.
pub type Tiles = *mut [u32; TURNS];
/// The slots for prefixes of type `A`, in the block's own shared memory.
pub type Prefixes<A> = *mut [A; TURNS];

/// Sends a turn's tile to the warp that looks back. If the turn has no tile, `tile` is the end number of the launch's tiles: one more than
/// the last tile's number.
///
/// # Safety
/// - Convergent: the last warp that shares the tiles calls it. Other warps may call it too.
/// - If a tile is sent, the last warp's first lane has published the tile's count.
/// - It is called once for each turn, in the order of the turns. `tiles` are the block's slots for tiles.
#[inline(always)]
pub unsafe fn send_tile(tiles: Tiles, turn: u32, tile: u32) {
    if simt::warp() != WARPS - 1 {
        return;
    }
    // SAFETY: the slot is in the block's shared memory, and its earlier tile has been read (see the module). The whole warp arrives, and
    // the warp that looks back waits at this barrier, in `await_tile`.
    unsafe {
        if simt::lane() == 0 {
            let slot = &raw mut (*tiles)[slot(turn) as usize];
            simt::store_shared_atomically(slot, tile);
        }
        simt::arrive_at_barrier(TILE_BARRIERS + slot(turn), TILE_WARPS);
    }
}

/// Waits for the tile of a turn. If the turn has no tile, returns the end number of the launch's tiles.
///
/// # Safety
/// - Convergent: the warp that looks back.
/// - It is called once for each turn, in the order of the turns. `tiles` are the block's slots for tiles.
#[inline(always)]
pub unsafe fn await_tile(tiles: Tiles, turn: u32) -> u32 {
    // SAFETY: the whole warp waits, and the last sharing warp arrives at this barrier, in `send_tile`. The barrier orders that warp's write
    // before this read.
    unsafe {
        simt::wait_at_barrier(TILE_BARRIERS + slot(turn), TILE_WARPS);
        (*tiles)[slot(turn) as usize]
    }
}

/// Sends the prefix of a turn's tile to the warps that share the tiles. `prefix` is valid on lane 0.
///
/// # Safety
/// - Convergent: the warp that looks back.
/// - It is called once for each turn with a tile, in the order of the turns. `prefixes` are the block's slots for prefixes.
#[inline(always)]
pub unsafe fn send_prefix<A>(prefixes: Prefixes<A>, turn: u32, prefix: A) {
    // SAFETY: the slot is in the block's shared memory, and its earlier prefix has been read (see the module). The whole warp arrives, and
    // the sharing warps wait at this barrier, in `await_prefix`.
    unsafe {
        if simt::lane() == 0 {
            (&raw mut (*prefixes)[slot(turn) as usize]).write(prefix);
        }
        simt::arrive_at_barrier(PREFIX_BARRIERS + slot(turn), PREFIX_WARPS);
    }
}

/// Waits for the prefix of a turn's tile.
///
/// # Safety
/// - Convergent: all warps that share the tiles.
/// - It is called once for each turn with a tile, in the order of the turns. `prefixes` are the block's slots for prefixes.
#[inline(always)]
pub unsafe fn await_prefix<A: Copy>(prefixes: Prefixes<A>, turn: u32) -> A {
    // SAFETY: all sharing warps wait, and the warp that looks back arrives at this barrier, in `send_prefix`. The barrier orders the write
    // of the warp that looks back before this read.
    unsafe {
        simt::wait_at_barrier(PREFIX_BARRIERS + slot(turn), PREFIX_WARPS);
        (*prefixes)[slot(turn) as usize]
    }
}
