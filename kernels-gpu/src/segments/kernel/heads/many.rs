//! The outputs of many runs: lane `l` takes the heads at bit `l` of each word. So neighbouring lanes write neighbouring outputs, and read
//! neighbouring keys.

use crate::contract::WARP_LANES;
use crate::element::{item_of, Element};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{Work, FAN};
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::Launch;
use super::ranks::{Outputs, Own};
use super::words::Word;

/// How many words a warp takes at once, so that several loads of keys are in flight.
const WORDS_AT_ONCE: usize = 4;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Writes the outputs of the runs whose heads are in a warp's words. Leaves out the tail, and the results of runs of more than 16
    /// items.
    ///
    /// # Safety
    /// A whole warp, with its own words. The conditions of `write_runs`.
    #[inline(always)]
    pub unsafe fn write_many(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
    ) {
        let copies_words = outputs.has_keys() && outputs.keys.have_words();
        let is_more_wanted = outputs.has_starts() || outputs.has_keys() && !copies_words;
        let mut word = own.first;
        // SAFETY: the words are written, and the warp takes no other warp's words: this function's conditions. `are_single` holds only if
        // each item of the words is a head, none of these heads is the tail's, and a head follows the words or the input ends there.
        unsafe {
            while word < own.end {
                let step = simt::opaque_one() as u32;
                let mut words = [Word::NONE; WORDS_AT_ONCE];
                let mut all = u32::MAX;
                for_each_vector!(V in 0 1 2 3 => {
                    let number = word + V as u32;
                    words[V] = room.word(number);
                    words[V].heads = match number < own.end {
                        true => own.without_tail(number, words[V].heads),
                        false => 0,
                    };
                    all &= words[V].heads;
                });
                let after = (word + WORDS_AT_ONCE as u32) * u32::BITS;
                let are_single = all == u32::MAX && words[WORDS_AT_ONCE - 1].after == after;
                if are_single && !O::PAIRS_SIXTEENS {
                    self.write_singles(outputs, work, room, own, word);
                } else {
                    self.write_words(outputs, work, room, own, word, words);
                }
                word += step * WORDS_AT_ONCE as u32;
            }
            if is_more_wanted {
                self.write_more(outputs, room, own);
            }
        }
    }

    /// Writes the results of the runs that begin in the [`WORDS_AT_ONCE`] words from word `first` on. Each item of these words is a run of
    /// one item. If first keys are wanted and have 4 or 8 bytes, writes the first keys of these runs too.
    ///
    /// # Safety
    /// A whole warp. Each item of these words is a head, and none of these heads is the tail's. The item after these words is a head too,
    /// if it exists. The conditions of [`Self::write_many`].
    #[inline(always)]
    unsafe fn write_singles(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
        first: u32,
    ) {
        let lane = simt::lane();
        let keys = outputs.keys;
        let place = first * u32::BITS;
        // SAFETY: the words and the items are written. Each output belongs to one lane, and has room. If first keys are wanted, a head has
        // a readable key. The keys of these heads lie one after the other, and so do the first keys of their runs.
        unsafe {
            let before = simt::read_shared(room.heads_count(first));
            let run = own.rank.wrapping_add(before as u64);
            let from = (own.origin + place as u64) << keys.shift();
            let to: *mut u32 = outputs.first_keys.cast();
            let to = to.wrapping_add(((run << keys.shift()) + lane as u64) as usize);
            let parts = match outputs.has_keys() && keys.have_words() {
                true => 1 << keys.shift(),
                false => 0,
            };
            let mut copied = [0; WORDS_AT_ONCE];
            if parts > 0 {
                for_each_vector!(V in 0 1 2 3 => {
                    copied[V] = keys.word(from + (V as u32 * WARP_LANES + lane) as u64);
                });
            }
            let begin = place.wrapping_add(work.starts) + lane;
            let run = (run + lane as u64) as usize;
            for_each_vector!(V in 0 1 2 3 => {
                let number = V as u32 * WARP_LANES;
                let item = O::lift_at(item_of(&room.item(begin + number), 0), 0);
                let value = O::combine(O::identity(), item);
                write_result!(O, T, self.output, run + number as usize, value);
            });
            if parts > 0 {
                for_each_vector!(V in 0 1 2 3 => {
                    to.add(V * WARP_LANES as usize).write(copied[V]);
                });
            }
            if parts > 1 {
                let further = WORDS_AT_ONCE as u32 * WARP_LANES;
                for_each_vector!(V in 0 1 2 3 => {
                    let word = further + V as u32 * WARP_LANES;
                    copied[V] = keys.word(from + (word + lane) as u64);
                });
                for_each_vector!(V in 0 1 2 3 => {
                    let word = further + V as u32 * WARP_LANES;
                    to.add(word as usize).write(copied[V]);
                });
            }
        }
    }

    /// Writes outputs of the runs whose heads are in `words`. These are the [`WORDS_AT_ONCE`] words from word `first` on. Writes the result
    /// of each run of at most 16 items. If first keys are wanted and have 4 or 8 bytes, writes the first keys of all these runs too.
    ///
    /// # Safety
    /// A whole warp. `words` has no bit for the tail's head, and no bit in a word past the warp's last word. The conditions of
    /// [`Self::write_many`].
    #[inline(always)]
    unsafe fn write_words(
        &self,
        outputs: &Outputs,
        work: &Work,
        room: Room<T, O::Accumulator>,
        own: &Own,
        first: u32,
        words: [Word; WORDS_AT_ONCE],
    ) {
        let lane = simt::lane();
        let keys = outputs.keys;
        let copies_words = outputs.has_keys() && keys.have_words();
        let bytes = keys.bytes as u64;
        let from: *const u8 = keys.words.cast();
        let from = from.wrapping_add((own.origin * bytes) as usize);
        let to = outputs
            .first_keys
            .wrapping_add(own.rank.wrapping_mul(bytes) as usize);
        let mut runs = [0; WORDS_AT_ONCE];
        // How many items the chunk at the lane's head has; 0 if the lane has no head.
        let mut lengths = [0; WORDS_AT_ONCE];
        let mut lows = [0; WORDS_AT_ONCE];
        let mut highs = [0; WORDS_AT_ONCE];
        // SAFETY: the words and the items are written. Each head has one lane, which alone writes the outputs of the head's run. The
        // outputs have room. The work has all items of each chunk of at most 16 items. If first keys are wanted, a head has a readable key.
        unsafe {
            for_each_vector!(V in 0 1 2 3 => {
                let number = first + V as u32;
                let place = number * u32::BITS + lane;
                runs[V] = room.heads_before(place);
                if words[V].heads >> lane & 1 != 0 {
                    lengths[V] = words[V].end_of(number, lane) - place;
                    if copies_words {
                        let key: *const u32 =
                            from.wrapping_add((place as u64 * bytes) as usize).cast();
                        lows[V] = key.read();
                        if keys.are_wide() {
                            highs[V] = key.wrapping_add(1).read();
                        }
                    }
                }
            });
            for_each_vector!(V in 0 1 2 3 => {
                if lengths[V] != 0 {
                    if copies_words {
                        let key: *mut u32 =
                            to.wrapping_add((runs[V] as u64 * bytes) as usize).cast();
                        key.write(lows[V]);
                        if keys.are_wide() {
                            key.add(1).write(highs[V]);
                        }
                    }
                    if lengths[V] <= FAN {
                        let place = (first + V as u32) * u32::BITS + lane;
                        let begin = place.wrapping_add(work.starts);
                        let value = self.fold_each(room, begin, begin + lengths[V], 0);
                        let run = own.rank.wrapping_add(runs[V] as u64);
                        write_result!(O, T, self.output, run as usize, value);
                    }
                }
            });
        }
    }

    /// Writes the starts of the runs, if starts are wanted. Writes the first keys, if these are wanted and have 1 or 2 bytes.
    ///
    /// # Safety
    /// The conditions of [`Self::write_many`].
    #[inline(always)]
    unsafe fn write_more(&self, outputs: &Outputs, room: Room<T, O::Accumulator>, own: &Own) {
        let lane = simt::lane();
        let copies_keys = outputs.has_keys() && !outputs.keys.have_words();
        let mut word = own.first;
        while word < own.end {
            let step = simt::opaque_one() as u32;
            let place = word * u32::BITS + lane;
            // SAFETY: the words are written. If first keys are wanted, a head has a readable key. The outputs of the head's run have room,
            // and this lane alone writes them.
            unsafe {
                let heads = own.without_tail(word, room.word(word).heads);
                if heads >> lane & 1 != 0 {
                    let before = room.heads_before(place) as u64;
                    let run = own.rank.wrapping_add(before);
                    let item = own.origin + place as u64;
                    outputs.start(run, item);
                    if copies_keys {
                        outputs.copy_key(item, run);
                    }
                }
            }
            word += step;
        }
    }
}
