//! A scan reads each item once and writes it once, and shares a word or two for each tile.

use virtual_gpu::{Counters, Policy};
use warpfold::{Max, Op, Sum};
use warpfold_kernels::contract::{
    BLOCK_WARPS, SCAN_GROUP_TILES, THREAD_VECTORS, WARP_LANES, tile_count, tile_items,
};

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, Generation, SM_70, SM_90};
use crate::{assert_within, unwatched};

/// A scan that was counted.
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
    let engine = Engine::new::<T>(generation, 1, &text, item_count);
    let items = ordinary::<O, T>(item_count);
    Scan {
        counters: engine.scan(&items, &unwatched(policy)).unwrap().1,
        blocks: engine.scan_blocks::<T>(item_count),
    }
}

/// What the look-back of all tiles costs if nobody waits.
struct LookBack {
    words_read: u64,
    words_written: u64,
    shuffles: u64,
    votes: u64,
}

impl LookBack {
    /// Of so many tiles, with so many words to a value.
    fn of(tiles: u64, words: u64) -> Self {
        let lanes = u64::from(WARP_LANES);
        let groups = tiles.div_ceil(SCAN_GROUP_TILES);
        let whole_groups = tiles / SCAN_GROUP_TILES;
        let prefixes = groups - 1;
        // A tile reads the aggregates of its group's lower tiles; the group's prefix and those before it; and the
        // aggregates of the groups before. A group's last tile has read all the others' before.
        let of_tile = |tile: u64| {
            let group = tile / SCAN_GROUP_TILES;
            tile % SCAN_GROUP_TILES + 2 * group.min(lanes)
        };
        let read = (0..tiles).map(of_tile).sum::<u64>() + whole_groups * (lanes - 1);
        Self {
            words_read: words * read,
            words_written: words * (tiles + whole_groups + prefixes),
            // A tree over 32 lanes; a tile also fetches its group's prefix.
            shuffles: words * (tiles * (1 + 5) + whole_groups * 5),
            // A round of three; a group's last tile asks before and after.
            votes: tiles * 3 + whole_groups * 2,
        }
    }
}

fn assert_counts<O: Op<T>, T: Sample>(generation: Generation, symbol: &str, item_count: usize) {
    let Scan { counters, blocks } = count::<O, T>(generation, symbol, item_count, Policy::OneBlock);
    let item_bytes = size_of::<T>() as u64;
    let words = item_bytes / 4;
    let input_bytes = item_count as u64 * item_bytes;
    let tiles = tile_count::<T>(item_count as u64);
    let look_back = LookBack::of(tiles, words);
    // A block takes a ticket, one more for each of its tiles if there are fewer blocks than tiles; and departs.
    let tickets = blocks + if tiles > blocks { tiles } else { 0 };
    let atomics = tickets + blocks;
    // Each warp scans eight rows: five steps, what stands before, the total.
    let tile_shuffles = words * u64::from(BLOCK_WARPS) * THREAD_VECTORS as u64 * 7;

    assert_eq!(counters.blocks, blocks);
    assert_eq!(counters.atomics, atomics);
    assert_eq!(counters.barriers, barriers(tiles, blocks));
    assert_eq!(
        counters.shuffles,
        tiles * tile_shuffles + look_back.shuffles
    );
    assert_eq!(counters.votes, look_back.votes);
    // The tag, of each block.
    let read = 4 * blocks + 4 * atomics + 8 * look_back.words_read;
    assert_eq!(counters.global_bytes_read, input_bytes + read);
    // The counters and the epoch, of the last block.
    let written = 4 * atomics + 8 * look_back.words_written + 12;
    assert_eq!(counters.global_bytes_written, input_bytes + written);
    assert_within(1.0, counters.global_bytes_read, input_bytes);
    assert_within(1.0, counters.global_bytes_written, input_bytes);
    if (item_count as u64).is_multiple_of(tile_items::<T>()) {
        assert_eq!(counters.bank_conflicts, 0);
    }
    assert_eq!(counters.local_bytes, 0);
}

/// Two a tile; two before a block's first, and one in the turn in which its last one leaves.
fn barriers(tiles: u64, blocks: u64) -> u64 {
    2 * tiles + 3 * blocks
}

#[test]
fn every_item_is_read_once_and_written_once() {
    for generation in [SM_70, SM_90] {
        for tiles in [1, 3, 10, 67] {
            let f32s = tiles * tile_items::<f32>() as usize;
            assert_counts::<Sum, f32>(generation, "inclusive_scan_sum_f32", f32s);
        }
        for tiles in [4, 33] {
            let f64s = tiles * tile_items::<f64>() as usize;
            assert_counts::<Max, f64>(generation, "exclusive_scan_max_f64", f64s);
            assert_counts::<Sum, u64>(generation, "inclusive_scan_sum_u64", f64s - 3001);
        }
    }
}

#[test]
fn whatever_the_schedule_some_counts_stay() {
    let item_count = 40 * tile_items::<f32>() as usize;
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
        // Waiting is reading again.
        assert!(other.counters.global_bytes_read >= alone.counters.global_bytes_read);
    }
}

#[test]
fn whole_tiles_are_moved_16_bytes_a_lane() {
    let item_count = tile_items::<f32>() as usize;
    for generation in [SM_70, SM_90] {
        let policy = Policy::OneBlock;
        let scan = count::<Sum, f32>(generation, "inclusive_scan_sum_f32", item_count, policy);
        let counters = scan.counters;
        // 8 warps, 8 vectors each lane; and the tag.
        assert_eq!(counters.global_loads, 64 + 1);
        assert_eq!(counters.global_sectors_read, 64 * 16 + 1 + counters.atomics);
        // The tile's aggregate, and what the last block leaves for the next launch, in two stores.
        assert_eq!(counters.global_stores, 64 + 1 + 2);
        assert_eq!(
            counters.global_sectors_written,
            64 * 16 + 3 + counters.atomics
        );
    }
}

#[test]
fn a_tile_that_ends_early_has_bank_conflicts_of_its_own() {
    let tile = tile_items::<f32>() as usize;
    let conflicts = |generation, tiles| {
        let item_count = tiles * tile - 3001;
        let policy = Policy::OneBlock;
        let scan = count::<Sum, f32>(generation, "inclusive_scan_sum_f32", item_count, policy);
        scan.counters.bank_conflicts
    };
    // Slots of a last vector's items are filled one by one, and each lies a vector's width from the next lane's.
    assert_eq!(conflicts(SM_90, 5), conflicts(SM_90, 1));
    // Without asynchronous copies, registers are filled.
    assert_eq!(conflicts(SM_70, 5), 0);
}
