//! Reductions of rows by left folds: warps copy whole chunks through rings in shared memory.
//!
//! A left fold takes a leaf's items one after the other, so one lane folds a leaf. If the lanes loaded their leaves from global memory,
//! neighbouring lanes would read 64 or 128 bytes apart. So each warp copies its items to shared memory, in **steps** of [`STEP_LEAVES`]
//! leaves, one leaf for each lane. Each warp has its own ring of [`SLOTS`] slots, and a slot holds a step. While the warp folds a step, the
//! copies of the next step are in flight. The warps of a block wait for each other only at the end, and only if rows have several chunks.
//!
//! ```text
//! warp:  begin to copy the first steps of its units, a group of copies for each slot
//!        for each step of its units:
//!            wait until the oldest group of copies is done
//!            fold the leaves, one on each lane, and put their values into shared memory
//!            begin to copy the step that comes SLOTS steps later into the same slot
//!            after the last step of a unit, fold nodes of 16 leaves, then the root of up to 16 nodes
//! ```
//!
//! The input's first item may lie anywhere in a row of 128 bytes. All steps of a chunk begin at the same place in a row. If this place is
//! not the row's first, a step takes one vector more than its items would fill, and its slot has one row more. Two neighbouring lanes then
//! read the vector in which one leaf ends and the next begins.
//!
//! A unit is a chunk or, if rows have fewer leaves than a step, one step with several rows. If rows have several chunks, a block has whole
//! rows. Its warps take the chunks of these rows in turn, and put each chunk's value into shared memory. After a barrier, one lane for each
//! row combines the values of the row's chunks.
//!
//! A warp begins to copy a later step only after its lanes have folded their leaves. It was slower to begin these copies as soon as the
//! lanes had read the vectors of their leaves, before they folded them. On an H200 (2026-11-26), sums of 2^28 `f32` in rows of 1,024 then
//! took 262 µs, instead of 240 µs.

mod steps;

use crate::contract::WARP_LANES;
use crate::element::{for_each_item, item_of, vector_of};
use crate::element::{Element, Words};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::*;
use crate::segments::{vector_items, FAN, NARROW_CHUNK_ITEMS, ROW_BYTES, VECTOR_BYTES};
use crate::simt;
use crate::thread::for_each_vector;

use super::whole::Cut;
use super::Launch;

/// The room in shared memory for the values of a warp's leaves and nodes. A gap of one value follows each sixteen values. So lanes that
/// read leaves of different nodes read from different banks.
#[derive(Clone, Copy)]
pub struct Values<A>(*mut A);

impl<A: Copy> Values<A> {
    /// The address of value `number`.
    #[inline(always)]
    pub fn address(self, number: u32) -> *mut A {
        self.0.wrapping_add(value_place(number) as usize)
    }

