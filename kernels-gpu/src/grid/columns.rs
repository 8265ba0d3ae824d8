//! The columns of a row-major matrix, each reduced to a value of its own or scanned, in one launch; each item read once.
//!
//! ```text
//! a block: take a ticket: 32 consecutive units, a lane for each; a warp for each leaf
//!     each thread: load its leaf's items, fold them
//!     warp 0: fold each unit's leaves
//!     tell the units that others wait for, write the results of those that are whole columns
//!     combine what is the last of sixteen chunks, or of a column, with what was told before
//!     a scan: combine what was told before each chunk; each thread: the leaves before its own, then its items
//! ```
//!
//! How the work is divided is said in [`crate::columns`].
//!
//! **Long columns.** Their chunks combine by sixteens too, as those of long segments do (see [`super::segments`]): the unit that has
//! the last chunk of sixteen combines them, that with the last of 256 also combines the results of these, and so on; each tells one
//! value, when it has no more to combine. All units of a block take these steps together, a level of sixteens at a time: up to 15
//! warps wait for a value each, for all lanes at once.
//!
//! **Scans** go the same way up, and tell the same values. Then they go down: what stands before a chunk is made of values that
//! others tell without waiting for what stands before theirs, at most 15 for each level.
//!
//! **Progress.** What a unit waits for are values of units with lower numbers: of its own block, or of blocks with earlier tickets, which
//! have started. A value of level `l`, for which 16^`l` chunks are combined, is told when its block comes to that level on the way up,
//! before any unit of the block waits there; a block on the way down has told all. So of the blocks that wait, one goes on: of those at
//! the lowest level on the way up, the one with the first ticket; and if none is on the way up, any.
//!
//! Cost: every item and every result once; of a column of several chunks, a state word for each 32 bits of the accumulator of each
//! chunk, written once and read once, or, by a scan, once for each later unit of the same sixteen. 1 barrier a block; where columns have
//! several chunks, 1 more, 2 for each level on which one of the block's units goes up, and, of a scan, 2 for each on which it goes down
//! and 1 for what it finds.

mod chunks;
mod leaves;

use crate::arguments::{ColumnsReduceArguments, ColumnsScanArguments};
use crate::board::Board;
use crate::columns::{chunk_count, Shared, CHUNK_ROWS};
use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::{Task, FAN};
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use super::scan::depart;

