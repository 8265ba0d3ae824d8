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

#[test]
fn scratch() {
    let generation = crate::engine::SM_90;
    let text = generation.kernel("segmented_reduce_sum_f32");
    for (what, lengths) in [
        ("1", vec![1; ITEMS]),
        ("8", vec![8; ITEMS / 8]),
        ("32", vec![32; ITEMS / 32]),
        ("1024", vec![1024; ITEMS / 1024]),
        ("one", vec![ITEMS]),
        ("power", power()),
    ] {
        let items_count: usize = lengths.iter().sum();
        let mut engine = Engine::new::<Sum, f32>(generation, 4, &text, items_count);
        engine.set_windows_per_block(4);
        let offsets = shapes::offsets(0, &lengths);
        let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
        let options = RunOptions {
            policy: Policy::OneBlock,
            checks: Checks::none(),
            ..RunOptions::default()
        };
        let items = vec![1.0; items_count];
        let (_, _, c) = engine
            .segmented_reduce::<Sum, f32>(&items, &offsets, &options)
            .unwrap();
        let per = |x: u64| x as f64 * 32.0 / items_count as f64;
        eprintln!("{what}: {:.2} instr/item, shared {:.2} conflicts {:.2} loads {:.2} barriers {}",
            per(c.warp_instructions), per(c.shared_accesses), per(c.bank_conflicts), per(c.global_loads), c.barriers);
    }
}

fn power() -> Vec<usize> {
    let (mut end, mut k) = (0usize, 0u64);
    let mut v = vec![];
    while end < ITEMS {
        let mut z = k.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(k + 1));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB); z ^= z >> 31;
        let u = ((z >> 32) as f64 + 1.0) / 4294967296.0;
        let next = ITEMS.min(end + ((8.0 * u.powf(-1.0 / 1.2)) as usize).min(ITEMS / 16));
        v.push(next - end); end = next; k += 1;
    }
    v
}
