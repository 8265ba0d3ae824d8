//! Scan of an array in one launch, single pass, each item read once and written once.
//!
//! ```text
//! a block, in turns, with three tiles in hand:
//!     arriving    scan the tile that was being copied to shared memory; publish its aggregate
//!     loading     begin to copy the tile of the next ticket
//!     leaving     look back for the prefix of the tile that arrived in the turn before; apply it, store
//! ```
//!
//! The point of the order: a tile's aggregate is published before its block waits for any prefix, so
//! blocks that look back find what they need, and the latency of the look-back is hidden behind the copy. Tiles
//! are handed out by tickets, so a block that has not started holds none (see the look-back's argument
//! for progress). The arriving tile is scanned in registers; the other two wait in shared memory, where
//! each thread uses its own slots only, so that they need no barrier, and the registers suffice for
//! [`crate::launch::SCAN_BLOCKS_PER_MULTIPROCESSOR`] blocks.
//!
//! Cost: 2 barriers a tile, 3 more a block. The combination tree, and so every bit of the result, is that of
//! [`crate::contract`].

use crate::block::{self, Placement};
use crate::contract::{tile_count, tile_items, THREAD_VECTORS};
use crate::element::Element;
use crate::launch::{ScanShared, Tile};
use crate::lookback::{is_group_last, Board};
use crate::op::Op;
use crate::simt;
use crate::thread::{self, for_each_vector, Slots};
use crate::workspace::Control;

/// Tiles that a block keeps in shared memory: the one that leaves, and the one that is being copied.
const BUFFERS: usize = simt::COPIES.scan_buffers();

/// Scans `item_count` items of `input` to `output`.
///
/// # Safety
/// - The grid has at least one and at most [`tile_count`] blocks of [`crate::contract::BLOCK_THREADS`] threads, all
///   of which call this, with [`crate::launch::scan_shared_bytes`] of dynamic shared memory.
/// - `input` points to `item_count` readable items, at least one, aligned to their size; `output` to as many
///   writable ones. The two are the same or do not overlap.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::workspace::scan_state_words`] words or more.
#[inline(always)]
pub unsafe fn scan<P: Placement, O: Op<T>, T: Element>(
    input: *const T,
    output: *mut T,
    item_count: u64,
    control: *mut Control,
    states: *mut u64,
    state_words: u64,
) {
    let shared: *mut ScanShared<T, BUFFERS> = simt::shared_memory();
    let is_first_thread = simt::thread_index() == 0;
    let is_first_warp = simt::warp() == 0;
    let tiles = tile_count::<T>(item_count);
    // Where there is a block for every tile, a block takes one ticket.
    let tickets_go_on = tiles > simt::block_count() as u64;
    // SAFETY: the block's shared memory.
    let buffers = unsafe { &raw mut (*shared).tiles }.cast::<Tile>();
    // SAFETY: the buffer exists.
    let slots = |turn: usize| unsafe { Slots::of(buffers.add(turn & (BUFFERS - 1))) };
    // SAFETY: the caller's; the tile exists.
    let part = |tile: u64| unsafe {
        block::scan_part(input.cast_mut(), item_count, tile * tile_items::<T>())
    };

    // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
    unsafe {
        if is_first_thread {
            (*shared).next_tile = simt::take_ticket(&raw mut (*control).next_tile);
            (*shared).tag = simt::load_relaxed(&raw const (*control).epoch).wrapping_add(1);
        }
        // Orders the writes just above before everybody's reads.
        simt::barrier();
        let mut arriving = (*shared).next_tile as u64;
        let tag = (*shared).tag;
        // A block that is late may find that no tile is left for it.
        if arriving < tiles {
            part(arriving).begin_load::<O>(slots(0));
        }
        // Orders the reads of `next_tile` before its next write.
        simt::barrier();
        let board = Board::new::<T>(states, tag, item_count);
        let mut leaving = tiles;
        let mut group_aggregate = O::identity();
        let mut turn = 0;

        loop {
            let mut next = tiles;
            let mut aggregate = O::identity();
            let mut values = [thread::identities::<O, T>(); THREAD_VECTORS];
            if arriving < tiles {
                if is_first_thread && tickets_go_on {
                    (*shared).next_tile = simt::take_ticket(&raw mut (*control).next_tile);
                }
                values = part(arriving).finish_load::<O>(slots(turn));
                // Its barrier orders the write of `next_tile` before the reads.
                aggregate = block::scan::<P, O, T>(&mut values, &raw mut (*shared).totals);
                if is_first_thread {
                    board.publish_tile(arriving, aggregate);
                }
                if tickets_go_on {
                    next = (*shared).next_tile as u64;
                }
            }
            let mut scanned = values;
            if leaving < tiles {
                scanned = slots(turn + 1).read();
            }
            if arriving < tiles {
                slots(turn).write(values);
            }
            if next < tiles {
                part(next).begin_load::<O>(slots(turn + 1));
            }

            let mut next_group_aggregate = O::identity();
            if is_first_warp {
                if arriving < tiles && is_group_last(arriving) {
                    next_group_aggregate = board.publish_group::<O, T>(arriving, aggregate);
                }
                if leaving < tiles {
                    let prefix = board.look_back::<O, T>(leaving, group_aggregate);
                    if is_first_thread {
                        (*shared).prefixes[turn % 2] = prefix;
                    }
                }
                if arriving >= tiles {
                    depart(control, tag, states, state_words);
                }
            }
            // Orders the write of the prefix before the reads below, this turn's reads of the warps' totals and of
            // `next_tile` before their next writes, and the reads of the last turn's prefix before the next turn's
            // write to the same place.
            simt::barrier();
            if leaving < tiles {
                let prefix = (*shared).prefixes[turn % 2];
                store::<O, T>(output, item_count, leaving, prefix, scanned);
            }
            if arriving >= tiles {
                break;
            }
            leaving = arriving;
            group_aggregate = next_group_aggregate;
            arriving = next;
            turn += 1;
        }
    }
}

