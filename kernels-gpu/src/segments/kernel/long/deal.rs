//! The chunks of a block whose chunks are long. Warp 0 finds them, one on each lane, and checks the offsets.
//!
//! A block with `n` windows has `n` lanes for tails, and one lane for each segment that begins in the windows. The lanes of a window follow
//! those of the window before it. The first lane of a window has the tail, if there is one.

use core::mem::offset_of;

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::{CHUNK_LEAVES, MOST_SPAN_WINDOWS, STEP_ITEMS};
use crate::segments::{row_items, Header, FAN, MOST_WINDOWS, NARROW_CHUNK_ITEMS};
use crate::{simt, warp};

use super::super::chunks::Long;
use super::super::rings::Values;
use super::super::Launch;
use super::reach::{Reach, CHUNK_SHIFT};

/// A lane's chunk.
#[derive(Clone, Copy)]
pub struct Dealt {
    /// The number of the chunk's first item.
    pub first: u64,
    pub about: About,
}

/// What else is known about a chunk, packed in a word. In several words, these numbers would fill the registers.
#[derive(Clone, Copy)]
pub struct About(u32);

/// Where the value of a chunk goes.
#[repr(u32)]
#[derive(Clone, Copy)]
enum Goal {
    /// To the output: the chunk is a whole segment.
    Output,
    /// To the warp's values, until it is combined: the chunk is a tail that [must be combined](crate::segments::Window::is_combined) with
    /// earlier chunks.
    Kept,
    /// To the board.
    Board,
}

/// The most chunks that are dealt: one for each lane.
pub const MOST_DEALT: u32 = WARP_LANES;

/// The block's chunks in shared memory. They take the room of the header's works and windows.
#[repr(C)]
struct Table {
    first: [u64; MOST_DEALT as usize],
    about: [About; MOST_DEALT as usize],
    /// For each window with a tail, the tail's number in its segment.
    index: [u32; MOST_SPAN_WINDOWS as usize],
}

const _: () = {
    // If a block without a span has long chunks, it has at most this many lanes for tails and segments.
    assert!(MOST_WINDOWS * (1 + NARROW_CHUNK_ITEMS as u32 / STEP_ITEMS) <= MOST_DEALT);
    assert!(size_of::<Table>() <= offset_of!(Header<u32>, borders));
    assert!(MOST_WINDOWS <= MOST_SPAN_WINDOWS);
    // Each number fits in its bits of `About`. Only items of 4 and of 8 bytes have rings.
    assert!(NARROW_CHUNK_ITEMS < 1 << 13 && row_items::<u32>() <= 1 << 5);
    assert!(MOST_SPAN_WINDOWS <= 1 << 4 && MOST_DEALT <= 1 << 5);
    // The values of tails fit in the gaps between the values of a chunk's leaves.
    assert!(MOST_SPAN_WINDOWS <= CHUNK_LEAVES / FAN);
};

impl About {
    /// `owner` is the lane that has the offsets of the chunk's segment.
    #[inline(always)]
    fn new(items: u32, before: u32, window: u32, goal: Goal, owner: u32) -> Self {
        About(items | before << 13 | window << 18 | (goal as u32) << 22 | owner << 24)
    }

    #[inline(always)]
    fn with_place(self, is_tail: bool, is_last: bool) -> Self {
        About(self.0 | (is_tail as u32) << 30 | (is_last as u32) << 31)
    }

    /// How many items the chunk has; 0 if the lane has no chunk.
    #[inline(always)]
    pub fn items(self) -> u32 {
        self.0 & 0x1fff
    }

    /// The first item's place in its row.
    #[inline(always)]
    pub fn before(self) -> u32 {
        self.0 >> 13 & 0x1f
    }

    /// The number of the chunk's window in the block.
    #[inline(always)]
    fn window(self) -> u32 {
        self.0 >> 18 & 0xf
    }

    /// Where the chunk's value goes: a [`Goal`].
    #[inline(always)]
    fn goal(self) -> u32 {
        self.0 >> 22 & 3
    }

    /// The number of the chunk's segment, counted from the segment before the first one that begins in the block's windows.
    #[inline(always)]
    fn owner(self) -> u32 {
        self.0 >> 24 & 0x1f
    }

