//! The leaves. A leaf is up to 16 rows of one column. One thread works on it.

use crate::contract::vector_items;
use crate::element::VECTOR_WORDS;
use crate::element::{first_words, for_each_item, put_item, Element, Words};
use crate::op::Op;
use crate::segments::FAN;
use crate::simt;
use crate::sixteens::{self, has_vector_totals};

use super::{Launch, Unit};

/// The items of a leaf of 16 rows, held in registers.
pub type Held<T> = [T; FAN as usize];

/// Runs a block of code for each row of a whole leaf. The block is written out for each row, since a loop would index registers at run
/// time.
macro_rules! for_each_row {
    ($row:ident => $body:block) => {
        for_each_row!($row, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => $body)
    };
    ($row:ident, $($index:literal)* => $body:block) => {
        $({
            const $row: usize = $index;
            $body
        })*
    };
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The index of the item in the leaf's row `row`, in an array whose rows are `row_pitch` items apart.
    #[inline(always)]
    fn place_of(unit: &Unit, row: u32, row_pitch: u64) -> usize {
        let offset = (row as u64).wrapping_mul(row_pitch);
        unit.origin.wrapping_add(offset) as usize
    }

    /// Whether the calling thread holds the leaf's items in registers.
    #[inline(always)]
    fn is_held(unit: &Unit) -> bool {
        Self::HOLDS && unit.row_count == FAN
    }

    /// The leaf's items, if the thread holds them; otherwise zeros.
    ///
    /// # Safety
    /// `unit` is the calling thread's unit.
    #[inline(always)]
    pub unsafe fn load(&self, unit: &Unit) -> Held<T> {
        let mut items = [T::zeroed(); FAN as usize];
        if Self::is_held(unit) {
            let first = self
                .input
                .wrapping_add(Self::place_of(unit, 0, self.row_pitch));
            for_each_row!(ROW => {
                let item = first.wrapping_add(ROW.wrapping_mul(self.row_pitch as usize));
                // SAFETY: the leaf has 16 rows, and `ROW` is one of them: its item is readable (the launch's condition 2).
                items[ROW] = unsafe { item.read() };
            });
        }
        items
    }

    /// The leaf's items, combined by a left fold or pairwise. The result is the identity if the leaf has no rows.
    ///
    /// # Safety
    /// `unit` is the calling thread's unit, and `items` is the result of [`Self::load`].
    #[inline(always)]
    pub unsafe fn fold_leaf(&self, unit: &Unit, items: &Held<T>) -> O::Accumulator {
        if Self::is_held(unit) && has_vector_totals::<O, T>() {
            return sixteens::leaf::<O, T>(|v| vector_of_rows(items, v), unit.row());
        }
        if O::PAIRS_SIXTEENS {
            if unit.row_count == 0 {
                return O::identity();
            }
            let lifted = |row: u32| {
                let place = Self::place_of(unit, row, self.row_pitch);
                // SAFETY: `row < row_count`, so the leaf has this item, and it is readable (the launch's condition 2).
                let item = unsafe { self.input.wrapping_add(place).read() };
                O::lift_at(item, unit.row() + row as u64)
            };
            return sixteens::pairwise::<O, T>(unit.row_count, lifted);
        }
        let mut value = O::identity();
        if Self::is_held(unit) {
            for_each_row!(ROW => {
                value = O::combine(value, O::lift_at(items[ROW], unit.row() + ROW as u64));
            });
            return value;
        }
        let mut row = 0;
        while row < unit.row_count {
            let step = simt::opaque_one() as u32;
            let item = self
                .input
                .wrapping_add(Self::place_of(unit, row, self.row_pitch));
            // SAFETY: `row < row_count`, so the leaf has this item, and it is readable (the launch's condition 2).
            let item = unsafe { item.read() };
            value = O::combine(value, O::lift_at(item, unit.row() + row as u64));
            row += step;
        }
        value
    }

    /// Writes the results of the leaf's items. `before` is the leaf's prefix.
    ///
    /// # Safety
    /// The conditions of [`Self::fold_leaf`]. The launch is a scan.
    #[inline(always)]
    pub unsafe fn place(&self, unit: &Unit, items: &Held<T>, mut before: O::Accumulator) {
        if Self::is_held(unit) {
            // The addresses are computed again: if they were kept since the loads, they would fill the registers.
            let row_pitch = self.row_pitch * simt::late_one() as u64;
            let first = self.output.wrapping_add(Self::place_of(unit, 0, row_pitch));
            for_each_row!(ROW => {
                let (after, result) = self.result_of(before, items[ROW], unit.row() + ROW as u64);
                let place = first.wrapping_add(ROW.wrapping_mul(row_pitch as usize));
                // SAFETY: the leaf has 16 rows, and `ROW` is one of them: its item has a writable result (the launch's condition 4), which
                // no other thread writes.
                unsafe { place.write(result) };
                before = after;
            });
            // The accumulator after the leaf's last item is not used.
            let _ = before;
            return;
        }
        let mut row = 0;
        while row < unit.row_count {
            let step = simt::opaque_one() as u32;
            let place = Self::place_of(unit, row, self.row_pitch);
            // SAFETY: `row < row_count`, so the leaf has this item. It is readable (the launch's condition 2), and has a writable result
            // (condition 4), which no other thread writes.
            unsafe {
                let item = self.input.wrapping_add(place).read();
                let (after, result) = self.result_of(before, item, unit.row() + row as u64);
                self.output.wrapping_add(place).write(result);
                before = after;
            }
            row += step;
        }
    }

    /// The next item's prefix, and this item's result.
    #[inline(always)]
    fn result_of(&self, before: O::Accumulator, item: T, row: u64) -> (O::Accumulator, O::Output) {
        let after = O::combine(before, O::lift_at(item, row));
        let result = O::lower(if self.is_exclusive { before } else { after });
        (after, result)
    }
}

/// The words of vector `v`, when a leaf's items are packed into vectors.
#[inline(always)]
fn vector_of_rows<T: Element>(items: &Held<T>, v: usize) -> Words {
    let mut vector = [0; VECTOR_WORDS];
    for_each_item!(P of T => {
        put_item(&mut vector, P, items[v * vector_items::<T>() + P]);
    });
    first_words(&vector)
}
