//! Reduction and scan of each segment of an array in one launch.
//!
//! ```text
//! block:  take a ticket, which decides the block's windows
//!         for each border of the windows, a warp finds the first segment that begins there or later: 32 offsets a step
//!         for each work, one or two a window:
//!             copy its items to shared memory
//!             if it is dense, copy its offsets too, then fold its short chunks and check the offsets
//!             otherwise, check the offsets and write the chunks' starts
//!             fold leaves of 16 items, then nodes of 16 leaves, then roots of 16 nodes      a barrier between
//!             write the results of segments that are whole here, publish the values of other chunks
//!         for each window whose tail is the last chunk of sixteen, or of its segment:
//!             combine the tail with the values that earlier windows published
//! ```
//!
//! The method follows Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), and Baxter's moderngpu. One
//! thing differs: the order of combination depends on an item's position in its segment, not on its position in the window.
//! [`crate::segments`] says how the work is divided.
//!
//! **Long segments.** The chunks of a long segment are combined in groups of sixteen, counted from the segment's start. The block that has
//! the last chunk of a group combines the group. The results of sixteen such groups are combined in the same way, by the block that has the
//! last of these 256 chunks, and so on. In a reduction, the block with the segment's last chunk combines all values that remain. (Some rows
//! are combined in other ways: see `later` and `rings`.) Each window publishes at most one value. If a chunk's value is combined with the
//! values of earlier chunks, only the result is published. So a block waits for at most 15 values at a time, or for 16 where a later block
//! combines rows (see `later`).
//!
//! **Scans** have one window for each block. First they combine chunks in the same way as reductions, and publish the same values. This is
//! the upsweep. Then the downsweep computes the prefixes of chunks, nodes, leaves and items (see `downsweep`). A tail's prefix is combined
//! from published values, at most 15 for each level. Any other chunk of a window begins its segment, so its prefix is the identity. If a
//! window has a value to publish, the block publishes it before it waits for the prefix of the window's tail. The tail is in the window's
//! first work. So if the second work has the value to publish, the block takes the second work first.
//!
//! **Progress.** A block's ticket decides its windows. The block waits only for values of its own windows and of the windows of blocks with
//! earlier tickets. Those blocks have started. A block combines its windows' tails in order, so it never waits for a value that it would
//! publish later. Before a block of a reduction waits, it publishes all its values that do not depend on earlier windows. Before a block of
//! a scan waits in one of its windows, it publishes this window's value, if that value does not depend on earlier windows. (If only the
//! last warp of a block waits, the block's other warps publish their values without waiting for that warp.)
//!
//! **Offsets that do not ascend.** A block checks the offsets of a window before it uses them, and before it waits for values of earlier
//! windows. If it refuses offsets, it writes the launch's tag to [`Control::fault`], which waiting blocks poll. The blocks of two
//! neighbouring windows find the border between the windows by the same search. So the blocks of window `w` and of all earlier windows
//! together compare each pair of neighbouring offsets up to the end of `w`. If none of these blocks refuses its offsets, all offsets up to
//! the end of `w` ascend. Then, if the block of `w` waits for another block, this other block finds the chunk whose value it must publish.
//! Hence, if a block waits for a value that is never published, the block of an earlier window has refused offsets, or will refuse them.
//! That block has started, so the waiting block sees the tag.
//!
//! **Offsets that other work rewrites meanwhile.** Results are then useless, but nothing is accessed out of bounds, and no block waits
//! forever. A block does not rely on the search: it checks again that the offsets at its windows' ends and at its chunks' starts ascend. If
//! a window has no chunk to publish, its block publishes the identity for it: another block may have read other offsets, and may wait for
//! this window's value. So for each window, its block publishes a value or refuses the offsets.
//!
//! **Cost.** The kernel reads every item of a segment at least once. If several works, or several steps of a ring, have items of the same
//! vector, each of them reads this vector. The kernel reads every offset once or twice. Offsets that the searches look at are read more
//! often. The kernel writes every result once, and publishes at most one value for each window. A block with windows has 3 barriers, and 1
//! more in the launch with the last tag. Each work has 3 more barriers, and further ones in these cases, which add up:
//! - A chunk has more than 256 items: 1 in a reduction, 2 in a scan.
//! - The work is dense, and a chunk has more than 16 items: 2.
//! - The launch is a scan, and the work has a tail: 1.
//! - The launch is a scan, and the work is not dense or has a chunk of more than 16 items: 3.
//!
//! If each warp of a scan takes whole chunks of a work (see `chunk_scan`), the work has 2 barriers, and 1 more if it has a tail.
//!
//! If a block's chunks are long, its warps with a ring take whole chunks in turn (see `long`). The block then has 2 barriers instead of
//! those of its works. A block with a span has no barriers but these 2, or 3 if the span is dense.
//!
//! If rows have whole chunks that go through rings (see `rings`), a block does not call `begin`, and takes no ticket. It has no barrier, or
//! 1 if rows have several chunks. If the operator has rings, a reduction of rows of one item needs no `begin`, no ticket and no barrier
//! (see `singles`).
//!
//! A block reduces [streamed](crate::segments::streams_rows) rows in one of two ways. If single warps combine whole chunks (see `whole`), a
//! block does not call `begin`. A block has no barrier, or 1 if rows have several chunks, since the block then takes a ticket. In the
//! launch with the last tag, a block with a ticket has 1 more barrier. Only the last warp of a block waits for values, after it has
//! published its own.
//!
//! For other streamed rows (see `rows`), a block first calls `begin`. Instead of the barriers of its works, it has 1 barrier, or 2 if a
//! chunk has several pieces. If later blocks combine the rows (see `later`), chunks have several pieces, but a block has only 1 barrier in
//! place of its works' barriers. In such a launch, only the last warp of a block waits for values, and all other warps publish theirs
//! without waiting.

