//! Reductions of runs of keys: how runs are numbered, and how the outputs of each run are written.
//!
//! A run's number says how many runs begin before it: in earlier windows, and in its own window before its head. If an earlier launch has
//! marked the heads, it has also stored counts with the bits. From these counts, a block finds how many runs begin in earlier windows.
//! Otherwise each window publishes how many heads it has, and one warp of each block adds up the counts of all earlier windows.
//!
//! A block folds the chunks of its window as a scan of wide items does, and publishes the same values. The lane that writes a run's outputs
//! also folds the run, if the run has at most 16 items. At the end, warp 0 combines the tail with earlier windows' values.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{window_count, Work, FAN};
use crate::simt;

use super::super::items::Room;
use super::super::leaves::{Fold, Node};
use super::super::Launch;
use super::keys::Keys;
use super::runs::{Places, HAS_NODES, HAS_ROOTS};
use super::short::Ranked;

/// If a warp has at most this many words, it takes one word after the other. The code for this case is short, which matters most in small
/// launches (see `keys.rs`).
const FEW_WORDS: u32 = 4;

/// This is for warps with more words than [`FEW_WORDS`]. If the words of a warp have more than this many heads each on average, the warp
/// takes several words at once (see `many.rs`). Otherwise it deals the heads to its lanes one after the other.
const FEW_HEADS: u32 = 8;

/// The keys of a reduction by key, and its outputs other than the results. First keys are copied from the keys.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// The keys, of 1, 2, 4 or 8 bytes. Not used if first keys are not wanted.
    pub keys: Keys,
    /// Null, or where the first key of each run is written.
    pub first_keys: *mut u8,
    /// Null, or where the starts of the runs are written. The number of items is written after the last start.
    pub starts: *mut u8,
    /// The size of a start in bytes: 4 or 8.
    pub start_bytes: u32,
    /// Where the number of runs is written.
    pub count: *mut u64,
}

impl Outputs {
    /// Writes the start of a run, if starts are wanted.
    ///
    /// # Safety
    /// If starts are wanted, there is room for this one, and no other thread writes it.
    #[inline(always)]
    pub unsafe fn start(&self, run: u64, item: u64) {
        if !self.has_starts() {
            return;
        }
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

    /// Writes the number of runs. If starts are wanted, also writes the number of items, after the last run's start.
    ///
    /// # Safety
    /// There is room for what is written, and no other thread writes there.
    #[inline(always)]
    pub unsafe fn end(&self, run_count: u64, item_count: u64) {
        // SAFETY: there is room: this function's condition.
        unsafe {
            self.start(run_count, item_count);
            self.count.write(run_count);
        }
    }

    /// Whether starts are wanted.
    #[inline(always)]
    pub fn has_starts(&self) -> bool {
        !self.starts.is_null()
    }

    /// Whether first keys are wanted.
    #[inline(always)]
    pub fn has_keys(&self) -> bool {
        !self.first_keys.is_null()
    }

    /// Copies the key of item `item` to the outputs, as the first key of run `run`.
    ///
    /// # Safety
    /// First keys are wanted. The key is readable, and there is room for the first key, which no other thread writes.
    #[inline(always)]
    pub unsafe fn copy_key(&self, item: u64, run: u64) {
        let keys: *const u8 = self.keys.words.cast();
        macro_rules! copy {
            ($key:ty) => {{
                let key = keys.cast::<$key>().add(item as usize).read();
                self.first_keys.cast::<$key>().add(run as usize).write(key);
            }};
        }
        // SAFETY: the key is readable, and its place among the first keys is this thread's: this function's conditions.
        unsafe {
            match self.keys.bytes {
                4 => copy!(u32),
                8 => copy!(u64),
                2 => copy!(u16),
                _ => copy!(u8),
            }
        }
    }
}

/// The words that a warp takes, and what it needs to know to write the outputs of the runs whose heads are in these words.
#[derive(Clone, Copy)]
pub struct Own {
    /// The first word.
    pub first: u32,
    /// One past the last word.
    pub end: u32,
    /// The window's first item.
    pub origin: u64,
    /// The number of the run to which the window's first chunk belongs.
    pub rank: u64,
    /// The place where the tail begins. If the window has no tail, a place that is not in the window.
    pub tail: u32,
}

impl Own {
    /// Whether the tail begins in these words.
    #[inline(always)]
    fn has_tail(&self) -> bool {
        let number = self.tail / u32::BITS;
        number >= self.first && number < self.end
    }

