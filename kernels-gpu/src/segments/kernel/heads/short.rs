//! Short chunks, of at most one leaf: a lane takes a whole chunk.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::op::Op;
use crate::segments::{Work, FAN};
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::leaves::Leaf;
use super::super::Launch;
use super::runs::{Places, Run};

/// If more than this many short chunks begin in a word, a warp scans the word's short chunks in one step, without chunks of other words.
/// Otherwise it scans them together with the short chunks of other words.
///
/// Scans by key of 2^28 `f32` took 1,357 µs with this number on an H200 (2026-11-26). They took 1,731 µs when a warp took the short chunks
/// of each word separately. The lengths of the runs followed the benchmark's power law. At that time, ragged works (see `IS_RAGGED`) were
/// not yet scanned by sixteens of places.
const FEW: u32 = 8;

/// The chunks that begin in a warp's words, numbered in their order from 0. Each lane has one word, and lane 0 has the first word.
#[derive(Clone, Copy)]
pub struct Ranked {
    /// The bits of the lane's chunks.
    heads: u32,
    /// How many chunks this lane and the lanes before it have.
    upto: u32,
}

impl Ranked {
    /// Numbers a warp's chunks. `heads` has the bits of the calling lane's chunks.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    pub unsafe fn new(heads: u32) -> Self {
        let mut upto = heads.count_ones();
        for_each_vector!(S in 1 2 4 8 16 => {
            // SAFETY: the whole warp is here: this function's condition.
            let below = unsafe { simt::shuffle_up(upto, S as u32) };
            if simt::lane() >= S as u32 {
                upto += below;
            }
        });
        Ranked { heads, upto }
    }

    /// How many chunks there are.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    pub unsafe fn count(&self) -> u32 {
        // SAFETY: the whole warp is here: this function's condition.
        unsafe { simt::shuffle_from(self.upto, WARP_LANES - 1) }
    }

    /// The lane that has chunk `number`, and the chunk's bit. If there is no such chunk, any lane and any bit.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    pub unsafe fn find(&self, number: u32) -> (u32, u32) {
        let mut lane = 0;
        // SAFETY: the whole warp is here (this function's condition), and `lane` is less than 32.
        unsafe {
            for_each_vector!(S in 16 8 4 2 1 => {
                if simt::shuffle_from(self.upto, lane + S as u32 - 1) <= number {
                    lane += S as u32;
                }
            });
            let heads = simt::shuffle_from(self.heads, lane);
            let upto = simt::shuffle_from(self.upto, lane);
            let rank = number.wrapping_sub(upto - heads.count_ones());
            let mut bit = 0;
            for_each_vector!(S in 16 8 4 2 1 => {
                let upto = bit + S as u32;
                if (heads & ((1 << upto) - 1)).count_ones() <= rank {
                    bit = upto;
                }
            });
            (lane, bit)
        }
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Scans the short chunks of a work. If more than [`FEW`] of them begin in a word, lane `l` takes the chunk that begins at bit `l` of
    /// this word. The short chunks of other words are dealt to the lanes one after the other. The tail is left out, since its prefix is not
    /// known yet.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the words are written, `work` is one of the block's works, and its items are written.
    #[inline(always)]
    pub unsafe fn scan_short_runs(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let places = Places::of(work);
        let warps = self.threads() / WARP_LANES;
        let upto = Ord::min(places.end.div_ceil(u32::BITS), self.window_words());
        let lane = simt::lane();
        // A lane looks at a word. Neighbouring words belong to different warps.
        let mut first = places.begin / u32::BITS + simt::warp();
        while first < upto {
            let step = simt::opaque_one() as u32;
            let number = first + lane * warps;
            // SAFETY: the words are written, and there are at least `upto` of them. The whole warp votes and shuffles, since all lanes have
            // the same `first`. The items of the work are written. Each chunk has one head, and so one lane.
            unsafe {
                let mut heads = 0;
                if number < upto {
                    heads = room.word(number).short_heads(number);
                }
                let are_many = heads.count_ones() > FEW;
                let mut left = simt::ballot(are_many);
                while left != 0 {
                    let step = simt::opaque_one() as u32;
                    let number = first + left.trailing_zeros() * warps;
                    self.scan_short_run(work, room, &places, number, lane);
                    left &= left - step;
                }
                if are_many {
                    heads = 0;
                }
                if simt::ballot(heads != 0) != 0 {
                    let ranked = Ranked::new(heads);
                    let count = ranked.count();
                    let mut rank = lane;
                    while rank - lane < count {
                        let step = simt::opaque_one() as u32;
                        let (owner, bit) = ranked.find(rank);
                        if rank < count {
                            let number = first + owner * warps;
                            self.scan_short_run(work, room, &places, number, bit);
                        }
                        rank += step * WARP_LANES;
                    }
                }
            }
            first += step * WARP_LANES * warps;
        }
    }

    /// Scans the chunk that begins at bit `bit` of word `number`, if it is a short chunk of the work and not the tail.
    ///
    /// # Safety
    /// The words and the work's items are written, and the word exists. No other thread takes the chunk.
    #[inline(always)]
    unsafe fn scan_short_run(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        places: &Places,
        number: u32,
        bit: u32,
    ) {
        let begin = match work.tail_chunk {
            0 => places.begin + 1,
            _ => places.begin,
        };
        // SAFETY: the words and the items are written, and no other thread takes the chunk: this function's conditions.
        unsafe {
            let word = room.word(number);
            let run = Run {
                start: number * u32::BITS + bit,
                end: word.end_of(number, bit),
            };
            let is_head = word.heads >> bit & 1 != 0;
            let is_own = run.start >= begin && run.start < places.end;
            if is_head && is_own && run.length() <= FAN {
                let leaf = Leaf::of_short(places.chunk(work, run), 0);
                self.place_each(work, room, &leaf, O::identity());
            }
        }
    }

    /// Scans the tail, if it is a short chunk.
    ///
    /// # Safety
    /// One thread. The header and the words are written, the work has a tail, and its items and the tail's prefix are written.
    #[inline(always)]
    pub unsafe fn scan_short_tail(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let places = Places::of(work);
        let start = places.begin;
        let (number, bit) = (start / u32::BITS, start % u32::BITS);
        // SAFETY: the words, the items and the prefix are written, and no other thread takes the tail: this function's conditions.
        unsafe {
            let end = room.word(number).end_of(number, bit);
            let run = Run { start, end };
            if run.length() <= FAN {
                let leaf = Leaf::of_short(places.chunk(work, run), work.index);
                let before = self.before_chunk(work, 0);
                self.place_each(work, room, &leaf, before);
            }
        }
    }
}
