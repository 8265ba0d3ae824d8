//! The library's results, computed on the host in plain sequential Rust, bit for bit.
//!
//! This is the bit contract ([`warpfold_kernels::contract`]) written out: the same combination trees, with the
//! identity in the place of every item that is missing. It is meant to be read beside the contract, and
//! to check results with; it is slow. It shares the contract's numbers and the operators with the
//! kernels, and none of their code.

use warpfold_kernels::contract::{
    BLOCK_THREADS, BLOCK_WARPS, SCAN_GROUP_TILES, THREAD_VECTORS, WARP_LANES, reduce_chunk_count,
    reduce_chunk_tiles, tile_count, tile_items, vector_items,
};
use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;

const THREADS: usize = BLOCK_THREADS as usize;
const WARPS: usize = BLOCK_WARPS as usize;
const LANES: usize = WARP_LANES as usize;

/// Combines all items. For no items, the operator's identity.
///
/// ```
/// use warpfold::{Sum, reference};
/// assert_eq!(reference::reduce::<Sum, u32>(&[1, 2, 3]), 6);
/// ```
pub fn reduce<O: Op<T>, T: Element>(items: &[T]) -> T {
    let item_count = items.len() as u64;
    let chunks: Vec<T> = (0..reduce_chunk_count::<T>(item_count))
        .map(|chunk| reduce_chunk::<O, T>(items, chunk))
        .collect();
    let result = match chunks[..] {
        [] => O::identity(),
        [result] => result,
        _ => {
            let threads: Vec<T> = (0..THREADS)
                .map(|thread| left_fold::<O, T>(chunks.iter().skip(thread).step_by(THREADS)))
                .collect();
            combine_threads::<O, T>(&threads)
        }
    };
    result.canonical()
}

/// Steps 2 to 4 of a reduction, for one chunk of tiles.
fn reduce_chunk<O: Op<T>, T: Element>(items: &[T], chunk: u64) -> T {
    let chunk_tiles = reduce_chunk_tiles::<T>(items.len() as u64);
    let threads: Vec<T> = (0..THREADS)
        .map(|thread| {
            let mut folds = vec![O::identity(); vector_items::<T>()];
            for tile in chunk * chunk_tiles..(chunk + 1) * chunk_tiles {
                for (position, fold) in folds.iter_mut().enumerate() {
                    let column: Vec<T> = (0..THREAD_VECTORS)
                        .map(|vector| {
                            let vector_start = (vector * THREADS + thread) * vector_items::<T>();
                            item::<O, T>(items, tile, vector_start + position)
                        })
                        .collect();
                    *fold = O::combine(*fold, pairwise::<O, T>(&column));
                }
            }
            pairwise::<O, T>(&folds)
        })
        .collect();
    combine_threads::<O, T>(&threads)
}

/// Steps 3 and 4 of a reduction: the lanes of each warp, then the warps.
fn combine_threads<O: Op<T>, T: Element>(threads: &[T]) -> T {
    let warps: Vec<T> = threads.chunks(LANES).map(halves::<O, T>).collect();
    halves::<O, T>(&warps)
}

/// Each item combined with all before it: `out[i] = x[0] ⊕ … ⊕ x[i]`.
///
/// ```
/// use warpfold::{Sum, reference};
/// assert_eq!(reference::inclusive_scan::<Sum, u32>(&[1, 2, 3]), [1, 3, 6]);
/// ```
pub fn inclusive_scan<O: Op<T>, T: Element>(items: &[T]) -> Vec<T> {
    scan::<O, T>(items, |_, inclusive| inclusive.to_vec())
}

/// All items before each: `out[0]` is the identity, `out[i] = x[0] ⊕ … ⊕ x[i - 1]`.
///
/// ```
/// use warpfold::{Sum, reference};
/// assert_eq!(reference::exclusive_scan::<Sum, u32>(&[1, 2, 3]), [0, 1, 3]);
/// ```
pub fn exclusive_scan<O: Op<T>, T: Element>(items: &[T]) -> Vec<T> {
    scan::<O, T>(items, |before, inclusive| {
        let earlier = &inclusive[..inclusive.len() - 1];
        [&[before], earlier].concat()
    })
}

/// What stands before a vector in its tile, and the vector's items with that before each, to the vector's outputs.
type Placement<T> = fn(T, &[T]) -> Vec<T>;

