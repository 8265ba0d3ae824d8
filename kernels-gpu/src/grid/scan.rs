//! Scan of an array in one launch, single pass, each item read once and written once.
//!
//! ```text
//! in turns, with three tiles in hand:
//!     eight warps                                         a ninth
//!     arriving   wait for the tile that is being          leaving   look back for the prefix of the tile of the
//!                copied to shared memory; scan it                   turn before
//!                                                         next      take a ticket
//!     ---------------------------------- barrier ----------------------------------
//!     leaving    apply the prefix, store                  arriving  publish its aggregate
//!     next       begin to copy the ticket's tile
//! ```
//!
//! So the latency of the look-back is hidden behind the eight warps' work, and that of the copies behind both. Tiles
//! are handed out by tickets, so a block that has not started holds none (see the look-back's argument
//! for progress). Tiles wait in shared memory as they are, where each thread uses its own slots only, so that they need
//! no barrier; in registers is only what stands before each vector. Where the machine cannot copy asynchronously, there is
//! room for one tile, which leaves in the turn in which it arrives, after a second barrier.
//!
//! **Pieces.** A scan may be cut into several launches on one stream, each of consecutive tiles: what one published, the
//! next ones find.
//!
//! Cost: 1 barrier a tile, 2 more a block. The combination tree, and so every bit of the result, is that of
//! [`crate::contract`].

use crate::block::{self, Placement};
use crate::board::Board;
use crate::contract::{
    scan_tile_count, scan_tile_items, scan_tile_rows, BLOCK_WARPS, THREAD_VECTORS,
};
use crate::element::Element;
use crate::launch::{Copies, Hand, ScanShared};
use crate::lookback::{is_group_last, Lookback};
use crate::op::Op;
use crate::simt;
use crate::thread::{for_each_vector, Slots};
use crate::tickets::{self, Ticket, LAST_TAG};
use crate::workspace::Control;

/// Tiles that a block keeps in shared memory.
const BUFFERS: usize = simt::COPIES.scan_buffers();

/// The shared memory of a block that works with `O` on items of type `T`.
type Shared<O, T> = ScanShared<<O as Op<T>>::Accumulator, BUFFERS>;

/// What a launch's tickets stand for.
#[derive(Clone, Copy)]
struct Tiles {
    /// The first tile of the launch.
    first: u32,
    /// The tile behind its last.
    end: u32,
    /// Whether the launch is its scan's last.
    is_final: bool,
    /// Whether a block takes more tickets after its first; not where there is a block for every tile.
    tickets_go_on: bool,
    /// The tickets that are taken in all. Where they go on, each block takes one that stands for no tile.
    tickets: u32,
}

/// Scans `item_count` items of `input` to `output`: this launch the tiles from `first_tile` to before `end_tile`.
///
/// # Safety
/// - The launch has at least one and at most `end_tile - first_tile` blocks of [`crate::launch::SCAN_BLOCK_THREADS`] threads,
///   all of which call this, with [`crate::launch::scan_shared_bytes`] of dynamic shared memory. The launches of a scan
///   follow one another on a stream, with all tiles in order, up to [`scan_tile_count`].
/// - `input` and `output` are the addresses of item 0, aligned to an item. The items of this launch's tiles are readable
///   there and writable here. The two are the same or the items do not overlap.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::workspace::scan_state_words`] words or more.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub unsafe fn scan<P: Placement, O: Op<T, Output = T>, T: Element>(
    input: *const T,
    output: *mut T,
    item_count: u64,
    first_tile: u64,
    end_tile: u64,
    control: *mut Control,
    states: *mut u64,
    state_words: u64,
) {
    let shared: *mut Shared<O, T> = simt::shared_memory();
    let tile_count = scan_tile_count::<T>(item_count) as u32;
    let launch = Launch::<O, T> {
        input,
        output,
        item_count,
        tiles: Tiles::of_launch(first_tile as u32, end_tile as u32, tile_count),
        shared,
    };
    let looks_back = simt::warp() == BLOCK_WARPS;
    // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block, and the two
    // roles have the same barriers.
    unsafe {
        if looks_back && simt::lane() == 0 {
            // A scan of one tile looks at nobody's board; its tag is no launch's.
            let mut ticket = Ticket { index: 0, tag: 0 };
            if tile_count > 1 {
                ticket = launch.tiles.take(control);
            }
            (*shared).hands[1].ticket = ticket.index;
            (*shared).tag = ticket.tag;
        }
        // Orders the writes just above before everybody's reads.
        simt::barrier();
        let first = launch.tiles.of_ticket((*shared).hands[1].ticket);
        let board = Board::new(states, (*shared).tag);
        if looks_back {
            launch.look_back(first, control, board, state_words);
        } else {
            launch.scan::<P>(first, control, board);
        }
    }
}

