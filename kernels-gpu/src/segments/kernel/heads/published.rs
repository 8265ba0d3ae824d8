//! What windows publish about their heads, and how the blocks of later windows look back over it.

use crate::board::Board;
use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::{node_slots, Task};
use crate::simt;
use crate::thread::for_each_vector;

use super::super::Launch;
use super::window::{first_lane, last_lane, Bits};

/// For how many windows a lane reads the published heads at once.
const LOOKS_AT_ONCE: u32 = 4;

/// What a window publishes about its heads.
#[derive(Clone, Copy)]
struct PublishedHeads {
    /// One more than the place of the last head; 0 if there is none.
    end: u32,
    /// In a reduction, how many heads there are.
    count: u32,
}

impl PublishedHeads {
    /// Both numbers in one word. Each is at most the number of items of a window, so it fits in 16 bits.
    #[inline(always)]
    fn packed(self) -> u32 {
        self.end | self.count << 16
    }

    #[inline(always)]
    fn of(word: u32) -> Self {
        PublishedHeads {
            end: word & 0xffff,
            count: word >> 16,
        }
    }
}

/// The sum of a value over the lanes of a warp.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_sum(mut value: u32) -> u32 {
    for_each_vector!(S in 1 2 4 8 16 => {
        // SAFETY: the whole warp is here: this function's condition.
        value = value.wrapping_add(unsafe { simt::shuffle_from(value, simt::lane() ^ S as u32) });
    });
    value
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The address of the number of runs that begin before the window.
    #[inline(always)]
    pub fn rank_address(&self) -> *mut u64 {
        // SAFETY: takes the field's address, and makes no reference.
        let borders = unsafe { &raw mut (*self.header).borders };
        borders.cast()
    }

    /// The address to which a look back writes the last head before the window.
    #[inline(always)]
    pub fn head_before_address(&self) -> *mut u64 {
        self.rank_address().wrapping_add(1)
    }

    /// The board of the windows' heads. Its slots lie after those of the nodes' values.
    ///
    /// # Safety
    /// The tag is written.
    #[inline(always)]
    unsafe fn board_of_heads(&self) -> Board {
        let slots = node_slots(simt::block_count() as u64, self.window_shift);
        let words = slots as usize * O::Accumulator::WORDS;
        // SAFETY: the tag is in shared memory, and written: this function's condition.
        let tag = unsafe { simt::read_shared(&raw const (*self.header).tag) };
        Board::new(self.states.wrapping_add(words), tag)
    }

    /// Publishes the heads of window `number`. `own` has the calling lane's bits of this window.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the window. The tag is written.
    #[inline(always)]
    pub unsafe fn publish_heads(&self, own: Bits, number: u64) {
        // SAFETY: the tag is written, and the whole warp votes and shuffles. The board has a slot for each window, and this warp alone
        // writes the slot of window `number`.
        unsafe {
            let found = simt::ballot(own.are_some());
            let highest = simt::shuffle_from(own.highest(), last_lane(found));
            let count = match self.task {
                Task::Reduce => warp_sum(own.count()),
                Task::Scan => 0,
            };
            let end = if found == 0 { 0 } else { highest + 1 };
            if simt::lane() == 0 {
                let heads = PublishedHeads { end, count };
                self.board_of_heads().publish(number as u32, heads.packed());
            }
        }
    }

    /// Looks back over the windows before window `number`. Writes the last head before the window and, in a reduction, the number of runs
    /// that begin before the window.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the block. The tag is written.
    #[inline(always)]
    pub unsafe fn look_back(&self, number: u32) {
        let lane = simt::lane();
        // No window before window `upto` has been looked at yet.
        let mut upto = number;
        // One more than the number of the item that is the last head; 0 while no head is found.
        let mut last = 0_u64;
        let mut sum = 0_u32;
        // SAFETY: the tag is written. The board has a slot for each window, and only windows before `number` are read. The whole warp votes
        // and shuffles, since all lanes have the same `upto` and `last`. The block of each of these windows has an earlier ticket than this
        // block, and publishes the window's heads without waiting. Lane 0 alone writes.
        unsafe {
            let board = self.board_of_heads();
            while upto > 0 && (last == 0 || self.task == Task::Reduce) {
                let step = simt::opaque_one() as u32;
                let mut values = [0; LOOKS_AT_ONCE as usize];
                let mut is_unknown = false;
                for_each_vector!(V in 0 1 2 3 => {
                    let window = upto.wrapping_sub(V as u32 * WARP_LANES + lane + 1);
                    let exists = window < upto;
                    let (value, is_published) = board.read::<u32>(if exists { window } else { 0 });
                    if exists {
                        values[V] = value;
                        is_unknown |= !is_published;
                    }
                });
                if simt::ballot(is_unknown) == 0 {
                    for_each_vector!(V in 0 1 2 3 => {
                        let heads = PublishedHeads::of(values[V]);
                        sum += heads.count;
                        let nearest = simt::ballot(heads.end != 0);
                        let end = simt::shuffle_from(heads.end, first_lane(nearest));
                        if last == 0 && nearest != 0 {
                            let before = V as u32 * WARP_LANES + first_lane(nearest) + 1;
                            let window = upto.wrapping_sub(before) as u64;
                            last = (window << self.window_shift) + end as u64;
                        }
                    });
                    upto = upto.saturating_sub(step * LOOKS_AT_ONCE * WARP_LANES);
                }
            }
            let mut rank = 0;
            if self.task == Task::Reduce {
                rank = warp_sum(sum);
            }
            if lane == 0 {
                self.rank_address().write(rank as u64);
                self.head_before_address().write(last.wrapping_sub(1));
            }
        }
    }
}
