//! A scan reads each item once and writes each result once. For each tile, the scan's blocks publish and read only a few state words.

use virtual_gpu::{Counters, Policy};
use warpfold::{Max, Op, Sum};
use warpfold_kernels::contract::{SCAN_SHORT, WARP_LANES, scan_tiles};
use warpfold_kernels::scan::tuning;
use warpfold_kernels::workspace::words_per_accumulator;

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, GENERATIONS, Generation, SM_90};
use crate::unwatched;

/// The counters of a scan, and its number of blocks.
struct Scan {
    counters: Counters,
    /// Blocks that were launched.
    blocks: u64,
}

fn count<O: Op<T>, T: Sample>(
    generation: Generation,
    symbol: &str,
    item_count: usize,
    policy: Policy,
) -> Scan {
    let text = generation.kernel(symbol);
    let engine = Engine::new::<O, T>(generation, 1, &text, item_count);
    let items = ordinary::<O, T>(item_count);
    Scan {
        counters: engine.scan::<O, T>(&items, &unwatched(policy)).unwrap().1,
        blocks: engine.scan_blocks::<O, T>(item_count),
    }
}

/// How many earlier tile groups a look-back reads at once.
const NEIGHBOURS: u64 = 7;

/// For accumulators of one word, if no block waits: the most words that blocks publish for each tile, and the most words that they read for
/// each tile. A look-back reads the aggregates of the tile's own group, those of seven earlier groups, and up to 32 prefixes of groups.
const WORDS_PUBLISHED: u64 = 2;
const WORDS_LOOKED_AT: u64 = (1 + NEIGHBOURS + 1) * WARP_LANES as u64;

/// The most shuffles and votes of a look-back, for accumulators of one word. One shuffle gives all lanes the known prefix. Nine combine the
/// tiles of eight groups at once. For each of the seven earlier groups, one gives all lanes the group's aggregate. For the last tile of a
/// group, five more combine the tiles of this group, because the prefix of the next group needs them. Each vote asks whether enough values
/// are published.
const SHUFFLES_TO_LOOK_BACK: u64 = 1 + 9 + NEIGHBOURS + 5;
const VOTES_TO_LOOK_BACK: u64 = 2;

fn assert_counts<O: Op<T>, T: Sample>(generation: Generation, symbol: &str, item_count: usize) {
    let Scan { counters, blocks } = count::<O, T>(generation, symbol, item_count, Policy::OneBlock);
    let words = words_per_accumulator::<O::Accumulator>();
    let input_bytes = (item_count * size_of::<T>()) as u64;
    let scan_tiles = tuning::tiles::<O, T>();
    let shape = scan_tiles.short;
    let tiles = scan_tiles.count(item_count as u64);
    // If there are several tiles, each block takes a ticket. If there are fewer blocks than tiles, a block takes one more ticket after each
    // of its tiles.
    let tickets = match tiles {
        1 => 0,
        _ => blocks + if tiles > blocks { tiles } else { 0 },
    };
    // Each warp scans its rows, or one row if its lanes have consecutive vectors. A row takes seven shuffles: five for its scan, one for
    // the prefix, and one for the total.
    let rows = if shape.is_blocked(words as usize) {
        1
    } else {
        shape.rows as u64
    };
    let tile_shuffles = words * u64::from(shape.warps) * rows * 7;

    assert_eq!(counters.blocks, blocks);
    // Besides the tickets, the atomics are messages to the warp that looks back: one for each tile, and one for each block's end.
    assert_eq!(counters.atomics, tickets + tiles + blocks);
    assert_eq!(counters.barriers, barriers(tiles, blocks));
    let looking_back = counters.shuffles - tiles * tile_shuffles;
    assert!(looking_back <= words * tiles * SHUFFLES_TO_LOOK_BACK);
    assert!(counters.votes <= tiles * VOTES_TO_LOOK_BACK);
    let read = counters.global_bytes_read - input_bytes - 8 * tickets;
    assert!(read <= 8 * words * tiles * WORDS_LOOKED_AT, "{read}");
    // Besides results and tickets, a scan writes the published words and the reset of the tickets.
    let written = counters.global_bytes_written - input_bytes - 8 * tickets;
    assert!(
        written <= 8 * (words * tiles * WORDS_PUBLISHED + 1),
        "{written}"
    );
    if (item_count as u64).is_multiple_of(scan_tiles.items(item_count as u64)) {
        assert_eq!(counters.bank_conflicts, 0);
    }
    assert_eq!(counters.local_bytes, 0);
}

