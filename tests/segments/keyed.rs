//! Reductions and scans by key whose kernels compare the keys: with windows of each size, under many schedules, and when the tags are used
//! up.

use virtual_gpu::RunOptions;
use warpfold::{Cpu, Equal, Sum, reduce, scan};
use warpfold_kernels::segments::chunk_items;
use warpfold_kernels::segments::tuning::LEAST_WINDOW_SHIFT;

use crate::data::{Random, assert_same_bits, ordinary};
use crate::engine::{Engine, GENERATIONS, Generation, SM_90};
use crate::runs::keys;
use crate::schedule::schedules;

/// The engines of a reduction and of a scan.
struct Engines {
    reduction: Engine,
    scan: Engine,
}

impl Engines {
    fn new(generation: Generation, multiprocessors: u32, item_count: usize) -> Self {
        let engine = |kernel| {
            let text = generation.keyed_kernel(kernel);
            Engine::new::<Sum, f32>(generation, multiprocessors, &text, item_count)
        };
        Engines {
            reduction: engine("by_key_reduce_sum_f32"),
            scan: engine("by_key_scan_sum_f32"),
        }
    }

    /// Checks the reduction and the scan with runs of these lengths, and with keys of 4 or 8 bytes.
    fn check(&self, lengths: &[usize], is_wide: bool, shift: u32, options: &RunOptions) {
        if is_wide {
            self.check_keys(&keys(lengths, |run| (run as u64) << 31), shift, options);
        } else {
            self.check_keys(&keys(lengths, |run| run as u32 % 5), shift, options);
        }
    }

    fn check_keys<K: warpfold::Item + PartialEq + std::fmt::Debug>(
        &self,
        keys: &[K],
        shift: u32,
        options: &RunOptions,
    ) where
        Equal: warpfold::RunsKernel<K>,
    {
        let items = ordinary::<Sum, f32>(keys.len());
        let what = format!("{} keys, windows of 2^{shift}, {options:?}", keys.len());
        let (expected_firsts, expected) = reduce::<Sum, _>(&items)
            .by_key::<Equal, _>(keys)
            .wait(Cpu)
            .unwrap();
        let (sums, firsts, starts) = self
            .reduction
            .reduce_by_key::<Sum, f32, K>(keys, &items, shift, options)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same_bits(&sums, &expected, &what);
        assert_eq!(firsts, expected_firsts, "{what}");
        let is_head = |&item: &usize| item == 0 || keys[item] != keys[item - 1];
        let borders = (0..keys.len()).filter(is_head).chain([keys.len()]);
        let borders: Vec<u32> = borders.map(|border| border as u32).collect();
        assert_eq!(starts, borders, "{what}");
        let expected = scan::<Sum, _>(&items)
            .by_key::<Equal, _>(keys)
            .wait(Cpu)
            .unwrap();
        let scanned = self
            .scan
            .scan_by_key::<Sum, f32, K>(keys, &items, shift, options)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same_bits(&scanned, &expected, &what);
    }
}

/// Lengths of short runs, of runs of about 128 items, of runs of several windows and chunks, and random lengths. A block finds heads not
/// only in its window, but also among the 128 keys before it and the 128 keys after it.
fn lists(random: &mut Random) -> Vec<Vec<usize>> {
    let chunk = chunk_items::<f32, f32>() as usize;
    let mut lists = vec![
        vec![1; 5000],
        vec![3],
        vec![127; 40],
        vec![128; 40],
        vec![129; 40],
        vec![256 - 1, 1, 256, 257, 511, 1, 1, 512, 1000],
        vec![5, 2 * chunk + 3, 700, chunk, chunk + 1, 9],
        // If windows are small, the run of 40,000 items has more windows than a look-back reads at once.
        vec![9, 40_000, 1, 3],
    ];
    for most in [20, 300, 3000] {
        lists.push((0..9000 / most).map(|_| 1 + random.below(most)).collect());
    }
    lists
}

#[test]
fn any_schedule() {
    let mut random = Random::new(31);
    let most_shift = chunk_items::<f32, f32>().trailing_zeros();
    for (turn, options) in schedules(1).enumerate() {
        let multiprocessors = [1, 7, 132][turn / 2 % 3];
        let engines = Engines::new(GENERATIONS[turn % 3], multiprocessors, 50_000);
        for (number, lengths) in lists(&mut random).iter().enumerate() {
            let shifts = most_shift + 1 - LEAST_WINDOW_SHIFT;
            let shift = LEAST_WINDOW_SHIFT + (turn + number) as u32 % shifts;
            engines.check(lengths, (turn + number) % 3 == 0, shift, &options);
        }
    }
}

#[test]
fn the_last_tag() {
    let engines = Engines::new(SM_90, 1, 20_000);
    let lengths = [300, 9000, 2, 40, 4097];
    for options in schedules(1) {
        for engine in [&engines.reduction, &engines.scan] {
            engine.set_epoch(u32::MAX - 1);
        }
        engines.check(&lengths, false, 9, &options);
        for engine in [&engines.reduction, &engines.scan] {
            assert_eq!(engine.epoch(), 0);
            assert!(engine.is_clear());
        }
        engines.check(&lengths, true, 10, &options);
        assert_eq!(engines.reduction.epoch(), 1);
    }
}
