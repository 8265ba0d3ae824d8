//! The chunks of a block whose chunks are long. Warp 0 finds them, one on each lane, and checks the offsets.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::STEP_ITEMS;
use crate::segments::{Window, Work, MOST_WINDOWS, NARROW_CHUNK_ITEMS};
use crate::simt;

use super::super::Launch;

/// A chunk. A block with `n` windows has `n` lanes for tails, and one lane for each segment that begins in the windows. The lanes of a
/// window follow those of the window before it. The first lane of a window has the tail, if there is one.
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
    /// To the header: the chunk is a tail that [must be combined](Window::is_combined) with earlier chunks.
    Header,
    /// To the board.
    Board,
}

/// The most lanes that have a tail or a segment.
const MOST_DEALT: usize =
    MOST_WINDOWS as usize * (1 + NARROW_CHUNK_ITEMS as usize / STEP_ITEMS as usize);

/// The block's chunks in shared memory. They take the room of the header's works.
#[repr(C)]
struct Table {
    first: [u64; MOST_DEALT],
    about: [About; MOST_DEALT],
}

const _: () = {
    assert!(MOST_DEALT <= WARP_LANES as usize);
    assert!(size_of::<Table>() <= 2 * MOST_WINDOWS as usize * size_of::<Work>());
    // Each number fits in its bits of `About`.
    assert!(NARROW_CHUNK_ITEMS < 1 << 16 && MOST_WINDOWS <= 1 << 4);
};

impl About {
    #[inline(always)]
    fn new(items: u32, before: u32, window: u32, goal: Goal, is_tail: bool) -> Self {
        About(items | before << 16 | window << 24 | (goal as u32) << 28 | (is_tail as u32) << 31)
    }

    /// How many items the chunk has; 0 if the lane has no chunk.
    #[inline(always)]
    pub fn items(self) -> u32 {
        self.0 & 0xffff
    }

    /// The first item's place in its row.
    #[inline(always)]
    pub fn before(self) -> u32 {
        self.0 >> 16 & 0xff
    }

    /// The number of the chunk's window in the block.
    #[inline(always)]
    fn window(self) -> u32 {
        self.0 >> 24 & 0xf
    }

    /// Where the chunk's value goes: a [`Goal`].
    #[inline(always)]
    fn goal(self) -> u32 {
        self.0 >> 28 & 7
    }

