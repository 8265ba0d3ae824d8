//! The results of reductions and scans of all items, computed on the host in plain sequential Rust, bit for bit.
//!
//! This code is the bit contract ([`warpfold_kernels::contract`]): the same combination trees, with the identity in place of every missing
//! item. The steps that comments name are the steps of the contract. Values are accumulators: items are lifted when they are read, and
//! values are lowered when results are written. Read this code beside the contract, or check a kernel's results with this code. This code
//! is slow. Only the contract's numbers and the operators are common to this code and the kernels.

use warpfold_kernels::contract::{
    BLOCK_THREADS, SCAN_GROUP_TILES, Tree, WARP_LANES, Wider, reduce_chunk_count,
    reduce_chunk_tiles, reduce_tile_items, scan_tiles, thread_vectors, vector_items,
};
use warpfold_kernels::element::{Accumulator, Element};
use warpfold_kernels::op::Op;

const THREADS: usize = BLOCK_THREADS as usize;
const LANES: usize = WARP_LANES as usize;

/// Combines all items. Without items, the result is the operator's identity, lowered.
pub fn reduce<O: Op<T>, T: Element>(items: &[T]) -> O::Output {
    let item_count = items.len() as u64;
    let chunks =
        (0..reduce_chunk_count::<T>(item_count)).map(|chunk| reduce_chunk::<O, T>(items, chunk));
    O::lower(combine_chunks::<O, T>(chunks))
}

/// Step 5 of a reduction: combines the results of all chunks.
pub(crate) fn combine_chunks<O: Op<T>, T: Element>(
    chunks: impl Iterator<Item = O::Accumulator>,
) -> O::Accumulator {
    let mut threads = [O::identity(); THREADS];
    let mut last = (0, O::identity());
    for (index, chunk) in chunks.enumerate() {
        let thread = &mut threads[index % THREADS];
        *thread = O::combine(*thread, chunk);
        last = (index, chunk);
    }
    match last {
        (0, only) => only,
        _ => combine_threads::<O, T>(&threads),
    }
}

/// Steps 2 to 4 of a reduction, for one chunk of tiles.
fn reduce_chunk<O: Op<T>, T: Element>(items: &[T], chunk: u64) -> O::Accumulator {
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| match (O::IS_PAIRWISE, O::Accumulator::IS_WIDE) {
            (true, _) => fold_tiles::<O, T>(items, chunk, thread),
            (false, true) => fold_vectors::<O, T>(items, chunk, thread),
            (false, false) => fold_columns::<O, T>(items, chunk, thread),
        })
        .collect();
    combine_threads::<O, T>(&threads)
}

/// For each tile of a chunk, the index of its first item.
fn tile_starts<T: Element>(items: &[T], chunk: u64) -> impl Iterator<Item = u64> + use<T> {
    let chunk_tiles = reduce_chunk_tiles::<T>(items.len() as u64);
    let tiles = chunk * chunk_tiles..(chunk + 1) * chunk_tiles;
    tiles.map(|tile| tile * reduce_tile_items::<T>())
}

/// Step 2 of a reduction, for one thread, if the operator is not [`Op::IS_PAIRWISE`] and the accumulator is not wide. There is one fold for
/// each position in a vector.
fn fold_columns<O: Op<T>, T: Element>(items: &[T], chunk: u64, thread: usize) -> O::Accumulator {
    let mut folds = vec![O::identity(); vector_items::<T>()];
    for tile_start in tile_starts(items, chunk) {
        for (position, fold) in folds.iter_mut().enumerate() {
            let column: Vec<_> = (0..thread_vectors::<T>())
                .map(|vector| {
                    let vector_start = (vector * THREADS + thread) * vector_items::<T>();
                    value::<O, T>(items, tile_start, vector_start + position)
                })
                .collect();
            *fold = O::combine(*fold, pairwise::<O, T>(&column));
        }
    }
    pairwise::<O, T>(&folds)
}

/// Step 2 of a reduction, for one thread, if the operator is not [`Op::IS_PAIRWISE`] and the accumulator is wide. There is one fold of the
/// vectors with even numbers, and one fold of the vectors with odd numbers.
fn fold_vectors<O: Op<T>, T: Element>(items: &[T], chunk: u64, thread: usize) -> O::Accumulator {
    let mut folds = [O::identity(); 2];
    for tile_start in tile_starts(items, chunk) {
        for vector in 0..thread_vectors::<T>() {
            let start = (vector * THREADS + thread) * vector_items::<T>();
            let values: Vec<_> = (start..start + vector_items::<T>())
                .map(|index| value::<O, T>(items, tile_start, index))
                .collect();
            let scanned = scan_vector::<O, T>(&values);
            let fold = &mut folds[vector % 2];
            *fold = O::combine(*fold, scanned[scanned.len() - 1]);
        }
    }
    O::combine(folds[0], folds[1])
}

