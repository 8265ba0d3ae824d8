//! Reductions of runs of keys: the numbers of the runs, and the outputs for each run.
//!
//! Each window publishes how many heads it has. One warp adds up these numbers over all earlier windows. A run's number is this sum, plus
//! the number of heads between the window's begin and the run's head.
//!
//! A block folds the chunks of its window as a scan does, and publishes the same values. The lane that writes a run's start also folds the
//! run, if it has at most 16 items. At the end, warp 0 combines the tail with earlier chunks.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{window_count, Work, FAN};
use crate::simt;

use super::super::items::Room;
use super::super::leaves::Fold;
use super::super::Launch;
use super::keys::Keys;
use super::runs::{Places, HAS_NODES, HAS_ROOTS};

/// Where a reduction writes what it finds of the runs.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// Null, or where the first key of each run is written.
    pub first_keys: *mut u8,
    /// Where the starts of the runs are written, and then the number of items.
    pub starts: *mut u8,
    /// The size of a start in bytes: 4 or 8.
    pub start_bytes: u32,
    /// Where the number of runs is written.
    pub count: *mut u64,
}

impl Outputs {
    /// Writes the start of a run.
    ///
    /// # Safety
    /// There is room for the start, and no other thread writes it.
    #[inline(always)]
    unsafe fn start(&self, run: u64, item: u64) {
        // SAFETY: there is room for the start: this function's condition.
        unsafe {
            match self.start_bytes {
                4 => self
                    .starts
                    .cast::<u32>()
                    .add(run as usize)
                    .write(item as u32),
                _ => self.starts.cast::<u64>().add(run as usize).write(item),
            }
        }
    }

    /// Writes the number of runs and, in the place after the last run's start, the number of items.
    ///
    /// # Safety
    /// There is room for both numbers, and no other thread writes them.
    #[inline(always)]
    pub unsafe fn end(&self, run_count: u64, item_count: u64) {
        // SAFETY: there is room for both numbers: this function's condition.
        unsafe {
            self.start(run_count, item_count);
            self.count.write(run_count);
        }
    }
}

