//! How the warps that share a tile find its chosen items.

use crate::contract::{vector_items, WARP_LANES};
use crate::element::VECTOR_WORDS;
use crate::element::{Element, Vector, Words};
use crate::lookback::is_group_last;
use crate::op::Op;
use crate::selection::tuning::{BUFFERS, FEW, WARPS};
use crate::selection::{row_items, tile_items, Share};
use crate::simt::{self, EvictionPolicy};
use crate::thread::{for_each_vector, Access, Caching, Part, TileItems};
use crate::tickets;

use super::choice::{Choice, Prefix};
use super::looking_back::over_lanes;
use super::{exchange, Launch};

/// The number of the barrier of the warps that share a tile.
const SHARES_BARRIER: u32 = 1;

/// The most vectors of a thread.
const MOST_ROWS: usize = 4;

/// Which of a thread's items are chosen: a bit for each item. With vectors of `V` items, row `r` begins at bit `r · V`.
#[derive(Clone, Copy)]
pub struct Chosen {
    low: u32,
    high: u32,
}

impl Chosen {
    const NONE: Self = Chosen { low: 0, high: 0 };

    /// Adds the bits of one more row.
    #[inline(always)]
    fn with<T>(self, row: usize, bits: u32) -> Self {
        let first = row * vector_items::<T>();
        match first < 32 {
            true => Chosen {
                low: self.low | bits << first,
                ..self
            },
            false => Chosen {
                high: self.high | bits << (first - 32),
                ..self
            },
        }
    }

    /// The bits of `count` rows from `row` on.
    #[inline(always)]
    pub fn rows<T>(self, row: u32, count: usize) -> u32 {
        let first = row * vector_items::<T>() as u32;
        let word = if first < 32 { self.low } else { self.high };
        let bits = count * vector_items::<T>();
        (word >> (first % 32)) & (u32::MAX >> (32 - bits))
    }

    /// How many items are chosen.
    #[inline(always)]
    fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// One more than the number of the highest bit that is set; 0 if no bit is set.
    #[inline(always)]
    fn end(self) -> u32 {
        match self.high {
            0 => u32::BITS - self.low.leading_zeros(),
            high => 2 * u32::BITS - high.leading_zeros(),
        }
    }
}

/// When a tile is sent to the warp that looks back, which then begins the tile's look-back.
///
/// If a tile is written one turn after it arrived, its look-back can begin later. Then the counts that the look-back needs are published as
/// a rule, so it polls less. For the last tile of a group, it begins at once, since the next group waits for its result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// As soon as the tile's count is published.
    AtOnce,
    /// When the block's next tile has arrived. A tile with few chosen items is soon written, so its prefix is needed early.
    OnArrival,
    /// When the count of the block's next tile is published.
    AfterCount,
}

/// A tile that waits for its prefix. Its chosen items are known.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// The number of the tile. If there is no tile, the end number of the launch's tiles: one more than the last tile's number.
    pub tile: u32,
    /// Which of the thread's items are chosen.
    pub chosen: Chosen,
    /// The shares of the warps below the thread's warp, added up.
    pub before: Share,
    /// When the tile's look-back begins. Valid only in the last sharing warp.
    pub beginning: Beginning,
}

/// Data that a thread reads while its part of a tile is being copied. A field that the choice does not need is zero.
#[derive(Clone, Copy)]
struct Ahead<T> {
    /// The flags of the thread's vectors.
    flags: [Words; MOST_ROWS],
    /// The item before the warp's first item. If one of these two items does not exist, any other item of the input.
    before: T,
}