    /// Whether the chunk is its window's tail.
    #[inline(always)]
    fn is_tail(self) -> bool {
        self.0 >> 30 & 1 != 0
    }

    /// Whether the chunk is its segment's last.
    #[inline(always)]
    fn is_last(self) -> bool {
        self.0 >> 31 != 0
    }

    /// What is known about the chunk of lane `lane`.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `lane`.
    #[inline(always)]
    pub unsafe fn on_lane(self, lane: u32) -> Self {
        // SAFETY: the whole warp is here, with the same `lane`: this function's condition.
        About(unsafe { simt::shuffle_from(self.0, lane) })
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    #[inline(always)]
    fn table(&self) -> *mut Table {
        self.header.cast()
    }

    /// The addresses of the two numbers of a lane's chunk in shared memory.
    ///
    /// # Safety
    /// `lane` is less than [`MOST_DEALT`].
    #[inline(always)]
    unsafe fn dealt_at(&self, lane: u32) -> (*mut u64, *mut About) {
        // SAFETY: the header has room for a table in place of its works and windows (asserted above), and the lane's places are in bounds:
        // this function's condition.
        unsafe {
            let first: *mut u64 = (&raw mut (*self.table()).first).cast();
            let about: *mut About = (&raw mut (*self.table()).about).cast();
            (first.add(lane as usize), about.add(lane as usize))
        }
    }

    /// The address of the number that the tail of a window has in its segment.
    ///
    /// # Safety
    /// `window` is less than [`MOST_SPAN_WINDOWS`].
    #[inline(always)]
    unsafe fn tail_index(&self, window: u32) -> *mut u32 {
        // SAFETY: the header has room for a table, and the place is in bounds: as in `dealt_at`.
        unsafe {
            let index: *mut u32 = (&raw mut (*self.table()).index).cast();
            index.add(window as usize)
        }
    }

    /// The chunk of the calling lane. If the lane has no chunk, the chunk has no items.
    ///
    /// # Safety
    /// [`Self::deal`] has written the chunks.
    #[inline(always)]
    pub unsafe fn dealt(&self) -> Dealt {
        // SAFETY: the lane is in bounds, and its chunk is written: this function's condition.
        unsafe {
            let (first, about) = self.dealt_at(simt::lane());
            Dealt {
                first: simt::read_shared(first),
                about: simt::read_shared(about),
            }
        }
    }

    /// Finds the block's chunks, one on each lane, and writes them to shared memory. Writes the results of empty segments to the output. If
    /// a window has no chunk to publish, publishes the identity for it. If the offsets are wrong, refuses them instead of all this.
    ///
    /// `begin` and `stop` are the offsets at both ends of a segment. Lane `l` has those of segment `reach.first + l - 1`.
    ///
    /// # Safety
    /// - Convergent: the whole warp 0. The ticket, the tag, `is_refused` and the first border are written. No other thread accesses the
    ///   works and windows before the next barrier.
    /// - The block has windows, at most [`MOST_SPAN_WINDOWS`]. They and the segments that begin in them are together at most
    ///   [`MOST_DEALT`].
    #[inline(always)]
    pub unsafe fn deal(&self, reach: Reach, [begin, stop]: [u64; 2]) {
        let lane = simt::lane();
        let [from, upto] = reach.diagonals;
        let count = self.window_count();
        let begun = reach.end.wrapping_sub(reach.first) as u32;
        let start = begin.wrapping_add(reach.first.wrapping_sub(1).wrapping_add(lane as u64));
        let begins = lane > 0 && lane <= begun;
        let exists = begins || lane == 0 && reach.first > 0;
        let is_wrong = (begin > stop)
            | (stop > self.offsets.item_count)
            | ((start < from) != (lane == 0))
            | (start >= upto);
        // SAFETY: the whole warp is here, and the ticket, the tag and `is_refused` are written: this function's conditions. The return
        // depends on a ballot, so all lanes return or none. A lane writes the result of a segment that begins in the windows, and belongs
        // to the launch: it has a result (the launch's condition 5), and no other lane or block has this segment. The board has a slot for
        // each of the launch's windows (condition 6). The last lane of a window decides what is published for it: either the identity,
        // here, or the value of this lane's chunk, later. The table has a place for each lane and each window.
        unsafe {
            let end = self.window_number(self.windows_per_block);
            // The last window must end at the last segment, so that the windows together have all segments.
            let is_gap = end >= count && reach.end != self.offsets.segment_count;
            if simt::ballot(exists & is_wrong | is_gap) != 0 {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
                return;
            }
            let own_window = (start.wrapping_sub(from) >> self.window_shift) as u32;
            let (mut window, mut first_lane) = (0, 0);
            let mut next_lane = begun + self.windows_per_block;
            let mut other = 1;
            while other < self.windows_per_block {
                let step = simt::opaque_one() as u32;
                let place = simt::ballot(begins && own_window < other).count_ones() + other;
                if lane >= place {
                    (window, first_lane) = (other, place);
                } else {
                    next_lane = Ord::min(next_lane, place);
                }
                other += step;
            }
            let owner = lane.wrapping_sub(window);
            let begin = warp::shuffle_from(begin, owner);
            let stop = warp::shuffle_from(stop, owner);
            let is_tail = lane == first_lane;
            let segment = reach.first.wrapping_add(owner as u64).wrapping_sub(1);
            let has_segment = owner <= begun && (owner > 0 || reach.first > 0);
            let number = self.window_number(window);
            let diagonal = number << self.window_shift;
            let start = begin.wrapping_add(segment);
            // The tail is the first chunk of its segment that begins at the window's first diagonal or after it. Any other lane has the
            // first chunk of its segment.
            let index = match is_tail {
                true => diagonal.wrapping_sub(start).div_ceil(NARROW_CHUNK_ITEMS),
                false => 0,
            };
            let first = begin.wrapping_add(index.wrapping_mul(NARROW_CHUNK_ITEMS));
            let begins_in = first.wrapping_add(segment) < diagonal + (1 << self.window_shift);
            let has_chunk = has_segment & (!is_tail | (begins_in & (first < stop)));
            let rest = stop.wrapping_sub(first);
            let is_last = rest <= NARROW_CHUNK_ITEMS;
            let goes_on = has_chunk & !is_last;
            if (lane + 1 == next_lane) & (number < count) & !goes_on & self.offsets.are_read() {
                // If all blocks have read the same offsets, none of them waits for this value. A block that has read other offsets may
                // wait for it.
                self.board().publish(number as u32, O::identity());
            }
            let is_combined = is_tail & (is_last | (index % FAN as u64 == FAN as u64 - 1));
            let goal = match is_combined {
                true => Goal::Kept,
                false if is_last => Goal::Output,
                false => Goal::Board,
            };
            let items = match has_chunk {
                true => Ord::min(rest, NARROW_CHUNK_ITEMS) as u32,
                false => 0,
            };
            let about = About::new(
                items,
                self.place_of(first),
                window,
                goal,
                owner % WARP_LANES,
            );
            let about = about.with_place(is_tail, is_last);
            if has_chunk & (items == 0) {
                write_result!(O, T, self.output, segment as usize, O::identity());
            }
            let (first_at, about_at) = self.dealt_at(lane);
            first_at.write(first);
            about_at.write(about);
            if is_tail {
                self.tail_index(window).write(index as u32);
            }
        }
    }

    /// How many lanes before lane `lane` have their bits set in `lanes`.
    #[inline(always)]
    fn rank_of(lanes: u32, lane: u32) -> u32 {
        (lanes & ((1 << lane) - 1)).count_ones()
    }

    /// A bit for each lane whose chunk warp `warp` takes. The warps take the chunks in turn. There are `warps` of them, a power of two.
    ///
    /// # Safety
    /// Convergent: the whole warp. `about` is the lane's own.
    #[inline(always)]
    pub unsafe fn chunks_of(&self, warp: u32, warps: u32, about: About) -> u32 {
        let exists = about.items() > 0;
        // SAFETY: the whole warp is here: this function's condition.
        unsafe {
            let rank = Self::rank_of(simt::ballot(exists), simt::lane());
            simt::ballot(exists && rank & (warps - 1) == warp)
        }
    }

    /// The index of a chunk's first item in its segment.
    ///
    /// # Safety
    /// [`Self::deal`] has written the chunk.
    #[inline(always)]
    pub unsafe fn index_of(&self, about: About) -> u64 {
        if !about.is_tail() {
            return 0;
        }
        // SAFETY: the number is written with the tail (this function's condition), whose window is one of the block's.
        unsafe { simt::read_shared(self.tail_index(about.window())) as u64 * NARROW_CHUNK_ITEMS }
    }

    /// Stores the value of a chunk where it goes: to the output, to the board, or to the gap of its window in `values`.
    ///
    /// # Safety
    /// The first border and the tag are written. [`Self::deal`] has found the chunk, and nobody else finishes it. `values` are those of the
    /// warp that has taken the chunk.
    #[inline(always)]
    pub unsafe fn finish_dealt(
        &self,
        about: About,
        values: Values<O::Accumulator>,
        value: O::Accumulator,
    ) {
        // SAFETY: the conditions are this function's. A window has one tail, so nobody else writes the gap.
        unsafe {
            if about.goal() == Goal::Kept as u32 {
                values.gap(about.window()).write(value);
            } else {
                self.store_dealt(about, value);
            }
        }
    }

    /// Writes the value of a chunk as its segment's result, or publishes it for its window.
    ///
    /// # Safety
    /// The first border and the tag are written. [`Self::deal`] has found the chunk, and nobody else stores its value.
    #[inline(always)]
    unsafe fn store_dealt(&self, about: About, value: O::Accumulator) {
        // SAFETY: the border and the tag are written, and `deal` has found the chunk (this function's conditions). So the chunk's segment
        // belongs to the launch, and has a result (the launch's condition 5). A segment has one last chunk. The board has a slot for each
        // window (condition 6), and only one chunk of a window is not its segment's last.
        unsafe {
            if about.is_last() {
                let first = simt::read_shared(self.border(0));
                let segment = first.wrapping_add(about.owner() as u64).wrapping_sub(1);
                write_result!(O, T, self.output, segment as usize, value);
            } else {
                let number = self.window_number(about.window()) as u32;
                self.board().publish(number, value);
            }
        }
    }

    /// Combines the block's tails with earlier chunks, if they [must be](crate::segments::Window::is_combined). Then writes the segment's
    /// result, or publishes the combined value.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. [`Self::deal`] has written the chunks, and [`Self::finish_dealt`] has stored their
    /// values. The block's first `warps` warps have taken the chunks.
    #[inline(always)]
    pub unsafe fn settle_dealt(&self, warps: u32) {
        // SAFETY: the whole warp is here, and the chunks and values are written: this function's conditions. `combine_before` returns `None`
        // on all lanes or on none, so they leave together. Lane 0 alone stores a value.
        unsafe {
            let own = self.dealt().about;
            let all = simt::ballot(own.items() > 0);
            let mut kept = simt::ballot(own.items() > 0 && own.goal() == Goal::Kept as u32);
            while kept != 0 {
                let _ = simt::opaque_one();
                let lane = kept.trailing_zeros();
                let (about, warp) = (own.on_lane(lane), Self::rank_of(all, lane) & (warps - 1));
                let window = about.window();
                let index = simt::read_shared(self.tail_index(window)) as u64;
                // The chunk's slot is that of its window. The slots of the segment's earlier chunks come from a diagonal that has the same
                // slots as the segment's first.
                let diagonal = self.window_number(window) << self.window_shift;
                let long = Long {
                    diagonal: diagonal.wrapping_sub(index << CHUNK_SHIFT),
                };
                let (_, values) = self.ring_of(warp);
                let value = simt::read_shared(values.gap(window));
                let is_last = about.is_last();
                let Some(value) = self.combine_before(long, [index, 1], is_last, value, None)
                else {
                    self.refuse();
                    return;
                };
                if simt::lane() == 0 {
                    self.store_dealt(about, value);
                }
                kept &= kept - 1;
            }
        }
    }
}
