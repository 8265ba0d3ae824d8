//! A reduction reads each item once. If there are several blocks, each publishes a partial and takes a ticket. They share nothing else.

use crate::device::Item;
use virtual_gpu::{Counters, Policy};
use warpfold::{Max, Op, Sum, WideSum};
use warpfold_kernels::contract::{
    BLOCK_THREADS, BLOCK_WARPS, REDUCE_MAX_CHUNKS, reduce_chunk_count, reduce_tile_count,
    reduce_tile_items,
};
use warpfold_kernels::workspace::words_per_accumulator;

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, GENERATIONS, Generation, SM_90};
use crate::{assert_within, unwatched};

/// The number of bytes of a state word, and of the control word with the tickets.
const WORD_BYTES: u64 = 8;

fn count<O: Op<T, Output: Item>, T: Sample>(
    generation: Generation,
    symbol: &str,
    items: &[T],
    policy: Policy,
) -> Counters {
    let text = generation.kernel(symbol);
    let engine = Engine::new::<O, T>(generation, 4, &text, items.len());
    engine.reduce::<O, T>(items, &unwatched(policy)).unwrap().1
}

/// How many partials the last block's threads read if all partials are published. With many partials, a thread reads eight at a time.
fn partials_read(blocks: u64) -> u64 {
    let threads = u64::from(BLOCK_THREADS);
    if blocks <= 2 * threads {
        return blocks;
    }
    let own = |thread: u64| (blocks - thread).div_ceil(threads);
    (0..threads)
        .map(|thread| own(thread).next_multiple_of(8))
        .sum()
}

/// Asserts the costs of a reduction whose blocks run one after the other.
fn assert_counts<O: Op<T, Output: Item>, T: Sample>(
    generation: Generation,
    symbol: &str,
    item_count: usize,
) {
    let items = ordinary::<O, T>(item_count);
    let counters = count::<O, T>(generation, symbol, &items, Policy::OneBlock);
    let words = words_per_accumulator::<O::Accumulator>();
    let input_bytes = size_of_val(&items[..]) as u64;
    let output_bytes = size_of::<O::Output>() as u64;
    let blocks = reduce_chunk_count::<T>(item_count as u64);
    // Each warp of a block combines the values of 32 lanes in a tree of 5 levels. One warp then combines the totals of the 8 warps in a
    // tree of 3 levels.
    let block_shuffles = words * (u64::from(BLOCK_WARPS) * 5 + 3);

    assert_eq!(counters.blocks, blocks);
    // If there are several blocks, each of them increments the ticket counter and writes a partial. The last block resets the counter for
    // the next launch.
    let (read, told, last_blocks) = match blocks {
        1 => (0, 0, 0),
        _ => (
            (blocks + partials_read(blocks) * words) * WORD_BYTES,
            (blocks + blocks * words + 1) * WORD_BYTES,
            1,
        ),
    };
    assert_eq!(counters.global_bytes_read, input_bytes + read);
    assert_eq!(counters.global_bytes_written, output_bytes + told);
    assert_within(1.0, counters.global_bytes_read, input_bytes);
    assert_eq!(counters.atomics, blocks * last_blocks);
    // The tree of each block has one barrier. The last of several blocks has two more, because it uses its scratch again.
    assert_eq!(counters.barriers, blocks + 2 * last_blocks);
    assert_eq!(counters.shuffles, (blocks + last_blocks) * block_shuffles);
    assert_eq!(counters.votes, 0);
    if (item_count as u64).is_multiple_of(reduce_tile_items::<T>()) {
        assert_eq!(counters.bank_conflicts, 0);
    }
    assert_eq!(counters.local_bytes, 0);
}

#[test]
fn every_item_is_read_once() {
    for generation in GENERATIONS {
        for tiles in [1, 2, 7] {
            let f32s = tiles * reduce_tile_items::<f32>() as usize;
            assert_counts::<Sum, f32>(generation, "reduce_sum_f32", f32s);
            assert_counts::<Sum, f32>(generation, "reduce_sum_f32", f32s - 3001);
            assert_counts::<WideSum, f32>(generation, "reduce_wide_sum_f32", f32s);
            let f64s = tiles * reduce_tile_items::<f64>() as usize;
            assert_counts::<Max, f64>(generation, "reduce_max_f64", f64s);
            assert_counts::<Sum, u64>(generation, "reduce_sum_u64", f64s - 3001);
            let u8s = tiles * reduce_tile_items::<u8>() as usize;
            assert_counts::<Sum, u8>(generation, "reduce_sum_u8", u8s);
        }
    }
}

#[test]
fn a_chunk_of_two_tiles_costs_no_more_than_one() {
    let item_count = REDUCE_MAX_CHUNKS as usize * reduce_tile_items::<u64>() as usize + 1;
    let tiles = reduce_tile_count::<u64>(item_count as u64);
    assert_eq!(
        reduce_chunk_count::<u64>(item_count as u64),
        tiles.div_ceil(2)
    );
    assert_counts::<Sum, u64>(SM_90, "reduce_sum_u64", item_count);
}

#[test]
fn whole_tiles_are_loaded_16_bytes_a_lane() {
    let tile = reduce_tile_items::<f32>() as usize;
    let of = |tiles: usize| {
        let items = ordinary::<Sum, f32>(tiles * tile);
        count::<Sum, f32>(SM_90, "reduce_sum_f32", &items, Policy::OneBlock)
    };
    let one = of(1);
    // Each lane of the 8 warps loads 8 vectors.
    assert_eq!(one.global_loads, 64);
    assert_eq!(one.global_sectors_read, one.global_loads * 16);
    let three = of(3);
    // The last block loads the partials, which lie in one sector. The atomics read the tickets.
    assert_eq!(three.global_loads, 3 * 64 + 1);
    assert_eq!(three.global_sectors_read, 3 * 64 * 16 + 1 + three.atomics);
    // The atomics write the tickets. The other written sectors are three partials, the result, and the reset of the tickets.
    assert_eq!(three.global_sectors_written, three.atomics + 3 + 1 + 1);
}
