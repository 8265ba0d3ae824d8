//! Scan of an array in one launch, in a single pass: each item is read once, and each result is written once.
//!
//! ```text
//! the warps that share a tile, in each turn                     one more warp, which looks back
//!     take a ticket for the next tile                           wait for a tile
//!     wait for the copy of this turn's tile, scan it            look back for its prefix: at once,
//!     publish its aggregate, send the tile                      or when the next tile is sent
//!     begin to copy the next tile                               send the prefix
//!     wait for the prefix of the tile of two turns before;
//!     apply it, store
//! ```
//!
//! An aggregate is published soon after its tile has arrived, even if prefixes of earlier tiles are still missing. So look-backs find the
//! values that they need. A *turn* is a block's work on one tile. If shared memory has room for four tiles, the latency of the copies is
//! hidden, and a prefix delays nothing if it arrives up to two turns after its tile.
//!
//! A ticket is taken just before the copy of its tile can begin, so aggregates are published nearly in the order of the tickets. A ticket
//! takes about as long to arrive as a copy. So the thread that took the ticket scans its part of the current tile before it waits for the
//! ticket. Blocks get tiles by tickets, so a block that has not started holds no tile (see **Progress** in `crate::lookback`).
//!
//! While tiles wait for their prefixes, their items stay in shared memory. Each warp uses only its own part of a tile. So no barrier of
//! several warps is needed for the items. Registers hold only the prefixes of the vectors within each waiting tile.
//!
//! If shared memory has room for four tiles, each tile waits two turns. If it has room for two tiles, a tile is stored in the turn in which
//! it arrives. If it has room for one tile, the tile is also stored in that turn, and the next copy begins only after the tile is stored.
//!
//! **Backward.** From a scan's text, the host also makes a text that scans from the last item to the first. In that text, the tiles, a
//! thread's vectors and a vector's items follow one another from the end of the array. So the results have the same bits as a scan of the
//! reversed array. Operators that use an item's index get the index counted from the end.
//!
//! **Large items.** If items or results have more than 16 bytes, whole warps copy them: see `block::large`. If shared memory has room for
//! several tiles, the copy of the next tile begins as soon as this turn's copy has ended. So each ticket is taken one turn earlier.
//!
//! **Pieces.** A scan may be cut into several launches on one stream. Each launch scans consecutive tiles. Published values persist from
//! launch to launch.
//!
//! A block has one barrier of all its threads. For each tile, it has one barrier of the warps that share the tile, and two barriers for the
//! exchange with the warp that looks back. At these two barriers, the sender of a value does not wait (see `exchange`). [`crate::contract`]
//! defines the combination tree, and so every bit of the result.

mod exchange;
mod looking_back;
mod scanning;

use core::marker::PhantomData;

use crate::block::{Long, Placement, ScanPart, ScanTile, Shape, Short};
use crate::board::Board;
use crate::direction::Direction;
use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{Element, ACCUMULATOR_MAX_WORDS};
use crate::launch::{scan_scratch_bytes, ScanShared, SCAN_HAS_INITIAL, SCAN_PUBLISHES_ONLY};
use crate::op::Op;
use crate::scan::tuning;
use crate::scan::tuning::{IN_PLACE_CACHED_BYTES, TURNS};
use crate::scan::ScanArguments;
use crate::simt::{self, EvictionPolicy};
use crate::thread::TileItems;
use crate::tickets::{self, Ticket};
use crate::workspace::{Control, INITIAL_OFFSET};

#[cfg(feature = "stable")]
pub use crate::block::Either;
pub use crate::block::{Exclusive, Inclusive};

pub(crate) use self::looking_back::depart;

use crate::tiles::{counted, Tiles};

/// The shared memory of a block that scans items of type `T` by `O`.
type Shared<O, T> = ScanShared<<O as Op<T>>::Accumulator>;