    /// The bits `heads` of word `number`, with the tail's bit cleared if the tail begins in this word.
    #[inline(always)]
    pub fn without_tail(&self, number: u32, heads: u32) -> u32 {
        match self.tail / u32::BITS == number {
            true => heads & !(1 << (self.tail % u32::BITS)),
            false => heads,
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

    /// The number of the run to which a work's chunk belongs. `chunk` is the chunk's first place, counted from the work's begin.
    ///
    /// # Safety
    /// The header and the words are written, and the chunk is the last of its run.
    #[inline(always)]
    pub unsafe fn run_of(&self, work: &Work, chunk: u32) -> u64 {
        let room = self.room();
        let place = Places::of(work).begin + chunk;
        // SAFETY: the header and the words are written: this function's conditions.
        unsafe {
            let tail = self.window(0).has_tail as u64;
            (self.rank() + room.heads_before(place) as u64).wrapping_sub(tail)
        }
    }

    /// Writes the outputs of the runs that begin in the window: starts and first keys, if they are wanted, and the results of runs of at
    /// most 16 items. Also stores the value of a short tail. For the last window, also writes the number of runs.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the words are written, and so are the items of `work`. If first keys are wanted, there
    /// is a readable key for each item. The outputs have room for all runs.
    #[inline(always)]
    unsafe fn write_runs(&self, outputs: &Outputs, work: &Work, room: Room<T, O::Accumulator>) {
        let words = self.window_words();
        let warps = self.threads() / WARP_LANES;
        // rust-cuda's compiler does not see that the divisor is not 0, and would call a panic.
        let divisor = Ord::max(warps, 1);
        let rest = words.checked_rem(divisor).unwrap_or(0);
        let each = words.checked_div(divisor).unwrap_or(0) + (rest != 0) as u32;
        // SAFETY: the header, the words and the items are written. No word belongs to two warps, and each head has one lane, so one thread
        // writes the outputs of a run. The outputs have room. The whole warp is here, and all lanes have the same words. Thread 0 alone
        // calls `end`.
        unsafe {
            let window = self.window_number(0);
            let has_tail = work.tail_chunk == 0;
            let first = Ord::min(simt::warp() * each, words);
            let own = Own {
                first,
                end: Ord::min(first + each, words),
                origin: window << self.window_shift,
                rank: self.rank().wrapping_sub(has_tail as u64),
                tail: match has_tail {
                    true => Places::of(work).begin,
                    false => u32::MAX,
                },
            };
            if own.first < own.end {
                self.write_runs_of(outputs, work, room, &own);
            }
            let windows = window_count(self.offsets.item_count, self.window_shift);
            if window == windows - 1 && simt::thread_index() == 0 {
                let chunks = room.heads_before(1 << self.window_shift);
                outputs.end(
                    own.rank.wrapping_add(chunks as u64),
                    self.offsets.item_count,
                );
            }
        }
    }

    /// Writes the outputs of the runs whose heads are in a warp's words, except the results of runs of more than 16 items. Also stores the
    /// value of a short tail.
    ///
    /// # Safety
    /// Convergent: a whole warp. It takes at least one word, and no other warp takes these words. The conditions of [`Self::write_runs`].
    #[inline(always)]
    unsafe fn write_runs_of(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
    ) {
        let words = own.end - own.first;
        // SAFETY: the conditions of the called functions are this function's, and the warp has at most as many words as lanes. All lanes
        // have the same words, and so take the same way.
        unsafe {
            if words <= FEW_WORDS {
                self.write_word_by_word(outputs, work, room, own);
            } else {
                self.write_dealt(outputs, work, room, own);
            }
        }
    }

    /// As [`Self::write_runs_of`]: lane `l` takes the head at bit `l` of each word, one word after the other.
    ///
    /// # Safety
    /// The conditions of [`Self::write_runs_of`].
    #[inline(always)]
    unsafe fn write_word_by_word(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
    ) {
        let lane = simt::lane();
        let mut number = own.first;
        while number < own.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the words are written, and each head has one lane. The other conditions of `write_run` are this function's.
            unsafe {
                if room.word(number).heads >> lane & 1 != 0 {
                    self.write_run(outputs, work, room, own, number * u32::BITS + lane);
                }
            }
            number += step;
        }
    }

    /// As [`Self::write_runs_of`]: the heads are dealt to the lanes one after the other, unless there are [many](FEW_HEADS).
    ///
    /// # Safety
    /// The conditions of [`Self::write_runs_of`]. The warp has at most as many words as lanes.
    #[inline(always)]
    unsafe fn write_dealt(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
    ) {
        let lane = simt::lane();
        let words = own.end - own.first;
        // SAFETY: the words are written, and the warp has at most as many words as lanes. The whole warp shuffles, since all lanes have the
        // same words. Each head has one lane. The other conditions of the called functions are this function's.
        unsafe {
            let mut heads = 0;
            if lane < words {
                heads = room.word(own.first + lane).heads;
            }
            let ranked = Ranked::new(heads);
            let mut dealt = ranked.count();
            let are_many = dealt > FEW_HEADS * words;
            if are_many {
                // Only the tail is dealt. It has rank 0, since it is the window's first chunk.
                dealt = own.has_tail() as u32;
            }
            let mut rank = lane;
            while rank - lane < dealt {
                let step = simt::opaque_one() as u32;
                let (word, bit) = ranked.find(rank);
                if rank < dealt {
                    let place = (own.first + word) * u32::BITS + bit;
                    self.write_run(outputs, work, room, own, place);
                }
                rank += step * WARP_LANES;
            }
            if are_many {
                self.write_many(outputs, work, room, own);
            }
        }
    }

    /// Writes the outputs of the run whose head is at `place` in the window: its start and first key, if they are wanted, and its result if
    /// it has at most 16 items. If the tail begins at `place`, this writes no outputs. In that case, if the tail has at most 16 items, its
    /// value is stored.
    ///
    /// # Safety
    /// A head is at `place`, and no other thread takes this head. The conditions of [`Self::write_runs`].
    #[inline(always)]
    unsafe fn write_run(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
        place: u32,
    ) {
        let (number, bit) = (place / u32::BITS, place % u32::BITS);
        // SAFETY: the words and the items are written, and no other thread takes the head (this function's conditions). A chunk of at most
        // 16 items is in the work.
        unsafe {
            let is_tail = place == own.tail;
            let before = room.heads_before(place) as u64;
            let run = own.rank.wrapping_add(before);
            if !is_tail {
                let item = own.origin + place as u64;
                outputs.start(run, item);
                if outputs.has_keys() {
                    outputs.copy_key(item, run);
                }
            }
            let length = room.word(number).end_of(number, bit) - place;
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
    }

    /// Reduces the runs of the window. At the end, combines the tail with earlier windows' values.
    ///
    /// # Safety
    /// Convergent: the whole block. The header, the words, the items and the number of the window's first run are written. The conditions of
    /// [`Self::write_runs`].
    #[inline(always)]
    pub unsafe fn reduce_at_heads(&self, outputs: &Outputs, room: Room<T, O::Accumulator>) {
        let flags = room.flags_of_runs();
        // SAFETY: the whole block is here, and the header and the words are written: this function's conditions. The branches around
        // barriers depend on values in shared memory, so they go the same way on all threads. Each step comes after the steps that it
        // needs, with a barrier between. Warp 0 alone writes the nodes' values, and the tail's value if the tail is a single node.
        unsafe {
            let work = self.work(0);
            let found = self.for_each_leaf_of_runs::<Fold>(&work, room);
            Self::note(flags, found);
            self.write_runs(outputs, &work, room);
            // Orders the writes of leaves' values, of flags and of a short tail's value before all threads' reads.
            simt::barrier();
            // The work is read again after each barrier, so that it does not fill registers.
            let (flags, work) = (simt::read_shared(flags), self.work(0));
            if flags & HAS_NODES != 0 {
                // If the tail is among these nodes, thread 0 takes it, which later settles it.
                self.for_each_single_node::<Fold>(&work, room);
            }
            if simt::warp() == 0 {
                let mut node = None;
                if flags & HAS_ROOTS != 0 {
                    node = self.stored_node(&work, room);
                    if let Some(node) = &node {
                        self.fold_stored(room, node);
                    }
                }
                // Orders the writes of the nodes' values and of the tail's value before the reads by the lanes that combine them.
                simt::warp_barrier();
                self.settle_shared(&work, room);
                if let Some(node) = &node {
                    self.finish_whole_run(&work, room, node);
                }
            }
        }
    }

    /// If `node` is the first node of a chunk that is a whole run, folds the chunk's nodes, and writes the run's result.
    ///
    /// # Safety
    /// The header, the words and the stored nodes' values are written. The node is one of these, and no other thread takes it.
    #[inline(always)]
    unsafe fn finish_whole_run(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Node) {
        let chunk = node.chunk;
        if node.number != 0 || chunk.number == work.tail_chunk || chunk.number == work.cut_chunk {
            return;
        }
        // SAFETY: the header, the words and the nodes' values are written, and no other thread takes the chunk's first node: this
        // function's conditions.
        unsafe {
            let value = self.fold_some(room.node(chunk.start, 0), chunk.node_count());
            self.finish(work, chunk.number, value);
        }
    }
}
