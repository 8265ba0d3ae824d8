//! A tile of large items, or of large results: of more than 16 bytes. The warps that share the tile scan it.
//!
//! A warp owns consecutive items, and a lane of the warp owns a **run** of consecutive items among these. The items of a warp are a
//! **stretch** of memory, which its lanes copy and store together, in units of up to 16 bytes. Neighbouring lanes access neighbouring
//! units, whatever the size of an item. In shared memory, runs begin at such distances that the lanes' reads have no bank conflicts.
//!
//! A lane folds its items, so the lanes shuffle one value for each run. The results go through shared memory once more: an item's result
//! overwrites items that are no longer needed.

use core::marker::PhantomData;

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::direction::{Direction, Heading};
use crate::element::{Element, Vector};
use crate::launch::Copies;
use crate::op::Op;
use crate::simt::{self, EvictionPolicy};
use crate::thread::{for_each_vector, lift, Access, Items, TileItems};
use crate::warp;

use super::{Placement, Shape};

/// The number of the barrier in [`LargeTile::join`].
const TOTALS_BARRIER: u32 = 1;

/// The largest unit of a copy.
const SIXTEEN: usize = 16;

/// Runs a block of code for each place in a list that is long enough for a lane's units of 16 bytes.
macro_rules! for_each_round {
    ($round:ident => $body:block) => {
        for_each_vector!($round in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 => $body)
    };
}

/// Runs a block of code for each place in a list that is long enough for a lane's items.
macro_rules! for_each_row {
    ($row:ident => $body:block) => {
        for_each_vector!($row in 0 1 2 3 4 5 6 7 8 9 10 => $body)
    };
}

/// A tile that lies in shared memory, to be scanned with the operator `O`.
pub struct LargeTile<O, T, S> {
    first: *mut u32,
    direction: Direction,
    scan: PhantomData<(O, T, S)>,
}

/// The items or the results, of type `V`, of the calling warp in an array.
#[derive(Clone, Copy)]
pub struct Stretch<V> {
    /// The lowest address.
    first: *mut V,
    /// The first item that exists, counted from the lowest address.
    begin: u32,
    /// One past the last item that exists.
    end: u32,
}

/// The place of a type's values in a run in shared memory.
struct Layout<V, S>(PhantomData<(V, S)>);

impl<V: Element, S: Shape> Layout<V, S> {
    /// Bytes of a run in global memory.
    const RUN_BYTES: usize = S::ROWS * size_of::<V>();

    /// Bytes from a run to the next, in shared memory.
    const STRIDE: usize = S::SHAPE.lane_bytes();

    /// Bytes of a run that values of this type leave free, if the other type is larger.
    const FREE: usize = S::ROWS * (S::SHAPE.vector_bytes - size_of::<V>());

    /// Whether a stretch has no gaps in shared memory.
    const IS_DENSE: bool = Self::RUN_BYTES == Self::STRIDE;

    /// The unit of copies: the largest power of two, up to 16, that divides all distances.
    const UNIT: usize = match Self::IS_DENSE {
        true => SIXTEEN,
        false => Access::new(Self::RUN_BYTES, Self::STRIDE | Self::FREE).unit(),
    };

    /// How a value is accessed in shared memory.
    const ACCESS: Access = Access::new(size_of::<V>(), Self::STRIDE | Self::FREE);

    /// Bytes of a stretch.
    const STRETCH_BYTES: u32 = WARP_LANES * Self::RUN_BYTES as u32;

    /// The place in shared memory of a byte of a stretch, counted from the warp's first run.
    #[inline(always)]
    fn place(byte: u32) -> u32 {
        match Self::IS_DENSE {
            true => byte,
            false => {
                let run = byte / Self::RUN_BYTES as u32;
                byte + run * (Self::STRIDE - Self::RUN_BYTES) as u32
            }
        }
    }
}

