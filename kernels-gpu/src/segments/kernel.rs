//! Reduction and scan of each segment of an array in one launch, each item read once.
//!
//! ```text
//! block:  take a ticket: which windows these are
//!         a warp for each border finds the segment that begins first after it: 32 places a step
//!         for each window, and two where there is no room for its last chunk beside the others:
//!             bring its items to shared memory
//!             write the places where its chunks start, check the offsets
//!             fold leaves of 16 items, then 16 leaves, then 16 of those      a barrier between
//!             write the results of segments that are whole here, publish the values of others' chunks
//!         combine what is the last of sixteen chunks, or of a segment, with what was published before
//! ```
//!
//! After Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), and Baxter's moderngpu, with
//! a departure: what is folded with what depends on places in the segment, not in the window. How the work is divided is
//! said in [`crate::segments`].
//!
//! **Long segments.** Their chunks combine by sixteens too. The block with the last chunk of sixteen combines them, that with
//! the last of 256 also combines the results of these, and so on; each publishes one value, when it has no more to combine. So a
//! block waits for at most 15 values at a time.
//!
//! **Scans** go the same way up, with one window a block, and publish the same values. Then they go down: see `placing`. What stands before
//! a chunk is made of values that others publish without waiting for what stands before theirs, at most 15 for each level.
//!
//! **Progress.** A ticket says which windows a block has, and it waits for windows with lower numbers only: these blocks have
//! started, or it has them itself. It waits when it has published all else that it publishes, and in the order of its windows.
//!
//! **Offsets that do not ascend.** A block checks the offsets of its window before it uses them, and before it waits. If it
//! refuses them, it writes the launch's tag to [`Control::fault`], where waiting blocks look. Neighbouring windows find their common
//! border by the same search, so the windows up to any one see all offsets up to its end, pair by pair. If none of
//! those before a window refuses, the offsets up to there ascend, so the blocks that it waits for see the chunks that they are to
//! publish. Hence a block that waits in vain hears of a refusal by a window before its own, whose block has started.
//!
//! **Offsets that somebody rewrites meanwhile.** Results are then of no use, but nothing is accessed out of bounds and no block waits
//! forever. What a block reads of its windows' ends and what it reads of its chunks' starts is checked together, whatever
//! the search has found. A window without a chunk that others may wait for publishes the identity, since another block may have read
//! otherwise: so each window publishes a value, or is refused.
//!
//! Cost: every item and every result once, every offset once or twice, a value for each window; of a window's items the first and the last come in vectors
//! that may reach into its neighbours. 3 barriers a block, 3 for each window, 1 more where a chunk has more than 256 items, 1 where
//! chunks have few items and one of them has more than 16, and 1 for what is combined. Of a scan, 4 more for each window, 1 where a chunk has more than 256 items, and 1 for a chunk of an earlier segment.

mod chunks;
mod items;
mod leaves;
mod placing;
mod search;
mod starts;
mod window;

use crate::board::Board;
use crate::direction::Direction;
use crate::element::Element;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{Header, Task};
use crate::segments::{SegmentedReduceArguments, SegmentedScanArguments};
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use crate::tiles::counted;

use self::items::Room;
use self::search::Offsets;

/// Reduces each of `segment_count` segments of `input` to a result in `output`.
///
/// # Safety
/// - `windows_per_block` is from 1 to [`crate::segments::MOST_WINDOWS`]. The launch has a block for each group of that many of its
///   [`crate::segments::window_count`], at least one, of [`crate::segments::tuning::SHORT_BLOCK_THREADS`] threads or of
///   [`crate::segments::tuning::LONG_BLOCK_THREADS`] that all call this, with
///   [`crate::segments::shared_bytes`] of dynamic shared memory.
/// - `input` is the address of item 0 of `item_count`, aligned to an item, all of them readable.
/// - `offsets` points to `segment_count + 1` readable numbers of `offset_bytes`, 4 or 8. Or `offset_bytes` is 0: then every
///   segment has `row_items` items, and they are not more than `item_count` together.
/// - `segment_count_at` is null, or points to a readable number.
/// - `output` points to `segment_count` writable results, in a place of their own.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::segments::state_words`] words or more.
/// - `report` is 0, or points to a writable word, which is set to 1 if the offsets are refused.
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
    } = arguments;
    // SAFETY: the caller's.
    let segment_count = unsafe { counted(segment_count, segment_count_at) };
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
        windows_per_block: windows_per_block as u32,
        output,
        control,
        states,
        report,
        header: simt::shared_memory(),
        task: Task::Reduce,
        is_exclusive: false,
    };
    // SAFETY: the caller's.
    unsafe { launch.work_and_depart(state_words) }
}

/// Scans each of `segment_count` segments of `input` to `output`: a result for each item, with or without the item itself. In a text that
/// the host makes of it, from the last segment and the last item on (see `direction.rs`).
///
/// # Safety
/// The same as for [`segmented_reduce`], save that `output` points to `item_count` writable results, in a place of their own; and
/// `windows_per_block` is better 1, since blocks wait for each other before they go on to their next window.
#[inline(always)]
pub unsafe fn segmented_scan<O: Op<T>, T: Element>(
    arguments: SegmentedScanArguments<T, O::Output>,
) {
    simt::await_work_before();
    // SAFETY: the caller's.
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
        output: arguments.output,
        control: arguments.control,
        states: arguments.states,
        report: arguments.report,
        header: simt::shared_memory(),
        task: Task::Scan,
        is_exclusive: arguments.is_exclusive != 0,
    };
    // SAFETY: the caller's.
    unsafe { launch.work_and_depart(arguments.state_words) }
}