mod chunk_scan;
mod chunks;
mod control;
mod dense;
mod downsweep;
mod heads;
mod items;
mod later;
mod leaves;
mod long;
mod nodes;
mod rings;
mod rows;
mod search;
mod singles;
mod starts;
mod taking_out;
mod whole;
mod window;

use crate::contract::trailing_zeros;
use crate::direction::Direction;
use crate::element::Element;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::rings::has_rings;
use crate::segments::tuning::LONG_BLOCK_THREADS;
use crate::segments::{chunk_items, streams_rows, Header, Task};
use crate::segments::{SegmentedReduceArguments, SegmentedScanArguments};
use crate::simt;
use crate::tickets::LAST_TAG;
use crate::workspace::Control;

use crate::tiles::counted;

use self::control::depart;
pub use self::heads::{by_key_reduce, by_key_scan};
use self::items::Room;
use self::search::Offsets;

/// Reduces each of `segment_count` segments of `input` to a result in `output`.
///
/// # Safety
/// The launch's conditions:
/// 1. `windows_per_block` is from 1 to [`crate::segments::MOST_WINDOWS`], or more if blocks take whole rows (see condition 8). A window has
///    2^`window_shift` diagonals, at most as many as a chunk has items, unless blocks take spans (see condition 10). The launch has
///    [`crate::segments::window_count`] windows. Its number of blocks is the number of windows divided by `windows_per_block`, rounded up,
///    and at least 1. A block has
///    [`crate::segments::tuning::SHORT_BLOCK_THREADS`] or [`crate::segments::tuning::LONG_BLOCK_THREADS`] threads, which all call this. It
///    has at least [`crate::segments::shared_bytes`] of dynamic shared memory. If a window has fewer diagonals than a chunk has items, a
///    block has as much dynamic shared memory as for a scan, even in a reduction.
/// 2. `input` is the address of the first of `item_count` items, aligned to an item. All items are readable, and nobody writes them
///    meanwhile.
/// 3. `offsets` points to `segment_count + 1` readable numbers of `offset_bytes` bytes each, and `offset_bytes` is 4 or 8. Or
///    `offset_bytes` is 0: then every segment has `row_items` items, and all segments together have at most `item_count`.
/// 4. `segment_count_at` is null, or points to a readable number.
/// 5. `output` points to `segment_count` writable results, which overlap nothing else that the launch accesses.
/// 6. `control` and `states` are a workspace that no other launch uses at the same time. It has `state_words` state words, at least
///    [`crate::segments::state_words`].
/// 7. `report` is null, or points to a writable word, which is set to 1 if the offsets are refused.
/// 8. Blocks take whole rows if the operator [has rings](crate::segments::rings::has_rings), rows [have whole
///    chunks](crate::segments::rings::has_whole_chunks), and a row has from 2 to `windows_per_block` chunks. Then `windows_per_block` is at
///    most [`crate::segments::rings::MOST_ROW_WINDOWS`]. A block with the greater of the two numbers of threads (condition 1) then has at
///    least [`crate::segments::rings::row_bytes`] of dynamic shared memory.
/// 9. If the operator [streams rows](crate::segments::streams_rows), and rows have from 2 to [`crate::segments::FAN`] whole chunks, then
///    `windows_per_block` is 1, or a window has as many diagonals as a chunk has items. So if single warps combine the chunks, chunk `c` of
///    the launch has the state words of window `c`.
/// 10. Blocks take [spans](crate::segments::rings::span_shift) if 2^`window_shift` is more than a chunk's items. Then the operator has rings,
///     there are offsets, and a block has the lesser number of threads (condition 1). A span has 2^`window_shift` diagonals, at most
///     [`crate::segments::rings::MOST_SPAN_WINDOWS`] times as many as a window, whose diagonals are as many as a chunk's items. The
///     launch has a block for each span, and `windows_per_block` is 1.
#[inline(always)]
pub unsafe fn segmented_reduce<O: Op<T>, T: Element>(
    arguments: SegmentedReduceArguments<T, O::Output>,
) {
    simt::await_work_before();
    let SegmentedReduceArguments {
        input,
        item_count,
        offsets,
        offset_bytes,
        row_items,
        segment_count,
        segment_count_at,
        control,
        states,
        state_words,
        output,
        report,
        windows_per_block,
        window_shift,
    } = arguments;
    // SAFETY: earlier work is awaited just above; the address is null or readable: condition 4.
    let segment_count = unsafe { counted(segment_count, segment_count_at) };
    // The windows of a span have as many diagonals as a full chunk has items.
    let chunk_shift = const { trailing_zeros(chunk_items::<T, O::Accumulator>()) };
    let takes_spans = has_rings::<O, T>()
        && offset_bytes != 0
        && simt::block_threads() == LONG_BLOCK_THREADS
        && window_shift as u32 > chunk_shift;
    let (windows_per_block, window_shift) = match takes_spans {
        true => (1 << (window_shift as u32 - chunk_shift), chunk_shift),
        false => (windows_per_block as u32, window_shift as u32),
    };
    let launch = Launch::<O, T> {
        input,
        offsets: Offsets {
            address: offsets,
            offset_bytes,
            row_items,
            segment_count,
            item_count,
            direction: Direction::FORWARD,
        },
        windows_per_block,
        window_shift,
        output,
        control,
        states,
        report,
        header: simt::shared_memory(),
        task: Task::Reduce,
        is_exclusive: false,
        starts_at_heads: false,
        takes_spans,
        warps_scan: false,
    };
    // SAFETY: the launch's conditions are this function's; all threads of the block call it. The branch depends on the launch's arguments,
    // so all blocks and threads take the same branch.
    unsafe {
        if launch.have_single_items() {
            launch.reduce_single_items();
        } else if (streams_rows::<O, T>() || has_rings::<O, T>()) && launch.have_whole_chunks() {
            launch.reduce_whole_chunks(state_words);
        } else {
            launch.work_and_depart(state_words);
        }
    }
}