impl<V: Element> Stretch<V> {
    /// The calling warp's stretch of a tile of a scan. The tile begins at the border `tile`, and `tile_items` of its items exist.
    #[inline(always)]
    pub fn new<S: Shape>(direction: Direction, tile: *mut V, tile_items: u32) -> Self {
        let items = WARP_LANES * S::ROWS as u32;
        let before = simt::warp() * items;
        let existing = Ord::min(tile_items.saturating_sub(before), items);
        let begin = direction.if_backward((items - existing) as u64) as u32;
        let lowest = direction
            .signed(before as u64)
            .wrapping_sub(direction.if_backward(items as u64));
        Stretch {
            first: tile.wrapping_add(lowest as usize),
            begin,
            end: begin + existing,
        }
    }

    /// Whether all of it exists.
    #[inline(always)]
    fn is_whole<S: Shape>(&self) -> bool {
        self.end - self.begin == WARP_LANES * S::ROWS as u32
    }

    /// Whether it begins at a multiple of `unit`.
    #[inline(always)]
    fn is_aligned(&self, unit: usize) -> bool {
        align_of::<V>() >= unit || (self.first as u64).is_multiple_of(unit as u64)
    }

    /// The bytes that exist, from the first to before the last.
    #[inline(always)]
    fn bytes(&self) -> (u32, u32) {
        let size = size_of::<V>() as u32;
        (self.begin * size, self.end * size)
    }
}

/// A warp's items, scanned.
pub struct Runs<A> {
    /// The prefix of the lane's run within the warp.
    before: A,
    /// The warp's items up to the end of the lane's run, combined.
    upto: A,
}

/// A tile, scanned.
pub struct Joined<A> {
    /// The prefix of the lane's run within the tile.
    pub before: A,
    /// The tile's items up to the end of the lane's run, combined.
    pub upto: A,
}

impl<O: Op<T>, T: Element, S: Shape> LargeTile<O, T, S> {
    /// The tile that begins at `first`. Each warp's items keep their order in memory, whatever the direction.
    #[inline(always)]
    pub fn new(first: *mut u32, direction: Direction) -> Self {
        LargeTile {
            first,
            direction,
            scan: PhantomData,
        }
    }

    /// Whether the calling thread has the last run of the tile.
    #[inline(always)]
    pub fn has_last_run() -> bool {
        simt::thread_index() == S::WARPS * WARP_LANES - 1
    }

    /// The warp's first run.
    #[inline(always)]
    fn warp_runs(&self) -> *mut u32 {
        let before = simt::warp() as usize * WARP_LANES as usize * S::SHAPE.lane_bytes();
        self.first.wrapping_byte_add(before)
    }

    /// The free bytes before a run's items. A result is never written over an item that is still needed: if results are larger, forward
    /// scans have the free bytes before the items, and backward scans have them behind.
    #[inline(always)]
    fn items_shift(&self) -> u32 {
        let free = Layout::<T, S>::FREE as u64;
        (free - self.direction.if_backward(free)) as u32
    }

    /// The free bytes before a run's results.
    #[inline(always)]
    fn results_shift(&self) -> u32 {
        self.direction.if_backward(Layout::<O::Output, S>::FREE as u64) as u32
    }

    /// The calling lane's run in memory order.
    #[inline(always)]
    fn run(&self) -> *mut u32 {
        let run = self.direction.place(simt::lane() as u64, WARP_LANES as u64) as usize;
        self.warp_runs().wrapping_byte_add(run * S::SHAPE.lane_bytes())
    }

    /// The address of item `v` of the calling lane.
    #[inline(always)]
    fn item(&self, v: usize) -> *mut u32 {
        let place = self.direction.place(v as u64, S::ROWS as u64) as usize;
        let offset = self.items_shift() as usize + place * size_of::<T>();
        self.run().wrapping_byte_add(offset)
    }

    /// The address of result `v` of the calling lane.
    #[inline(always)]
    fn result(&self, v: usize) -> *mut u32 {
        let place = self.direction.place(v as u64, S::ROWS as u64) as usize;
        let offset = self.results_shift() as usize + place * size_of::<O::Output>();
        self.run().wrapping_byte_add(offset)
    }