impl Keys {
    /// Copies key `item` to place `run` of `to`.
    ///
    /// # Safety
    /// The key is readable, and `to` has the place, which no other thread writes.
    #[inline(always)]
    unsafe fn copy(&self, item: u64, to: *mut u8, run: u64) {
        let (from, at) = (item as usize, run as usize);
        // SAFETY: the key is readable, and its place in `to` is this thread's: this function's conditions.
        unsafe {
            if self.are_wide() {
                let keys: *const u64 = self.words.cast();
                to.cast::<u64>().add(at).write(keys.add(from).read());
            } else {
                to.cast::<u32>().add(at).write(self.words.add(from).read());
            }
        }
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The number of runs that begin before the window.
    ///
    /// # Safety
    /// The number is written.
    #[inline(always)]
    pub unsafe fn rank(&self) -> u64 {
        // SAFETY: the number is in shared memory, and written: this function's condition.
        unsafe { simt::read_shared(self.rank_address()) }
    }

    /// The number of the run of a work's chunk. `chunk` is the chunk's first place, counted from the work's begin.
    ///
    /// # Safety
    /// The header and the words are written, and the chunk is the last of its run.
    #[inline(always)]
    pub unsafe fn run_of(&self, work: &Work, chunk: u32) -> u64 {
        let room = Room::<T, O::Accumulator>::new(self.header.cast(), self.offsets.direction);
        let place = Places::of(work).begin + chunk;
        // SAFETY: the header and the words are written: this function's conditions.
        unsafe {
            let tail = self.window(0).has_tail as u64;
            (self.rank() + room.heads_before(place) as u64).wrapping_sub(tail)
        }
    }

    /// Writes the starts of the runs that begin in the window and, if they are wanted, the first keys. Folds the window's chunks of at most
    /// 16 items: writes the results of runs, and stores the value of a short tail. For the last window, also writes the number of runs.
    /// `work` has number `number` among the window's works. If it is the second, nothing is left to write.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the words are written, and so are the items of `work`. There is a readable key for each
    /// item, and the outputs have room for all runs.
    #[inline(always)]
    unsafe fn write_runs(
        &self,
        keys: Keys,
        outputs: &Outputs,
        number: u32,
        work: &Work,
        room: Room<T, O::Accumulator>,
    ) {
        let lane = simt::lane();
        // All words are read together with the window's first work. A branch around the call would make rust-cuda's compiler copy the
        // barrier after it.
        let words = if number == 0 { self.window_words() } else { 0 };
        // SAFETY: the header, the words and the items are written. A short chunk is in the first work, since short runs fit (condition 7 of
        // [`by_key_reduce`]). Each run has one head, and so one thread writes its outputs, which have room. One thread writes the end.
        unsafe {
            let window = self.window_number(0);
            let origin = window << self.window_shift;
            let has_tail = work.tail_chunk == 0;
            let rank = self.rank().wrapping_sub(has_tail as u64);
            let mut word = simt::warp();
            while word < words {
                let step = simt::opaque_one() as u32;
                let place = word * u32::BITS + lane;
                let starts = room.word(word);
                if starts.heads >> lane & 1 != 0 {
                    let rank_here = room.heads_before(place);
                    let run = rank.wrapping_add(rank_here as u64);
                    let is_tail = has_tail && rank_here == 0;
                    if !is_tail {
                        let item = origin + place as u64;
                        outputs.start(run, item);
                        if !outputs.first_keys.is_null() {
                            keys.copy(item, outputs.first_keys, run);
                        }
                    }
                    let length = starts.end_of(word, lane) - place;
                    if length <= FAN {
                        let begin = place.wrapping_add(work.starts);
                        let index = if is_tail { work.index } else { 0 };
                        let value = self.fold_each(room, begin, begin + length, index);
                        if is_tail {
                            self.finish(work, 0, value);
                        } else {
                            write_result!(O, T, self.output, run as usize, value);
                        }
                    }
                }
                word += step * (self.threads() / WARP_LANES);
            }
            let windows = window_count(self.offsets.item_count, self.window_shift);
            if words > 0 && window == windows - 1 && simt::thread_index() == 0 {
                let chunks = room.heads_before(1 << self.window_shift);
                outputs.end(rank.wrapping_add(chunks as u64), self.offsets.item_count);
            }
        }
    }

    /// Reduces the runs of the window. Combines the tail with earlier chunks at the end.
    ///
    /// # Safety
    /// Convergent: the whole block. The header, the words and the number of the window's first run are written. The conditions of
    /// [`Self::write_runs`].
    #[inline(always)]
    pub unsafe fn reduce_at_heads(
        &self,
        keys: Keys,
        outputs: &Outputs,
        room: Room<T, O::Accumulator>,
    ) {
        // SAFETY: the whole block is here, and the header and the words are written: this function's conditions. The branches around
        // barriers and returns depend on values in shared memory, so they go the same way on all threads. Each step comes after the steps
        // that it needs, with a barrier between. The last barrier comes before the next work replaces the items, and before warp 0 reads
        // the tail's value.
        unsafe {
            let mut number = 0;
            while number < self.work_count() {
                let work = self.work(number);
                self.bring_items(&work, room);
                if simt::COPIES == Copies::Asynchronous {
                    simt::await_copies();
                }
                // Orders the writes of items before all threads' reads.
                simt::barrier();
                let found = self.for_each_leaf_of_runs::<Fold>(&work, room);
                Self::note(room.flags_of(number), found);
                self.write_runs(keys, outputs, number, &work, room);
                // Orders the writes of leaves' values and of flags before all threads' reads.
                simt::barrier();
                let flags = simt::read_shared(room.flags_of(number));
                if flags & (HAS_NODES | HAS_ROOTS) != 0 {
                    self.for_each_node_of_runs::<Fold>(&work, room, flags);
                    // Orders the writes of the nodes' values before the reads by the threads that combine them.
                    simt::barrier();
                }
                if flags & HAS_ROOTS != 0 {
                    self.fold_roots_of_runs(&work, room);
                }
                // Orders the reads of items before the writes that replace them, and the write of the tail's value before warp 0's read.
                simt::barrier();
                number = self.work_after(number);
            }
            if simt::warp() == 0 && self.is_combined() {
                self.settle();
            }
        }
    }
}
