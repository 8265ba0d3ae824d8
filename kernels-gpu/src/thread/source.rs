//! The source of a reduction's items: one array of items, or two arrays, each with one value of every pair.

use crate::contract::{thread_vectors, BLOCK_THREADS};
use crate::element::Element;
use crate::op::{Op, Pair};

use super::part::{Caching, PairPart, Part};
use super::{Slots, Vectors};

/// The items of a reduction.
pub trait Source<T: Element>: Copy {
    /// A thread's part of a tile.
    type Part: TilePart<T>;

    /// The part of the thread whose first vector is vector `vector` of a tile. The tile begins at item `begin`, and `count` of its items
    /// exist.
    fn part(self, begin: u64, count: u32, vector: u32) -> Self::Part;
}

/// A thread's part of a tile: up to eight vectors.
pub trait TilePart<T: Element>: Copy {
    /// Loads the part, with fillers in place of items that do not exist. If the part lacks items or is not aligned, it is first copied to
    /// `slots`, then read from there.
    ///
    /// # Safety
    /// - The part's items are readable, and no other thread writes them.
    /// - No other thread uses the slots.
    unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors;

    /// Copies the part to `slots`, vector by vector, with fillers in place of items that do not exist.
    ///
    /// # Safety
    /// - The part's items are readable, and no other thread writes them.
    /// - No other thread uses the slots.
    unsafe fn copy<O: Op<T>>(&self, slots: Slots);
}

impl<T: Element> Source<T> for *const T {
    type Part = Part<T, T, BLOCK_THREADS>;

    #[inline(always)]
    fn part(self, begin: u64, count: u32, vector: u32) -> Self::Part {
        let tile = self.wrapping_add(begin as usize).cast_mut();
        Part::new(tile, count, thread_vectors::<T>(), vector)
    }
}

impl<T: Element> TilePart<T> for Part<T, T, BLOCK_THREADS> {
    #[inline(always)]
    unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the part's items are readable and the slots are this thread's: the conditions of the trait's function.
        unsafe { Part::load::<O>(self, slots, caching) }
    }

    #[inline(always)]
    unsafe fn copy<O: Op<T>>(&self, slots: Slots) {
        // SAFETY: as above.
        unsafe { Part::copy::<O>(self, slots) }
    }
}

impl<A: Element, B: Element> Source<Pair<A, B>> for (*const A, *const B) {
    type Part = PairPart<A, B>;

    #[inline(always)]
    fn part(self, begin: u64, count: u32, vector: u32) -> Self::Part {
        let left = self.0.wrapping_add(begin as usize).cast_mut();
        let right = self.1.wrapping_add(begin as usize).cast_mut();
        let rows = thread_vectors::<Pair<A, B>>();
        PairPart {
            left: Part::new(left, count, rows, vector),
            right: Part::new(right, count, rows, vector),
        }
    }
}

impl<A: Element, B: Element> TilePart<Pair<A, B>> for PairPart<A, B> {
    #[inline(always)]
    unsafe fn load<O: Op<Pair<A, B>>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the part's items are readable and the slots are this thread's: the conditions of the trait's function.
        unsafe { PairPart::load::<O>(self, slots, caching) }
    }

    #[inline(always)]
    unsafe fn copy<O: Op<Pair<A, B>>>(&self, slots: Slots) {
        // SAFETY: as above.
        unsafe { PairPart::copy::<O>(self, slots) }
    }
}
