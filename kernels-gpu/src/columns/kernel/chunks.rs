//! Columns of several chunks: how blocks publish their units' values, and combine published values.

use crate::board::Board;
use crate::element::{choose, Element};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{Task, FAN};
use crate::simt;
use crate::sixteens;

use super::{Launch, Unit};

/// How many bits a number from 0 to [`FAN`] − 1 has.
const FAN_BITS: u32 = FAN.trailing_zeros();

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Combines the units' values with the values of earlier chunks. Several warps may share 32 units: the first of these warps has the
    /// units' values. If a unit's chunk is the last of 16, the unit combines the values of these chunks. If the chunk is also the last of
    /// 256, the unit then combines 16 such results, and so on. Then the unit publishes its value. A column's last unit is an exception. In
    /// a reduction, it combines the last group of values of each level (see the parent module), even if this group is incomplete. Then it
    /// writes the column's result. In a scan, it does nothing here.
    ///
    /// # Safety
    /// Convergent: the whole block. `unit` is the calling thread's unit, and `board` is the launch's board.
    #[inline(always)]
    pub unsafe fn settle(&self, unit: &Unit, board: Board, mut value: O::Accumulator) {
        // In a scan, the last chunk of a column needs no value: no unit waits for it, and there is no result for a whole column.
        let mut goes_on = unit.exists && (self.task == Task::Reduce || !unit.is_last);
        // `place` is the index of the unit's value among the column's values of the current level.
        let (mut place, mut bits) = (unit.chunk, 0);
        loop {
            let step = simt::opaque_one() as u32;
            let before = place % FAN;
            let has_more = match unit.is_last {
                true => place > 0,
                false => before == FAN - 1,
            };
            // SAFETY: the whole block is here (this function's condition). All threads leave the loop at the same ballot: if columns have
            // several chunks, all warps have the same units; otherwise `goes_on` is false for all units at the first ballot. Only the
            // thread with leaf 0 of a unit finishes the unit, and only once, since `goes_on` is false afterwards. The barriers separate
            // warp 0's reads of published values from the writes by all warps.
            unsafe {
                if unit.leaf == 0 && goes_on && !has_more {
                    self.finish(unit, board, value);
                }
                goes_on &= has_more;
                // The ballot also makes all lanes of the warp publish before any of them waits.
                if simt::ballot(goes_on) == 0 {
                    return;
                }
                // Orders warp 0's reads of the level below before the writes that replace the values of that level. Also orders the block's
                // publications before its reads of the board.
                simt::barrier();
                self.bring(unit, board, bits, if goes_on { before } else { 0 });
                // Orders all warps' writes of published values before warp 0's reads.
                simt::barrier();
                if simt::warp() == 0 && goes_on && before > 0 {
                    value = self.fold_published(before, value);
                }
            }
            bits += FAN_BITS * step;
            // `place` is shifted in each iteration, because `unit.chunk >> bits` would overflow once `bits` is 32.
            place >>= FAN_BITS;
        }
    }

    /// The fold of `before` published values, followed by the value `after`. All these values belong to the calling lane's unit.
    ///
    /// # Safety
    /// The published values are written, and `before` is at least 1.
    #[inline(always)]
    unsafe fn fold_published(&self, before: u32, after: O::Accumulator) -> O::Accumulator {
        // SAFETY: `before` values are written, at least one: this function's conditions. The pairwise fold calls the closure for places 0
        // to `before`. The last of these places stands for `after`. For this place, the closure reads place `before - 1` again, so only
        // written values are read.
        unsafe {
            if O::PAIRS_SIXTEENS {
                let value = |place: u32| {
                    // This read is unconditional, since a branch around it would put `after` into local memory.
                    let published = simt::read_shared(self.published(Ord::min(place, before - 1)));
                    choose(place == before, after, published)
                };
                return sixteens::pairwise::<O, T>(before + 1, value);
            }
            O::combine(self.fold_sixteen(self.published(0), before), after)
        }
    }

    /// Stores a unit's value. The value of a whole column is the column's result. Any other value is published on the board, where later
    /// units wait for it.
    ///
    /// # Safety
    /// The unit exists, and no other thread finishes it. The last unit of a column is finished only in a reduction.
    #[inline(always)]
    unsafe fn finish(&self, unit: &Unit, board: Board, value: O::Accumulator) {
        // SAFETY: the unit exists, and nobody else finishes it: this function's conditions. So its column has a result (the launch's
        // condition 4). A unit that is not its column's last exists only if columns have several chunks. Then the board has a slot for each
        // unit (condition 5).
        unsafe {
            if unit.is_last {
                write_result!(O, T, self.output, unit.column as usize, value);
            } else {
                board.publish(self.slot(unit), value);
            }
        }
    }

    /// The prefix of the calling lane's unit, valid on warp 0.
    ///
    /// # Safety
    /// Convergent: the whole block, with the threads' units and the launch's board. Columns have several chunks, and the block has
    /// published all of its values.
    #[inline(always)]
    pub unsafe fn find_before(&self, unit: &Unit, board: Board) -> O::Accumulator {
        let mut bits = 0;
        // SAFETY: the whole block is here (this function's condition), and all lanes of a warp leave the loop together.
        while unsafe { simt::ballot(unit.chunk >> bits >= FAN) } != 0 {
            bits += FAN_BITS * simt::opaque_one() as u32;
        }
        let mut value = O::identity();
        loop {
            let step = simt::opaque_one() as u32;
            let before = (unit.chunk >> bits) % FAN;
            // SAFETY: the whole block is here (this function's condition). All warps have the same units, so the branch goes the same way
            // on all threads. The barriers separate warp 0's reads of published values from the writes by all warps.
            unsafe {
                if simt::ballot(before > 0) != 0 {
                    // Orders warp 0's reads of the level above before the writes that replace the values of that level.
                    simt::barrier();
                    self.bring(unit, board, bits, before);
                    // Orders all warps' writes of published values before warp 0's reads.
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

    /// Waits for published values, and writes them to shared memory. Each of these values combines 2^`bits` chunks. The values of a level
    /// form groups of sixteen. Each lane's unit needs the `before` values that precede the unit's own value in its group. In warp `w`, each
    /// lane waits for the value with index `w` in the group of the lane's unit, if the unit needs this value.
    ///
    /// # Safety
    /// 1. Convergent: the whole block, with the threads' units and the launch's board.
    /// 2. No thread reads the values of the previous level any more.
    /// 3. If `before` is not 0: columns have several chunks, and `before` is the index of the unit's value in its group of sixteen values
    ///    of this level.
    #[inline(always)]
    unsafe fn bring(&self, unit: &Unit, board: Board, bits: u32, before: u32) {
        let place = simt::warp();
        let is_wanted = place < before;
        // SAFETY: the whole warp is here: condition 1.
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
            // SAFETY: `before` is not 0 on at least one lane, so columns have several chunks (condition 3). So the board has a slot for
            // each unit (the launch's condition 5). Lanes that want no value read slot 0. All lanes leave the loop together. `place <
            // before < FAN`, so `place` is an index of `published`. No other warp writes the values at this index, and no thread reads them
            // (condition 2).
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