/// The number of barriers in a scan. For each tile: one for the warps that share it, one that sends the tile to the warp that looks back,
/// and one that returns the prefix. For each block: one before its first tile, and one after its last tile, which tells the warp that looks
/// back to end.
fn barriers(tiles: u64, blocks: u64) -> u64 {
    3 * tiles + 2 * blocks
}

#[test]
fn every_item_is_read_once_and_written_once() {
    for generation in GENERATIONS {
        for tiles in [1, 3, 10, 67] {
            let f32s = tiles * scan_tiles::<f32>().items(0) as usize;
            assert_counts::<Sum, f32>(generation, "inclusive_scan_sum_f32", f32s);
        }
        for tiles in [4, 33] {
            let rounding = tiles * scan_tiles::<f64>().items(0) as usize;
            assert_counts::<Sum, f64>(generation, "exclusive_scan_sum_f64", rounding);
            let exact = tiles * tuning::tiles::<Max, f64>().items(0) as usize;
            assert_counts::<Max, f64>(generation, "exclusive_scan_max_f64", exact);
            assert_counts::<Sum, u64>(generation, "inclusive_scan_sum_u64", exact - 3001);
        }
    }
}

#[test]
fn some_counts_are_equal_under_every_schedule() {
    let item_count = 40 * scan_tiles::<f32>().items(0) as usize;
    let of = |policy| count::<Sum, f32>(SM_90, "inclusive_scan_sum_f32", item_count, policy);
    let alone = of(Policy::OneBlock);
    for policy in [
        Policy::Seeded,
        Policy::ReversedBlocks,
        Policy::StarvedPredecessor,
    ] {
        let other = of(policy);
        let same = |count: fn(&Counters) -> u64| {
            assert_eq!(count(&other.counters), count(&alone.counters), "{policy:?}");
        };
        same(|counters| counters.barriers);
        same(|counters| counters.atomics);
        same(|counters| counters.global_bytes_written);
        same(|counters| counters.global_stores);
        same(|counters| counters.bank_conflicts);
        same(|counters| counters.local_bytes);
        // While a block waits, it reads state words again and again, so more bytes may be read.
        assert!(other.counters.global_bytes_read >= alone.counters.global_bytes_read);
    }
}

#[test]
fn whole_tiles_are_moved_16_bytes_a_lane() {
    let item_count = scan_tiles::<f32>().items(0) as usize;
    for generation in GENERATIONS {
        let policy = Policy::OneBlock;
        let scan = count::<Sum, f32>(generation, "inclusive_scan_sum_f32", item_count, policy);
        let counters = scan.counters;
        // Each lane of the 8 warps loads its vectors. A single tile publishes nothing.
        let vectors = 8 * SCAN_SHORT.rows as u64;
        assert_eq!(counters.global_loads, vectors);
        assert_eq!(counters.global_sectors_read, vectors * 16);
        assert!(counters.global_stores - vectors <= 1);
        assert!(counters.global_sectors_written - vectors * 16 <= 1);
    }
}

#[test]
fn only_the_partial_tile_has_bank_conflicts() {
    let tile = scan_tiles::<f32>().items(0) as usize;
    let conflicts = |generation, tiles| {
        let item_count = tiles * tile - 3001;
        let policy = Policy::OneBlock;
        let scan = count::<Sum, f32>(generation, "inclusive_scan_sum_f32", item_count, policy);
        scan.counters.bank_conflicts
    };
    // In a partial tile, vectors that lack items are copied item by item. The items that neighbouring lanes copy are one vector apart, so
    // their banks conflict.
    assert_eq!(conflicts(SM_90, 5), conflicts(SM_90, 1));
}
