//! Small launches, whose windows have fewer diagonals than a chunk has items. Some of their windows have no chunk. Results have the CPU's
//! bits.

use warpfold::{Cpu, Equal, Moments, Sum, WideSum, kind, reduce, scan};
use warpfold_kernels::segments::tuning::{BLOCKS_PER_MULTIPROCESSOR, LEAST_WINDOW_SHIFT};
use warpfold_kernels::segments::{chunk_items, window_shift};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::device::Kernel;
use crate::engine::{Engine, GENERATIONS};
use crate::gpus::gpu;
use crate::schedule::schedules;
use crate::shapes;

/// The binary logarithm of the number of diagonals of a window of `f32`, for segments of these lengths on a device with this many
/// multiprocessors.
fn shift(lengths: &[usize], multiprocessors: u32) -> u32 {
    let diagonals = lengths.iter().sum::<usize>() + lengths.len();
    let resident_blocks = u64::from(BLOCKS_PER_MULTIPROCESSOR * multiprocessors);
    window_shift(chunk_items::<f32, f32>(), diagonals as u64, resident_blocks)
}

/// Lengths of empty segments, of segments of several chunks, of segments around the borders of windows, and random ones. Items and segments
/// together are at most `diagonals`.
fn lists(random: &mut Random, diagonals: usize) -> Vec<Vec<usize>> {
    let chunk = chunk_items::<f32, f32>() as usize;
    let long = diagonals - 200;
    let mut lists = vec![
        vec![diagonals - 1],
        [vec![0; diagonals - 2], vec![1]].concat(),
        vec![1; diagonals / 2],
        [vec![0; 70], vec![long], vec![2; 43]].concat(),
        [
            vec![3; 20],
            vec![long - chunk / 2],
            vec![chunk / 2],
            vec![0; 99],
        ]
        .concat(),
    ];
    // Segments that begin or end at a window's border, or beside it.
    for length in [254, 255, 256, 511, 1023] {
        lists.push(vec![length; diagonals / (length + 1)]);
    }
    lists.extend((0..2).map(|_| shapes::random(random, diagonals / 2)));
    lists
}

#[test]
fn any_schedule() {
    // On a device with this many multiprocessors, all launches below have small windows, although the longest segment has more than 16
    // chunks.
    const MULTIPROCESSORS: u32 = 48;
    let mut random = Random::new(21);
    let mut seen = [false; 4];
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let [reduction, scan_text] = ["segmented_reduce_sum_f32", "segmented_scan_sum_f32"]
            .map(|kernel| generation.kernel(kernel));
        let diagonals = [11_000, 22_000, 47_000, 73_000][turn % 4];
        let engine =
            |text: &str| Engine::new::<Sum, f32>(generation, MULTIPROCESSORS, text, diagonals);
        let [reduction, scanner] = [engine(&reduction), engine(&scan_text)];
        for lengths in lists(&mut random, diagonals) {
            let shift = shift(&lengths, MULTIPROCESSORS);
            assert!(1 << shift < chunk_items::<f32, f32>());
            seen[(shift - LEAST_WINDOW_SHIFT) as usize] = true;
            let offsets = shapes::offsets(0, &lengths);
            let items = ordinary::<Sum, f32>(offsets[lengths.len()]);
            let starts: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
            let what = format!("{} segments, {options:?}", lengths.len());
            let (found, is_refused, _) = reduction
                .segmented_reduce::<Sum, f32>(&items, &starts, &options)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(!is_refused);
            let expected = reduce::<Sum, _>(&items).segments(&offsets).wait(Cpu);
            assert_same_bits(&found, &expected.unwrap(), &what);
            let (found, is_refused, _) = scanner
                .segmented_scan::<Sum, f32>(&items, &starts, false, &options)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(!is_refused);
            let expected = scan::<Sum, _>(&items).segments(&offsets).wait(Cpu);
            assert_same_bits(&found, &expected.unwrap(), &what);
        }
    }
    assert_eq!(seen, [true; 4], "sizes of windows");
}

/// Checks reductions of segments whose windows are small. For this, the number of items and segments is limited by the number of
/// multiprocessors of this device.
fn check<O: Kernel<kind::segmented_reduce, T>, T: Sample>(random: &mut Random) {
    let diagonals = 2048 * gpu().multiprocessors() as usize;
    for lengths in lists(random, diagonals) {
        assert!(1 << shift(&lengths, gpu().multiprocessors()) < chunk_items::<f32, f32>());
        let offsets = shapes::offsets(0, &lengths);
        let items = ordinary::<O, T>(offsets[lengths.len()]);
        let request = || reduce::<O, _>(&items).segments(&offsets);
        let expected = request().wait(Cpu).unwrap();
        let what = format!("{} segments", lengths.len());
        assert_same_bits(&request().wait(gpu()).unwrap(), &expected, &what);
    }
}

#[test]
fn reductions() {
    let mut random = Random::new(22);
    check::<Sum, f32>(&mut random);
    check::<WideSum, f32>(&mut random);
    check::<Moments, f32>(&mut random);
}

#[test]
fn scans_in_each_order() {
    let mut random = Random::new(23);
    let diagonals = 2048 * gpu().multiprocessors() as usize;
    for lengths in lists(&mut random, diagonals) {
        let offsets = shapes::offsets(0, &lengths);
        let items = ordinary::<Sum, f32>(offsets[lengths.len()]);
        macro_rules! check {
            ($($method:ident)*) => {
                let request = || scan::<Sum, _>(&items)$(.$method())*.segments(&offsets);
                let expected = request().wait(Cpu).unwrap();
                let what = concat!($(stringify!($method), " "),*);
                assert_same_bits(&request().wait(gpu()).unwrap(), &expected, what);
            };
        }
        check!();
        check!(exclusive);
        check!(reversed);
        check!(exclusive reversed);
    }
}

/// Only the device knows the number of segments: the segments are runs of keys.
#[test]
fn the_number_of_segments_is_in_device_memory() {
    let mut random = Random::new(24);
    for item_count in [1, 300, 2000, 4000] {
        for most in [1, 20, 900, item_count] {
            let lengths = std::iter::repeat_with(|| 1 + random.below(most));
            let keys = lengths
                .enumerate()
                .flat_map(|(key, length)| std::iter::repeat_n(key as u32, length));
            let keys: Vec<u32> = keys.take(item_count).collect();
            let values = ordinary::<Sum, f32>(item_count);
            let request = || reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let (_, expected) = request().wait(Cpu).unwrap();
            let (_, found) = request().wait(gpu()).unwrap();
            let what = format!("{item_count} items in runs of at most {most}");
            assert_same_bits(&found, &expected, &what);
        }
    }
}
