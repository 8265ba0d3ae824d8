//! Copies between global memory and the shared memory that holds a tile of large items. The parent module explains a warp's *stretch* and a
//! lane's *run*.
//!
//! If all items of a warp's stretch exist, and the stretch is aligned to 16 bytes in global and in shared memory, the warp copies units of
//! 16 bytes. Otherwise it copies words or bytes.

use core::marker::PhantomData;

use crate::contract::WARP_LANES;
use crate::direction::{Direction, Heading};
use crate::element::Element;
use crate::launch::Copies;
use crate::op::Op;
use crate::simt::{self, EvictionPolicy};
use crate::thread::{for_each_vector, Access};

use super::super::Shape;
use super::LargeTile;

/// The size in bytes of the largest unit that is copied at once.
const SIXTEEN: usize = 16;

/// Runs a block of code for each index from 0 to 13: a lane copies at most 14 units of 16 bytes.
macro_rules! for_each_round {
    ($round:ident => $body:block) => {
        for_each_vector!($round in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 => $body)
    };
}

/// The calling warp's part of a tile, in an array of items or results of type `V`.
#[derive(Clone, Copy)]
pub struct Stretch<V> {
    /// The lowest address of the stretch, even if the item there does not exist.
    first: *mut V,
    /// The index of the first item that exists, counted from the lowest address.
    begin: u32,
    /// One past the index of the last item that exists.
    end: u32,
}

/// How the values of type `V` of a warp's stretch lie in shared memory.
pub(super) struct Layout<V, S>(PhantomData<(V, S)>);

impl<V: Element, S: Shape> Layout<V, S> {
    /// Bytes of a run in global memory.
    const RUN_BYTES: usize = S::ROWS * size_of::<V>();

    /// Bytes from the start of a run to the start of the next, in shared memory.
    const STRIDE: usize = S::SHAPE.lane_bytes();

    /// How many bytes of a run are free if the run holds values of type `V`. The number is 0 if items and results have the same size, or if
    /// `V` is the larger of the two types.
    pub(super) const FREE: usize = S::ROWS * (S::SHAPE.vector_bytes - size_of::<V>());

    /// Whether a stretch has no gaps in shared memory.
    const IS_DENSE: bool = Self::RUN_BYTES == Self::STRIDE;

    /// The size in bytes of the largest unit that is aligned in shared memory. In a dense stretch, this is 16. Otherwise it is the largest
    /// power of two, up to 16, that divides the lengths and the positions of runs.
    const UNIT: usize = match Self::IS_DENSE {
        true => SIXTEEN,
        false => Access::new(Self::RUN_BYTES, Self::STRIDE | Self::FREE).unit(),
    };

    /// Whether a stretch that begins at a multiple of 4 bytes can be copied in words. If so, each value fills whole words, and the words of
    /// the items that exist can be copied even if other items do not exist.
    const HAS_WORDS: bool = Self::UNIT >= 4 && size_of::<V>().is_multiple_of(4);

    /// How a value is accessed in shared memory.
    pub(super) const ACCESS: Access = Access::new(size_of::<V>(), Self::STRIDE | Self::FREE);

    /// Bytes of a stretch in global memory.
    const STRETCH_BYTES: u32 = WARP_LANES * Self::RUN_BYTES as u32;

    /// The place of byte `byte` of a stretch in shared memory, as a distance in bytes from the stretch's first byte there.
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
    /// The calling warp's stretch of a tile of a scan. The tile begins at `tile`, extends in `direction`, and has `tile_items` existing
    /// items.
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

    /// Whether all items of the stretch exist.
    #[inline(always)]
    fn is_whole<S: Shape>(&self) -> bool {
        self.end - self.begin == WARP_LANES * S::ROWS as u32
    }

    /// Whether the stretch begins at a multiple of `unit`.
    #[inline(always)]
    fn is_aligned(&self, unit: usize) -> bool {
        align_of::<V>() >= unit || (self.first as u64).is_multiple_of(unit as u64)
    }