/// What the threads of a block know of their launch. What is the windows' is in shared memory, since it would fill the registers.
struct Launch<O: Op<T>, T: Element> {
    input: *const T,
    offsets: Offsets,
    windows_per_block: u32,
    output: *mut O::Output,
    control: *mut Control,
    states: *mut u64,
    report: *mut u64,
    header: *mut Header<O::Accumulator>,
    task: Task,
    /// Whether a scan's result leaves out its item.
    is_exclusive: bool,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The work of a block, and its departure.
    ///
    /// # Safety
    /// The same as for [`segmented_reduce`].
    #[inline(always)]
    unsafe fn work_and_depart(&self, state_words: u64) {
        let room = Room::new(self.header.cast(), self.offsets.direction);
        // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
        unsafe {
            if self.begin(room) {
                self.run(room);
            }
            if simt::read_shared(&raw const (*self.header).tag) == LAST_TAG {
                // Orders what the block's threads published before its departure.
                simt::barrier();
                if simt::warp() == 0 {
                    depart(self.control, self.board(), state_words);
                }
            }
        }
    }

    /// The block's works, one after the other.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`segmented_reduce`], and the header is written.
    #[inline(always)]
    unsafe fn run(&self, mut room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's. What decides is the same on all threads.
        unsafe {
            let mut number = 0;
            while number < self.work_count() {
                let work = self.work(number);
                self.bring_items(&work, room);
                self.write_starts(&work, room);
                if simt::COPIES == Copies::Asynchronous {
                    simt::await_copies();
                }
                // Orders items and starts before everybody's reads.
                simt::barrier();
                if self.is_refused() {
                    return;
                }
                if self.starts_differ(&self.work(number), room) {
                    if simt::thread_index() == 0 {
                        self.refuse();
                    }
                    return;
                }
                if self.lacks_slots(&self.work(number), room) {
                    self.write_slots(&self.work(number), room);
                    // Orders the slots before everybody's reads.
                    simt::barrier();
                }
                self.clear_bits(room.next());
                self.fold_leaves(number, room);
                // Orders the leaves' values before the reads of those who combine them, and the cleared bits before the next
                // work's.
                simt::barrier();
                self.fold_nodes(number, room);
                if self.has_roots(room) {
                    // Orders the nodes' values before the reads of those who combine them.
                    simt::barrier();
                    self.fold_roots(number, room);
                }
                if self.task == Task::Scan && !self.place(number, room) {
                    return;
                }
                // Orders the reads of items and starts before what takes their place.
                simt::barrier();
                number = self.work_after(number);
                room = room.next();
            }
            // The barrier at the end of the last work orders the chunks' values before warp 0's reads.
            if self.task == Task::Reduce && simt::warp() == 0 && self.is_combined() {
                self.settle();
            }
        }
    }

    /// Threads of the block.
    #[inline(always)]
    fn threads(&self) -> u32 {
        simt::block_threads()
    }

    /// Whether a chunk of the block's is combined with what stands before it.
    ///
    /// # Safety
    /// The windows are written.
    #[inline(always)]
    unsafe fn is_combined(&self) -> bool {
        let mut is_combined = false;
        let mut number = 0;
        while number < self.windows_per_block {
            // SAFETY: the caller's.
            is_combined |= unsafe { self.window(number).is_combined() };
            number += simt::opaque_one() as u32;
        }
        is_combined
    }

    /// Whether a thread of the block has refused an offset.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    unsafe fn is_refused(&self) -> bool {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(&raw const (*self.header).is_refused) != 0 }
    }

    /// The launch's board.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    unsafe fn board(&self) -> Board {
        // SAFETY: the caller's.
        Board::new(self.states, unsafe {
            simt::read_shared(&raw const (*self.header).tag)
        })
    }

    /// Refuses the offsets.
    ///
    /// # Safety
    /// The same as for [`segmented_reduce`]; the header is written.
    #[inline(always)]
    unsafe fn refuse(&self) {
        // SAFETY: the caller's.
        unsafe {
            let tag = simt::read_shared(&raw const (*self.header).tag);
            simt::store_word(&raw mut (*self.control).fault, tag as u64);
            if !self.report.is_null() {
                simt::store_word(self.report, 1);
            }
        }
    }
}

/// Leaves a launch that uses up the tags. The last block to leave clears the state words and begins with the tags anew.
///
/// # Safety
/// Convergent: warp 0 of each block, whole, after its last access to the board.
#[inline(always)]
unsafe fn depart(control: *mut Control, board: Board, state_words: u64) {
    // SAFETY: the caller's; `arrive` orders the other blocks' accesses before what follows.
    unsafe {
        // Orders the warp's accesses before lane 0's news of them.
        simt::warp_barrier();
        if simt::lane() != 0 {
            return;
        }
        if simt::arrive(&raw mut (*control).departures) != simt::block_count() - 1 {
            return;
        }
        (*control).departures = 0;
        simt::store_word(&raw mut (*control).fault, 0);
        board.clear(state_words);
        tickets::restart(control, 0);
    }
}