/// What the warps of a block know of their launch.
struct Launch<O: Op<T, Output = T>, T: Element> {
    input: *const T,
    output: *mut T,
    item_count: u64,
    tiles: Tiles,
    shared: *mut Shared<O, T>,
}

impl<O: Op<T, Output = T>, T: Element> Launch<O, T> {
    /// What the warps tell each other in a turn.
    ///
    /// # Safety
    /// A thread of the launch.
    #[inline(always)]
    unsafe fn hand(&self, turn: usize) -> *mut Hand<O::Accumulator> {
        // SAFETY: the block's shared memory.
        unsafe { &raw mut (*self.shared).hands[turn % 2] }
    }

    /// The calling thread's part of a tile in an array.
    #[inline(always)]
    fn part(&self, array: *mut T, tile: u32) -> block::ScanPart<T> {
        let tile_items = scan_tile_items::<T>(self.item_count);
        let begin = tile as u64 * tile_items;
        let existing = Ord::min(self.item_count - begin, tile_items) as u32;
        let rows = scan_tile_rows::<T>(self.item_count);
        block::scan_part(array.wrapping_add(begin as usize), existing, rows)
    }

    /// The calling thread's slots in a turn.
    ///
    /// # Safety
    /// A thread of the launch that scans.
    #[inline(always)]
    unsafe fn slots(&self, buffer: usize) -> Slots {
        // SAFETY: the block's shared memory.
        unsafe { Slots::of(&raw mut (*self.shared).tiles[buffer]) }
    }

    /// The part of the warps that scan, beginning with the tile `arriving`.
    ///
    /// # Safety
    /// That of [`scan`]: all eight warps of a block.
    #[inline(always)]
    unsafe fn scan<P: Placement>(&self, mut arriving: u32, control: *mut Control, board: Board) {
        let lookback = Lookback::new::<T>(board, self.item_count);
        let rows = scan_tile_rows::<T>(self.item_count);
        let input = self.input.cast_mut();
        let end = self.tiles.end;
        let mut leaving = end;
        let mut before_leaving = [O::identity(); THREAD_VECTORS];
        let is_first_thread = simt::thread_index() == 0;
        let mut turn = 0;
        // SAFETY: the caller's.
        unsafe {
            let (mut leaving_slots, mut arriving_slots) = (self.slots(BUFFERS - 1), self.slots(0));
            let mut next_slots = self.slots((BUFFERS > 1) as usize);
            if arriving < end {
                self.part(input, arriving).begin_copy::<O>(arriving_slots);
            }
            loop {
                let hand = self.hand(turn);
                let mut next = end;
                let mut before_arriving = [O::identity(); THREAD_VECTORS];
                if arriving < end {
                    self.part(input, arriving).end_copy::<O>(arriving_slots);
                    if is_first_thread && self.tiles.tickets_go_on {
                        (*hand).ticket = self.tiles.take(control).index;
                    }
                    let totals = &raw mut (*hand).totals;
                    before_arriving = block::scan::<O, T>(arriving_slots, rows, totals);
                    if is_first_thread {
                        lookback.publish_tile(arriving, block::aggregate::<O, T>(totals));
                    }
                    if self.tiles.tickets_go_on {
                        next = self.tiles.of_ticket((*hand).ticket);
                    }
                    if next < end && BUFFERS == 3 {
                        self.part(input, next).begin_copy::<O>(next_slots);
                    }
                }
                // Hands over the warps' totals and the next ticket, and the prefix of the tile that leaves.
                simt::barrier();
                if simt::COPIES == Copies::Synchronous {
                    // There is one buffer: a tile leaves in the turn in which it arrives.
                    (leaving, before_leaving) = (arriving, before_arriving);
                    if leaving < end {
                        // Hands over the prefix of the same tile.
                        simt::barrier();
                    }
                }
                if leaving < end {
                    let prefix = (*hand).prefix;
                    let part = self.part(self.output, leaving);
                    for_each_vector!(V => {
                        if V < rows {
                            let before = O::combine(prefix, before_leaving[V]);
                            let words = leaving_slots.read(V);
                            part.store(V, P::place::<O, T>(before, words));
                        }
                    });
                }
                if arriving >= end {
                    return;
                }
                if next < end && BUFFERS < 3 {
                    self.part(input, next).begin_copy::<O>(next_slots);
                }
                let free_slots = if BUFFERS == 3 {
                    leaving_slots
                } else {
                    arriving_slots
                };
                (leaving_slots, arriving_slots, next_slots) =
                    (arriving_slots, next_slots, free_slots);
                (leaving, before_leaving) = (arriving, before_arriving);
                arriving = next;
                turn += 1;
            }
        }
    }

