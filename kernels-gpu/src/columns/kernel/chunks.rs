//! Columns that several blocks share: the values that the blocks publish for each other.

use crate::board::Board;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{Task, FAN};
use crate::simt;
use crate::sixteens;

use super::{Launch, Unit};

/// Bits of a number below [`FAN`].
const FAN_BITS: u32 = FAN.trailing_zeros();

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Combines the units' values, which their first warps have, with the values that were published before. A unit combines on each level
    /// of the tree on which it has the last chunk: of sixteen, of 256, …, or of its column. Then it publishes its value, or writes the
    /// column's result.
    ///
    /// # Safety
    /// Convergent: the whole block.
    #[inline(always)]
    pub unsafe fn settle(&self, unit: &Unit, board: Board, mut value: O::Accumulator) {
        // No unit waits for the last chunk of a column, and in a scan it has no result.
        let mut goes_on = unit.exists && (self.task == Task::Reduce || !unit.is_last);
        // Which of the level's values the unit's is.
        let (mut place, mut bits) = (unit.chunk, 0);
        loop {
            let step = simt::opaque_one() as u32;
            let before = place % FAN;
            let has_more = match unit.is_last {
                true => place > 0,
                false => before == FAN - 1,
            };
            // SAFETY: the caller's. The conditions have the same values on all threads: if columns have several chunks, all warps have the
            // same units; otherwise no unit has any to combine.
            unsafe {
                if unit.leaf == 0 && goes_on && !has_more {
                    self.finish(unit, board, value);
                }
                goes_on &= has_more;
                // It also makes all lanes publish before any lane waits.
                if simt::ballot(goes_on) == 0 {
                    return;
                }
                // Orders warp 0's reads on the level below before the writes that replace the values. It also orders the block's own
                // publishing before its look-back.
                simt::barrier();
                self.bring(unit, board, bits, if goes_on { before } else { 0 });
                // Orders the writes of the values read from other blocks before warp 0's reads.
                simt::barrier();
                if simt::warp() == 0 && goes_on && before > 0 {
                    value = self.fold_published(before, value);
                }
            }
            bits += FAN_BITS * step;
            // Not the chunk by all bits, which may be 32.
            place >>= FAN_BITS;
        }
    }

    /// The `before` values that other blocks have published for the calling lane's unit, at least one, combined with the value after them.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn fold_published(&self, before: u32, after: O::Accumulator) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            if O::IS_PAIRWISE {
                let value = |place: u32| {
                    if place == before {
                        return after;
                    }
                    simt::read_shared(self.published(place))
                };
                return sixteens::pairwise::<O, T>(before + 1, value);
            }
            O::combine(self.fold_sixteen(self.published(0), before), after)
        }
    }

    /// Stores a unit's value: a whole column's as its result, any other on the board, where other blocks wait for it.
    ///
    /// # Safety
    /// No other block finishes the unit.
    #[inline(always)]
    unsafe fn finish(&self, unit: &Unit, board: Board, value: O::Accumulator) {
        // SAFETY: the caller's; there is a result for each column, and a slot for each unit.
        unsafe {
            if unit.is_last {
                write_result!(O, T, self.output, unit.column as usize, value);
            } else {
                board.publish(self.slot(unit), value);
            }
        }
    }

    /// The units' prefixes, valid on warp 0.
    ///
    /// # Safety
    /// Convergent: the whole block. Warp 0 has published all values of the block.
    #[inline(always)]
    pub unsafe fn find_before(&self, unit: &Unit, board: Board) -> O::Accumulator {
        let mut bits = 0;
        // SAFETY: the whole block is here.
        while unsafe { simt::ballot(unit.chunk >> bits >= FAN) } != 0 {
            bits += FAN_BITS * simt::opaque_one() as u32;
        }
        let mut value = O::identity();
        loop {
            let step = simt::opaque_one() as u32;
            let before = (unit.chunk >> bits) % FAN;
            // SAFETY: the caller's. All warps have the same units, so the conditions have the same values on all threads.
            unsafe {
                if simt::ballot(before > 0) != 0 {
                    // As on the way up.
                    simt::barrier();
                    self.bring(unit, board, bits, before);
                    // Orders the writes of the values read from other blocks before warp 0's reads.
                    simt::barrier();
                    if simt::in_loop(simt::warp()) == 0 {
                        value = self.fold_before(self.published(0), before, value);
                    }
                }
            }
            if bits == 0 {
                return value;
            }
            bits -= FAN_BITS * step;
        }
    }

    /// Waits for the values that stand before a lane's unit, on the level of these bits of its chunk: warp `w` for the one of number
    /// `w`, of `before`.
    ///
    /// # Safety
    /// Convergent: the whole block. No thread reads the earlier values any more.
    #[inline(always)]
    unsafe fn bring(&self, unit: &Unit, board: Board, bits: u32, before: u32) {
        let place = simt::warp();
        let is_wanted = place < before;
        // SAFETY: the whole warp is here.
        if unsafe { simt::ballot(is_wanted) } == 0 {
            return;
        }
        let mut slot = 0;
        if is_wanted {
            let number = (unit.chunk >> bits) - (before - place - 1);
            let chunks_between = unit.chunk - ((number << bits) - 1);
            slot = self.slot(unit) - chunks_between * self.column_count as u32;
        }
        loop {
            // SAFETY: the caller's; the board has a slot for each unit, and lanes that want none read slot 0.
            unsafe {
                let (value, is_published) = board.read::<O::Accumulator>(slot);
                if simt::ballot(is_wanted && !is_published) == 0 {
                    self.published(place).write(value);
                    return;
                }
            }
        }
    }
}
