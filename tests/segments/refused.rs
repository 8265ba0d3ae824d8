//! Offsets that do not ascend, or are beyond the items, are refused under many schedules, on devices of 1, 7 and 132 multiprocessors.
//! Nothing is read or written out of bounds, and no block waits forever.

use cust::memory::DeviceBuffer;
use virtual_gpu::{Checks, RunOptions};
use warpfold::{Error, Sum, cust, reduce};
use warpfold_kernels::segments::chunk_items;

use crate::data::Random;
use crate::engine::{Engine, SM_90};
use crate::gpus::gpu;
use crate::schedule::schedules;
use crate::shapes;

const KERNEL: &str = "segmented_reduce_sum_f32";

/// Warp instructions after which a launch counts as hung.
const STEP_BUDGET: u64 = 4_000_000;

/// Makes one to three random changes to good offsets. The changed offsets may still be good.
fn spoilt(offsets: &[u32], random: &mut Random) -> Vec<u32> {
    let mut offsets = offsets.to_vec();
    for _ in 0..1 + random.below(3) {
        let (place, other) = (random.below(offsets.len()), random.below(offsets.len()));
        match random.below(4) {
            0 => offsets.swap(place, other),
            1 => offsets[place] = random.bits() as u32,
            2 => offsets[place] = offsets[other],
            _ => offsets[place.min(other)..=place.max(other)].reverse(),
        }
    }
    offsets
}

fn is_good(offsets: &[u32], item_count: usize) -> bool {
    offsets.is_sorted() && offsets.iter().all(|&offset| offset as usize <= item_count)
}

#[test]
fn wrong_offsets_are_refused_and_nothing_hangs() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let text = SM_90.kernel(KERNEL);
    let mut random = Random::new(3);
    let shapes = [
        vec![3, 5 * chunk, 700, 2 * chunk, 1, 0, 0, 18 * chunk],
        [vec![40; 200], vec![3 * chunk], vec![9; 500]].concat(),
        vec![19 * chunk; 2],
    ];
    let mut refused = 0;
    for (turn, options) in schedules(6).enumerate() {
        let offsets = shapes::offsets(0, &shapes[turn % shapes.len()]);
        let item_count = offsets[offsets.len() - 1];
        let good: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
        let bad = spoilt(&good, &mut random);
        let items = vec![1.0_f32; item_count];
        let multiprocessors = [1, 7, 132][turn % 3];
        let mut engine = Engine::new::<Sum, f32>(SM_90, multiprocessors, &text, item_count);
        engine.set_windows_of_turn(turn);
        let options = RunOptions {
            step_budget: STEP_BUDGET,
            // All checks are on for every seed.
            checks: Checks::all(),
            ..options
        };
        let run = |offsets: &[u32]| engine.segmented_reduce::<Sum, f32>(&items, offsets, &options);
        let (_, is_refused, _) = run(&bad).unwrap_or_else(|error| panic!("{bad:?}: {error}"));
        assert_eq!(is_refused, !is_good(&bad, item_count), "{bad:?}");
        refused += u32::from(is_refused);
        // A refused launch does not affect the next launch.
        let (sums, is_refused, _) = run(&good).unwrap();
        assert!(!is_refused);
        for (sum, ends) in sums.iter().zip(offsets.windows(2)) {
            assert_eq!(*sum as usize, ends[1] - ends[0]);
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn the_first_wrong_offset_is_named() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_i32; 100]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[0_i32; 4]).unwrap();
    let mut reduce = |offsets: &[u64]| {
        let offsets = DeviceBuffer::from_slice(offsets).unwrap();
        reduce::<Sum, _>(&input)
            .segments(&offsets)
            .to(&mut output)
            .wait(gpu)
    };
    let error = |index, offset, before| {
        Err(Error::BadOffset {
            index,
            offset,
            before,
            item_count: 100,
        })
    };
    assert_eq!(reduce(&[0, 3, 2, 1, 100]), error(2, 2, 3));
    assert_eq!(reduce(&[0, 3, 4, 5, 101]), error(4, 101, 5));
    assert_eq!(reduce(&[u64::MAX, 3, 4, 5, 6]), error(0, u64::MAX, 0));
    assert_eq!(reduce(&[0, 3, 4, 5, 100]), Ok(()));
    let text = reduce(&[7, 3, 4, 5, 6]).unwrap_err().to_string();
    assert_eq!(
        text,
        "offset 1 of the segments is 3: it must be from 7, the one before it, to 100, the number of items"
    );
}
