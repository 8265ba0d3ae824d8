//! Scans and reductions of segments that start at heads of runs. An earlier launch may have written the heads as [bits](crate::heads).
//! Otherwise the launch has the keys, and each block finds the heads around its window (see `heads/keys.rs`).
//!
//! The windows are cut by items alone. A run's nodes that begin in a window are a chunk of this window. A block has one window. One warp
//! looks at the window's bits, and writes a [`Word`](words::Word) for each 32 items to shared memory. From the words, each thread finds the
//! chunks around the items that it takes. The block needs neither starts nor slots of chunks (see `starts.rs`). It works as follows:
//!
//! ```text
//! one warp finds the window's chunks, and writes the words; other warps copy the items to shared memory; a barrier follows
//! narrow items: see `heads/narrow.rs`
//! wide items:
//!     leaves of longer chunks: a thread takes the leaves that begin in 16 items, at most two; a barrier follows
//!     short chunks, of at most one leaf: a lane takes a chunk
//!     nodes of longer chunks, as leaves
//!     runs that are shared with other windows: see `heads/shared.rs`
//! ```
//!
//! A reduction has no downsweep: see `heads/ranks.rs`.
//!
//! The bits belong to the library: an earlier launch or the block itself has written them. So nothing is checked or refused here.
//!
//! Runs were once published by chunks of 4,096 items, which belonged to the window in which they began. Then windows had 0 to 8,190 items,
//! and those with the most items set a small launch's time.

mod keys;
mod many;
mod narrow;
mod prefix;
mod published;
mod ranks;
mod results;
mod runs;
mod shared;
mod short;
mod sixteens;
mod upsweep;
mod window;
mod words;

use crate::contract::WARP_LANES;
use crate::direction::Direction;
use crate::element::Element;
use crate::heads::Heads;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{window_count, Task, Work, NODE_ITEMS, NO_CHUNK};
use crate::segments::{ByKeyReduceArguments, ByKeyScanArguments};
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::tiles::counted;

use self::keys::Keys;
use self::ranks::Outputs;
use self::runs::{HAS_LONG, HAS_NODES};
use self::window::Seen;
use super::downsweep::Downsweep;
use super::items::Room;
use super::leaves::Fold;
use super::search::Offsets;
use super::{depart, Launch};

/// If heads are marked, the first threads of a block do not copy items: those of warp 0, which finds the window's chunks, and those of warp
/// 1. The number of the threads that copy items must be a multiple of 64.
const IDLE_THREADS: u32 = 2 * WARP_LANES;

/// Scans each run of `input` to `output`: a result for each item, with or without the item itself. Runs begin at marked heads, or are runs
/// of equal keys. From this kernel's text, the host also makes the text of a backward scan (see `direction.rs`), and a text that compares
/// keys (see `simt::compares_keys`).
///
/// # Safety
/// 1. Convergent: whole blocks, a block for each window. A block has `LONG_BLOCK_THREADS`, `SHORT_BLOCK_THREADS` or `KEYED_BLOCK_THREADS`
///    threads, and the shared memory of [`RoomSize::Keyed`](crate::segments::RoomSize::Keyed).
/// 2. `input` points to `item_count` readable items, which nobody writes before the launch's end.
/// 3. If the text compares keys: the scan is forward, `key_bytes` is 4 or 8, and the address `keys` is a multiple of 16. At this address
///    lies a readable key of `key_bytes` bytes for each item, and nobody writes the keys before the launch's end. Otherwise: `heads` has
///    room for the bits of `item_count` items, and earlier work has marked the items that the launch scans (condition 4), in the direction
///    of the scan.
/// 4. `item_count_at` is null, or points to a readable number. If it is null, the launch scans `item_count` items. Otherwise the launch
///    reads there how many items it scans. If this number is greater than `item_count`, the launch scans `item_count` items.
/// 5. `output` points to `item_count` writable results, which overlap nothing else that the launch accesses.
/// 6. `control` and `states` are a workspace that no other launch uses at the same time. It has `state_words` state words: at least those
///    of the slots for nodes ([`crate::segments::node_slots`]), and one more for each window if the text compares keys.
#[inline(always)]
pub unsafe fn by_key_scan<O: Op<T>, T: Element>(arguments: ByKeyScanArguments<T, O::Output>) {
    simt::await_work_before();
    // The layout of the bits depends on the most items that the launch may have, not on the number at `item_count_at`.
    let heads = Heads::new(arguments.heads, arguments.item_count);
    let keys = Keys {
        words: arguments.keys,
        bytes: arguments.key_bytes as u32,
    };
    let launch = Launch::<O, T> {
        input: arguments.input,
        offsets: Offsets {
            address: core::ptr::null(),
            offset_bytes: 0,
            row_items: 0,
            segment_count: 0,
            // SAFETY: earlier work is awaited just above; the address is null or readable: condition 4.
            item_count: unsafe { counted(arguments.item_count, arguments.item_count_at) },
            direction: Direction::of_text(),
        },
        windows_per_block: 1,
        window_shift: arguments.window_shift as u32,
        output: arguments.output,
        control: arguments.control,
        states: arguments.states,
        report: core::ptr::null_mut(),
        header: simt::shared_memory(),
        task: Task::Scan,
        is_exclusive: arguments.is_exclusive != 0,
        starts_at_heads: true,
        takes_spans: false,
        warps_scan: false,
    };
    // SAFETY: the launch's conditions are this function's; all threads of the block call it.
    unsafe { launch.work_at_heads(&heads, keys, arguments.state_words) }
}

