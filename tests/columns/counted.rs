//! The cost of a launch, counted: every item is read once and every result written once, whatever the matrix's shape.

use virtual_gpu::{Checks, Counters, Policy, RunOptions};
use warpfold::Sum;
use warpfold_kernels::columns::chunk_count;

use crate::engine::{Engine, GENERATIONS, Generation};

const ITEMS: usize = 1 << 16;

fn options() -> RunOptions {
    RunOptions {
        policy: Policy::OneBlock,
        checks: Checks::none(),
        ..RunOptions::default()
    }
}

/// An engine for the kernel.
fn engine(generation: Generation, kernel: &str) -> Engine {
    Engine::new::<Sum, f32>(generation, 4, &generation.kernel(kernel), ITEMS)
}

/// How many state words the columns need. Columns of one chunk need none.
fn state_words(columns: usize) -> u64 {
    match chunk_count((ITEMS / columns) as u64) {
        1 => 0,
        chunks => chunks * columns as u64,
    }
}

fn assert_within(counters: &Counters, least: [u64; 2], more: [u64; 2], columns: usize) {
    let found = [counters.global_bytes_read, counters.global_bytes_written];
    for (found, (least, more)) in std::iter::zip(found, std::iter::zip(least, more)) {
        assert!(
            (least..=least + more).contains(&found),
            "{found} bytes with {columns} columns, {least} and at most {more} more expected"
        );
    }
    assert_eq!(counters.local_bytes, 0);
}

#[test]
fn a_reduction_reads_each_item_and_each_state_word_once() {
    for generation in GENERATIONS {
        let engine = engine(generation, "columns_reduce_sum_f32");
        for columns in [1, 8, 32, 1024, ITEMS] {
            let items = vec![1.0; ITEMS];
            let (_, counters) = engine
                .columns_reduce::<Sum, f32>(&items, columns, &options())
                .unwrap();
            let least = [4 * ITEMS as u64, 4 * columns as u64];
            let words = 8 * state_words(columns);
            // Columns have up to 256 chunks here, so there are up to two levels: groups of 16 chunks are combined, and then 16 such groups.
            // On each level, up to 15 warps of a block wait for published values, and each lane of these warps reads one state word. Each
            // block also reads the tickets.
            let waits = counters.blocks * (2 * 15 * 32 * 8 + 8);
            let tickets = 8 * (counters.blocks + 1);
            assert_within(&counters, least, [waits, words + tickets], columns);
            if columns >= 32 {
                let sectors = least[0] / 32;
                let more = waits / 32 + counters.blocks;
                assert!((sectors..=sectors + more).contains(&counters.global_sectors_read));
            }
        }
    }
}

#[test]
fn a_scan_reads_each_item_once_and_writes_each_result_once() {
    for generation in GENERATIONS {
        let engine = engine(generation, "columns_scan_sum_f32");
        for columns in [1, 8, 32, 1024, ITEMS] {
            let items = vec![1.0; ITEMS];
            let (_, counters) = engine
                .columns_scan::<Sum, f32>(&items, columns, false, &options())
                .unwrap();
            let least = [4 * ITEMS as u64; 2];
            let words = 8 * state_words(columns);
            // On each of the two levels, a block of a scan reads published values twice: first to combine groups of 16 values, and then to
            // combine the prefixes of the block's chunks.
            let waits = counters.blocks * (4 * 15 * 32 * 8 + 8);
            let tickets = 8 * (counters.blocks + 1);
            assert_within(&counters, least, [waits, words + tickets], columns);
            if columns >= 32 {
                let sectors = least[0] / 32;
                let more = words / 8 + 2 * counters.blocks;
                assert!((sectors..=sectors + more).contains(&counters.global_sectors_written));
            }
        }
    }
}
