//! Selection in one launch and a single pass. Each item is read once, and each output is written once.
//!
//! ```text
//! the warps that share a tile, in turns                         one more warp, on its own
//!     take a ticket, wait for the tile that is being            wait until a tile is told
//!     copied to shared memory: which items are chosen?          look back: how many before it?
//!     publish how many they are, tell the tile                  tell that
//!     begin to copy the ticket's tile
//!     wait for the prefix of the tile of the turn before;
//!     list its chosen items, write them side by side
//! ```
//!
//! After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), and, for the work of a warp, Billeter,
//! Olsson and Assarsson, *Efficient Stream Compaction on Wide SIMD Many-Core Architectures* (2009). The frame is that of
//! [`crate::scan::kernel`]: its headers argue for progress and for the order of the exchange between warps. Tiles look back for a count,
//! which is exact.
//!
//! **Choosing.** A thread has a bit for each of its items. That is all that it keeps of a tile; the items stay in shared memory
//! until they are written.
//!
//! **Writing.** A warp writes the chosen ones among its own consecutive items, so it needs no other warp. It counts them in numbers of 8
//! bits, four rows in a register; makes a list of places, in order; and then each lane writes every 32nd item of the list, or the item's
//! index, or the distance from the head before. So stores lie side by side, whatever was chosen. Items that are not chosen follow the
//! others in the list, and are written from there. (Moving the items together in shared memory in place of the list took more time: see
//! `tuning`.)
//!
//! Cost: for each tile 1 barrier of the warps that share it and 2 at which one side does not wait, see `telling`; 1 of
//! the block.

mod choice;
mod choosing;
mod looking_back;
mod telling;
mod writing;

pub use choice::{Choice, Flagged, Heads, If};

use core::marker::PhantomData;

use crate::board::Board;
use crate::contract::{vector_bytes, vector_items, WARP_LANES};
use crate::element::Element;
use crate::selection::tuning::WARPS;
use crate::selection::SelectionArguments;
use crate::selection::{
    fixed_bytes, list_bytes, rows, tile_bytes, tile_count, tile_items, warp_items, Header,
};
use crate::simt;
use crate::thread::{Part, Slots, TileItems};
use crate::tickets::{self, Ticket, LAST_TAG};

use self::looking_back::Lookback;
use crate::scan::kernel::depart;
use crate::tiles::{counted, Tiles};

/// Writes the items of `input` that `C` chooses.
///
/// # Safety
/// - The launch has at least one and at most [`tile_count`] blocks of [`crate::selection::BLOCK_THREADS`] threads, all of
///   which call this, with [`crate::selection::shared_bytes`] of dynamic shared memory for as many tiles as
///   [`crate::selection::buffers`] says.
/// - `input` is the address of item 0 of `item_count`, at least one, aligned to an item, all of them readable; and `flags`, if
///   `C` asks for flags, of as many bytes. `item_count_at` is null, or points to a readable number.
/// - `items` and `lengths`, where they are not 0, have `capacity` places that are writable, `indices` has `index_capacity`, and `others`
///   `other_capacity`; all of them aligned. They overlap neither each other nor the inputs. `count` is a writable word.
/// - `lengths` is 0 where `C` does not choose heads.
/// - `control` and `states`, of `state_words` words, are a workspace's, which no other launch uses at the same time, and
///   there are [`crate::selection::state_words`] words or more.
#[inline(always)]
pub unsafe fn select<C: Choice<T>, T: Element>(mut arguments: SelectionArguments<T>) {
    simt::await_work_before();
    let shared: *mut Header<C::Prefix> = simt::shared_memory();
    let control = arguments.control;
    // SAFETY: the caller's.
    arguments.item_count = unsafe { counted(arguments.item_count, arguments.item_count_at) };
    let tile_count = tile_count::<T>(arguments.item_count) as u32;
    let tiles = Tiles::of_launch(0, tile_count, tile_count);
    let looks_back = simt::warp() == WARPS;
    // SAFETY: the caller's. The barrier is the whole block's.
    unsafe {
        if simt::block_index() >= tiles.blocks() {
            let is_first = simt::block_index() == 0 && simt::thread_index() == 0;
            if tile_count == 0 && is_first {
                writing::write_nothing::<C, T>(&arguments);
            }
            return;
        }
        if looks_back && simt::lane() == 0 {
            // A selection of one tile uses no board, and its tag belongs to no launch.
            let mut ticket = Ticket { index: 0, tag: 0 };
            if tile_count > 1 {
                ticket = tiles.receive(control, tickets::take_if(control, true));
            }
            (*shared).tickets[1] = ticket.index;
            (*shared).tag = ticket.tag;
        }
        // Orders the writes above before all threads' reads.
        simt::barrier();
        let board = Board::new(arguments.states, (*shared).tag);
        let launch = Launch::<C, T> {
            arguments,
            tiles,
            lookback: Lookback::new::<C::Prefix>(
                arguments.states,
                board.tag(),
                tile_count,
                tile_items::<T>() as u32,
            ),
            shared,
            choice: PhantomData,
        };
        if looks_back {
            launch.look_back();
            if board.tag() == LAST_TAG {
                depart(control, board, arguments.state_words, tiles.blocks());
            }
        } else {
            launch.choose_and_write();
        }
    }
}