/// Reduces each run of equal keys to a result in `output`. Also writes the number of runs. Writes the runs' first keys if `first_keys` is
/// not null, and the runs' starts if `starts` is not null. From this kernel's text, the host also makes a text that compares keys (see
/// `simt::compares_keys`).
///
/// # Safety
/// 1. Convergent: whole blocks, a block for each window. A block has `LONG_BLOCK_THREADS`, `SHORT_BLOCK_THREADS` or `KEYED_BLOCK_THREADS`
///    threads, and the shared memory of [`RoomSize::Keyed`](crate::segments::RoomSize::Keyed).
/// 2. `input` points to `item_count` readable items, which nobody writes before the launch's end.
/// 3. If the text compares keys: `key_bytes` is 4 or 8, and the address `keys` is a multiple of 16. Otherwise: `heads` has room for the
///    bits of `item_count` items, and earlier work has marked the items that the launch reduces (condition 4), in the forward direction. If
///    the text compares keys, or if first keys are wanted, `keys` points to a readable key for each item, aligned to the size of a key.
///    This size is `key_bytes` bytes: 1, 2, 4 or 8. Nobody writes the keys before the launch's end.
/// 4. `item_count_at` is null, or points to a readable number. If it is null, the launch reduces `item_count` items. Otherwise the launch
///    reads there how many items it reduces. If this number is greater than `item_count`, the launch reduces `item_count` items.
/// 5. `output` has room for a result for each item. `first_keys` is null, or has room for a key for each item. `starts` is null, or has
///    room for a number for each item, and for one more number. Each of these numbers has `start_bytes` bytes: 4 or 8. `run_count` has room
///    for a number. These outputs overlap nothing else that the launch accesses.
/// 6. `control` and `states` are a workspace that no other launch uses at the same time. It has `state_words` state words: at least those
///    of the slots for nodes ([`crate::segments::node_slots`]), and one more for each window if the text compares keys.
#[inline(always)]
pub unsafe fn by_key_reduce<O: Op<T>, T: Element>(arguments: ByKeyReduceArguments<T, O::Output>) {
    simt::await_work_before();
    // The layout of the bits depends on the most items that the launch may have, not on the number at `item_count_at`.
    let heads = Heads::new(arguments.heads, arguments.item_count);
    let keys = Keys {
        words: arguments.keys,
        bytes: arguments.key_bytes as u32,
    };
    let outputs = Outputs {
        keys,
        first_keys: arguments.first_keys,
        starts: arguments.starts,
        start_bytes: arguments.start_bytes as u32,
        count: arguments.run_count,
    };
    let launch = Launch::<O, T> {
        input: arguments.input,
        offsets: Offsets {
            address: core::ptr::null(),
            offset_bytes: 0,
            row_items: 0,
            segment_count: 0,
            // SAFETY: earlier work is awaited just above; the address is null or readable: condition 4.
            item_count: unsafe { counted(arguments.item_count, arguments.item_count_at) },
            direction: Direction::FORWARD,
        },
        windows_per_block: 1,
        window_shift: arguments.window_shift as u32,
        output: arguments.output,
        control: arguments.control,
        states: arguments.states,
        report: core::ptr::null_mut(),
        header: simt::shared_memory(),
        task: Task::Reduce,
        is_exclusive: false,
        starts_at_heads: true,
        takes_spans: false,
        warps_scan: false,
    };
    let room = launch.room();
    // SAFETY: the launch's conditions are this function's; all threads of the block call it. Every branch around a barrier goes the same
    // way on all threads, since it depends on shared memory. `depart` comes after the last use of the board.
    unsafe {
        if launch.begin_at_heads(&heads, keys, room) {
            launch.reduce_at_heads(&outputs, room);
        } else if launch.offsets.item_count == 0 && simt::thread_index() == 0 {
            // Without items there are no runs. The block with the first ticket writes that their number is 0.
            if simt::read_shared(&raw const (*launch.header).ticket) == 0 {
                outputs.end(0, 0);
            }
        }
        launch.depart_if_last(arguments.state_words);
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// As [`Self::work_and_depart`], for segments that start at heads.
    ///
    /// # Safety
    /// Convergent: the whole block. If the text compares keys, there is a readable key for each item; otherwise the heads are marked.
    /// `state_words` is the launch's argument.
    #[inline(always)]
    unsafe fn work_at_heads(&self, heads: &Heads, keys: Keys, state_words: u64) {
        let room = self.room();
        // SAFETY: the whole block is here, and there are keys or marked heads (this function's conditions). Every branch around a barrier
        // goes the same way on all threads, since it depends on shared memory. Warp 0 writes the tag, and the barrier in `begin_at_heads`
        // follows. The board is not used after `run_at_heads`.
        unsafe {
            if self.begin_at_heads(heads, keys, room) {
                self.run_at_heads(room);
            }
            self.depart_if_last(state_words);
        }
    }

    /// In the launch with the last tag, the block departs.
    ///
    /// # Safety
    /// Convergent: the whole block, after its last use of the board. The tag is written, and `state_words` is the launch's argument.
    #[inline(always)]
    unsafe fn depart_if_last(&self, state_words: u64) {
        // SAFETY: the whole block is here, and the tag is written (this function's conditions), so all threads take the same branch. The
        // board is not used after this, and has `state_words` words.
        unsafe {
            if simt::read_shared(&raw const (*self.header).tag) == LAST_TAG {
                // Orders the publications by the block's threads before the block's departure.
                simt::barrier();
                if simt::warp() == 0 {
                    depart(self.control, self.board(), state_words);
                }
            }
        }
    }

    /// Takes the block's ticket, finds the chunks of its window, and writes the header and the words. Also copies the window's items to
    /// shared memory. Returns false on all threads if the window does not exist: the items may be fewer than the launch was planned for. In
    /// a reduction, also finds how many runs begin before the window.
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this first, and once. If the text compares keys, there is a readable key for each item.
    /// Otherwise the heads are marked.
    #[inline(always)]
    unsafe fn begin_at_heads(
        &self,
        heads: &Heads,
        keys: Keys,
        room: Room<T, O::Accumulator>,
    ) -> bool {
        let windows = window_count(self.offsets.item_count, self.window_shift);
        // SAFETY: the whole block is here, and uses its shared memory for the first time: this function's condition. The branches around
        // shuffles and ballots go the same way on all lanes of warp 0, and those around barriers on all threads. `control` belongs to the
        // workspace (the launch's condition 6). The block with the last ticket restarts the tickets, since no block takes another ticket.
        // `mark_keys`, `bring_window`, `see`, `see_keys` and `find_chunks` are called only for a window that the launch has. Either the
        // heads are marked, or the keys are readable.
        unsafe {
            if simt::thread_index() == 0 {
                let ticket = tickets::take_if(self.control, true).ticket();
                tickets::restart_after_last(self.control, ticket);
                (*self.header).ticket = ticket.index;
                (*self.header).tag = ticket.tag;
                (*self.header).is_refused = 0;
            }
            // Orders the writes of the ticket and the tag before all threads' reads.
            simt::barrier();
            let window = self.window_number(0);
            if window >= windows {
                return false;
            }
            if simt::compares_keys() {
                self.mark_keys(keys, room, window);
            }
            // If heads are marked, warp 0 looks at them while other warps copy the items.
            let mut idle = self.threads() % 64;
            if !simt::compares_keys() {
                idle += IDLE_THREADS;
            }
            if simt::thread_index() >= idle {
                let threads = [simt::thread_index() - idle, self.threads() - idle];
                self.bring_window(room, window, threads);
            }
            let mut seen = Seen::NOTHING;
            if simt::compares_keys() {
                seen = self.see_keys(room, window);
            } else if simt::warp() == 0 {
                seen = self.see(heads, window);
            }
            if simt::warp() == 0 {
                self.find_chunks(seen, room, window);
            }
            if simt::COPIES == Copies::Asynchronous {
                simt::await_copies();
            }
            // Orders the writes of the header, of the words and of the items before all threads' reads.
            simt::barrier();
        }
        true
    }

    /// Copies the items of window `window` to shared memory, and those of one node after it, since a node that begins in the window may end
    /// there. So the copies need not wait until the window's chunks are found. `threads` has the calling thread's number among the threads
    /// that share the copies, and how many threads share them.
    ///
    /// # Safety
    /// The launch has the window. No thread uses the items' memory yet. The number of threads is a multiple of 64.
    #[inline(always)]
    unsafe fn bring_window(&self, room: Room<T, O::Accumulator>, window: u64, threads: [u32; 2]) {
        let origin = window << self.window_shift;
        let left = self.offsets.item_count - origin;
        let place = self.place_in_vector(origin);
        let most = (1 << self.window_shift) + NODE_ITEMS;
        let work = Work {
            base: origin.wrapping_sub(place as u64),
            segment: 0,
            index: 0,
            begin: place,
            end: place + Ord::min(left, most) as u32,
            chunk_count: 1,
            tail_chunk: NO_CHUNK,
            cut_chunk: NO_CHUNK,
            window: 0,
            is_followed: 0,
            starts: place,
        };
        // SAFETY: the items exist, since the launch has the window (this function's condition). The items' memory has a place for each item
        // of a window and of one more node, and no thread uses it yet. The number of threads is a multiple of 64: this function's
        // conditions.
        unsafe { self.bring_items(&work, room, threads) }
    }

    /// Scans the window's work.
    ///
    /// # Safety
    /// Convergent: the whole block. The header, the words and the items are written.
    #[inline(always)]
    unsafe fn run_at_heads(&self, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole block is here, and the header, the words and the items are written: this function's conditions.
        unsafe {
            let work = self.work(0);
            match Self::BY_SIXTEENS {
                true => self.scan_narrow_runs(&work, room, room.flags_of_runs()),
                false => self.scan_runs(&work, room, room.flags_of_runs()),
            }
        }
    }

    /// Scans the chunks of a work.
    ///
    /// # Safety
    /// Convergent: the whole block. The header, the words and the items are written, and `work` is one of the block's works. `flags` is the
    /// address of the work's flags, which are cleared.
    #[inline(always)]
    unsafe fn scan_runs(&self, work: &Work, room: Room<T, O::Accumulator>, flags: *mut u32) {
        // SAFETY: the whole block is here, and the header, the words and the items are written: this function's conditions. The branches
        // around barriers depend on values in shared memory, so they go the same way on all threads. Each step comes after the steps that
        // it needs, with a barrier between. Lane 0 alone scans a short tail.
        unsafe {
            let found = self.for_each_leaf_of_runs::<Fold>(work, room);
            Self::note(flags, found);
            // Orders the writes of leaves' values and of flags before all threads' reads, and the reads of items before the writes of the
            // results that replace them.
            simt::barrier();
            let flags = simt::read_shared(flags);
            self.scan_short_runs(work, room);
            if simt::warp() == 0 {
                self.place_long(work, room, flags);
                if work.tail_chunk == 0 && simt::lane() == 0 {
                    self.scan_short_tail(work, room);
                }
            }
            // Orders the writes of prefixes and of short chunks' results before all threads' reads.
            simt::barrier();
            if flags & HAS_LONG != 0 {
                if flags & HAS_NODES != 0 {
                    self.for_each_single_node::<Downsweep>(work, room);
                }
                // Orders the writes of the leaves' prefixes before the reads by `for_each_leaf_of_runs`.
                simt::barrier();
                self.for_each_leaf_of_runs::<Downsweep>(work, room);
                // Orders the writes of the results before the reads by `take_out`.
                simt::barrier();
            }
            if Self::STAYS {
                self.take_out(work, room);
            }
        }
    }
}
