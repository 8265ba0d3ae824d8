//! A reduction reads each item once, and shares nothing but a partial and an arrival of each block.

use virtual_gpu::{Counters, Policy};
use warpfold::{Max, Op, Sum};
use warpfold_kernels::contract::{
    BLOCK_WARPS, REDUCE_MAX_CHUNKS, reduce_chunk_count, tile_count, tile_items,
};

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, Generation, SM_70, SM_90};
use crate::{assert_within, unwatched};

/// Bytes of the arrival counter.
const COUNTER_BYTES: u64 = 4;

fn count<T: Sample>(generation: Generation, symbol: &str, items: &[T]) -> Counters {
    let text = generation.kernel(symbol);
    let engine = Engine::new::<T>(generation, 4, &text, items.len());
    engine.reduce(items, &unwatched(Policy::Seeded)).unwrap().1
}

/// What follows from the number of items, wherever the blocks are and in whatever order they run.
fn assert_counts<O: Op<T>, T: Sample>(generation: Generation, symbol: &str, item_count: usize) {
    let counters = count(generation, symbol, &ordinary::<O, T>(item_count));
    let item_bytes = size_of::<T>() as u64;
    let words = item_bytes / 4;
    let input_bytes = item_count as u64 * item_bytes;
    let blocks = reduce_chunk_count::<T>(item_count as u64);
    // The trees of a block: of 32 lanes in each warp, then of the 8 warps' totals in one.
    let block_shuffles = words * (u64::from(BLOCK_WARPS) * 5 + 3);

    assert_eq!(counters.blocks, blocks);
    let (shared_bytes_read, shared_bytes_written, last_blocks) = match blocks {
        1 => (0, 0, 0),
        _ => {
            let each = item_bytes + COUNTER_BYTES;
            (blocks * each, blocks * each + COUNTER_BYTES, 1)
        }
    };
    assert_eq!(counters.global_bytes_read, input_bytes + shared_bytes_read);
    assert_eq!(
        counters.global_bytes_written,
        item_bytes + shared_bytes_written
    );
    assert_within(1.0, counters.global_bytes_read, input_bytes);
    assert_eq!(counters.atomics, blocks * last_blocks);
    // One for the block's tree, one for the news whether it is the last; one for the last one's tree.
    assert_eq!(counters.barriers, blocks * (1 + last_blocks) + last_blocks);
    assert_eq!(counters.shuffles, (blocks + last_blocks) * block_shuffles);
    assert_eq!(counters.votes, 0);
    assert_eq!(counters.bank_conflicts, 0);
    assert_eq!(counters.local_bytes, 0);
}

#[test]
fn every_item_is_read_once() {
    for generation in [SM_70, SM_90] {
        for tiles in [1, 2, 7] {
            let f32s = tiles * tile_items::<f32>() as usize;
            assert_counts::<Sum, f32>(generation, "reduce_sum_f32", f32s);
            assert_counts::<Sum, f32>(generation, "reduce_sum_f32", f32s - 3001);
            let f64s = tiles * tile_items::<f64>() as usize;
            assert_counts::<Max, f64>(generation, "reduce_max_f64", f64s);
            assert_counts::<Sum, u64>(generation, "reduce_sum_u64", f64s - 3001);
        }
    }
}

#[test]
fn a_chunk_of_two_tiles_costs_no_more_than_one() {
    let item_count = REDUCE_MAX_CHUNKS as usize * tile_items::<u64>() as usize + 1;
    let tiles = tile_count::<u64>(item_count as u64);
    assert_eq!(
        reduce_chunk_count::<u64>(item_count as u64),
        tiles.div_ceil(2)
    );
    assert_counts::<Sum, u64>(SM_90, "reduce_sum_u64", item_count);
}

#[test]
fn whole_tiles_are_loaded_16_bytes_a_lane() {
    let tile = tile_items::<f32>() as usize;
    let one = count(SM_90, "reduce_sum_f32", &ordinary::<Sum, f32>(tile));
    // 8 warps, 8 vectors each lane.
    assert_eq!(one.global_loads, 64);
    assert_eq!(one.global_sectors_read, one.global_loads * 16);
    let three = count(SM_90, "reduce_sum_f32", &ordinary::<Sum, f32>(3 * tile));
    // The arrivals, and the last block's look at the partials, which lie in one sector.
    assert_eq!(three.global_loads, 3 * 64 + 1);
    assert_eq!(three.global_sectors_read, 3 * 64 * 16 + 1 + three.atomics);
    assert_eq!(three.global_sectors_written, 3 + three.atomics + 2);
}