/// Reduces each column of `input` to a result in `output`.
///
/// # Safety
/// - The launch has [`crate::columns::block_count`] blocks of [`crate::columns::BLOCK_THREADS`] threads that all call this, with
///   [`crate::columns::shared_bytes`] of dynamic shared memory.
/// - `input` is the address of item 0 of `row_count` × `column_count`, aligned to an item, all of them readable. There is a column.
/// - `output` points to `column_count` writable results, in a place of their own.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::columns::state_words`] words or more.
#[inline(always)]
pub unsafe fn columns_reduce<O: Op<T>, T: Element>(
    arguments: ColumnsReduceArguments<T, O::Output>,
) {
    simt::await_work_before();
    let launch = Launch::<O, T> {
        input: arguments.input,
        row_count: arguments.row_count,
        column_count: arguments.column_count,
        control: arguments.control,
        states: arguments.states,
        output: arguments.output,
        shared: simt::shared_memory(),
        task: Task::Reduce,
        is_exclusive: false,
    };
    // SAFETY: the caller's.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// Scans each column of `input` to `output`: a result for each item, with or without the item itself.
///
/// # Safety
/// The same as for [`columns_reduce`], save that `output` points to as many writable results as there are items.
#[inline(always)]
pub unsafe fn columns_scan<O: Op<T>, T: Element>(arguments: ColumnsScanArguments<T, O::Output>) {
    simt::await_work_before();
    let launch = Launch::<O, T> {
        input: arguments.input,
        row_count: arguments.row_count,
        column_count: arguments.column_count,
        control: arguments.control,
        states: arguments.states,
        output: arguments.output,
        shared: simt::shared_memory(),
        task: Task::Scan,
        is_exclusive: arguments.is_exclusive != 0,
    };
    // SAFETY: the caller's.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// What the threads of a block know of their launch.
struct Launch<O: Op<T>, T: Element> {
    input: *const T,
    row_count: u64,
    column_count: u64,
    control: *mut Control,
    states: *mut u64,
    output: *mut O::Output,
    shared: *mut Shared<O::Accumulator>,
    task: Task,
    /// Whether a scan's result leaves out its item.
    is_exclusive: bool,
}

/// The unit of a lane, and the leaf of a warp. There is no more of it than that, since it is kept while items fill the registers.
#[derive(Clone, Copy)]
struct Unit {
    /// Whether there is such a unit. If not, the rest is that of the last one.
    exists: bool,
    number: u64,
    /// Its chunk, for which 32 bits are enough: there are fewer units of columns of several chunks, see [`Launch::slot`].
    chunk: u32,
    /// Whether the chunk is its column's last.
    is_last: bool,
    /// Leaves of the chunk, at least one.
    leaf_count: u32,
    /// Rows of the leaf; 0 if there is none.
    row_count: u32,
}

impl Unit {
    /// The leaf's first row.
    #[inline(always)]
    fn row(&self) -> u64 {
        self.chunk as u64 * CHUNK_ROWS + (simt::warp() * FAN) as u64
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The work of a block, and its departure.
    ///
    /// # Safety
    /// The same as for [`columns_reduce`].
    #[inline(always)]
    unsafe fn work_and_depart(&self, state_words: u64) {
        // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
        unsafe {
            let (mut block, mut tag) = (simt::block_index(), 0);
            if self.has_chunks() {
                self.take_ticket();
                block = simt::read_shared(&raw const (*self.shared).ticket);
                tag = simt::read_shared(&raw const (*self.shared).tag);
            }
            let board = Board::new(self.states, tag);
            let unit = self.unit(block);
            let items = self.load(&unit);
            let total = self.fold_leaf(&unit, &items);
            let before = self.combine(&unit, board, total);
            if tag == LAST_TAG {
                // Orders the reads of the block's threads before its departure.
                simt::barrier();
                if simt::warp() == 0 {
                    depart(self.control, board, state_words, simt::block_count());
                }
            }
            if self.task == Task::Scan {
                self.place(&unit, &items, before);
            }
        }
    }

    /// Whether columns have several chunks.
    #[inline(always)]
    fn has_chunks(&self) -> bool {
        self.row_count > CHUNK_ROWS
    }

    /// Takes the block's ticket, and tells the block.
    ///
    /// # Safety
    /// Convergent: the whole block, of the launch of [`columns_reduce`].
    #[inline(always)]
    unsafe fn take_ticket(&self) {
        // SAFETY: the caller's; nobody takes a ticket after the last.
        unsafe {
            let is_first = simt::thread_index() == 0;
            let taken = tickets::take_if(self.control, is_first);
            if is_first {
                let ticket = taken.ticket();
                if ticket.index == simt::block_count() - 1 && ticket.tag != LAST_TAG {
                    tickets::restart(self.control, ticket.tag);
                }
                (*self.shared).ticket = ticket.index;
                (*self.shared).tag = ticket.tag;
            }
            // Orders the ticket before everybody's reads.
            simt::barrier();
        }
    }

    /// The calling thread's unit and leaf.
    ///
    /// # Safety
    /// The same as for [`columns_reduce`].
    #[inline(always)]
    unsafe fn unit(&self, block: u32) -> Unit {
        let count = chunk_count(self.row_count) * self.column_count;
        let wanted = block as u64 * WARP_LANES as u64 + simt::lane() as u64;
        let number = Ord::min(wanted, count - 1);
        // SAFETY: there is a column.
        let chunk = unsafe { number.checked_div(self.column_count).unwrap_unchecked() };
        let begin = chunk * CHUNK_ROWS;
        let rows_left = self.row_count - begin;
        let rows = Ord::min(rows_left, CHUNK_ROWS) as u32;
        let leaf_rows = Ord::min(rows.saturating_sub(simt::warp() * FAN), FAN);
        let exists = wanted < count;
        Unit {
            exists,
            number,
            chunk: chunk as u32,
            is_last: rows_left <= CHUNK_ROWS,
            leaf_count: Ord::max(rows.div_ceil(FAN), 1),
            row_count: if exists { leaf_rows } else { 0 },
        }
    }

    /// The unit's column.
    #[inline(always)]
    fn column(&self, unit: &Unit) -> u64 {
        unit.number - unit.chunk as u64 * self.column_count
    }

    /// The slot of a unit's state word. Of columns of several chunks there is at most one unit for each 128 items, so 32 bits are enough
    /// for 512 GiB.
    #[inline(always)]
    fn slot(unit: &Unit) -> u32 {
        unit.number as u32
    }

    /// Combines the totals of the calling threads' leaves, as far as the block has them, with what others have told: writes the
    /// results of columns, and tells the others. Gives what stands before the leaf, to a scan.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`columns_reduce`], the unit the calling thread's.
    #[inline(always)]
    unsafe fn combine(&self, unit: &Unit, board: Board, total: O::Accumulator) -> O::Accumulator {
        // SAFETY: the caller's. What decides is the same on all threads.
        unsafe {
            self.leaf(simt::warp()).write(total);
            // Orders the leaves' totals before the reads of those who combine them.
            simt::barrier();
            let mut before = O::identity();
            let mut value = before;
            if simt::warp() == 0 && (self.task == Task::Reduce || !unit.is_last) {
                let first = simt::read_shared(self.leaf(0));
                value = self.fold_before(self.leaf(1), unit.leaf_count - 1, first);
            }
            self.settle(unit, board, value);
            if self.task == Task::Reduce {
                return before;
            }
            if self.has_chunks() {
                before = self.find_before(unit, board);
                if simt::warp() == 0 {
                    self.told(0).write(before);
                }
                // Orders what stands before the chunks before everybody's reads.
                simt::barrier();
                before = simt::read_shared(self.told(0));
            }
            self.fold_before(self.leaf(0), simt::warp(), before)
        }
    }

    /// The place of the calling lane's total of a leaf.
    #[inline(always)]
    fn leaf(&self, leaf: u32) -> *mut O::Accumulator {
        // SAFETY: a place in shared memory, of which only the address is taken.
        let leaves = unsafe { &raw mut (*self.shared).leaves };
        leaves
            .cast::<O::Accumulator>()
            .wrapping_add((leaf * WARP_LANES + simt::lane()) as usize)
    }

    /// The place of a value that others have told for the calling lane's unit.
    #[inline(always)]
    fn told(&self, place: u32) -> *mut O::Accumulator {
        // SAFETY: a place in shared memory, of which only the address is taken.
        let told = unsafe { &raw mut (*self.shared).told };
        told.cast::<O::Accumulator>()
            .wrapping_add((place * WARP_LANES + simt::lane()) as usize)
    }

    /// A value combined with `count` others after it, a row of lanes for each.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn fold_before(
        &self,
        values: *const O::Accumulator,
        count: u32,
        mut value: O::Accumulator,
    ) -> O::Accumulator {
        let mut place = 0;
        while place < count {
            // SAFETY: the caller's.
            let next = unsafe { simt::read_shared(values.add((place * WARP_LANES) as usize)) };
            value = O::combine(value, next);
            place += simt::late_one();
        }
        value
    }

    /// Whether a thread holds its leaf's items in registers.
    const HOLDS: bool = size_of::<T>() <= 8 && O::Accumulator::WORDS <= 4;
}
