//! Runs that a window shares with other windows.
//!
//! At most two chunks of a window share their run: the tail, and the chunk whose run goes on in later windows. They may be the same chunk.
//! Warp 0 publishes the values of their nodes, except the value of a run's last node. If a node is the last of sixteen of its run, the
//! sixteen are combined first; if they are the last of sixteen in turn, these too. So the published values form the tree of the run, and
//! a look back needs at most 15 values of each level.
//!
//! The first of the two chunks that the window has is called `first` here. At most one node of the two chunks is the last of sixteen, since
//! the two chunks together have at most 16 published nodes. If it is a node of the first chunk, the nodes after it belong to the next
//! sixteen. The prefix of this next sixteen is not the prefix of its first node in the chain of the nodes before it: it is the prefix of
//! the level above, combined with the value of the whole sixteen.
//!
//! A block first publishes the values that need no other block. So a block waits only for values that are published at once, or for those
//! of blocks that wait for still earlier blocks.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{Task, Work, FAN, NO_CHUNK};
use crate::{simt, warp};

use super::super::chunks::Long;
use super::super::items::Room;
use super::super::Launch;
use super::runs::{Places, NODE};

/// The chunks of a window that share their run with other windows. All lanes have the same, except for `value`.
#[derive(Clone, Copy)]
pub struct Shared<A> {
    /// The first chunk's run.
    pub long: Long,
    /// The index of the first chunk's first node in its run.
    pub index: u64,
    /// The place in the work where the first chunk starts.
    pub start: u32,
    /// How many nodes the first chunk has.
    pub count: u32,
    /// Whether the first chunk is the last of its run.
    pub is_last: bool,
    /// Whether the values of the first chunk's nodes are stored: whether it has at least [`NODE`] items.
    pub is_stored: bool,
    /// The run of the second chunk. Not used if there is no second chunk.
    pub second: Long,
    /// How many nodes the second chunk has: 0 if there is none.
    pub second_count: u32,
    /// The values of nodes: those of the first chunk's nodes on lanes 0 to 15, those of the second chunk's nodes on lanes 16 to 31.
    pub value: A,
}

impl<A: Copy> Shared<A> {
    /// How many nodes of the first chunk's sixteen come before the chunk.
    #[inline(always)]
    pub fn before(&self) -> u32 {
        (self.index % FAN as u64) as u32
    }

    /// How many of the first chunk's nodes may belong to the sixteen of its first node.
    #[inline(always)]
    pub fn left(&self) -> u32 {
        FAN - self.before()
    }

    /// How many of the first chunk's nodes are published. Each of these has [`NODE`] items.
    #[inline(always)]
    pub fn published(&self) -> u32 {
        self.count - self.is_last as u32
    }

    /// Whether the last of sixteen nodes is published, of the first chunk's run.
    #[inline(always)]
    pub fn completes_first(&self) -> bool {
        self.published() >= self.left()
    }

