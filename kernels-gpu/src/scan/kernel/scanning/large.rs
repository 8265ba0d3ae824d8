//! The warps that scan tiles of large items, or of large results.
//!
//! A turn takes longer than with other tiles. So a block with room for several tiles begins to copy a tile as soon as the copy of the
//! previous tile has ended. Each ticket is taken one turn earlier than with other tiles.

use crate::block::{LargeTile, Placement, Shape, Stretch};
use crate::element::{Accumulator, Element};
use crate::lookback::Lookback;
use crate::op::Op;
use crate::scan::kernel::{leaves_later, Launch};
use crate::scan::tuning;
use crate::simt;
use crate::tickets;

use super::Waiting;

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// [`Launch::scan`], for tiles of large items or results.
    ///
    /// # Safety
    /// The conditions of [`Launch::scan`].
    #[inline(always)]
    pub unsafe fn scan_large<P: Placement>(&self) {
        let lookback = Lookback::new(self.board, tuning::tiles::<O, T>(), self.array.item_count);
        let end = self.tiles.end;
        let buffers = self.buffers();
        let leaves_at_once = !leaves_later(buffers);
        let is_first_thread = simt::thread_index() == 0;
        let shared = self.shared;
        let policy = self.array.eviction_policy();
        let nothing = Waiting {
            tile: end,
            before: O::identity(),
        };
        let mut earlier = nothing;
        let mut latest = nothing;
        let mut turn = 0;
        // SAFETY: the conditions are those of `scan`. All warps that share the tiles call this. All of them take the same branches around
        // barriers and returns, except that only one warp calls `publish_tile_together`. The items of the tiles are readable, and the
        // results that are stored are writable (condition 2 of `kernel::scan`). Each warp uses its own part of a buffer: it copies, scans
        // and stores a tile before it copies the next tile to that buffer. The barrier in `join` orders the first thread's write of the
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
            let mut next = match self.tiles.tickets_go_on {
                true => self.tiles.of_ticket((*shared).second),
                false => end,
            };
            self.large(0, buffers)
                .begin_copy(self.source_stretch(arriving.tile), policy);
            loop {
                let mut after_next = end;
                if arriving.tile < end {
                    let parity = turn as usize % 2;
                    let takes = is_first_thread && next < end;
                    let taken = tickets::take_if(self.control, takes);
                    let totals: *mut O::Accumulator = (&raw mut (*shared).totals[parity]).cast();
                    let tile = self.large(turn, buffers);
                    tile.end_copy(self.source_stretch(arriving.tile), policy);
                    if next < end && buffers > 1 {
                        self.large(turn + 1, buffers)
                            .begin_copy(self.source_stretch(next), policy);
                    }
                    let runs = tile.scan(self.items(arriving.tile), totals);
                    if takes {
                        (*shared).tickets[parity] = self.tiles.receive(self.control, taken).index;
                    }
                    // The barrier in `join` orders the write of the ticket before the reads.
                    let joined = LargeTile::<O, T, S>::join(runs, totals);
                    arriving.before = joined.before;
                    // No warp reads the last warp's total, so its place is free for `publish_tile_together`.
                    let last = totals.wrapping_add(S::WARPS as usize - 1);
                    if !O::Accumulator::IS_LARGE {
                        if LargeTile::<O, T, S>::has_last_run() {
                            lookback.publish_tile(arriving.tile, joined.upto);
                        }
                    } else if simt::warp() == S::WARPS - 1 {
                        let has_value = LargeTile::<O, T, S>::has_last_run();
                        lookback.publish_tile_together(arriving.tile, joined.upto, has_value, last);
                    }
                    self.send_tile(turn, arriving.tile);
                    if next < end {
                        after_next = self.tiles.of_ticket((*shared).tickets[parity]);
                    } else {
                        self.send_tile(turn + 1, end);
                    }
                }
                let (leaving, its_turn) = if leaves_at_once {
                    (arriving, turn)
                } else {
                    (earlier, turn.wrapping_sub(2))
                };
                if leaving.tile < end {
                    let prefix = self.await_prefix(its_turn);
                    if self.stores {
                        let stretch = self.stretch(self.array.output, leaving.tile);
                        let items = self.items(leaving.tile);
                        let tile = self.large(its_turn, buffers);
                        tile.store::<P>(items, prefix, leaving.before, stretch);
                    }
                }
                if next < end && buffers == 1 {
                    self.large(turn + 1, buffers)
                        .begin_copy(self.source_stretch(next), policy);
                }
                (earlier, latest) = (latest, arriving);
                arriving.tile = next;
                next = after_next;
                turn += 1;
                let nothing_waits = leaves_at_once || (earlier.tile >= end && latest.tile >= end);
                if arriving.tile >= end && nothing_waits {
                    break;
                }
            }
        }
    }

    /// The calling warp's stretch of a tile of the input.
    #[inline(always)]
    fn source_stretch(&self, tile: u32) -> Stretch<T> {
        self.stretch(self.array.input.cast_mut(), tile)
    }

    /// The calling warp's stretch of a tile in an array of items or of results.
    #[inline(always)]
    fn stretch<V: Element>(&self, array: *mut V, tile: u32) -> Stretch<V> {
        let items = self.items(tile);
        let border = self.direction.border(items.begin, self.array.item_count);
        Stretch::new::<S>(
            self.direction,
            array.wrapping_add(border as usize),
            items.count,
        )
    }

    /// The tile of a turn, in shared memory.
    #[inline(always)]
    fn large(&self, turn: u32, buffers: u32) -> LargeTile<O, T, S> {
        let buffer = (turn & (buffers - 1)) as usize;
        let tiles = self.shared.wrapping_byte_add(Self::FIXED_BYTES as usize);
        let first = tiles.wrapping_byte_add(buffer * S::SHAPE.bytes());
        LargeTile::new(first.cast(), self.direction)
    }
}
