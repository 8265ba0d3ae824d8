//! The columns of row-major matrices, each reduced to a value of its own or scanned, in one launch; each item read once.
//!
//! ```text
//! a block: take a ticket: 32 consecutive units, a lane for each; a warp for each leaf; several times 32 units, if they have few leaves
//!     each thread: load its leaf's items, fold them
//!     the units' first warp: fold each unit's leaves
//!     tell the units that others wait for, write the results of those that are whole columns
//!     combine what is the last of sixteen chunks, or of a column, with what was published before
//!     a scan: combine what was published before each chunk; each thread: the leaves before its own, then its items
//! ```
//!
//! How the work is divided is said in [`crate::columns`].
//!
//! **Long columns.** Their chunks combine by sixteens, too, as those of long segments do (see [`crate::segments::kernel`]). The unit with
//! the last chunk of sixteen combines these sixteen. The unit with the last chunk of 256 also combines sixteen such results, and so on.
//! Each unit publishes one value, when it has no more to combine. All units of a block take these steps together, a level of sixteens at a
//! time: up to 15 warps wait for a value each, for all lanes at once.
//!
//! **Scans** go up in the same way, and publish the same values. Then they go down: a chunk's prefix is combined from published values, at
//! most 15 for each level. Units publish these before they wait for a prefix of their own.
//!
//! **Progress.** A unit waits only for values of units with lower numbers. These belong to its own block, or to blocks with earlier
//! tickets, which have started. A value of level `l` combines 16^`l` chunks. A block publishes its values of a level when it comes to that
//! level on the way up, before any of its units waits there. A block on the way down has published all of its values. So one of the waiting
//! blocks can always go on. If there are blocks on the way up, it is the one with the first ticket among those at the lowest level; if
//! there are none, it is any block.
//!
//! Cost: every item and every result once; if a column has several chunks, a state word for each 32 bits of each chunk's accumulator. It is
//! written once and read once; a scan reads it once for each later unit of the same sixteen. 1 barrier a block. If columns have several
//! chunks: 1 more, 2 for each level on which one of the block's units goes up, and in a scan 2 for each level on which it goes down, and 1
//! for the prefixes.
//!
//! **Counts.** Where the device's memory has how many rows there are, or how many matrices, the launch is as large as one of all. Blocks
//! without units take their tickets, and wait for no other block.

mod chunks;
mod leaves;

use crate::board::Board;
use crate::columns::{chunk_count, unit_warps, Shared, BLOCK_WARPS, CHUNK_ROWS};
use crate::columns::{ColumnsReduceArguments, ColumnsScanArguments};
use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::{Task, FAN};
use crate::simt;
use crate::sixteens::{self, has_vector_totals};
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use crate::scan::kernel::depart;