    /// The part of the warp that looks back, beginning with the tile `arriving`.
    ///
    /// # Safety
    /// That of [`scan()`]: the ninth warp of a block.
    #[inline(always)]
    unsafe fn look_back(
        &self,
        mut arriving: u32,
        control: *mut Control,
        board: Board,
        state_words: u64,
    ) {
        let is_first_lane = simt::lane() == 0;
        let end = self.tiles.end;
        let lookback = Lookback::new::<T>(board, self.item_count);
        let mut leaving = end;
        let mut group_aggregate = O::identity();
        let mut turn = 0;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let hand = self.hand(turn);
                if leaving < end {
                    let prefix = lookback.look_back::<O, T>(leaving, group_aggregate);
                    if is_first_lane {
                        (*hand).prefix = prefix;
                    }
                }
                // Hands over what the other role says.
                simt::barrier();
                if arriving >= end {
                    break;
                }
                let aggregate = block::aggregate::<O, T>(&raw mut (*hand).totals);
                if is_group_last(arriving) {
                    group_aggregate = lookback.publish_group::<O, T>(arriving, aggregate);
                }
                if simt::COPIES == Copies::Synchronous {
                    let prefix = lookback.look_back::<O, T>(arriving, group_aggregate);
                    if is_first_lane {
                        (*hand).prefix = prefix;
                    }
                    // Hands over the prefix of the same tile.
                    simt::barrier();
                } else {
                    leaving = arriving;
                }
                arriving = if self.tiles.tickets_go_on {
                    self.tiles.of_ticket((*hand).ticket)
                } else {
                    end
                };
                turn += 1;
            }
            if board.tag() == LAST_TAG && self.tiles.is_final {
                depart(control, board, state_words);
            }
        }
    }
}

impl Tiles {
    /// The tiles of a launch that goes from `first` to before `end`, of `tile_count`.
    #[inline(always)]
    fn of_launch(first: u32, end: u32, tile_count: u32) -> Self {
        let blocks = simt::block_count();
        let tickets_go_on = end - first > blocks;
        let idle = if tickets_go_on { blocks } else { 0 };
        Tiles {
            first,
            end,
            is_final: end == tile_count,
            tickets_go_on,
            tickets: end - first + idle,
        }
    }

    /// The tile of a ticket; the end or one behind it for none.
    #[inline(always)]
    fn of_ticket(&self, ticket: u32) -> u32 {
        self.first + ticket
    }

    /// Takes a ticket. The launch's last makes the tickets fit for the next launch: it moves the epoch on, if this is its
    /// scan's last launch, unless the tags are used up: then [`depart`] sees to it.
    ///
    /// # Safety
    /// One thread of a block that may take a ticket; `control` is the launch's.
    #[inline(always)]
    unsafe fn take(&self, control: *mut Control) -> Ticket {
        // SAFETY: the caller's; nobody takes a ticket after the last.
        unsafe {
            let ticket = tickets::take(control);
            let is_last = ticket.index == self.tickets - 1;
            if is_last && !(self.is_final && ticket.tag == LAST_TAG) {
                let moves_on = self.is_final as u32;
                tickets::restart(control, ticket.tag.wrapping_sub(1 - moves_on));
            }
            ticket
        }
    }
}

/// Leaves a scan that uses up the tags. The last block to leave clears the state words and begins with the tags anew.
///
/// # Safety
/// Convergent: one whole warp of each block, the one that looks back, after its last access to the board.
#[inline(always)]
unsafe fn depart(control: *mut Control, board: Board, state_words: u64) {
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
        board.clear(state_words);
        tickets::restart(control, 0);
    }
}
