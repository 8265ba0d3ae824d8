//! Rows of one item each: threads turn items into results, without shared memory.
//!
//! A block takes no ticket, because no block waits for another and no state word is used. ([`whole`](super::whole) says more about launches
//! without tickets.)

use crate::contract::THREAD_VECTORS;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::has_rings;
use crate::segments::Task;
use crate::simt;
use crate::thread::for_each_vector;

use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether this is a reduction of rows of one item, by an operator [with rings](has_rings). The items of such operators have 4 or 8
    /// bytes.
    #[inline(always)]
    pub fn have_single_items(&self) -> bool {
        has_rings::<O, T>()
            && self.task == Task::Reduce
            && !self.offsets.are_read()
            && self.offsets.row_items == 1
    }

    /// Reduces all rows. A thread reads [`THREAD_VECTORS`] items before it writes their results. If a thread has fewer items left, it
    /// reduces them one by one.
    ///
    /// # Safety
    /// The whole block, and rows [have one item](Self::have_single_items).
    #[inline(always)]
    pub unsafe fn reduce_single_items(&self) {
        let rows = self.offsets.segment_count;
        let threads = self.threads() as u64;
        let tile = threads * THREAD_VECTORS as u64;
        let mut first = simt::block_index() as u64 * tile + simt::thread_index() as u64;
        while first < rows {
            let step = simt::opaque_one() as u64;
            // SAFETY: a row less than `rows` belongs to the launch, so its item is readable (the launch's condition 2), and it has a result
            // (condition 5). Each row is reduced by only one thread.
            unsafe {
                let read = |row: u64| self.input.add(row as usize).read();
                let write = |row: u64, item: T| {
                    let value = O::combine(O::identity(), O::lift_at(item, 0));
                    write_result!(O, T, self.output, row as usize, value);
                };
                if first + (tile - threads) < rows {
                    let mut items = [read(first); THREAD_VECTORS];
                    for_each_vector!(V => {
                        if V != 0 {
                            items[V] = read(first + V as u64 * threads);
                        }
                    });
                    for_each_vector!(V => { write(first + V as u64 * threads, items[V]) });
                } else {
                    let mut row = first;
                    while row < rows {
                        let step = simt::opaque_one() as u64;
                        write(row, read(row));
                        row += step * threads;
                    }
                }
            }
            first += step * tile * simt::block_count() as u64;
        }
    }
}