    /// The number in the tile of the calling lane's first item.
    #[inline(always)]
    fn first_item() -> u32 {
        simt::thread_index() * S::ROWS as u32
    }

    /// Begins to copy the calling warp's stretch of the input. Does nothing on devices without asynchronous copies.
    ///
    /// # Safety
    /// - The stretch's existing items are readable, and nobody writes them before [`Self::end_copy`].
    /// - No other warp uses the warp's runs.
    /// - Convergent: the whole warp.
    #[inline(always)]
    pub unsafe fn begin_copy(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        if simt::COPIES == Copies::Asynchronous {
            // SAFETY: this function's conditions.
            unsafe { self.copy::<true>(stretch, policy) }
        }
    }

    /// Waits for the copy that [`Self::begin_copy`] began. On devices without asynchronous copies, copies the stretch. Then every lane may
    /// read the warp's items.
    ///
    /// # Safety
    /// The conditions of [`Self::begin_copy`], with the same stretch.
    #[inline(always)]
    pub unsafe fn end_copy(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        // SAFETY: this function's conditions. The whole warp gets to its barrier, which orders the lanes' copies before each other's reads.
        unsafe {
            match simt::COPIES {
                Copies::Asynchronous => simt::await_copies(),
                Copies::Synchronous => self.copy::<false>(stretch, policy),
            }
            simt::warp_barrier();
        }
    }

    /// Copies a stretch of the input, or begins to.
    ///
    /// # Safety
    /// The conditions of [`Self::begin_copy`].
    #[inline(always)]
    unsafe fn copy<const BEGINS: bool>(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        type Of<T, S> = Layout<T, S>;
        let to = self.warp_runs().wrapping_byte_add(self.items_shift() as usize);
        let place = |byte: u32| to.wrapping_byte_add(Of::<T, S>::place(byte) as usize);
        let from = |byte: u32| stretch.first.wrapping_byte_add(byte as usize);
        let (begin, end) = stretch.bytes();
        // SAFETY: a unit is copied only if all its bytes are within the stretch and exist; they are readable. Both addresses are multiples
        // of the unit. The runs are the warp's, and each unit is copied by one lane.
        unsafe {
            if Of::<T, S>::UNIT == SIXTEEN && stretch.is_whole::<S>() && stretch.is_aligned(SIXTEEN) {
                for_each_round!(ROUND => {
                    let byte = SIXTEEN as u32 * (ROUND as u32 * WARP_LANES + simt::lane());
                    let round_end = SIXTEEN as u32 * WARP_LANES * (ROUND as u32 + 1);
                    if round_end <= Of::<T, S>::STRETCH_BYTES
                        || round_end - SIXTEEN as u32 * WARP_LANES < Of::<T, S>::STRETCH_BYTES
                            && byte < Of::<T, S>::STRETCH_BYTES
                    {
                        let (to, from) = (place(byte), from(byte).cast::<u32>());
                        if BEGINS {
                            simt::begin_copy_vector(to, from, policy);
                        } else {
                            simt::write_vector(to, simt::load_vector_past_l1(from));
                        }
                    }
                });
            } else if Of::<T, S>::UNIT >= 4 && stretch.is_aligned(4) {
                let mut byte = begin + 4 * simt::lane();
                while byte < end {
                    let step = simt::opaque_one() as u32;
                    let (to, from) = (place(byte), from(byte).cast::<u32>());
                    if BEGINS {
                        simt::begin_copy_item::<u32>(to, from);
                    } else {
                        to.write(from.read());
                    }
                    byte += 4 * WARP_LANES * step;
                }
            } else {
                let mut byte = begin + simt::lane();
                while byte < end {
                    let step = simt::opaque_one() as u32;
                    place(byte).cast::<u8>().write(from(byte).cast::<u8>().read());
                    byte += WARP_LANES * step;
                }
            }
        }
    }