impl<C: Choice<T>, T: Element> Launch<C, T> {
    /// The work of the warps that share a tile.
    ///
    /// # Safety
    /// The conditions of [`super::select`]. The callers are all warps that share the block's tiles.
    #[inline(always)]
    pub unsafe fn choose_and_write(&self) {
        let end = self.tiles.end;
        let buffers = self.buffers();
        let leaves_later = buffers == BUFFERS;
        let has_time = leaves_later && !C::Prefix::HAS_LAST && self.tiles.end > Self::PATIENT_TILES;
        let copies_at_once = simt::copies_at_once();
        let takes = simt::thread_index() == 0 && self.tiles.tickets_go_on;
        let nothing = Waiting {
            tile: end,
            chosen: Chosen::NONE,
            before: Share { count: 0, last: 0 },
            beginning: Beginning::AtOnce,
        };
        let mut waiting = nothing;
        let mut waiting_buffer = 0;
        let mut ahead = Ahead {
            flags: [[0; 4]; MOST_ROWS],
            before: T::zeroed(),
        };
        // SAFETY: all sharing warps have the same tiles and tickets. So all of them take the same branches around convergent calls. They
        // call `send_tile` once for each turn, in the order of the turns: for a tile, in the tile's own turn or in the next one. A tile
        // whose number is less than `end` belongs to the launch, and the launch's items and flags are readable. A buffer holds one tile. A
        // thread copies the next tile to a buffer only after its warp has written the output of the buffer's previous tile. Thread 0 takes
        // all tickets of the block but the first, and receives each once. A turn's shares and ticket are read before the next turn's
        // barrier, and overwritten after it.
        unsafe {
            // In the first pass of the loop, no tile has arrived, and the copy of the first tile begins.
            let mut arriving = end;
            let mut next = self.tiles.of_ticket((*self.shared).tickets[1]);
            let mut turn = u32::MAX;
            let mut buffer = buffers - 1;
            loop {
                let mut arrived = nothing;
                if arriving < end {
                    let parity = turn as usize % 2;
                    let taken = tickets::take_if(self.arguments.control, takes);
                    self.source(arriving).end_copy::<Zeros>(self.slots(buffer));
                    if waiting.beginning == Beginning::OnArrival {
                        self.send_tile(turn.wrapping_sub(1), waiting.tile);
                    }
                    arrived.tile = arriving;
                    arrived.chosen = self.chosen(arriving, buffer, &ahead);
                    let share = self.share(arrived.chosen);
                    if simt::lane() == 0 {
                        self.share_of_warp(parity, simt::warp()).write(share);
                    }
                    if takes {
                        let ticket = self.tiles.receive(self.arguments.control, taken);
                        (*self.shared).tickets[parity] = ticket.index;
                    }
                    // Orders the writes of shares and of the ticket before their reads.
                    simt::wait_at_barrier(SHARES_BARRIER, WARPS);
                    arrived.before = self.before(parity);
                    self.publish(&arrived, share);
                    next = match self.tiles.tickets_go_on {
                        true => self.tiles.of_ticket((*self.shared).tickets[parity]),
                        false => end,
                    };
                    if waiting.beginning == Beginning::AfterCount {
                        self.send_tile(turn.wrapping_sub(1), waiting.tile);
                    }
                    if has_time && next < end {
                        arrived.beginning = Self::beginning(&arrived, share);
                    }
                    if arrived.beginning == Beginning::AtOnce {
                        self.send_tile(turn, arriving);
                    }
                }
                let next_buffer = if buffer + 1 < buffers { buffer + 1 } else { 0 };
                // With synchronous copies there is one buffer. It is free once the output of its tile is written, so the next tile's copy
                // begins only in the next pass of the loop.
                let must_wait = copies_at_once && arriving < end && next < end;
                if next < end {
                    if !must_wait {
                        ahead = self.begin(next, next_buffer);
                    }
                } else if arriving < end || turn == u32::MAX {
                    self.send_tile(turn.wrapping_add(1), end);
                }
                let (leaving, its_turn, its_buffer) = match leaves_later {
                    true => (waiting, turn.wrapping_sub(1), waiting_buffer),
                    false => (arrived, turn, buffer),
                };
                if leaving.tile < end {
                    self.write(&leaving, its_turn, its_buffer);
                }
                (waiting, waiting_buffer) = (arrived, buffer);
                if must_wait {
                    arriving = end;
                    continue;
                }
                (arriving, buffer) = (next, next_buffer);
                next = end;
                turn = turn.wrapping_add(1);
                if arriving >= end && !(leaves_later && waiting.tile < end) {
                    break;
                }
            }
        }
    }