/// Step 2 of a reduction, for one thread, if the operator is [`Op::IS_PAIRWISE`]. For each tile, the thread combines the items of each of
/// its vectors pairwise, and then the vectors' totals pairwise. Then it combines its fold of the earlier tiles with this tile's value.
fn fold_tiles<O: Op<T>, T: Element>(items: &[T], chunk: u64, thread: usize) -> O::Accumulator {
    let mut fold = O::identity();
    for tile_start in tile_starts(items, chunk) {
        let vectors: Vec<_> = (0..thread_vectors::<T>())
            .map(|vector| {
                let start = (vector * THREADS + thread) * vector_items::<T>();
                let values: Vec<_> = (start..start + vector_items::<T>())
                    .map(|index| value::<O, T>(items, tile_start, index))
                    .collect();
                pairwise::<O, T>(&values)
            })
            .collect();
        fold = O::combine(fold, pairwise::<O, T>(&vectors));
    }
    fold
}

/// Steps 3 and 4 of a reduction: combines the lanes of each warp, then the warps.
fn combine_threads<O: Op<T>, T: Element>(threads: &[O::Accumulator]) -> O::Accumulator {
    let warps: Vec<_> = threads.chunks(LANES).map(halves::<O, T>).collect();
    halves::<O, T>(&warps)
}

/// The result of each item combines an initial value and all items up to and including it.
pub fn inclusive_scan_from<O: Op<T>, T: Element>(
    initial: O::Accumulator,
    items: &[T],
) -> Vec<O::Output> {
    scan::<O, T>(items, initial, Placement::Included).0
}

/// The result of each item combines an initial value and all items before it.
pub fn exclusive_scan_from<O: Op<T>, T: Element>(
    initial: O::Accumulator,
    items: &[T],
) -> Vec<O::Output> {
    scan::<O, T>(items, initial, Placement::LeftOut).0
}

/// The total of a scan that begins with an initial value.
pub fn scan_total<O: Op<T>, T: Element>(initial: O::Accumulator, items: &[T]) -> O::Output {
    scan::<O, T>(items, initial, Placement::LeftOut).1
}

/// The vectors of a lane in a row of a tile. `before` combines all earlier items of the tile. With a wide accumulator, a lane's vectors
/// count as one vector.
struct Lane<A> {
    before: A,
    vectors: Vec<Vec<A>>,
}

/// Whether an item is part of its result.
#[derive(Clone, Copy)]
enum Placement {
    Included,
    LeftOut,
}

impl Placement {
    /// The results of a vector. `upto` has the prefix before the vector, then for each item the prefix that includes this item.
    fn of<A>(self, upto: &[A]) -> &[A] {
        match self {
            Placement::Included => &upto[1..],
            Placement::LeftOut => &upto[..upto.len() - 1],
        }
    }
}

/// The results of a scan, and its total.
fn scan<O: Op<T>, T: Element>(
    items: &[T],
    initial: O::Accumulator,
    placement: Placement,
) -> (Vec<O::Output>, O::Output) {
    let mut output = Vec::with_capacity(items.len());
    let mut group_prefix = initial;
    let mut total = initial;
    let mut aggregates = [O::identity(); SCAN_GROUP_TILES as usize];
    for tile in 0..scan_tiles::<Wider<T, O::Output>>().count(items.len() as u64) {
        let place = (tile % SCAN_GROUP_TILES) as usize;
        if tile > 0 && place == 0 {
            group_prefix = O::combine(group_prefix, group::<O, T>(&aggregates));
            aggregates.fill(O::identity());
        }
        let lower = group::<O, T>(&aggregates);
        let prefix = O::combine(group_prefix, lower);
        let (lanes, aggregate) = scan_tile::<O, T>(items, tile);
        for lane in lanes {
            let mut before = O::combine(prefix, lane.before);
            for vector in lane.vectors {
                let room = items.len() - output.len();
                let upto = upto::<O, T>(before, &vector);
                let placed = placement.of(&upto).iter().copied();
                output.extend(placed.take(room).map(O::lower));
                before = upto[upto.len() - 1];
            }
        }
        aggregates[place] = aggregate;
        total = O::combine(prefix, aggregate);
    }
    (output, O::lower(total))
}

/// Step 5 of a scan: the prefix before a vector, then for each of its items the prefix that includes this item.
fn upto<O: Op<T>, T: Element>(
    before: O::Accumulator,
    values: &[O::Accumulator],
) -> Vec<O::Accumulator> {
    let mut upto = vec![before];
    match O::Accumulator::IS_WIDE {
        true => {
            for &value in values {
                upto.push(O::combine(upto[upto.len() - 1], value));
            }
        }
        false => {
            let inclusive = scan_vector::<O, T>(values).into_iter();
            upto.extend(inclusive.map(|value| O::combine(before, value)));
        }
    }
    upto
}

/// Combines the aggregates of a tile group's tiles.
#[cfg(feature = "nccl")]
pub(crate) fn combine_group<O: Op<T>, T: Element>(
    tiles: &[O::Accumulator; SCAN_GROUP_TILES as usize],
) -> O::Accumulator {
    group::<O, T>(tiles)
}

