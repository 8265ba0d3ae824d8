//! An operator as a value: what the reference computes with after the items are lifted and before results are lowered.

use warpfold_kernels::contract::{SCAN_GROUP_TILES, Tree};
use warpfold_kernels::element::{Accumulator, Element};
use warpfold_kernels::op::Op;

use super::{LANES, THREADS};

/// An operator's parts that work on accumulators. Code that takes this value is compiled once for each type of accumulator. Code that is
/// generic over [`Op`] is compiled for each operator and each type of items, which takes longer.
#[derive(Clone, Copy)]
pub(crate) struct Operator<A> {
    pub(crate) identity: A,
    combine: fn(A, A) -> A,
    /// [`Op::IS_PAIRWISE`].
    pub(super) is_pairwise: bool,
    /// [`Op::PAIRS_SIXTEENS`].
    pub(crate) pairs_sixteens: bool,
    /// [`Op::GROUP_TREE`].
    group_tree: Tree,
}

impl<A: Accumulator> Operator<A> {
    pub(crate) fn of<O: Op<T, Accumulator = A>, T: Element>() -> Self {
        Operator {
            identity: O::identity(),
            combine: O::combine,
            is_pairwise: O::IS_PAIRWISE,
            pairs_sixteens: O::PAIRS_SIXTEENS,
            group_tree: O::GROUP_TREE,
        }
    }

    pub(crate) fn combine(&self, left: A, right: A) -> A {
        (self.combine)(left, right)
    }

    /// Combines the values from left to right. Without values, the result is the identity.
    pub(crate) fn left_fold(&self, values: &[A]) -> A {
        let Some((&first, others)) = values.split_first() else {
            return self.identity;
        };
        let mut fold = first;
        for &value in others {
            fold = self.combine(fold, value);
        }
        fold
    }

    /// Neighbours first: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕…`. There is at least one value. If the number of values is not a power of two, the tree is that
    /// of the next power of two, and missing values count as the identity.
    pub(crate) fn pairwise(&self, values: impl Into<Vec<A>>) -> A {
        let mut values: Vec<A> = values.into();
        while values.len() > 1 {
            let pairs = values.len() / 2;
            for index in 0..pairs {
                values[index] = self.combine(values[2 * index], values[2 * index + 1]);
            }
            // A last value without a neighbour stays the last value.
            if values.len() % 2 == 1 {
                values[pairs] = values[2 * pairs];
            }
            values.truncate(values.len().div_ceil(2));
        }
        values[0]
    }

    /// Halves first: value `i` is combined with value `i + half`, until one value is left. The number of values is a power of two.
    fn halves(&self, values: &[A]) -> A {
        let mut values = values.to_vec();
        while values.len() > 1 {
            let half = values.len() / 2;
            for index in 0..half {
                values[index] = self.combine(values[index], values[index + half]);
            }
            values.truncate(half);
        }
        values[0]
    }

    /// The inclusive scan of a row's lanes by Kogge and Stone. Each step reads the values that the previous step wrote.
    pub(super) fn kogge_stone(&self, lanes: &[A]) -> Vec<A> {
        let mut scanned = lanes.to_vec();
        for step in [1, 2, 4, 8, 16] {
            let earlier = scanned.clone();
            for lane in step..scanned.len() {
                scanned[lane] = self.combine(earlier[lane - step], earlier[lane]);
            }
        }
        scanned
    }

    /// Steps 3 and 4 of a reduction: combines the lanes of each warp, then the warps.
    pub(super) fn combine_threads(&self, threads: &[A]) -> A {
        let warps: Vec<_> = threads
            .chunks(LANES)
            .map(|lanes| self.halves(lanes))
            .collect();
        self.halves(&warps)
    }

    /// Step 5 of a reduction: combines the results of all chunks.
    pub(crate) fn combine_chunks(&self, chunks: &[A]) -> A {
        match chunks {
            [] => return self.identity,
            [only] => return *only,
            _ => {}
        }
        let mut threads = [self.identity; THREADS];
        for (index, &chunk) in chunks.iter().enumerate() {
            let thread = &mut threads[index % THREADS];
            *thread = self.combine(*thread, chunk);
        }
        self.combine_threads(&threads)
    }

    /// Step 4 of a scan: combines the aggregates of a tile group's tiles.
    pub(crate) fn combine_group(&self, aggregates: &[A; SCAN_GROUP_TILES as usize]) -> A {
        match self.group_tree {
            Tree::Halves => self.halves(aggregates),
            Tree::Neighbours => self.pairwise(aggregates.as_slice()),
        }
    }
}