    /// Stores the calling warp's stretch of the results.
    ///
    /// # Safety
    /// - The existing items are writable, and no other warp reads or writes them.
    /// - The results are in the warp's runs, and a barrier of the warp orders their writes before this call.
    #[inline(always)]
    unsafe fn copy_out(&self, stretch: Stretch<O::Output>) {
        type Of<U, S> = Layout<U, S>;
        let from = self.warp_runs().wrapping_byte_add(self.results_shift() as usize);
        let place = |byte: u32| from.wrapping_byte_add(Of::<O::Output, S>::place(byte) as usize);
        let to = |byte: u32| stretch.first.wrapping_byte_add(byte as usize);
        let (begin, end) = stretch.bytes();
        // SAFETY: a unit is stored only if all its bytes are within the stretch and exist; they are writable, and the results are written.
        // Both addresses are multiples of the unit, and each unit is stored by one lane.
        unsafe {
            if Of::<O::Output, S>::UNIT == SIXTEEN
                && stretch.is_whole::<S>()
                && stretch.is_aligned(SIXTEEN)
            {
                for_each_round!(ROUND => {
                    let byte = SIXTEEN as u32 * (ROUND as u32 * WARP_LANES + simt::lane());
                    let round_end = SIXTEEN as u32 * WARP_LANES * (ROUND as u32 + 1);
                    if round_end <= Of::<O::Output, S>::STRETCH_BYTES
                        || round_end - SIXTEEN as u32 * WARP_LANES < Of::<O::Output, S>::STRETCH_BYTES
                            && byte < Of::<O::Output, S>::STRETCH_BYTES
                    {
                        simt::store_vector(to(byte).cast(), simt::read_vector(place(byte)));
                    }
                });
            } else if Of::<O::Output, S>::UNIT >= 4 && stretch.is_aligned(4) {
                let mut byte = begin + 4 * simt::lane();
                while byte < end {
                    let step = simt::opaque_one() as u32;
                    to(byte).cast::<u32>().write(simt::read_shared(place(byte)));
                    byte += 4 * WARP_LANES * step;
                }
            } else {
                let mut byte = begin + simt::lane();
                while byte < end {
                    let step = simt::opaque_one() as u32;
                    let value = simt::read_shared(place(byte).cast::<u8>());
                    to(byte).cast::<u8>().write(value);
                    byte += WARP_LANES * step;
                }
            }
        }
    }

    /// Scans the calling warp's runs, and writes their total to the warp's place in `totals`. Call [`Self::join`] next.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, after [`Self::end_copy`].
    /// - `totals` is in the block's own shared memory and has a place for each warp. No warp reads it until [`Self::join`].
    #[inline(always)]
    pub unsafe fn scan(&self, items: TileItems, totals: *mut O::Accumulator) -> Runs<O::Accumulator> {
        // SAFETY: the whole warp shuffles, and its runs are copied (conditions of this function). A warp writes its own place of `totals`.
        unsafe {
            let mut lanes = [O::identity(); THREAD_VECTORS];
            lanes[0] = self.fold(items);
            warp::inclusive_scans::<O, T>(&mut lanes, 1);
            let upto = lanes[0];
            let before = warp::exclusive_of::<O, T>(upto);
            if simt::lane() == WARP_LANES - 1 {
                totals.add(simt::warp() as usize).write(upto);
            }
            Runs { before, upto }
        }
    }

    /// The fold of the calling lane's items.
    ///
    /// # Safety
    /// The conditions of [`Self::scan`].
    #[inline(always)]
    unsafe fn fold(&self, items: TileItems) -> O::Accumulator {
        let mut folded = O::identity();
        // SAFETY: existing items are copied (condition of `scan`).
        unsafe {
            if items.count == S::TILE_ITEMS {
                for_each_row!(V => {
                    if V < S::ROWS {
                        let item = self.lifted(items, V);
                        folded = if V == 0 { item } else { O::combine(folded, item) };
                    }
                });
            } else {
                let count = self.existing(items);
                let mut v = 0;
                while v < count {
                    let step = simt::opaque_one();
                    folded = O::combine(folded, self.lifted(items, v));
                    v += step;
                }
            }
        }
        folded
    }