/// Steps 1 to 3 of a scan: the lanes of a tile's rows, and the tile's aggregate.
fn scan_tile<O: Op<T>, T: Element>(
    items: &[T],
    tile: u64,
) -> (Vec<Lane<O::Accumulator>>, O::Accumulator) {
    let item_count = items.len() as u64;
    let tiles = scan_tiles::<Wider<T, O::Output>>();
    let shape = tiles.shape(item_count);
    let tile_start = tile * tiles.items(item_count);
    let mut vector_items = vector_items::<Wider<T, O::Output>>();
    let mut rows = shape.rows;
    let mut lane_vectors = 1;
    if shape.is_blocked(<O::Accumulator as Accumulator>::WORDS) {
        let vectors = match O::Accumulator::IS_WIDE {
            true => &mut vector_items,
            false => &mut lane_vectors,
        };
        *vectors *= rows;
        rows = 1;
    }
    let mut tile = Vec::with_capacity(shape.warps as usize * rows * LANES);
    let mut warp_prefix = O::identity();
    for warp in 0..shape.warps as usize {
        let mut row_prefix = O::identity();
        for row in 0..rows {
            let vector = |index: usize| -> Vec<_> {
                (index * vector_items..(index + 1) * vector_items)
                    .map(|index| value::<O, T>(items, tile_start, index))
                    .collect()
            };
            let lanes: Vec<Vec<_>> = (0..LANES)
                .map(|lane| {
                    let first = ((warp * rows + row) * LANES + lane) * lane_vectors;
                    (first..first + lane_vectors).map(vector).collect()
                })
                .collect();
            let totals: Vec<_> = lanes
                .iter()
                .map(|vectors| {
                    let totals: Vec<_> = vectors
                        .iter()
                        .map(|values| scan_vector::<O, T>(values)[vector_items - 1])
                        .collect();
                    scan_vector::<O, T>(&totals)[lane_vectors - 1]
                })
                .collect();
            let upto = kogge_stone::<O, T>(&totals);
            for (lane, vectors) in lanes.into_iter().enumerate() {
                let lane_prefix = match lane {
                    0 => O::identity(),
                    _ => upto[lane - 1],
                };
                let before = O::combine(warp_prefix, O::combine(row_prefix, lane_prefix));
                tile.push(Lane { before, vectors });
            }
            row_prefix = O::combine(row_prefix, upto[LANES - 1]);
        }
        warp_prefix = O::combine(warp_prefix, row_prefix);
    }
    (tile, warp_prefix)
}

/// The inclusive scan of a vector, left to right.
fn scan_vector<O: Op<T>, T: Element>(vector: &[O::Accumulator]) -> Vec<O::Accumulator> {
    let mut scanned = vector.to_vec();
    for index in 1..scanned.len() {
        scanned[index] = O::combine(scanned[index - 1], scanned[index]);
    }
    scanned
}

/// The inclusive scan of a row's lanes by Kogge and Stone. Each step reads the values that the previous step wrote.
fn kogge_stone<O: Op<T>, T: Element>(lanes: &[O::Accumulator]) -> Vec<O::Accumulator> {
    let mut scanned = lanes.to_vec();
    for step in [1, 2, 4, 8, 16] {
        let earlier = scanned.clone();
        for lane in step..scanned.len() {
            scanned[lane] = O::combine(earlier[lane - step], earlier[lane]);
        }
    }
    scanned
}

/// The item at `index` in the tile that begins at `tile_start`, lifted; the identity past the end.
fn value<O: Op<T>, T: Element>(items: &[T], tile_start: u64, index: usize) -> O::Accumulator {
    let index = tile_start + index as u64;
    items
        .get(index as usize)
        .map_or_else(O::identity, |&item| O::lift_at(item, index))
}

/// Neighbours first: `((x₀⊕x₁)⊕(x₂⊕x₃))⊕…`. There is at least one value. If the number of values is not a power of two, the tree is that of
/// the next power of two, and missing values count as the identity.
pub(crate) fn pairwise<O: Op<T>, T: Element>(values: &[O::Accumulator]) -> O::Accumulator {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(values.len().next_power_of_two() / 2);
            O::combine(pairwise::<O, T>(left), pairwise::<O, T>(right))
        }
    }
}

/// Step 4 of a scan: combines the aggregates of a tile group's tiles.
fn group<O: Op<T>, T: Element>(aggregates: &[O::Accumulator]) -> O::Accumulator {
    match O::GROUP_TREE {
        Tree::Halves => halves::<O, T>(aggregates),
        Tree::Neighbours => pairwise::<O, T>(aggregates),
    }
}

/// Halves first: value `i` is combined with value `i + half`, until one value is left. The number of values is a power of two.
fn halves<O: Op<T>, T: Element>(values: &[O::Accumulator]) -> O::Accumulator {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            let combined: Vec<_> = left
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