    /// When the look-back of a tile begins, if the block has a next tile. `share` is the calling warp's share, valid on lane 0. The result
    /// is valid in the last sharing warp.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn beginning(arrived: &Waiting, share: Share) -> Beginning {
        // SAFETY: the whole warp calls it (condition of this function).
        let chosen = unsafe { simt::shuffle_from(arrived.before.count + share.count, 0) };
        if is_group_last(arrived.tile) {
            Beginning::AtOnce
        } else if chosen < (tile_items::<T>() / FEW) as u32 {
            Beginning::OnArrival
        } else {
            Beginning::AfterCount
        }
    }

    /// Sends a turn's tile to the warp that looks back. If the turn has no tile, sends the end number of the launch's tiles.
    ///
    /// # Safety
    /// The same as for [`exchange::send_tile`].
    #[inline(always)]
    unsafe fn send_tile(&self, turn: u32, tile: u32) {
        // SAFETY: the conditions of `exchange::send_tile` are this function's.
        unsafe { exchange::send_tile(&raw mut (*self.shared).tiles, turn, tile) }
    }

    /// Begins to copy the calling thread's part of a tile to shared memory. Reads what else the choice needs, if anything: the part's
    /// flags, or the item before the warp's first item.
    ///
    /// # Safety
    /// - The tile is one of the launch's tiles. The launch's items and their flags are readable.
    /// - No other thread uses the calling thread's slots in the buffer.
    #[inline(always)]
    unsafe fn begin(&self, tile: u32, buffer: u32) -> Ahead<T> {
        let items = self.items(tile);
        let mut flags = [[0; 4]; MOST_ROWS];
        let mut before = T::zeroed();
        // SAFETY: the input is readable and the slots are this thread's (conditions of this function). `index` is less than `item_count`,
        // which is at least 1.
        unsafe {
            let policy = EvictionPolicy::new(true);
            self.source(tile)
                .begin_copy::<Zeros>(self.slots(buffer), policy);
            if C::HAS_FLAGS {
                flags = self.flags(items);
            }
            if C::LOOKS_BEFORE {
                let index = items.begin + Self::warp_begin() as u64;
                let index = Ord::max(Ord::min(index, self.arguments.item_count), 1) - 1;
                let item = self.arguments.input.wrapping_add(index as usize);
                before = item.read();
            }
        }
        Ahead { flags, before }
    }

    /// The flags of the calling thread's vectors of a tile; 0 for items that do not exist.
    ///
    /// # Safety
    /// The flags of the tile's items are readable.
    #[inline(always)]
    unsafe fn flags(&self, items: TileItems) -> [Words; MOST_ROWS] {
        let unit = Self::VECTOR_ITEMS;
        let tile = self.arguments.flags.wrapping_add(items.begin as usize);
        let is_whole =
            items.count as usize == tile_items::<T>() && tile.addr().is_multiple_of(unit);
        let mut flags = [[0; 4]; MOST_ROWS];
        for_each_vector!(ROW in 0 1 2 3 => {
            if ROW < Self::ROWS {
                let vector = Self::first_vector() as usize + ROW * WARP_LANES as usize;
                let place = vector * unit;
                let address = tile.wrapping_add(place);
                // SAFETY: if `is_whole` holds, the vector's flags exist and are aligned. Otherwise the flags of the existing items from
                // `place` on are readable.
                flags[ROW] = unsafe {
                    if is_whole {
                        let vector = Access::new(unit, unit).load(address.cast(), Caching::Streamed);
                        [vector[0], vector[1], vector[2], vector[3]]
                    } else {
                        flags_in_pieces::<T>(address, items.count.saturating_sub(place as u32))
                    }
                };
            }
        });
        flags
    }

    /// The calling thread's chosen items of a tile.
    ///
    /// # Safety
    /// - Convergent: a whole warp.
    /// - Each lane's copy of the tile to the buffer is done, and `ahead` is the lane's data of the tile.
    #[inline(always)]
    unsafe fn chosen(&self, tile: u32, buffer: u32, ahead: &Ahead<T>) -> Chosen {
        let slots = self.slots(buffer);
        let items = self.items(tile);
        let mut chosen = Chosen::NONE;
        // SAFETY: if a lane reads items of other lanes, the barrier orders the copies of all lanes before the reads. The slots of the
        // thread's rows are written. The item before the warp's first vector is in `ahead`. The item before any later vector is one of the
        // warp's items, so it is written too.
        unsafe {
            if C::LOOKS_BEFORE {
                simt::warp_barrier();
            }
            for_each_vector!(ROW in 0 1 2 3 => {
                if ROW < Self::ROWS {
                    let mut vector: Vector = [0; VECTOR_WORDS];
                    if !C::HAS_FLAGS {
                        vector = slots.read_constant(ROW, Part::<T, T, WARP_LANES>::ACCESS);
                    }
                    let mut before = ahead.before;
                    if C::LOOKS_BEFORE && (ROW != 0 || simt::lane() > 0) {
                        let address = slots.address(ROW).wrapping_byte_sub(size_of::<T>());
                        before = simt::read_shared(address.cast::<T>());
                    }
                    let bits = C::chosen(&vector, before, ahead.flags[ROW]);
                    chosen = chosen.with::<T>(ROW, bits);
                }
            });
        }
        if C::LOOKS_BEFORE && tile == 0 && simt::thread_index() == 0 {
            chosen.low |= 1;
        }
        // Flags of items that do not exist are 0.
        if !C::HAS_FLAGS && (items.count as usize) < tile_items::<T>() {
            let existing = Self::existing(items);
            chosen.low &= existing.low;
            chosen.high &= existing.high;
        }
        chosen
    }

    /// Which of the calling thread's items exist in a tile.
    #[inline(always)]
    fn existing(items: TileItems) -> Chosen {
        let unit = Self::VECTOR_ITEMS as u32;
        let mut existing = Chosen::NONE;
        for_each_vector!(ROW in 0 1 2 3 => {
            if ROW < Self::ROWS {
                let place = (Self::first_vector() + ROW as u32 * WARP_LANES) * unit;
                let count = Ord::min(items.count.saturating_sub(place), unit);
                existing = existing.with::<T>(ROW, (1 << count) - 1);
            }
        });
        existing
    }

    /// The calling warp's share of the tile; valid on lane 0.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn share(&self, chosen: Chosen) -> Share {
        let mut last = 0;
        if C::Prefix::HAS_LAST && chosen.count() > 0 {
            let (bit, unit) = (chosen.end() - 1, Self::VECTOR_ITEMS as u32);
            let place = bit / unit * row_items::<T>() as u32 + simt::lane() * unit + bit % unit;
            last = Self::warp_begin() + place + 1;
        }
        let count = chosen.count();
        // SAFETY: the whole warp calls it (condition of this function).
        unsafe { over_lanes::<C::Prefix>(Share { count, last }, 16) }
    }

    /// The address of a warp's share of a tile.
    #[inline(always)]
    fn share_of_warp(&self, parity: usize, warp: u32) -> *mut Share {
        // SAFETY: takes the field's address, and makes no reference. The field is in the block's shared memory.
        let shares = unsafe { &raw mut (*self.shared).shares };
        shares
            .cast::<Share>()
            .wrapping_add(parity * WARPS as usize + warp as usize)
    }

    /// The shares of the warps below the calling warp, added up; valid on every lane.
    ///
    /// # Safety
    /// - Convergent: a whole warp.
    /// - The lower warps have written their shares, and a barrier of the sharing warps has followed.
    #[inline(always)]
    unsafe fn before(&self, parity: usize) -> Share {
        let lane = simt::lane();
        // SAFETY: the shares of lower warps are written (condition of this function), and the whole warp reaches the shuffles.
        unsafe {
            let mut share = Share { count: 0, last: 0 };
            if lane < simt::warp() {
                share = simt::read_shared(self.share_of_warp(parity, lane));
            }
            let Share { count, last } = over_lanes::<C::Prefix>(share, WARPS / 2);
            Share {
                count: simt::shuffle_from(count, 0),
                last: match C::Prefix::HAS_LAST {
                    true => simt::shuffle_from(last, 0),
                    false => 0,
                },
            }
        }
    }

    /// Publishes the tile's share: the last sharing warp's `share`, added to the shares of the lower warps. Only that warp's first lane
    /// publishes.
    ///
    /// # Safety
    /// - All warps that share the tile call it, once for the tile. No other block calls it for the tile.
    /// - `share` is the calling warp's share, valid on lane 0.
    #[inline(always)]
    unsafe fn publish(&self, arrived: &Waiting, share: Share) {
        if simt::warp() != WARPS - 1 || simt::lane() != 0 {
            return;
        }
        let share = Share {
            count: arrived.before.count + share.count,
            last: Ord::max(arrived.before.last, share.last),
        };
        // SAFETY: this block alone holds the tile, and one thread publishes it, once.
        unsafe { self.lookback.publish_tile(arrived.tile, share) };
    }
}