fn scan<O: Op<T>, T: Element>(items: &[T], placement: Placement<T>) -> Vec<T> {
    let mut output = Vec::with_capacity(items.len());
    let mut group_prefix = O::identity();
    let mut aggregates = [O::identity(); SCAN_GROUP_TILES as usize];
    for tile in 0..tile_count::<T>(items.len() as u64) {
        let place = (tile % SCAN_GROUP_TILES) as usize;
        if tile > 0 && place == 0 {
            group_prefix = O::combine(group_prefix, halves::<O, T>(&aggregates));
            aggregates.fill(O::identity());
        }
        let lower = halves::<O, T>(&aggregates);
        let prefix = O::combine(group_prefix, lower);
        let (local, aggregate) = scan_tile::<O, T>(items, tile, placement);
        let room = items.len() - output.len();
        output.extend(
            local
                .into_iter()
                .take(room)
                .map(|local| O::combine(prefix, local).canonical()),
        );
        aggregates[place] = aggregate;
    }
    output
}

/// Steps 1 to 3 of a scan: a tile's local scan, and its aggregate.
fn scan_tile<O: Op<T>, T: Element>(items: &[T], tile: u64, placement: Placement<T>) -> (Vec<T>, T) {
    let mut local = Vec::with_capacity(tile_items::<T>() as usize);
    let mut warp_prefix = O::identity();
    for warp in 0..WARPS {
        let mut row_prefix = O::identity();
        for row in 0..THREAD_VECTORS {
            let vectors: Vec<Vec<T>> = (0..LANES)
                .map(|lane| {
                    let vector = (warp * THREAD_VECTORS + row) * LANES + lane;
                    let start = vector * vector_items::<T>();
                    let vector: Vec<T> = (start..start + vector_items::<T>())
                        .map(|index| item::<O, T>(items, tile, index))
                        .collect();
                    scan_vector::<O, T>(&vector)
                })
                .collect();
            let totals: Vec<T> = vectors
                .iter()
                .map(|vector| vector[vector.len() - 1])
                .collect();
            let lanes = kogge_stone::<O, T>(&totals);
            for (lane, vector) in vectors.iter().enumerate() {
                let lane_prefix = match lane {
                    0 => O::identity(),
                    _ => lanes[lane - 1],
                };
                let before = O::combine(warp_prefix, O::combine(row_prefix, lane_prefix));
                let inclusive: Vec<T> = vector
                    .iter()
                    .map(|&item| O::combine(before, item))
                    .collect();
                local.extend(placement(before, &inclusive));
            }
            row_prefix = O::combine(row_prefix, lanes[LANES - 1]);
        }
        warp_prefix = O::combine(warp_prefix, row_prefix);
    }
    (local, warp_prefix)
}

/// The inclusive scan of a vector, left to right.
fn scan_vector<O: Op<T>, T: Element>(vector: &[T]) -> Vec<T> {
    let mut scanned = vector.to_vec();
    for index in 1..scanned.len() {
        scanned[index] = O::combine(scanned[index - 1], scanned[index]);
    }
    scanned
}

/// The inclusive scan of the lanes of a row by Kogge and Stone: at each step, every lane at once.
fn kogge_stone<O: Op<T>, T: Element>(lanes: &[T]) -> Vec<T> {
    let mut scanned = lanes.to_vec();
    for step in [1, 2, 4, 8, 16] {
        let earlier = scanned.clone();
        for lane in step..scanned.len() {
            scanned[lane] = O::combine(earlier[lane - step], earlier[lane]);
        }
    }
    scanned
}

/// The item at `index` in `tile`; the identity past the end.
fn item<O: Op<T>, T: Element>(items: &[T], tile: u64, index: usize) -> T {
    let index = tile * tile_items::<T>() + index as u64;
    items
        .get(index as usize)
        .copied()
        .unwrap_or_else(O::identity)
}

/// `((e ⊕ x₀) ⊕ x₁) ⊕ …`
fn left_fold<'items, O: Op<T>, T: Element>(items: impl Iterator<Item = &'items T>) -> T {
    items.fold(O::identity(), |fold, &item| O::combine(fold, item))
}

/// Neighbours first: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕…`, for a power of two of items.
fn pairwise<O: Op<T>, T: Element>(items: &[T]) -> T {
    match items {
        [item] => *item,
        _ => {
            let (left, right) = items.split_at(items.len() / 2);
            O::combine(pairwise::<O, T>(left), pairwise::<O, T>(right))
        }
    }
}

/// Halves first: item `i` takes item `i + half`, until one is left; for a power of two of items.
fn halves<O: Op<T>, T: Element>(items: &[T]) -> T {
    match items {
        [item] => *item,
        _ => {
            let (left, right) = items.split_at(items.len() / 2);
            let combined: Vec<T> = left
                .iter()
                .zip(right)
                .map(|(&left, &right)| O::combine(left, right))
                .collect();
            halves::<O, T>(&combined)
        }
    }
}

#[cfg(test)]
mod tests;