    /// Whether the chunk is its window's tail.
    #[inline(always)]
    fn is_tail(self) -> bool {
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
    /// The addresses of the two numbers of a lane's chunk in shared memory.
    ///
    /// # Safety
    /// `lane` is less than [`MOST_DEALT`].
    #[inline(always)]
    unsafe fn dealt_at(&self, lane: u32) -> (*mut u64, *mut About) {
        // SAFETY: the header has room for a table in place of its works (asserted above), and the lane's places are in bounds: this
        // function's condition.
        unsafe {
            let table: *mut Table = (&raw mut (*self.header).works).cast();
            let first: *mut u64 = (&raw mut (*table).first).cast();
            let about: *mut About = (&raw mut (*table).about).cast();
            (first.add(lane as usize), about.add(lane as usize))
        }
    }

    /// The chunk of the calling lane. If the lane has no chunk, the chunk has no items.
    ///
    /// # Safety
    /// [`Self::deal`] has written the chunks.
    #[inline(always)]
    pub unsafe fn dealt(&self) -> Dealt {
        let lane = simt::lane();
        let mut dealt = Dealt {
            first: 0,
            about: About(0),
        };
        if lane < MOST_DEALT as u32 {
            // SAFETY: the lane is in bounds, and its chunk is written: this function's condition.
            unsafe {
                let (first, about) = self.dealt_at(lane);
                dealt.first = simt::read_shared(first);
                dealt.about = simt::read_shared(about);
            }
        }
        dealt
    }

    /// Finds the block's chunks, one on each lane, and writes them to shared memory. Writes the block's windows to the header, and the
    /// results of empty segments to the output. If a window has no chunk to publish, publishes the identity for it. If the offsets are
    /// wrong, refuses them instead of all this.
    ///
    /// # Safety
    /// Convergent: the whole warp 0. [`Self::begin`] has written the ticket, the tag and the borders, and the block's chunks [are
    /// long](Self::has_long_chunks). No other thread accesses the windows and works before the next barrier.
    #[inline(always)]
    pub unsafe fn deal(&self) {
        let lane = simt::lane();
        let offsets = &self.offsets;
        // SAFETY: the borders are written (this function's condition), and the numbers of borders are at most `windows_per_block`. A lane
        // reads offsets `segment` and `segment + 1` only if `segment < end`, or if `segment + 1` is a border. No border is greater than
        // `segment_count`, and the offsets are readable (the launch's condition 3). The whole warp takes part in the ballot. The header
        // has each window, which one lane writes. The board has a slot for each window (condition 6). The last lane of a window decides
        // what is published for it: either the identity, here, or the value of this lane's chunk, later.
        unsafe {
            let base = simt::read_shared(self.border(0));
            let (mut window, mut first_lane, mut border) = (0, 0, base);
            let (mut number, mut latest, mut ascend) = (1, base, true);
            while number <= self.windows_per_block {
                let step = simt::opaque_one() as u32;
                let next = simt::read_shared(self.border(number));
                ascend &= latest <= next;
                let place = (next.wrapping_sub(base) as u32).wrapping_add(number);
                if number < self.windows_per_block && lane >= place {
                    (window, first_lane, border) = (number, place, next);
                }
                latest = next;
                number += step;
            }
            let end = simt::read_shared(self.border(window + 1));
            let (number, count) = (self.window_number(window), self.window_count());
            let exists = number < count;
            let diagonal = number << self.window_shift;
            let upto = diagonal + (1 << self.window_shift);
            let is_tail = lane == first_lane;
            let segment = segment_on(lane, window, base);
            let has_segment = exists & if is_tail { border > 0 } else { segment < end };
            let (mut begin, mut stop) = (0, 0);
            if has_segment {
                (begin, stop) = (offsets.get(segment), offsets.get(segment + 1));
            }
            // The tail is the first chunk of its segment that begins at the window's first diagonal or after it. Any other lane has the
            // first chunk of its segment. The values may wrap if the offsets are wrong.
            let start = begin.wrapping_add(segment);
            let begins_before = start < diagonal;
            let index = match is_tail {
                true => diagonal.wrapping_sub(start).div_ceil(NARROW_CHUNK_ITEMS),
                false => 0,
            };
            let first = begin.wrapping_add(index.wrapping_mul(NARROW_CHUNK_ITEMS));
            let begins_in = first.wrapping_add(segment) < upto;
            let has_chunk = has_segment & (!is_tail | (begins_in & (first < stop)));
            let rest = stop.wrapping_sub(first);
            let is_last = rest <= NARROW_CHUNK_ITEMS;
            let goes_on = has_chunk & !is_last;
            let is_last_lane = match is_tail {
                true => border >= end,
                false => segment.wrapping_add(1) == end,
            };
            // If a segment goes on after its chunk here, no other segment begins in the window after it. The last window must end at the
            // last segment, so that the windows together have all segments.
            let is_wrong_at = (begin > stop)
                | (stop > offsets.item_count)
                | (begins_before != is_tail)
                | (!is_tail & !begins_in)
                | (goes_on & !is_last_lane);
            let is_gap = exists & (number == count - 1) & (end != offsets.segment_count);
            if simt::ballot(!ascend | is_gap | has_segment & is_wrong_at) != 0 {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
                return;
            }
            let tail = Window {
                segment,
                begin,
                index,
                has_tail: (is_tail & has_chunk) as u32,
                is_last: is_last as u32,
            };
            if is_tail {
                self.window_address(window).write(tail);
            }
            if is_last_lane & exists & !goes_on & offsets.are_read() {
                // If all blocks have read the same offsets, none of them waits for this value. A block that has read other offsets may
                // wait for it.
                self.board().publish(number as u32, O::identity());
            }
            let goal = match is_tail {
                true if tail.is_combined() => Goal::Header,
                false if is_last => Goal::Output,
                _ => Goal::Board,
            };
            let items = match has_chunk {
                true => Ord::min(rest, NARROW_CHUNK_ITEMS) as u32,
                false => 0,
            };
            let about = About::new(items, self.place_of(first), window, goal, is_tail);
            if has_chunk & (items == 0) {
                self.finish_dealt(about, O::identity());
            }
            if lane < MOST_DEALT as u32 {
                let (first_at, about_at) = self.dealt_at(lane);
                first_at.write(first);
                about_at.write(about);
            }
        }
    }

    /// The index of a chunk's first item in its segment.
    ///
    /// # Safety
    /// The chunk's window is written, and the chunk is one of the block's chunks.
    #[inline(always)]
    pub unsafe fn index_of(&self, about: About) -> u64 {
        if !about.is_tail() {
            return 0;
        }
        // SAFETY: the block has the chunk's window, which is written: this function's conditions.
        unsafe { self.window(about.window()).index * NARROW_CHUNK_ITEMS }
    }

    /// Stores the value of the calling lane's chunk where it goes.
    ///
    /// # Safety
    /// The borders and the tag are written. [`Self::deal`] has found the chunk, and nobody else finishes it.
    #[inline(always)]
    pub unsafe fn finish_dealt(&self, about: About, value: O::Accumulator) {
        let window = about.window();
        // SAFETY: the borders and the tag are written, and `deal` has found the chunk (this function's conditions). So the chunk's segment
        // belongs to the launch, and has a result (the launch's condition 5). The borders ascend, so no other lane has this segment. The
        // header has the value of the window's tail. The board has a slot for each window (condition 6), and only the last lane of a
        // window publishes a value.
        unsafe {
            if about.goal() == Goal::Output as u32 {
                let base = simt::read_shared(self.border(0));
                let segment = segment_on(simt::lane(), window, base);
                write_result!(O, T, self.output, segment as usize, value);
            } else if about.goal() == Goal::Header as u32 {
                self.tail(window).write(value);
            } else {
                let number = self.window_number(window) as u32;
                self.board().publish(number, value);
            }
        }
    }
}

/// The segment of a lane's chunk. `window` is the number of the lane's window in the block, and `base` is the block's first border. The
/// number wraps if the launch's first segment begins in the block's first window, and the lane is the first one: this window has no tail.
#[inline(always)]
fn segment_on(lane: u32, window: u32, base: u64) -> u64 {
    let number = lane.wrapping_sub(window) as u64;
    base.wrapping_add(number).wrapping_sub(1)
}