/// Reads the flags of a vector byte by byte. Flags of items from `existing` on are 0.
///
/// # Safety
/// At `address`, `min(existing, vector_items::<T>())` flags are readable.
#[inline(always)]
unsafe fn flags_in_pieces<T>(address: *const u8, existing: u32) -> Words {
    let mut words = [0; 4];
    for_each_vector!(W in 0 1 2 3 => {
        if W < vector_items::<T>().div_ceil(4) {
            let most = Ord::min(vector_items::<T>(), 4);
            let mut byte = 0;
            while byte < most {
                let step = simt::opaque_one();
                if ((4 * W + byte) as u32) < existing {
                    // SAFETY: the byte exists: `4 * W + byte` is less than `existing`, and less than the number of a vector's items.
                    let flag = unsafe { address.wrapping_add(4 * W + byte).read() };
                    words[W] |= (flag as u32) << (8 * byte);
                }
                byte += step;
            }
        }
    });
    words
}

/// Where an item does not exist, puts zeros in its place. Such an item is never chosen.
#[derive(Clone, Copy)]
pub struct Zeros;

impl<T: Element> Op<T> for Zeros {
    type Accumulator = u32;
    type Output = T;

    #[inline(always)]
    fn identity() -> u32 {
        0
    }

    #[inline(always)]
    fn identity_item() -> Option<T> {
        Some(T::zeroed())
    }

    #[inline(always)]
    fn lift(_item: T) -> u32 {
        0
    }

    #[inline(always)]
    fn combine(_left: u32, _right: u32) -> u32 {
        0
    }

    #[inline(always)]
    fn lower(_value: u32) -> T {
        T::zeroed()
    }
}