/// The launch, as the warps of a block know it.
struct Launch<C: Choice<T>, T: Element> {
    arguments: SelectionArguments<T>,
    tiles: Tiles,
    lookback: Lookback,
    shared: *mut Header<C::Prefix>,
    choice: PhantomData<C>,
}

impl<C: Choice<T>, T: Element> Launch<C, T> {
    /// Items of a vector.
    const VECTOR_ITEMS: usize = vector_items::<T>();

    /// Vectors of a thread.
    const ROWS: usize = rows::<T>();

    /// The number of tiles from which look-backs are patient, since memory is busy.
    const PATIENT_TILES: u32 = 1024;

    /// The part of the warp that looks back.
    ///
    /// # Safety The same as for [`select`]. The whole warp that follows the warps that share the tiles calls it.
    #[inline(always)]
    unsafe fn look_back(&self) {
        let is_patient = self.tiles.end > Self::PATIENT_TILES;
        let mut turn = 0;
        // SAFETY: the caller's. All lanes see the same tiles, so they stay together.
        unsafe {
            let (tiles, prefixes) = (
                &raw mut (*self.shared).tiles,
                &raw mut (*self.shared).prefixes,
            );
            let mut tile = telling::await_tile(tiles, turn);
            while tile < self.tiles.end {
                let prefix = self.lookback.look_back::<C::Prefix>(tile, is_patient);
                telling::tell_prefix(prefixes, turn, prefix);
                turn += 1;
                tile = telling::await_tile(tiles, turn);
            }
        }
    }

    /// The items of a tile.
    #[inline(always)]
    fn items(&self, tile: u32) -> TileItems {
        let begin = tile as u64 * tile_items::<T>() as u64;
        TileItems {
            begin,
            count: Ord::min(self.arguments.item_count - begin, tile_items::<T>() as u64) as u32,
        }
    }

    /// The place in a tile of the calling warp's first item.
    #[inline(always)]
    fn warp_begin() -> u32 {
        simt::warp() * warp_items::<T>() as u32
    }

    /// The place in a tile of the calling thread's first vector, in vectors.
    #[inline(always)]
    fn first_vector() -> u32 {
        simt::warp() * Self::ROWS as u32 * WARP_LANES + simt::lane()
    }

    /// The calling thread's part of a tile of the input.
    #[inline(always)]
    fn source(&self, tile: u32) -> Part<T, T, WARP_LANES> {
        let TileItems { begin, count } = self.items(tile);
        let first = self.arguments.input.wrapping_add(begin as usize);
        Part::new(first.cast_mut(), count, Self::ROWS, Self::first_vector())
    }

    /// The address of a tile in shared memory.
    #[inline(always)]
    fn buffer(&self, buffer: u32) -> *mut u32 {
        let tiles = self.shared.wrapping_byte_add(fixed_bytes::<T, C::Prefix>());
        tiles
            .wrapping_byte_add(buffer as usize * tile_bytes::<T>())
            .cast()
    }

    /// The calling thread's slots in a tile.
    #[inline(always)]
    fn slots(&self, buffer: u32) -> Slots {
        Slots::new(
            self.buffer(buffer),
            Self::first_vector(),
            WARP_LANES,
            vector_bytes::<T>(),
        )
    }

    /// The address of the calling warp's list.
    #[inline(always)]
    fn list_address(&self) -> *mut u16 {
        self.shared
            .wrapping_add(1)
            .wrapping_byte_add(simt::warp() as usize * list_bytes::<T>())
            .cast()
    }

    /// The tiles that the block has room for.
    #[inline(always)]
    fn buffers(&self) -> u32 {
        (simt::shared_bytes() - fixed_bytes::<T, C::Prefix>() as u32) / tile_bytes::<T>() as u32
    }
}
