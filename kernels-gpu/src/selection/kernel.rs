//! Selection in one launch and a single pass. Each item is read once, with one exception: a selection of heads reads the item before each
//! warp's first item a second time. Each result is written once.
//!
//! ```text
//! the warps that share a tile, in turns                         one more warp, on its own
//!     take a ticket, wait for the tile that is being            wait until a tile is sent
//!     copied to shared memory, find its chosen items            look back for its prefix
//!     publish their count, send a tile                          send the prefix
//!     begin to copy the ticket's tile
//!     wait for the prefix of the tile of the turn before;
//!     list its chosen items, write them side by side
//! ```
//!
//! The method of the look-back is that of Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016). The
//! method of a warp's work is that of Billeter, Olsson and Assarsson, *Efficient Stream Compaction on Wide SIMD Many-Core Architectures*
//! (2009). Tickets and the exchange between warps work as in [`crate::scan::kernel`]. The module `lookback` shows why waiting blocks make
//! progress, and the module `simt` explains the memory order. A tile's prefix is a count, and for heads also the index of the last head.
//! These are integers, so the prefix is exact.
//!
//! **Choosing.** A thread keeps one bit in registers for each of its items. The items stay in shared memory until they are written.
//!
//! **Writing.** All sharing warps wait for the tile's prefix. Then each warp writes the chosen items among its own consecutive items, and
//! waits for no other warp. It counts its chosen items by rows: a register holds the count of one row, or the counts of up to four rows, 8
//! bits each. It lists the places of the chosen items, in order. For each wanted output, each lane then takes every 32nd entry of the list,
//! and writes one value for it: the item, the item's index or, if heads are chosen, the distance to the next head in the list. So the
//! lanes' stores are adjacent, whichever items are chosen. If the items that are not chosen are wanted too, they follow the chosen ones in
//! the list, and are written in the same way. (Compacting the items themselves in shared memory took more time than the list: see
//! `tuning`.) A lane's loads and stores keep their order. So a lane that reads and writes one item after another waits for each load. For
//! runs, a lane reads up to four items, or computes up to four lengths, before it writes the first of them.
//!
//! Cost: each tile has 1 barrier of the warps that share it, and 2 barriers at which the sender does not wait (see `exchange`). Each block
//! has 1 barrier of all its threads.

mod choice;
mod choosing;
mod exchange;
mod looking_back;
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

/// Selects the items of `input` that `C` chooses, and writes the wanted outputs.
///
/// # Safety
/// - The launch has at least one and at most [`tile_count`] blocks of [`crate::selection::BLOCK_THREADS`] threads, and all of them call
///   this.
/// - The dynamic shared memory is [`crate::selection::shared_bytes`] for as many tiles as [`crate::selection::buffers`] returns.
/// - `item_count` is at least 1. `input` is the address of that many readable items, and is aligned to an item. If `C` asks for flags,
///   `flags` has a readable byte for each item.
/// - `item_count_at` is null, or points to a readable number.
/// - The outputs that are not null are aligned and writable: `items` and `lengths` have `capacity` places, `indices` has `index_capacity`,
///   and `others` has `other_capacity`. `count` is writable. Outputs overlap neither each other nor the inputs.
/// - `lengths` is null unless `C` chooses heads. If `indices` is null, `options` is 0.
/// - `control` and `states` are a workspace that no other launch uses at the same time. It has `state_words` state words, at least as many
///   as [`crate::selection::state_words`] returns.
#[inline(always)]
pub unsafe fn select<C: Choice<T>, T: Element>(mut arguments: SelectionArguments<T>) {
    simt::await_work_before();
    let shared: *mut Header<C::Prefix> = simt::shared_memory();
    let control = arguments.control;
    // SAFETY: work before the launch is awaited above; `item_count_at` is null or readable (condition of this function).
    arguments.item_count = unsafe { counted(arguments.item_count, arguments.item_count_at) };
    let tile_count = tile_count::<T>(arguments.item_count) as u32;
    let tiles = Tiles::of_launch(0, tile_count, tile_count);
    let looks_back = simt::warp() == WARPS;
    // SAFETY: arguments, workspace and shared memory are as this function's conditions say. Lane 0 of the warp that looks back takes the
    // block's first ticket, and receives it once. Either all threads of a block return early, or all reach the barrier: `tiles.blocks()` is
    // the same for all of them. The warp after the sharing warps looks back, and the sharing warps choose and write. The warp that looks
    // back departs after its last look-back.
    unsafe {
        if simt::block_index() >= tiles.blocks() {
            let is_first = simt::block_index() == 0 && simt::thread_index() == 0;
            if tile_count == 0 && is_first {
                writing::write_nothing::<C, T>(&arguments);
            }
            return;
        }
        if looks_back && simt::lane() == 0 {
            // A selection of one tile reads no published value. Its state words get tag 0, which no launch of several tiles has.
            let mut ticket = Ticket { index: 0, tag: 0 };
            if tile_count > 1 {
                ticket = tiles.receive(control, tickets::take_if(control, true));
            }
            (*shared).tickets[1] = ticket.index;
            (*shared).tag = ticket.tag;
        }
        // Orders the writes above before every thread's reads.
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

/// The launch's arguments and state, as each thread holds them.
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

    /// A launch of more tiles than this keeps device memory busy. So its look-backs are patient, as [`Lookback::look_back`] explains. Most
    /// of them also begin later (see [`choosing::Beginning`]).
    const PATIENT_TILES: u32 = 1024;

    /// The work of the warp that looks back.
    ///
    /// # Safety
    /// The conditions of [`select`]. The caller is the whole warp that follows the warps that share the tiles.
    #[inline(always)]
    unsafe fn look_back(&self) {
        let is_patient = self.tiles.end > Self::PATIENT_TILES;
        let mut turn = 0;
        // SAFETY: the whole warp that looks back calls this (this function's condition), and all its lanes see the same tiles, so they stay
        // together. The block holds each tile that it sends to this warp. Tiles are awaited once for each turn, and prefixes are sent once
        // for each turn with a tile, both in order.
        unsafe {
            let (tiles, prefixes) = (
                &raw mut (*self.shared).tiles,
                &raw mut (*self.shared).prefixes,
            );
            let mut tile = exchange::await_tile(tiles, turn);
            while tile < self.tiles.end {
                let prefix = self.lookback.look_back::<C::Prefix>(tile, is_patient);
                exchange::send_prefix(prefixes, turn, prefix);
                turn += 1;
                tile = exchange::await_tile(tiles, turn);
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

    /// The calling warp's first item, as a place in the tile.
    #[inline(always)]
    fn warp_begin() -> u32 {
        simt::warp() * warp_items::<T>() as u32
    }

    /// The calling thread's first vector, as a number of vectors from the beginning of the tile.
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

    /// The address in shared memory of buffer `buffer`, which has room for one tile.
    #[inline(always)]
    fn buffer(&self, buffer: u32) -> *mut u32 {
        let tiles = self.shared.wrapping_byte_add(fixed_bytes::<T, C::Prefix>());
        tiles
            .wrapping_byte_add(buffer as usize * tile_bytes::<T>())
            .cast()
    }

    /// The calling thread's slots in a buffer.
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

    /// How many tiles the block's shared memory holds.
    #[inline(always)]
    fn buffers(&self) -> u32 {
        (simt::shared_bytes() - fixed_bytes::<T, C::Prefix>() as u32) / tile_bytes::<T>() as u32
    }
}
