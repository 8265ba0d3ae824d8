//! The results of reductions and scans of all items, computed on the host in plain sequential Rust, bit for bit.
//!
//! This code is the bit contract ([`warpfold_kernels::contract`]): the same combination trees, with the identity in place of every missing
//! item. The steps that comments name are the steps of the contract. Values are accumulators: items are lifted when they are read, and
//! values are lowered when results are written. Read this code beside the contract, or check a kernel's results with this code. This code
//! is slow. Only the contract's numbers and the operators are common to this code and the kernels.

mod operator;
mod scan;

use warpfold_kernels::contract::{
    BLOCK_THREADS, ReduceTiles, WARP_LANES, thread_vectors, vector_items,
};
use warpfold_kernels::element::{Accumulator, Element};
use warpfold_kernels::op::Op;

pub(crate) use operator::Operator;
pub use scan::{exclusive_scan_from, inclusive_scan_from};

const THREADS: usize = BLOCK_THREADS as usize;
const LANES: usize = WARP_LANES as usize;

/// Combines all items. Without items, the result is the operator's identity, lowered.
pub fn reduce<O: Op<T>, T: Element>(items: &[T]) -> O::Output {
    let item_count = items.len() as u64;
    let tiles = ReduceTiles::of::<T>();
    let chunk_items = tiles.chunk_items(item_count) as usize;
    let vectors = Vectors {
        items: vector_items::<T>(),
        of_thread: thread_vectors::<T>(),
    };
    let operator = Operator::of::<O, T>();
    let mut chunks = Vec::new();
    for chunk in 0..tiles.chunk_count(item_count) as usize {
        let values = lifted::<O, T>(items, chunk * chunk_items, chunk_items);
        chunks.push(reduce_chunk(&operator, vectors, &values));
    }
    O::lower(operator.combine_chunks(&chunks))
}

/// Step 5 of a reduction: combines the results of all chunks.
#[cfg(feature = "nccl")]
pub(crate) fn combine_chunks<O: Op<T>, T: Element>(
    chunks: impl Iterator<Item = O::Accumulator>,
) -> O::Accumulator {
    Operator::of::<O, T>().combine_chunks(&chunks.collect::<Vec<_>>())
}

/// Combines the aggregates of a tile group's tiles.
#[cfg(feature = "nccl")]
pub(crate) fn combine_group<O: Op<T>, T: Element>(
    tiles: &[O::Accumulator; warpfold_kernels::contract::SCAN_GROUP_TILES as usize],
) -> O::Accumulator {
    Operator::of::<O, T>().combine_group(tiles)
}

/// The values of `count` items from the item `first` on, with the identity in place of the items past the end.
pub(crate) fn lifted<O: Op<T>, T: Element>(
    items: &[T],
    first: usize,
    count: usize,
) -> Vec<O::Accumulator> {
    let mut values = Vec::with_capacity(count);
    let end = items.len().min(first + count);
    for (&item, index) in std::iter::zip(&items[first..end], first as u64..) {
        values.push(O::lift_at(item, index));
    }
    values.resize(count, O::identity());
    values
}

/// The vectors of a tile of a reduction.
#[derive(Clone, Copy)]
struct Vectors {
    /// Items of a vector.
    items: usize,
    /// Vectors of each thread.
    of_thread: usize,
}

impl Vectors {
    /// The vectors of a thread in a tile.
    fn of<A>(self, tile: &[A], thread: usize) -> Vec<&[A]> {
        (0..self.of_thread)
            .map(|vector| &tile[(vector * THREADS + thread) * self.items..][..self.items])
            .collect()
    }
}

/// Steps 2 to 4 of a reduction, for the values of one chunk of tiles.
fn reduce_chunk<A: Accumulator>(operator: &Operator<A>, vectors: Vectors, values: &[A]) -> A {
    let fold = match (operator.is_pairwise, A::IS_WIDE) {
        (true, _) => fold_tiles,
        (false, true) => fold_vectors,
        (false, false) => fold_columns,
    };
    let tile_items = THREADS * vectors.of_thread * vectors.items;
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let tiles = values.chunks(tile_items);
            let tiles: Vec<_> = tiles.map(|tile| vectors.of(tile, thread)).collect();
            fold(operator, &tiles)
        })
        .collect();
    operator.combine_threads(&threads)
}

/// Step 2 of a reduction, for one thread's vectors in each tile, if the operator is not [`Op::IS_PAIRWISE`] and the accumulator is not
/// wide. There is one fold for each position in a vector.
fn fold_columns<A: Accumulator>(operator: &Operator<A>, tiles: &[Vec<&[A]>]) -> A {
    let mut folds = vec![operator.identity; tiles[0][0].len()];
    for vectors in tiles {
        for (position, fold) in folds.iter_mut().enumerate() {
            let column: Vec<_> = vectors.iter().map(|vector| vector[position]).collect();
            *fold = operator.combine(*fold, operator.pairwise(column));
        }
    }
    operator.pairwise(folds)
}

/// Step 2 of a reduction, for one thread, if the operator is not [`Op::IS_PAIRWISE`] and the accumulator is wide. There is one fold of the
/// vectors with even numbers, and one fold of the vectors with odd numbers.
fn fold_vectors<A: Accumulator>(operator: &Operator<A>, tiles: &[Vec<&[A]>]) -> A {
    let mut folds = [operator.identity; 2];
    for vectors in tiles {
        for (number, vector) in vectors.iter().enumerate() {
            let fold = &mut folds[number % 2];
            *fold = operator.combine(*fold, operator.left_fold(vector));
        }
    }
    operator.combine(folds[0], folds[1])
}

/// Step 2 of a reduction, for one thread, if the operator is [`Op::IS_PAIRWISE`]. For each tile, the thread combines the items of each of
/// its vectors pairwise, and then the vectors' totals pairwise. Then it combines its fold of the earlier tiles with this tile's value.
fn fold_tiles<A: Accumulator>(operator: &Operator<A>, tiles: &[Vec<&[A]>]) -> A {
    let mut fold = operator.identity;
    for vectors in tiles {
        let totals: Vec<_> = vectors
            .iter()
            .map(|&vector| operator.pairwise(vector))
            .collect();
        fold = operator.combine(fold, operator.pairwise(totals));
    }
    fold
}

#[cfg(test)]
mod tests;
