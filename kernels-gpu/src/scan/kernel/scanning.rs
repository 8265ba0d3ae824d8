//! The warps that scan.

mod large;

use crate::block::{Before, Placement, ScanPart, ScanTile, Shape};
use crate::contract::THREAD_VECTORS;
use crate::element::Element;
use crate::lookback::Lookback;
use crate::op::Op;
use crate::scan::tuning;
use crate::simt;
use crate::thread::Slots;
use crate::tickets;

use super::{leaves_later, Launch};

/// A tile that waits for its prefix.
#[derive(Clone, Copy)]
struct Waiting<B> {
    /// The number of the tile. If the number is `tiles.end` or greater, there is no tile.
    tile: u32,
    /// The prefixes within the tile, from `ScanTile::join` or, if items or results are large, from `LargeTile::join`.
    before: B,
}

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// Runs the warps that scan.
    ///
    /// # Safety
    /// The conditions of [`super::scan()`]. All warps that share the block's tiles call it.
    #[inline(always)]
    pub unsafe fn scan<P: Placement>(&self) {
        let lookback = Lookback::new(self.board, tuning::tiles::<O, T>(), self.array.item_count);
        let end = self.tiles.end;
        let buffers = self.buffers();
        let is_first_thread = simt::thread_index() == 0;
        let shared = self.shared;
        let nothing = Waiting {
            tile: end,
            before: [O::identity(); THREAD_VECTORS],
        };
        let mut earlier = nothing;
        let mut latest = nothing;
        let mut turn = 0;
        // SAFETY: the conditions are those of `scan`. All warps that share the tiles call this, and all of them take the same branches
        // around barriers. Condition 2: the items of the tiles are readable, and the results that are stored are writable. Each warp uses
        // its own slots of a buffer: it copies, scans and stores a tile before it copies the next tile to that buffer. Barriers of the
        // warp, or shuffles, order its lanes' accesses to each other's slots. The barrier in `join` orders the first thread's write of the
        // ticket before the reads. A tile is sent once for each turn, and a prefix is awaited once for each turn, both in order.
        unsafe {
            let mut arriving = Waiting {
                tile: self.tiles.of_ticket((*shared).tickets[1]),
                ..nothing
            };
            if arriving.tile >= end {
                self.send_tile(0, end);
                return;
            }
            self.begin_copy(arriving.tile, self.tile(0, buffers).striped());
            loop {
                let mut next = end;
                let next_slots = self.tile(turn + 1, buffers).striped();
                if arriving.tile < end {
                    let tile = self.tile(turn, buffers);
                    let parity = turn as usize % 2;
                    let takes = is_first_thread && self.tiles.tickets_go_on;
                    let taken = tickets::take_if(self.control, takes);
                    self.source(arriving.tile).end_copy::<O>(tile.striped());
                    let totals = (&raw mut (*shared).totals[parity]).cast();
                    let rows = tile.scan(self.items(arriving.tile), totals);
                    if takes {
                        (*shared).tickets[parity] = self.tiles.receive(self.control, taken).index;
                    }
                    // The barrier in `join` orders the write of the ticket before the reads.
                    let scanned = ScanTile::<O, T, S>::join(rows, totals);
                    arriving.before = scanned.before;
                    if simt::warp() == S::WARPS - 1 && simt::lane() == 0 {
                        lookback.publish_tile(arriving.tile, scanned.upto);
                    }
                    self.send_tile(turn, arriving.tile);
                    if self.tiles.tickets_go_on {
                        next = self.tiles.of_ticket((*shared).tickets[parity]);
                    }
                    if next >= end {
                        self.send_tile(turn + 1, end);
                    } else if buffers > 1 {
                        self.begin_copy(next, next_slots);
                    }
                }
                let leaves_at_once = !leaves_later(buffers);
                let (leaving, its_turn) = if leaves_at_once {
                    (arriving, turn)
                } else {
                    (earlier, turn.wrapping_sub(2))
                };
                if leaving.tile < end {
                    self.store::<P>(&leaving, its_turn, buffers);
                }
                if next < end && buffers == 1 {
                    self.begin_copy(next, next_slots);
                }
                (earlier, latest) = (latest, arriving);
                arriving.tile = next;
                turn += 1;
                let nothing_waits = leaves_at_once || (earlier.tile >= end && latest.tile >= end);
                if next >= end && nothing_waits {
                    break;
                }
            }
        }
    }

    /// The calling thread's part of a tile of the input.
    #[inline(always)]
    fn source(&self, tile: u32) -> ScanPart<T, O::Output> {
        self.part(self.array.input.cast_mut(), tile)
    }

    /// Begins to copy the calling thread's part of a tile to shared memory.
    ///
    /// # Safety
    /// The tile's items are readable. No other thread uses the slots.
    #[inline(always)]
    unsafe fn begin_copy(&self, tile: u32, slots: Slots) {
        let policy = self.array.eviction_policy();
        // SAFETY: the part's items are readable, and no other thread uses the slots: this function's conditions.
        unsafe { self.source(tile).begin_copy::<O>(slots, policy) }
    }

    /// The tile of a turn, in shared memory.
    #[inline(always)]
    fn tile(&self, turn: u32, buffers: u32) -> ScanTile<O, T, S> {
        let buffer = (turn & (buffers - 1)) as usize;
        // The tiles follow the `Shared` struct. Only scans of large items or results may have a scratch between the struct and the tiles.
        let tiles = self.shared.wrapping_add(1);
        let first = tiles.wrapping_byte_add(buffer * S::SHAPE.bytes());
        ScanTile::new(first.cast(), self.direction)
    }

    /// Waits for the prefix of the tile that arrived in a turn. If the launch stores results, applies the prefix and stores them.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile, once for each turn, in order. `leaving` is the tile that arrived in the turn. The tile's
    /// results are writable, unless the launch stores none.
    #[inline(always)]
    unsafe fn store<P: Placement>(
        &self,
        leaving: &Waiting<Before<O::Accumulator>>,
        turn: u32,
        buffers: u32,
    ) {
        let part = self.part(self.array.output, leaving.tile);
        let tile = self.tile(turn, buffers);
        // SAFETY: all warps that share the tile call it, once for each turn (this function's conditions), and `stores` is the same for all
        // warps. The tile arrived in the turn, and the part is writable if it is stored: this function's conditions.
        unsafe {
            let prefix = self.await_prefix(turn);
            if !self.stores {
                return;
            }
            let items = self.items(leaving.tile);
            tile.store::<P>(items, prefix, &leaving.before, part);
        }
    }
}