    /// The bytes of the items that exist, counted from the lowest address: the first byte, and one past the last byte.
    #[inline(always)]
    fn bytes(&self) -> (u32, u32) {
        let size = size_of::<V>() as u32;
        (self.begin * size, self.end * size)
    }
}

impl<O: Op<T>, T: Element, S: Shape> LargeTile<O, T, S> {
    /// Begins to copy the calling warp's stretch of the input. If [`simt::COPIES`] is synchronous, the function does nothing.
    ///
    /// # Safety
    /// - The stretch's existing items are readable, and nobody writes them before the end of [`Self::end_copy`].
    /// - No other warp uses the calling warp's runs.
    /// - Convergent: the whole warp.
    #[inline(always)]
    pub unsafe fn begin_copy(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        if simt::COPIES == Copies::Asynchronous {
            // SAFETY: this function's conditions.
            unsafe { self.copy::<true>(stretch, policy) }
        }
    }

    /// Waits for the copy that [`Self::begin_copy`] began. If [`simt::COPIES`] is synchronous, copies the stretch. Afterwards every lane
    /// may read the warp's items.
    ///
    /// # Safety
    /// The conditions of [`Self::begin_copy`], with the same stretch.
    #[inline(always)]
    pub unsafe fn end_copy(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        // SAFETY: this function's conditions. The whole warp gets to its barrier, which orders each lane's copies before the other lanes'
        // reads.
        unsafe {
            match simt::COPIES {
                Copies::Asynchronous => simt::await_copies(),
                Copies::Synchronous => self.copy::<false>(stretch, policy),
            }
            simt::warp_barrier();
        }
    }

    /// Copies a stretch of the input. If `BEGINS`, the copy may still be under way afterwards.
    ///
    /// # Safety
    /// The conditions of [`Self::begin_copy`].
    #[inline(always)]
    unsafe fn copy<const BEGINS: bool>(&self, stretch: Stretch<T>, policy: EvictionPolicy) {
        type Of<T, S> = Layout<T, S>;
        let to = self
            .warp_runs()
            .wrapping_byte_add(self.items_shift() as usize);
        let place = |byte: u32| to.wrapping_byte_add(Of::<T, S>::place(byte) as usize);
        let from = |byte: u32| stretch.first.wrapping_byte_add(byte as usize);
        let (begin, end) = stretch.bytes();
        // SAFETY: a unit is copied only if all its bytes are within the stretch and exist. So these bytes are readable. The source and the
        // destination are aligned to the unit. The runs are the warp's, and each unit is copied by one lane.
        unsafe {
            if Of::<T, S>::UNIT == SIXTEEN && stretch.is_whole::<S>() && stretch.is_aligned(SIXTEEN)
            {
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
            } else if Of::<T, S>::HAS_WORDS && stretch.is_aligned(4) {
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
                    place(byte)
                        .cast::<u8>()
                        .write(from(byte).cast::<u8>().read());
                    byte += WARP_LANES * step;
                }
            }
        }
    }

    /// Stores the calling warp's stretch of the results.
    ///
    /// # Safety
    /// - The stretch's existing results are writable, and no other warp reads or writes them.
    /// - The results are in the warp's runs, and a barrier of the warp orders their writes before this call.
    #[inline(always)]
    pub(super) unsafe fn copy_out(&self, stretch: Stretch<O::Output>) {
        type Of<U, S> = Layout<U, S>;
        let from = self
            .warp_runs()
            .wrapping_byte_add(self.results_shift() as usize);
        let place = |byte: u32| from.wrapping_byte_add(Of::<O::Output, S>::place(byte) as usize);
        let to = |byte: u32| stretch.first.wrapping_byte_add(byte as usize);
        let (begin, end) = stretch.bytes();
        // SAFETY: a unit is stored only if all its bytes are within the stretch and exist. So these bytes are writable, and the runs hold
        // their results. The source and the destination are aligned to the unit, and each unit is stored by one lane.
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
            } else if Of::<O::Output, S>::HAS_WORDS && stretch.is_aligned(4) {
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
}