/// Puts `prefix` before a scanned tile and stores it.
///
/// # Safety
/// `output` points to `item_count` writable items; the calling block holds `tile`, which exists.
#[inline(always)]
unsafe fn store<O: Op<T>, T: Element>(
    output: *mut T,
    item_count: u64,
    tile: u64,
    prefix: T,
    mut vectors: thread::Vectors<T>,
) {
    for_each_vector!(V => {
        for item in vectors[V].as_mut() {
            *item = O::combine(prefix, *item);
        }
    });
    // SAFETY: the caller's.
    unsafe { block::scan_part(output, item_count, tile * tile_items::<T>()).store(vectors) };
}

/// Leaves the board. The last block to leave prepares the workspace for the next launch: it sets the counters back
/// and makes `tag` the epoch, or, when the tags are used up, clears the state words.
///
/// # Safety
/// Convergent: one whole warp of each block, the one that looks back, after its last access to the board.
#[inline(always)]
unsafe fn depart(control: *mut Control, tag: u32, states: *mut u64, state_words: u64) {
    // SAFETY: the caller's; `arrive` orders the other blocks' accesses before what follows.
    unsafe {
        // Orders the warp's accesses before lane 0's news of them.
        simt::warp_barrier();
        if simt::lane() != 0 {
            return;
        }
        let departed = simt::arrive(&raw mut (*control).departures);
        if departed != simt::block_count() - 1 {
            return;
        }
        (*control).departures = 0;
        (*control).next_tile = 0;
        (*control).epoch = tag;
        if tag == u32::MAX {
            let mut word = 0;
            while word < state_words {
                states.add(word as usize).write(0);
                word += 1;
            }
            (*control).epoch = 0;
        }
    }
}
