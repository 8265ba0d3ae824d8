//! Scan of an array in one launch, single pass, each item read once and written once.
//!
//! ```text
//! a block, in turns, with up to three tiles in hand:
//!     arriving    take the next ticket; scan the tile that was being loaded; publish its aggregate
//!     loading     begin to load the tile of the next ticket
//!     leaving     look back for the prefix of the tile published in the turn before; apply it, store
//! ```
//!
//! The point of the order: a tile's aggregate is published before its block waits for any prefix, so
//! blocks that look back find what they need, and the latency of the look-back is hidden behind the load. Tiles
//! are handed out by tickets, so a block that has not started holds none (see the look-back's argument
//! for progress).
//!
//! Cost: 2 barriers a tile. The combination tree, and so every bit of the result, is that of [`crate::contract`].

use crate::block::{self, Placement};
use crate::contract::{tile_count, tile_items};
use crate::element::Element;
use crate::launch::ScanShared;
use crate::lookback::{is_group_last, Board};
use crate::op::Op;
use crate::simt;
use crate::thread::{self, for_each_vector, Access};
use crate::workspace::Control;

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
    let shared: *mut ScanShared<T> = simt::shared_memory();
    let is_first_thread = simt::thread_index() == 0;
    let is_first_warp = simt::warp() == 0;
    let tiles = tile_count::<T>(item_count);
    // Where there is a block for every tile, a block takes one ticket.
    let tickets_go_on = tiles > simt::block_count() as u64;
    let load = |tile: u64| {
        let first = tile * tile_items::<T>();
        // SAFETY: the caller's; the tile exists.
        unsafe {
            let start = input.add(first as usize);
            let access = Access::of(start, item_count - first, tile_items::<T>());
            thread::load::<O, T>(start, item_count - first, access, block::scan_offset::<T>)
        }
    };

    // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
    unsafe {
        if is_first_thread {
            (*shared).next_tile = simt::take_ticket(&raw mut (*control).next_tile);
            (*shared).tag = simt::load_relaxed(&raw const (*control).epoch).wrapping_add(1);
        }
        // Orders the writes just above before everybody's reads.
        simt::barrier();
        let tag = (*shared).tag;
        let board = Board::new::<T>(states, tag, item_count);
        let mut arriving = (*shared).next_tile as u64;
        let mut loaded = load(arriving);
        let mut leaving = tiles;
        let mut scanned = loaded;
        let mut group_aggregate = O::identity();
        // Orders the reads of `next_tile` before its next write.
        simt::barrier();

        loop {
            let mut values = loaded;
            let mut next = tiles;
            let mut next_group_aggregate = O::identity();
            if arriving < tiles {
                if is_first_thread && tickets_go_on {
                    (*shared).next_tile = simt::take_ticket(&raw mut (*control).next_tile);
                }
                // Its barrier orders the write of `next_tile` before the reads.
                let aggregate = block::scan::<P, O, T>(&mut values, &raw mut (*shared).totals);
                if is_first_thread {
                    board.publish_tile(arriving, aggregate);
                }
                if tickets_go_on {
                    next = (*shared).next_tile as u64;
                    if next < tiles {
                        loaded = load(next);
                    }
                }
                if is_first_warp && is_group_last(arriving) {
                    next_group_aggregate = board.publish_group::<O, T>(arriving, aggregate);
                }
            }
            if leaving < tiles && is_first_warp {
                let prefix = board.look_back::<O, T>(leaving, group_aggregate);
                if is_first_thread {
                    (*shared).prefix = prefix;
                }
            }
            // Orders the write of `prefix` before the reads below, and this turn's reads of the warps' totals and of
            // `next_tile` before their next writes.
            simt::barrier();
            if leaving < tiles {
                let prefix = (*shared).prefix;
                store::<O, T>(output, item_count, leaving, prefix, scanned);
            }
            if arriving >= tiles {
                break;
            }
            leaving = arriving;
            scanned = values;
            group_aggregate = next_group_aggregate;
            arriving = next;
        }

        if is_first_thread {
            depart(control, tag, states, state_words);
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
    let first = tile * tile_items::<T>();
    // SAFETY: the caller's.
    unsafe {
        let start = output.add(first as usize);
        let access = Access::of(start, item_count - first, tile_items::<T>());
        thread::store(
            start,
            item_count - first,
            access,
            vectors,
            block::scan_offset::<T>,
        );
    }
}

/// Leaves the scan. The last block to leave prepares the workspace for the next launch: it sets the counters back
/// and makes `tag` the epoch, or, when the tags are used up, clears the state words.
///
/// # Safety
/// Called by one thread of each block, after a barrier behind the block's last access to the board.
#[inline(always)]
unsafe fn depart(control: *mut Control, tag: u32, states: *mut u64, state_words: u64) {
    // SAFETY: the caller's; `arrive` orders the other blocks' accesses before what follows.
    unsafe {
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
