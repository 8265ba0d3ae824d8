//! Counts the cost of a launch: for short and long segments, every item is read once, every result is written once, and copies begin at
//! lines of both memories.

use virtual_gpu::{Checks, Policy, RunOptions};
use warpfold::Sum;

use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::shapes;

const ITEMS: usize = 1 << 17;

/// One block runs at a time, so that no block waits for another.
fn options() -> RunOptions {
    RunOptions {
        policy: Policy::OneBlock,
        checks: Checks::none(),
        ..RunOptions::default()
    }
}

/// The offsets of `count` segments of `length` items each. The first segment begins at item `begin`.
fn offsets(begin: usize, length: usize, count: usize) -> Vec<u32> {
    let offsets = shapes::offsets(begin, &vec![length; count]);
    offsets.iter().map(|&offset| offset as u32).collect()
}

#[test]
fn only_items_offsets_and_results_are_moved() {
    for generation in GENERATIONS {
        let text = generation.kernel("segmented_reduce_sum_f32");
        let engine = Engine::new::<Sum, f32>(generation, 4, &text, ITEMS);
        for length in [1, 32, 1024, ITEMS] {
            let count = ITEMS / length;
            let offsets = offsets(0, length, count);
            let items = vec![1.0; ITEMS];
            let (_, _, counters) = engine
                .segmented_reduce::<Sum, f32>(&items, &offsets, &options())
                .unwrap();
            let (items, results) = (4 * ITEMS as u64, 4 * count as u64);
            // Each offset is read at most twice: as the end of a chunk, and as the start of the next chunk. Each block also reads offsets
            // in its searches.
            let searches = counters.blocks * 2 * 5 * 32 * 4;
            let read = items + 2 * results + searches + counters.blocks * 80;
            assert!(
                (items + results..=read).contains(&counters.global_bytes_read),
                "{} bytes are read for segments of {length}, at most {read} expected",
                counters.global_bytes_read
            );
            // The launch also writes the tickets, and at most one state word for each window. A block has one window.
            let written = results + 8 * (counters.blocks + 1) * 2;
            assert!(
                (results..=written).contains(&counters.global_bytes_written),
                "{} bytes are written for segments of {length}, at most {written} expected",
                counters.global_bytes_written
            );
            assert_eq!(counters.local_bytes, 0);
        }
    }
}

#[test]
fn a_scan_reads_each_item_once_and_writes_each_result_once() {
    for generation in GENERATIONS {
        let text = generation.kernel("segmented_scan_sum_f32");
        let engine = Engine::new::<Sum, f32>(generation, 4, &text, ITEMS);
        for length in [1, 32, 1024, ITEMS] {
            let count = ITEMS / length;
            let offsets = offsets(0, length, count);
            let items = vec![1.0; ITEMS];
            let (_, _, counters) = engine
                .segmented_scan::<Sum, f32>(&items, &offsets, false, &options())
                .unwrap();
            let results = 4 * ITEMS as u64;
            // Each offset is read at most twice: as the end of a chunk, and as the start of the next chunk. Each block also reads offsets
            // in its searches, and state words while it waits.
            let more = 8 * count as u64 + counters.blocks * (2 * 5 * 32 * 4 + 32 * 8 + 112);
            assert!(
                (results..=results + more).contains(&counters.global_bytes_read),
                "{} bytes are read for segments of {length}, at most {} expected",
                counters.global_bytes_read,
                results + more
            );
            // The launch also writes the tickets, and at most one state word for each window. A block has one window.
            let written = results + 8 * (counters.blocks + 1) * 2;
            assert!((results..=written).contains(&counters.global_bytes_written));
            // Results are written in whole sectors, except at the ends of each block's results.
            let sectors = results / 32 + 4 * counters.blocks;
            assert!(counters.global_sectors_written <= sectors);
            assert_eq!(counters.local_bytes, 0);
        }
    }
}

/// Copies that begin inside a line join about two pairs of lines for each 128 bytes.
#[test]
fn copies_to_shared_memory_begin_at_lines() {
    let text = |symbol| SM_90.kernel(symbol);
    let reduce = Engine::new::<Sum, f32>(SM_90, 4, &text("segmented_reduce_sum_f32"), ITEMS);
    let scan = Engine::new::<Sum, f32>(SM_90, 4, &text("segmented_scan_sum_f32"), ITEMS);
    // The first item of almost every segment lies inside a line.
    for length in [3, 7, 101, 777, 5001, ITEMS - 5] {
        let count = ITEMS / length;
        let offsets = offsets(5, length, count);
        let items = vec![1.0; ITEMS];
        let (_, _, reduced) = reduce
            .segmented_reduce::<Sum, f32>(&items, &offsets, &options())
            .unwrap();
        let (_, _, scanned) = scan
            .segmented_scan::<Sum, f32>(&items, &offsets, false, &options())
            .unwrap();
        let lines = (4 * length * count / 128) as u64;
        // Dense works copy their offsets too.
        let more = (4 * count / 128) as u64;
        for counters in [reduced, scanned] {
            // A ring's slot and a window have one line more if they begin inside a line. Offsets have two more.
            let most = (lines + more) * 17 / 16 + 4 * counters.blocks;
            assert!(
                (lines..=most).contains(&counters.copied_lines),
                "segments of {length}: {} lines of {lines} to {most}",
                counters.copied_lines
            );
        }
    }
}
