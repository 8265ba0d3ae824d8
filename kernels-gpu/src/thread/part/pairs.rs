//! A thread's vectors of a tile of pairs, whose values lie in two arrays.

use crate::contract::{thread_vectors, BLOCK_THREADS};
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, item_of, put_item, Element, Vector};
use crate::op::{Op, Pair};
use crate::simt;

use super::super::{for_each_vector, Slots, Vectors, THREAD_VECTORS};
use super::{filler, Caching, Part};

/// A thread's part of a tile in two arrays. A vector of pairs consists of two vectors, one of each array, with equally many values.
#[derive(Clone, Copy)]
pub struct PairPart<A: Element, B: Element> {
    /// The part of the pairs' first values.
    pub left: Part<A, Pair<A, B>, BLOCK_THREADS>,
    /// The part of the pairs' second values.
    pub right: Part<B, Pair<A, B>, BLOCK_THREADS>,
}

impl<A: Element, B: Element> PairPart<A, B> {
    /// Loads the part, with fillers in place of pairs that do not exist. If `left` or `right` is not whole, the part is first copied to
    /// `slots`, then read from there.
    ///
    /// # Safety
    /// - The arrays are readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<Pair<A, B>>>(&self, slots: Slots, caching: Caching) -> Vectors {
        let rows = thread_vectors::<Pair<A, B>>();
        // SAFETY: the arrays are readable and the slots are this thread's (conditions of this function). `copy` writes the slots that are
        // read. If both parts are whole, every vector is whole.
        unsafe {
            if !(self.left.is_whole() && self.right.is_whole()) {
                self.copy::<O>(slots);
                return slots.read_rows(rows, Self::SLOTS);
            }
            let mut vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
            for_each_vector!(V => {
                if V < rows {
                    vectors[V] = self.load_vector(V, caching);
                }
            });
            vectors
        }
    }

    /// Copies the part to `slots`. A vector is loaded as a whole if it is whole in both arrays, else pair by pair. The loop is not written
    /// out, because it indexes no registers.
    ///
    /// # Safety
    /// - The arrays are readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn copy<O: Op<Pair<A, B>>>(&self, slots: Slots) {
        let mut v = 0;
        while v < thread_vectors::<Pair<A, B>>() {
            let step = simt::opaque_one();
            // SAFETY: `load_vector` is called only for a vector that is whole in both arrays, as checked here. The slots are this thread's.
            unsafe {
                let vector = if self.left.is_vector(v) && self.right.is_vector(v) {
                    self.load_vector(v, Caching::Kept)
                } else {
                    self.load_pairs::<O>(v)
                };
                slots.write(v, Self::SLOTS, vector);
            }
            v += step;
        }
    }

    /// How a vector of pairs is accessed in shared memory.
    const SLOTS: super::Access = Part::<Pair<A, B>, Pair<A, B>, BLOCK_THREADS>::ACCESS;

    /// Loads vector `v`, for which [`Part::is_vector`] holds in both arrays.
    ///
    /// # Safety
    /// - Vector `v` is whole and aligned in both arrays.
    /// - The arrays are readable, and no other thread writes the part.
    #[inline(always)]
    unsafe fn load_vector(&self, v: usize, caching: Caching) -> Vector {
        // SAFETY: vector `v` is whole and aligned in both arrays, which are readable (conditions of this function).
        let (left, right) = unsafe {
            let left = self.left.load_vector(v, caching);
            (left, self.right.load_vector(v, caching))
        };
        let mut pairs = [0; VECTOR_WORDS];
        for_each_item!(P of Pair<A, B> => {
            let pair = Pair(item_of::<A>(&left, P), item_of::<B>(&right, P));
            put_item(&mut pairs, P, pair);
        });
        pairs
    }

    /// Loads the pairs of vector `v` one by one, with fillers in place of pairs that do not exist.
    ///
    /// # Safety
    /// The arrays are readable, and no other thread writes the part.
    #[inline(always)]
    unsafe fn load_pairs<O: Op<Pair<A, B>>>(&self, v: usize) -> Vector {
        let mut pairs = [0; VECTOR_WORDS];
        for_each_item!(P of Pair<A, B> => {
            let pair = if self.left.exists(v, P) {
                // SAFETY: the pair exists, and so do both its values, because the same places exist in both parts.
                unsafe { Pair(self.left.vector(v).add(P).read(), self.right.vector(v).add(P).read()) }
            } else {
                filler::<O, Pair<A, B>>()
            };
            put_item(&mut pairs, P, pair);
        });
        pairs
    }
}
