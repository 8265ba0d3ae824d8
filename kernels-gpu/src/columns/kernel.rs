//! Reduction and scan of each column of row-major matrices in one launch.
//!
//! ```text
//! block:  if columns have several chunks, take a ticket, which decides the block's units
//!         (32 consecutive units have a lane each, and a warp for each leaf; a block has several times 32 units, if these have few leaves)
//!         each thread: load its leaf's items, fold them
//!         the first warp of each 32 units: fold each unit's leaves
//!         for each unit that is the last chunk of sixteen, or of its column: combine it with the values that earlier units published
//!         write the results of columns, publish the values of other units
//!         in a scan:
//!             combine each unit's prefix from published values
//!             each thread: combine the leaves before its own, then its items, and write the results
//! ```
//!
//! [`crate::columns`] says how the work is divided.
//!
//! **Long columns.** The chunks of a long column are combined in groups of sixteen, like the chunks of a long segment (see
//! [`crate::segments::kernel`]). A value of *level* `l` combines 16^`l` chunks. The unit that is the last of 16 chunks combines these
//! chunks to a value of level 1. The unit that is the last of 256 chunks then combines 16 such values to a value of level 2, and so on. In
//! a reduction, a column's last unit combines the last group of each level, even if this group is incomplete. Each unit except a column's
//! last publishes one value, after its last combination. The units of a block go up from level to level together. On each level, up to 15
//! warps wait for published values, and each lane of these warps waits for at most one value.
//!
//! **Scans** go up in the same way, and publish the same values. Only a column's last unit does nothing on the way up. Then all units go
//! down: each chunk's prefix is combined from published values, at most 15 of each level. A unit publishes its value before it goes down.
//!
//! **Progress.** A unit waits only for values of units with lower numbers. These units belong to its own block, or to blocks with earlier
//! tickets, which have started. On the way up, a block publishes its values of a level before any of its units waits for values of that
//! level. A block on the way down has published all of its values. So one of the waiting blocks can always proceed. If some blocks are on
//! the way up, take those on the lowest level: among them, the block with the earliest ticket can proceed. If all blocks are on the way
//! down, any of them can proceed.
//!
//! Cost: the kernel writes every result once. A reduction reads every item once. A scan reads an item once if the thread holds the leaf's
//! items in registers (`is_held`), and otherwise twice. A pairwise fold may read the last item of a leaf again, if the leaf has fewer than
//! 16 rows. If a column has several chunks, each chunk has a state word for each 32 bits of an accumulator. A value is published at most
//! once, and at most one unit waits for it on the way up. In a scan, each unit whose prefix needs the value also waits for it, on the way
//! down. A unit that waits for a value reads the value's state words again and again. A block has these barriers:
//!
//! - 1 after the leaves are folded,
//! - if columns have several chunks: 1 after the ticket is taken, and 2 for each level from which any of the block's units goes up,
//! - in a scan of such columns: 1 for the prefixes, and 2 for each level on which any of the block's units combines values on the way down,
//! - in the launch with the last tag, for such columns: 1 before the block departs.
//!
//! **Counts.** If the number of rows or of matrices is in device memory, the launch has blocks for the largest number allowed. Blocks
//! without units take tickets if the other blocks do, and wait for no other block.

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
/// The launch's conditions:
/// 1. The launch has [`crate::columns::block_count`] blocks. A block has [`crate::columns::BLOCK_THREADS`] threads and
///    [`crate::columns::shared_bytes`] of dynamic shared memory. All threads of the block call this function.
/// 2. `input` is the address of item 0, aligned to an item. The matrices begin at this address, `matrix_pitch` items apart. A matrix has
///    `row_count` rows of `matrix_columns` readable items, `row_pitch` items apart. All matrices together have `column_count` columns, at
///    least one. Nobody writes the items during the launch.
/// 3. `count_at` is null, or points to a readable number.
/// 4. `output` points to `column_count` writable results, which overlap nothing else that the launch accesses.
/// 5. `control` and `states` are a workspace that no other launch uses at the same time. The workspace has `state_words` state words. This
///    number is at least the result of [`crate::columns::state_words`].
#[inline(always)]
pub unsafe fn columns_reduce<O: Op<T>, T: Element>(
    arguments: ColumnsReduceArguments<T, O::Output>,
) {
    simt::await_work_before();
    // SAFETY: earlier work is awaited just above; the address is null or readable: condition 3.
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
    // SAFETY: the launch's conditions are this function's; all threads of the block call this.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// Scans each column of `input` to `output`, inclusive or exclusive. Each item has a result.
///
/// # Safety
/// The conditions of [`columns_reduce`], with one difference in condition 4: `output` has a writable result for each item, and the results
/// have the same layout as the items.
#[inline(always)]
pub unsafe fn columns_scan<O: Op<T>, T: Element>(arguments: ColumnsScanArguments<T, O::Output>) {
    simt::await_work_before();
    // SAFETY: earlier work is awaited just above; the address is null or readable: condition 3.
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
    // SAFETY: the launch's conditions are this function's; all threads of the block call this.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// The rows and columns of a launch.
struct Extent {
    row_count: u64,
    column_count: u64,
    /// The distance from item 0 of `input` to the first row that the launch scans, in items. A negative distance is stored as a wrapped
    /// number. The distance differs from 0 only in a backward scan, if the count in device memory is less than the number of rows in the
    /// arguments.
    skipped: u64,
}

/// The number of rows of a matrix, and the number of columns of all matrices. If `count_at` is not null, the number at that address is an
/// upper limit: for the rows if `counts_rows` is not 0, otherwise for the matrices.
///
/// The work before the launch has been awaited. `count_at` is null, or points to a readable number.
/// Work before the launch is awaited. `count_at` is null, or points to a readable number.
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
    // SAFETY: the address is not null, as checked above. So the number is readable: this function's condition.
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

/// The launch's arguments, as each thread holds them.
///
/// The unsafe functions name their own conditions. Each of these functions also needs the launch's conditions, which [`columns_reduce`] and
/// [`columns_scan`] list. In all these conditions, a value in shared memory is *written* if a thread has stored it and the block has passed
/// a barrier since then.
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
    /// Whether a scan is exclusive.
    is_exclusive: bool,
}

/// The calling thread's unit and leaf. The block and the warp decide the group of 32 units, the warp decides the leaf, and the lane decides
/// the unit. This struct is small, because it stays in registers while items fill most of them.
#[derive(Clone, Copy)]
struct Unit {
    /// Whether the unit exists. If it does not exist, `chunk` and `row_count` are 0, and the other fields are those of the last unit.
    exists: bool,
    /// The unit's column, counted over all matrices.
    column: u64,
    /// The index of the unit's chunk in its column. 32 bits are enough, as for the unit's number (see [`Launch::slot`]).
    chunk: u32,
    /// Whether the chunk is its column's last.
    is_last: bool,
    /// The index of the leaf's first item in the input.
    origin: u64,
    /// The leaf's number in the chunk.
    leaf: u32,
    /// How many leaves the chunk has, at least one.
    leaf_count: u32,
    /// How many rows the leaf has; 0 if the chunk does not have this leaf.
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
    /// Does the block's work. In the launch with the last tag, the block departs ([`depart`]) after its last use of the board.
    ///
    /// # Safety
    /// Convergent: the whole block. `state_words` is the launch's argument.
    #[inline(always)]
    unsafe fn work_and_depart(&self, state_words: u64) {
        if self.column_count == 0 {
            return;
        }
        // SAFETY: the whole block is here (this function's condition), and every branch around a barrier goes the same way on all of its
        // threads. `take_ticket` writes the ticket and the tag. There is at least one column, as checked above. `depart` comes after the
        // last use of the board.
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
                // Orders the threads' reads of the board before the block's departure.
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

    /// Takes the block's ticket, and shares it with all threads.
    ///
    /// # Safety
    /// Convergent: the whole block, once.
    #[inline(always)]
    unsafe fn take_ticket(&self) {
        // SAFETY: the whole block is here (this function's condition); `control` belongs to the workspace (the launch's condition 5). After
        // the last ticket of the launch, no block takes a ticket, so the block with the last ticket may restart the tickets. One thread
        // writes the ticket, and nobody reads it before the barrier.
        unsafe {
            let is_first = simt::thread_index() == 0;
            let taken = tickets::take_if(self.control, is_first);
            if is_first {
                let ticket = taken.ticket();
                tickets::restart_after_last(self.control, ticket);
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
    /// `column_count` is at least 1.
    #[inline(always)]
    unsafe fn unit(&self, block: u32) -> Unit {
        let count = chunk_count(self.row_count) * self.column_count;
        let unit_warps = unit_warps(self.row_count);
        let leaf = simt::warp() & (unit_warps - 1);
        // The number of this group of 32 units, counted over all blocks.
        let first = (block as u64 * BLOCK_WARPS as u64 + (simt::warp() - leaf) as u64)
            >> unit_warps.trailing_zeros();
        let wanted = first * WARP_LANES as u64 + simt::lane() as u64;
        let number = Ord::min(wanted, count - 1);
        let (mut chunk, mut column) = (0, number);
        if self.has_chunks() {
            // SAFETY: the divisor is not 0: `column_count` is at least 1 (this function's condition).
            chunk = unsafe { number.checked_div(self.column_count).unwrap_unchecked() };
            column = number - chunk * self.column_count;
        }
        let begin = chunk * CHUNK_ROWS;
        let row = begin + (leaf * FAN) as u64;
        let mut origin = row.wrapping_mul(self.row_pitch).wrapping_add(column);
        if self.matrix_columns != self.column_count {
            // SAFETY: the divisor is not 0: a matrix has at least one column, since a launch has columns (the launch's condition 2).
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

    /// The unit's slot on the board, which is the unit's number. If columns have several chunks, there is at most one unit for each 128
    /// items, so 32 bits are enough for 512 GiB of items.
    #[inline(always)]
    fn slot(&self, unit: &Unit) -> u32 {
        unit.chunk * self.column_count as u32 + unit.column as u32
    }

    /// Combines the totals of the block's leaves with the published values of earlier chunks. Publishes the values that later chunks need.
    /// In a reduction, writes the results of columns. In a scan, returns the leaf's prefix.
    ///
    /// # Safety
    /// Convergent: the whole block. `unit` is the calling thread's unit, and `board` is the launch's board.
    #[inline(always)]
    unsafe fn combine(&self, unit: &Unit, board: Board, total: O::Accumulator) -> O::Accumulator {
        // SAFETY: the whole block is here, with the threads' units and the board: this function's conditions. Branches around barriers go
        // the same way on all threads. Each thread writes its own total, and a barrier follows before totals are read. A fold reads only
        // totals of its unit: the first `leaf_count` totals, or the `leaf` totals before the thread's own. Warp 0 alone writes the
        // prefixes, after it has read the published values, and a barrier follows before prefixes are read.
        unsafe {
            self.leaf(simt::warp()).write(total);
            // Orders the writes of the leaves' totals before the reads by other threads.
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

    /// The address of a leaf's total in shared memory. The leaf belongs to warp `warp` and to the calling lane's unit.
    #[inline(always)]
    fn leaf(&self, warp: u32) -> *mut O::Accumulator {
        // SAFETY: takes the field's address, and reads nothing. The block has a `Shared` in shared memory (the launch's condition 1).
        let leaves = unsafe { &raw mut (*self.shared).leaves };
        leaves
            .cast::<O::Accumulator>()
            .wrapping_add((warp * WARP_LANES + simt::lane()) as usize)
    }

    /// The address in shared memory for a published value that the calling lane's unit needs: the value with index `place`.
    #[inline(always)]
    fn published(&self, place: u32) -> *mut O::Accumulator {
        // SAFETY: takes the field's address, and reads nothing. The block has a `Shared` in shared memory (the launch's condition 1).
        let published = unsafe { &raw mut (*self.shared).published };
        published
            .cast::<O::Accumulator>()
            .wrapping_add((place * WARP_LANES + simt::lane()) as usize)
    }

    /// The fold of `count` values; `count` is 1 to 16. The first value is at `values`, and the values are [`WARP_LANES`] places apart.
    ///
    /// # Safety
    /// The values are in shared memory, and written; there is at least one.
    #[inline(always)]
    unsafe fn fold_sixteen(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: `count` values are written, at least one: this function's conditions. The pairwise fold reads only places less than
        // `count`.
        unsafe {
            if O::PAIRS_SIXTEENS {
                let value =
                    |place: u32| simt::read_shared(values.add((place * WARP_LANES) as usize));
                return sixteens::pairwise::<O, T>(count, value);
            }
            let first = simt::read_shared(values);
            self.fold_before(values.add(WARP_LANES as usize), count - 1, first)
        }
    }

    /// `value`, combined with `count` later values. The first later value is at `values`, and the later values are [`WARP_LANES`] places
    /// apart.
    ///
    /// # Safety
    /// The values are in shared memory, and written.
    #[inline(always)]
    unsafe fn fold_before(
        &self,
        values: *const O::Accumulator,
        count: u32,
        mut value: O::Accumulator,
    ) -> O::Accumulator {
        let mut place = 0;
        while place < count {
            // SAFETY: `place < count`, and these values are written: this function's condition.
            let next = unsafe { simt::read_shared(values.add((place * WARP_LANES) as usize)) };
            value = O::combine(value, next);
            place += simt::late_one();
        }
        value
    }

    /// Whether a thread holds the items of a whole leaf in registers.
    const HOLDS: bool =
        size_of::<T>() <= 8 && (O::Accumulator::WORDS <= 4 || has_vector_totals::<O, T>());
}
