//! The warps that scan.

use crate::block::{self, Before, Placement};
use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::Element;
use crate::lookback::Lookback;
use crate::op::Op;
use crate::simt;
use crate::thread::{for_each_vector, Slots};

use super::{Launch, Shared};

/// A tile whose aggregate is published, and that waits for its prefix.
#[derive(Clone, Copy)]
struct Waiting<A> {
    /// The tile; the launch's end or one behind it for none.
    tile: u32,
    /// What stands before each of the thread's vectors in the tile.
    before: Before<A>,
}

impl<O: Op<T, Output = T>, T: Element, const WARPS: u32, const ROWS: usize>
    Launch<O, T, WARPS, ROWS>
{
    /// The part of the warps that scan.
    ///
    /// # Safety
    /// That of [`super::scan()`]: all warps of a block that share its tiles.
    #[inline(always)]
    pub unsafe fn scan<P: Placement>(&self) {
        let lookback = Lookback::new::<T>(self.board, self.array.item_count);
        let input = self.array.input.cast_mut();
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
        // SAFETY: the caller's.
        unsafe {
            let mut arriving = Waiting {
                tile: self.tiles.of_ticket((*shared).tickets[1]),
                ..nothing
            };
            if arriving.tile >= end {
                self.tell_tile(0, end);
                return;
            }
            self.part(input, arriving.tile)
                .begin_copy::<O>(self.slots(0, buffers));
            loop {
                let mut next = end;
                let next_slots = self.slots(turn + 1, buffers);
                if arriving.tile < end {
                    let slots = self.slots(turn, buffers);
                    let parity = turn as usize % 2;
                    self.part(input, arriving.tile).end_copy::<O>(slots);
                    if is_first_thread && self.tiles.tickets_go_on {
                        (*shared).tickets[parity] = self.tiles.take(self.control).index;
                    }
                    let totals = (&raw mut (*shared).totals[parity]).cast();
                    // Its barrier orders the write of the ticket before the reads.
                    arriving.before = block::scan::<O, T, WARPS, ROWS>(slots, totals);
                    if is_first_thread {
                        let aggregate = block::fold_below::<O, T, WARPS>(totals, WARPS);
                        lookback.publish_tile(arriving.tile, aggregate);
                    }
                    self.tell_tile(turn, arriving.tile);
                    if self.tiles.tickets_go_on {
                        next = self.tiles.of_ticket((*shared).tickets[parity]);
                    }
                    if next >= end {
                        self.tell_tile(turn + 1, end);
                    } else if buffers > 1 {
                        self.part(input, next).begin_copy::<O>(next_slots);
                    }
                }
                let leaves_at_once = buffers < 4;
                let (leaving, its_turn) = if leaves_at_once {
                    (arriving, turn)
                } else {
                    (earlier, turn.wrapping_sub(2))
                };
                if leaving.tile < end {
                    self.store::<P>(&leaving, its_turn, buffers);
                }
                if next < end && buffers == 1 {
                    self.part(input, next).begin_copy::<O>(next_slots);
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

    /// The tiles that the block has room for.
    #[inline(always)]
    fn buffers(&self) -> u32 {
        let fixed_bytes = size_of::<Shared<O, T>>() as u32;
        (simt::shared_bytes() - fixed_bytes) / Self::TILE_BYTES as u32
    }

    /// The calling thread's slots for the tile of a turn.
    ///
    /// # Safety
    /// A thread that scans.
    #[inline(always)]
    unsafe fn slots(&self, turn: u32, buffers: u32) -> Slots {
        let buffer = (turn & (buffers - 1)) as usize;
        // SAFETY: the tiles lie behind what is fixed.
        let tiles = unsafe { self.shared.add(1) };
        let tile = tiles.wrapping_byte_add(buffer * Self::TILE_BYTES);
        Slots::of(tile.cast(), WARPS * WARP_LANES)
    }

    /// Waits for the prefix of the tile that arrived in a turn, puts it before the tile and stores it.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile. The output is writable there.
    #[inline(always)]
    unsafe fn store<P: Placement>(
        &self,
        leaving: &Waiting<O::Accumulator>,
        turn: u32,
        buffers: u32,
    ) {
        let part = self.part(self.array.output, leaving.tile);
        // SAFETY: the caller's; each tile's prefix is told.
        unsafe {
            let prefix = self.await_prefix(turn);
            let slots = self.slots(turn, buffers);
            for_each_vector!(V => {
                if V < ROWS {
                    let before = O::combine(prefix, leaving.before[V]);
                    part.store(V, P::place::<O, T>(before, slots.read(V)));
                }
            });
        }
    }
}