/// Scans each of `segment_count` segments of `input` to `output`: a result for each item, with or without the item itself. From this
/// kernel's text, the host also makes the text of a backward scan, from the last segment and item to the first (see `direction.rs`).
///
/// `windows_per_block` should be 1, because a block may have to wait for other blocks before it begins its next window.
///
/// # Safety
/// The same conditions as for [`segmented_reduce`], except that `output` points to `item_count` writable results (condition 5).
#[inline(always)]
pub unsafe fn segmented_scan<O: Op<T>, T: Element>(
    arguments: SegmentedScanArguments<T, O::Output>,
) {
    simt::await_work_before();
    // SAFETY: earlier work is awaited just above; the address is null or readable: condition 4.
    let segment_count = unsafe { counted(arguments.segment_count, arguments.segment_count_at) };
    let launch = Launch::<O, T> {
        input: arguments.input,
        offsets: Offsets {
            address: arguments.offsets,
            offset_bytes: arguments.offset_bytes,
            row_items: arguments.row_items,
            segment_count,
            item_count: arguments.item_count,
            direction: Direction::of_text(),
        },
        windows_per_block: arguments.windows_per_block as u32,
        window_shift: arguments.window_shift as u32,
        output: arguments.output,
        control: arguments.control,
        states: arguments.states,
        report: arguments.report,
        header: simt::shared_memory(),
        task: Task::Scan,
        is_exclusive: arguments.is_exclusive != 0,
        starts_at_heads: false,
        takes_spans: false,
        warps_scan: arguments.warps_scan != 0,
    };
    // SAFETY: the launch's conditions are this function's; all threads of the block call it.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// The launch's arguments, as each thread holds them. Windows and works are in shared memory, because they would fill the registers.
///
/// Each unsafe function of this type lists its own conditions, and also needs the launch's conditions. The launch's kernel lists the
/// latter: see [`segmented_reduce`], for example. If a condition says that data in shared memory are *written*, it means: the step that
/// writes them is done, and its writes are ordered before the reads, usually by a barrier of the block. Most works have these steps:
/// - [`Self::begin`] writes the ticket, the tag and the borders. [`Self::write_windows`] writes the rest of the header, except the tails'
///   values. If chunks are long, [`Self::reduce_long_chunks`] writes a table of chunks instead of windows and works. Later, only the
///   tails' values and `is_refused` change. If segments start at heads, [`Self::begin_at_heads`] is called instead. It also writes the words (see
///   `heads`), and the header counts as written only when the words are written too.
/// - [`Self::bring_items`] writes a work's items.
/// - [`Self::write_starts`] writes the starts, slots and flags of a work that is not dense. For these, *written* also means that no offset
///   was refused.
/// - [`Self::copy_offsets`] writes the starts of a dense work without a check. [`Self::fold_short`] checks them, and writes the flags and
///   the value of a reduction's short tail. [`Self::write_slots`] writes the slots, if a chunk has several leaves.
/// - [`Self::fold_leaves`], [`Self::fold_nodes`] and [`Self::fold_roots`] write the values of leaves, nodes and tails.
struct Launch<O: Op<T>, T: Element> {
    input: *const T,
    offsets: Offsets,
    windows_per_block: u32,
    /// The binary logarithm of the number of diagonals of a window.
    window_shift: u32,
    output: *mut O::Output,
    control: *mut Control,
    states: *mut u64,
    report: *mut u64,
    header: *mut Header<O::Accumulator>,
    task: Task,
    /// Whether a scan's result leaves out its item.
    is_exclusive: bool,
    /// Whether segments start at heads of runs (see `heads`).
    starts_at_heads: bool,
    /// Whether each block takes a span (see `long`).
    takes_spans: bool,
    /// Whether each warp of a scan may take whole chunks (see `chunk_scan`).
    warps_scan: bool,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Runs the block's works. In the launch with the last tag, the block then departs ([`depart`]).
    ///
    /// # Safety
    /// Convergent: the whole block. `state_words` is the launch's argument.
    #[inline(always)]
    unsafe fn work_and_depart(&self, state_words: u64) {
        let room = self.room();
        // SAFETY: the whole block is here (this function's condition), and every branch around a barrier goes the same way on all of its
        // threads. `begin` writes the tag and has a barrier, whether the block has windows or not. If it has, `begin` writes the borders.
        // `write_windows` writes the windows and works before all steps that need them. `reduce_long_chunks` needs neither. It combines its
        // tails itself and, for a span, writes the tag and has a barrier. `run` and `stream_rows` write the tails' values, unless a later
        // block combines the rows. `depart` comes after the last use of the board.
        unsafe {
            let window = match self.takes_spans {
                true => Some(0),
                false => self.begin(room),
            };
            if let Some(window) = window {
                // For an operator without rings, the compiler does not even have to remove this code.
                if const { has_rings::<O, T>() } && (self.takes_spans || self.has_long_chunks()) {
                    self.reduce_long_chunks();
                } else {
                    self.write_windows(window);
                    let is_done = if streams_rows::<O, T>() && self.have_streams() {
                        self.stream_rows(room);
                        !self.settles_later()
                    } else {
                        self.run(room)
                    };
                    // If there are tails to combine, the block's last barrier orders the writes of their values before warp 0's reads.
                    if is_done
                        && self.task == Task::Reduce
                        && simt::warp() == 0
                        && self.is_combined()
                    {
                        self.settle();
                    }
                }
            }
            if simt::read_shared(&raw const (*self.header).tag) == LAST_TAG {
                // Orders the publications by the block's threads before the block's departure.
                simt::barrier();
                if simt::warp() == 0 {
                    depart(self.control, self.board(), state_words);
                }
            }
        }
    }

    /// Runs the block's works, one after the other. Returns false on all threads if the block stops because offsets are refused. If it
    /// returns true, a barrier has followed the last write of a tail's value.
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and the bits of `room` and of the next room are cleared.
    #[inline(always)]
    unsafe fn run(&self, mut room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the whole block is here, and the header is written: this function's conditions. The branches around barriers and returns
        // depend on the launch's arguments and on values in shared memory, so they go the same way on all threads. Each step comes after
        // the steps that it needs, with a barrier between. The barrier at the end of the loop's body comes after all uses of the room, and
        // before the next work replaces the room's contents. `number < work_count` for each work.
        unsafe {
            let mut number = match self.task {
                Task::Reduce => 0,
                Task::Scan => self.first_scanned(0),
            };
            while number < self.work_count() {
                let work = self.work(number);
                self.bring_items(&work, room, self.block());
                if work.is_dense() {
                    self.copy_offsets(&work, room);
                } else {
                    self.write_starts(&work, room);
                }
                if simt::COPIES == Copies::Asynchronous {
                    simt::await_copies();
                }
                // Orders the writes of items and starts before all threads' reads.
                simt::barrier();
                let has_slots = if self.work(number).is_dense() {
                    self.fold_short(&self.work(number), room);
                    // Orders the writes of flags, of a scan's results, or of a refusal, before all threads' reads.
                    simt::barrier();
                    if self.is_refused() {
                        return false;
                    }
                    let has_slots = self.has_nodes(room);
                    if has_slots {
                        self.write_slots(&self.work(number), room);
                        // Orders the writes of the slots before all threads' reads.
                        simt::barrier();
                    } else if self.task == Task::Scan && !self.place_short(number, room) {
                        return false;
                    }
                    has_slots
                } else {
                    if self.is_refused() {
                        return false;
                    }
                    if self.starts_differ(&self.work(number), room) {
                        if simt::thread_index() == 0 {
                            self.refuse();
                        }
                        return false;
                    }
                    true
                };
                if has_slots {
                    if !self.fold_long(number, room) {
                        return false;
                    }
                    room = room.next();
                }
                // Orders the reads of items and starts before the writes that replace them.
                simt::barrier();
                number = match self.task {
                    Task::Reduce => self.work_after(number),
                    Task::Scan => self.scanned_after(number),
                };
            }
            true
        }
    }

    /// Folds the chunks of a work, except those that [`Self::fold_short`] has folded. In a scan, then writes the results. Returns false if
    /// the block stops because offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the work's items, starts and slots are written.
    #[inline(always)]
    unsafe fn fold_long(&self, number: u32, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the whole block is here, and the header, items, starts and slots are written: this function's conditions. The branches
        // around barriers and returns depend on the launch's arguments and on values in shared memory, so they go the same way on all
        // threads. Each step comes after the steps that it needs, with a barrier between.
        unsafe {
            self.clear_bits(room.next());
            let warps_scan =
                const { Self::SCANS_CHUNKS } && self.has_chunks_for_warps(&self.work(number), room);
            if !warps_scan {
                self.fold_leaves(number, room);
                // Orders the writes of the leaves' values before the reads by the threads that combine them. It also orders the clearing of
                // bits before the writes of the next work's bits.
                simt::barrier();
                self.fold_nodes(number, room);
                if self.has_roots(room) {
                    // Orders the writes of the nodes' values before the reads by the threads that combine them.
                    simt::barrier();
                    self.fold_roots(number, room);
                }
            }
            self.task == Task::Reduce || self.place(number, room, warps_scan)
        }
    }

    /// The number of threads of the block.
    #[inline(always)]
    fn threads(&self) -> u32 {
        simt::block_threads()
    }

    /// Whether at least one of the block's tails [must be combined](crate::segments::Window::is_combined) with earlier chunks.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    unsafe fn is_combined(&self) -> bool {
        let mut is_combined = false;
        let mut number = 0;
        while number < self.windows_per_block {
            // SAFETY: the header is written (this function's condition); `number < windows_per_block`.
            is_combined |= unsafe { self.window(number).is_combined() };
            number += simt::opaque_one() as u32;
        }
        is_combined
    }
}