/// Reduces each column of `input` to a result in `output`.
///
/// # Safety
/// - The launch has [`crate::columns::block_count`] blocks of [`crate::columns::BLOCK_THREADS`] threads that all call this, with
///   [`crate::columns::shared_bytes`] of dynamic shared memory.
/// - `input` is the address of item 0, aligned to an item. The first matrix begins there, and each
///   other `matrix_pitch` items after the one before. A matrix has `row_count` rows of `matrix_columns` readable items, each row
///   `row_pitch` items after the one before. All matrices together have `column_count` columns, at least one.
/// - `count_at` is null, or points to a readable number.
/// - `output` points to `column_count` writable results, in a place of their own.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::columns::state_words`] words or more.
#[inline(always)]
pub unsafe fn columns_reduce<O: Op<T>, T: Element>(
    arguments: ColumnsReduceArguments<T, O::Output>,
) {
    simt::await_work_before();
    // SAFETY: the caller's.
    let extent = unsafe {
        extent(
            (arguments.row_count, arguments.column_count),
            (arguments.matrix_columns, arguments.row_pitch),
            (arguments.count_at, arguments.counts_rows),
        )
    };
    let launch = Launch::<O, T> {
        input: arguments.input,
        row_count: extent.row_count,
        column_count: extent.column_count,
        matrix_columns: arguments.matrix_columns,
        row_pitch: arguments.row_pitch,
        matrix_pitch: arguments.matrix_pitch,
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
/// The same as for [`columns_reduce`]. But there is a result for each item, with the items' layout, and all of them are writable.
#[inline(always)]
pub unsafe fn columns_scan<O: Op<T>, T: Element>(arguments: ColumnsScanArguments<T, O::Output>) {
    simt::await_work_before();
    // SAFETY: the caller's.
    let extent = unsafe {
        extent(
            (arguments.row_count, arguments.column_count),
            (arguments.matrix_columns, arguments.row_pitch),
            (arguments.count_at, arguments.counts_rows),
        )
    };
    let launch = Launch::<O, T> {
        input: arguments.input.wrapping_add(extent.skipped as usize),
        row_count: extent.row_count,
        column_count: extent.column_count,
        matrix_columns: arguments.matrix_columns,
        row_pitch: arguments.row_pitch,
        matrix_pitch: arguments.matrix_pitch,
        control: arguments.control,
        states: arguments.states,
        output: arguments.output.wrapping_add(extent.skipped as usize),
        shared: simt::shared_memory(),
        task: Task::Scan,
        is_exclusive: arguments.is_exclusive != 0,
    };
    // SAFETY: the caller's.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// The rows and columns of a launch.
struct Extent {
    row_count: u64,
    column_count: u64,
    /// Items from the launch's first row to the first that there is: not 0 where a scan goes backward, and not from the last row on.
    skipped: u64,
}

/// The rows of a matrix, and the columns of all matrices. If `count_at` is not null, the number there replaces the launch's number of rows
/// or of matrices.
///
/// # Safety
/// Work before the launch is awaited. The address is null, or a number can be read there.
#[inline(always)]
unsafe fn extent(
    (row_count, column_count): (u64, u64),
    (matrix_columns, row_pitch): (u64, u64),
    (count_at, counts_rows): (*const u64, u64),
) -> Extent {
    let all = Extent {
        row_count,
        column_count,
        skipped: 0,
    };
    if count_at.is_null() {
        return all;
    }
    // SAFETY: the caller's.
    let count = unsafe { count_at.read() };
    if counts_rows == 0 {
        let columns = count.saturating_mul(matrix_columns);
        return Extent {
            column_count: Ord::min(column_count, columns),
            ..all
        };
    }
    let counted = Ord::min(row_count, count);
    let goes_backward = (row_pitch as i64) < 0;
    let skipped_rows = if goes_backward {
        row_count - counted
    } else {
        0
    };
    Extent {
        row_count: counted,
        skipped: skipped_rows.wrapping_mul(row_pitch),
        ..all
    }
}

/// The launch, as the threads of a block know it.
struct Launch<O: Op<T>, T: Element> {
    input: *const T,
    row_count: u64,
    column_count: u64,
    matrix_columns: u64,
    row_pitch: u64,
    matrix_pitch: u64,
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
    /// Whether there is such a unit. If not, it has the column of the last unit, and no chunks before it.
    exists: bool,
    /// Its column, counted over all matrices.
    column: u64,
    /// Its chunk, for which 32 bits are enough: there are fewer units of columns of several chunks, see [`Launch::slot`].
    chunk: u32,
    /// Whether the chunk is its column's last.
    is_last: bool,
    /// Where the leaf's first item lies.
    origin: u64,
    /// Which of the chunk's leaves is the warp's.
    leaf: u32,
    /// Leaves of the chunk, at least one.
    leaf_count: u32,
    /// Rows of the leaf; 0 if there is none.
    row_count: u32,
}

impl Unit {
    /// The leaf's first row.
    #[inline(always)]
    fn row(&self) -> u64 {
        self.chunk as u64 * CHUNK_ROWS + (self.leaf * FAN) as u64
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The work of a block, and its departure.
    ///
    /// # Safety
    /// The same as for [`columns_reduce`].
    #[inline(always)]
    unsafe fn work_and_depart(&self, state_words: u64) {
        if self.column_count == 0 {
            return;
        }
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

    /// Takes the block's ticket, and gives it to all threads.
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
            // Orders the write of the ticket before all threads' reads.
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
        let unit_warps = unit_warps(self.row_count);
        let leaf = simt::warp() & (unit_warps - 1);
        // A block's units, 32 for each of its warps that has their first leaf.
        let first = (block as u64 * BLOCK_WARPS as u64 + (simt::warp() - leaf) as u64)
            >> unit_warps.trailing_zeros();
        let wanted = first * WARP_LANES as u64 + simt::lane() as u64;
        let number = Ord::min(wanted, count - 1);
        let (mut chunk, mut column) = (0, number);
        if self.has_chunks() {
            // SAFETY: there is a column.
            chunk = unsafe { number.checked_div(self.column_count).unwrap_unchecked() };
            column = number - chunk * self.column_count;
        }
        let begin = chunk * CHUNK_ROWS;
        let row = begin + (leaf * FAN) as u64;
        let mut origin = row.wrapping_mul(self.row_pitch).wrapping_add(column);
        if self.matrix_columns != self.column_count {
            // SAFETY: a matrix has a column.
            let matrix = unsafe { column.checked_div(self.matrix_columns).unwrap_unchecked() };
            origin += matrix * self.matrix_pitch.wrapping_sub(self.matrix_columns);
        }
        let rows_left = self.row_count - begin;
        let rows = Ord::min(rows_left, CHUNK_ROWS) as u32;
        let leaf_rows = Ord::min(rows.saturating_sub(leaf * FAN), FAN);
        let exists = wanted < count;
        Unit {
            exists,
            column,
            chunk: if exists { chunk as u32 } else { 0 },
            is_last: rows_left <= CHUNK_ROWS,
            origin,
            leaf,
            leaf_count: Ord::max(rows.div_ceil(FAN), 1),
            row_count: if exists { leaf_rows } else { 0 },
        }
    }

    /// The slot of a unit's state word: its number. If columns have several chunks, there is at most one unit for each 128 items, so 32
    /// bits are enough for 512 GiB.
    #[inline(always)]
    fn slot(&self, unit: &Unit) -> u32 {
        unit.chunk * self.column_count as u32 + unit.column as u32
    }

    /// Combines the totals of the block's leaves with the values that other blocks have published. Writes the results of columns, and
    /// publishes values for other blocks. For a scan, gives the leaf's prefix.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`columns_reduce`], the unit the calling thread's.
    #[inline(always)]
    unsafe fn combine(&self, unit: &Unit, board: Board, total: O::Accumulator) -> O::Accumulator {
        // SAFETY: the caller's. The conditions have the same values on all threads.
        unsafe {
            self.leaf(simt::warp()).write(total);
            // Orders the writes of the leaves' totals before the reads by the threads that combine them.
            simt::barrier();
            let mut before = O::identity();
            let mut value = before;
            if unit.leaf == 0 && (self.task == Task::Reduce || !unit.is_last) {
                value = self.fold_sixteen(self.leaf(simt::warp()), unit.leaf_count);
            }
            self.settle(unit, board, value);
            if self.task == Task::Reduce {
                return before;
            }
            if self.has_chunks() {
                before = self.find_before(unit, board);
                if simt::warp() == 0 {
                    self.published(0).write(before);
                }
                // Orders the writes of the chunks' prefixes before all threads' reads.
                simt::barrier();
                before = simt::read_shared(self.published(0));
            }
            self.fold_before(self.leaf(simt::warp() - unit.leaf), unit.leaf, before)
        }
    }

    /// The place of the calling lane's total of a warp's leaf.
    #[inline(always)]
    fn leaf(&self, warp: u32) -> *mut O::Accumulator {
        // SAFETY: only the address of the shared memory is taken.
        let leaves = unsafe { &raw mut (*self.shared).leaves };
        leaves
            .cast::<O::Accumulator>()
            .wrapping_add((warp * WARP_LANES + simt::lane()) as usize)
    }

    /// The slot of a value that other blocks have published for the calling lane's unit.
    #[inline(always)]
    fn published(&self, place: u32) -> *mut O::Accumulator {
        // SAFETY: only the address of the shared memory is taken.
        let published = unsafe { &raw mut (*self.shared).published };
        published
            .cast::<O::Accumulator>()
            .wrapping_add((place * WARP_LANES + simt::lane()) as usize)
    }

    /// `count` values combined, 1 to 16, a row of lanes for each.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn fold_sixteen(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            if O::IS_PAIRWISE {
                let value =
                    |place: u32| simt::read_shared(values.add((place * WARP_LANES) as usize));
                return sixteens::pairwise::<O, T>(count, value);
            }
            let first = simt::read_shared(values);
            self.fold_before(values.add(WARP_LANES as usize), count - 1, first)
        }
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
    const HOLDS: bool =
        size_of::<T>() <= 8 && (O::Accumulator::WORDS <= 4 || has_vector_totals::<O, T>());
}
