//! A thread's vectors of a tile whose items have their values in two arrays.

use crate::contract::{thread_vectors, BLOCK_THREADS};
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, item_of, put_item, Element, Vector};
use crate::op::{Op, Pair};
use crate::simt;

use super::super::{for_each_vector, Slots, Vectors, THREAD_VECTORS};
use super::{filler, Caching, Part};

/// A thread's part of a tile in two arrays. A vector of pairs has as many values of either.
#[derive(Clone, Copy)]
pub struct PairPart<A: Element, B: Element> {
    /// The part of the pairs' first values.
    pub left: Part<A, Pair<A, B>, BLOCK_THREADS>,
    /// The part of their second values.
    pub right: Part<B, Pair<A, B>, BLOCK_THREADS>,
}

impl<A: Element, B: Element> PairPart<A, B> {
    /// Loads the part; pairs that do not exist are fillers. A part with such pairs goes through `slots`.
    ///
    /// # Safety
    /// The arrays are readable. No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<Pair<A, B>>>(&self, slots: Slots, caching: Caching) -> Vectors {
        let rows = thread_vectors::<Pair<A, B>>();
        // SAFETY: the caller's; where both are whole, their vectors exist and are aligned.
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

    /// Copies the part to `slots`: vectors where they are in both arrays, else pairs. It fills no registers, so the loop need not
    /// be written out.
    ///
    /// # Safety
    /// The arrays are readable. No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn copy<O: Op<Pair<A, B>>>(&self, slots: Slots) {
        let mut v = 0;
        while v < thread_vectors::<Pair<A, B>>() {
            let step = simt::opaque_one();
            // SAFETY: the caller's; a vector is loaded where it exists.
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

    /// Loads vector `v`, which is one in both arrays.
    ///
    /// # Safety
    /// The arrays are readable.
    #[inline(always)]
    unsafe fn load_vector(&self, v: usize, caching: Caching) -> Vector {
        // SAFETY: the caller's.
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

    /// Loads the pairs of vector `v` one by one; those that do not exist are fillers.
    ///
    /// # Safety
    /// The arrays are readable.
    #[inline(always)]
    unsafe fn load_pairs<O: Op<Pair<A, B>>>(&self, v: usize) -> Vector {
        let mut pairs = [0; VECTOR_WORDS];
        for_each_item!(P of Pair<A, B> => {
            let pair = if self.left.exists(v, P) {
                // SAFETY: the pair exists.
                unsafe { Pair(self.left.vector(v).add(P).read(), self.right.vector(v).add(P).read()) }
            } else {
                filler::<O, Pair<A, B>>()
            };
            put_item(&mut pairs, P, pair);
        });
        pairs
    }
}