    /// Whether the last of sixteen nodes is published, of the second chunk's run.
    #[inline(always)]
    pub fn completes_second(&self) -> bool {
        self.second_count == FAN
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The window's shared chunks; `None` if it has none.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header and the words are written, `work` is the window's work, and the values of nodes that are used
    /// are written. In a reduction, the value of a tail of fewer than [`NODE`] items is written too.
    #[inline(always)]
    pub unsafe fn shared(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
    ) -> Option<Shared<O::Accumulator>> {
        let has_tail = work.tail_chunk == 0;
        let goes_on = work.cut_chunk != NO_CHUNK;
        if !has_tail && !goes_on {
            return None;
        }
        let places = Places::of(work);
        let cut = places.begin.wrapping_add(work.cut_chunk);
        // SAFETY: the header, the words and the values are written (this function's conditions). Each lane reads the value of a node that
        // its chunk has.
        unsafe {
            let origin = self.window_number(0) << self.window_shift;
            let second = Long {
                diagonal: origin + cut as u64,
            };
            let (mut long, mut index, mut start, mut is_last) = (second, 0, cut, false);
            let mut end = places.end;
            if has_tail {
                let window = self.window(0);
                let (number, bit) = (places.begin / u32::BITS, places.begin % u32::BITS);
                long = Long {
                    diagonal: window.begin,
                };
                (index, start, is_last) = (window.index, places.begin, window.is_last != 0);
                end = room.word(number).end_of(number, bit);
            }
            let count = (end - start).div_ceil(NODE);
            let is_stored = end - start >= NODE;
            let mut second_count = 0;
            if goes_on && has_tail && work.cut_chunk != 0 {
                second_count = (places.end - cut) / NODE;
            }
            let node = simt::lane() % FAN;
            let (chunk, has_node) = match simt::lane() < FAN {
                true => (start, is_stored && node < count),
                false => (cut, node < second_count),
            };
            let mut value = O::identity();
            if has_node {
                value = room.node(chunk.wrapping_add(work.starts), node).read();
            } else if self.task == Task::Reduce && !is_stored && simt::lane() == 0 {
                value = self.tail(0).read();
            }
            Some(Shared {
                long,
                index,
                start: start.wrapping_add(work.starts),
                count,
                is_last,
                is_stored,
                second,
                second_count,
                value,
            })
        }
    }

    /// Publishes the values of the shared chunks' nodes, except those of the last of sixteen nodes.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the window. The tag is written.
    #[inline(always)]
    pub unsafe fn publish_nodes(&self, shared: &Shared<O::Accumulator>) {
        let node = simt::lane() % FAN;
        let (long, index, count) = match simt::lane() < FAN {
            true => (shared.long, shared.index, shared.published()),
            false => (shared.second, 0, shared.second_count),
        };
        let index = index + node as u64;
        if node < count && index % FAN as u64 != FAN as u64 - 1 {
            // SAFETY: the tag is written (this function's condition), and the board has a slot for each node (the launch's condition 6). A
            // node that is published has 256 items, so no other node has its slot.
            unsafe {
                self.board()
                    .publish(self.slot_of(long, index), shared.value)
            };
        }
    }

    /// Waits for the values of the nodes before the first chunk, of the first chunk's sixteen. Lane `l` gets the value of the sixteen's node
    /// `l`, if there are more than `l` of these nodes.
    ///
    /// # Safety
    /// Convergent: the whole warp. The tag is written.
    #[inline(always)]
    unsafe fn earlier(&self, shared: &Shared<O::Accumulator>) -> O::Accumulator {
        let before = shared.before();
        if before == 0 {
            return O::identity();
        }
        let lane = Ord::min(simt::lane(), before - 1);
        let node = shared.index - (before - lane) as u64;
        // SAFETY: the whole warp is here, and the tag is written: this function's conditions. The nodes are in earlier windows. Heads are
        // never refused, so no value is missing.
        unsafe {
            self.await_value(shared.long, node, true)
                .unwrap_or(O::identity())
        }
    }

    /// The values of the sixteen nodes of which the last is published here, combined, and combined with earlier sixteens if these are
    /// complete too. Publishes this value. `before` has the values of the nodes before the first chunk, of the first chunk's sixteen.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the window. The tag is written. The last of sixteen nodes is published here.
    #[inline(always)]
    pub unsafe fn complete(
        &self,
        shared: &Shared<O::Accumulator>,
        before: O::Accumulator,
    ) -> O::Accumulator {
        let (long, first, from) = match shared.completes_second() {
            true => (shared.second, 0, FAN),
            false => (
                shared.long,
                shared.index / FAN as u64,
                0_u32.wrapping_sub(shared.before()),
            ),
        };
        // SAFETY: the whole warp is here (this function's condition), and all lanes have the same chunks. The sixteens before this one are
        // in the launch's windows. Heads are never refused, so no value is missing. The board has a slot for each node. No other thread
        // publishes the slot of the last of these sixteen nodes.
        unsafe {
            let lane = simt::lane() % FAN;
            let mut value = warp::shuffle_from(shared.value, lane.wrapping_add(from) % WARP_LANES);
            if !shared.completes_second() && lane < shared.before() {
                value = before;
            }
            let sixteen = Self::combine_first(value, FAN);
            let all = self.combine_before(long, [first, FAN as u64], false, sixteen, None);
            let all = all.unwrap_or(sixteen);
            if simt::lane() == 0 {
                let node = first * FAN as u64 + (FAN - 1) as u64;
                self.board().publish(self.slot_of(long, node), all);
            }
            all
        }
    }

    /// In a reduction, publishes the values of the shared chunks. If the tail is its run's last chunk, writes the run's result.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block, once. The header and the words are written, `work` is the window's work, and the values
    /// of the tail and of nodes are written. The output has room for all runs.
    #[inline(always)]
    pub unsafe fn settle_shared(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole warp is here, and all that is read is written: this function's conditions. All lanes have the same chunks, so
        // they take the same branches around shuffles. The nodes before the first chunk are in earlier windows. The result belongs to this
        // block, which has the run's last chunk.
        unsafe {
            let Some(shared) = self.shared(work, room) else {
                return;
            };
            self.publish_nodes(&shared);
            let (before, sixteen) = (shared.before(), shared.index / FAN as u64);
            let completes = shared.completes_first() || shared.completes_second();
            let mut earlier = O::identity();
            if completes || shared.is_last {
                earlier = self.earlier(&shared);
            }
            let mut known = None;
            if completes {
                let all = self.complete(&shared, earlier);
                if shared.completes_first() {
                    known = Some(all);
                }
            }
            if shared.is_last {
                let lane = simt::lane();
                let (from, place, count) = match shared.completes_first() {
                    true => (shared.left(), sixteen + 1, shared.count - shared.left()),
                    false => (0_u32.wrapping_sub(before), sixteen, before + shared.count),
                };
                let mut value =
                    warp::shuffle_from(shared.value, lane.wrapping_add(from) % WARP_LANES);
                if !shared.completes_first() && lane < before {
                    value = earlier;
                }
                let last = Self::combine_first(value, count);
                let at = [place, FAN as u64];
                let result = self.combine_before(shared.long, at, true, last, known);
                if let (Some(value), 0) = (result, lane) {
                    let run = self.rank().wrapping_sub(1);
                    write_result!(O, T, self.output, run as usize, value);
                }
            }
        }
    }

    /// Combines the values of the first `count` lanes, at most sixteen, in the order of the contract. `count` is at least 1. Every lane
    /// gets the result.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `count`.
    #[inline(always)]
    unsafe fn combine_first(value: O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the whole warp is here, with the same `count`: this function's condition.
        unsafe {
            match O::PAIRS_SIXTEENS || Self::IS_EXACT {
                true => Self::combine_lanes(value, count, O::identity()),
                false => Self::fold_lanes(value, count),
            }
        }
    }
}