    /// The address of the gap after the values of node `node`.
    #[inline(always)]
    pub fn gap(self, node: u32) -> *mut A {
        self.0
            .wrapping_add((value_place((node + 1) * FAN) - 1) as usize)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// How many warps of the block have a ring: a power of two.
    #[inline(always)]
    fn ring_warps(&self, cut: &Cut) -> u32 {
        let most = match cut.row_chunks > 1 {
            true => const { row_warps::<T, O::Accumulator>() },
            false => RING_WARPS,
        };
        Ord::min(self.threads() / WARP_LANES, most)
    }

    /// The address of the value of the block's chunk `number`. These values take the header's room: if whole chunks of rows go through
    /// rings, no header is written.
    #[inline(always)]
    fn chunk_value(&self, number: u32) -> *mut O::Accumulator {
        let values: *mut O::Accumulator = self.header.cast();
        values.wrapping_add(number as usize)
    }

    /// Reduces the block's units, from `begin` to `end`, exclusive. The warps that have a ring take these units in turn. If rows have one
    /// chunk, writes their results. If rows have several chunks, puts the chunks' values into shared memory.
    ///
    /// # Safety
    /// Convergent: the whole block, which has used no shared memory. The operator [has rings](has_rings). The launch has whole chunks, and
    /// `cut` says how its rows are cut. The launch has the units from `begin` to `end`, and no other block reduces these units.
    #[inline(always)]
    pub unsafe fn reduce_in_rings(&self, cut: &Cut, begin: u32, end: u32) {
        let warps = self.ring_warps(cut);
        let warp = simt::warp();
        if warp >= warps || begin + warp >= end {
            return;
        }
        let first = begin + warp;
        let shift = step_shift::<T>(cut);
        let unit_steps = 1 << shift;
        // How many steps the warp's units have together. `number(step)` is the number that step `step` of the warp has in the launch.
        let steps = (end - first).div_ceil(warps) << shift;
        let number =
            |step: u32| ((first + (step >> shift) * warps) << shift) + (step & (unit_steps - 1));
        let all = self.offsets.segment_count * self.offsets.row_items;
        let before = self.place_of(0);
        let slot_bytes = const { slot_bytes::<T>() as u32 };
        let (ring, values) = self.ring_of(warp);
        // Begins to copy a step of the warp's units to a slot.
        let bring = |step: u32, slot: u32| {
            let first = (number(step) as u64) << STEP_SHIFT;
            // SAFETY: the whole warp is here. The launch has the step, so the step's first item exists. All items before item `all` exist:
            // they are the items of the launch's rows. The slot belongs to the warp. It is free, since `bring` is called either before the
            // first step is folded, or after all lanes have read the slot.
            unsafe { self.bring_step(ring, slot, first, STEP_ITEMS, before, all) };
        };
        // SAFETY: the whole warp is here, and all lanes have the same units and steps (this function's condition), so the branches go the
        // same way on all lanes. The units are the block's, and each has one warp. The ring and the values are in the block's shared memory
        // (`has_rings`, and the launch's conditions 1 and 8), and belong to the warp. A slot's copies are done before the slot's step is
        // folded: `await_copies_before_last` waits for all copies, except those to the other slot. The second barrier orders all lanes'
        // reads of a slot before the next copies to this slot.
        unsafe {
            let mut step = 0;
            while step < SLOTS {
                let one = simt::opaque_one() as u32;
                if step < steps {
                    bring(step, step * slot_bytes);
                }
                simt::end_copies();
                step += one;
            }
            let mut step = 0;
            while step < steps {
                let one = simt::opaque_one() as u32;
                let slot = step % SLOTS * slot_bytes;
                simt::await_copies_before_last();
                // Orders the other lanes' copies before the reads below. It also orders the reads of an earlier unit's values before the
                // writes below.
                simt::warp_barrier();
                let leaf = (step & (unit_steps - 1)) * STEP_LEAVES + simt::lane();
                let index = self.index_of_leaf(cut, number(step) >> shift, leaf);
                let value = self.fold_slot(ring, slot, before, index);
                values.address(leaf).write(value);
                // Orders the reads of the slot before the copies below, and the writes of the leaves' values before the reads by
                // `finish_unit`.
                simt::warp_barrier();
                if step + SLOTS < steps {
                    bring(step + SLOTS, slot);
                }
                simt::end_copies();
                if (step + 1) & (unit_steps - 1) == 0 {
                    self.finish_unit(cut, values, number(step) >> shift, begin);
                }
                step += one;
            }
        }
    }

    /// The index that a leaf's first item has in its row. The leaf has number `leaf` in unit `unit`.
    #[inline(always)]
    fn index_of_leaf(&self, cut: &Cut, unit: u32, leaf: u32) -> u64 {
        // If a unit has several rows, the indices of each row begin with 0.
        let own = leaf & ((1 << leaf_levels::<T>(cut)) - 1);
        let index = (own * FAN) as u64;
        if cut.row_chunks == 1 {
            return index;
        }
        // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
        let chunk = unit.checked_rem(cut.row_chunks).unwrap_or(0);
        chunk as u64 * NARROW_CHUNK_ITEMS + index
    }

    /// A warp's ring, and the room for its values.
    #[inline(always)]
    pub fn ring_of(&self, warp: u32) -> (*mut u8, Values<O::Accumulator>) {
        let memory: *mut u8 = self.header.cast();
        let [ring, values] = ring_and_values::<T, O::Accumulator>(warp);
        let values = memory.wrapping_add(values as usize);
        (memory.wrapping_add(ring as usize), Values(values.cast()))
    }

    /// The fold of the lane's leaf in the slot that begins `slot` bytes after `ring`. The step's first item has place `before` in its row.
    /// `index` is the index of the leaf's first item.
    ///
    /// # Safety
    /// The copies of a whole step to the slot are done.
    #[inline(always)]
    pub unsafe fn fold_slot(
        &self,
        ring: *const u8,
        slot: u32,
        before: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let many = const { vector_items::<T>() > 2 };
        let lead = before / items;
        // SAFETY: the conditions are this function's.
        unsafe {
            if before == 0 {
                return self.fold_slot_at::<0, false>(ring, slot, 0, index);
            }
            match before % items {
                0 => self.fold_slot_at::<0, true>(ring, slot, lead, index),
                2 if many => self.fold_slot_at::<2, true>(ring, slot, lead, index),
                3 if many => self.fold_slot_at::<3, true>(ring, slot, lead, index),
                _ => self.fold_slot_at::<1, true>(ring, slot, lead, index),
            }
        }
    }

    /// The fold of the first `count` items, at most 16, of the lane's leaf. The other arguments are as for [`Self::fold_slot`].
    ///
    /// # Safety
    /// The copies of these items to the slot are done.
    #[inline(always)]
    pub unsafe fn fold_part(
        &self,
        ring: *const u8,
        slot: u32,
        before: u32,
        count: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let many = const { vector_items::<T>() > 2 };
        let lead = before / items;
        // SAFETY: the conditions are this function's.
        unsafe {
            match before % items {
                0 => self.fold_part_at::<0>(ring, slot, lead, count, index),
                2 if many => self.fold_part_at::<2>(ring, slot, lead, count, index),
                3 if many => self.fold_part_at::<3>(ring, slot, lead, count, index),
                _ => self.fold_part_at::<1>(ring, slot, lead, count, index),
            }
        }
    }

    /// As [`Self::fold_part`], for a leaf that begins with item `BEFORE` of a vector. The step begins in vector `lead` of the slot.
    ///
    /// # Safety
    /// The conditions of [`Self::fold_part`].
    #[inline(always)]
    unsafe fn fold_part_at<const BEFORE: usize>(
        &self,
        ring: *const u8,
        slot: u32,
        lead: u32,
        count: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>() as usize;
        let vector = simt::lane() * (FAN / vector_items::<T>()) + lead;
        let mut vectors: [Words; 9] = [[0; 4]; 9];
        // A leaf lies in one vector more if it begins inside a vector.
        let most = size_of::<T>() + (BEFORE > 0) as usize;
        for_each_vector!(V in 0 1 2 3 4 5 6 7 8 => {
            if V < most && V * items < BEFORE + count as usize && count > 0 {
                // SAFETY: the vector lies in the slot, and has one of the first `count` items of the leaf. Their copies are done, and these
                // copies move whole vectors or write all items of a vector (this function's condition, and `bring_step`).
                vectors[V] = unsafe {
                    simt::read_vector_at(ring, slot + place_of_vector(vector + V as u32))
                };
            }
        });
        let mut value = O::identity();
        for_each_item!(I of u8 => {
            if (I as u32) < count {
                let place = BEFORE + I;
                let vector = vector_of(vectors[place / items]);
                value = O::combine(value, O::lift_at(item_of(&vector, place % items), index + I as u64));
            }
        });
        value
    }

    /// As [`Self::fold_slot`], for a leaf that begins with item `BEFORE` of a vector. The step begins in vector `lead` of the slot. If the
    /// step begins inside a row (`IS_INSIDE`), a leaf may lie in two rows. Otherwise `lead` is 0.
    ///
    /// # Safety
    /// The conditions of [`Self::fold_slot`].
    #[inline(always)]
    unsafe fn fold_slot_at<const BEFORE: usize, const IS_INSIDE: bool>(
        &self,
        ring: *const u8,
        slot: u32,
        lead: u32,
        index: u64,
    ) -> O::Accumulator {
        // If the step begins a row, the number of the leaf's first vector is a multiple of `leaf_vectors`. So each of the leaf's vectors has
        // a place that is `first` with some low bits flipped. The places are computed again for each step. If they were computed once, the
        // loop over the steps would need too many registers.
        let leaf_vectors = const { FAN / vector_items::<T>() };
        let vector = simt::lane() * leaf_vectors * simt::late_one() + lead;
        let first = place_of_vector(vector);
        let read = |number: usize| {
            let place = match IS_INSIDE {
                true => place_of_vector(vector + number as u32),
                false => first ^ (number * VECTOR_BYTES) as u32,
            };
            // SAFETY: the vector lies in the slot, whose copies are done (this function's condition), so its items are written. Places that
            // hold no item of the leaf are not used.
            unsafe { simt::read_vector_at(ring, slot + place) }
        };
        let mut vectors: [Words; 9] = [[0; 4]; 9];
        for_each_vector!(V => {
            if V < size_of::<T>() {
                vectors[V] = read(V);
            }
        });
        if BEFORE > 0 {
            vectors[size_of::<T>()] = read(size_of::<T>());
        }
        let mut value = O::identity();
        // The loop runs over the 16 items of a leaf. `u8` stands here only for the number 16: a vector has 16 items of type `u8`.
        for_each_item!(I of u8 => {
            let place = BEFORE + I;
            let vector = vector_of(vectors[place / vector_items::<T>() as usize]);
            let item = item_of(&vector, place % vector_items::<T>() as usize);
            value = O::combine(value, O::lift_at(item, index + I as u64));
        });
        value
    }

    /// Folds the values of a unit's leaves. If rows have one chunk, writes the results of the unit's rows. If rows have several chunks,
    /// puts the value of the unit's chunk into shared memory. `begin` is the block's first unit.
    ///
    /// # Safety
    /// Convergent: the whole warp. The values of the unit's leaves are written, and no other warp uses these values or has the unit. The
    /// unit is one of the block's units.
    #[inline(always)]
    unsafe fn finish_unit(&self, cut: &Cut, values: Values<O::Accumulator>, unit: u32, begin: u32) {
        let lane = simt::lane();
        let leaves = 1 << leaf_levels::<T>(cut);
        let unit_leaves = Ord::max(leaves, STEP_LEAVES);
        // The number of values that a lane folds, and the number of lanes that fold values.
        let count = Ord::min(leaves, FAN);
        let lanes = unit_leaves.checked_div(count).unwrap_or(0);
        // SAFETY: the whole warp is here, and the values of leaves are written: this function's conditions. A result is written only if the
        // row belongs to the launch, so there is memory for it (the launch's condition 5). There is a place for the value of each of the
        // block's chunks (`BLOCK_CHUNKS`).
        unsafe {
            let mut value = O::identity();
            if lane < lanes {
                value = Self::fold_consecutive(values, lane * count, count);
            }
            let mut results = lanes;
            if leaves > FAN {
                results = unit_leaves.checked_div(leaves).unwrap_or(0);
                let nodes = leaves / FAN;
                // Orders the reads of the leaves' values before the writes of the nodes' values.
                simt::warp_barrier();
                if lane < lanes {
                    values.address(lane).write(value);
                }
                // Orders the writes of the nodes' values before their reads.
                simt::warp_barrier();
                if lane < results {
                    value = Self::fold_consecutive(values, lane * nodes, nodes);
                }
            }
            if lane >= results {
                return;
            }
            if cut.row_chunks > 1 {
                self.chunk_value(unit - begin).write(value);
                return;
            }
            let row = unit as u64 * results as u64 + lane as u64;
            if row < self.offsets.segment_count {
                write_result!(O, T, self.output, row as usize, value);
            }
        }
    }

    /// Combines the chunks of each of the block's rows, one row on each lane, and writes the results. The block has the units from `begin`
    /// to `end`.
    ///
    /// # Safety
    /// The whole warp 0. The launch has whole chunks, several for each row, and `cut` says how its rows are cut. The values of the block's
    /// chunks are written.
    #[inline(always)]
    pub unsafe fn finish_rows(&self, cut: &Cut, begin: u32, end: u32) {
        let first = simt::lane() * cut.row_chunks;
        if begin + first >= end {
            return;
        }
        // SAFETY: the block has the row's chunks, and their values are in shared memory, and written: this function's conditions. The row
        // belongs to the launch, and has a result (the launch's condition 5).
        unsafe {
            let mut folded = simt::read_shared(self.chunk_value(first));
            let mut chunk = 1;
            while chunk < cut.row_chunks {
                let step = simt::opaque_one() as u32;
                folded = O::combine(folded, simt::read_shared(self.chunk_value(first + chunk)));
                chunk += step;
            }
            // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
            let row = begin.checked_div(cut.row_chunks).unwrap_or(0) + simt::lane();
            write_result!(O, T, self.output, row as usize, folded);
        }
    }

    /// The left fold of `count` values, 1 to 16, from value `first` on. All of them belong to one group of sixteen, so none of the gaps of
    /// [`Values`] lies between them.
    ///
    /// # Safety
    /// The values are written.
    #[inline(always)]
    pub unsafe fn fold_consecutive(
        values: Values<O::Accumulator>,
        first: u32,
        count: u32,
    ) -> O::Accumulator {
        let first = values.address(first);
        // SAFETY: the values are in shared memory, and written: this function's condition. They belong to one group of sixteen, so no gap
        // lies between them.
        let value = |number: u32| unsafe { simt::read_shared(first.wrapping_add(number as usize)) };
        let mut folded = value(0);
        if count == FAN {
            for_each_item!(I of u8 => {
                folded = if I != 0 { O::combine(folded, value(I as u32)) } else { folded };
            });
            return folded;
        }
        let mut number = 1;
        while number < count {
            let step = simt::opaque_one() as u32;
            folded = O::combine(folded, value(number));
            number += step;
        }
        folded
    }
}

/// The binary logarithm of the number of steps of a unit.
#[inline(always)]
fn step_shift<T: Element>(cut: &Cut) -> u32 {
    (cut.levels + vector_items::<T>().trailing_zeros()).saturating_sub(STEP_SHIFT)
}

/// The binary logarithm of the number of leaves of a chunk.
#[inline(always)]
fn leaf_levels<T: Element>(cut: &Cut) -> u32 {
    cut.levels + vector_items::<T>().trailing_zeros() - FAN.trailing_zeros()
}

/// Where a vector of a step lies in its slot, in bytes. Vectors are permuted as in [`crate::segments::offset_of`].
#[inline(always)]
pub fn place_of_vector(number: u32) -> u32 {
    const ROW_VECTORS: u32 = (ROW_BYTES / VECTOR_BYTES) as u32;
    (number ^ (number / ROW_VECTORS % ROW_VECTORS)) * VECTOR_BYTES as u32
}