/// Scans the items of `input` to `output`. This launch scans the tiles from `first_tile` to before `end_tile`. If `end_tile` has the bit
/// [`SCAN_PUBLISHES_ONLY`], the launch publishes the aggregates of its tiles and tile groups, but does not write to `output`. If `end_tile`
/// has the bit [`SCAN_HAS_INITIAL`], the scan begins with the initial value in the workspace.
///
/// If `item_count_at` is not null, the number of items is read from that address, and the launch scans all tiles. `item_count` decides
/// whether the launch has the blocks of a long scan. If the launch has these blocks, but the number that is read makes the scan short, the
/// launch has more warps, and perhaps more blocks, than the scan needs.
///
/// # Safety
/// - The launch has at least one block. If `item_count_at` is null, a launch with tiles has at most as many blocks as tiles, and its tiles
///   are among the first [`count`](crate::contract::ScanTiles::count) tiles. A block has [`crate::launch::scan_shared_bytes`] of dynamic
///   shared memory, for 1, 2 or 4 tiles, and [`crate::launch::scan_block_threads`] threads. All threads of the block call this. The
///   launches of a scan follow each other on a stream, in the order of their tiles. If no launch scans the tiles before the first launch's
///   tiles, the board already has those values of the earlier tiles that the launches need.
/// - `input` and `output` are the addresses of item 0 and its result, each aligned to its type. The items of this launch's tiles are
///   readable. Their results are writable, unless the launch stores none. Either the two addresses and the two types are equal, or items
///   and results do not overlap.
/// - `item_count_at` is null; or it points to a readable number, and the launch is the scan's only launch.
/// - `total` is null, or points to a writable result, which overlaps nothing else.
/// - `control` and `states`, of `state_words` words, belong to a workspace that no other launch uses at the same time. For every possible
///   number of items, the workspace has at least [`crate::workspace::scan_state_words`] words.
#[inline(always)]
pub unsafe fn scan<P: Placement, O: Op<T>, T: Element>(mut arguments: ScanArguments<T, O::Output>) {
    simt::await_work_before();
    let mut pieces = (arguments.first_tile as u32, arguments.end_tile as u32);
    let stores = arguments.end_tile & SCAN_PUBLISHES_ONLY == 0;
    // SAFETY: earlier work is awaited above, and `item_count_at` is null or readable: condition 3. The conditions of `run` are this
    // function's.
    unsafe {
        if !arguments.item_count_at.is_null() {
            arguments.item_count = counted(arguments.item_count, arguments.item_count_at);
            let tile_count = tuning::tiles::<O, T>().count(arguments.item_count);
            pieces = (0, tile_count as u32);
        }
        if tuning::tiles::<O, T>().is_short(arguments.item_count) {
            run::<P, O, T, Short<O, T>>(arguments, pieces, stores);
        } else {
            run::<P, O, T, Long<O, T>>(arguments, pieces, stores);
        }
    }
}

/// [`scan()`] with tiles of one shape.
///
/// # Safety
/// The same as for [`scan()`].
#[inline(always)]
unsafe fn run<P: Placement, O: Op<T>, T: Element, S: Shape>(
    arguments: ScanArguments<T, O::Output>,
    (first_tile, end_tile): (u32, u32),
    stores: bool,
) {
    let shared: *mut Shared<O, T> = simt::shared_memory();
    let control = arguments.control;
    let tile_count = tuning::tiles::<O, T>().count(arguments.item_count) as u32;
    let tiles = Tiles::of_launch(first_tile, end_tile, tile_count);
    let looks_back = simt::warp() == S::WARPS;
    // SAFETY: the conditions are those of [`scan()`]. Condition 1: the dynamic shared memory begins with a `Shared`, and one lane writes it
    // before the barrier. Either all threads of a block return before the barrier, or all get to it. Condition 5: the board has room for
    // the scan, and the tickets are the launch's. Whole warps then call `look_back`, `scan` or `scan_large`.
    unsafe {
        if simt::block_index() >= tiles.blocks() {
            if tile_count == 0 {
                write_total_of_nothing::<O, T>(&arguments);
            }
            return;
        }
        if looks_back && simt::lane() == 0 {
            // A scan of one tile reads no other block's value, so it needs no ticket. Its state words get tag 0, which no scan of several
            // tiles has.
            let mut ticket = Ticket { index: 0, tag: 0 };
            if tile_count > 1 {
                ticket = tiles.receive(control, tickets::take_if(control, true));
            }
            (*shared).tickets[1] = ticket.index;
            (*shared).tag = ticket.tag;
            // A block stops taking tickets when it gets a ticket without a tile.
            let has_tile = tiles.of_ticket(ticket.index) < tiles.end;
            if S::SHAPE.is_large() && tiles.tickets_go_on && has_tile {
                let taken = tickets::take_if(control, true);
                (*shared).second = tiles.receive(control, taken).index;
            }
        }
        // Orders the writes above before all threads' reads.
        simt::barrier();
        let board = Board::new(arguments.states, (*shared).tag);
        let array = Array {
            input: arguments.input,
            output: arguments.output,
            item_count: arguments.item_count,
        };
        let launch = Launch::<O, T, S> {
            array,
            tiles,
            stores,
            control,
            board,
            shared,
            direction: Direction::of_text(),
            shape: PhantomData,
        };
        if looks_back {
            launch.look_back(&arguments);
        } else if simt::warp() < S::WARPS {
            if S::SHAPE.is_large() {
                launch.scan_large::<P>();
            } else {
                launch.scan::<P>();
            }
        }
    }
}

