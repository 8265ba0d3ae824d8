//! Scans in which each warp takes whole chunks: the bits are the CPU's, under every schedule, and a block has few barriers.

use virtual_gpu::{Checks, Policy, RunOptions};
use warpfold::Sum;
use warpfold_kernels::segments::chunk_items;

use crate::data::Random;
use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::scans::assert_scanned;
use crate::schedule::schedules;
use crate::shapes;

const KERNEL: &str = "segmented_scan_sum_f32";

/// Checks an inclusive and an exclusive scan of segments with these lengths. The first segment begins at item `begin`.
fn assert_right(engine: &Engine, begin: usize, lengths: &[usize], options: &RunOptions) {
    for is_exclusive in [false, true] {
        assert_scanned(engine, begin, lengths, is_exclusive, options);
    }
}

/// Lengths of which one window has chunks for warps: all are multiples of a vector's items, except the last.
fn lengths() -> Vec<Vec<usize>> {
    let chunk = chunk_items::<f32, f32>() as usize;
    vec![
        vec![1024; 12],
        vec![512, 256, 260, 0, 1020, 16, 700, 12, 1300, 4, 272, 509],
        vec![2048, 2040, 1536, 1600, 900, 1999],
        // The first chunk of the second and of the fourth window is the end of a long segment.
        vec![
            chunk + 1000,
            1000,
            1004,
            500,
            2 * chunk + 600,
            900,
            904,
            908,
            3,
        ],
        // In the first window, the last chunk is cut. In the third one, the chunk is too long for one warp.
        vec![1000, 1000, 1000, 3 * chunk, 40, 3000, 60, 1024, 1024, 1028],
        // One segment begins inside a vector.
        vec![1024, 1022, 1024, 1026, 1024, 1024, 1024, 1024],
    ]
}

#[test]
fn any_schedule() {
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(KERNEL);
        let engine = Engine::new::<Sum, f32>(generation, [1, 7][turn % 2], &text, 1 << 16);
        for (number, lengths) in lengths().iter().enumerate() {
            assert_right(&engine, number % 3 * 4, lengths, &options);
        }
    }
}

#[test]
fn random_lengths() {
    let text = SM_90.kernel(KERNEL);
    let engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 1 << 17);
    let mut random = Random::new(28);
    for turn in 0..12 {
        let most = [300, 600, 2000, 6000][turn % 4];
        let lengths: Vec<usize> = (0..20).map(|_| random.below(most) * 4).collect();
        assert_right(&engine, random.below(9), &lengths, &RunOptions::default());
    }
}

/// If each warp takes whole chunks, a work has one barrier before the scan and one after it. If chunks begin inside vectors, the block takes
/// the work, and has six barriers more.
#[test]
fn few_barriers() {
    let text = SM_90.kernel(KERNEL);
    let engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 1 << 16);
    let options = RunOptions {
        policy: Policy::OneBlock,
        checks: Checks::none(),
        ..RunOptions::default()
    };
    // All segments but the last have this length, and 16 blocks have one window each.
    let barriers = |length: usize| {
        let lengths = [vec![length; 63], vec![1020]].concat();
        let offsets = shapes::offsets(0, &lengths);
        let items = vec![1.0; offsets[lengths.len()]];
        let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
        let (_, _, counters) = engine
            .segmented_scan::<Sum, f32>(&items, &offsets, false, &options)
            .unwrap();
        assert_eq!(counters.blocks, 16);
        counters.barriers
    };
    assert_eq!([barriers(1020), barriers(1021)], [88, 184]);
}
