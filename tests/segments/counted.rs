//! What a launch costs, counted: every item is read once and every result written once, whatever the segments' lengths.

use virtual_gpu::{Checks, Policy, RunOptions};
use warpfold::Sum;

use crate::engine::{Engine, GENERATIONS};
use crate::shapes;

const ITEMS: usize = 1 << 17;

#[test]
fn the_bytes_are_those_of_items_offsets_and_results() {
    for generation in GENERATIONS {
        let text = generation.kernel("segmented_reduce_sum_f32");
        let engine = Engine::new::<Sum, f32>(generation, 4, &text, ITEMS);
        for length in [1, 32, 1024, ITEMS] {
            let count = ITEMS / length;
            let offsets = shapes::offsets(0, &vec![length; count]);
            let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
            let options = RunOptions {
                policy: Policy::OneBlock,
                checks: Checks::none(),
                ..RunOptions::default()
            };
            let items = vec![1.0; ITEMS];
            let (_, _, counters) = engine
                .segmented_reduce::<Sum, f32>(&items, &offsets, &options)
                .unwrap();
            let (items, results) = (4 * ITEMS as u64, 4 * count as u64);
            // Each offset is read twice, as a chunk's start and to be compared with the next one; and a block searches.
            let searches = counters.blocks * 2 * 5 * 32 * 4;
            let read = items + 2 * results + searches + counters.blocks * 80;
            assert!(
                (items + results..=read).contains(&counters.global_bytes_read),
                "{} bytes are read for segments of {length}, at most {read} expected",
                counters.global_bytes_read
            );
            // And the tickets, and a word for each block of a long segment.
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