    /// How many items of the calling lane exist.
    #[inline(always)]
    fn existing(&self, items: TileItems) -> usize {
        let before = Self::first_item();
        Ord::min(items.count.saturating_sub(before), S::ROWS as u32) as usize
    }

    /// Item `v` of the calling lane, as it lies in shared memory.
    ///
    /// # Safety
    /// The item is copied.
    #[inline(always)]
    unsafe fn read(&self, v: usize) -> Vector {
        // SAFETY: the item is written (condition of this function), and its place is aligned for its access.
        unsafe { Layout::<T, S>::ACCESS.read_shared(self.item(v)) }
    }

    /// Item `v` of the calling lane, lifted.
    ///
    /// # Safety
    /// The item is copied.
    #[inline(always)]
    unsafe fn lifted(&self, items: TileItems, v: usize) -> O::Accumulator {
        // SAFETY: the item is copied: this function's condition.
        let item = unsafe { self.read(v) };
        lift::<O, T>(&item, 0, self.index(items, v), Items::All)
    }

    /// The index in the input of item `v` of the calling lane.
    #[inline(always)]
    fn index(&self, items: TileItems, v: usize) -> u64 {
        items.begin + (Self::first_item() + v as u32) as u64
    }

    /// Joins the warps of a tile. They meet at one barrier, between the writes and the reads of their totals.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, after [`Self::scan`] with the same `totals`.
    /// - A barrier lies between this call's reads and the next writes to `totals`.
    #[inline(always)]
    pub unsafe fn join(
        runs: Runs<O::Accumulator>,
        totals: *const O::Accumulator,
    ) -> Joined<O::Accumulator> {
        let mut warps = O::identity();
        // SAFETY: all sharing warps get to the barrier. It orders the writes of the totals before the reads.
        unsafe {
            simt::wait_at_barrier(TOTALS_BARRIER, S::WARPS);
            let mut w = 0;
            while w < simt::warp() {
                let step = simt::opaque_one() as u32;
                warps = O::combine(warps, totals.add(w as usize).read());
                w += step;
            }
        }
        Joined {
            before: O::combine(warps, runs.before),
            upto: O::combine(warps, runs.upto),
        }
    }

    /// Applies the tile's prefix to the scanned tile, and stores the calling warp's stretch of the results. Afterwards the runs are free.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile. The tile is scanned, and its runs still hold the items.
    /// - `prefix` and `before` are the tile's prefix and the prefix of the lane's run within the tile.
    /// - The stretch is writable, and no other warp reads or writes it.
    #[inline(always)]
    pub unsafe fn store<P: Placement>(
        &self,
        items: TileItems,
        prefix: O::Accumulator,
        before: O::Accumulator,
        stretch: Stretch<O::Output>,
    ) {
        let mut before = O::combine(prefix, before);
        // SAFETY: a lane reads and writes its own run until the warp's barrier, which orders its writes before the other lanes' reads. The
        // second barrier orders these reads before the runs are written again.
        unsafe {
            if items.count == S::TILE_ITEMS {
                for_each_row!(V => {
                    if V < S::ROWS {
                        self.replace::<P>(items, V, &mut before);
                    }
                });
            } else {
                let count = self.existing(items);
                let mut v = 0;
                while v < count {
                    let step = simt::opaque_one();
                    self.replace::<P>(items, v, &mut before);
                    v += step;
                }
            }
            simt::warp_barrier();
            self.copy_out(stretch);
            simt::warp_barrier();
        }
    }

    /// Replaces item `v` of the calling lane by its result. `before` is the item's prefix, and becomes the next item's.
    ///
    /// # Safety
    /// The item is copied, and no other lane uses the run.
    #[inline(always)]
    unsafe fn replace<P: Placement>(
        &self,
        items: TileItems,
        v: usize,
        before: &mut O::Accumulator,
    ) {
        // SAFETY: the item is copied, and the run is this lane's: this function's conditions.
        unsafe {
            let item = self.read(v);
            let result = P::place::<O, T>(before, &item, self.index(items, v), Items::All);
            Layout::<O::Output, S>::ACCESS.write_shared(self.result(v), result);
        }
    }
}
