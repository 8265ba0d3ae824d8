//! Reduction of each segment of an array in one launch, each item read once.
//!
//! ```text
//! block:  take a ticket: the window's number
//!         one warp finds the segments that begin in the window: two searches at once, 32 places a step
//!         copy the window's items and the places where its chunks start to shared memory, check the offsets
//!         fold leaves of 16 items, then 16 leaves, then 16 of those      a barrier between
//!         write the results of segments that are whole here
//!         a chunk of a longer segment: tell its value, or combine it with those told before
//! ```
//!
//! After Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), and Baxter's moderngpu, with
//! a departure: what is folded with what depends on places in the segment, not in the window. How the work is divided is
//! said in [`crate::segments`].
//!
//! **Long segments.** Their chunks combine by sixteens too. The block with the last chunk of sixteen combines them, that with
//! the last of 256 also combines the results of these, and so on; each tells one value, when it has no more to combine. So a
//! block waits for at most 15 values at a time.
//!
//! **Progress.** A window's number is a ticket, and a block waits for windows with lower numbers only: these blocks have started.
//!
//! **Offsets that do not ascend.** A block checks the offsets of its window before it uses them, and before it waits. What it
//! refuses it tells by the launch's tag in [`Control::fault`], where those look that wait. Neighbouring windows find their common
//! border by the same search, so the windows up to any one see all offsets up to its end, pair by pair. If none of
//! those before a window refuses, the offsets up to there ascend, so the blocks that it waits for see the chunks that they are to
//! tell. Hence a block that waits in vain hears of a refusal by a window before its own, whose block has started.
//!
//! Cost: every item and every result once, every offset once or twice. 4 barriers a block, 1 more where a segment is cut, and 5
//! where there is no room for a window's last chunk beside the others.

mod chunks;
mod items;
mod leaves;
mod search;
mod window;

use crate::arguments::SegmentedReduceArguments;
use crate::board::Board;
use crate::element::Element;
use crate::op::Op;
use crate::segments::{Header, Window, Work};
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use self::items::Room;
use self::search::Offsets;

/// Reduces each of `segment_count` segments of `input` to a result in `output`.
///
/// # Safety
/// - The launch has [`crate::segments::window_count`] blocks, at least one, of [`crate::contract::BLOCK_THREADS`] threads that all
///   call this, with [`crate::segments::shared_bytes`] of dynamic shared memory.
/// - `input` is the address of item 0 of `item_count`, aligned to an item, all of them readable.
/// - `offsets` points to `segment_count + 1` readable numbers of `offset_bytes`, 4 or 8. Or `offset_bytes` is 0: then every
///   segment has `row_items` items, and they are not more than `item_count` together.
/// - `output` points to `segment_count` writable results, in a place of their own.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::segments::state_words`] words or more.
/// - `report` is 0, or points to a writable word, which is set to 1 if the offsets are refused.
#[inline(always)]
pub unsafe fn segmented_reduce<O: Op<T>, T: Element>(
    arguments: SegmentedReduceArguments<T, O::Output>,
) {
    let SegmentedReduceArguments {
        input,
        item_count,
        offsets,
        offset_bytes,
        row_items,
        segment_count,
        control,
        states,
        state_words,
        output,
        report,
    } = arguments;
    simt::await_work_before();
    let header: *mut Header<O::Accumulator> = simt::shared_memory();
    let offsets = Offsets {
        address: offsets,
        offset_bytes,
        row_items,
        segment_count,
        item_count,
    };
    // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
    unsafe {
        let launch = Launch::<O, T> {
            input,
            offsets,
            output,
            control,
            states,
            report,
            header,
            room: Room::new(header.cast()),
        };
        if simt::warp() == 0 {
            launch.begin();
        }
        // Orders the writes just above before everybody's reads.
        simt::barrier();
        launch.run();
        let tag = simt::read_shared(&raw const (*header).tag);
        if tag == LAST_TAG && simt::warp() == 0 {
            depart(control, launch.board(), state_words);
        }
    }
}

/// What the threads of a block know of their launch. What is the window's is in shared memory, since it would fill the registers.
struct Launch<O: Op<T>, T: Element> {
    input: *const T,
    offsets: Offsets,
    output: *mut O::Output,
    control: *mut Control,
    states: *mut u64,
    report: *mut u64,
    header: *mut Header<O::Accumulator>,
    room: Room<T, O::Accumulator>,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The work of a block.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`segmented_reduce`], and the header is written.
    #[inline(always)]
    unsafe fn run(&self) {
        // SAFETY: the caller's. What decides is the same on all threads.
        unsafe {
            let mut goes_on = self.work().chunk_count > 0;
            while goes_on {
                self.fill();
                // Orders what was just written to shared memory before everybody's reads.
                simt::barrier();
                if self.is_refused() {
                    return;
                }
                self.write_empty();
                self.fold_leaves();
                // Orders the leaves' values before the reads of those who combine them.
                simt::barrier();
                self.fold_nodes();
                // Orders the nodes' values before the reads of those who combine them.
                simt::barrier();
                self.fold_roots();
                goes_on = self.work().next_items > 0;
                if goes_on {
                    // Orders everybody's reads before the writes of the next chunk.
                    simt::barrier();
                    if simt::thread_index() == 0 {
                        self.turn_to_next();
                    }
                    // Orders the writes just above before everybody's reads.
                    simt::barrier();
                }
            }
            let window = self.window();
            if window.has_tail | window.is_cut != 0 {
                // Orders the chunks' values before warp 0's reads.
                simt::barrier();
                if simt::warp() == 0 {
                    self.settle();
                }
            }
        }
    }

    /// The chunks in hand.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    unsafe fn work(&self) -> Work {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(&raw const (*self.header).work) }
    }

    /// The block's window.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    unsafe fn window(&self) -> Window {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(&raw const (*self.header).window) }
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
    /// That of [`segmented_reduce`]; the header is written.
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
