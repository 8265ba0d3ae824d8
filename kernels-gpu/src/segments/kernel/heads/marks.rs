//! Scans of segments by offsets, for narrow items. The starts of a work's chunks are marked as heads in shared memory, one bit for each
//! place. From there on, the work is scanned as in a scan by key.
//!
//! ```text
//! for each work:
//!     copy its items to shared memory
//!     if it is dense, copy its offsets too, and scan its short chunks      a barrier follows each
//!     if it is not dense or has long chunks:
//!         check the offsets, and mark the chunks that have items; a barrier follows
//!         one warp writes the words; a barrier follows
//!         scan the chunks (see `heads/narrow.rs`)
//! ```
//!
//! Chunks are found from the bits alone. So each place belongs to one chunk, even if other work rewrites the offsets meanwhile.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{chunk_items, Layout, Work, NO_CHUNK, WARP_CHUNKS};
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::Launch;
use super::window::{first_lane, last_lane};
use super::words::Word;

/// How many words a lane makes.
const LANE_WORDS: usize = 5;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Scans the block's works, one after the other. Returns false on all threads if the offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole block of a scan. The header is written, and the bits of this room and of the next room are cleared.
    #[inline(always)]
    pub unsafe fn scan_at_starts(&self, room: Room<T, O::Accumulator>) -> bool {
        let room = room.with_work_words();
        // SAFETY: the whole block is here, and the header is written: this function's conditions. The branches around barriers and returns
        // depend on values in shared memory, so they go the same way on all threads. Each step comes after the steps that it needs, with a
        // barrier between; `number < work_count` for each work. The flags of a dense work lie after those of its runs (an assertion below).
        unsafe {
            let mut number = self.first_scanned(0);
            while number < self.work_count() {
                let work = self.work(number);
                self.bring_items(&work, room);
                let is_marked = match work.is_dense() {
                    true => self.scan_dense(number, room),
                    false => {
                        self.mark_starts(&work, room);
                        true
                    }
                };
                if is_marked {
                    self.scan_marked(&work, room);
                }
                if self.is_refused() {
                    return false;
                }
                number = self.scanned_after(number);
                if number < self.work_count() {
                    // Orders the reads of items, starts and words before the writes that replace them.
                    simt::barrier();
                    self.clear_bits(room);
                    self.clear_bits(room.next());
                    // Orders the clearing of marks and flags before the next work's.
                    simt::barrier();
                }
            }
            true
        }
    }

    /// Scans a dense work without long chunks. If it has long chunks, scans the short ones, marks all, and returns true. Leaves out the rest
    /// if the offsets are refused.
    ///
    /// # Safety
    /// The conditions of [`Self::scan_at_starts`], and `number < work_count`. The copies of the work's items have begun.
    #[inline(always)]
    unsafe fn scan_dense(&self, number: u32, room: Room<T, O::Accumulator>) -> bool {
        const {
            let words = Layout::bit_words::<T, O::Accumulator>();
            assert!(Room::<T, O::Accumulator>::WORK_WORDS as usize + 1 == words);
        }
        // SAFETY: as in `scan_at_starts`.
        unsafe {
            self.copy_offsets(&self.work(number), room);
            if simt::COPIES == Copies::Asynchronous {
                simt::await_copies();
            }
            // Orders the writes of items and starts before all threads' reads.
            simt::barrier();
            self.fold_short(&self.work(number), room.next());
            // Orders the writes of flags, of results, or of a refusal, before all threads' reads.
            simt::barrier();
            if self.is_refused() {
                return false;
            }
            if !self.has_nodes(room.next()) {
                self.place_short(number, room);
                return false;
            }
            self.mark_copied(&self.work(number), room);
        }
        true
    }

    /// Scans a work whose chunks are marked. In a dense work, the short chunks are scanned before. Leaves out the rest if the offsets are
    /// refused.
    ///
    /// # Safety
    /// The conditions of [`Self::scan_at_starts`]. `work` is one of the block's works. The copies of its items have begun. Its chunks are
    /// marked, perhaps after the last barrier.
    #[inline(always)]
    unsafe fn scan_marked(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let chunk = chunk_items::<T, O::Accumulator>() as u32;
        let runs = Work {
            starts: 0,
            // A run's number is its place. The chunk that is cut is the work's last one, and has all its items.
            cut_chunk: match work.cut_chunk {
                NO_CHUNK => NO_CHUNK,
                _ => work.end - chunk - work.begin,
            },
            ..*work
        };
        // SAFETY: as in `scan_at_starts`. The words, which have the marks, are written by one warp between two barriers.
        unsafe {
            // Orders the marks before warp 0's reads.
            simt::barrier();
            if simt::warp() == 0 {
                self.write_words(&runs, room);
            }
            if simt::COPIES == Copies::Asynchronous {
                simt::await_copies();
            }
            // Orders the writes of items and words, or of a refusal, before all threads' reads.
            simt::barrier();
            if !self.is_refused() {
                self.scan_narrow_runs(&runs, room, room.flags_of(0), work.is_dense());
            }
        }
    }

    /// Marks the chunks of a work that have items. Refuses offsets that do not ascend. A warp takes [`WARP_CHUNKS`] chunks at a time, as in
    /// [`Self::write_starts`].
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and `work` is one of the block's works. The words' marks were cleared for it.
    #[inline(always)]
    unsafe fn mark_starts(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let lane = simt::lane();
        let mut group = simt::warp();
        while group * WARP_CHUNKS < work.chunk_count {
            let step = simt::opaque_one() as u32;
            let chunk = group * WARP_CHUNKS + lane;
            // SAFETY: the whole warp takes part in the shuffle, since all lanes have the same group. The header is written. A place of the
            // work has a word, since `begin < end <= work.end` is checked.
            unsafe {
                let begin = self.read_start(work, chunk);
                let end = simt::shuffle_down(begin, 1);
                let exists = lane < WARP_CHUNKS && chunk < work.chunk_count;
                if exists && self.check_start(work, chunk, begin, end) && begin < end {
                    Self::mark(room, begin);
                }
            }
            group += step * (self.threads() / WARP_LANES);
        }
    }

    /// As [`Self::mark_starts`], for a dense work. Its offsets are copied and checked.
    ///
    /// # Safety
    /// The whole block. The starts are written, and `fold_short` has refused none. The words' marks were cleared for this work.
    #[inline(always)]
    unsafe fn mark_copied(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut number = simt::thread_index();
        while number < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts are written, and they ascend up to the work's end: this function's conditions. `number < chunk_count`.
            unsafe {
                let chunk = self.chunk(work, room, number);
                if chunk.start < chunk.end {
                    Self::mark(room, chunk.start);
                }
            }
            number += step * self.threads();
        }
    }

    /// Marks a place.
    ///
    /// # Safety
    /// The place has a word.
    #[inline(always)]
    unsafe fn mark(room: Room<T, O::Accumulator>, place: u32) {
        // The marks are the first half of a word.
        let marks: *mut u32 = room.word_address(place / u32::BITS).cast();
        // SAFETY: the word is in shared memory: this function's condition.
        unsafe { simt::or_shared(marks, 1 << (place % u32::BITS)) };
    }

    /// Writes the words of a work: the marks are there, and the nearest marks around each word are added. Refuses the offsets if the chunk
    /// that is cut is not whole, since other blocks wait for its value.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header is written, `work` is one of the block's works with runs numbered by places, and its chunks are
    /// marked. No other warp accesses the words before the next barrier.
    #[inline(always)]
    unsafe fn write_words(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let lane = simt::lane();
        let first = lane * LANE_WORDS as u32;
        let place_of = |word: usize| (first + word as u32) * u32::BITS;
        let mut marks = [0_u32; LANE_WORDS];
        // SAFETY: the words are in shared memory, all of whose marks are written, and no other warp accesses them. The whole warp votes and
        // shuffles. The header is written.
        unsafe {
            for_each_vector!(W in 0 1 2 3 4 => {
                if first + (W as u32) < room.words {
                    let word: *const u32 = room.word_address(first + W as u32).cast();
                    marks[W] = simt::read_shared(word);
                }
            });
            let (mut lowest, mut highest, mut some) = (0, 0, false);
            for_each_vector!(W in 0 1 2 3 4 => {
                if marks[W] != 0 {
                    highest = place_of(W) + (u32::BITS - 1 - marks[W].leading_zeros());
                }
            });
            for_each_vector!(W in 4 3 2 1 0 => {
                if marks[W] != 0 {
                    lowest = place_of(W) + marks[W].trailing_zeros();
                    some = true;
                }
            });
            let found = simt::ballot(some);
            let below = found & ((1 << lane) - 1);
            let above = found & !(2_u32 << lane).wrapping_sub(1);
            let last = simt::shuffle_from(highest, last_lane(found));
            let mut before = simt::shuffle_from(highest, last_lane(below)) + 1;
            let mut after = simt::shuffle_from(lowest, first_lane(above));
            if below == 0 {
                before = 0;
            }
            if above == 0 {
                after = work.end;
            }
            if work.cut_chunk != NO_CHUNK && last.wrapping_sub(work.begin) != work.cut_chunk {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
            }
            let mut afters = [after; LANE_WORDS];
            for_each_vector!(W in 3 2 1 0 => {
                afters[W] = match marks[W + 1] {
                    0 => afters[W + 1],
                    marks => place_of(W + 1) + marks.trailing_zeros(),
                };
            });
            for_each_vector!(W in 0 1 2 3 4 => {
                let (heads, number) = (marks[W], first + W as u32);
                // One more word stands for all places after the work.
                if number <= room.words {
                    let after = afters[W];
                    room.word_address(number).write(Word { heads, before, after }.packed());
                }
                if heads != 0 {
                    before = place_of(W) + u32::BITS - heads.leading_zeros();
                }
            });
            // What is before the next lane's words is not used.
            let _ = before;
        }
    }
}

const _: () = {
    // A warp makes all words of a work.
    let words = crate::segments::Layout::bit_words::<u8, u64>();
    assert!(words <= LANE_WORDS * WARP_LANES as usize);
};