/// The prefix of the first item: the initial value or the identity. Each word is chosen by itself: a choice between two structs would put
/// both structs into local memory.
///
/// # Safety
/// The same as for [`scan()`].
#[inline(always)]
unsafe fn initial<O: Op<T>, T: Element>(arguments: &ScanArguments<T, O::Output>) -> O::Accumulator {
    let has_initial = arguments.end_tile & SCAN_HAS_INITIAL != 0;
    let address = arguments
        .control
        .wrapping_byte_add(INITIAL_OFFSET as usize)
        .cast::<u32>();
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of O::Accumulator => {
        words[W] = if has_initial {
            // SAFETY: the workspace (condition 5) has room at this address for an accumulator of any size. The workspace was zeroed, and
            // the host wrote the initial value.
            unsafe { address.wrapping_add(W).read() }
        } else {
            accumulator_word(O::identity(), W)
        };
    });
    accumulator_of_words(words)
}

/// Writes the total of a scan of no items, if there is an address for the total. Only one thread of the launch writes.
///
/// # Safety
/// The same as for [`scan()`].
#[inline(always)]
unsafe fn write_total_of_nothing<O: Op<T>, T: Element>(arguments: &ScanArguments<T, O::Output>) {
    let is_first = simt::block_index() == 0 && simt::thread_index() == 0;
    if is_first && !arguments.total.is_null() {
        // SAFETY: `total` is not null, so it is writable (condition 4), and this is the only thread that writes it.
        unsafe { arguments.total.write(O::lower(initial::<O, T>(arguments))) };
    }
}

/// The arrays of a scan.
#[derive(Clone, Copy)]
struct Array<T, U> {
    input: *const T,
    output: *mut U,
    item_count: u64,
}

impl<T, U> Array<T, U> {
    /// The cache policy of reads. From compute capability 9.0 on, the L2 cache evicts the lines of the input last, except in small scans in
    /// place. The input's lines are not read again. But with this policy the cache evicts written lines first. On an H200, a scan of 1 GiB
    /// takes 3 % less time with this policy. Presumably the memory switches between reads and writes less often. A scan of 48 MiB in place
    /// took more time with this policy. [`IN_PLACE_CACHED_BYTES`] has the measurements.
    #[inline(always)]
    fn eviction_policy(&self) -> EvictionPolicy {
        let is_in_place = self.input == self.output.cast_const().cast();
        let bytes = self.item_count * size_of::<T>() as u64;
        EvictionPolicy::new(!is_in_place || bytes > IN_PLACE_CACHED_BYTES)
    }
}

/// Whether a tile is stored two turns after it arrived. Such a delay needs room for [`TURNS`] tiles.
#[inline(always)]
fn leaves_later(buffers: u32) -> bool {
    buffers == TURNS as u32
}

/// What the warps of a block know of the launch.
struct Launch<O: Op<T>, T: Element, S: Shape> {
    array: Array<T, O::Output>,
    tiles: Tiles,
    /// Whether the results are stored. If not, the launch serves only to publish aggregates.
    stores: bool,
    control: *mut Control,
    board: Board,
    shared: *mut Shared<O, T>,
    direction: Direction,
    shape: PhantomData<S>,
}

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// Bytes of shared memory before the tiles.
    const FIXED_BYTES: u32 =
        size_of::<Shared<O, T>>() as u32 + scan_scratch_bytes::<O::Accumulator>(S::SHAPE);

    /// The items of a tile.
    #[inline(always)]
    fn items(&self, tile: u32) -> TileItems {
        let begin = tile as u64 * S::TILE_ITEMS as u64;
        TileItems {
            begin,
            count: Ord::min(self.array.item_count - begin, S::TILE_ITEMS as u64) as u32,
        }
    }

    /// The calling thread's part of a tile in an array of items of type `V`. The larger of the types `V` and `W` decides how many items a
    /// vector has.
    #[inline(always)]
    fn part<V: Element, W: Element>(&self, array: *mut V, tile: u32) -> ScanPart<V, W> {
        let TileItems { begin, count } = self.items(tile);
        let border = self.direction.border(begin, self.array.item_count);
        let tile = array.wrapping_add(border as usize);
        ScanTile::<O, T, S>::part(self.direction, tile, count)
    }

    /// The scratch of a far look-back.
    #[inline(always)]
    fn scratch(&self) -> *mut u32 {
        self.shared.wrapping_add(1).cast()
    }

    /// The number of tiles that the block holds at once: the largest of 4, 2 and 1 that fits. A short scan in the blocks of a long scan may
    /// have room for more than 4 tiles.
    #[inline(always)]
    fn buffers(&self) -> u32 {
        let room = (simt::shared_bytes() - Self::FIXED_BYTES) / S::SHAPE.bytes() as u32;
        if room >= TURNS as u32 {
            TURNS as u32
        } else if room >= 2 {
            2
        } else {
            1
        }
    }
}
